#!/usr/bin/env bash
# Run the tests, of which B (default: build) has the programs, and count them:
#
#   tests/run.sh all             everything
#   tests/run.sh check           the fast suites: no fuzzers, no whole recordings, no Wine, no hostile files; without their slow jobs
#   tests/run.sh SUITE           one of tests/suites/
#   tests/run.sh golden          cli, rewriting what the cases expect; review the diff
#
# A second argument is a pattern for the names of the jobs: tests/run.sh cli 'tree/*'. VERBOSE=1 shows what passes. JOBS is the
# number of processors to use, by default all. TIMES is a file for a line on each job: milliseconds of processor time and
# of real time, kind, suite/name. Processor time is that of the processes that a job waits for: not of servers, nor of what a program
# starts under Wine.
#
# With AGAIN=1 a job that fails runs once more when all others have ended, and its second results count: recordings of real builds
# depend on what else the machine does. Its first output is shown, and the end says how many jobs there were.
#
# A suite is a script of two commands. `list` prints a line for each of its jobs, "KIND NAME", in which KIND says what may
# run at the same time:
#
#   cpu     needs a processor: one for each
#   waits   mostly sleeps: three for each processor, next to the others
#   alone   changes the system's settings or depends on them: no other test runs
#
# What ends processes ends only those of its own build, by their marks, and so may run next to others.
#
# `run NAME` runs a job, which prints "PASS test", "FAIL test" and "SKIP test: why"; "NOTE text" is printed, other lines if one
# of its tests fails. `list` may print such results too. A job that prints no result, or ends with an error, has failed, and so has
# a run without tests. Jobs run in any order, in a process group of their own, with a fresh directory below SCRATCH each if
# they make one.
#
# A suite of programs that `make tests` does not build has a third command, `build`. If BUILD is a command that builds a target of
# the Makefile (`make test` sets it), a job runs that command and then lists the suite. It may use all processors: only
# tests that do not need one run next to it.
set -um
cd "$(dirname "$0")/.." || exit 1
export ROOT=$PWD B=${B:-build} LC_ALL=C.UTF-8
unset COLUMNS
SCRATCH=$(mktemp -d) || exit 1
export SCRATCH RUN_PID=$$

# The tests start python3 some thousand times, and each recording asks for the versions of both. A version manager's are scripts
# that start another one, in six times the time: links to the system's, or to that other one, are found before them.
use_quick_python() {
	local name found python=/usr/bin/python3

	[ -x $python ] || python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || return 0
	mkdir "$SCRATCH/python"
	for name in python3 python; do
		if found=$(type -P $name) && [ "$(head -c 2 "$found" | tr -d '\0')" = '#!' ]; then
			ln -s "$python" "$SCRATCH/python/$name"
		fi
	done
	PATH=$SCRATCH/python:$PATH
}
use_quick_python
times_file=${TIMES:-} again=${AGAIN:-}
unset TIMES AGAIN
started=${EPOCHREALTIME/./}

processors=${JOBS:-$(nproc)}
passed=0 failed=0 skipped=0
job_suite=() job_kind=() job_name=() job_begin=() job_us=() job_cpu=()
unsteady=() # jobs that have failed once
declare -A running=() tests_of=() us_of=() cpu_of=() waiting limit used
waiting=([build]='' [alone]='' [cpu]='' [waits]='' [again]='') # jobs, "1 2 3 "
limit=([build]=1 [alone]=1 [cpu]=$processors [waits]=$((processors * 3)) [again]=1)
used=([build]=0 [alone]=0 [cpu]=0 [waits]=0 [again]=0)

# A process and all that it has started: `timeout` takes what it runs into another process group.
process_tree() {
	local child children=()

	echo "$1"
	read -ra children 2>/dev/null <"/proc/$1/task/$1/children"
	for child in "${children[@]}"; do
		process_tree "$child"
	done
}

