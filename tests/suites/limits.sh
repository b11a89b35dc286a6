#!/usr/bin/env bash
# Small files that ask for much: each case of tests/tools/make-hostile.py, read within 512 MB of memory and 20
# seconds of processor time, or refused with the message that is expected.
set -u
cd "$ROOT" || exit 1
maker=tests/tools/make-hostile.py

# For each case what is expected, and the view to which it costs most, as tried by all of them. A case is read, or refused
# for its memory, its holes, the size of what is unpacked, or the ranges that changes of memory go through. Some only the limit of
# time ends, within libdw: they get less of it.
cases() {
	cat <<'END'
perf-name            read    processes
perf-names           read    processes
perf-chains          memory  cpu --by stack
perf-chains-allowed  memory  cpu --by stack
perf-zeros           read    cpu --by stack
perf-waiting         read    cpu --by function
perf-waiting-hole    size    cpu --by function
perf-processes       memory  processes
perf-processes-hole  memory  processes
perf-threads         read    cpu --by stack
perf-forks           ranges  memory --by stack
perf-fork-maps       memory  cpu --by stack
perf-moves           ranges  memory --by stack
perf-purges          ranges  memory --by stack
perf-allows          ranges  memory --by stack
perf-modules         read    cpu --by module
perf-collide         read    cpu --by stack
perf-collide-paths   read    cpu --by module
perf-deep            memory  cpu --by stack
elf-names            memory  cpu --by function
elf-overlaps         read    cpu --by function
elf-sections         read    cpu --by function
dwarf-lines          read    cpu --by function --inlines
dwarf-inlines        read    cpu --by function --inlines
dwarf-ranges         read    cpu --by function --inlines
dwarf-nesting        read    cpu --by function --inlines
dwarf-units          read    cpu --by function --inlines
dwarf-attributes     time    cpu --by function --inlines
frames-overlaps      read    cpu --by function
frames-states        time    cpu --by function
pdb-sites            read    cpu --by function --inlines
pdb-nested           memory  cpu --by function --inlines
pdb-procedures       read    cpu --by function --inlines
pdb-modules          read    cpu --by function --inlines
pdb-imports          read    cpu --by function --inlines
pdb-paths            read    cpu --by function --inlines
pdb-ids              memory  cpu --by function --inlines
pdb-same-line        read    cpu --by function --inlines
zip-dirs             read    cpu --by function
zip-kinds            read    system
zip-rows             read    processes
zip-rows-of-a-pid    read    processes
zip-wide-rows        size    processes
zip-chain            read    tree
zip-jobs             read    memory --jobs 4
zip-nested           read    processes
zip-trace            size    cpu --by stack
zip-twice            size    cpu --by stack
zip-waiting          read    cpu --by stack
zip-hole             holes   processes
zip-small-hole       memory  processes
zip-trace-hole       size    cpu --by stack
zip-symbols          size    cpu --by stack
zip-traces           size    cpu
zip-members          read    processes
etl-decommits        ranges  memory --by stack
etl-commits          read    memory --by stack
etl-processes        read    processes
etl-threads          read    processes
etl-images           read    processes
END
}

# The message of a refusal: a pattern. The limit of time is lowered by ulimit, which STAGETRACE_LIMITS does not raise.
refusal_of() {
	case $1 in
	list) echo 'MB, the limit for the size of processes.journal: STAGETRACE_LIMITS=4' ;;
	size) echo 'the limit for its size.*STAGETRACE_LIMITS=4' ;;
	holes) echo 'is sparse: .* stored, and the limit for that.*STAGETRACE_LIMITS=4' ;;
	memory) echo 'out of memory: .* MB, the limit for its size.*STAGETRACE_LIMITS=4' ;;
	ranges) echo 'million ranges of addresses, the limit for [0-9]* events.*STAGETRACE_LIMITS=4' ;;
	time) echo "takes more than 2 seconds of processor time, the limit of 'ulimit -t'" ;;
	esac
}

# The same, where a run has the file as its trace.
cases_of_runs() {
	cat <<'END'
recover-elf-names         memory  recover
recover-dwarf-attributes  time    recover
bundle-frames-states      time    bundle
END
}

# Under a gate it is not answered: exit code 125.
cases_of_gates() {
	cat <<'END'
gate-perf-processes       memory  compare
END
}

# And as the journal of a recording that was killed.
cases_of_journals() {
	cat <<'END'
journal-forks             list    recover
journal-crate             list    recover
journal-execs             read    recover
journal-execs-forks       read    recover
journal-execs-dir         time    recover
journal-responses         read    recover
journal-responses-many    read    recover
journal-nested            read    recover
END
}

