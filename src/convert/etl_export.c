#include "convert/etl_export_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "convert/etl_events.h"
#include "util/array.h"
#include "util/quote.h"

#define TICKS_A_SECOND 1000000000
#define INTERVAL_NS    100
#define WINDOWS_BUILD  19045 /* whose layouts the events have */
#define STATUS_UNKNOWN 0x103
#define TEXT_MAX       2048

/* Which events there are: processes, threads, images and VirtualAlloc; samples, in the third word. */
enum { MASK_KERNEL = 0x1 | 0x2 | 0x4 | 0x4000, MASK_PROFILE = 0x2 };

struct etl_export *etl_export_new(struct machine *machine, const struct etl_export_options *options,
				  const struct etl_sink *sink)
{
	struct etl_export *export = xcalloc(1, sizeof(*export));
	struct etl_writer_options file = {
		.cpus = options->cpus,
		.build = WINDOWS_BUILD,
		.frequency = TICKS_A_SECOND,
		.first_tick = options->base_ns > 0 ? (uint64_t)options->base_ns : TICKS_A_SECOND,
		.start_time = options->start_time,
		.packing = options->packing,
		.masks = { MASK_KERNEL, 0, MASK_PROFILE },
		.session = "stagetrace convert",
		.file = options->source,
	};

	export->machine = machine;
	export->first_tick = export->tick = file.first_tick;
	export->writer = etl_writer_new(&file, sink);
	etl_write_mark(export->writer, "Converted by stagetrace: not recorded on Windows");
	etl_write_build(export->writer, "stagetrace convert", options->product);
	return export;
}

static void free_told(struct told_process *told)
{
	address_space_release(&told->before);
	etl_memory_free(told->memory);
	told->memory = NULL;
}

void etl_export_free(struct etl_export *export)
{
	if (!export)
		return;
	for (size_t i = 0; i < export->processes_nr; i++)
		free_told(&export->processes[i]);
	free(export->processes);
	free(export->threads);
	free(export->calls.v);
	free(export->addresses);
	free(export->places);
	intmap_release(&export->told);
	intmap_release(&export->by_memory);
	etl_writer_free(export->writer);
	free(export);
}

const struct etl_export_counts *etl_export_counts(const struct etl_export *export)
{
	return &export->counts;
}

struct told_process *etl_export_told(struct etl_export *export, const struct trace_process *process)
{
	size_t had = export->processes_nr;

	ARRAY_GROW_ZERO(export->processes, process->index + 1, export->processes_nr);
	for (size_t i = had; i < export->processes_nr; i++)
		address_space_init(&export->processes[i].before);
	return &export->processes[process->index];
}

/*
 * Whose tick is whose has to be clear where there is a stack. Of events with equal ticks readers take those of the lower
 * processor first: none may go back to one.
 */
static void set_time(struct etl_export *export, int64_t time_ns, uint32_t cpu, bool stacked)
{
	uint64_t tick = export->first_tick + (uint64_t)(time_ns > 0 ? time_ns : 0);
	uint64_t least = export->tick + (stacked || export->stacked);

	if (tick < least)
		tick = least;
	if (tick > export->tick || cpu > export->cpu)
		export->cpu = cpu;
	export->tick = tick;
	export->stacked = stacked;
	etl_writer_at(export->writer, export->tick, export->cpu);
}

void etl_export_step(struct etl_export *export)
{
	etl_writer_at(export->writer, ++export->tick, export->cpu);
}

static struct process *row_of(const struct etl_export *export, const struct trace_process *process)
{
	return export->machine->rows->v[process->row];
}

static uint32_t id_of(int64_t id)
{
	return id < 0 ? UINT32_MAX : (uint32_t)id;
}