end_jobs() {
	local pid pids=()

	for pid in "${!running[@]}"; do
		mapfile -t -O ${#pids[@]} pids < <(process_tree "$pid")
	done
	[ ${#pids[@]} = 0 ] || kill -TERM "${pids[@]}" 2>/dev/null
	wait
}

# Suites with something to end (a server, ...) leave an executable SCRATCH/SUITE.end.
end_suites() {
	local end

	for end in "$SCRATCH"/*.end; do
		[ ! -x "$end" ] || "$end"
	done
}

trap 'end_suites; chmod -R u+w "$SCRATCH"; rm -rf "$SCRATCH"' EXIT
trap 'end_jobs; exit 130' INT TERM

count_result() {
	local suite=$1 line=$2

	tests_of[$suite]=$((${tests_of[$suite]:-0} + 1))
	case $line in
	"PASS "*)
		passed=$((passed + 1))
		[ -z "${VERBOSE:-}" ] || printf '%s\n' "$line"
		;;
	"FAIL "*)
		failed=$((failed + 1))
		printf '%s\n' "$line"
		;;
	"SKIP "*)
		skipped=$((skipped + 1))
		printf '%s\n' "$line"
		;;
	esac
}

add_job() {
	waiting[$2]+="${#job_name[@]} "
	job_suite+=("$1") job_kind+=("$2") job_name+=("$3")
}

# By the order of the suites: those that take long are first.
sort_jobs() {
	local kind suite job sorted

	for kind in alone cpu waits; do
		sorted=
		for suite in $suites; do
			for job in ${waiting[$kind]}; do
				[ "${job_suite[job]}" != "$suite" ] || sorted+="$job "
			done
		done
		waiting[$kind]=$sorted
	done
}

list_suite() {
	"tests/suites/$1.sh" list 2>&1 || echo "FAIL $1: cannot list its tests"
}

# The jobs of a suite, which are listed on stdin
add_jobs() {
	local suite=$1 line kind name jobs=${#job_name[@]}

	while IFS= read -r line; do
		kind=${line%% *} name=${line#* }
		case $kind in
		PASS | FAIL | SKIP) count_result "$suite" "$line" ;;
		cpu | waits | alone)
			# shellcheck disable=SC2053 # ONLY is a pattern
			[[ $name != $ONLY || " $left_out " == *" $suite/$name "* ]] || add_job "$suite" "$kind" "$name"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	if [ "$ONLY" = '*' ] && [ ${#job_name[@]} = "$jobs" ] && [ -z "${tests_of[$suite]:-}" ]; then
		count_result "$suite" "FAIL $suite: lists no tests"
	fi
}

add_suite() {
	if [ -n "${BUILD:-}" ] && grep -q '^build() {' "tests/suites/$1.sh"; then
		add_job "$1" build build
	else
		add_jobs "$1" < <(list_suite "$1")
	fi
}

# What a job does: run_job SUITE KIND NAME
run_job() {
	if [ "$2" = build ]; then
		"tests/suites/$1.sh" build && list_suite "$1"
	else
		"tests/suites/$1.sh" run "$3"
	fi
}

# run_timed JOB SUITE KIND NAME: run_job, and the shell's account of the processor time of it and of what it waited for.
run_timed() {
	local status

	run_job "${@:2}"
	status=$?
	times >"$SCRATCH/times.$1"
	return $status
}

start_job() {
	local job=$1 kind=${job_kind[$1]}

	used[$kind]=$((used[$kind] + 1))
	job_begin[job]=${EPOCHREALTIME/./}
	run_timed "$job" "${job_suite[job]}" "$kind" "${job_name[job]}" >"$SCRATCH/job.$job" 2>&1 </dev/null &
	running[$!]=$job
}

# Whether a job of this kind may start now.
may_start() {
	[ "${used[$1]}" -lt "${limit[$1]}" ] || return 1
	case $1 in
	build) [ "${used[cpu]}" = 0 ] ;;
	alone) [ ${#running[@]} = "${used[build]}" ] ;;
	cpu) [ "${used[alone]}" = 0 ] && [ "${used[build]}" = 0 ] ;;
	waits) [ "${used[alone]}" = 0 ] ;;
	again) [ ${#running[@]} = 0 ] ;;
	esac
}

start_jobs() {
	local kind job

	for kind in build alone cpu waits again; do
		while [ -n "${waiting[$kind]}" ] && may_start $kind; do
			job=${waiting[$kind]%% *}
			waiting[$kind]=${waiting[$kind]#* }
			start_job "$job"
		done
	done
}

# read_job JOB STATUS: sets `results`, the lines of its tests; `notes`; and `failed_job`, empty if all is well. No program is started
# for them: there are some thousand jobs.
read_job() {
	local line lines

	results=() notes='' failed_job=
	mapfile -t lines <"$SCRATCH/job.$1"
	for line in "${lines[@]}"; do
		case $line in
		"PASS "* | "SKIP "*) results+=("$line") ;;
		"FAIL "*) results+=("$line") failed_job=yes ;;
		"NOTE "*) notes+="${job_suite[$1]}/${job_name[$1]}: ${line#NOTE }"$'\n' ;;
		esac
	done
	[ "$2" = 0 ] && [ ${#results[@]} != 0 ] || failed_job=yes
}

run_again() {
	printf 'AGAIN %s/%s, which failed:\n' "${job_suite[$1]}" "${job_name[$1]}"
	sed 's/^/    /' "$SCRATCH/job.$1"
	unsteady+=("$1")
	job_kind[$1]=again
	waiting[again]+="$1 "
}

# The results of a job that read_job has read, after all it printed if one is a failure.
report_job() {
	local job=$1 status=$2 suite=${job_suite[$1]} line

	if [ -z "$failed_job" ]; then
		printf '%s' "$notes"
	else
		grep -avE '^(PASS|FAIL|SKIP) ' "$SCRATCH/job.$job"
	fi
	for line in "${results[@]}"; do
		count_result "$suite" "$line"
	done
	if [ "$status" != 0 ] || [ ${#results[@]} = 0 ]; then
		count_result "$suite" "FAIL $suite/${job_name[job]}: ended with status $status after ${#results[@]} results"
	fi
}

# cpu_time JOB: sets `cpu` to its microseconds, of which the shell writes "0m0.004s 0m0.002s" for itself and for what it
# waited for. They are not known if it was killed.
cpu_time() {
	local t

	cpu=0
	[ -e "$SCRATCH/times.$1" ] || return 0
	while IFS='ms. ' read -r -a t; do
		cpu=$((cpu + (t[0] + t[3]) * 60000000 + (t[1] + t[4]) * 1000000 + (10#${t[2]} + 10#${t[5]}) * 1000))
	done <"$SCRATCH/times.$1"
}

wait_for_job() {
	local pid status job cpu suite results notes failed_job

	wait -n -p pid "${!running[@]}"
	status=$?
	job=${running[$pid]}
	unset "running[$pid]"
	used[${job_kind[job]}]=$((used[${job_kind[job]}] - 1))
	job_us[job]=$((${EPOCHREALTIME/./} - job_begin[job]))
	cpu_time "$job"
	job_cpu[job]=$cpu
	suite=${job_suite[job]}
	us_of[$suite]=$((${us_of[$suite]:-0} + job_us[job]))
	cpu_of[$suite]=$((${cpu_of[$suite]:-0} + cpu))
	if [ "${job_kind[job]}" = build ] && [ $status = 0 ]; then
		add_jobs "${job_suite[job]}" <"$SCRATCH/job.$job"
		sort_jobs
		return
	fi
	read_job "$job" $status
	if [ -n "$failed_job" ] && [ -n "$again" ] && [[ ${job_kind[job]} != @(build|again) ]]; then
		run_again "$job"
	else
		report_job "$job" $status
	fi
}

seconds() {
	printf '%d.%d' $(($1 / 1000000)) $(($1 / 100000 % 10))
}

# The five jobs of most processor time, of a suite or of all: "name 1.2 s, ..."
slowest() {
	local job us name text=

	while read -r us job; do
		name=${job_name[job]}
		[ -n "${1:-}" ] || name=${job_suite[job]}/$name
		text+="${text:+, }$name $(seconds "$us") s"
	done < <(
		for job in "${!job_cpu[@]}"; do
			[ -n "${1:-}" ] && [ "${job_suite[job]}" != "$1" ] || echo "${job_cpu[job]} $job"
		done | sort -rn | head -n 5
	)
	printf '%s' "$text"
}

# What each suite took, as the sum over its jobs, which run side by side: processor time, and real time in parentheses.
report_times() {
	local suite job cpu

	for suite in "$@"; do
		[ -n "${us_of[$suite]:-}" ] || continue
		printf '%s: %d tests, %s s (%s s); slowest jobs: %s\n' "$suite" "${tests_of[$suite]:-0}" "$(seconds "${cpu_of[$suite]}")" \
			"$(seconds "${us_of[$suite]}")" "$(slowest "$suite")"
	done
	times >"$SCRATCH/times.all"
	cpu_time all
	printf 'slowest jobs: %s; all: %s s (%s s) on %d processors\n' "$(slowest)" "$(seconds "$cpu")" \
		"$(seconds $((${EPOCHREALTIME/./} - started)))" "$processors"
	[ -n "$times_file" ] || return 0
	for job in "${!job_us[@]}"; do
		printf '%d %d %s %s\n' $((job_cpu[job] / 1000)) $((job_us[job] / 1000)) "${job_kind[job]}" "${job_suite[job]}/${job_name[job]}"
	done >"$times_file"
}

# What takes long first
fast="unit page install standins runner headers layers sizes lint docs profiles cli etl"
# Their slow jobs, which `check` leaves out: they write gigabytes, or build a package.
slow="unit/posix/test_bundle_large cli/export/text-too-long install/deb"
left_out=
case ${1:-all} in
all) suites="e2e wine fuzz limits $fast" ;;
check) suites=$fast left_out=$slow ;;
golden) export GOLDEN=1 suites=cli ;;
*) suites=$1 ;;
esac
ONLY=${2:-*}
for suite in $suites; do
	if [ ! -x "tests/suites/$suite.sh" ]; then
		echo "tests/run.sh: no suite '$suite'; see the head of the script" >&2
		exit 2
	fi
done
for suite in $suites; do
	add_suite "$suite"
done
start_jobs
while [ ${#running[@]} != 0 ]; do
	wait_for_job
	start_jobs
done
# shellcheck disable=SC2086 # one suite a word
report_times $suites
[ ${#unsteady[@]} = 0 ] || printf 'ran again after a failure: %d jobs\n' ${#unsteady[@]}
printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed = 0 ] && [ $((passed + skipped)) != 0 ]
