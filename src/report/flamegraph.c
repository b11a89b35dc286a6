#include "report/flamegraph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/export_format.h"
#include "report/frame_kind.h"
#include "report/svg.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/wrap.h"

/*
 * Number of colours for Rust crates, classes r0, r1, ...; the name of a crate selects the colour, so it is the same
 * in every graph.
 */
#define FLAME_HUES 24

/* From yellow over green to turquoise, two tones of each: red, blue and grey are for code that is not Rust. */
static const char *const flame_hues[FLAME_HUES] = {
	"#f0b66c", "#f5cd94", "#f2c35a", "#f7d98a", "#eccf52", "#f3e08b", "#dcd455", "#e8e28e",
	"#c8d65c", "#dbe596", "#b1d566", "#cce59a", "#98d272", "#b9e2a0", "#80ce80", "#a9e0a9",
	"#76cd97", "#a2e0b9", "#74ccae", "#a3e0cb", "#7accc2", "#abe1da", "#f0a96f", "#f5c499",
};

static const char *const flame_style[] = {
	".flame { font: 11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace;",
	"  background: #fff; color: #222 }",
	".flame text { fill: #222 }",
	".flame .heading { font: bold 16px system-ui, sans-serif }",
	".flame .note, .flame .key text, .flame .button { font: 12px system-ui, sans-serif }",
	".flame .note { fill: #555 }",
	".flame .button { fill: #1a56b0; cursor: pointer }",
	".flame .button:hover { text-decoration: underline }",
	".flame .back { fill: #fff }",
	".flame .live { visibility: hidden }",
	".flame .frames text { pointer-events: none }",
	".flame .frames rect { stroke: #fff; stroke-opacity: .7; stroke-width: .5 }",
	".flame .frames g { cursor: pointer }",
	".flame .frames g:hover rect { stroke: #222; stroke-opacity: 1; stroke-width: 1 }",
	".flame .frames g:focus { outline: none }",
	".flame .frames g:focus-visible rect { stroke: #1a56b0; stroke-opacity: 1; stroke-width: 3 "
	"}",
	".flame .button:focus-visible { outline: 2px solid #1a56b0 }",
	".flame .frames g.up { opacity: .55 }",
	".flame .frames g.match rect, .flame .match { fill: #e35cf0 }",
	".flame input { box-sizing: border-box; width: 100%; font: 12px system-ui, sans-serif }",
	".flame .llvm { fill: #90b4ea } .flame .kernel { fill: #b8aede }",
	".flame .alloc { fill: #ec8078 } .flame .native { fill: #d4ccba }",
	".flame .unnamed { fill: #d9d9d9 } .flame .process { fill: #a9bcc8 }",
	".flame .special { fill: #ececec }",
	".flame .same { fill: #ececec }",
	".flame .grew1 { fill: #fbe3dc } .flame .grew2 { fill: #f6bfb0 }",
	".flame .grew3 { fill: #ee9480 } .flame .grew4 { fill: #e36a55 }",
	".flame .shrank1 { fill: #dfe9f6 } .flame .shrank2 { fill: #b9d1ee }",
	".flame .shrank3 { fill: #8fb6e4 } .flame .shrank4 { fill: #6697d6 }",
	NULL,
};

/*
 * The script reads the geometry from the drawn frames: x and width as shares of the root. So a zoom or another width
 * of the window is one multiplication for each.
 */
