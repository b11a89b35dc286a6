/*
 * The examples of [MS-XCA] 3.1 and 3.2, what its test suite (microsoft/WindowsProtocolTestSuites, MIT,
 * TestSuites/MS-XCA/src/TestSuite/StaticData) has, and streams made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/etl/xpress.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

#define GUARD 0x5a

typedef bool decompress_fn(const unsigned char *, size_t, unsigned char *, size_t);

/* Into memory of exactly that size, from memory of exactly that size: the sanitizer sees what is outside. */
static bool decompresses_to(decompress_fn *decompress, const void *compressed, size_t compressed_nr,
			    const void *plain, size_t plain_nr)
{
	unsigned char *from = xmalloc(compressed_nr + 1), *to = xmalloc(plain_nr + 1);
	bool good;

	memcpy(from, compressed, compressed_nr);
	from = xreallocarray(from, compressed_nr ? compressed_nr : 1, 1);
	to[plain_nr] = GUARD;
	good = decompress(from, compressed_nr, to, plain_nr);
	assert_int_equal(to[plain_nr], GUARD);
	if (good)
		assert_memory_equal(to, plain, plain_nr);
	free(from);
	free(to);
	return good;
}

static void repeat(struct strbuf *to, const char *what, size_t times)
{
	for (size_t i = 0; i < times; i++)
		strbuf_adds(to, what);
}

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

#define BYTES(bytes) bytes, sizeof(bytes) - 1

