// Flame graphs: trees of frames, made from stacks with values as far as they are wide enough to be seen.
//
// The nodes of a kind's tree are sorted by their frames, so that those below a frame are next to each other: a node of a graph is
// {name, value, self, depth, list, from, to}, the nodes `from` to `to` of a list whose frames before `depth` are its path. Its
// children are found when they are asked for. Everything that no range changes is found once: a range then costs a pass over its
// records, and one over the nodes.
"use strict";

const MOST_FRAMES = 1 << 30; // more than any stack has
const FANOUT = 16;

// Where the elements of each number begin, if they are sorted by their numbers, which are below `nr`.
function startsOf(numbers, nr) {
	const starts = new Int32Array(nr + 1);

	for (let i = 0; i < numbers.length; i++)
		starts[numbers[i] + 1]++;
	for (let i = 1; i <= nr; i++)
		starts[i] += starts[i - 1];
	return starts;
}

// Indices by their numbers, which are below `nr`; equal ones as in `indices`, or by themselves.
function sortByNumber(numbers, nr, indices) {
	const starts = startsOf(numbers, nr), sorted = new Int32Array(numbers.length);

	for (let i = 0; i < sorted.length; i++) {
		const index = indices ? indices[i] : i;

		sorted[starts[numbers[index]]++] = index;
	}
	return sorted;
}

// The depths of all nodes, and their ancestors after 1, 2, 4, ... steps. Parents come before their children, and no two nodes
// with one parent have the same name: src/report/page_stacks.c.
function ancestry(kind) {
	const { parent, nr } = kind.tree;

	if (!kind.ancestry) {
		const depth = new Int32Array(nr), above = [parent];
		let most = 0;

		for (let i = 1; i < nr; i++) {
			depth[i] = depth[parent[i]] + 1;
			most = Math.max(most, depth[i]);
		}
		for (let reach = 1; reach <= most; reach *= 2) {
			const last = above[above.length - 1];

			above.push(last.map(up => last[up]));
		}
		kind.ancestry = { depth, above };
	}
	return kind.ancestry;
}

function ancestor(above, node, steps) {
	let at = node;

	for (let k = 0; steps > 0; k++, steps >>= 1)
		at = steps & 1 ? above[k][at] : at;
	return at;
}

// How many frames two nodes have in common, from the leaf on.
function commonFromLeaf({ parent, name }, a, b) {
	let nr = 0;

	for (let x = a, y = b; x && y && name[x] === name[y]; x = parent[x], y = parent[y])
		nr++;
	return nr;
}

// The nodes from the root on: each comes after its parent, and what is below it next; siblings by their names.
function orderFromRoot(kind) {
	const { parent, name, names, nr } = kind.tree, { depth } = ancestry(kind);
	const children = sortByNumber(parent, nr, sortByNumber(name, names.length)), starts = startsOf(parent, nr);
	const nodes = new Int32Array(nr), waiting = new Int32Array(nr);

	for (let i = 0, left = 1; left; i++) {
		const node = waiting[--left];

		nodes[i] = node;
		for (let k = starts[node + 1] - 1; k >= starts[node]; k--) {
			if (children[k]) // the root is its own parent
				waiting[left++] = children[k];
		}
	}
	return { nodes, same: nodes.map(node => Math.max(0, depth[node] - 1)) };
}

// The nodes by their frames from the leaf on: sorted by the first frame, then by the first 2, 4, 8, ...
function* orderFromLeaf(kind) {
	const { name, names, nr } = kind.tree;
	let ranks = new Int32Array(nr), most = names.length + 1, nodes = null;

	for (let i = 1; i < nr; i++)
		ranks[i] = name[i] + 1;
	for (const up of ancestry(kind).above) {
		const before = ranks, others = up.map(node => before[node]);

		yield;
		nodes = sortByNumber(before, most, sortByNumber(others, most));
		ranks = new Int32Array(nr);
		most = 1;
		for (let i = 1; i < nr; i++) {
			const a = nodes[i - 1], b = nodes[i];

			most += before[a] !== before[b] || others[a] !== others[b] ? 1 : 0;
			ranks[b] = most - 1;
		}
	}
	yield;
	return { nodes, same: nodes.map((node, i) => (i ? commonFromLeaf(kind.tree, nodes[i - 1], node) : 0)) };
}

