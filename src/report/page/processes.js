// The view of processes: those that ran in the range.
"use strict";

// Whether a process ran in a range. All ran in the whole recording, also those whose times are not known.
function ranIn(model, process, range) {
	const { start_ns, end_ns } = model.processes;
	const start = Math.max(0, start_ns[process]), end = end_ns[process] < 0 ? model.end_ns : end_ns[process];

	return isWhole(model, range) || (end > stepStart(model, range.from) && start < stepStart(model, range.to));
}

function processRows(app) {
	const { model, range, passes } = app;
	const { processes, kinds } = model;
	const cpu = kinds.cpu && processSums(model, kinds.cpu, "cpu", range, passes);
	const held = kinds.commit && processSums(model, kinds.commit, "outstanding", range, passes);
	const size = kinds.commit && processSums(model, kinds.commit, "size", range, passes);
	const known = value => (value < 0 ? null : value);
	const rows = [];
	const matches = makeMatcher(app.state.find);

	for (let i = 0; i < processes.nr; i++) {
		const start = known(processes.start_ns[i]), end = known(processes.end_ns[i]);

		if (!passes[i] || !ranIn(model, i, range))
			continue;
		if (matches && !matches(processes.image[i] + " " + processes.crate[i] + " " + processes.command_line[i]))
			continue;
		rows.push({
			process: i, pid: processes.pid[i], start_ns: start, duration_ns: start === null || end === null ? null : end - start,
			image: processes.image[i], role: processes.role[i], crate: processes.crate[i],
			part: processes.part[i], exit_code: known(processes.exit_code[i]),
			cpu_ns: cpu ? cpu[i] : known(processes.cpu_ns[i]),
			peak_bytes: known(processes.peak_bytes[i]), peak_rss_bytes: known(processes.peak_rss_bytes[i]),
			held_bytes: held ? held[i] : null, size_bytes: size ? size[i] : null,
		});
	}
	return rows;
}

function commandLine(app, row) {
	const details = el("details", {}, el("summary", {}, row.image));

	details.addEventListener("toggle", () => {
		if (details.open && details.childElementCount === 1)
			details.append(el("code", { class: "command" },
					  app.model.processes.command_line[row.process] || "not recorded"));
	});
	return details;
}

// Columns in which no row has anything are left out: mostly nothing is held at the end, and nothing has failed.
function processColumns(app, rows) {
	const text = (key, cell) => ({ key, title: key, text: true, get: row => row[key], cell });
	const columns = [
		number("pid", "pid", "plain", "process id"),
		text("image", row => commandLine(app, row)),
		text("role", row => chip(app, "role", row.role)),
		text("crate", row => chip(app, "crate", row.crate)),
		text("part", row => chip(app, "part", row.part)),
		number("start_ns", "start", "moment", "since the start of the recording"),
		number("duration_ns", "duration", "ns", "from its start to its end"),
		number("cpu_ns", "CPU time", "ns", "in the range, by samples"),
		number("peak_bytes", "own peak", "bytes", "committed, of the whole recording"),
		number("held_bytes", "held at end", "bytes", "committed, at the end of the range"),
		number("size_bytes", "size", "bytes", "committed in the range"),
		number("peak_rss_bytes", "resident", "bytes", "peak, of the whole recording"),
		number("exit_code", "exit", "plain", "exit code"),
	];

	return columns.filter(({ key }) => !["held_bytes", "exit_code"].includes(key) || rows.some(row => row[key]));
}

function showProcesses(app, section) {
	const rows = processRows(app);

	replace(section,
		el("div", { class: "controls" },
		   searchField("Search names and command lines", app.state.find || "", find => app.setSoon({ find }))),
		makeTable({ caption: countOf(rows.length, "process", "processes"), columns: processColumns(app, rows), rows,
			    sort: app.state["sort.processes"] || "-start_ns",
			    sorted: sort => app.set({ "sort.processes": sort }) }));
}
