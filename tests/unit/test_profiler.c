/*
 * The list of profilers, the one that records nothing, and findings.
 */
#include "profiler/profiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void profiler_find__names__are_looked_up(void **state)
{
	const struct profiler_ops *best = profiler_find("auto");

	(void)state;
	assert_ptr_equal(profiler_find("perf"), &perf_profiler);
	assert_ptr_equal(profiler_find("none"), &none_profiler);
	assert_ptr_equal(profiler_find("wpr"), &wpr_profiler);
	assert_ptr_equal(profiler_find("xperf"), &xperf_profiler);
	assert_ptr_equal(profiler_find("wpr-heap"), &heap_profiler);
	assert_null(profiler_find("pref"));
	assert_null(profiler_find(""));
	assert_null(profiler_find("Auto"));
	assert_non_null(best);
	assert_true(best->suits(best));
}

static void recorders__each__has_what_generic_code_calls(void **state)
{
	(void)state;
	for (size_t i = 0; profilers[i]; i++) {
		assert_true(*profilers[i]->name && *profilers[i]->summary);
		assert_non_null(profilers[i]->suits);
		assert_non_null(profilers[i]->check);
		assert_ptr_equal(profiler_find(profilers[i]->name), profilers[i]);
		if (profiler_is_service(profilers[i])) {
			assert_false(profilers[i]->wraps_build);
			assert_non_null(profilers[i]->trace);
		}
	}
}

/* Each in its turn, and at the end the one that always can. */
static void profiler_next__list__ends_with_none(void **state)
{
	const struct profiler_ops *last = NULL;

	(void)state;
	for (const struct profiler_ops *r = profiler_find("auto"); r; r = profiler_next(r)) {
		assert_true(r->suits(r));
		last = r;
	}
	assert_ptr_equal(last, &none_profiler);
	assert_null(profiler_next(&none_profiler));
	assert_null(profiler_next(&heap_profiler));
}

#define OPTIONS \
	"HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\"
#define FLAGS  OPTIONS "rustc.exe\\TracingFlags"
#define DEPTH  "/proc/sys/kernel/perf_event_max_stack"
#define DELAYS "/proc/sys/kernel/task_delayacct"

/* What undo entries of a run may name, with the values that a recording may have found there. */
static void restores__what_a_recording_changes__is_taken_alone(void **state)
{
	static const struct {
		const struct profiler_ops *profiler;
		const char *path, *value;
		bool taken;
	} cases[] = {
		{ &perf_profiler, DEPTH, "127", true },
		{ &perf_profiler, DEPTH, "1", true },
		{ &perf_profiler, DEPTH, "0", false },
		{ &perf_profiler, DEPTH, "192", false },
		{ &perf_profiler, DEPTH, "-1", false },
		{ &perf_profiler, DEPTH, "127\n", false },
		{ &perf_profiler, DEPTH, "127; reboot", false },
		{ &perf_profiler, DEPTH, "", false },
		{ &perf_profiler, DEPTH "/", "127", false },
		{ &perf_profiler, "/proc/sys/kernel/../kernel/perf_event_max_stack", "127", false },
		{ &perf_profiler, "/proc/sys/kernel/core_pattern", "|/tmp/evil", false },
		{ &perf_profiler, "/proc/sys/kernel/modprobe", "127", false },
		{ &perf_profiler, DELAYS, "0", true },
		{ &perf_profiler, DELAYS, "1", false },
		{ &perf_profiler, DELAYS, "0\n", false },
		{ &perf_profiler, "/etc/passwd", "127", false },
		{ &perf_profiler, FLAGS, "none", false },
		{ &heap_profiler, FLAGS, "none", true },
		{ &heap_profiler, FLAGS, "no key", true },
		{ &heap_profiler, FLAGS, "dword:1", true },
		{ &heap_profiler, FLAGS, "sz:0x1", true },
		{ &wpr_profiler, FLAGS, "dword:4294967295", true },
		{ &heap_profiler, FLAGS, "dword:4294967296", false },
		{ &heap_profiler, FLAGS, "sz:calc & calc", false },
		{ &heap_profiler, FLAGS, "", false },
		{ &heap_profiler, DEPTH, "127", false },
		{ &heap_profiler, OPTIONS "rustc.exe\\Debugger", "sz:0", false },
		{ &heap_profiler, OPTIONS "rustc.exe\\x.exe\\TracingFlags", "none", false },
		{ &heap_profiler, OPTIONS ".exe\\TracingFlags", "none", false },
		{ &heap_profiler, OPTIONS "%PATH%.exe\\TracingFlags", "none", false },
		{ &heap_profiler, OPTIONS "TracingFlags", "none", false },
		{ &heap_profiler, "HKLM\\SOFTWARE\\rustc.exe\\TracingFlags", "none", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].profiler->restores(cases[i].path, cases[i].value) != cases[i].taken)
			fail_msg("%s = '%s'", cases[i].path, cases[i].value);
	}
	assert_false(profiler_may_restore("/proc/sys/kernel/modprobe", "127", false));
	assert_true(profiler_may_restore(DEPTH, "127", false));
	assert_true(profiler_may_restore(DEPTH, "127", true) ==
		    perf_profiler.suits(&perf_profiler));
}

