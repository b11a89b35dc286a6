// A made-up build: two processes of crates a and b, three steps of 10 ns after step 0, two stacks.
"use strict";

const test = require("node:test"), assert = require("node:assert");
const { load, plain, rowsOf } = require("./load.js");
const page = load();
const texts = ["", "a", "b", "parse", "codegen", "typeck", "main", "leaf", "[other]"];

function records(rows) {
	const column = i => rows.map(row => row[i]);

	return { step: column(0), process: column(1), site: column(2), first: column(3), second: column(4), third: column(5),
		 starts: page.findStarts(column(0), 4) };
}

function makeModel() {
	// [other] is not used; main calls leaf.
	const tree = { nr: 3, parent: [0, 0, 1], name: [0, 1, 2], names: ["[other]", "main", "leaf"] };
	const site = { node: [1, 2], phase: [3, 4], query: [5, 5], allocator: [0, 1] };
	const cpu = { prefix: "cpu", tree, site: { ...site, allocator: [0, 0] }, merged: 0,
		      record: records([[1, 0, 0, 1, 10, 0], [1, 1, 1, 2, 20, 0], [2, 0, 1, 3, 30, 0], [3, 1, 1, 4, 40, 0]]) };
	const commit = {
		prefix: "commit", tree, site, merged: 0,
		record: records([[0, 0, 0, 5, 1, 0], [1, 0, 1, 100, 2, 0], [2, 0, 1, 0, 0, 60], [2, 1, 0, 70, 1, 0], [3, 1, 0, 0, 0, 70]]),
		held: { process: [0, 1], site: [1, 0], bytes: [40, 70] },
		own: { process: [0, 0, 1], site: [0, 1, 0], bytes: [5, 100, 70] },
		life: { lifetime: [0, 0, 7, 8], process: [0, 1, 0, 0], site: [1, 0, 1, 0], bytes: [60, 70, 40, 5] },
		high: { bytes: [5, 105, 115, 45], time: [-1, 3, 12, 25] }, peak_bytes: 115, peak_ns: 12,
		crates: ["a", "b"], series: { crate: [0, 0, 0, 1, 1], step: [0, 1, 2, 2, 3], most: [5, 105, 45, 70, 0] },
	};
	commit.exit = page.heldAtExit(commit.life);
	const processes = { nr: 2, crate: ["a", "b"], role: ["rustc", "link"], part: ["", ""], start_ns: [0, 8], end_ns: [25, -1] };

	return { texts, step_ns: 10, steps: 4, end_ns: 30, cpus: 2, processes, kinds: { cpu, commit }, refusals: {} };
}

const graphOf = (kind, sums, inverted) => page.makeGraph(kind, [page.wholeGroup(kind, sums, inverted)]);
const model = makeModel(), all = page.passAll(model), { cpu, commit } = model.kinds;

test("ranges: steps and moments", () => {
	assert.equal(page.stepStart(model, 1), 0);
	assert.equal(page.stepStart(model, 3), 20);
	assert.equal(page.stepStart(model, 4), 30);
	assert.equal(page.stepAt(model, 0), 1);
	assert.equal(page.stepAt(model, 10), 2);
	assert.equal(page.stepAt(model, 1e9), 3);
	assert.equal(page.timeOption({ ...model, step_ns: 5e8 }, { from: 1, to: 3 }), "0..1");
	assert.equal(page.timeOption({ ...model, step_ns: 5e8 }, { from: 2, to: 4 }), "0.5..");
});

test("CPU time of a range", () => {
	assert.deepEqual(plain(rowsOf(page.sumsBy(model, cpu, "crate", { from: 1, to: 3 }, all))),
			 [{ key: "a", samples: 4, self_ns: 40 }, { key: "b", samples: 2, self_ns: 20 }]);
	assert.deepEqual(plain(rowsOf(page.sumsBy(model, cpu, "phase", { from: 2, to: 4 }, all))),
			 [{ key: "codegen", samples: 7, self_ns: 70 }]);
	assert.deepEqual(plain(page.cpuOfSteps(cpu, 4, all)), [0, 30, 30, 40]);
	assert.equal(page.sampleTime(cpu), 10);
});

test("memory of a range: what is before it counts as held", () => {
	const rows = plain(rowsOf(page.sumsBy(model, commit, "crate", { from: 2, to: 3 }, all)));

	assert.deepEqual(rows.find(row => row.key === "a"),
			 { key: "a", size_bytes: 0, count: 0, freed_bytes: 60, impacting_bytes: -60, outstanding_bytes: 45,
			   at_peak_bytes: 40 });
	assert.deepEqual(rows.find(row => row.key === "b"),
			 { key: "b", size_bytes: 70, count: 1, freed_bytes: 0, impacting_bytes: 70, outstanding_bytes: 70,
			   at_peak_bytes: 70 });
});

