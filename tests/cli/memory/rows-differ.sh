# No two rows of a view in text look equal in their keys, at any width, and all are there.
columns() {
	case $1 in
	process) echo pid,image,crate ;;
	thread) echo pid,tid,thread ;;
	function) echo module,function ;;
	*,function) echo crate,module,function ;;
	*) echo "$1" ;;
	esac
}
for by in process role part crate module function phase query stack crate,function role,crate crate,phase; do
	rows=$(stagetrace memory "$DATA/traced-run" --by "$by" --format csv -q | grep -c '')
	for width in 20 60 100 200; do
		COLUMNS=$width stagetrace memory "$DATA/traced-run" --by "$by" --columns "$(columns $by)" -q | sed '1,/^$/d' >rows
		[ "$(sort rows | uniq | grep -c '')" -eq "$rows" ] || echo "by $by at $width: $(sort rows | uniq -d)"
	done
	echo "by $by: $((rows - 1)) rows"
done
