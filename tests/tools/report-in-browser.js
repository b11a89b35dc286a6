// Use a report's page as a reader does: report-in-browser.js BROWSER PAGE [PICTURES]
// Only look at all views of pages:      report-in-browser.js BROWSER --all-views PAGE[:VIEW:TEXT]...
// The last ones say TEXT in this view.
//
// Prints what is wrong and exits with 1, else what was seen. PICTURES is a directory for pictures of the views.
"use strict";

const assert = require("node:assert"), path = require("path");
const { start } = require("./browser.js");
const [program, file, ...more] = process.argv.slice(2);
const only = file === "--all-views", pictures = only ? null : more[0];
const address = "file://" + path.resolve(only ? more[0].split(":")[0] : file);
const VIEWS = ["overview", "timeline", "processes", "cpu", "memory", "system"];

// The page's own signs: it can be used, and shows what is asked for now. What acts before the second one acts on what is replaced.
const DRAWN = "document.documentElement.dataset.drawn === seenNow()";
const READY = "!!document.documentElement && document.documentElement.dataset.ready === '1' && " + DRAWN;

async function show(page, hash) {
	await page.run("location.hash = " + JSON.stringify(hash));
	await page.until("app.state.view === " + JSON.stringify(hash.slice(1).split(";")[0]) + " && formatState(app.state) === formatState(parseState(" + JSON.stringify(hash) + ")) && " + DRAWN);
}

async function resize(page, width, height) {
	await page.resize(width, height);
	await page.until(DRAWN);
}

async function theme(page, value) {
	await page.theme(value);
	await page.until(DRAWN);
}

const textsOf = (view, what) => "[...document.querySelectorAll('#" + view + " .live " + what + "')].map(one => one.textContent)";

const SHIFT = 8;

async function key(page, name, modifiers) {
	for (const type of ["rawKeyDown", "keyUp"])
		await page.send("Input.dispatchKeyEvent", { type, key: name, code: name, modifiers: modifiers || 0,
							    windowsVirtualKeyCode: { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40,
										     Enter: 13, Escape: 27 }[name] });
}

async function drag(page, selector, from, to) {
	const box = await page.run("(() => { const r = document.querySelector(" + JSON.stringify(selector) + ").getBoundingClientRect();" +
				   "return [r.left, r.top, r.width, r.height]; })()");
	const y = box[1] + box[3] / 2, x = share => box[0] + box[2] * share;

	await page.send("Input.dispatchMouseEvent", { type: "mousePressed", x: x(from), y, button: "left", buttons: 1, clickCount: 1 });
	await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x(to), y, button: "left", buttons: 1 });
	await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", x: x(to), y, button: "left", clickCount: 1 });
}

