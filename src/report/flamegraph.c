#include "report/flamegraph.h"

#include <stdint.h>
#include <string.h>

#include "report/flame_layout.h"
#include "report/flamegraph_parts.h"
#include "report/frame_kind.h"
#include "util/strbuf.h"
#include "util/text.h"
#include "util/utf8.h"

/* Pixels. The script knows WIDTH, PAD and the place of a label in its frame too. */
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
	const char *css, *legend; /* NULL: explains itself */
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

/* XML 1.0 has no place for control characters, nor for U+FFFE and U+FFFF: they are U+FFFD. */
static void add_escaped(struct strbuf *sb, const char *text)
{
	size_t left = strlen(text), used;

	for (; left; text += used, left -= used) {
		uint32_t c = utf8_next(text, left, &used);

		if (c == '&')
			strbuf_adds(sb, "&amp;");
		else if (c == '<')
			strbuf_adds(sb, "&lt;");
		else if (c == '>')
			strbuf_adds(sb, "&gt;");
		else if (c == '"')
			strbuf_adds(sb, "&quot;");
		else if (c == UTF8_BAD || c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe ||
			 c == 0xffff)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else
			strbuf_add(sb, text, used);
	}
}

static void add_value(struct strbuf *sb, int64_t value, enum flame_unit unit)
{
	if (unit == FLAME_BYTES)
		text_add_bytes(sb, value);
	else if (unit == FLAME_NS)
		text_add_duration(sb, value);
	else
		strbuf_addf(sb, "%lld", (long long)value);
}

/* Pixels with four places, fewer where they are zeroes: a frame that is zoomed in on is still exact. */
static void add_pixels(struct strbuf *sb, double pixels)
{
	int64_t scaled = (int64_t)(pixels * 10000 + 0.5);

	strbuf_addf(sb, "%lld", (long long)(scaled / 10000));
	if (!(scaled % 10000))
		return;
	strbuf_addf(sb, ".%04lld", (long long)(scaled % 10000));
	while (sb->buf[sb->len - 1] == '0')
		strbuf_set_len(sb, sb->len - 1);
}

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

/* The same for a crate in every graph. */
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

static void add_class(struct flamegraph *graph, uint32_t node)
{
	enum frame_kind kind = kind_of(graph, node);

	if (kinds[kind].css)
		strbuf_adds(&graph->sb, kinds[kind].css);
	else
		strbuf_addf(&graph->sb, "r%u", hue_of(name_of(graph, node)));
}

static void add_label(struct flamegraph *graph, const char *name, double x, double width, int64_t y)
{
	double room = (width - 6) / LETTER;
	struct strbuf label = STRBUF_INIT;

	if (room < 3)
		return;
	strbuf_adds(&graph->sb, "<text x=\"");
	add_pixels(&graph->sb, x + 3);
	strbuf_addf(&graph->sb, "\" y=\"%lld\">", (long long)y + 12);
	if ((double)utf8_length(name) <= room) {
		add_escaped(&graph->sb, name);
	} else {
		strbuf_add(&label, name, utf8_prefix(name, (size_t)room - 1));
		add_escaped(&graph->sb, label.buf);
		strbuf_adds(&graph->sb, "…");
	}
	strbuf_adds(&graph->sb, "</text>");
	strbuf_release(&label);
}

static void flush(struct flamegraph *graph)
{
	fwrite(graph->sb.buf, 1, graph->sb.len, graph->out);
	strbuf_clear(&graph->sb);
}

static void write_frame(struct flamegraph *graph, const struct flame_frame *frame)
{
	const char *name = name_of(graph, frame->node);
	double x = PAD + DRAWN * (graph->tree->total ? share(graph, frame->start) : 0);
	double width = DRAWN * share(graph, frame->total);
	int64_t y = HEADER + (int64_t)(graph->layout.depth - frame->depth) * ROW;
	struct strbuf *sb = &graph->sb;

	strbuf_adds(sb, "<g class=\"");
	add_class(graph, frame->node);
	strbuf_adds(sb, "\"><title>");
	add_escaped(sb, name);
	strbuf_adds(sb, " (");
	add_value(sb, frame->total, graph->options->unit);
	strbuf_addf(sb, ", %.2f%%)</title><rect x=\"", 100 * share(graph, frame->total));
	add_pixels(sb, x);
	strbuf_addf(sb, "\" y=\"%lld\" width=\"", (long long)y);
	add_pixels(sb, width);
	strbuf_addf(sb, "\" height=\"%d\"/>", ROW - 1);
	add_label(graph, name, x, width, y);
	strbuf_adds(sb, "</g>\n");
	flush(graph);
}

static void write_lines(struct flamegraph *graph, const char *const *lines)
{
	for (; *lines; lines++)
		fprintf(graph->out, "%s\n", *lines);
}

static void write_style(struct flamegraph *graph)
{
	fputs("<style>\n", graph->out);
	write_lines(graph, flame_style);
	for (int i = 0; i < FLAME_HUES; i++)
		fprintf(graph->out, ".flame .r%d { fill: %s }\n", i, flame_hues[i]);
	fputs("</style>\n", graph->out);
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
	add_escaped(sb, graph->options->title);
	strbuf_adds(sb, "\">\n");
	flush(graph);
	write_style(graph);
	fprintf(graph->out, "<rect class=\"back\" width=\"100%%\" height=\"%lld\"/>\n",
		(long long)graph->height);
}

/* The total, and what is missing from the picture. */
static void add_note(struct flamegraph *graph)
{
	struct strbuf *sb = &graph->sb;

	if (graph->options->subtitle) {
		add_escaped(sb, graph->options->subtitle);
		strbuf_adds(sb, "; ");
	}
	if (!graph->tree->total)
		strbuf_adds(sb, "nothing to show");
	else
		add_value(sb, graph->tree->total, graph->options->unit);
	if (graph->layout.narrow)
		strbuf_addf(sb, " (%zu narrow frame%s not drawn)", graph->layout.narrow,
			    graph->layout.narrow > 1 ? "s" : "");
}

/* Kinds that are drawn, side by side. */
static void add_legend(struct flamegraph *graph)
{
	bool drawn[FRAME_KINDS] = { false };
	int x = PAD;

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
	add_escaped(sb, graph->options->title);
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
	fputs("<script><![CDATA[\n", out);
	write_lines(&graph, flame_script);
	fputs("]]></script>\n</svg>\n", out);
	flame_layout_release(&graph.layout);
	strbuf_release(&graph.sb);
}
