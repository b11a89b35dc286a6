#include "model/machine.h"

#include <stdlib.h>

#include "model/machine_lookup.h"
#include "model/trace_row.h"
#include "util/alloc.h"

void machine_init(struct machine *machine, struct process_list *rows)
{
	*machine = (struct machine){
		.rows = rows,
		.lookup = xcalloc(1, sizeof(*machine->lookup)),
		.recent = machine_new_recent(),
		.maker = stack_maker_new(),
		.max_stack = MACHINE_MAX_STACK,
		.max_copied = MACHINE_MAX_COPIED,
	};
	module_table_init(&machine->modules);
	stack_table_init(&machine->stacks);
	address_space_init(&machine->kernel);
	row_join_init(&machine->lookup->rows, rows);
}

void machine_release(struct machine *machine)
{
	for (size_t i = 0; i < machine->processes_nr; i++)
		machine_free_process(machine->processes[i]);
	free(machine->processes);
	for (size_t i = 0; i < machine->threads_nr; i++)
		machine_free_thread(machine->threads[i]);
	free(machine->threads);
	module_table_release(&machine->modules);
	stack_table_release(&machine->stacks);
	address_space_release(&machine->kernel);
	if (machine->lookup) {
		intmap_release(&machine->lookup->processes);
		intmap_release(&machine->lookup->threads);
		row_join_release(&machine->lookup->rows);
	}
	free(machine->lookup);
	free(machine->recent);
	stack_maker_free(machine->maker);
	stack_steps_release(&machine->steps);
	*machine = (struct machine){ .rows = NULL };
}

static void keep_space(struct trace_process *process)
{
	struct address_space old = process->space;

	if (!old.ranges.nr)
		return;
	process->space = process->before;
	process->before = old;
	address_space_release(&process->space);
}

/* Only the thread that called exec goes on, under the tid of the first one. */
static void apply_exec(struct machine *machine, struct trace_process *process,
		       struct trace_thread *thread, const char *name)
{
	machine_forget_stack(machine, thread);
	machine_end_threads(machine, process, thread);
	thread->alive = process->end_ns == PROCESS_UNKNOWN;
	process->threads = thread->alive;
	machine_rename_thread(thread, name);
	keep_space(process);
	if (process->told)
		trace_row_exec(process->told, name);
}

static void apply_thread_name(struct trace_process *process, struct trace_thread *thread,
			      const char *name)
{
	machine_rename_thread(thread, name);
	if (process->told && thread->tid == process->pid)
		trace_row_name(process->told, name);
}

static void apply_thread_end(struct machine *machine, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(machine, event);
	struct trace_process *process = thread ? thread->process : NULL;

	if (!thread || !thread->alive || process->pid < 0)
		return;
	machine_forget_stack(machine, thread);
	thread->alive = false;
	if (!--process->threads && !process->has_end)
		machine_end_process(machine, process, event->time_ns);
}

static void apply_process_end(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);
	struct process *row;

	if (!process || process->pid < 0 || process->end_ns != PROCESS_UNKNOWN)
		return;
	row = machine->rows->v[process->row];
	if (event->end.has_code && row->exit_code == PROCESS_UNKNOWN)
		row->exit_code = event->end.exit_code;
	machine_end_process(machine, process, event->time_ns);
}

static uint64_t end_of(const struct trace_map *map)
{
	return map->length > UINT64_MAX - map->address ? UINT64_MAX : map->address + map->length;
}

/* What it runs is at this path, wherever its module was mapped from first. */
static void tell_row(struct trace_row *row, const char *mapped)
{
	char *path = xstrndup(mapped, module_path_length(mapped));

	trace_row_map(row, path);
	free(path);
}

/* Data is not kept: no frame is in it. But what it is mapped over is gone. */
static void apply_map(struct machine *machine, const struct trace_event *event)
{
	const struct trace_map *map = &event->map;
	struct trace_process *process = NULL;
	struct address_space *space = &machine->kernel;
	struct mapping mapping = { .start = map->address, .end = end_of(map) };

	if (!map->kernel) {
		process = machine_process(machine, event->pid, event->time_ns);
		if (!process)
			return;
		space = &process->space;
	}
	if (event->kind == TRACE_UNMAP || !map->code) {
		address_space_unmap(space, mapping.start, mapping.end);
		return;
	}
	mapping.module = module_table_intern(&machine->modules, map);
	mapping.offset = module_table_offset(&machine->modules, mapping.module, map);
	address_space_map(space, &mapping);
	if (process && process->told && machine->modules.v[mapping.module].kind == MODULE_FILE)
		tell_row(process->told, map->path);
}

static void apply_thread(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);
	struct trace_thread *thread;

	if (!process)
		return;
	if (event->kind == TRACE_THREAD_START) {
		machine_start_thread(machine, process, event->tid, event->start.by_tid);
		return;
	}
	thread = machine_find_thread(machine, process, event->tid);
	if (event->kind == TRACE_EXEC)
		apply_exec(machine, process, thread, event->name);
	else
		apply_thread_name(process, thread, event->name);
}

void machine_apply(struct machine *machine, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_PROCESS_START:
		machine_start_process(machine, event);
		break;
	case TRACE_THREAD_START:
	case TRACE_EXEC:
	case TRACE_THREAD_NAME:
		apply_thread(machine, event);
		break;
	case TRACE_THREAD_END:
		apply_thread_end(machine, event);
		break;
	case TRACE_PROCESS_END:
		apply_process_end(machine, event);
		break;
	case TRACE_MAP:
	case TRACE_UNMAP:
		apply_map(machine, event);
		break;
	case TRACE_CPU:
	case TRACE_MEMORY:
		break;
	}
}
