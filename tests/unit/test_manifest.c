#include "rundir/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

#define SHA256 "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static void fill_commands(struct manifest *manifest)
{
	struct manifest_command *command = manifest_add_command(manifest, "stage1");

	strvec_push(&command->argv, "python");
	strvec_push(&command->argv, "x.py");
	command->cwd = xstrdup("/home/alice/rust");
	command->exit_code = 0;
	command->start_ns = -900000000000;
	command->end_ns = -1000000000;
	command = manifest_add_command(manifest, "recorder");
	strvec_push(&command->argv, "perf");
	strvec_push(&command->argv, "caf\xe9 \"quoted\"\n");
	strvec_push(&command->env, "RUSTC_LOG=info");
	strvec_push(&command->env, "ODD=\xff");
	strvec_push(&command->env, "no value");
	strvec_push(&command->env, "\xfe=name");
	manifest_set_process(command, xstrdup("4711@123456"));
}

static void fill(struct manifest *manifest)
{
	manifest_init(manifest);
	manifest->state = RUN_RECORDING;
	manifest->reason = xstrdup("perf ended with 137");
	manifest->name = xstrdup("rustc-stage2-20260131T120000Z");
	manifest->version = xstrdup("0.1.0");
	manifest->cookie = xstrdup("c0ffee");
	manifest_add_host(manifest, "hostname", "12");
	manifest_add_host(manifest, "os", "Debian GNU/Linux 12");
	manifest_add_host(manifest, "cpus", "8");
	manifest_add_host(manifest, "memory_bytes", "16777216000");
	manifest_add_host(manifest, "serial", "007");
	manifest_add_host(manifest, "cpu_model", NULL);
	system_facts_add_number(&manifest->system, "swap", "size_bytes", 4096);
	system_facts_add(&manifest->system, "disks", "sda model", "a \xff disk");
	system_facts_add_number(&manifest->system, "disks", "sda size_bytes", 1000);
	system_facts_add(&manifest->build, "submodules", "src/llvm-project", "abc");
	system_facts_add_number(&manifest->build, "build", "jobs", 4);
	manifest->recorder = xstrdup("perf");
	manifest->recorder_version = xstrdup("6.1.90");
	fill_commands(manifest);
	manifest->source = xstrdup("/home/alice/rust");
	manifest->git_commit = xstrdup("0123456789abcdef0123456789abcdef01234567");
	manifest->git_branch = xstrdup("master");
	manifest->git_dirty = 3;
	manifest->clock = xstrdup("CLOCK_MONOTONIC");
	manifest->clock_base_ns = 123456789012345;
	manifest->start_utc = xstrdup("2026-01-31T12:00:00.123Z");
	manifest->stage2_start_ns = 5;
	manifest->own_execs = 1;
	manifest->tracker = xstrdup("polling /proc");
	manifest->lost_trace_events = 0;
	manifest->lost_command_lines = 2;
	strvec_push(&manifest->warnings, "frame pointers are off");
	manifest_add_stack_warning(manifest, true, false, "few are complete");
	manifest_add_unnamed(manifest, "/lib/caf\xe9.so", "a1b2", "stripped", "no symbols");
	manifest_add_unnamed(manifest, "C:\\a.dll", NULL, "no-pdb", NULL);
	manifest_add_snapshot(manifest, 4711, "rustc_middle", 200000000)->bytes = 3500;
	manifest_add_snapshot(manifest, 12, NULL, -5);
	manifest_add_undo(manifest, "/proc/sys/kernel/kptr_restrict", "1");
	manifest_add_file(manifest, "trace.perf.data", 5368709120, SHA256);
	manifest_add_file(manifest, "logs/stage1.log", -1, "");
}

