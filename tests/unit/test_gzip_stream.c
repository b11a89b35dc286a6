#include "platform/gzip_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "util/alloc.h"

/* More than a pipe and the buffers hold. */
#define LONG ((size_t)3 << 20)

static char *make_text(size_t nr)
{
	char *text = xmalloc(nr + 1);
	uint32_t number = 1;

	for (size_t i = 0; i < nr; i++) {
		number = number * 1664525 + 1013904223;
		text[i] = (char)('a' + (number >> 28));
	}
	return text;
}

/* Compress into a file; returns its bytes. */
static unsigned char *pack(const char *text, size_t nr, size_t *packed_nr)
{
	struct err err = ERR_INIT;
	struct gzip_stream *stream;
	FILE *file = tmpfile();
	unsigned char *packed;
	long end;

	assert_non_null(file);
	assert_int_equal(gzip_stream_open(file, &stream, &err), 0);
	assert_int_equal(fwrite(text, 1, nr, gzip_stream_file(stream)), nr);
	assert_int_equal(gzip_stream_close(stream, &err), 0);
	assert_false(ferror(file));
	end = ftell(file);
	assert_true(end > 0);
	packed = xmalloc((size_t)end);
	rewind(file);
	assert_int_equal(fread(packed, 1, (size_t)end, file), end);
	fclose(file);
	*packed_nr = (size_t)end;
	return packed;
}

static void check(size_t nr)
{
	char *text = make_text(nr), *unpacked = xmalloc(nr + 2);
	size_t packed_nr, again_nr;
	unsigned char *packed = pack(text, nr, &packed_nr), *again = pack(text, nr, &again_nr);
	z_stream z = { .next_in = packed,
		       .avail_in = (unsigned int)packed_nr,
		       .next_out = (unsigned char *)unpacked,
		       .avail_out = (unsigned int)nr + 1 };

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, nr);
	assert_int_equal(z.avail_in, 0);
	assert_memory_equal(text, unpacked, nr);
	inflateEnd(&z);
	/* Neither a time nor a name is in it. */
	assert_int_equal(packed_nr, again_nr);
	assert_memory_equal(packed, again, packed_nr);
	free(text);
	free(unpacked);
	free(packed);
	free(again);
}

static void gzip_stream__text__is_read_by_zlib(void **state)
{
	(void)state;
	check(1);
	check(LONG);
}

static void gzip_stream__nothing__is_an_empty_file(void **state)
{
	(void)state;
	check(0);
}

/* The writer must not wait for ever where nothing can be written. */
static void gzip_stream__failed_write__is_left_in_ferror(void **state)
{
	struct err err = ERR_INIT;
	struct gzip_stream *stream;
	FILE *file = fopen("/dev/full", "wb");
	char *text = make_text(LONG);

	(void)state;
	if (!file) {
		free(text);
		skip();
	}
	setvbuf(file, NULL, _IONBF, 0);
	assert_int_equal(gzip_stream_open(file, &stream, &err), 0);
	fwrite(text, 1, LONG, gzip_stream_file(stream));
	assert_int_equal(gzip_stream_close(stream, &err), 0);
	assert_true(ferror(file));
	fclose(file);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_stream__text__is_read_by_zlib),
		cmocka_unit_test(gzip_stream__nothing__is_an_empty_file),
		cmocka_unit_test(gzip_stream__failed_write__is_left_in_ferror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
