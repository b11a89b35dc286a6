#include "report/trend.h"

#include <math.h>
#include <stdlib.h>

#include "compare/median.h"
#include "platform/clock.h"
#include "report/svg.h"
#include "util/alloc.h"
#include "util/text.h"

/* The value of the bottom line of a graph, and of its top. */
struct scale {
	double low, high;
};

/*
 * What a series of noise alone shows would look like a mountain range: at least 2 % of the value is shown, of one below 0
 * too, which only a damaged data base has.
 */
#define LEAST_RANGE 0.02

static struct scale make_scale(const struct trend *trend)
{
	struct scale scale = { (double)trend->values[0], (double)trend->values[0] };
	double least, size;

	for (size_t i = 1; i < trend->nr; i++) {
		double value = (double)trend->values[i];

		scale.low = value < scale.low ? value : scale.low;
		scale.high = value > scale.high ? value : scale.high;
	}
	size = fmax(fabs(scale.low), fabs(scale.high));
	least = (size > 0 ? size : 1) * LEAST_RANGE;
	if (scale.high - scale.low < least) {
		double more = (least - (scale.high - scale.low)) / 2;

		scale.low = scale.low > more || scale.low < 0 ? scale.low - more : 0;
		scale.high += more;
	}
	return scale;
}

static double part_of(const struct scale *scale, double value)
{
	return (value - scale->low) / (scale->high - scale->low);
}

