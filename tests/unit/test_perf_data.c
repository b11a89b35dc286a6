#include "profiler/perf_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perf_data_fixture.h"
#include "stream.h"
#include "util/array.h"

/* A temporary file with the first `len` bytes of `sb`. */
static FILE *make_file(const struct strbuf *sb, size_t len)
{
	FILE *file = stream_new();

	assert_non_null(file);
	if (len)
		assert_int_equal(fwrite(sb->buf, len, 1, file), 1);
	assert_int_equal(fflush(file), 0);
	return file;
}

static struct perf_data_walk walk_once(const struct strbuf *sb, size_t len)
{
	struct perf_data_walk walk = { 0 };
	FILE *file = make_file(sb, len);

	perf_data_walk(file, &walk);
	fclose(file);
	return walk;
}

/* A bit of each: 3 + 40 events lost, six records. */
static void add_records(struct strbuf *sb)
{
	perf_add_record(sb, PERF_SAMPLE, 8, NULL, 0);
	perf_add_lost(sb, 3);
	perf_add_record(sb, PERF_SAMPLE, 4096, NULL, 0);
	perf_add_lost_samples(sb, 40);
	perf_add_record(sb, PERF_SAMPLE, 65528, NULL, 0);
	perf_add_record(sb, 68, 8, NULL, 0);
}

static void perf_data_walk__whole_file__counts_both_kinds(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct perf_data_walk walk;

	(void)state;
	perf_add_header(&sb, 400, 0);
	add_records(&sb);
	walk = walk_once(&sb, sb.len);
	assert_int_equal(walk.records, 6);
	assert_int_equal(walk.lost, 40);
	assert_int_equal(walk.offset, sb.len);
	assert_int_equal(walk.damaged, 0);
	strbuf_release(&sb);
}

/* As a recording of hours; the hole takes no room on the disk. */
static void perf_data_walk__beyond_4_gigabytes__counts_all(void **state)
{
	const int64_t start = INT64_C(5) << 30;
	struct strbuf header = STRBUF_INIT, records = STRBUF_INIT;
	struct perf_data_walk walk = { 0 };
	FILE *file = stream_new();

	(void)state;
	assert_non_null(file);
	perf_add_header(&header, PERF_HEADER_SIZE, 0);
	memcpy(header.buf + PERF_OFFSET_AT, &start, sizeof(start));
	add_records(&records);
	assert_int_equal(fwrite(header.buf, header.len, 1, file), 1);
	assert_int_equal(fs_seek(file, start, SEEK_SET), 0);
	assert_int_equal(fwrite(records.buf, records.len, 1, file), 1);
	assert_int_equal(fs_tell(file), start + (int64_t)records.len);
	perf_data_walk(file, &walk);
	assert_int_equal(walk.records, 6);
	assert_int_equal(walk.lost, 40);
	assert_int_equal(walk.offset, start + (int64_t)records.len);
	fclose(file);
	strbuf_release(&header);
	strbuf_release(&records);
}