static void write_process(struct etl_export *export, const struct trace_process *process,
			  enum etl_event_life life)
{
	const struct process *row = row_of(export, process);
	struct strbuf command = STRBUF_INIT;
	struct etl_writer_process event = {
		.pid = id_of(process->pid),
		.parent = row->ppid < 0 ? 0 : id_of(row->ppid),
		.exit_status = row->exit_code == PROCESS_UNKNOWN ? STATUS_UNKNOWN
								 : (uint32_t)row->exit_code,
	};
	char image[TEXT_MAX];

	snprintf(image, sizeof(image), "%s", process_image(row));
	event.image = image;
	if (!row->argv_lost)
		quote_add_windows(&command, &row->argv);
	event.command_line = command.buf;
	if (etl_write_process(export->writer, life, &event) && life != ETL_EVENT_ENDS)
		export->counts.cut_commands++;
	strbuf_release(&command);
}

static void write_end(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	if (!told->told || told->ended || process->pid < 0)
		return;
	told->ended = true;
	etl_export_end_images(export, process);
	free_told(told);
	write_process(export, process, ETL_EVENT_ENDS);
}

/* Names have events of their own, as they change. */
static void write_name(struct etl_export *export, const struct trace_thread *thread)
{
	if (*thread->name && thread->process->pid >= 0)
		etl_write_thread_name(export->writer, id_of(thread->process->pid),
				      id_of(thread->tid), thread->name);
}

static void tell_thread(struct etl_export *export, const struct trace_thread *thread)
{
	ARRAY_GROW_ZERO(export->threads, thread->index + 1, export->threads_nr);
	if (export->threads[thread->index])
		return;
	export->threads[thread->index] = true;
	if (thread->process->pid < 0)
		return;
	export->counts.threads++;
	etl_write_thread(export->writer, ETL_EVENT_STARTS, id_of(thread->process->pid),
			 id_of(thread->tid), "");
	write_name(export, thread);
}

/* One that had the pid before and whose end was not told has ended by now. */
static void tell_process(struct etl_export *export, struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);
	const struct trace_process *before;

	if (told->told)
		return;
	before = intmap_get(&export->told, process->pid);
	if (before)
		write_end(export, before);
	intmap_put(&export->told, process->pid, process);
	told = etl_export_told(export, process);
	told->told = true;
	if (process->pid < 0)
		return;
	export->counts.processes++;
	write_process(export, process,
		      process->started && process->start_ns <= 0 ? ETL_EVENT_WAS_THERE
								 : ETL_EVENT_STARTS);
	if (process->first)
		tell_thread(export, process->first);
}

/* Who the event is about, told; NULL for the idle process. */
static struct trace_process *find_process(struct etl_export *export, int64_t pid, int64_t time_ns)
{
	struct trace_process *process = machine_process(export->machine, pid, time_ns);

	if (process)
		tell_process(export, process);
	return process;
}

static struct trace_thread *find_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);

	if (thread) {
		tell_process(export, thread->process);
		tell_thread(export, thread);
	}
	return thread;
}

static void begin_memory(struct etl_export *export, struct trace_process *process,
			 struct etl_memory *memory)
{
	struct trace_process *before = intmap_get(&export->by_memory, process->pid);

	if (before && before != process)
		free_told(etl_export_told(export, before));
	intmap_put(&export->by_memory, process->pid, process);
	etl_export_told(export, process)->memory = memory;
}

static void start_process(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process = find_process(export, event->pid, event->time_ns);
	struct trace_process *parent = intmap_get(&export->by_memory, event->start.ppid);
	const struct etl_memory *from = NULL;
	size_t most;

	if (!process || process->end_ns != PROCESS_UNKNOWN ||
	    etl_export_told(export, process)->memory)
		return;
	if (parent && parent != process && event->start.copied)
		from = etl_export_told(export, parent)->memory;
	most = export->machine->max_copied - export->copied;
	if (from && etl_memory_ranges(from) <= most) {
		begin_memory(export, process, etl_memory_copy(from));
		export->copied += etl_memory_copied(etl_export_told(export, process)->memory);
	} else {
		begin_memory(export, process, etl_memory_new());
	}
}

