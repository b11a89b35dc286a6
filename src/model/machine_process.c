#include <stdlib.h>

#include "model/machine_lookup.h"
#include "model/trace_row.h"
#include "util/array.h"
#include "util/text.h"

/* What comes so long after a process's end is not its own any more. */
#define LATE_NS NS_PER_S

static bool is_alive(const struct trace_process *process)
{
	return process->end_ns == PROCESS_UNKNOWN;
}

/* Whether `time_ns` is at most LATE_NS behind `since`; times are what a file says. */
static bool is_soon(int64_t since, int64_t time_ns)
{
	return time_ns <= since || (uint64_t)time_ns - (uint64_t)since <= (uint64_t)LATE_NS;
}

/* That which has the pid at the time, or had it a moment before; NULL. */
static struct trace_process *find_process(const struct machine *machine, int64_t pid,
					  int64_t time_ns)
{
	struct trace_process *process = intmap_get(&machine->lookup->processes, pid);

	if (process && !is_alive(process) && !is_soon(process->end_ns, time_ns))
		return NULL;
	return process;
}

static struct process *row_of(const struct machine *machine, const struct trace_process *process)
{
	return machine->rows->v[process->row];
}

static void add_row(struct machine *machine, struct trace_process *process)
{
	struct process *row = process_list_add(machine->rows);

	process->row = machine->rows->nr - 1;
	row->pid = process->pid;
	row->start_ns = process->start_ns;
	process->told = trace_row_new(row);
	if (process->pid < 0)
		trace_row_name(process->told, "[unknown]");
}

static struct trace_process *add_process(struct machine *machine, int64_t pid, int64_t time_ns,
					 bool started)
{
	struct trace_process *process = xmalloc(sizeof(*process));

	*process = (struct trace_process){
		.index = machine->processes_nr,
		.pid = pid,
		.start_ns = time_ns,
		.end_ns = PROCESS_UNKNOWN,
		.started = started,
	};
	address_space_init(&process->space);
	address_space_init(&process->before);
	process->row = pid < 0 ? ROW_NONE
			       : row_join_take(&machine->lookup->rows, pid, time_ns,
					       started && time_ns > 0);
	process->known = process->row != ROW_NONE;
	if (!process->known)
		add_row(machine, process);
	ARRAY_GROW(machine->processes, machine->processes_nr + 1, machine->processes_alloc);
	machine->processes[machine->processes_nr++] = process;
	intmap_put(&machine->lookup->processes, pid, process);
	return process;
}

struct trace_process *machine_process(struct machine *machine, int64_t pid, int64_t time_ns)
{
	struct trace_process *process;

	if (!pid)
		return NULL;
	if (pid < 0)
		pid = -1;
	process = find_process(machine, pid, time_ns);
	if (process)
		return process;
	process = add_process(machine, pid, time_ns, false);
	machine_find_thread(machine, process, pid);
	return process;
}

/*
 * Whether a start is that of the process that has the pid already: the trace tells twice what was there before,
 * and events of different processors may come in the wrong order.
 */
static bool is_start_of(const struct trace_process *process, const struct trace_event *event)
{
	if (!is_alive(process))
		return false;
	if (process->started)
		return event->time_ns <= 0 && process->start_ns <= 0;
	return event->time_ns <= 0 || is_soon(process->start_ns, event->time_ns);
}

static const struct trace_process *find_parent(const struct machine *machine,
					       const struct trace_event *event)
{
	if (event->start.ppid <= 0)
		return NULL;
	return find_process(machine, event->start.ppid, event->time_ns);
}

static void copy_space(struct machine *machine, struct trace_process *process,
		       const struct trace_process *parent)
{
	if (process->space.ranges.nr)
		return;
	if (parent->space.ranges.nr > machine->max_copied - machine->copied) {
		machine->forks_cut++;
		return;
	}
	address_space_copy(&process->space, &parent->space);
	process->copied = parent->space.ranges.nr;
	machine->copied += process->copied;
}

static void take_from_parent(struct machine *machine, struct trace_process *process,
			     const struct trace_process *parent, int64_t by_tid)
{
	const struct trace_thread *maker = machine_thread_of(machine, parent, by_tid);
	struct trace_thread *thread = process->first;

	copy_space(machine, process, parent);
	if (thread && !*thread->name && maker)
		machine_rename_thread(thread, maker->name);
}

static void describe_start(struct machine *machine, struct trace_process *process,
			   const struct trace_event *event)
{
	const struct trace_process *parent = find_parent(machine, event);

	/* On Windows a thread's id is never that of a process. */
	if (!event->start.image)
		machine_find_thread(machine, process, process->pid);
	if (event->start.copied && parent)
		take_from_parent(machine, process, parent, event->start.by_tid);
	if (!process->told)
		return;
	row_of(machine, process)->ppid = event->start.ppid;
	if (parent && parent != process)
		process->told->parent = row_of(machine, parent);
	trace_row_start(process->told, &event->start);
}

void machine_start_process(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = intmap_get(&machine->lookup->processes, event->pid);

	if (event->pid <= 0)
		return;
	if (process && is_start_of(process, event)) {
		if (process->started)
			return;
		process->started = true;
	} else {
		if (process && is_alive(process))
			machine_end_process(machine, process, event->time_ns);
		process = add_process(machine, event->pid, event->time_ns, true);
	}
	process->has_end = event->start.has_end;
	describe_start(machine, process, event);
}

void machine_end_process(struct machine *machine, struct trace_process *process, int64_t time_ns)
{
	struct machine_lookup *lookup = machine->lookup;
	struct process *row = row_of(machine, process);
	struct trace_process **place = &lookup->ended[lookup->ended_nr++ % MACHINE_ENDED];

	machine_end_threads(machine, process, NULL);
	machine->copied -= process->copied;
	process->copied = 0;
	/* -1 would be "not known". */
	process->end_ns = time_ns < 0 ? 0 : time_ns;
	if (row->end_ns == PROCESS_UNKNOWN)
		row->end_ns = process->end_ns;
	trace_row_free(process->told);
	process->told = NULL;
	if (*place)
		address_space_release(&(*place)->space);
	address_space_release(&process->before);
	*place = process;
}

void machine_free_process(struct trace_process *process)
{
	address_space_release(&process->space);
	address_space_release(&process->before);
	trace_row_free(process->told);
	free(process);
}
