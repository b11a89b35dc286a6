#include "model/machine.h"

#include <stdlib.h>

#include "model/process_index.h"
#include "model/trace_row.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"

/* Number of ended processes that keep their mappings, for late samples. */
#define MACHINE_ENDED 16

/* Number of pids whose process was found last: a power of two. */
#define MACHINE_RECENT 64

struct machine_lookup {
	struct intmap processes; /* by pid: the last process with this pid, ended or not */
	struct trace_process *recent[MACHINE_RECENT]; /* of `processes`, by a part of the pid */
	/* By tid: the last thread with it; if the tid is unknown, by process. */
	struct intmap threads;
	struct process_index rows;
	struct trace_process *ended[MACHINE_ENDED];
	size_t ended_nr; /* of all processes that ended */
};

/* Threads of unknown tid: one per process, under a negative key. */
static int64_t key_of(const struct trace_process *process, int64_t tid)
{
	return tid >= 0 ? tid : -1 - (int64_t)process->index;
}

static struct trace_thread *thread_of(const struct machine *machine,
				      const struct trace_process *process, int64_t tid)
{
	struct trace_thread *thread = tid > 0 ? intmap_get(&machine->lookup->threads, tid) : NULL;

	return thread && thread->process == process ? thread : process->first;
}

static void forget_stack(struct machine *machine, const struct trace_thread *thread)
{
	if (machine->copies.forget)
		machine->copies.forget(machine->copies.data, thread);
}