static void perf_data_lost__what_cannot_be_seen__is_not_zero(void **state)
{
	static const struct {
		uint32_t types[4];
		int64_t lost; /* in a LOST_SAMPLES record behind them */
		int64_t expected;
	} cases[] = {
		{ { 0 }, 0, -1 },
		{ { 69, 10, 3, 82 }, 0, -1 }, /* what perf itself writes first */
		{ { 82, PERF_SAMPLE }, 0, 0 },
		{ { 82, 68 }, 0, 0 },
		{ { 82, 68, 81, 68 }, 0, -1 },
		{ { 82, 68, 83, 68 }, 0, -1 },
		{ { 81, 68 }, 7, 7 },
		{ { PERF_SAMPLE }, 7, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct perf_data_walk walk;

		perf_add_header(&sb, 120, 0);
		for (size_t k = 0; k < 4 && cases[i].types[k]; k++)
			perf_add_record(&sb, cases[i].types[k], 40, NULL, 0);
		if (cases[i].lost)
			perf_add_lost_samples(&sb, (uint64_t)cases[i].lost);
		walk = walk_once(&sb, sb.len);
		assert_int_equal(walk.damaged, 0);
		assert_int_equal(perf_data_lost(&walk), cases[i].expected);
		strbuf_release(&sb);
	}
}

/* Behind the records stand the features, which are none. */
static void perf_data_walk__finished_file__stops_where_the_records_end(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct perf_data_walk walk;
	uint64_t size;

	(void)state;
	perf_add_header(&sb, 400, 0);
	add_records(&sb);
	size = sb.len - 400;
	memcpy(sb.buf + PERF_SIZE_AT, &size, sizeof(size));
	perf_add_lost(&sb, 999);
	strbuf_adds(&sb, "features and strings");
	walk = walk_once(&sb, sb.len);
	assert_int_equal(walk.records, 6);
	assert_int_equal(walk.lost, 40);
	assert_int_equal(walk.damaged, 0);
	strbuf_release(&sb);
}

static void perf_data_walk__truncated_at_each_byte__counts_what_is_whole(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	perf_add_header(&sb, 120, 0);
	perf_add_lost(&sb, 3);
	perf_add_record(&sb, PERF_SAMPLE, 40, NULL, 0);
	perf_add_lost_samples(&sb, 40);
	for (size_t len = 0; len <= sb.len; len++) {
		struct perf_data_walk walk = walk_once(&sb, len);

		assert_int_equal(walk.damaged, 0);
		assert_int_equal(walk.offset != 0, len >= PERF_HEADER_SIZE);
		assert_int_equal(walk.records, (len >= 144) + (len >= 184) + (size_t)(len >= 200));
		assert_int_equal(walk.lost, len >= 200 ? 40 : len >= 144 ? 3 : 0);
	}
	strbuf_release(&sb);
}

static void perf_data_walk__growing_file__goes_on_where_it_stopped(void **state)
{
	struct perf_data_walk walk = { 0 };
	struct strbuf sb = STRBUF_INIT;
	FILE *file = stream_new();
	int64_t before = 0;

	(void)state;
	assert_non_null(file);
	perf_add_header(&sb, 120, 0);
	perf_add_lost(&sb, 3);
	perf_add_record(&sb, PERF_SAMPLE, 40, NULL, 0);
	perf_add_lost_samples(&sb, 40);
	for (size_t i = 0; i < sb.len; i++) {
		assert_int_equal(fseek(file, 0, SEEK_END), 0);
		assert_int_equal(fwrite(sb.buf + i, 1, 1, file), 1);
		fflush(file);
		perf_data_walk(file, &walk);
		assert_true(walk.lost >= before);
		before = walk.lost;
	}
	assert_int_equal(walk.records, 3);
	assert_int_equal(walk.lost, 40);
	perf_data_walk(file, &walk);
	assert_int_equal(walk.lost, 40);
	fclose(file);
	strbuf_release(&sb);
}

/* perf reserves space before it fills it. */
static void perf_data_walk__zeros_at_the_end__are_not_written_yet(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct perf_data_walk walk;

	(void)state;
	perf_add_header(&sb, 120, 0);
	perf_add_lost(&sb, 3);
	for (size_t i = 0; i < 4096; i++)
		strbuf_addc(&sb, '\0');
	walk = walk_once(&sb, sb.len);
	assert_int_equal(walk.records, 1);
	assert_int_equal(walk.damaged, 0);
	strbuf_release(&sb);
}

static void perf_data_walk__short_lost_records__are_passed_over(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct perf_data_walk walk;

	(void)state;
	perf_add_header(&sb, 104, 0);
	perf_add_record(&sb, PERF_LOST, 8, NULL, 0);
	perf_add_record(&sb, PERF_LOST, 16, NULL, 0);
	perf_add_record(&sb, PERF_LOST_SAMPLES, 8, NULL, 0);
	perf_add_lost(&sb, 1);
	walk = walk_once(&sb, sb.len);
	assert_int_equal(walk.records, 4);
	assert_int_equal(walk.lost, 1);
	strbuf_release(&sb);
}

static void perf_data_walk__impossible_record__stops_for_good(void **state)
{
	struct perf_data_walk walk = { 0 };
	struct strbuf sb = STRBUF_INIT;
	FILE *file;

	(void)state;
	perf_add_header(&sb, 104, 0);
	perf_add_lost(&sb, 3);
	perf_add_record(&sb, PERF_SAMPLE, 8, NULL, 0);
	sb.buf[sb.len - 2] = 4; /* its size */
	perf_add_lost(&sb, 5);
	file = make_file(&sb, sb.len);
	for (int i = 0; i < 3; i++) {
		perf_data_walk(file, &walk);
		assert_int_equal(walk.damaged, 1);
		assert_int_equal(walk.lost, 3);
		assert_int_equal(walk.offset, 128);
	}
	fclose(file);
	strbuf_release(&sb);
}

static void perf_data_walk__no_perf_file__is_damaged(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
	} cases[] = {
		{ 0, 0 },                        /* no magic */
		{ 40, 0 },                       /* records within the header */
		{ 40, PERF_HEADER_SIZE - 1 },    /* the same */
		{ 40, UINT64_MAX },              /* records nowhere */
		{ 40, (UINT64_C(1) << 40) + 1 }, /* records far off */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct perf_data_walk walk;

		perf_add_header(&sb, 104, 0);
		perf_add_lost(&sb, 3);
		memcpy(sb.buf + cases[i].at, &cases[i].value, 8);
		walk = walk_once(&sb, sb.len);
		assert_int_equal(walk.damaged, 1);
		assert_int_equal(walk.offset, 0);
		assert_int_equal(walk.lost, 0);
		strbuf_release(&sb);
	}
}

