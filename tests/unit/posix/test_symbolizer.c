#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel_symbols.h"
#include "symbol/symbolizer.h"
#include "unit/symbolizer_fixture.h"
#include "util/array.h"

extern const char symbolizer_place[];

int symbolizer_target(int x);

/* clang-format off */
enum { TARGET_LINE = __LINE__ + 3 };
__attribute__((noinline)) int symbolizer_target(int x)
{
	__asm__ volatile(".globl symbolizer_place\nsymbolizer_place: nop" : "+r"(x));
	return x + 1;
}
/* clang-format on */

static char *self_path;
static char missing_path[] = "/nonexistent/lib.so", text_path[] = "/etc/passwd",
	    vdso_path[] = "[vdso]", kernel_path[] = "[kernel.kallsyms]", anon_path[] = "//anon";

static struct module file_module(char *path)
{
	return (struct module){ .kind = MODULE_FILE, .path = path, .name = path };
}

static void set_id(struct module *module, const struct elf_file *file)
{
	const uint8_t *id;
	size_t nr;

	elf_file_id(file, &id, &nr);
	assert_in_range(nr, 1, MODULE_ID_MAX);
	memcpy(module->id, id, nr);
	module->id_length = (uint8_t)nr;
}

static struct module self_module(void)
{
	struct module module = file_module(self_path);
	struct elf_file file;
	struct err err = ERR_INIT;

	assert_int_equal(elf_file_open(SELF, &file, &err), 0);
	set_id(&module, &file);
	elf_file_close(&file);
	return module;
}

static void symbolizer_source__own_file__by_build_id(void **state)
{
	struct symbolizer_options options = { .use_files = true };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct module self = self_module(), other = self, without = file_module(self_path);
	struct elf_place place = elf_place_of((const void *)(uintptr_t)symbolizer_target);
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	expect_name(symbolizer, &self, place.offset, "symbolizer_target");
	expect_notes(symbolizer, "");
	other.id[0] ^= 1;
	expect_name(symbolizer, &other, place.offset, NULL);
	expect_name(symbolizer, &without, place.offset, "symbolizer_target");
	strbuf_addf(&notes, "%s: its build id differs from the traced one\n", self_path);
	strbuf_addf(&notes,
		    "%s: the trace has no build id for it: the file may be another version\n",
		    self_path);
	expect_notes(symbolizer, notes.buf);
	strbuf_set_len(&notes, 0);
	symbolizer_explain_flaws(symbolizer, &notes);
	assert_string_equal(notes.buf,
			    "the trace has no build id of 1 module (test_symbolizer): names come "
			    "from the current files\n");
	strbuf_release(&notes);
	symbolizer_free(symbolizer);
}

static void symbolizer_explain__no_names__says_why(void **state)
{
	struct symbolizer_options options = { .use_files = true };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct module missing = file_module(missing_path), text = file_module(text_path);
	struct module kernel = { .kind = MODULE_KERNEL, .path = kernel_path, .name = kernel_path };
	struct module anon = { .kind = MODULE_ANON, .path = anon_path, .name = anon_path };

	(void)state;
	for (int i = 0; i < 2; i++) {
		expect_name(symbolizer, &missing, 0x1000, NULL);
		expect_name(symbolizer, &text, 0x10, NULL);
		expect_name(symbolizer, &kernel, 0x10, NULL);
		expect_name(symbolizer, &anon, 0x10, NULL);
	}
	expect_notes(symbolizer, "/nonexistent/lib.so: no such file\n"
				 "/etc/passwd: not an ELF file\n"
				 "[kernel.kallsyms]: not the running kernel\n");
	symbolizer_free(symbolizer);
}

static void symbolizer_explain__many_files__the_first_are_named(void **state)
{
	struct symbolizer_options options = { .use_files = true };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct strbuf expected = STRBUF_INIT;
	char paths[13][32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct module missing;

		snprintf(paths[i], sizeof(paths[i]), "/nonexistent/%zu.so", i);
		missing = file_module(paths[i]);
		expect_name(symbolizer, &missing, 0x1000, NULL);
		if (i < 10)
			strbuf_addf(&expected, "%s: no such file\n", paths[i]);
	}
	strbuf_adds(&expected, "and 3 more such files: 'stagetrace symbols' lists all modules\n");
	expect_notes(symbolizer, expected.buf);
	strbuf_release(&expected);
	symbolizer_free(symbolizer);
}