static void write_call(struct etl_export *export, const struct etl_memory_call *call, uint32_t pid,
		       enum memory_op op)
{
	uint32_t how = op == MEMORY_ALLOW ? ETL_CALL_COMMIT : ETL_CALL_COMMIT | ETL_CALL_RESERVE;
	uint64_t length = call->end - call->start;

	switch (call->what) {
	case ETL_MEMORY_FREE:
		etl_write_free(export->writer, call->start, length, pid,
			       op == MEMORY_DECOMMIT ? ETL_CALL_DECOMMIT : ETL_CALL_RELEASE);
		export->counts.frees++;
		break;
	case ETL_MEMORY_COMMIT:
		etl_write_alloc(export->writer, call->start, length, pid, how);
		export->counts.commits++;
		break;
	case ETL_MEMORY_RESERVE:
		etl_write_alloc(export->writer, call->start, length, pid, ETL_CALL_RESERVE);
		break;
	}
}

static void exec_process(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process = find_process(export, event->pid, event->time_ns);
	struct told_process *told;

	if (!process)
		return;
	told = etl_export_told(export, process);
	etl_export_exec_images(export, process);
	if (!told->memory)
		return;
	export->copied -= etl_memory_copied(told->memory);
	etl_memory_clear(told->memory, &export->calls);
	for (size_t i = 0; i < export->calls.nr; i++)
		write_call(export, &export->calls.v[i], id_of(process->pid), MEMORY_RELEASE);
}

static void name_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);
	bool was_told;

	if (!thread)
		return;
	was_told = thread->index < export->threads_nr && export->threads[thread->index];
	find_thread(export, event);
	if (was_told)
		write_name(export, thread);
}

static void end_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);

	if (!thread)
		return;
	if (event->kind == TRACE_THREAD_END && !thread->alive &&
	    thread->index < export->threads_nr && export->threads[thread->index])
		etl_write_thread(export->writer, ETL_EVENT_ENDS, id_of(thread->process->pid),
				 id_of(thread->tid), "");
	if (thread->process->end_ns != PROCESS_UNKNOWN)
		write_end(export, thread->process);
}

static void map_code(struct etl_export *export, const struct trace_event *event)
{
	const struct trace_process *process = NULL;

	if (!event->map.code)
		return;
	if (!event->map.kernel) {
		process = find_process(export, event->pid, event->time_ns);
		if (!process)
			return;
	}
	etl_export_mapping(export, process, event->map.address);
}

static void write_stack(struct etl_export *export, const struct trace_process *process, int64_t tid,
			size_t nr)
{
	etl_write_stack(export->writer, export->tick, process ? id_of(process->pid) : 0, id_of(tid),
			export->addresses, nr);
	export->counts.stacks++;
}

static void set_interval(struct etl_export *export, int64_t weight_ns)
{
	uint64_t units = weight_ns > 0 ? ((uint64_t)weight_ns + INTERVAL_NS / 2) / INTERVAL_NS : 0;
	uint32_t interval = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;

	export->counts.rounded_weights += weight_ns % INTERVAL_NS != 0;
	if (interval == export->interval)
		return;
	etl_write_interval(export->writer,
			   export->interval ? ETL_EVENT_INTERVAL_CHANGES
					    : ETL_EVENT_INTERVAL_STARTS,
			   interval, export->interval ? export->interval : interval);
	export->interval = interval;
}

/* For a stack that is in export->addresses. */
static void settle_images(struct etl_export *export, const struct trace_process *process,
			  const struct trace_stack *stack, size_t nr)
{
	size_t kernel_nr = stack->kernel ? stack->kernel_nr : 0;

	if (process && nr > kernel_nr)
		etl_export_settle_images(export, process, export->addresses[kernel_nr]);
}

