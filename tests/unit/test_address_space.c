#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/address_space.h"
#include "util/array.h"
#include "util/strbuf.h"

struct step {
	char op; /* m: map, u: unmap */
	uint64_t start, end, offset;
	uint32_t module;
};

static void apply(struct address_space *space, const struct step *step)
{
	const struct mapping mapping = { step->start, step->end, step->offset, step->module };

	if (step->op == 'm')
		address_space_map(space, &mapping);
	else
		address_space_unmap(space, step->start, step->end);
}

/* "start-end=module+offset" for each mapping. */
static void expect(const struct address_space *space, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	for (const struct mapping *at = address_space_seek(space, 0); at;
	     at = address_space_seek(space, at->end))
		strbuf_addf(&sb, "%s%llx-%llx=%u+%llx", sb.len ? " " : "",
			    (unsigned long long)at->start, (unsigned long long)at->end,
			    (unsigned)at->module, (unsigned long long)at->offset);
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static const struct scenario {
	struct step steps[5];
	const char *expected;
} scenarios[] = {
	{ { { 'm', 0x30, 0x40, 0, 3 }, { 'm', 0x10, 0x20, 0, 1 }, { 'm', 0x20, 0x30, 0, 2 } },
	  "10-20=1+0 20-30=2+0 30-40=3+0" },
	/* over the same range, a part in the middle, its start, its end, all of two */
	{ { { 'm', 0x10, 0x40, 0x100, 1 }, { 'm', 0x10, 0x40, 0, 2 } }, "10-40=2+0" },
	{ { { 'm', 0x10, 0x40, 0x100, 1 }, { 'm', 0x20, 0x30, 0, 2 } },
	  "10-20=1+100 20-30=2+0 30-40=1+120" },
	{ { { 'm', 0x10, 0x40, 0x100, 1 }, { 'm', 0x8, 0x20, 0, 2 } }, "8-20=2+0 20-40=1+110" },
	{ { { 'm', 0x10, 0x40, 0x100, 1 }, { 'm', 0x30, 0x50, 0, 2 } }, "10-30=1+100 30-50=2+0" },
	{ { { 'm', 0x10, 0x20, 0, 1 },
	    { 'm', 0x30, 0x40, 0, 2 },
	    { 'm', 0x50, 0x60, 0, 3 },
	    { 'm', 0x18, 0x58, 0, 4 } },
	  "10-18=1+0 18-58=4+0 58-60=3+8" },
	/* unmap: nothing there, a hole, across two */
	{ { { 'm', 0x10, 0x20, 0, 1 }, { 'u', 0x20, 0x30, 0, 0 }, { 'u', 0, 0x10, 0, 0 } },
	  "10-20=1+0" },
	{ { { 'm', 0x10, 0x40, 0, 1 }, { 'u', 0x20, 0x30, 0, 0 } }, "10-20=1+0 30-40=1+20" },
	{ { { 'm', 0x10, 0x20, 0, 1 }, { 'm', 0x20, 0x30, 0, 2 }, { 'u', 0x18, 0x28, 0, 0 } },
	  "10-18=1+0 28-30=2+8" },
	{ { { 'm', 0x10, 0x20, 0, 1 }, { 'u', 0, UINT64_MAX, 0, 0 } }, "" },
	/* empty and wrapping ranges */
	{ { { 'm', 0x10, 0x10, 0, 1 }, { 'u', 0x10, 0x10, 0, 0 } }, "" },
	{ { { 'm', 0x30, 0x10, 0, 1 } }, "30-ffffffffffffffff=1+0" },
	{ { { 'm', 0x10, 0x40, 0, 1 }, { 'u', 0x20, 0x10, 0, 0 } }, "10-20=1+0" },
};

static void address_space__steps__leave_what_is_mapped_now(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		struct address_space space;

		address_space_init(&space);
		for (size_t k = 0; k < ARRAY_SIZE(scenarios[i].steps); k++)
			if (scenarios[i].steps[k].op)
				apply(&space, &scenarios[i].steps[k]);
		expect(&space, scenarios[i].expected);
		address_space_release(&space);
	}
}

static void address_space_find__borders__are_first_in_last_out(void **state)
{
	static const struct step steps[] = { { 'm', 0x10, 0x20, 0, 1 }, { 'm', 0x30, 0x40, 0, 2 } };
	static const struct {
		uint64_t address;
		uint32_t module; /* 0: none */
	} cases[] = { { 0, 0 },    { 0xf, 0 },  { 0x10, 1 }, { 0x1f, 1 }, { 0x20, 0 },
		      { 0x2f, 0 }, { 0x30, 2 }, { 0x3f, 2 }, { 0x40, 0 }, { UINT64_MAX, 0 } };
	struct address_space space;

	(void)state;
	address_space_init(&space);
	assert_null(address_space_find(&space, 0x10));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		apply(&space, &steps[i]);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mapping *found = address_space_find(&space, cases[i].address);

		assert_int_equal(found ? found->module : 0, cases[i].module);
	}
	address_space_release(&space);
}