static void symbolizer_source__store__comes_first(void **state)
{
	static const struct symbol kept = { 0x100, 0x200, "kept", NULL, 0 };
	struct symbol_store *store = symbol_store_new();
	struct symbolizer_options options = { .store = store, .use_files = false };
	struct module self = self_module(), missing = file_module(missing_path);
	struct elf_place place = elf_place_of((const void *)(uintptr_t)symbolizer_target);
	struct symbol over = { place.offset, place.offset + 1, "over", NULL, 0 };
	struct symbolizer *symbolizer;

	(void)state;
	symbol_store_add(store, &self, &kept);
	symbol_store_add(store, &self, &over);
	symbol_store_ready(store);
	symbolizer = symbolizer_new(&options);
	expect_name(symbolizer, &self, 0x180, "kept");
	expect_name(symbolizer, &self, place.offset, "over");
	expect_name(symbolizer, &self, place.offset + 1, NULL);
	expect_notes(symbolizer, "");
	expect_name(symbolizer, &missing, 0x180, NULL);
	expect_notes(symbolizer, "/nonexistent/lib.so: not among the symbols of the run\n");
	symbolizer_free(symbolizer);

	options.use_files = true;
	symbolizer = symbolizer_new(&options);
	expect_name(symbolizer, &self, place.offset, "over");
	expect_name(symbolizer, &self, place.offset + 1, "symbolizer_target");
	symbolizer_free(symbolizer);
	symbol_store_free(store);
}

static void expect_reason(struct symbolizer *symbolizer, const struct module *module,
			  enum symbol_flaw flaw, const char *why, bool recorded)
{
	struct module_names names = symbolizer_module_names(symbolizer, module);

	assert_int_equal(names.flaw, flaw);
	if (why)
		assert_string_equal(names.why, why);
	else
		assert_null(names.why);
	assert_int_equal(names.recorded, recorded);
}

/* What a run lacks has the reason that its recording has found; files that are read now have their own. */
static void symbolizer_module_names__recorded_reason__is_that_of_the_run(void **state)
{
	static const struct symbol kept = { 0x100, 0x200, "kept", NULL, 0 };
	static char named_path[] = "/a/named.so", gaps_path[] = "/a/gaps.so";
	struct symbol_store *store = symbol_store_new();
	struct symbolizer_options options = { .store = store };
	struct module missing = file_module(missing_path), text = file_module(text_path);
	struct module named = file_module(named_path), gaps = file_module(gaps_path);
	struct module kernel = { .kind = MODULE_KERNEL, .path = kernel_path, .name = kernel_path };
	struct symbolizer *symbolizer;

	(void)state;
	missing.id[0] = 0xa1;
	missing.id[1] = 0xb2;
	missing.id_length = 2;
	symbol_store_add(store, &named, &kept);
	symbol_store_ready(store);
	for (int use_files = 0; use_files < 2; use_files++) {
		options.use_files = use_files;
		symbolizer = symbolizer_new(&options);
		symbolizer_add_reason(symbolizer, "/other", "a1b2", "no-pdb", "details");
		symbolizer_add_reason(symbolizer, missing_path, "a1b2", "stripped", "the second");
		symbolizer_add_reason(symbolizer, named_path, NULL, "stripped", NULL);
		symbolizer_add_reason(symbolizer, gaps_path, "", "gaps", NULL);
		symbolizer_add_reason(symbolizer, kernel_path, NULL, "other-kernel", "hidden");
		symbolizer_add_reason(symbolizer, text_path, NULL, "not-kept", NULL);
		symbolizer_add_reason(symbolizer, text_path, NULL, "odd", NULL);
		symbolizer_add_reason(symbolizer, text_path, "zz", "no-file", NULL);
		symbolizer_add_reason(symbolizer, text_path, "a1b", "no-file", NULL);
		if (use_files) {
			expect_reason(symbolizer, &missing, SYMBOL_FILE_MISSING, "no such file",
				      false);
			expect_reason(symbolizer, &text, SYMBOL_FILE_UNREADABLE, "not an ELF file",
				      false);
		} else {
			expect_reason(symbolizer, &missing, SYMBOL_PDB_MISSING, "details", true);
			expect_reason(symbolizer, &named, SYMBOL_FILE_STRIPPED, NULL, true);
			expect_reason(symbolizer, &gaps, SYMBOL_FLAW_NONE, NULL, true);
			expect_reason(symbolizer, &kernel, SYMBOL_KERNEL_OTHER, "hidden", true);
			expect_reason(symbolizer, &text, SYMBOL_NOT_KEPT,
				      "not among the symbols of the run", false);
		}
		symbolizer_free(symbolizer);
	}
	symbol_store_free(store);
}

