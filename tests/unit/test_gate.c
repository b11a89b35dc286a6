#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/gate_result.h"
#include "gate/gate.h"
#include "util/array.h"

#define U  MEASURE_UNKNOWN
#define MB (INT64_C(1) << 20)
#define S  INT64_C(1000000000)

static const struct {
	const char *text;
	enum gate_key key;
	const char *name;
	enum measure measure;
	enum gate_op op;
	enum gate_limit kind;
	double limit;
} good[] = {
	{ "peak > +5%", GATE_BUILD, NULL, MEASURE_OWN_PEAK, GATE_ABOVE, GATE_PERCENT, 5 },
	{ "peak>5%", GATE_BUILD, NULL, MEASURE_OWN_PEAK, GATE_ABOVE, GATE_PERCENT, 5 },
	{ "  own-peak >= -2.5 %", GATE_BUILD, NULL, MEASURE_OWN_PEAK, GATE_AT_LEAST, GATE_PERCENT,
	  -2.5 },
	{ "build.cpu > 90s", GATE_BUILD, NULL, MEASURE_CPU, GATE_ABOVE, GATE_VALUE, 90e9 },
	{ "wall <= +1m30s", GATE_BUILD, NULL, MEASURE_WALL, GATE_AT_MOST, GATE_CHANGE, 90e9 },
	{ "size > 100MB", GATE_BUILD, NULL, MEASURE_SIZE, GATE_ABOVE, GATE_VALUE, 100 * 1048576.0 },
	{ "size < -1KB", GATE_BUILD, NULL, MEASURE_SIZE, GATE_BELOW, GATE_CHANGE, -1024 },
	{ "peak > 300%", GATE_BUILD, NULL, MEASURE_OWN_PEAK, GATE_ABOVE, GATE_PERCENT, 300 },
	{ "crate:rustc_middle.own-peak > 1.5GiB", GATE_CRATE, "rustc_middle", MEASURE_OWN_PEAK,
	  GATE_ABOVE, GATE_VALUE, 1536 * 1048576.0 },
	{ "compile:rustc_middle.size > +5%", GATE_COMPILE, "rustc_middle", MEASURE_SIZE, GATE_ABOVE,
	  GATE_PERCENT, 5 },
	{ "phase:a <b> >.size >= 1%", GATE_PHASE, "a <b> >", MEASURE_SIZE, GATE_AT_LEAST,
	  GATE_PERCENT, 1 },
	{ "role:rustc.cpu > +1%", GATE_ROLE, "rustc", MEASURE_CPU, GATE_ABOVE, GATE_PERCENT, 1 },
	{ "part:stage2-rustc.wall > +1%", GATE_PART, "stage2-rustc", MEASURE_WALL, GATE_ABOVE,
	  GATE_PERCENT, 1 },
	/* Blanks are allowed after the dot too, as between all other parts. */
	{ "crate:x. own-peak > 1GB", GATE_CRATE, "x", MEASURE_OWN_PEAK, GATE_ABOVE, GATE_VALUE,
	  1024 * 1048576.0 },
	{ "build. cpu > 3%", GATE_BUILD, NULL, MEASURE_CPU, GATE_ABOVE, GATE_PERCENT, 3 },
	{ "build .\tpeak > 3%", GATE_BUILD, NULL, MEASURE_OWN_PEAK, GATE_ABOVE, GATE_PERCENT, 3 },
	{ " part : a . size>1%", GATE_PART, "a", MEASURE_SIZE, GATE_ABOVE, GATE_PERCENT, 1 },
	/* Names may have colons, dots and blanks. */
	{ "phase:LLVM: module passes, 1.2.cpu > +1%", GATE_PHASE, "LLVM: module passes, 1.2",
	  MEASURE_CPU, GATE_ABOVE, GATE_PERCENT, 1 },
};

