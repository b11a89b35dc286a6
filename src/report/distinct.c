#include "report/distinct.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/fit_name.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

#define ELLIPSIS "…"

struct sorted {
	const char *text;
	size_t len, i;
};

static int compare_starts(const void *a, const void *b)
{
	return strcmp(((const struct sorted *)a)->text, ((const struct sorted *)b)->text);
}

static int compare_ends(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	size_t i = x->len, j = y->len;

	while (i && j && x->text[i - 1] == y->text[j - 1]) {
		i--;
		j--;
	}
	if (!i || !j)
		return (i > j) - (i < j);
	return (unsigned char)x->text[i - 1] < (unsigned char)y->text[j - 1] ? -1 : 1;
}

/* The number of equal bytes at the start, or at the end. */
static size_t count_equal(const struct sorted *a, const struct sorted *b, bool from_end)
{
	size_t most = a->len < b->len ? a->len : b->len, nr = 0;

	if (from_end) {
		while (nr < most && a->text[a->len - 1 - nr] == b->text[b->len - 1 - nr])
			nr++;
	} else {
		while (nr < most && a->text[nr] == b->text[nr])
			nr++;
	}
	return nr;
}

/* Whether the byte is one of "…", which short names have. */
static bool is_ellipsis(const char *text, size_t at)
{
	for (size_t i = 0; i < strlen(ELLIPSIS) && i <= at; i++) {
		if (text[at] == ELLIPSIS[i] && text_starts_with(text + at - i, ELLIPSIS))
			return true;
	}
	return false;
}

static bool is_word(const char *text, size_t at)
{
	unsigned char c = (unsigned char)text[at];

	return isalnum(c) || c == '_' || (c >= 0x80 && !is_ellipsis(text, at));
}

/* A number says little alone: "[u8; 24]". */
static size_t start_of_number(const char *text, size_t from)
{
	size_t start = from;

	while (start && !is_word(text, start - 1))
		start--;
	while (start && is_word(text, start - 1))
		start--;
	return start && text[start - 1] == '[' ? start - 1 : from;
}

/* The identifier at a byte, and the path that it begins; where it differs between two, both. */
static struct text_part part_at(const char *text, size_t at)
{
	size_t from = at, to = at;

	if (!is_word(text, at)) {
		while (from && !is_word(text, from - 1))
			from--;
	}
	while (from && is_word(text, from - 1))
		from--;
	if (text[to] && !strchr(">)]};", text[to])) {
		while (text[to] && !is_word(text, to))
			to++;
	}
	while (is_word(text, to) || text[to] == ':')
		to++;
	while (to > at && text[to - 1] == ':')
		to--;
	if (isdigit((unsigned char)text[from]) && text[to] == ']') {
		from = start_of_number(text, from);
		to += text[from] == '[';
	}
	return (struct text_part){ (uint32_t)from, (uint32_t)to, (uint32_t)at };
}

/* The last identifier of a part: the name of a type without its path. */
struct narrow {
	const char *text;
	size_t len, i;
	uint32_t from;
};

static int compare_narrow(const void *a, const void *b)
{
	const struct narrow *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Whether the byte follows the "::" of a path; a ':' alone stands for the ';' of an array. */
static bool follows_separator(const char *text, size_t at)
{
	return at >= 2 && text[at - 1] == ':' && text[at - 2] == ':';
}

/* Parts need no path where their last identifiers differ too. */
static void narrow_parts(const char *const *texts, size_t nr, struct text_part *parts)
{
	struct narrow *v = xcalloc(nr + 1, sizeof(*v));

	for (size_t i = 0; i < nr; i++) {
		uint32_t from = parts[i].to;

		while (from > parts[i].from && !follows_separator(texts[i], from))
			from--;
		v[i] = (struct narrow){ texts[i] + from, parts[i].to - from, i, from };
	}
	if (nr)
		qsort(v, nr, sizeof(*v), compare_narrow);
	for (size_t i = 0; i < nr; i++) {
		struct text_part *part = &parts[v[i].i];

		if ((i && !compare_narrow(&v[i - 1], &v[i])) ||
		    (i + 1 < nr && !compare_narrow(&v[i], &v[i + 1])) || v[i].from <= part->from)
			continue;
		part->from = v[i].from;
		part->at = part->at > part->from ? part->at : part->from;
	}
	free(v);
}

void distinct_find(const char *const *texts, size_t nr, bool from_end, struct text_part *parts)
{
	int (*compare)(const void *a, const void *b) = from_end ? compare_ends : compare_starts;
	struct sorted *sorted = xcalloc(nr + 1, sizeof(*sorted));
	size_t end, before = 0;

	for (size_t i = 0; i < nr; i++) {
		sorted[i] = (struct sorted){ texts[i], strlen(texts[i]), i };
		parts[i] = (struct text_part){ 0, 0, 0 };
	}
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), compare);
	for (size_t first = 0; first < nr; first = end) {
		const struct sorted *text = &sorted[first];
		size_t equal = before, after = 0;

		for (end = first + 1; end < nr && !compare(&sorted[end], text);)
			end++;
		if (end < nr)
			after = count_equal(text, &sorted[end], from_end);
		before = after;
		if (end - first == nr)
			break;
		equal = after > equal ? after : equal;
		if (from_end)
			equal = equal < text->len ? text->len - 1 - equal : 0;
		for (size_t i = first; i < end; i++)
			parts[sorted[i].i] = part_at(text->text, equal);
	}
	free(sorted);
	narrow_parts(texts, nr, parts);
}

/* Code points of a part of a text. */
static size_t length_of(const char *text, size_t from, size_t to)
{
	return utf8_length(text + from) - utf8_length(text + to);
}

