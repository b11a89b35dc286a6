// Flame graphs: trees of frames, made from stacks with values as far as they are wide enough to be seen.
//
// Sites are sorted by their frames, so that those below a node are next to each other: a node is {name, value, self, depth, list,
// from, to}, the sites `from` to `to` of a list whose frames before `depth` are its path. Children are found when they are asked
// for.
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

// The sites sorted by their frames, from the root on, or inverted from the leaf on. Found once for each direction.
function siteOrder(kind, inverted) {
	const name = inverted ? "inverted" : "order";

	if (kind[name])
		return kind[name];
	const { starts, frames } = siteFrames(kind);
	const at = (site, depth) => frames[inverted ? starts[site + 1] - 1 - depth : starts[site] + depth];
	const length = site => starts[site + 1] - starts[site];

	function common(a, b) {
		const most = Math.min(length(a), length(b));
		let depth = 0;

		while (depth < most && at(a, depth) === at(b, depth))
			depth++;
		return depth;
	}
	const sites = Int32Array.from(kind.site.node.keys()).sort((a, b) => {
		const depth = common(a, b);

		if (depth === length(a) || depth === length(b))
			return length(a) - length(b) || a - b;
		return at(a, depth) - at(b, depth);
	});
	const rank = new Int32Array(sites.length), same = new Int32Array(sites.length);

	sites.forEach((site, i) => {
		rank[site] = i;
		same[i] = i ? common(sites[i - 1], site) : 0;
	});
	kind[name] = { sites, same, rank, at, length, common };
	return kind[name];
}

// A list of the sites with a value above 0, in their order: sums[i] is the value of those before the i-th, same[i] the number
// of frames that the i-th has in common with the one before. `values` is by site, or a map of those that have one.
function makeList(kind, inverted, values) {
	const order = siteOrder(kind, inverted);
	const map = typeof values.get === "function";
	const sites = map ? Int32Array.from(values.keys()).sort((a, b) => order.rank[a] - order.rank[b]) : order.sites;
	const list = { order, sites: [], same: [], sums: [0], lost: 0 };
	let sum = 0, before = -1, same = 0;

	for (let i = 0; i < sites.length; i++) {
		const site = sites[i], value = map ? values.get(site) : values[site];

		// What two have in common is the least of what all between them have with the one before.
		same = map ? 0 : Math.min(same, order.same[i]);
		if (!(value > 0)) {
			list.lost -= value;
			continue;
		}
		list.sites.push(site);
		list.same.push(map && before >= 0 ? order.common(before, site) : same);
		list.sums.push(sum += value);
		before = site;
		same = Infinity;
	}
	return list;
}

function newNode(list, name, depth, from, to) {
	return { name, value: list.sums[to] - list.sums[from], self: 0, depth, list, from, to, children: null };
}

// A graph of stacks. `groups` are the values of the sites below a first frame each, {name, values}; one without a name has no
// such frame.
function makeGraph(kind, groups, inverted) {
	const lists = groups.map(({ name, values }) => ({ name, list: makeList(kind, inverted, values) }));
	const lost = lists.reduce((sum, { list }) => sum + list.lost, 0);
	let root;

	if (lists.length === 1 && lists[0].name === null) {
		root = newNode(lists[0].list, "all", 0, 0, lists[0].list.sites.length);
	} else {
		const children = lists.map(({ name, list }) => newNode(list, name, 0, 0, list.sites.length))
			.filter(node => node.value > 0);

		root = { name: "all", value: children.reduce((sum, node) => sum + node.value, 0), self: 0,
			 children: children.sort(compareNodes) };
	}
	return { kind, root, lost, lists };
}

// The groups of sites by their phase or query.
function groupsBySite(sums, nameOf) {
	const groups = new Map();

	for (let site = 0; site < sums.length; site++) {
		const name = nameOf(site);
		let group = groups.get(name);

		if (!sums[site])
			continue;
		if (!group)
			groups.set(name, group = { name, values: new Map() });
		group.values.set(site, sums[site]);
	}
	return [...groups.values()];
}

// The same by the crates of processes: a site may be in several.
function groupsByCrate(model, kind, metric, range, passes) {
	const groups = new Map();
	const ofProcess = new Array(model.processes.nr + 1);

	eachValue(kind, metric, range, passes, (process, site, value) => {
		if (!ofProcess[process]) {
			const name = (process < model.processes.nr && model.processes.crate[process]) || "(no crate)";

			if (!groups.has(name))
				groups.set(name, { name, values: new Map() });
			ofProcess[process] = groups.get(name).values;
		}
		const values = ofProcess[process];

		values.set(site, (values.get(site) || 0) + value);
	});
	return [...groups.values()];
}

function compareNodes(a, b) {
	return b.value - a.value || (a.name < b.name ? -1 : 1);
}

// The children of a node, the largest first. Those with one frame at a depth are next to each other.
function childrenOf(graph, node) {
	if (node.children)
		return node.children;
	const { list, depth, to } = node;
	const { names } = graph.kind.tree;

	node.children = [];
	for (let i = node.from, end; i < to; i = end) {
		const site = list.sites[i];

		end = i + 1;
		if (list.order.length(site) === depth) {
			node.self += list.sums[end] - list.sums[i];
			continue;
		}
		while (end < to && list.same[end] > depth)
			end++;
		node.children.push(newNode(list, names[list.order.at(site, depth)], depth + 1, i, end));
	}
	node.children.sort(compareNodes);
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

// Self and total of each function over the sites; on a stack with several calls of it it counts once. Of memory the innermost
// function outside the allocator is the one itself.
function functionRows(kind, sums) {
	const { names } = kind.tree;
	const { starts, frames } = siteFrames(kind);
	const self = new Float64Array(names.length), all = new Float64Array(names.length);
	const seen = new Int32Array(names.length).fill(-1);
	const rows = [];

	for (let site = 0; site < sums.length; site++) {
		const leaf = starts[site + 1] - 1 - (kind.site.allocator[site] || 0);

		if (!sums[site] || leaf < starts[site])
			continue;
		self[frames[leaf]] += sums[site];
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

// The value of the stacks with a frame that matches: `matches(name)` is asked once for each name.
function matchedValue(graph, matches) {
	const { starts, frames } = siteFrames(graph.kind);
	const hit = Uint8Array.from(graph.kind.tree.names, name => (matches(name) ? 1 : 0));
	let sum = 0;

	for (const { name, list } of graph.lists) {
		const all = name !== null && matches(name);

		for (let i = 0; i < list.sites.length; i++) {
			const site = list.sites[i];
			let found = all;

			for (let k = starts[site]; k < starts[site + 1] && !found; k++)
				found = hit[frames[k]] === 1;
			sum += found ? list.sums[i + 1] - list.sums[i] : 0;
		}
	}
	return sum;
}