static void symbolizer_source__names__for_people_unless_mangled(void **state)
{
	struct symbolizer_options options = { .mangled = false };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct symbol_source source = symbolizer_source(symbolizer);
	char *name = source.demangle(source.data, "_ZN4core3fmt5write17h0123456789abcdefE");

	(void)state;
	assert_string_equal(name, "core::fmt::write");
	free(name);
	assert_null(source.demangle(source.data, "main"));
	symbolizer_free(symbolizer);
	options.mangled = true;
	symbolizer = symbolizer_new(&options);
	assert_null(symbolizer_source(symbolizer).demangle);
	symbolizer_free(symbolizer);
	symbolizer_free(NULL);
}

/* One file is two modules of the trace; of two others there is none. False: it was built without line numbers. */
static bool check_lines(int threads)
{
	struct symbolizer_options options = { .use_files = true, .threads = threads };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct symbol_store *store = symbol_store_new();
	struct module self = self_module(), again = self, other = self, anonymous = self;
	struct elf_place place = elf_place_of(symbolizer_place);
	uint64_t offsets[4][4] = { { place.offset, 0, UINT64_MAX, place.offset },
				   { place.offset },
				   { 0x10, place.offset },
				   { place.offset } };
	struct module_places places[] = {
		{ &anonymous, offsets[3], 1 },
		{ &again, offsets[1], 1 },
		{ &self, offsets[0], 4 },
		{ &other, offsets[2], 2 },
	};
	const struct symbol_line *lines;
	bool known;

	other.id[0] ^= 1;
	anonymous.kind = MODULE_ANON;
	symbolizer_add_lines(symbolizer, places, ARRAY_SIZE(places), store);
	symbolizer_add_lines(symbolizer, places, 0, store);
	symbol_store_ready(store);
	assert_int_equal(symbol_store_lines(store, &other, place.offset, &lines), 0);
	assert_int_equal(symbol_store_lines(store, &self, UINT64_MAX, &lines), 0);
	assert_int_equal(symbol_store_lines(store, &self, 0, &lines), 0);
	known = symbol_store_lines(store, &self, place.offset, &lines) == 1;
	if (known) {
		assert_string_equal(lines[0].function, "symbolizer_target");
		assert_int_equal(lines[0].line, TARGET_LINE);
	}
	symbolizer_free(symbolizer);
	symbol_store_free(store);
	return known;
}

static void symbolizer_add_lines__own_file__has_those_of_known_places(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		if (!check_lines(threads))
			skip();
	}
}

static void symbolizer_open_files__two_threads__opens_each_once(void **state)
{
	struct module self = self_module(), other = self, anonymous = self;
	const struct module *modules[] = { &self, &other, &anonymous, &self };

	(void)state;
	other.id[0] ^= 1;
	anonymous.kind = MODULE_ANON;
	for (int threads = 1; threads <= 2; threads++) {
		struct symbolizer_options options = { .use_files = true, .threads = threads };
		struct symbolizer *symbolizer = symbolizer_new(&options);
		struct symbol_source source = symbolizer_source(symbolizer);
		struct elf_place place = elf_place_of((const void *)(uintptr_t)symbolizer_target);
		struct strbuf notes = STRBUF_INIT;
		struct symbol symbol;

		symbolizer_open_files(symbolizer, modules, 4);
		assert_true(source.find(source.data, &self, place.offset, &symbol));
		assert_string_equal(symbol.name, "symbolizer_target");
		assert_false(source.find(source.data, &other, place.offset, &symbol));
		symbolizer_explain(symbolizer, &notes);
		assert_non_null(strstr(notes.buf, "its build id differs from the traced one\n"));
		assert_ptr_equal(strstr(notes.buf, "\n") + 1, notes.buf + notes.len);
		strbuf_release(&notes);
		symbolizer_free(symbolizer);
	}
}

