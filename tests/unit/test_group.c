#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/group.h"
#include "grouping_by.h"
#include "util/array.h"
#include "util/strbuf.h"

/* A machine with some rows; its stacks are made by hand. */
struct fixture {
	struct process_list rows;
	struct machine machine;
	struct function_table functions;
	uint32_t driver, llvm, libc;
};

static const struct {
	int64_t pid;
	enum role role;
	const char *part, *crate;
} rows[] = {
	{ 10, ROLE_CARGO, NULL, NULL },
	{ 11, ROLE_RUSTC, "stage1-std", "core" },
	{ 12, ROLE_RUSTC, "stage1-rustc", "core" },
	{ 13, ROLE_BUILD_SCRIPT, "stage1-rustc", NULL },
	{ 14, ROLE_RUSTC, "stage1-std", "alloc" },
};

/* Symbols of 0x100 bytes, the same in all modules. */
static const char *const symbols[] = {
	"main",
	"parse",
	"parse",
	"malloc",
	"lower",
	"alloc::raw_vec::finish_grow",
	"rustc_query_impl::get_query::typeck",
	"rustc_query_impl::get_query::layout_of",
};

static bool find_symbol(void *data, const struct module *module, uint64_t offset,
			struct symbol *symbol)
{
	static const char *const linkage[] = { "main",  "_parse1", "_parse2", "malloc",
					       "lower", "grow",    "typeck",  "layout_of" };

	(void)data;
	(void)module;
	if (offset / 0x100 >= ARRAY_SIZE(symbols))
		return false;
	*symbol = (struct symbol){ offset / 0x100 * 0x100, offset / 0x100 * 0x100 + 0x100,
				   linkage[offset / 0x100], NULL, 0 };
	return true;
}

static char *demangle(void *data, const char *name)
{
	(void)data;
	if (!strncmp(name, "_parse", 6))
		return xstrdup("parse");
	if (!strcmp(name, "typeck") || !strcmp(name, "layout_of"))
		return xasprintf("rustc_query_impl::get_query::%s", name);
	return strcmp(name, "grow") ? NULL : xstrdup("alloc::raw_vec::finish_grow");
}

static uint32_t add_module(struct fixture *fixture, const char *path)
{
	struct trace_map map = { .path = path, .address = 0x1000, .length = 0x1000, .code = true };

	return module_table_intern(&fixture->machine.modules, &map);
}

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct symbol_source source = { NULL, find_symbol, demangle };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct process *row = process_list_add(&fixture->rows);

		row->pid = rows[i].pid;
		row->start_ns = (int64_t)i * 100;
		row->end_ns = (int64_t)i * 100 + 50;
		row->tag.role = rows[i].role;
		row->tag.part = xstrdup_or_null(rows[i].part);
		row->tag.crate = xstrdup_or_null(rows[i].crate);
	}
	machine_init(&fixture->machine, &fixture->rows);
	function_table_init(&fixture->functions, &fixture->machine.modules,
			    &fixture->machine.stacks, source);
	fixture->driver = add_module(fixture, "/lib/librustc_driver-1.so");
	fixture->llvm = add_module(fixture, "/lib/libLLVM.so.19.1");
	fixture->libc = add_module(fixture, "/lib/libc.so.6");
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	function_table_release(&fixture->functions);
	machine_release(&fixture->machine);
	process_list_release(&fixture->rows);
	free(fixture);
	return 0;
}

static struct grouping *group(struct fixture *fixture, enum group_by by, bool allocation,
			      const struct process_filter *filter)
{
	return grouping_by(by, allocation, &fixture->machine, &fixture->functions, filter);
}

static uint32_t stack_key(struct grouping *grouping, uint32_t stack)
{
	return grouping_key(grouping, 0, stack);
}

static struct frame_keys frame_keys(struct grouping *grouping, uint32_t frame)
{
	return dimension_frame_keys(grouping_inner(grouping), frame);
}

/* The process of the fixture's row. */
static struct trace_process process_of(size_t row)
{
	return (struct trace_process){ .index = row,
				       .row = row,
				       .pid = rows[row].pid,
				       .end_ns = PROCESS_UNKNOWN,
				       .known = true };
}

static uint32_t push(struct fixture *fixture, uint32_t parent, uint32_t module, uint64_t offset)
{
	struct stack_table *stacks = &fixture->machine.stacks;

	return stack_table_push(stacks, parent, stack_table_frame(stacks, module, offset));
}