static void manifest_text__round_trip__is_the_same(void **state)
{
	struct manifest manifest, again;
	struct err err = ERR_INIT;
	char *text, *text_again;

	(void)state;
	fill(&manifest);
	text = manifest_text(&manifest);
	assert_int_equal(manifest_parse(text, strlen(text), "m", &again, &err), 0);
	text_again = manifest_text(&again);
	assert_string_equal(text_again, text);

	assert_int_equal(again.state, RUN_RECORDING);
	assert_int_equal(again.git_dirty, 3);
	assert_int_equal(again.stage2_start_ns, 5);
	assert_int_equal(again.stage2_end_ns, -1);
	assert_int_equal(again.own_execs, 1);
	assert_int_equal(again.lost_trace_events, 0);
	assert_int_equal(again.lost_tracker_events, -1);
	assert_int_equal(again.host_nr, 6);
	assert_string_equal(again.host[0].value, "12");
	assert_string_equal(again.host[3].value, "16777216000");
	assert_string_equal(again.host[4].value, "007");
	assert_null(again.host[5].value);
	assert_int_equal(again.system.nr, 3);
	assert_string_equal(again.system.v[1].section, "disks");
	assert_string_equal(again.system.v[1].text, "a \xff disk");
	assert_int_equal(system_facts_number(&again.system, "disks", "sda size_bytes"), 1000);
	assert_int_equal(system_facts_number(&again.system, "swap", "size_bytes"), 4096);
	assert_int_equal(again.build.nr, 2);
	assert_string_equal(system_facts_find(&again.build, "submodules", "src/llvm-project")->text,
			    "abc");
	assert_int_equal(system_facts_number(&again.build, "build", "jobs"), 4);
	assert_int_equal(again.commands_nr, 2);
	assert_int_equal(again.commands[0].start_ns, -900000000000);
	assert_string_equal(again.commands[1].argv.v[1], "caf\xe9 \"quoted\"\n");
	assert_int_equal(again.commands[1].env.nr, 4);
	assert_string_equal(again.commands[1].env.v[1], "ODD=\xff");
	assert_string_equal(again.commands[1].env.v[3], "\xfe=name");
	assert_int_equal(again.commands[1].exit_code, -1);
	assert_null(again.commands[0].process);
	assert_string_equal(again.commands[1].process, "4711@123456");
	assert_int_equal(again.snapshots_nr, 2);
	assert_int_equal(again.snapshots[0].pid, 4711);
	assert_string_equal(again.snapshots[0].crate, "rustc_middle");
	assert_int_equal(again.snapshots[0].time_ns, 200000000);
	assert_int_equal(again.snapshots[0].bytes, 3500);
	assert_int_equal(again.snapshots[1].bytes, -1);
	assert_null(again.snapshots[1].crate);
	assert_int_equal(again.snapshots[1].time_ns, -5);
	assert_int_equal(again.stack_warnings_nr, 1);
	assert_true(again.stack_warnings[0].cpu);
	assert_false(again.stack_warnings[0].memory);
	assert_string_equal(again.stack_warnings[0].text, "few are complete");
	assert_int_equal(again.unnamed_nr, 2);
	assert_string_equal(again.unnamed[0].path, "/lib/caf\xe9.so");
	assert_string_equal(again.unnamed[0].build_id, "a1b2");
	assert_string_equal(again.unnamed[0].reason, "stripped");
	assert_string_equal(again.unnamed[0].why, "no symbols");
	assert_null(again.unnamed[1].build_id);
	assert_null(again.unnamed[1].why);
	assert_int_equal(again.files[0].size, 5368709120);
	assert_string_equal(again.files[0].sha256, SHA256);
	assert_string_equal(again.files[1].sha256, "");
	free(text);
	free(text_again);
	manifest_release(&manifest);
	manifest_release(&again);
}

