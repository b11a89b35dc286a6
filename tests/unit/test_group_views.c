#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cpu_account.h"
#include "report/account.h"
#include "report/result_rows.h"
#include "util/array.h"

#include "capture.h"
#include "group_fixture.h"

static void expect(const struct table *table, struct table_options options, const void **rows,
		   size_t nr, const char *expected)
{
	FILE *file = capture_start();
	struct err err = ERR_INIT;
	char *text;

	assert_int_equal(table_print(table, &options, rows, nr, file, &err), 0);
	text = capture_end(file);
	assert_string_equal(text, expected);
	free(text);
}

static void init_table(struct account_table *table, const struct account *account, enum group_by by,
		       bool moment)
{
	struct err err = ERR_INIT;

	assert_int_equal(account_table_init(table, account, &by, 1, moment, &err), 0);
}

static void expect_cpu(struct group_fixture *fixture, const struct cpu_entry *entries, size_t nr,
		       struct table_options options, const char *expected)
{
	struct cpu_entry total = { 0, 0, 0 };
	struct account_table table;
	struct result_rows rows;

	init_table(&table, &account_cpu, fixture->results.request.by[0], false);
	for (size_t i = 0; i < nr; i++)
		total.self_ns += entries[i].self_ns;
	group_fixture_set(fixture, &account_cpu, entries, nr, &total);
	result_rows_init(&rows, &fixture->results);
	expect(&table.table, options, rows.pointers, rows.nr, expected);
	result_rows_release(&rows);
	account_table_release(&table);
}

static const struct cpu_entry two[] = {
	{ 1, 1000000000, 1000000000 },
	{ 3, 3000000000, 4000000000 },
};

static void cpu_view__process__pid_image_crate(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_PROCESS);
	assert_int_equal(group_fixture_key(&fixture, 0, STACK_EMPTY), 0);
	assert_int_equal(group_fixture_key(&fixture, 1, STACK_EMPTY), 1);
	expect_cpu(&fixture, two, 2, (struct table_options){ 0 },
		   "PID  IMAGE  CRATE  PERCENT    SELF  SAMPLES\n"
		   " 11  rustc  -        75.0%  3.00 s        3\n"
		   " 10  rustc  core     25.0%  1.00 s        1\n");
	expect_cpu(&fixture, two, 2, (struct table_options){ .format = TABLE_CSV },
		   "pid,image,crate,samples,self_ns,total_ns,percent\r\n"
		   "11,rustc,,3,3000000000,4000000000,75\r\n"
		   "10,rustc,core,1,1000000000,1000000000,25\r\n");
	group_fixture_release(&fixture);
}

static void cpu_view__thread__named_and_not(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_THREAD);
	group_fixture_key(&fixture, 0, STACK_EMPTY);
	group_fixture_key(&fixture, 1, STACK_EMPTY);
	expect_cpu(&fixture, two, 2, (struct table_options){ 0 },
		   "PID  TID  THREAD     IMAGE  PERCENT    SELF  SAMPLES\n"
		   " 11  111  -          rustc    75.0%  3.00 s        3\n"
		   " 10  110  opt cgu.1  rustc    25.0%  1.00 s        1\n");
	group_fixture_release(&fixture);
}

