/*
 * A machine with processes that all run one program, /bin/program, whose functions are f0, f1, ... of 0x100 bytes
 * each from FIXTURE_CODE on, with malloc in the place of f15.
 */
#ifndef TESTS_UNIT_TRACE_FIXTURE_H
#define TESTS_UNIT_TRACE_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/function.h"
#include "model/machine.h"
#include "util/alloc.h"

#define FIXTURE_CODE      UINT64_C(0x10000)
#define FIXTURE_FUNCTIONS 16u
#define FIXTURE_MALLOC    15u
#define FIXTURE_PAGE      INT64_C(4096)
#define FIXTURE_KERNEL    UINT64_C(0xffffffff81000000)

struct trace_fixture {
	struct process_list rows;
	struct machine machine;
	struct function_table functions;
	char names[FIXTURE_FUNCTIONS][8];
};

static inline bool fixture_find(void *data, const struct module *module, uint64_t offset,
				struct symbol *symbol)
{
	struct trace_fixture *fixture = data;
	uint64_t i = offset / 0x100;

	if (module->kind != MODULE_FILE || i >= FIXTURE_FUNCTIONS)
		return false;
	*symbol = (struct symbol){ i * 0x100, i * 0x100 + 0x100, fixture->names[i], NULL, 0 };
	return true;
}

/* Add a row; the process of the trace with its pid is matched to it. */
static inline void fixture_add_row(struct trace_fixture *fixture, int64_t pid, int64_t start_ns,
				   enum role role, const char *crate)
{
	struct process *row = process_list_add(&fixture->rows);

	row->pid = pid;
	row->start_ns = start_ns;
	row->tag.role = role;
	row->tag.crate = xstrdup_or_null(crate);
}

/* To be called after the rows were added. */
static inline void fixture_start(struct trace_fixture *fixture)
{
	struct symbol_source source = { fixture, fixture_find, NULL };
	struct trace_event event = { .kind = TRACE_MAP };

	for (unsigned i = 0; i < FIXTURE_FUNCTIONS; i++)
		snprintf(fixture->names[i], sizeof(fixture->names[i]),
			 i == FIXTURE_MALLOC ? "malloc" : "f%u", i);
	machine_init(&fixture->machine, &fixture->rows);
	function_table_init(&fixture->functions, &fixture->machine.modules,
			    &fixture->machine.stacks, source);
	event.map = (struct trace_map){ .address = FIXTURE_KERNEL,
					.length = 0x100000,
					.path = "[kernel.kallsyms]_text",
					.kernel = true,
					.code = true };
	machine_apply(&fixture->machine, &event);
}

static inline void fixture_release(struct trace_fixture *fixture)
{
	function_table_release(&fixture->functions);
	machine_release(&fixture->machine);
	process_list_release(&fixture->rows);
}

static inline struct trace_event fixture_event(enum trace_event_kind kind, int64_t time_ns,
					       int64_t pid)
{
	return (struct trace_event){
		.kind = kind, .cpu = -1, .time_ns = time_ns, .pid = pid, .tid = pid
	};
}

/* A memory event of a process in its own memory. */
static inline struct trace_event fixture_memory(int64_t time_ns, int64_t pid, enum memory_op op,
						int64_t page, int64_t pages)
{
	struct trace_event event = fixture_event(TRACE_MEMORY, time_ns, pid);

	event.memory.op = op;
	event.memory.address = (uint64_t)(page * FIXTURE_PAGE);
	event.memory.length = (uint64_t)(pages * FIXTURE_PAGE);
	event.memory.target_pid = pid;
	return event;
}

static inline struct trace_event fixture_fork(int64_t time_ns, int64_t pid, int64_t ppid)
{
	struct trace_event event = fixture_event(TRACE_PROCESS_START, time_ns, pid);

	event.start = (struct trace_start){ .ppid = ppid, .copied = true };
	return event;
}

static inline struct trace_event fixture_exec(int64_t time_ns, int64_t pid)
{
	struct trace_event event = fixture_event(TRACE_EXEC, time_ns, pid);

	event.name = "program";
	return event;
}

static inline struct trace_event fixture_map(int64_t time_ns, int64_t pid)
{
	struct trace_event event = fixture_event(TRACE_MAP, time_ns, pid);

	event.map = (struct trace_map){ .address = FIXTURE_CODE,
					.length = FIXTURE_FUNCTIONS * 0x100,
					.path = "/bin/program",
					.code = true };
	return event;
}

/* Make a call chain, leaf first, from functions, root first. */
static inline struct trace_stack fixture_stack(const unsigned *functions, uint32_t nr,
					       uint64_t *addresses)
{
	for (uint32_t i = 0; i < nr; i++)
		addresses[nr - 1 - i] = FIXTURE_CODE + functions[i] * 0x100 + 0x10;
	return (struct trace_stack){ .user = addresses, .user_nr = nr };
}

#endif