static void grouping_key__processes__by_what_their_rows_say(void **state)
{
	/* for each row its key's text; the keys are as many as `nr` */
	static const struct {
		enum group_by by;
		const char *texts[ARRAY_SIZE(rows)];
		size_t nr;
	} cases[] = {
		{ BY_ROLE, { "cargo", "rustc", "rustc", "build-script", "rustc" }, 3 },
		{ BY_PART,
		  { NULL, "stage1-std", "stage1-rustc", "stage1-rustc", "stage1-std" },
		  3 },
		{ BY_CRATE, { NULL, "core", "core", NULL, "alloc" }, 3 },
		{ BY_PROCESS, { NULL, NULL, NULL, NULL, NULL }, 5 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct grouping *grouping = group(fixture, cases[i].by, false, NULL);

		assert_false(grouping_by_stacks(grouping));
		for (size_t k = 0; k < 2 * ARRAY_SIZE(rows); k++) {
			struct trace_process process = process_of(k % ARRAY_SIZE(rows));
			uint32_t key = key_of(grouping, &process, NULL, STACK_EMPTY);
			const struct group *at = only_group(grouping, key);

			assert_in_range(key, 0, grouping_nr(grouping) - 1);
			if (cases[i].texts[process.row])
				assert_string_equal(at->text, cases[i].texts[process.row]);
			else
				assert_null(at->text);
			if (cases[i].by == BY_PROCESS)
				assert_ptr_equal(at->process, fixture->rows.v[process.row]);
		}
		assert_int_equal(grouping_nr(grouping), cases[i].nr);
		grouping_free(grouping);
	}
}

static void grouping_key__filter__leaves_processes_out_at_any_time(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;
	struct fixture *fixture = *state;
	struct trace_process cargo = process_of(0), core = process_of(1);
	struct grouping *grouping;

	strvec_push(&filter.roles, "rustc");
	filter.from_ns = 1000000;
	grouping = group(fixture, BY_CRATE, false, &filter);
	assert_int_equal(key_of(grouping, &cargo, NULL, STACK_EMPTY), GROUP_NONE);
	assert_int_equal(grouping_place(grouping, &cargo, NULL), GROUP_NONE);
	assert_int_equal(key_of(grouping, &core, NULL, STACK_EMPTY), 0);
	assert_int_not_equal(grouping_place(grouping, &core, NULL), GROUP_NONE);
	assert_int_equal(grouping_nr(grouping), 1);
	grouping_free(grouping);
	process_filter_release(&filter);
}

static void grouping_key__threads__each_with_its_process(void **state)
{
	struct fixture *fixture = *state;
	struct trace_process core = process_of(1), alloc = process_of(4);
	struct trace_thread threads[] = { { .index = 0, .tid = 11, .process = &core },
					  { .index = 1, .tid = 15, .process = &core },
					  { .index = 2, .tid = 14, .process = &alloc } };
	struct grouping *grouping = group(fixture, BY_THREAD, false, NULL);

	for (uint32_t i = 0; i < 6; i++) {
		const struct trace_thread *thread = &threads[i % 3];

		assert_int_equal(key_of(grouping, thread->process, thread, STACK_EMPTY), i % 3);
		assert_ptr_equal(only_group(grouping, i % 3)->thread, thread);
	}
	assert_ptr_equal(only_group(grouping, 2)->process, fixture->rows.v[4]);
	grouping_free(grouping);
}

/* "module function", or the text of a key that has one. */
static void expect_function(struct fixture *fixture, struct grouping *grouping, uint32_t stack,
			    const char *expected)
{
	const struct group *at = only_group(grouping, stack_key(grouping, stack));
	struct strbuf got = STRBUF_INIT;

	if (at->text)
		strbuf_adds(&got, at->text);
	else
		strbuf_adds(&got, fixture->machine.modules.v[at->module].name);
	if (only_kind(grouping) == BY_FUNCTION)
		strbuf_addf(&got, " %s",
			    function_table_name(&fixture->functions,
						fixture->functions.v[at->function].name));
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
}

static void grouping_stack_key__functions__by_module_and_name(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *leaf = group(fixture, BY_FUNCTION, false, NULL);
	struct grouping *caller = group(fixture, BY_FUNCTION, true, NULL);
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t parse = push(fixture, main, fixture->driver, 0x110);
	uint32_t parse2 = push(fixture, main, fixture->driver, 0x210);
	uint32_t other = push(fixture, main, fixture->llvm, 0x110);
	uint32_t grow = push(fixture, parse, fixture->driver, 0x501);
	uint32_t inside = push(fixture, grow, fixture->libc, 0x401);
	uint32_t only = push(fixture, STACK_EMPTY, fixture->libc, 0x301);
	uint32_t nameless = push(fixture, main, fixture->llvm, 0x7777);
	struct frame_keys keys;

	assert_true(grouping_by_stacks(leaf));
	expect_function(fixture, leaf, inside, "libc.so.6 lower");
	expect_function(fixture, caller, inside, "librustc_driver-1.so parse");
	expect_function(fixture, caller, only, "libc.so.6 malloc");
	expect_function(fixture, caller, nameless, "libLLVM.so.19.1 libLLVM.so.19.1!0x7777");
	expect_function(fixture, caller, STACK_EMPTY, "[unknown] [truncated]");
	expect_function(fixture, caller, other, "libLLVM.so.19.1 parse");
	/* two functions of one name in a module are one key */
	assert_int_equal(stack_key(caller, parse), stack_key(caller, parse2));
	assert_int_not_equal(stack_key(caller, parse), stack_key(caller, other));
	keys = frame_keys(caller, fixture->machine.stacks.nodes[parse2].frame);
	assert_int_equal(keys.nr, 1);
	assert_int_equal(keys.v[0], stack_key(caller, inside));
	assert_int_equal(grouping_nr(caller), 5);
	grouping_free(leaf);
	grouping_free(caller);
}

static void grouping_stack_key__modules__with_what_is_in_none(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_MODULE, true, NULL);
	struct stack_table *stacks = &fixture->machine.stacks;
	uint32_t cut = stack_table_push(stacks, STACK_EMPTY, FRAME_TRUNCATED);
	uint32_t none = stack_table_push(stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);
	uint32_t unknown = push(fixture, STACK_EMPTY, MODULE_ID_UNKNOWN, 0x9999);

	expect_function(fixture, grouping, push(fixture, cut, fixture->libc, 0x1), "[truncated]");
	expect_function(fixture, grouping, STACK_EMPTY, "[truncated]");
	expect_function(fixture, grouping, none, "[not sampled]");
	expect_function(fixture, grouping, unknown, "[unknown]");
	expect_function(fixture, grouping, push(fixture, cut, fixture->llvm, 0x1),
			"libLLVM.so.19.1");
	assert_int_equal(grouping_nr(grouping), 4);
	grouping_free(grouping);
}

