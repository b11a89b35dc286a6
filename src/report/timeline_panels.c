#include "report/timeline_panels.h"

#include <stdlib.h>

#include "report/svg.h"
#include "report/table.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/wrap.h"

/* Pixels. */
#define CPU_HEIGHT    90
#define MEMORY_HEIGHT 150
#define GAP           26 /* above a panel, for its name */

/* The panel of memory is higher than the peak. */
#define ROOM 1.08

/* So many samples are enough for an average. */
#define SAMPLES 10

/*
 * Processors in use on average at each point, from CPU times, of which each point has `stride`. Points that are shorter
 * than some samples have the average of several.
 */
static double *find_processors(const struct timeline_picture *picture, const int64_t *cpu_ns,
			       size_t stride)
{
	double *processors = xcalloc(picture->points_nr, sizeof(*processors));
	double enough = SAMPLES * (double)picture->sample_ns;
	size_t next;

	for (size_t i = 0; i < picture->points_nr; i = next) {
		int64_t start_ns = picture->points[i].start_ns, end_ns = start_ns;
		double sum = 0;

		for (next = i; next < picture->points_nr &&
			       (next == i || (double)(end_ns - start_ns) < enough);
		     next++) {
			sum += (double)cpu_ns[next * stride];
			end_ns = timeline_point_end(picture, next);
		}
		if (end_ns > picture->end_ns)
			end_ns = picture->end_ns;
		for (size_t k = i; k < next; k++)
			processors[k] = end_ns > start_ns ? sum / (double)(end_ns - start_ns) : 0;
	}
	return processors;
}

static void find_most(struct timeline_panels *panels)
{
	const struct timeline_picture *picture = panels->picture;
	int64_t *cpu_ns = xcalloc(picture->points_nr, sizeof(*cpu_ns));
	int kind = panels->main_memory;

	for (size_t i = 0; i < picture->points_nr; i++)
		cpu_ns[i] = picture->points[i].cpu_ns;
	panels->processors = find_processors(picture, cpu_ns, 1);
	free(cpu_ns);
	panels->most_processors = (double)(picture->cpus > 0 ? picture->cpus : 1);
	for (size_t i = 0; i < picture->points_nr; i++) {
		const struct timeline_held *held = picture->points[i].held;

		for (int k = 0; k < TIMELINE_MEMORIES; k++) {
			if (held[k].bytes > panels->most)
				panels->most = held[k].bytes;
		}
		if (kind >= 0 && held[kind].bytes > picture->points[panels->peak].held[kind].bytes)
			panels->peak = i;
		if (panels->processors[i] > panels->most_processors)
			panels->most_processors = panels->processors[i];
	}
}

void timeline_panels_release(struct timeline_panels *panels)
{
	free(panels->processors);
}

void timeline_panels_place(struct timeline_panels *panels, const struct timeline_picture *picture,
			   double y, struct strbuf *sb)
{
	*panels = (struct timeline_panels){ .picture = picture, .sb = sb, .cpu_y = y };
	panels->main_memory = picture->memory[TIMELINE_COMMITTED] ? TIMELINE_COMMITTED
			      : picture->memory[TIMELINE_TOUCHED] ? TIMELINE_TOUCHED
								  : -1;
	if (picture->cpu) {
		panels->cpu_y = y + GAP;
		y = panels->cpu_y + CPU_HEIGHT;
	}
	panels->memory_y = y;
	if (panels->main_memory >= 0) {
		panels->memory_y = y + GAP;
		y = panels->memory_y + MEMORY_HEIGHT;
	}
	panels->end_y = y;
	find_most(panels);
}

/* The height of a value in a panel. */
static double y_of(double top, double height, double value, double most)
{
	return top + height - (most > 0 ? height * value / most : 0);
}

static void add_point(struct strbuf *sb, char command, double pixels)
{
	strbuf_addc(sb, command);
	svg_add_pixels(sb, pixels);
}

