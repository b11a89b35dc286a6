// The timeline: a bar for each process, below it the memory of the build by crate, and the processors in use. The range that
// all views are about is selected here.
"use strict";

const BAR = 14, LEFT = 64, RIGHT = 10, AXIS = 18, LANES_MOST = 60;

function makeScale(from, to, width) {
	const plot = Math.max(1, width - LEFT - RIGHT);

	return {
		width,
		// The height of a panel: more on a large screen.
		panel: Math.round(Math.min(320, Math.max(110, innerHeight / 8))),
		x: ns => LEFT + (ns - from) / (to - from) * plot,
		ns: x => from + Math.min(1, Math.max(0, (x - LEFT) / plot)) * (to - from),
		from, to,
	};
}

function drawAxis(context, scale, y) {
	context.fillStyle = themeColor("dim");
	for (const at of timeTicks(scale.from, scale.to, scale.width / 110)) {
		const text = formatMoment(at), x = scale.x(at), fits = x + 3 + context.measureText(text).width <= scale.width;

		context.fillRect(x, y, 1, 4);
		context.textAlign = fits ? "left" : "right";
		context.fillText(text, fits ? x + 3 : x - 3, y + AXIS / 2 + 1);
	}
	context.textAlign = "left";
}

// A bar of a step that ends where the next one begins: at whole pixels, as there is a seam between two that share one.
function fillStep(context, from, to, y, height) {
	const pixel = 1 / (devicePixelRatio || 1), left = Math.floor(from / pixel) * pixel;

	context.fillRect(left, y, Math.max(pixel, Math.ceil(to / pixel) * pixel - left), height);
}

// Processes without a phase are grey.
function barColor(color, key) {
	return color === "phase" && (!key || key === "[untagged]") ? themeColor("rest") : colorOf(key || "?");
}

// What is shown: the whole recording, or only the range.
function windowOf(app) {
	const zoomed = app.state.zoom === "1" && !isWhole(app.model, app.range);

	return { zoomed, range: zoomed ? app.range : wholeRange(app.model) };
}

// A picture with shades over it, left and right of the selected range: selecting one draws nothing anew. They are moved by shares of
// the width, as paper has another one.
function makePanel(canvas) {
	const shades = [el("div", { class: "shade", hidden: true }), el("div", { class: "shade", hidden: true })];

	return { element: el("div", { class: "panel" }, canvas, ...shades), shades };
}

function moveShades(model, shades, scale, range) {
	const share = ns => scale.x(Math.min(scale.to, Math.max(scale.from, ns))) / scale.width * 100 + "%";
	const whole = isWhole(model, range);

	for (const shade of shades)
		shade.hidden = whole;
	shades[0].style.left = share(scale.from);
	shades[0].style.width = "calc(" + share(stepStart(model, range.from)) + " - " + share(scale.from) + ")";
	shades[1].style.left = share(stepStart(model, range.to));
	shades[1].style.width = "calc(" + share(scale.to) + " - " + share(stepStart(model, range.to)) + ")";
}

function barsOf(app, scale) {
	const { processes } = app.model;
	const list = [];

	for (let i = 0; i < processes.nr; i++) {
		const end = processes.end_ns[i] < 0 ? app.model.end_ns : processes.end_ns[i];

		if (app.passes[i] && end > scale.from && processes.start_ns[i] < scale.to)
			list.push(i);
	}
	const { lanes, nr } = findLanes(processes, list, app.model.end_ns);

	return list.map(process => ({
		process,
		lane: lanes.get(process),
		x: scale.x(Math.max(scale.from, processes.start_ns[process])),
		end: scale.x(Math.min(scale.to, processes.end_ns[process] < 0 ? app.model.end_ns
									      : processes.end_ns[process])),
		nr,
	}));
}

function processLines(app, process) {
	const { processes, kinds } = app.model;
	const crate = processes.crate[process], end = processes.end_ns[process];
	const lines = [processes.image[process] + (crate ? " " + crate : "") + ", pid " + processes.pid[process]];

	lines.push([processes.role[process], processes.part[process], app.phases[process]].filter(Boolean).join(", "));
	lines.push(formatMoment(Math.max(0, processes.start_ns[process])) + " to " +
		   (end < 0 ? "the end" : formatMoment(end)));
	if (processes.cpu_ns[process] >= 0)
		lines.push("CPU time " + formatDuration(processes.cpu_ns[process]));
	if (kinds.commit && processes.peak_bytes[process] >= 0)
		lines.push("peak " + formatBytes(processes.peak_bytes[process]));
	return lines;
}

