#include "report/fit_name.h"

#include <stdbool.h>
#include <string.h>

#include "report/column.h"
#include "report/short_name.h"
#include "util/text.h"
#include "util/utf8.h"

#define ELLIPSIS   "…"
#define DEPTH_MAX  64
#define LEVEL_MAX  64 /* of type arguments */
#define LEAST_NAME 16 /* a shorter part of a caller's name is useless */

/* Append both ends; the name of the function is at the second one. */
static void add_ends(struct strbuf *sb, const char *name, size_t width)
{
	size_t length = utf8_length(name), head = (width - 1) * 2 / 5, tail = width - 1 - head;

	strbuf_add(sb, name, utf8_prefix(name, head));
	strbuf_adds(sb, ELLIPSIS);
	strbuf_adds(sb, name + utf8_prefix(name, length - tail));
}

size_t fit_indentation_bytes(const char *name)
{
	size_t blanks = strspn(name, " ");

	return blanks + (text_starts_with(name + blanks, FIT_MARK) ? strlen(FIT_MARK) : 0);
}

size_t fit_indentation(struct strbuf *sb, const char *name, size_t width)
{
	size_t blanks = strspn(name, " "), mark = 0;

	if (fit_indentation_bytes(name) > blanks && width / 2 >= utf8_length(FIT_MARK))
		mark = utf8_length(FIT_MARK);
	blanks = blanks < width / 2 - mark ? blanks : width / 2 - mark;
	strbuf_pad(sb, ' ', sb->len + blanks);
	strbuf_adds(sb, mark ? FIT_MARK : "");
	return blanks + mark;
}

void fit_name(struct strbuf *sb, const char *name, size_t width)
{
	struct strbuf elided = STRBUF_INIT;
	int level;

	if (utf8_length(name) <= width) {
		strbuf_adds(sb, name);
		return;
	}
	if (fit_indentation_bytes(name)) {
		width -= fit_indentation(sb, name, width);
		fit_name(sb, name + fit_indentation_bytes(name), width);
		return;
	}
	level = short_name_elide(&elided, name, LEVEL_MAX);
	for (; level > 0; level--) {
		strbuf_clear(&elided);
		short_name_elide(&elided, name, level);
		if (utf8_length(elided.buf) <= width)
			break;
	}
	if (level > 0)
		strbuf_adds(sb, elided.buf);
	else
		add_ends(sb, level ? name : elided.buf, width);
	strbuf_release(&elided);
}

/* A stack that is being shortened: its tail so far, and buffers. */
struct fitting {
	struct strbuf tail, name, printable, more;
};

/* The name of a frame in the shortest form that keeps both ends. */
static const char *shorten(struct fitting *fitting, const char *frame)
{
	strbuf_clear(&fitting->printable);
	strbuf_clear(&fitting->name);
	utf8_add_printable(&fitting->printable, frame);
	column_hide_separators(&fitting->printable, 0);
	return short_name_elide(&fitting->name, fitting->printable.buf, 1) < 0
		       ? fitting->printable.buf
		       : fitting->name.buf;
}

/* Add the caller of the tail, in at most `room`, or "…". False: nothing more fits. */
static bool add_caller(struct fitting *fitting, const char *frame, size_t room, bool root)
{
	const char *name = shorten(fitting, frame);
	bool whole = utf8_length(name) + 1 + (root ? 0 : 2) <= room;
	struct strbuf swap;

	strbuf_clear(&fitting->more);
	if (whole) {
		strbuf_adds(&fitting->more, name);
	} else if (room >= LEAST_NAME + 3) {
		strbuf_adds(&fitting->more, root ? "" : ELLIPSIS ";");
		fit_name(&fitting->more, name, room - (root ? 1 : 3));
	} else {
		strbuf_adds(&fitting->more, ELLIPSIS);
	}
	strbuf_addc(&fitting->more, ';');
	strbuf_add(&fitting->more, fitting->tail.buf, fitting->tail.len);
	swap = fitting->more;
	fitting->more = fitting->tail;
	fitting->tail = swap;
	return whole;
}

static bool add_whole(struct strbuf *sb, const struct strvec *frames, size_t width)
{
	size_t before = sb->len, length = 0;

	for (size_t i = 0; i < frames->nr && length <= width; i++) {
		size_t at;

		strbuf_adds(sb, i ? ";" : "");
		at = sb->len;
		utf8_add_printable(sb, frames->v[i]);
		column_hide_separators(sb, at);
		length += utf8_length(sb->buf + at) + (i ? 1 : 0);
	}
	if (length > width)
		strbuf_set_len(sb, before);
	return length <= width;
}

void fit_stack(struct strbuf *sb, const struct strvec *frames, size_t width)
{
	struct fitting fitting = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	size_t i = frames->nr;

	if (!i || add_whole(sb, frames, width))
		return;
	i--;
	fit_name(&fitting.tail, shorten(&fitting, frames->v[i]),
		 i && width > 3 ? width - 2 : width);
	while (i-- > 0) {
		if (!add_caller(&fitting, frames->v[i], width - utf8_length(fitting.tail.buf), !i))
			break;
	}
	strbuf_add(sb, fitting.tail.buf, fitting.tail.len);
	strbuf_release(&fitting.tail);
	strbuf_release(&fitting.name);
	strbuf_release(&fitting.printable);
	strbuf_release(&fitting.more);
}
