# No line of a table is longer than the terminal is wide, from 60 characters on.
run=${RUN_TO_FIT:-$DATA/traced-run}

longest() {
	local width=$1 longest

	shift
	longest=$(COLUMNS=$width stagetrace "$@" --quiet | LC_ALL=C.UTF-8 wc -L)
	if ((longest == 0 || longest > width)); then
		echo "${*/"$run"/RUN}: $longest characters of $width"
	fi
}

for width in 60 80 100 200; do
	longest "$width" system "$run"
	longest "$width" processes "$run" --head
	longest "$width" tree "$run"
	longest "$width" timeline "$run"
	for key in crate role part phase; do
		longest "$width" timeline "$run" --by "$key"
	done
	for key in process role part crate module function thread phase query stack calls thread,module process,function; do
		longest "$width" cpu "$run" --by "$key"
		longest "$width" memory "$run" --by "$key"
	done
	for key in lifetime region crate,lifetime; do
		longest "$width" memory "$run" --by "$key"
	done
	longest "$width" memory "$run" --by process --at own-peak
	longest "$width" memory "$run" --by function --sort freed_bytes --at 2s
done
echo "all views were asked"