/* A trace may name a file by any number of paths: its symbols are in memory once. */
static void symbolizer_source__one_file_by_several_paths__is_read_once(void **state)
{
	struct err err = ERR_INIT;
	char *temp = fs_temp_dir(&err), *link_path = fs_join(temp, "a"),
	     *second_path = fs_join(temp, "b");
	struct module wrong = self_module(), self = file_module(self_path),
		      first = file_module(link_path), second = self_module();
	const struct module *modules[] = { &wrong, &self, &first, &second };
	struct elf_place place = elf_place_of((const void *)(uintptr_t)symbolizer_target);

	(void)state;
	wrong.id[0] ^= 1;
	second.path = second_path;
	assert_int_equal(symlink(self_path, link_path), 0);
	assert_int_equal(symlink(self_path, second_path), 0);
	for (int threads = 0; threads <= 2; threads++) {
		struct symbolizer_options options = { .use_files = true, .threads = threads };
		struct symbolizer *symbolizer = symbolizer_new(&options);
		struct symbol_source source = symbolizer_source(symbolizer);
		struct symbol symbol, again;

		if (threads)
			symbolizer_open_files(symbolizer, modules, ARRAY_SIZE(modules));
		assert_false(source.find(source.data, &wrong, place.offset, &symbol));
		assert_true(source.find(source.data, &self, place.offset, &symbol));
		assert_string_equal(symbol.name, "symbolizer_target");
		for (size_t i = 2; i < ARRAY_SIZE(modules); i++) {
			assert_true(source.find(source.data, modules[i], place.offset, &again));
			assert_ptr_equal(again.name, symbol.name);
		}
		symbolizer_free(symbolizer);
	}
	assert_int_equal(fs_remove_tree(temp, &err), 0);
	free(link_path);
	free(second_path);
	free(temp);
}

/* The stack of the copy `id`, whose bytes are gone. */
static uint32_t ask_stack(struct symbolizer *symbolizer, struct machine *machine, uint64_t id,
			  bool *whole)
{
	struct stack_source source = symbolizer_stacks(symbolizer);
	struct trace_stack_copy copy = { .id = id };
	struct trace_stack stack = { .copy = &copy };

	*whole = true;
	return source.find(source.data, machine, NULL, NULL, &stack, whole);
}

static void symbolizer_stacks__kept_in_the_store__needs_no_file(void **state)
{
	static const char text[] = "stagetrace-stacks 1\nmodule\t-\t/a\nframe\t7\nframe\t9\n"
				   "stack\t0\t3\nstack\t1\t4\ncopy\tff\t2\tcut\n";
	struct symbol_store *store = symbol_store_new();
	struct symbolizer_options options = { .store = store };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct process_list rows = PROCESS_LIST_INIT;
	struct machine machine;
	struct err err = ERR_INIT;
	uint64_t damaged;
	uint32_t stack;
	bool whole;

	(void)state;
	assert_int_equal(
		symbol_store_parse(store, "stacks.txt", text, strlen(text), &damaged, &err), 0);
	machine_init(&machine, &rows);
	stack = ask_stack(symbolizer, &machine, 0xff, &whole);
	assert_false(whole);
	assert_int_not_equal(stack, STACK_EMPTY);
	assert_int_equal(machine.stacks.frames[machine.stacks.nodes[stack].frame].offset, 9);
	stack = machine.stacks.nodes[stack].parent;
	assert_int_equal(machine.stacks.frames[machine.stacks.nodes[stack].frame].offset, 7);
	assert_int_equal(machine.stacks.nodes[stack].parent, STACK_EMPTY);
	assert_int_equal(ask_stack(symbolizer, &machine, 0xfe, &whole), STACK_EMPTY);
	machine_release(&machine);
	process_list_release(&rows);
	symbolizer_free(symbolizer);
	symbol_store_free(store);
}

/* The offset of a function of the image by its dynamic symbols. */
static uint64_t find_in_vdso(const char *name)
{
	const unsigned char *image;
	size_t size;
	const Elf64_Ehdr *ehdr;
	const Elf64_Shdr *shdr;

	image = vdso_image(&size);
	if (!image)
		return 0;
	ehdr = (const void *)image;
	shdr = (const void *)(image + ehdr->e_shoff);
	for (int i = 0; i < ehdr->e_shnum; i++) {
		const Elf64_Sym *syms = (const void *)(image + shdr[i].sh_offset);
		const char *strings = (const char *)image + shdr[shdr[i].sh_link].sh_offset;

		if (shdr[i].sh_type != SHT_DYNSYM)
			continue;
		for (size_t k = 0; k < shdr[i].sh_size / sizeof(*syms); k++) {
			if (!strcmp(strings + syms[k].st_name, name))
				return syms[k].st_value;
		}
	}
	return 0;
}

