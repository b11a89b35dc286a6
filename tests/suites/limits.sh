#!/usr/bin/env bash
# Small files that ask for much: each case of tests/tools/make-hostile.py, read within 512 MB of memory and 20
# seconds of processor time, or refused with the message that is expected. That a limit of time ends a view is a failure.
set -u
cd "$ROOT" || exit 1
maker=tests/tools/make-hostile.py

# For each case what is expected, and the view to which it costs most, as tried by all of them. A case is read, or refused
# for its memory, the size of what is unpacked, or the ranges that changes of memory go through.
cases() {
	cat <<'END'
perf-name            read    processes
perf-names           read    processes
perf-chains          size    cpu --by stack
perf-chains-allowed  memory  cpu --by stack
perf-zeros           size    cpu --by stack
perf-processes       memory  processes
perf-threads         read    cpu --by stack
perf-forks           ranges  memory --by stack
perf-fork-maps       memory  cpu --by stack
perf-moves           ranges  memory --by stack
perf-purges          ranges  memory --by stack
perf-allows          ranges  memory --by stack
perf-modules         memory  cpu --by module
perf-collide         read    cpu --by stack
perf-deep            memory  cpu --by stack
zip-rows             read    processes
zip-rows-of-a-pid    read    processes
zip-wide-rows        size    processes
zip-chain            read    tree
zip-nested           read    processes
zip-trace            size    cpu --by stack
zip-twice            size    cpu --by stack
zip-symbols          size    cpu --by stack
zip-members          read    processes
etl-decommits        ranges  memory --by stack
etl-commits          read    memory --by stack
etl-processes        read    processes
etl-threads          read    processes
etl-images           read    processes
END
}

# The message of a refusal: a pattern
refusal_of() {
	case $1 in
	size) echo 'the limit for its size' ;;
	memory) echo 'out of memory: .* than the limit for the size of what is read' ;;
	ranges) echo 'million ranges of addresses, the limit for [0-9]* events' ;;
	esac
}

list() {
	python3 "$maker" --list | while read -r name _; do
		echo "cpu $name"
	done
}

# try FILE EXPECTED VIEW...: what it did otherwise than it may
try() {
	local file=$1 expected=$2 command=$3 status

	shift 3
	(
		ulimit -t 20
		exec /usr/bin/time -q -o peak -f %M "$stagetrace" "$command" "$file" "$@" >/dev/null 2>err
	)
	status=$?
	case $expected in
	read)
		[ $status = 0 ] || echo "$command $*: status $status: $(tail -n 1 err)"
		;;
	*)
		[ $status = 1 ] && grep -q "$(refusal_of "$expected").*STAGETRACE_LIMITS=4" err ||
			echo "$command $*: status $status, not refused for its $expected: $(tail -n 1 err)"
		;;
	esac
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
		read -r _ expected view < <(cases | grep "^$name ")
		# shellcheck disable=SC2086 # the view and its options
		TMPDIR=$PWD try "$file" "${expected:-?}" ${view:-cpu}
	)
	printf '%s' "$bad"
	[ -z "$bad" ] || echo
	echo "$([ -z "$bad" ] && echo PASS || echo FAIL) limits $name"
	rm -f "$file"
}

"$@"