static void sample_cpu(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = find_thread(export, event);
	struct trace_process *process = thread ? thread->process : NULL;
	const struct trace_stack *stack = &event->cpu_sample.stack;
	size_t nr = etl_export_addresses(export, process, event->tid, stack);

	settle_images(export, process, stack, nr);
	set_interval(export, event->cpu_sample.weight_ns);
	etl_write_sample(export->writer, nr ? export->addresses[0] : 0,
			 thread ? id_of(thread->tid) : 0);
	export->counts.samples++;
	if (process)
		write_stack(export, process, thread->tid, nr);
}

static uint32_t cpu_of(const struct trace_event *event)
{
	return event->cpu > 0 ? (uint32_t)event->cpu : 0;
}

/* Each call has the stack of the event. */
static void write_memory(struct etl_export *export, const struct trace_event *event)
{
	const struct etl_memory_calls *calls = &export->calls;
	uint32_t pid = id_of(event->memory.target_pid);
	bool stacked = event->memory.weight > 0;
	struct trace_thread *thread = stacked ? find_thread(export, event) : NULL;
	struct trace_process *caller = thread ? thread->process : NULL;
	size_t nr = 0;

	if (stacked)
		nr = etl_export_addresses(export, caller, event->tid, &event->memory.stack);
	settle_images(export, caller, &event->memory.stack, nr);
	export->counts.picked += event->memory.weight > 1;
	for (size_t i = 0; i < calls->nr; i++) {
		if (i && stacked)
			set_time(export, event->time_ns, cpu_of(event), true);
		write_call(export, &calls->v[i], pid, event->memory.op);
		if (stacked)
			write_stack(export, caller, event->tid, nr);
	}
}

static void change_memory(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process =
		find_process(export, event->memory.target_pid, event->time_ns);

	export->counts.purges += event->memory.op == MEMORY_PURGE;
	if (!process || process->end_ns != PROCESS_UNKNOWN)
		return;
	if (!etl_export_told(export, process)->memory)
		begin_memory(export, process, etl_memory_new());
	etl_memory_apply(etl_export_told(export, process)->memory, &event->memory, &export->calls);
	if (export->calls.nr)
		write_memory(export, event);
}

void etl_export_event(struct etl_export *export, const struct trace_event *event)
{
	bool stacked =
		event->kind == TRACE_CPU || (event->kind == TRACE_MEMORY && event->memory.weight);

	set_time(export, event->time_ns, cpu_of(event), stacked);
	switch (event->kind) {
	case TRACE_PROCESS_START:
		start_process(export, event);
		break;
	case TRACE_THREAD_START:
		find_thread(export, event);
		break;
	case TRACE_EXEC:
		name_thread(export, event);
		exec_process(export, event);
		break;
	case TRACE_THREAD_NAME:
		name_thread(export, event);
		break;
	case TRACE_THREAD_END:
	case TRACE_PROCESS_END:
		end_thread(export, event);
		break;
	case TRACE_MAP:
		map_code(export, event);
		break;
	case TRACE_UNMAP:
		break;
	case TRACE_CPU:
		sample_cpu(export, event);
		break;
	case TRACE_MEMORY:
		change_memory(export, event);
		break;
	}
}

static void end_images(struct etl_export *export)
{
	for (size_t i = 0; i < export->machine->processes_nr; i++) {
		const struct trace_process *process = export->machine->processes[i];
		const struct told_process *told = etl_export_told(export, process);

		if (told->told && !told->ended && process->pid >= 0)
			etl_export_end_images(export, process);
	}
}

void etl_export_finish(struct etl_export *export, uint64_t lost)
{
	set_time(export, 0, 0, false);
	end_images(export);
	if (export->interval)
		etl_write_interval(export->writer, ETL_EVENT_INTERVAL_ENDS, export->interval,
				   export->interval);
	etl_writer_lost(export->writer, lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX, 0);
	etl_writer_finish(export->writer);
}