static void xpress_decompress__examples(void **state)
{
	static const struct {
		const char *compressed;
		size_t compressed_nr;
		const char *what;
		size_t times;
	} cases[] = {
		{ BYTES("\x3f\0\0\0abcdefghijklmnopqrstuvwxyz"), alphabet, 1 },
		{ BYTES("\xff\xff\xff\x1f"
			"abc\x17\0\x0f\xff\x26\x01"),
		  "abc", 100 },
		/* A length of 32 bits, of 16, of 8 and of half a byte. */
		{ BYTES("\xff\xff\xff\x1f"
			"abc\x17\0\x0f\xff\0\0\xda\x93\x04\0"),
		  "abc", 100000 },
		{ BYTES("\x3f\0\0\0"
			"abcdefghijklmnopqrstuvwxyz"
			"\xcf\0\x0f\xff\x73\x65"),
		  alphabet, 1000 },
		{ BYTES("\0\0\0\x40"
			"a"
			"\x07\0\x0f\xe8"),
		  "a", 1 + 3 + 7 + 15 + 0xe8 },
		{ BYTES("\0\0\0\x40"
			"a"
			"\x07\0\x0e"),
		  "a", 1 + 3 + 7 + 14 },
		{ BYTES("\0\0\0\x40"
			"a"
			"\x06\0"),
		  "a", 1 + 3 + 6 },
		/* Two lengths share a byte, with a literal between them. */
		{ BYTES("\0\0\0\x50"
			"a"
			"\x07\0\x2d"
			"a"
			"\x07\0"),
		  "a", 1 + 3 + 7 + 13 + 1 + 3 + 7 + 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf plain = STRBUF_INIT;

		repeat(&plain, cases[i].what, cases[i].times);
		assert_true(decompresses_to(xpress_decompress, cases[i].compressed,
					    cases[i].compressed_nr, plain.buf, plain.len));
		strbuf_release(&plain);
	}
}

/* As a block begins: lengths of the codes, a half byte each, of the symbols given. */
struct code {
	unsigned symbol, length;
};

static void add_table(struct strbuf *to, const struct code *codes, size_t nr)
{
	unsigned char table[256] = { 0 };

	for (size_t i = 0; i < nr; i++)
		table[codes[i].symbol / 2] |=
			(unsigned char)(codes[i].length << 4 * (codes[i].symbol & 1));
	strbuf_add(to, table, sizeof(table));
}

static void xpress_huffman_decompress__literals(void **state)
{
	struct strbuf compressed = STRBUF_INIT;
	struct code codes[27];

	(void)state;
	for (unsigned i = 0; i < 26; i++)
		codes[i] = (struct code){ 'a' + i, i < 22 ? 5 : 4 };
	codes[26] = (struct code){ 256, 4 };
	add_table(&compressed, codes, 27);
	strbuf_add(&compressed,
		   BYTES("\xd8\x52\x3e\xd7\x94\x11\x5b\xe9\x19\x5f\xf9\xd6\x7c\xdf\x8d\x04"
			 "\0\0\0\0"));
	assert_true(decompresses_to(xpress_huffman_decompress, compressed.buf, compressed.len,
				    alphabet, 26));
	strbuf_release(&compressed);
}

static void xpress_huffman_decompress__long_match(void **state)
{
	static const struct code codes[] = {
		{ 'a', 3 }, { 'b', 3 }, { 'c', 2 }, { 256, 2 }, { 287, 2 }
	};
	struct strbuf compressed = STRBUF_INIT, plain = STRBUF_INIT;

	(void)state;
	add_table(&compressed, codes, ARRAY_SIZE(codes));
	strbuf_add(&compressed, BYTES("\xa8\xdc\0\0\xff\x26\x01"));
	repeat(&plain, "abc", 100);
	assert_true(decompresses_to(xpress_huffman_decompress, compressed.buf, compressed.len,
				    plain.buf, plain.len));
	strbuf_release(&compressed);
	strbuf_release(&plain);
}

/* 300,000 bytes: five blocks of 64 KB at most, each with its table. */
static void xpress_huffman_decompress__blocks(void **state)
{
	static const struct code codes[] = { { 'a', 2 }, { 'b', 2 }, { 'c', 2 }, { 287, 2 } };
	static const struct code last[] = {
		{ 'a', 3 }, { 'b', 3 }, { 'c', 2 }, { 256, 2 }, { 287, 2 }
	};
	static const char *const blocks[] = {
		"\x80\x1b\0\0\xff\xfa\xff", "\x80\x63\0\0\xff\xfa\xff", "\x80\x87\0\0\xff\xfa\xff",
		"\x80\x1b\0\0\xff\xfa\xff", "\xa8\xe6\0\0\xff\xda\x93"
	};
	struct strbuf compressed = STRBUF_INIT, plain = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		if (i < 4)
			add_table(&compressed, codes, ARRAY_SIZE(codes));
		else
			add_table(&compressed, last, ARRAY_SIZE(last));
		strbuf_add(&compressed, blocks[i], 7);
	}
	repeat(&plain, "abc", 100000);
	assert_int_equal(compressed.len, 1315);
	assert_true(decompresses_to(xpress_huffman_decompress, compressed.buf, compressed.len,
				    plain.buf, plain.len));
	strbuf_release(&compressed);
	strbuf_release(&plain);
}

/* Bits, the first one leftmost in 16-bit words. */
struct bits {
	struct strbuf *to;
	uint32_t value;
	unsigned nr;
};

static void add_bits(struct bits *bits, uint32_t value, unsigned nr)
{
	bits->value = bits->value << nr | value;
	bits->nr += nr;
	if (bits->nr < 16)
		return;
	bits->nr -= 16;
	strbuf_addc(bits->to, (char)(bits->value >> bits->nr));
	strbuf_addc(bits->to, (char)(bits->value >> bits->nr >> 8));
}

