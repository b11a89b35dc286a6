#!/usr/bin/env bash
# tests/run.sh itself, suites that run others, .ci/run and the Makefile: no failure is lost. Each test has a directory with a
# copy of what it tests, and its own suites.
set -u
cd "$ROOT" || exit 1
here=$SCRATCH/runner

# suite NAME LISTED [COMMANDS]: a suite of the copy, and the commands of its jobs.
suite() {
	mkdir -p "$copy/tests/suites"
	printf '#!/usr/bin/env bash\ncase $1 in\nlist) printf "%%b" "%s" ;;\nrun) %s ;;\nesac\n' "$2" "${3:-:}" >"$copy/tests/suites/$1.sh"
	chmod +x "$copy/tests/suites/$1.sh"
}

# expect STATUS LINE OUTPUT: the output has the line.
expect() {
	[ "$status" = "$1" ] || echo "exit status $status, not $1"
	grep -aqxF -- "$2" <<<"$3" || printf "no line '%s' in\n%s\n" "$2" "$3"
}

# run_and_expect STATUS LINE SUITE
run_and_expect() {
	local out status

	out=$("$copy/tests/run.sh" "${@:3}" 2>&1 | tr -d '\0'; exit "${PIPESTATUS[0]}")
	status=$?
	expect "$1" "$2" "$out"
}

test_counts() {
	suite a 'cpu one\nwaits two\ncpu three\nalone four\n' 'echo "PASS $2"'
	JOBS=1 run_and_expect 0 '4 passed, 0 failed, 0 skipped' a
	ONLY=one run_and_expect 0 '4 passed, 0 failed, 0 skipped' a
	run_and_expect 0 '1 passed, 0 failed, 0 skipped' a 'th*'
}

test_failures_behind_other_bytes() {
	suite a 'cpu one\n' 'echo "PASS one"; seq 100000; printf "\0\377\n"; echo "FAIL two"'
	run_and_expect 1 '1 passed, 1 failed, 0 skipped' a
}

test_errors() {
	suite a 'cpu one\n' 'echo "PASS one"; exit 3'
	run_and_expect 1 'FAIL a/one: ended with status 3 after 1 results' a
	suite a 'cpu one\n'
	run_and_expect 1 'FAIL a/one: ended with status 0 after 0 results' a
}

# One that always fails has failed, and one that fails the first time has not, after all others have ended.
test_again() {
	suite a 'waits one\ncpu two\nalone three\n' "echo \$2 >>$copy/order
		if [ \$2 = two ] || [ \$2-\$(grep -c three $copy/order) = three-1 ]; then echo \"FAIL \$2\"; exit 1; else echo \"PASS \$2\"; fi"
	AGAIN=1 run_and_expect 1 'ran again after a failure: 2 jobs' a
	[ "$(tail -n 2 "$copy/order" | sort | xargs) $(wc -l <"$copy/order")" = 'three two 5' ] || cat "$copy/order"
	rm "$copy/order"
	AGAIN=1 run_and_expect 1 '2 passed, 2 failed, 0 skipped' a
	rm "$copy/order"
	AGAIN=1 run_and_expect 0 '1 passed, 0 failed, 0 skipped' a one
	run_and_expect 1 'FAIL two' a
}

# A job that uses a fifth of a second of a processor, in a process of its own, and one that uses next to nothing.
test_times() {
	local cpu real kind name lines=0

	suite a 'cpu busy\nwaits idle\n' 'echo "PASS $2"; [ $2 = idle ] ||
		bash -c '\''until read -ra t </proc/$$/stat; ((t[13] + t[14] >= 20)); do :; done'\'
	TIMES=$copy/times run_and_expect 0 '2 passed, 0 failed, 0 skipped' a
	while read -r cpu real kind name; do
		case $kind:$name in
		cpu:a/busy) [ "$cpu" -ge 200 ] && [ "$real" -ge 200 ] ;;
		waits:a/idle) [ "$cpu" -lt 200 ] ;;
		*) false ;;
		esac || echo "$cpu $real $kind $name"
		lines=$((lines + 1))
	done <"$copy/times"
	[ $lines = 2 ] || echo "$lines lines"
}

