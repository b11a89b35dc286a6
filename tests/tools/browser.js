// Drives a headless Chromium over its pipe of the DevTools protocol, without a library:
//
//	const browser = await start(program);
//	const page = await browser.open("file:///...", { width: 1280, height: 900 });
//	await page.run("1 + 1");
//	await browser.close();
//
// page.console has what the page said and the errors of its scripts, page.requests the addresses that it asked for.
"use strict";

const { spawn } = require("child_process"), fs = require("fs"), os = require("os"), path = require("path");
const LIMIT_MS = 60000;

function connect(child) {
	const waiting = new Map(), listeners = [];
	let next = 1, rest = "";

	child.stdio[4].on("data", data => {
		const messages = (rest + data).split("\0");

		rest = messages.pop();
		for (const text of messages) {
			const message = JSON.parse(text), wait = waiting.get(message.id);

			if (!wait)
				listeners.forEach(listener => listener(message));
			else if (message.error)
				wait.reject(new Error(message.error.message));
			else
				wait.resolve(message.result);
			waiting.delete(message.id);
		}
	});
	function send(method, params, sessionId) {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(method + " has no answer")), LIMIT_MS);
			const done = take => value => {
				clearTimeout(timer);
				take(value);
			};

			waiting.set(next, { resolve: done(resolve), reject: done(reject) });
			child.stdio[3].write(JSON.stringify({ id: next++, method, params, sessionId }) + "\0");
		});
	}
	return { send, listen: listener => listeners.push(listener) };
}

async function open(connection, url, size) {
	const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
	const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
	const page = { console: [], requests: [], send: (method, params) => connection.send(method, params, sessionId) };

	connection.listen(message => {
		const { method, params } = message;

		if (message.sessionId !== sessionId)
			return;
		if (method === "Runtime.consoleAPICalled")
			page.console.push(params.args.map(arg => arg.value || arg.description).join(" "));
		else if (method === "Runtime.exceptionThrown")
			page.console.push(JSON.stringify(params.exceptionDetails.exception || params.exceptionDetails.text));
		else if (method === "Log.entryAdded")
			page.console.push(params.entry.text);
		else if (method === "Network.requestWillBeSent")
			page.requests.push(params.request.url);
	});
	for (const domain of ["Runtime", "Log", "Network", "Page"])
		await page.send(domain + ".enable", {});
	page.run = async expression => {
		const { result, exceptionDetails } = await page.send("Runtime.evaluate",
								     { expression, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(expression + ": " + (exceptionDetails.exception.description || exceptionDetails.text));
		return result.value;
	};
	page.until = async expression => {
		const end = Date.now() + LIMIT_MS;

		while (!await page.run(expression)) {
			if (Date.now() > end)
				throw new Error("this did not come true: " + expression);
			await new Promise(resolve => setTimeout(resolve, 20));
		}
	};
	// Both until the page knows of it; what its scripts draw anew then is theirs to say.
	page.resize = async (width, height, scale) => {
		await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale || 1, mobile: false });
		await page.until("innerWidth === " + width + " && innerHeight === " + height);
	};
	page.theme = async value => {
		await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
		await page.until("matchMedia('(prefers-color-scheme: " + value + ")').matches");
	};
	page.go = url => page.send("Page.navigate", { url });
	page.picture = async file => {
		const { data } = await page.send("Page.captureScreenshot", { format: "png" });

		fs.writeFileSync(file, Buffer.from(data, "base64"));
	};
	await page.resize(size.width, size.height);
	await page.go(url);
	return page;
}

async function start(program) {
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
	const child = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
				      "--user-data-dir=" + profile, "about:blank"],
			    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
	const connection = connect(child);

	return {
		pid: child.pid,
		open: (url, size) => open(connection, url, size),
		async close() {
			const ended = new Promise(resolve => child.once("exit", resolve));

			await connection.send("Browser.close", {}).catch(() => child.kill());
			await ended;
			fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

module.exports = { start };
