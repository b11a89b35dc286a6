// The views of CPU time and memory: a graph of stacks, and tables by crate, phase, function and so on.
"use strict";

const ROW = 18, MOST_ROWS = 20, SCROLLBAR = 16;
const MEMORY_METRICS = ["at-peak", "own-peak", "outstanding", "impacting", "size", "at-exit"];
const FIRST_FRAMES = [["none", "stacks alone"], ["crate", "by crate"], ["phase", "by phase"], ["query", "by query"]];
const TABLES = [["crate", "crate"], ["phase", "phase"], ["query", "query"], ["function", "function"], ["process", "process"],
		["role", "role"], ["part", "part"], ["stack", "stack"]];

// What a view shows: the kind, its metric, and the graph; made once for each state.
function viewOf(app, name) {
	const { model, state } = app;
	const prefix = name === "cpu" ? "cpu" : model.kinds[state.of] && state.of !== "cpu" ? state.of
		: ["commit", "touched", "heap"].find(one => model.kinds[one]);
	const kind = model.kinds[prefix];

	if (!kind)
		return null;
	const metric = name === "cpu" ? "cpu" : MEMORY_METRICS.includes(state.metric) ? state.metric : "at-peak";
	const first = FIRST_FRAMES.some(([key]) => key === state.first) ? state.first : "none";
	const sums = siteSums(kind, metric, app.range, app.passes);

	return { name, prefix, kind, metric, first, sums, unit: METRICS[metric].unit, path: pathIn(state, name),
		 lifetimes: name === "memory" && state.cols === "lifetimes" };
}

function pathIn(state, name) {
	try {
		const path = JSON.parse(state["at." + name] || "[]");

		return Array.isArray(path) ? path.map(String) : [];
	} catch (error) {
		return [];
	}
}

function graphOf(app, view) {
	const { kind, metric, first, sums } = view;
	const inverted = app.state.inverted === "1";

	return makeGraph(kind, first === "none" ? [wholeGroup(kind, sums, inverted)]
		: groupsBy(app.model, kind, first, metric, app.range, app.passes, inverted));
}

function boxColor(name, dimmed) {
	if (dimmed)
		return themeColor("rest");
	if (name.startsWith("["))
		return themeColor("special");
	// Functions of one crate have one colour.
	return colorOf(name.replace(/^<+/, "").split(/::|!|[ (<]/)[0]);
}

// The boxes of a graph, with their rows: `y` is the place in the whole graph, `rows` their number.
function layOutRows(app, view, graph, width) {
	const boxes = layOut(graph, view.path, width, 0.7), up = app.state.up === "1";
	const rows = boxes.reduce((most, box) => Math.max(most, box.depth + 1), 1);

	for (const box of boxes)
		box.y = (up ? rows - 1 - box.depth : box.depth) * ROW;
	return { boxes, rows, width };
}

function drawBox(context, view, box, color, focused) {
	const { node, x, y, width } = box;

	context.fillStyle = color;
	context.fillRect(x, y, Math.max(0.6, width - 0.6), ROW - 1);
	const text = fitText(context, box.parent ? node.name : "all: " + formatValue(view.unit, node.value), width - 6);

	if (text) {
		context.fillStyle = themeColor("text");
		context.fillText(text, x + 3, y + ROW / 2);
	}
	if (focused) {
		context.strokeStyle = themeColor("accent");
		context.lineWidth = 2;
		context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), ROW - 3);
	}
}

// Draw the rows that are seen: of the graph from `top` on, so high.
function drawGraph(app, view, canvas, laid, top, high, focus) {
	const context = prepareCanvas(canvas, laid.width, high);
	const matches = makeMatcher(app.state.search);

	context.translate(0, -top);
	for (const box of laid.boxes) {
		if (box.y + ROW <= top || box.y >= top + high)
			continue;
		drawBox(context, view, box, boxColor(box.node.name, box.above || (matches && !matches(box.node.name))), box === focus.box);
	}
}

function describeBox(view, graph, box) {
	const { node } = box;
	const lines = [node.name, formatValue(view.unit, node.value) + ", " +
		       formatPercent(node.value, graph.root.value) + " % of " + formatValue(view.unit, graph.root.value)];

	childrenOf(graph, node);
	if (node.self > 0)
		lines.push("itself " + formatValue(view.unit, node.self));
	return lines;
}