static void expect_text(struct grouping *grouping, uint32_t stack, const char *text, bool whole)
{
	const struct group *at = only_group(grouping, stack_key(grouping, stack));

	assert_string_equal(at->text, text);
	assert_int_equal(at->whole, whole);
}

static void grouping_stack_key__queries__the_innermost_on_the_stack(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_QUERY, false, NULL);
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t typeck = push(fixture, main, fixture->driver, 0x601);
	uint32_t parse = push(fixture, typeck, fixture->driver, 0x110);
	uint32_t layout = push(fixture, parse, fixture->driver, 0x701);
	uint32_t leaf = push(fixture, layout, fixture->libc, 0x301);
	const struct stack_node *nodes = fixture->machine.stacks.nodes;

	assert_true(grouping_by_stacks(grouping));
	expect_text(grouping, leaf, "layout_of", false);
	expect_text(grouping, parse, "typeck", false);
	expect_text(grouping, main, "[no query]", true);
	expect_text(grouping, STACK_EMPTY, "[no query]", true);
	assert_int_equal(frame_keys(grouping, nodes[parse].frame).nr, 0);
	assert_int_equal(frame_keys(grouping, nodes[typeck].frame).nr, 1);
	assert_int_equal(frame_keys(grouping, nodes[typeck].frame).v[0],
			 stack_key(grouping, parse));
	assert_int_equal(grouping_nr(grouping), 3);
	grouping_free(grouping);
}

