#include "report/module_labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static void module_labels__equal_names__are_distinguished(void **state)
{
	static const struct {
		const char *path;
		uint8_t id; /* 0: none */
		const char *label;
	} cases[] = {
		{ "/b/stage0/bin/rustc", 0, "stage0/bin/rustc" },
		{ "/b/stage1/bin/rustc", 0, "stage1/bin/rustc" },
		{ "/b/bootstrap/debug/rustc", 0, "debug/rustc" },
		{ "/lib/libc.so.6", 1, NULL },
		/* one is the end of the other; and nothing but the name */
		{ "/bin/cc", 0, "/bin/cc" },
		{ "/usr/bin/cc", 0, "usr/bin/cc" },
		{ "cc", 0, "cc" },
		/* written anew */
		{ "/t/a.so", 0xab, "a.so abababab" },
		{ "/t/a.so", 0xcd, "a.so cdcdcdcd" },
		{ "/t/a.so", 0, "a.so" },
		{ "C:\\x\\link.exe", 0, "x\\link.exe" },
		{ "C:\\y\\link.exe", 0, "y\\link.exe" },
		{ "//anon", 0, NULL },
	};
	struct module_labels labels = MODULE_LABELS_INIT;
	struct module_table modules;

	(void)state;
	assert_null(module_labels_get(&labels, 0));
	module_table_init(&modules);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_map map = { .path = cases[i].path, .length = 1, .code = true };

		if (cases[i].id) {
			map.id_length = 20;
			memset(map.id, cases[i].id, 20);
		}
		/* The unknown one stands before them. */
		assert_int_equal(module_table_intern(&modules, &map), i + 1);
	}
	module_labels_make(&labels, &modules);
	assert_null(module_labels_get(&labels, MODULE_ID_UNKNOWN));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *label = module_labels_get(&labels, i + 1);

		if (cases[i].label)
			assert_string_equal(label, cases[i].label);
		else
			assert_null(label);
	}
	assert_null(module_labels_get(&labels, ARRAY_SIZE(cases) + 1));
	module_labels_release(&labels);
	module_table_release(&modules);
}

static void module_labels_brief__equal_without_hash_and_version__have_more(void **state)
{
	static const struct {
		const char *path, *brief; /* NULL: the brief name alone will do */
	} cases[] = {
		{ "/s0/librustc_driver-6108105cd7e839cf.so", "librustc_driver-6108" },
		{ "/s1/librustc_driver-d77cdc2b7c93a93b.so", "librustc_driver-d77c" },
		{ "/lib/libLLVM.so.19.1", "libLLVM.so.19.1" },
		{ "/lib/libLLVM.so.18", "libLLVM.so.18" },
		{ "/lib/libLLVM-C.so", NULL },
		{ "/lib/libc.so.6", NULL },
		{ "/s1/libstd-d77cdc2b7c93a93b.so", NULL },
	};
	struct module_labels labels = MODULE_LABELS_INIT;
	struct module_table modules;

	(void)state;
	assert_int_equal(module_brief_length(cases[0].path + 4), strlen("librustc_driver"));
	assert_int_equal(module_brief_length("libc.so.6"), strlen("libc"));
	assert_int_equal(module_brief_length("rustc"), strlen("rustc"));
	module_table_init(&modules);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		module_table_intern(
			&modules,
			&(struct trace_map){ .path = cases[i].path, .length = 1, .code = true });
	module_labels_make(&labels, &modules);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *brief = module_labels_brief(&labels, i + 1);

		assert_null(module_labels_get(&labels, i + 1));
		if (cases[i].brief)
			assert_string_equal(brief, cases[i].brief);
		else
			assert_null(brief);
	}
	module_labels_release(&labels);
	module_table_release(&modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(module_labels__equal_names__are_distinguished),
		cmocka_unit_test(module_labels_brief__equal_without_hash_and_version__have_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