// The box next to the focused one, in the direction of a key.
function neighbour(boxes, box, key, up) {
	const deeper = up ? "ArrowUp" : "ArrowDown";

	if (!box)
		return boxes[0];
	if (key === deeper)
		return boxes.filter(one => one.parent === box).sort((a, b) => a.x - b.x)[0];
	if (key === "ArrowUp" || key === "ArrowDown")
		return box.parent;
	const row = boxes.filter(one => one.depth === box.depth).sort((a, b) => a.x - b.x);

	return row[row.indexOf(box) + (key === "ArrowLeft" ? -1 : 1)];
}

function showGraph(app, view, parent) {
	const graph = graphOf(app, view);
	const focus = { box: null };
	const said = el("p", { class: "said", "aria-live": "polite" });
	const canvas = app.canvas;

	canvas.setAttribute("role", "img");
	canvas.setAttribute("aria-label", METRICS[view.metric].title + " by stack, " + formatValue(view.unit, graph.root.value));
	// The canvas has the size of what is seen of the graph, and stays there while the graph is scrolled. Paper has all of it.
	const whole = el("div", {}, canvas);
	const holder = el("div", { class: "graph", tabindex: "0", role: "group",
				   "aria-label": "Graph of stacks; arrow keys move, Enter zooms, Shift and Enter shows callers, Escape goes back" }, whole);

	parent.append(holder, said);
	const laid = layOutRows(app, view, graph, Math.max(300, holder.clientWidth - SCROLLBAR));
	const { boxes } = laid, height = laid.rows * ROW + 2;
	const high = matchMedia("print").matches ? height : Math.min(height, Math.max(MOST_ROWS * ROW, Math.round(innerHeight * 0.7)));

	holder.style.height = high + "px";
	whole.style.height = height + "px";
	function redraw() {
		drawGraph(app, view, canvas, laid, holder.scrollTop, high, focus);
	}
	function boxAt(event) {
		const y = event.offsetY + holder.scrollTop;

		return event.target === canvas && boxes.find(box => event.offsetX >= box.x && event.offsetX < box.x + box.width &&
				  y >= box.y && y < box.y + ROW);
	}
	function reveal(box) {
		if (box.y < holder.scrollTop)
			holder.scrollTop = box.y;
		else if (box.y + ROW > holder.scrollTop + high)
			holder.scrollTop = box.y + ROW - high;
	}
	function zoom(box) {
		app.set({ ["at." + view.name]: box && box.parent ? JSON.stringify(pathOf(box)) : "" });
	}
	// The root is no function.
	function showCalls(box) {
		if (box.parent)
			app.set({ fn: box.node.name });
	}
	holder.addEventListener("pointermove", event => {
		const box = boxAt(event);

		if (box)
			app.tooltip.show(event, describeBox(view, graph, box));
		else
			app.tooltip.hide();
	});
	holder.addEventListener("pointerleave", () => app.tooltip.hide());
	holder.addEventListener("click", event => {
		const box = boxAt(event);

		if (box)
			zoom(box);
	});
	holder.addEventListener("contextmenu", event => {
		const box = boxAt(event);

		if (box && box.parent) {
			event.preventDefault();
			showCalls(box);
		}
	});
	holder.addEventListener("keydown", event => {
		if (isForBrowser(event))
			return;
		if (event.key === "Enter" && event.shiftKey && focus.box)
			showCalls(focus.box);
		else if (event.key === "Enter" && focus.box)
			zoom(focus.box);
		else if (event.key === "Escape")
			zoom(null);
		else if (event.key.startsWith("Arrow")) {
			focus.box = neighbour(boxes, focus.box, event.key, app.state.up === "1") || focus.box;
			reveal(focus.box);
			said.textContent = describeBox(view, graph, focus.box).join(": ");
			redraw();
		} else
			return;
		event.preventDefault();
	});
	// A flame graph begins at its root too.
	if (app.state.up === "1")
		holder.scrollTop = height - high;
	holder.addEventListener("scroll", redraw);
	redraw();
	return graph;
}

function graphControls(app, view, graph) {
	const { state } = app;
	const matches = makeMatcher(state.search);
	const found = matches ? matchedValue(graph, matches) : 0;
	const check = (key, text) => el("label", {}, el("input", { type: "checkbox", checked: state[key] === "1",
								   onchange: event => app.set({ [key]: event.target.checked ? "1" : "" }) }), " " + text);

	return el("div", { class: "controls" },
		  choice("Stacks", FIRST_FRAMES, view.first, first => app.set({ first: first === "none" ? "" : first,
									  ["at." + view.name]: "" })),
		  check("inverted", "inverted"), check("up", "root at the bottom"),
		  searchField("Search functions", state.search || "", search => app.setSoon({ search })),
		  matches ? el("span", { class: "hint", id: "found" }, "found in " + formatPercent(found, graph.root.value) + " % (" +
			       formatValue(view.unit, found) + ")") : null,
		  el("button", { type: "button", disabled: !view.path.length,
				 onclick: () => app.set({ ["at." + view.name]: "" }) }, "Reset zoom"));
}

