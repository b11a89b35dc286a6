#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/trace_row.h"
#include "util/alloc.h"

struct fixture {
	struct process_list list;
	struct process *parent, *child;
	struct trace_row *row;
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .list = PROCESS_LIST_INIT };
	f.parent = process_list_add(&f.list);
	f.parent->exe = xstrdup("/b/rust/build/host/stage1/bin/rustc");
	f.parent->tag.role = ROLE_RUSTC;
	f.parent->tag.crate = xstrdup("core");
	f.child = process_list_add(&f.list);
	f.row = trace_row_new(f.child);
	f.row->parent = f.parent;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	trace_row_free(f->row);
	process_list_release(&f->list);
	return 0;
}

static void fork_child(struct fixture *f)
{
	const struct trace_start start = { .ppid = 1, .copied = true };

	trace_row_start(f->row, &start);
}

static void trace_row_start__fork__runs_its_parents_program(void **state)
{
	struct fixture *f = *state;

	fork_child(f);
	assert_string_equal(f->child->exe, f->parent->exe);
	assert_string_equal(f->child->argv.v[0], "rustc");
	assert_true(f->child->argv_lost);
	assert_false(f->child->exec_seen);
	assert_int_equal(f->child->tag.role, ROLE_OTHER);
	assert_string_equal(f->child->tag.crate, "core");
	trace_row_map(f->row, "/usr/lib/late.so", false);
	trace_row_map(f->row, "/opt/late", false);
	assert_string_equal(f->child->exe, f->parent->exe);
}

static void trace_row_exec__executable_is_the_file_of_that_name(void **state)
{
	struct fixture *f = *state;

	fork_child(f);
	trace_row_exec(f->row, "x86_64-linux-gn");
	assert_string_equal(process_image(f->child), "x86_64-linux-gn");
	assert_true(f->child->exec_seen);
	trace_row_map(f->row, "/usr/lib/ld-linux-x86-64.so.2", false);
	assert_null(f->child->exe);
	trace_row_map(f->row, "/usr/bin/qemu", false);
	assert_string_equal(f->child->exe, "/usr/bin/qemu");
	trace_row_map(f->row, "/usr/bin/other", false);
	assert_string_equal(f->child->exe, "/usr/bin/qemu");
	trace_row_map(f->row, "/usr/bin/x86_64-linux-gnu-ld.bfd", false);
	assert_string_equal(f->child->exe, "/usr/bin/x86_64-linux-gnu-ld.bfd");
	assert_int_equal(f->child->argv.nr, 1);
	assert_string_equal(f->child->argv.v[0], "x86_64-linux-gnu-ld.bfd");
	assert_int_equal(f->child->tag.role, ROLE_LINK);
	trace_row_map(f->row, "/usr/bin/x86_64-linux-gnu-ld.gold", false);
	assert_string_equal(f->child->exe, "/usr/bin/x86_64-linux-gnu-ld.bfd");
}

static void trace_row_exec__script__is_its_interpreter(void **state)
{
	struct fixture *f = *state;

	trace_row_exec(f->row, "configure");
	trace_row_map(f->row, "/usr/bin/dash", false);
	trace_row_map(f->row, "/usr/lib/libc.so.6", false);
	assert_string_equal(f->child->exe, "/usr/bin/dash");
}

static void trace_row_exec__name_that_only_begins_alike__is_another(void **state)
{
	struct fixture *f = *state;

	trace_row_exec(f->row, "rustc");
	trace_row_map(f->row, "/usr/bin/env", false);
	trace_row_map(f->row, "/usr/bin/rustc-shim", false);
	assert_string_equal(f->child->exe, "/usr/bin/env");
	trace_row_map(f->row, "/usr/bin/rustc", false);
	assert_string_equal(f->child->exe, "/usr/bin/rustc");
	assert_int_equal(f->child->tag.role, ROLE_RUSTC);
}

static void trace_row_exec__again__is_the_last_program(void **state)
{
	struct fixture *f = *state;

	trace_row_exec(f->row, "rustc");
	trace_row_map(f->row, "/b/rust/build/bootstrap/debug/rustc", false);
	assert_int_equal(f->child->tag.role, ROLE_RUSTC_SHIM);
	trace_row_exec(f->row, "rustc");
	assert_null(f->child->exe);
	trace_row_map(f->row, "/b/rust/build/host/stage1/bin/rustc", false);
	assert_int_equal(f->child->tag.role, ROLE_RUSTC);
	assert_int_equal(f->child->tag.built_by, 1);
}

static void trace_row_name__existed_before__is_the_program(void **state)
{
	struct fixture *f = *state;

	trace_row_name(f->row, "cargo");
	assert_string_equal(process_image(f->child), "cargo");
	assert_int_equal(f->child->tag.role, ROLE_CARGO);
	trace_row_name(f->row, "worker 1");
	assert_string_equal(process_image(f->child), "cargo");
	trace_row_map(f->row, "/usr/bin/cargo", false);
	assert_string_equal(f->child->exe, "/usr/bin/cargo");
}

/* Its process event was lost: libraries are images too, and may come first. */
static void trace_row_map__windows__only_an_exe_is_the_program(void **state)
{
	struct fixture *f = *state;

	trace_row_map(f->row, "C:\\Windows\\System32\\xmllite.dll", true);
	trace_row_map(f->row, "C:\\Windows\\System32\\timedate.cpl", true);
	assert_null(f->child->exe);
	assert_int_equal(f->child->argv.nr, 0);
	trace_row_map(f->row, "C:\\rust\\bin\\RUSTC.EXE", true);
	trace_row_map(f->row, "C:\\rust\\bin\\other.exe", true);
	assert_string_equal(f->child->exe, "C:\\rust\\bin\\RUSTC.EXE");
}

static void trace_row_start__command_line__is_split(void **state)
{
	const struct trace_start start = {
		.ppid = 1,
		.image = "C:\\b\\build\\host\\stage1\\bin\\rustc.exe",
		.command_line = "C:\\b\\rustc.exe --crate-name \"syn\" src\\lib.rs",
	};
	const struct trace_start quoted = { .image = "a.exe", .command_line = "a 'b c' \"d e" };
	struct fixture *f = *state;

	trace_row_start(f->row, &start);
	assert_string_equal(f->child->exe, start.image);
	assert_int_equal(f->child->argv.nr, 4);
	assert_string_equal(f->child->argv.v[2], "syn");
	assert_false(f->child->argv_lost);
	assert_int_equal(f->child->tag.role, ROLE_RUSTC);
	assert_string_equal(f->child->tag.crate, "syn");
	trace_row_start(f->row, &quoted);
	assert_int_equal(f->child->argv.nr, 4);
	assert_string_equal(f->child->argv.v[1], "'b");
	assert_string_equal(f->child->argv.v[3], "d e");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(trace_row_start__fork__runs_its_parents_program),
		TEST(trace_row_exec__executable_is_the_file_of_that_name),
		TEST(trace_row_exec__script__is_its_interpreter),
		TEST(trace_row_exec__name_that_only_begins_alike__is_another),
		TEST(trace_row_exec__again__is_the_last_program),
		TEST(trace_row_name__existed_before__is_the_program),
		TEST(trace_row_map__windows__only_an_exe_is_the_program),
		TEST(trace_row_start__command_line__is_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
