#include "trace/etl/xpress.h"

#include <stdint.h>
#include <string.h>

#include "util/little_endian.h"

#define MATCH_MIN 3

/* Matches are copied in pieces of this many bytes; the last piece may be longer than needed. */
#define WIDE  8
#define SHORT (2 * WIDE) /* longest match that is copied without a loop */

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

/* Read `nr` (1, 2 or 4) bytes as a number. */
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

/* Read a long length: one byte, or 255 and two bytes, or 255, two zeros and four. Less than `least` is damage. */
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

/* Copy `length` bytes from `distance` before; up to WIDE bytes after them may be overwritten. */
static inline void copy_wide(unsigned char *to, size_t distance, size_t length)
{
	unsigned char *end = to + length;
	const unsigned char *from = to - distance;

	if (distance < WIDE) {
		for (int i = 0; i < WIDE; i++)
			to[i] = from[i];
		/* Continue from a multiple of the distance that is at least WIDE. */
		to += WIDE;
		from = to - ((WIDE - 1) / distance + 1) * distance;
	}
	while (to < end) {
		memcpy(to, from, WIDE);
		to += WIDE;
		from += WIDE;
	}
}

/* Copy SHORT bytes in two steps: the second half may repeat the first. */
static inline void copy_short(const unsigned char *from, unsigned char *to)
{
	memcpy(to, from, WIDE);
	memcpy(to + WIDE, from + WIDE, WIDE);
}

static inline bool copy_match(struct stream *stream, size_t distance, size_t length)
{
	unsigned char *to = stream->to;

	if (distance > (size_t)(to - stream->to_begin) || length > room(stream))
		return false;
	stream->to += length;
	/* Nearly all matches. A loop would end unpredictably. */
	if (length <= SHORT && distance >= WIDE && (size_t)(stream->to_end - to) >= SHORT) {
		copy_short(to - distance, to);
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
 * Plain: 32 bits before 32 items say which are matches. Two lengths of half a byte share a byte: the second half waits for
 * the next length. The next item is unpredictable, so all literals up to the next match are copied at once.
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

/* The bits of the remaining items, from the top; after them a set bit. */
#define NO_ITEMS (UINT64_C(1) << 63)

static inline bool take_items(struct stream *stream, uint64_t *items)
{
	uint32_t bits;

	if (!take(stream, 4, &bits))
		return false;
	*items = (uint64_t)bits << 32 | NO_ITEMS >> 32;
	return true;
}

/* Copy `nr` literals, at most as many as there is room for. */
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

bool xpress_decompress(const unsigned char *from, size_t from_nr, unsigned char *to, size_t to_nr)
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

/* Huffman: blocks of 64 KB. Before each are the lengths of its 512 codes, of half a byte each. */

#define SYMBOLS     512
#define LITERALS    256 /* the first symbols are literals, the others matches */
#define TABLE_BYTES (SYMBOLS / 2)
#define BLOCK_BYTES 65536
#define LENGTH_MAX  15
#define DIRECT_BITS 11
#define DIRECT      (1 << DIRECT_BITS)

struct codes {
	uint32_t direct[DIRECT]; /* item by the next DIRECT_BITS bits; 0: the code is longer */
	uint16_t symbols[SYMBOLS];
	unsigned char literals[LITERALS + SHORT]; /* literals[i] is i, to be copied from */
	/* By length of code: the end of its codes, left-aligned in 15 bits, and the position of its symbols. */
	uint32_t end[LENGTH_MAX + 1];
	int32_t place[LENGTH_MAX + 1];
};

static inline unsigned code_length(const unsigned char *table, unsigned symbol)
{
	return symbol & 1 ? table[symbol / 2] >> 4 : table[symbol / 2] & 15;
}

/* Set the ranges of codes by length. False: the code is not complete. */
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

/*
 * A symbol and how to decode it, from the lowest bit: 8 bits of the symbol, 1 bit: it is a match, 4 bits each for
 * the lengths of its code and its distance, the number of bytes it makes. That number is 0 for a match that is too
 * long for copy_short(), or whose distance may be too short.
 */
#define ITEM_MATCH       8
#define ITEM_CODE_NR     9
#define ITEM_DISTANCE_NR 13
#define ITEM_LENGTH      17

static uint32_t item_of(unsigned symbol, unsigned code_nr)
{
	unsigned length = (symbol & 15) + MATCH_MIN, distance_nr = symbol >> 4 & 15;
	uint32_t item = symbol | code_nr << ITEM_CODE_NR;

	if (symbol < LITERALS)
		return item | 1 << ITEM_LENGTH;
	if (length > SHORT || 1 << distance_nr < WIDE)
		length = 0;
	return item | distance_nr << ITEM_DISTANCE_NR | length << ITEM_LENGTH;
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
			uint32_t item = item_of(codes->symbols[i], length);

			for (unsigned end = at + (DIRECT >> length); at < end; at++)
				codes->direct[at] = item;
		}
	}
	memset(codes->direct + at, 0, (DIRECT - at) * sizeof(codes->direct[0]));
	return true;
}

/*
 * A bit stream in 16-bit words. By the format the next word is read when fewer than 16 bits are left; bytes of long
 * lengths, and the next block, follow the words read so far. Here words are read ahead; settle() returns the surplus before
 * such bytes.
 */
