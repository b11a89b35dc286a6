#!/usr/bin/env bash
# The unit test programs, two at a time; each test function of theirs counts. What a test prints last before it
# skips is the reason. WINE is what runs those for Windows (tests/suites/wine.sh).
set -u
cd "$ROOT" || exit 1

run_program() {
	local program=$1 log

	log=$SCRATCH/unit/$(basename "$program" .exe)
	mkdir -p "$log.tmp"
	TMPDIR=$log.tmp CMOCKA_MESSAGE_OUTPUT=TAP timeout 600 ${WINE:+"$WINE"} "$program" >"$log.out" 2>&1
	echo $? >"$log.status"
}

# The program's results, and all it said where not all went well.
report_program() {
	local name=$1 log=$SCRATCH/unit/$1 status planned seen

	status=$(cat "$log.status")
	sed -i 's/\r$//' "$log.out"
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log.out" | awk '{ sum += $1 } END { print sum + 0 }')
	seen=$(grep -cE '^(not )?ok [0-9]+ ' "$log.out")
	if [ "$status" != 0 ] || [ "$seen" != "$planned" ]; then
		cat "$log.out"
	fi
	awk -v name="$name: " '
		/^(not )?ok [0-9]+ # SKIP / {
			sub(/^(not )?ok [0-9]+ # SKIP /, "")
			print "SKIP " name $0 ": " (said ? said : "no reason given")
		}
		/^ok [0-9]+ - / { sub(/^ok [0-9]+ - /, ""); print "PASS " name $0 }
		/^not ok [0-9]+ - / { sub(/^not ok [0-9]+ - /, ""); print "FAIL " name $0 }
		{ said = $0 }' "$log.out"
	if [ "$seen" != "$planned" ] || [ "$planned" = 0 ]; then
		echo "FAIL $name: ended with status $status after $seen of $planned tests"
	elif [ "$status" != 0 ] && ! grep -q '^not ok [0-9]* - ' "$log.out"; then
		echo "FAIL $name: all tests passed, but it ended with status $status"
	fi
}

mkdir -p "$SCRATCH/unit"
programs=() system=posix exe=
if [ -n "${WINE:-}" ]; then
	system=windows exe=.exe
fi
for source in tests/unit/test_*.c tests/unit/"$system"/test_*.c; do
	name=$(basename "$source" .c)
	# shellcheck disable=SC2053 # ONLY is a pattern
	if [ ! -f "$source" ] || [[ $name != $ONLY ]]; then
		continue
	fi
	if [ -x "$B/${source%.c}$exe" ]; then
		programs+=("$B/${source%.c}$exe")
	else
		echo "FAIL $name: not built"
	fi
done
export -f run_program
printf '%s\0' "${programs[@]}" | xargs -0 -r -n 1 -P 2 bash -c 'run_program "$1"' run_program
for program in "${programs[@]}"; do
	report_program "$(basename "$program" .exe)"
done