static const char *const flame_script[] = {
	"(function () {",
	"'use strict';",
	"var script = document.currentScript;",
	"var svg = script && script.ownerSVGElement || document.querySelector('svg.flame');",
	"var alone = document.documentElement === svg;",
	"var PAD = 10, DRAWN = 1180, ROW = 17, LETTER = 6.63, NEAR = 1e-7;",
	"var width = 1200, height = +svg.getAttribute('height');",
	"function part(name) { return svg.querySelector('.' + name); }",
	"var details = part('details'), matched = part('matched'), reset = part('reset');",
	"var header = part('header'), box = part('search');",
	"var input = box.querySelector('input');",
	"var frames = Array.prototype.map.call(svg.querySelectorAll('.frames > g'), function (g) {",
	"  var rect = g.querySelector('rect'), title = g.querySelector('title').textContent;",
	"  var cut = title.lastIndexOf(' (');",
	"  g.frame = { g: g, rect: rect, text: g.querySelector('text'),",
	"    name: title.slice(0, cut), value: title.slice(cut + 2, -1),",
	"    x: (rect.getAttribute('x') - PAD) / DRAWN, w: rect.getAttribute('width') / DRAWN,",
	"    y: +rect.getAttribute('y') };",
	"  return g.frame;",
	"});",
	"var root = frames[0], zoomed = root, current = root;",
	"",
	"function rows(f) {",
	"  return Math.abs(f.y - root.y);",
	"}",
	"function is_inside(f, z) {",
	"  return rows(f) >= rows(z) && f.x >= z.x - NEAR && f.x + f.w <= z.x + z.w + NEAR;",
	"}",
	"function is_below(f, z) {",
	"  return rows(f) < rows(z) && f.x <= z.x + NEAR && f.x + f.w >= z.x + z.w - NEAR;",
	"}",
	"function set_label(f, x, w) {",
	"  var room = Math.floor((w - 6) / LETTER), label = f.name;",
	"  if (room < 3) {",
	"    if (f.text) f.text.textContent = '';",
	"    return;",
	"  }",
	"  if (!f.text) {",
	"    f.text = document.createElementNS(svg.namespaceURI, 'text');",
	"    f.text.setAttribute('y', f.y + 12);",
	"    f.g.appendChild(f.text);",
	"  }",
	"  if (label.length > room) label = label.slice(0, room - 1) + '\\u2026';",
	"  f.text.setAttribute('x', x + 3);",
	"  f.text.textContent = label;",
	"}",
	"function place(f, x, w) {",
	"  x = PAD + x * (width - 2 * PAD);",
	"  w = w * (width - 2 * PAD);",
	"  f.rect.setAttribute('x', x);",
	"  f.rect.setAttribute('width', w);",
	"  set_label(f, x, w);",
	"}",
	"function draw() {",
	"  frames.forEach(function (f) {",
	"    var below = is_below(f, zoomed), shown = below || is_inside(f, zoomed);",
	"    f.g.style.display = shown ? '' : 'none';",
	"    f.g.classList.toggle('up', below);",
	"    if (below) place(f, 0, 1);",
	"    else if (shown) place(f, (f.x - zoomed.x) / zoomed.w, f.w / zoomed.w);",
	"  });",
	"  reset.style.visibility = zoomed === root ? '' : 'visible';",
	"}",
	"function percent(share) { return (100 * share).toFixed(2) + '%'; }",
	"",
	"/* What is within what was counted is not counted again. */",
	"function sum_matches(found) {",
	"  var end = -1, sum = 0;",
	"  found.sort(function (a, b) { return a.x - b.x || b.w - a.w; });",
	"  found.forEach(function (f) {",
	"    if (f.x < end - NEAR) return;",
	"    sum += f.w;",
	"    end = f.x + f.w;",
	"  });",
	"  return sum;",
	"}",
	"/* A pattern in lower case finds both; what is no pattern is text. */",
	"function pattern_of(words) {",
	"  var flags = words === words.toLowerCase() ? 'i' : '';",
	"  try { return new RegExp(words, flags); } catch (e) {",
	"    return new RegExp(words.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&'), flags);",
	"  }",
	"}",
	"function search(words) {",
	"  var pattern = words && pattern_of(words), found = [];",
	"  frames.forEach(function (f) {",
	"    var match = !!pattern && f !== root && pattern.test(f.name);",
	"    f.g.classList.toggle('match', match);",
	"    if (match && is_inside(f, zoomed)) found.push(f);",
	"  });",
	"  matched.textContent = pattern ? 'matched ' + percent(sum_matches(found) / zoomed.w) +",
	"    (zoomed === root ? '' : ' of the zoomed frame') : '';",
	"}",
	"/* Tab goes to one frame, arrow keys from there to others. */",
	"function set_current(f) {",
	"  current.g.setAttribute('tabindex', -1);",
	"  current = f;",
	"  f.g.setAttribute('tabindex', 0);",
	"  f.g.setAttribute('role', 'button');",
	"  f.g.setAttribute('aria-label', f.name + ': ' + f.value);",
	"}",
	"function is_shown(f) { return f.g.style.display !== 'none'; }",
	"/* Up and down are what one sees: the root may be above or below. */",
	"function next_to(f, key) {",
	"  var by = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0;",
	"  var found = null;",
	"  frames.forEach(function (o) {",
	"    if (!is_shown(o) || Math.sign(o.y - f.y) !== by) return;",
	"    if (by && (Math.abs(rows(o) - rows(f)) > ROW || !is_inside(o, f) && !is_below(o, f)) "
	"||",
	"        !by && (key === 'ArrowLeft' ? o.x >= f.x : o.x <= f.x)) return;",
	"    if (!found || (key === 'ArrowLeft' ? o.x > found.x : o.x < found.x)) found = o;",
	"  });",
	"  return found;",
	"}",
	"function press(e) {",
	"  var f = frame_of(e.target), next;",
	"  if (!f && e.target !== svg || e.altKey || e.ctrlKey || e.metaKey) return;",
	"  if (f && (e.key === 'Enter' || e.key === ' ')) {",
	"    zoom(f);",
	"  } else if (/^Arrow/.test(e.key)) {",
	"    /* Browsers give the focus to the whole graph before. */",
	"    next = f ? next_to(f, e.key) : current;",
	"    if (next) {",
	"      set_current(next);",
	"      next.g.focus();",
	"    }",
	"  } else {",
	"    return;",
	"  }",
	"  e.preventDefault();",
	"}",
	"function zoom(f) {",
	"  zoomed = f;",
	"  set_current(f);",
	"  draw();",
	"  search(input.value);",
	"}",
	"function reset_all() {",
	"  input.value = '';",
	"  input.blur();",
	"  zoom(root);",
	"}",
	"",
	"function frame_of(target) {",
	"  var g = target.closest && target.closest('.frames > g');",
	"  return g && svg.contains(g) ? g.frame : null;",
	"}",
	"function show_details(f) {",
	"  details.textContent = !f ? '' : f.name + ': ' + f.value + (zoomed === root ? '' :",
	"    ', ' + percent(Math.min(1, f.w / zoomed.w)) + ' of the zoomed frame');",
	"}",
	"/* The header stays in sight where the graph is higher than the window. */",
	"function follow() {",
	"  var top = Math.max(0, -svg.getBoundingClientRect().top);",
	"  header.setAttribute('transform', 'translate(0,' + Math.min(top, height - 100) + ')');",
	"}",
	"function resize() {",
	"  var room = alone ? window.innerWidth : svg.parentNode.clientWidth;",
	"  if (alone && height > window.innerHeight)",
	"    room = document.documentElement.clientWidth || room - 16;",
	"  width = Math.max(480, room || 1200);",
	"  svg.setAttribute('width', width);",
	"  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);",
	"  box.setAttribute('x', width - PAD - 230);",
	"  matched.setAttribute('x', width - PAD);",
	"  reset.setAttribute('x', width - PAD);",
	"  draw();",
	"}",
	"",
	"svg.addEventListener('click', function (e) {",
	"  var f = frame_of(e.target);",
	"  if (f) zoom(f);",
	"});",
	"svg.addEventListener('mouseover', function (e) { show_details(frame_of(e.target)); });",
	"svg.addEventListener('focusin', function (e) { show_details(frame_of(e.target)); });",
	"svg.addEventListener('keydown', press);",
	"reset.addEventListener('click', function () { zoom(root); });",
	"reset.addEventListener('keydown', function (e) {",
	"  if (e.key !== 'Enter' && e.key !== ' ') return;",
	"  e.preventDefault();",
	"  zoom(root);",
	"  root.g.focus();",
	"});",
	"input.addEventListener('input', function () { search(input.value); });",
	"document.addEventListener('keydown', function (e) {",
	"  if (e.key === 'Escape') {",
	"    reset_all();",
	"  } else if (alone && document.activeElement !== input &&",
	"      (e.key === 'F3' || (e.ctrlKey || e.metaKey) && e.key === 'f')) {",
	"    input.focus();",
	"    e.preventDefault();",
	"  }",
	"});",
	"window.addEventListener('resize', resize);",
	"window.addEventListener('scroll', follow);",
	"box.style.visibility = 'visible';",
	"reset.setAttribute('tabindex', 0);",
	"part('frames').setAttribute('role', 'group');",
	"part('frames').setAttribute('aria-label', 'Frames: arrow keys move, Enter zooms, Escape "
	"resets');",
	"set_current(root);",
	"resize();",
	"if (alone) window.scrollTo(0, height);",
	"follow();",
	"})();",
	NULL,
};