static void symbolizer_source__vdso__is_that_of_this_process(void **state)
{
	struct symbolizer_options options = { .use_files = true };
	struct symbolizer *symbolizer;
	struct module vdso = { .kind = MODULE_VDSO, .path = vdso_path, .name = vdso_path };
	struct elf_file file;
	struct err err = ERR_INIT;
	size_t size = 0;
	const void *image = vdso_image(&size);
	uint64_t offset;

	(void)state;
	if (!image)
		skip();
	assert_int_equal(elf_file_open_image(image, size, &file, &err), 0);
	set_id(&vdso, &file);
	elf_file_close(&file);
	offset = find_in_vdso("__vdso_clock_gettime");
	if (!offset)
		skip();
	symbolizer = symbolizer_new(&options);
	expect_name(symbolizer, &vdso, offset, "__vdso_clock_gettime");
	vdso.id[0] ^= 1;
	expect_name(symbolizer, &vdso, offset, NULL);
	expect_notes(symbolizer, "[vdso]: not that of the running kernel\n");
	symbolizer_free(symbolizer);
}

/* The running kernel as a trace describes it; false: it has no build id. */
static bool running_kernel(struct trace_map *map)
{
	struct strbuf notes = STRBUF_INIT;
	struct err err = ERR_INIT;

	*map = (struct trace_map){ .path = "[kernel.kallsyms]_text",
				   .kernel = true,
				   .code = true,
				   .address = 4096,
				   .length = 4096 };
	if (!fs_read(KERNEL_NOTES_PATH, 1 << 20, &notes, &err))
		map->id_length = (uint8_t)kernel_notes_id(notes.buf, notes.len, map->id);
	err_clear(&err);
	strbuf_release(&notes);
	return map->id_length > 0;
}

static void symbolizer_source__vdso_without_id__is_that_of_the_kernel(void **state)
{
	struct module_table modules;
	struct symbolizer_options options = { .use_files = true,
					      .same_machine_kernel = true,
					      .modules = &modules };
	struct module vdso = { .kind = MODULE_VDSO, .path = vdso_path, .name = vdso_path };
	uint64_t offset = find_in_vdso("__vdso_clock_gettime");
	struct trace_map map;
	uint32_t kernel;

	(void)state;
	if (!offset || !running_kernel(&map))
		skip();
	for (int round = 0; round < 3; round++) {
		struct symbolizer *symbolizer;

		module_table_init(&modules);
		map.id[0] ^= round == 1;
		map.id_length = round < 2 ? map.id_length : 0;
		kernel = module_table_intern(&modules, &map);
		symbolizer = symbolizer_new(&options);
		expect_name(symbolizer, &vdso, offset, round == 0 ? "__vdso_clock_gettime" : NULL);
		if (round == 1)
			expect_name(symbolizer, &modules.v[kernel], 0, NULL);
		expect_notes(symbolizer,
			     round == 0   ? ""
			     : round == 1 ? "[vdso]: not that of the running kernel\n"
					    "[kernel.kallsyms]: its build id differs from that of "
					    "the running kernel\n"
					  : "[vdso]: not that of the running kernel\n");
		symbolizer_free(symbolizer);
		module_table_release(&modules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbolizer_source__own_file__by_build_id),
		cmocka_unit_test(symbolizer_explain__no_names__says_why),
		cmocka_unit_test(symbolizer_explain__many_files__the_first_are_named),
		cmocka_unit_test(symbolizer_source__store__comes_first),
		cmocka_unit_test(symbolizer_module_names__recorded_reason__is_that_of_the_run),
		cmocka_unit_test(symbolizer_source__names__for_people_unless_mangled),
		cmocka_unit_test(symbolizer_add_lines__own_file__has_those_of_known_places),
		cmocka_unit_test(symbolizer_open_files__two_threads__opens_each_once),
		cmocka_unit_test(symbolizer_source__one_file_by_several_paths__is_read_once),
		cmocka_unit_test(symbolizer_stacks__kept_in_the_store__needs_no_file),
		cmocka_unit_test(symbolizer_source__vdso__is_that_of_this_process),
		cmocka_unit_test(symbolizer_source__vdso_without_id__is_that_of_the_kernel),
	};

	int rc;

	self_path = fs_absolute(SELF);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	free(self_path);
	return rc;
}