/* Results do not follow from it: a run with such a value can be read. */
static void manifest_parse__damaged_unnamed_modules__are_left_out(void **state)
{
	static const char good[] = "{\"path\": \"/a\", \"reason\": \"no-file\"}";
	static const struct {
		const char *value;
		size_t nr;
	} cases[] = {
		{ "\"text\"", 0 },
		{ "{\"path\": \"/a\", \"reason\": \"no-file\"}", 0 },
		{ "[null, 1, [], {}, {\"path\": \"/a\"}, {\"reason\": \"no-file\"}]", 0 },
		{ "[{\"path\": 1, \"reason\": \"no-file\"}]", 0 },
		{ "[{\"path\": \"/a\", \"reason\": \"no-file\", \"build_id\": \"alice\"}]", 0 },
		{ "[{\"path\": \"/a\", \"reason\": \"no-file\", \"build_id\": \"a1b2\"}, 7]", 1 },
	};
	struct strbuf text = STRBUF_INIT;
	struct manifest manifest;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&text);
		strbuf_addf(&text, "%s, \"unnamed_modules\": %s}",
			    "{\"format_version\": 1, \"state\": \"done\", \"name\": \"n\"",
			    cases[i].value);
		assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), 0);
		assert_int_equal(manifest.unnamed_nr, cases[i].nr);
		manifest_release(&manifest);
	}
	strbuf_clear(&text);
	strbuf_addf(&text, "{\"format_version\": 1, \"state\": \"done\", \"name\": \"n\", "
			   "\"unnamed_modules\": [{\"reason\": \"no-file\", \"path\": \"");
	for (int i = 0; i <= MANIFEST_UNNAMED_TEXT_MAX; i++)
		strbuf_addc(&text, '/');
	strbuf_adds(&text, "\"}");
	for (int i = 0; i < 2 * MANIFEST_UNNAMED_MAX; i++)
		strbuf_addf(&text, ", %s", good);
	strbuf_adds(&text, "]}");
	assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), 0);
	assert_int_equal(manifest.unnamed_nr, MANIFEST_UNNAMED_MAX);
	assert_string_equal(manifest.unnamed[0].path, "/a");
	manifest_release(&manifest);
	strbuf_release(&text);
}

static void manifest_text__of_unknown_numbers__has_nulls_and_short_lines(void **state)
{
	struct manifest manifest;
	char *text;

	(void)state;
	fill(&manifest);
	text = manifest_text(&manifest);
	assert_non_null(strstr(text, "\n  \"format_version\": 1,\n  \"state\": \"recording\",\n"));
	assert_non_null(strstr(
		text, "\n  \"stage2\": {\"start_ns\": 5, \"end_ns\": null, \"own_execs\": 1},\n"));
	assert_non_null(strstr(text, "\n      \"argv\": [\"python\", \"x.py\"],\n"));
	assert_non_null(strstr(text, "\"cpus\": 8"));
	assert_non_null(strstr(text, "\"hostname\": \"12\""));
	assert_null(strstr(text, "scrubbed"));
	free(text);
	manifest.scrubbed = true;
	text = manifest_text(&manifest);
	assert_non_null(strstr(text, "\n  \"scrubbed\": true,\n"));
	free(text);
	manifest_release(&manifest);
}

static void manifest_note__set_and_dropped__is_kept_while_there(void **state)
{
	struct manifest manifest, again;
	struct err err = ERR_INIT;
	char *text;

	(void)state;
	fill(&manifest);
	assert_null(manifest_noted(&manifest, "instance"));
	manifest_note(&manifest, "none", NULL);
	manifest_note(&manifest, "instance", "a");
	manifest_note(&manifest, "folder", "C:\\caf\xe9");
	manifest_note(&manifest, "instance", "b");
	assert_int_equal(manifest.session_nr, 2);
	text = manifest_text(&manifest);
	assert_int_equal(manifest_parse(text, strlen(text), "m", &again, &err), 0);
	assert_int_equal(again.session_nr, 2);
	assert_string_equal(manifest_noted(&again, "instance"), "b");
	assert_string_equal(manifest_noted(&again, "folder"), "C:\\caf\xe9");
	free(text);
	manifest_note(&again, "instance", NULL);
	manifest_note(&again, "folder", NULL);
	assert_int_equal(again.session_nr, 0);
	text = manifest_text(&again);
	assert_null(strstr(text, "session"));
	free(text);
	manifest_release(&manifest);
	manifest_release(&again);
}

