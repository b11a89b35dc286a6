#!/usr/bin/env bash
# The unit test programs; each of their test functions counts. The last line that a test prints before it skips is the
# reason. WINE is the command that runs those for Windows (tests/suites/wine.sh).
set -u
cd "$ROOT" || exit 1

system=posix exe=''
if [ -n "${WINE:-}" ]; then
	system=windows exe=.exe
fi

run_program() {
	local log=$SCRATCH/unit/$1

	mkdir -p "$log.tmp"
	TMPDIR=$log.tmp CMOCKA_MESSAGE_OUTPUT=TAP timeout 1800 ${WINE:+"$WINE"} "$B/tests/unit/$1$exe" >"$log.out" 2>&1
	echo $? >"$log.status"
}

# The program's results, and all it said where not all went well.
report_program() {
	local name=${1##*/} log=$SCRATCH/unit/$1 status

	read -r status <"$log.status"
	awk -v name="$name: " -v status="$status" '
		{ sub(/\r$/, ""); lines[nr++] = $0 }
		/^1\.\.[0-9]+$/ { planned += substr($0, 4) }
		/^(not )?ok [0-9]+ / { seen++ }
		/^(not )?ok [0-9]+ # SKIP / {
			sub(/^(not )?ok [0-9]+ # SKIP /, "")
			results = results "SKIP " name $0 ": " (said ? said : "no reason given") "\n"
		}
		/^ok [0-9]+ - / { sub(/^ok [0-9]+ - /, ""); results = results "PASS " name $0 "\n" }
		/^not ok [0-9]+ - / { sub(/^not ok [0-9]+ - /, ""); results = results "FAIL " name $0 "\n"; failed = 1 }
		{ said = $0 }
		END {
			for (i = 0; i < nr; i++)
				if (status != 0 || seen != planned || lines[i] ~ /^NOTE /)
					print lines[i]
			printf "%s", results
			if (seen != planned || !planned)
				print "FAIL " name "ended with status " status " after " seen + 0 " of " planned + 0 " tests"
			else if (status != 0 && !failed)
				print "FAIL " name "all tests passed, but it ended with status " status
		}' "$log.out"
}

# Those that start processes mostly wait for them.
kind_of() {
	case ${1##*/} in
	test_arguments | test_build_tree | test_child | test_guard | test_proc_tree | test_proc_watch | test_runner) echo waits ;;
	*) echo cpu ;;
	esac
}

# A job is a program by its path below tests/unit, as tests of a system's own files are named as those of all systems.
list() {
	local source name

	# Those of a system first: they take longest.
	for source in tests/unit/"$system"/test_*.c tests/unit/test_*.c; do
		name=${source#tests/unit/}
		name=${name%.c}
		if [ -x "$B/tests/unit/$name$exe" ]; then
			echo "$(kind_of "$name") $name"
		else
			echo "FAIL $name: not built"
		fi
	done
}

run() {
	run_program "$1"
	report_program "$1"
}

"$@"
