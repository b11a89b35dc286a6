#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "util/array.h"
#include "util/text.h"

/* What every configuration must say; cases add to it. */
#define RUN    "[run]\nsource = rust\n"
#define STAGE2 "[stage2]\ncommand = x\n"
#define LEAST  RUN STAGE2

#define X10(s)  s s s s s s s s s s
#define X100(s) X10(X10(s))

static void assert_fails_len(const char *text, size_t len, const struct strvec *overrides,
			     const char *expected)
{
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	struct config config;
	struct err err = ERR_INIT;

	if (overrides)
		changes.set = *overrides;
	if (!config_load_text("t.ini", text, len, &changes, &config, &err))
		fail_msg("no error for:\n%s", text);
	assert_int_equal(err.code, ERR_CONFIG);
	assert_string_equal(err.msg, expected);
	assert_null(config.path);
	config_release(&config);
	err_clear(&err);
}

static void assert_fails(const char *text, const char *expected)
{
	assert_fails_len(text, strlen(text), NULL, expected);
}

static void config_load__bad_value__names_line_and_remedy(void **state)
{
	static const struct {
		const char *text; /* behind LEAST: line 5 */
		const char *message;
	} cases[] = {
		{ "[record]\nrecorder = pref",
		  "t.ini:6: 'recorder' must be one of auto, wpr, xperf, perf, none, not 'pref' "
		  "(did you mean 'perf'?)" },
		{ "[record]\ncpu-stacks = none",
		  "t.ini:6: 'cpu-stacks' must be one of sampled, fp, dwarf, not 'none'" },
		{ "[record]\ncpu = maybe", "t.ini:6: 'cpu' must be yes or no, not 'maybe'" },
		{ "[record]\ncpu =", "t.ini:6: 'cpu' has no value" },
		{ "[record]\ncpu-interval = 99us",
		  "t.ini:6: 'cpu-interval' must be within 100 us to 1.00 s" },
		{ "[record]\ncpu-interval = none",
		  "t.ini:6: 'cpu-interval' must be a duration with its unit, as in 250us, 90s or "
		  "4h, not 'none'" },
		{ "[record]\nbuffers = big",
		  "t.ini:6: 'buffers' must be a size, as in 512MB or 40GB, not 'big'" },
		{ "[record]\nbuffers = 0", "t.ini:6: 'buffers' must be within 1.00 MB to 64.0 GB" },
		{ "[record]\nmin-free-disk = 40",
		  "t.ini:6: 'min-free-disk' must be a size, as in 512MB or 40GB, not '40'" },
		{ "[run]\ntimeout = 90",
		  "t.ini:6: 'timeout' must be a duration with its unit, as in 250us, 90s or 4h, "
		  "not '90'" },
		{ "[run]\nname = a/b",
		  "t.ini:6: name 'a/b' is not valid in a file name: use letters, digits, '.', '_' "
		  "and '-', and begin with a letter, a digit or '_'" },
		{ "[run]\nname = ..",
		  "t.ini:6: name '..' is not valid in a file name: use letters, digits, '.', '_' "
		  "and '-', and begin with a letter, a digit or '_'" },
		{ "[run]\noutput =", "t.ini:6: 'output' has no value" },
		{ "[stage1]\ncommand = sh -c \"a ; b\"",
		  "t.ini:6: cannot split 'sh -c \"a': quote \" is never closed (a ' ;' starts a "
		  "comment, also in quotes: write ' \\;')" },
		{ "[stage1]\ncommand = x {set} {set}", "t.ini:6: {set} is given twice" },
		{ "[stage1]\ncommand = x --a={set}",
		  "t.ini:6: {set} in '--a={set}' must be a separate argument" },
		{ "[stage1]\ncommand = '' x", "t.ini:6: the command's first word is empty" },
		{ "[stage1]\nenv.A B = x",
		  "t.ini:6: 'A B' is not the name of an environment variable" },
		{ "[bootstrap]\nrust. = 1", "t.ini:6: 'rust.' is not a key of bootstrap.toml" },
		{ "[bootstrap]\nrust.debug =", "t.ini:6: 'rust.debug' has no value" },
		{ "[tag]\ncc = gcc, /usr/bin/cc", "t.ini:6: '/usr/bin/cc' is compared with the "
						  "last part of a path: leave out the directory" },
		{ "[compare]\nfail-if = peak > 5%\n\tpeak +5%",
		  "t.ini:6: gate 'peak +5%': it is not [KEY:NAME.]METRIC > LIMIT, as in 'peak > "
		  "+5%', 'size > 100MB' or 'crate:rustc_middle.own-peak > 1.2GiB'" },
		{ "[compare]\nfail-if = peak > five",
		  "t.ini:6: gate 'peak > five': the limit of own-peak is a size, as in '100MB' or "
		  "'+100MB', or a change in percent, as in '+5%'" },
		{ "[compare]\nfail-if = peek > +5%",
		  "t.ini:6: gate 'peek > +5%': unknown metric 'peek' (did you mean 'peak'?)" },
		{ "[heap]\nrecipe = snapshot",
		  "t.ini:6: 'recipe' must be one of snapshots, tracing, not 'snapshot' (did you "
		  "mean 'snapshots'?)" },
		{ "[heap]\nsnapshots = 0",
		  "t.ini:6: 'snapshots' must be a number from 1 to 1000, not '0'" },
		{ "[heap]\nsnapshots = many",
		  "t.ini:6: 'snapshots' must be a number from 1 to 1000, not 'many'" },
		{ "[heap]\ninterval = 500ms",
		  "t.ini:6: 'interval' must be within 1.00 s to 24h 00m 00s" },
		{ "[heap]\nat = 0s, 30",
		  "t.ini:6: 'at' must be durations with their units, as in 0s, 30s, not '30'" },
		{ "[heap]\nat = 30s, 30s",
		  "t.ini:6: 'at': '30s' is not later than the one before it" },
		{ "[heap]\nat = 25h", "t.ini:6: 'at' must be within 0 s to 24h 00m 00s" },
		{ "[heap]\npid = 1 2 0", "t.ini:6: '0' is not a process id" },
		{ "[heap]\npid = 4294967296", "t.ini:6: '4294967296' is not a process id" },
		{ "[heap]\npid = 5, 5", "t.ini:6: process 5 is given twice" },
		{ "[heap]\npid = 1 2 3 4 5 6 7 8 9",
		  "t.ini:6: wpr takes snapshots of at most 8 processes at a time" },
		{ "[heap]\nimage = C:\\bin\\rustc.exe",
		  "t.ini:6: 'C:\\bin\\rustc.exe' is not the file name of a program, such as "
		  "rustc.exe" },
		{ "[heap]\nimage = rustc",
		  "t.ini:6: 'rustc' is not the file name of a program, such as rustc.exe" },
		{ "[heap]\nimage = -x.exe",
		  "t.ini:6: '-x.exe' is not the file name of a program, such as rustc.exe" },
		{ "[compare]\nfail-if = > 5%",
		  "t.ini:6: gate '> 5%': it is not [KEY:NAME.]METRIC > LIMIT, as in 'peak > "
		  "+5%', 'size > 100MB' or 'crate:rustc_middle.own-peak > 1.2GiB'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("%s%s", LEAST, cases[i].text);

		assert_fails(text, cases[i].message);
		free(text);
	}
}

static void config_load__bad_line__is_never_misread(void **state)
{
	static const struct {
		const char *text; /* behind LEAST: line 5 */
		const char *message;
	} cases[] = {
		{ "[stage1]\ncomand = x",
		  "t.ini:6: unknown key 'comand' in [stage1] (did you mean 'command'?)" },
		{ "[record]\ntimeout = 4h",
		  "t.ini:6: unknown key 'timeout' in [record] (it belongs in [run])" },
		{ "[bootstrap]\ndebuginfo-level = 1",
		  "t.ini:6: unknown key 'debuginfo-level' in [bootstrap] (x.py's settings are "
		  "TABLE.KEY, as in rust.debuginfo-level)" },
		{ "[tag]\nlnk = x", "t.ini:6: unknown key 'lnk' in [tag] (did you mean 'link'?)" },
		{ "[stage1]\nenv. = x", "t.ini:6: unknown key 'env.' in [stage1]" },
		{ "[recrod]\ncpu = x",
		  "t.ini:5: unknown section 'recrod' (did you mean 'record'?)" },
		{ "[ record ]", "t.ini:5: unknown section ' record ' (did you mean 'record'?)" },
		{ "[" X10("recordings") "]", "t.ini:5: unknown section '" X10("recordings") "'" },
		{ "[record\ncpu = x\n\ty = z", "t.ini:5: '[' without ']'" },
		{ "[record] cpu = yes", "t.ini:5: text after ']': a setting needs its own line" },
		{ "[run]\nname = a\nname = b", "t.ini:7: 'name' is given twice (first in line 6)" },
		{ "[record]\njust words",
		  "t.ini:6: no '=' in 'just words' (KEY = VALUE; indent a line that continues the "
		  "one above)" },
		{ "[record]\n= x", "t.ini:6: no key before '='" },
		{ "[record]\ncpu = yes\n  heap = no",
		  "t.ini:7: 'heap = no' is indented, so it continues 'cpu' above: start it in the "
		  "first column" },
		{ "[stage1]\n  command = x\n  env.B = y",
		  "t.ini:7: 'env.B = y' is indented, so it continues 'command' above: start it in "
		  "the first column" },
		{ "[stage1]\ncommand = x\n  env.A = y",
		  "t.ini:7: 'env.A = y' is indented, so it continues 'command' above: start it in "
		  "the first column" },
		{ "[stage1]\ncommand = x\n  [record]\ncpu = yes",
		  "t.ini:7: '[record]' is indented, so it continues 'command' above: start it in "
		  "the first column\nt.ini:8: unknown key 'cpu' in [stage1] (it belongs in "
		  "[record])" },
		{ "[run]\nname = a\n  b",
		  "t.ini:7: this indented line continues 'name' above, which has one value: start "
		  "a setting in the first column" },
		{ "[run]\nname = " X100("xx") "\n  b",
		  "t.ini:6: line too long: at most 197 bytes; continue it in an indented line "
		  "below (one that ends in a backslash is joined without a blank)" },
		{ "[run]\nname = a\nnme = b\n  c",
		  "t.ini:7: unknown key 'nme' in [run] (did you mean 'name'?)" },
		{ "[run]\nname = a\rtimeout = 1s", "t.ini:6: a control character" },
		{ "[stage1]\nenv." X10("NAME_OF_A_LENGTH") " = x",
		  "t.ini:6: key too long: at most 120 bytes" },
		{ "[stage1]\n\x1b[31m\xff = x", "t.ini:6: a control character" },
		{ "[stage1]\n\xff = x", "t.ini:6: unknown key '\xef\xbf\xbd' in [stage1]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("%s%s", LEAST, cases[i].text);

		assert_fails(text, cases[i].message);
		free(text);
	}
}

static void config_load__nul_and_utf16__are_told(void **state)
{
	static const char nul[] = LEAST "[run]\nname = a\0b\n";
	static const char utf16[] = "\xff\xfe[\0r\0u\0n\0]\0";

	(void)state;
	assert_fails_len(nul, sizeof(nul) - 1, NULL, "t.ini:6: a NUL byte (is this an INI file?)");
	assert_fails_len(utf16, sizeof(utf16) - 1, NULL,
			 "t.ini:1: the file is UTF-16: save it as UTF-8\n"
			 "t.ini: [run] must set 'source': the directory in which commands run: the "
			 "rust checkout\n"
			 "t.ini: [stage2] must set 'command': the build to record");
}

static void config_load__many_problems__are_reported_in_one_pass(void **state)
{
	struct strvec overrides = STRVEC_INIT;
	static const char text[] = "name = early\n"
				   "[run]\n"
				   "nam = x\n"
				   "timeout = 90\n"
				   "[recrod]\n"
				   "cpu = maybe\n"
				   "[record]\n"
				   "heap = maybe\n"
				   "junk\n";

	(void)state;
	strvec_push(&overrides, "record.cpu=perhaps");
	strvec_push(&overrides, "nonsense");
	assert_fails_len(
		text, strlen(text), &overrides,
		"t.ini:1: 'name' precedes the first [section]\n"
		"t.ini:3: unknown key 'nam' in [run] (did you mean 'name'?)\n"
		"t.ini:4: 'timeout' must be a duration with its unit, as in 250us, 90s or 4h, not "
		"'90'\n"
		"t.ini:5: unknown section 'recrod' (did you mean 'record'?)\n"
		"t.ini:8: 'heap' must be yes or no, not 'maybe'\n"
		"t.ini:9: no '=' in 'junk' (KEY = VALUE; indent a line that continues the one "
		"above)\n"
		"t.ini: [run] must set 'source': the directory in which commands run: the rust "
		"checkout\n"
		"t.ini: [stage2] must set 'command': the build to record\n"
		"--set nonsense: must be SECTION.KEY=VALUE\n"
		"--set record.cpu=perhaps: 'cpu' must be yes or no, not 'perhaps'");
	strvec_release(&overrides);
}

static void config_load__binary_file__does_not_flood(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	for (int i = 0; i < 5000; i++)
		strbuf_addf(&text, "%d\n", i);
	assert_int_equal(config_load_text("t.ini", text.buf, text.len, NULL, &config, &err), -1);
	assert_true(text_ends_with(err.msg, "\nt.ini: 4902 more problems"));
	err_clear(&err);
	strbuf_release(&text);
}

static void config_load__bad_override__is_named(void **state)
{
	static const struct {
		const char *override, *message;
	} cases[] = {
		{ "record.cpu", "must be SECTION.KEY=VALUE" },
		{ "record=x.y", "must be SECTION.KEY=VALUE" },
		{ "", "must be SECTION.KEY=VALUE" },
		{ "recrod.cpu=yes", "unknown section 'recrod' (did you mean 'record'?)" },
		{ "record.cpus=yes", "unknown key 'cpus' in [record] (did you mean 'cpu'?)" },
		{ "record.=yes", "unknown key '' in [record]" },
		{ "run.source=", "'source' has no value" },
		{ "run.source=a\nb", "a control character" },
		{ "stage2.env." X10("NAME_OF_A_LENGTH") "=x", "key too long: at most 120 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec overrides = STRVEC_INIT;
		struct config config;
		struct err err = ERR_INIT;
		char *end = xasprintf(": %s", cases[i].message);

		strvec_push(&overrides, cases[i].override);
		assert_int_equal(config_load_text("t.ini", LEAST, strlen(LEAST),
						  &(struct config_changes){ .set = overrides },
						  &config, &err),
				 -1);
		assert_true(text_starts_with(err.msg, "--set "));
		if (!text_ends_with(err.msg, end))
			fail_msg("'%s' does not end with '%s'", err.msg, end);
		free(end);
		err_clear(&err);
		strvec_release(&overrides);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config_load__bad_value__names_line_and_remedy),
		cmocka_unit_test(config_load__bad_line__is_never_misread),
		cmocka_unit_test(config_load__nul_and_utf16__are_told),
		cmocka_unit_test(config_load__many_problems__are_reported_in_one_pass),
		cmocka_unit_test(config_load__binary_file__does_not_flood),
		cmocka_unit_test(config_load__bad_override__is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
