/*
 * The formats of `compare` for other programs: bots, trackers, CI. Each is one file and one `struct compare_format`,
 * or several of a family in one.
 *
 * To add one: write it, list it in report/compare_format.c, test it in tests/cli/compare/, and describe it in
 * docs/compare.md.
 */
#ifndef REPORT_COMPARE_FORMAT_H
#define REPORT_COMPARE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compare/gate_result.h"
#include "report/compare_view.h"
#include "util/strvec.h"

/* A gate and what became of it. */
struct compare_gate {
	const struct gate *gate;
	struct gate_result result;
};

struct compare_report {
	const char *base, *new; /* what the sides are, for people */
	const struct compare_keys *keys;
	enum measure measure; /* that was chosen */
	const struct compare_rows *rows;
	size_t left_out; /* rows that changed less than the smallest effect: with `changes` alone */
	const struct comparison *build; /* its key 0 */
	const struct verdicts *build_verdicts;
	const struct compare_split *split; /* NULL: unknown */
	const struct compare_gate *gates;
	size_t gates_nr;
	const struct strvec *warnings; /* what makes values, or their verdicts, weak */
};

struct compare_format {
	const char *name;   /* of --format */
	const char *ending; /* of names of its files */
	const char *help;
	bool changes; /* only rows that changed are needed */
	bool splits;  /* the report's split is used */
	/* Whether --by must be, or by default is, of these keys; by_nr 0: any but stacks. */
	enum group_by by[GROUP_DIMENSIONS];
	size_t by_nr;

	/* A failed write is left in ferror(out). */
	void (*write)(const struct compare_report *report, FILE *out);
};

extern const struct compare_format compare_markdown, compare_github, compare_junit, compare_bencher,
	compare_perfherder, compare_openmetrics, compare_rustc_perf, compare_svg;

/* Format `i`; NULL after the last one. */
const struct compare_format *compare_format_get(size_t i);

/*
 * Append the texts of a key as one name, "stage2-rustc/rustc_middle", which no other key has: of an unknown text "-";
 * a '/', a '%' and what is no printable ASCII in a text as "%2F". If it is longer than `most` bytes (at least 40) its
 * end is a hash.
 */
void compare_add_name(struct strbuf *sb, const struct compare_row *row, size_t most);

/* Append a change as people read it: "261 MB -> 293 MB, +32.0 MB, +12.3%"; of one side alone "new: 293 MB". */
void compare_add_values(struct strbuf *sb, enum measure measure,
			const struct compare_change *change);

/* Append what became of a gate: the change, or why it is undecided. */
void compare_add_gate(struct strbuf *sb, const struct compare_gate *gate);

struct flame_options;

/* Write the rows of stacks as a differential flame graph; `sides` of the options are set. */
void compare_flame_graph(const struct compare_rows *rows, enum measure measure,
			 const struct flame_options *options, FILE *out);

/* A row of the whole build. Its key has no texts. */
struct compare_row compare_build_row(const struct compare_report *report);

#endif
