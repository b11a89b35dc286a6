// A table that the user sorts and pages through. Columns are {key, title, help, unit, text, get}: `get(row)` is the value,
// null if it is unknown; `text` columns are texts; `cell(row)` may make the content of a cell. Rows are what `get` takes.
"use strict";

const ROWS_SHOWN = 50;

function isUnknown(value) {
	return value === null || value === undefined || value === "";
}

// The first `most` places of the order in which `compare` sorts numbers; equal ones are in their order.
function firstByNumber(numbers, descending, most) {
	const sorted = numbers.slice().sort(), last = sorted[descending ? Math.max(0, sorted.length - most) : Math.min(most, sorted.length) - 1];
	const places = [];

	// Only those up to the last one that is wanted are sorted with their places.
	for (let i = 0; i < numbers.length; i++) {
		if (descending ? numbers[i] >= last : numbers[i] <= last)
			places.push(i);
	}
	return places.sort((a, b) => (descending ? numbers[b] - numbers[a] : numbers[a] - numbers[b]) || a - b).slice(0, most);
}

// The first `most` rows by a column, "key" or "-key" for the other direction: numbers from the largest on, texts by the alphabet.
// Unknown values are last in both.
function firstRows(columns, rows, sort, most) {
	const turned = sort.startsWith("-");
	const column = columns.find(one => one.key === (turned ? sort.slice(1) : sort)) || columns[0];
	const known = [], unknown = [], values = [];

	for (const row of rows) {
		const value = column.get(row);

		(isUnknown(value) ? unknown : known).push(row);
		if (!isUnknown(value))
			values.push(value);
	}
	const places = column.text ? [...values.keys()].sort((a, b) => (values[a] === values[b] ? a - b : (values[a] < values[b]) === !turned ? -1 : 1))
		: firstByNumber(Float64Array.from(values), !turned, most);

	return [...places.map(place => known[place]), ...unknown].slice(0, most);
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

// The table, in an element. options: caption, columns, rows, sort, sorted(sort).
function makeTable(options) {
	const { columns, rows, sort } = options;
	const body = el("tbody", {});
	const more = el("button", { type: "button", onclick: () => show(shown + 10 * ROWS_SHOWN) });
	let shown = 0;

	function show(most) {
		for (const row of firstRows(columns, rows, sort, most).slice(shown))
			body.append(el("tr", {}, ...columns.map(column => cellOf(column, row))));
		shown = Math.min(most, rows.length);
		more.hidden = shown >= rows.length;
		more.textContent = "Show more of " + formatCount(rows.length) + " rows";
	}
	show(ROWS_SHOWN);
	return el("div", { class: "wide" },
		  el("table", {}, el("caption", {}, options.caption),
		     el("thead", {}, el("tr", {}, ...columns.map(one => headingOf(one, sort, options.sorted)))),
		     body),
		  more);
}