test("lifetimes by any key, and what was held when its process ended", () => {
	const lives = (by, passes) => rowsOf(page.lifetimesBy(model, commit, by, passes)).map(row =>
		Object.fromEntries(Object.entries(row).filter(([, value]) => value)));

	assert.deepEqual(lives("crate", all), [{ key: "a", all: 105, "<1ms": 60, "[exit]": 40, "[held]": 5 }, { key: "b", all: 70, "<1ms": 70 }]);
	assert.deepEqual(lives("phase", [1, 0, 1]), [{ key: "parse", all: 5, "[held]": 5 }, { key: "codegen", all: 100, "<1ms": 60, "[exit]": 40 }]);
	assert.deepEqual(plain(page.siteSums(commit, "at-exit", page.wholeRange(model), all)), [0, 40]);
	assert.deepEqual(plain(page.siteSums(commit, "own-peak", page.wholeRange(model), all)), [75, 100]);
});

test("memory is counted for the function outside the allocator", () => {
	assert.equal(page.askerOf(commit, 0), "main");
	assert.equal(page.askerOf(commit, 1), "main");
	assert.deepEqual(rowsOf(page.lifetimesBy(model, commit, "function", all)).map(row => [row.key, row.all]), [["main", 175]]);
	assert.deepEqual(plain(rowsOf(page.functionSums(commit, [5, 100]))),
			 [{ key: "main", self: 105, total: 105 }, { key: "leaf", self: 0, total: 100 }]);
	assert.deepEqual(plain(rowsOf(page.sumsBy(model, commit, "stack", page.wholeRange(model), all))).map(row => [row.key, row.size_bytes]),
			 [[1, 70], [2, 100]]);
});

test("own peaks of a range: held at its start, or after an event", () => {
	assert.deepEqual(plain(page.cratePeaks(model, commit, { from: 2, to: 4 })), [["a", 105], ["b", 70]]);
	assert.deepEqual(plain(page.cratePeaks(model, commit, { from: 3, to: 4 })), [["a", 45], ["b", 70]]);
});

test("the highest of each step", () => {
	assert.deepEqual(plain(page.highs(commit, 4)), [5, 105, 115, 115]);
	assert.deepEqual(plain(page.heldOfGroups(commit, 4, [0, 1, -1], 2)), [[5, 105, 45, 45], [0, 0, 70, 0]]);
});

test("filters take processes out", () => {
	const passes = page.passesOf(model, { crate: "b" });

	assert.deepEqual(plain(passes), [0, 1, 0]);
	assert.equal(page.total(page.siteSums(cpu, "cpu", page.wholeRange(model), passes)), 60);
	assert.deepEqual(plain(page.processSums(model, commit, "at-peak", page.wholeRange(model), passes)), [0, 70, 0]);
});

test("a graph: callers below their callees, and inverted", () => {
	const sums = page.siteSums(cpu, "cpu", page.wholeRange(model), all);
	const graph = graphOf(cpu, sums, false);
	const boxes = page.layOut(graph, [], 1000, 1);

	assert.deepEqual(boxes.map(box => [box.node.name, box.depth, box.x, box.width, box.node.value]),
			 [["all", 0, 0, 1000, 100], ["main", 1, 0, 1000, 100], ["leaf", 2, 0, 900, 90]]);
	assert.equal(boxes[1].node.self, 10);
	const inverted = graphOf(cpu, sums, true);

	assert.deepEqual(page.layOut(inverted, ["leaf"], 1000, 1).map(box => [box.node.name, box.width, box.above]),
			 [["all", 1000, true], ["leaf", 1000, false], ["main", 1000, false]]);
	assert.deepEqual(plain(page.pathOf(page.layOut(inverted, ["leaf"], 1000, 1)[2])), ["leaf", "main"]);
});

test("a graph by crate and by phase", () => {
	const range = page.wholeRange(model);
	const crates = page.makeGraph(cpu, page.groupsBy(model, cpu, "crate", "cpu", range, all));
	const phases = page.makeGraph(cpu, page.groupsBy(model, cpu, "phase", "cpu", range, all));
	const first = graph => page.childrenOf(graph, graph.root).map(node => [node.name, node.value]);

	assert.deepEqual(plain(first(crates)), [["b", 60], ["a", 40]]);
	assert.deepEqual(plain(first(phases)), [["codegen", 90], ["parse", 10]]);
});

test("what is below nothing is not in the graph, but said", () => {
	const sums = page.siteSums(commit, "impacting", { from: 2, to: 3 }, all);

	assert.deepEqual(plain(sums), [70, -60]);
	assert.equal(graphOf(commit, sums, false).lost, 60);
});