/* Functions of two modules have one name, but a rule is about one of the modules. */
static void grouping_stack_key__split__equal_names_differ_by_phase(void **state)
{
	static const char rules[] = "<Tag Name=''><Tag Name='codegen' Priority='1'>"
				    "<Entrypoint Module='c.dll' Method='lower'/></Tag></Tag>";
	struct fixture *fixture = *state;
	struct err err = ERR_INIT;
	struct grouping_spec spec = { .by = { BY_PROCESS, BY_STACK }, .nr = 2, .split = true };
	struct stack_tags *tags;
	struct grouping *grouping;
	struct dimension *stacks;
	uint32_t typeck = push(fixture, STACK_EMPTY, fixture->driver, 0x601);
	uint32_t llvm = push(fixture, typeck, fixture->llvm, 0x401);
	uint32_t other = push(fixture, typeck, fixture->libc, 0x401), keys[2];

	assert_int_equal(stack_tags_read(rules, strlen(rules), "rules", &tags, &err), 0);
	spec.tags = tags;
	grouping = grouping_new(&spec, &fixture->machine, &fixture->functions);
	stacks = grouping_dimension(grouping, BY_STACK);
	for (int i = 0; i < 2; i++) {
		struct trace_process process = process_of(1);
		uint32_t key = key_of(grouping, &process, NULL, i ? other : llvm);
		const struct group *at = grouping_part(grouping, key, BY_STACK);

		keys[i] = at->stack;
		assert_string_equal(dimension_class_name(stacks, STACK_PHASE, at->phase),
				    i ? "codegen" : "[untagged]");
		assert_string_equal(dimension_class_name(stacks, STACK_QUERY, at->query), "typeck");
	}
	assert_int_equal(keys[0], keys[1]);
	assert_int_equal(dimension_nr(stacks), 2);
	grouping_free(grouping);
	stack_tags_free(tags);
}

static void grouping_set_step__a_process__is_one_key_for_each_step(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_PROCESS_STEP, false, NULL);
	uint32_t keys[4];

	for (uint32_t i = 0; i < 4; i++) {
		struct trace_process process = process_of(1 + i % 2);

		grouping_set_step(grouping, i / 2);
		keys[i] = key_of(grouping, &process, NULL, STACK_EMPTY);
		assert_int_equal(key_of(grouping, &process, NULL, STACK_EMPTY), keys[i]);
		assert_int_equal(only_group(grouping, keys[i])->step, i / 2);
		assert_ptr_equal(only_group(grouping, keys[i])->process,
				 fixture->rows.v[1 + i % 2]);
		/* Its places are its keys. */
		assert_ptr_equal(grouping_place_part(grouping, keys[i], BY_PROCESS_STEP),
				 only_group(grouping, keys[i]));
		assert_null(grouping_place_part(grouping, keys[i], BY_PROCESS));
	}
	assert_int_equal(grouping_nr(grouping), 4);
	grouping_free(grouping);
}

static void grouping_stack_key__phases__by_rules_for_all_frames(void **state)
{
	static const char rules[] = "<Tag Name=''><Tag Name='in' Priority='1'>"
				    "<Entrypoint Module='*' Method='parse'/></Tag>"
				    "<Tag Name='libc'><Entrypoint Module='c.dll'/></Tag></Tag>";
	struct fixture *fixture = *state;
	struct grouping_spec spec = { .by = { BY_PHASE }, .allocation = true };
	struct grouping *grouping;
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t parse = push(fixture, main, fixture->driver, 0x110);
	struct stack_tags *tags = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(stack_tags_read(rules, strlen(rules), "rules", &tags, &err), 0);
	spec.tags = tags;
	grouping = grouping_new(&spec, &fixture->machine, &fixture->functions);
	expect_text(grouping, push(fixture, parse, fixture->libc, 0x301), "in", true);
	expect_text(grouping, push(fixture, main, fixture->libc, 0x301), "libc", true);
	expect_text(grouping, main, "[untagged]", true);
	assert_int_equal(frame_keys(grouping, fixture->machine.stacks.nodes[parse].frame).nr, 0);
	assert_int_equal(grouping_nr(grouping), 3);
	grouping_free(grouping);
	stack_tags_free(tags);
}

static void expect_frames(const struct dimension *dimension, const struct group *stack,
			  const char *expected)
{
	struct strvec frames = STRVEC_INIT;
	struct strbuf got = STRBUF_INIT;

	dimension_add_frames(dimension, stack, &frames);
	for (size_t i = 0; i < frames.nr; i++)
		strbuf_addf(&got, i ? ";%s" : "%s", frames.v[i]);
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
	strvec_forget(&frames);
	strvec_release(&frames);
}

