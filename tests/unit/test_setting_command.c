#include "platform/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

#define KEY "HKLM\\SOFTWARE\\My Key\\rustc.exe"

static void setting_add_command__of_any_system__is_for_its_shell(void **state)
{
	static const struct {
		const char *name, *value, *command;
	} cases[] = {
		{ "/proc/sys/kernel/x", "127", "echo 127 >/proc/sys/kernel/x" },
		{ "/proc/sys/a; reboot", "$(reboot)", "echo '$(reboot)' >'/proc/sys/a; reboot'" },
		{ KEY "\\TracingFlags", "dword:1",
		  "reg add \"" KEY "\" /v TracingFlags /t REG_DWORD /d \"1\" /f" },
		{ KEY "\\TracingFlags", "sz:a b",
		  "reg add \"" KEY "\" /v TracingFlags /t REG_SZ /d \"a b\" /f" },
		{ KEY "\\TracingFlags", "none", "reg delete \"" KEY "\" /v TracingFlags /f" },
		{ KEY "\\TracingFlags", "no key", "reg delete \"" KEY "\" /v TracingFlags /f" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		setting_add_command(&sb, cases[i].name, cases[i].value);
		assert_string_equal(sb.buf, cases[i].command);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_add_command__of_any_system__is_for_its_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
