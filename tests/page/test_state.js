"use strict";

const test = require("node:test"), assert = require("node:assert");
const { load, plain } = require("./load.js");
const page = load();

test("a state is the same after it was in an address", () => {
	const state = { view: "cpu", from: "3", to: "40", crate: "a;b=c&<d>", "at.cpu": '["main","x::{closure}"]', search: "/^a|b/" };

	assert.deepEqual(plain(page.parseState(page.formatState(state))), state);
	assert.equal(page.formatState({ view: "cpu", from: "", to: undefined }), "#cpu");
	assert.equal(page.parseState("").view, "overview");
});

test("an address may have anything", () => {
	const model = { steps: 10, processes: { nr: 0 } };

	for (const hash of ["#cpu;from=x;to=%", "#;;;=;a", "#cpu;from=5;to=5", "#cpu;from=-1;to=3", "#cpu;from=1;to=99", "#%"]) {
		const state = page.parseState(hash);

		assert.deepEqual(plain(page.rangeOf(model, state)), { from: 1, to: 10 }, hash);
	}
	assert.deepEqual(plain(page.pathIn({ "at.cpu": "{" }, "cpu")), []);
	assert.deepEqual(plain(page.pathIn({ "at.cpu": "7" }, "cpu")), []);
	assert.deepEqual(plain(page.rangeOf(model, page.parseState("#cpu;from=2;to=4"))), { from: 2, to: 4 });
});

// A field's text is decimal, and its product with 1e9 may be next to what is meant.
test("moments of the fields are edges of steps", () => {
	for (const step_ns of [1e3, 5e4, 1e6, 2e6, 1e9]) {
		const model = { step_ns, steps: 2001, end_ns: 2000 * step_ns }, whole = page.wholeRange(model);

		for (let step = 1; step < 2000; step++) {
			const ends = { from: step, to: step + 1 };
			const [from, to] = [step, step + 1].map(one => page.secondsOf(model, page.stepStart(model, one)));

			assert.deepEqual(plain(page.beginAt(model, ends, from)), ends, from + " s of " + step_ns);
			assert.deepEqual(plain(page.endAt(model, ends, to)), ends, to + " s of " + step_ns);
		}
		assert.deepEqual(plain(page.endAt(model, whole, 0)), { from: 1, to: 2 });
		assert.deepEqual(plain(page.beginAt(model, whole, 1e6)), { from: 2000, to: 2001 });
		assert.deepEqual(plain(page.endAt(model, whole, 1e6)), plain(whole));
	}
});

// As `stagetrace processes` has them: without a start or an end there is no duration.
test("what is not known of a process is not shown", () => {
	const processes = { nr: 4, start_ns: [-1, 2e9, 0, -1], end_ns: [3e9, -1, 4e9, -1] };

	for (const name of ["pid", "exit_code", "cpu_ns", "peak_bytes", "peak_rss_bytes"])
		processes[name] = [-1, -1, -1, -1];
	for (const name of ["image", "role", "crate", "part", "command_line"])
		processes[name] = ["a", "b", "c", "d"];
	const model = { step_ns: 1e9, steps: 11, end_ns: 10e9, processes, kinds: {} };
	const app = { model, range: page.wholeRange(model), passes: page.passAll(model), state: {} };
	const rows = page.processRows(app);

	assert.deepEqual(plain(rows.map(row => row.start_ns)), [null, 2e9, 0, null]);
	assert.deepEqual(plain(rows.map(row => row.duration_ns)), [null, null, 4e9, null]);
	assert.equal(page.formatValue("moment", null), "");
	assert.equal(page.formatValue("moment", 61e9), "1m01s");
	// All of them ran in the middle, as far as that is known.
	app.range = { from: 4, to: 5 };
	assert.deepEqual(plain(page.processRows(app).map(row => row.process)), [1, 2, 3]);
});

