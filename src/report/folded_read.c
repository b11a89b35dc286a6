#include "report/folded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/ascii.h"

#define CHUNK ((size_t)64 << 10)

struct folded_reader {
	struct frame_tree *tree;
	struct folded_damage *damage;
	struct strbuf line; /* the last one, as far as it was read */
	bool skipping;      /* it is too long: up to its end nothing counts */
	uint64_t number, stacks;
};

void folded_damage_release(struct folded_damage *damage)
{
	strbuf_release(&damage->first);
	damage->lines = 0;
}

static void tell_damage(struct folded_reader *reader, const char *what)
{
	if (!reader->damage->lines++)
		strbuf_addf(&reader->damage->first, "line %llu: %s",
			    (unsigned long long)reader->number, what);
}

/* The number that [s, end) is; false where it is none, or too large. */
static bool parse_value(const char *s, const char *end, int64_t *value)
{
	int64_t number = 0;

	if (s == end || !ascii_is_digit(*s))
		return false;
	for (; s < end && ascii_is_digit(*s); s++) {
		if (number > (INT64_MAX - (*s - '0')) / 10)
			return false;
		number = number * 10 + (*s - '0');
	}
	if (s < end && *s++ != '.')
		return false;
	while (s < end && ascii_is_digit(*s))
		s++;
	*value = number;
	return s == end;
}

/* Frames that are nothing, as in ";;a;", are left out. */
static uint32_t intern_stack(struct frame_tree *tree, const char *s, const char *end)
{
	uint32_t node = FRAME_TREE_ROOT;

	while (s < end) {
		const char *next = memchr(s, ';', (size_t)(end - s));
		size_t len = (size_t)((next ? next : end) - s);

		if (len)
			node = frame_tree_child(tree, node, frame_tree_name(tree, s, len));
		s += len + 1;
	}
	return node;
}

static void read_line(struct folded_reader *reader, const char *s, size_t len)
{
	const char *end = s + len, *number;
	int64_t value;

	reader->number++;
	while (end > s && (ascii_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	if (end == s)
		return;
	number = end;
	while (number > s && !ascii_is_blank(number[-1]))
		number--;
	if (number == s || !parse_value(number, end, &value)) {
		tell_damage(reader, "no value at its end");
		return;
	}
	reader->stacks++;
	if (value &&
	    !frame_tree_add(reader->tree, intern_stack(reader->tree, s, number - 1), value))
		tell_damage(reader, "the sum of all values is too large for a number");
}

/* What was read goes on to be lines; the last one waits for its end. */
static void read_chunk(struct folded_reader *reader, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t nr = (size_t)((stop ? stop : end) - s);

		if (!reader->skipping)
			strbuf_add(&reader->line, s, nr);
		if (reader->line.len > FOLDED_LINE_MAX) {
			reader->skipping = true;
			strbuf_clear(&reader->line);
		}
		s += nr;
		if (!stop)
			return;
		s++;
		if (reader->skipping) {
			reader->number++;
			tell_damage(reader, "longer than any stack");
		} else {
			read_line(reader, reader->line.buf, reader->line.len);
		}
		reader->skipping = false;
		strbuf_clear(&reader->line);
	}
}

int folded_read(FILE *in, struct frame_tree *tree, struct folded_damage *damage, struct err *err)
{
	struct folded_reader reader = {
		.tree = tree,
		.damage = damage,
		.line = STRBUF_INIT,
	};
	char *chunk = xmalloc(CHUNK);
	size_t nr;
	int ret = 0;

	while ((nr = fread(chunk, 1, CHUNK, in)) > 0)
		read_chunk(&reader, chunk, nr);
	if (ferror(in))
		ret = err_set_errno(err, errno, "cannot read folded stacks");
	else if (reader.line.len || reader.skipping)
		read_chunk(&reader, "\n", 1);
	if (!ret && !reader.stacks && damage->lines)
		ret = err_set(err, ERR_CORRUPT, "these are no folded stacks: %s",
			      damage->first.buf);
	strbuf_release(&reader.line);
	free(chunk);
	return ret;
}