struct bits {
	uint64_t value; /* the next bits, from the top */
	unsigned nr;
	unsigned absent; /* number of these that are after the end of the input */
};

/* Read ahead to at least 32 bits: enough for a code and a distance. */
static inline void refill(struct bits *bits, struct stream *stream)
{
	if (left(stream) >= 4) {
		unsigned wanted = bits->nr < 32;
		uint32_t words = le_get32(stream->from);

		words = words << 16 | words >> 16;
		bits->value |= (uint64_t)words << 32 >> bits->nr;
		bits->nr += 32 * wanted;
		stream->from += 4 * wanted;
		return;
	}
	for (; bits->nr < 32; bits->nr += 16) {
		uint32_t word = 0;

		if (!take(stream, 2, &word))
			bits->absent += 16;
		bits->value |= (uint64_t)word << (48 - bits->nr);
	}
}

/* Remove bits. False: they are after the end of the input. */
static inline bool skip(struct bits *bits, unsigned nr)
{
	bits->value <<= nr;
	bits->nr -= nr;
	return bits->nr >= bits->absent;
}

/* Return the words that were read ahead. */
static inline void settle(struct bits *bits, struct stream *stream)
{
	refill(bits, stream);
	for (; bits->nr >= 32; bits->nr -= 16) {
		if (bits->absent)
			bits->absent -= 16;
		else
			stream->from -= 2;
	}
	bits->value &= ~(UINT64_MAX >> bits->nr);
}

static inline unsigned long_code(const struct codes *codes, uint32_t code, unsigned *length)
{
	*length = DIRECT_BITS + 1;
	while (code >= codes->end[*length])
		(*length)++;
	return codes->symbols[codes->place[*length] + (int32_t)(code >> (LENGTH_MAX - *length))];
}

static inline bool next_symbol(const struct codes *codes, struct bits *bits, unsigned *symbol)
{
	uint32_t item = codes->direct[bits->value >> (64 - DIRECT_BITS)];
	unsigned length = item >> ITEM_CODE_NR & 15;

	*symbol = item & (SYMBOLS - 1);
	if (!length)
		*symbol = long_code(codes, (uint32_t)(bits->value >> (64 - LENGTH_MAX)), &length);
	return skip(bits, length);
}

/* A distance: a set bit, then the next `nr` bits, which may be 0. */
static inline size_t distance_of(uint64_t value, unsigned nr)
{
	return (size_t)1 << nr | (size_t)(value >> 1 >> (63 - nr));
}

/* `code` is that of a match: its low half is the length, its high half the number of bits of the distance. */
static inline bool huffman_match(struct bits *bits, struct stream *stream, unsigned code)
{
	uint32_t length = code & 15;
	unsigned nr = code >> 4;
	size_t distance;

	if (length == 15) {
		settle(bits, stream);
		if (!take_long(stream, 15, 15, &length))
			return false;
		refill(bits, stream);
	}
	distance = distance_of(bits->value, nr);
	return skip(bits, nr) && copy_match(stream, distance, (size_t)length + MATCH_MIN);
}

/*
 * Decode the next item, if it is a literal, or a match for copy_short() that is not near the ends. Which of the two it is
 * cannot be predicted, so there is no branch on it. False: it is another item, which was not read.
 */
static inline bool quick_item(const struct codes *codes, struct bits *bits, struct stream *stream)
{
	uint32_t item = codes->direct[bits->value >> (64 - DIRECT_BITS)];
	unsigned code_nr = item >> ITEM_CODE_NR & 15, nr = item >> ITEM_DISTANCE_NR & 15;
	unsigned length = item >> ITEM_LENGTH;
	uint64_t value = bits->value << code_nr;
	size_t distance = distance_of(value, nr);
	unsigned char *to = stream->to;

	if (!length || distance > (size_t)(to - stream->to_begin))
		return false;
	copy_short((const unsigned char *const[]){ codes->literals + (item & 255),
						   to - distance }[item >> ITEM_MATCH & 1],
		   to);
	stream->to += length;
	bits->value = value << nr;
	bits->nr -= code_nr + nr;
	return true;
}

static bool decompress_block(struct codes *codes, struct stream *stream)
{
	struct bits bits = { 0 };
	unsigned char *end = stream->to + (room(stream) < BLOCK_BYTES ? room(stream) : BLOCK_BYTES);
	unsigned symbol;

	if (left(stream) < TABLE_BYTES + 4 || !read_codes(codes, stream->from))
		return false;
	stream->from += TABLE_BYTES;
	while (stream->to < end) {
		refill(&bits, stream);
		if (!bits.absent && room(stream) >= SHORT && quick_item(codes, &bits, stream))
			continue;
		if (!next_symbol(codes, &bits, &symbol))
			return false;
		if (symbol < LITERALS)
			*stream->to++ = (unsigned char)symbol;
		else if (!huffman_match(&bits, stream, symbol - LITERALS))
			return false;
	}
	settle(&bits, stream);
	return true;
}

bool xpress_huffman_decompress(const unsigned char *from, size_t from_nr, unsigned char *to,
			       size_t to_nr)
{
	struct stream stream = { from, from + from_nr, to, to, to + to_nr };
	struct codes codes;

	for (unsigned i = 0; i < sizeof(codes.literals); i++)
		codes.literals[i] = (unsigned char)i;
	while (room(&stream)) {
		if (!decompress_block(&codes, &stream))
			return false;
	}
	return true;
}
