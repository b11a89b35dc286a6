#include "trace/etl/xpress.h"

#include <stdint.h>
#include <string.h>

#define MATCH_MIN 3

/* Matches are copied by so many bytes, so that the last ones may be too many. */
#define WIDE 8

struct stream {
	const unsigned char *from, *from_end;
	unsigned char *to, *to_begin, *to_end;
};

static inline size_t left(const struct stream *stream)
{
	return (size_t)(stream->from_end - stream->from);
}

static inline size_t room(const struct stream *stream)
{
	return (size_t)(stream->to_end - stream->to);
}

/* `nr` (1, 2 or 4) bytes as a number. */
static inline bool take(struct stream *stream, size_t nr, uint32_t *value)
{
	if (left(stream) < nr)
		return false;
	*value = 0;
	for (size_t i = 0; i < nr; i++)
		*value |= (uint32_t)stream->from[i] << (8 * i);
	stream->from += nr;
	return true;
}

/* What is behind a length's code: a byte, or 255 and two, or 255, two zeros and four. `least` is what codes reach. */
static inline bool take_long(struct stream *stream, uint32_t base, uint32_t least, uint32_t *length)
{
	if (!take(stream, 1, length))
		return false;
	if (*length < 255) {
		*length += base;
		return true;
	}
	if (!take(stream, 2, length) || (*length == 0 && !take(stream, 4, length)))
		return false;
	return *length >= least;
}

/* `length` bytes that are as those `distance` before; behind them are WIDE more that may be written to. */
static inline void copy_wide(unsigned char *to, size_t distance, size_t length)
{
	unsigned char *end = to + length;
	const unsigned char *from = to - distance;

	if (distance < WIDE) {
		for (int i = 0; i < WIDE; i++)
			to[i] = from[i];
		/* The same, from a multiple of the distance that they fit in. */
		to += WIDE;
		from = to - ((WIDE - 1) / distance + 1) * distance;
	}
	while (to < end) {
		memcpy(to, from, WIDE);
		to += WIDE;
		from += WIDE;
	}
}

static inline bool copy_match(struct stream *stream, size_t distance, size_t length)
{
	unsigned char *to = stream->to;

	if (distance > (size_t)(to - stream->to_begin) || length > room(stream))
		return false;
	stream->to += length;
	/* Nearly all: without a loop, the end of which is as good as random. */
	if (length <= 2 * WIDE && distance >= WIDE && (size_t)(stream->to_end - to) >= 2 * WIDE) {
		memcpy(to, to - distance, WIDE);
		memcpy(to + WIDE, to + WIDE - distance, WIDE);
		return true;
	}
	if (room(stream) >= WIDE) {
		copy_wide(to, distance, length);
		return true;
	}
	for (; to < stream->to; to++)
		*to = *(to - distance);
	return true;
}

/*
 * Plain: one bit for each item, 32 in front of them; a half byte of a length waits for the next that needs one. What the next
 * item is can't be foreseen, so that literals are taken as many as there are up to the next match.
 */

static inline bool plain_length(struct stream *stream, const unsigned char **half, uint32_t *length)
{
	uint32_t nibble;

	if (*half) {
		nibble = **half >> 4;
		*half = NULL;
	} else {
		*half = stream->from;
		if (!take(stream, 1, &nibble))
			return false;
		nibble &= 15;
	}
	*length = 7 + nibble;
	return nibble < 15 || take_long(stream, 7 + 15, 7 + 15, length);
}

static inline bool plain_match(struct stream *stream, const unsigned char **half)
{
	uint32_t code, length;

	if (!take(stream, 2, &code))
		return false;
	length = code & 7;
	if (length == 7 && !plain_length(stream, half, &length))
		return false;
	return copy_match(stream, (code >> 3) + 1, (size_t)length + MATCH_MIN);
}

/* The bits of items, at the left; behind them one that is set. */
#define NO_ITEMS (UINT64_C(1) << 63)

static inline bool take_items(struct stream *stream, uint64_t *items)
{
	uint32_t bits;

	if (!take(stream, 4, &bits))
		return false;
	*items = (uint64_t)bits << 32 | NO_ITEMS >> 32;
	return true;
}

/* At most as many as there is room for. */
static inline bool literals(struct stream *stream, size_t nr)
{
	if (nr <= WIDE && left(stream) >= WIDE && room(stream) >= WIDE) {
		memcpy(stream->to, stream->from, WIDE);
	} else {
		if (nr > room(stream))
			nr = room(stream);
		if (nr > left(stream))
			return false;
		memcpy(stream->to, stream->from, nr);
	}
	stream->from += nr;
	stream->to += nr;
	return true;
}

bool xpress_unpack(const unsigned char *from, size_t from_nr, unsigned char *to, size_t to_nr)
{
	struct stream stream = { from, from + from_nr, to, to, to + to_nr };
	const unsigned char *half = NULL;
	uint64_t items = NO_ITEMS;

	while (room(&stream)) {
		unsigned before = (unsigned)__builtin_clzll(items);

		if (!literals(&stream, before))
			return false;
		items <<= before;
		if (!room(&stream))
			break;
		if (items == NO_ITEMS) {
			if (!take_items(&stream, &items))
				return false;
			continue;
		}
		items <<= 1;
		if (!plain_match(&stream, &half))
			return false;
	}
	return true;
}

/* Huffman: blocks of 64 KB, each with the lengths of its 512 codes, in halves of bytes, before it. */

#define SYMBOLS      512
#define TABLE_BYTES  (SYMBOLS / 2)
#define BLOCK_BYTES  65536
#define LENGTH_MAX   15
#define DIRECT_BITS  11
#define DIRECT       (1 << DIRECT_BITS)
#define LENGTH_SHIFT 12

