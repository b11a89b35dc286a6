#include "platform/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profiler/etw/etw_output.h"

static void program_version__of_the_system__is_a_version(void **state)
{
	char *version = program_version("C:\\windows\\system32\\kernel32.dll");

	(void)state;
	assert_non_null(version);
	assert_true(etw_version_compare(etw_version_read(version), etw_version_read("5.0.0")) > 0);
	free(version);
}

static void program_version__none__is_unknown(void **state)
{
	(void)state;
	assert_null(program_version("C:\\nowhere\\wpa.exe"));
	assert_null(program_version("C:\\windows"));
	assert_null(program_version(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_version__of_the_system__is_a_version),
		cmocka_unit_test(program_version__none__is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
