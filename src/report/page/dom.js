// Elements. Texts of a trace become text nodes, never markup.
"use strict";

// An element with attributes, event handlers ("on..." functions) and children, which are nodes or texts.
function el(name, attributes, ...children) {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			element.addEventListener(key.slice(2), value);
		else if (value === true)
			element.setAttribute(key, "");
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, String(value));
	}
	element.append(...children.filter(one => one !== null && one !== undefined));
	return element;
}

function replace(parent, ...children) {
	parent.replaceChildren(...children.filter(one => one !== null && one !== undefined));
}

// A list of choices [value, text]; `chosen(value)` is called when the user takes another one.
function choice(label, options, value, chosen) {
	const select = el("select", { onchange: () => chosen(select.value) },
			  ...options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)));

	return el("label", {}, label + " ", select);
}

function searchField(label, value, changed) {
	const input = el("input", { type: "search", value, placeholder: label, "aria-label": label,
				    oninput: () => changed(input.value) });

	return input;
}

// A canvas as wide as its parent, and its context in CSS pixels.
function prepareCanvas(canvas, width, height) {
	const scale = window.devicePixelRatio || 1;

	canvas.width = Math.max(1, Math.round(width * scale));
	canvas.height = Math.max(1, Math.round(height * scale));
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	const context = canvas.getContext("2d");

	context.scale(scale, scale);
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	return context;
}

// The colours of the theme, from the variables of the style.
function themeColor(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// A colour that a text always gets: each new one has a hue far from those of the texts before it.
const hues = new Map();

function colorOf(text) {
	if (!hues.has(text))
		hues.set(text, hues.size);
	const number = hues.get(text), dark = matchMedia("(prefers-color-scheme: dark)").matches;

	return "hsl(" + Math.round(210 + number * 137.508) % 360 + " " + (number % 2 ? 62 : 48) + "% " +
	       (dark ? 34 : 72) + "%)";
}

// The part of a text that fits into a width; "" if that is next to nothing.
function fitText(context, text, width) {
	if (width < 18)
		return "";
	const most = Math.floor(width / 6);

	if (text.length <= most && context.measureText(text).width <= width)
		return text;
	let cut = text.slice(0, most);

	while (cut.length > 1 && context.measureText(cut + "…").width > width)
		cut = cut.slice(0, -1);
	return cut.length > 1 ? cut + "…" : "";
}

// The tooltip of canvases: lines of text next to the pointer.
function makeTooltip() {
	const box = el("div", { id: "tooltip", role: "status", hidden: true });

	document.body.append(box);
	return {
		show(event, lines) {
			replace(box, ...lines.map(line => el("div", {}, line)));
			box.hidden = false;
			const left = Math.min(event.clientX + 12, innerWidth - box.offsetWidth - 8);
			const top = event.clientY + 16 + box.offsetHeight > innerHeight
				? event.clientY - box.offsetHeight - 8 : event.clientY + 16;

			box.style.left = Math.max(0, left) + "px";
			box.style.top = Math.max(0, top) + "px";
		},
		hide() {
			box.hidden = true;
		},
	};
}

// What matches a search: a part of the text in any case, or /a regular expression/.
function makeMatcher(search) {
	if (!search)
		return null;
	const found = /^\/(.+)\/$/.exec(search);

	if (found) {
		try {
			const pattern = new RegExp(found[1], "i");

			return text => pattern.test(text);
		} catch (error) {
			return () => false;
		}
	}
	const word = search.toLowerCase();

	return text => text.toLowerCase().includes(word);
}