// A range that is dragged narrows the other views, and a link has it.
async function checkRange(page) {
	// How many processes the legend counts.
	const counted = "[...document.querySelector('#timeline .legend').querySelectorAll('.key')].map(one => Number(/\\((\\d+)\\)$/.exec(one.textContent)[1]))" +
		".reduce((a, b) => a + b, 0)";

	await show(page, "#timeline");
	const before = await page.run("processRows(app).length");

	assert.equal(await page.run(counted), before);

	await page.run("window.picture = document.querySelector('#timeline canvas'), 1");
	await drag(page, "#timeline canvas", 0.3, 0.45);
	await page.until("!isWhole(app.model, app.range)");
	assert.match(await page.run("document.getElementById('snapped').textContent"), /^snapped to steps of .*: --time [\d.]+\.\.[\d.]+$/);
	const after = await page.run("processRows(app).length"), hash = await page.run("location.hash");

	// The overview has the same, above what is of the whole recording.
	await show(page, hash.replace("#timeline", "#overview"));
	const overview = await page.run("document.querySelector('#overview .live').innerText");

	assert.match(overview, new RegExp("^The range: [\\d.]+m?s? to [^]*Processes\\s+" + after + "[^]*at most [\\d.]+ MB; [^]*own peak[^]*CPU time[^]*The whole recording$"));
	await show(page, hash);
	assert.ok(after > 0 && after < before, after + " of " + before + " processes in the range");
	assert.equal(await page.run(counted), after, "the legend counts what is in the range");
	const range = await page.run("JSON.stringify(app.range)");
	// The picture stays: shades show the range, at the edges of its steps.
	assert.ok(await page.run("picture.isConnected"));
	const edges = await page.run("(() => { const [left, right] = [...picture.parentElement.querySelectorAll('.shade:not([hidden])')]" +
		".map(one => one.getBoundingClientRect()), plot = picture.getBoundingClientRect();" +
		"const at = x => (x - plot.left - LEFT) / (plot.width - LEFT - RIGHT); return [at(left.right), at(right.left)]; })()");
	const wanted = await page.run("[app.range.from, app.range.to].map(step => stepStart(app.model, step) / app.model.end_ns)");

	for (const [i, edge] of edges.entries())
		assert.ok(Math.abs(edge - wanted[i]) < 0.002, edge + " is not " + wanted[i]);
	await page.run("document.querySelector('#timeline .panels').focus()");
	// With Alt and such a key is the browser's: it goes back.
	for (const modifier of [1, 2, 4])
		await key(page, "ArrowRight", modifier);
	assert.equal(await page.run("JSON.stringify(parseState(location.hash).from)"), JSON.stringify(String(JSON.parse(range).from)));
	await key(page, "ArrowRight");
	await page.until("JSON.stringify(app.range) !== " + JSON.stringify(range));
	// A screen reader hears of it.
	assert.equal(await page.run("(document.querySelector('#timeline [aria-live]') || {}).textContent"),
		     await page.run("[app.range.from, app.range.to].map(step => formatMoment(stepStart(app.model, step))).join(' to ')"));
	await key(page, "Escape");
	await page.until("isWhole(app.model, app.range)");
	assert.equal(await page.run("document.querySelectorAll('#timeline .shade:not([hidden])').length"), 0);
	await page.go("about:blank");
	await page.go(address + hash);
	await page.until(READY);
	assert.equal(await page.run("JSON.stringify(app.range)"), range);
	const sum = await page.run("formatValue('ns', total(siteSums(app.model.kinds.cpu, 'cpu', app.range, app.passes)))");

	await show(page, hash.replace("#timeline", "#cpu"));
	assert.equal(await page.run("document.querySelector('#cpu .sum strong').textContent"), sum);
	// The name of the view is the id of its section: the browser would go there.
	await resize(page, 1280, 300);
	await page.go("about:blank");
	await page.go(address + "#system");
	await page.until(READY + " && document.readyState === 'complete'");
	assert.equal(await page.run("scrollY"), 0);
	await resize(page, 1280, 900);
	return range;
}

// The page says when it has drawn itself for another size of its window.
async function checkDrawn(page) {
	await show(page, "#cpu");
	for (const width of [1270, 1280]) {
		await page.run("window.picture = document.querySelector('#cpu .graph'), 1");
		await resize(page, width, 900);
		assert.ok(!await page.run("picture.isConnected"), "the graph is still to be made anew for a width of " + width);
	}
}

// Zooming, search, inverting, the table and its sorting, callers.
async function checkStacks(page) {
	await show(page, "#cpu");
	const boxes = "(() => { const v = viewOf(app, 'cpu'); return layOut(graphOf(app, v), v.path, 1000, 0.7).length; })()";
	const all = await page.run(boxes);

	await page.run("document.querySelector('#cpu .graph').focus()");
	for (const name of ["ArrowDown", "ArrowDown", "ArrowDown"])
		await key(page, name);
	const said = await page.run("document.querySelector('#cpu .said').textContent");

	assert.match(said, /: .*, .* % of /);
	await key(page, "Enter", SHIFT);
	await page.until("app.state.fn && " + DRAWN);
	assert.ok((await page.run("document.querySelector('#cpu .callers h3').innerText")).startsWith(said.split(": ")[0]));
	// The graph is another one, on which nothing is marked.
	for (const name of ["ArrowDown", "ArrowDown", "ArrowDown"])
		await key(page, name);
	await key(page, "Enter");
	await page.until("viewOf(app, 'cpu').path.length === 2");
	assert.ok(await page.run(boxes) <= all);
	await key(page, "Escape");
	await page.until("!viewOf(app, 'cpu').path.length");
	await show(page, "#cpu;search=a");
	assert.match(await page.run("document.getElementById('found').textContent"), /^found in .* %/);
	await show(page, "#cpu;inverted=1;first=phase");
	await show(page, "#cpu;by.cpu=function");
	const names = await page.run(textsOf("cpu", "tbody tr td:first-child"));

	assert.ok(names.length > 1);
	await page.run("document.querySelector('#cpu .live th button[data-key=function]').click()");
	await page.until("app.state['sort.cpu'] === 'function'");
	assert.deepEqual(await page.run(textsOf("cpu", "tbody tr td:first-child")), [...names].sort());
	assert.equal(await page.run("document.querySelector('#cpu .live th[aria-sort]').getAttribute('aria-sort')"), "ascending");
	await show(page, "#cpu;by.cpu=function;fn=" + encodeURIComponent(names[0]));
	assert.ok((await page.run(textsOf("cpu", ".callers caption"))).join() === "Callers,Callees");
}

