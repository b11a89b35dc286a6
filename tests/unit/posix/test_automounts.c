#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/posix/automounts.h"
#include "platform/traced_path.h"
#include "symbol/pdb/pdb_module.h"
#include "util/array.h"

static const char mounts[] =
	"21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"30 21 0:30 / /net rw,relatime shared:9 - autofs /etc/auto.net rw,fd=7,indirect\n"
	"31 21 0:31 / /home/my\\040share rw master:3 - autofs systemd-1 rw\n"
	"32 21 0:32 / /autofs rw - ext4 /dev/sdb1 rw\n"
	"damaged - autofs x\n";

static void automounts_allow__paths__none_with_effects(void **state)
{
	static const char *const allowed[] = {
		"/usr/lib/libc.so", "/network/x", "/autofs/x", "/processes", "/home/my", "/a/..b/c",
	};
	static const char *const refused[] = {
		"/net",     "/net/server/x", "/home/my share/x", "/proc/self/cwd/x",
		"/sys/x",   "/dev/fd/3",     "/usr/../proc/x",   "//proc/x",
		"/usr/./x", "/usr//x",       "/usr/..",          "x",
		"",
	};
	struct strvec places = STRVEC_INIT;

	(void)state;
	automounts_parse(mounts, &places);
	assert_int_equal(places.nr, 2);
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		assert_true(automounts_allow(&places, allowed[i]));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_false(automounts_allow(&places, refused[i]));
	strvec_release(&places);
}

static void traced_path_is_plain__this_machine__programs(void **state)
{
	(void)state;
	assert_true(traced_path_is_plain("/usr/bin/cc"));
	assert_false(traced_path_is_plain("/proc/self/exe"));
}

static void pdb_search_init__directories_of_a_run__only_where_looking_has_no_effect(void **state)
{
	static const char *const named[] = { "//server/share",  "\\\\server\\share",
					     "http://server/x", "/bin",
					     "/proc/self/cwd",  "/dev/shm",
					     "/a/../proc/1",    "relative" };
	struct strvec dirs = STRVEC_INIT;
	struct pdb_search search;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		strvec_push(&dirs, named[i]);
	pdb_search_init(&search, NULL, &dirs, NULL);
	assert_int_equal(search.dirs.nr, 1);
	assert_string_equal(search.dirs.v[0], "/bin");
	strvec_release(&dirs);
	pdb_search_release(&search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(automounts_allow__paths__none_with_effects),
		cmocka_unit_test(traced_path_is_plain__this_machine__programs),
		cmocka_unit_test(
			pdb_search_init__directories_of_a_run__only_where_looking_has_no_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
