/*
 * Each step that replaces the trace may fail: then the run has the original under its name. The system's functions are
 * replaced by those of this program, which fail for a chosen name.
 */
#include "replay/distill_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rundir/layout.h"
#include "support/perf_writer.h"
#include "trace/perf/perf_format.h"
#include "unit/fs_place.h"

#define DISTILLED RUN_PERF_DATA ".partial"

static const char *failing_from, *failing_to, *failing_unlink;
static bool sync_fails;

static bool fails(const char *failing, const char *name)
{
	if (!failing || strcmp(failing, name) != 0)
		return false;
	errno = EIO;
	return true;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	if (fails(failing_from, from) && fails(failing_to, to))
		return -1;
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int unlinkat(int dir, const char *name, int flags)
{
	return fails(failing_unlink, name) ? -1 : (int)syscall(SYS_unlinkat, dir, name, flags);
}

int fsync(int fd)
{
	struct stat st;

	if (sync_fails && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

static void put_trace(struct strbuf *original)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	unsigned cpu = perf_writer_cpu_clock(writer, 1000);
	const struct perf_writer_sample sample = {
		.event = cpu, .ip = 0x1000, .period = 1, .stack = "SECRET=value", .stack_nr = 8
	};
	const struct strbuf *bytes;
	FILE *file;

	perf_writer_event_at(writer, cpu)->sample_type |=
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	perf_writer_event_at(writer, cpu)->regs_user = 0x1ff;
	perf_writer_event_at(writer, cpu)->stack_user = 8;
	perf_writer_sample(writer, 1000000000, &sample);
	perf_writer_round(writer);
	bytes = perf_writer_finish(writer);
	put("run/symbols/stacks.txt", "stacks");
	file = fopen("run/" RUN_PERF_DATA, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes->buf, bytes->len, 1, file), 1);
	fclose(file);
	strbuf_add(original, bytes->buf, bytes->len);
	perf_writer_free(writer);
}

static int distill(bool keep_copies, struct strbuf *notes, struct err *err)
{
	const struct distill_options options = { perf_chains_new(), perf_code_new(), keep_copies,
						 NULL };
	int rc = distill_run("run", &options, notes, err);

	perf_chains_free(options.chains);
	perf_code_free(options.code);
	return rc;
}

static bool has(const char *name, const struct strbuf *original)
{
	struct strbuf bytes = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool equal = !fs_read(name, 1 << 20, &bytes, &err) && bytes.len == original->len &&
		     !memcmp(bytes.buf, original->buf, bytes.len);

	err_clear(&err);
	strbuf_release(&bytes);
	return equal;
}

static void distill_run__a_rename_fails__the_original_has_its_name(void **state)
{
	static const struct {
		const char *from, *to;
		bool keep_copies;
	} cases[] = {
		{ RUN_PERF_DATA, RUN_STACK_COPIES, true },
		{ DISTILLED, RUN_PERF_DATA, true },
		{ DISTILLED, RUN_PERF_DATA, false },
	};
	struct strbuf original = STRBUF_INIT, notes = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put_trace(&original);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		failing_from = cases[i].from;
		failing_to = cases[i].to;
		assert_int_equal(distill(cases[i].keep_copies, &notes, &err), -1);
		err_clear(&err);
		failing_from = failing_to = NULL;
		assert_true(has("run/" RUN_PERF_DATA, &original));
		assert_false(fs_exists("run/" RUN_STACK_COPIES));
		assert_false(fs_exists("run/" DISTILLED));
		assert_true(fs_exists("run/symbols/stacks.txt"));
		assert_string_equal(notes.buf, "");
	}
	strbuf_release(&original);
	strbuf_release(&notes);
}

static void distill_run__only_tidying_up_fails__it_is_distilled(void **state)
{
	struct strbuf original = STRBUF_INIT, notes = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		strbuf_clear(&original);
		put_trace(&original);
		failing_unlink = "stacks.txt";
		sync_fails = true;
		assert_int_equal(distill(keep, &notes, &err), !keep);
		failing_unlink = NULL;
		sync_fails = false;
		assert_int_equal(has("run/" RUN_STACK_COPIES, &original), keep);
		assert_true(fs_exists("run/" RUN_PERF_DATA));
		assert_false(has("run/" RUN_PERF_DATA, &original));
		assert_non_null(strstr(notes.buf, "the trace is distilled: 1 stack copy"));
		strbuf_clear(&notes);
	}
	strbuf_release(&original);
	strbuf_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(distill_run__a_rename_fails__the_original_has_its_name),
		TEST(distill_run__only_tidying_up_fails__it_is_distilled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
