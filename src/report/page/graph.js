// Flame graphs: trees of frames, made from stacks with values as far as they are wide enough to be seen.
//
// A graph is {entries, root}. An entry is a site of a kind with a value, and a frame before those of its stack or null. A node
// is {name, value, self, depth, entries}: the entries whose stacks begin with its path. Its children are found when they are
// asked for.
"use strict";

// The frames of all sites, the root's first: those of site i are frames[starts[i]] to frames[starts[i + 1] - 1].
function siteFrames(kind) {
	if (kind.frames)
		return kind.frames;
	const { parent, name, nr } = kind.tree;
	const { node } = kind.site;
	const depth = new Int32Array(nr), starts = new Int32Array(node.length + 1);

	for (let i = 1; i < nr; i++)
		depth[i] = depth[parent[i]] + 1;
	for (let i = 0; i < node.length; i++)
		starts[i + 1] = starts[i] + depth[node[i]];
	const frames = new Int32Array(starts[node.length]);

	for (let i = 0; i < node.length; i++) {
		for (let at = node[i], k = starts[i + 1]; at; at = parent[at])
			frames[--k] = name[at];
	}
	kind.frames = { starts, frames };
	return kind.frames;
}

// Entries of the sites with a value above 0; `lost` is the sum of those below 0, as a positive number.
function siteEntries(sums, first) {
	const entries = [];
	let lost = 0;

	for (let site = 0; site < sums.length; site++) {
		if (sums[site] > 0)
			entries.push({ site, value: sums[site], first: first ? first(site) : null });
		else
			lost -= sums[site];
	}
	return { entries, lost };
}

// The same with the crate of the process as the first frame: a site may have several.
function crateEntries(model, kind, metric, range, passes) {
	const found = new Map();
	let lost = 0;
	const entries = [];

	eachValue(kind, metric, range, passes, (process, site, value) => {
		const crate = process < model.processes.nr ? model.processes.crate[process] : "";
		let sums = found.get(crate);

		if (!sums)
			found.set(crate, sums = new Map());
		sums.set(site, (sums.get(site) || 0) + value);
	});
	for (const [crate, sums] of found) {
		for (const [site, value] of sums) {
			if (value > 0)
				entries.push({ site, value, first: crate || "(no crate)" });
			else
				lost -= value;
		}
	}
	return { entries, lost };
}

function makeGraph(kind, { entries, lost }, inverted) {
	let value = 0;

	for (const entry of entries)
		value += entry.value;
	return { kind, inverted, lost, frames: siteFrames(kind),
		 root: { name: "all", value, self: 0, depth: 0, entries, children: null } };
}

// The frame of an entry at a depth: a number of the tree's names, a text, or null after the last one.
function frameAt(graph, entry, depth) {
	const { starts, frames } = graph.frames;

	if (entry.first !== null) {
		if (!depth)
			return entry.first;
		depth--;
	}
	const from = starts[entry.site], to = starts[entry.site + 1];

	if (depth >= to - from)
		return null;
	return graph.inverted ? frames[to - 1 - depth] : frames[from + depth];
}

function nameOf(graph, frame) {
	return typeof frame === "number" ? graph.kind.tree.names[frame] : frame;
}

// The children of a node, the largest first.
function childrenOf(graph, node) {
	if (node.children)
		return node.children;
	const found = new Map();

	node.self = 0;
	for (const entry of node.entries) {
		const frame = frameAt(graph, entry, node.depth);

		if (frame === null) {
			node.self += entry.value;
			continue;
		}
		let below = found.get(frame);

		if (!below)
			found.set(frame, below = { name: nameOf(graph, frame), value: 0, self: 0,
						   depth: node.depth + 1, entries: [], children: null });
		below.value += entry.value;
		below.entries.push(entry);
	}
	node.children = [...found.values()].sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1));
	return node.children;
}

