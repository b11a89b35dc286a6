// The overview of what is selected: a range, or processes by filters. What the page was written with, below it, is of the whole
// recording.
"use strict";

const BIGGEST = 10;

// The highest of a kind of memory in a range, of the whole build.
function peakIn(model, kind, range) {
	return highs(kind, model.steps).subarray(range.from, range.to).reduce((most, bytes) => Math.max(most, bytes), 0);
}

// Facts [label, text] about what is selected. The highest is known of the whole build alone.
function selectedFacts(app) {
	const { model, range, passes } = app, { cpu } = model.kinds;
	const ns = stepStart(model, range.to) - stepStart(model, range.from);
	const nr = model.processes.pid.reduce((sum, pid, i) => sum + (passes[i] && ranIn(model, i, range) ? 1 : 0), 0);
	const facts = [["Time", formatDuration(ns)], ["Processes", formatCount(nr)]];

	for (const prefix of ["commit", "touched", "heap"].filter(one => model.kinds[one])) {
		const kind = model.kinds[prefix], held = total(siteSums(kind, "outstanding", range, passes));

		facts.push([KIND_NAMES[prefix], (isFiltered(app) ? "" : "at most " + formatBytes(peakIn(model, kind, range)) + "; ") +
				formatBytes(held) + " held at the end"]);
	}
	if (cpu) {
		const used = total(siteSums(cpu, "cpu", range, passes));

		facts.push(["CPU time", formatDuration(used) + (model.cpus > 0 && ns > 0 ? ", " + formatPercent(used, ns * model.cpus) +
							 " % of " + countOf(model.cpus, "processor", "processors") : "")]);
	}
	return facts;
}

function isFiltered(app) {
	return FILTERS.some(name => app.state[name] !== undefined);
}

// The biggest crates by the values of a map, with their shares of `whole`, if there is one.
function biggestTable(app, caption, title, unit, values, whole) {
	const rows = [...values].filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, BIGGEST);
	const cell = text => el("td", { class: "n" }, text);
	const head = (text, number) => el("th", { scope: "col", class: number ? "n" : null }, text);

	return el("div", { class: "wide" },
		  el("table", {}, el("caption", {}, caption),
		     el("thead", {}, el("tr", {}, head("crate"), head(title, true), whole ? head("%", true) : null)),
		     el("tbody", {}, ...rows.map(([name, value]) =>
			     el("tr", {}, el("td", {}, nameCell(app, "crate", name)), cell(formatValue(unit, value)),
				whole ? cell(formatPercent(value, whole)) : null)))));
}

// The biggest crates: by their highest of the range, or of processes by what they hold at its end.
function biggestCrates(app) {
	const { model, range, passes } = app, { cpu, commit } = model.kinds, tables = [];

	if (commit && !isFiltered(app)) {
		tables.push(biggestTable(app, "Crates with the highest own peaks in the range: they do not add up", "own peak", "bytes",
					 cratePeaks(model, commit, range)));
	} else if (commit) {
		const { keys, sums } = sumsBy(model, commit, "crate", range, passes);

		tables.push(biggestTable(app, "Crates that hold most at the end", "held at end", "bytes",
					 keys.map((name, i) => [name, sums.outstanding_bytes[i]])));
	}
	if (cpu) {
		const { keys, sums } = sumsBy(model, cpu, "crate", range, passes);

		tables.push(biggestTable(app, "Crates with the most CPU time", "CPU time", "ns", keys.map((name, i) => [name, sums.self_ns[i]]),
					 total(sums.self_ns)));
	}
	return el("div", { class: "pair" }, ...tables);
}

function showOverview(app, section) {
	const { model, range } = app;

	if (isWhole(model, range) && !isFiltered(app)) {
		replace(section);
		return;
	}
	replace(section, el("h3", {}, isWhole(model, range) ? "What is selected" : "The range: " + formatMoment(stepStart(model, range.from)) +
				" to " + formatMoment(stepStart(model, range.to))),
		el("dl", {}, ...selectedFacts(app).flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])),
		biggestCrates(app), el("h3", {}, "The whole recording"));
}
