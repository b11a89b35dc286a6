// The data of the page: columns of numbers, packed by src/report/page_columns.c.
"use strict";

// The bytes of base64 text.
function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);

	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Read `nr` base-128 numbers from `at` on into `out`. Codings are those of enum page_coding.
function readNumbers(bytes, at, nr, coding, out) {
	let before = 0;

	for (let i = 0; i < nr; i++) {
		let byte = bytes[at++];
		let number = byte & 0x7f;

		for (let shift = 7; byte & 0x80; shift += 7) {
			byte = bytes[at++];
			// Above 28 bits the operators of 32 bits are of no use.
			number = shift < 28 ? number | (byte & 0x7f) << shift : number + (byte & 0x7f) * 2 ** shift;
		}
		if (coding)
			number = number % 2 ? -(number + 1) / 2 : number / 2;
		if (coding === 2)
			number = before += number;
		out[i] = number;
	}
}

// The arrays for the widths of a directory.
const ARRAYS = { 2: Uint16Array, 4: Int32Array, 8: Float64Array };

// Columns by name, each decoded when it is asked for, into the narrowest array that holds it.
function makeColumns(directory, bytes) {
	const places = new Map();
	let at = 0;

	for (const [name, nr, coding, length, width] of directory) {
		places.set(name, { at, nr, coding, length, width });
		at += length;
	}
	function numbers(name) {
		const place = places.get(name);

		if (!place)
			return new Uint16Array(0);
		const out = new ARRAYS[place.width](place.nr);

		readNumbers(bytes, place.at, place.nr, place.coding, out);
		return out;
	}
	return {
		has: name => places.has(name),
		numbers,
		number: name => numbers(name)[0],
		texts: () => decodeTexts(bytes, places.get("texts")),
	};
}

// Each text has the end of a line after it.
function decodeTexts(bytes, place) {
	return new TextDecoder().decode(bytes.subarray(place.at, place.at + place.length)).split("\n").slice(0, place.nr);
}

// The columns of a page, from the text of its element.
async function readColumns(text) {
	const end = text.indexOf("\n");

	return makeColumns(JSON.parse(text.slice(0, end)), await inflate(bytesOfBase64(text.slice(end + 1))));
}
