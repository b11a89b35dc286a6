/*
 * The list of recorders, the one that records nothing, and what a check finds.
 */
#include "recorder/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void recorder_find__names__are_looked_up(void **state)
{
	const struct recorder_ops *best = recorder_find("auto");

	(void)state;
	assert_ptr_equal(recorder_find("perf"), &perf_recorder);
	assert_ptr_equal(recorder_find("none"), &none_recorder);
	assert_ptr_equal(recorder_find("wpr"), &wpr_recorder);
	assert_ptr_equal(recorder_find("xperf"), &xperf_recorder);
	assert_ptr_equal(recorder_find("wpr-heap"), &heap_recorder);
	assert_null(recorder_find("pref"));
	assert_null(recorder_find(""));
	assert_null(recorder_find("Auto"));
	assert_non_null(best);
	assert_true(best->suits(best));
}

static void recorders__each__has_what_generic_code_calls(void **state)
{
	(void)state;
	for (size_t i = 0; recorders[i]; i++) {
		assert_true(*recorders[i]->name && *recorders[i]->summary);
		assert_non_null(recorders[i]->suits);
		assert_non_null(recorders[i]->check);
		assert_ptr_equal(recorder_find(recorders[i]->name), recorders[i]);
		if (recorders[i]->service) {
			assert_false(recorders[i]->wraps_build);
			assert_non_null(recorders[i]->trace);
		}
	}
}

/* Each in its turn, and at the end the one that always can. */
static void recorder_next__list__ends_with_none(void **state)
{
	const struct recorder_ops *last = NULL;

	(void)state;
	for (const struct recorder_ops *r = recorder_find("auto"); r; r = recorder_next(r)) {
		assert_true(r->suits(r));
		last = r;
	}
	assert_ptr_equal(last, &none_recorder);
	assert_null(recorder_next(&none_recorder));
	assert_null(recorder_next(&heap_recorder));
}

static void none__build__runs_by_itself(void **state)
{
	struct recorder_job job = { .cpu = true, .memory = true };
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	struct finding_list findings = FINDING_LIST_INIT;
	int own_execs = 9;

	(void)state;
	none_recorder.check(&job, &findings);
	assert_false(job.cpu || job.memory);
	assert_false(finding_has(&findings, FINDING_ERROR));
	assert_true(finding_has(&findings, FINDING_NOTE));
	strvec_push(&build, "python");
	strvec_push(&build, "x.py");
	recorder_command(&none_recorder, &job, &build, &argv, &own_execs);
	assert_int_equal(own_execs, 0);
	assert_int_equal(argv.nr, 2);
	assert_string_equal(argv.v[1], "x.py");
	assert_false(none_recorder.wraps_build);
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

static void recorder_settings_add__values__are_copied(void **state)
{
	struct recorder_settings settings = { NULL, 0, 0 };
	char value[] = "192";

	(void)state;
	for (int i = 0; i < 20; i++)
		recorder_settings_add(&settings, "/proc/x", value, false);
	value[0] = '0';
	assert_int_equal(settings.nr, 20);
	assert_string_equal(settings.v[19].value, "192");
	recorder_settings_release(&settings);
	assert_int_equal(settings.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorder_find__names__are_looked_up),
		cmocka_unit_test(recorders__each__has_what_generic_code_calls),
		cmocka_unit_test(recorder_next__list__ends_with_none),
		cmocka_unit_test(none__build__runs_by_itself),
		cmocka_unit_test(finding_add__texts__are_copied),
		cmocka_unit_test(recorder_settings_add__values__are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
