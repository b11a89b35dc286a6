// What the page knows: processes, steps of time, and for each kind of value its stacks and records. Sums over a range of
// steps are those of `cpu --time A..B` and `memory --time A..B` of the command line.
//
// Steps are numbered as in src/analysis/ledger_steps.h: 0 is before the recording, step i + 1 begins at i * step_ns. A range
// is {from, to}: the steps from <= step < to.
"use strict";

const KINDS = ["cpu", "commit", "touched", "heap"];
const KIND_NAMES = { cpu: "CPU time", commit: "Committed", touched: "Touched", heap: "Heap" };

function readProcesses(columns, texts) {
	const processes = {};

	for (const name of ["pid", "ppid", "start_ns", "end_ns", "exit_code", "built_by", "cpu_ns", "peak_rss_bytes",
			    "peak_bytes", "at_peak_bytes"])
		processes[name] = columns.numbers("process." + name);
	for (const name of ["image", "role", "crate", "part", "command_line"])
		processes[name] = Array.from(columns.numbers("process." + name), number => texts[number]);
	processes.nr = processes.pid.length;
	return processes;
}

// Where the records of each step begin: records are sorted by step.
function findStarts(steps, nr) {
	const starts = new Int32Array(nr + 1);

	for (const step of steps)
		starts[step + 1]++;
	for (let i = 0; i < nr; i++)
		starts[i + 1] += starts[i];
	return starts;
}

function readTree(columns, prefix, texts) {
	const up = columns.numbers(prefix + ".node.up");
	const names = columns.numbers(prefix + ".name_text");
	const name = columns.numbers(prefix + ".node.name");
	const parent = new Int32Array(up.length);

	for (let i = 1; i < up.length; i++)
		parent[i] = i - up[i];
	return { nr: up.length, parent, name, names: Array.from(names, number => texts[number]) };
}

// What processes held at sites over the whole recording.
function readHeld(columns, prefix) {
	return {
		process: columns.numbers(prefix + ".process"),
		site: columns.numbers(prefix + ".site"),
		bytes: columns.numbers(prefix + ".bytes"),
	};
}

// The same by how long it was held: `lifetime` is the place in LIFETIMES.
function readLife(columns, prefix, texts) {
	const places = new Map(LIFETIMES.map((name, place) => [texts.indexOf(name), place]));

	return { ...readHeld(columns, prefix), lifetime: columns.numbers(prefix + ".class").map(number => places.get(number)) };
}

// Of lifetimes what was held when its process ended.
function heldAtExit({ lifetime, process, site, bytes }) {
	const exit = LIFETIMES.indexOf("[exit]"), at = [];

	for (let i = 0; i < lifetime.length; i++) {
		if (lifetime[i] === exit)
			at.push(i);
	}
	return { process: Int32Array.from(at, i => process[i]), site: Int32Array.from(at, i => site[i]), bytes: Float64Array.from(at, i => bytes[i]) };
}

// A generator, as it takes a while: it may be left at each column.
function* readKind(columns, prefix, texts, steps) {
	const kind = { prefix, tree: readTree(columns, prefix, texts), site: {}, record: {}, merged: columns.number(prefix + ".merged") };

	for (const name of ["node", "phase", "query", "allocator"]) {
		yield;
		kind.site[name] = columns.numbers(prefix + ".site." + name);
	}
	yield;
	kind.record.starts = findStarts(columns.numbers(prefix + ".record.step"), steps);
	for (const name of ["process", "site", "first", "second", "third"]) {
		yield;
		kind.record[name] = columns.numbers(prefix + ".record." + name);
	}
	if (prefix === "cpu")
		return kind;
	yield;
	kind.held = readHeld(columns, prefix + ".held");
	kind.own = readHeld(columns, prefix + ".own");
	yield;
	kind.life = readLife(columns, prefix + ".life", texts);
	kind.exit = heldAtExit(kind.life);
	yield;
	kind.high = { bytes: columns.numbers(prefix + ".high.bytes") };
	[kind.peak_bytes, kind.peak_ns] = columns.numbers(prefix + ".peak");
	kind.crates = Array.from(columns.numbers(prefix + ".crate.name"), number => texts[number]);
	kind.series = {
		crate: columns.numbers(prefix + ".series.crate"),
		step: columns.numbers(prefix + ".series.step"),
		most: columns.numbers(prefix + ".series.most"),
	};
	return kind;
}

