// A table that the user sorts and pages through. Columns are {key, title, help, unit, text, get}: `get(row)` is the value,
// null if it is unknown; `text` columns are texts; `cell(row)` may make the content of a cell.
"use strict";

const ROWS_SHOWN = 50;

function compareValues(a, b, text) {
	if (a === b)
		return 0;
	if (a === null || a === undefined || a === "")
		return 1;
	if (b === null || b === undefined || b === "")
		return -1;
	return text ? (a < b ? -1 : 1) : b - a;
}

// Rows by a column, "key" or "-key" for the other direction; unknown values are last in both.
function sortRows(columns, rows, sort) {
	const turned = sort.startsWith("-");
	const column = columns.find(one => one.key === (turned ? sort.slice(1) : sort)) || columns[0];

	return [...rows].sort((x, y) => {
		const a = column.get(x), b = column.get(y);
		const unknown = value => value === null || value === undefined || value === "";

		if (turned && !unknown(a) && !unknown(b))
			return compareValues(b, a, column.text);
		return compareValues(a, b, column.text);
	});
}

function headingOf(column, sort, sorted) {
	const turned = sort === "-" + column.key, by = turned || sort === column.key;
	const ascending = column.text ? !turned : turned;

	return el("th", { scope: "col", class: column.text ? null : "n", title: column.help,
			  "aria-sort": by ? (ascending ? "ascending" : "descending") : null },
		  el("button", { type: "button", "data-key": column.key,
				 onclick: () => sorted(sort === column.key ? "-" + column.key : column.key) },
		     column.title + (by ? (ascending ? " ▲" : " ▼") : "")));
}

function cellOf(column, row) {
	const value = column.get(row);
	const content = column.cell ? column.cell(row) : column.text ? value || "" : formatValue(column.unit, value);

	return el("td", { class: column.text ? null : "n" }, content);
}

// The table, in an element. options: caption, columns, rows, sort, sorted(sort), extra(row) for a second row.
function makeTable(options) {
	const { columns, rows } = options;
	const sorted = sortRows(columns, rows, options.sort);
	const body = el("tbody", {});
	const more = el("button", { type: "button", onclick: () => show(shown + 10 * ROWS_SHOWN) });
	let shown = 0;

	function show(most) {
		for (; shown < sorted.length && shown < most; shown++)
			body.append(el("tr", {}, ...columns.map(column => cellOf(column, sorted[shown]))));
		more.hidden = shown >= sorted.length;
		more.textContent = "Show more of " + formatCount(sorted.length) + " rows";
	}
	show(ROWS_SHOWN);
	return el("div", { class: "wide" },
		  el("table", {}, el("caption", {}, options.caption),
		     el("thead", {}, el("tr", {}, ...columns.map(one => headingOf(one, options.sort, options.sorted)))),
		     body),
		  more);
}
