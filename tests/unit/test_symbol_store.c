#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "symbol/symbol_store.h"
#include "util/array.h"
#include "util/strbuf.h"

static char driver_path[] = "/b/librustc_driver.so", plain_path[] = "/b/odd\tname\\\n",
	    kernel_path[] = "[kernel.kallsyms]";

static const struct module driver = { .kind = MODULE_FILE,
				      .path = driver_path,
				      .name = driver_path,
				      .id = { 0xab, 1 },
				      .id_length = 2 };
static const struct module plain = { .kind = MODULE_FILE, .path = plain_path, .name = plain_path };
static const struct module kernel = { .kind = MODULE_KERNEL,
				      .path = kernel_path,
				      .name = kernel_path };

static const char *const aliases[] = { "also\\one", "also\ttwo\nlines" };

static void fill(struct symbol_store *store)
{
	static const struct symbol symbols[] = {
		{ 0x1000, 0x1100, "_RNvC1a1b", NULL, 0 },
		{ 0x800, 0x810, "short", aliases, 2 },
		{ 0x1000, 0x1100, "_RNvC1a1b", NULL, 0 },
	};
	static const struct symbol other = { 0x10, UINT64_MAX, "__longer_names_do_not_win", aliases,
					     1 };
	static const struct symbol read = { 0x40, 0x80, "__x64_sys_read", NULL, 0 };
	static const struct symbol_line inlined[] = { { "inner", "/src/inner.rs", 7 },
						      { "middle", NULL, 0 },
						      { NULL, "/src/outer.rs", UINT32_MAX } };
	static const struct symbol_line leaf[] = { { "inner", "/src/inner.rs", 9 } };

	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++)
		symbol_store_add(store, &driver, &symbols[i]);
	symbol_store_add(store, &plain, &other);
	symbol_store_add(store, &kernel, &read);
	symbol_store_add_lines(store, &driver, 0x1010, inlined, ARRAY_SIZE(inlined));
	symbol_store_add_lines(store, &driver, 0x1008, leaf, ARRAY_SIZE(leaf));
	symbol_store_add_lines(store, &driver, 0x1009, leaf, 0);
	symbol_store_ready(store);
}

static void expect_name(const struct symbol_store *store, const struct module *module,
			uint64_t offset, const char *expected)
{
	struct symbol symbol;
	bool found = symbol_store_find(store, module, offset, &symbol);

	assert_int_equal(found, expected != NULL);
	if (found)
		assert_string_equal(symbol.name, expected);
}

static void expect_filled(const struct symbol_store *store)
{
	const struct symbol_line *lines;
	struct symbol symbol;

	expect_name(store, &driver, 0x10ff, "_RNvC1a1b");
	expect_name(store, &driver, 0x1100, NULL);
	expect_name(store, &plain, 0x100, "__longer_names_do_not_win");
	expect_name(store, &plain, 0xf, NULL);
	expect_name(store, &kernel, 0x50, "__x64_sys_read");
	assert_true(symbol_store_find(store, &driver, 0x80f, &symbol));
	assert_string_equal(symbol.name, "short");
	assert_int_equal(symbol.start, 0x800);
	assert_int_equal(symbol.end, 0x810);
	assert_int_equal(symbol.also_nr, 2);
	assert_string_equal(symbol.also[0], aliases[0]);
	assert_string_equal(symbol.also[1], aliases[1]);

	assert_int_equal(symbol_store_lines(store, &driver, 0x1010, &lines), 3);
	assert_string_equal(lines[0].function, "inner");
	assert_string_equal(lines[0].file, "/src/inner.rs");
	assert_int_equal(lines[0].line, 7);
	assert_string_equal(lines[1].function, "middle");
	assert_null(lines[1].file);
	assert_null(lines[2].function);
	assert_int_equal(lines[2].line, UINT32_MAX);
	assert_int_equal(symbol_store_lines(store, &driver, 0x1008, &lines), 1);
	assert_int_equal(lines[0].line, 9);
	assert_int_equal(symbol_store_lines(store, &driver, 0x1009, &lines), 0);
	assert_int_equal(symbol_store_lines(store, &plain, 0x1008, &lines), 0);
}

/* Write and read again, with one more file from the caller where it has one. */
static struct symbol_store *write_and_read(struct symbol_store *store, struct strbuf *texts)
{
	struct symbol_store *again = symbol_store_new();
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path;

