#include "report/timeline_svg.h"

#include <stdlib.h>
#include <string.h>

#include "report/bar_rows.h"
#include "report/svg.h"
#include "report/timeline_panels.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/wrap.h"

/* Pixels. */
#define HEADER   106
#define AXIS_TOP (HEADER - 6)
#define ROW      14
#define THIN_ROW 6 /* without labels */
#define BAND_GAP 8
#define LETTER   6.0 /* of a label, on average */
#define LEAST    0.8 /* the width of the shortest bar */

#define LEAST_LABEL 6 /* characters of a shortened label */

#define TICKS 15 /* marks of the axis, at most */

static const char *const style[] = {
	".timeline { font: 10px system-ui, 'DejaVu Sans', Verdana, sans-serif; background: #fff }",
	".timeline text { fill: #24292f }",
	".timeline .heading { font-size: 16px; font-weight: bold }",
	".timeline .note, .timeline .key text { font-size: 12px } .timeline .note { fill: #57606a "
	"}",
	".timeline .axis text, .timeline .axis { fill: #57606a; font-size: 11px }",
	".timeline .name { font-size: 11px; font-weight: bold; fill: #57606a; text-anchor: end }",
	".timeline .value { font-size: 10px; fill: #57606a; text-anchor: end }",
	".timeline .back { fill: #fff } .timeline .band { fill: #f6f8fa }",
	".timeline .grid { stroke: #d8dee4; stroke-width: 1; fill: none }",
	".timeline .bars text { pointer-events: none }",
	".timeline .bars .edge { fill: none; stroke: #57606a; stroke-opacity: .35; stroke-width: "
	".5 }",
	".timeline .bars g:hover .edge { stroke: #000; stroke-opacity: 1; stroke-width: 1.2 }",
	".timeline .hover { fill: #000; fill-opacity: 0 } .timeline .hover:hover { fill-opacity: "
	".08 }",
	".timeline .frontend { fill: #8dbbe6 } .timeline .mir { fill: #7fd0c2 }",
	".timeline .codegen { fill: #f3cb62 } .timeline .llvm { fill: #f19b83 }",
	".timeline .link { fill: #bd9fe3 } .timeline .rest { fill: #b9c3ce }",
	".timeline .wait { fill: #eaeef2 } .timeline .rustc { fill: #8dbbe6 }",
	".timeline .script { fill: #97cf85 } .timeline .native { fill: #d3b48c }",
	".timeline .tool { fill: #cdd5de } .timeline .probe { fill: #dcd3df }",
	".timeline .committed { fill: #a9c4e4; stroke: #3c6ea8; stroke-width: 1 }",
	".timeline .touched { fill: #a8d3b4; stroke: #2f7a47; stroke-width: 1 }",
	".timeline .outline { fill: none; stroke: #3c6ea8; stroke-width: 1 }",
	".timeline .limit { stroke: #8c959f; stroke-dasharray: 2 3 }",
	".timeline .peak { stroke: #cf222e; stroke-dasharray: 4 3; stroke-width: 1; fill: none }",
	".timeline .dot { fill: #cf222e } .timeline .peak-text { fill: #cf222e; font-size: 12px;",
	"  font-weight: bold; paint-order: stroke; stroke: #fff; stroke-width: 3px }",
	NULL,
};

/* The bars of some roles, in rows of their own. */
enum band { BAND_RUSTC, BAND_LINK, BAND_SCRIPT, BAND_NATIVE, BAND_TOOL, BAND_PROBE, BANDS };

static const struct {
	const char *css, *name, *legend;
	int row;
} bands[BANDS] = {
	[BAND_RUSTC] = { "rustc", "rustc", "rustc", ROW },
	[BAND_LINK] = { "link", "link", "linkers", ROW },
	[BAND_SCRIPT] = { "script", "build scripts", "build scripts", ROW },
	[BAND_NATIVE] = { "native", "C, C++", "C and C++", ROW },
	[BAND_TOOL] = { "tool", "build tools", "cargo, bootstrap, x.py", ROW },
	[BAND_PROBE] = { "probe", "other", "shims, probes, other programs", THIN_ROW },
};