function drawBars(app, canvas, scale) {
	const bars = barsOf(app, scale);
	const lanes = bars.reduce((most, bar) => Math.max(most, bar.lane + 1), 1);
	const size = lanes > LANES_MOST ? Math.max(2, Math.floor(BAR * LANES_MOST / lanes)) : BAR;
	const height = AXIS + lanes * (size + 1) + 4;
	const context = prepareCanvas(canvas, scale.width, height);
	const color = app.state.color || "role";
	const { processes } = app.model;

	drawAxis(context, scale, 0);
	for (const bar of bars) {
		const { process, x } = bar;
		const width = Math.max(1, bar.end - x);
		const key = color === "phase" ? app.phases[process] : processes[color][process];

		bar.y = AXIS + bar.lane * (size + 1);
		bar.height = size;
		context.fillStyle = barColor(color, key);
		context.fillRect(x, bar.y, Math.max(1, width - 0.5), size);
		if (size >= 10) {
			context.fillStyle = themeColor("text");
			context.fillText(fitText(context, processes.crate[process] || processes.image[process],
						 width - 4), x + 2, bar.y + size / 2 + 1);
		}
	}
	canvas.setAttribute("aria-label", bars.length + " processes in " + lanes + " lanes");
	return event => {
		const bar = bars.find(one => event.offsetY >= one.y && event.offsetY < one.y + one.height &&
				      event.offsetX >= one.x && event.offsetX <= Math.max(one.end, one.x + 2));

		return bar ? processLines(app, bar.process) : null;
	};
}

function stepsOf(app, scale) {
	return { first: stepAt(app.model, scale.from), last: stepAt(app.model, Math.max(scale.from, scale.to - 1)) };
}

function drawPanelFrame(context, scale, title, most, unit) {
	context.fillStyle = themeColor("dim");
	context.fillText(title, LEFT + 4, 8);
	context.fillText(unit === "bytes" ? formatBytes(most) : most.toFixed(most < 10 ? 1 : 0), 2, AXIS + 4);
	context.fillText("0", 2, AXIS + scale.panel - 4);
	context.fillRect(LEFT, AXIS + scale.panel, scale.width - LEFT - RIGHT, 1);
}

function drawPeak(context, scale, kind) {
	const x = scale.x(Math.max(0, kind.peak_ns));
	const text = "peak " + formatBytes(kind.peak_bytes) + " at " + formatMoment(Math.max(0, kind.peak_ns));
	const left = x + 6 + context.measureText(text).width > scale.width;

	context.fillStyle = themeColor("accent");
	context.fillRect(x, AXIS, 1, scale.panel);
	context.textAlign = left ? "right" : "left";
	context.fillText(text, left ? x - 4 : x + 4, AXIS + 4);
	context.textAlign = "left";
}

// What each crate held at the ends of steps, on top of each other, and the highest of each step as a line.
function drawMemory(app, canvas, scale, kind) {
	const context = prepareCanvas(canvas, scale.width, 2 * AXIS + scale.panel);
	const { model } = app;
	const { first, last } = stepsOf(app, scale);
	const { names, groups } = groupCrates(model, kind, windowOf(app).range, 10);
	const shown = groups.map((group, process) => (app.passes[process] ? group : -1));
	const held = heldOfGroups(kind, model.steps, shown, names.length + 1);
	const high = isFiltered(app) ? null : highs(kind, model.steps);
	const below = new Float64Array(model.steps);
	let most = 1;

	for (let step = first; step <= last; step++)
		most = Math.max(most, high ? high[step] : held.reduce((sum, values) => sum + values[step], 0));
	const y = bytes => AXIS + scale.panel - Math.max(0, bytes) / most * (scale.panel - 8);
	const left = step => scale.x(Math.min(scale.to, Math.max(scale.from, stepStart(model, step))));

	drawPanelFrame(context, scale, KIND_NAMES[kind.prefix] + " memory by crate", most, "bytes");
	held.forEach((values, group) => {
		context.fillStyle = group < names.length ? colorOf(names[group] || "?") : themeColor("rest");
		for (let step = first; step <= last; step++) {
			if (values[step] <= 0)
				continue;
			const top = y(below[step] + values[step]);

			fillStep(context, left(step), left(step + 1), top, y(below[step]) - top);
			below[step] += values[step];
		}
	});
	context.fillStyle = themeColor("text");
	for (let step = first; high && step <= last; step++)
		fillStep(context, left(step), left(step + 1), y(high[step]) - 0.5, 1);
	if (high && kind.peak_ns >= scale.from && kind.peak_ns <= scale.to)
		drawPeak(context, scale, kind);
	drawAxis(context, scale, AXIS + scale.panel + 1);
	canvas.setAttribute("aria-label", KIND_NAMES[kind.prefix] + " memory over time, at most " + formatBytes(most));
	return event => {
		const step = stepAt(model, scale.ns(event.offsetX));
		const rows = [...names.keys(), names.length].map(group => [names[group], held[group][step]])
				.filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]).slice(0, 8);

		return ["at " + formatMoment(stepStart(model, step + 1)),
			...rows.map(([name, bytes]) => formatBytes(bytes) + "  " +
				    (name === undefined ? "others" : name || "(no crate)"))];
	};
}