static void expect_stack(const struct grouping *grouping, uint32_t key, const char *expected)
{
	expect_frames(grouping_only(grouping), only_group(grouping, key), expected);
}

static void grouping_stack_key__stacks__are_of_names(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_STACK, true, NULL);
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t elsewhere = push(fixture, STACK_EMPTY, fixture->driver, 0x20);
	uint32_t one = push(fixture, main, fixture->driver, 0x110);
	uint32_t two = push(fixture, elsewhere, fixture->driver, 0x210);
	uint32_t alloc = push(fixture, two, fixture->libc, 0x301);

	expect_stack(grouping, stack_key(grouping, alloc), "main;parse;malloc");
	expect_stack(grouping, stack_key(grouping, one), "main;parse");
	assert_int_equal(stack_key(grouping, one), stack_key(grouping, two));
	expect_stack(grouping, stack_key(grouping, main), "main");
	expect_stack(grouping, stack_key(grouping, STACK_EMPTY), "[truncated]");
	assert_int_equal(grouping_nr(grouping), 4);
	grouping_free(grouping);
}

/* At 0x130 of the driver one function of the allocator is inlined into parse, at 0x131 two. */
static size_t find_inlined(void *data, const struct module *module, uint64_t offset,
			   const struct symbol_line **lines)
{
	static const struct symbol_line levels[] = { { "malloc", NULL, 0 },
						     { "grow", NULL, 0 },
						     { "_parse1", NULL, 0 } };
	const struct fixture *fixture = data;

	if (module != &fixture->machine.modules.v[fixture->driver] ||
	    (offset != 0x130 && offset != 0x131))
		return 0;
	*lines = offset == 0x130 ? levels + 1 : levels;
	return offset == 0x130 ? 2 : 3;
}

static uint32_t push_inlined(struct fixture *fixture)
{
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);

	fixture->functions.finder.lines = (struct line_source){ fixture, find_inlined };
	return push(fixture, push(fixture, main, fixture->driver, 0x130), fixture->libc, 0x301);
}

static void grouping_stack_key__inlined_functions__are_of_their_own(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *leaf = group(fixture, BY_FUNCTION, false, NULL);
	struct grouping *caller = group(fixture, BY_FUNCTION, true, NULL);
	uint32_t alloc = push_inlined(fixture);
	const struct stack_node *node = &fixture->machine.stacks.nodes[alloc];
	struct frame_keys keys;
	uint32_t parse;

	expect_function(fixture, leaf, node->parent,
			"librustc_driver-1.so alloc::raw_vec::finish_grow");
	expect_function(fixture, caller, node->parent, "librustc_driver-1.so parse");
	expect_function(fixture, caller, alloc, "librustc_driver-1.so parse");
	keys = frame_keys(leaf, fixture->machine.stacks.nodes[node->parent].frame);
	assert_int_equal(keys.nr, 2);
	parse = keys.v[0];
	assert_int_equal(keys.v[1], stack_key(leaf, node->parent));
	assert_int_equal(stack_key(leaf, push(fixture, STACK_EMPTY, fixture->driver, 0x1ff)),
			 parse);
	grouping_free(leaf);
	grouping_free(caller);
}

static void grouping_stack_key__stacks__have_inlined_functions(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_STACK, true, NULL);
	uint32_t alloc = push_inlined(fixture), key = stack_key(grouping, alloc), only;

	expect_stack(grouping, key, "main;parse;alloc::raw_vec::finish_grow;malloc");
	assert_int_equal(only_group(grouping, key)->allocator_frames, 2);
	key = stack_key(grouping, push(fixture, alloc, fixture->driver, 0x131));
	expect_stack(grouping, key,
		     "main;parse;alloc::raw_vec::finish_grow;malloc;"
		     "parse;alloc::raw_vec::finish_grow;malloc");
	assert_int_equal(only_group(grouping, key)->allocator_frames, 2);
	/* Never all. */
	only = push(fixture, push(fixture, STACK_EMPTY, fixture->libc, 0x301), fixture->libc,
		    0x302);
	assert_int_equal(only_group(grouping, stack_key(grouping, only))->allocator_frames, 0);
	grouping_free(grouping);
}