static void none__build__runs_by_itself(void **state)
{
	struct profiler_job job = { .cpu = true, .memory = true };
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	struct finding_list findings = FINDING_LIST_INIT;
	int own_execs = 9;

	(void)state;
	none_profiler.check(&job, &findings);
	assert_false(job.cpu || job.memory);
	assert_false(finding_has(&findings, FINDING_ERROR));
	assert_true(finding_has(&findings, FINDING_NOTE));
	strvec_push(&build, "python");
	strvec_push(&build, "x.py");
	profiler_command(&none_profiler, &job, &build, &argv, &own_execs);
	assert_int_equal(own_execs, 0);
	assert_int_equal(argv.nr, 2);
	assert_string_equal(argv.v[1], "x.py");
	assert_false(none_profiler.wraps_build);
	finding_list_release(&findings);
	strvec_release(&argv);
	strvec_release(&build);
}

static void finding_add__texts__are_copied(void **state)
{
	struct finding_list findings = FINDING_LIST_INIT;
	char why[] = "because";

	(void)state;
	for (int i = 0; i < 100; i++)
		finding_add(&findings, FINDING_WARNING, why, NULL, "%d of %s", i, "many");
	why[0] = 'B';
	assert_int_equal(findings.nr, 100);
	assert_string_equal(findings.v[42].what, "42 of many");
	assert_string_equal(findings.v[42].why, "because");
	assert_null(findings.v[42].remedy);
	assert_true(finding_has(&findings, FINDING_WARNING));
	assert_false(finding_has(&findings, FINDING_ERROR));
	finding_list_release(&findings);
	assert_int_equal(findings.nr, 0);
	finding_list_release(&findings);
}

static void profiler_settings_add__values__are_copied(void **state)
{
	struct profiler_settings settings = { NULL, 0, 0 };
	char value[] = "192";

	(void)state;
	for (int i = 0; i < 20; i++)
		profiler_settings_add(&settings, "/proc/x", value, false);
	value[0] = '0';
	assert_int_equal(settings.nr, 20);
	assert_string_equal(settings.v[19].value, "192");
	profiler_settings_release(&settings);
	assert_int_equal(settings.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiler_find__names__are_looked_up),
		cmocka_unit_test(recorders__each__has_what_generic_code_calls),
		cmocka_unit_test(profiler_next__list__ends_with_none),
		cmocka_unit_test(restores__what_a_recording_changes__is_taken_alone),
		cmocka_unit_test(none__build__runs_by_itself),
		cmocka_unit_test(finding_add__texts__are_copied),
		cmocka_unit_test(profiler_settings_add__values__are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