/* The smallest total with which at most `max_frames` are drawn. */
static int64_t raise_least(const int64_t *totals, size_t nr, int64_t least, size_t max_frames)
{
	int64_t *wide = xcalloc(nr, sizeof(*wide));
	size_t wide_nr = 0;

	for (size_t i = 1; i < nr; i++) {
		if (totals[i] >= least)
			wide[wide_nr++] = totals[i];
	}
	least = svg_least(wide, wide_nr, max_frames, least);
	free(wide);
	return least;
}

struct ordered {
	uint32_t parent, rank, node;
};

static int compare_ordered(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The drawn nodes without the root, sorted by parent and name. */
static struct ordered *order_drawn(const struct frame_tree *tree, const int64_t *totals,
				   int64_t least, size_t *nr)
{
	struct ordered *drawn = xcalloc(tree->nodes_nr, sizeof(*drawn));
	uint32_t *ranks = frame_tree_ranks(tree);

	*nr = 0;
	for (size_t i = 1; i < tree->nodes_nr; i++) {
		if (totals[i] >= least)
			drawn[(*nr)++] =
				(struct ordered){ tree->nodes[i].parent, ranks[tree->nodes[i].name],
						  (uint32_t)i };
	}
	if (*nr)
		qsort(drawn, *nr, sizeof(*drawn), compare_ordered);
	free(ranks);
	return drawn;
}

/*
 * The index of a parent is smaller than those of its children, and `drawn` is sorted by it: so the position of a parent is
 * known before its children need it.
 */
static void set_positions(struct flame_layout *layout, const struct ordered *drawn, size_t drawn_nr,
			  const int64_t *totals, size_t nodes_nr)
{
	uint32_t *frame_of = xcalloc(nodes_nr, sizeof(*frame_of));
	int64_t next = 0;

	layout->v[0] = (struct flame_frame){ FRAME_TREE_ROOT, 0, 0, totals[FRAME_TREE_ROOT] };
	layout->nr = 1;
	for (size_t i = 0; i < drawn_nr; i++) {
		const struct flame_frame *parent = &layout->v[frame_of[drawn[i].parent]];
		struct flame_frame *frame = &layout->v[layout->nr];

		if (!i || drawn[i].parent != drawn[i - 1].parent)
			next = parent->start;
		*frame = (struct flame_frame){ drawn[i].node, parent->depth + 1, next,
					       totals[drawn[i].node] };
		next += frame->total;
		if (frame->depth > layout->depth)
			layout->depth = frame->depth;
		frame_of[drawn[i].node] = (uint32_t)layout->nr++;
	}
	free(frame_of);
}

void flame_layout_init(struct flame_layout *layout, const struct frame_tree *tree, int64_t least,
		       size_t max_frames)
{
	int64_t *totals = frame_tree_totals(tree);
	struct ordered *drawn;
	size_t drawn_nr, valued = 0;

	*layout = (struct flame_layout){ .least = least > 1 ? least : 1 };
	layout->least = raise_least(totals, tree->nodes_nr, layout->least, max_frames);
	drawn = order_drawn(tree, totals, layout->least, &drawn_nr);
	layout->v = xcalloc(drawn_nr + 1, sizeof(*layout->v));
	set_positions(layout, drawn, drawn_nr, totals, tree->nodes_nr);
	for (size_t i = 1; i < tree->nodes_nr; i++)
		valued += totals[i] > 0;
	layout->narrow = valued - drawn_nr;
	free(drawn);
	free(totals);
}

void flame_layout_release(struct flame_layout *layout)
{
	free(layout->v);
	*layout = (struct flame_layout){ 0 };
}

/* Pixels. The script repeats them, and the position of a label in its frame. */
#define WIDTH  1200
#define PAD    10
#define DRAWN  (WIDTH - 2 * PAD)
#define HEADER 92
#define ROW    17
#define LETTER 6.63

struct flamegraph {
	const struct frame_tree *tree;
	const struct flame_options *options;
	struct flame_layout layout;
	int64_t height;
	FILE *out;
	struct strbuf sb;
};

static const struct {
	const char *css, *legend; /* legend NULL: not in the legend */
} kinds[FRAME_KINDS] = {
	[FRAME_RUST] = { NULL, "Rust, by crate" },
	[FRAME_LLVM] = { "llvm", "LLVM" },
	[FRAME_NATIVE] = { "native", "C, C++" },
	[FRAME_ALLOCATOR] = { "alloc", "allocator" },
	[FRAME_KERNEL] = { "kernel", "kernel" },
	[FRAME_UNNAMED] = { "unnamed", "without symbols" },
	[FRAME_PROCESS] = { "process", "process" },
	[FRAME_SPECIAL] = { "special", NULL },
};

static double share(const struct flamegraph *graph, int64_t value)
{
	return graph->tree->total ? (double)value / (double)graph->tree->total : 1;
}

static const char *name_of(const struct flamegraph *graph, uint32_t node)
{
	if (node != FRAME_TREE_ROOT)
		return frame_tree_text(graph->tree, node);
	return graph->options->root ? graph->options->root : "all";
}

static enum frame_kind kind_of(const struct flamegraph *graph, uint32_t node)
{
	const struct frame_name *name;

	if (node == FRAME_TREE_ROOT)
		return FRAME_PROCESS;
	name = &graph->tree->names[graph->tree->nodes[node].name];
	return name->kind ? name->kind : frame_kind_guess(name->text);
}

/* A crate has the same colour in every graph. */
static unsigned int hue_of(const char *name)
{
	uint32_t hash = 0x811c9dc5; /* FNV-1a */
	const char *crate;
	size_t len;

	crate = frame_kind_crate(name, &len);
	if (!crate) {
		crate = name;
		len = strlen(name);
	}
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)crate[i]) * 0x01000193;
	return (hash ^ hash >> 16) % FLAME_HUES;
}

