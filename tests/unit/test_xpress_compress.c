#include "convert/xpress_compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/etl/xpress.h"
#include "util/array.h"

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

static void repeat(struct strbuf *sb, const char *text, unsigned times)
{
	while (times--)
		strbuf_adds(sb, text);
}

/* The examples of [MS-XCA] 3.1 and 3.2. */
static void xpress_compress__documented_examples__are_the_same_bytes(void **state)
{
	static const unsigned char compressed_letters[] = { 0x3f, 0, 0, 0 };
	static const unsigned char compressed_repeats[] = { 0xff, 0xff, 0xff, 0x1f, 'a',  'b', 'c',
							    0x17, 0,    0x0f, 0xff, 0x26, 0x01 };
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;

	(void)state;
	xpress_compress(&to, alphabet, strlen(alphabet));
	assert_int_equal(to.len, 30);
	assert_memory_equal(to.buf, compressed_letters, 4);
	assert_memory_equal(to.buf + 4, alphabet, 26);
	strbuf_clear(&to);
	repeat(&from, "abc", 100);
	xpress_compress(&to, from.buf, from.len);
	assert_int_equal(to.len, sizeof(compressed_repeats));
	assert_memory_equal(to.buf, compressed_repeats, sizeof(compressed_repeats));
	strbuf_release(&from);
	strbuf_release(&to);
}

/* The same place in both: a, b, c, a match of 297 at a distance of 3, and the end. */
static void xpress_huffman_compress__a_repetition__is_a_match_with_its_length_behind(void **state)
{
	static const unsigned char behind[] = { 0xff, 0x26, 0x01 };
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;
	unsigned total = 0;

	(void)state;
	repeat(&from, "abc", 100);
	xpress_huffman_compress(&to, from.buf, from.len);
	assert_int_equal(to.len, 256 + 4 + sizeof(behind));
	for (unsigned symbol = 0; symbol < 512; symbol++) {
		unsigned length = ((unsigned char)to.buf[symbol / 2] >> (symbol % 2 * 4)) & 15;
		bool comes = (symbol >= 'a' && symbol <= 'c') || symbol == 256 || symbol == 287;

		assert_int_equal(length != 0, comes);
		total += length ? 1u << (15 - length) : 0;
	}
	assert_int_equal(total, 1u << 15);
	assert_memory_equal(to.buf + 260, behind, sizeof(behind));
	strbuf_release(&from);
	strbuf_release(&to);
}

static void xpress_compress__nothing__is_flags_alone(void **state)
{
	struct strbuf to = STRBUF_INIT;

	(void)state;
	xpress_compress(&to, "", 0);
	assert_int_equal(to.len, 4);
	assert_memory_equal(to.buf, "\xff\xff\xff\xff", 4);
	strbuf_clear(&to);
	xpress_huffman_compress(&to, "", 0);
	assert_int_equal(to.len, 0);
	strbuf_release(&to);
}

/* xorshift64* */
static unsigned pick(uint64_t *random, unsigned below)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (unsigned)(*random * UINT64_C(2685821657736338717) >> 33) % below;
}

/* Literals of few or many kinds, and repetitions of lengths that are encoded in every possible way. */
static void add_random(struct strbuf *sb, uint64_t *random, size_t nr)
{
	static const unsigned lengths[] = {
		3, 4, 9, 10, 17, 18, 24, 25, 272, 273, 280, 281, 70000
	};

	while (sb->len < nr) {
		unsigned kinds = pick(random, 2) ? 256 : 3, length = 1 + pick(random, 20), distance;

		for (; length; length--)
			strbuf_addc(sb, (char)pick(random, kinds));
		distance = 1 + pick(random, (unsigned)sb->len);
		for (length = lengths[pick(random, ARRAY_SIZE(lengths))]; length; length--)
			strbuf_addc(sb, sb->buf[sb->len - distance]);
	}
	strbuf_set_len(sb, nr);
}

static void xpress_compress__random_bytes__come_back(void **state)
{
	static const size_t sizes[] = { 1, 2, 31, 32, 33, 1000, 65535, 65536, 65537, 200000 };
	struct strbuf from = STRBUF_INIT, to = STRBUF_INIT;
	uint64_t random = 88172645463325252u;
	unsigned char *back = xcalloc(200000, 1);

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		strbuf_clear(&from);
		add_random(&from, &random, sizes[i % ARRAY_SIZE(sizes)]);
		strbuf_clear(&to);
		xpress_compress(&to, from.buf, from.len);
		assert_true(xpress_decompress((unsigned char *)to.buf, to.len, back, from.len));
		assert_memory_equal(back, from.buf, from.len);
		strbuf_clear(&to);
		xpress_huffman_compress(&to, from.buf, from.len);
		assert_true(
			xpress_huffman_decompress((unsigned char *)to.buf, to.len, back, from.len));
		assert_memory_equal(back, from.buf, from.len);
	}
	free(back);
	strbuf_release(&from);
	strbuf_release(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xpress_compress__documented_examples__are_the_same_bytes),
		cmocka_unit_test(
			xpress_huffman_compress__a_repetition__is_a_match_with_its_length_behind),
		cmocka_unit_test(xpress_compress__nothing__is_flags_alone),
		cmocka_unit_test(xpress_compress__random_bytes__come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
