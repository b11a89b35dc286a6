#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/function.h"
#include "util/alloc.h"
#include "util/array.h"

static const char *const folded[] = { "_Rsame_code", "plain" },
			 *const third[] = { "plain", "third" },
			 *const local[] = { "local", "_Rtwin9" };

/* What the source of these tests knows, in any module whose name is `module`. */
static const struct known {
	const char *module;
	struct symbol symbol;
} known[] = {
	{ "a.so", { 0x100, 0x200, "malloc", NULL, 0 } },
	{ "a.so", { 0x2f0, 0x2f8, "_Rnested", NULL, 0 } },
	{ "a.so", { 0x200, 0x300, "_Rshown", folded, 2 } },
	{ "a.so", { 0x300, 0x400, "_Rshown2", NULL, 0 } },
	{ "a.so", { 0x400, 0x500, "malloc", NULL, 0 } },
	{ "a.so", { 0x500, 0x600, "", NULL, 0 } },
	{ "a.so", { 0x600, 0x700, "_Rtwin1", folded, 2 } },
	{ "a.so", { 0x700, 0x800, "_Rtwin1", local, 2 } },
	{ "a.so", { 0x800, 0x900, "_Rtwin2", third, 2 } },
	{ "b.so", { 0x100, 0x200, "malloc", NULL, 0 } },
	{ "c.so", { 0x600, 0x700, "_Rtwin1", NULL, 0 } },
	{ "[unknown]", { 0, 0x1000, "nothing", NULL, 0 } },
};

struct fixture {
	struct module_table modules;
	struct stack_table stacks;
	struct function_table functions;
	int asked;
	uint32_t a, b; /* modules */
};

static bool find(void *data, const struct module *module, uint64_t offset, struct symbol *symbol)
{
	struct fixture *f = data;

	f->asked++;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(module->name, known[i].module) && offset >= known[i].symbol.start &&
		    offset < known[i].symbol.end) {
			*symbol = known[i].symbol;
			return true;
		}
	return false;
}

/* "_Rx" is x, digits behind it dropped, as a hash is. */
static char *demangle(void *data, const char *name)
{
	(void)data;
	if (strncmp(name, "_R", 2))
		return NULL;
	return xstrndup(name + 2, strcspn(name + 2, "0123456789"));
}

static uint32_t module_of(struct fixture *f, const char *path)
{
	struct trace_map map = { .path = path };

	return module_table_intern(&f->modules, &map);
}

static void init_functions(struct fixture *f, struct symbol_source source)
{
	function_table_release(&f->functions);
	function_table_init(&f->functions, &f->modules, &f->stacks, source);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	module_table_init(&f->modules);
	stack_table_init(&f->stacks);
	f->a = module_of(f, "/lib/a.so");
	f->b = module_of(f, "/lib/b.so");
	init_functions(f, (struct symbol_source){ f, find, demangle });
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	function_table_release(&f->functions);
	stack_table_release(&f->stacks);
	module_table_release(&f->modules);
	free(f);
	return 0;
}

static uint32_t function_at(struct fixture *f, uint32_t module, uint64_t offset)
{
	return function_table_of(&f->functions, stack_table_frame(&f->stacks, module, offset));
}

static const char *name_at(struct fixture *f, uint32_t module, uint64_t offset)
{
	uint32_t id = function_at(f, module, offset);

	return function_table_name(&f->functions, f->functions.v[id].name);
}

static void function_table_of__offsets_of_one_function__are_one(void **state)
{
	struct fixture *f = *state;
	uint32_t id = function_at(f, f->a, 0x100);

	assert_int_equal(function_at(f, f->a, 0x1ff), id);
	assert_int_not_equal(function_at(f, f->a, 0x200), id);
	assert_int_equal(f->functions.nr, 2);
	assert_int_equal(f->functions.v[id].module, f->a);
	assert_string_equal(f->functions.v[id].linkage, "malloc");
	assert_string_equal(name_at(f, f->a, 0x180), "malloc");
}

static void function_table_of__equal_names__have_one_id(void **state)
{
	struct fixture *f = *state;
	uint32_t a = function_at(f, f->a, 0x100), b = function_at(f, f->b, 0x100);
	uint32_t one = function_at(f, f->a, 0x200), two = function_at(f, f->a, 0x300);

	assert_int_not_equal(a, b);
	assert_int_equal(f->functions.v[a].name, f->functions.v[b].name);
	assert_int_equal(function_at(f, f->a, 0x400), a);
	assert_int_not_equal(one, two);
	assert_int_equal(f->functions.v[one].name, f->functions.v[two].name);
	assert_string_equal(name_at(f, f->a, 0x200), "shown");
	assert_string_equal(f->functions.v[two].linkage, "_Rshown2");
}

