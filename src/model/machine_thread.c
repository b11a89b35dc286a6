#include <stdlib.h>

#include "model/machine_lookup.h"
#include "util/array.h"

/* Threads without a tid have one of their own in each process: keys that no tid is. */
static int64_t key_of(const struct trace_process *process, int64_t tid)
{
	return tid >= 0 ? tid : -1 - (int64_t)process->index;
}

struct trace_thread *machine_thread_of(const struct machine *machine,
				       const struct trace_process *process, int64_t tid)
{
	struct trace_thread *thread = tid > 0 ? intmap_get(&machine->lookup->threads, tid) : NULL;

	return thread && thread->process == process ? thread : process->first;
}

void machine_forget_stack(struct machine *machine, const struct trace_thread *thread)
{
	if (machine->copies.forget)
		machine->copies.forget(machine->copies.data, thread);
}

/* The end of a thread whose tid another process's has now was lost. */
static void end_other(struct machine *machine, struct trace_thread *other)
{
	if (!other || !other->alive)
		return;
	machine_forget_stack(machine, other);
	other->alive = false;
	other->process->threads--;
}

/* Linux gives a thread the name of the one that made it. */
static struct trace_thread *add_thread(struct machine *machine, struct trace_process *process,
				       int64_t tid, int64_t by_tid)
{
	const struct trace_thread *maker = machine_thread_of(machine, process, by_tid);
	struct trace_thread *thread = xmalloc(sizeof(*thread));

	*thread = (struct trace_thread){
		.index = machine->threads_nr,
		.tid = tid,
		.process = process,
		.before = process->last,
		.name = xstrdup(maker ? maker->name : ""),
		.alive = process->end_ns == PROCESS_UNKNOWN,
	};
	process->last = thread;
	if (!process->first)
		process->first = thread;
	process->threads += thread->alive;
	ARRAY_GROW(machine->threads, machine->threads_nr + 1, machine->threads_alloc);
	machine->threads[machine->threads_nr++] = thread;
	end_other(machine, intmap_get(&machine->lookup->threads, key_of(process, tid)));
	intmap_put(&machine->lookup->threads, key_of(process, tid), thread);
	return thread;
}

static struct trace_thread *find_thread(struct machine *machine, struct trace_process *process,
					int64_t tid, int64_t by_tid)
{
	struct trace_thread *thread;

	if (tid < 0)
		tid = -1;
	thread = intmap_get(&machine->lookup->threads, key_of(process, tid));
	if (thread && thread->process == process)
		return thread;
	return add_thread(machine, process, tid, by_tid);
}

struct trace_thread *machine_find_thread(struct machine *machine, struct trace_process *process,
					 int64_t tid)
{
	return find_thread(machine, process, tid, 0);
}

struct trace_thread *machine_start_thread(struct machine *machine, struct trace_process *process,
					  int64_t tid, int64_t by_tid)
{
	struct trace_thread *thread = find_thread(machine, process, tid, by_tid);

	if (thread->alive || process->end_ns != PROCESS_UNKNOWN)
		return thread;
	return add_thread(machine, process, thread->tid, by_tid);
}

void machine_rename_thread(struct trace_thread *thread, const char *name)
{
	char *copy = xstrdup(name);

	free(thread->name);
	thread->name = copy;
}

void machine_end_threads(struct machine *machine, struct trace_process *process,
			 const struct trace_thread *but)
{
	bool stays = but && but->alive;

	/* Most that a process ever had may have ended long ago: they are not gone through for each exec. */
	for (struct trace_thread *at = process->last; at && process->threads > stays;
	     at = at->before) {
		if (at == but || !at->alive)
			continue;
		machine_forget_stack(machine, at);
		at->alive = false;
		process->threads--;
	}
}

void machine_free_thread(struct trace_thread *thread)
{
	free(thread->name);
	free(thread);
}

struct trace_thread *machine_thread(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);

	return process ? machine_find_thread(machine, process, event->tid) : NULL;
}
