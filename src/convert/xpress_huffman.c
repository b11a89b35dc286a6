#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "convert/xpress_match.h"
#include "convert/xpress_pack.h"
#include "util/alloc.h"

#define BLOCK       65536u /* bytes that have one table */
#define SYMBOLS     512u /* 256 literals, then 16 classes of lengths for each class of distances */
#define END_SYMBOL  256u
#define CODE_MAX    15u
#define LENGTH_MORE 15u
#define FARTHEST    65535u

struct code {
	uint8_t lengths[SYMBOLS];
	uint16_t bits[SYMBOLS];
};

/* Words of 16 bits stand where the unpacker has to have them, with bytes of lengths between. */
struct stream {
	struct strbuf *to;
	uint64_t bits;    /* written */
	uint64_t words;   /* with room in `to` */
	size_t places[4]; /* of the last words */
};

static unsigned log2_of(uint32_t value)
{
	unsigned bits = 0;

	while (value >>= 1)
		bits++;
	return bits;
}

static unsigned symbol_of(struct xpress_item item, unsigned char literal)
{
	uint32_t length = item.length - XPRESS_MATCH_MIN;

	if (!item.length)
		return literal;
	return 256 + (length < LENGTH_MORE ? length : LENGTH_MORE) + 16 * log2_of(item.distance);
}

/* By how often each symbol comes; at most CODE_MAX bits long, and not yet all of the code. */
static void guess_lengths(const uint32_t *counts, struct code *code)
{
	uint32_t total = 0, least, all = 0;

	for (unsigned i = 0; i < SYMBOLS; i++)
		total += counts[i];
	least = total / (1u << (CODE_MAX - 1)) + 1;
	for (unsigned i = 0; i < SYMBOLS; i++)
		all += counts[i] && counts[i] < least ? least : counts[i];
	for (unsigned i = 0; i < SYMBOLS; i++) {
		uint32_t nr = counts[i] && counts[i] < least ? least : counts[i];
		unsigned length = 1;

		while (nr && nr << length < all)
			length++;
		code->lengths[i] = (uint8_t)(nr ? length : 0);
	}
}

/*
 * Shorten lengths until no bit pattern is without a symbol, as unpackers want it. What is left is a multiple of what
 * the longest code has, so that there is always one that fits.
 */
static void complete_lengths(struct code *code)
{
	uint32_t left = 1u << CODE_MAX;

	for (unsigned i = 0; i < SYMBOLS; i++)
		left -= code->lengths[i] ? 1u << (CODE_MAX - code->lengths[i]) : 0;
	while (left) {
		for (unsigned i = 0; i < SYMBOLS; i++) {
			uint32_t more = 1u << (CODE_MAX - code->lengths[i]);

			if (code->lengths[i] > 1 && more <= left) {
				code->lengths[i]--;
				left -= more;
			}
		}
	}
}

/* The shorter code first, of equal ones the lower symbol. */
static void assign_bits(struct code *code)
{
	uint32_t next = 0;

	for (unsigned length = 1; length <= CODE_MAX; length++) {
		next <<= 1;
		for (unsigned i = 0; i < SYMBOLS; i++)
			if (code->lengths[i] == length)
				code->bits[i] = (uint16_t)next++;
	}
}

static void reserve_word(struct stream *stream)
{
	stream->places[stream->words++ % 4] = stream->to->len;
	strbuf_addc(stream->to, '\0');
	strbuf_addc(stream->to, '\0');
}

/* The unpacker reads on when less than 16 bits are left of what it has. */
static void add_bits(struct stream *stream, uint32_t value, unsigned nr)
{
	while (nr--) {
		size_t at = stream->places[stream->bits / 16 % 4];
		unsigned bit = 15 - stream->bits % 16;

		if (value >> nr & 1)
			stream->to->buf[at + bit / 8] |= (char)(1u << bit % 8);
		stream->bits++;
	}
	if (stream->bits > 16 * (stream->words - 1))
		reserve_word(stream);
}

static void add_length(struct stream *stream, uint32_t length)
{
	if (length < LENGTH_MORE)
		return;
	if (length - LENGTH_MORE < 255) {
		strbuf_addc(stream->to, (char)(length - LENGTH_MORE));
		return;
	}
	strbuf_addc(stream->to, (char)255);
	strbuf_addc(stream->to, (char)length);
	strbuf_addc(stream->to, (char)(length >> 8));
}

static void add_table(struct strbuf *to, const struct code *code)
{
	for (unsigned i = 0; i < SYMBOLS; i += 2)
		strbuf_addc(to, (char)(code->lengths[i] | code->lengths[i + 1] << 4));
}

static void add_symbol(struct stream *stream, const struct code *code, unsigned symbol)
{
	add_bits(stream, code->bits[symbol], code->lengths[symbol]);
}

static void make_code(const uint32_t *counts, struct code *code)
{
	memset(code, 0, sizeof(*code));
	guess_lengths(counts, code);
	complete_lengths(code);
	assign_bits(code);
}

static void add_block(struct strbuf *to, const struct xpress_item *items, size_t nr,
		      const unsigned char *bytes, bool last)
{
	struct stream stream = { .to = to };
	uint32_t counts[SYMBOLS] = { 0 };
	const unsigned char *at = bytes;
	struct code code;

	for (size_t i = 0; i < nr; i++) {
		counts[symbol_of(items[i], *at)]++;
		at += items[i].length ? items[i].length : 1;
	}
	/* A code of a single symbol has patterns without one. */
	counts[END_SYMBOL]++;
	if (counts[END_SYMBOL] > nr)
		counts[0]++;
	make_code(counts, &code);
	add_table(to, &code);
	reserve_word(&stream);
	reserve_word(&stream);
	at = bytes;
	for (size_t i = 0; i < nr; i++) {
		uint32_t distance = items[i].distance;

		add_symbol(&stream, &code, symbol_of(items[i], *at));
		at += items[i].length ? items[i].length : 1;
		if (!items[i].length)
			continue;
		add_length(&stream, items[i].length - XPRESS_MATCH_MIN);
		add_bits(&stream, distance - (1u << log2_of(distance)), log2_of(distance));
	}
	if (last)
		add_symbol(&stream, &code, END_SYMBOL);
}

void xpress_huffman_pack(struct strbuf *to, const void *from, size_t nr)
{
	struct xpress_item *items = xcalloc(BLOCK, sizeof(*items));
	struct xpress_matcher matcher;

	xpress_matcher_init(&matcher, from, nr, FARTHEST);
	for (size_t start = 0; start < nr; start = matcher.at) {
		size_t end = nr - start < BLOCK ? nr : start + BLOCK, items_nr = 0;

		while (matcher.at < end)
			items[items_nr++] = xpress_matcher_next(&matcher, end);
		add_block(to, items, items_nr, matcher.bytes + start, end == nr);
	}
	free(items);
}
