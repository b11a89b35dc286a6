#include "convert/xpress_pack.h"

#include <stdint.h>

#include "convert/xpress_match.h"

#define PLAIN_FARTHEST 8192

static void put(struct strbuf *to, size_t at, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to->buf[at + i] = (char)(value >> (8 * i));
}

static void add(struct strbuf *to, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addc(to, (char)(value >> (8 * i)));
}

/* The words of flags, one bit an item from the top, and the byte that two lengths share. */
struct plain {
	struct strbuf *to;
	size_t flags_at;
	uint32_t flags;
	unsigned flags_nr;
	size_t nibble_at; /* 0: the next one begins a byte */
};

static void add_flag(struct plain *plain, unsigned flag)
{
	plain->flags = plain->flags << 1 | flag;
	if (++plain->flags_nr < 32)
		return;
	put(plain->to, plain->flags_at, plain->flags, 4);
	plain->flags_nr = 0;
	plain->flags_at = plain->to->len;
	add(plain->to, 0, 4);
}

/* What is behind the first three bits of a length; less is what they have said already. */
static void add_long_length(struct plain *plain, uint32_t length)
{
	uint32_t nibble = length - 7 < 15 ? length - 7 : 15;

	if (plain->nibble_at) {
		plain->to->buf[plain->nibble_at] |= (char)(nibble << 4);
		plain->nibble_at = 0;
	} else {
		plain->nibble_at = plain->to->len;
		add(plain->to, nibble, 1);
	}
	if (nibble < 15)
		return;
	if (length - 22 < 255) {
		add(plain->to, length - 22, 1);
		return;
	}
	add(plain->to, 255, 1);
	add(plain->to, length, 2);
}

static void add_match(struct plain *plain, struct xpress_item item)
{
	uint32_t length = item.length - XPRESS_MATCH_MIN;

	add(plain->to, (item.distance - 1) << 3 | (length < 7 ? length : 7), 2);
	if (length >= 7)
		add_long_length(plain, length);
}

void xpress_pack(struct strbuf *to, const void *from, size_t nr)
{
	struct plain plain = { .to = to, .flags_at = to->len };
	struct xpress_matcher matcher;

	xpress_matcher_init(&matcher, from, nr, PLAIN_FARTHEST);
	add(to, 0, 4);
	while (matcher.at < nr) {
		size_t at = matcher.at;
		struct xpress_item item = xpress_matcher_next(&matcher, nr);

		if (item.length)
			add_match(&plain, item);
		else
			strbuf_addc(to, (char)matcher.bytes[at]);
		add_flag(&plain, item.length > 0);
	}
	/* The end is a match, behind the last byte. */
	for (unsigned left = 32 - plain.flags_nr; left; left--)
		plain.flags = plain.flags << 1 | 1;
	put(to, plain.flags_at, plain.flags, 4);
}
