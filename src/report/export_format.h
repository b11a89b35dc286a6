/*
 * The formats of `export`, one file and one `struct export_format` each. (`export -` reads folded text instead of a trace:
 * that is an input, and no format here.)
 *
 * To add one:
 *   1. write report/<name>.c: what the format is and where it is defined, its writer, and at the end
 *      `const struct export_format export_<name>`;
 *   2. declare it below and list it in report/export_format.c;
 *   3. what the writer needs beyond struct export_data becomes a member there, which cli/cmd_export.c fills;
 *   4. test it in tests/unit/test_<name>.c and tests/cli/export/, and describe it in docs/export.md.
 */
#ifndef REPORT_EXPORT_FORMAT_H
#define REPORT_EXPORT_FORMAT_H

#include <stddef.h>
#include <stdio.h>

#include "report/frame_tree.h"
#include "report/profile.h"
#include "report/table.h"

/* What to write, and facts about it. */
struct export_data {
	const struct frame_tree
		*tree; /* the stacks, each with its value; NULL: there is a profile */
	const struct profile *profile; /* of formats with EXPORT_SUMS or EXPORT_EVENTS, else NULL */
	const char *metric;            /* of a profile: the metric that was chosen */
	/* Of the values: COLUMN_DURATION or COLUMN_BYTES; COLUMN_INT: unknown. */
	enum column_type unit;
	const char *title;   /* what the values are, "CPU time"; NULL: unknown */
	const char *subject; /* what was selected: trace, filters, times; NULL: unknown */
};

/* What a format can hold in addition to stacks and their values. */
enum export_part {
	EXPORT_UNIT = 1,
	EXPORT_SUBJECT = 2, /* and the title */
	EXPORT_SUMS = 4,    /* a profile with sums, instead of the stacks */
	EXPORT_EVENTS = 8,  /* a profile with samples and pieces of memory, instead of the stacks */
};

struct export_format {
	const char *name;   /* of --format */
	const char *help;   /* for --format */
	const char *ending; /* of names of its files: ".svg" */
	/* Of enum export_part: other members of struct export_data are not set. */
	unsigned int carries;

	/*
	 * If it has a line for each stack, however small: so many bytes are enough, and small stacks are merged so that it
	 * has no more, unless the user wants them. A frame takes `frame_length` bytes; 0: those of its name. 0: it needs no
	 * limit.
	 */
	uint64_t length;
	uint32_t frame_length;
	bool packed; /* its files are always compressed */

	/* A failed write is left in ferror(out). */
	void (*write)(const struct export_data *data, FILE *out);
};

extern const struct export_format export_folded;
extern const struct export_format export_svg;
extern const struct export_format export_speedscope;
extern const struct export_format export_pprof;
extern const struct export_format export_firefox;
extern const struct export_format export_chrome;
extern const struct export_format export_perfetto;

/* Format `i`, its name, its help, and the ending of its files; NULL after the last one. */
const struct export_format *export_format_get(size_t i);
const char *export_format_name(size_t i);
const char *export_format_help(size_t i);
const char *export_format_ending(size_t i);

#endif
