#include "report/fit_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/short_name.h"
#include "util/array.h"
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

/* A stack that is being shortened. */
struct fitting {
	struct frame_names left; /* the callers whose names were not needed so far */
	/* The printable names of the others, the leaf first, each with a NUL, and where they begin. */
	struct strbuf printable;
	size_t *starts;
	size_t nr, alloc;
	/* Its tail so far, and buffers. */
	struct strbuf tail, name, more;
};

/* The printable name of the next caller, which becomes frame `nr` - 1; NULL: there is none. */
static const char *take_frame(struct fitting *fitting)
{
	size_t start = fitting->printable.len;

	if (!fitting->left.leaf)
		return NULL;
	ARRAY_ADD(fitting->starts, fitting->nr, fitting->alloc, start);
	utf8_add_printable(&fitting->printable,
			   fitting->left.next(fitting->left.data, &fitting->left.leaf));
	column_hide_separators(&fitting->printable, start);
	strbuf_addc(&fitting->printable, '\0');
	return fitting->printable.buf + start;
}

static const char *printable_of(const struct fitting *fitting, size_t frame)
{
	return fitting->printable.buf + fitting->starts[frame];
}

static bool is_root(const struct fitting *fitting, size_t frame)
{
	return !fitting->left.leaf && frame + 1 == fitting->nr;
}

/* The name of a frame in the shortest form that keeps both ends. */
static const char *shorten(struct fitting *fitting, size_t frame)
{
	strbuf_clear(&fitting->name);
	return short_name_elide(&fitting->name, printable_of(fitting, frame), 1) < 0
		       ? printable_of(fitting, frame)
		       : fitting->name.buf;
}

/* Add the caller of the tail, in at most `room`, or "…". False: nothing more fits. */
static bool add_caller(struct fitting *fitting, size_t frame, size_t room)
{
	const char *name = shorten(fitting, frame);
	bool root = is_root(fitting, frame), whole = utf8_length(name) + 1 + (root ? 0 : 2) <= room;
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

/* Take frames until they are wider than `width`. Returns whether all are taken, and are not. */
static bool take_fitting(struct fitting *fitting, size_t width)
{
	size_t length = 0;
	const char *name;

	while (length <= width && (name = take_frame(fitting)))
		length += utf8_length(name) + (fitting->nr > 1 ? 1 : 0);
	return length <= width;
}

static void add_whole(struct strbuf *sb, const struct fitting *fitting)
{
	for (size_t i = fitting->nr; i-- > 0;) {
		strbuf_adds(sb, printable_of(fitting, i));
		strbuf_adds(sb, i ? ";" : "");
	}
}

static void add_tail(struct strbuf *sb, struct fitting *fitting, size_t width)
{
	fit_name(&fitting->tail, shorten(fitting, 0),
		 !is_root(fitting, 0) && width > 3 ? width - 2 : width);
	for (size_t i = 1; i < fitting->nr || take_frame(fitting); i++) {
		if (!add_caller(fitting, i, width - utf8_length(fitting->tail.buf)))
			break;
	}
	strbuf_add(sb, fitting->tail.buf, fitting->tail.len);
}

void fit_stack(struct strbuf *sb, struct frame_names frames, size_t width)
{
	struct fitting fitting = { .left = frames,
				   .printable = STRBUF_INIT,
				   .tail = STRBUF_INIT,
				   .name = STRBUF_INIT,
				   .more = STRBUF_INIT };

	if (take_fitting(&fitting, width))
		add_whole(sb, &fitting);
	else
		add_tail(sb, &fitting, width);
	free(fitting.starts);
	strbuf_release(&fitting.printable);
	strbuf_release(&fitting.tail);
	strbuf_release(&fitting.name);
	strbuf_release(&fitting.more);
}
