#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/call_hint.h"
#include "report/call_tree.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/text.h"

#define FRAMES 64
#define LEVELS 3

static int threads = 1;

/* Stacks as a view has them. */
struct stacks {
	struct stack_table table;
	struct strset frames, names;
	uint32_t levels[FRAMES][LEVELS]; /* names of a frame */
	size_t levels_nr[FRAMES];
	int64_t values[256];
};

static size_t levels_of(const void *data, uint32_t frame, uint32_t names[CALL_TREE_LEVELS])
{
	const struct stacks *stacks = data;

	memcpy(names, stacks->levels[frame], sizeof(stacks->levels[frame]));
	return stacks->levels_nr[frame];
}

/* "caller+inlined": its functions. */
static uint32_t add_frame(struct stacks *stacks, const char *text)
{
	uint32_t frame = strset_add(&stacks->frames, text);
	size_t *nr = &stacks->levels_nr[frame];

	assert_true(frame < FRAMES);
	for (*nr = 0;; text += strcspn(text, "+") + 1) {
		char *name = xstrndup(text, strcspn(text, "+"));

		assert_true(*nr < LEVELS);
		stacks->levels[frame][(*nr)++] = strset_add(&stacks->names, name);
		free(name);
		if (!strchr(text, '+'))
			return frame;
	}
}

static const char *name_of(const void *data, uint32_t name)
{
	return ((const struct stacks *)data)->names.strings.v[name];
}

/* "root;caller;leaf VALUE" */
static void add_stack(struct stacks *stacks, const char *text)
{
	uint32_t node = STACK_EMPTY;
	const char *value = strrchr(text, ' ');

	while (text < value) {
		size_t len = strcspn(text, ";");
		char *name;

		if (len > (size_t)(value - text))
			len = (size_t)(value - text);
		name = xstrndup(text, len);
		node = stack_table_push(&stacks->table, node, add_frame(stacks, name));
		free(name);
		text += len + 1;
	}
	assert_in_range(node, 1, ARRAY_SIZE(stacks->values) - 1);
	stacks->values[node] += strtoll(value, NULL, 10);
}

/* What is before a '!' is the module. */
static const char *module_of(const void *data, uint32_t name)
{
	return strchr(name_of(data, name), '!') ? "lib.so" : NULL;
}

/* `notes` may be NULL. */
static void make_with_notes(struct call_tree *calls, const char *const *texts,
			    const struct call_tree_options *options, struct strbuf *notes)
{
	struct stacks stacks = { .frames = STRSET_INIT, .names = STRSET_INIT };
	struct call_tree_stacks made;

	stack_table_init(&stacks.table);
	for (; *texts; texts++)
		add_stack(&stacks, *texts);
	made = (struct call_tree_stacks){
		.nodes = stacks.table.nodes,
		.nr = stacks.table.nodes_nr,
		.values = stacks.values,
		.frames_nr = stacks.frames.strings.nr,
		.names_nr = stacks.names.strings.nr,
		.levels = levels_of,
		.name = name_of,
		.module = module_of,
		.data = &stacks,
		.threads = threads,
	};
	call_tree_init(calls, &made, options);
	if (notes)
		call_hint_add(calls, &made, options, notes);
	stack_table_release(&stacks.table);
	strset_release(&stacks.frames);
	strset_release(&stacks.names);
}

static void make(struct call_tree *calls, const char *const *texts,
		 const struct call_tree_options *options)
{
	make_with_notes(calls, texts, options, NULL);
}