/* From which share of the larger side on a change has a stronger colour, in percent. */
static const int change_shares[] = { 1, 5, 20, 50 };

static void add_change_class(struct flamegraph *graph, const struct flame_sides *sides)
{
	double larger = (double)(sides->base > sides->new ? sides->base : sides->new);
	double apart = (double)sides->new - (double)sides->base;
	double percent = larger > 0 ? 100 * (apart < 0 ? -apart : apart) / larger : 0;
	int strength = 0;

	while (strength < (int)ARRAY_SIZE(change_shares) && percent >= change_shares[strength])
		strength++;
	if (strength)
		strbuf_addf(&graph->sb, "%s%d", apart > 0 ? "grew" : "shrank", strength);
	else
		strbuf_adds(&graph->sb, "same");
}

static void add_class(struct flamegraph *graph, uint32_t node)
{
	enum frame_kind kind = kind_of(graph, node);

	if (graph->options->sides)
		add_change_class(graph, &graph->options->sides[node]);
	else if (kinds[kind].css)
		strbuf_adds(&graph->sb, kinds[kind].css);
	else
		strbuf_addf(&graph->sb, "r%u", hue_of(name_of(graph, node)));
}

static void add_label(struct flamegraph *graph, const char *name, double x, double width, int64_t y)
{
	double room = (width - 6) / LETTER;

	if (room < 3)
		return;
	strbuf_adds(&graph->sb, "<text x=\"");
	svg_add_pixels(&graph->sb, x + 3);
	strbuf_addf(&graph->sb, "\" y=\"%lld\">", (long long)y + 12);
	svg_add_cut(&graph->sb, name, (size_t)room);
	strbuf_adds(&graph->sb, "</text>");
}