/* On Linux a new thread has the name of its creator. */
static struct trace_thread *add_thread(struct machine *machine, struct trace_process *process,
				       int64_t tid, int64_t by_tid)
{
	const struct trace_thread *maker = thread_of(machine, process, by_tid);
	struct trace_thread *thread = xmalloc(sizeof(*thread)), *other;

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
	/* If another process had the tid, the end of its thread was lost. */
	other = intmap_get(&machine->lookup->threads, key_of(process, tid));
	if (other && other->alive) {
		forget_stack(machine, other);
		other->alive = false;
		other->process->threads--;
	}
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

static struct trace_thread *start_thread(struct machine *machine, struct trace_process *process,
					 int64_t tid, int64_t by_tid)
{
	struct trace_thread *thread = find_thread(machine, process, tid, by_tid);

	if (thread->alive || process->end_ns != PROCESS_UNKNOWN)
		return thread;
	return add_thread(machine, process, thread->tid, by_tid);
}

static void rename_thread(struct trace_thread *thread, const char *name)
{
	char *copy = xstrdup(name);

	free(thread->name);
	thread->name = copy;
}

static void end_threads(struct machine *machine, struct trace_process *process,
			const struct trace_thread *but)
{
	bool stays = but && but->alive;

	/* Most threads may have ended long ago: stop at the last one alive. */
	for (struct trace_thread *at = process->last; at && process->threads > stays;
	     at = at->before) {
		if (at == but || !at->alive)
			continue;
		forget_stack(machine, at);
		at->alive = false;
		process->threads--;
	}
}

/* An event later than this after the end of a process does not belong to it. */
#define LATE_NS NS_PER_S

static bool is_alive(const struct trace_process *process)
{
	return process->end_ns == PROCESS_UNKNOWN;
}

/* Whether `time_ns` is at most LATE_NS after `since`. A file may have any times: no overflow. */
static bool is_soon(int64_t since, int64_t time_ns)
{
	return time_ns <= since || (uint64_t)time_ns - (uint64_t)since <= (uint64_t)LATE_NS;
}

/* Pids of Windows are multiples of 4. */
static struct trace_process **recent_of(const struct machine *machine, int64_t pid)
{
	return &machine->lookup->recent[((uint64_t)pid ^ (uint64_t)pid >> 2) % MACHINE_RECENT];
}

/* The last process with the pid, ended or not; NULL. */
static struct trace_process *last_process(const struct machine *machine, int64_t pid)
{
	struct trace_process **recent = recent_of(machine, pid);

	if (!*recent || (*recent)->pid != pid) {
		struct trace_process *process = intmap_get(&machine->lookup->processes, pid);

		if (!process)
			return NULL;
		*recent = process;
	}
	return *recent;
}

/* The process that has the pid at the time, or had it up to LATE_NS before; NULL. */
static struct trace_process *find_process(const struct machine *machine, int64_t pid,
					  int64_t time_ns)
{
	struct trace_process *process = last_process(machine, pid);

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
	/* It existed before: its start is not in the trace, unless describe_start() or set_exec_start() finds it. */
	row->start_ns = process->start_ns > 0 ? process->start_ns : PROCESS_UNKNOWN;
	process->trace_row = trace_row_new(row);
	if (process->pid < 0)
		trace_row_name(process->trace_row, "[unknown]");
}

/* The row of a process that the trace names at `time_ns`; what existed before existed when the trace began, too. */
static size_t find_row(const struct machine *machine, int64_t pid, int64_t time_ns, bool started)
{
	bool before = time_ns <= 0;

	if (before && machine->first_ns > 0)
		time_ns = machine->first_ns;
	return process_index_take(&machine->lookup->rows, pid, time_ns, started && !before);
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
	process->row = pid < 0 ? ROW_NONE : find_row(machine, pid, time_ns, started);
	process->known = process->row != ROW_NONE;
	if (!process->known)
		add_row(machine, process);
	ARRAY_GROW(machine->processes, machine->processes_nr + 1, machine->processes_alloc);
	machine->processes[machine->processes_nr++] = process;
	intmap_put(&machine->lookup->processes, pid, process);
	*recent_of(machine, pid) = process;
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
 * Whether a start event is of the process that already has the pid: a trace may list processes that existed before the
 * recording twice, and events of different CPUs may be in the wrong order.
 */
static bool is_start_of(const struct trace_process *process, const struct trace_event *event)
{
	if (!is_alive(process))
		return false;
	if (process->started)
		return event->time_ns <= 0 && process->start_ns <= 0;
	return event->time_ns <= 0 || is_soon(process->start_ns, event->time_ns);
}

/*
 * Of how many mappings all forks together may be copies: some seconds' work for any file. Of a recording each program
 * that was started has dozens of events, and its parent a few hundred mappings.
 */
#define EVER_COPIED      ((uint64_t)64 << 20)
#define EVER_COPIED_EACH 64 /* and for each event so far */

static void copy_space(struct machine *machine, struct trace_process *process,
		       const struct trace_process *parent)
{
	if (process->space.ranges.nr)
		return;
	if (parent->space.ranges.nr > machine->max_copied - machine->copied ||
	    machine->ever_copied > EVER_COPIED + EVER_COPIED_EACH * machine->events) {
		machine->forks_cut++;
		return;
	}
	address_space_copy(&process->space, &parent->space);
	process->copied = parent->space.ranges.nr;
	machine->copied += process->copied;
	machine->ever_copied += process->copied;
}

static void take_from_parent(struct machine *machine, struct trace_process *process,
			     const struct trace_process *parent, int64_t by_tid)
{
	const struct trace_thread *maker = thread_of(machine, parent, by_tid);
	struct trace_thread *thread = process->first;

	copy_space(machine, process, parent);
	if (thread && !*thread->name && maker)
		rename_thread(thread, maker->name);
}

static void describe_start(struct machine *machine, struct trace_process *process,
			   const struct trace_event *event)
{
	const struct trace_process *parent = NULL;
	struct process *row = row_of(machine, process);

	if (event->start.ppid > 0)
		parent = find_process(machine, event->start.ppid, event->time_ns);
	/* On Windows a thread's id is never a process id. */
	if (!event->start.image)
		machine_find_thread(machine, process, process->pid);
	if (event->start.copied && parent)
		take_from_parent(machine, process, parent, event->start.by_tid);
	if (!process->trace_row)
		return;
	row->ppid = event->start.ppid;
	if ((event->start.copied || event->start.starts) && row->start_ns == PROCESS_UNKNOWN)
		row->start_ns = event->time_ns > 0 ? event->time_ns : 0;
	if (parent && parent != process)
		process->trace_row->parent = row_of(machine, parent);
	trace_row_start(process->trace_row, &event->start);
}

static void end_process(struct machine *machine, struct trace_process *process, int64_t time_ns)
{
	struct machine_lookup *lookup = machine->lookup;
	struct process *row = row_of(machine, process);
	struct trace_process **place = &lookup->ended[lookup->ended_nr++ % MACHINE_ENDED];

	end_threads(machine, process, NULL);
	machine->copied -= process->copied;
	process->copied = 0;
	/* A negative time could be PROCESS_UNKNOWN. */
	process->end_ns = time_ns < 0 ? 0 : time_ns;
	if (row->end_ns == PROCESS_UNKNOWN)
		row->end_ns = process->end_ns;
	trace_row_free(process->trace_row);
	process->trace_row = NULL;
	if (*place)
		address_space_release(&(*place)->space);
	address_space_release(&process->before);
	*place = process;
}

static void start_process(struct machine *machine, const struct trace_event *event)
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
			end_process(machine, process, event->time_ns);
		process = add_process(machine, event->pid, event->time_ns, true);
	}
	process->has_end = event->start.has_end;
	describe_start(machine, process, event);
}

struct trace_thread *machine_thread(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);

	return process ? machine_find_thread(machine, process, event->tid) : NULL;
}

