#include "replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "support/perf_writer.h"

#define BASE UINT64_C(50000000000)
#define S    UINT64_C(1000000000)

/* Play a trace with the rows of what was tracked. */
static void play(struct perf_writer *writer, struct process_list *rows)
{
	const struct replay_options options = { .base_ns = (int64_t)BASE, .cpu = true };
	const struct strbuf *bytes = perf_writer_finish(writer);
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err);
	struct replay replay;

	assert_non_null(dir);
	strvec_push_nodup(&paths, fs_join(dir, "bare.perf.data"));
	assert_int_equal(fs_write_atomic(paths.v[0], bytes->buf, bytes->len, &err), 0);
	assert_int_equal(replay_open(&paths, NULL, rows, &options, &replay, &err), 0);
	assert_int_equal(replay_play(&replay, NULL, NULL, &err), 0);
	replay_close(&replay);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strvec_release(&paths);
	free(dir);
	perf_writer_free(writer);
}

/*
 * perf forks the program that it records, then sets itself up, and reports that process without a time: on a busy machine
 * the tracker saw its start seconds after time zero, and seconds before the first event.
 */
static void replay__profiler_starts_late__the_first_process_has_its_row(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct process_list rows = PROCESS_LIST_INIT;
	struct process *row = process_list_add(&rows);

	(void)state;
	row->pid = 10;
	row->start_ns = 3 * (int64_t)S;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_name(writer, 0, "perf-exec");
	perf_writer_exec(writer, BASE + 5 * S, "time");
	perf_writer_cpu(writer, BASE + 6 * S, 0x1000);
	perf_writer_exit(writer, BASE + 7 * S);
	play(writer, &rows);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(row->end_ns, 7 * S);
	process_list_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay__profiler_starts_late__the_first_process_has_its_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
