#include "trace/etl/etl_timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/array.h"

static void etl_paths_map__prefixes__are_replaced_by_the_longest(void **state)
{
	static const struct {
		const char *path, *mapped;
	} cases[] = {
		{ "\\Device\\HarddiskVolume3\\Windows\\a.dll", "C:\\Windows\\a.dll" },
		{ "\\DEVICE\\harddiskvolume3\\x", "C:\\x" },
		{ "\\Device\\HarddiskVolume33\\x", "\\Device\\HarddiskVolume33\\x" },
		{ "\\Device\\HarddiskVolume3\\mnt\\x", "D:\\x" },
		{ "\\SystemRoot\\system32\\ntoskrnl.exe", "C:\\Windows\\system32\\ntoskrnl.exe" },
		{ "\\??\\C:\\a.exe", "C:\\a.exe" },
		{ "\\??", "\\??" },
		{ "C:\\a.exe", "C:\\a.exe" },
		{ "a.exe", "a.exe" },
		{ "", "" },
	};
	struct etl_paths paths = { .nr = 0 };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	etl_paths_add(&paths, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_paths_add(&paths, "\\Device\\HarddiskVolume3\\mnt\\", "D:\\");
	etl_paths_add(&paths, "\\device\\HARDDISKVOLUME3\\", "E:\\");
	etl_paths_add(&paths, "\\SystemRoot\\", "C:\\Windows\\");
	etl_paths_add(&paths, "", "F:\\");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		etl_paths_map(&paths, cases[i].path, &sb);
		assert_string_equal(sb.buf, cases[i].mapped);
	}
	strbuf_release(&sb);
	etl_paths_release(&paths);
}

static void etl_paths_add__too_many__are_left_out(void **state)
{
	struct etl_paths paths = { .nr = 0 };
	char from[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(from, sizeof(from), "\\%d\\", i);
		etl_paths_add(&paths, from, "C:\\");
	}
	assert_int_equal(paths.nr, 4096);
	etl_paths_release(&paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_paths_map__prefixes__are_replaced_by_the_longest),
		cmocka_unit_test(etl_paths_add__too_many__are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