static void manifest_parse__cut_at_any_byte__is_corrupt(void **state)
{
	struct manifest manifest, cut;
	char *text;
	size_t len;

	(void)state;
	fill(&manifest);
	text = manifest_text(&manifest);
	/* The text ends "}\n". */
	len = strlen(text) - 1;
	for (size_t i = 0; i < len; i++) {
		struct err err = ERR_INIT;

		assert_int_equal(manifest_parse(text, i, "m", &cut, &err), -1);
		assert_int_equal(err.code, ERR_CORRUPT);
		assert_memory_equal(err.msg, "m: ", 3);
		err_clear(&err);
	}
	free(text);
	manifest_release(&manifest);
}

static void manifest_parse__any_byte_damaged__never_crashes(void **state)
{
	struct manifest manifest, read;
	char *text;
	size_t len;

	(void)state;
	fill(&manifest);
	text = manifest_text(&manifest);
	len = strlen(text);
	for (size_t i = 0; i < len; i++) {
		static const char bytes[] = { '\0', '"', '{', '9', '-', '\xff', 'n' };

		for (size_t k = 0; k < sizeof(bytes); k++) {
			struct err err = ERR_INIT;
			char was = text[i];

			text[i] = bytes[k];
			if (!manifest_parse(text, len, "m", &read, &err))
				manifest_release(&read);
			err_clear(&err);
			text[i] = was;
		}
	}
	free(text);
	manifest_release(&manifest);
}

#define HEAD "{\"format_version\": 1, \"state\": \"done\", \"name\": \"n\""