void trend_add_time(struct strbuf *sb, int64_t time_ms)
{
	struct tm tm = clock_utc(time_ms * NS_PER_MS);

	strbuf_addf(sb, "%04d-%02d-%02d %02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		    tm.tm_hour, tm.tm_min);
}

static void add_value(struct strbuf *sb, const struct trend *trend, double value)
{
	table_add_number(sb, trend->type, series_whole(value));
}

/* The columns of the labels at the left, with the gap. */
#define LABEL 11

/* The median of the values that share a column. */
static double column_value(const struct trend *trend, size_t column, size_t columns)
{
	size_t from = column * trend->nr / columns, to = (column + 1) * trend->nr / columns;
	double *values = xcalloc(to - from, sizeof(*values)), median;

	for (size_t i = from; i < to; i++)
		values[i - from] = (double)trend->values[i];
	median = median_of(values, to - from);
	free(values);
	return median;
}

static size_t line_of(const struct scale *scale, double value)
{
	return (size_t)((1 - part_of(scale, value)) * (TREND_LINES - 1) + 0.5);
}

static void draw(const struct trend *trend, const struct scale *scale, size_t columns, char *cells)
{
	for (size_t i = 0; trend->levels && i < trend->levels->nr; i++) {
		const struct level *level = &trend->levels->v[i];
		size_t line = line_of(scale, (double)level->value);

		for (size_t k = level->start; k < level->start + level->nr; k++)
			cells[line * columns + k * columns / trend->nr] = '-';
	}
	for (size_t i = 0; i < columns; i++)
		cells[line_of(scale, column_value(trend, i, columns)) * columns + i] = '*';
}

void trend_add_text(const struct trend *trend, size_t width, struct strbuf *sb)
{
	size_t room = width > LABEL + 20 ? width - LABEL : 20;
	size_t columns = trend->nr < room ? trend->nr : room, start;
	struct scale scale = make_scale(trend);
	char *cells = xcalloc(TREND_LINES, columns);

	for (size_t i = 0; i < TREND_LINES * columns; i++)
		cells[i] = ' ';
	draw(trend, &scale, columns, cells);
	for (size_t line = 0; line < TREND_LINES; line++) {
		size_t end = columns;

		start = sb->len;
		if (line == 0 || line == TREND_LINES - 1 || line == TREND_LINES / 2)
			add_value(sb, trend,
				  scale.high - (scale.high - scale.low) * (double)line /
						       (TREND_LINES - 1));
		strbuf_pad(sb, ' ', start + LABEL - 2);
		strbuf_adds(sb, "| ");
		while (end && cells[line * columns + end - 1] == ' ')
			end--;
		strbuf_add(sb, &cells[line * columns], end);
		while (sb->buf[sb->len - 1] == ' ')
			strbuf_set_len(sb, sb->len - 1);
		strbuf_addc(sb, '\n');
	}
	free(cells);
	start = sb->len;
	strbuf_pad(sb, ' ', start + LABEL);
	trend_add_time(sb, trend->times_ms[0]);
	strbuf_adds(sb, " .. ");
	trend_add_time(sb, trend->times_ms[trend->nr - 1]);
	strbuf_addc(sb, '\n');
}

const char trend_svg_style[] =
	".trend text{font:12px sans-serif;fill:#222}.trend .title{font-weight:bold}"
	".trend .axis{stroke:#ccc}.trend .level{stroke:#d95f02;stroke-width:2}"
	".trend .point{fill:#1f78b4}";

#define LEFT   90.0
#define RIGHT  12.0
#define TOP    30.0
#define BOTTOM 24.0

static double x_of(const struct trend *trend, size_t i)
{
	double width = TREND_SVG_WIDTH - LEFT - RIGHT;

	return LEFT + (trend->nr > 1 ? width * (double)i / (double)(trend->nr - 1) : width / 2);
}

static double y_of(const struct scale *scale, double value)
{
	return TOP + (1 - part_of(scale, value)) * (TREND_SVG_HEIGHT - TOP - BOTTOM);
}

static void add_axes(const struct trend *trend, const struct scale *scale, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	for (int i = 0; i < 3; i++) {
		double value = scale->low + (scale->high - scale->low) * i / 2;
		double y = y_of(scale, value);

		svg_add_line(sb, "axis", LEFT, y, TREND_SVG_WIDTH - RIGHT, y);
		strbuf_clear(&text);
		add_value(&text, trend, value);
		svg_add_text_at(sb, NULL, "end", LEFT - 8, y + 4, text.buf);
	}
	for (int i = 0; i < 2; i++) {
		size_t at = i ? trend->nr - 1 : 0;

		strbuf_clear(&text);
		trend_add_time(&text, trend->times_ms[at]);
		svg_add_text_at(sb, NULL, i ? "end" : NULL, i ? TREND_SVG_WIDTH - RIGHT : LEFT,
				TREND_SVG_HEIGHT - 6, text.buf);
	}
	strbuf_release(&text);
}

static void add_points(const struct trend *trend, const struct scale *scale, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < trend->nr; i++) {
		strbuf_adds(sb, "<circle class=\"point\" r=\"2.5\"");
		svg_add_attribute(sb, "cx", x_of(trend, i));
		svg_add_attribute(sb, "cy", y_of(scale, (double)trend->values[i]));
		strbuf_adds(sb, "><title>");
		strbuf_clear(&text);
		if (trend->names)
			strbuf_addf(&text, "%s: ", trend->names[i]);
		table_add_number(&text, trend->type, trend->values[i]);
		svg_add_text(sb, text.buf);
		strbuf_adds(sb, "</title></circle>\n");
	}
	strbuf_release(&text);
}

void trend_add_svg(const struct trend *trend, double y, struct strbuf *sb)
{
	struct scale scale = make_scale(trend);

	strbuf_addf(sb,
		    "<svg class=\"trend\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		    "height=\"%d\"",
		    TREND_SVG_WIDTH, TREND_SVG_HEIGHT);
	svg_add_attribute(sb, "y", y);
	strbuf_adds(sb, ">\n");
	svg_add_text_at(sb, "title", NULL, LEFT, 18, trend->title);
	add_axes(trend, &scale, sb);
	for (size_t i = 0; trend->levels && i < trend->levels->nr; i++) {
		const struct level *level = &trend->levels->v[i];
		double at = y_of(&scale, (double)level->value);

		svg_add_line(sb, "level", x_of(trend, level->start), at,
			     x_of(trend, level->start + level->nr - 1), at);
	}
	add_points(trend, &scale, sb);
	strbuf_adds(sb, "</svg>\n");
}