static void flush(struct flamegraph *graph)
{
	fwrite(graph->sb.buf, 1, graph->sb.len, graph->out);
	strbuf_clear(&graph->sb);
}

/* What a frame has: its value and its share of the whole, or both sides and the change. */
static void add_value(struct flamegraph *graph, const struct flame_frame *frame)
{
	const struct flame_sides *sides = graph->options->sides;
	enum column_type unit = graph->options->unit;
	struct strbuf *sb = &graph->sb;
	int64_t change;

	if (!sides) {
		table_add_number(sb, unit, frame->total);
		strbuf_addf(sb, ", %.2f%%", 100 * share(graph, frame->total));
		return;
	}
	sides += frame->node;
	change = wrap_subtract(sides->new, sides->base);
	table_add_number(sb, unit, sides->base);
	strbuf_adds(sb, " -> ");
	table_add_number(sb, unit, sides->new);
	if (!change) {
		strbuf_adds(sb, ", no change");
		return;
	}
	strbuf_adds(sb, change < 0 ? ", -" : ", +");
	table_add_number(sb, unit, change < 0 ? wrap_subtract(0, change) : change);
}

static void write_frame(struct flamegraph *graph, const struct flame_frame *frame)
{
	const char *name = name_of(graph, frame->node);
	double x = PAD + DRAWN * (graph->tree->total ? share(graph, frame->start) : 0);
	double width = DRAWN * share(graph, frame->total);
	uint32_t row =
		graph->options->root_first ? frame->depth : graph->layout.depth - frame->depth;
	int64_t y = HEADER + (int64_t)row * ROW;
	struct strbuf *sb = &graph->sb;

	strbuf_adds(sb, "<g class=\"");
	add_class(graph, frame->node);
	strbuf_adds(sb, "\"><title>");
	svg_add_text(sb, name);
	strbuf_adds(sb, " (");
	add_value(graph, frame);
	strbuf_adds(sb, ")</title><rect x=\"");
	svg_add_pixels(sb, x);
	strbuf_addf(sb, "\" y=\"%lld\" width=\"", (long long)y);
	svg_add_pixels(sb, width);
	strbuf_addf(sb, "\" height=\"%d\"/>", ROW - 1);
	add_label(graph, name, x, width, y);
	strbuf_adds(sb, "</g>\n");
	flush(graph);
}

