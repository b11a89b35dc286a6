# Phases are of CPU samples.
cd "$DATA" || exit
for run in tiny-run sampled-calls.perf.data; do
	stagetrace timeline "$run" --by phase && exit 1
done 2>&1
stagetrace timeline traced-run --by query --of touched 2>&1 && exit 1
stagetrace timeline traced-run --by phase --role cargo --every 5s --format csv
stagetrace timeline traced-run --by phase --time 20s.. --format csv 2>&1