function memoryControls(app, view) {
	const kinds = ["commit", "touched", "heap"].filter(prefix => app.model.kinds[prefix]);

	return el("div", { class: "controls" },
		  choice("Memory", kinds.map(prefix => [prefix, KIND_NAMES[prefix].toLowerCase()]), view.prefix, of => app.set({ of })),
		  choice("Show", MEMORY_METRICS.map(key => [key, METRICS[key].title.toLowerCase()]), view.metric,
			 metric => app.set({ metric })));
}

// A cell that sets a filter.
function chip(app, key, text) {
	return text ? el("button", { type: "button", class: key === "crate" ? "chip" : "chip short", title: "Show only this " + key,
				     onclick: () => app.set({ [key]: text }) }, text) : "";
}

// The same of a key that some have none of, as `first frames` name it.
function nameCell(app, key, text) {
	return text ? chip(app, key, text) : "(no " + key + ")";
}

// A stack: its innermost function, the others on demand.
function stackCell(kind, node) {
	const { parent, name, names } = kind.tree;
	const frames = [];

	for (let at = node; at; at = parent[at])
		frames.push(names[name[at]]);
	const details = el("details", {}, el("summary", {}, frames[0] || "[no stack]"));

	details.addEventListener("toggle", () => {
		if (details.open && details.childElementCount === 1)
			details.append(el("code", { class: "command" }, frames.join("\n")));
	});
	return details;
}

function stackText(kind, node) {
	return node ? kind.tree.names[kind.tree.name[node]] : "";
}

// The column of the keys of a table; a row is the number of its key.
function keyColumn(app, kind, by, keys) {
	const { processes } = app.model;
	const column = { key: by, title: by, text: true, get: row => keys[row] };
	const nameOf = process => (process < processes.nr ? processes.pid[process] + " " + processes.image[process] + " " + processes.crate[process]
		: "unknown");

	if (by === "process")
		column.get = row => nameOf(keys[row]);
	else if (FILTERS.includes(by))
		column.cell = row => nameCell(app, by, keys[row]);
	else if (by === "stack") {
		column.get = row => stackText(kind, keys[row]);
		column.cell = row => stackCell(kind, keys[row]);
	} else if (by === "function")
		column.cell = row => el("button", { type: "button", class: "chip", title: "Callers and callees",
						    onclick: () => app.set({ fn: keys[row] }) }, keys[row]);
	return column;
}

function number(key, title, unit, help, get) {
	return { key, title, unit, help, get: get || (row => row[key]) };
}

// The share of a sum in all, in percent.
function shareColumn(title, sums, whole) {
	return number("percent", title, "percent", "share of all", row => 100 * sums[row] / (whole || 1));
}

function lifetimeTable(app, view, by) {
	const { keys, sums, rows } = lifetimesBy(app.model, view.kind, by, app.passes);
	const help = name => LIFETIME_HELP[name] || "committed in the whole recording and freed after less than this";

	return {
		rows,
		columns: [keyColumn(app, view.kind, by, keys), ...LIFETIMES.map(name => number(name, name, "bytes", help(name), row => sums[name][row])),
			  number("all", "size", "bytes", "committed in the whole recording", row => sums.all[row])],
		sort: "[exit]",
	};
}

function functionTable(app, view) {
	const { keys, sums, rows } = functionSums(view.kind, view.sums);

	return {
		rows,
		columns: [keyColumn(app, view.kind, "function", keys),
			  number("self", "self", view.unit, "of the function itself", row => sums.self[row]),
			  number("total", "total", view.unit, "with all that it called", row => sums.total[row]),
			  shareColumn("% total", sums.total, total(view.sums))],
		sort: "self",
	};
}

