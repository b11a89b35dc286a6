// Use the page of two sides as a reader does: pair-in-browser.js BROWSER PAGE SEVERAL [PICTURES]
//
// PAGE is of one run a side, SEVERAL of several, with verdicts. PICTURES is a directory for pictures of both.
"use strict";

const assert = require("node:assert"), path = require("path");
const { start } = require("./browser.js");
const [program, file, several, pictures] = process.argv.slice(2);
const addressOf = name => "file://" + path.resolve(name);

const FRAME = "[...document.querySelectorAll('#memory-stacks .frames > g')].find(g => /check_expr/.test(g.textContent))";
const textsOf = selector => "[...document.querySelectorAll(" + JSON.stringify(selector) + ")].map(one => one.innerText.trim())";

// Nothing is wider than the window, also not in a part that scrolls, whatever is opened.
async function checkWidths(page, name) {
	await page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })");
	for (const [width, theme] of [[1000, "light"], [1600, "dark"], [3840, "light"]]) {
		await page.resize(width, 900);
		await page.theme(theme);
		assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), "too wide at " + width);
		assert.deepEqual(await page.run("[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText.slice(0, 80))"), []);
		if (pictures)
			await page.picture(path.join(pictures, name + "-" + width + ".png"));
	}
	await page.theme("light");
}

async function checkTables(page) {
	assert.deepEqual(await page.run(textsOf("#overview tbody tr")), [
		"Peak of memory\t365 MB\t397 MB\t+32.0 MB\t+8.8%", "Memory committed\t493 MB\t525 MB\t+32.0 MB\t+6.5%",
		"CPU time\t8.90 s\t8.90 s\t0 s\t0.0%", "Wall time\t10.0 s\t10.0 s\t0 s\t0.0%",
		"growth\t+32.0 MB\twhat processes hold: their new memory, run at the times of the base",
		"overlap\t0 B\twho runs together: their memory of the base, run at the new times",
		"rest\t0 B\twhat only both together explain: growth of processes that are at the peak only at the new times"]);
	assert.match(await page.run("document.getElementById('overview').innerText"), /There are no verdicts: .* three runs a side or more/);
	const changed = await page.run(textsOf("#memory > .wide tbody tr"));

	assert.equal(changed.length, 1);
	assert.match(changed[0], /^stage2-rustc\t<img src=x onerror=document.title=1>\t261 MB\t293 MB\t\+32\.0 MB\t\+12\.3%\t0\.0%\t0\.0%$/);
	assert.equal(await page.run("document.querySelectorAll('#memory details tbody tr').length"), 4);
	assert.match(await page.run("document.getElementById('cpu').innerText"), /No crate changed by 1\.0% and 500 ms or more/);
	assert.equal(await page.run("document.querySelector('#phases h3').innerText"), "<img src=x onerror=document.title=1>");
	assert.deepEqual(await page.run(textsOf("#phases tbody tr")), ["rustc: type check\t260 MB\t292 MB\t+32.0 MB\t+12.3%\t0.0%"]);
	assert.ok((await page.run(textsOf("#runs tbody tr"))).includes("Host\texample\texample\tsame"));
	// Heads of columns have the style of the page of one run.
	assert.deepEqual((await page.run(textsOf("th[scope=col]"))).filter(head => /[A-Z]/.test(head.replace("CPU", ""))), []);
	// Each link of the navigation leads to a section.
	assert.equal(await page.run("[...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.getAttribute('href') + '[aria-label]')).length"), 0);
}

async function checkGraphs(page) {
	assert.equal(await page.run("document.querySelectorAll('svg.flame').length"), 2);
	assert.match(await page.run(FRAME + ".querySelector('title').textContent"), /\(260 MB -> 292 MB, \+32\.0 MB\)$/);
	assert.ok(await page.run(FRAME + ".classList.contains('grew2')"));
	assert.notEqual(await page.run("getComputedStyle(" + FRAME + ".querySelector('rect')).fill"), "rgb(0, 0, 0)", "the style is allowed");
	// The root is the first row, and what it calls below it.
	const rows = await page.run("[...document.querySelectorAll('#memory-stacks .frames rect')].map(one => Number(one.getAttribute('y')))");

	assert.equal(rows[0], Math.min(...rows));
	assert.equal(new Set(rows).size, (Math.max(...rows) - rows[0]) / 17 + 1);
	// A click zooms in its own graph alone: the script runs in both.
	const other = "document.querySelector('#cpu-stacks .frames > g:nth-child(2) rect').getAttribute('width')";
	const width = await page.run(other);

	await page.run(FRAME + ".dispatchEvent(new MouseEvent('click', { bubbles: true }))");
	await page.until(FRAME + ".querySelector('rect').getAttribute('width') > 1000");
	assert.equal(await page.run(other), width);
	// Its callers stay, as wide as all; what is next to it is gone.
	assert.deepEqual(await page.run("[...document.querySelectorAll('#memory-stacks .frames > g')].filter(one => one.style.display !== 'none')" +
		".map(one => [one.classList.contains('up'), one.querySelector('rect').getAttribute('width') > 1000])"),
			 [[true, true], [true, true], [true, true], [false, true]]);
	// In the dark theme the texts of a graph can be read.
	await page.theme("dark");
	assert.notEqual(await page.run("getComputedStyle(document.querySelector('.flame .heading')).fill"),
			await page.run("getComputedStyle(document.querySelector('.flame .back')).fill"));
	await page.theme("light");
}

async function checkVerdicts(page) {
	assert.deepEqual(await page.run(textsOf("#overview thead th")), ["", "base", "new", "change", "%", "verdict"]);
	assert.match((await page.run(textsOf("#overview tbody tr")))[0], /\tgrew$/);
	assert.match(await page.run("document.getElementById('overview').innerText"), /Why the peak changed[^]*whose peaks are in the middle/);
	assert.match((await page.run(textsOf("#memory > .wide tbody tr")))[0], /\+12\.3%\tgrew\t/);
	assert.match((await page.run(textsOf("#phases tbody tr")))[0], /^rustc: type check\t.*\tgrew\t/);
}

async function look(browser, name, checks) {
	const page = await browser.open(addressOf(name), { width: 1280, height: 900 });

	await page.until("document.readyState === 'complete'");
	for (const check of checks)
		await check(page);
	await checkWidths(page, path.basename(name, ".html"));
	assert.match(await page.run("document.title"), / - stagetrace report$/);
	assert.equal(await page.run("document.querySelectorAll('main img').length"), 0);
	assert.deepEqual(page.console, []);
	assert.deepEqual(page.requests.filter(url => url !== addressOf(name) && url !== "about:blank"), []);
}

async function main() {
	const browser = await start(program);

	try {
		await look(browser, file, [checkTables, checkGraphs]);
		await look(browser, several, [checkVerdicts]);
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