/* Codes of 1 to 15 bits: ones, one less than their length, and a zero; the last one has ones only. */
static void xpress_huffman_decompress__codes_of_all_lengths(void **state)
{
	struct strbuf compressed = STRBUF_INIT, plain = STRBUF_INIT;
	struct bits bits = { &compressed, 0, 0 };
	struct code codes[16];
	uint32_t random = 1;

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		codes[i] = (struct code){ 'A' + i, i < 15 ? i + 1 : 15 };
	add_table(&compressed, codes, 16);
	for (int i = 0; i < 5000; i++) {
		unsigned which = (random = random * 1664525 + 1013904223) >> 28;

		strbuf_addc(&plain, (char)('A' + which));
		add_bits(&bits, (UINT32_C(1) << codes[which].length) - (which < 15 ? 2 : 1),
			 codes[which].length);
	}
	add_bits(&bits, 0, 16);
	assert_true(decompresses_to(xpress_huffman_decompress, compressed.buf, compressed.len,
				    plain.buf, plain.len));
	/* Without the last word that has bits of it, and all that is behind, it lacks some. */
	assert_false(decompresses_to(xpress_huffman_decompress, compressed.buf, compressed.len - 4,
				     plain.buf, plain.len));
	strbuf_release(&compressed);
	strbuf_release(&plain);
}

/* A block that ends with the longest item, at each place in a word: the next one's table is where its last word is. */
static void xpress_huffman_decompress__block_behind_any_bits(void **state)
{
	struct strbuf compressed = STRBUF_INIT, plain = STRBUF_INIT;
	struct code codes[16];

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		codes[i] = (struct code){ i < 15 ? 'A' + i : 496, i < 15 ? i + 1 : 15 };
	for (unsigned place = 0; place < 16; place++) {
		struct bits bits = { &compressed, 0, 0 };

		strbuf_clear(&compressed);
		strbuf_clear(&plain);
		add_table(&compressed, codes, 16);
		for (unsigned i = 0; i < 65533; i++) {
			strbuf_addc(&plain, i < place ? 'B' : 'A');
			add_bits(&bits, i < place ? 2 : 0, i < place ? 2 : 1);
		}
		repeat(&plain, "A", 3);
		add_bits(&bits, 0x7fff, 15);
		add_bits(&bits, 0, 15);
		add_bits(&bits, 0, (16 - bits.nr) % 16);
		add_bits(&bits, 0, 16);
		add_table(&compressed, codes, 16);
		strbuf_addc(&plain, 'B');
		strbuf_add(&compressed, BYTES("\0\x80\0\0"));
		assert_true(decompresses_to(xpress_huffman_decompress, compressed.buf,
					    compressed.len, plain.buf, plain.len));
	}
	strbuf_release(&compressed);
	strbuf_release(&plain);
}

static void xpress_decompress__all_distances_and_lengths(void **state)
{
	(void)state;
	for (unsigned distance = 1; distance <= 40; distance++) {
		for (unsigned length = 3; length <= 60; length++) {
			struct strbuf compressed = STRBUF_INIT, plain = STRBUF_INIT;
			unsigned literals = distance < 31 ? distance : 31;
			uint32_t flags = UINT32_C(0x80000000) >> literals;

			/* A distance above the literals can't be. */
			for (unsigned i = 0; i < 4; i++)
				strbuf_addc(&compressed, (char)(flags >> 8 * i));
			for (unsigned i = 0; i < literals; i++)
				strbuf_addc(&plain, (char)('0' + i));
			strbuf_add(&compressed, plain.buf, plain.len);
			strbuf_addc(&compressed,
				    (char)((distance - 1) << 3 | (length < 10 ? length - 3 : 7)));
			strbuf_addc(&compressed, (char)((distance - 1) >> 5));
			if (length >= 10)
				strbuf_addc(&compressed, (char)(length < 25 ? length - 10 : 15));
			if (length >= 25)
				strbuf_addc(&compressed, (char)(length - 25));
			for (unsigned i = 0; i < length; i++)
				strbuf_addc(&plain, plain.buf[plain.len - literals]);
			assert_int_equal(decompresses_to(xpress_decompress, compressed.buf,
							 compressed.len, plain.buf, plain.len),
					 distance == literals);
			strbuf_release(&compressed);
			strbuf_release(&plain);
		}
	}
}

