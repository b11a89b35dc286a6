#include "cli/view_processes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "support/perf_writer.h"
#include "util/array.h"
#include "util/text.h"

#define START    (UINT64_C(50) * NS_PER_S)
#define PAGE     4096
#define AREA     UINT64_C(0x10000000)
#define AT(s)    (START + (uint64_t)(s)*NS_PER_S)
#define UNKNOWN  PROCESS_UNKNOWN
#define MS(nr)   ((int64_t)(nr)*NS_PER_MS)
#define ANY_TIME INT64_MIN, INT64_MAX

struct expected {
	int64_t pid, cpu_ns, size_bytes, peak_bytes;
};

static void check_rows(const struct view_run *run, const struct expected *expected, size_t nr)
{
	assert_int_equal(run->processes.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(run->processes.v[i]->pid, expected[i].pid);
		assert_int_equal(run->processes.v[i]->cpu_ns, expected[i].cpu_ns);
		assert_int_equal(run->memory ? run->memory[i].size : UNKNOWN,
				 expected[i].size_bytes);
		assert_int_equal(run->memory ? run->memory[i].peak : UNKNOWN,
				 expected[i].peak_bytes);
	}
}

/* What is written is a bare trace, played for a range of time. */
static void expect(struct perf_writer *writer, int64_t from_ns, int64_t to_ns,
		   const struct expected *expected, size_t nr)
{
	const struct strbuf *bytes = perf_writer_finish(writer);
	const struct table_options options = { .format = TABLE_TEXT };
	struct process_filter filter = PROCESS_FILTER_INIT;
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err);
	struct view_run run;

	assert_non_null(dir);
	strvec_push_nodup(&paths, fs_join(dir, "bare.perf.data"));
	assert_int_equal(fs_write_atomic(paths.v[0], bytes->buf, bytes->len, &err), 0);
	filter.from_ns = from_ns;
	filter.to_ns = to_ns;
	assert_int_equal(view_run_open(&paths, VIEW_NO_STACKS, &run, &err), 0);
	assert_int_equal(view_processes_play(&run, &processes_table, &options, &filter, NULL, &err),
			 0);
	check_rows(&run, expected, nr);
	view_run_close(&run);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strvec_release(&paths);
	free(dir);
	perf_writer_free(writer);
}

static struct perf_writer *new_writer(enum perf_writer_form form, bool memory)
{
	struct perf_writer *writer = perf_writer_new(form);

	perf_writer_cpu_clock(writer, 1000);
	if (memory)
		perf_writer_memory(writer);
	return writer;
}

/* A process that runs, and holds a page more, at each second from 0 to 4; and one that runs at the last. */
static struct perf_writer *write_seconds(void)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE, true);

	perf_writer_on(writer, 10, 10, 0);
	for (uint64_t s = 0; s < 5; s++) {
		perf_writer_cpu(writer, AT(s), 0x1000);
		perf_writer_mmap(writer, AT(s) + 1000, AREA + s * PAGE, PAGE);
	}
	perf_writer_on(writer, 20, 20, 0);
	perf_writer_cpu(writer, AT(4) + 5000, 0x1000);
	return writer;
}

static void view_processes__range__is_that_of_memory_and_not_of_cpu(void **state)
{
	static const struct expected all[] = { { 10, MS(5), 5 * PAGE, 5 * PAGE },
					       { 20, MS(1), 0, 0 } };
	static const struct expected middle[] = { { 10, MS(5), 2 * PAGE, 3 * PAGE },
						  { 20, MS(1), 0, 0 } };
	static const struct expected behind[] = { { 10, MS(5), 0, 5 * PAGE }, { 20, MS(1), 0, 0 } };

	(void)state;
	expect(write_seconds(), ANY_TIME, all, ARRAY_SIZE(all));
	expect(write_seconds(), MS(500), MS(2500), middle, ARRAY_SIZE(middle));
	expect(write_seconds(), MS(9000), INT64_MAX, behind, ARRAY_SIZE(behind));
}

/* Both existed before the trace: they are by pid, the one that was seen first is behind, with its own sums. */
static void view_processes__rows__are_by_start_with_what_is_theirs(void **state)
{
	static const struct expected expected[] = {
		{ -1, MS(1), PAGE, PAGE },
		{ 10, MS(2), 0, 0 },
		{ 20, 0, 3 * PAGE, 3 * PAGE },
	};
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE, true);

	(void)state;
	perf_writer_on(writer, 20, 20, 0);
	perf_writer_name(writer, 0, "holds");
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_name(writer, 0, "runs");
	perf_writer_on(writer, -1, -1, 0);
	perf_writer_cpu(writer, AT(0), 0x1000);
	perf_writer_mmap(writer, AT(0) + 10, AREA, PAGE);
	perf_writer_on(writer, 20, 20, 0);
	perf_writer_mmap(writer, AT(1), AREA, 3 * PAGE);
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_cpu(writer, AT(2), 0x1000);
	perf_writer_cpu(writer, AT(3), 0x1000);
	expect(writer, ANY_TIME, expected, ARRAY_SIZE(expected));
}

static void view_processes__unknown_memory__leaves_cpu(void **state)
{
	static const struct expected expected[] = { { 10, MS(3), UNKNOWN, UNKNOWN } };
	static const enum perf_writer_form forms[] = { PERF_WRITER_FILE, PERF_WRITER_PIPE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct perf_writer *writer = new_writer(forms[i], false);

		perf_writer_on(writer, 10, 10, 0);
		for (uint64_t s = 0; s < 3; s++)
			perf_writer_cpu(writer, AT(s), 0x1000);
		expect(writer, ANY_TIME, expected, ARRAY_SIZE(expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(view_processes__range__is_that_of_memory_and_not_of_cpu),
		cmocka_unit_test(view_processes__rows__are_by_start_with_what_is_theirs),
		cmocka_unit_test(view_processes__unknown_memory__leaves_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
