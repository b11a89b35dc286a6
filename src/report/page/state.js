// What the user has chosen. It is in the fragment of the address, so that a link shows the same, as in
// #cpu;from=3;to=40;sort.cpu=-self_ns
"use strict";

function parseState(hash) {
	const [view, ...rest] = hash.replace(/^#/, "").split(";");
	const state = { view: view || "overview" };

	for (const pair of rest) {
		const at = pair.indexOf("=");

		if (at < 1)
			continue;
		try {
			state[decodeURIComponent(pair.slice(0, at))] = decodeURIComponent(pair.slice(at + 1));
		} catch (error) {
			continue;
		}
	}
	return state;
}

function formatState(state) {
	const pairs = Object.keys(state).filter(key => key !== "view" && state[key] !== undefined && state[key] !== "")
			    .sort().map(key => encodeURIComponent(key) + "=" + encodeURIComponent(state[key]));

	return "#" + [state.view, ...pairs].join(";");
}

// The range of a state, in whole steps of the recording.
function rangeOf(model, state) {
	const from = parseInt(state.from, 10), to = parseInt(state.to, 10);

	if (!(from >= 1) || !(to > from) || to > model.steps)
		return wholeRange(model);
	return { from, to };
}

// Filters of processes: a byte for each process, and one for unknown ones.
const FILTERS = ["role", "part", "crate"];

function passesOf(model, state) {
	const { processes } = model;
	const passes = passAll(model);
	const wanted = FILTERS.filter(name => state[name] !== undefined);

	for (let i = 0; i < processes.nr && wanted.length; i++)
		passes[i] = wanted.every(name => processes[name][i] === state[name]) ? 1 : 0;
	if (wanted.length)
		passes[processes.nr] = 0;
	return passes;
}
