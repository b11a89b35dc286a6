// Loads the scripts of a report's page, as the Makefile puts them together, into a context of their own without a document.
"use strict";

const fs = require("fs"), path = require("path"), vm = require("vm");
const directory = path.join(__dirname, "../../src/report/page");

function load() {
	const context = vm.createContext({ TextDecoder, Blob, Response, DecompressionStream, atob, console, setTimeout });

	for (const name of fs.readdirSync(directory).filter(one => one.endsWith(".js")).sort())
		vm.runInContext(fs.readFileSync(path.join(directory, name), "utf8"), context, { filename: name });
	context.get = name => vm.runInContext(name, context);
	return context;
}

// The model of a page that was written.
async function loadModel(page, file) {
	const text = /<script type="text\/plain" id="data">([^<]*)</.exec(fs.readFileSync(file, "utf8"))[1];

	return page.readModel(await page.readColumns(text));
}

// Values as they are, of whatever context.
function plain(value) {
	return JSON.parse(JSON.stringify(value, (key, one) => (ArrayBuffer.isView(one) ? Array.from(one)
		: Object.prototype.toString.call(one) === "[object Map]" ? [...one] : one)));
}

// The rows of a table of sums, as objects with their key.
function rowsOf({ keys, sums, rows }) {
	return [...rows].map(row => ({ key: keys[row], ...Object.fromEntries(Object.entries(sums).map(([name, column]) => [name, column[row]])) }));
}

module.exports = { load, loadModel, plain, rowsOf };