static void gates_add__gates__are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct gates gates = GATES_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(gates_add(&gates, good[i].text, &err), 0);
		assert_int_equal(gates.nr, 1);
		assert_int_equal(gates.v[0].key, good[i].key);
		assert_int_equal(gates.v[0].measure, good[i].measure);
		assert_int_equal(gates.v[0].op, good[i].op);
		assert_int_equal(gates.v[0].kind, good[i].kind);
		assert_true(gates.v[0].limit == good[i].limit);
		if (good[i].name)
			assert_string_equal(gates.v[0].name, good[i].name);
		else
			assert_null(gates.v[0].name);
		gates_release(&gates);
	}
}

static void gates_add__mistakes__are_explained(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "peek > +5%", "gate 'peek > +5%': unknown metric 'peek' (did you mean 'peak'?)" },
		{ "crate:a.peak > +5%",
		  "gate 'crate:a.peak > +5%': unknown metric 'peak' (did you mean "
		  "'own-peak'?)" },
		{ "crate:a.memory > +5%",
		  "gate 'crate:a.memory > +5%': unknown metric 'memory': it is one of own-peak, "
		  "at-peak, size, cpu, wall" },
		{ "crates:a.size > 1MB",
		  "gate 'crates:a.size > 1MB': unknown key 'crates' (did you mean 'crate'?)" },
		{ "build:a.size > 1MB",
		  "gate 'build:a.size > 1MB': the build has no name: leave out ':a'" },
		{ "role:rustcc.size > 1MB",
		  "gate 'role:rustcc.size > 1MB': unknown role 'rustcc' (did you mean 'rustc'?)" },
		{ "phase:x.wall > 1s", "gate 'phase:x.wall > 1s': a phase has no wall, but cpu" },
		{ "cpu > 100MB",
		  "gate 'cpu > 100MB': the limit of cpu is a duration, as in '90s' or "
		  "'+10s', or a change in percent, as in '+5%'" },
		{ "size > 100", "gate 'size > 100': the limit of size is a size, as in '100MB' or "
				"'+100MB', or a change in percent, as in '+5%'" },
	};
	static const char *const none[] = { "",
					    ">",
					    "peak",
					    "> 5%",
					    "peak +5%",
					    "peak >",
					    "crate:a > 5%",
					    "crate: .size > 5%",
					    "a.size > 5%",
					    "peak > %",
					    "peak > ++5%",
					    "peak > 5%%",
					    "peak > 1e9%" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gates gates = GATES_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(gates_add(&gates, cases[i].text, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].msg);
		err_clear(&err);
		gates_release(&gates);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		struct gates gates = GATES_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(gates_add(&gates, none[i], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		err_clear(&err);
		gates_release(&gates);
	}
}

static void gates_add_list__commas__part_gates(void **state)
{
	struct gates gates = GATES_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(gates_add_list(&gates, " peak > +5% ,, size > 1GB,", &err), 0);
	assert_int_equal(gates.nr, 2);
	assert_string_equal(gates.v[0].text, "peak > +5%");
	assert_string_equal(gates.v[1].text, "size > 1GB");
	gates_release(&gates);
	assert_int_equal(gates_add_list(&gates, "", &err), 0);
	assert_int_equal(gates.nr, 0);
	gates_release(&gates);
}

static void gates_add_kept__no_gate_of_this_version__is_undecided(void **state)
{
	struct gates gates = GATES_INIT;
	struct comparison comparison;
	struct gate_result result;

	(void)state;
	gates_add_kept(&gates, "peak > +5%, , crate:a.heat > 3K, size > 1GB");
	gates_add_unread(&gates, "all", "they are gone");
	assert_int_equal(gates.nr, 4);
	assert_null(gates.v[0].unread);
	assert_string_equal(gates.v[1].text, "crate:a.heat > 3K");
	assert_non_null(strstr(gates.v[1].unread, "unknown metric 'heat'"));
	assert_null(gates.v[1].name);
	assert_null(gates.v[2].unread);
	assert_string_equal(gates.v[3].text, "all");
	comparison_init(&comparison, 0);
	for (size_t i = 1; i < 4; i += 2) {
		result = gate_evaluate(&gates.v[i], &comparison);
		assert_int_equal(result.outcome, GATE_UNDECIDED);
		assert_string_equal(result.why, gates.v[i].unread);
	}
	comparison_release(&comparison);
	gates_release(&gates);
}

/* Runs of a crate "a": the values of the base, then those of the new side; 0: the run does not have it. */
static struct gate_result evaluate(const char *text, const int64_t *base, const int64_t *new,
				   size_t nr)
{
	const char *name = "a";
	struct gates gates = GATES_INIT;
	struct err err = ERR_INIT;
	struct comparison comparison;
	struct gate_result result;

	comparison_init(&comparison, 1);
	for (size_t i = 0; i < 2 * nr; i++) {
		int64_t value = i < nr ? base[i] : new[i - nr];
		size_t run = comparison_add_run(&comparison, i < nr ? SIDE_BASE : SIDE_NEW);
		const struct measures values = { { value, U, U, U, U } };

		if (value)
			comparison_add(&comparison, run, comparison_key(&comparison, &name),
				       &values);
	}
	assert_int_equal(gates_add(&gates, text, &err), 0);
	result = gate_evaluate(&gates.v[0], &comparison);
	gates_release(&gates);
	comparison_release(&comparison);
	return result;
}

static void gate_evaluate__one_run_a_side__is_decided_by_its_values(void **state)
{
	const int64_t base[] = { 200 * MB }, new[] = { 211 * MB }, none[] = { 0 };

	(void)state;
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, new, 1).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak > +6%", base, new, 1).outcome, GATE_PASSED);
	assert_int_equal(evaluate("crate:a.own-peak > +11MB", base, new, 1).outcome, GATE_PASSED);
	assert_int_equal(evaluate("crate:a.own-peak >= +11MB", base, new, 1).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak > 211MB", base, new, 1).outcome, GATE_PASSED);
	assert_int_equal(evaluate("crate:a.own-peak > 210MB", base, new, 1).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak < -5%", new, base, 1).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak < -6%", new, base, 1).outcome, GATE_PASSED);
	/* What is not there does not answer. */
	assert_int_equal(evaluate("crate:b.own-peak > +5%", base, new, 1).outcome, GATE_UNDECIDED);
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, none, 1).outcome, GATE_UNDECIDED);
	assert_int_equal(evaluate("crate:a.own-peak > +5%", none, new, 1).outcome, GATE_UNDECIDED);
	assert_int_equal(evaluate("crate:a.own-peak > 1GB", none, new, 1).outcome, GATE_PASSED);
	assert_int_equal(evaluate("crate:a.cpu > +5%", base, new, 1).outcome, GATE_UNDECIDED);
}

