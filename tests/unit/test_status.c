/*
 * The status line of a recording, and the reasons why a command was stopped.
 */
#include "record/status.h"
#include "util/alloc.h"
#include "util/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/runner.h"
#include "stream.h"
#include "util/alloc.h"
#include "util/text.h"

#define MB (INT64_C(1) << 20)

static void check_line(const struct status_facts *facts, const char *expected)
{
	struct strbuf line = STRBUF_INIT;

	status_add_line(facts, 0, &line);
	assert_string_equal(line.buf, expected);
	strbuf_release(&line);
}

static void status_add_line__nothing_known__is_what_and_how_long(void **state)
{
	static const struct {
		int64_t elapsed_ns;
		const char *line;
	} cases[] = {
		{ 0, "stage 1  0 s" },
		{ NS_PER_S - 1, "stage 1  0 s" },
		{ 90 * NS_PER_S + 900 * NS_PER_MS, "stage 1  90 s" },
		{ 754 * NS_PER_S + 900 * NS_PER_MS, "stage 1  12m 34s" },
		{ 7384 * NS_PER_S, "stage 1  2h 03m 04s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct status_facts facts = {
			.what = "stage 1",
			.elapsed_ns = cases[i].elapsed_ns,
			.trace_bytes = -1,
			.lost = -1,
		};

		check_line(&facts, cases[i].line);
	}
}

static void status_add_line__trace_and_losses__are_shown(void **state)
{
	struct status_facts facts = {
		.what = "stage 2",
		.elapsed_ns = 300 * NS_PER_S,
		.trace_bytes = 317 * MB,
		.lost = 12,
	};

	(void)state;
	check_line(&facts, "stage 2  5m 00s  trace 317 MB  lost 12");
	facts.trace_bytes = facts.lost = 0;
	check_line(&facts, "stage 2  5m 00s  trace 0 B  lost 0");
}

static void status_add_line__roles__are_counted_in_order(void **state)
{
	struct tracker_live live = {
		.by_role = { [ROLE_RUSTC] = 8,
			     [ROLE_LINK] = 1,
			     [ROLE_BUILD_SCRIPT] = 2,
			     [ROLE_CC] = 3,
			     [ROLE_CARGO] = 1,
			     [ROLE_OTHER] = 5 },
		.total = 20,
		.resident_bytes = 3 * 1024 * MB,
		.peak_resident_bytes = 4 * 1024 * MB,
	};
	struct status_facts facts = { .what = "stage 2",
				      .elapsed_ns = NS_PER_S,
				      .trace_bytes = -1,
				      .lost = -1,
				      .live = &live };

	(void)state;
	check_line(&facts, "stage 2  1 s  rustc 8, link 1, build-script 2, cc 3, cargo 1  "
			   "build 3.00 GB (most 4.00 GB)");
	memset(live.by_role, 0, sizeof(live.by_role));
	check_line(&facts, "stage 2  1 s  processes 20  build 3.00 GB (most 4.00 GB)");
}

static void status_add_line__biggest__is_named_by_crate_or_image(void **state)
{
	struct tracker_live live = { .total = 1, .biggest_bytes = 512 * MB };
	struct status_facts facts = { .what = "stage 2",
				      .elapsed_ns = NS_PER_S,
				      .trace_bytes = -1,
				      .lost = -1,
				      .live = &live };
	struct process process;

	(void)state;
	process_init(&process);
	process.exe = xstrdup("/usr/bin/evil\x1b[2J\n\xff");
	live.biggest = &process;
	check_line(&facts, "stage 2  1 s  processes 1  biggest evil\\x1b[2J\\n\xef\xbf\xbd "
			   "512 MB  build 0 B (most 0 B)");
	process.tag.crate = xstrdup("rustc_middle");
	check_line(&facts, "stage 2  1 s  processes 1  biggest rustc_middle 512 MB  "
			   "build 0 B (most 0 B)");
	process_release(&process);
}

/* What a status writes to a file, which is no terminal. */
static void status_show__no_terminal__writes_plain_lines_now_and_then(void **state)
{
	struct status_facts facts = {
		.what = "stage 2", .elapsed_ns = 5 * NS_PER_S, .trace_bytes = -1, .lost = -1
	};
	char text[256] = "";
	struct status status;
	FILE *out = stream_new();

	(void)state;
	assert_non_null(out);
	status_init(&status, out);
	assert_false(status_due(&status));
	status_show(&status, &facts);
	assert_false(status_due(&status));
	status_wipe(&status);
	rewind(out);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, out), strlen("stage 2  5 s\n"));
	assert_string_equal(text, "stage 2  5 s\n");
	fclose(out);
}

static void run_end_reason__each_end__has_one(void **state)
{
	(void)state;
	assert_null(run_end_reason(RUN_END_NORMAL));
	for (int end = RUN_END_NORMAL + 1; end <= RUN_END_JOURNAL; end++) {
		const char *reason = run_end_reason((enum run_end)end);

		assert_non_null(reason);
		assert_true(reason[0] >= 'a' && reason[0] <= 'z');
		assert_int_not_equal(reason[strlen(reason) - 1], '.');
	}
}

static void status_add_line__narrow__leaves_out_the_least_important(void **state)
{
	struct process process;
	struct tracker_live live = {
		.total = 3,
		.resident_bytes = 3 << 20,
		.peak_resident_bytes = 5 << 20,
		.biggest_bytes = 2 << 20,
		.biggest = &process,
	};
	struct status_facts facts = {
		.what = "stage 2",
		.elapsed_ns = 12 * INT64_C(1000000000),
		.trace_bytes = 1 << 20,
		.lost = 7,
		.live = &live,
	};
	static const struct {
		size_t width;
		const char *line;
	} cases[] = {
		{ 0, "stage 2  12 s  trace 1.00 MB  rustc 2  biggest core 2.00 MB  build 3.00 MB "
		     "(most 5.00 MB)  lost 7" },
		{ 95, "stage 2  12 s  trace 1.00 MB  biggest core 2.00 MB  build 3.00 MB (most "
		      "5.00 MB)  lost 7" },
		{ 80, "stage 2  12 s  biggest core 2.00 MB  build 3.00 MB (most 5.00 MB)  lost 7" },
		{ 60, "stage 2  12 s  build 3.00 MB (most 5.00 MB)  lost 7" },
		{ 45, "stage 2  12 s  build 3.00 MB (most 5.00 MB)" },
		{ 20, "stage 2  12 s" },
		{ 3, "stage 2  12 s" },
	};

	(void)state;
	process_init(&process);
	process.tag.crate = xstrdup("core");
	live.by_role[ROLE_RUSTC] = 2;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf line = STRBUF_INIT;

		status_add_line(&facts, cases[i].width, &line);
		assert_string_equal(line.buf, cases[i].line);
		strbuf_release(&line);
	}
	process_release(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_add_line__nothing_known__is_what_and_how_long),
		cmocka_unit_test(status_add_line__narrow__leaves_out_the_least_important),
		cmocka_unit_test(status_add_line__trace_and_losses__are_shown),
		cmocka_unit_test(status_add_line__roles__are_counted_in_order),
		cmocka_unit_test(status_add_line__biggest__is_named_by_crate_or_image),
		cmocka_unit_test(status_show__no_terminal__writes_plain_lines_now_and_then),
		cmocka_unit_test(run_end_reason__each_end__has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
