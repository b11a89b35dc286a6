/*
 * What trackers of performance read: values of the new side, of several runs the median.
 *
 * - Bencher Metric Format (bencher.dev, "Bencher Metric Format"): names of benchmarks have at most 1,024 bytes; the lowest
 *   and the highest of several runs are its bounds.
 * - Perfherder (treeherder: schemas/performance-artifact.json): a line of a log. Names have at most 80 bytes, values are at
 *   most 1e12: MiB and seconds.
 * - rustc-perf (site/src/api.rs, "bootstrap"): nanoseconds of each crate; those under a second are only in the total.
 * - OpenMetrics 1.0 (openmetrics.io): gauges of both sides, in bytes and seconds.
 */
#include "report/compare_format.h"

#include <string.h>

#include "report/json_out.h"
#include "util/utf8.h"

#define BENCHER_NAME     1024
#define PERFHERDER_NAME  80
#define NS_DIGITS        9
#define RUSTC_PERF_LEAST INT64_C(1000000000)

static void add_bencher_measure(struct json_out *json, const struct compare_row *row,
				enum measure measure, size_t nr)
{
	const struct comparison *comparison = row->comparison;
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t run = 0; run < comparison->runs_nr; run++) {
		int64_t value = comparison_counted(comparison, run, row->key, measure);

		if (comparison->runs[run].side != SIDE_NEW || value == MEASURE_UNKNOWN)
			continue;
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	json_out_comma(json, nr);
	json_out_string(json, measure_names[measure]);
	json_out_raw(json, ":{\"value\":");
	json_out_int(json, row->changes[measure].new);
	if (comparison_runs(comparison, SIDE_NEW) > 1) {
		json_out_raw(json, ",\"lower_value\":");
		json_out_int(json, least);
		json_out_raw(json, ",\"upper_value\":");
		json_out_int(json, most);
	}
	json_out_raw(json, "}");
}

/* False: nothing is known of the new side. */
static bool add_bencher_row(struct json_out *json, const struct compare_row *row, bool first)
{
	struct strbuf name = STRBUF_INIT;
	size_t nr = 0;

	for (int i = 0; i < MEASURES; i++) {
		if (row->changes[i].new == MEASURE_UNKNOWN)
			continue;
		if (!nr) {
			json_out_raw(json, first ? "\n" : ",\n");
			compare_add_name(&name, row, BENCHER_NAME);
			json_out_string(json, name.buf);
			json_out_raw(json, ":{");
		}
		add_bencher_measure(json, row, (enum measure)i, nr++);
	}
	if (nr)
		json_out_raw(json, "}");
	strbuf_release(&name);
	return nr;
}

static void write_bencher(const struct compare_report *report, FILE *out)
{
	struct compare_row build = compare_build_row(report);
	struct json_out json = JSON_OUT_INIT(out);
	bool first;

	json_out_raw(&json, "{");
	first = !add_bencher_row(&json, &build, true);
	for (size_t i = 0; i < report->rows->nr; i++)
		first = !add_bencher_row(&json, report->rows->pointers[i], first) && first;
	json_out_raw(&json, "\n}\n");
	json_out_end(&json);
}

/* 2^20 bytes as MiB, nanoseconds as seconds. */
static void add_perfherder_value(struct json_out *json, enum measure measure, int64_t value)
{
	if (!measure_is_bytes(measure)) {
		json_out_fixed(json, value, NS_DIGITS);
		return;
	}
	/* Thousandths are enough. */
	json_out_fixed(json, value / (1 << 20) * 1000 + value % (1 << 20) * 1000 / (1 << 20), 3);
}

static void add_perfherder_facts(struct json_out *json, const struct compare_row *row,
				 enum measure measure, const char *name)
{
	json_out_raw(json, "{\"name\":");
	json_out_string(json, name);
	json_out_raw(json, ",\"value\":");
	add_perfherder_value(json, measure, row->changes[measure].new);
	json_out_raw(json, measure_is_bytes(measure) ? ",\"unit\":\"MiB\"" : ",\"unit\":\"s\"");
	json_out_raw(json, ",\"lowerIsBetter\":true");
}

static void add_perfherder_suite(struct json_out *json, const struct compare_report *report,
				 const struct compare_row *build, enum measure measure, size_t i)
{
	struct strbuf name = STRBUF_INIT;
	size_t nr = 0;

	json_out_comma(json, i);
	strbuf_addf(&name, "stagetrace %s", measure_names[measure]);
	add_perfherder_facts(json, build, measure, name.buf);
	json_out_raw(json, ",\"subtests\":[");
	for (size_t k = 0; k < report->rows->nr; k++) {
		const struct compare_row *row = report->rows->pointers[k];

		if (row->changes[measure].new == MEASURE_UNKNOWN)
			continue;
		strbuf_clear(&name);
		compare_add_name(&name, row, PERFHERDER_NAME);
		json_out_comma(json, nr++);
		add_perfherder_facts(json, row, measure, name.buf);
		json_out_raw(json, "}");
	}
	json_out_raw(json, "]}");
	strbuf_release(&name);
}

static void write_perfherder(const struct compare_report *report, FILE *out)
{
	struct compare_row build = compare_build_row(report);
	struct json_out json = JSON_OUT_INIT(out);
	size_t nr = 0;

	json_out_raw(&json,
		     "PERFHERDER_DATA: {\"framework\":{\"name\":\"build_metrics\"},\"suites\":[");
	for (int i = 0; i < MEASURES; i++) {
		if (build.changes[i].new != MEASURE_UNKNOWN)
			add_perfherder_suite(&json, report, &build, (enum measure)i, nr++);
	}
	json_out_raw(&json, "]}\n");
	json_out_end(&json);
}

