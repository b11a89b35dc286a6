#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "trace/perf/perf_format.h"
#include "trace/perf/perf_unpacker.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

#define FROM 24 /* of the first record: what is before it is none */

static void add_record(struct strbuf *file, uint32_t type, const void *bytes, size_t nr)
{
	unsigned char header[PERF_RECORD_HEADER] = { 0 };

	le_put32(header, type);
	le_put16(header + 6, (uint16_t)(sizeof(header) + nr));
	strbuf_add(file, header, sizeof(header));
	strbuf_add(file, bytes, nr);
}

static void add_padded(struct strbuf *file, const void *bytes, size_t nr, size_t promised)
{
	unsigned char *body = xcalloc(1, nr + 16);

	le_put64(body, promised);
	memcpy(body + 8, bytes, nr);
	add_record(file, PERF_COMPRESSED2, body, 8 + nr + 5);
	free(body);
}

/* A zstd frame of `nr` bytes of text that does not shrink much. */
static size_t compress(char *to, size_t size, unsigned seed, size_t nr, struct strbuf *all)
{
	char *text = xmalloc(nr + 1);
	size_t got;

	for (size_t i = 0; i < nr; i++)
		text[i] = (char)('a' + (seed = seed * 1103515245 + 12345) / 65536 % 26);
	got = ZSTD_compress(to, size, text, nr, 1);
	assert_false(ZSTD_isError(got));
	strbuf_add(all, text, nr);
	free(text);
	return got;
}

/* What the unpacker gives of the records at `locations`. */
static void unpack(const struct strbuf *file, const uint64_t *locations, size_t nr, unsigned shift,
		   int threads, struct strbuf *text, const char **why)
{
	struct trace_input input;
	struct perf_unpacker *unpacker;
	struct perf_blocks blocks;
	struct err err = ERR_INIT;

	trace_input_memory(&input, file->buf, file->len);
	perf_blocks_init(&blocks, NULL, shift, 2);
	unpacker = perf_unpacker_new(&input, FROM, file->len, shift, threads);
	*why = NULL;
	for (size_t i = 0; i < nr && !*why; i++) {
		int rc;

		while ((rc = perf_unpacker_next(unpacker, locations[i], &blocks, why, &err)) > 0 &&
		       !*why)
			;
		assert_true(rc >= 0);
	}
	while (text->len < blocks.end) {
		const unsigned char *bytes;
		size_t got;

		assert_int_equal(perf_blocks_look(&blocks, text->len, &bytes, &got, &err), 0);
		assert_true(got > 0);
		strbuf_add(text, bytes, got);
	}
	perf_unpacker_free(unpacker);
	perf_blocks_release(&blocks);
}

static void perf_unpacker__frames_in_all_kinds_of_records__are_one_stream(void **state)
{
	static const unsigned shifts[] = { 4, 9, 18 };
	struct strbuf file = STRBUF_INIT, all = STRBUF_INIT;
	static char packed[200000];
	uint64_t locations[64];
	size_t nr = 0;

	(void)state;
	strbuf_add(&file, "before the first record,", FROM);
	for (unsigned i = 0; i < 8; i++) {
		size_t size =
			compress(packed, sizeof(packed), i, i < 7 ? 1 + i * i * 100 : 90000, &all);
		size_t at = 0;

		/* A frame begins with a record, and may have several. */
		for (size_t part; at < size; at += part) {
			part = size - at < 30000 ? size - at : 30000;
			locations[nr++] = file.len;
			if (i % 2)
				add_padded(&file, packed + at, part, part);
			else
				add_record(&file, PERF_COMPRESSED, packed + at, part);
		}
		/* None of these hold anything: an empty one, a round, a payload that looks like a record. */
		locations[nr++] = file.len;
		add_record(&file, PERF_COMPRESSED, "", 0);
		add_record(&file, PERF_FINISHED_ROUND, "", 0);
		add_padded(&file, "not", 3, 4000);
		add_record(&file, PERF_AUXTRACE, "\30\0\0\0\0\0\0\0", 8);
		add_record(&file, PERF_COMPRESSED, "sixteen letters.", 16);
	}
	for (size_t i = 0; i < 2 * ARRAY_SIZE(shifts); i++) {
		struct strbuf text = STRBUF_INIT;
		const char *why;

		unpack(&file, locations, nr, shifts[i / 2], 1 + (int)(i % 2), &text, &why);
		assert_null(why);
		assert_int_equal(text.len, all.len);
		assert_memory_equal(text.buf, all.buf, all.len);
		strbuf_release(&text);
	}
	strbuf_release(&file);
	strbuf_release(&all);
}

/* The third block of a frame is damaged: what is before it can be read. */
static void perf_unpacker__damage__ends_at_the_same_byte(void **state)
{
	struct strbuf file = STRBUF_INIT, all = STRBUF_INIT, first = STRBUF_INIT;
	static char packed[300000];
	uint64_t locations[16];
	size_t size = compress(packed, sizeof(packed), 2, 300000, &all), nr = 0;

	(void)state;
	strbuf_add(&file, "before the first record,", FROM);
	memset(packed + size * 3 / 4, 0xff, size / 4);
	for (size_t at = 0; at < size; at += 30000) {
		locations[nr++] = file.len;
		add_record(&file, PERF_COMPRESSED, packed + at,
			   size - at < 30000 ? size - at : 30000);
	}
	for (unsigned i = 0; i < 6; i++) {
		struct strbuf text = STRBUF_INIT;
		const char *why;

		unpack(&file, locations, nr, 6 + 6 * (i / 2), 1 + (int)(i % 2), &text, &why);
		assert_non_null(why);
		assert_true(text.len >= 100000 && text.len < all.len);
		assert_memory_equal(text.buf, all.buf, 100000);
		if (!i)
			strbuf_add(&first, text.buf, text.len);
		assert_int_equal(text.len, first.len);
		assert_memory_equal(text.buf, first.buf, first.len);
		strbuf_release(&text);
	}
	strbuf_release(&file);
	strbuf_release(&all);
	strbuf_release(&first);
}

static void perf_unpacker__records_that_were_not_asked_for__are_a_change(void **state)
{
	struct strbuf file = STRBUF_INIT, all = STRBUF_INIT, text = STRBUF_INIT;
	char packed[2000];
	size_t size = compress(packed, sizeof(packed), 1, 1000, &all);
	uint64_t location;
	const char *why;

	(void)state;
	strbuf_add(&file, "before the first record,", FROM);
	add_record(&file, PERF_COMPRESSED, packed, size);
	location = file.len;
	add_record(&file, PERF_COMPRESSED, packed, size);
	unpack(&file, &location, 1, 18, 2, &text, &why);
	assert_string_equal(why, "the file has changed");
	assert_int_equal(text.len, 0);
	strbuf_release(&file);
	strbuf_release(&all);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_unpacker__frames_in_all_kinds_of_records__are_one_stream),
		cmocka_unit_test(perf_unpacker__damage__ends_at_the_same_byte),
		cmocka_unit_test(perf_unpacker__records_that_were_not_asked_for__are_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