static void add_lines(struct strbuf *sb, const char *const *lines)
{
	strbuf_addc(sb, '\n');
	for (; *lines; lines++)
		strbuf_addf(sb, "%s\n", *lines);
}

void flamegraph_add_script(struct strbuf *sb)
{
	add_lines(sb, flame_script);
}

void flamegraph_add_style(struct strbuf *sb)
{
	add_lines(sb, flame_style);
	for (int i = 0; i < FLAME_HUES; i++)
		strbuf_addf(sb, ".flame .r%d { fill: %s }\n", i, flame_hues[i]);
}

static void write_start(struct flamegraph *graph)
{
	struct strbuf *sb = &graph->sb;

	if (!graph->options->fragment)
		strbuf_adds(sb, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
	strbuf_addf(sb,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%d\" "
		    "height=\"%lld\" viewBox=\"0 0 %d %lld\" role=\"figure\" aria-label=\"",
		    WIDTH, (long long)graph->height, WIDTH, (long long)graph->height);
	svg_add_text(sb, graph->options->title);
	strbuf_adds(sb, "\">\n<style>");
	flamegraph_add_style(sb);
	strbuf_adds(sb, "</style>\n");
	flush(graph);
	fprintf(graph->out, "<rect class=\"back\" width=\"100%%\" height=\"%lld\"/>\n",
		(long long)graph->height);
}

/* Add the note with the total and what is missing in the graph. */
static void add_note(struct flamegraph *graph)
{
	struct strbuf *sb = &graph->sb;

	if (graph->options->subtitle) {
		svg_add_text(sb, graph->options->subtitle);
		strbuf_adds(sb, "; ");
	}
	if (!graph->tree->total)
		strbuf_adds(sb, "nothing to show");
	else if (graph->options->sides)
		add_value(graph, &graph->layout.v[0]);
	else
		table_add_number(sb, graph->options->unit, graph->tree->total);
	if (graph->layout.narrow)
		strbuf_addf(sb, " (%zu narrow frame%s not drawn)", graph->layout.narrow,
			    graph->layout.narrow > 1 ? "s" : "");
}

/* The colours of a comparison. */
static void add_change_legend(struct flamegraph *graph)
{
	int x = PAD;

	strbuf_adds(&graph->sb, "<g class=\"key\">");
	for (int i = -(int)ARRAY_SIZE(change_shares); i <= (int)ARRAY_SIZE(change_shares); i++) {
		strbuf_addf(&graph->sb,
			    "<rect x=\"%d\" y=\"72\" width=\"10\" height=\"10\" class=\"", x);
		if (i)
			strbuf_addf(&graph->sb, "%s%d\"/>", i > 0 ? "grew" : "shrank",
				    i > 0 ? i : -i);
		else
			strbuf_adds(&graph->sb, "same\"/>");
		x += 11;
	}
	strbuf_addf(&graph->sb,
		    "<text x=\"%d\" y=\"81\">shrank .. grew; a frame is as wide as the mean of "
		    "both sides</text></g>\n",
		    x + 3);
}

/* Add a legend of the kinds that are drawn. */
static void add_legend(struct flamegraph *graph)
{
	bool drawn[FRAME_KINDS] = { false };
	int x = PAD;

	if (graph->options->sides) {
		add_change_legend(graph);
		return;
	}
	for (size_t i = 1; i < graph->layout.nr; i++)
		drawn[kind_of(graph, graph->layout.v[i].node)] = true;
	strbuf_adds(&graph->sb, "<g class=\"key\">");
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		if (!drawn[kind] || !kinds[kind].legend)
			continue;
		for (int i = 0; i < (kinds[kind].css ? 1 : 3); i++) {
			strbuf_addf(&graph->sb,
				    "<rect x=\"%d\" y=\"72\" width=\"10\" height=\"10\" ", x);
			if (kinds[kind].css)
				strbuf_addf(&graph->sb, "class=\"%s\"/>", kinds[kind].css);
			else
				strbuf_addf(&graph->sb, "class=\"r%d\"/>", 2 + i * 8);
			x += 11;
		}
		strbuf_addf(&graph->sb, "<text x=\"%d\" y=\"81\">%s</text>", x + 3,
			    kinds[kind].legend);
		x += 18 + 6 * (int)strlen(kinds[kind].legend);
	}
	strbuf_adds(&graph->sb, "</g>\n");
}

