#include "rundir/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/strbuf.h"

struct place {
	char *dir, *path;
};

static int setup(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));
	struct err err = ERR_INIT;

	place->dir = fs_temp_dir(&err);
	place->path = fs_join(place->dir, "processes.journal");
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;

	fs_remove_tree(place->dir, &err);
	free(place->dir);
	free(place->path);
	free(place);
	return 0;
}

static void add_events(struct journal *journal)
{
	struct proc_event event;

	proc_event_init(&event);
	event.kind = PROC_FORK;
	event.time_ns = INT64_C(123456789012345);
	event.pid = 10;
	event.ppid = 9;
	journal_add(journal, &event);
	event.kind = PROC_EXEC;
	event.exe = xstrdup("/usr/bin/cc");
	strvec_push(&event.argv, "cc");
	strvec_push(&event.argv, "\xff\n");
	event.cwd = xstrdup("/tmp");
	strvec_push(&event.env, "RUSTC_STAGE=1");
	strvec_push(&event.responses, "/tmp/args");
	strvec_push(&event.responses, "-o a");
	journal_add(journal, &event);
	event.kind = PROC_EXIT;
	event.exit_code = 139;
	event.signal = 11;
	journal_add(journal, &event);
	event.kind = PROC_USAGE;
	event.cpu_ns = -1;
	event.peak_rss_bytes = 4096;
	event.peak_commit_bytes = INT64_C(5000000000);
	event.waits = (struct waits){ 7, -1, 0 };
	journal_add(journal, &event);
	proc_event_release(&event);
}

static void write_journal(const char *dir)
{
	struct journal *journal;
	struct err err = ERR_INIT;

	assert_int_equal(journal_create(dir, &journal, &err), 0);
	add_events(journal);
	assert_int_equal(journal_close(journal, &err), 0);
}

/* Checks each event as it comes. */
static void check_event(const struct proc_event *event, void *data)
{
	int *count = data;

	assert_int_equal(event->pid, 10);
	assert_int_equal(event->time_ns, INT64_C(123456789012345));
	switch ((*count)++) {
	case 0:
		assert_int_equal(event->kind, PROC_FORK);
		assert_int_equal(event->ppid, 9);
		break;
	case 1:
		assert_int_equal(event->kind, PROC_EXEC);
		assert_string_equal(event->exe, "/usr/bin/cc");
		assert_string_equal(event->argv.v[1], "\xff\n");
		assert_string_equal(event->cwd, "/tmp");
		assert_string_equal(event->env.v[0], "RUSTC_STAGE=1");
		assert_string_equal(event->responses.v[1], "-o a");
		assert_false(event->argv_lost);
		break;
	case 2:
		assert_int_equal(event->kind, PROC_EXIT);
		assert_int_equal(event->exit_code, 139);
		assert_int_equal(event->signal, 11);
		break;
	default:
		assert_int_equal(event->kind, PROC_USAGE);
		assert_int_equal(event->cpu_ns, -1);
		assert_int_equal(event->peak_rss_bytes, 4096);
		assert_int_equal(event->peak_commit_bytes, INT64_C(5000000000));
		assert_int_equal(event->waits.cpu_ns, 7);
		assert_int_equal(event->waits.io_ns, -1);
		assert_int_equal(event->waits.memory_ns, 0);
	}
}

static void journal_replay__of_a_closed_journal__gives_the_events(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int64_t damaged = -1;
	int count = 0;

	write_journal(place->dir);
	assert_int_equal(journal_replay(place->dir, check_event, &count, &damaged, &err), 0);
	assert_int_equal(count, 4);
	assert_int_equal(damaged, 0);
}

static void journal_create__existing_file__fails_and_keeps_it(void **state)
{
	struct place *place = *state;
	struct journal *journal;
	struct err err = ERR_INIT;

	write_journal(place->dir);
	assert_int_equal(journal_create(place->dir, &journal, &err), -1);
	assert_non_null(strstr(err.msg, place->path));
	assert_true(fs_size(place->path) > 0);
	err_clear(&err);
}

