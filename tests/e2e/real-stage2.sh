#!/usr/bin/env bash
# A recorded stage 2 build of rustc 1.85, 2.5 million events: memory and CPU time of each process and module, by range and moment,
# equal those of simulate.py (tests/data/stage2-digest.json). Made into a run with its log of processes, memory by crate,
# part and role has the same sums. The recording is not part of the project: it is in $STAGETRACE_SHARED, else ../shared.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
recorded=${STAGETRACE_SHARED:-$SRCDIR/../shared}/traces/rustc-1.85-stage2
[ -f "$recorded/stage2.perf.data.zst" ] || skip "the recording of a real stage 2 is not here: ../shared/traces/rustc-1.85-stage2"
command -v zstd >/dev/null || skip "zstd is not installed"
tools=$SRCDIR/tests/tools digest=$SRCDIR/tests/data/stage2-digest.json

zstd -q -d -o trace "$recorded/stage2.perf.data.zst"
zstd -q -d -o exec.jsonl "$recorded/exec.jsonl.zst"
# A digest with another figure is noticed: a page more, of one process; a nanosecond, of the peak of a module.
sed '0,/"size_bytes": 48041922560/s//"size_bytes": 48041926656/' "$digest" >wrong.json
sed 's/211159545405\]/211159545406]/' "$digest" >later.json
python3 "$tools/digest-views.py" "$PWD/trace" "$digest" wrong.json later.json || fail "the bare trace's views differ, or another digest does not"

# One thread prints the same as two, byte for byte.
for view in "memory --by stack --format csv" "cpu --by function --format csv" "cpu --by stack --top 5000 --format csv" \
	"export --format folded" "cpu --by phase,function --format csv" "cpu --by calls --format csv"; do
	# shellcheck disable=SC2086 # several words
	set -- $view
	for n in 1 2; do
		STAGETRACE_THREADS=$n "$STAGETRACE" "$1" trace "${@:2}" 2>"threads-$n.err" | md5sum >"threads-$n.out"
	done
	cmp threads-1.out threads-2.out && cmp threads-1.err threads-2.err || fail "one thread and two differ: $view"
	grep -q d41d8cd98f00b204e9800998ecf8427e threads-1.out && fail "nothing came of: $view"
done

# The highest point of a series is the peak, and its CPU times add up.
"$STAGETRACE" timeline trace --every 3s --format csv --columns memory_bytes,cpu_ns -q |
	awk -F, 'NR > 1 { if ($1 > most) most = $1; sum += $2 } END { printf "%.0f %.0f\n", most, sum }' >series
python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["ranges"][0]; print(r["memory"]["peak"], r["cpu"]["ns"])' "$digest" >sums
cmp series sums || fail "the timeline has $(cat series), expected $(cat sums)"

base=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["base_ns"])' "$digest")
python3 "$tools/run-from-exec.py" --base "$base" exec.jsonl trace run
"$STAGETRACE" recover run.partial >recover.out 2>recover.err || fail "$(cat recover.err)"
state_is run "done"
# By one thread. Modules, lifetimes and regions know nothing of a run, so briefly.
STAGETRACE_THREADS=1 python3 "$tools/digest-views.py" --brief "$PWD/run" "$digest" || fail "the run's views differ"

for by in process crate part role; do
	"$STAGETRACE" memory run --by $by --at peak --format json >by-$by.json 2>/dev/null
done

# The highest point of the series of a crate is its own peak.
"$STAGETRACE" timeline run --by crate --top 1000 --every 7s --format csv --columns crate,memory_bytes -q | tr -d '\r' |
	awk -F, 'NR > 1 { if ($2 > most[$1]) most[$1] = $2 } END { for (key in most) if (most[key]) printf "%s %.0f\n", key, most[key] }' |
	sort >series
"$STAGETRACE" memory run --by crate --format csv --columns crate,peak_bytes -q | tr -d '\r' |
	awk -F, 'NR > 1 && $2 { print $1, $2 }' | sort >peaks
[ "$(wc -l <peaks)" -gt 100 ] || fail "few crates: $(wc -l <peaks)"
cmp series peaks || fail "the series differ from the peaks: $(diff series peaks | head -n 5)"

"$STAGETRACE" memory run --by crate --role rustc --at peak --format json >rustc.json 2>/dev/null
"$STAGETRACE" processes run --format json >processes.json 2>/dev/null
python3 - "$digest" <<'PY'
import collections, json, sys

whole = json.load(open(sys.argv[1]))["ranges"][0]["memory"]
processes = json.load(open("processes.json"))


def read(name):
    return json.load(open(name + ".json"))


def same(what, ours, expected):
    if ours != expected:
        sys.exit("FAILED: %s: %s, expected %s" % (what, ours, expected))
    print("%s: the same" % what)


for by in ("process", "crate", "part", "role"):
    rows = read("by-" + by)
    same("the peak by " + by, sum(row["outstanding_bytes"] for row in rows), whole["peak"])
    for column in ("size_bytes", "count", "freed_bytes"):
        same("%s by %s" % (column, by), sum(row[column] for row in rows), whole["sums"][column])
    if by == "process":
        continue
    for column in ("size_bytes", "at_peak_bytes"):
        expected = collections.Counter()
        for row in processes:
            expected[row[by]] += row[column]
        same("%s of each %s" % (column, by), {row[by]: row[column] for row in rows if row[column]},
             {key: value for key, value in expected.items() if value})

# The crates of compilers by their command lines, as they were logged, and what those processes held.
crates = {}
for line in map(json.loads, open("exec.jsonl")):
    if line.get("exe", "").endswith("/stage1/bin/rustc") and "--crate-name" in line["argv"]:
        crates[line["pid"]] = line["argv"][line["argv"].index("--crate-name") + 1]
expected = collections.Counter()
for pid, at_peak in whole["biggest"]:
    if pid in crates and at_peak:
        expected[crates[pid]] += at_peak
assert len(expected) == 2, expected
same("at the peak by crate", {row["crate"]: row["at_peak_bytes"] for row in read("rustc") if row["at_peak_bytes"]},
     dict(expected))
PY

# What waits for what is told from the recording alone, and nothing in it contradicts that. The model has its own peak and time, and the
# peaks of more recordings of this build, with -j 1, -j 2 and -j 4: docs/fit.md.
for jobs in 1 2 4; do
	"$STAGETRACE" memory run --jobs $jobs --format json --head -o fit-$jobs.json
done
python3 - <<'PY'
import json

text = json.load(open("fit-2.json"))
head = text["head"]
assert (head["recorded_jobs"], head["graph_jobs"], head["graph_metadata_waits"]) == (2, 343, 1108), head
assert head["graph_contradicted"] == 0, head
for name, low, high in (("recorded_peak_bytes", "model_peak_low_bytes", "model_peak_high_bytes"),
                        ("recorded_time_ns", "model_time_low_ns", "model_time_high_ns")):
    assert head[low] <= head[name] <= head[high] and head[high] < 1.35 * head[low], head
for jobs, peak in ((1, 1315614720), (2, 1.81 * 2 ** 30), (4, 2685620224), (4, 2858266624)):
    row = json.load(open("fit-%d.json" % jobs))["rows"][0]
    assert row["peak_low_bytes"] <= peak <= row["peak_high_bytes"] < 1.4 * row["peak_low_bytes"], row
PY