	assert_int_equal(symbol_store_write_names(store, dir, "symbols", &err), 0);
	path = xasprintf("%s/symbols/" SYMBOL_STORE_STACKS, dir);
	assert_false(fs_exists(path));
	free(path);
	assert_int_equal(symbol_store_write_stacks(store, dir, "symbols", &err), 0);
	for (size_t i = 0; symbol_store_files[i]; i++) {
		struct strbuf sb = STRBUF_INIT;
		uint64_t damaged = 99;

		path = xasprintf("%s/symbols/%s", dir, symbol_store_files[i]);
		assert_int_equal(fs_read(path, 1 << 20, &sb, &err), 0);
		assert_int_equal(symbol_store_parse(again, path, sb.buf, sb.len, &damaged, &err),
				 0);
		assert_int_equal(damaged, 0);
		if (texts)
			strbuf_add(texts, sb.buf, sb.len);
		strbuf_release(&sb);
		free(path);
	}
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(dir);
	return again;
}

static void symbol_store__written_and_read__is_the_same(void **state)
{
	struct symbol_store *store = symbol_store_new(), *again, *third;
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;

	(void)state;
	fill(store);
	expect_filled(store);
	again = write_and_read(store, &first);
	expect_filled(again);
	third = write_and_read(again, &second);
	expect_filled(third);
	assert_string_equal(first.buf, second.buf);
	assert_string_equal(first.buf,
			    "stagetrace-functions 1\n"
			    "module\tab01\t/b/librustc_driver.so\n"
			    "800\t10\tshort\talso\\\\one\talso\\ttwo\\nlines\n"
			    "1000\t100\t_RNvC1a1b\n"
			    "module\t-\t/b/odd\\tname\\\\\\n\n"
			    "10\tffffffffffffffef\t__longer_names_do_not_win\talso\\\\one\n"
			    "module\t-\t[kernel.kallsyms]\tkernel\n"
			    "40\t40\t__x64_sys_read\n"
			    "stagetrace-lines 1\n"
			    "module\tab01\t/b/librustc_driver.so\n"
			    "file\t0\t/src/inner.rs\n"
			    "name\t0\tinner\n"
			    "1008\t0:0:9\n"
			    "name\t1\tmiddle\n"
			    "file\t1\t/src/outer.rs\n"
			    "1010\t0:0:7\t1:-:0\t-:1:4294967295\n"
			    "stagetrace-stacks 1\n");
	symbol_store_free(store);
	symbol_store_free(again);
	symbol_store_free(third);
	strbuf_release(&first);
	strbuf_release(&second);
}

static void symbol_store_find__module__is_found_by_build_id_else_path(void **state)
{
	struct symbol_store *store = symbol_store_new();
	struct module moved = driver, filled = driver, other = driver, without = driver;

	(void)state;
	fill(store);
	moved.path = plain_path;
	filled.id_length = MODULE_ID_MAX;
	other.id[1] = 2;
	without.id_length = 0;
	expect_name(store, &moved, 0x1000, "_RNvC1a1b");
	expect_name(store, &filled, 0x1000, "_RNvC1a1b");
	expect_name(store, &other, 0x1000, NULL);
	expect_name(store, &without, 0x1000, NULL);
	symbol_store_free(store);
}

static void symbol_store_find__empty__finds_nothing(void **state)
{
	struct symbol_store *store = symbol_store_new();
	const struct symbol_line *lines;

	(void)state;
	expect_name(store, &driver, 0, NULL);
	assert_int_equal(symbol_store_lines(store, &driver, 0, &lines), 0);
	symbol_store_free(store);
	symbol_store_free(NULL);
}

static void init_tables(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	module_table_init(&machine->modules);
	stack_table_init(&machine->stacks);
}

static void release_tables(struct machine *machine)
{
	module_table_release(&machine->modules);
	stack_table_release(&machine->stacks);
}

static uint32_t push(struct machine *machine, uint32_t parent, const char *path, uint64_t offset)
{
	struct trace_map map = { .path = path, .code = true };
	uint32_t module = path ? module_table_intern(&machine->modules, &map) : 0;

	return stack_table_push(&machine->stacks, parent,
				stack_table_frame(&machine->stacks, module, offset));
}

