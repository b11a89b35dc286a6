#!/usr/bin/env bash
# Small files that ask for much: each case of tests/tools/make-hostile.py, read within 512 MB of memory and 20
# seconds of processor time, or refused with a message. That a view is killed by these limits is a failure.
set -u
cd "$ROOT" || exit 1
maker=tests/tools/make-hostile.py

# The view to which a case costs most, as tried by all of them.
view_of() {
	case $1 in
	etl-* | perf-forks | perf-moves | perf-purges) echo memory --by stack ;;
	perf-name* | perf-processes | zip-rows* | zip-wide-rows | zip-nested | zip-members) echo processes ;;
	perf-modules) echo cpu --by module ;;
	zip-chain) echo tree ;;
	*) echo cpu --by stack ;;
	esac
}

list() {
	python3 "$maker" --list | while read -r name _; do
		echo "cpu $name"
	done
}

# Cases that only the limit of time ends. One is run up to it; the others get less time, and say so.
time_of() {
	case $1 in
	perf-forks | perf-purges) echo 4 ;;
	*) echo 20 ;;
	esac
}

# try SECONDS FILE VIEW...: what it did otherwise than it may
try() {
	local seconds=$1 file=$2 command=$3 status

	shift 3
	(
		ulimit -H -t 20
		ulimit -S -t "$seconds"
		exec /usr/bin/time -q -o peak -f %M "$stagetrace" "$command" "$file" "$@" >/dev/null 2>err
	)
	status=$?
	# What the trace does not have is no failure: every case is read by all.
	[ $status = 0 ] || [ $status = 1 ] || echo "$command $*: status $status: $(tail -n 1 err)"
	[ "$(tail -n 1 peak)" -le $((512 * 1024)) ] || echo "$command $*: $(tail -n 1 peak) KB of memory"
}

run() {
	local name=$1 ending=${1%%-*} file bad

	stagetrace=$(realpath "${PROGRAM:-$B/stagetrace}")
	command -v zstd >/dev/null || { echo "SKIP limits $name: zstd is not installed"; exit 0; }
	[ -x /usr/bin/time ] || { echo "SKIP limits $name: /usr/bin/time is not installed"; exit 0; }
	maker=$ROOT/$maker
	mkdir -p "$SCRATCH/limits-$name" && cd "$SCRATCH/limits-$name" || exit 1
	file=trace.${ending/perf/data}
	python3 "$maker" "$name" "$file" || exit 1
	bad=$(
		[ "$(stat -c %s "$file")" -le $((1 << 20)) ] || echo "$file has $(stat -c %s "$file") bytes, more than 1 MB"
		read -ra view < <(view_of "$name")
		TMPDIR=$PWD try "$(time_of "$name")" "$file" "${view[@]}"
	)
	printf '%s' "$bad"
	[ -z "$bad" ] || echo
	echo "$([ -z "$bad" ] && echo PASS || echo FAIL) limits $name"
	rm -f "$file"
}

"$@"
