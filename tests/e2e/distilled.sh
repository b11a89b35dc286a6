#!/usr/bin/env bash
# A recording is distilled at its end: all views of it are byte-equal to those of the original trace with its stack
# copies, no environment is left in it, and perf shows the unwound chains.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/views.sh"
run= # by shared_bootstrap

# views RUN DIRECTORY [VIEW...]: the views that read stacks, one file each
views() {
	write_views "$@" "cpu --by function" "cpu --by crate --format csv" "cpu --by stack --top 2000 --format json" \
		"memory --by function" "memory --by crate --format csv" "memory --by stack --format json" \
		"processes --format csv" "export --metric cpu" "export --metric size"
	# Which events carry stacks is said there.
	"$STAGETRACE" system "$1" --format csv | grep '^events,' >"$2/events"
}

# The others, in one mode.
others=("tree --format json"
	"cpu --by function --inlines --format csv" "cpu --by stack --inlines --format json"
	"cpu --by stack --time 0.5s..1s --format json" "memory --by function --time 0.5s..1s --format csv"
	"memory --by function --inlines --format csv" "memory --by stack --at peak --format json"
	"memory --by function --at 0.7s --format csv" "memory --of touched --by stack --format json" "export --metric at-peak" "export --metric outstanding --at 0.7s"
	"cpu --by thread --format csv")
for view in cpu memory; do
	for by in process role part module; do
		others+=("$view --by $by --format csv")
	done
done

halve() { truncate -s $(($(stat -c %s "$1") / 2)) "$1"; }

for mode in sampled dwarf; do
	shared_bootstrap $mode
	distilled=$run/trace.perf.data original=$run/trace.stack-copies.perf.data
	[ "$(count_secrets --any "$original")" -gt 0 ] || fail "the environment is not in the original: there is nothing to be tested"
	[ "$(count_secrets "$distilled")" = 0 ] || fail "the environment is in the distilled trace"
	[ "$(stat -c %a "$distilled" "$original" | sort -u)" = 600 ] || fail "others may read the traces"
	[ "$(stat -c %s "$original")" -gt "$((3 * $(stat -c %s "$distilled")))" ] || fail "it is not smaller: $(ls -l "$run")"

	# The same run with the original. Its views unwind nothing: symbols/ has the stacks of the copies.
	cp -a "$run" original
	mv original/trace.stack-copies.perf.data original/trace.perf.data
	ln -s "$run" distilled
	views distilled new "${others[@]}"
	views original old "${others[@]}"
	others=()
	diff -r old new >difference || fail "the views of $mode differ: $(head -n 20 difference)"
	cp -a "$run" damaged
	truncate -s 200 damaged/trace.stacks
	"$STAGETRACE" cpu damaged --by function >out 2>err || fail "the stacks are damaged: $(cat err)"
	has "'trace.stacks' is not used: its stacks are damaged" err || fail "the kept stacks are not read: $(cat err)"
	cmp out "new/cpu --by function" || fail "without the kept stacks the view is another"
	rm -rf damaged
	# trace.cpu has the events of the trace: the views are the same without it, and if it is not a whole one.
	for by in crate process function module; do
		"$STAGETRACE" cpu "$run" --by $by >with-$by 2>with-$by.err || fail "$by: $(cat with-$by.err)"
	done
	for change in rm "truncate -s 80" "truncate -s -1" halve "sed -i 1s/^/x/"; do
		cp -a "$run" other
		$change other/trace.cpu
		for by in crate process function module; do
			"$STAGETRACE" cpu other --by $by >without 2>without.err || fail "$by after $change: $(cat without.err)"
			cmp with-$by without || fail "$by without trace.cpu is another"
			if [ "$change" = rm ]; then
				cmp with-$by.err without.err || fail "other messages without trace.cpu"
			else
				has "'trace.cpu' is not used: it" without.err || fail "nothing is said of it: $(cat without.err)"
			fi
		done
		rm -rf other
	done
	for more in 1 -1; do
		cp -a "$run" other
		python3 - $more <<'PY' || fail "trace.stacks with other samples"
import subprocess, sys

more = int(sys.argv[1])
path = "other/trace.stacks"
data = open(path, "rb").read()
nr = int.from_bytes(data[92:100], "little") + more
columns = subprocess.run(["zstd", "-dc"], input=data[100:], capture_output=True, check=True).stdout
columns = columns + bytes(4) if more > 0 else columns[:-4]
packed = subprocess.run(["zstd", "-c"], input=columns, capture_output=True, check=True).stdout
open(path, "wb").write(data[:92] + nr.to_bytes(8, "little") + packed)
PY
		! "$STAGETRACE" cpu other --by function >out 2>err || fail "stacks of other samples are used"
		has "'trace.stacks' beside it has \(more\|fewer\) CPU samples: remove it" err || fail "other samples: $(cat err)"
		rm -rf other
	done
	[ $mode != sampled ] || has '% of it has callers from stack copies' "new/cpu --by function" ||
		fail "no call chain was completed: $(cat "new/cpu --by function")"

	# The chains of memory events have callers for perf too, which unwinds nothing here.
	perf script -i "$distilled" --no-inline -F event,ip >listed 2>perf.err || fail "perf script: $(cat perf.err)"
	python3 - $mode <<'PY'
import sys

deep = events = 0
with open("listed") as file:
    for sample in file.read().split("\n\n"):
        lines = [line for line in sample.splitlines() if line.strip()]
        if lines and "sys_enter_mprotect" in lines[0]:
            events += 1
            deep += len(lines) > 10
if not events or not deep:
    sys.exit("%s: %d of %d calls of mprotect have more than 10 frames" % (sys.argv[1], deep, events))
PY
	rm -rf original distilled old new
done

# An unfinished run whose trace was taken away to be replaced gets it back.
cp -a "$run" killed.partial
mv killed.partial/trace.stack-copies.perf.data kept
rm killed.partial/trace.perf.data
mv kept killed.partial/trace.stack-copies.perf.data
python3 - killed.partial/manifest.json <<'PY'
import json, sys
with open(sys.argv[1]) as file:
    manifest = json.load(file)
manifest["state"] = "collecting"
with open(sys.argv[1], "w") as file:
    json.dump(manifest, file)
PY
"$STAGETRACE" recover killed.partial >out 2>err || fail "recover: $(cat err)"
[ "$(count_secrets killed/trace.perf.data)" = 0 ] || fail "the recovered run is not distilled: $(cat err)"
grep -q 'the trace is distilled' err || fail "$(cat err)"
grep -q '^stagetrace: a trace of' err || fail "the trace is not reported: $(cat err)"
! manifest killed .warnings | has 'there is no trace' || fail "$(manifest killed .warnings)"