list() {
	{ python3 "$maker" --list; cases_of_runs; cases_of_gates; } | while read -r name _; do
		echo "cpu $name"
	done
}

# Make a run of a trace or a journal, as a recording that was killed or a finished one: make_run FILE COMMAND
make_run() {
	mkdir run
	cp "$ROOT/tests/data/tiny-run"/{manifest.json,processes.jsonl} run
	case $1 in
	*.journal) mv "$1" run/ && rm run/processes.jsonl ;;
	*) mv "$1" run/trace.perf.data ;;
	esac
	python3 - "$2" run/manifest.json <<-'PY'
		import json, sys
		with open(sys.argv[2]) as file:
		    manifest = json.load(file)
		manifest.pop("files", None)
		manifest["recorder"] = {"name": "perf", "version": "6.1"}
		manifest["state"] = "collecting" if sys.argv[1] == "recover" else "done"
		with open(sys.argv[2], "w") as file:
		    json.dump(manifest, file)
	PY
	[ "$2" != recover ] || mv run run.partial
}

# limit_disk COMMAND...: run it with 512 MB for its temporary files, which have no name: all together, or where that is not
# allowed, each of them.
limit_disk() {
	mkdir temporary
	export TMPDIR=$PWD/temporary
	ulimit -f $((512 * 1024))
	# shellcheck disable=SC2016 # expanded by the inner shell
	if unshare -m mount -t tmpfs -o size=512m none temporary 2>/dev/null; then
		exec unshare -m sh -c 'mount -t tmpfs -o size=512m none "$TMPDIR" && exec "$@"' sh "$@"
	fi
	exec "$@"
}

# try FILE EXPECTED VIEW...: what it did otherwise than it may
try() {
	local file=$1 expected=$2 command=$3 status failed=1

	shift 3
	if [ "$command" = compare ]; then
		set -- "$file" --fail-if 'peak > 1GB'
		failed=125
	fi
	(
		ulimit -t 20
		[ "$expected" != time ] || ulimit -S -t 1
		limit_disk /usr/bin/time -q -o peak -f %M "$stagetrace" "$command" "$file" "$@" >/dev/null 2>err
	)
	status=$?
	case $expected in
	read)
		[ $status = 0 ] || echo "$command $*: status $status: $(tail -n 1 err)"
		;;
	*)
		[ ! -d journal ] || diff -r journal "$file" || echo "$command $*: the run is not as it was"
		[ $status = $failed ] && grep -q "$(refusal_of "$expected")" err ||
			echo "$command $*: status $status, not refused for its $expected: $(tail -n 1 err)"
		;;
	esac
	[ "$(du -sk . | cut -f 1)" -le $((512 * 1024)) ] || echo "$command $*: $(du -sk . | cut -f 1) KB of disk"
	[ "$(tail -n 1 peak)" -le $((512 * 1024)) ] || echo "$command $*: $(tail -n 1 peak) KB of memory"
}

run() {
	local name=$1 case=${1#recover-} file bad

	stagetrace=$(realpath "${PROGRAM:-$B/stagetrace}")
	command -v zstd >/dev/null || { echo "SKIP limits $name: zstd is not installed"; exit 0; }
	[ -x /usr/bin/time ] || { echo "SKIP limits $name: /usr/bin/time is not installed"; exit 0; }
	maker=$ROOT/$maker
	mkdir -p "$SCRATCH/limits-$name" && cd "$SCRATCH/limits-$name" || exit 1
	case=${case#bundle-}
	case=${case#gate-}
	case $case in
	zip-*) file=trace.zip ;;
	etl-* | pdb-*) file=trace.etl ;;
	journal-*) file=processes.journal ;;
	*) file=trace.data ;;
	esac
	python3 "$maker" "$case" "$file" || exit 1
	bad=$(
		[ "$(du -k "$file" | cut -f 1)" -le 1024 ] || echo "$file has $(du -k "$file" | cut -f 1) KB stored, more than 1 MB"
		read -r _ expected view < <({ cases; cases_of_runs; cases_of_gates; cases_of_journals; } | grep "^$name ")
		if [[ $name != "$case" && $name != gate-* ]] || [ "$file" = processes.journal ]; then
			make_run "$file" "$view"
			file=$(echo run*)
			# A refusal leaves what a journal is to give.
			[ "${case#journal-}" = "$case" ] || cp -r "$file" journal
		fi
		# shellcheck disable=SC2086 # the view and its options
		try "$file" "${expected:-?}" ${view:-cpu}
	)
	printf '%s' "$bad"
	[ -z "$bad" ] || echo
	echo "$([ -z "$bad" ] && echo PASS || echo FAIL) limits $name"
	rm -rf "${SCRATCH:?}/limits-$name"
}

"$@"