/* A part that is too long: from a little before the byte that differs. */
static struct text_part shorten(const char *text, struct text_part part, size_t width)
{
	if (part.at > part.from + 2)
		part.from = part.at - 2;
	while (part.from && ((unsigned char)text[part.from] & 0xc0) == 0x80)
		part.from--;
	part.to = part.from + (uint32_t)utf8_prefix(text + part.from, width);
	return part;
}

/* The start of the frame that a byte of a stack is in. */
static size_t frame_at(const char *stack, size_t at)
{
	while (at && stack[at - 1] != ';')
		at--;
	return at;
}

/* Skip "…" after another one. */
static size_t after_ellipsis(const char *text, size_t at)
{
	return text_starts_with(text + at, ELLIPSIS) ? at + strlen(ELLIPSIS) : at;
}

/* Append a part of a text: both of its ends. */
static void add_ends(struct strbuf *sb, const char *text, size_t from, size_t to, size_t width)
{
	size_t length = length_of(text, from, to), start = width > 1 ? (width - 1) / 2 : 0;
	size_t end = width ? width - 1 - start : 0, skip;

	if (length <= width) {
		strbuf_add(sb, text + from, to - from);
		return;
	}
	strbuf_add(sb, text + from, utf8_prefix(text + from, start));
	strbuf_adds(sb, width ? ELLIPSIS : "");
	skip = after_ellipsis(text, from + utf8_prefix(text + from, length - end));
	strbuf_add(sb, text + skip, to > skip ? to - skip : 0);
}

#define LEAST_FRAME 16 /* a shorter part of a caller's name is useless */

/* Append what is before the part of a stack: the frame of the part, and its callers as far as there is room. */
static void add_callers(struct strbuf *sb, const char *stack, size_t to, size_t width)
{
	size_t frame = frame_at(stack, to), from = frame;

	if (length_of(stack, 0, to) <= width) {
		strbuf_add(sb, stack, to);
		return;
	}
	if (width < 2) {
		strbuf_adds(sb, width ? ELLIPSIS : "");
		return;
	}
	while (from && length_of(stack, frame_at(stack, from - 1), to) + 2 <= width)
		from = frame_at(stack, from - 1);
	if (from && length_of(stack, from, to) + LEAST_FRAME + 3 <= width) {
		frame = frame_at(stack, from - 1);
		strbuf_adds(sb, frame ? ELLIPSIS ";" : "");
		add_ends(sb, stack, frame, from - 1,
			 width - length_of(stack, from, to) - (frame ? 3 : 1));
		strbuf_addc(sb, ';');
		strbuf_add(sb, stack + from, to - from);
		return;
	}
	strbuf_adds(sb, from ? ELLIPSIS ";" : "");
	add_ends(sb, stack, from, to, width - (from ? 2 : 0));
}

/* Append the end of what is after the part; whole frames of a stack. */
static void add_tail(struct strbuf *sb, const char *text, bool stack, size_t width)
{
	size_t length = utf8_length(text);
	const char *tail, *frame;

	if (length <= width) {
		strbuf_adds(sb, text);
		return;
	}
	if (!width)
		return;
	strbuf_adds(sb, ELLIPSIS);
	tail = text + after_ellipsis(text, utf8_prefix(text, length - (width - 1)));
	frame = stack ? strchr(tail, ';') : NULL;
	strbuf_adds(sb, frame ? frame : tail);
}

/* What the head gets of the room for both ends. */
static size_t room_of_head(const char *text, struct text_part part, bool stack, size_t room)
{
	size_t head = length_of(text, 0, part.from), tail = utf8_length(text + part.to), share;

	share = stack ? length_of(text, frame_at(text, part.from), part.from) + 2 : room * 2 / 5;
	if (share > room / 2)
		share = room / 2;
	if (tail < room - share)
		share = room - tail;
	return share < head ? share : head;
}

/* The part of a text that begins at `start`. */
static struct text_part part_after(struct text_part part, size_t start)
{
	uint32_t from = (uint32_t)start;

	return (struct text_part){ part.from > from ? part.from - from : 0,
				   part.to > from ? part.to - from : 0,
				   part.at > from ? part.at - from : 0 };
}

void distinct_fit(struct strbuf *sb, const char *text, struct text_part part, bool stack,
		  size_t width)
{
	size_t room, head, indentation = stack ? 0 : fit_indentation_bytes(text);

	/* Only a short text can fit, and a long stack's callers are not shown: their length does not matter. */
	if (strlen(text) <= UTF8_BYTES_MAX * width && utf8_length(text) <= width) {
		strbuf_adds(sb, text);
		return;
	}
	if (indentation && text[indentation]) {
		width -= fit_indentation(sb, text, width);
		distinct_fit(sb, text + indentation, part_after(part, indentation), stack, width);
		return;
	}
	if (stack && part.from > UTF8_BYTES_MAX * width) {
		uint32_t callers = (uint32_t)frame_at(text, part.from - UTF8_BYTES_MAX * width);

		callers -= callers ? 1 : 0;
		text += callers;
		part = part_after(part, callers);
	}
	if (length_of(text, part.from, part.to) > (width + 1) / 2)
		part = shorten(text, part, (width + 1) / 2);
	room = width - length_of(text, part.from, part.to);
	head = room_of_head(text, part, stack, room);
	if (stack)
		add_callers(sb, text, part.from, head);
	else
		add_ends(sb, text, 0, part.from, head);
	strbuf_add(sb, text + part.from, part.to - part.from);
	add_tail(sb, text + part.to, stack, room - head);
}