// The least of numbers: of each FANOUT of them, of each FANOUT of these, and so on.
function leastOf(numbers) {
	const levels = [numbers];

	for (let last = numbers; last.length > FANOUT;) {
		const next = new Int32Array(Math.ceil(last.length / FANOUT)).fill(MOST_FRAMES);

		for (let i = 0; i < last.length; i++)
			next[Math.floor(i / FANOUT)] = Math.min(next[Math.floor(i / FANOUT)], last[i]);
		levels.push(last = next);
	}
	return levels;
}

// The least of the numbers from <= i < to.
function leastBetween(levels, from, to) {
	let least = MOST_FRAMES;

	for (let k = 0; from < to; k++) {
		for (; from < to && from % FANOUT; from++)
			least = Math.min(least, levels[k][from]);
		for (; from < to && to % FANOUT; to--)
			least = Math.min(least, levels[k][to - 1]);
		from /= FANOUT;
		to /= FANOUT;
	}
	return least;
}

// The nodes in the order of their frames, and how many each has in common with the one before. A generator, as it takes a while.
function* findOrder(kind, inverted) {
	const { depth, above } = ancestry(kind), { name, nr } = kind.tree;

	yield;
	const order = inverted ? yield* orderFromLeaf(kind) : orderFromRoot(kind), rank = new Int32Array(nr);

	yield;
	for (let i = 0; i < nr; i++)
		rank[order.nodes[i]] = i;
	return {
		...order, rank,
		least: leastOf(order.same),
		length: node => depth[node],
		at: (node, frame) => name[ancestor(above, node, inverted ? frame : depth[node] - 1 - frame)],
	};
}

// The same, found once for each direction.
function nodeOrder(kind, inverted) {
	const cache = inverted ? "inverted" : "order";

	if (!(cache in kind))
		readWhenAsked(kind, cache, () => findOrder(kind, inverted));
	return kind[cache];
}

// Find the order from the root before it is asked for, a step at a time.
function* orderAhead(kind) {
	if (!("order" in kind))
		readWhenAsked(kind, "order", () => findOrder(kind, false));
	yield* readAheadOf(kind, "order");
}

// The value of each node, of the sums of sites.
function nodeValues(kind, sums) {
	const { node } = kind.site, values = new Float64Array(kind.tree.nr);

	for (let site = 0; site < sums.length; site++)
		values[node[site]] += sums[site];
	return values;
}

// A list of the nodes of a group with a value above 0, in their order: sums[i] is the value of those before the i-th, same[i]
// the number of frames that the i-th has in common with the one before.
function makeList({ order, nodes, same: sameAsBefore, values }) {
	const listed = new Int32Array(values.length), sames = new Int32Array(values.length), sums = new Float64Array(values.length + 1);
	let same = 0, nr = 0;

	for (let i = 0; i < values.length; i++) {
		// What two have in common is the least of what all between them have with the one before.
		if (sameAsBefore[i] < same)
			same = sameAsBefore[i];
		if (values[i] <= 0)
			continue;
		listed[nr] = nodes[i];
		sames[nr] = same;
		sums[nr + 1] = sums[nr] + values[i];
		nr++;
		same = MOST_FRAMES;
	}
	return { order, nodes: listed, same: sames, sums, nr };
}

function newNode(list, name, depth, from, to) {
	return { name, value: list.sums[to] - list.sums[from], self: 0, depth, list, from, to, children: null };
}

