"use strict";

const test = require("node:test"), assert = require("node:assert"), zlib = require("node:zlib");
const { load, plain } = require("./load.js");
const page = load();

function columnsOf(directory, bytes) {
	return page.makeColumns(directory, Uint8Array.from(bytes));
}

test("numbers of all codings", () => {
	const columns = columnsOf([["one", 2, 0, 3, 2], ["two", 3, 2, 3, 4], ["three", 2, 1, 2, 8], ["empty", 0, 0, 0, 2]],
				  [5, 0x80, 1, 1, 4, 3, 3, 4]);

	assert.deepEqual(plain(columns.numbers("one")), [5, 128]);
	assert.deepEqual(plain(columns.numbers("two")), [-1, 1, -1]);
	assert.deepEqual(plain(columns.numbers("three")), [-2, 2]);
	assert.deepEqual(plain(columns.numbers("empty")), []);
	assert.deepEqual(plain(columns.numbers("none")), []);
	assert.equal(columns.has("none"), false);
	assert.deepEqual(["one", "two", "three"].map(name => columns.numbers(name).BYTES_PER_ELEMENT), [2, 4, 8]);
});

test("numbers above 32 bits are exact up to 2^53", () => {
	for (const number of [2 ** 28, 2 ** 31, 2 ** 32 + 1, 2 ** 52 - 1]) {
		for (const value of [number, -number]) {
			let twice = BigInt(value) << 1n;
			const bytes = [];

			if (value < 0)
				twice = -twice - 1n;
			for (; twice >= 0x80n; twice >>= 7n)
				bytes.push(Number(twice & 0x7fn) | 0x80);
			bytes.push(Number(twice));
			assert.equal(columnsOf([["x", 1, 1, bytes.length, 8]], bytes).number("x"), value);
		}
	}
});

test("a packed text with its directory", async () => {
	const packed = zlib.deflateSync(Buffer.from("\né\na<b\n"));
	const text = '[["texts",3,0,8,2]]\n' + packed.toString("base64");
	const columns = await page.readColumns(text);

	assert.deepEqual(plain(columns.texts()), ["", "é", "a<b"]);
});

test("what is no data is an error", async () => {
	await assert.rejects(page.readColumns("[]\nAAAA"));
	await assert.rejects(page.readColumns("no directory"));
});