static void write_rustc_perf(const struct compare_report *report, FILE *out)
{
	struct compare_row build = compare_build_row(report);
	struct json_out json = JSON_OUT_INIT(out);
	size_t nr = 0;

	json_out_raw(&json, "{\"bootstrap\":{");
	for (size_t i = 0; i < report->rows->nr; i++) {
		const struct compare_row *row = report->rows->pointers[i];
		const char *crate = row->comparison->keys[row->key].texts[0];

		if (!crate || row->changes[MEASURE_WALL].new < RUSTC_PERF_LEAST)
			continue;
		json_out_raw(&json, nr++ ? ",\n" : "\n");
		json_out_string(&json, crate);
		json_out_raw(&json, ":");
		json_out_int(&json, row->changes[MEASURE_WALL].new);
	}
	json_out_raw(&json, "\n}");
	if (build.changes[MEASURE_WALL].new != MEASURE_UNKNOWN) {
		json_out_raw(&json, ",\"bootstrap_total\":");
		json_out_int(&json, build.changes[MEASURE_WALL].new);
	}
	json_out_raw(&json, "}\n");
	json_out_end(&json);
}

static void add_coded(struct strbuf *sb, const char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(sb, "%%%02X", (unsigned char)bytes[i]);
}

/*
 * As a label has it: UTF-8, with '\', '"' and the end of a line escaped. Control characters and bytes that are no UTF-8 are
 * "%01", as is '%' itself: rows with different texts must have different labels.
 */
static void add_label_text(struct strbuf *sb, const char *text)
{
	size_t left = strlen(text), used;

	for (; left; text += used, left -= used) {
		uint32_t c = utf8_next(text, left, &used);

		if (c == '\\' || c == '"')
			strbuf_addf(sb, "\\%c", (char)c);
		else if (c == '\n')
			strbuf_adds(sb, "\\n");
		else if (c == UTF8_BAD || c == '%' || utf8_is_control(c))
			add_coded(sb, text, used);
		else
			strbuf_add(sb, text, used);
	}
}

static void add_labels(struct strbuf *sb, const struct compare_row *row, enum compare_side side)
{
	struct compare_labels labels;

	compare_labels_init(&labels, row);
	strbuf_addf(sb, "{side=\"%s\"", side == SIDE_BASE ? "base" : "new");
	for (size_t i = 0; i < labels.nr; i++) {
		if (!labels.v[i].text)
			continue;
		strbuf_addf(sb, ",%s=\"", labels.v[i].key);
		/* To Prometheus an empty label is none. */
		add_label_text(sb, *labels.v[i].text ? labels.v[i].text : "(empty)");
		strbuf_addc(sb, '"');
	}
	strbuf_addc(sb, '}');
	compare_labels_release(&labels);
}

static void add_metric_row(struct json_out *json, const char *family, const struct compare_row *row,
			   enum measure measure)
{
	const int64_t values[SIDES] = { row->changes[measure].base, row->changes[measure].new };

	for (int side = 0; side < SIDES; side++) {
		struct strbuf labels = STRBUF_INIT;

		if (values[side] == MEASURE_UNKNOWN)
			continue;
		add_labels(&labels, row, (enum compare_side)side);
		json_out_raw(json, family);
		json_out_raw(json, labels.buf);
		json_out_raw(json, " ");
		json_out_fixed(json, values[side], measure_is_bytes(measure) ? 0 : NS_DIGITS);
		json_out_raw(json, "\n");
		strbuf_release(&labels);
	}
}

/* The families of the whole build, and of rows: both have their own labels. */
static void write_family(struct json_out *json, const struct compare_report *report,
			 enum measure measure, bool of_build)
{
	static const char *const names[] = { "own_peak_bytes", "at_peak_bytes", "size_bytes",
					     "cpu_seconds", "wall_seconds" };
	struct compare_row build = compare_build_row(report);
	struct strbuf family = STRBUF_INIT;

	strbuf_addf(&family, "stagetrace_%s%s", of_build ? "build_" : "", names[measure]);
	json_out_raw(json, "# TYPE ");
	json_out_raw(json, family.buf);
	json_out_raw(json, " gauge\n# UNIT ");
	json_out_raw(json, family.buf);
	json_out_raw(json, measure_is_bytes(measure) ? " bytes\n" : " seconds\n");
	if (of_build)
		add_metric_row(json, family.buf, &build, measure);
	for (size_t i = 0; !of_build && i < report->rows->nr; i++)
		add_metric_row(json, family.buf, report->rows->pointers[i], measure);
	strbuf_release(&family);
}

static void write_openmetrics(const struct compare_report *report, FILE *out)
{
	struct json_out json = JSON_OUT_INIT(out);

	for (int of_build = 1; of_build >= 0; of_build--) {
		for (int i = 0; i < MEASURES; i++)
			write_family(&json, report, (enum measure)i, of_build);
	}
	json_out_raw(&json, "# EOF\n");
	json_out_end(&json);
}

const struct compare_format compare_bencher = {
	.name = "bencher",
	.ending = ".bencher.json",
	.help = "the new side for Bencher",
	.write = write_bencher,
};

const struct compare_format compare_perfherder = {
	.name = "perfherder",
	.ending = ".perfherder.txt",
	.help = "the new side as a line of a log for Perfherder",
	.write = write_perfherder,
};

const struct compare_format compare_rustc_perf = {
	.name = "rustc-perf",
	.ending = ".rustc-perf.json",
	.help = "the new side's time of each crate, as rustc-perf has them",
	.by = { BY_CRATE },
	.by_nr = 1,
	.write = write_rustc_perf,
};

const struct compare_format compare_openmetrics = {
	.name = "openmetrics",
	.ending = ".prom",
	.help = "both sides as gauges for Prometheus",
	.write = write_openmetrics,
};
