// Open reports' pages in Firefox, by its Marionette protocol: report-in-firefox.js FIREFOX PAGE...
//
// Each view must have something, and a range of a link must narrow them.
"use strict";

const assert = require("node:assert"), { spawn } = require("child_process"), fs = require("fs");
const net = require("net"), os = require("os"), path = require("path");
const [program, ...files] = process.argv.slice(2);
const VIEWS = ["overview", "timeline", "processes", "cpu", "memory", "system"];
const LIMIT_MS = 240000;
const end = Date.now() + LIMIT_MS;

const pause = () => new Promise(resolve => setTimeout(resolve, 50));

async function until(check, what) {
	for (;;) {
		const value = await check();

		if (value)
			return value;
		if (Date.now() > end)
			throw new Error("this did not come true: " + what);
		await pause();
	}
}

// Messages are "LENGTH:JSON": [0, id, command, parameters] and [1, id, error, result].
function connect(port) {
	const socket = net.connect(port, "127.0.0.1"), waiting = new Map();
	let rest = Buffer.alloc(0), next = 1;

	socket.on("error", error => waiting.forEach(one => one.reject(error)));
	socket.on("data", data => {
		rest = Buffer.concat([rest, data]);
		for (;;) {
			const colon = rest.indexOf(":"), length = Number(rest.subarray(0, colon).toString());

			if (colon < 0 || rest.length < colon + 1 + length)
				return;
			const message = JSON.parse(rest.subarray(colon + 1, colon + 1 + length).toString());

			rest = rest.subarray(colon + 1 + length);
			if (!Array.isArray(message))
				continue;
			const wait = waiting.get(message[1]);

			waiting.delete(message[1]);
			if (message[2])
				wait.reject(new Error(message[2].message));
			else
				wait.resolve(message[3]);
		}
	});
	return {
		send: (command, parameters) => new Promise((resolve, reject) => {
			const text = JSON.stringify([0, next, command, parameters || {}]);

			waiting.set(next++, { resolve, reject });
			socket.write(Buffer.byteLength(text) + ":" + text);
		}),
		close: () => socket.destroy(),
	};
}

async function look(browser, file) {
	const run = async script => (await browser.send("WebDriver:ExecuteScript", { script: "return " + script, args: [] })).value;
	const show = async hash => {
		await run("(location.hash = " + JSON.stringify(hash) + ", 1)");
		// The link of the view that is shown has all of its state.
		await until(() => run("document.querySelector('nav a[aria-current]').getAttribute('href') === " + JSON.stringify(hash)), hash);
	};

	await browser.send("WebDriver:Navigate", { url: "file://" + path.resolve(file) });
	await until(() => run("document.documentElement.dataset.ready === '1'"), file + " is ready");
	for (const view of VIEWS) {
		await show("#" + view);
		assert.ok(await run("document.getElementById('" + view + "').innerText.length") > 20, "nothing in " + view);
	}
	assert.equal(await run("document.querySelectorAll('main img, main script').length"), 0);
	assert.ok(await run("document.getElementById('failure').hidden"));
	return { run, show };
}

async function checkRange({ run, show }) {
	await show("#processes");
	const rows = "document.querySelectorAll('#processes .live tbody tr').length", all = await run(rows);

	await show("#processes;from=1;to=40");
	assert.ok(await run(rows) < all);
	await show("#cpu;from=1;to=40");
	assert.match(await run("document.querySelector('#cpu .sum strong').textContent"), /^\d.* m?s$/);
	assert.match(await run("document.getElementById('snapped').textContent"), /^snapped .*--time 0\.\./);
}

async function main() {
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), "firefox-")), active = path.join(profile, "MarionetteActivePort");

	// Any free port; no request of the browser's own.
	fs.writeFileSync(path.join(profile, "user.js"), ["marionette.port\", 0", "browser.shell.checkDefaultBrowser\", false",
		"datareporting.policy.dataSubmissionEnabled\", false", "app.update.enabled\", false",
		"network.proxy.type\", 1", "network.proxy.http\", \"127.0.0.1", "network.proxy.ssl\", \"127.0.0.1"]
		.map(pref => "user_pref(\"" + pref + (/"127/.test(pref) ? "\");\n" : ");\n")).join(""));
	const child = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile],
			    { stdio: "ignore", env: { ...process.env, HOME: profile } });
	const ended = new Promise(resolve => child.once("exit", resolve));

	try {
		const port = await until(() => fs.existsSync(active) && Number(fs.readFileSync(active, "utf8")), "Firefox listens");
		const browser = connect(port);

		await browser.send("WebDriver:NewSession", {});
		for (const file of files) {
			const page = await look(browser, file);

			if (file === files[0])
				await checkRange(page);
			console.log(path.basename(file) + ": all views");
		}
		await browser.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => child.kill());
		browser.close();
	} catch (error) {
		child.kill();
		throw error;
	} finally {
		await ended;
		fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