test("rows are sorted as asked, unknown values last", () => {
	const columns = [{ key: "name", text: true, get: row => row.name }, { key: "size", get: row => row.size }];
	const rows = [{ name: "b", size: 2 }, { name: "", size: 9 }, { name: "a", size: null }, { name: "c", size: 1 }];
	const names = sort => page.firstRows(columns, rows, sort, 9).map(row => row.name);

	assert.deepEqual(names("size"), ["", "b", "c", "a"]);
	assert.deepEqual(names("-size"), ["c", "b", "", "a"]);
	assert.deepEqual(names("name"), ["a", "b", "c", ""]);
	assert.deepEqual(names("-name"), ["c", "b", "a", ""]);
	assert.deepEqual(names("nothing"), ["a", "b", "c", ""]);
});

// Whatever their number and their ties, the first rows are those of all rows in order.
test("the first rows are the beginning of all", () => {
	const rows = Array.from({ length: 300 }, (_, i) => ({ i, size: i % 7 ? i * 7919 % 23 : null, name: "n" + i * 31 % 40 }));
	const columns = [{ key: "size", get: row => row.size }, { key: "name", text: true, get: row => row.name }];

	for (const sort of ["size", "-size", "name", "-name"]) {
		const all = page.firstRows(columns, rows, sort, 300).map(row => row.i);

		assert.deepEqual([...all].sort((a, b) => a - b), rows.map(row => row.i));
		for (const most of [0, 1, 50, 257, 299, 1000])
			assert.deepEqual(plain(page.firstRows(columns, rows, sort, most).map(row => row.i)), plain(all.slice(0, most)));
	}
	const sizes = page.firstRows(columns, rows, "size", 257).map(row => row.size);

	assert.deepEqual(plain(sizes), plain([...sizes].sort((a, b) => b - a)));
	assert.deepEqual(plain(page.firstRows(columns, [], "size", 5)), []);
});

test("a search: a word in any case, or a pattern", () => {
	assert.equal(page.makeMatcher(""), null);
	assert.equal(page.makeMatcher("PARSE")("rustc_parse::x"), true);
	assert.equal(page.makeMatcher("/^x|y$/")("any"), true);
	assert.equal(page.makeMatcher("/(/")("("), false);
	assert.equal(page.makeMatcher("(")("("), true);
});

test("numbers as text", () => {
	// As tests/unit/test_text.c has them.
	assert.deepEqual([0, 999, 1000, 1023, 1024, 10234, 10235, 102349, 1023487, 1023488, 391118848, -4096, 3 * 2 ** 40].map(page.formatBytes),
			 ["0 B", "999 B", "0.98 KB", "1.00 KB", "1.00 KB", "9.99 KB", "10.0 KB", "100 KB", "999 KB", "0.98 MB", "373 MB",
			  "-4.00 KB", "3.00 TB"]);
	assert.deepEqual([0, 999, 1500, 999500, 12.3e6, 2.5e9, 59.96e9, 60e9, 99.449e9, 99.5e9, 3725e9].map(page.formatDuration),
			 ["0 s", "999 ns", "1.50 us", "1.00 ms", "12.3 ms", "2.50 s", "60.0 s", "60.0 s", "99.4 s", "1m 40s", "1h 02m 05s"]);
	// In the middle of two numbers.
	assert.deepEqual([1152, 1408, 100.5 * 1024, 101.5 * 1024, 10.25 * 1024, -1152].map(page.formatBytes),
			 ["1.12 KB", "1.38 KB", "100 KB", "102 KB", "10.2 KB", "-1.12 KB"]);
	assert.deepEqual([0, 12.5e9, 59.9999e9, 60e9, 65.25e9, 119.9997e9, 731e9].map(page.formatMoment),
			 ["0s", "12.5s", "1m00s", "1m00s", "1m05.25s", "2m00s", "12m11s"]);
	assert.equal(page.formatCount(1234567), "1,234,567");
	assert.deepEqual([0, 1, 1000].map(number => page.countOf(number, "row", "rows")), ["0 rows", "1 row", "1,000 rows"]);
	assert.deepEqual([page.formatPercent(1, 3), page.formatPercent(1, 1e6), page.formatPercent(-1, 1e6), page.formatPercent(1, 0)],
			 ["33.3", "<0.1", ">-0.1", ""]);
	assert.deepEqual([0, 0.04, 12.25].map(percent => page.formatValue("percent", percent)), ["0.0", "<0.1", "12.2"]);
});
