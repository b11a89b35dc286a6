#include "analysis/failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static struct process *add(struct process_list *list, int64_t pid, int64_t ppid, int64_t end,
			   int64_t exit_code)
{
	struct process *process = process_list_add(list);

	process->pid = pid;
	process->ppid = ppid;
	process->start_ns = (int64_t)list->nr;
	process->end_ns = end;
	process->exit_code = exit_code;
	return process;
}

/* The linker was killed, and all above it failed; a test that failed, a probe and a daemon were not why. */
static void failure_find__chain_of_failures__is_its_deepest_process(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	const struct process **found, *linker;
	size_t nr;

	(void)state;
	add(&list, 1, 0, 100, 1);
	add(&list, 2, 1, 90, 101);
	add(&list, 3, 2, 80, 101);
	add(&list, 4, 3, 70, 1);
	linker = add(&list, 5, 4, 60, 137);
	add(&list, 6, 2, 50, 0);
	add(&list, 7, 6, 40, 1); /* its parent did not mind */
	add(&list, 8, 2, 30, 1)->tag.role = ROLE_PROBE;
	add(&list, 9, 2, 200, 143); /* ended after its parent */
	found = failure_find(&list, &nr);
	assert_int_equal(nr, 1);
	assert_ptr_equal(found[0], linker);
	free(found);
	process_list_release(&list);
}

