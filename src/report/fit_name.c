#include "report/fit_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "util/utf8.h"

#define ELLIPSIS   "…"
#define DEPTH_MAX  64
#define LEAST_NAME 16 /* less of a caller's name is not worth its place */

/* Whether the '<' at `at` opens type arguments: it stands behind a name, not where a path begins. */
static bool opens_arguments(const char *name, size_t at)
{
	return at && (isalnum((unsigned char)name[at - 1]) || strchr("_:}", name[at - 1]));
}

static bool closes(const char *name, size_t at)
{
	return name[at] == '>' && (!at || !strchr("-=", name[at - 1]));
}

/*
 * Append `name` without the lists of type arguments from `level` on, 1 being the outermost. The deepest level
 * there is, or -1, with what was appended void: brackets that are no pairs.
 */
static int add_elided(struct strbuf *sb, const char *name, int level)
{
	bool arguments[DEPTH_MAX];
	int depth = 0, deep = 0, deepest = 0;

	if (strstr(name, "operator"))
		return -1;
	for (size_t i = 0;; i++) {
		size_t plain = strcspn(name + i, "<>");
		bool kept = deep < level;

		if (kept)
			strbuf_add(sb, name + i, plain);
		i += plain;
		if (!name[i])
			break;
		if (name[i] == '<') {
			if (depth == DEPTH_MAX)
				return -1;
			arguments[depth] = opens_arguments(name, i);
			deep += arguments[depth++];
			if (deep > deepest)
				deepest = deep;
			if (kept)
				strbuf_adds(sb, deep < level ? "<" : "<" ELLIPSIS);
		} else if (closes(name, i)) {
			if (!depth)
				return -1;
			deep -= arguments[--depth];
			if (deep < level)
				strbuf_addc(sb, '>');
		} else if (kept) {
			strbuf_addc(sb, name[i]);
		}
	}
	return depth ? -1 : deepest;
}

/* Both ends; the function's name is at the second one. */
static void add_ends(struct strbuf *sb, const char *name, size_t width)
{
	size_t length = utf8_length(name), head = (width - 1) * 2 / 5, tail = width - 1 - head;

	strbuf_add(sb, name, utf8_prefix(name, head));
	strbuf_adds(sb, ELLIPSIS);
	strbuf_adds(sb, name + utf8_prefix(name, length - tail));
}

void fit_name(struct strbuf *sb, const char *name, size_t width)
{
	struct strbuf elided = STRBUF_INIT;
	int level;

	if (utf8_length(name) <= width) {
		strbuf_adds(sb, name);
		return;
	}
	level = add_elided(&elided, name, DEPTH_MAX);
	for (; level > 0; level--) {
		strbuf_clear(&elided);
		add_elided(&elided, name, level);
		if (utf8_length(elided.buf) <= width)
			break;
	}
	if (level > 0)
		strbuf_adds(sb, elided.buf);
	else
		add_ends(sb, level ? name : elided.buf, width);
	strbuf_release(&elided);
}

/* The name of a frame in the shortest form that has both of its ends whole. */
static void add_frame(struct strbuf *sb, const char *frame)
{
	struct strbuf name = STRBUF_INIT, elided = STRBUF_INIT;

	utf8_add_printable(&name, frame);
	strbuf_adds(sb, add_elided(&elided, name.buf, 1) < 0 ? name.buf : elided.buf);
	strbuf_release(&name);
	strbuf_release(&elided);
}

/* Put `more` before what is there. */
static void put_before(struct strbuf *sb, const char *more)
{
	struct strbuf whole = STRBUF_INIT;

	strbuf_adds(&whole, more);
	strbuf_adds(&whole, sb->buf);
	strbuf_release(sb);
	*sb = whole;
}

/* The frame before those of `tail`, in at most `room`, or what shows that there is one. False: no more. */
static bool add_caller(struct strbuf *tail, const char *frame, size_t room, bool root)
{
	struct strbuf name = STRBUF_INIT;
	size_t length;
	bool whole;

	add_frame(&name, frame);
	length = utf8_length(name.buf);
	whole = length + 1 + (root ? 0 : 2) <= room;
	if (whole) {
		strbuf_addc(&name, ';');
	} else {
		struct strbuf cut = STRBUF_INIT;

		if (room >= LEAST_NAME + 3) {
			strbuf_adds(&cut, root ? "" : ELLIPSIS ";");
			fit_name(&cut, name.buf, room - (root ? 1 : 3));
		} else {
			strbuf_adds(&cut, ELLIPSIS);
		}
		strbuf_addc(&cut, ';');
		strbuf_release(&name);
		name = cut;
	}
	put_before(tail, name.buf);
	strbuf_release(&name);
	return whole;
}

static bool add_whole(struct strbuf *sb, const struct strvec *frames, size_t width)
{
	struct strbuf whole = STRBUF_INIT;
	bool fits;

	for (size_t i = 0; i < frames->nr && whole.len <= UTF8_BYTES_MAX * width; i++) {
		strbuf_adds(&whole, i ? ";" : "");
		utf8_add_printable(&whole, frames->v[i]);
	}
	fits = utf8_length(whole.buf) <= width;
	if (fits)
		strbuf_adds(sb, whole.buf);
	strbuf_release(&whole);
	return fits;
}

void fit_stack(struct strbuf *sb, const struct strvec *frames, size_t width)
{
	struct strbuf tail = STRBUF_INIT, leaf = STRBUF_INIT;
	size_t i = frames->nr;

	if (!i || add_whole(sb, frames, width))
		return;
	add_frame(&leaf, frames->v[--i]);
	fit_name(&tail, leaf.buf, i && width > 3 ? width - 2 : width);
	while (i-- > 0) {
		if (!add_caller(&tail, frames->v[i], width - utf8_length(tail.buf), !i))
			break;
	}
	strbuf_adds(sb, tail.buf);
	strbuf_release(&tail);
	strbuf_release(&leaf);
}
