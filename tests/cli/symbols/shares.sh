# The numbers are those of the views by module.
sum() {
	awk -F, -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key || $i == key "\r") at = i; next } { sum += $at } END { print sum }'
}
of() {
	stagetrace symbols -q "$DATA/traced-run" --format csv --columns "$1" | sum "$1"
	stagetrace "$2" -q "$DATA/traced-run" --by module --format csv --columns "$3" | sum "$3"
}
of cpu_ns cpu self_ns
of size_bytes memory size_bytes