// A graph of stacks. `groups` are values of nodes below a first frame each, {name, order, nodes, same, values}, the nodes in
// their order, each with the number of frames that it has in common with the one before. One without a name has no such frame.
function makeGraph(kind, groups) {
	const graph = { kind, groups, root: null, lost: 0 };
	const tops = groups.map(group => {
		const node = { name: group.name, value: 0, self: 0, depth: 0, group, children: null };

		for (let i = 0; i < group.values.length; i++) {
			if (group.values[i] > 0)
				node.value += group.values[i];
			else
				graph.lost -= group.values[i];
		}
		return node;
	});

	if (tops.length === 1 && tops[0].name === null)
		graph.root = { ...tops[0], name: "all" };
	else
		graph.root = { name: "all", value: tops.reduce((sum, node) => sum + node.value, 0), self: 0,
			       children: tops.filter(node => node.value > 0).sort(compareNodes) };
	return graph;
}

// The values of all nodes, of the sums of sites: a group without a name.
function wholeGroup(kind, sums, inverted) {
	const order = nodeOrder(kind, inverted), { node } = kind.site;
	const values = new Float64Array(order.nodes.length);

	for (let site = 0; site < sums.length; site++)
		values[order.rank[node[site]]] += sums[site];
	return { name: null, order, nodes: order.nodes, same: order.same, values };
}

// The nodes of each key, in their order: key k has the places starts[k] to starts[k + 1] - 1 of `nodes` and `same`. Of elements
// with a key and a site each, `of` has the place.
function makePlaces(kind, order, keys_nr, keys, sites) {
	const { node } = kind.site, ranks = new Int32Array(sites.length);

	for (let i = 0; i < sites.length; i++)
		ranks[i] = order.rank[node[sites[i]]];
	const sorted = sortByNumber(keys, keys_nr, sortByNumber(ranks, order.nodes.length));
	const nodes = new Int32Array(sites.length), same = new Int32Array(sites.length), of = new Int32Array(sites.length);
	const starts = new Int32Array(keys_nr + 1);
	let nr = 0, key = -1, rank = -1;

	for (let k = 0; k < sorted.length; k++) {
		const i = sorted[k];

		if (keys[i] !== key || ranks[i] !== rank) {
			same[nr] = keys[i] === key ? leastBetween(order.least, rank + 1, ranks[i] + 1) : 0;
			key = keys[i];
			rank = ranks[i];
			nodes[nr++] = order.nodes[rank];
			starts[key + 1] = nr;
		}
		of[i] = nr - 1;
	}
	for (let i = 1; i <= keys_nr; i++)
		starts[i] = Math.max(starts[i], starts[i - 1]);
	return { starts, nodes: nodes.slice(0, nr), same: same.slice(0, nr), of };
}

// The places of a key of sites, or of one of processes and the elements of a metric. Found once for each.
function placesBy(model, kind, by, metric, inverted) {
	const keys = keysBy(model, kind, by), nr = keys.names.length, held = keys.site ? "" : METRICS[metric].held || "record";
	const cache = [by, held, inverted ? "inverted" : "order"].join();

	if (!kind.places)
		kind.places = new Map();
	if (!kind.places.has(cache)) {
		const { process, site } = kind[held] || { site: keys.of.map((key, i) => i) };
		const of = process ? new Int32Array(process.length) : keys.of;

		for (let i = 0; process && i < process.length; i++)
			of[i] = keys.of[process[i]];
		kind.places.set(cache, makePlaces(kind, nodeOrder(kind, inverted), nr, of, site));
	}
	return kind.places.get(cache);
}

// The values of nodes by a key of processes or sites, as crates and phases: a group for each.
function groupsBy(model, kind, by, metric, range, passes, inverted) {
	const keys = keysBy(model, kind, by), order = nodeOrder(kind, inverted);
	const { starts, nodes, same, of } = placesBy(model, kind, by, metric, inverted);
	const values = new Float64Array(nodes.length);

	if (keys.site)
		siteSums(kind, metric, range, passes).forEach((sum, site) => {
			values[of[site]] += sum;
		});
	else
		addUp(countedBy(kind, metric, range), passes, of, null, values);
	return keys.names.map((name, key) => {
		const [from, to] = [starts[key], starts[key + 1]];

		return { name: name || "(no " + by + ")", order, nodes: nodes.subarray(from, to), same: same.subarray(from, to),
			 values: values.subarray(from, to) };
	});
}

