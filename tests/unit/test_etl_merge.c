/*
 * Events of several processors and files by time.
 */
#include "etl_fixture.h"
#include "platform/fs.h"
#include "platform/helper.h"
#include "trace/etl/etl_merge.h"
#include "trace/etl/etl_kernel.h"
#include "util/alloc.h"
#include "util/array.h"

/* "session.cpu:number" of each event by time. */
static char *merge_text(struct etl_file *const *files, size_t nr, int threads)
{
	const struct etl_record *records;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct helper *helper = helper_new(threads);
	struct etl_merge *merge;
	size_t records_nr;
	int rc;

	assert_int_equal(etl_merge_new(files, nr, helper, &merge, &err), 0);
	while ((rc = etl_merge_next(merge, &records, &records_nr, &err)) > 0) {
		assert_true(records_nr > 0);
		for (size_t i = 0; i < records_nr; i++) {
			if (records[i].group == 100)
				strbuf_addf(&text, "%s%u.%u:%u", text.len ? " " : "",
					    records[i].session, records[i].cpu,
					    *records[i].payload);
		}
	}
	assert_int_equal(rc, 0);
	assert_int_equal(etl_merge_next(merge, &records, &records_nr, &err), 0);
	etl_merge_free(merge);
	helper_free(helper);
	return strbuf_detach(&text);
}

static void assert_merge(struct etl_file *const *files, size_t nr, const char *expected)
{
	for (int threads = 1; threads <= 2; threads++) {
		char *text = merge_text(files, nr, threads);

		assert_string_equal(text, expected);
		free(text);
	}
}

/* A compressed buffer of events with these times, and their numbers from `number` on; 0 ends them. */
static void add_times(struct making *making, unsigned cpu, uint64_t sequence, unsigned number,
		      const uint64_t *times)
{
	begin_buffer(making, cpu, sequence, 0x60);
	for (; *times; times++)
		add_event(making, *times, number++);
	end_plain(making);
}

