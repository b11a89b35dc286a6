#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/folded.h"
#include "report/frame_merge.h"
#include "util/array.h"

#include "capture.h"
#include "stream.h"

/* At least as many frames as the writer walks at once. */
#define WALKED_AT_ONCE 8192

static FILE *file_with(const char *text, size_t len)
{
	FILE *file = stream_new();

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	rewind(file);
	return file;
}

static char *write_text(const struct frame_tree *tree)
{
	FILE *file = capture_start();

	folded_write(tree, file);
	return capture_end(file);
}

/* `text` read and written again. */
static void expect_back(const char *text, size_t len, const char *expected, uint64_t damaged,
			const char *first)
{
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	FILE *file = file_with(text, len);
	struct err err = ERR_INIT;
	struct frame_tree tree;
	char *back;

	frame_tree_init(&tree);
	assert_int_equal(folded_read(file, &tree, &damage, &err), 0);
	back = write_text(&tree);
	assert_string_equal(back, expected);
	assert_int_equal(damage.lines, damaged);
	assert_string_equal(damage.first.buf, first);
	free(back);
	fclose(file);
	folded_damage_release(&damage);
	frame_tree_release(&tree);
}

static void add(struct frame_tree *tree, const char *const *frames, int64_t value)
{
	uint32_t node = FRAME_TREE_ROOT;

	for (; *frames; frames++)
		node = frame_tree_child(tree, node,
					frame_tree_name(tree, *frames, strlen(*frames)));
	assert_true(frame_tree_add(tree, node, value));
}