static void function_table_of__more_names__are_kept_demangled(void **state)
{
	struct fixture *f = *state;
	uint32_t id = function_at(f, f->a, 0x280);
	const struct strvec *also = function_table_also(&f->functions, id);

	assert_int_equal(also->nr, 2);
	assert_string_equal(also->v[0], "same_code");
	assert_string_equal(also->v[1], "plain");
	assert_null(function_table_also(&f->functions, function_at(f, f->a, 0x100)));
}

/* "_Rtwin1" at two places, "_Rtwin2" at another: the names of all, each once, and none is its own. */
static void function_table_of__more_names_of_equal_names__are_put_together(void **state)
{
	struct fixture *f = *state;
	uint32_t one = function_at(f, f->a, 0x600), two;
	const struct strvec *also = function_table_also(&f->functions, one);

	assert_int_equal(also->nr, 2);
	two = function_at(f, f->a, 0x800);
	assert_int_not_equal(one, two);
	assert_ptr_equal(function_table_also(&f->functions, two), also);
	assert_int_equal(function_at(f, f->a, 0x700), one);
	assert_int_equal(function_at(f, f->a, 0x680), one);
	assert_int_equal(also->nr, 4);
	assert_string_equal(also->v[0], "same_code");
	assert_string_equal(also->v[1], "plain");
	assert_string_equal(also->v[2], "third");
	assert_string_equal(also->v[3], "local");
	assert_null(function_table_also(&f->functions,
					function_at(f, module_of(f, "/lib/c.so"), 0x600)));
}

static void function_table_of__no_symbol__is_module_and_offset(void **state)
{
	struct fixture *f = *state;
	uint32_t id = function_at(f, f->a, 0x1f00d);

	assert_null(f->functions.v[id].linkage);
	assert_string_equal(name_at(f, f->a, 0x1f00d), "a.so!0x1f00d");
	assert_string_equal(name_at(f, f->a, 0x580), "a.so!0x580");
	assert_int_not_equal(function_at(f, f->a, 0x1f00e), id);
	assert_string_equal(name_at(f, module_of(f, "//anon"), 0xfeed), "//anon!0xfeed");
}

static void function_table_of__special_frames__have_their_names(void **state)
{
	struct fixture *f = *state;
	uint32_t truncated = function_table_of(&f->functions, FRAME_TRUNCATED);
	uint32_t not_sampled = function_table_of(&f->functions, FRAME_NOT_SAMPLED);

	assert_string_equal(function_table_name(&f->functions, f->functions.v[truncated].name),
			    "[truncated]");
	assert_string_equal(function_table_name(&f->functions, f->functions.v[not_sampled].name),
			    "[not sampled]");
	assert_string_equal(name_at(f, MODULE_ID_UNKNOWN, 0x80), "[unknown]");
	assert_int_equal(function_at(f, MODULE_ID_UNKNOWN, 0x80),
			 function_at(f, MODULE_ID_UNKNOWN, 0x90));
	assert_int_equal(f->asked, 0);
}

static void function_table_of__asked_again__does_not_ask_the_source(void **state)
{
	struct fixture *f = *state;

	for (int round = 0; round < 3; round++)
		for (uint64_t offset = 0; offset < 5000; offset++)
			function_at(f, f->b, offset);
	assert_int_equal(f->asked, 5000);
	assert_int_equal(f->functions.nr, 5000 - 0x100 + 1);
	assert_string_equal(name_at(f, f->b, 4999), "b.so!0x1387");
	assert_string_equal(name_at(f, f->b, 0x1ff), "malloc");
}

static void function_table_of__no_source__has_no_names(void **state)
{
	struct fixture *f = *state;

	init_functions(f, (struct symbol_source){ NULL, NULL, NULL });
	assert_string_equal(name_at(f, f->a, 0x100), "a.so!0x100");
	init_functions(f, (struct symbol_source){ f, find, NULL });
	assert_string_equal(name_at(f, f->a, 0x200), "_Rshown");
}

/* At a.so+0x210 a function without a name is inlined into what is inlined into malloc's caller. */
static size_t find_lines(void *data, const struct module *module, uint64_t offset,
			 const struct symbol_line **lines)
{
	static const struct symbol_line inlined[] = {
		{ NULL, "/src/macro.rs", 3 },
		{ "malloc", "/src/alloc.rs", 0 },
		{ "_Rinlined7", NULL, 9 },
		{ "_Rold", "/src/shown.rs", 40 },
	};

	(void)data;
	*lines = inlined;
	if (strcmp(module->name, "a.so"))
		return 0;
	return offset == 0x210 ? ARRAY_SIZE(inlined) : offset == 0x211 || offset == 0x1f00d;
}