static void manifest_parse__wrong_members__names_them(void **state)
{
	static const struct {
		const char *text, *message;
		enum err_code code;
	} cases[] = {
		{ "", "m: 1: ", ERR_CORRUPT },
		{ "[]", "not a JSON object", ERR_CORRUPT },
		{ "{}", "'format_version' is missing", ERR_CORRUPT },
		{ "{\"format_version\": \"1\"}", "'format_version' is not a whole number",
		  ERR_CORRUPT },
		{ "{\"format_version\": 0}", "'format_version'", ERR_CORRUPT },
		{ "{\"format_version\": 2}", "'format_version' is 2", ERR_UNSUPPORTED },
		{ "{\"format_version\": 2}", "use a newer one", ERR_UNSUPPORTED },
		{ "{\"format_version\": 1}", "'state' is missing", ERR_CORRUPT },
		{ "{\"format_version\": 1, \"state\": \"odd\"}", "'state' is unknown: 'odd'",
		  ERR_CORRUPT },
		{ "{\"format_version\": 1, \"state\": \"done\"}", "'name' is missing",
		  ERR_CORRUPT },
		{ "{\"format_version\": 1, \"state\": \"done\", \"name\": \"../x\"}",
		  "'name' is not a valid file name", ERR_CORRUPT },
		{ "{\"format_version\": 1, \"state\": \"done\", \"name\": \"\"}",
		  "'name' is not a valid file name", ERR_CORRUPT },
		{ HEAD ", \"host\": []}", "'host' is not an object", ERR_CORRUPT },
		{ HEAD ", \"host\": {\"os\": []}}", "'host': 'os' is not a string", ERR_CORRUPT },
		{ HEAD ", \"system\": []}", "'system' is not an object", ERR_CORRUPT },
		{ HEAD ", \"build\": {\"tools\": 1}}", "'build': 'tools' is not an object",
		  ERR_CORRUPT },
		{ HEAD ", \"system\": {\"swap\": 1}}", "'system': 'swap' is not an object",
		  ERR_CORRUPT },
		{ HEAD ", \"system\": {\"swap\": {\"x\": []}}}",
		  "'system': 'swap': 'x' is not a string", ERR_CORRUPT },
		{ HEAD ", \"recorder\": \"perf\"}", "'recorder' is not an object", ERR_CORRUPT },
		{ HEAD ", \"recorder\": {\"name\": 1}}", "'recorder': 'name' is not a string",
		  ERR_CORRUPT },
		{ HEAD ", \"commands\": {}}", "'commands' is not an array", ERR_CORRUPT },
		{ HEAD ", \"commands\": [1]}", "'commands[0]' is not an object", ERR_CORRUPT },
		{ HEAD ", \"commands\": [{}]}", "'commands[0]': 'what' is missing", ERR_CORRUPT },
		{ HEAD ", \"commands\": [{\"what\": \"x\", \"argv\": \"y\"}]}",
		  "'commands[0]': 'argv' is not an array", ERR_CORRUPT },
		{ HEAD ", \"commands\": [{\"what\": \"x\", \"env\": {\"A\": 1}}]}",
		  "'commands[0]': 'env': 'A' is not a string", ERR_CORRUPT },
		{ HEAD ", \"commands\": [{\"what\": \"x\", \"env\": {\"A\": null}}]}",
		  "'A' is not a variable with a value", ERR_CORRUPT },
		{ HEAD ", \"source\": {\"git_dirty\": -5}}", "'git_dirty' is out of range",
		  ERR_CORRUPT },
		{ HEAD ", \"clock\": {\"base_ns\": 9223372036854775807}}",
		  "'base_ns' is out of range", ERR_CORRUPT },
		{ HEAD ", \"clock\": {\"base_ns\": 99999999999999999999}}", "too big integer",
		  ERR_CORRUPT },
		{ HEAD ", \"stage2\": {\"end_ns\": 1.5}}", "'end_ns' is not a whole number",
		  ERR_CORRUPT },
		{ HEAD ", \"lost\": {\"processes\": true}}", "'lost': 'processes' is not a whole",
		  ERR_CORRUPT },
		{ HEAD ", \"warnings\": [null]}", "'warnings' is not an array of strings",
		  ERR_CORRUPT },
		{ HEAD ", \"stack_warnings\": [{\"cpu\": true}]}",
		  "'stack_warnings[0]': 'text' is missing", ERR_CORRUPT },
		{ HEAD ", \"snapshots\": [{\"pid\": \"x\"}]}", "'snapshots[0]': 'pid'",
		  ERR_CORRUPT },
		{ HEAD ", \"undo\": [{\"path\": \"/x\"}]}", "'undo[0]': 'path' or 'value'",
		  ERR_CORRUPT },
		{ HEAD ", \"files\": [{\"path\": \"../../etc/passwd\"}]}",
		  "'files[0]': 'path' is not the path of a file in a run", ERR_CORRUPT },
		{ HEAD ", \"files\": [{\"size\": 1}]}", "'files[0]': 'path'", ERR_CORRUPT },
		{ HEAD ", \"files\": [{\"path\": \"a\", \"sha256\": \"00\"}]}",
		  "'files[0]': 'sha256' is not a SHA-256", ERR_CORRUPT },
		{ HEAD ", \"files\": [{\"path\": \"a\", \"size\": -1}]}", "'size' is out of range",
		  ERR_CORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct manifest manifest;

		assert_int_equal(
			manifest_parse(cases[i].text, strlen(cases[i].text), "m", &manifest, &err),
			-1);
		if (!strstr(err.msg, cases[i].message) || err.code != cases[i].code)
			fail_msg("%s: '%s' is not '%s'", cases[i].text, err.msg, cases[i].message);
		err_clear(&err);
	}
}

static void manifest_parse__unknown_members_and_nulls__are_ignored(void **state)
{
	const char *text = HEAD ", \"later\": {\"x\": [1]}, \"reason\": null, \"host\": null,"
				" \"commands\": null, \"files\": null, \"lost\": null}";
	struct err err = ERR_INIT;
	struct manifest manifest;

	(void)state;
	assert_int_equal(manifest_parse(text, strlen(text), "m", &manifest, &err), 0);
	assert_string_equal(manifest.name, "n");
	assert_null(manifest.reason);
	assert_int_equal(manifest.lost_trace_events, -1);
	manifest_release(&manifest);
}

static void manifest_parse__deep_nesting_and_many_elements__is_corrupt(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct manifest manifest;

	(void)state;
	strbuf_adds(&text, HEAD ", \"later\": ");
	strbuf_pad(&text, '[', 100000);
	assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	err_clear(&err);

	strbuf_clear(&text);
	strbuf_adds(&text, HEAD ", \"undo\": [{}");
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&text, ",{}");
	strbuf_adds(&text, "]}");
	assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), -1);
	assert_non_null(strstr(err.msg, "'undo' has more than 1000 elements"));
	err_clear(&err);

	strbuf_clear(&text);
	strbuf_adds(&text, HEAD ", \"later\": [\"\\\"");
	strbuf_pad(&text, ',', text.len + 2000000);
	strbuf_adds(&text, "\"");
	for (int i = 0; i < 999900; i++)
		strbuf_adds(&text, ",0");
	strbuf_adds(&text, "]}");
	assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), 0);
	manifest_release(&manifest);
	strbuf_set_len(&text, text.len - 2);
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, ",{}");
	strbuf_adds(&text, "]}");
	assert_int_equal(manifest_parse(text.buf, text.len, "m", &manifest, &err), -1);
	assert_string_equal(err.msg,
			    "m: 1: more than 1000000 values, and no recording has so many");
	err_clear(&err);
	strbuf_release(&text);
}