static void gate_evaluate__several_runs__is_decided_by_the_interval(void **state)
{
	const int64_t base[] = { 100 * MB, 101 * MB, 102 * MB, 99 * MB };
	const int64_t grown[] = { 112 * MB, 110 * MB, 111 * MB, 113 * MB };
	const int64_t little[] = { 104 * MB, 106 * MB, 105 * MB, 107 * MB };
	const int64_t missing[] = { 112 * MB, 0, 111 * MB, 113 * MB };

	(void)state;
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, grown, 4).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, base, 4).outcome, GATE_PASSED);
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, little, 4).outcome,
			 GATE_UNDECIDED);
	assert_int_equal(evaluate("crate:a.own-peak > +5MB", base, grown, 4).outcome, GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak > +5%", base, missing, 4).outcome,
			 GATE_UNDECIDED);
	/* A value needs no base. */
	assert_int_equal(evaluate("crate:a.own-peak > 111MB", base, grown, 4).outcome,
			 GATE_TRIPPED);
	assert_int_equal(evaluate("crate:a.own-peak > 112MB", base, grown, 4).outcome, GATE_PASSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gates_add__gates__are_read),
		cmocka_unit_test(gates_add__mistakes__are_explained),
		cmocka_unit_test(gates_add_list__commas__part_gates),
		cmocka_unit_test(gates_add_kept__no_gate_of_this_version__is_undecided),
		cmocka_unit_test(gate_evaluate__one_run_a_side__is_decided_by_its_values),
		cmocka_unit_test(gate_evaluate__several_runs__is_decided_by_the_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
