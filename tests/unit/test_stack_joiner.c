#include "symbol/stack_joiner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/strbuf.h"

/*
 * A stack is "sp:address sp:address ...", leaf first, in hexadecimal, as many as there are. A step learns one,
 * sees a chain (stack pointers do not matter), forgets the thread, or joins one whose caller is at `top`:
 * `expected` is what becomes of it, NULL: it stays.
 */
struct joiner_step {
	char what; /* "LCFJ", 0: no more */
	int64_t thread;
	const char *stack;
	uint64_t top;
	const char *expected;
};

#define STEPS 8

static void parse(const char *text, struct joiner_stack *stack)
{
	unsigned long long sp, address;
	int taken;

	stack->nr = 0;
	for (; sscanf(text, "%llx:%llx %n", &sp, &address, &taken) == 2; text += taken)
		joiner_stack_add(stack, sp, address);
	assert_string_equal(text, "");
}

static void describe(const struct joiner_stack *stack, struct strbuf *text)
{
	strbuf_clear(text);
	for (size_t i = 0; i < stack->nr; i++)
		strbuf_addf(text, "%s%llx:%llx", i ? " " : "", (unsigned long long)stack->v[i].sp,
			    (unsigned long long)stack->v[i].address);
}

static void see_chain(struct stack_joiner *joiner, const struct joiner_step *step,
		      const struct joiner_stack *stack)
{
	uint64_t addresses[16];

	assert_in_range(stack->nr, 0, ARRAY_SIZE(addresses));
	for (size_t i = 0; i < stack->nr; i++)
		addresses[i] = stack->v[i].address;
	stack_joiner_see_chain(joiner, step->thread, addresses, stack->nr);
}

static void join(struct stack_joiner *joiner, const struct joiner_step *step,
		 struct joiner_stack *stack)
{
	bool joined = stack_joiner_join(joiner, step->thread, step->top, stack);
	struct strbuf text = STRBUF_INIT;

	describe(stack, &text);
	assert_string_equal(text.buf, step->expected ? step->expected : step->stack);
	assert_int_equal(joined, step->expected != NULL);
	strbuf_release(&text);
}

static void play(const struct joiner_step *steps)
{
	struct stack_joiner *joiner = stack_joiner_new();
	struct joiner_stack stack = { .v = NULL };

	for (size_t i = 0; i < STEPS && steps[i].what; i++) {
		const struct joiner_step *step = &steps[i];

		parse(step->stack ? step->stack : "", &stack);
		if (step->what == 'L')
			stack_joiner_learn(joiner, step->thread, &stack);
		else if (step->what == 'C')
			see_chain(joiner, step, &stack);
		else if (step->what == 'F')
			stack_joiner_forget(joiner, step->thread);
		else
			join(joiner, step, &stack);
	}
	joiner_stack_release(&stack);
	stack_joiner_free(joiner);
}

/* The start is 90:e, in which all threads call 80:d. */
#define SEEN "50:a 60:b 70:c 80:d 90:e"