/* Where ends are dated a little late, a child that failed by itself is the cause, and one that was stopped is not. */
static void failure_find__child_dated_after_its_parent__is_the_cause(void **state)
{
	const int64_t ms = 1000000;
	const struct {
		int64_t later, exit_code, found;
	} rows[] = {
		{ 13 * ms, 101, 2 }, { 99 * ms, 0xC0000005, 2 }, { 101 * ms, 101, 1 },
		{ 13 * ms, 137, 1 }, { 13 * ms, 143, 1 },        { 13 * ms, 0xC000013A, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct process_list list = PROCESS_LIST_INIT;
		const struct process **found;
		size_t nr;

		add(&list, 1, 0, 5000 * ms, 101);
		add(&list, 2, 1, 5000 * ms + rows[i].later, rows[i].exit_code);
		found = failure_find(&list, &nr);
		assert_int_equal(nr, 1);
		assert_int_equal(found[0]->pid, rows[i].found);
		free(found);
		process_list_release(&list);
	}
}

static void failure_find__several_and_unknown_ends__first_end_is_first(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	const struct process **found;
	size_t nr;

	(void)state;
	add(&list, 1, 0, PROCESS_UNKNOWN, PROCESS_UNKNOWN);
	add(&list, 2, 1, 80, 101);
	add(&list, 3, 1, 70, 134);
	found = failure_find(&list, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(found[0]->pid, 3);
	assert_int_equal(found[1]->pid, 2);
	free(found);
	process_list_release(&list);
	found = failure_find(&list, &nr);
	assert_int_equal(nr, 0);
	assert_null(found);
}

static struct process *add_alive(struct process_list *list, int64_t pid, int64_t start, int64_t end,
				 int64_t peak)
{
	struct process *process = add(list, pid, 1, end, 0);

	process->start_ns = start;
	process->peak_rss_bytes = peak;
	process->exec_seen = true;
	return process;
}

static void failure_alive__an_end__is_within_their_lives_the_largest_first(void **state)
{
	static const int64_t expected[] = { 8, 5, 6, 4, 7 };
	struct process_list list = PROCESS_LIST_INIT;
	const struct process **alive;
	struct process *ended;
	size_t nr;

	(void)state;
	ended = add_alive(&list, 1, 0, 100, 900);
	add_alive(&list, 2, 0, 99, 900);              /* ended before */
	add_alive(&list, 3, 101, 200, 900);           /* started later */
	add_alive(&list, 4, 100, 200, 20);            /* started then */
	add_alive(&list, 6, 50, 100, 30);             /* ended then, as large as the next */
	add_alive(&list, 5, 50, PROCESS_UNKNOWN, 30); /* never ended */
	add_alive(&list, 7, PROCESS_UNKNOWN, 200, PROCESS_UNKNOWN);
	add_alive(&list, 8, 0, 150, 40);
	add_alive(&list, 9, 0, 150, 900)->exec_seen = false; /* its parent's program */
	alive = failure_alive(&list, ended, &nr);
	assert_int_equal(nr, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(alive[i]->pid, expected[i]);
	free(alive);
	ended->end_ns = PROCESS_UNKNOWN;
	assert_null(failure_alive(&list, ended, &nr));
	assert_int_equal(nr, 0);
	process_list_release(&list);
}

static void failure_code__of_both_systems__has_its_meaning(void **state)
{
	(void)state;
	assert_string_equal(failure_code_name(INT64_C(0xC0000017)), "STATUS_NO_MEMORY");
	assert_true(failure_code_is_memory(INT64_C(0xC000012D)));
	assert_false(failure_code_is_memory(INT64_C(0xC0000005)));
	assert_true(failure_code_is_abort(INT64_C(0xC0000409)));
	assert_true(failure_code_is_abort(134));
	assert_true(failure_code_is_kill(137));
	assert_null(failure_code_name(101));
}

static bool find_memory(const char *log, struct failure_line *line)
{
	return failure_find_memory(log, strlen(log), line);
}

static bool find_error(const char *log, struct failure_line *line)
{
	return failure_find_error(log, strlen(log), line);
}

static void failure_find_memory__lines_of_tools__are_found(void **state)
{
	static const char *const lines[] = {
		"memory allocation of 4096 bytes failed",
		"LLVM ERROR: out of memory",
		"terminate called after throwing an instance of 'std::bad_alloc'",
		"/usr/bin/ld: memory exhausted",
		"MemoryError",
		"MemoryError: cannot extend",
		"LINK : fatal error LNK1102: out of memory",
		"error: The paging file is too small for this operation. (os error 1455)",
	};
	struct failure_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct strbuf log = STRBUF_INIT;

		strbuf_addf(&log, "Compiling core\r\n\r\n%s\r\nerror: could not compile\n",
			    lines[i]);
		assert_true(find_memory(log.buf, &line));
		assert_int_equal(line.number, 3);
		assert_int_equal(line.len, strlen(lines[i]));
		assert_memory_equal(line.text, lines[i], line.len);
		assert_true(find_error(log.buf, &line));
		strbuf_release(&log);
	}
	assert_false(find_memory("error[E0308]: mismatched types\n", &line));
	assert_false(find_memory("a memory allocation of mine\n", &line));
	assert_false(find_memory("MemoryErrors: none\nno MemoryError\n", &line));
	assert_false(find_memory("", &line));
	assert_true(find_error("x\nerror[E0308]: mismatched types", &line));
	assert_int_equal(line.number, 2);
	assert_false(find_error("errors: none\n", &line));
	assert_false(find_memory("memory allocation of 1\nbytes failed", &line));
	assert_true(find_memory("failed, a memory allocation of 1 byte failed", &line));
}

/* rustc and cargo as they write to a terminal. */
static void failure_find_error__lines_of_tools__are_found_and_added_plain(void **state)
{
	static const char *const lines[][2] = {
		{ "\x1b[0m\x1b[1m\x1b[38;5;9merror[E0308]\x1b[0m\x1b[0m\x1b[1m: mismatched "
		  "types\x1b[0m",
		  "error[E0308]: mismatched types" },
		{ "\x1b[1m\x1b[91merror\x1b[0m\x1b[1m:\x1b[0m could not compile `core`",
		  "error: could not compile `core`" },
		{ "error: cut\x1b[3", "error: cut\x1b[3" },
		{ "x.c:3:1: error: unknown type name", "x.c:3:1: error: unknown type name" },
		{ "\x1b[01m\x1b[Kx.c:3:1:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kunknown",
		  "x.c:3:1: error: unknown" },
		{ "cc1: fatal error: x.c: No such file", "cc1: fatal error: x.c: No such file" },
		{ "x.cpp(3): error C2065: 'y'", "x.cpp(3): error C2065: 'y'" },
		{ "LINK : fatal error LNK1181: cannot open",
		  "LINK : fatal error LNK1181: cannot open" },
	};
	struct failure_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct strbuf log = STRBUF_INIT, plain = STRBUF_INIT;

		strbuf_addf(&log, "   Compiling core\n\n%s", lines[i][0]);
		assert_true(find_error(log.buf, &line));
		assert_int_equal(line.number, 3);
		failure_line_add(&line, 300, &plain);
		assert_string_equal(plain.buf, lines[i][1]);
		strbuf_clear(&plain);
		failure_line_add(&line, 5, &plain);
		assert_int_equal(plain.len, 5);
		assert_memory_equal(plain.buf, lines[i][1], 5);
		strbuf_release(&log);
		strbuf_release(&plain);
	}
	assert_false(find_error("\x1b[1merror", &line));
	assert_false(find_error("test errors: error\nno error: x\nx: error C: y\nx: errors: y\n",
				&line));
	assert_false(find_error("\x1b[1m", &line));
	assert_false(find_error("\x1b", &line));
}

static void failure_find_code__lines_of_cargo__have_codes(void **state)
{
	static const struct {
		const char *log;
		int64_t code;
	} cases[] = {
		{ "x\n  didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)", 137 },
		{ "(signal: 6, SIGABRT: process abort signal) (core dumped)", 134 },
		{ "(a) (exit code: 0xc0000017)", INT64_C(0xC0000017) },
		{ "(exit code: 0xc0000409, STATUS_STACK_BUFFER_OVERRUN)", INT64_C(0xC0000409) },
		{ "(exit status: 101)", 0 },
		{ "(exit code: 1)", 0 },
		{ "(signal: 0)", 0 },
		{ "(signal: 128)", 0 },
		{ "(signal: 9", 0 },
		{ "(signal: 9 SIGKILL)", 0 },
		{ "(signal: a)", 0 },
		{ "(exit code: 0x)", 0 },
		{ "(exit code: 0x100000000)", 0 },
		{ "(exit code: 0xffffffffffffffffff)", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *log = cases[i].log;
		struct failure_line line;
		int64_t code;
		bool found = failure_find_code(log, strlen(log), &line, &code);

		assert_int_equal(code, cases[i].code);
		assert_int_equal(found, cases[i].code != 0);
	}
}

static void failure_find__bytes_of_any_value__do_not_end_the_log(void **state)
{
	static const char log[] = "a\0b\r\rmemory allocation of 8 bytes failed\0\nerror: x";
	struct failure_line line;

	(void)state;
	assert_true(failure_find_memory(log, sizeof(log) - 1, &line));
	assert_int_equal(line.number, 3);
	assert_true(failure_find_error(log, sizeof(log) - 1, &line));
	assert_int_equal(line.number, 4);
	assert_false(failure_find_memory(log, 20, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failure_find__chain_of_failures__is_its_deepest_process),
		cmocka_unit_test(failure_find__child_dated_after_its_parent__is_the_cause),
		cmocka_unit_test(failure_find__several_and_unknown_ends__first_end_is_first),
		cmocka_unit_test(failure_alive__an_end__is_within_their_lives_the_largest_first),
		cmocka_unit_test(failure_code__of_both_systems__has_its_meaning),
		cmocka_unit_test(failure_find_memory__lines_of_tools__are_found),
		cmocka_unit_test(failure_find_error__lines_of_tools__are_found_and_added_plain),
		cmocka_unit_test(failure_find_code__lines_of_cargo__have_codes),
		cmocka_unit_test(failure_find__bytes_of_any_value__do_not_end_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