static void function_table_levels__inlined_functions__are_known_by_their_lines(void **state)
{
	static const struct {
		const char *name, *file;
		uint32_t line;
	} expected[] = {
		{ "shown", "/src/shown.rs", 40 },
		{ "inlined", NULL, 0 },
		{ "malloc", "/src/alloc.rs", 0 },
		{ "a.so!0x210", "/src/macro.rs", 3 },
	};
	struct fixture *f = *state;
	struct frame_function levels[FUNCTION_LEVELS];
	uint32_t frame = stack_table_frame(&f->stacks, f->a, 0x210);

	f->functions.finder.lines = (struct line_source){ f, find_lines };
	for (int round = 0; round < 2; round++) {
		assert_int_equal(function_table_levels(&f->functions, frame, levels),
				 ARRAY_SIZE(expected));
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
			const struct function *function = &f->functions.v[levels[i].function];

			assert_int_equal(function->name, levels[i].name);
			assert_string_equal(function_table_name(&f->functions, function->name),
					    expected[i].name);
			if (expected[i].file)
				assert_string_equal(function->file, expected[i].file);
			else
				assert_null(function->file);
			assert_int_equal(function->line, expected[i].line);
		}
	}
	assert_int_equal(function_table_of(&f->functions, frame), levels[0].function);
	/* What is inlined is the function that has a place of its own elsewhere. */
	assert_int_equal(function_at(f, f->a, 0x100), levels[2].function);
	assert_int_equal(function_table_also(&f->functions, levels[0].function)->nr, 2);
}

static void function_table_levels__no_lines__is_one_function(void **state)
{
	struct fixture *f = *state;
	struct frame_function levels[FUNCTION_LEVELS];
	uint32_t frame = stack_table_frame(&f->stacks, f->a, 0x100);

	assert_int_equal(function_table_levels(&f->functions, frame, levels), 1);
	assert_int_equal(levels[0].function, function_table_of(&f->functions, frame));
	f->functions.finder.lines = (struct line_source){ f, find_lines };
	assert_int_equal(function_table_levels(&f->functions, FRAME_TRUNCATED, levels), 1);
	assert_string_equal(function_table_name(&f->functions, levels[0].name), "[truncated]");
}

static size_t find_too_many(void *data, const struct module *module, uint64_t offset,
			    const struct symbol_line **lines)
{
	static const struct symbol_line endless[FUNCTION_LEVELS + 3] = { { NULL, NULL, 0 } };

	(void)module;
	(void)offset;
	*lines = endless;
	return *(size_t *)data;
}

static void function_table_levels__endless_levels__are_bounded(void **state)
{
	struct fixture *f = *state;
	struct frame_function levels[FUNCTION_LEVELS];
	size_t levels_nr[] = { FUNCTION_LEVELS, FUNCTION_LEVELS + 1, FUNCTION_LEVELS + 3 };

	for (size_t i = 0; i < ARRAY_SIZE(levels_nr); i++) {
		uint32_t frame = stack_table_frame(&f->stacks, f->a, 0x100 + i);

		f->functions.finder.lines = (struct line_source){ &levels_nr[i], find_too_many };
		assert_int_equal(function_table_levels(&f->functions, frame, levels),
				 FUNCTION_LEVELS);
	}
}

/* Each place at its own line. */
static size_t find_line_of_place(void *data, const struct module *module, uint64_t offset,
				 const struct symbol_line **lines)
{
	struct symbol_line *line = data;

	(void)module;
	*line = (struct symbol_line){ NULL, offset == 0x208 ? NULL : "/src/shown.rs",
				      (uint32_t)offset };
	*lines = line;
	return 1;
}

/* In whatever order they are asked for. */
static void function_table_of__lines__are_those_of_the_first_place(void **state)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 }, { 2, 0, 1 } };
	static const uint64_t offsets[] = { 0x208, 0x220, 0x204 };

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct fixture *f = *state;
		struct symbol_line line;
		uint32_t frames[3], id = 0;

		for (size_t k = 0; k < 3; k++)
			frames[k] = stack_table_frame(&f->stacks, f->a, offsets[k]);
		function_table_release(&f->functions);
		init_functions(f, (struct symbol_source){ f, find, demangle });
		f->functions.finder.lines = (struct line_source){ &line, find_line_of_place };
		for (size_t k = 0; k < 3; k++)
			id = function_table_of(&f->functions, frames[orders[i][k]]);
		assert_string_equal(f->functions.v[id].file, "/src/shown.rs");
		assert_int_equal(f->functions.v[id].line, 0x220);
	}
}