static void folded_write__stacks__root_first_sorted_once(void **state)
{
	static const char *const stacks[][4] = {
		{ "main", "b", "c", NULL }, { "main", "a", NULL },      { "main", "b", NULL },
		{ "main", "b", "c", NULL }, { "_start", "main", NULL },
	};
	struct frame_tree tree;
	char *text;

	(void)state;
	frame_tree_init(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		add(&tree, stacks[i], (int64_t)i + 1);
	assert_int_equal(tree.total, 15);
	text = write_text(&tree);
	assert_string_equal(text, "_start;main 5\n"
				  "main;a 2\n"
				  "main;b 3\n"
				  "main;b;c 5\n");
	free(text);
	frame_tree_release(&tree);
}

static void folded_write__names_that_break_lines__are_harmless_and_merged(void **state)
{
	static const char *const stacks[][3] = {
		{ "<[u8; 4]>::f", "a\nb", NULL },
		{ "<[u8: 4]>::f", "a_b", NULL },
		{ "<[u8; 4]>::f", "", NULL },
		{ "<T as U>::g\x7f", NULL },
		{ "gr\xc3\xbcn\xff\x9b", "\xe2\x80\xaetxt\xc2\x9b", NULL },
	};
	struct frame_tree tree;
	char *text;

	(void)state;
	frame_tree_init(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		add(&tree, stacks[i], 10);
	text = write_text(&tree);
	assert_string_equal(text, "<T as U>::g_ 10\n"
				  "<[u8: 4]>::f;_ 10\n"
				  "<[u8: 4]>::f;a_b 20\n"
				  "gr\xc3\xbcn\xff_;_txt_ 10\n");
	free(text);
	frame_tree_release(&tree);
}

static void folded_write__nothing__no_line(void **state)
{
	struct frame_tree tree;
	char *text;

	(void)state;
	frame_tree_init(&tree);
	text = write_text(&tree);
	assert_string_equal(text, "");
	free(text);
	frame_tree_release(&tree);
}

/* A caller of many functions, all of which call one. */
static void folded_write__more_than_is_walked_at_once__is_whole(void **state)
{
	struct strbuf expected = STRBUF_INIT;
	struct frame_tree tree;
	uint32_t caller;
	char *text;

	(void)state;
	frame_tree_init(&tree);
	caller = frame_tree_child(&tree, FRAME_TREE_ROOT, frame_tree_name(&tree, "main", 4));
	for (unsigned i = WALKED_AT_ONCE; i-- > 0;) {
		char name[16];
		uint32_t node;

		snprintf(name, sizeof(name), "f%05u", i);
		node = frame_tree_child(&tree, caller, frame_tree_name(&tree, name, strlen(name)));
		node = frame_tree_child(&tree, node, frame_tree_name(&tree, "leaf", 4));
		assert_true(frame_tree_add(&tree, node, (int64_t)i + 1));
	}
	for (unsigned i = 0; i < WALKED_AT_ONCE; i++)
		strbuf_addf(&expected, "main;f%05u;leaf %u\n", i, i + 1);
	text = write_text(&tree);
	assert_string_equal(text, expected.buf);
	free(text);
	strbuf_release(&expected);
	frame_tree_release(&tree);
}

static void frame_tree_add__what_cannot_be_added__is_refused(void **state)
{
	struct frame_tree tree;
	uint32_t node;

	(void)state;
	frame_tree_init(&tree);
	node = frame_tree_child(&tree, FRAME_TREE_ROOT, frame_tree_name(&tree, "a", 1));
	assert_false(frame_tree_add(&tree, node, 0));
	assert_false(frame_tree_add(&tree, node, -5));
	assert_true(frame_tree_add(&tree, node, INT64_MAX - 1));
	assert_false(frame_tree_add(&tree, node, 2));
	assert_int_equal(tree.total, INT64_MAX - 1);
	assert_int_equal(tree.nodes[node].self, INT64_MAX - 1);
	frame_tree_release(&tree);
}

static void frame_tree_child__what_was_appended__is_found(void **state)
{
	enum { NR = 3000 };
	struct frame_tree tree;
	uint32_t name;

	(void)state;
	frame_tree_init(&tree);
	name = frame_tree_name(&tree, "a", 1);
	for (uint32_t i = 0; i < NR; i++)
		assert_int_equal(frame_tree_append(&tree, i, name), i + 1);
	for (uint32_t i = 0; i < NR; i++)
		assert_int_equal(frame_tree_child(&tree, i, name), i + 1);
	assert_int_equal(frame_tree_child(&tree, NR, name), NR + 1);
	assert_int_equal(frame_tree_append(&tree, NR + 1, name), NR + 2);
	assert_int_equal(frame_tree_child(&tree, NR + 1, name), NR + 2);
	assert_int_equal(tree.nodes_nr, NR + 3);
	frame_tree_release(&tree);
}

static void frame_tree_name__what_was_appended__is_found(void **state)
{
	enum { NR = 3000 };
	struct frame_tree tree;
	char text[16];

	(void)state;
	frame_tree_init(&tree);
	assert_int_equal(frame_tree_name(&tree, "first", 5), 0);
	for (uint32_t i = 1; i < NR; i++) {
		snprintf(text, sizeof(text), "name %u", (unsigned)i);
		assert_int_equal(frame_tree_append_name(&tree, text, strlen(text)), i);
	}
	for (uint32_t i = 1; i < NR; i++) {
		snprintf(text, sizeof(text), "name %u", (unsigned)i);
		assert_int_equal(frame_tree_name(&tree, text, strlen(text)), i);
	}
	assert_int_equal(frame_tree_name(&tree, "first", 5), 0);
	assert_int_equal(frame_tree_name(&tree, "new", 3), NR);
	assert_int_equal(frame_tree_append_name(&tree, "newer", 5), NR + 1);
	assert_int_equal(frame_tree_name(&tree, "newer", 5), NR + 1);
	assert_int_equal(tree.names_nr, NR + 2);
	frame_tree_release(&tree);
}

/* Names that begin alike, end in each other, and go above 127, many enough of each. */
static uint32_t add_ranked(struct frame_tree *tree)
{
	static const char *const starts[] = {
		"",
		"lib.so!0x",
		"lib.so.19!0x",
		"\xc3\xa9",
		"a long one that is the same for eight times eight bytes, and for more: ",
	};
	uint32_t nr = 0;

	for (unsigned i = 0; i < 1000; i++) {
		unsigned number = i * 7919 % 1000;
		char text[128];

		for (size_t k = 0; k < ARRAY_SIZE(starts); k++, nr++) {
			snprintf(text, sizeof(text), "%s%x", starts[k], number);
			assert_int_equal(frame_tree_name(tree, text, strlen(text)), nr);
		}
	}
	return nr;
}

static void frame_tree_ranks__many_names__are_in_the_order_of_their_bytes(void **state)
{
	struct frame_tree tree;
	uint32_t nr, *ranks, *names;

	(void)state;
	frame_tree_init(&tree);
	nr = add_ranked(&tree);
	ranks = frame_tree_ranks(&tree);
	names = xcalloc(nr, sizeof(*names));
	for (uint32_t i = 0; i < nr; i++) {
		assert_in_range(ranks[i], 0, nr - 1);
		names[ranks[i]] = i;
	}
	for (uint32_t i = 1; i < nr; i++)
		assert_true(strcmp(tree.names[names[i - 1]].text, tree.names[names[i]].text) < 0);
	free(names);
	free(ranks);
	frame_tree_release(&tree);
}

static void frame_tree_totals__each_node__with_what_goes_on_from_it(void **state)
{
	static const char *const stacks[][4] = {
		{ "a", NULL },
		{ "a", "b", "c", NULL },
		{ "a", "d", NULL },
	};
	struct frame_tree tree;
	int64_t *totals;

	(void)state;
	frame_tree_init(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		add(&tree, stacks[i], (int64_t)i + 1);
	totals = frame_tree_totals(&tree);
	assert_int_equal(tree.nodes_nr, 5);
	assert_int_equal(totals[0], 6); /* all, a, b, c, d in the order of their coming */
	assert_int_equal(totals[1], 6);
	assert_int_equal(totals[2], 2);
	assert_int_equal(totals[3], 2);
	assert_int_equal(totals[4], 3);
	free(totals);
	frame_tree_release(&tree);
}

/* A stack with its value, and whether it is below 3. */
static void add_small(struct frame_tree *tree)
{
	add(tree, (const char *const[]){ "a", NULL }, 1);
	add(tree, (const char *const[]){ "a", "b", NULL }, 2);
	add(tree, (const char *const[]){ "a", "b", "c", NULL }, 1);
	add(tree, (const char *const[]){ "a", "d", NULL }, 1);
	add(tree, (const char *const[]){ "a", "e", "f", NULL }, 1);
	add(tree, (const char *const[]){ "g", NULL }, 2);
	add(tree, (const char *const[]){ "h", NULL }, 1);
}

static void frame_merge__small_parts__are_one_frame_of_their_caller(void **state)
{
	static const struct {
		int64_t least;
		uint64_t gone;
		const char *text;
	} cases[] = {
		{ 0, 0, "a 1\na;b 2\na;b;c 1\na;d 1\na;e;f 1\ng 2\nh 1\n" },
		{ 2, 4, "[other] 1\na 1\na;[other] 2\na;b 2\na;b;[other] 1\ng 2\n" },
		{ 3, 5, "[other] 3\na 1\na;[other] 2\na;b 2\na;b;[other] 1\n" },
		{ 7, 7, "[other] 9\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame_tree tree;
		uint64_t length;
		char *text;

		frame_tree_init(&tree);
		add_small(&tree);
		length = frame_merge_text_length(&tree, cases[i].least, 0);
		assert_int_equal(frame_merge(&tree, cases[i].least), cases[i].gone);
		assert_int_equal(tree.total, 9);
		text = write_text(&tree);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(length, strlen(text));
		free(text);
		frame_tree_release(&tree);
	}
}

static void frame_merge__merged_before__is_one_frame_again(void **state)
{
	struct frame_tree tree;
	char *text;

	(void)state;
	frame_tree_init(&tree);
	add(&tree, (const char *const[]){ "a", "[other]", NULL }, 5);
	add_small(&tree);
	frame_merge(&tree, 3);
	text = write_text(&tree);
	assert_string_equal(text, "[other] 3\na 1\na;[other] 7\na;b 2\na;b;[other] 1\n");
	free(text);
	frame_tree_release(&tree);
}

static void folded_read__lines__are_stacks_again(void **state)
{
	static const struct {
		const char *text, *back;
		uint64_t damaged;
		const char *first;
	} cases[] = {
		{ "a;b 2\na 1\n", "a 1\na;b 2\n", 0, "" },
		{ "a;b 2", "a;b 2\n", 0, "" },
		{ "a;b 2\r\na;b 3\r\n\r\n", "a;b 5\n", 0, "" },
		{ "<A as B>::c;d e 7\n", "<A as B>::c;d e 7\n", 0, "" },
		{ "a\t12.75\n", "a 12\n", 0, "" },
		{ ";;a;;b; 3\n", "a;b 3\n", 0, "" },
		{ " 4\n", " 4\n", 0, "" },
		{ "a 0\n", "", 0, "" },
		{ "a 1\nb\nc x\n5\nd -2\ne 1.x\n", "a 1\n", 5, "line 2: no value at the end" },
		{ "a 9223372036854775807\nb 1\n", "a 9223372036854775807\n", 1,
		  "line 2: the sum of all values is too large for a number" },
		{ "a 1\nb 9223372036854775808\n", "a 1\n", 1, "line 2: no value at the end" },
		{ "", "", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_back(cases[i].text, strlen(cases[i].text), cases[i].back, cases[i].damaged,
			    cases[i].first);
	expect_back("a\0b 1\n", 6, "a?b 1\n", 0, "");
}

static void folded_read__long_lines__over_many_chunks(void **state)
{
	struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 50000; i++)
		strbuf_addf(&text, "f%05d;", i);
	strbuf_set_len(&text, text.len - 1);
	strbuf_adds(&text, " 3\n");
	strbuf_adds(&expected, text.buf);
	strbuf_pad(&text, 'x', text.len + FOLDED_LINE_MAX + 1);
	strbuf_adds(&text, " 1\nz 2\n");
	strbuf_adds(&expected, "z 2\n");
	expect_back(text.buf, text.len, expected.buf, 1, "line 2: longer than any stack");
	strbuf_release(&text);
	strbuf_release(&expected);
}

static void folded_read__no_stack_in_any_line__is_corrupt(void **state)
{
	static const char text[] = "<html>\n<p>\n";
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	FILE *file = file_with(text, strlen(text));
	struct err err = ERR_INIT;
	struct frame_tree tree;

	(void)state;
	frame_tree_init(&tree);
	assert_int_equal(folded_read(file, &tree, &damage, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_string_equal(err.msg, "not folded stacks: line 1: no value at the end");
	err_clear(&err);
	fclose(file);
	folded_damage_release(&damage);
	frame_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_write__stacks__root_first_sorted_once),
		cmocka_unit_test(folded_write__names_that_break_lines__are_harmless_and_merged),
		cmocka_unit_test(folded_write__nothing__no_line),
		cmocka_unit_test(folded_write__more_than_is_walked_at_once__is_whole),
		cmocka_unit_test(frame_tree_add__what_cannot_be_added__is_refused),
		cmocka_unit_test(frame_tree_child__what_was_appended__is_found),
		cmocka_unit_test(frame_tree_name__what_was_appended__is_found),
		cmocka_unit_test(frame_tree_ranks__many_names__are_in_the_order_of_their_bytes),
		cmocka_unit_test(frame_tree_totals__each_node__with_what_goes_on_from_it),
		cmocka_unit_test(frame_merge__small_parts__are_one_frame_of_their_caller),
		cmocka_unit_test(frame_merge__merged_before__is_one_frame_again),
		cmocka_unit_test(folded_read__lines__are_stacks_again),
		cmocka_unit_test(folded_read__long_lines__over_many_chunks),
		cmocka_unit_test(folded_read__no_stack_in_any_line__is_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