/* A line "total self depth name" for each row, indented as it is shown; "×2": it calls itself, two deep. */
static void expect(const char *const *stacks, const struct call_tree_options *options,
		   const char *expected)
{
	struct call_tree calls;
	struct strbuf got = STRBUF_INIT;

	make(&calls, stacks, options);
	for (size_t i = 0; i < calls.nr; i++) {
		const struct call_tree_row *row = &calls.rows[i];

		strbuf_addf(&got, "%*s%d %d %u ", (int)row->indent, "", (int)row->total,
			    (int)row->self, row->depth);
		if (row->calls > 1)
			strbuf_addf(&got, "×%u ", row->calls);
		if (row->name)
			strbuf_addf(&got, "%s", row->name);
		else
			strbuf_addf(&got, "%s%s+%zu", row->minor ? "minor " : "",
				    row->group ? row->group : "", row->others);
		strbuf_addf(&got, row->below ? " below %d\n" : "\n", (int)row->below);
	}
	assert_string_equal(got.buf ? got.buf : "", expected);
	strbuf_release(&got);
	call_tree_release(&calls);
}

static const char *const stacks[] = {
	"main;parse 10",
	"main;parse;lex 30",
	"main;check;check 40",
	"main;check;check;lex 5",
	"main;small 3",
	"main;tiny 2",
	"other 10",
	NULL,
};

static void call_tree__rows__the_largest_first_chains_not_indented(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .min_share = 0 },
	       "90 0 0 main\n"
	       " 45 40 1 ×2 check\n 5 5 2 lex\n"
	       " 40 10 1 parse\n 30 30 2 lex\n 3 3 1 small\n 2 2 1 tiny\n"
	       "10 10 0 other\n");
}

/* The rows of `lex`, which are all that `check` and `parse` call. */
static void call_tree__only_callee__is_chained(void **state)
{
	static const bool expected[] = { false, false, true, false, true, false, false, false };
	struct call_tree calls;

	(void)state;
	make(&calls, stacks, &(struct call_tree_options){ .min_share = 0 });
	assert_int_equal(calls.nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < calls.nr; i++)
		assert_int_equal(calls.rows[i].chained, expected[i]);
	call_tree_release(&calls);
}

static void call_tree__small_callees__are_one_row(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .min_share = 10 },
	       "90 0 0 main below 5\n"
	       " 45 40 1 ×2 check below 5\n 5 0 2 minor +1\n"
	       " 40 10 1 parse\n 30 30 2 lex\n 5 0 1 minor +2\n"
	       "10 10 0 other\n");
}

/* In one frame or in two, as callers or the innermost: the same rows, though the stacks are in no order. */
static void call_tree__inlined_functions__are_callees(void **state)
{
	static const char *const inlined[] = {
		"main;a+b 10", "other;a+b+c 4", "main;a;b;c 5", "other 3", "main;a+b;c 2", NULL,
	};

	(void)state;
	expect(inlined, &(struct call_tree_options){ .min_share = 0 },
	       "17 0 0 main\n"
	       "17 0 1 a\n"
	       "17 10 2 b\n"
	       "7 7 3 c\n"
	       "7 3 0 other\n"
	       "4 0 1 a\n"
	       "4 0 2 b\n"
	       "4 4 3 c\n");
}

static void call_tree__inlined_function_that_calls_itself__is_one_row(void **state)
{
	static const char *const inlined[] = { "main;a+a 10", "main;a;b+a 5", NULL };

	(void)state;
	expect(inlined, &(struct call_tree_options){ .min_share = 0 },
	       "15 0 0 main\n"
	       "15 15 1 ×2 a\n");
}

static void call_tree__inverted__who_called_it(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .inverted = true },
	       "40 0 0 ×2 check\n"
	       "40 40 1 main\n"
	       "35 0 0 lex\n"
	       " 30 0 1 parse\n"
	       " 30 30 2 main\n"
	       " 5 0 1 ×2 check\n"
	       " 5 5 2 main\n"
	       "10 0 0 parse\n"
	       "10 10 1 main\n"
	       "10 10 0 other\n"
	       "3 0 0 small\n"
	       "3 3 1 main\n"
	       "2 0 0 tiny\n"
	       "2 2 1 main\n");
}

