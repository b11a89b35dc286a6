// Compare the numbers of a report's page with those of the command line: check-report.js STAGETRACE TRACE PAGE RANGES SEED
//
// For the whole recording and for random ranges of whole steps: CPU time and memory by a key must be equal, to the byte.
"use strict";

const { execFileSync } = require("child_process");
const { load, loadModel, rowsOf } = require("../page/load.js");
const [program, trace, file, ranges, seed] = process.argv.slice(2);
const page = load();
let random = Number(seed), compared = 0;

function below(most) {
	random = (random * 1103515245 + 12345) % 2147483648;
	return Math.floor(random / 2147483648 * most);
}

function view(command, by, time, more) {
	const args = [command, trace, "--by", by, "--format", "json", "-q", ...(time ? ["--time", time] : []), ...(more || [])];

	return JSON.parse(execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30 }));
}

// Names are printable in the page; none of a test's build is not.
function keyOf(model, by, key) {
	if (by !== "process")
		return key === "" ? null : key;
	return key < model.processes.nr ? model.processes.pid[key] + " " + model.processes.image[key] : "unknown";
}

function compare(what, ours, theirs) {
	if (ours !== theirs) {
		console.log(what + ": the page has " + ours + ", the command line " + theirs);
		process.exit(1);
	}
	compared++;
}

// Each row of the command line, and nothing else that has a value.
function compareRows(model, what, by, rows, expected, columns, peaks) {
	const found = new Map();

	for (const row of rows) {
		const key = keyOf(model, by, row.key);
		const sums = found.get(key) || {};

		for (const column of columns)
			sums[column] = (sums[column] || 0) + row[column];
		if (peaks)
			sums.peak_bytes = peaks.get(row.key) || 0;
		found.set(key, sums);
	}
	const left = new Map(found);

	for (const row of expected) {
		const key = by === "process" ? row.pid + " " + row.image : row[by];
		const sums = left.get(key);

		for (const column of peaks ? [...columns, "peak_bytes"] : columns)
			compare(what + ", " + key + ", " + column, sums ? sums[column] : 0, row[column]);
		left.delete(key);
	}
	for (const [key, sums] of left) {
		for (const column of columns)
			compare(what + ", " + key + " (not shown), " + column, sums[column], 0);
	}
}

function check(model, range, by_cpu, by_memory) {
	const whole = page.isWhole(model, range), time = whole ? null : page.timeOption(model, range);
	const all = page.passAll(model);
	const { cpu, commit } = model.kinds;

	// The overview of a range has the build's highest of it.
	if (commit)
		compare("memory --head --time " + time + ", peak_bytes", page.peakIn(model, commit, range),
			JSON.parse(execFileSync(program, ["memory", trace, "--head", "--format", "json", "-q", ...(time ? ["--time", time] : [])],
						{ encoding: "utf8", maxBuffer: 1 << 30 })).head.peak_bytes);
	if (cpu)
		compareRows(model, "cpu --by " + by_cpu + " --time " + time, by_cpu, rowsOf(page.sumsBy(model, cpu, by_cpu, range, all)),
			    view("cpu", by_cpu, time), ["samples", "self_ns"]);
	if (commit)
		compareRows(model, "memory --by " + by_memory + " --time " + time, by_memory,
			    rowsOf(page.sumsBy(model, commit, by_memory, range, all)), view("memory", by_memory, time),
			    ["size_bytes", "count", "freed_bytes", "impacting_bytes", "outstanding_bytes"].concat(whole ? ["at_peak_bytes"] : []),
			    by_memory === "crate" ? page.cratePeaks(model, commit, range) : null);
}

// Lifetimes are of the whole recording.
function checkLives(model, by) {
	const found = new Map();

	for (const row of rowsOf(page.lifetimesBy(model, model.kinds.commit, by, page.passAll(model)))) {
		for (const name of page.get("LIFETIMES"))
			found.set(keyOf(model, by, row.key) + " " + name, row[name]);
	}
	for (const row of view("memory", by + ",lifetime", null)) {
		const key = (by === "process" ? row.pid + " " + row.image : row[by]) + " " + row.lifetime;

		compare("memory --by " + by + ",lifetime, " + key, found.get(key), row.size_bytes);
		found.delete(key);
	}
	for (const [key, bytes] of found)
		compare("memory --by " + by + ",lifetime, " + key + " (not shown)", bytes, 0);
}

// What a crate held at its own peak; of a large build some crates.
const CRATES_MOST = 10;

function checkOwnPeaks(model) {
	const { commit } = model.kinds;

	for (const crate of [...new Set(model.processes.crate.filter(name => name !== ""))].slice(0, CRATES_MOST)) {
		const sums = new Map();

		page.siteSums(commit, "own-peak", page.wholeRange(model), page.passesOf(model, { crate })).forEach((bytes, site) => {
			const phase = model.texts[commit.site.phase[site]];

			sums.set(phase, (sums.get(phase) || 0) + bytes);
		});
		for (const row of view("memory", "phase", null, ["--crate", crate, "--at", "own-peak"])) {
			compare("memory --crate " + crate + " --at own-peak --by phase, " + row.phase, sums.get(row.phase) || 0,
				row.outstanding_bytes);
			sums.delete(row.phase);
		}
		for (const [phase, bytes] of sums)
			compare("memory --crate " + crate + " --at own-peak, " + phase + " (not shown)", bytes, 0);
	}
}

async function main() {
	const model = await loadModel(page, file);
	const keys = ["crate", "phase", "query", "process", "role", "part"];

	for (const by of keys)
		check(model, page.wholeRange(model), by, by);
	if (model.kinds.commit) {
		for (const by of ["crate", "phase", "process"])
			checkLives(model, by);
		checkOwnPeaks(model);
	}
	for (let i = 0; i < Number(ranges); i++) {
		const a = 1 + below(model.steps), b = 1 + below(model.steps);
		const range = { from: Math.min(a, b), to: Math.max(a, b) + (a === b ? 1 : 0) };

		if (range.to <= model.steps)
			check(model, range, keys[below(3)], keys[below(keys.length)]);
	}
	console.log(compared + " numbers are equal");
}

main().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
