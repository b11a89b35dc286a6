# Crates that differ in a control character, a byte that is no UTF-8 or a '%' only have labels of their own.
for run in base new; do
	cp -r "$DATA/traced-run" $run
	sed -i 's/"crate":"rustc_driver"/"crate":"a\\u0001"/; s/"crate":"rustc_parse"/"crate":"a%01"/; s/"crate":"rustc_middle"/"crate":"a\\u0002"/' \
		$run/processes.jsonl
done
stagetrace compare base new -q --format openmetrics | grep '^stagetrace_cpu_seconds{side="new".*crate="a'
# The whole build is no crate of this name.
sed -i 's/"crate":"a[^"]*2"/"crate":"build"/' base/processes.jsonl new/processes.jsonl
stagetrace compare base new -q --by crate --format bencher | grep -o '^"[^"]*"'