#define TIMES(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static void etl_merge__by_time_then_by_processor(void **state)
{
	struct etl_file *file;
	struct making making;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	add_times(&making, 7, 2, 13, TIMES(2005, 2006));
	add_times(&making, 2, 3, 20, TIMES(2000, 2002, 2002));
	add_times(&making, 7, 1, 10, TIMES(2000, 2002, 2004));
	add_times(&making, 5, 4, 30, TIMES(2001, 2002, 2009));
	add_times(&making, 2, 5, 23, TIMES(2002, 2010));
	file = open_making(&making);
	assert_merge(&file, 1,
		     "0.2:20 0.7:10 0.5:30 0.2:21 0.2:22 0.2:23 0.5:31 0.7:11 0.7:12 0.7:13 "
		     "0.7:14 0.5:32 0.2:24");
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

static void etl_merge__files_of_one_recording(void **state)
{
	struct making makings[2];
	struct etl_file *files[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		making_init(&makings[i]);
		makings[i].first_tick += i;
		add_first_buffer(&makings[i]);
		add_times(&makings[i], 1, 1, 10, TIMES(2000, 2001 + i, 2005));
		add_times(&makings[i], 0, 2, 20, TIMES(2000, 2004));
		files[i] = open_making(&makings[i]);
	}
	assert_merge(files, 2,
		     "0.0:20 0.1:10 1.0:20 1.1:10 0.1:11 1.1:11 0.0:21 1.0:21 0.1:12 1.1:12");
	for (unsigned i = 0; i < 2; i++) {
		etl_file_free(files[i]);
		strbuf_release(&makings[i].bytes);
	}
	assert_merge(NULL, 0, "");
}

static void etl_merge__late_events__stand_where_they_are(void **state)
{
	struct etl_file *file;
	struct making making;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	add_times(&making, 1, 1, 10, TIMES(2000, 2005, 2003, 2006));
	add_times(&making, 2, 1, 20, TIMES(2004, 2007));
	/* The processor's next one begins before the last one's end. */
	add_times(&making, 1, 2, 14, TIMES(2002, 2008));
	file = open_making(&making);
	assert_merge(&file, 1, "0.1:10 0.2:20 0.1:11 0.1:12 0.1:13 0.1:14 0.2:21 0.1:15");
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

/* Damaged and empty buffers between others. */
static void etl_merge__damage__is_counted_once(void **state)
{
	struct making making;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	add_times(&making, 1, 1, 10, TIMES(2000, 2001));
	begin_buffer(&making, 1, 2, 0x20);
	end_buffer(&making, ETL_SIZE);
	begin_buffer(&making, 1, 3, 0x60);
	add_event(&making, 5, 1);
	end_compressed(&making, "abc", 3);
	add_times(&making, 2, 1, 20, TIMES(2000, 2003));
	begin_buffer(&making, 1, 4, 0x20);
	add_number(&making, 0x1234, 8);
	end_buffer(&making, ETL_SIZE);
	add_times(&making, 1, 5, 12, TIMES(2002));
	for (int threads = 1; threads <= 2; threads++) {
		struct etl_file *file = open_making(&making);
		char *text = merge_text(&file, 1, threads);

		assert_string_equal(text, "0.1:10 0.2:20 0.1:11 0.1:12 0.2:21");
		assert_int_equal(etl_file_damage(file)->buffers, 2);
		assert_int_equal(etl_file_damage(file)->events, 0);
		free(text);
		etl_file_free(file);
	}
	strbuf_release(&making.bytes);
}

/* A message without a time is delivered after the event before it. */
static void etl_merge__messages_without_time(void **state)
{
	const struct etl_record *records;
	struct err err = ERR_INIT;
	struct etl_merge *merge;
	struct etl_file *file;
	struct making making;
	size_t nr;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	begin_buffer(&making, 1, 1, 0x20);
	add_event(&making, 2001, 10);
	add_number(&making, 0x90000008, 4);
	add_number(&making, 99, 4);
	add_event(&making, 2003, 11);
	end_buffer(&making, ETL_SIZE);
	add_times(&making, 2, 1, 20, TIMES(2000, 2002));
	file = open_making(&making);
	assert_int_equal(etl_merge_new(&file, 1, NULL, &merge, &err), 0);
	/* The header event's buffer comes to its end, then all but the last of processor 2. */
	assert_int_equal(etl_merge_next(merge, &records, &nr, &err), 1);
	assert_int_equal(nr, 1);
	assert_int_equal(etl_merge_next(merge, &records, &nr, &err), 1);
	assert_int_equal(nr, 4);
	assert_int_equal(records[1].opcode, 10);
	assert_int_equal(records[2].kind, ETL_MESSAGE);
	assert_int_equal(records[2].id, 99);
	assert_int_equal(records[2].time, 0);
	assert_int_equal(records[3].opcode, 21);
	etl_merge_free(merge);
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

static void etl_merge_new__what_does_not_go_together__is_refused(void **state)
{
	static const struct {
		uint32_t clock;
		uint64_t frequency, boot_time;
		const char *says;
	} cases[] = {
		{ 2, 10000000, 100,
		  "the clocks of '-' and '-' are not the same: they are not of one recording" },
		{ 1, 10000001, 100,
		  "the clocks of '-' and '-' are not the same: they are not of one recording" },
		{ 1, 10000000, 100000101,
		  "Windows was restarted between '-' and '-': they are not of one recording" },
		{ 1, 10000000, 100, "'-' and '-' are the same: give one of them" },
		/* Unknown, or the clock was set by 10 s. */
		{ 1, 10000000, 0, "'-' and '-' are the same: give one of them" },
		{ 1, 10000000, 100000100, "'-' and '-' are the same: give one of them" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct making makings[2];
		struct etl_file *files[2];
		struct err err = ERR_INIT;
		struct etl_merge *merge;

		for (unsigned k = 0; k < 2; k++) {
			making_init(&makings[k]);
			makings[k].clock = k ? cases[i].clock : 1;
			makings[k].frequency = k ? cases[i].frequency : 10000000;
			makings[k].boot_time = k ? cases[i].boot_time : 100;
			add_first_buffer(&makings[k]);
			files[k] = open_making(&makings[k]);
		}
		assert_int_equal(etl_merge_new(files, 2, NULL, &merge, &err), -1);
		assert_int_equal(err.code, ERR_UNSUPPORTED);
		assert_string_equal(err.msg, cases[i].says);
		err_clear(&err);
		for (unsigned k = 0; k < 2; k++) {
			etl_file_free(files[k]);
			strbuf_release(&makings[k].bytes);
		}
	}
}

/* Small buffers that decompress to much more, of more processors than there is memory for. */
static void etl_merge_new__too_much_memory__is_refused(void **state)
{
	enum { FILES = 17, CPUS = 4 };
	struct etl_file *files[FILES];
	struct making making[FILES];
	struct err err = ERR_INIT;
	struct etl_merge *merge;

	(void)state;
	for (unsigned k = 0; k < FILES; k++) {
		making_init(&making[k]);
		making[k].mode = ETL_MODE_COMPRESSED;
		making[k].first_tick += k;
		add_first_buffer(&making[k]);
		for (unsigned i = 1; i <= CPUS; i++) {
			begin_buffer(&making[k], i, i, 0x60);
			end_compressed(&making[k], "\0\0\0\x40\0\x07\0\x0f\xff\0\0\0\0\0\1", 15);
			put(&making[k], making[k].begin + 0x30, 16 << 20, 4);
		}
		files[k] = open_making(&making[k]);
	}
	assert_int_equal(etl_merge_new(files, FILES, NULL, &merge, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_string_equal(err.msg, "the open buffers of all processors (85) take 1088 MB, and "
				     "the limit is 1024 MB");
	err_clear(&err);
	for (unsigned k = 0; k < FILES; k++) {
		etl_file_free(files[k]);
		strbuf_release(&making[k].bytes);
	}
}

/* Of nine processors, as if by chance. */
enum { CPUS = 9, BUFFERS = 400, EVENTS = 20 };

static void make_many(struct making *making)
{
	uint32_t random = 12345;
	uint64_t now[CPUS];

	making_init(making);
	add_first_buffer(making);
	for (int i = 0; i < CPUS; i++)
		now[i] = 2000;
	for (unsigned i = 0; i < BUFFERS; i++) {
		unsigned cpu = (random = random * 1664525 + 1013904223) >> 16;

		cpu %= CPUS;
		begin_buffer(making, cpu, i + 1, i % 2 ? 0x20 : 0x60);
		for (unsigned k = 0; k < EVENTS; k++) {
			random = random * 1664525 + 1013904223;
			now[cpu] += random >> 30 ? random >> 28 : 0;
			add_event(making, now[cpu], k);
		}
		if (i % 2)
			end_buffer(making, ETL_SIZE);
		else
			end_plain(making);
	}
}

static void assert_order(const struct etl_record *last, const struct etl_record *record)
{
	assert_true(record->time >= last->time);
	if (record->time == last->time)
		assert_true(record->cpu >= last->cpu);
	if (record->time == last->time && record->cpu == last->cpu &&
	    record->buffer_offset == last->buffer_offset)
		assert_true(record->offset > last->offset);
}

/* Every event once, in order. */
static size_t count_events(struct etl_file *file, struct helper *helper)
{
	const struct etl_record *records;
	struct etl_record last = { 0 };
	struct err err = ERR_INIT;
	struct etl_merge *merge;
	size_t nr, events = 0;

	assert_int_equal(etl_merge_new(&file, 1, helper, &merge, &err), 0);
	while (etl_merge_next(merge, &records, &nr, &err) > 0) {
		for (size_t i = 0; i < nr; i++) {
			assert_order(&last, &records[i]);
			last = records[i];
		}
		events += nr;
	}
	assert_int_equal(err.code, ERR_NONE);
	etl_merge_free(merge);
	return events;
}

static void etl_merge__many_buffers__as_sorted(void **state)
{
	const struct etl_record *records;
	struct err err = ERR_INIT;
	struct making making;
	size_t nr;

	(void)state;
	make_many(&making);
	for (int threads = 1; threads <= 2; threads++) {
		struct etl_file *file = open_making(&making);
		struct helper *helper = helper_new(threads);
		struct etl_merge *merge;

		assert_int_equal(count_events(file, helper), 1 + BUFFERS * EVENTS);
		/* Given up in the middle. */
		assert_int_equal(etl_merge_new(&file, 1, helper, &merge, &err), 0);
		assert_int_equal(etl_merge_next(merge, &records, &nr, &err), 1);
		etl_merge_free(merge);
		helper_free(helper);
		etl_file_free(file);
	}
	strbuf_release(&making.bytes);
}

static void write_bytes(const char *path, const void *bytes, size_t nr)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, nr, file), nr);
	assert_int_equal(fclose(file), 0);
}

/* Buffers behind the new end are damaged, however far ahead they would be read. */
static void etl_merge__file_shrinks__buffers_are_damaged(void **state)
{
	struct err err = ERR_INIT;
	struct making making;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "shrinks.etl");
	uint64_t damaged[2];
	size_t events[2];

	(void)state;
	make_many(&making);
	for (int i = 0; i < 2; i++) {
		struct helper *helper = helper_new(1 + i);
		struct etl_file *file;

		write_bytes(path, making.bytes.buf, making.bytes.len);
		assert_int_equal(etl_file_open(path, 0, &file, &err), 0);
		write_bytes(path, making.bytes.buf, making.bytes.len / 2);
		events[i] = count_events(file, helper);
		damaged[i] = etl_file_damage(file)->buffers;
		assert_int_equal(events[i], 1 + (BUFFERS - damaged[i]) * EVENTS);
		assert_int_equal(strncmp(etl_file_damage(file)->first.buf,
					 "a buffer that the file no longer has", 36),
				 0);
		etl_file_free(file);
		helper_free(helper);
	}
	assert_true(damaged[0] > BUFFERS / 4 && damaged[0] < BUFFERS * 3 / 4);
	assert_int_equal(damaged[1], damaged[0]);
	assert_int_equal(events[1], events[0]);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
	strbuf_release(&making.bytes);
}

/* A kernel event with a short header. */
static void add_short(struct making *making, unsigned opcode, uint64_t time)
{
	add_number(making, 0xc0110002, 4);
	add_number(making, 24, 2);
	add_number(making, opcode, 1);
	add_number(making, 15, 1);
	add_number(making, time, 8);
	add_number(making, time, 8);
}

#define OTHER 51 /* SysCallEnter */

/* "opcode:time cpu" of the short events that are delivered. */
static char *only_text(struct etl_file *file, unsigned kinds)
{
	const struct etl_record *records;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct etl_merge *merge;
	size_t nr;

	assert_int_equal(etl_merge_new(&file, 1, NULL, &merge, &err), 0);
	etl_merge_only(merge, kinds);
	while (etl_merge_next(merge, &records, &nr, &err) > 0) {
		for (size_t i = 0; i < nr; i++) {
			if (records[i].kind == ETL_PERFINFO)
				strbuf_addf(&text, "%s%u:%u", text.len ? " " : "",
					    records[i].opcode, (unsigned)records[i].time);
		}
	}
	etl_merge_free(merge);
	return strbuf_detach(&text);
}

/*
 * The sample of 2003 stands behind an event of 2007, and the one of 2002 in the next buffer: as among all events, they come
 * after the sample of 2006 on the other processor.
 */
static void etl_merge_only__others_are_left_out__order_stays(void **state)
{
	static const struct {
		unsigned kinds;
		const char *expected;
	} cases[] = {
		{ ETL_SAMPLES | ETL_OTHERS, "46:2000 51:2001 46:2004 51:2006 46:2006 51:2007 "
					    "46:2003 51:2009 46:2002 51:2003 46:2008" },
		{ ETL_SAMPLES, "46:2000 46:2004 46:2006 51:2007 46:2003 51:2009 46:2002 46:2008" },
		{ 0, "46:2006 51:2007 51:2009 46:2008" },
	};
	struct etl_file *file;
	struct making making;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	begin_buffer(&making, 1, 1, 0x20);
	add_short(&making, ETL_PERF_SAMPLE, 2000);
	add_short(&making, OTHER, 2001);
	add_short(&making, OTHER, 2006);
	add_short(&making, OTHER, 2007);
	add_short(&making, ETL_PERF_SAMPLE, 2003);
	add_short(&making, OTHER, 2009);
	end_buffer(&making, ETL_SIZE);
	begin_buffer(&making, 1, 2, 0x20);
	add_short(&making, ETL_PERF_SAMPLE, 2002);
	add_short(&making, OTHER, 2003);
	add_short(&making, ETL_PERF_SAMPLE, 2008);
	end_buffer(&making, ETL_SIZE);
	begin_buffer(&making, 2, 1, 0x20);
	add_short(&making, ETL_PERF_SAMPLE, 2004);
	add_short(&making, ETL_PERF_SAMPLE, 2006);
	end_buffer(&making, ETL_SIZE);
	file = open_making(&making);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = only_text(file, cases[i].kinds);

		assert_string_equal(text, cases[i].expected);
		free(text);
	}
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_merge__by_time_then_by_processor),
		cmocka_unit_test(etl_merge__files_of_one_recording),
		cmocka_unit_test(etl_merge__late_events__stand_where_they_are),
		cmocka_unit_test(etl_merge__damage__is_counted_once),
		cmocka_unit_test(etl_merge__messages_without_time),
		cmocka_unit_test(etl_merge_only__others_are_left_out__order_stays),
		cmocka_unit_test(etl_merge_new__what_does_not_go_together__is_refused),
		cmocka_unit_test(etl_merge_new__too_much_memory__is_refused),
		cmocka_unit_test(etl_merge__many_buffers__as_sorted),
		cmocka_unit_test(etl_merge__file_shrinks__buffers_are_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
