#!/usr/bin/env bash
# kind: cpu
# Files for pprof are decoded by pprof-format, and have the sums of the command line.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" -o "$run.pb.gz" 2>log
done
"$STAGETRACE" export plain --crate rustc_middle --metric own-peak -o crate.pb.gz 2>log
"$STAGETRACE" memory plain --crate rustc_middle --by crate --columns peak_bytes --format csv 2>log | tail -n 1 >own-peak
"$STAGETRACE" export plain --format pprof 2>log | cmp - plain.pb.gz

consumers= # by find_consumers
find_consumers
cat >decode.js <<'JS'
const [modules, ...runs] = process.argv.slice(2);
const fs = require('fs'), zlib = require('zlib'), assert = require('assert');
const { Profile } = require(modules + '/pprof-format');

function decode(path) {
	const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(path)));
	const text = (i) => {
		assert(i < profile.stringTable.strings.length);
		return profile.stringTable.strings[i];
	};
	const locations = new Set(profile.location.map((location) => location.id));
	const functions = new Set(profile.function.map((one) => one.id));
	const types = profile.sampleType.map((type) => text(type.type));
	const sums = {};

	assert.equal(text(0), '');
	assert.equal(locations.size, profile.location.length);
	for (const location of profile.location)
		location.line.forEach((line) => assert(functions.has(line.functionId)));
	// pprof shortens a name that is equal to the system name: of "<A>::f" it shows "::f".
	profile.function.forEach((one) => assert(text(one.name) && !Number(one.systemName)));
	types.forEach((type) => { sums[type] = { total: 0, process: {}, crate: {}, phase: {} }; });
	for (const sample of profile.sample) {
		const labels = {};

		assert.equal(sample.value.length, types.length);
		assert(sample.locationId.length > 0);
		sample.locationId.forEach((id) => assert(locations.has(id)));
		sample.label.forEach((label) => { labels[text(label.key)] = label.str ? text(label.str) : String(label.num); });
		types.forEach((type, i) => {
			const value = Number(sample.value[i]), sum = sums[type];
			const add = (of, key) => { of[key] = (of[key] || 0) + value; };

			sum.total += value;
			add(sum.process, labels.pid);
			add(sum.crate, labels.crate ?? 'null');
			add(sum.phase, labels.phase);
		});
	}
	return { sums, types, chosen: text(profile.defaultSampleType) };
}

function plain(sums) {
	return Object.fromEntries(Object.entries(sums).filter(([, value]) => value));
}

for (const run of runs) {
	const { sums } = decode(run + '.pb.gz');
	const expected = JSON.parse(fs.readFileSync(`expected-${run}.json`, 'utf8').replace(/"None":/g, '"null":'));

	for (const metric of Object.keys(sums)) {
		assert.equal(sums[metric].total, expected[metric].total, `${run} ${metric}`);
		for (const by of ['process', 'crate', 'phase'])
			assert.deepEqual(plain(sums[metric][by]), expected[metric][by], `${run} ${metric} by ${by}`);
	}
}
const { sums, types, chosen } = decode('crate.pb.gz');
assert.equal(chosen, 'own-peak');
assert.deepEqual(types, ['cpu', 'size', 'at-peak', 'outstanding', 'own-peak']);
assert.equal(sums['own-peak'].total, Number(fs.readFileSync('own-peak', 'utf8')));
JS
node decode.js "$consumers" plain gaps hostile || fail "wrong"
