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
		processes[name] = columns.values("process." + name);
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

// What processes held at sites over the whole recording; `classes` are lifetimes, where there are any.
function readHeld(columns, prefix, texts) {
	return {
		classes: Array.from(columns.numbers(prefix + ".class"), number => texts[number]),
		process: columns.numbers(prefix + ".process"),
		site: columns.numbers(prefix + ".site"),
		bytes: columns.values(prefix + ".bytes"),
	};
}

// Of lifetimes what was held when its process ended.
function heldAtExit(life) {
	const at = [...life.bytes.keys()].filter(i => life.classes[i] === "[exit]");

	return { process: at.map(i => life.process[i]), site: at.map(i => life.site[i]), bytes: at.map(i => life.bytes[i]) };
}

function readKind(columns, prefix, texts, steps) {
	const tree = readTree(columns, prefix, texts);
	const site = {
		node: columns.numbers(prefix + ".site.node"),
		phase: columns.numbers(prefix + ".site.phase"),
		query: columns.numbers(prefix + ".site.query"),
		allocator: columns.numbers(prefix + ".site.allocator"),
	};
	const record = {
		step: columns.numbers(prefix + ".record.step"),
		process: columns.numbers(prefix + ".record.process"),
		site: columns.numbers(prefix + ".record.site"),
		first: columns.values(prefix + ".record.first"),
		second: columns.values(prefix + ".record.second"),
		third: columns.values(prefix + ".record.third"),
	};
	const kind = { prefix, tree, site, record, merged: columns.number(prefix + ".merged") };

	record.starts = findStarts(record.step, steps);
	if (prefix === "cpu")
		return kind;
	kind.held = readHeld(columns, prefix + ".held", texts);
	kind.own = readHeld(columns, prefix + ".own", texts);
	kind.life = readHeld(columns, prefix + ".life", texts);
	kind.exit = heldAtExit(kind.life);
	kind.high = { bytes: columns.values(prefix + ".high.bytes"), time: columns.values(prefix + ".high.time") };
	[kind.peak_bytes, kind.peak_ns] = columns.values(prefix + ".peak");
	kind.crates = Array.from(columns.numbers(prefix + ".crate.name"), number => texts[number]);
	kind.series = {
		crate: columns.numbers(prefix + ".series.crate"),
		step: columns.numbers(prefix + ".series.step"),
		most: columns.values(prefix + ".series.most"),
	};
	return kind;
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
			model.kinds[prefix] = readKind(columns, prefix, texts, model.steps);
	}
	return model;
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

// The range as --time takes it; nothing follows the last step.
function timeOption(model, range) {
	const at = step => ((step - 1) * model.step_ns / 1e9).toFixed(6).replace(/\.?0+$/, "");

	return at(range.from) + ".." + (range.to >= model.steps ? "" : at(range.to));
}

// Which processes pass: a byte for each, the last one for records of no known process.
function passAll(model) {
	return new Uint8Array(model.processes.nr + 1).fill(1);
}

// What `add(process, site, a, b, c)` gets: each record of the range whose process passes.
function eachRecord(kind, range, passes, add) {
	const { process, site, first, second, third, starts } = kind.record;

	for (let i = starts[range.from]; i < starts[range.to]; i++) {
		if (passes[process[i]])
			add(process[i], site[i], first[i], second[i], third[i]);
	}
}

// Metrics: what a stack has. Each is the range whose records count, and the value of a record.
const METRICS = {
	cpu: { title: "CPU time", unit: "ns", value: (samples, ns) => ns },
	size: { title: "Committed in the range", unit: "bytes", value: size => size },
	impacting: { title: "Grown in the range", unit: "bytes", value: (size, count, freed) => size - freed },
	outstanding: { title: "Held at the end of the range", unit: "bytes", before: true,
		       value: (size, count, freed) => size - freed },
	"at-peak": { title: "Held at the peak of the whole build", unit: "bytes", held: "held" },
	"own-peak": { title: "Held at the own peak of each crate", unit: "bytes", held: "own",
		      note: "Each crate is shown at its own moment, whatever the range: the sum of several was never held at once." },
	"at-exit": { title: "Held when its process ended", unit: "bytes", held: "exit",
		     note: "Of the whole recording, whatever the range." },
};

// Call `add(process, site, value)` for all that a metric counts.
function eachValue(kind, metric, range, passes, add) {
	const { held, before, value } = METRICS[metric];

	if (held) {
		const { process, site, bytes } = kind[held];

		for (let i = 0; i < bytes.length; i++) {
			if (passes[process[i]])
				add(process[i], site[i], bytes[i]);
		}
		return;
	}
	eachRecord(kind, before ? { from: 0, to: range.to } : range, passes,
		   (process, site, a, b, c) => add(process, site, value(a, b, c)));
}

// The sum of each site.
function siteSums(kind, metric, range, passes) {
	const sums = new Float64Array(kind.site.node.length);

	eachValue(kind, metric, range, passes, (process, site, value) => {
		sums[site] += value;
	});
	return sums;
}

