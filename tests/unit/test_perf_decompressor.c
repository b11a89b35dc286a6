#include "trace/perf/perf_decompressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "util/alloc.h"

#define BYTES   ((size_t)8 << 20)
#define RECORDS 40 /* more than may wait */

/* A stream of zeros and numbers in parts, one for each record: the first one has most of the bytes, the third none. */
struct stream {
	unsigned char *bytes;
	unsigned char *parts[RECORDS];
	size_t sizes[RECORDS], decompressed[RECORDS];
};

static void make_stream(struct stream *stream)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { NULL, 0, 0 };

	stream->bytes = xcalloc(BYTES, 1);
	for (size_t i = 0; i < BYTES / 2; i++)
		stream->bytes[i * 2] = (unsigned char)(i >> 9);
	in.src = stream->bytes;
	for (size_t i = 0; i < RECORDS; i++) {
		size_t before = in.size, room = 64 << 10;
		ZSTD_outBuffer out = { xmalloc(room), room, 0 };

		if (i != 2)
			in.size = i ? BYTES / 2 + BYTES / 2 / RECORDS * (i + 1) : BYTES / 2;
		while (in.pos < in.size)
			ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
		if (i != 2)
			assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
		stream->parts[i] = out.dst;
		stream->sizes[i] = out.pos;
		stream->decompressed[i] = in.size - before;
	}
	ZSTD_freeCCtx(context);
}

static void free_stream(struct stream *stream)
{
	for (size_t i = 0; i < RECORDS; i++)
		free(stream->parts[i]);
	free(stream->bytes);
}

/* Read a record to its end and compare. Returns its bytes. */
static size_t read_record(struct perf_decompressor *decompressor, const unsigned char *expected)
{
	const unsigned char *bytes;
	const char *why;
	size_t nr, got = 0;
	int rc;

	while ((rc = perf_decompressor_next(decompressor, &bytes, &nr, &why)) > 0) {
		assert_memory_equal(bytes, expected + got, nr);
		got += nr;
	}
	assert_int_equal(rc, 0);
	return got;
}

static void perf_decompressor_next__records_added_ahead__are_read_in_order(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream);
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_decompressor *decompressor = perf_decompressor_new(threads);
		size_t added = 0, at = 0;

		for (size_t i = 0; i < RECORDS; i++) {
			while (added < RECORDS && perf_decompressor_has_room(decompressor)) {
				perf_decompressor_add(decompressor, stream.parts[added],
						      stream.sizes[added]);
				added++;
			}
			assert_true(added > i);
			assert_int_equal(read_record(decompressor, stream.bytes + at),
					 stream.decompressed[i]);
			at += stream.decompressed[i];
		}
		assert_true(at > BYTES / 2 && at <= BYTES);
		perf_decompressor_free(decompressor);
	}
	free_stream(&stream);
}

/*
 * What is not read does not pile up: with one thread all of it waits, with two at most some of the first record's is done.
 */
static void perf_decompressor_has_room__nothing_is_read__ends(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream);
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_decompressor *decompressor = perf_decompressor_new(threads);
		size_t added = 0;

		while (added < RECORDS && perf_decompressor_has_room(decompressor)) {
			perf_decompressor_add(decompressor, stream.parts[added],
					      stream.sizes[added]);
			added++;
		}
		assert_true(added >= 16 && added < RECORDS);
		/* Freed while there is much left to do. */
		perf_decompressor_free(decompressor);
	}
	free_stream(&stream);
}

static void perf_decompressor_next__damage_in_the_second_record__comes_after_the_first(void **state)
{
	static const char damaged[] = "not a zstd frame at all";
	const unsigned char *bytes;
	struct stream stream;
	const char *why = NULL;
	size_t nr;

	(void)state;
	make_stream(&stream);
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_decompressor *decompressor = perf_decompressor_new(threads);

		perf_decompressor_add(decompressor, stream.parts[0], stream.sizes[0]);
		perf_decompressor_add(decompressor, damaged, sizeof(damaged));
		assert_int_equal(read_record(decompressor, stream.bytes), stream.decompressed[0]);
		assert_int_equal(perf_decompressor_next(decompressor, &bytes, &nr, &why), -1);
		assert_non_null(why);
		perf_decompressor_free(decompressor);
	}
	free_stream(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_decompressor_next__records_added_ahead__are_read_in_order),
		cmocka_unit_test(perf_decompressor_has_room__nothing_is_read__ends),
		cmocka_unit_test(
			perf_decompressor_next__damage_in_the_second_record__comes_after_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
