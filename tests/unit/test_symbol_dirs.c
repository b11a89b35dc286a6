#include "rundir/symbol_dirs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/alloc.h"

static void add(struct process_list *list, enum role role, const char *exe)
{
	struct process *process = process_list_add(list);

	process->tag.role = role;
	process->exe = xstrdup_or_null(exe);
}

static void symbol_dirs__compilers__each_folder_once_in_order(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strvec dirs = STRVEC_INIT;

	(void)state;
	strvec_push(&dirs, "first");
	add(&list, ROLE_RUSTC, "C:\\rust\\build\\t\\stage1\\bin\\rustc.exe");
	add(&list, ROLE_RUSTC_SHIM, "C:\\rust\\build\\bootstrap\\debug\\rustc.exe");
	add(&list, ROLE_LINK, "C:\\VC\\link.exe");
	add(&list, ROLE_RUSTC, NULL);
	add(&list, ROLE_RUSTC, "rustc");
	add(&list, ROLE_RUSTC, "/rust/build/t/stage0/bin/rustc");
	add(&list, ROLE_RUSTC, "C:\\rust\\build\\t\\stage1\\bin\\rustc.exe");
	add(&list, ROLE_RUSTDOC, "/rust/build/t/stage2/bin/rustdoc");
	symbol_dirs_add(&list, "C:\\rust", &dirs);
	assert_int_equal(dirs.nr, 4);
	assert_string_equal(dirs.v[1], "C:\\rust\\build\\t\\stage1\\bin");
	assert_string_equal(dirs.v[2], "/rust/build/t/stage0/bin");
	assert_string_equal(dirs.v[3], "/rust/build/t/stage2/bin");
	process_list_release(&list);
	strvec_release(&dirs);
}

static void symbol_dirs__no_compiler__is_stage_1_of_the_checkout(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strvec dirs = STRVEC_INIT;

	(void)state;
	strvec_push(&dirs, "first");
	symbol_dirs_add(&list, NULL, &dirs);
	assert_int_equal(dirs.nr, 1);
	symbol_dirs_add(&list, "C:\\rust", &dirs);
	assert_int_equal(dirs.nr, 2);
	assert_string_equal(dirs.v[1], "C:\\rust/build/host/stage1/bin");
	strvec_release(&dirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_dirs__compilers__each_folder_once_in_order),
		cmocka_unit_test(symbol_dirs__no_compiler__is_stage_1_of_the_checkout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