static void call_tree__focus_and_ignore__by_patterns(void **state)
{
	struct strvec focus = STRVEC_INIT, ignore = STRVEC_INIT;
	struct call_tree_options options = { .focus = &focus, .ignore = &ignore };

	(void)state;
	strvec_push(&focus, "che?k");
	expect(stacks, &options, "45 40 0 ×2 check\n5 5 1 lex\n");
	options.inverted = true;
	expect(stacks, &options, "45 0 0 ×2 check\n45 45 1 main\n");
	options.inverted = false;
	strvec_clear(&focus);
	strvec_push(&focus, "nowhere");
	expect(stacks, &options, "");
	strvec_clear(&focus);
	strvec_push(&ignore, "check");
	strvec_push(&ignore, "parse");
	expect(stacks, &options,
	       "90 50 0 main\n 35 35 1 lex\n 3 3 1 small\n 2 2 1 tiny\n10 10 0 other\n");
	strvec_release(&focus);
	strvec_release(&ignore);
}

static void expect_focus(const char *const *texts, const char *focus, const char *calls,
			 const char *callers)
{
	struct strvec patterns = STRVEC_INIT;
	struct call_tree_options options = { .focus = &patterns };

	strvec_push(&patterns, focus);
	expect(texts, &options, calls);
	options.inverted = true;
	expect(texts, &options, callers);
	strvec_release(&patterns);
}

/* What the inner call costs is at the row of the outer one, and still below the focus. */
static void call_tree__inverted_focus_on_a_cycle__has_what_inner_calls_have(void **state)
{
	static const char *const mutual[] = { "a;f 1",       "a;f;g 2",      "a;f;g;f 4",
					      "a;f;g;f;h 8", "a;f;g;f;g 16", NULL };
	static const char *const inside[] = { "a;f;f 1", "a;f;h;f;g;f 2", "a;f;h;f;g;f;h 4",
					      "b;g 8", NULL };

	(void)state;
	expect_focus(mutual, "g",
		     "30 18 0 ×2 g\n"
		     "12 4 1 f\n"
		     "8 8 2 h\n",
		     "30 0 0 ×2 g\n"
		     "30 0 1 ×2 f\n"
		     "30 30 2 a\n");
	expect_focus(inside, "g",
		     "14 8 0 g\n"
		     "6 2 1 f\n"
		     "4 4 2 h\n",
		     "14 0 0 g\n"
		     " 8 8 1 b\n"
		     " 6 0 1 ×3 f\n"
		     " 6 6 2 a\n");
	expect_focus(inside, "h",
		     "6 4 0 ×2 h\n"
		     "2 2 1 ×2 f\n",
		     "6 0 0 ×2 h\n"
		     "6 0 1 ×3 f\n"
		     "6 6 2 a\n");
}

static void call_tree__focus_on_a_full_name__not_others_with_its_short_name(void **state)
{
	static const char *const types[] = { "a;M::<u8>::insert 1", "a;M::<u8>::insert;grow 2",
					     "a;M::<u16>::insert 4",
					     "a;M::<u16>::insert;M::<u8>::insert 8", NULL };
	static const char *const deep[] = { "a;M::<u8>::insert 1",
					    "a;M::<u16>::insert;M::<u16>::insert 2", NULL };

	(void)state;
	expect_focus(deep, "M::<u8>::insert", "1 1 0 M::<…>::insert\n",
		     "1 0 0 M::<…>::insert\n1 1 1 a\n");
	expect_focus(types, "M::<u8>::insert", "11 9 0 M::<…>::insert\n2 2 1 grow\n",
		     "11 0 0 M::<…>::insert\n"
		     " 8 0 1 M::<…>::insert\n"
		     " 8 8 2 a\n"
		     " 3 3 1 a\n");
	expect_focus(types, "M::<u16>::insert", "12 4 0 M::<…>::insert\n8 8 1 M::<…>::insert\n",
		     "12 0 0 M::<…>::insert\n12 12 1 a\n");
	expect_focus(types, "insert", "15 5 0 M::<…>::insert\n 8 8 1 M::<…>::insert\n 2 2 1 grow\n",
		     "15 0 0 M::<…>::insert\n15 15 1 a\n");
}

