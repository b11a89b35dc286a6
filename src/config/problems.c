#include "config/problems.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/printf_like.h"
#include "util/strbuf.h"
#include "util/utf8.h"

#define PROBLEM_FILE     (INT_MAX - 1)
#define PROBLEM_OVERRIDE INT_MAX

/* Limit of reported problems: a binary file has one in every line. */
#define SHOWN_MAX      100
#define CODE_POINT_MAX 300
#define OVERRIDE_MAX   100

void problems_release(struct problems *problems)
{
	for (size_t i = 0; i < problems->nr; i++)
		free(problems->v[i].text);
	free(problems->v);
	*problems = (struct problems)PROBLEMS_INIT(problems->path);
}

/*
 * Add a problem at `line`; frees `place`. The message may quote any bytes of the file: only printable ones are kept.
 */
PRINTF_LIKE(4, 0)
static void add(struct problems *problems, int line, struct strbuf *place, const char *fmt,
		va_list ap)
{
	struct strbuf message = STRBUF_INIT, text = STRBUF_INIT;
	struct problem *problem;
	size_t len;

	strbuf_addvf(&message, fmt, ap);
	len = utf8_prefix(message.buf, CODE_POINT_MAX);
	if (len < message.len) {
		strbuf_set_len(&message, len);
		strbuf_adds(&message, "...");
	}
	utf8_add_printable(&text, place->buf);
	strbuf_adds(&text, ": ");
	utf8_add_printable(&text, message.buf);
	strbuf_release(&message);
	strbuf_release(place);

	ARRAY_GROW(problems->v, problems->nr + 1, problems->alloc);
	problem = &problems->v[problems->nr];
	problem->line = line;
	problem->seq = problems->nr++;
	problem->text = strbuf_detach(&text);
}

void problems_add_line(struct problems *problems, int line, const char *fmt, ...)
{
	struct strbuf place = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&place, "%s:%d", problems->path, line);
	va_start(ap, fmt);
	add(problems, line, &place, fmt, ap);
	va_end(ap);
}

void problems_add_file(struct problems *problems, const char *fmt, ...)
{
	struct strbuf place = STRBUF_INIT;
	va_list ap;

	strbuf_adds(&place, problems->path);
	va_start(ap, fmt);
	add(problems, PROBLEM_FILE, &place, fmt, ap);
	va_end(ap);
}

void problems_add_override(struct problems *problems, const char *override, const char *fmt, ...)
{
	struct strbuf place = STRBUF_INIT;
	va_list ap;

	strbuf_addf(&place, "--set %.*s", (int)utf8_prefix(override, OVERRIDE_MAX), override);
	va_start(ap, fmt);
	add(problems, PROBLEM_OVERRIDE, &place, fmt, ap);
	va_end(ap);
}

static int compare_problems(const void *va, const void *vb)
{
	const struct problem *a = va, *b = vb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

int problems_result(struct problems *problems, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t shown = problems->nr < SHOWN_MAX ? problems->nr : SHOWN_MAX;

	if (!problems->nr)
		return 0;
	qsort(problems->v, problems->nr, sizeof(*problems->v), compare_problems);
	for (size_t i = 0; i < shown; i++)
		strbuf_addf(&text, "%s%s", i ? "\n" : "", problems->v[i].text);
	if (shown < problems->nr)
		strbuf_addf(&text, "\n%s: %zu more problem%s", problems->path, problems->nr - shown,
			    problems->nr - shown == 1 ? "" : "s");
	err_set(err, ERR_CONFIG, "%s", text.buf);
	strbuf_release(&text);
	return -1;
}
