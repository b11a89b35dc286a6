# Another kernel, another processor, more of them, and another allocator: each is a warning of its own.
cp -r "$DATA/traced-run" base
for what in kernel processor number allocator; do
	cp -r base $what
done
sed -i 's/"arch": /"kernel": "6.1.0-1",\n    &/' base/manifest.json
sed -i 's/"arch": /"kernel": "6.1.0-2",\n    &/' kernel/manifest.json
sed -i 's/"Example CPU"/"Other CPU"/' processor/manifest.json
sed -i 's/"cpus": 4/"cpus": 8/' number/manifest.json
cp "$DATA/gaps.perf.data" allocator/trace.perf.data
cp "$DATA/gaps-stacks.txt" allocator/symbols/stacks.txt
for what in kernel processor number allocator; do
	stagetrace compare base $what 2>&1 >out | grep 'the runs have other'
done