// What is shown is made anew when a control is used: the one that takes its place has the focus, else keys would go nowhere.
async function checkFocus(page) {
	const focused = "(one => [one.tagName, one.dataset.key || (one.labels && one.labels.length ? one.labels[0].innerText : one.textContent)].join(' ')" +
		".replace(/\\s+/g, ' ').slice(0, 20))(document.activeElement)";
	const use = async (selector, act) => {
		await page.run("(() => { const one = document.querySelector(" + JSON.stringify(selector) + "); window.used = one; one.focus(); " + act + "; })()");
		const before = await page.run(focused);

		await page.until("!used.isConnected");
		assert.equal(await page.run(focused), before, selector);
	};
	const change = "one.dispatchEvent(new Event('change'))";

	await show(page, "#cpu");
	await use("#cpu select", "one.value = 'phase'; " + change);
	await use("#cpu input[type=checkbox]", "one.click()");
	await use("#cpu th button[data-key=samples]", "one.click()");
	await use("#range label:nth-child(2) input", "one.value = 2; " + change);
	// What is gone leaves the focus to what is in its place.
	await show(page, "#cpu;role=rustc");
	await page.run("(() => { const one = document.querySelector('#range .chip'); window.used = one; one.focus(); one.click(); })()");
	await page.until("!used.isConnected");
	assert.ok(await page.run("document.getElementById('range').contains(document.activeElement)"));
	await show(page, "#timeline");
	await use("#timeline select", "one.value = 'crate'; " + change);
}

// A chip filters all views; the search of processes; a command line on demand.
async function checkProcesses(page) {
	await show(page, "#processes");
	const rows = "document.querySelectorAll('#processes .live tbody tr').length";
	const all = await page.run(rows);
	const role = await page.run("(() => { const chip = document.querySelector('#processes .live tbody .chip'); chip.click(); return chip.textContent; })()");

	await page.until("app.state.role === " + JSON.stringify(role));
	const some = await page.run(rows);

	assert.ok(some > 0 && some < all);
	await page.run("document.querySelector('#range .chip').click()");
	await page.until("app.state.role === undefined");
	await page.run("(() => { const field = document.querySelector('#processes input'); field.value = 'no such name'; field.dispatchEvent(new Event('input')); })()");
	await page.until(rows + " === 0");
	await show(page, "#processes");
	await page.run("document.querySelector('#processes details summary').click()");
	await page.until("document.querySelector('#processes details code')");
}

async function checkMemory(page) {
	for (const metric of ["at-peak", "outstanding", "impacting", "size"])
		await show(page, "#memory;metric=" + metric);
	await show(page, "#memory;metric=own-peak");
	assert.match(await page.run("document.querySelector('#memory .live').innerText"), /Own peaks do not add up: .* more than the peak of the build/);
	// What shrank is in the sum and not in the graph, which says so.
	for (const first of ["none", "crate"]) {
		await show(page, "#memory;metric=impacting;from=201;to=401" + (first === "none" ? "" : ";first=" + first));
		const { root, lost, sum, said } = await page.run("(() => { const view = viewOf(app, 'memory'), { root, lost } = graphOf(app, view);" +
			"return { root: formatBytes(root.value), lost: formatBytes(-lost), sum: document.querySelector('#memory .sum strong').textContent," +
			"said: document.querySelector('#memory .live').innerText }; })()");

		assert.ok(lost.startsWith("-"), lost);
		assert.ok(said.includes("The graph has " + root + ", more than the sum of " + sum + ": stacks below zero, " + lost + " in all,"), said);
	}
	await show(page, "#memory");
	assert.equal(await page.run("document.querySelector('#memory .sum strong').textContent"),
		     await page.run("formatBytes(app.model.kinds.commit.peak_bytes)"));
}

