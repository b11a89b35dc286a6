#include "convert/xpress_compress.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

#define PLAIN_FARTHEST 8192

#define BLOCK       65536u /* bytes per code table */
#define SYMBOLS     512u   /* 256 literals, then 16 length classes for each distance class */
#define END_SYMBOL  256u
#define CODE_MAX    15u
#define LENGTH_MORE 15u
#define FARTHEST    65535u

#define MATCH_MIN 3
#define MATCH_MAX 65535 /* longer ones are split */

/* A literal byte (length 0), or a match: copy `length` bytes from `distance` bytes before. */
struct item {
	uint32_t length, distance;
};

/* Finds matches, with a hash table of the last position of each three bytes. */
struct matcher {
	const unsigned char *bytes;
	size_t nr, at;
	size_t farthest;
	uint32_t last[1 << 13]; /* position plus one; 0: none */
};

static void matcher_init(struct matcher *matcher, const void *bytes, size_t nr, size_t farthest)
{
	memset(matcher, 0, sizeof(*matcher));
	matcher->bytes = bytes;
	matcher->nr = nr;
	matcher->farthest = farthest;
}

static uint32_t *slot_of(struct matcher *matcher, size_t at)
{
	const unsigned char *p = matcher->bytes + at;
	uint32_t three = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return &matcher->last[three * UINT32_C(2654435761) >> 19];
}

static size_t measure(const struct matcher *matcher, size_t before, size_t end)
{
	const unsigned char *bytes = matcher->bytes;
	size_t most = end - matcher->at, length = 0;

	if (most > MATCH_MAX)
		most = MATCH_MAX;
	while (length < most && bytes[before + length] == bytes[matcher->at + length])
		length++;
	return length;
}

/* Return the item at matcher->at, which is below `end`, and advance past it. */
static struct item next_item(struct matcher *matcher, size_t end)
{
	struct item item = { 0, 0 };
	size_t length = 0, before = 0;
	uint32_t *slot;

	if (end - matcher->at >= MATCH_MIN) {
		slot = slot_of(matcher, matcher->at);
		before = *slot ? *slot - 1 : matcher->at;
		*slot = (uint32_t)matcher->at + 1;
		if (before < matcher->at && matcher->at - before <= matcher->farthest)
			length = measure(matcher, before, end);
	}
	if (length >= MATCH_MIN) {
		item.length = (uint32_t)length;
		item.distance = (uint32_t)(matcher->at - before);
		matcher->at += length;
	} else {
		matcher->at++;
	}
	return item;
}

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

/* Output of plain LZ77: flag words, one bit per item from the highest, and half bytes for lengths. */
struct plain {
	struct strbuf *to;
	size_t flags_at;
	uint32_t flags;
	unsigned flags_nr;
	size_t nibble_at; /* byte with a free half; 0: none */
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

/* The remaining part of a length of 7 or more; its first three bits are in the match. */
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

static void add_match(struct plain *plain, struct item item)
{
	uint32_t length = item.length - MATCH_MIN;

	add(plain->to, (item.distance - 1) << 3 | (length < 7 ? length : 7), 2);
	if (length >= 7)
		add_long_length(plain, length);
}

void xpress_compress(struct strbuf *to, const void *from, size_t nr)
{
	struct plain plain = { .to = to, .flags_at = to->len };
	struct matcher matcher;

	matcher_init(&matcher, from, nr, PLAIN_FARTHEST);
	add(to, 0, 4);
	while (matcher.at < nr) {
		size_t at = matcher.at;
		struct item item = next_item(&matcher, nr);

		if (item.length)
			add_match(&plain, item);
		else
			strbuf_addc(to, (char)matcher.bytes[at]);
		add_flag(&plain, item.length > 0);
	}
	/* The end is marked by a match bit after the last byte. */
	for (unsigned left = 32 - plain.flags_nr; left; left--)
		plain.flags = plain.flags << 1 | 1;
	put(to, plain.flags_at, plain.flags, 4);
}

struct code {
	uint8_t lengths[SYMBOLS];
	uint16_t bits[SYMBOLS];
};

/*
 * Output of the Huffman form: 16-bit words at the offsets where the decompressor reads them, with length bytes in between.
 */
struct stream {
	struct strbuf *to;
	uint64_t bits;    /* written */
	uint64_t words;   /* reserved in `to` */
	size_t places[4]; /* offsets of the last words */
};

static unsigned log2_of(uint32_t value)
{
	unsigned bits = 0;

	while (value >>= 1)
		bits++;
	return bits;
}

static unsigned symbol_of(struct item item, unsigned char literal)
{
	uint32_t length = item.length - MATCH_MIN;

	if (!item.length)
		return literal;
	return 256 + (length < LENGTH_MORE ? length : LENGTH_MORE) + 16 * log2_of(item.distance);
}

/* Code lengths from symbol counts; at most CODE_MAX bits. Some bit patterns remain unused. */
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
 * Shorten lengths until every bit pattern is used, as decompressors require. The unused part is a multiple of the longest
 * code's share, so there is always a code that can be shortened.
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

/* Canonical code: by length, then by symbol. */
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

/* The decompressor reads the next word when it has less than 16 bits left: reserve it at that offset. */
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

static void add_symbol(struct stream *stream, const struct code *code, unsigned symbol)
{
	add_bits(stream, code->bits[symbol], code->lengths[symbol]);
}

static void add_block(struct strbuf *to, const struct item *items, size_t nr,
		      const unsigned char *bytes, bool last)
{
	struct stream stream = { .to = to };
	uint32_t counts[SYMBOLS] = { 0 };
	const unsigned char *at = bytes;
	struct code code = { .bits = { 0 } };

	for (size_t i = 0; i < nr; i++) {
		counts[symbol_of(items[i], *at)]++;
		at += items[i].length ? items[i].length : 1;
	}
	/* At least two symbols: a code for a single one would leave patterns unused. */
	counts[END_SYMBOL]++;
	if (counts[END_SYMBOL] > nr)
		counts[0]++;
	guess_lengths(counts, &code);
	complete_lengths(&code);
	assign_bits(&code);
	for (unsigned i = 0; i < SYMBOLS; i += 2)
		strbuf_addc(to, (char)(code.lengths[i] | code.lengths[i + 1] << 4));
	reserve_word(&stream);
	reserve_word(&stream);
	at = bytes;
	for (size_t i = 0; i < nr; i++) {
		uint32_t distance = items[i].distance;

		add_symbol(&stream, &code, symbol_of(items[i], *at));
		at += items[i].length ? items[i].length : 1;
		if (!items[i].length)
			continue;
		add_length(&stream, items[i].length - MATCH_MIN);
		add_bits(&stream, distance - (1u << log2_of(distance)), log2_of(distance));
	}
	if (last)
		add_symbol(&stream, &code, END_SYMBOL);
}

void xpress_huffman_compress(struct strbuf *to, const void *from, size_t nr)
{
	struct item *items = xcalloc(BLOCK, sizeof(*items));
	struct matcher matcher;

	matcher_init(&matcher, from, nr, FARTHEST);
	for (size_t start = 0; start < nr; start = matcher.at) {
		size_t end = nr - start < BLOCK ? nr : start + BLOCK, items_nr = 0;

		while (matcher.at < end)
			items[items_nr++] = next_item(&matcher, end);
		add_block(to, items, items_nr, matcher.bytes + start, end == nr);
	}
	free(items);
}
