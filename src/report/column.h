/*
 * Columns of tables, and their cells (report/table.h).
 */
#ifndef REPORT_COLUMN_H
#define REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"
#include "util/strvec.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_INT,
	COLUMN_BYTES,
	COLUMN_DURATION, /* nanoseconds */
	COLUMN_TIME,     /* nanoseconds from the start of the recording */
	COLUMN_PERCENT,
	COLUMN_STRINGS, /* an array in JSON, joined by ';' elsewhere */
	/*
	 * A stack: the same, root first. In CSV and text a ';' in a name becomes ':', so that each ';' separates two
	 * frames. If it is too long text shows its leaf end.
	 */
	COLUMN_STACK,
	COLUMN_NAME,  /* a function; if it is too long text shows both ends (fit_name.h) */
	COLUMN_MIXED, /* a number or a text */
};

/* The names of a stack's frames, found one by one, as text shows few of them. Borrowed. */
struct frame_names {
	/* The name of the frame `*at`, which is set to its caller; 0: there is none. */
	const char *(*next)(const void *data, uint32_t *at);
	const void *data;
	uint32_t leaf; /* 0: the stack has no frames */
};

/* A value, set by a getter; unknown if nothing was set. */
struct cell {
	bool known;
	int64_t number;               /* INT, BYTES, DURATION, TIME; MIXED without a text */
	double percent;               /* PERCENT */
	const char *text;             /* TEXT, MIXED; borrowed from the row, or `scratch.buf` */
	const struct strvec *strings; /* STRINGS, STACK; borrowed from the row, or `list` */
	struct frame_names frames;    /* STACK, instead of `strings`, if `next` is set */
	struct strbuf scratch;        /* for texts that the getter makes */
	struct strvec list;           /* for strings that the getter collects; they are borrowed */
};

#define CELL_INIT \
	{ \
		false, 0, 0, NULL, NULL, { NULL, NULL, 0 }, STRBUF_INIT, STRVEC_INIT \
	}

void cell_set_number(struct cell *cell, int64_t number);
void cell_set_percent(struct cell *cell, double percent);
void cell_set_text(struct cell *cell, const char *text);                /* NULL: unknown */
void cell_set_strings(struct cell *cell, const struct strvec *strings); /* NULL: unknown */
void cell_set_frames(struct cell *cell, struct frame_names frames);     /* of get_text alone */

/* The strings of a cell that has some or frames, all at once or from the leaf on; the cell keeps them. */
const struct strvec *cell_strings(struct cell *cell);
struct frame_names cell_frames(const struct cell *cell);

/* Append a number as text shows it in a column of the type: a size, a duration, or plain. */
void table_add_number(struct strbuf *sb, enum column_type type, int64_t number);

/*
 * The formats that show a column without --columns. For text struct table lists the columns; a column with
 * SHOW_IF_KNOWN is left out if it is unknown in all rows. All of these are flags.
 */
enum column_show {
	SHOW_CSV = 1,
	SHOW_JSON = 2,
	SHOW_DATA = SHOW_CSV | SHOW_JSON,
	SHOW_IF_KNOWN = 4,
	SHOW_WHOLE = 8,          /* its text is never shortened: of a graph, a part is wrong */
	SHOW_ABOVE_NOTHING = 32, /* with SHOW_IF_KNOWN: not left out if there are no rows */
	SHOW_IF_ROOM = 16,   /* a number that text leaves out if names of functions have no room */
	SHOW_REMAINDER = 64, /* a text that has the room that other texts leave */
};

struct column {
	const char *key;     /* in CSV, JSON and options */
	const char *heading; /* in text */
	const char *help;
	enum column_type type;
	unsigned int show; /* of enum column_show */
	bool flexible;     /* its text is the first to be shortened if a line is too long */
	void (*get)(const void *row, struct cell *cell);

	/* Optional: what text shows instead of the exact value; strings and numbers may become one text. */
	void (*get_text)(const void *row, struct cell *cell);
};

/* Set the cell by a getter of its column. A cell is used again for other rows, and released at the end. */
void cell_get(struct cell *cell, void (*get)(const void *row, struct cell *cell), const void *row);
void cell_release(struct cell *cell);

/* What a cell of a column holds. */
enum content { CONTENT_TEXT, CONTENT_NUMBER, CONTENT_PERCENT, CONTENT_STRINGS };

enum content column_content(const struct column *column, const struct cell *cell);

/* Whether a column has texts, also where some of its cells are numbers. */
bool column_is_text(const struct column *column);

/* The name of a frame begins at byte `at`: make each ';' a ':', so that a ';' of a stack always separates two frames. */
void column_hide_separators(struct strbuf *sb, size_t at);

/*
 * Add strings as CSV and sorting have them, joined by ';'. In a stack a ';' separates two frames: one in a name, as in
 * `[u8; 4]`, becomes ':', as in folded text.
 */
void column_add_joined(struct strbuf *sb, const struct column *column,
		       const struct strvec *strings);

#endif
