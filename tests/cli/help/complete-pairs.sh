# Of two keys those are offered that are accepted; heap is a key of --of heap alone.
eval "$(stagetrace help --bash-completion)"
offered() {
	COMP_WORDS=(stagetrace memory --by "$1")
	COMP_CWORD=3
	_stagetrace
	printf '%s\n' "${COMPREPLY[@]}"
}
for first in $(offered ""); do
	for second in $(offered ""); do
		case $(stagetrace memory --of heap --by "$first,$second" none 2>&1) in
		"stagetrace: --by"* | "stagetrace: '--by'"*) ;;
		*) echo "$first,$second" ;;
		esac
	done >accepted
	offered "$first," | sed '/^$/d' | diff accepted - && echo "$first: $(wc -l <accepted)"
done