struct codes {
	uint16_t direct[DIRECT]; /* by the next bits: symbol, length << LENGTH_SHIFT; 0: longer */
	uint16_t symbols[SYMBOLS];
	/* By length: the first code behind those of it, at the left of 15 bits, and where its symbols begin. */
	uint32_t end[LENGTH_MAX + 1];
	int32_t place[LENGTH_MAX + 1];
};

static inline unsigned code_length(const unsigned char *table, unsigned symbol)
{
	return symbol & 1 ? table[symbol / 2] >> 4 : table[symbol / 2] & 15;
}

/* Where codes of each length are; false where they don't use up all there are. */
static bool place_codes(struct codes *codes, const unsigned char *table,
			unsigned counts[LENGTH_MAX + 1])
{
	unsigned nr = 0;
	uint32_t code = 0;

	memset(counts, 0, (LENGTH_MAX + 1) * sizeof(*counts));
	for (unsigned symbol = 0; symbol < SYMBOLS; symbol++)
		counts[code_length(table, symbol)]++;
	for (unsigned length = 1; length <= LENGTH_MAX; length++) {
		unsigned shift = LENGTH_MAX - length;

		codes->place[length] = (int32_t)nr - (int32_t)(code >> shift);
		code += (uint32_t)counts[length] << shift;
		codes->end[length] = code;
		if (code > 1 << LENGTH_MAX)
			return false;
		nr += counts[length];
		counts[length] = nr - counts[length];
	}
	return code == 1 << LENGTH_MAX;
}

static bool read_codes(struct codes *codes, const unsigned char *table)
{
	unsigned next[LENGTH_MAX + 1];
	unsigned at = 0;

	if (!place_codes(codes, table, next))
		return false;
	for (unsigned symbol = 0; symbol < SYMBOLS; symbol++) {
		unsigned length = code_length(table, symbol);

		if (length)
			codes->symbols[next[length]++] = (uint16_t)symbol;
	}
	for (unsigned i = 0, length = 1; length <= DIRECT_BITS; length++) {
		for (; i < next[length]; i++) {
			for (unsigned end = at + (DIRECT >> length); at < end; at++)
				codes->direct[at] =
					(uint16_t)(codes->symbols[i] | length << LENGTH_SHIFT);
		}
	}
	memset(codes->direct + at, 0, (DIRECT - at) * sizeof(codes->direct[0]));
	return true;
}

/* The bits of 16-bit words, of which two are taken ahead; bytes of lengths are between words. */
struct bits {
	uint32_t value; /* the next ones at its left */
	int spare;      /* how many there are, above 16; below 0: another word is due */
	int absent;     /* of them such as are behind the end */
};

/* False where bits were used that are not there. */
static inline bool refill(struct bits *bits, struct stream *stream)
{
	uint32_t word = 0;

	if (bits->spare >= 0)
		return true;
	if (!take(stream, 2, &word))
		bits->absent += 16;
	bits->value |= word << -bits->spare;
	bits->spare += 16;
	return 16 + bits->spare >= bits->absent;
}

static inline bool skip(struct bits *bits, struct stream *stream, unsigned nr)
{
	bits->value <<= nr;
	bits->spare -= (int)nr;
	return refill(bits, stream);
}

static inline unsigned long_code(const struct codes *codes, uint32_t value, unsigned *length)
{
	*length = DIRECT_BITS + 1;
	while (value >> (32 - LENGTH_MAX) >= codes->end[*length])
		(*length)++;
	return codes->symbols[codes->place[*length] + (int32_t)(value >> (32 - *length))];
}

static inline bool next_symbol(const struct codes *codes, struct bits *bits, struct stream *stream,
			       unsigned *symbol)
{
	unsigned entry = codes->direct[bits->value >> (32 - DIRECT_BITS)];
	unsigned length = entry >> LENGTH_SHIFT;

	*symbol = entry & (SYMBOLS - 1);
	if (!length)
		*symbol = long_code(codes, bits->value, &length);
	return skip(bits, stream, length);
}

/* `code` is of a match: the length in its low half, the distance's bits in its high one. */
static inline bool huffman_match(struct bits *bits, struct stream *stream, unsigned code)
{
	uint32_t length = code & 15, distance;
	unsigned nr = code >> 4;

	if (length == 15 && !take_long(stream, 15, 15, &length))
		return false;
	distance = UINT32_C(1) << nr;
	if (nr)
		distance |= bits->value >> (32 - nr);
	return skip(bits, stream, nr) && copy_match(stream, distance, (size_t)length + MATCH_MIN);
}

static bool unpack_block(struct codes *codes, struct stream *stream)
{
	struct bits bits = { 0 };
	unsigned char *end = stream->to + (room(stream) < BLOCK_BYTES ? room(stream) : BLOCK_BYTES);
	uint32_t high, low, symbol;

	if (left(stream) < TABLE_BYTES || !read_codes(codes, stream->from))
		return false;
	stream->from += TABLE_BYTES;
	if (!take(stream, 2, &high) || !take(stream, 2, &low))
		return false;
	bits.value = high << 16 | low;
	bits.spare = 16;
	while (stream->to < end) {
		if (!next_symbol(codes, &bits, stream, &symbol))
			return false;
		if (symbol < 256)
			*stream->to++ = (unsigned char)symbol;
		else if (!huffman_match(&bits, stream, symbol - 256))
			return false;
	}
	return true;
}

bool xpress_huffman_unpack(const unsigned char *from, size_t from_nr, unsigned char *to,
			   size_t to_nr)
{
	struct stream stream = { from, from + from_nr, to, to, to + to_nr };
	struct codes codes;

	while (room(&stream)) {
		if (!unpack_block(&codes, &stream))
			return false;
	}
	return true;
}