static void address_space_generation__is_that_of_the_content(void **state)
{
	static const struct step a = { 'm', 0x10, 0x40, 0, 1 }, b = { 'm', 0x50, 0x60, 0, 2 };
	static const struct step cut = { 'u', 0x20, 0x30, 0, 0 }, back = { 'm', 0x10, 0x40, 0, 1 };
	struct address_space space, other;
	uint64_t empty, whole;

	(void)state;
	address_space_init(&space);
	address_space_init(&other);
	empty = space.generation;
	apply(&space, &a);
	assert_true(space.generation != empty);
	whole = space.generation;
	apply(&space, &cut);
	assert_true(space.generation != whole && space.generation != empty);
	apply(&space, &cut);
	apply(&space, &back);
	assert_true(space.generation == whole);
	apply(&space, &b);
	apply(&other, &b);
	assert_true(other.generation != space.generation);
	apply(&other, &a);
	assert_true(other.generation == space.generation);
	address_space_release(&space);
	assert_true(space.generation == empty);
	address_space_release(&other);
}

static void address_space_copy__then_changed__leaves_the_other(void **state)
{
	static const struct step a = { 'm', 0x10, 0x40, 0, 1 }, b = { 'm', 0x20, 0x30, 0, 2 };
	struct address_space parent, child;

	(void)state;
	address_space_init(&parent);
	address_space_init(&child);
	address_space_copy(&child, &parent);
	expect(&child, "");
	apply(&parent, &a);
	address_space_copy(&child, &parent);
	assert_true(child.generation == parent.generation);
	apply(&child, &b);
	expect(&parent, "10-40=1+0");
	expect(&child, "10-20=1+0 20-30=2+0 30-40=1+20");
	assert_true(child.generation != parent.generation);
	address_space_release(&parent);
	expect(&child, "10-20=1+0 20-30=2+0 30-40=1+20");
	address_space_release(&child);
}

/* Compared with a table of every byte of a small address space. */
static void address_space__random_steps__equal_a_table_of_bytes(void **state)
{
	enum { SIZE = 1024, STEPS = 20000 };
	struct mapping table[SIZE] = { { 0, 0, 0, 0 } };
	struct address_space space;
	uint32_t random = 1;

	(void)state;
	address_space_init(&space);
	for (uint32_t i = 1; i <= STEPS; i++) {
		struct step step = { 'm', 0, 0, (uint64_t)i << 8, i };

		random = random * 1664525 + 1013904223;
		step.op = random >> 30 ? 'm' : 'u';
		step.start = (random >> 8) % SIZE;
		step.end = step.start + (random >> 16) % (SIZE + 1 - step.start);
		apply(&space, &step);
		for (uint64_t at = step.start; at < step.end; at++)
			table[at] = step.op == 'm' ? (struct mapping){ at, 0, 0, i }
						   : (struct mapping){ 0, 0, 0, 0 };
		for (uint64_t at = step.start; step.op == 'm' && at < step.end; at++)
			table[at].offset = step.offset + at - step.start;
		for (uint64_t at = 0; at < SIZE; at++) {
			const struct mapping *found = address_space_find(&space, at);

			assert_int_equal(found ? found->module : 0, table[at].module);
			assert_true(!found ||
				    found->offset + at - found->start == table[at].offset);
		}
	}
	address_space_release(&space);
}

/* Where each goes before all others: an array would move them all each time. */
static void address_space__many_descending__take_no_time(void **state)
{
	enum { MANY = 500000 };
	struct address_space space, ascending;

	(void)state;
	address_space_init(&space);
	address_space_init(&ascending);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint64_t down = (uint64_t)(MANY - i) << 12, up = (uint64_t)(i + 1) << 12;

		address_space_map(&space, &(struct mapping){ down, down + 0x1000, 0, MANY - i });
		address_space_map(&ascending, &(struct mapping){ up, up + 0x1000, 0, i + 1 });
	}
	assert_int_equal(space.ranges.nr, MANY);
	assert_true(space.generation == ascending.generation);
	for (uint32_t i = 1; i <= MANY; i++)
		assert_int_equal(address_space_find(&space, (uint64_t)i << 12)->module, i);
	address_space_unmap(&space, 0x1800, (uint64_t)MANY << 12);
	expect(&space, "1000-1800=1+0 7a120000-7a121000=500000+0");
	address_space_release(&space);
	address_space_release(&ascending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_space__steps__leave_what_is_mapped_now),
		cmocka_unit_test(address_space_find__borders__are_first_in_last_out),
		cmocka_unit_test(address_space_generation__is_that_of_the_content),
		cmocka_unit_test(address_space_copy__then_changed__leaves_the_other),
		cmocka_unit_test(address_space__random_steps__equal_a_table_of_bytes),
		cmocka_unit_test(address_space__many_descending__take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