static void perf_data_walk__impossible_counts__do_not_overflow(void **state)
{
	static const uint64_t counts[] = { UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct perf_data_walk walk;

		perf_add_header(&sb, 104, 0);
		perf_add_lost(&sb, 7);
		perf_add_lost(&sb, counts[i]);
		perf_add_lost_samples(&sb, counts[i]);
		walk = walk_once(&sb, sb.len);
		assert_int_equal(walk.lost, 7);
		assert_int_equal(walk.damaged, 1);
		strbuf_release(&sb);
	}
}

static void perf_data_walk__impossible_size_of_the_records__is_ignored(void **state)
{
	static const uint64_t sizes[] = { UINT64_MAX, (uint64_t)INT64_MAX, UINT64_C(1) << 40 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct perf_data_walk walk;

		perf_add_header(&sb, 104, sizes[i]);
		perf_add_lost(&sb, 3);
		walk = walk_once(&sb, sb.len);
		assert_int_equal(walk.lost, 3);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_data_walk__whole_file__counts_both_kinds),
		cmocka_unit_test(perf_data_walk__beyond_4_gigabytes__counts_all),
		cmocka_unit_test(perf_data_lost__what_cannot_be_seen__is_not_zero),
		cmocka_unit_test(perf_data_walk__finished_file__stops_where_the_records_end),
		cmocka_unit_test(perf_data_walk__truncated_at_each_byte__counts_what_is_whole),
		cmocka_unit_test(perf_data_walk__growing_file__goes_on_where_it_stopped),
		cmocka_unit_test(perf_data_walk__zeros_at_the_end__are_not_written_yet),
		cmocka_unit_test(perf_data_walk__short_lost_records__are_passed_over),
		cmocka_unit_test(perf_data_walk__impossible_record__stops_for_good),
		cmocka_unit_test(perf_data_walk__no_perf_file__is_damaged),
		cmocka_unit_test(perf_data_walk__impossible_counts__do_not_overflow),
		cmocka_unit_test(perf_data_walk__impossible_size_of_the_records__is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