static void cpu_view__role_part_crate__have_one_column(void **state)
{
	static const struct {
		enum group_by by;
		const char *csv;
	} cases[] = {
		{ BY_ROLE, "role,percent\r\nrustc,100\r\n" },
		{ BY_PART, "part,percent\r\n,100\r\n" },
		{ BY_CRATE, "crate,percent\r\ncore,25\r\n,75\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table_options options = { .format = TABLE_CSV, .sort = "percent:asc" };
		struct strbuf columns = STRBUF_INIT;
		struct cpu_entry entries[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
		struct group_fixture fixture;

		group_fixture_init(&fixture, cases[i].by);
		entries[group_fixture_key(&fixture, 0, STACK_EMPTY)].self_ns += 25;
		entries[group_fixture_key(&fixture, 1, STACK_EMPTY)].self_ns += 75;
		strbuf_addf(&columns, "%s,percent", group_by_names[cases[i].by]);
		options.columns = columns.buf;
		expect_cpu(&fixture, entries, grouping_nr(fixture.grouping), options, cases[i].csv);
		strbuf_release(&columns);
		group_fixture_release(&fixture);
	}
}

static void cpu_view__function__with_module_and_other_names(void **state)
{
	static const struct cpu_entry entries[] = { { 1, 1000, 5000 },
						    { 0, 0, 0 },
						    { 4, 4000, 4000 } };
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_FUNCTION);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 3, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, true));
	expect_cpu(&fixture, entries, 3, (struct table_options){ 0 },
		   "PERCENT     SELF    TOTAL  ALSO  MODULE             FUNCTION\n"
		   "  80.0%  4.00 us  4.00 us  -     [kernel.kallsyms]  [kernel.kallsyms]!0x1000\n"
		   "  20.0%  1.00 us  5.00 us  +2    librustc_driver    core::a::b\n");
	expect_cpu(&fixture, entries, 3, (struct table_options){ .top = 1 },
		   "PERCENT     SELF    TOTAL  MODULE             FUNCTION\n"
		   "  80.0%  4.00 us  4.00 us  [kernel.kallsyms]  [kernel.kallsyms]!0x1000\n"
		   "and 1 more\n");
	expect_cpu(&fixture, entries, 1, (struct table_options){ .format = TABLE_JSON },
		   "[\n{\"function\":\"core::a::b\",\"module\":\"librustc_driver.so\","
		   "\"path\":\"/lib/librustc_driver.so\",\"build_id\":null,"
		   "\"also\":[\"second\",\"third\"],\"source\":null,\"samples\":1,\"self_ns\":1000,"
		   "\"total_ns\":5000,\"percent\":100.0}\n]\n");
	group_fixture_release(&fixture);
}

static void cpu_view__module_with_a_pdb__id_as_symbol_servers_write_it(void **state)
{
	static const struct trace_map map = {
		.path = "C:\\a.exe",
		.pe = true,
		.debug_path = "a.pdb",
		.id = { 0x6a, 0xc7, 0xe0, 0xe3, 0x09, 0x79, 0x4f, 0x45, 0xb3, 0xc5, 0x6b, 0x0c,
			0x2c, 0xe5, 0xff, 0xeb, 0x02 },
		.id_length = MODULE_ID_MAX,
	};
	struct table_options options = { .columns = "module,symbol_id" };
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_MODULE);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	fixture.driver = module_table_intern(&fixture.machine.modules, &map);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	expect_cpu(&fixture, two, 2, options,
		   "MODULE              SYMBOL ID\n"
		   "a.exe               E3E0C76A7909454FB3C56B0C2CE5FFEB2\n"
		   "librustc_driver.so  -\n");
	group_fixture_release(&fixture);
}

static size_t find_line(void *data, const struct module *module, uint64_t offset,
			const struct symbol_line **lines)
{
	static const struct symbol_line known[] = { { "main", "src/main.rs", 12 },
						    { "b", "src/a.rs", 0 } };

	(void)data;
	if (module->kind == MODULE_KERNEL)
		return 0;
	*lines = &known[offset / 16];
	return 1;
}

static void cpu_view__function__with_its_source(void **state)
{
	const struct cpu_entry entries[] = { { 1, 1, 1 }, { 2, 2, 2 }, { 3, 3, 3 } };
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_FUNCTION);
	fixture.functions.finder.lines = (struct line_source){ NULL, find_line };
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, true));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	expect_cpu(&fixture, entries, 3,
		   (struct table_options){ .format = TABLE_CSV, .columns = "function,source" },
		   "function,source\r\nmain,src/main.rs:12\r\ncore::a::b,src/a.rs\r\n"
		   "[kernel.kallsyms]!0x1000,\r\n");
	group_fixture_release(&fixture);
}