static void write_header(struct flamegraph *graph)
{
	struct strbuf *sb = &graph->sb;

	strbuf_addf(sb,
		    "<g class=\"header\">\n<rect class=\"back\" width=\"100%%\" height=\"%d\"/>\n"
		    "<text class=\"heading\" x=\"%d\" y=\"24\">",
		    HEADER - 4, PAD);
	svg_add_text(sb, graph->options->title);
	strbuf_addf(sb, "</text>\n<text class=\"note\" x=\"%d\" y=\"43\">", PAD);
	add_note(graph);
	strbuf_addf(sb, "</text>\n<text class=\"details\" x=\"%d\" y=\"62\"> </text>\n", PAD);
	add_legend(graph);
	strbuf_addf(sb,
		    "<foreignObject class=\"search live\" x=\"%d\" y=\"8\" width=\"230\" "
		    "height=\"24\"><input xmlns=\"http://www.w3.org/1999/xhtml\" type=\"search\" "
		    "placeholder=\"search: a pattern (Ctrl-F)\" aria-label=\"search\"/>"
		    "</foreignObject>\n"
		    "<text class=\"note matched\" x=\"%d\" y=\"43\" text-anchor=\"end\"> </text>\n"
		    "<text class=\"button reset live\" x=\"%d\" y=\"81\" text-anchor=\"end\" "
		    "role=\"button\">reset zoom (Esc)</text>\n</g>\n",
		    WIDTH - PAD - 230, WIDTH - PAD, WIDTH - PAD);
	flush(graph);
}

void flamegraph_write(const struct frame_tree *tree, const struct flame_options *options, FILE *out)
{
	struct flamegraph graph = {
		.tree = tree,
		.options = options,
		.out = out,
		.sb = STRBUF_INIT,
	};
	int64_t least = (int64_t)((double)tree->total * FLAME_LEAST_WIDTH / 100 / DRAWN);

	flame_layout_init(&graph.layout, tree, least, FLAME_MAX_FRAMES);
	graph.height = HEADER + ((int64_t)graph.layout.depth + 1) * ROW + PAD;
	write_start(&graph);
	fputs("<g class=\"frames\">\n", out);
	for (size_t i = 0; i < graph.layout.nr; i++)
		write_frame(&graph, &graph.layout.v[i]);
	fputs("</g>\n", out);
	write_header(&graph);
	strbuf_adds(&graph.sb, "<script><![CDATA[");
	flamegraph_add_script(&graph.sb);
	strbuf_adds(&graph.sb, "]]></script>\n</svg>\n");
	flush(&graph);
	flame_layout_release(&graph.layout);
	strbuf_release(&graph.sb);
}

static void write_format(const struct export_data *data, FILE *out)
{
	const struct flame_options options = {
		.title = data->title ? data->title : "Flame graph",
		.subtitle = data->subject,
		.unit = data->unit,
	};

	flamegraph_write(data->tree, &options, out);
}

const struct export_format export_svg = {
	.name = "svg",
	.help = "a flame graph",
	.ending = ".svg",
	.carries = EXPORT_UNIT | EXPORT_SUBJECT,
	.write = write_format,
};
