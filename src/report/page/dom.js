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

// Whether a key is one of the browser's own, such as Alt and an arrow, which goes back.
function isForBrowser(event) {
	return event.altKey || event.ctrlKey || event.metaKey;
}

// What in an element can have the focus, in its order.
function focusableIn(parent) {
	return [...parent.querySelectorAll("a[href], button, input, select, summary, [tabindex]")].filter(one => !one.disabled);
}

// What names such an element: its label, or its text.
function focusName(element) {
	const label = element.labels && element.labels[0];
	const text = label ? [...label.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data).join("")
		: element.dataset.key || element.textContent;

	return element.tagName + " " + (element.getAttribute("aria-label") || text);
}

// Where the focus is, if that is in what is made anew; null: elsewhere.
function findFocus() {
	const focused = document.activeElement, home = focused && focused.closest(".live, #range");

	if (!home)
		return null;
	const name = focusName(focused), all = focusableIn(home);

	return { home, name, nth: all.filter(one => focusName(one) === name).indexOf(focused), at: all.indexOf(focused),
		 cursor: focused.selectionStart };
}

// Give the focus to what took the place of the element that had it: of the same name, else at the same place.
function restoreFocus(place) {
	if (!place || place.home.closest("[hidden]") || place.home.contains(document.activeElement))
		return;
	const all = focusableIn(place.home), same = all.filter(one => focusName(one) === place.name);
	const element = same[Math.max(0, Math.min(place.nth, same.length - 1))] || all[Math.max(0, Math.min(place.at, all.length - 1))];

	if (!element)
		return;
	element.focus({ preventScroll: true });
	if (element.setSelectionRange && typeof place.cursor === "number")
		element.setSelectionRange(place.cursor, place.cursor);
}

// Make a canvas at least so large, and empty; its context is in CSS pixels. To make a large one anew takes longer than to draw in
// it: one that is large enough, and as wide, stays.
function prepareCanvas(canvas, width, height) {
	const scale = window.devicePixelRatio || 1;
	const wide = Math.max(1, Math.round(width * scale)), high = Math.max(1, Math.round(height * scale));

	if (canvas.width !== wide || canvas.height < high) {
		canvas.width = wide;
		canvas.height = high;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	// Drawn by the processor: no picture waits for a graphics card, which not every machine has.
	const context = canvas.getContext("2d", { willReadFrequently: true });

	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	return context;
}

// The colours of the theme, from the variables of the style; asked for once, until forgetTheme().
const themeColors = new Map();

function forgetTheme() {
	themeColors.clear();
}

function themeColor(name) {
	if (!themeColors.has(name))
		themeColors.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
	return themeColors.get(name);
}

// A colour that a text always gets: each new one has a hue far from those of the texts before it.
const hues = new Map();

function colorOf(text) {
	if (!hues.has(text))
		hues.set(text, "hsl(" + Math.round(210 + hues.size * 137.508) % 360 + " " + (hues.size % 2 ? 62 : 48) + "% ");
	return hues.get(text) + themeColor("light") + ")";
}

// The part of a text that fits into a width; "" if that is next to nothing.
function fitText(context, text, width) {
	if (width < 18)
		return "";
	// No letter is narrower: of longer texts the end need not be measured.
	const most = text.slice(0, Math.floor(width / 2)), whole = context.measureText(most).width;

	if (most.length === text.length && whole <= width)
		return text;
	for (let length = Math.floor(most.length * Math.min(1, width / whole)); length > 1; length--) {
		if (context.measureText(most.slice(0, length) + "…").width <= width)
			return most.slice(0, length) + "…";
	}
	return "";
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
