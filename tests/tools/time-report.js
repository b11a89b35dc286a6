// How long a report's page takes in a browser: time-report.js BROWSER PAGE [RANGES [SEED [usable=MS] [range=MS] [memory=MB]]]
//
// Prints how long it took until the page could be used, what each view and each random range of it took, from the change of
// the address to the picture, and what memory the tab took. Times are of the clock ("wall") and of the page's thread ("cpu"):
// the second is nearly the same on a machine with other work. Exits with 1 if that, or the memory, is above a limit.
"use strict";

const fs = require("fs"), path = require("path");
const { start } = require("./browser.js");
const [program, file, ranges = "5", seed = "1", ...limits] = process.argv.slice(2);
const STATES = ["overview", "timeline", "processes", "cpu", "cpu;first=crate", "cpu;first=phase", "cpu;inverted=1", "cpu;by.cpu=function",
		"cpu;by.cpu=stack", "cpu;search=alloc", "memory", "memory;metric=outstanding", "memory;metric=impacting", "memory;metric=size;first=crate",
		"memory;cols=lifetimes", "memory;by.memory=stack"];
let random = Number(seed);

function below(most) {
	random = (random * 1103515245 + 12345) % 2147483648;
	return Math.floor(random / 2147483648 * most);
}

// Of the thread of the page, in ms.
async function threadTime(page) {
	const { metrics } = await page.send("Performance.getMetrics", {});

	return metrics.find(one => one.name === "TaskDuration").value * 1e3;
}

// Until the next frame has been drawn.
const DRAWN = "new Promise(done => requestAnimationFrame(() => { const channel = new MessageChannel();" +
	      "channel.port1.onmessage = () => done(performance.now()); channel.port2.postMessage(0); }))";

async function timed(page, hash) {
	const before = await threadTime(page);
	const wall = await page.run("(async () => { const from = performance.now(), changed = new Promise(done => " +
		"addEventListener('hashchange', done, { once: true })); location.hash = " + JSON.stringify(hash) +
		"; await changed; return await " + DRAWN + " - from; })()");

	return { wall, cpu: await threadTime(page) - before };
}

function isBelow(pid, above) {
	for (let at = pid; at > 1; at = Number(/PPid:\s*(\d+)/.exec(fs.readFileSync("/proc/" + at + "/status", "utf8"))[1])) {
		if (at === above)
			return true;
	}
	return false;
}

// Of the largest process of the browser that shows a page, in MB: what it has now, and had at most.
function rendererMemory(browser) {
	let most = 0, now = 0;

	for (const pid of fs.readdirSync("/proc").filter(name => /^\d+$/.test(name))) {
		try {
			const status = fs.readFileSync("/proc/" + pid + "/status", "utf8");
			const of = name => Number(new RegExp(name + ":\\s*(\\d+)").exec(status)[1]) / 1024;

			if (fs.readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("--type=renderer") &&
			    isBelow(Number(pid), browser.pid) && of("VmHWM") > most)
				[most, now] = [of("VmHWM"), of("VmRSS")];
		} catch (error) {
			// It has ended.
			continue;
		}
	}
	return { most, now };
}

// A value, and whether it is above its limit.
function hold(name, value) {
	const limit = limits.map(one => one.split("=")).find(([key]) => key === name);

	if (!limit || value <= Number(limit[1]))
		return;
	console.log(name + ": " + value.toFixed(0) + ", the limit is " + limit[1]);
	process.exitCode = 1;
}

const ms = value => value.toFixed(0).padStart(6);

async function main() {
	const browser = await start(program);

	try {
		const page = await browser.open("about:blank", { width: 1600, height: 1000 });

		await page.send("Performance.enable", { timeDomain: "threadTicks" });
		await page.send("Performance.setTimeDomain", { timeDomain: "threadTicks" }).catch(() => {});
		const before = await threadTime(page), from = Date.now();

		await page.go("file://" + path.resolve(file));
		await page.until("!!document.documentElement && document.documentElement.dataset.ready === '1'");
		await page.run(DRAWN);
		const usable = { wall: Date.now() - from, cpu: await threadTime(page) - before };

		console.log("usable after".padEnd(40) + ms(usable.wall) + " ms wall " + ms(usable.cpu) + " ms cpu");
		hold("usable", usable.cpu);
		const steps = await page.run("app.model.steps");

		for (const state of STATES) {
			const results = [await timed(page, "#" + state)];

			for (let i = 0; i < Number(ranges); i++) {
				const a = 1 + below(steps - 1), b = 1 + below(steps - 1);

				results.push(await timed(page, "#" + state + ";from=" + Math.min(a, b) + ";to=" + (Math.max(a, b) + 1)));
			}
			const [first, ...more] = results, worst = name => more.length ? Math.max(...more.map(one => one[name])) : 0;

			console.log(state.padEnd(40) + ms(first.wall) + " ms wall " + ms(first.cpu) + " ms cpu; a range, at most" +
				    ms(worst("wall")) + " ms wall " + ms(worst("cpu")) + " ms cpu");
			hold("range", worst("cpu"));
		}
		const { most, now } = rendererMemory(browser);

		hold("memory", most);
		console.log("memory of the tab".padEnd(40) + ms(now) + " MB, at most " + ms(most) + " MB; heap of scripts " +
			    ms(await page.run("performance.memory.usedJSHeapSize") / 1048576) + " MB");
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