static void journal_flush__before_the_end__leaves_all_on_disk(void **state)
{
	struct place *place = *state;
	struct journal *journal;
	struct err err = ERR_INIT;
	int64_t damaged;
	int count = 0;

	assert_int_equal(journal_create(place->dir, &journal, &err), 0);
	add_events(journal);
	assert_int_equal(journal_flush(journal, &err), 0);
	assert_int_equal(journal_replay(place->dir, check_event, &count, &damaged, &err), 0);
	assert_int_equal(count, 4);
	assert_int_equal(journal_close(journal, &err), 0);
}

static void journal_replay__cut_at_any_byte__gives_the_whole_lines(void **state)
{
	struct place *place = *state;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	write_journal(place->dir);
	assert_int_equal(fs_read(place->path, 100000, &text, &err), 0);
	for (size_t i = 0; i < text.len; i++) {
		int64_t damaged, whole = 0;
		bool cut = i && text.buf[i - 1] != '\n' && text.buf[i] != '\n';
		int count = 0;

		for (size_t k = 0; k <= i; k++)
			whole += text.buf[k] == '\n';
		assert_int_equal(fs_write_atomic(place->path, text.buf, i, &err), 0);
		assert_int_equal(journal_replay(place->dir, check_event, &count, &damaged, &err),
				 0);
		assert_int_equal(count, whole);
		assert_int_equal(damaged, cut);
	}
	strbuf_release(&text);
}

static void count_event(const struct proc_event *event, void *data)
{
	(void)event;
	++*(int *)data;
}

static void journal_replay__garbage_in_the_middle__is_counted(void **state)
{
	static const char text[] =
		"{\"event\":\"fork\",\"time_ns\":1,\"pid\":2,\"ppid\":1}\n"
		"\0\0\0\0\n"
		"not json\n"
		"[]\n"
		"{\"event\":\"dance\",\"time_ns\":1,\"pid\":2}\n"
		"{\"event\":\"fork\",\"time_ns\":1}\n"
		"{\"event\":\"fork\",\"pid\":1}\n"
		"{\"event\":\"fork\",\"time_ns\":1,\"pid\":-1}\n"
		"{\"event\":\"exec\",\"time_ns\":1,\"pid\":2,\"responses\":[\"a\"]}\n"
		"\n"
		"{\"event\":\"exit\",\"time_ns\":1,\"pid\":2}\n";
	struct place *place = *state;
	struct err err = ERR_INIT;
	int64_t damaged;
	int count = 0;

	assert_int_equal(fs_write_atomic(place->path, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(journal_replay(place->dir, count_event, &count, &damaged, &err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(damaged, 8);
}

static void journal_replay__lines_longer_than_its_buffer__are_whole(void **state)
{
	struct place *place = *state;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t damaged;
	int count = 0;

	for (int i = 0; i < 3; i++) {
		strbuf_adds(&text, "{\"event\":\"exec\",\"time_ns\":1,\"pid\":2,\"argv\":[\"");
		strbuf_pad(&text, 'a', text.len + 100000 + (size_t)i);
		strbuf_adds(&text, "\"]}\n");
	}
	assert_int_equal(fs_write_atomic(place->path, text.buf, text.len, &err), 0);
	assert_int_equal(journal_replay(place->dir, count_event, &count, &damaged, &err), 0);
	assert_int_equal(count, 3);
	assert_int_equal(damaged, 0);
	strbuf_release(&text);
}

static void journal_replay__missing_file__fails_and_names_it(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int64_t damaged;

	assert_int_equal(journal_replay(place->dir, count_event, NULL, &damaged, &err), -1);
	assert_non_null(strstr(err.msg, place->path));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			journal_replay__of_a_closed_journal__gives_the_events, setup, teardown),
		cmocka_unit_test_setup_teardown(journal_create__existing_file__fails_and_keeps_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(journal_flush__before_the_end__leaves_all_on_disk,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			journal_replay__cut_at_any_byte__gives_the_whole_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(journal_replay__garbage_in_the_middle__is_counted,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			journal_replay__lines_longer_than_its_buffer__are_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(journal_replay__missing_file__fails_and_names_it,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
