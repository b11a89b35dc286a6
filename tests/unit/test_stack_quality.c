#include "analysis/stack_quality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine_fixture.h"
#include "util/array.h"

/* What is in libc below 0x100 is start_thread; the rest has no names. */
static bool find_symbol(void *data, const struct module *module, uint64_t offset,
			struct symbol *symbol)
{
	(void)data;
	*symbol = (struct symbol){ .end = 0x100, .name = "start_thread" };
	return offset < 0x100 && !strcmp(module->name, "libc.so.6");
}

/* Frames root first: S is start_thread, c libc, d the driver, k the kernel, ? nowhere, T [truncated]. */
static uint32_t make_stack(struct machine *machine, const char *frames)
{
	static const char letters[] = "Scdk?";
	static const struct {
		const char *path;
		uint64_t offset;
		bool kernel;
	} places[] = {
		{ "/lib/libc.so.6", 0x10, false },
		{ "/lib/libc.so.6", 0x1000, false },
		{ "/lib/librustc_driver.so", 0x10, false },
		{ "[kernel.kallsyms]_text", 0x10, true },
	};
	uint32_t stack = STACK_EMPTY;

	for (; *frames; frames++) {
		size_t at = (size_t)(strchr(letters, *frames) - letters);
		uint32_t module = 0, frame = FRAME_TRUNCATED;

		if (*frames != 'T' && at < ARRAY_SIZE(places))
			module = module_table_intern(
				&machine->modules, &(struct trace_map){ .path = places[at].path,
									.kernel = places[at].kernel,
									.code = true });
		if (*frames != 'T')
			frame = stack_table_frame(&machine->stacks, module,
						  module ? places[at].offset : 0);
		stack = stack_table_push(&machine->stacks, stack, frame);
	}
	return stack;
}

struct sample {
	const char *frames;
	uint64_t nr;
	bool unwound;
};

/* What is said of samples; to be freed. `result` is void of the library. */
static char *judge(const struct sample *samples, size_t nr, const char *remedy,
		   struct stack_quality_result *result)
{
	struct machine_fixture *f = machine_fixture_new();
	struct symbol_source source = { NULL, find_symbol, NULL };
	struct stack_quality quality = { .nr = 0 };
	struct strbuf text = STRBUF_INIT;
	struct function_table functions;

	function_table_init(&functions, &f->machine.modules, &f->machine.stacks, source);
	for (size_t i = 0; i < nr; i++) {
		uint32_t stack = make_stack(&f->machine, samples[i].frames);

		stack_quality_add(&quality, stack_end_of(&f->machine, stack),
				  samples[i].unwound ? 0 : samples[i].nr,
				  samples[i].unwound ? samples[i].nr : 0);
	}
	stack_quality_evaluate(&quality, &f->machine, &functions, result);
	stack_quality_explain(result, "samples", remedy, &text);
	stack_quality_release(&quality);
	function_table_release(&functions);
	machine_fixture_free(f);
	result->worst = NULL;
	return strbuf_detach(&text);
}

static char *explain(const struct sample *samples, size_t nr, const char *remedy)
{
	struct stack_quality_result result;

	return judge(samples, nr, remedy, &result);
}

static void stack_quality_add__again__is_one_of_its_end(void **state)
{
	struct stack_quality quality = { .nr = 0 };

	(void)state;
	stack_quality_add(&quality, (struct stack_end){ 70, 2 }, 1, 0);
	stack_quality_add(&quality, (struct stack_end){ 70, 3 }, 5, 0);
	stack_quality_add(&quality, (struct stack_end){ 70, 2 }, 10, 100);
	stack_quality_add(&quality, (struct stack_end){ 9, 2 }, 2, 3);
	assert_int_equal(quality.nr, 3);
	assert_int_equal(quality.v[0].end.module, 2);
	assert_int_equal(quality.v[0].chains, 11);
	assert_int_equal(quality.v[0].unwound, 100);
	assert_int_equal(quality.v[1].end.module, 3);
	assert_int_equal(quality.v[1].chains, 5);
	assert_int_equal(quality.v[2].end.frame, 9);
	assert_int_equal(quality.v[2].unwound, 3);
	stack_quality_release(&quality);
}