// What is written into the pictures of the timeline is whole in them; the legends have what passes the filters, and nothing else.
async function checkTimeline(page) {
	await show(page, "#timeline");
	const cut = await page.run("(() => { const shown = [], before = CanvasRenderingContext2D.prototype.fillText;" +
		"CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { const width = this.measureText(text).width;" +
		"const left = this.textAlign === 'right' ? x - width : x;" +
		"shown.push(text); if (left < 0 || left + width > this.canvas.clientWidth) shown.cut = (shown.cut || []).concat(text); };" +
		"drawTimeline(app, document.querySelector('#timeline .live'));" +
		"CanvasRenderingContext2D.prototype.fillText = before; return [shown.length, shown.cut || []]; })()");

	assert.ok(cut[0] > 10);
	assert.deepEqual(cut[1], [], "texts of the timeline are cut");
	await show(page, "#timeline;crate=rustc_parse");
	assert.deepEqual(await page.run("[...document.querySelectorAll('#timeline .panels .legend .key')].map(one => one.textContent)"), ["rustc_parse"]);
	await show(page, "#timeline");
}

// All tables have heads in one style, those of the scripts too.
async function checkHeads(page) {
	for (const view of VIEWS) {
		await show(page, "#" + view);
		const heads = await page.run("[...document.querySelectorAll('#" + view + " th')].map(one => one.textContent)");

		assert.ok(view === "timeline" || heads.length, view);
		assert.deepEqual(heads.filter(head => /[A-Z]/.test(head.replace("CPU", ""))), []);
	}
}

// What a screen reader finds: tables with a name and headings that say how they are sorted, and names of all else that has the focus.
async function checkRoles(page) {
	await show(page, "#cpu");
	const { nodes } = await page.send("Accessibility.getFullAXTree", {});
	const shown = nodes.filter(node => !node.ignored), nameOf = node => node.name && node.name.value;
	const named = role => shown.filter(node => node.role && node.role.value === role).map(nameOf);

	assert.deepEqual(named("table").filter(name => !/^CPU time by crate, \d+ rows$/.test(name)), []);
	assert.equal(named("table").length, 1);
	assert.deepEqual(named("columnheader").map(name => name.replace(/ [▲▼]$/, "")), ["crate", "CPU time", "%", "samples"]);
	assert.ok(named("image").some(name => /^CPU time by stack, \d/.test(name)), named("image").join());
	assert.deepEqual(named("navigation"), ["Views"]);
	for (const role of ["button", "link", "checkbox", "combobox", "searchbox", "spinbutton"])
		assert.ok(named(role).every(name => name), "a " + role + " without a name");
	await page.send("Accessibility.disable", {});
}

// The overview and the tables, as they are written.
async function checkWithoutScripts(page) {
	await page.send("Emulation.setScriptExecutionDisabled", { value: true });
	await page.go("about:blank");
	await page.go(address);
	await page.until("document.readyState === 'complete' && !!document.getElementById('system')");
	for (const [view, text] of [["overview", "Recorded"], ["processes", "rustc_middle"], ["cpu", "CPU time by crate"],
				    ["memory", "Committed memory by crate"], ["system", "hostname"]])
		assert.ok((await page.run("document.getElementById('" + view + "').innerText")).includes(text), view + " without scripts");
	assert.ok((await page.run("document.querySelector('noscript').textContent")).length > 0);
	await page.send("Emulation.setScriptExecutionDisabled", { value: false });
	await page.go("about:blank");
	await page.go(address);
	await page.until(READY);
}