// The nodes of a path of names, from the root on, as far as it exists.
function findPath(graph, path) {
	const nodes = [graph.root];

	for (const name of path) {
		const next = childrenOf(graph, nodes[nodes.length - 1]).find(below => below.name === name);

		if (!next)
			break;
		nodes.push(next);
	}
	return nodes;
}

// Boxes {node, parent, depth, x, width, above} of the node at the end of a path and of all that is on it; its callers, which
// are `above`, have the full width too. What is narrower than `least` pixels is left out.
function layOut(graph, path, width, least) {
	const nodes = findPath(graph, path);
	const boxes = [];
	let parent = null;

	for (const node of nodes) {
		const box = { node, parent, depth: boxes.length, x: 0, width, above: true };

		boxes.push(box);
		parent = box;
	}
	const last = boxes[boxes.length - 1];
	const waiting = [last];

	last.above = false;
	while (waiting.length) {
		const box = waiting.pop();
		let x = box.x;

		for (const node of childrenOf(graph, box.node)) {
			const wide = node.value / box.node.value * box.width;

			if (!(wide >= least))
				break;
			const below = { node, parent: box, depth: box.depth + 1, x, width: wide, above: false };

			boxes.push(below);
			waiting.push(below);
			x += wide;
		}
	}
	return boxes;
}

// The names from the root to a box, without the root.
function pathOf(box) {
	const path = [];

	for (let at = box; at.parent; at = at.parent)
		path.push(at.node.name);
	return path.reverse();
}

// Self and total of each function over the sites; on a stack with several calls of it it counts once.
function functionRows(kind, sums) {
	const { names } = kind.tree;
	const { starts, frames } = siteFrames(kind);
	const self = new Float64Array(names.length), all = new Float64Array(names.length);
	const seen = new Int32Array(names.length).fill(-1);
	const rows = [];

	for (let site = 0; site < sums.length; site++) {
		if (!sums[site] || starts[site] === starts[site + 1])
			continue;
		self[frames[starts[site + 1] - 1]] += sums[site];
		for (let i = starts[site]; i < starts[site + 1]; i++) {
			if (seen[frames[i]] !== site)
				all[frames[i]] += sums[site];
			seen[frames[i]] = site;
		}
	}
	for (let i = 0; i < names.length; i++) {
		if (all[i] || self[i])
			rows.push({ key: names[i], self: self[i], total: all[i] });
	}
	return rows;
}

// Who called a function, and what it called: the value of each stack counts once, for its innermost call.
function callersAndCallees(kind, sums, name) {
	const { names } = kind.tree;
	const { starts, frames } = siteFrames(kind);
	const number = names.indexOf(name);
	const callers = new Map(), callees = new Map();
	let whole = 0;

	function into(map, key, value) {
		map.set(key, (map.get(key) || 0) + value);
	}
	function rows(map) {
		return [...map].map(([key, value]) => ({ key, value })).sort((a, b) => b.value - a.value);
	}
	for (let site = 0; site < sums.length && number >= 0; site++) {
		let at = starts[site + 1] - 1;

		if (!sums[site])
			continue;
		while (at >= starts[site] && frames[at] !== number)
			at--;
		if (at < starts[site])
			continue;
		whole += sums[site];
		into(callers, at > starts[site] ? names[frames[at - 1]] : "[root]", sums[site]);
		into(callees, at + 1 < starts[site + 1] ? names[frames[at + 1]] : "[self]", sums[site]);
	}
	return { whole, callers: rows(callers), callees: rows(callees) };
}

// The sum of the entries with a frame that matches: `matches(name)` is asked once for each name.
function matchedValue(graph, matches) {
	const { starts, frames } = graph.frames;
	const hit = Uint8Array.from(graph.kind.tree.names, name => (matches(name) ? 1 : 0));
	let sum = 0;

	for (const { site, value, first } of graph.root.entries) {
		let found = first !== null && matches(first);

		for (let i = starts[site]; i < starts[site + 1] && !found; i++)
			found = hit[frames[i]] === 1;
		sum += found ? value : 0;
	}
	return sum;
}