function tableOf(app, view, by) {
	if (view.lifetimes)
		return lifetimeTable(app, view, by);
	if (by === "function")
		return functionTable(app, view);
	const { kind } = view, { keys, sums, rows } = sumsBy(app.model, kind, by, app.range, app.passes);
	const column = (key, title, unit, help) => number(key, title, unit, help, row => sums[key][row]);
	const columns = [keyColumn(app, kind, by, keys)];

	if (view.name === "cpu") {
		columns.push(column("self_ns", "CPU time", "ns", "of the samples in the range"),
			     shareColumn("%", sums.self_ns, total(view.sums)), column("samples", "samples", "count", ""));
		return { rows, columns, sort: "self_ns" };
	}
	if (by === "crate" && !isFiltered(app)) {
		const peaks = cratePeaks(app.model, kind, app.range);

		columns.push(number("peak_bytes", "own peak", "bytes", "the most that it held in the range",
				    row => peaks.get(keys[row]) || 0));
	}
	columns.push(column("at_peak_bytes", "at peak", "bytes", "held at the peak of the whole build, whatever the range"),
		     column("outstanding_bytes", "held at end", "bytes", "held at the end of the range"),
		     column("impacting_bytes", "impacting", "bytes", "held at the end of the range, less what was held at its start"),
		     column("size_bytes", "size", "bytes", "committed in the range, freed or not"),
		     column("freed_bytes", "freed", "bytes", "freed in the range"),
		     column("count", "count", "count", "events that committed"));
	return { rows, columns, sort: columns[1].key === "peak_bytes" ? "peak_bytes" : "size_bytes" };
}

function showCallers(app, view) {
	const name = app.state.fn;
	const { whole, callers, callees } = callersAndCallees(view.kind, view.sums, name);
	const columns = title => [{ key: "key", title, text: true, get: row => row.key,
				    cell: row => el("button", { type: "button", class: "chip",
								onclick: () => app.set({ fn: row.key }) }, row.key) },
				  number("value", "value", view.unit, "")];
	const side = (title, rows) => makeTable({ caption: title, columns: columns(title), rows, sort: "value", sorted: () => {} });

	return el("div", { class: "callers" },
		  el("h3", {}, name + ": " + formatValue(view.unit, whole) + " ",
		     el("button", { type: "button", onclick: () => app.set({ fn: "" }) }, "Close")),
		  el("div", { class: "pair" }, side("Callers", callers), side("Callees", callees)));
}

function tableControls(app, view, by) {
	const columns = [["", "amounts"], ["lifetimes", "lifetimes"]];

	return el("div", { class: "controls" },
		  choice("Table by", TABLES, by, one => app.set({ ["by." + view.name]: one })),
		  view.name === "memory" ? choice("Columns", columns, view.lifetimes ? "lifetimes" : "", cols => app.set({ cols })) : null);
}

function showStacks(app, section, name) {
	const view = viewOf(app, name);

	if (!view) {
		const prefix = name === "cpu" ? "cpu" : "commit";

		replace(section, el("p", { class: "note" }, "There is nothing to show: " +
				    whyNot(app.model, prefix) + "."));
		return;
	}
	const by = TABLES.some(([key]) => key === app.state["by." + name]) ? app.state["by." + name] : "crate";
	const holder = el("div", {});

	replace(section);
	section.append(holder);
	const graph = showGraph(app, view, holder);
	const table = tableOf(app, view, by);
	const sortKey = "sort." + name + (view.lifetimes ? ".lifetimes" : ""), sort = app.state[sortKey] || table.sort;

	holder.before(el("p", { class: "sum" }, METRICS[view.metric].title + ": ",
			 el("strong", {}, formatValue(view.unit, total(view.sums)))),
		      ...(name === "memory" ? [memoryControls(app, view)] : []), graphControls(app, view, graph),
		      ...(METRICS[view.metric].note ? [el("p", { class: "hint" }, METRICS[view.metric].note)] : []));
	if (graph.lost > 0)
		holder.after(el("p", { class: "hint" }, "The graph has " + formatValue(view.unit, graph.root.value) + ", more than the sum of " +
				formatValue(view.unit, total(view.sums)) + ": stacks below zero, " + formatValue(view.unit, -graph.lost) +
				" in all, are not in it. They are what shrank, or what estimates gave to others."));
	section.append(...[
		app.state.fn ? showCallers(app, view) : null,
		tableControls(app, view, by),
		makeTable({ caption: (name === "cpu" ? "CPU time" : KIND_NAMES[view.prefix] + " memory") + " by " + by +
				     (view.lifetimes ? ", by how long it was held, of the whole recording" : "") + ", " +
				     countOf(table.rows.length, "row", "rows"),
			    columns: table.columns, rows: table.rows, sort,
			    sorted: one => app.set({ [sortKey]: one }) }),
		view.kind.merged ? el("p", { class: "hint" }, formatCount(view.kind.merged) +
				      " parts of stacks with too small a share are one frame [other] of their caller.") : null,
	].filter(Boolean));
}