/* Elsewhere a closure counts for the function that it is in. */
static void call_tree__focus_on_a_closure__is_a_row_below_its_function(void **state)
{
	static const char *const closures[] = { "a;r::f 1", "a;r::f;r::f::{closure#0};g 2",
						"a;r::f;r::f::{closure#1};core::x;g 4", NULL };

	(void)state;
	expect(closures, &(struct call_tree_options){ .min_share = 0 },
	       "7 0 0 a\n7 1 1 r::f\n6 6 2 g\n");
	expect_focus(closures, "r::f::{closure}", "6 0 0 r::f::{closure}\n6 6 1 g\n",
		     "6 0 0 r::f::{closure}\n6 0 1 r::f\n6 6 2 a\n");
	expect_focus(closures, "r::f::{closure#1}", "4 0 0 r::f::{closure}\n4 4 1 g\n",
		     "4 0 0 r::f::{closure}\n4 0 1 r::f\n4 4 2 a\n");
}

static const char *const compiler[] = {
	"main;core::ops::function::FnOnce::call_once;a::run::{closure#3};a::run;a::run::{closure#0}"
	";malloc 7",
	"main;rustc_query_impl::get_query::typeck;rustc_query_system::x::y;rustc_query_impl::"
	"dynamic_query::"
	"typeck::{closure#2};t::<A>::f 20",
	"main;rustc_query_impl::get_query::typeck;t::<B>::f 1",
	"core::rt::begin 5",
	NULL,
};

static void call_tree__plumbing__counts_for_its_caller(void **state)
{
	(void)state;
	expect(compiler, &(struct call_tree_options){ .min_share = 0 },
	       "28 0 0 main\n 21 0 1 query typeck\n 21 21 2 t::<…>::f\n"
	       " 7 0 1 a::run::{closure}\n 7 7 2 a::run\n"
	       "5 5 0 [plumbing]\n");
	expect(compiler, &(struct call_tree_options){ .full_names = true },
	       "28 0 0 main\n 21 0 1 query typeck\n  20 20 2 t::<A>::f\n  1 1 2 t::<B>::f\n"
	       " 7 0 1 a::run::{closure#3}\n 7 0 2 a::run\n 7 7 3 a::run::{closure#0}\n"
	       "5 5 0 [plumbing]\n");
	expect(compiler, &(struct call_tree_options){ .plumbing = true, .min_share = 50 },
	       "28 0 0 main below 7\n21 0 1 rustc_query_impl::get_query::typeck below 1\n"
	       "20 0 2 rustc_query_system::x::y\n"
	       "20 0 3 rustc_query_impl::dynamic_query::typeck::{closure}\n"
	       "20 20 4 t::<…>::f\n1 0 2 minor +1\n7 0 1 minor +1\n5 0 0 +1\n");
}

/* As a PDB names them. */
static void call_tree__plumbing_of_windows__counts_for_its_caller(void **state)
{
	static const char *const windows[] = {
		"BaseThreadInitThunk;std::rt::lang_start::closure$0<tuple$<> >;a::run<u8>;"
		"a::run::closure$3<u8>;scoped_tls::ScopedKey<A>::with<B>;a::run::closure$3::"
		"closure$0<u8>;b 7",
		"BaseThreadInitThunk;a::run<u8>;c::f;a::run::closure$0<u8> 2",
		"BaseThreadInitThunk;a::run<u8>;rustc_query_system::query::plumbing::get_query<A>;"
		"core::ops::function::FnOnce::call_once<rustc_query_impl::query_impl::typeck::"
		"dynamic_query::"
		"closure_env$2,tuple$<> >;rustc_hir_typeck::typeck 20",
		"BaseThreadInitThunk;a::run<u8>;rustc_session::session::Session::time<A,B>;"
		"rustc_middle::ty::context::TyCtxt::par_x 5",
		NULL,
	};

	(void)state;
	expect(windows, &(struct call_tree_options){ .min_share = 0 },
	       "34 5 0 a::run<…>\n 20 0 1 query typeck\n 20 20 2 rustc_hir_typeck::typeck\n"
	       " 7 7 1 b\n 2 0 1 c::f\n 2 2 2 a::run::{closure}<…>\n");
}