/* A bar that is drawn. */
struct drawn {
	const struct timeline_bar *bar;
	struct bar_place place;
};

/* The bars of a band. */
struct rows {
	struct drawn *v;
	size_t nr, rows;
	double y;
};

struct drawing {
	const struct timeline_picture *picture;
	struct rows bands[BANDS];
	size_t hidden; /* number of processes that are not drawn */
	struct timeline_panels panels;
	struct strbuf sb;
	FILE *out;
};

static enum band band_of(enum role role)
{
	switch (role) {
	case ROLE_RUSTC:
	case ROLE_RUSTDOC:
		return BAND_RUSTC;
	case ROLE_LINK:
		return BAND_LINK;
	case ROLE_BUILD_SCRIPT:
		return BAND_SCRIPT;
	case ROLE_CC:
	case ROLE_AR:
	case ROLE_CMAKE:
		return BAND_NATIVE;
	case ROLE_CARGO:
	case ROLE_BOOTSTRAP:
	case ROLE_X_PY:
		return BAND_TOOL;
	default:
		return BAND_PROBE;
	}
}

static int64_t start_of(const struct drawing *drawing, const struct process *process)
{
	return process->start_ns > drawing->picture->start_ns ? process->start_ns
							      : drawing->picture->start_ns;
}

/* Not before its start, whatever a damaged recording says. */
static int64_t end_of(const struct drawing *drawing, const struct process *process)
{
	int64_t start_ns = start_of(drawing, process), end_ns = drawing->picture->end_ns;

	if (process->end_ns != PROCESS_UNKNOWN && process->end_ns < end_ns)
		end_ns = process->end_ns;
	return end_ns > start_ns ? end_ns : start_ns;
}

/* The name that a bar is known by: the crate, or the program where it works on none. */
static const char *name_of(const struct process *process)
{
	return process->tag.crate ? process->tag.crate : process_image(process);
}

/* The least duration with which at most TIMELINE_SVG_BARS are drawn. */
static int64_t least_duration(const struct drawing *drawing)
{
	const struct timeline_picture *picture = drawing->picture;
	int64_t *durations = xcalloc(picture->bars_nr + 1, sizeof(*durations)), least;

	for (size_t i = 0; i < picture->bars_nr; i++)
		durations[i] = end_of(drawing, picture->bars[i].process) -
			       start_of(drawing, picture->bars[i].process);
	least = svg_least(durations, picture->bars_nr, TIMELINE_SVG_BARS, 0);
	free(durations);
	return least;
}

static void place_band(struct rows *rows, bool labels)
{
	struct bar_place *places = xcalloc(rows->nr, sizeof(*places));

	for (size_t i = 0; i < rows->nr; i++) {
		places[i] = rows->v[i].place;
		places[i].label =
			labels ? LETTER * (double)utf8_length(name_of(rows->v[i].bar->process))
			       : TIMELINE_WIDTH;
	}
	rows->rows = bar_rows_place(places, rows->nr, TIMELINE_WIDTH - TIMELINE_RIGHT);
	for (size_t i = 0; i < rows->nr; i++)
		rows->v[i].place = places[i];
	free(places);
}

static void place_bars(struct drawing *drawing)
{
	const struct timeline_picture *picture = drawing->picture;
	int64_t least = least_duration(drawing);

	for (int band = 0; band < BANDS; band++)
		drawing->bands[band].v = xcalloc(picture->bars_nr, sizeof(struct drawn));
	for (size_t i = 0; i < picture->bars_nr; i++) {
		const struct process *process = picture->bars[i].process;
		struct rows *rows = &drawing->bands[band_of(process->tag.role)];
		int64_t start_ns = start_of(drawing, process), end_ns = end_of(drawing, process);
		struct drawn *drawn = &rows->v[rows->nr];

		if (end_ns - start_ns < least) {
			drawing->hidden++;
			continue;
		}
		drawn->bar = &picture->bars[i];
		drawn->place.from = timeline_x(picture, start_ns);
		drawn->place.to = timeline_x(picture, end_ns);
		if (drawn->place.to < drawn->place.from + LEAST)
			drawn->place.to = drawn->place.from + LEAST;
		rows->nr++;
	}
	for (int band = 0; band < BANDS; band++)
		place_band(&drawing->bands[band], bands[band].row == ROW);
}