function compareNodes(a, b) {
	return b.value - a.value || (a.name < b.name ? -1 : 1);
}

// The children of a node, the largest first. Those with one frame at a depth are next to each other.
function childrenOf(graph, node) {
	if (node.children)
		return node.children;
	if (!node.list) {
		node.list = makeList(node.group);
		[node.from, node.to] = [0, node.list.nr];
	}
	const { list, depth, to } = node;
	const { names } = graph.kind.tree;

	node.children = [];
	for (let i = node.from, end; i < to; i = end) {
		const at = list.nodes[i];

		end = i + 1;
		if (list.order.length(at) === depth) {
			node.self += list.sums[end] - list.sums[i];
			continue;
		}
		while (end < to && list.same[end] > depth)
			end++;
		node.children.push(newNode(list, names[list.order.at(at, depth)], depth + 1, i, end));
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
function functionSums(kind, sums) {
	const { parent, name, names, nr } = kind.tree;
	const self = new Float64Array(names.length), all = new Float64Array(names.length), values = new Float64Array(nr);
	const seen = new Int32Array(names.length);

	for (let site = 0; site < sums.length; site++) {
		const asker = sums[site] ? askingNode(kind, site) : 0;

		if (!asker)
			continue;
		self[name[asker]] += sums[site];
		values[kind.site.node[site]] += sums[site];
	}
	for (let node = 1; node < nr; node++) {
		for (let at = values[node] ? node : 0; at; at = parent[at]) {
			if (seen[name[at]] !== node)
				all[name[at]] += values[node];
			seen[name[at]] = node;
		}
	}
	return makeSums(names, { self, total: all });
}

// Who called a function, and what it called: the value of each stack counts once, for its innermost call.
function callersAndCallees(kind, sums, name) {
	const { parent, name: nameOf, names, nr } = kind.tree;
	const values = nodeValues(kind, sums), number = names.indexOf(name);
	// The innermost call of it at or above each node, and the frame below that.
	const call = new Int32Array(nr), below = new Int32Array(nr);
	const callers = new Map(), callees = new Map();
	let whole = 0;

	function into(map, node, other, value) {
		const key = node ? names[nameOf[node]] : other;

		map.set(key, (map.get(key) || 0) + value);
	}
	function rows(map) {
		return [...map].map(([key, value]) => ({ key, value })).sort((a, b) => b.value - a.value);
	}
	for (let i = 1; i < nr; i++) {
		const up = parent[i];

		call[i] = nameOf[i] === number ? i : call[up];
		below[i] = call[i] === i ? 0 : call[i] === up && up ? i : below[up];
		if (!call[i] || !values[i])
			continue;
		whole += values[i];
		into(callers, parent[call[i]], "[root]", values[i]);
		into(callees, below[i], "[self]", values[i]);
	}
	return { whole, callers: rows(callers), callees: rows(callees) };
}

// The value of the stacks with a frame that matches: `matches(name)` is asked once for each name.
function matchedValue(graph, matches) {
	const { parent, name, names, nr } = graph.kind.tree;
	const hit = Uint8Array.from(names, one => (matches(one) ? 1 : 0)), found = new Uint8Array(nr);
	let sum = 0;

	for (let i = 1; i < nr; i++)
		found[i] = hit[name[i]] | found[parent[i]];
	for (const { name: first, nodes, values } of graph.groups) {
		const all = first !== null && matches(first);

		for (let i = 0; i < values.length; i++) {
			if (values[i] > 0 && (all || found[nodes[i]]))
				sum += values[i];
		}
	}
	return sum;
}