static void call_tree__function_that_calls_itself__is_one_row(void **state)
{
	static const char *const direct[] = { "a;f 1", "a;f;f 2", "a;f;f;f;b 4", NULL };
	static const char *const cycle[] = { "a;f;g;f;g;f 1", "a;f;g;h 2", "a;f;g;f;h 4", NULL };
	/* Other type arguments are another function; what is left out is not in the way. */
	static const char *const types[] = { "r::<A>::f;r::<B>::f 1",
					     "r::<A>::f;core::x;r::<A>::f;core::y 2", NULL };
	static const char *const long_cycle[] = { "f;a;b;c;d;e;g;h;i;j;k;l;f 1",
						  "m;f;a;b;c;d;e;g;h;i;j;k;l;n;f 2", NULL };

	(void)state;
	expect(direct, &(struct call_tree_options){ .min_share = 0 },
	       "7 0 0 a\n7 3 1 ×3 f\n4 4 2 b\n");
	/* What the inner f has and calls is not g's. */
	expect(cycle, &(struct call_tree_options){ .min_share = 0 },
	       "7 0 0 a\n7 1 1 ×3 f\n 4 4 2 h\n 2 0 2 ×2 g\n 2 2 3 h\n");
	expect(types, &(struct call_tree_options){ .min_share = 0 },
	       "3 2 0 ×2 r::<…>::f\n1 1 1 r::<…>::f\n");
	expect(long_cycle, &(struct call_tree_options){ .min_share = 50 },
	       "2 0 0 m\n2 0 1 f\n2 0 2 a\n2 0 3 b\n2 0 4 c\n2 0 5 d\n2 0 6 e\n2 0 7 g\n"
	       "2 0 8 h\n2 0 9 i\n2 0 10 j\n2 0 11 k\n2 0 12 l\n2 0 13 n\n2 2 14 f\n"
	       "1 1 0 ×2 f\n");
}

static void call_tree__many_small_callees__grouped_by_what_they_belong_to(void **state)
{
	static const char *const flat[] = { "a;lib.so!0x1 4",   "a;lib.so!0x2 4",
					    "a;lib.so!0x3 4",   "a;r::x::f 5",
					    "a;<r::x::T>::g 5", "a;r::y 3",
					    "a;r::x::z::h 2",   "a;s::f 3",
					    "a;b 70",           NULL };

	(void)state;
	expect(flat, &(struct call_tree_options){ .min_share = 10 },
	       "100 0 0 a below 6\n 70 70 1 b\n 12 0 1 lib.so+3\n 12 0 1 r::x+3\n 6 0 1 minor "
	       "+2\n");
}

static const char *const random_names[] = {
	"f",         "g",         "core::x",        "query_x",
	"r::<A>::h", "r::<B>::h", "f::{closure#0}", "rustc_query_impl::get_query::typeck"
};

static const char *random_stack(struct strbuf *sb, uint64_t *seed)
{
	strbuf_clear(sb);
	for (size_t depth = 0; !depth || *seed % 7; depth++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		strbuf_addf(sb, "%s%s", depth ? ";" : "",
			    random_names[*seed >> 40 & (depth ? 7 : 1)]);
		if (depth > 20)
			break;
	}
	strbuf_addf(sb, " %d", (int)(*seed >> 50 & 63) + 1);
	return sb->buf;
}

