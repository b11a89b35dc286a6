#include "rundir/symbol_dirs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

static void add(struct process_list *list, enum role role, const char *exe)
{
	struct process *process = process_list_add(list);

	process->tag.role = role;
	process->exe = xstrdup_or_null(exe);
}

static void symbol_dirs__compilers__each_directory_once_in_order(void **state)
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

static void symbol_dirs__directories_without_end__the_first_64(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strvec dirs = STRVEC_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char *exe = xasprintf("/%d/rustc", i);

		add(&list, ROLE_RUSTC, exe);
		free(exe);
	}
	symbol_dirs_add(&list, NULL, &dirs);
	assert_int_equal(dirs.nr, 64);
	assert_string_equal(dirs.v[63], "/63");
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

static void symbol_dir_kind__of_each_form__is_known(void **state)
{
	static const struct {
		const char *dir;
		enum symbol_dir_kind kind;
	} cases[] = {
		{ "C:\\rust\\bin", SYMBOL_DIR_LOCAL },
		{ "C:/a b & c (x86)", SYMBOL_DIR_LOCAL },
		{ "/src/rust/bin", SYMBOL_DIR_LOCAL },
		{ "\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "//server/share", SYMBOL_DIR_OTHER },
		{ "\\/server/share", SYMBOL_DIR_OTHER },
		{ "\\\\?\\UNC\\server\\share", SYMBOL_DIR_OTHER },
		{ "\\\\.\\pipe\\x", SYMBOL_DIR_OTHER },
		{ "\\??\\UNC\\server\\share", SYMBOL_DIR_OTHER },
		{ "\\.\\x", SYMBOL_DIR_OTHER },
		{ "srv*C:\\x*https://server", SYMBOL_DIR_OTHER },
		{ "SRV*\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "cache*\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "symsrv*symsrv.dll*\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "http://server/symbols", SYMBOL_DIR_OTHER },
		{ "C:\\x;srv*\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "C:\\x;\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "", SYMBOL_DIR_OTHER },
		{ " \\\\server\\share", SYMBOL_DIR_OTHER },
		{ "\xc2\xa0\\\\server\\share", SYMBOL_DIR_OTHER },
		{ "http:\\\\server\\symbols", SYMBOL_DIR_OTHER },
		{ "C:rust", SYMBOL_DIR_OTHER },
		{ "..\\rust", SYMBOL_DIR_OTHER },
		{ "C:\\\" & calc & \"", SYMBOL_DIR_NONE },
		{ "C:\\a\ncalc", SYMBOL_DIR_NONE },
		{ "C:\\a|b", SYMBOL_DIR_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (symbol_dir_kind(cases[i].dir) != cases[i].kind)
			fail_msg("'%s' is %d", cases[i].dir, symbol_dir_kind(cases[i].dir));
	}
}

static void build_places__of_each_path__what_the_build_made(void **state)
{
	static const struct {
		const char *path;
		bool of_build;
	} cases[] = {
		{ "C:\\rust\\build\\t\\stage1\\bin\\rustc_driver-1.dll", true },
		{ "c:/Rust/build/x.dll", true },
		{ "C:\\rust2\\x.dll", false },
		{ "C:\\Windows\\System32\\ntdll.dll", false },
		{ "D:\\target\\build\\libc-1\\build-script-build.exe", true },
		/* The compiler of a distribution: its own files, not others in their directories. */
		{ "/usr/lib/librustc_driver-1.so", true },
		{ "/usr/lib/rustlib/x/lib/libstd-1.so", true },
		{ "/usr/bin/cargo", true },
		{ "/usr/lib/libc.so.6", false },
		{ "/usr/lib/libLLVM.so.19.1", false },
		{ "/usr/lib/libLLVM.so.19.1-rust-1.85.0-stable", true },
		{ "rustc", false },
		{ "", false },
	};
	struct build_places places = BUILD_PLACES_INIT;
	struct process_list list = PROCESS_LIST_INIT;

	(void)state;
	add(&list, ROLE_RUSTC, "/usr/bin/rustc");
	add(&list, ROLE_BUILD_SCRIPT, "D:\\target\\build\\libc-1\\build-script-build.exe");
	add(&list, ROLE_LINK, "C:\\VC\\link.exe");
	add(&list, ROLE_RUSTC, NULL);
	build_places_add(&places, &list, "C:\\rust");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (build_places_has(&places, cases[i].path) != cases[i].of_build)
			fail_msg("'%s'", cases[i].path);
	}
	build_places_release(&places);
	process_list_release(&list);
}

/* Any command: what is below the directory it was started in, but never a whole file system. */
static void build_places__no_checkout__directory_of_the_command(void **state)
{
	static const char *const roots[] = { "/", "C:\\", "C:", "/b" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		struct build_places places = BUILD_PLACES_INIT;
		struct process_list list = PROCESS_LIST_INIT;

		add(&list, ROLE_OTHER, "/b/spinner");
		list.v[0]->cwd = xstrdup(roots[i]);
		build_places_add(&places, &list, NULL);
		assert_int_equal(build_places_has(&places, "/b/spinner"), i == 3);
		assert_false(build_places_has(&places, "C:\\b.dll"));
		build_places_release(&places);
		process_list_release(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_dirs__compilers__each_directory_once_in_order),
		cmocka_unit_test(symbol_dirs__directories_without_end__the_first_64),
		cmocka_unit_test(symbol_dirs__no_compiler__is_stage_1_of_the_checkout),
		cmocka_unit_test(build_places__of_each_path__what_the_build_made),
		cmocka_unit_test(build_places__no_checkout__directory_of_the_command),
		cmocka_unit_test(symbol_dir_kind__of_each_form__is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