/* "path+offset;..." root first */
static void expect_stack(const struct machine *machine, uint32_t stack, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t path[256];
	size_t nr = 0;

	for (; stack != STACK_EMPTY; stack = machine->stacks.nodes[stack].parent)
		path[nr++] = machine->stacks.nodes[stack].frame;
	while (nr--) {
		const struct frame *frame = &machine->stacks.frames[path[nr]];

		if (path[nr] < FRAME_FIRST)
			strbuf_addf(&sb, "(%u)", path[nr]);
		else
			strbuf_addf(&sb, "%s+%x", machine->modules.v[frame->module].path,
				    (unsigned)frame->offset);
		strbuf_addc(&sb, nr ? ';' : '.');
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void symbol_store_stack__written_and_read__same_frames(void **state)
{
	struct symbol_store *store = symbol_store_new(), *again;
	struct machine from, to;
	uint32_t root, mid, leaf, unknown;
	bool complete = false;

	(void)state;
	init_tables(&from);
	root = push(&from, STACK_EMPTY, "/bin/a", 0x10);
	mid = push(&from, root, "/lib/b", 0x20);
	leaf = push(&from, mid, "//anon", 0x30);
	unknown = push(&from, mid, NULL, 0x40);
	unknown = stack_table_push(&from.stacks, unknown, FRAME_TRUNCATED);
	symbol_store_add_stack(store, &from, 0x500, leaf, true);
	symbol_store_add_stack(store, &from, 0x400, unknown, false);
	symbol_store_add_stack(store, &from, UINT64_MAX, mid, true);
	symbol_store_add_stack(store, &from, 0x600, STACK_EMPTY, false);
	release_tables(&from);
	again = write_and_read(store, NULL);

	init_tables(&to);
	push(&to, STACK_EMPTY, "/lib/other", 0x99);
	expect_stack(&to, symbol_store_stack(again, &to, 0x500, &complete),
		     "/bin/a+10;/lib/b+20;//anon+30.");
	assert_true(complete);
	expect_stack(&to, symbol_store_stack(again, &to, 0x400, &complete),
		     "/bin/a+10;/lib/b+20;(2);(0).");
	assert_false(complete);
	expect_stack(&to, symbol_store_stack(again, &to, UINT64_MAX, &complete),
		     "/bin/a+10;/lib/b+20.");
	assert_int_equal(symbol_store_stack(again, &to, 0x600, &complete), STACK_EMPTY);
	assert_int_equal(symbol_store_stack(again, &to, 0x501, &complete), STACK_EMPTY);
	/* What was the same node stays one. */
	assert_int_equal(to.stacks.nodes_nr, 1 + 1 + 5);
	release_tables(&to);
	symbol_store_free(store);
	symbol_store_free(again);
}

static void symbol_store_stack__another_machine__has_ids_of_its_own(void **state)
{
	static const char text[] = "stagetrace-stacks 1\nmodule\t-\t/a\nframe\t1\nframe\t2\n"
				   "stack\t0\t3\nstack\t1\t4\ncopy\t7\t2\twhole\n";
	struct symbol_store *store = symbol_store_new();
	struct machine one, two;
	struct err err = ERR_INIT;
	uint64_t damaged;
	bool complete;

	(void)state;
	assert_int_equal(
		symbol_store_parse(store, "stacks.txt", text, strlen(text), &damaged, &err), 0);
	assert_int_equal(damaged, 0);
	init_tables(&one);
	init_tables(&two);
	push(&two, push(&two, STACK_EMPTY, "/b", 0), "/c", 0);
	for (int i = 0; i < 2; i++) {
		expect_stack(&one, symbol_store_stack(store, &one, 7, &complete), "/a+1;/a+2.");
		expect_stack(&two, symbol_store_stack(store, &two, 7, &complete), "/a+1;/a+2.");
	}
	release_tables(&one);
	release_tables(&two);
	symbol_store_free(store);
}

static void symbol_store_stack__deep__is_whole(void **state)
{
	enum { DEPTH = 1000 };
	struct symbol_store *store = symbol_store_new();
	struct machine from, to;
	uint32_t stack = STACK_EMPTY;
	bool complete;

	(void)state;
	init_tables(&from);
	init_tables(&to);
	for (uint64_t i = 0; i < DEPTH; i++)
		stack = push(&from, stack, "/a", i);
	symbol_store_add_stack(store, &from, 1, stack, true);
	stack = symbol_store_stack(store, &to, 1, &complete);
	for (uint64_t i = DEPTH; i--; stack = to.stacks.nodes[stack].parent)
		assert_int_equal(to.stacks.frames[to.stacks.nodes[stack].frame].offset, i);
	assert_int_equal(stack, STACK_EMPTY);
	release_tables(&from);
	release_tables(&to);
	symbol_store_free(store);
}

static void symbol_store_parse__too_deep_a_stack__is_damaged(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct symbol_store *store = symbol_store_new();
	struct machine machine;
	struct err err = ERR_INIT;
	uint64_t damaged;
	bool complete;

	(void)state;
	strbuf_adds(&text, "stagetrace-stacks 1\nmodule\t-\t/a\nframe\t1\n");
	for (uint32_t i = 0; i < STACK_DEPTH_MAX + 2; i++)
		strbuf_addf(&text, "stack\t%u\t3\n", i);
	strbuf_addf(&text, "copy\t7\t%u\twhole\n", STACK_DEPTH_MAX + 2);
	assert_int_equal(
		symbol_store_parse(store, "stacks.txt", text.buf, text.len, &damaged, &err), 0);
	assert_int_equal(damaged, 1);
	init_tables(&machine);
	expect_stack(&machine, symbol_store_stack(store, &machine, 7, &complete), "/a+1.");
	release_tables(&machine);
	symbol_store_free(store);
	strbuf_release(&text);
}

static void symbol_store_parse__damaged_lines__are_counted(void **state)
{
	static const struct {
		const char *name, *text;
		uint64_t damaged;
	} cases[] = {
		{ "functions.txt", "stagetrace-functions 1\n", 0 },
		{ "functions.txt", "stagetrace-functions 1\n1\t1\tno module\n", 1 },
		{ "functions.txt",
		  "stagetrace-functions 1\nmodule\t-\t/a\n\n1\n1\t1\n1\t0\tn\nx\t1\tn\n1\t1\t\n"
		  "1\t1\tb\\x\n1\t1\tb\\\nffffffffffffffff\t2\tn\n10000000000000000\t1\tn\n"
		  "-1\t1\tn\nA\t1\tn\n5\t5\tgood\n9\t1\tcut off",
		  13 },
		{ "functions.txt",
		  "stagetrace-functions 1\nmodule\nmodule\t-\nmodule\tabc\t/a\nmodule\tzz\t/a\n"
		  "module\t\t/a\nmodule\t-\t\nmodule\t-\t/a\tuser\n1\t1\tn\n"
		  "module\t000102030405060708090a0b0c0d0e0f1011121314\t/a\n",
		  9 },
		{ "lines.txt",
		  "stagetrace-lines 1\nname\t0\tf\nfile\t0\t/f\nmodule\t-\t/a\n1\t0:0:1\n"
		  "2\t1:0:1\n3\t0:1:1\n4\t0:0:\n5\t0:0\n6\t::\n7\n8\t0:0:4294967296\n"
		  "9\t0:0:1\t\nname\t1000\tgap\nname\t1\nname\t0\tagain\nname\n9\t0:-:1x\n",
		  13 },
		{ "lines.txt", "stagetrace-lines 1\nfile\nname\n", 2 },
		{ "stacks.txt",
		  "stagetrace-stacks 1\nframe\t1\nmodule\t-\t/a\nframe\t1\nframe\tx\nframe\n"
		  "stack\t0\t4\nstack\t2\t4\nstack\t0\t7\nstack\t0\nstack\tx\t3\n"
		  "copy\t1\t1\twhole\ncopy\t2\t1\tmaybe\ncopy\t3\t6\tcut\ncopy\t4\t1\n"
		  "copy\tx\t1\tcut\nother\t1\n",
		  12 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_store *store = symbol_store_new();
		struct err err = ERR_INIT;
		uint64_t damaged = 99;

		assert_int_equal(symbol_store_parse(store, cases[i].name, cases[i].text,
						    strlen(cases[i].text), &damaged, &err),
				 0);
		assert_int_equal(damaged, cases[i].damaged);
		symbol_store_free(store);
	}
}

static void symbol_store_parse__no_such_file__says_so(void **state)
{
	static const struct {
		const char *name, *text;
		enum err_code code;
	} cases[] = {
		{ "functions.txt", "", ERR_CORRUPT },
		{ "functions.txt", "stagetrace-functions 1", ERR_CORRUPT },
		{ "functions.txt", "stagetrace-lines 1\n", ERR_CORRUPT },
		{ "functions.txt", "stagetrace-functions x\n", ERR_CORRUPT },
		{ "functions.txt", "stagetrace-functions 0\n", ERR_CORRUPT },
		{ "functions.txt", "stagetrace-functions 2\n", ERR_UNSUPPORTED },
		{ "/r/stacks.txt", "stagetrace-stacks 17\n", ERR_UNSUPPORTED },
		{ "other.txt", "stagetrace-functions 1\n", ERR_CORRUPT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_store *store = symbol_store_new();
		struct err err = ERR_INIT;
		uint64_t damaged;

		assert_int_equal(symbol_store_parse(store, cases[i].name, cases[i].text,
						    strlen(cases[i].text), &damaged, &err),
				 -1);
		assert_int_equal(err.code, cases[i].code);
		err_clear(&err);
		symbol_store_free(store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_store__written_and_read__is_the_same),
		cmocka_unit_test(symbol_store_find__module__is_found_by_build_id_else_path),
		cmocka_unit_test(symbol_store_find__empty__finds_nothing),
		cmocka_unit_test(symbol_store_stack__written_and_read__same_frames),
		cmocka_unit_test(symbol_store_stack__another_machine__has_ids_of_its_own),
		cmocka_unit_test(symbol_store_stack__deep__is_whole),
		cmocka_unit_test(symbol_store_parse__too_deep_a_stack__is_damaged),
		cmocka_unit_test(symbol_store_parse__damaged_lines__are_counted),
		cmocka_unit_test(symbol_store_parse__no_such_file__says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
