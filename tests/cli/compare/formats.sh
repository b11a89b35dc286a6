# Names that mean something in Markdown, HTML, XML, JSON, commands of GitHub and labels of Prometheus.
for i in 1 2 3; do
	cp -r "$DATA/traced-run" "base$i"
	sed -i 's/"crate":"rustc_middle"/"crate":"a|b<i>@me [x](y) `q` \\"z\\" %0A, \\n::error::\\\\ é http:\/\/a.b www.a.b"/; s/"crate":"rustc_parse"/"crate":"-"/' "base$i/processes.jsonl"
	cp -r "base$i" "new$i"
	cp "$DATA/grown.perf.data" "new$i/trace.perf.data"
	sed -i "s/\"cpu_ns\":2200000000/\"cpu_ns\":2${i}00000000/" "new$i/processes.jsonl"
done
compare() {
	stagetrace compare base? -- new? -q "$@"
}
mkdir out
compare --format junit -o out/junit.xml --fail-if 'peak > 10GB' --fail-if 'crate:<none>.size > 1%' 2>&1 || echo "exit code $?"
cat out/junit.xml
compare -o out/bencher.bencher.json && mv out/bencher.bencher.json out/bencher.json
cat out/bencher.json
compare --format perfherder >out/perfherder.txt
cat out/perfherder.txt
compare -o out/metrics.prom
compare --format rustc-perf -o out/rustc-perf.json --force
cat out/rustc-perf.json
GITHUB_STEP_SUMMARY=$PWD/out/summary.md compare --format github --fail-if 'peak > +1%' >out/github.txt 2>gates || echo "exit code $?"
cat out/github.txt out/summary.md
compare -o out/comment.md
# Nothing is replaced without --force.
compare -o out/comment.md 2>&1 || true
"$DATA/../tools/check-compare-formats.py" out