static void grouping_stack_key__hundred_thousand_frames__fit(void **state)
{
	enum { DEPTH = 100000 };
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_STACK, false, NULL);
	struct strvec frames = STRVEC_INIT;
	uint32_t stack = STACK_EMPTY;

	for (uint32_t i = 0; i < DEPTH; i++)
		stack = push(fixture, stack, fixture->driver, i % 0x100);
	dimension_add_frames(grouping_dimension(grouping, BY_STACK),
			     only_group(grouping, stack_key(grouping, stack)), &frames);
	assert_int_equal(frames.nr, DEPTH);
	assert_string_equal(frames.v[DEPTH - 1], "main");
	strvec_forget(&frames);
	strvec_release(&frames);
	grouping_free(grouping);
}

/* "first/second" of a key, from texts, functions or stacks. */
static void expect_pair(struct fixture *fixture, struct grouping *grouping, uint32_t key,
			const enum group_by *by, const char *expected)
{
	struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < 2; i++) {
		const struct group *part = grouping_part(grouping, key, by[i]);

		assert_non_null(part);
		if (i)
			strbuf_addc(&got, '/');
		if (by[i] == BY_FUNCTION)
			strbuf_adds(&got,
				    function_table_name(&fixture->functions,
							fixture->functions.v[part->function].name));
		else if (by[i] == BY_MODULE)
			strbuf_adds(&got, fixture->machine.modules.v[part->module].name);
		else
			strbuf_adds(&got, part->text ? part->text : "-");
	}
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
}

static void grouping_key__two_dimensions__in_any_order(void **state)
{
	static const struct {
		enum group_by by[2];
		const char *expected[2]; /* of core, of alloc */
		bool by_stacks;
		uint32_t places; /* of both */
	} cases[] = {
		{ { BY_CRATE, BY_FUNCTION }, { "core/malloc", "alloc/malloc" }, true, 2 },
		{ { BY_FUNCTION, BY_CRATE }, { "malloc/core", "malloc/alloc" }, true, 2 },
		{ { BY_ROLE, BY_CRATE }, { "rustc/core", "rustc/alloc" }, false, 2 },
		{ { BY_ROLE, BY_PART }, { "rustc/stage1-std", "rustc/stage1-std" }, false, 1 },
		{ { BY_MODULE, BY_QUERY }, { "libc.so.6/typeck", "libc.so.6/typeck" }, true, 1 },
		{ { BY_QUERY, BY_FUNCTION }, { "typeck/malloc", "typeck/malloc" }, true, 1 },
	};
	struct fixture *fixture = *state;
	struct trace_process core = process_of(1), alloc = process_of(4);
	uint32_t typeck = push(fixture, STACK_EMPTY, fixture->driver, 0x601);
	uint32_t leaf = push(fixture, typeck, fixture->libc, 0x301);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct grouping_spec spec = { .by = { cases[i].by[0], cases[i].by[1] },
						    .nr = 2 };
		struct grouping *grouping =
			grouping_new(&spec, &fixture->machine, &fixture->functions);
		uint32_t a = key_of(grouping, &core, NULL, leaf);
		uint32_t b = key_of(grouping, &alloc, NULL, leaf);

		assert_int_equal(grouping_by_stacks(grouping), cases[i].by_stacks);
		assert_null(grouping_only(grouping));
		expect_pair(fixture, grouping, a, cases[i].by, cases[i].expected[0]);
		expect_pair(fixture, grouping, b, cases[i].by, cases[i].expected[1]);
		assert_int_equal(grouping_nr(grouping), cases[i].places);
		assert_int_equal(key_of(grouping, &core, NULL, leaf), a);
		assert_int_equal(
			grouping_place_of(grouping, b),
			grouping_has_places(grouping) ? grouping_place(grouping, &alloc, NULL) : 0);
		if (grouping_inner(grouping))
			assert_int_equal(
				grouping_join(grouping,
					      grouping_outer(grouping,
							     grouping_place_of(grouping, a), leaf),
					      dimension_stack_key(grouping_inner(grouping), leaf)),
				a);
		grouping_free(grouping);
	}
}