static void stack_joiner_join__by_place__goes_on_as_before(void **state)
{
	static const struct joiner_step cases[][STEPS] = {
		/* Another callee of the same caller, larger or smaller than that before. */
		{ { 'L', 1, SEEN, 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x70, "10:1 20:2 70:c 80:d 90:e" } },
		{ { 'L', 1, SEEN, 0, NULL }, { 'J', 1, "10:1 88:2", 0x90, "10:1 88:2 90:e" } },
		/* The place alone counts: what it called from may be elsewhere in the function by now. */
		{ { 'L', 1, SEEN, 0, NULL },
		  { 'J', 1, "10:1 20:c", 0x60, "10:1 20:c 60:b 70:c 80:d 90:e" } },
		/* A recursion is as deep as the place says. */
		{ { 'L', 1, "40:a 50:7 60:7 70:7 90:e", 0, NULL },
		  { 'J', 1, "10:1 20:7", 0x60, "10:1 20:7 60:7 70:7 90:e" },
		  { 'J', 1, "10:1 20:7", 0x70, "10:1 20:7 70:7 90:e" },
		  { 'J', 1, "10:1 28:7", 0x60, NULL } },
		/* Joined stacks are learned, also with places that are new. */
		{ { 'L', 1, SEEN, 0, NULL },
		  { 'J', 1, "10:1 20:2 30:3", 0x70, "10:1 20:2 30:3 70:c 80:d 90:e" },
		  { 'J', 1, "8:4 18:5", 0x30, "8:4 18:5 30:3 70:c 80:d 90:e" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		play(cases[i]);
}

static void stack_joiner_join__nothing_at_the_place__stays_short(void **state)
{
	static const struct joiner_step cases[][STEPS] = {
		{ { 'J', 1, "10:1 20:2", 0x70, NULL } },
		{ { 'L', 1, SEEN, 0, NULL }, { 'J', 1, "10:1 20:2", 0x78, NULL } },
		{ { 'L', 1, SEEN, 0, NULL }, { 'J', 1, "10:1 20:2", 0xa0, NULL } },
		{ { 'L', 1, SEEN, 0, NULL }, { 'J', 2, "10:1 20:2", 0x70, NULL } },
		{ { 'L', 1, "", 0, NULL }, { 'J', 1, "10:1 20:2", 0x70, NULL } },
		/* A leaf calls nobody. */
		{ { 'L', 1, SEEN, 0, NULL }, { 'J', 1, "10:1 20:2", 0x50, NULL } },
		/* What was lower than a stack that was not joined is over; what was higher may be there. */
		{ { 'L', 1, SEEN, 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x78, NULL },
		  { 'J', 1, "10:1 20:2", 0x70, NULL },
		  { 'J', 1, "10:1 20:2", 0x80, "10:1 20:2 80:d 90:e" } },
		/* A whole one says all. */
		{ { 'L', 1, SEEN, 0, NULL },
		  { 'L', 1, "85:f 90:e", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x80, NULL } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		play(cases[i]);
}

static void stack_joiner_forget__thread__begins_anew(void **state)
{
	static const struct joiner_step steps[STEPS] = {
		{ 'L', 1, SEEN, 0, NULL },
		{ 'C', 1, SEEN, 0, NULL },
		{ 'L', 2, SEEN, 0, NULL },
		{ 'F', 1, NULL, 0, NULL },
		{ 'F', 3, NULL, 0, NULL },
		{ 'J', 1, "10:1 20:2", 0x70, NULL },
		{ 'J', 1, "10:1 20:b", 0x75, NULL },
		{ 'J', 2, "10:1 20:2", 0x70, "10:1 20:2 70:c 80:d 90:e" },
	};

	(void)state;
	play(steps);
}

/* The frames between the copy and what was ever copied are known by the chain alone. */
static void stack_joiner_join__by_chain__goes_on_from_the_same_call(void **state)
{
	static const struct joiner_step cases[][STEPS] = {
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:4 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, "10:1 20:2 0:3 0:4 80:d 90:e" } },
		/* What the chain has above the last one that is known is none. */
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:d 0:77", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, "10:1 20:2 80:d 90:e" } },
		{ { 'L', 1, "60:b 70:2 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:77", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, "10:1 20:2 80:d 90:e" } },
		/* It leads nowhere, is not the same call, or one of several, or there was another since. */
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:4", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, NULL } },
		{ { 'C', 1, "0:5 0:2 0:3 0:4 0:d", 0, NULL }, { 'J', 1, "10:1 20:2", 0x40, NULL } },
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:2 0:3 0:4 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:2 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, NULL },
		  { 'J', 1, "10:2", 0x40, NULL } },
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:4 0:d", 0, NULL },
		  { 'C', 1, "0:5 0:6 0:4 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, NULL } },
		/* The place is asked first; then frames of a chain are kept while those above are. */
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:4 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x80, "10:1 20:2 80:d 90:e" } },
		{ { 'L', 1, "70:c 80:d 90:e", 0, NULL },
		  { 'C', 1, "0:5 0:2 0:3 0:4 0:d", 0, NULL },
		  { 'J', 1, "10:1 20:2", 0x40, "10:1 20:2 0:3 0:4 80:d 90:e" },
		  { 'J', 1, "8:6 18:7", 0x20, "8:6 18:7 20:2 0:3 0:4 80:d 90:e" },
		  { 'C', 1, "0:5 0:9 0:9 0:9", 0, NULL },
		  { 'J', 1, "8:6 18:7", 0x48, NULL },
		  { 'J', 1, "8:6 18:7", 0x20, NULL },
		  { 'J', 1, "8:6 18:7", 0x80, "8:6 18:7 80:d 90:e" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		play(cases[i]);
}

/* A file that was made up must not make stacks without end. */
static void stack_joiner_join__again_and_again__is_bounded(void **state)
{
	struct stack_joiner *joiner = stack_joiner_new();
	struct joiner_stack stack = { .v = NULL };
	size_t most = 0;

	(void)state;
	parse("10:1 20:2", &stack);
	stack_joiner_learn(joiner, 1, &stack);
	for (uint64_t round = 0; round < 2 * STACK_JOINER_MAX; round++) {
		parse("0:1 20:3", &stack);
		stack.v[1].address = round;
		stack_joiner_join(joiner, 1, 0x20, &stack);
		most = stack.nr > most ? stack.nr : most;
	}
	assert_in_range(most, STACK_JOINER_MAX - 1, STACK_JOINER_MAX);
	joiner_stack_release(&stack);
	stack_joiner_free(joiner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_joiner_join__by_place__goes_on_as_before),
		cmocka_unit_test(stack_joiner_join__nothing_at_the_place__stays_short),
		cmocka_unit_test(stack_joiner_forget__thread__begins_anew),
		cmocka_unit_test(stack_joiner_join__by_chain__goes_on_from_the_same_call),
		cmocka_unit_test(stack_joiner_join__again_and_again__is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
