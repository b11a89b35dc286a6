// Reads the data and shows the view that the address names.
"use strict";

const VIEWS = ["overview", "timeline", "processes", "cpu", "memory", "system"];
let app = null;

// The colours of roles, then of crates, those that held most first, so that they differ most; then of parts.
function assignColors(model) {
	const { role, part, crate, peak_bytes } = model.processes;
	const crates = [...crate.keys()].sort((a, b) => peak_bytes[b] - peak_bytes[a] || a - b);

	for (const texts of [role, crates.map(i => crate[i]), part]) {
		for (const text of texts)
			colorOf(text || "?");
	}
}

function makeApp(model) {
	let timer = 0;

	assignColors(model);
	const made = {
		model,
		tooltip: makeTooltip(),
		canvas: el("canvas", {}), // of graphs of stacks: one for all, as it is large
		state: parseState(location.hash),
		focus: null, // where it was when the state was changed
		// Change the state; "" takes a part of it away.
		set(changes) {
			clearTimeout(timer);
			const before = location.href, focus = findFocus();

			location.hash = formatState({ ...this.state, ...changes });
			// An address that is the id of a section takes the focus away.
			this.focus = location.href === before ? null : focus;
		},
		// The same after a pause, for what is typed.
		setSoon(changes) {
			clearTimeout(timer);
			timer = setTimeout(() => this.set(changes), 200);
		},
		select(range) {
			this.set(isWhole(model, range) ? { from: "", to: "", zoom: "" } : { from: range.from, to: range.to });
		},
	};

	readWhenAsked(made, "phases", function* phases() {
		return phasesOfProcesses(model);
	});
	return made;
}

// What views will need.
function* allAhead() {
	for (const prefix of Object.keys(app.model.kinds)) {
		yield* readAheadOf(app.model.kinds, prefix);
		yield* orderAhead(app.model.kinds[prefix]);
	}
	yield* readAheadOf(app, "phases");
}

// Read it while nobody waits, in pieces so short that nobody who then acts does.
const AHEAD_MS = 8, PAUSE_MS = 25;

function readAhead() {
	const steps = allAhead();

	function next() {
		const until = performance.now() + AHEAD_MS;
		let done = false;

		while (!done && performance.now() < until)
			done = steps.next().done;
		if (!done)
			setTimeout(next, PAUSE_MS);
	}
	setTimeout(next, PAUSE_MS);
}

function momentField(label, ns, taken) {
	return el("label", {}, label + " ", el("input", { type: "number", min: 0, step: "any", value: secondsOf(app.model, ns), class: "moment",
							  onchange: event => taken(Number(event.target.value)) }), " s");
}

function rangeFields() {
	const { model, range } = app;

	return [
		momentField("from", stepStart(model, range.from), seconds => app.select(beginAt(model, range, seconds))),
		momentField("to", stepStart(model, range.to), seconds => app.select(endAt(model, range, seconds))),
	];
}

// The line below the views' names: the range, and the filters.
function showRange() {
	const { model, range, state } = app;
	const bar = document.getElementById("range");
	const whole = isWhole(model, range);
	const filters = FILTERS.filter(name => state[name] !== undefined);

	bar.hidden = false;
	replace(bar, ...rangeFields(),
		el("span", { class: "hint", id: "snapped" },
		   whole ? "the whole recording; ranges are of whole steps of " + formatDuration(model.step_ns) +
			   ", and exact there"
			 : "snapped to steps of " + formatDuration(model.step_ns) + ", exact there: --time " +
			   timeOption(model, range)),
		whole ? null : el("button", { type: "button", onclick: () => app.select(wholeRange(model)) }, "Whole recording"),
		...filters.map(name => el("button", { type: "button", class: "chip", title: "Take the filter away",
						      onclick: () => app.set({ [name]: "" }) }, name + ": " + state[name] + " ✕")));
}

// What the page is drawn for: what an address, a window and a screen ask for. `data-drawn` has what it was drawn for last, which is
// another one until the browser has told of a change: keys and the mouse would act on what is about to be replaced.
function seenNow() {
	const media = ["(prefers-color-scheme: dark)", "print"].map(one => matchMedia(one).matches);

	return JSON.stringify([location.hash, innerWidth, innerHeight, ...media]);
}

function render(first) {
	const before = app.state, scroll = scrollY;

	app.state = parseState(location.hash);
	if (!VIEWS.includes(app.state.view))
		app.state.view = "overview";
	app.range = rangeOf(app.model, app.state);
	app.passes = lastOf(app, "passes", JSON.stringify(FILTERS.map(name => app.state[name])), () => passesOf(app.model, app.state));
	app.tooltip.hide();
	forgetTheme();
	const focus = findFocus() || app.focus;

	for (const name of VIEWS)
		document.getElementById(name).hidden = name !== app.state.view;
	for (const link of document.querySelectorAll("nav a")) {
		const name = parseState(link.getAttribute("href")).view;

		link.setAttribute("href", formatState({ ...app.state, view: name }));
		if (name === app.state.view)
			link.setAttribute("aria-current", "page");
		else
			link.removeAttribute("aria-current");
	}
	showRange();
	const live = document.querySelector("#" + app.state.view + " .live");

	if (app.state.view === "overview")
		showOverview(app, live);
	else if (app.state.view === "timeline")
		showTimeline(app, live);
	else if (app.state.view === "processes")
		showProcesses(app, live);
	else if (app.state.view === "cpu" || app.state.view === "memory")
		showStacks(app, live, app.state.view);
	restoreFocus(focus);
	app.focus = null;
	scrollTo(0, before.view === app.state.view && first !== true ? scroll : 0);
	document.documentElement.dataset.drawn = seenNow();
}

function fail(text) {
	const note = document.getElementById("failure");

	document.documentElement.classList.remove("scripted");
	note.textContent = text;
	note.hidden = false;
}

async function start() {
	// At once: to lay out tables that nobody will see takes longer than all else.
	document.documentElement.classList.add("scripted");
	if (typeof DecompressionStream !== "function") {
		fail("This browser is too old for all but the tables: it has no DecompressionStream.");
		return;
	}
	const data = document.getElementById("data");
	const model = readModel(await readColumns(data.textContent));

	data.remove();
	app = makeApp(model);
	// A link names a view: the browser has gone to its place among all of them.
	history.scrollRestoration = "manual";
	render(true);
	addEventListener("hashchange", render);
	addEventListener("resize", render);
	// Paper has another width, and no dark theme.
	for (const media of ["(prefers-color-scheme: dark)", "print"])
		matchMedia(media).addEventListener("change", render);
	document.documentElement.dataset.ready = "1";
	readAhead();
}

if (typeof document === "object")
	start().catch(error => fail("The data of this page cannot be read: " + error.message));