/* The area below the values of the points, in steps. */
static void add_area(const struct timeline_panels *panels, const char *css, double top,
		     double height, double most, const double *values)
{
	const struct timeline_picture *picture = panels->picture;
	struct strbuf *sb = panels->sb;
	double before = -1;

	strbuf_addf(sb, "<path class=\"%s\" d=\"", css);
	add_point(sb, 'M', TIMELINE_LEFT);
	add_point(sb, ',', top + height);
	for (size_t i = 0; i < picture->points_nr; i++) {
		double y = y_of(top, height, values[i], most);

		if (y != before) {
			if (i)
				add_point(sb, 'H',
					  timeline_x(picture, picture->points[i].start_ns));
			add_point(sb, 'V', y);
		}
		before = y;
	}
	add_point(sb, 'H', TIMELINE_LEFT + TIMELINE_PLOT);
	add_point(sb, 'V', top + height);
	strbuf_adds(sb, "Z\"/>\n");
}

/* The frame of a panel: its name, and lines at multiples of `step`. */
static void add_panel(const struct timeline_panels *panels, const char *name, double top,
		      double height, double most, double step, enum column_type unit)
{
	struct strbuf *sb = panels->sb;

	svg_add_text_at(sb, "name", NULL, TIMELINE_LEFT - 8, top - 8, name);
	for (double value = 0; value <= most; value += step) {
		double y = y_of(top, height, value, most);

		svg_add_line(sb, "grid", TIMELINE_LEFT, y, TIMELINE_LEFT + TIMELINE_PLOT, y);
		svg_begin_text(sb, "value", NULL, TIMELINE_LEFT - 8, y + 3.5);
		table_add_number(sb, unit, (int64_t)value);
		strbuf_adds(sb, "</text>\n");
	}
}

/* The sums of CPU time of the groups up to each one, by point and group. */
static int64_t *sum_groups(const struct timeline_picture *picture)
{
	int64_t *sums = xcalloc(picture->points_nr * PHASE_GROUPS, sizeof(*sums));

	for (size_t i = 0; i < picture->bars_nr; i++) {
		const struct timeline_bar *bar = &picture->bars[i];

		for (size_t k = 0; k < bar->steps_nr; k++) {
			for (int group = 0; group < PHASE_GROUPS; group++)
				wrap_add_to(&sums[(size_t)bar->steps[k].step * PHASE_GROUPS +
						  (size_t)group],
					    bar->steps[k].ns[group]);
		}
	}
	for (size_t i = 0; i < picture->points_nr; i++) {
		for (size_t group = 1; group < PHASE_GROUPS; group++)
			wrap_add_to(&sums[i * PHASE_GROUPS + group],
				    sums[i * PHASE_GROUPS + group - 1]);
	}
	return sums;
}

static void add_groups(const struct timeline_panels *panels)
{
	int64_t *sums = sum_groups(panels->picture);

	for (int group = PHASE_OTHER - 1; group >= 0; group--) {
		double *values = find_processors(panels->picture, &sums[group], PHASE_GROUPS);

		add_area(panels, timeline_groups[group].css, panels->cpu_y, CPU_HEIGHT,
			 panels->most_processors, values);
		free(values);
	}
	free(sums);
}

static void add_cpu(const struct timeline_panels *panels)
{
	const struct timeline_picture *picture = panels->picture;
	double most = panels->most_processors, top = panels->cpu_y;
	double step = most <= 4 ? 1 : most <= 8 ? 2 : most <= 16 ? 4 : (double)(int64_t)(most / 4);

	add_panel(panels, "processors", top, CPU_HEIGHT, most, step, COLUMN_INT);
	add_area(panels, picture->phases ? timeline_groups[PHASE_OTHER].css : "tool", top,
		 CPU_HEIGHT, most, panels->processors);
	if (picture->phases)
		add_groups(panels);
	if (picture->cpus > 0) {
		double y = y_of(top, CPU_HEIGHT, (double)picture->cpus, most);

		svg_add_line(panels->sb, "limit", TIMELINE_LEFT, y, TIMELINE_LEFT + TIMELINE_PLOT,
			     y);
	}
}

static void add_kind(const struct timeline_panels *panels, const char *css,
		     enum timeline_memory kind, double most)
{
	const struct timeline_picture *picture = panels->picture;
	double *values;