// A node's value is the sum of the stacks that begin with its path, whatever the tree.
test("graphs of random trees are what their stacks say", () => {
	let random = 7;
	const below = most => Math.floor((random = (random * 1103515245 + 12345) % 2147483648) / 2147483648 * most);

	for (let round = 0; round < 20; round++) {
		const nodes = 2 + below(60), tree = { nr: nodes, parent: [0], name: [0], names: ["a", "b", "c", "d"] };

		// Of the nodes below one no two have a name.
		for (let i = 1, taken = new Set(); i < nodes;) {
			const parent = below(i), name = below(4), key = parent * 4 + name;

			if (taken.has(key))
				continue;
			taken.add(key);
			tree.parent.push(parent);
			tree.name.push(name);
			i++;
		}
		const sites = Array.from({ length: 40 }, () => below(nodes));
		const kind = { tree, site: { node: sites } }, values = sites.map(() => below(5) - 1);
		const pathOfSite = site => {
			const path = [];

			for (let at = sites[site]; at; at = tree.parent[at])
				path.unshift(tree.names[tree.name[at]]);
			return path;
		};

		// Stacks with equal frames are one.
		const stacks = new Map();

		sites.forEach((node, site) => {
			const text = pathOfSite(site).join();

			stacks.set(text, (stacks.get(text) || 0) + values[site]);
		});
		for (const inverted of [false, true]) {
			const graph = graphOf(kind, values, inverted);

			for (const box of page.layOut(graph, [], 1e6, 0.01)) {
				const path = plain(page.pathOf(box));
				const sum = exact => [...stacks].reduce((total, [text, value]) => {
					const own = text === "" ? [] : inverted ? text.split(",").reverse() : text.split(",");
					const begins = path.every((name, i) => own[i] === name) && (!exact || own.length === path.length);

					return total + (begins && value > 0 ? value : 0);
				}, 0);

				assert.equal(box.node.value, sum(false), path.join());
				assert.equal(box.node.self, sum(true), path.join());
			}
		}
	}
});

// The stacks of a crate are a small part of all: its graph is that of all stacks of which the others have nothing.
test("a graph of few of many nodes", () => {
	const wide = 200, tree = { nr: 1 + 2 * wide, parent: [0], name: [0], names: ["a", "b", "c", "d", "e"] };

	for (let i = 1; i < tree.nr; i++) {
		tree.parent.push(i % 2 ? Math.max(0, i - 20) : i - 1);
		tree.name.push(i % 5);
	}
	const sites = [390, 17, 250, 251, 64, 399, 120, 300, 17], node = Array.from({ length: tree.nr }, (_, i) => i);
	const rows = sites.map((site, i) => [1, i % 3 ? 0 : 1, site, 1, i - 1, 0]);
	const kind = { prefix: "cpu", tree, site: { node }, record: records(rows) };

	for (const inverted of [false, true]) {
		const groups = page.groupsBy(model, kind, "crate", "cpu", { from: 1, to: 4 }, all, inverted);

		assert.deepEqual(groups.map(({ name }) => name), ["a", "b", "(no crate)"]);
		for (const [process, group] of groups.slice(0, 2).entries()) {
			const sums = new Float64Array(tree.nr);

			rows.filter(row => row[1] === process).forEach(row => {
				sums[row[2]] += row[4];
			});
			const lists = [group, page.wholeGroup(kind, sums, inverted)].map(page.makeList).map(({ nodes, same, sums: before, nr }) =>
				[[...nodes].slice(0, nr), [...same].slice(0, nr), [...before].slice(0, nr + 1)]);

			assert.deepEqual(plain(lists[0]), plain(lists[1]));
			assert.ok(lists[0][0].length > 1);
		}
		assert.equal(page.total(groups[2].values), 0);
	}
});

test("functions, callers and callees", () => {
	const sums = [10, 90];

	assert.deepEqual(plain(rowsOf(page.functionSums(cpu, sums))), [{ key: "main", self: 10, total: 100 }, { key: "leaf", self: 90, total: 90 }]);
	assert.deepEqual(plain(page.callersAndCallees(cpu, sums, "main")),
			 { whole: 100, callers: [{ key: "[root]", value: 100 }], callees: [{ key: "leaf", value: 90 }, { key: "[self]", value: 10 }] });
	assert.equal(page.callersAndCallees(cpu, sums, "nobody").whole, 0);
	assert.equal(page.matchedValue(graphOf(cpu, sums, false), name => name === "leaf"), 90);
});

test("lanes: who ran at the same time", () => {
	const { lanes, nr } = page.findLanes({ start_ns: [0, 8, 25, 26], end_ns: [25, -1, 30, 28] }, [0, 1, 2, 3], 30);

	assert.equal(nr, 3);
	assert.deepEqual(plain(lanes), [[0, 0], [1, 1], [2, 0], [3, 2]]);
	assert.deepEqual(plain(page.phasesOfProcesses(model)), ["codegen", "codegen"]);
	assert.deepEqual(plain(page.groupCrates(model, commit, page.wholeRange(model), 1)), { names: ["a"], groups: [0, 1, 1] });
});
