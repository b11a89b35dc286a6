// Use the page of two runs as a reader does: pair-in-browser.js BROWSER PAGE [PICTURE]
"use strict";

const assert = require("node:assert"), path = require("path");
const { start } = require("./browser.js");
const [program, file, picture] = process.argv.slice(2);
const address = "file://" + path.resolve(file);

const FRAME = "[...document.querySelectorAll('#memory .frames > g')].find(g => /check_expr/.test(g.textContent))";

async function check(page) {
	await page.until("document.readyState === 'complete'");
	assert.match(await page.run("document.querySelector('#overview dl').textContent"), /Peak365 MB -> 397 MB, \+32\.0 MB, \+8\.8%/);
	assert.match(await page.run("document.querySelector('#crates tbody tr').textContent"), /rustc_middle|img src/);
	assert.equal(await page.run("document.querySelectorAll('svg.flame').length"), 2);
	assert.match(await page.run(FRAME + ".querySelector('title').textContent"), /\(260 MB -> 292 MB, \+32\.0 MB\)$/);
	assert.ok(await page.run(FRAME + ".classList.contains('grew2')"));
	assert.notEqual(await page.run("getComputedStyle(" + FRAME + ".querySelector('rect')).fill"), "rgb(0, 0, 0)", "the style is allowed");
	// A click zooms in its own graph alone: the script runs in both.
	const width = await page.run("document.querySelector('#cpu .frames > g:nth-child(2) rect').getAttribute('width')");

	await page.run(FRAME + ".dispatchEvent(new MouseEvent('click', { bubbles: true }))");
	await page.until(FRAME + ".querySelector('rect').getAttribute('width') > 1000");
	assert.equal(await page.run("document.querySelector('#cpu .frames > g:nth-child(2) rect').getAttribute('width')"), width);
}

async function main() {
	const browser = await start(program);

	try {
		const page = await browser.open(address, { width: 1280, height: 900 });

		await check(page);
		if (picture)
			await page.picture(picture);
		assert.deepEqual(page.console, []);
		assert.deepEqual(page.requests.filter(url => url !== address && url !== "about:blank"), []);
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
