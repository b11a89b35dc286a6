// Numbers as people read them, in the units of the command line (src/util/text.c).
"use strict";

// Of a number in the middle of two the even one, as C has it: toFixed() takes the larger one.
function toFixed(value, digits) {
	const text = value.toFixed(digits), exact = value.toFixed(60), end = exact.indexOf(".") + (digits ? 1 + digits : 0);
	const below = exact.slice(0, end);

	return /^\.?50*$/.test(exact.slice(end)) && Number(below.at(-1)) % 2 === 0 ? below : text;
}

function formatScaled(value, unit) {
	return toFixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + " " + unit;
}

function formatBytes(bytes) {
	const units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"], sign = bytes < 0 ? "-" : "";
	let value = Math.abs(bytes), unit = 0;

	while (value >= 999.5 && unit < units.length - 1) {
		value /= 1024;
		unit++;
	}
	return sign + (unit ? formatScaled(value, units[unit]) : value + " B");
}

function formatDuration(ns) {
	const size = Math.abs(ns), sign = ns < 0 ? "-" : "";

	if (!size)
		return "0 s";
	if (size < 1e3)
		return sign + size + " ns";
	if (size < 999.5e3)
		return sign + formatScaled(size / 1e3, "us");
	if (size < 999.5e6)
		return sign + formatScaled(size / 1e6, "ms");
	if (size < 99.5e9)
		return sign + formatScaled(size / 1e9, "s");
	const seconds = Math.round(size / 1e9), minutes = Math.floor(seconds / 60), two = n => String(n).padStart(2, "0");

	if (minutes < 60)
		return sign + minutes + "m " + two(seconds % 60) + "s";
	return sign + Math.floor(minutes / 60) + "h " + two(minutes % 60) + "m " + two(seconds % 60) + "s";
}

// A moment of the recording, as --time takes it.
function formatMoment(ns) {
	const ms = Math.round(ns / 1e6), minutes = Math.floor(ms / 60000);
	const seconds = (ms % 60000 / 1000).toFixed(3).replace(/\.?0+$/, "");

	return minutes ? minutes + "m" + (seconds.indexOf(".") === 1 || seconds.length === 1 ? "0" : "") + seconds + "s"
		       : seconds + "s";
}

function formatCount(number) {
	return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function countOf(number, one, many) {
	return formatCount(number) + " " + (number === 1 ? one : many);
}

function formatPercent(part, whole) {
	if (!whole)
		return "";
	const percent = 100 * part / whole;

	return Math.abs(percent) >= 0.05 || !percent ? toFixed(percent, 1) : percent < 0 ? ">-0.1" : "<0.1";
}

function formatValue(unit, value) {
	if (value === null || value === undefined)
		return "";
	if (unit === "ns")
		return formatDuration(value);
	if (unit === "bytes")
		return formatBytes(value);
	if (unit === "moment")
		return formatMoment(value);
	if (unit === "percent")
		return formatPercent(value, 100);
	return unit === "count" ? formatCount(value) : String(value);
}

// Ticks of an axis: round times between two moments, about `most` of them.
function timeTicks(from, to, most) {
	const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3,
		       1800e3, 3600e3, 7200e3].map(ms => ms * 1e6);
	const step = steps.find(one => (to - from) / one <= most) || steps[steps.length - 1] * 12;
	const ticks = [];

	for (let at = Math.ceil(from / step) * step; at <= to; at += step)
		ticks.push(at);
	return ticks;
}