	if (!picture->memory[kind])
		return;
	values = xcalloc(picture->points_nr, sizeof(*values));
	for (size_t i = 0; i < picture->points_nr; i++)
		values[i] = (double)picture->points[i].held[kind].bytes;
	add_area(panels, css, panels->memory_y, MEMORY_HEIGHT, most, values);
	free(values);
}

static void add_memory(const struct timeline_panels *panels)
{
	double most = (double)panels->most * ROOM, step = 1024;

	/* Powers of two. */
	while (most / step > 5)
		step *= 2;
	add_panel(panels, "memory", panels->memory_y, MEMORY_HEIGHT, most, step, COLUMN_BYTES);
	add_kind(panels, "committed", TIMELINE_COMMITTED, most);
	add_kind(panels, "touched", TIMELINE_TOUCHED, most);
	/* What is touched may be above what is committed. */
	if (panels->picture->memory[TIMELINE_TOUCHED])
		add_kind(panels, "outline", TIMELINE_COMMITTED, most);
}

static const char *crate_at(const struct timeline_panels *panels, size_t point)
{
	return panels->picture->crates ? panels->picture->crates[point] : NULL;
}

/* Mark the moment of the peak in all rows, with its size and who had most of it. */
static void add_peak(const struct timeline_panels *panels, double top)
{
	const struct timeline_held *held =
		&panels->picture->points[panels->peak].held[panels->main_memory];
	const char *crate = crate_at(panels, panels->peak);
	double x = timeline_x(panels->picture, held->bytes_ns);
	double y = y_of(panels->memory_y, MEMORY_HEIGHT, (double)held->bytes,
			(double)panels->most * ROOM);
	bool left = x > TIMELINE_LEFT + TIMELINE_PLOT * 0.6;
	struct strbuf *sb = panels->sb;

	svg_add_line(sb, "peak", x, top, x, panels->end_y);
	strbuf_adds(sb, "<circle class=\"dot\" r=\"3.5\"");
	svg_add_attribute(sb, "cx", x);
	svg_add_attribute(sb, "cy", y);
	strbuf_adds(sb, "/>\n");
	svg_begin_text(sb, "peak-text", left ? "end" : "start", left ? x - 8 : x + 8,
		       panels->memory_y - 8);
	strbuf_adds(sb, "peak ");
	text_add_bytes(sb, held->bytes);
	strbuf_adds(sb, " at ");
	text_add_duration(sb, held->bytes_ns);
	if (crate) {
		strbuf_adds(sb, ", most by ");
		svg_add_text(sb, crate);
	}
	strbuf_adds(sb, "</text>\n");
}

/* A strip for each point, which shows its values when the pointer is on it. */
static void add_values(const struct timeline_panels *panels)
{
	struct strbuf *sb = panels->sb;
	const struct timeline_picture *picture = panels->picture;

	for (size_t i = 0; i < picture->points_nr; i++) {
		const struct timeline_point *point = &picture->points[i];
		double from = timeline_x(picture, point->start_ns),
		       to = timeline_x(picture, timeline_point_end(picture, i));

		svg_add_rect(sb, "hover", from, panels->cpu_y, to - from,
			     panels->end_y - panels->cpu_y);
		strbuf_adds(sb, "><title>");
		text_add_duration(sb, point->start_ns);
		if (picture->cpu)
			strbuf_addf(sb, "\n%.2f processors", panels->processors[i]);
		for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
			if (!picture->memory[kind])
				continue;
			strbuf_addc(sb, '\n');
			text_add_bytes(sb, point->held[kind].bytes);
			strbuf_adds(sb, kind == TIMELINE_TOUCHED ? " touched" : " committed");
		}
		if (crate_at(panels, i)) {
			strbuf_adds(sb, ", most by ");
			svg_add_text(sb, crate_at(panels, i));
		}
		strbuf_adds(sb, "</title></rect>\n");
	}
}

void timeline_panels_add(const struct timeline_panels *panels, double top)
{
	if (panels->picture->cpu)
		add_cpu(panels);
	if (panels->main_memory >= 0) {
		add_memory(panels);
		add_peak(panels, top);
	}
	add_values(panels);
}