/* As of a memory event whose caller is unknown. */
static void grouping_place__unknown_thread__one_of_its_process(void **state)
{
	struct fixture *fixture = *state;
	struct grouping *grouping = group(fixture, BY_THREAD, false, NULL);
	struct trace_process one = process_of(0), two = process_of(1);
	struct trace_thread thread = { .process = &one, .tid = 10 };
	uint32_t known = grouping_place(grouping, &one, &thread);
	uint32_t first = grouping_place(grouping, &one, NULL);
	uint32_t second = grouping_place(grouping, &two, NULL);

	assert_int_equal(grouping_place(grouping, &one, &thread), known);
	assert_int_equal(grouping_place(grouping, &one, NULL), first);
	assert_true(known != first && first != second);
	assert_null(only_group(grouping, first)->thread);
	assert_ptr_equal(only_group(grouping, first)->process, fixture->rows.v[0]);
	assert_ptr_equal(only_group(grouping, second)->process, fixture->rows.v[1]);
	grouping_free(grouping);
}

static void grouping_key__roots__keep_stacks_apart(void **state)
{
	/* for each row its root; the keys are as many as `nr` */
	static const struct {
		enum group_by root;
		const char *roots[ARRAY_SIZE(rows)];
		size_t nr;
	} cases[] = {
		{ BY_IMAGE, { "cargo", "rustc", "rustc", "?", "rustc" }, 3 },
		{ BY_IMAGE_AND_CRATE,
		  { "cargo", "rustc core", "rustc core", "?", "rustc alloc" },
		  4 },
	};
	struct fixture *fixture = *state;
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t parse = push(fixture, main, fixture->driver, 0x110);

	for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
		if (row != 3)
			fixture->rows.v[row]->exe = xstrdup(row ? "/bin/rustc" : "/bin/cargo");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct grouping *grouping =
			grouping_by_root(BY_STACK, cases[i].root, false, &fixture->machine,
					 &fixture->functions, NULL);

		for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
			struct trace_process process = process_of(row);
			uint32_t key = key_of(grouping, &process, NULL, parse);

			assert_string_equal(grouping_part(grouping, key, cases[i].root)->text,
					    cases[i].roots[row]);
			expect_frames(grouping_dimension(grouping, BY_STACK),
				      grouping_part(grouping, key, BY_STACK), "main;parse");
			assert_int_equal(key_of(grouping, &process, NULL, parse), key);
		}
		assert_int_equal(grouping_nr(grouping), cases[i].nr);
		grouping_free(grouping);
	}
}

static void grouping_key__stack_filter__by_what_is_anywhere_on_the_stack(void **state)
{
	static const struct {
		const char *function, *module, *not_function, *not_module;
		const char *passed; /* m: main, p: main;parse, l: main;parse;malloc of libc */
	} cases[] = {
		{ NULL, NULL, NULL, NULL, "mpl" },
		{ "parse", NULL, NULL, NULL, "pl" },
		{ "pars?", "LIBC.so*", NULL, NULL, "l" },
		{ NULL, "/lib/libc.so.6", NULL, NULL, "l" },
		{ NULL, NULL, "parse", NULL, "m" },
		{ "main", NULL, NULL, "libc*", "mp" },
		{ "mai", NULL, NULL, NULL, "" },
	};
	struct fixture *fixture = *state;
	struct trace_process core = process_of(1);
	uint32_t main = push(fixture, STACK_EMPTY, fixture->driver, 0x1);
	uint32_t parse = push(fixture, main, fixture->driver, 0x110);
	const uint32_t stacks[] = { main, parse, push(fixture, parse, fixture->libc, 0x301) };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_filter filter = STACK_FILTER_INIT;
		struct grouping_spec spec = { .by = { BY_CRATE }, .stacks = &filter };
		struct grouping *grouping;
		char passed[4] = "";

		if (cases[i].function)
			strvec_push(&filter.functions, cases[i].function);
		if (cases[i].module)
			strvec_push(&filter.modules, cases[i].module);
		if (cases[i].not_function)
			strvec_push(&filter.not_functions, cases[i].not_function);
		if (cases[i].not_module)
			strvec_push(&filter.not_modules, cases[i].not_module);
		grouping = grouping_new(&spec, &fixture->machine, &fixture->functions);
		assert_int_equal(grouping_by_stacks(grouping), i > 0);
		for (size_t k = 0; k < ARRAY_SIZE(stacks); k++) {
			bool passes = grouping_passes(grouping, stacks[k]);

			assert_int_equal(key_of(grouping, &core, NULL, stacks[k]) != GROUP_NONE,
					 passes);
			if (passes)
				passed[strlen(passed)] = "mpl"[k];
		}
		assert_string_equal(passed, cases[i].passed);
		grouping_free(grouping);
		strvec_release(&filter.functions);
		strvec_release(&filter.modules);
		strvec_release(&filter.not_functions);
		strvec_release(&filter.not_modules);
	}
}