static void cpu_view__module__name(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_MODULE);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, STACK_EMPTY);
	expect_cpu(&fixture, two, 2, (struct table_options){ 0 },
		   "MODULE              PERCENT    SELF   TOTAL  SAMPLES\n"
		   "[truncated]           75.0%  3.00 s  4.00 s        3\n"
		   "librustc_driver.so    25.0%  1.00 s  1.00 s        1\n");
	group_fixture_release(&fixture);
}

static void cpu_view__stack__joined_or_an_array(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_STACK);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 1, group_fixture_stack(&fixture, 3, false));
	expect_cpu(&fixture, two, 2,
		   (struct table_options){ .format = TABLE_CSV, .columns = "stack,self_ns" },
		   "stack,self_ns\r\n"
		   "main;core::a::b;malloc,3000000000\r\n"
		   "main;core::a::b,1000000000\r\n");
	expect_cpu(&fixture, two, 2,
		   (struct table_options){ .format = TABLE_JSON, .columns = "stack", .top = 1 },
		   "[\n{\"stack\":[\"main\",\"core::a::b\",\"malloc\"]}\n]\n");
	expect_cpu(&fixture, two, 2,
		   (struct table_options){ .columns = "self_ns,stack", .width = 20, .top = 1 },
		   "  SELF  STACK\n"
		   "3.00 s  …;malloc\n"
		   "and 1 more\n");
	group_fixture_release(&fixture);
}

/* 100 committed before the range, 40 of it freed in it; 1000 committed in it, 300 of that freed. */
static const struct ledger_entry busy = {
	.size = 1000,
	.count = 7,
	.freed = 340,
	.aifi = 300,
	.aofi = 40,
	.at_start = 100,
	.at_end = 760,
	.at = 500,
	.peak = 900,
	.peak_ns = 5,
	.at_peak = 800,
	.purged = 11,
};

static void expect_held(struct group_fixture *fixture, bool at, struct table_options options,
			const char *expected)
{
	struct ledger_entry keys[] = { { .at_peak = 900, .peak = 900, .peak_ns = 3, .at = 1 },
				       { 0 },
				       busy };
	struct account_table table;
	struct result_rows rows;

	init_table(&table, &account_memory, fixture->results.request.by[0], at);
	group_fixture_set(fixture, &account_memory, keys, grouping_nr(fixture->grouping), NULL);
	result_rows_init(&rows, &fixture->results);
	expect(&table.table, options, rows.pointers, rows.nr, expected);
	result_rows_release(&rows);
	account_table_release(&table);
}

static void memory_view__all_columns__by_definition(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_FUNCTION);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 3, false));
	expect_held(&fixture, false, (struct table_options){ .format = TABLE_CSV },
		    "function,module,path,size_bytes,count,freed_bytes,impacting_bytes,"
		    "outstanding_bytes,peak_bytes,peak_time_ns,at_peak_bytes,aifi_bytes,aifo_bytes,"
		    "aofi_bytes,aofo_bytes,total_size_bytes,total_count,total_freed_bytes,"
		    "total_impacting_bytes,total_outstanding_bytes,total_peak_bytes,"
		    "total_peak_time_ns,total_at_peak_bytes,total_aifi_bytes,total_aifo_bytes,"
		    "total_aofi_bytes,total_aofo_bytes\r\n"
		    "main,librustc_driver.so,/lib/librustc_driver.so,0,0,0,0,1,900,3,900,0,0,0,0,"
		    "0,0,0,0,1,900,3,900,0,0,0,0\r\n"
		    "malloc,librustc_driver.so,/lib/"
		    "librustc_driver.so,1000,7,340,660,500,900,5,800,300,700,40,60,"
		    "1000,7,340,660,500,900,5,800,300,700,40,60\r\n");
	group_fixture_release(&fixture);
}

