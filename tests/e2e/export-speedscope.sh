#!/usr/bin/env bash
# kind: cpu
# Files for speedscope are opened by speedscope, in a browser, and have the sums of the command line.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" --root crate -o "$run.speedscope.json" 2>log
	"$STAGETRACE" export "$run" --root crate --metric size --format speedscope -o "$run-size.speedscope.json.gz" 2>log
	python3 - "expected-$run.json" "$run.speedscope.json" "$run-size.speedscope.json.gz" <<-'PY'
		import gzip, json, sys
		expected = json.load(open(sys.argv[1]))
		for metric, file in (("cpu", open(sys.argv[2])), ("size", gzip.open(sys.argv[3], "rt"))):
		    data = json.load(file)
		    frames = [frame["name"] for frame in data["shared"]["frames"]]
		    assert len(set(frames)) == len(frames)
		    profile, = data["profiles"]
		    assert len(profile["samples"]) == len(profile["weights"])
		    total, crates = 0, {}
		    for stack, weight in zip(profile["samples"], profile["weights"]):
		        total += weight
		        crate = frames[stack[0]].partition(" ")[2] or "None"
		        crates[crate] = crates.get(crate, 0) + weight
		    # What an estimate has too much is in neither of both, as the program says.
		    assert profile["endValue"] == total
		    assert total == expected[metric]["total"], (total, expected[metric]["total"])
		    assert crates == expected[metric]["crate"], (crates, expected[metric]["crate"])
	PY
done

consumers= # by find_consumers
find_consumers
# The oldest Node.js that the tests are run with is that of Debian 12.
has '"node": ">=1[0-8]"' "$consumers/playwright-core/package.json" || fail "playwright-core does not run with Node.js 18"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium here"
timeout 600 node - "$consumers" "$browser" hostile.speedscope.json plain-size.speedscope.json.gz \
	>log 2>&1 <<'JS' || { cat log >&2; fail "speedscope does not open it"; }
const [modules, executablePath, ...files] = process.argv.slice(2);
const { chromium } = require(modules + '/playwright-core');

(async () => {
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--allow-file-access-from-files'] });
	let wrong = 0;

	for (const file of files) {
		const page = await browser.newPage();
		const errors = [];

		page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
		page.on('pageerror', (error) => errors.push(String(error)));
		page.on('dialog', (dialog) => { errors.push('a script of a name ran'); dialog.dismiss(); });
		await page.goto('file://' + modules + '/speedscope/dist/release/index.html');
		await page.setInputFiles('input[type=file]', file);
		await page.waitForFunction(() => /Left Heavy|went wrong/.test(document.body.innerText), null, { timeout: 30000 });
		const text = await page.evaluate(() => document.body.innerText);

		if (/went wrong/.test(text) || errors.length) {
			console.log(file, text.slice(0, 300), errors.join('\n'));
			wrong = 1;
		}
		await page.close();
	}
	await browser.close();
	process.exit(wrong);
})();
JS
