/*
 * The head of a view: facts about its numbers, what they cover and how far they can be trusted.
 *
 * Facts are put together once, for all formats. In text the head is lines of words and numbers; in JSON and CSV the same
 * facts have keys, their numbers are plain, and those that no line shows are there too. A fact that a view does not know
 * is left out.
 */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/column.h"
#include "util/printf_like.h"
#include "util/strbuf.h"
#include "util/strvec.h"

enum head_type { HEAD_NUMBER, HEAD_TEXT, HEAD_FLAG, HEAD_TEXTS };

struct head_fact {
	const char *key; /* borrowed: a literal */
	enum head_type type;
	int64_t number; /* a flag: 0 or 1 */
	char *text;
	struct strvec texts;
};

struct head {
	struct strbuf lines;
	struct head_fact *v;
	size_t nr, alloc;
};

/* Columns of a label and the gap after it. */
#define HEAD_INDENT 9

#define HEAD_INIT \
	{ \
		STRBUF_INIT, NULL, 0, 0 \
	}

void head_release(struct head *head);

/* Start a line: `label` and the gap after it; an empty label continues the subject of the line above. */
void head_label(struct head *head, const char *label);

/* Words of a line. The last ones end with '\n'. */
void head_words(struct head *head, const char *words);
void head_wordsf(struct head *head, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A share in the words of a line, in percent: "12.5%". */
void head_percent(struct head *head, double percent);

/*
 * Facts that the line shows: a number as tables do, a moment in full, as --at and --time take it, a text of the trace with
 * escapes. A text of NULL is unknown: neither shown nor kept.
 */
void head_number(struct head *head, const char *key, enum column_type type, int64_t number);
void head_moment(struct head *head, const char *key, int64_t ns);
void head_text(struct head *head, const char *key, const char *text);

/* Facts that no line shows, or in another form. */
void head_keep_number(struct head *head, const char *key, int64_t number);
void head_keep_text(struct head *head, const char *key, const char *text);
void head_keep_flag(struct head *head, const char *key, bool flag);

/* A list, in CSV a line each. It is copied. */
void head_keep_texts(struct head *head, const char *key, const struct strvec *texts);

#endif