// The sum of each process, with one more for records of no known process.
function processSums(model, kind, metric, range, passes) {
	const sums = new Float64Array(model.processes.nr + 1);

	eachValue(kind, metric, range, passes, (process, site, value) => {
		sums[process] += value;
	});
	return sums;
}

function total(sums) {
	let sum = 0;

	for (let i = 0; i < sums.length; i++)
		sum += sums[i];
	return sum;
}

// The function that a site is counted for: the innermost one, of memory outside the allocator; "" if there is none.
function askerOf(kind, site) {
	const { parent, name, names } = kind.tree;
	let node = kind.site.node[site];

	for (let i = kind.site.allocator[site] || 0; i > 0; i--)
		node = parent[node];
	return node ? names[name[node]] : "";
}

// The key of each process or site: a text, which may be empty; of processes and stacks a number.
function keysBy(model, kind, by) {
	if (by === "phase" || by === "query")
		return { of: (process, site) => model.texts[kind.site[by][site]] };
	if (by === "process")
		return { of: process => process };
	if (by === "stack")
		return { of: (process, site) => kind.site.node[site] };
	if (by === "function")
		return { of: (process, site) => askerOf(kind, site) };
	return { of: process => process < model.processes.nr ? model.processes[by][process] : "" };
}

// Rows of a table by a key: all values of the range. CPU time has samples and self_ns; memory size_bytes, count,
// freed_bytes, impacting_bytes, outstanding_bytes and at_peak_bytes.
function rowsBy(model, kind, by, range, passes) {
	const rows = new Map();
	const keys = keysBy(model, kind, by);
	const cpu = kind.prefix === "cpu";

	function row(process, site) {
		const key = keys.of(process, site);
		let found = rows.get(key);

		if (!found) {
			found = cpu ? { key, samples: 0, self_ns: 0 }
				    : { key, size_bytes: 0, count: 0, freed_bytes: 0, impacting_bytes: 0,
					outstanding_bytes: 0, at_peak_bytes: 0 };
			rows.set(key, found);
		}
		return found;
	}
	eachRecord(kind, range, passes, (process, site, a, b, c) => {
		const found = row(process, site);

		if (cpu) {
			found.samples += a;
			found.self_ns += b;
			return;
		}
		found.size_bytes += a;
		found.count += b;
		found.freed_bytes += c;
		found.impacting_bytes += a - c;
	});
	if (cpu)
		return [...rows.values()];
	eachValue(kind, "outstanding", range, passes, (process, site, value) => {
		row(process, site).outstanding_bytes += value;
	});
	eachValue(kind, "at-peak", range, passes, (process, site, value) => {
		row(process, site).at_peak_bytes += value;
	});
	return [...rows.values()];
}

// How long memory was held, as `memory --by lifetime` says it, and until the process or the recording ended.
const LIFETIMES = ["<1ms", "<10ms", "<100ms", "<1s", "<10s", "<1min", ">=1min", "[exit]", "[held]"];
const LIFETIME_HELP = {
	">=1min": "committed in the whole recording and freed after a minute or more",
	"[exit]": "held when its process ended or ran another program",
	"[held]": "held when the recording ended",
};

// A row for each key, with the bytes of each lifetime over the whole recording.
function lifetimeRows(model, kind, by, passes) {
	const rows = new Map();
	const keys = keysBy(model, kind, by);
	const { classes, process, site, bytes } = kind.life;

	for (let i = 0; i < bytes.length; i++) {
		if (!passes[process[i]])
			continue;
		const key = keys.of(process[i], site[i]);
		let row = rows.get(key);

		if (!row)
			rows.set(key, row = { key, all: 0 });
		row[classes[i]] = (row[classes[i]] || 0) + bytes[i];
		row.all += bytes[i];
	}
	return [...rows.values()];
}

// The own peak of each crate in a range: the highest of its steps, or what it held at the start.
function cratePeaks(model, kind, range) {
	const peaks = new Map();
	const held = rowsBy(model, kind, "crate", { from: 0, to: range.from }, passAll(model));
	const { crate, step, most } = kind.series;

	for (const row of held)
		peaks.set(row.key, row.outstanding_bytes);
	for (let i = 0; i < step.length; i++) {
		const name = kind.crates[crate[i]];

		if (step[i] >= range.from && step[i] < range.to && most[i] > (peaks.get(name) || 0))
			peaks.set(name, most[i]);
	}
	return peaks;
}

// The highest of the whole build in each step: what was held at its start, or after one of its events.
function highs(kind, steps) {
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
	const { step, process, second } = kind.record;

	for (let i = 0; i < step.length; i++) {
		if (passes[process[i]])
			result[step[i]] += second[i];
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
	const { step, process, first, third } = kind.record;

	for (let i = 0; i < step.length; i++) {
		const group = groups[process[i]];

		if (group >= 0)
			result[group][step[i]] += first[i] - third[i];
	}
	for (const values of result) {
		for (let i = 1; i < steps; i++)
			values[i] += values[i - 1];
	}
	return result;
}
