// Lanes of the timeline: processes that run at the same time are in different lanes.
"use strict";

// The lane of each of the processes `list`, by their starts; and the number of lanes.
function findLanes(processes, list, end_ns) {
	const sorted = [...list].sort((a, b) => processes.start_ns[a] - processes.start_ns[b] || a - b);
	const ends = [], lanes = new Map();

	for (const process of sorted) {
		const start = Math.max(0, processes.start_ns[process]);
		const end = processes.end_ns[process] < 0 ? end_ns : processes.end_ns[process];
		let lane = ends.findIndex(at => at <= start);

		if (lane < 0)
			lane = ends.length;
		ends[lane] = end;
		lanes.set(process, lane);
	}
	return { lanes, nr: ends.length };
}

// The crates that held most of a kind of memory in a range, and the group of each process: its crate's place, or the last
// one, for all others.
function groupCrates(model, kind, range, most) {
	const peaks = [...cratePeaks(model, kind, range)].filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]);
	const names = peaks.slice(0, most).map(([name]) => name);
	const groups = new Int32Array(model.processes.nr + 1).fill(names.length);

	for (let i = 0; i < model.processes.nr; i++) {
		const place = names.indexOf(model.processes.crate[i]);

		if (place >= 0)
			groups[i] = place;
	}
	return { names, groups };
}

// The phase in which each process had most CPU time; "" if it had none.
function phasesOfProcesses(model) {
	const kind = model.kinds.cpu, { nr } = model.processes;

	if (!kind)
		return new Array(nr).fill("");
	const { names, of } = keysBy(model, kind, "phase"), sums = new Float64Array((nr + 1) * names.length);
	const { process, site, second } = kind.record;

	for (let i = 0; i < process.length; i++)
		sums[process[i] * names.length + of[site[i]]] += second[i];
	return Array.from({ length: nr }, (_, i) => {
		const own = sums.subarray(i * names.length, (i + 1) * names.length), most = own.reduce((a, b) => Math.max(a, b), 0);

		return most > 0 ? names[own.indexOf(most)] : "";
	});
}