// From a small screen to a large one, in both themes: nothing is wider than the window.
async function checkSizes(page) {
	for (const [width, height, colors] of [[1000, 700, "light"], [1600, 1000, "dark"], [3840, 2160, "light"]]) {
		await resize(page, width, height);
		await theme(page, colors);
		// Pictures of so many points cost seconds without a graphics card.
		for (const view of width < 2000 || pictures ? VIEWS : ["timeline"]) {
			await show(page, "#" + view);
			assert.equal(await page.run("document.querySelectorAll('main > section:not([hidden])').length"), 1);
			assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), view + " is too wide at " + width);
			assert.equal(await page.run("[...document.querySelectorAll('#" + view + " .wide')].filter(one => one.scrollWidth > one.clientWidth).length"), 0,
				     "a table of " + view + " is too wide at " + width);
			if (pictures)
				await page.picture(path.join(pictures, view + "-" + width + ".png"));
		}
	}
	await theme(page, "dark");
	const back = await page.run("getComputedStyle(document.body).backgroundColor");

	await theme(page, "light");
	assert.notEqual(await page.run("getComputedStyle(document.body).backgroundColor"), back);
}

// On paper a view is whole, without what one clicks, and dark on light whatever the screen has.
async function checkPrint(page) {
	await resize(page, 1000, 700);
	await theme(page, "dark");
	for (const view of ["overview", "timeline", "cpu"]) {
		await show(page, "#" + view);
		const { data } = await page.send("Page.printToPDF", { printBackground: true });

		assert.ok(Buffer.from(data, "base64").toString("latin1").startsWith("%PDF"), view);
		if (pictures)
			require("fs").writeFileSync(path.join(pictures, view + ".pdf"), Buffer.from(data, "base64"));
		await page.send("Emulation.setEmulatedMedia", { media: "print", features: [{ name: "prefers-color-scheme", value: "dark" }] });
		await page.until("matchMedia('print').matches && " + DRAWN);
		assert.equal(await page.run("getComputedStyle(document.querySelector('nav')).display"), "none");
		assert.equal(await page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
		assert.ok(await page.run("[...document.querySelectorAll('#" + view + " canvas')].every(one => one.getBoundingClientRect().right <= innerWidth)"),
			  "a picture of " + view + " is too wide on paper");
		await page.send("Emulation.setEmulatedMedia", { media: "" });
		await theme(page, "dark");
	}
	await theme(page, "light");
}

// Every view has something, or says why not; no script of a name has run.
async function lookAtAll(page, name) {
	const [file, where, text] = name.split(":"), url = "file://" + path.resolve(file);

	await page.go("about:blank");
	await page.go(url);
	await page.until(READY);
	for (const view of VIEWS) {
		await show(page, "#" + view);
		assert.ok((await page.run("document.getElementById('" + view + "').innerText.length")) > 20, url + ": nothing in " + view);
	}
	if (text) {
		await show(page, "#" + where);
		const said = await page.run("document.getElementById('" + where + "').innerText");

		assert.ok(said.includes(text), url + ": " + where + " does not say '" + text + "' but '" + said + "'");
	}
	assert.match(await page.run("document.title"), / - stagetrace report$/);
	assert.equal(await page.run("document.querySelectorAll('main img, main script').length"), 0);
	assert.ok(!/[\u0000-\u0008\u000e-\u001f\u202a-\u202e\u2066-\u2069]/.test(await page.run("document.body.innerText")), url + ": control characters");
	assert.deepEqual(page.console, []);
	assert.ok(page.requests.every(one => one.startsWith("file://") || one === "about:blank"), page.requests.join());
	console.log(path.basename(url) + ": all views");
}

async function main() {
	const browser = await start(program);

	try {
		const page = await browser.open(address, { width: 1280, height: 900 });

		await page.until(READY);
		if (only) {
			for (const name of more)
				await lookAtAll(page, name);
			return;
		}
		const range = await checkRange(page);

		await checkDrawn(page);
		await checkStacks(page);
		await checkFocus(page);
		await checkProcesses(page);
		await checkMemory(page);
		await checkTimeline(page);
		await checkHeads(page);
		await checkRoles(page);
		await checkWithoutScripts(page);
		await checkSizes(page);
		await checkPrint(page);
		assert.deepEqual(page.console, []);
		assert.deepEqual(page.requests.filter(url => !url.startsWith("file://") && url !== "about:blank"), []);
		assert.ok(page.requests.every(url => url.split("#")[0] === address || url === "about:blank"), page.requests.join());
		console.log("range " + range + ", " + page.requests.length + " requests, all for the page itself");
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