void machine_init(struct machine *machine, struct process_list *rows)
{
	*machine = (struct machine){
		.rows = rows,
		.lookup = xcalloc(1, sizeof(*machine->lookup)),
		.maker = stack_maker_new(),
		.max_stack = MACHINE_MAX_STACK,
		.max_copied = MACHINE_MAX_COPIED,
	};
	module_table_init(&machine->modules);
	stack_table_init(&machine->stacks);
	address_space_init(&machine->kernel);
	process_index_init(&machine->lookup->rows, rows);
}

void machine_release(struct machine *machine)
{
	for (size_t i = 0; i < machine->processes_nr; i++) {
		struct trace_process *process = machine->processes[i];

		address_space_release(&process->space);
		address_space_release(&process->before);
		trace_row_free(process->trace_row);
		free(process);
	}
	free(machine->processes);
	for (size_t i = 0; i < machine->threads_nr; i++) {
		free(machine->threads[i]->name);
		free(machine->threads[i]);
	}
	free(machine->threads);
	module_table_release(&machine->modules);
	stack_table_release(&machine->stacks);
	free(machine->known_stacks.v);
	address_space_release(&machine->kernel);
	if (machine->lookup) {
		intmap_release(&machine->lookup->processes);
		intmap_release(&machine->lookup->threads);
		process_index_release(&machine->lookup->rows);
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

/* perf forks the process that it records before the recording begins: that starts with its exec. */
static void set_exec_start(struct machine *machine, const struct trace_process *process,
			   int64_t time_ns)
{
	struct process *row = row_of(machine, process);

	if (process->trace_row && !process->started && row->start_ns == PROCESS_UNKNOWN &&
	    time_ns >= 0 && is_soon(0, time_ns))
		row->start_ns = time_ns;
}

/* Only the thread that called exec survives, with the tid of the first thread. */
static void apply_exec(struct machine *machine, struct trace_process *process,
		       struct trace_thread *thread, const char *name)
{
	forget_stack(machine, thread);
	end_threads(machine, process, thread);
	thread->alive = process->end_ns == PROCESS_UNKNOWN;
	process->threads = thread->alive;
	rename_thread(thread, name);
	keep_space(process);
	if (process->trace_row)
		trace_row_exec(process->trace_row, name);
}

static void apply_thread_end(struct machine *machine, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(machine, event);
	struct trace_process *process = thread ? thread->process : NULL;

	if (!thread || !thread->alive || process->pid < 0)
		return;
	forget_stack(machine, thread);
	thread->alive = false;
	if (!--process->threads && !process->has_end)
		end_process(machine, process, event->time_ns);
}

static void apply_process_end(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);
	struct process *row;

	if (!process || process->pid < 0 || process->end_ns != PROCESS_UNKNOWN)
		return;
	row = row_of(machine, process);
	if (event->end.has_code && row->exit_code == PROCESS_UNKNOWN)
		row->exit_code = event->end.exit_code;
	end_process(machine, process, event->time_ns);
}

static uint64_t end_of(const struct trace_map *map)
{
	return map->length > UINT64_MAX - map->address ? UINT64_MAX : map->address + map->length;
}

/* Use the path of this mapping: the same module may have been mapped from another path first. */
static void set_row_path(struct trace_row *row, const struct trace_map *map)
{
	char *path = xstrndup(map->path, module_path_length(map->path));

	trace_row_map(row, path, map->pe);
	free(path);
}

/* Mappings of data are not kept, as no frame is in them, but they replace what was mapped there. */
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
	if (process && process->trace_row && machine->modules.v[mapping.module].kind == MODULE_FILE)
		set_row_path(process->trace_row, map);
}

static void apply_thread(struct machine *machine, const struct trace_event *event)
{
	struct trace_process *process = machine_process(machine, event->pid, event->time_ns);
	struct trace_thread *thread;

	if (!process)
		return;
	if (event->kind == TRACE_THREAD_START) {
		start_thread(machine, process, event->tid, event->start.by_tid);
		return;
	}
	thread = machine_find_thread(machine, process, event->tid);
	if (event->kind == TRACE_EXEC) {
		set_exec_start(machine, process, event->time_ns);
		apply_exec(machine, process, thread, event->name);
		return;
	}
	rename_thread(thread, event->name);
	if (process->trace_row && thread->tid == process->pid)
		trace_row_name(process->trace_row, event->name);
}

void machine_apply(struct machine *machine, const struct trace_event *event)
{
	machine->events++;
	switch (event->kind) {
	case TRACE_PROCESS_START:
		start_process(machine, event);
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
	case TRACE_TOUCH:
	case TRACE_HEAP:
	case TRACE_RUN:
		break;
	}
}