function drawProcessors(app, canvas, scale) {
	const context = prepareCanvas(canvas, scale.width, 2 * AXIS + scale.panel);
	const { model } = app;
	const { first, last } = stepsOf(app, scale);
	const cpu = lastOf(model.kinds.cpu, "of_steps", app.passes, () => cpuOfSteps(model.kinds.cpu, model.steps, app.passes));
	// Bars of several steps: some pixels wide, and of a time that has some samples of each processor.
	const least = Math.max(3 / scale.width * (scale.to - scale.from), 4 * sampleTime(model.kinds.cpu));
	const wide = Math.max(1, Math.ceil(least / model.step_ns));
	const used = step => {
		const from = step - (step - first) % wide, to = Math.min(last + 1, from + wide);

		return total(cpu.subarray(from, to)) / Math.max(1, stepStart(model, to) - stepStart(model, from));
	};
	let most = Math.max(1, model.cpus);

	for (let step = first; step <= last; step += wide)
		most = Math.max(most, used(step));
	drawPanelFrame(context, scale, "Processors in use", most, "");
	context.fillStyle = themeColor("cpu");
	for (let step = first; step <= last; step += wide) {
		const x = scale.x(Math.max(scale.from, stepStart(model, step)));
		const end = scale.x(Math.min(scale.to, stepStart(model, Math.min(last + 1, step + wide))));
		const height = used(step) / most * (scale.panel - 8);

		fillStep(context, x, end, AXIS + scale.panel - height, height);
	}
	drawAxis(context, scale, AXIS + scale.panel + 1);
	canvas.setAttribute("aria-label", "Processors in use over time, of " + model.cpus);
	return event => {
		const step = stepAt(model, scale.ns(event.offsetX));

		return [formatMoment(stepStart(model, step)) + " to " + formatMoment(stepStart(model, step + 1)),
			used(step).toFixed(2) + " processors"];
	};
}

// Dragging selects a range of whole steps, which `preview` shows before; a click takes it back.
function listen(app, canvas, scale, describe, preview) {
	const rangeTo = (a, b) => ({ from: stepAt(app.model, scale.ns(Math.min(a, b))), to: stepAt(app.model, scale.ns(Math.max(a, b))) + 1 });
	const isClick = (a, b) => Math.abs(a - b) < 4;
	let start = null;

	canvas.addEventListener("pointerdown", event => {
		start = event.offsetX;
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		const lines = start === null && describe(event);

		if (lines)
			app.tooltip.show(event, lines);
		else
			app.tooltip.hide();
		if (start !== null && !isClick(start, event.offsetX))
			preview(rangeTo(start, event.offsetX));
	});
	canvas.addEventListener("pointerleave", () => app.tooltip.hide());
	canvas.addEventListener("pointercancel", () => {
		start = null;
		preview(app.range);
	});
	canvas.addEventListener("pointerup", event => {
		const a = start, b = event.offsetX;

		start = null;
		if (a !== null)
			app.select(isClick(a, b) ? wholeRange(app.model) : rangeTo(a, b));
	});
}

// The arrow keys move the range, with Shift its end alone; Escape takes it back.
function moveRange(app, event) {
	const { model, range } = app;
	const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;

	if (isForBrowser(event)) {
		return;
	} else if (event.key === "Escape") {
		app.select(wholeRange(model));
	} else if (by) {
		const whole = isWhole(model, range);
		const now = whole ? { from: 1, to: Math.max(2, Math.round(model.steps / 10)) } : range;
		const jump = by * Math.max(1, Math.round((now.to - now.from) / 10));
		const from = event.shiftKey || whole ? now.from : now.from + jump, to = whole ? now.to : now.to + jump;

		if (from >= 1 && to <= model.steps && to > from)
			app.select({ from, to });
	} else {
		return;
	}
	event.preventDefault();
}

function legendOf(keys) {
	return el("p", { class: "legend" }, ...keys.map(([text, color]) => {
		const box = el("span", { class: "box" });

		box.style.background = color;
		return el("span", { class: "key" }, box, text);
	}));
}