static void lay_out(struct drawing *drawing)
{
	double y = HEADER;

	place_bars(drawing);
	for (int band = 0; band < BANDS; band++) {
		struct rows *rows = &drawing->bands[band];

		rows->y = y;
		if (rows->nr)
			y += (double)rows->rows * bands[band].row + BAND_GAP;
	}
	timeline_panels_place(&drawing->panels, drawing->picture, y - BAND_GAP, &drawing->sb);
}

static void flush(struct drawing *drawing)
{
	fwrite(drawing->sb.buf, 1, drawing->sb.len, drawing->out);
	strbuf_clear(&drawing->sb);
}

/* Percentages of the time of a process by phase, the groups in their order. */
static void add_phases(struct strbuf *sb, const struct timeline_bar *bar)
{
	double sums[PHASE_GROUPS] = { 0 }, all = 0;
	const char *separator = "\n";

	for (size_t i = 0; i < bar->steps_nr; i++) {
		for (int group = 0; group < PHASE_GROUPS; group++) {
			sums[group] += (double)bar->steps[i].ns[group];
			all += (double)bar->steps[i].ns[group];
		}
	}
	for (int group = 0; group < PHASE_GROUPS; group++) {
		if (all <= 0 || sums[group] < all / 200)
			continue;
		strbuf_addf(sb, "%s%s %.0f%%", separator, timeline_groups[group].name,
			    100 * sums[group] / all);
		separator = ", ";
	}
}

/* That of the samples if the tracker has none. */
static int64_t cpu_of(const struct drawing *drawing, const struct timeline_bar *bar)
{
	int64_t sum = 0;

	if (bar->process->cpu_ns != PROCESS_UNKNOWN || !drawing->picture->cpu)
		return bar->process->cpu_ns;
	for (size_t i = 0; i < bar->steps_nr; i++) {
		for (int group = 0; group < PHASE_GROUPS; group++)
			wrap_add_to(&sum, bar->steps[i].ns[group]);
	}
	return sum;
}

static void add_times(struct strbuf *sb, const struct process *process, int64_t cpu_ns)
{
	if (process->start_ns == PROCESS_UNKNOWN) {
		strbuf_adds(sb, "ran before the recording");
	} else {
		strbuf_adds(sb, "start ");
		text_add_duration(sb, process->start_ns);
	}
	if (process_duration(process) == PROCESS_UNKNOWN) {
		strbuf_adds(sb, ", no end in the recording");
	} else {
		strbuf_adds(sb, ", duration ");
		text_add_duration(sb, process_duration(process));
	}
	if (cpu_ns != PROCESS_UNKNOWN) {
		strbuf_adds(sb, ", CPU ");
		text_add_duration(sb, cpu_ns);
	}
}

static void add_memory(struct strbuf *sb, const struct drawing *drawing,
		       const struct timeline_bar *bar)
{
	static const char *const names[TIMELINE_MEMORIES] = { "committed", "touched" };
	const char *separator = "\npeak ";

	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
		if (!drawing->picture->memory[kind])
			continue;
		strbuf_adds(sb, separator);
		text_add_bytes(sb, bar->peak_bytes[kind]);
		strbuf_addf(sb, " %s", names[kind]);
		separator = ", ";
	}
	if (bar->process->peak_rss_bytes == PROCESS_UNKNOWN)
		return;
	strbuf_adds(sb, separator);
	text_add_bytes(sb, bar->process->peak_rss_bytes);
	strbuf_adds(sb, " resident");
}