/* A total is that of the rows below and the row itself, and the rows without caller have all. */
static void check_sums(const char *const *texts, const struct call_tree_options *options,
		       int64_t all)
{
	struct call_tree calls;
	int64_t roots = 0;

	make(&calls, texts, options);
	for (size_t i = 0; i < calls.nr; i++) {
		const struct call_tree_row *row = &calls.rows[i];
		int64_t below = row->self, minor = 0;

		if (!row->depth)
			roots += row->total;
		for (size_t k = i + 1; k < calls.nr && calls.rows[k].depth > row->depth; k++) {
			if (calls.rows[k].depth != row->depth + 1)
				continue;
			below += calls.rows[k].total;
			minor += calls.rows[k].minor ? calls.rows[k].total : 0;
		}
		if (row->name)
			assert_int_equal(below, row->total);
		assert_int_equal(row->below, minor);
		assert_true(row->others || row->name);
	}
	assert_int_equal(roots, all);
	assert_int_equal(calls.total, all);
	call_tree_release(&calls);
}

/* The values of the stacks that the function is on. */
static int64_t sum_through(const char *const *texts, const char *function)
{
	int64_t sum = 0;

	for (; *texts; texts++) {
		const char *value = strrchr(*texts, ' ');
		bool found = false;

		for (const char *name = *texts; name < value; name += strcspn(name, "; ") + 1)
			found |= strcspn(name, "; ") == strlen(function) &&
				 text_starts_with(name, function);
		sum += found ? strtoll(value, NULL, 10) : 0;
	}
	return sum;
}

/* Calls of each function and its callers have what the stacks through it have. */
static void check_focus(const char *const *texts, struct call_tree_options options)
{
	struct strvec focus = STRVEC_INIT;

	options.focus = &focus;
	for (size_t i = 0; i < ARRAY_SIZE(random_names); i++) {
		strvec_clear(&focus);
		strvec_push(&focus, random_names[i]);
		check_sums(texts, &options, sum_through(texts, random_names[i]));
	}
	strvec_release(&focus);
}

/* Whatever is folded, the sum stays. */
static void call_tree__any_options__sums_stay(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 16; bits++) {
		static const double shares[] = { 0, 1, 12, 99 };
		const struct call_tree_options options = { .inverted = bits & 1,
							   .plumbing = bits & 2,
							   .min_share = shares[bits >> 2] };
		uint64_t seed = bits + 1;

		check_sums(compiler, &options, 33);
		for (int round = 0; round < 100; round++) {
			struct strbuf sb[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT,
						STRBUF_INIT };
			const char *texts[ARRAY_SIZE(sb) + 1] = { NULL };
			int64_t all = 0;

			for (size_t i = 0; i < ARRAY_SIZE(sb); i++) {
				texts[i] = random_stack(&sb[i], &seed);
				all += strtoll(strrchr(texts[i], ' '), NULL, 10);
			}
			check_sums(texts, &options, all);
			check_focus(texts, options);
			for (size_t i = 0; i < ARRAY_SIZE(sb); i++)
				strbuf_release(&sb[i]);
		}
	}
}

/* Rows of at least a share are those of the tree of all rows. */
static void check_share(const char *const *texts, double share, bool plumbing)
{
	const struct call_tree_options options[2] = {
		{ .plumbing = plumbing }, { .plumbing = plumbing, .min_share = share }
	};
	struct call_tree all, large;
	int64_t least;
	size_t at = 0;

	make(&all, texts, &options[0]);
	make(&large, texts, &options[1]);
	assert_int_equal(large.total, all.total);
	least = (int64_t)((double)all.total * share / 100);
	for (size_t i = 0; i < all.nr; i++) {
		const struct call_tree_row *row = &all.rows[i], *same;

		if (!row->name || row->total < least)
			continue;
		while (at < large.nr && !large.rows[at].name)
			at++;
		assert_true(at < large.nr);
		same = &large.rows[at++];
		assert_string_equal(same->name, row->name);
		assert_int_equal(same->total, row->total);
		assert_int_equal(same->self, row->self);
		assert_int_equal(same->depth, row->depth);
		assert_int_equal(same->calls, row->calls);
	}
	while (at < large.nr && !large.rows[at].name)
		at++;
	assert_int_equal(at, large.nr);
	call_tree_release(&all);
	call_tree_release(&large);
}

