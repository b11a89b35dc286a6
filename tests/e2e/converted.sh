#!/usr/bin/env bash
# A recording that is converted to ETL has the same tables; function names too: of files with and without build ids, with
# several code segments, and of successive programs of one process at the same addresses (cc, collect2, ld).
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by shared_bootstrap

shared_bootstrap dwarf
perf=$run/trace.perf.data
"$STAGETRACE" convert "$perf" -o run.etl >convert.out 2>convert.err || fail "$(cat convert.err)"

# Rows that exist only because of advice (madvise), which has no event in an ETL file, have no bytes.
show() {
	"$STAGETRACE" "$@" --format json 2>notes | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    if row.get("samples", 0) or row.get("total_ns", 0) or row.get("size_bytes", 0) or row.get("freed_bytes", 0):
        row.pop("purged_bytes", None)
        print(json.dumps(row, sort_keys=True))' | sort
}

# Windows has no forks: one that runs no program of its own, as libc's build script makes, has the role of its program there.
forks=$(python3 -c 'import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    if not row["exec_seen"]:
        print(row["pid"])' "$run/processes.jsonl")
no_forks=
for fork in $forks; do
	no_forks="$no_forks --not-process $fork"
done

for view in "cpu --by process" "cpu --by role$no_forks" "cpu --by thread" "cpu --by module" "cpu --by function" "cpu --by stack" \
	"memory --by process" "memory --by role$no_forks" "memory --by module" "memory --by function"; do
	# shellcheck disable=SC2086 # several words
	show $view "$perf" >expected
	# shellcheck disable=SC2086
	show $view run.etl >got
	[ -s expected ] || fail "$view: nothing"
	cmp -s expected got || fail "$view: $(diff expected got | head -n 20 | cut -c 1-400)"
done
for fork in $forks; do
	"$STAGETRACE" processes run.etl --process "$fork" --format csv --columns pid,role -q >got
	grep -q "^$fork,build-script" got || fail "process $fork: $(cat got)"
done
show cpu --by function run.etl >got
grep -q '"function": "[^"!]*", "module": "[^"]*rustc_driver' got || fail "nothing has a name"