static void xpress_decompress__no_stream__is_refused(void **state)
{
	static const struct {
		const char *compressed;
		size_t compressed_nr, plain_nr;
	} cases[] = {
		{ BYTES(""), 1 },
		{ BYTES("\0\0\0"), 1 },
		{ BYTES("\0\0\0\0"), 1 },
		{ BYTES("\0\0\0\0ab"), 3 },
		/* Before the begin, behind the end. */
		{ BYTES("\0\0\0\x80\0\0"), 3 },
		{ BYTES("\0\0\0\x40"
			"a\x08\0"),
		  4 },
		{ BYTES("\0\0\0\x40"
			"a\0\0"),
		  3 },
		{ BYTES("\0\0\0\x40"
			"a\x07\0\x0f\xff\0\0\xff\xff\xff\xff"),
		  1000 },
		/* Lengths that are cut, or that a shorter form is for. */
		{ BYTES("\0\0\0\x40"
			"a\x07\0"),
		  50 },
		{ BYTES("\0\0\0\x40"
			"a\x07\0\x0f"),
		  50 },
		{ BYTES("\0\0\0\x40"
			"a\x07\0\x0f\xff\0"),
		  50 },
		{ BYTES("\0\0\0\x40"
			"a\x07\0\x0f\xff\0\0\x40\0"),
		  68 },
		{ BYTES("\0\0\0\x40"
			"a\x07\0\x0f\xff\x15\0"),
		  25 },
	};
	static const char a[1000] = "a";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_false(decompresses_to(xpress_decompress, cases[i].compressed,
					     cases[i].compressed_nr, a, cases[i].plain_nr));
	assert_true(decompresses_to(xpress_decompress, "", 0, "", 0));
}

static void xpress_huffman_decompress__no_stream__is_refused(void **state)
{
	static const struct {
		struct code codes[4];
		const char *behind;
		size_t behind_nr, plain_nr;
		bool good;
	} cases[] = {
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\x40\0\0"), 5, true },
		/* More codes than there can be, less, none. */
		{ { { 'a', 1 }, { 'b', 1 }, { 257, 1 } }, BYTES("\0\x40\0\0"), 5, false },
		{ { { 'a', 1 }, { 257, 2 } }, BYTES("\0\x40\0\0"), 5, false },
		{ { { 'a', 0 } }, BYTES("\0\0\0\0"), 5, false },
		/* A match before the begin, behind the end; its bytes are cut; bits are. */
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\x80\0\0"), 5, false },
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\x40\0\0"), 4, false },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0\x05"), 24, true },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0"), 24, false },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0\xff\x0e\0"), 18, false },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0\xff\x0f\0"), 19, true },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0\xff\0\0\x0f\0\0\0"), 19, true },
		{ { { 'a', 1 }, { 271, 1 } }, BYTES("\0\x40\0\0\xff\0\0\x0f\0\0"), 19, false },
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\0\0\0"), 32, true },
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\0\0\0"), 33, false },
		{ { { 'a', 1 }, { 257, 1 } }, BYTES("\0\0\0"), 1, false },
	};
	static const char a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf compressed = STRBUF_INIT;

		add_table(&compressed, cases[i].codes, ARRAY_SIZE(cases[i].codes));
		strbuf_add(&compressed, cases[i].behind, cases[i].behind_nr);
		assert_int_equal(decompresses_to(xpress_huffman_decompress, compressed.buf,
						 compressed.len, a, cases[i].plain_nr),
				 cases[i].good);
		assert_false(decompresses_to(xpress_huffman_decompress, compressed.buf, 255, a, 1));
		strbuf_release(&compressed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xpress_decompress__examples),
		cmocka_unit_test(xpress_decompress__all_distances_and_lengths),
		cmocka_unit_test(xpress_decompress__no_stream__is_refused),
		cmocka_unit_test(xpress_huffman_decompress__literals),
		cmocka_unit_test(xpress_huffman_decompress__long_match),
		cmocka_unit_test(xpress_huffman_decompress__blocks),
		cmocka_unit_test(xpress_huffman_decompress__codes_of_all_lengths),
		cmocka_unit_test(xpress_huffman_decompress__block_behind_any_bits),
		cmocka_unit_test(xpress_huffman_decompress__no_stream__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