static void call_tree__large_rows__do_not_depend_on_small_ones(void **state)
{
	uint64_t seed = 77;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct strbuf sb[8] = { STRBUF_INIT };
		const char *texts[ARRAY_SIZE(sb) + 1] = { NULL };

		for (size_t i = 0; i < ARRAY_SIZE(sb); i++) {
			sb[i] = (struct strbuf)STRBUF_INIT;
			texts[i] = random_stack(&sb[i], &seed);
		}
		threads = 1 + round % 3 / 2;
		check_share(texts, round % 40, round % 2);
		for (size_t i = 0; i < ARRAY_SIZE(sb); i++)
			strbuf_release(&sb[i]);
	}
	threads = 1;
}

/* Those with the largest values first; queries by their rows. */
static void call_hint_add__unknown_names__the_nearest(void **state)
{
	static const char *const texts[] = {
		"main;a::check_expr 10",
		"main;a::check_expr;a::check_pat 20",
		"main;rustc_query_impl::get_query::typeck;b::<u8>::check_all 15",
		"main;a::check_gone 0",
		NULL,
	};
	struct strvec focus = STRVEC_INIT, ignore = STRVEC_INIT;
	const struct call_tree_options options = { .focus = &focus, .ignore = &ignore };
	struct strbuf notes = STRBUF_INIT;
	struct call_tree calls;

	(void)state;
	strvec_push(&focus, "check_");
	strvec_push(&focus, "typek");
	strvec_push(&focus, "check_p*");
	strvec_push(&ignore, "min");
	strvec_push(&ignore, "b::*");
	make_with_notes(&calls, texts, &options, &notes);
	assert_string_equal(
		notes.buf,
		"no function on the stacks matches --focus 'check_' (did you mean 'check_expr', "
		"'check_pat' or 'check_all'?), '*check_*' matches 3 functions\n"
		"no function on the stacks matches --focus 'typek' (did you mean 'query typeck'?)\n"
		"no function on the stacks matches --ignore 'min' (did you mean 'main'?)\n");
	assert_int_equal(calls.total, 20);
	strbuf_release(&notes);
	call_tree_release(&calls);
	strvec_release(&focus);
	strvec_release(&ignore);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_tree__rows__the_largest_first_chains_not_indented),
		cmocka_unit_test(call_tree__only_callee__is_chained),
		cmocka_unit_test(call_tree__small_callees__are_one_row),
		cmocka_unit_test(call_tree__inlined_functions__are_callees),
		cmocka_unit_test(call_tree__inlined_function_that_calls_itself__is_one_row),
		cmocka_unit_test(call_tree__inverted__who_called_it),
		cmocka_unit_test(call_tree__focus_and_ignore__by_patterns),
		cmocka_unit_test(call_tree__inverted_focus_on_a_cycle__has_what_inner_calls_have),
		cmocka_unit_test(call_tree__focus_on_a_full_name__not_others_with_its_short_name),
		cmocka_unit_test(call_tree__focus_on_a_closure__is_a_row_below_its_function),
		cmocka_unit_test(call_tree__plumbing__counts_for_its_caller),
		cmocka_unit_test(call_tree__plumbing_of_windows__counts_for_its_caller),
		cmocka_unit_test(call_tree__function_that_calls_itself__is_one_row),
		cmocka_unit_test(call_tree__many_small_callees__grouped_by_what_they_belong_to),
		cmocka_unit_test(call_tree__any_options__sums_stay),
		cmocka_unit_test(call_tree__large_rows__do_not_depend_on_small_ones),
		cmocka_unit_test(call_hint_add__unknown_names__the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