// A member that is read when it is first asked for: most of the data is of kinds, and the overview needs none of it. `steps` is a
// generator that returns it.
function readWhenAsked(object, name, steps) {
	const going = steps();

	function get() {
		while (!get.advance());
		return object[name];
	}
	get.advance = () => {
		const { done, value } = going.next();

		if (done)
			Object.defineProperty(object, name, { value, enumerable: true });
		return done;
	};
	Object.defineProperty(object, name, { enumerable: true, configurable: true, get });
}

// Read such a member before it is asked for, a step at a time.
function* readAheadOf(object, name) {
	for (let get; (get = Object.getOwnPropertyDescriptor(object, name).get);) {
		get.advance();
		yield;
	}
}

// What was made last under a name, if it was made of the same.
function lastOf(object, name, of, make) {
	const last = object.last || (object.last = new Map());

	if (!last.has(name) || last.get(name).of !== of)
		last.set(name, { of, made: make() });
	return last.get(name).made;
}

function readModel(columns) {
	const texts = columns.texts();
	const model = {
		texts,
		step_ns: columns.number("fact.step_ns"),
		steps: columns.number("fact.steps"),
		end_ns: columns.number("fact.end_ns"),
		cpus: columns.number("fact.cpus"),
		processes: readProcesses(columns, texts),
		kinds: {},
		refusals: {},
	};

	for (const prefix of KINDS) {
		if (columns.has(prefix + ".refusal"))
			model.refusals[prefix] = texts[columns.number(prefix + ".refusal")];
		else if (columns.has(prefix + ".node.up"))
			readWhenAsked(model.kinds, prefix, () => readKind(columns, prefix, texts, model.steps));
	}
	return model;
}

// Why there is nothing of a kind.
function whyNot(model, prefix) {
	return model.refusals[prefix] || "it was not recorded";
}

function wholeRange(model) {
	return { from: 1, to: model.steps };
}

function isWhole(model, range) {
	return range.from <= 1 && range.to >= model.steps;
}

// The moment at which a step begins; of the one after the last: the end of the recording.
function stepStart(model, step) {
	return step >= model.steps ? model.end_ns : Math.max(0, (step - 1) * model.step_ns);
}

function stepAt(model, ns) {
	return Math.min(model.steps - 1, Math.max(1, Math.floor(ns / model.step_ns) + 1));
}

// A moment in the seconds of a field: in whole milliseconds, unless steps are shorter.
function secondsOf(model, ns) {
	const digits = model.step_ns < 1e6 ? 6 : 3;

	return Number((ns / 1e9).toFixed(digits));
}

// The range with another beginning, or end, in seconds; whole nanoseconds are meant: 0.067 * 1e9 is more than 67000000.
function beginAt(model, range, seconds) {
	const from = stepAt(model, Math.round(seconds * 1e9));

	return { from, to: Math.max(range.to, from + 1) };
}

function endAt(model, range, seconds) {
	const to = Math.min(model.steps, Math.max(2, Math.ceil(Math.round(seconds * 1e9) / model.step_ns) + 1));

	return { from: Math.min(range.from, to - 1), to };
}

// The range as --time takes it; nothing follows the last step.
function timeOption(model, range) {
	const at = step => ((step - 1) * model.step_ns / 1e9).toFixed(6).replace(/\.?0+$/, "");

	return at(range.from) + ".." + (range.to >= model.steps ? "" : at(range.to));
}

// Which processes pass: a byte for each, the last one for records of no known process.
function passAll(model) {
	return new Uint8Array(model.processes.nr + 1).fill(1);
}

// Metrics: what a stack has. Of records their columns `plus` less `minus`, in the range or from the beginning to its end;
// else what a list has.
const METRICS = {
	cpu: { title: "CPU time", unit: "ns", plus: "second" },
	size: { title: "Committed in the range", unit: "bytes", plus: "first" },
	impacting: { title: "Grown in the range", unit: "bytes", plus: "first", minus: "third" },
	outstanding: { title: "Held at the end of the range", unit: "bytes", plus: "first", minus: "third", before: true },
	"at-peak": { title: "Held at the peak of the whole build", unit: "bytes", held: "held" },
	"own-peak": { title: "Held at the own peak of each crate", unit: "bytes", held: "own",
		      note: "Each crate is shown at its own moment, whatever the range. Own peaks do not add up: the sum was never held at once, " +
			    "and is more than the peak of the build." },
	"at-exit": { title: "Held when its process ended", unit: "bytes", held: "exit",
		     note: "Of the whole recording, whatever the range." },
};