function crateLegend(app, kind) {
	const { names, groups } = groupCrates(app.model, kind, windowOf(app).range, 10);
	const seen = new Set(groups.filter((_, process) => app.passes[process]));
	const keys = names.map((name, group) => ({ group, key: [name || "(no crate)", colorOf(name || "?")] }));

	return legendOf([...keys, { group: names.length, key: ["others", themeColor("rest")] }].filter(one => seen.has(one.group)).map(one => one.key));
}

// The colours of bars, the most common ones first, with how many processes of each ran in a range: count(range) sets the numbers. All
// keys stay, as what moves below the pointer while a range is dragged is hard to use.
function processLegend(app) {
	const { model, passes } = app, { processes } = model;
	const color = app.state.color || "role";
	const keyOf = process => (color === "phase" ? app.phases[process] : processes[color][process]) || "";

	function countsOf(range) {
		const counts = new Map();

		for (let i = 0; i < processes.nr; i++) {
			if (passes[i] && ranIn(model, i, range))
				counts.set(keyOf(i), (counts.get(keyOf(i)) || 0) + 1);
		}
		return counts;
	}
	const keys = [...countsOf(wholeRange(model))].sort((a, b) => b[1] - a[1]).slice(0, 14).map(([key]) => key);
	const texts = keys.map(() => document.createTextNode(""));

	return {
		element: legendOf(keys.map((key, i) => [texts[i], barColor(color, key)])),
		count(range) {
			const counts = countsOf(range);

			keys.forEach((key, i) => {
				texts[i].data = (key || "(no " + color + ")") + " (" + formatCount(counts.get(key) || 0) + ")";
			});
		},
	};
}

// The pictures of what is shown; `select` shows a range in them.
function drawTimeline(app, section) {
	const { model, state } = app;
	const { zoomed, range } = windowOf(app);
	const scale = makeScale(stepStart(model, range.from), stepStart(model, range.to), Math.max(300, section.clientWidth));
	const colors = [["role", "role"], ["part", "part"], ["crate", "crate"]].concat(model.kinds.cpu ? [["phase", "phase"]] : []);
	const panels = el("div", { class: "panels", tabindex: "0", role: "group",
				   "aria-label": "Timeline; the arrow keys move the selected range",
				   onkeydown: event => moveRange(app, event) });
	const zoom = el("button", { type: "button", onclick: () => app.set({ zoom: zoomed ? "" : "1" }) },
			zoomed ? "Show the whole recording" : "Zoom to the range");
	const said = el("p", { class: "said", "aria-live": "polite" });
	const shades = [], legend = processLegend(app);

	function select(selected) {
		said.textContent = isWhole(model, selected) ? "the whole recording"
			: formatMoment(stepStart(model, selected.from)) + " to " + formatMoment(stepStart(model, selected.to));
		zoom.disabled = isWhole(model, selected);
		legend.count(selected);
		for (const pair of shades)
			moveShades(model, pair, scale, selected);
	}
	function panel(draw, ...more) {
		const canvas = el("canvas", { role: "img" }), made = makePanel(canvas);

		panels.append(made.element);
		shades.push(made.shades);
		listen(app, canvas, scale, draw(app, canvas, scale, ...more), select);
	}
	replace(section,
		el("div", { class: "controls" },
		   choice("Colour by", colors, state.color || "role", color => app.set({ color })), zoom,
		   el("span", { class: "hint" }, "Drag to select a range: all views are about it then.")),
		legend.element, panels, said);
	panel(drawBars);
	for (const prefix of ["commit", "touched", "heap"]) {
		if (model.kinds[prefix]) {
			panel(drawMemory, model.kinds[prefix]);
			panels.append(crateLegend(app, model.kinds[prefix]));
		}
	}
	if (model.kinds.cpu)
		panel(drawProcessors);
	if (!["commit", "touched", "heap"].some(prefix => model.kinds[prefix]))
		panels.append(el("p", { class: "note" }, "There is no memory to show: " + whyNot(model, "commit") + "."));
	if (!model.kinds.cpu)
		panels.append(el("p", { class: "note" }, "There are no processors in use to show: " + whyNot(model, "cpu") + "."));
	return select;
}

// A selected range changes what is seen, but no picture, unless it is zoomed to.
function showTimeline(app, section) {
	const { range } = windowOf(app);
	const seen = [range.from, range.to, section.clientWidth, innerHeight, devicePixelRatio, app.state.color, ...FILTERS.map(name => app.state[name]),
		      themeColor("text"), matchMedia("print").matches];
	const select = lastOf(app, "timeline", JSON.stringify(seen), () => drawTimeline(app, section));

	select(app.range);
}