static void memory_view__text__by_the_peak_or_the_moment(void **state)
{
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_FUNCTION);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 3, false));
	expect_held(&fixture, false, (struct table_options){ .width = TABLE_WIDTH },
		    "AT PEAK  TOTAL   PEAK     SIZE  MODULE           FUNCTION\n"
		    "  900 B  900 B  900 B      0 B  librustc_driver  main\n"
		    "  800 B  800 B  900 B  0.98 KB  librustc_driver  malloc\n");
	expect_held(&fixture, true, (struct table_options){ .width = TABLE_WIDTH },
		    "OUTSTANDING  TOTAL   PEAK     SIZE  MODULE           FUNCTION\n"
		    "      500 B  500 B  900 B  0.98 KB  librustc_driver  malloc\n"
		    "        1 B    1 B  900 B      0 B  librustc_driver  main\n");
	group_fixture_release(&fixture);
}

/* Every kind has good columns of its own for text, and the help has all of them. */
static void tables__every_kind__is_sound(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (int by = BY_PROCESS; by <= BY_STACK; by++) {
		static const struct account *const accounts[] = { &account_cpu, &account_memory,
								  &account_memory };

		for (size_t i = 0; i < (by == BY_THREAD ? 1 : ARRAY_SIZE(accounts)); i++) {
			struct account_table table;
			struct table_options options = { .columns = NULL };

			init_table(&table, accounts[i], (enum group_by)by, i == 2);
			options.columns = table.table.text_columns;
			options.sort = table.table.sort;
			assert_int_equal(table_check(&table.table, &options, &err), 0);
			assert_int_equal(table_check(&accounts[i]->table, &options, &err), 0);
			account_table_release(&table);
		}
	}
}

static void account_table_init__two_kinds__have_the_columns_of_both(void **state)
{
	static const struct {
		enum group_by by[2];
		const char *text; /* NULL: refused */
	} cases[] = {
		{ { BY_CRATE, BY_PHASE }, "crate,phase,percent,self_ns,samples" },
		{ { BY_FUNCTION, BY_CRATE },
		  "crate,percent,self_ns,total_ns,also,module,function" },
		{ { BY_PROCESS, BY_ROLE },
		  "pid,image,crate,role,percent,self_ns,exact_cpu_ns,wait_cpu_ns,wait_blocked_ns,"
		  "samples" },
		{ { BY_THREAD, BY_QUERY },
		  "pid,tid,thread,image,query,percent,self_ns,total_ns,samples" },
		{ { BY_PROCESS, BY_CRATE }, NULL },
		{ { BY_MODULE, BY_FUNCTION }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct account_table table;
		struct err err = ERR_INIT;
		int rc = account_table_init(&table, &account_cpu, cases[i].by, 2, false, &err);

		assert_int_equal(rc, cases[i].text ? 0 : -1);
		if (!rc)
			assert_string_equal(table.table.text_columns, cases[i].text);
		account_table_release(&table);
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_view__process__pid_image_crate),
		cmocka_unit_test(cpu_view__thread__named_and_not),
		cmocka_unit_test(cpu_view__role_part_crate__have_one_column),
		cmocka_unit_test(cpu_view__module_with_a_pdb__id_as_symbol_servers_write_it),
		cmocka_unit_test(cpu_view__function__with_module_and_other_names),
		cmocka_unit_test(cpu_view__function__with_its_source),
		cmocka_unit_test(cpu_view__module__name),
		cmocka_unit_test(cpu_view__stack__joined_or_an_array),
		cmocka_unit_test(memory_view__all_columns__by_definition),
		cmocka_unit_test(memory_view__text__by_the_peak_or_the_moment),
		cmocka_unit_test(tables__every_kind__is_sound),
		cmocka_unit_test(account_table_init__two_kinds__have_the_columns_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