// What a metric counts: the elements from <= i < to of columns of processes, sites, and values to add and to subtract.
function countedBy(kind, metric, range) {
	const { held, before, plus, minus } = METRICS[metric], { record } = kind;

	if (held)
		return { ...kind[held], plus: kind[held].bytes, minus: null, from: 0, to: kind[held].bytes.length };
	return { process: record.process, site: record.site, plus: record[plus], minus: minus ? record[minus] : null,
		 from: before ? 0 : record.starts[range.from], to: record.starts[range.to] };
}

// Add what is counted to sums[of[number]], by the numbers of processes or of sites; without `of` to sums[number].
function addUp(counted, passes, numbers, of, sums) {
	const { process, plus, minus, from, to } = counted;

	for (let i = from; i < to; i++) {
		if (passes[process[i]])
			sums[of ? of[numbers[i]] : numbers[i]] += minus ? plus[i] - minus[i] : plus[i];
	}
}

// The sum of each site.
function siteSums(kind, metric, range, passes) {
	const sums = new Float64Array(kind.site.node.length), counted = countedBy(kind, metric, range);

	addUp(counted, passes, counted.site, null, sums);
	return sums;
}

// The sum of each process, with one more for records of no known process.
function processSums(model, kind, metric, range, passes) {
	const sums = new Float64Array(model.processes.nr + 1), counted = countedBy(kind, metric, range);

	addUp(counted, passes, counted.process, null, sums);
	return sums;
}

function total(sums) {
	let sum = 0;

	for (let i = 0; i < sums.length; i++)
		sum += sums[i];
	return sum;
}

// The node that a site is counted for: the innermost one, of memory outside the allocator; 0 if there is none.
function askingNode(kind, site) {
	let node = kind.site.node[site];

	for (let i = kind.site.allocator[site]; i > 0; i--)
		node = kind.tree.parent[node];
	return node;
}

// Its function; "" if there is none.
function askerOf(kind, site) {
	const { name, names } = kind.tree, node = askingNode(kind, site);

	return node ? names[name[node]] : "";
}

// The keys of a table, numbered: `names` has the key of each number, and `of` its number for each process or site. Keys are
// texts, which may be empty; of processes and stacks numbers. Found once for each kind and key.
function keysBy(model, kind, by) {
	if (!kind.keys)
		kind.keys = new Map();
	if (!kind.keys.has(by))
		kind.keys.set(by, makeKeys(model, kind, by));
	return kind.keys.get(by);
}

// Keys of what is numbered up to `nr`: keyOf(number) is its key.
function numberKeys(nr, keyOf) {
	const numbers = new Map(), names = [], of = new Int32Array(nr);

	for (let i = 0; i < nr; i++) {
		const key = keyOf(i);
		let number = numbers.get(key);

		if (number === undefined) {
			numbers.set(key, number = names.length);
			names.push(key);
		}
		of[i] = number;
	}
	return { names, of };
}

function makeKeys(model, kind, by) {
	const { processes, texts } = model, sites = kind.site.node.length;

	if (by === "phase" || by === "query") {
		const keys = numberKeys(sites, site => kind.site[by][site]);

		return { site: true, of: keys.of, names: keys.names.map(number => texts[number]) };
	}
	if (by === "function")
		return { site: true, ...numberKeys(sites, site => askerOf(kind, site)) };
	if (by === "stack")
		return { site: true, ...numberKeys(sites, site => kind.site.node[site]) };
	return { site: false, ...numberKeys(processes.nr + 1, by === "process" ? process => process
		: process => (process < processes.nr ? processes[by][process] : "")) };
}

// The sum of each key.
function keySums(kind, keys, counted, passes) {
	const sums = new Float64Array(keys.names.length);

	addUp(counted, passes, keys.site ? counted.site : counted.process, keys.of, sums);
	return sums;
}

// A table: the sums of each column by number, the keys of the numbers, and as rows the numbers with a sum that is not 0.
function makeSums(keys, sums) {
	const columns = Object.values(sums), rows = new Int32Array(keys.length);
	let nr = 0;

	for (let number = 0; number < keys.length; number++) {
		if (columns.some(column => column[number]))
			rows[nr++] = number;
	}
	return { keys, sums, rows: rows.slice(0, nr) };
}