static void stack_quality_evaluate__why_not_whole__cut_or_without_a_name(void **state)
{
	static const struct sample samples[] = {
		{ "Sd", 910, false }, { "", 1, true },     { "Tc", 2, true },  { "TSd", 4, false },
		{ "cd", 8, false },   { "?c", 16, false }, { "cd", 59, true },
	};
	struct stack_quality_result result;
	char *text;

	(void)state;
	text = judge(samples, ARRAY_SIZE(samples), NULL, &result);
	free(text);
	assert_int_equal(result.samples, 1000);
	assert_int_equal(result.complete, 969);
	assert_int_equal(result.truncated, 7);
	assert_int_equal(result.unnamed, 8);
	assert_false(stack_quality_is_low(&result));
	free(judge(samples, 1, NULL, &result));
	assert_false(stack_quality_is_low(&result));
	free(judge(&samples[1], ARRAY_SIZE(samples) - 1, NULL, &result));
	assert_true(stack_quality_is_low(&result));
	free(judge(samples, 0, NULL, &result));
	assert_false(stack_quality_is_low(&result));
}

static void stack_quality_explain__shares__are_of_all_samples(void **state)
{
	static const struct {
		struct sample samples[4];
		const char *expected;
	} cases[] = {
		{ { { NULL, 0, false } }, "" },
		{ { { "Sd", 4, false } }, "all 4 stacks of samples are complete\n" },
		/* A chain must begin with a start, which "c" is not; what was unwound may be in any program. */
		{ { { "Sd", 2, false }, { "cd", 2, false } },
		  "50.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in libc.so.6 (50.0 %); remedy\n" },
		{ { { "Sd", 2, true }, { "cd", 2, true } },
		  "all 4 stacks of samples are complete\n" },
		{ { { "Tdc", 1, true }, { "Sd", 3, false } },
		  "25.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in librustc_driver.so (25.0 %)\n" },
		/* The same stack may be of either kind. */
		{ { { "cd", 3, true }, { "cd", 1, false } },
		  "25.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in libc.so.6 (25.0 %); remedy\n" },
		/* No stack at all. */
		{ { { "", 1, true }, { "", 1, false }, { "Sd", 2, true } },
		  "50.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in code of no known file (50.0 %)\n" },
		/* What helps chains does not help what was unwound. */
		{ { { "d", 3, false }, { "Tc", 1, true } },
		  "100.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in librustc_driver.so (75.0 %); remedy\n" },
		{ { { "d", 1, false }, { "Tc", 3, true } },
		  "100.0 % of 4 stacks of samples are incomplete, with outer callers missing; "
		  "they end most often in libc.so.6 (75.0 %)\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t nr = 0;
		char *text;

		while (nr < ARRAY_SIZE(cases[i].samples) && cases[i].samples[nr].frames)
			nr++;
		text = explain(cases[i].samples, nr, "remedy");
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

/* The library is that of the last frame that was right. */
static void stack_quality_evaluate__chain_gone_astray__is_the_fault_of_who_led_it(void **state)
{
	static const struct {
		const char *frames, *in;
	} cases[] = {
		{ "??d", "librustc_driver.so" },   { "?cd", "libc.so.6" },
		{ "d?c", "librustc_driver.so" },   { "T?cd", "libc.so.6" },
		{ "TScd", "libc.so.6" },           { "??", "code of no known file" },
		{ "?k", "code of no known file" }, { "?dk", "librustc_driver.so" },
		{ "kk", "[kernel.kallsyms]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sample sample = { cases[i].frames, 1, false };
		char *text = explain(&sample, 1, NULL);
		char *expected = xasprintf("100.0 %% of 1 stacks of samples are incomplete, "
					   "with outer callers missing; they end most often "
					   "in %s (100.0 %%)\n",
					   cases[i].in);

		assert_string_equal(text, expected);
		free(expected);
		free(text);
	}
}

static void stack_quality_explain__no_callers__says_why(void **state)
{
	const struct stack_quality_result result = { .samples = 4,
						     .none = "none, as it was asked" };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	stack_quality_explain(&result, "samples", "remedy", &text);
	assert_string_equal(text.buf, "none, as it was asked\n");
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_quality_explain__no_callers__says_why),
		cmocka_unit_test(stack_quality_explain__shares__are_of_all_samples),
		cmocka_unit_test(stack_quality_add__again__is_one_of_its_end),
		cmocka_unit_test(stack_quality_evaluate__why_not_whole__cut_or_without_a_name),
		cmocka_unit_test(
			stack_quality_evaluate__chain_gone_astray__is_the_fault_of_who_led_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