/* What a viewer shows when the pointer is on a bar, in lines. */
static void add_bar_title(struct drawing *drawing, const struct timeline_bar *bar)
{
	const struct process *process = bar->process;
	struct strbuf *sb = &drawing->sb;

	strbuf_adds(sb, "<title>");
	svg_add_text(sb, name_of(process));
	strbuf_adds(sb, "\nrole ");
	strbuf_adds(sb, role_name(process->tag.role));
	if (process->tag.part) {
		strbuf_adds(sb, ", part ");
		svg_add_text(sb, process->tag.part);
	}
	strbuf_addf(sb, ", pid %lld", (long long)process->pid);
	if (process->tag.crate) {
		strbuf_adds(sb, ", ");
		svg_add_text(sb, process_image(process));
	}
	strbuf_addc(sb, '\n');
	add_times(sb, process, cpu_of(drawing, bar));
	add_memory(sb, drawing, bar);
	add_phases(sb, bar);
	if (process->exit_code > 0)
		strbuf_addf(sb, "\nexit code %lld", (long long)process->exit_code);
	strbuf_adds(sb, "</title>");
}

/* Whether nothing but the distance of samples is between two steps. */
static bool is_next(const struct timeline_picture *picture, const struct phase_step *a,
		    const struct phase_step *b)
{
	int64_t between = picture->points[b->step].start_ns - timeline_point_end(picture, a->step);

	return between <= picture->sample_ns;
}

/* What a compiler did, as colours: a step has that of the group with most of its time. */
static void add_spans(struct drawing *drawing, const struct timeline_bar *bar, double y,
		      double height, double from, double to)
{
	const struct timeline_picture *picture = drawing->picture;
	const struct phase_step *steps = bar->steps;
	size_t nr = bar->steps_nr;

	for (size_t i = 0, next; i < nr; i = next) {
		enum phase_group most = phase_step_most(&steps[i]);
		double start, end;

		for (next = i + 1; next < nr && is_next(picture, &steps[next - 1], &steps[next]) &&
				   phase_step_most(&steps[next]) == most;)
			next++;
		start = timeline_x(picture, picture->points[steps[i].step].start_ns);
		end = timeline_x(picture,
				 next < nr && is_next(picture, &steps[next - 1], &steps[next])
					 ? picture->points[steps[next].step].start_ns
					 : timeline_point_end(picture, steps[next - 1].step));
		start = start > from ? start : from;
		end = end < to ? end : to;
		if (start >= end)
			continue;
		svg_add_rect(&drawing->sb, timeline_groups[most].css, start, y, end - start,
			     height);
		strbuf_adds(&drawing->sb, "/>");
	}
}

/* In the bar, beside it, or, where a few characters fit, shortened in it. */
static void add_label(struct strbuf *sb, const char *name, const struct bar_place *place, double y)
{
	double room = (place->to - place->from - 6) / LETTER;

	if (!place->inside && !place->beside && room < LEAST_LABEL)
		return;
	svg_begin_text(sb, NULL, NULL, (place->beside ? place->to : place->from) + 3, y);
	if (place->inside || place->beside)
		svg_add_text(sb, name);
	else
		svg_add_cut(sb, name, (size_t)room);
	strbuf_adds(sb, "</text>");
}

static void write_bar(struct drawing *drawing, enum band band, const struct drawn *drawn)
{
	const struct bar_place *place = &drawn->place;
	double height = bands[band].row == ROW ? ROW - 2 : THIN_ROW - 1;
	double y = drawing->bands[band].y + (double)place->row * bands[band].row;
	bool phases = band == BAND_RUSTC && drawing->picture->phases;
	struct strbuf *sb = &drawing->sb;

	strbuf_adds(sb, "<g>");
	add_bar_title(drawing, drawn->bar);
	svg_add_rect(sb, phases ? "wait" : bands[band].css, place->from, y, place->to - place->from,
		     height);
	strbuf_adds(sb, "/>");
	if (phases)
		add_spans(drawing, drawn->bar, y, height, place->from, place->to);
	svg_add_rect(sb, "edge", place->from, y, place->to - place->from, height);
	strbuf_adds(sb, "/>");
	if (bands[band].row == ROW)
		add_label(sb, name_of(drawn->bar->process), place, y + 9.5);
	strbuf_adds(sb, "</g>\n");
	flush(drawing);
}