// A table by a key, of all values of the range. CPU time has samples and self_ns; memory size_bytes, count, freed_bytes,
// impacting_bytes, outstanding_bytes and at_peak_bytes.
function sumsBy(model, kind, by, range, passes) {
	const keys = keysBy(model, kind, by), cpu = kind.prefix === "cpu";
	const inRange = countedBy(kind, cpu ? "cpu" : "size", range);
	const column = name => keySums(kind, keys, { ...inRange, plus: kind.record[name] }, passes);

	if (cpu)
		return makeSums(keys.names, { samples: column("first"), self_ns: column("second") });
	const table = makeSums(keys.names, {
		size_bytes: column("first"), count: column("second"), freed_bytes: column("third"),
		outstanding_bytes: keySums(kind, keys, countedBy(kind, "outstanding", range), passes),
		at_peak_bytes: keySums(kind, keys, countedBy(kind, "at-peak", range), passes),
	});
	const { size_bytes, freed_bytes } = table.sums;

	table.sums.impacting_bytes = size_bytes.map((bytes, number) => bytes - freed_bytes[number]);
	return table;
}

// How long memory was held, as `memory --by lifetime` says it, and until the process or the recording ended.
const LIFETIMES = ["<1ms", "<10ms", "<100ms", "<1s", "<10s", "<1min", ">=1min", "[exit]", "[held]"];
const LIFETIME_HELP = {
	">=1min": "committed in the whole recording and freed after a minute or more",
	"[exit]": "held when its process ended or ran another program",
	"[held]": "held when the recording ended",
};

// A table by a key, of the bytes of each lifetime over the whole recording, and of all.
function lifetimesBy(model, kind, by, passes) {
	const { names, of, site: bySite } = keysBy(model, kind, by);
	const { lifetime, process, site, bytes } = kind.life;
	const sums = LIFETIMES.map(() => new Float64Array(names.length)), all = new Float64Array(names.length);

	for (let i = 0; i < bytes.length; i++) {
		if (!passes[process[i]])
			continue;
		const number = of[bySite ? site[i] : process[i]];

		sums[lifetime[i]][number] += bytes[i];
		all[number] += bytes[i];
	}
	return makeSums(names, { ...Object.fromEntries(LIFETIMES.map((name, place) => [name, sums[place]])), all });
}

// The own peak of each crate in a range: the highest of its steps, or what it held at the start.
function cratePeaks(model, kind, range) {
	const keys = keysBy(model, kind, "crate");
	const held = keySums(kind, keys, countedBy(kind, "outstanding", { from: 0, to: range.from }), passAll(model));
	const { crate, step, most } = kind.series, peaks = new Map();

	keys.names.forEach((name, number) => {
		if (held[number])
			peaks.set(name, held[number]);
	});

	for (let i = 0; i < step.length; i++) {
		const name = kind.crates[crate[i]];

		if (step[i] >= range.from && step[i] < range.to && most[i] > (peaks.get(name) || 0))
			peaks.set(name, most[i]);
	}
	return peaks;
}

// The highest of the whole build in each step: what was held at its start, or after one of its events.
function highs(kind, steps) {
	return lastOf(kind, "highs", steps, () => makeHighs(kind, steps));
}

function makeHighs(kind, steps) {
	const { first, third, starts } = kind.record;
	const result = new Float64Array(steps);
	let held = 0;

	for (let step = 0; step < steps; step++) {
		result[step] = Math.max(held, kind.high.bytes[step]);
		for (let i = starts[step]; i < starts[step + 1]; i++)
			held += first[i] - third[i];
	}
	return result;
}

// The CPU time of each step.
function cpuOfSteps(kind, steps, passes) {
	const result = new Float64Array(steps);
	const { process, second, starts } = kind.record;

	for (let step = 0; step < steps; step++) {
		for (let i = starts[step]; i < starts[step + 1]; i++) {
			if (passes[process[i]])
				result[step] += second[i];
		}
	}
	return result;
}

// The time that a sample stands for on average; 0: there is none.
function sampleTime(kind) {
	return total(kind.record.second) / (total(kind.record.first) || 1);
}

// What the processes of each group held at the end of each step: `groups` is by process, -1 for none of them.
function heldOfGroups(kind, steps, groups, groups_nr) {
	const result = Array.from({ length: groups_nr }, () => new Float64Array(steps));
	const { process, first, third, starts } = kind.record;

	for (let step = 0; step < steps; step++) {
		for (let i = starts[step]; i < starts[step + 1]; i++) {
			const group = groups[process[i]];

			if (group >= 0)
				result[group][step] += first[i] - third[i];
		}
	}
	for (const values of result) {
		for (let i = 1; i < steps; i++)
			values[i] += values[i - 1];
	}
	return result;
}