test_suites_without_tests() {
	suite a ''
	run_and_expect 1 'FAIL a: lists no tests' a
}

# A suite of the copy has the command `build`: build_suite NAME
build_suite() {
	sed -i 's/^case/build() {\n\t$BUILD of-a-suite\n}\n&/; s/^list)/build) build ;;\n&/' "$copy/tests/suites/$1.sh"
}

test_builds() {
	suite a 'waits one\n' 'echo "PASS one"'
	build_suite a
	env -u BUILD "$copy/tests/run.sh" a | grep -x of-a-suite
	BUILD='echo' run_and_expect 0 of-a-suite a
	BUILD='echo' run_and_expect 0 '1 passed, 0 failed, 0 skipped' a
	BUILD=false run_and_expect 1 'FAIL a/build: ended with status 1 after 0 results' a
}

# A build ends when a test that waits has run, and no test that needs a processor may have.
test_tests_next_to_builds() {
	local name suites=0

	while read -r name; do
		suite "$name" 'cpu one\nwaits two\n' "touch $copy/\$2-has-run; echo \"PASS \$2\""
		suites=$((suites + 1))
	done < <(sed -n 's/^all) suites="\([^$]*\)\$fast".*/\1/p; s/^fast="\(.*\)"/\1/p' tests/run.sh | xargs -n 1)
	cat >"$copy/build.sh" <<-END
		for _ in {1..200}; do
			[ ! -e $copy/two-has-run ] || break
			sleep 0.05
		done
		[ -e $copy/two-has-run ] && [ ! -e $copy/one-has-run ]
	END
	build_suite wine
	BUILD="bash $copy/build.sh" run_and_expect 0 "$((2 * suites)) passed, 0 failed, 0 skipped" all
}

test_slow_jobs() {
	local name fast slow

	fast=$(sed -n 's/^fast="\(.*\)"/\1/p' tests/run.sh)
	slow=$(sed -n 's/^slow="\(.*\)"/\1/p' tests/run.sh)
	for name in $fast; do
		suite "$name" 'cpu one\n' 'echo "PASS $2"'
	done
	for name in $slow; do
		grep -xqF "cpu ${name#*/}" < <("tests/suites/${name%%/*}.sh" list) || echo "$name is no job"
		suite "${name%%/*}" "cpu one\\ncpu ${name#*/}\\n" 'echo "PASS $2"'
	done
	run_and_expect 0 "$(wc -w <<<"$fast") passed, 0 failed, 0 skipped" check
	run_and_expect 0 '2 passed, 0 failed, 0 skipped' "${name%%/*}"
}

# A process that a job runs under timeout.
test_interrupts() {
	local pid child

	suite a 'waits one\n' "timeout 60 bash -c 'echo \$\$ >$copy/pid.new; mv $copy/pid.new $copy/pid; sleep 60; :'"
	"$copy/tests/run.sh" a >"$copy/out" 2>&1 &
	pid=$!
	for _ in {1..200}; do
		[ ! -e "$copy/pid" ] || break
		sleep 0.05
	done
	child=$(cat "$copy/pid") || return
	kill -TERM "$pid"
	wait "$pid"
	for _ in {1..200}; do
		kill -0 "$child" 2>/dev/null || return
		sleep 0.05
	done
	echo "process $child still runs"
	kill "$child"
}

test_kinds_of_recordings() {
	local out status=0

	mkdir -p "$copy/tests/e2e"
	cp tests/suites/e2e.sh "$copy/tests/suites"
	printf '# kind: wiats\n' >"$copy/tests/e2e/a.sh"
	printf '# kind: cpu\n' >"$copy/tests/e2e/b.sh"
	out=$(ROOT=$copy "$copy/tests/suites/e2e.sh" list)
	expect 0 "FAIL e2e/a: there is no kind 'wiats'" "$out"
	expect 0 'cpu b' "$out"
}