static void write_bands(struct drawing *drawing)
{
	fputs("<g class=\"bars\">\n", drawing->out);
	for (int band = 0; band < BANDS; band++) {
		const struct rows *rows = &drawing->bands[band];

		for (size_t i = 0; i < rows->nr; i++)
			write_bar(drawing, (enum band)band, &rows->v[i]);
	}
	fputs("</g>\n", drawing->out);
}

/* Names of the bands, and their background. */
static void write_back(struct drawing *drawing)
{
	struct strbuf *sb = &drawing->sb;

	for (int band = 0; band < BANDS; band++) {
		const struct rows *rows = &drawing->bands[band];

		if (!rows->nr)
			continue;
		svg_add_rect(sb, "band", TIMELINE_LEFT, rows->y - 2, TIMELINE_PLOT,
			     (double)rows->rows * bands[band].row + 2);
		strbuf_adds(sb, "/>\n");
		svg_add_text_at(sb, "name", NULL, TIMELINE_LEFT - 8,
				rows->y + (bands[band].row == ROW ? 10 : 7), bands[band].name);
	}
	flush(drawing);
}

/* A round time between two marks, so that there are at most some 15. */
static int64_t tick_of(int64_t length_ns)
{
	static const int64_t digits[] = { 1, 2, 5 };
	static const int64_t seconds[] = { 1,   2,   5,    10,   15,   30,    60,    120,
					   300, 600, 1800, 3600, 7200, 14400, 43200, 86400 };

	for (int64_t tick = NS_PER_US; tick < NS_PER_S; tick *= 10) {
		for (size_t i = 0; i < ARRAY_SIZE(digits); i++) {
			if (length_ns / (tick * digits[i]) <= TICKS)
				return tick * digits[i];
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		if (length_ns / (seconds[i] * NS_PER_S) <= TICKS)
			return seconds[i] * NS_PER_S;
	}
	return length_ns / TICKS;
}

/* "5m", "1h10m", "2m30s", "0.5s". */
static void add_tick(struct strbuf *sb, int64_t ns)
{
	size_t from = sb->len;

	text_add_moment(sb, ns);
	if (ns >= 60 * NS_PER_S && sb->len - from > 3 && !strcmp(sb->buf + sb->len - 3, "00s") &&
	    sb->buf[sb->len - 4] == 'm')
		strbuf_set_len(sb, sb->len - 3);
	if (ns >= 3600 * NS_PER_S && sb->len - from > 3 && !strcmp(sb->buf + sb->len - 3, "00m") &&
	    sb->buf[sb->len - 4] == 'h')
		strbuf_set_len(sb, sb->len - 3);
}

static void write_tick(struct drawing *drawing, int64_t at_ns)
{
	double x = timeline_x(drawing->picture, at_ns), end_y = drawing->panels.end_y;
	struct strbuf *sb = &drawing->sb;

	svg_add_line(sb, "grid", x, AXIS_TOP, x, end_y + 4);
	for (int below = 0; below < 2; below++) {
		svg_begin_text(sb, NULL, "middle", x, below ? end_y + 17 : AXIS_TOP - 4);
		add_tick(sb, at_ns);
		strbuf_adds(sb, "</text>\n");
	}
}

static void write_axis(struct drawing *drawing)
{
	int64_t start_ns = drawing->picture->start_ns, end_ns = drawing->picture->end_ns;
	int64_t tick = tick_of(end_ns - start_ns), at_ns = start_ns / tick * tick;

	strbuf_adds(&drawing->sb, "<g class=\"axis\">\n");
	for (;; at_ns += tick) {
		if (at_ns >= start_ns)
			write_tick(drawing, at_ns);
		if (end_ns - at_ns < tick)
			break;
	}
	strbuf_adds(&drawing->sb, "</g>\n");
	flush(drawing);
}

/* Add a sample of a colour and what it stands for; returns where the next one may be. */
static double add_key(struct strbuf *sb, double x, const char *css, const char *name)
{
	svg_add_rect(sb, css, x, 64, 12, 12);
	strbuf_adds(sb, "/>");
	svg_add_text_at(sb, NULL, NULL, x + 17, 74, name);
	return x + 34 + 6.6 * (double)strlen(name);
}

static void write_legend(struct drawing *drawing)
{
	const struct timeline_picture *picture = drawing->picture;
	struct strbuf *sb = &drawing->sb;
	double x = TIMELINE_LEFT;

	strbuf_adds(sb, "<g class=\"key\">\n");
	if (picture->phases) {
		svg_add_text_at(sb, "name", NULL, TIMELINE_LEFT - 8, 74, "rustc");
		for (int group = 0; group < PHASE_GROUPS; group++)
			x = add_key(sb, x, timeline_groups[group].css, timeline_groups[group].name);
		x = add_key(sb, x, "wait", "waits");
	}
	for (int band = picture->phases ? BAND_SCRIPT : 0; band < BANDS; band++) {
		if (drawing->bands[band].nr)
			x = add_key(sb, x, bands[band].css, bands[band].legend);
	}
	if (picture->memory[TIMELINE_TOUCHED]) {
		x = add_key(sb, x, "committed", "committed");
		add_key(sb, x, "touched", "touched");
	}
	strbuf_adds(sb, "</g>\n");
	flush(drawing);
}

static void write_heading(struct drawing *drawing)
{
	const struct timeline_picture *picture = drawing->picture;
	struct strbuf *sb = &drawing->sb;

	svg_add_text_at(sb, "heading", NULL, 12, 26, picture->title);
	svg_begin_text(sb, "note", NULL, 12, 46);
	if (picture->subtitle)
		svg_add_text(sb, picture->subtitle);
	if (drawing->hidden)
		strbuf_addf(sb, "; the %zu shortest processes are not drawn", drawing->hidden);
	strbuf_adds(sb, "</text>\n");
	flush(drawing);
}

static void write_start(struct drawing *drawing)
{
	struct strbuf *sb = &drawing->sb;
	double height = drawing->panels.end_y + 28;

	strbuf_addf(sb,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" width=\"%d\" "
		    "height=\"%.0f\" viewBox=\"0 0 %d %.0f\" role=\"figure\" aria-label=\"",
		    TIMELINE_WIDTH, height, TIMELINE_WIDTH, height);
	svg_add_text(sb, drawing->picture->title);
	strbuf_adds(sb, "\">\n<style>\n");
	for (const char *const *line = style; *line; line++)
		strbuf_addf(sb, "%s\n", *line);
	strbuf_addf(sb, "</style>\n<rect class=\"back\" width=\"%d\" height=\"%.0f\"/>\n",
		    TIMELINE_WIDTH, height);
	flush(drawing);
}

void timeline_svg_write(const struct timeline_picture *picture, FILE *out)
{
	struct drawing drawing = { .picture = picture, .out = out, .sb = STRBUF_INIT };

	lay_out(&drawing);
	write_start(&drawing);
	write_heading(&drawing);
	write_legend(&drawing);
	write_back(&drawing);
	write_axis(&drawing);
	write_bands(&drawing);
	timeline_panels_add(&drawing.panels, AXIS_TOP);
	flush(&drawing);
	fputs("</svg>\n", out);
	for (int band = 0; band < BANDS; band++)
		free(drawing.bands[band].v);
	timeline_panels_release(&drawing.panels);
	strbuf_release(&drawing.sb);
}
