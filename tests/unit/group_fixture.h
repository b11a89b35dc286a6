/*
 * Two processes, a few functions and a grouping. Keys are numbered in the order in which a test uses them.
 */
#ifndef TESTS_UNIT_GROUP_FIXTURE_H
#define TESTS_UNIT_GROUP_FIXTURE_H

#include "analysis/group.h"
#include "grouping_by.h"
#include "report/account.h"
#include "util/array.h"

struct group_fixture {
	struct process_list rows;
	struct machine machine;
	struct function_table functions;
	struct grouping *grouping;
	struct results results; /* without entries at first */
	struct trace_process processes[2];
	struct trace_thread threads[2];
	uint32_t driver, kernel;
};

/* Each function has 16 bytes. */
static inline bool group_fixture_find(void *data, const struct module *module, uint64_t offset,
				      struct symbol *symbol)
{
	static const char *const also[] = { "second", "third" };
	static const char *const names[] = { "main", "core::a::b", "malloc" };

	(void)data;
	if (module->kind == MODULE_KERNEL || offset / 16 >= ARRAY_SIZE(names))
		return false;
	*symbol = (struct symbol){
		.start = offset / 16 * 16,
		.end = offset / 16 * 16 + 16,
		.name = names[offset / 16],
		.also = also,
		.also_nr = offset / 16 == 1 ? ARRAY_SIZE(also) : 0,
	};
	return true;
}

static inline void group_fixture_add(struct group_fixture *fixture, size_t i, const char *crate)
{
	struct process *row = process_list_add(&fixture->rows);

	row->pid = 10 + (int64_t)i;
	row->exe = xstrdup("/bin/rustc");
	row->tag.role = ROLE_RUSTC;
	row->tag.crate = xstrdup_or_null(crate);
	fixture->processes[i] = (struct trace_process){ .index = i, .row = i, .pid = row->pid };
	fixture->threads[i] = (struct trace_thread){
		.index = i,
		.tid = row->pid + 100,
		.process = &fixture->processes[i],
		.name = xstrdup(i ? "" : "opt cgu.1"),
	};
}

static inline void group_fixture_init(struct group_fixture *fixture, enum group_by by)
{
	const struct trace_map driver = { .path = "/lib/librustc_driver.so", .length = 4096 };
	const struct trace_map kernel = { .path = "[kernel.kallsyms]_text", .kernel = true };

	*fixture = (struct group_fixture){ .rows = PROCESS_LIST_INIT };
	group_fixture_add(fixture, 0, "core");
	group_fixture_add(fixture, 1, NULL);
	machine_init(&fixture->machine, &fixture->rows);
	fixture->driver = module_table_intern(&fixture->machine.modules, &driver);
	fixture->kernel = module_table_intern(&fixture->machine.modules, &kernel);
	function_table_init(&fixture->functions, &fixture->machine.modules,
			    &fixture->machine.stacks,
			    (struct symbol_source){ NULL, group_fixture_find, NULL });
	fixture->grouping = grouping_by(by, false, &fixture->machine, &fixture->functions, NULL);
	fixture->results = (struct results){ .request = { .by = { by } },
					     .grouping = fixture->grouping,
					     .modules = &fixture->machine.modules,
					     .functions = &fixture->functions };
}

/* Set the entries of the account, by key; borrowed. */
static inline void group_fixture_set(struct group_fixture *fixture, const struct account *account,
				     const void *entries, size_t nr, const void *total)
{
	fixture->results.account = account;
	fixture->results.entries = entries;
	fixture->results.nr = nr;
	fixture->results.total = total;
}

static inline void group_fixture_release(struct group_fixture *fixture)
{
	grouping_free(fixture->grouping);
	function_table_release(&fixture->functions);
	machine_release(&fixture->machine);
	process_list_release(&fixture->rows);
	free(fixture->threads[0].name);
	free(fixture->threads[1].name);
}

/* A stack of `depth` functions: main calls core::a::b, which calls malloc. `kernel`: with a kernel frame as leaf. */
static inline uint32_t group_fixture_stack(struct group_fixture *fixture, uint64_t depth,
					   bool kernel)
{
	struct stack_table *stacks = &fixture->machine.stacks;
	uint32_t stack = STACK_EMPTY;

	for (uint64_t i = 0; i < depth; i++)
		stack = stack_table_push(stacks, stack,
					 stack_table_frame(stacks, fixture->driver, i * 16));
	if (kernel)
		stack = stack_table_push(stacks, stack,
					 stack_table_frame(stacks, fixture->kernel, 0x1000));
	return stack;
}

static inline uint32_t group_fixture_key(struct group_fixture *fixture, size_t process,
					 uint32_t stack)
{
	return key_of(fixture->grouping, &fixture->processes[process], &fixture->threads[process],
		      stack);
}

#endif