test_failed_recordings_are_kept() {
	local out status=0 kept=$copy/build/failed/e2e/a

	mkdir -p "$copy/tests/e2e" "$copy/scratch" "$kept/of-before"
	cp tests/suites/e2e.sh "$copy/tests/suites"
	printf 'mkdir -m 500 "$TESTDIR/run"; exit 1\n' >"$copy/tests/e2e/a.sh"
	out=$(ROOT=$copy B=build SCRATCH=$copy/scratch PROGRAM=/bin/true "$copy/tests/suites/e2e.sh" run a)
	expect 0 "what it left is in $kept" "$out"
	expect 0 'FAIL e2e/a' "$out"
	[ "$(ls "$kept")" = run ] || echo "kept: $(ls "$kept")"
	[ -z "$(ls "$copy/scratch/e2e")" ] || echo "left: $(ls "$copy/scratch/e2e")"
}

test_errors_under_wine() {
	local out status

	cp tests/suites/wine.sh "$copy/tests/suites"
	suite cli '' 'echo "PASS cli/one"; exit 3'
	out=$(ROOT=$copy SCRATCH=$copy B=build "$copy/tests/suites/wine.sh" run cli:one)
	status=$?
	expect 3 'PASS wine/one' "$out"
}

test_count_of_ci() {
	local out status

	mkdir -p "$copy/.ci"
	cp .ci/run "$copy/.ci"
	printf 'test:\n\t@printf "a\\0\\377\\n2 passed, 0 failed, 1 skipped\\n"\n' >"$copy/Makefile"
	out=$(env -u MAKELEVEL -u MAKEFLAGS "$copy/.ci/run" 2>&1 | tail -n 1; exit "${PIPESTATUS[0]}")
	status=$?
	expect 0 '2 passed, 0 failed, 1 skipped' "$out"
}

# "clean all" at the same time would remove what is being built.
test_goals_of_make() {
	local goals flags

	for goals in all 'clean all'; do
		# shellcheck disable=SC2086 # several words
		flags=$(env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS JOBS=3 make -np $goals 2>/dev/null | sed -n 's/^MAKEFLAGS = //p')
		case $goals:$flags in
		all:*-j3* | 'clean all':*) [[ $goals != clean* || $flags != *-j* ]] || echo "make $goals has the flags $flags" ;;
		*) echo "make $goals has the flags $flags" ;;
		esac
	done
}

# A run has the variables that decide its build: what make adds to them would keep `rerun` from starting without make.
test_demo_without_make() {
	local out status

	mkdir -p "$copy/tests/tools" "$copy/tests/bootstrap" "$copy/build/demo/runs"
	cp tests/tools/demo.sh "$copy/tests/tools"
	touch "$copy/tests/bootstrap/x.py"
	printf '#!/bin/sh\necho "$1" "flags${MAKEFLAGS+ MAKEFLAGS}${MFLAGS+ MFLAGS}${MAKELEVEL+ MAKELEVEL}"\n' >"$copy/stagetrace"
	chmod +x "$copy/stagetrace"
	out=$(MAKEFLAGS=' -j2 --jobserver-auth=3,4' MFLAGS=-j2 MAKELEVEL=1 "$copy/tests/tools/demo.sh" "$copy/stagetrace" 2>&1)
	status=$?
	expect 0 'record flags' "$out"
}

list() {
	declare -F | sed -n 's/^declare -f test_/waits /p'
}

run() {
	local wrong copy=$here/$1

	mkdir -p "$copy/tests/suites"
	cp tests/run.sh "$copy/tests"
	wrong=$("test_$1" 2>&1)
	if [ -z "$wrong" ]; then
		echo "PASS runner/$1"
	else
		printf '%s\n' "$wrong"
		echo "FAIL runner/$1"
	fi
}

"$@"