/* A symbol inside of another one: what was found last is not taken for what is around it. */
static void function_table_of__one_after_the_other__are_those_of_their_symbols(void **state)
{
	static const struct {
		uint64_t offset;
		const char *name;
	} places[] = {
		{ 0x200, "shown" },          { 0x201, "shown" },  { 0x2f0, "nested" },
		{ 0x2f7, "nested" },         { 0x2f8, "shown" },  { 0x101, "malloc" },
		{ 0x1f00d, "a.so!0x1f00d" }, { 0x102, "malloc" }, { 0x202, "shown" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		assert_string_equal(name_at(f, f->a, places[i].offset), places[i].name);
	/* The same in another module is another function. */
	assert_int_not_equal(function_at(f, f->a, 0x103), function_at(f, f->b, 0x103));
}

/* One that no symbol names has a line all the same. */
static void function_table_of__no_symbol__has_its_line(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	f->functions.finder.lines = (struct line_source){ f, find_lines };
	id = function_at(f, f->a, 0x1f00d);
	assert_string_equal(name_at(f, f->a, 0x1f00d), "a.so!0x1f00d");
	assert_string_equal(f->functions.v[id].file, "/src/macro.rs");
	assert_int_equal(f->functions.v[id].line, 3);
}

/* A symbol is found once, at any of its offsets; the table is the same as with lookups frame by frame. */
static void function_table_take__found_before__is_as_if_asked(void **state)
{
	static const uint64_t offsets[] = { 0x210, 0x101, 0x1f00d, 0x220, 0x102, 0x2f0, 0x211 };
	/* So many are new since the last time that they were taken, which is after the third one. */
	static const size_t names[] = { 4, 5, 6, 0, 0, 1, 1 };
	struct fixture *f = *state;
	struct function_table asked = { .v = NULL };
	struct found_functions found = { .names = NULL };
	struct frame_function levels[FUNCTION_LEVELS], expected[FUNCTION_LEVELS];
	uint32_t frames[ARRAY_SIZE(offsets)];

	function_table_init(&asked, &f->modules, &f->stacks,
			    (struct symbol_source){ f, find, demangle });
	f->functions.finder.lines = asked.finder.lines = (struct line_source){ f, find_lines };
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		frames[i] = stack_table_frame(&f->stacks, f->a, offsets[i]);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		function_finder_find(&f->functions.finder, frames[i], &found);
		assert_int_equal(found.names_nr, names[i]);
		if (i == 2 || i + 1 == ARRAY_SIZE(offsets))
			function_table_take(&f->functions, &found);
	}
	f->asked = 0;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		size_t nr = function_table_levels(&f->functions, frames[i], levels);

		assert_int_equal(f->asked, 0);
		assert_int_equal(function_table_levels(&asked, frames[i], expected), nr);
		f->asked = 0;
		for (size_t k = 0; k < nr; k++) {
			const struct function *function = &f->functions.v[levels[k].function];
			const struct function *other = &asked.v[expected[k].function];

			assert_string_equal(function_table_name(&f->functions, levels[k].name),
					    function_table_name(&asked, expected[k].name));
			assert_int_equal(function->line, other->line);
		}
	}
	assert_int_equal(f->functions.nr, asked.nr);
	found_functions_release(&found);
	function_table_release(&asked);
}

/* What nobody takes is released. */
static void found_functions_release__names_of_places__go_too(void **state)
{
	struct fixture *f = *state;
	struct found_functions found = { .names = NULL };

	function_finder_find(&f->functions.finder, stack_table_frame(&f->stacks, f->a, 0x1f00d),
			     &found);
	assert_string_equal(found.names[0].name, "a.so!0x1f00d");
	found_functions_release(&found);
	assert_int_equal(found.names_nr, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(function_table_of__offsets_of_one_function__are_one),
		TEST(function_table_of__equal_names__have_one_id),
		TEST(function_table_of__more_names__are_kept_demangled),
		TEST(function_table_of__more_names_of_equal_names__are_put_together),
		TEST(function_table_of__no_symbol__is_module_and_offset),
		TEST(function_table_of__special_frames__have_their_names),
		TEST(function_table_of__asked_again__does_not_ask_the_source),
		TEST(function_table_of__no_source__has_no_names),
		TEST(function_table_levels__inlined_functions__are_known_by_their_lines),
		TEST(function_table_levels__no_lines__is_one_function),
		TEST(function_table_levels__endless_levels__are_bounded),
		TEST(function_table_of__lines__are_those_of_the_first_place),
		TEST(function_table_of__one_after_the_other__are_those_of_their_symbols),
		TEST(function_table_of__no_symbol__has_its_line),
		TEST(function_table_take__found_before__is_as_if_asked),
		TEST(found_functions_release__names_of_places__go_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
