#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/joined_stacks.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

/* The stack of a text, "a;b;c"; "a=x" is a function with another name. */
static uint32_t add(struct joined_stacks *stacks, const char *text, enum compare_side side)
{
	uint32_t at = JOINED_ROOT;
	char *copy = xstrdup(text);

	for (char *frame = strtok(copy, ";"); frame; frame = strtok(NULL, ";")) {
		char *also = strchr(frame, '=');
		uint32_t name;

		if (also)
			*also++ = '\0';
		name = joined_names_add(&stacks->names, frame, side);
		if (also)
			joined_names_also(&stacks->names, name, also);
		at = joined_stacks_child(stacks, at, name, side);
	}
	free(copy);
	return at;
}

static void text_of(const struct joined_stacks *stacks, uint32_t stack, struct strbuf *sb)
{
	if (stacks->v[stack].parent != JOINED_ROOT) {
		text_of(stacks, stacks->v[stack].parent, sb);
		strbuf_addc(sb, ';');
	}
	strbuf_adds(sb, joined_stacks_text(stacks, stack));
}

/* Stacks of the base, each with a weight of 1, and of the new side; what they become. */
struct stack_case {
	const char *base[4], *new[4], *base_as[4], *new_as[4];
};

static void expect(const struct joined_stacks *stacks, const uint32_t *to, const uint32_t *given,
		   const char *const *as)
{
	for (size_t i = 0; i < 4 && as[i]; i++) {
		struct strbuf text = STRBUF_INIT;

		text_of(stacks, to[given[i]], &text);
		assert_string_equal(text.buf, as[i]);
		strbuf_release(&text);
	}
}

static void check(const struct stack_case *stack_case)
{
	uint32_t base[4] = { 0 }, new[4] = { 0 }, *to;
	struct joined_stacks stacks;
	int64_t *weights;

	joined_stacks_init(&stacks);
	for (size_t i = 0; i < 4 && stack_case->base[i]; i++)
		base[i] = add(&stacks, stack_case->base[i], SIDE_BASE);
	for (size_t i = 0; i < 4 && stack_case->new[i]; i++)
		new[i] = add(&stacks, stack_case->new[i], SIDE_NEW);
	weights = xcalloc(stacks.nr, sizeof(*weights));
	for (size_t i = 0; i < 4; i++) {
		weights[base[i]] += base[i] != JOINED_ROOT;
		weights[new[i]] += new[i] != JOINED_ROOT;
	}
	to = joined_stacks_match(&stacks, weights);
	expect(&stacks, to, base, stack_case->base_as);
	expect(&stacks, to, new, stack_case->new_as);
	free(to);
	free(weights);
	joined_stacks_release(&stacks);
}

static void match__equal_stacks__stay(void **state)
{
	static const struct stack_case stack_case = {
		{ "a;b", "a;c" }, { "a;b", "a;c" }, { "a;b", "a;c" }, { "a;b", "a;c" }
	};

	(void)state;
	check(&stack_case);
}

static void child__recursion__is_counted_once(void **state)
{
	static const struct stack_case stack_case = {
		{ "a;b;b;b;c", "a;b;x;b;y" }, { "a;b;c" }, { "a;b;c", "a;b;y" }, { "a;b;c" }
	};

	(void)state;
	check(&stack_case);
}

static void child__recursion_through_many__has_a_limit(void **state)
{
	static const struct stack_case stack_case = {
		{ "f;1;2;3;4;5;6;7;8;9;10;11;f;z", "f;1;2;3;4;5;6;7;8;9;10;11;12;f;z" },
		{ "f;z", "f;1;2;3;4;5;6;7;8;9;10;11;12;f;z" },
		{ "f;z", "f;1;2;3;4;5;6;7;8;9;10;11;12;f;z" },
		{ "f;z", "f;1;2;3;4;5;6;7;8;9;10;11;12;f;z" }
	};

	(void)state;
	check(&stack_case);
}

static void match__inlined_on_one_side__leaves_the_frame_out(void **state)
{
	static const struct stack_case cases[] = {
		/* in the new one; in the base; two in a row; its own value is its caller's */
		{ { "a;in;b" }, { "a;b" }, { "a;b" }, { "a;b" } },
		{ { "a;b;c" }, { "a;in;b;c" }, { "a;b;c" }, { "a;b;c" } },
		{ { "a;in1;in2;b" }, { "a;b" }, { "a;b" }, { "a;b" } },
		{ { "a;in;b", "a;in" }, { "a;b" }, { "a;b", "a" }, { "a;b" } },
		/* three in a row, and no more */
		{ { "a;in1;in2;in3;b" }, { "a;b" }, { "a;b" }, { "a;b" } },
		{ { "a;in1;in2;in3;in4;b" }, { "a;b" }, { "a;in1;in2;in3;in4;b" }, { "a;b" } },
		/* one for another, where neither name is on both sides */
		{ { "a;old;b" }, { "a;new;b" }, { "a;b" }, { "a;b" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

static void match__new_code__stays(void **state)
{
	static const struct stack_case cases[] = {
		/* a leaf */
		{ { "a" }, { "a;leaf" }, { "a" }, { "a;leaf" } },
		/* less than half of what is called from it is there without it */
		{ { "a;b" },
		  { "a;x;b", "a;x;c", "a;x;d", "a;x;e" },
		  { "a;b" },
		  { "a;x;b", "a;x;c", "a;x;d", "a;x;e" } },
		/* both sides have the frame: what is called without it is another call */
		{ { "a;in;b" }, { "a;in;c", "a;b" }, { "a;in;b" }, { "a;in;c", "a;b" } },
		/* one function for another one that is on both sides */
		{ { "a;old;b", "old" }, { "a;new;b", "old" }, { "a;old;b" }, { "a;new;b" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

static void match__folded_functions__are_one(void **state)
{
	static const struct stack_case cases[] = {
		{ { "a;f=g;c" }, { "a;g;c" }, { "a;f;c" }, { "a;f;c" } },
		{ { "a;f;c" }, { "a;g=f;c" }, { "a;f;c" }, { "a;f;c" } },
		/* by a name that neither bears */
		{ { "a;f=h;c" }, { "a;g=h;c" }, { "a;f;c" }, { "a;f;c" } },
		/* both names are on both sides: they are two functions */
		{ { "a;f=g;c", "a;g" }, { "a;f", "a;g" }, { "a;f;c", "a;g" }, { "a;f", "a;g" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match__equal_stacks__stay),
		cmocka_unit_test(child__recursion__is_counted_once),
		cmocka_unit_test(child__recursion_through_many__has_a_limit),
		cmocka_unit_test(match__inlined_on_one_side__leaves_the_frame_out),
		cmocka_unit_test(match__new_code__stays),
		cmocka_unit_test(match__folded_functions__are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
