#include "report/compare_format.h"

#include <string.h>

#include "util/array.h"
#include "util/fnv.h"

static const struct compare_format *const formats[] = {
	&compare_markdown,   &compare_github,      &compare_junit,      &compare_bencher,
	&compare_perfherder, &compare_openmetrics, &compare_rustc_perf, &compare_svg,
};

const struct compare_format *compare_format_get(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

static void add_plain(struct strbuf *sb, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '/' || *c == '%' || *c < ' ' || *c > '~')
			strbuf_addf(sb, "%%%02X", *c);
		else
			strbuf_addc(sb, (char)*c);
	}
}

/* A hash is 16 digits. */
#define HASHED 17

/* The name of the whole build. */
#define BUILD "build"

void compare_add_name(struct strbuf *sb, const struct compare_row *row, size_t most)
{
	struct compare_labels labels;
	size_t before = sb->len;
	uint64_t hash;

	compare_labels_init(&labels, row);
	if (!labels.nr)
		strbuf_adds(sb, BUILD);
	for (size_t i = 0; i < labels.nr; i++) {
		const char *text = labels.v[i].text;

		strbuf_adds(sb, i ? "/" : "");
		/* A text "-" is not an unknown one, and a crate "build" not the build. */
		if (text && !strcmp(text, "-"))
			strbuf_adds(sb, "%2D");
		else if (text && labels.nr == 1 && !strcmp(text, BUILD))
			strbuf_adds(sb, "%62uild");
		else
			add_plain(sb, text ? text : "-");
	}
	compare_labels_release(&labels);
	if (sb->len - before <= most)
		return;
	hash = fnv_add(FNV_FIRST, sb->buf + before, sb->len - before);
	strbuf_set_len(sb, before + most - HASHED);
	strbuf_addf(sb, "~%016llx", (unsigned long long)hash);
}

static void add_value(struct strbuf *sb, enum measure measure, int64_t value)
{
	table_add_number(sb, measure_is_bytes(measure) ? COLUMN_BYTES : COLUMN_DURATION, value);
}

void compare_add_values(struct strbuf *sb, enum measure measure,
			const struct compare_change *change)
{
	if (change->base == MEASURE_UNKNOWN && change->new == MEASURE_UNKNOWN) {
		strbuf_adds(sb, "not known");
		return;
	}
	if (change->base == MEASURE_UNKNOWN || change->new == MEASURE_UNKNOWN) {
		bool base = change->new == MEASURE_UNKNOWN;

		strbuf_adds(sb, base ? "base: " : "new: ");
		add_value(sb, measure, base ? change->base : change->new);
		return;
	}
	add_value(sb, measure, change->base);
	strbuf_adds(sb, " -> ");
	add_value(sb, measure, change->new);
	strbuf_adds(sb, ", ");
	compare_add_change(sb, measure, change->delta);
	if (change->relative) {
		strbuf_adds(sb, ", ");
		compare_add_percent(sb, change->percent);
	}
}

void compare_add_gate(struct strbuf *sb, const struct compare_gate *gate)
{
	const struct compare_change *change = &gate->result.change;

	if (gate->result.outcome == GATE_UNDECIDED)
		strbuf_adds(sb, gate->result.why);
	else if (change->base == MEASURE_UNKNOWN)
		add_value(sb, gate->gate->measure, change->new);
	else
		compare_add_values(sb, gate->gate->measure, change);
}

struct compare_row compare_build_row(const struct compare_report *report)
{
	struct compare_row row = { .comparison = report->build, .keys = report->keys };

	if (report->build_verdicts->v)
		row.verdicts = report->build_verdicts->v;
	for (int i = 0; i < MEASURES; i++)
		row.changes[i] = comparison_change(report->build, 0, (enum measure)i);
	return row;
}
