#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "report/page_columns.h"
#include "util/array.h"

/* What was written: the directory, and the bytes of the columns, unpacked. */
struct written {
	char text[4096];
	unsigned char bytes[65536];
	unsigned long nr;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Each digit has six bits. */
static void write_columns(struct page_columns *columns, struct written *written)
{
	unsigned char packed[4096];
	size_t length = 0, nr;
	struct err err = ERR_INIT;
	FILE *file = tmpfile();
	char *end;

	assert_non_null(file);
	assert_int_equal(page_columns_write(columns, file, &err), 0);
	rewind(file);
	nr = fread(written->text, 1, sizeof(written->text) - 1, file);
	written->text[nr] = '\0';
	fclose(file);
	end = strchr(written->text, '\n');
	assert_non_null(end);
	*end++ = '\0';
	for (size_t i = 0; end[i] && end[i] != '='; i++) {
		uint32_t digit = (uint32_t)(strchr(digits, end[i]) - digits);

		for (int bit = 5; bit >= 0; bit--) {
			size_t at = i * 6 + (size_t)(5 - bit);

			if (at % 8 == 0)
				packed[at / 8] = 0;
			packed[at / 8] |= (unsigned char)((digit >> bit & 1) << (7 - at % 8));
			length = at / 8;
		}
	}
	length++;
	written->nr = sizeof(written->bytes);
	assert_int_equal(uncompress(written->bytes, &written->nr, packed, length), Z_OK);
}

static void page_columns_write__codings__are_as_the_directory_says(void **state)
{
	static const unsigned char expected[] = { 5,    0x80, 1, /* 5, 128 */
						  1,    4,    3, /* -1, 2, -2 */
						  '\n', 'a',  'b', '>', '\n' };
	struct page_columns columns;
	struct written written;

	(void)state;
	page_columns_init(&columns);
	page_columns_begin(&columns);
	page_columns_add(&columns, 5);
	page_columns_add(&columns, 128);
	page_columns_end(&columns, "one", 2, PAGE_PLAIN);
	page_columns_begin(&columns);
	page_columns_add_signed(&columns, -1);
	page_columns_add_signed(&columns, 2);
	page_columns_add_signed(&columns, -2);
	page_columns_end(&columns, "two", 3, PAGE_SIGNED);
	assert_int_equal(page_columns_text(&columns, "ab>"), 1);
	assert_int_equal(page_columns_text(&columns, "ab>"), 1);
	assert_int_equal(page_columns_text(&columns, NULL), 0);
	write_columns(&columns, &written);
	assert_string_equal(written.text, "[[\"one\",2,0,3,2],[\"two\",3,1,3,4],"
					  "[\"texts\",2,0,5,2]]");
	assert_int_equal(written.nr, sizeof(expected));
	assert_memory_equal(written.bytes, expected, sizeof(expected));
	page_columns_release(&columns);
}

static void page_columns_add_fields__an_array__is_a_column_for_each_field(void **state)
{
	struct element {
		int64_t bytes;
		uint32_t step;
	};
	static const struct page_field fields[] = {
		{ "step", offsetof(struct element, step), PAGE_UINT32, PAGE_DIFFERENCES },
		{ "bytes", offsetof(struct element, bytes), PAGE_INT64, PAGE_SIGNED },
		{ "again", offsetof(struct element, step), PAGE_UINT32, PAGE_PLAIN },
	};
	static const struct element array[] = { { -1, 5 }, { 3, 4 } };
	static const unsigned char expected[] = { 10, 1, 1, 6, 5, 4 };
	struct page_columns columns;

	(void)state;
	page_columns_init(&columns);
	page_columns_add_fields(&columns, "a", fields, ARRAY_SIZE(fields), array, ARRAY_SIZE(array),
				sizeof(array[0]));
	assert_int_equal(columns.bytes.len, sizeof(expected));
	assert_memory_equal(columns.bytes.buf, expected, sizeof(expected));
	assert_string_equal(columns.directory.buf,
			    "[\"a.step\",2,2,2,2],[\"a.bytes\",2,1,2,4],[\"a.again\",2,0,2,2]");
	page_columns_add_fields(&columns, "b", fields, 1, NULL, 0, sizeof(array[0]));
	assert_int_equal(columns.bytes.len, sizeof(expected));
	page_columns_release(&columns);
}

/* Of differences the numbers count. */
static void page_columns_end__extremes__decide_the_width(void **state)
{
	static const struct {
		int64_t numbers[2];
		int width;
	} cases[] = {
		{ { 0, 65535 }, 2 },
		{ { 0, 65536 }, 4 },
		{ { -1, 0 }, 4 },
		{ { INT32_MIN, INT32_MAX }, 4 },
		{ { 0, INT32_MAX + INT64_C(1) }, 8 },
		{ { INT32_MIN - INT64_C(1), 0 }, 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int coding = PAGE_SIGNED; coding <= PAGE_DIFFERENCES; coding++) {
			const struct page_field field = { "x", 0, PAGE_INT64,
							  (enum page_coding)coding };
			struct page_columns columns;
			char *end;

			page_columns_init(&columns);
			page_columns_add_fields(&columns, "a", &field, 1, cases[i].numbers, 2,
						sizeof(int64_t));
			end = strrchr(columns.directory.buf, ',');
			assert_int_equal(atoi(end + 1), cases[i].width);
			page_columns_release(&columns);
		}
	}
}

static void page_columns_add_signed__extremes__fit(void **state)
{
	static const int64_t numbers[] = { INT64_MIN, INT64_MAX };
	struct page_columns columns;

	(void)state;
	page_columns_init(&columns);
	page_columns_begin(&columns);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		page_columns_add_signed(&columns, numbers[i]);
	page_columns_end(&columns, "x", ARRAY_SIZE(numbers), PAGE_SIGNED);
	assert_int_equal(columns.bytes.len, 20);
	/* All bits: UINT64_MAX is INT64_MIN, the one before it INT64_MAX. */
	assert_int_equal((unsigned char)columns.bytes.buf[0], 0xff);
	assert_int_equal((unsigned char)columns.bytes.buf[10], 0xfe);
	page_columns_release(&columns);
}

static void page_columns_text__control_characters__are_escapes(void **state)
{
	struct page_columns columns;

	(void)state;
	page_columns_init(&columns);
	assert_int_equal(page_columns_text(&columns, "a\x1b\xe2\x80\xae\xff"), 1);
	assert_string_equal(columns.texts.strings.v[1], "a\\x1b\\u202e\xef\xbf\xbd");
	page_columns_release(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_columns_write__codings__are_as_the_directory_says),
		cmocka_unit_test(page_columns_add_fields__an_array__is_a_column_for_each_field),
		cmocka_unit_test(page_columns_end__extremes__decide_the_width),
		cmocka_unit_test(page_columns_add_signed__extremes__fit),
		cmocka_unit_test(page_columns_text__control_characters__are_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
