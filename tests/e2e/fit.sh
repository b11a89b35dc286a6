#!/usr/bin/env bash
# What `memory --jobs` predicts from a recording with one -j holds for recordings with the others: the small bootstrap with -j1,
# -j2 and -j4. The peak that was measured is in the interval of each of the others.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
perf_works
run= # by record_bootstrap

all=(1 2 4)
for jobs in "${all[@]}"; do
	record_bootstrap "j$jobs" perf --no-bundle --set bootstrap.demo.size=small --set record.cpu-stacks=fp \
		--set record.memory-stacks=none --set record.touched=no \
		--set "stage2.command=python3 x.py build --stage 2 -j $jobs -i library"
	for other in "${all[@]}"; do
		"$STAGETRACE" memory "$run" --jobs "$other" --format json --head -o "$jobs-$other.json" 2>"$jobs-$other.err" ||
			fail "$(cat "$jobs-$other.err")"
	done
	"$STAGETRACE" memory "$run" --fit 16GiB --format json --head -o "$jobs-fit.json"
	rm -rf "$BOOTSTRAP/build-$builder-j$jobs"
done
python3 "$SRCDIR/tests/tools/check-fit.py" "$PWD" "${all[@]}" || fail "a measured peak is not in a predicted interval"
nothing_left
