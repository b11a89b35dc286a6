#!/usr/bin/env bash
# The scenario of the tests (tests/support/scenario.h) as ETL files of every form and as perf.data has the same tables; so has
# the output of `stagetrace convert` for the perf.data. read-etl.py, which shares no code with writer or reader, decodes the
# files too.
set -u
cd "$ROOT" || exit 1
stagetrace=$(realpath "$ROOT/$B/stagetrace")
make_scenario=$ROOT/$B/tests/tools/make-scenario

# What both formats have: a perf.data has no exit codes, and its kernel no path.
processes=pid,ppid,start_ns,end_ns,duration_ns,image,role,crate,cpu_ns,size_bytes,peak_bytes,at_peak_bytes
modules=module,build_id,samples,self_ns,total_ns,percent
views=(
	"processes --columns $processes"
	"cpu --by process"
	"cpu --by role"
	"cpu --by thread"
	"cpu --by module --columns $modules"
	"cpu --by function --columns function,$modules"
	"cpu --by stack"
	"cpu --by process --time 5ms..12ms"
	"cpu --by process,module --columns pid,module,self_ns,total_ns"
	"cpu --by phase"
	"cpu --by query"
	"cpu --by calls --min-share 0"
	"cpu --by calls --inverted --min-share 0"
	"cpu --by stack --module rustc"
	"cpu --by stack --not-module rustc"
	"memory --by process"
	"memory --by process --at peak"
	"memory --by process --at own-peak --columns pid,at_peak_bytes,outstanding_bytes,peak_bytes,peak_time_ns"
	"memory --by process --at 11ms"
	"memory --by process --time 5ms..12ms"
	"memory --by module"
	"memory --by function"
	"memory --by stack"
	"memory --by stack --at own-peak"
	"memory --by process,function"
	"memory --by phase"
	"memory --by query --at own-peak"
	"memory --by thread --time 5ms..12ms"
	"memory --by process --process rustc --at own-peak"
	"memory --by lifetime,function"
	"memory --by calls --min-share 0"
	"memory --by calls --inverted --at own-peak --min-share 0"
	"timeline --every 1ms --time 0s..19ms"
	"timeline --by role --every 1ms --time 0s..19ms"
	"timeline --by phase --every 1ms --time 0s..19ms"
	"timeline --by query --every 1ms --time 0s..19ms"
	"memory --by lifetime"
	"memory --by process,lifetime --time 5ms..12ms"
	"memory --by region"
	"memory --by region --at peak"
	"memory --by region --time 5ms..12ms"
)

# show VIEW FILE: JSON, or the message
show() {
	# shellcheck disable=SC2086 # several words
	"$stagetrace" $1 --format json "$2" 2>stderr || cat stderr
}

# compare NAME FILE: to the tables of the perf.data
compare() {
	local view wrong=""

	for view in "${views[@]}"; do
		show "$view" scenario.perf.data >expected
		show "$view" "$2" >got
		if ! grep -q '^{' expected || ! cmp -s expected got; then
			echo "$view:"
			diff -u --label perf.data --label "$1" expected got
			wrong=yes
		fi
	done
	if [ -z "$wrong" ]; then
		echo "PASS etl/$1 has the tables of the perf.data"
	else
		echo "FAIL etl/$1 has the tables of the perf.data"
	fi
}

# take_apart NAME FILE ALLOCS: counts of events. It knows no Huffman codes.
take_apart() {
	if python3 "$ROOT/tests/tools/wpt/read-etl.py" --counts "$2" >counts 2>&1 &&
		grep -qx 'sample  *10' counts && grep -qx "alloc  *$3" counts && grep -qx 'free  *3' counts; then
		echo "PASS etl/$1 read by others"
	else
		cat counts
		echo "FAIL etl/$1 read by others"
	fi
}

# Names of jobs: the forms in which the scenario is written, and the forms of `stagetrace convert`.
list() {
	printf 'cpu %s\n' plain small split keys xpress huffman ns small-split-xpress small-keys-huffman-ns \
		converted converted--compress heap-1 heap-data
}

# Views of calls of heaps, which Linux does not have, are those of a simulation: of a random trace, and of tests/data/heap.etl.
check_heap() {
	local make=("$ROOT/tests/tools/make-heap-etl.py")

	if [ "$1" = data ]; then
		python3 "${make[@]}" heap.etl && cmp heap.etl "$ROOT/tests/data/heap.etl"
	else
		python3 "${make[@]}" --seed "$1" --events 2000 heap.etl
	fi && python3 "$ROOT/tests/tools/check-heap.py" "$stagetrace" heap.etl >log 2>&1
	# shellcheck disable=SC2181 # of either
	if [ $? = 0 ]; then
		echo "PASS etl/heap-$1 has the tables of a simulation"
	else
		head -n 30 log
		echo "FAIL etl/heap-$1 has the tables of a simulation"
	fi
}

run() {
	local words=${1//-/ }

	mkdir -p "$SCRATCH/etl/$1"
	cd "$SCRATCH/etl/$1" || exit 1
	"$make_scenario" perf scenario.perf.data
	case $1 in
	heap-*)
		check_heap "${1#heap-}"
		;;
	converted*)
		# shellcheck disable=SC2086 # nothing, or an option
		"$stagetrace" convert scenario.perf.data -o "$1.etl" ${1#converted} >stdout 2>&1 || cat stdout
		compare "$1" "$1.etl"
		# Decommitted pages are reserved again: Linux has no call for that alone.
		take_apart "$1" "$1.etl" 9
		;;
	*)
		# shellcheck disable=SC2086 # several words
		"$make_scenario" etl "$1.etl" ${words#plain}
		views+=("memory --by process --columns pid,image,purged_bytes") # no event of a converted trace
		compare "$1" "$1.etl"
		[[ $1 == *huffman* ]] || take_apart "$1" "$1.etl" 9
		;;
	esac
}

"$@"