static void grouping_place__threads__by_name_or_id(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;
	struct fixture *fixture = *state;
	struct trace_process core = process_of(1);
	struct trace_thread opt = { .tid = 15, .process = &core, .name = (char[]){ "opt cgu.1" } };
	struct trace_thread main = { .index = 1, .tid = 11, .process = &core };
	struct grouping *grouping;

	strvec_push(&filter.threads, "opt *");
	strvec_push(&filter.threads, "11");
	grouping = group(fixture, BY_CRATE, false, &filter);
	assert_true(grouping_needs_thread(grouping));
	assert_int_equal(grouping_place(grouping, &core, &opt), 0);
	assert_int_equal(grouping_place(grouping, &core, &main), 0);
	main.tid = 12;
	assert_int_equal(grouping_place(grouping, &core, &main), GROUP_NONE);
	assert_int_equal(grouping_place(grouping, &core, NULL), GROUP_NONE);
	grouping_free(grouping);
	strvec_clear(&filter.threads);
	strvec_push(&filter.not_threads, "opt*");
	grouping = group(fixture, BY_CRATE, false, &filter);
	assert_int_equal(grouping_place(grouping, &core, &opt), GROUP_NONE);
	assert_int_equal(grouping_place(grouping, &core, NULL), 0);
	grouping_free(grouping);
	process_filter_release(&filter);
}

/* A process that only the trace knows: its row is retagged as the trace goes on. */
static void grouping_update__new_tag__holds_from_then_on(void **state)
{
	struct fixture *fixture = *state;
	struct trace_event map = { .kind = TRACE_MAP, .time_ns = 2000, .pid = 99, .tid = 99 };
	struct grouping *roles = group(fixture, BY_ROLE, false, NULL);
	struct grouping *processes = group(fixture, BY_PROCESS, false, NULL);
	struct trace_process *process = machine_process(&fixture->machine, 99, 2000);
	struct process *row = fixture->rows.v[process->row];
	uint32_t before = key_of(roles, process, NULL, STACK_EMPTY);
	uint32_t same = key_of(processes, process, NULL, STACK_EMPTY);

	assert_false(process->known);
	row->tag.role = ROLE_LINK;
	assert_int_equal(key_of(roles, process, NULL, STACK_EMPTY), before);
	grouping_update(roles, &map);
	grouping_update(processes, &map);
	assert_string_equal(only_group(roles, key_of(roles, process, NULL, STACK_EMPTY))->text,
			    "link");
	assert_int_equal(key_of(processes, process, NULL, STACK_EMPTY), same);
	grouping_free(roles);
	grouping_free(processes);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(grouping_key__processes__by_what_their_rows_say),
		WITH_FIXTURE(grouping_key__filter__leaves_processes_out_at_any_time),
		WITH_FIXTURE(grouping_key__threads__each_with_its_process),
		WITH_FIXTURE(grouping_stack_key__functions__by_module_and_name),
		WITH_FIXTURE(grouping_stack_key__modules__with_what_is_in_none),
		WITH_FIXTURE(grouping_stack_key__queries__the_innermost_on_the_stack),
		WITH_FIXTURE(grouping_stack_key__phases__by_rules_for_all_frames),
		WITH_FIXTURE(grouping_stack_key__split__equal_names_differ_by_phase),
		WITH_FIXTURE(grouping_set_step__a_process__is_one_key_for_each_step),
		WITH_FIXTURE(grouping_stack_key__stacks__are_of_names),
		WITH_FIXTURE(grouping_stack_key__inlined_functions__are_of_their_own),
		WITH_FIXTURE(grouping_stack_key__stacks__have_inlined_functions),
		WITH_FIXTURE(grouping_stack_key__hundred_thousand_frames__fit),
		WITH_FIXTURE(grouping_place__unknown_thread__one_of_its_process),
		WITH_FIXTURE(grouping_key__roots__keep_stacks_apart),
		WITH_FIXTURE(grouping_key__two_dimensions__in_any_order),
		WITH_FIXTURE(grouping_key__stack_filter__by_what_is_anywhere_on_the_stack),
		WITH_FIXTURE(grouping_place__threads__by_name_or_id),
		WITH_FIXTURE(grouping_update__new_tag__holds_from_then_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