static void manifest_is_path__outside_of_the_run__is_none(void **state)
{
	static const struct {
		const char *path;
		bool good;
	} cases[] = {
		{ "trace.etl", true },    { "logs/stage1.log", true },
		{ "a/..b/c...", true },   { "", false },
		{ "/etc/passwd", false }, { "..", false },
		{ ".", false },           { "a/../b", false },
		{ "a/./b", false },       { "a//b", false },
		{ "a/", false },          { "C:x", false },
		{ "a\\b", false },        { "a\nb", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (manifest_is_path(cases[i].path) != cases[i].good)
			fail_msg("'%s'", cases[i].path);
	}
}

static void run_state__every_state__has_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < RUN_STATE_COUNT; i++) {
		enum run_state parsed;

		assert_true(run_state_parse(run_state_name((enum run_state)i), &parsed));
		assert_int_equal(parsed, i);
	}
}

static void manifest_write__then_read__is_the_same(void **state)
{
	struct err err = ERR_INIT;
	struct manifest manifest, read;
	char *dir = fs_temp_dir(&err);

	(void)state;
	assert_non_null(dir);
	fill(&manifest);
	assert_int_equal(manifest_read(dir, &read, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	manifest_release(&read);
	assert_int_equal(manifest_write(&manifest, dir, &err), 0);
	manifest.state = RUN_DONE;
	assert_int_equal(manifest_write(&manifest, dir, &err), 0);
	assert_int_equal(manifest_read(dir, &read, &err), 0);
	assert_int_equal(read.state, RUN_DONE);
	assert_string_equal(manifest_find_file(&read, "trace.perf.data")->sha256, SHA256);
	assert_null(manifest_find_file(&read, "trace.etl"));
	manifest_release(&manifest);
	manifest_release(&read);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(manifest_text__round_trip__is_the_same),
		cmocka_unit_test(manifest_parse__damaged_unnamed_modules__are_left_out),
		cmocka_unit_test(manifest_text__of_unknown_numbers__has_nulls_and_short_lines),
		cmocka_unit_test(manifest_note__set_and_dropped__is_kept_while_there),
		cmocka_unit_test(manifest_parse__cut_at_any_byte__is_corrupt),
		cmocka_unit_test(manifest_parse__any_byte_damaged__never_crashes),
		cmocka_unit_test(manifest_parse__wrong_members__names_them),
		cmocka_unit_test(manifest_parse__unknown_members_and_nulls__are_ignored),
		cmocka_unit_test(manifest_parse__deep_nesting_and_many_elements__is_corrupt),
		cmocka_unit_test(manifest_is_path__outside_of_the_run__is_none),
		cmocka_unit_test(run_state__every_state__has_its_name),
		cmocka_unit_test(manifest_write__then_read__is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
