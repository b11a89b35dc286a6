#include "convert/etl_export.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/etl_addresses.h"
#include "convert/etl_events.h"
#include "convert/etl_memory.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/little_endian.h"
#include "util/quote.h"

#define TICKS_A_SECOND 1000000000
#define INTERVAL_NS    100
#define WINDOWS_BUILD  19045 /* version whose event layouts are used */
#define STATUS_UNKNOWN 0x103
#define TEXT_MAX       2048
#define GUID_SIZE      16

/* Kernel flags for the file header. Word 0: processes, threads, images, VirtualAlloc; word 2: samples. */
enum { MASK_KERNEL = 0x1 | 0x2 | 0x4 | 0x4000, MASK_PROFILE = 0x2 };

/* Which images of a process are written. They are written only when a stack needs them: most children exec at once. */
enum images {
	IMAGES_NONE,
	IMAGES_OF_PREVIOUS, /* those of the previous program, copied to `before`: the new one has not run yet */
	IMAGES_OF_SPACE, /* those in trace_process.space */
};

struct exported_process {
	bool started, ended;
	enum images images;
	bool waits; /* it has images that are not written and not inherited */
	struct address_space before;
	struct etl_memory *memory; /* NULL: no memory event yet, or ended */
};

struct etl_export {
	struct machine *machine;
	struct etl_writer *writer;
	struct exported_process *processes; /* by trace_process.index */
	size_t processes_nr;
	bool *threads; /* started; by trace_thread.index */
	size_t threads_nr;
	struct intmap by_pid;    /* the last one started */
	struct intmap by_memory; /* by pid: the last one with memory */
	size_t copied;           /* memory ranges that children inherited from their parents */
	struct etl_memory_calls calls;
	struct etl_addresses addresses;
	uint64_t first_tick, tick;
	uint32_t cpu;
	bool stacked; /* the last event has a stack */
	uint32_t interval;
	struct etl_export_counts counts;
};

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
		.compression = options->compression,
		.masks = { MASK_KERNEL, 0, MASK_PROFILE },
		.session = "stagetrace convert",
		.file = options->source,
	};

	export->machine = export->addresses.machine = machine;
	export->first_tick = export->tick = file.first_tick;
	export->writer = etl_writer_new(&file, sink);
	etl_write_mark(export->writer, "Converted by stagetrace: not recorded on Windows");
	etl_write_build(export->writer, "stagetrace convert", options->product);
	return export;
}

static void free_exported(struct exported_process *exported)
{
	address_space_release(&exported->before);
	etl_memory_free(exported->memory);
	exported->memory = NULL;
}

void etl_export_free(struct etl_export *export)
{
	if (!export)
		return;
	for (size_t i = 0; i < export->processes_nr; i++)
		free_exported(&export->processes[i]);
	free(export->processes);
	free(export->threads);
	free(export->calls.v);
	etl_addresses_release(&export->addresses);
	intmap_release(&export->by_pid);
	intmap_release(&export->by_memory);
	etl_writer_free(export->writer);
	free(export);
}

const struct etl_export_counts *etl_export_counts(const struct etl_export *export)
{
	return &export->counts;
}

static struct exported_process *state_of(struct etl_export *export,
					 const struct trace_process *process)
{
	size_t had = export->processes_nr;

	ARRAY_GROW_ZERO(export->processes, process->index + 1, export->processes_nr);
	for (size_t i = had; i < export->processes_nr; i++)
		address_space_init(&export->processes[i].before);
	return &export->processes[process->index];
}

/*
 * Set time and processor of the next event. An event with a stack gets a unique tick. Readers sort events with equal ticks
 * by processor, so among them the processor never goes down.
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

/* Move the next event to a later tick. */
static void step(struct etl_export *export)
{
	etl_writer_at(export->writer, ++export->tick, export->cpu);
}

/* The image of a mapping of the process, or of the kernel (NULL). */
static struct etl_writer_image image_of(const struct etl_export *export,
					const struct trace_process *process,
					const struct address_space *space,
					const struct mapping *mapping)
{
	uint64_t base = etl_image_base(export->machine, space, mapping);

	return (struct etl_writer_image){
		.base = base,
		.size = mapping->end - base,
		.pid = process ? (uint32_t)process->pid : 0,
		.path = export->machine->modules.v[mapping->module].path,
	};
}

static void write_image(struct etl_export *export, const struct trace_process *process,
			const struct address_space *space, const struct mapping *mapping)
{
	const struct module *module = &export->machine->modules.v[mapping->module];
	struct etl_writer_image image = image_of(export, process, space, mapping);
	uint8_t id[MODULE_ID_MAX] = { 0 };

	etl_write_image(export->writer, ETL_EVENT_LOAD, &image);
	export->counts.images++;
	if (!module->id_length)
		return;
	memcpy(id, module->id, module->id_length);
	etl_write_pdb(export->writer, image.base, image.pid, id, le_get32(id + GUID_SIZE),
		      module->name);
}

/*
 * Two segments of a file may be further apart in memory than in the file, so they get images with different bases. The
 * upper image starts at its base and so covers the lower segment. The image of the lower segment is then written once
 * more: for a reader the last image at an address counts.
 */
static void export_image(struct etl_export *export, const struct trace_process *process,
			 const struct address_space *space, const struct mapping *mapping)
{
	const struct mapping *below[ETL_SEGMENTS_MAX];
	uint64_t base = etl_image_base(export->machine, space, mapping);
	int nr = etl_image_segments(export->machine, space, mapping, below);

	write_image(export, process, space, mapping);
	while (nr-- > 0) {
		if (etl_image_base(export->machine, space, below[nr]) == base)
			continue;
		step(export);
		write_image(export, process, space, below[nr]);
	}
}

static void export_images(struct etl_export *export, const struct trace_process *process,
			  const struct address_space *space)
{
	const struct mapping *at;

	for (uint64_t address = 0; (at = address_space_seek(space, address)); address = at->end)
		export_image(export, process, space, at);
}

/* Unload images of the previous program: the next one may use their addresses. */
static void unload_images(struct etl_export *export, const struct trace_process *process)
{
	struct exported_process *exported = state_of(export, process);
	const struct mapping *at;
	uint64_t address = 0;

	if (exported->images == IMAGES_OF_PREVIOUS) {
		for (; (at = address_space_seek(&exported->before, address)); address = at->end) {
			struct etl_writer_image image =
				image_of(export, process, &exported->before, at);

			etl_write_image(export->writer, ETL_EVENT_END, &image);
		}
		address_space_release(&exported->before);
		step(export);
	}
	exported->images = IMAGES_NONE;
}

static void load_images(struct etl_export *export, const struct trace_process *process)
{
	struct exported_process *exported = state_of(export, process);

	if (exported->images == IMAGES_OF_SPACE)
		return;
	unload_images(export, process);
	export_images(export, process, &process->space);
	exported->images = IMAGES_OF_SPACE;
	exported->waits = false;
}

/* A mapping of the process, or of the kernel (NULL), was added. */
static void add_mapping(struct etl_export *export, const struct trace_process *process,
			uint64_t address)
{
	const struct address_space *space = process ? &process->space : &export->machine->kernel;
	const struct mapping *mapping = address_space_find(space, address);

	if (!mapping)
		return;
	if (process && state_of(export, process)->images != IMAGES_OF_SPACE)
		state_of(export, process)->waits = true;
	else
		export_image(export, process, space, mapping);
}

/* The stack of the call of exec is still in the old program: keep its images until the new one runs. */
static void exec_images(struct etl_export *export, const struct trace_process *process)
{
	struct exported_process *exported = state_of(export, process);

	if (exported->images != IMAGES_OF_SPACE) {
		unload_images(export, process);
		return;
	}
	address_space_copy(&exported->before, &process->before);
	exported->images = IMAGES_OF_PREVIOUS;
}

/* Before a stack whose innermost address in the process is `leaf`: load the images that it may be in. */
static void settle_images(struct etl_export *export, const struct trace_process *process,
			  uint64_t leaf)
{
	struct exported_process *exported = state_of(export, process);

	if (exported->images == IMAGES_OF_SPACE)
		return;
	if (address_space_find(&process->space, leaf) ||
	    !address_space_find(&process->before, leaf)) {
		load_images(export, process);
	} else if (exported->images == IMAGES_NONE) {
		export_images(export, process, &process->before);
		address_space_copy(&exported->before, &process->before);
		exported->images = IMAGES_OF_PREVIOUS;
	}
}

/* At the end of a process, write its images even if no stack needed them. */
static void end_images(struct etl_export *export, const struct trace_process *process)
{
	if (state_of(export, process)->waits)
		load_images(export, process);
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
	if (etl_write_process(export->writer, life, &event) && life != ETL_EVENT_END)
		export->counts.cut_commands++;
	strbuf_release(&command);
}

static void write_end(struct etl_export *export, const struct trace_process *process)
{
	struct exported_process *exported = state_of(export, process);

	if (!exported->started || exported->ended || process->pid < 0)
		return;
	exported->ended = true;
	end_images(export, process);
	free_exported(exported);
	write_process(export, process, ETL_EVENT_END);
}

/* A thread's name is a separate event, as it may change. */
static void write_name(struct etl_export *export, const struct trace_thread *thread)
{
	if (*thread->name && thread->process->pid >= 0)
		etl_write_thread_name(export->writer, id_of(thread->process->pid),
				      id_of(thread->tid), thread->name);
}

static void export_thread(struct etl_export *export, const struct trace_thread *thread)
{
	ARRAY_GROW_ZERO(export->threads, thread->index + 1, export->threads_nr);
	if (export->threads[thread->index])
		return;
	export->threads[thread->index] = true;
	if (thread->process->pid < 0)
		return;
	export->counts.threads++;
	etl_write_thread(export->writer, ETL_EVENT_START, id_of(thread->process->pid),
			 id_of(thread->tid), "");
	write_name(export, thread);
}

/* Write the start of a process. An earlier process with the same pid has ended by now, even if its end is unknown. */
static void export_process(struct etl_export *export, struct trace_process *process)
{
	struct exported_process *exported = state_of(export, process);
	const struct trace_process *before;

	if (exported->started)
		return;
	before = intmap_get(&export->by_pid, process->pid);
	if (before)
		write_end(export, before);
	intmap_put(&export->by_pid, process->pid, process);
	exported = state_of(export, process);
	exported->started = true;
	if (process->pid < 0)
		return;
	export->counts.processes++;
	write_process(export, process,
		      process->started && process->start_ns <= 0 ? ETL_EVENT_DC_START
								 : ETL_EVENT_START);
	if (process->first)
		export_thread(export, process->first);
}

/* The process of an event; its start is written first. NULL: the idle process. */
static struct trace_process *find_process(struct etl_export *export, int64_t pid, int64_t time_ns)
{
	struct trace_process *process = machine_process(export->machine, pid, time_ns);

	if (process)
		export_process(export, process);
	return process;
}

static struct trace_thread *find_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);

	if (thread) {
		export_process(export, thread->process);
		export_thread(export, thread);
	}
	return thread;
}

static void begin_memory(struct etl_export *export, struct trace_process *process,
			 struct etl_memory *memory)
{
	struct trace_process *before = intmap_get(&export->by_memory, process->pid);

	if (before && before != process)
		free_exported(state_of(export, before));
	intmap_put(&export->by_memory, process->pid, process);
	state_of(export, process)->memory = memory;
}

static void start_process(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process = find_process(export, event->pid, event->time_ns);
	struct trace_process *parent = intmap_get(&export->by_memory, event->start.ppid);
	const struct etl_memory *from = NULL;
	size_t most;

	if (!process || process->end_ns != PROCESS_UNKNOWN || state_of(export, process)->memory)
		return;
	if (parent && parent != process && event->start.copied)
		from = state_of(export, parent)->memory;
	most = export->machine->max_copied - export->copied;
	if (from && etl_memory_ranges(from) <= most) {
		begin_memory(export, process, etl_memory_copy(from));
		export->copied += etl_memory_copied(state_of(export, process)->memory);
	} else {
		begin_memory(export, process, etl_memory_new());
	}
}

static void write_call(struct etl_export *export, const struct etl_memory_call *call, uint32_t pid,
		       enum memory_op op)
{
	uint32_t how =
		op == MEMORY_COMMIT_RESERVED ? ETL_CALL_COMMIT : ETL_CALL_COMMIT | ETL_CALL_RESERVE;
	uint64_t length = call->end - call->start;

	switch (call->what) {
	case ETL_MEMORY_FREE:
		etl_write_virtual(export->writer, call->start, length, pid,
				  op == MEMORY_DECOMMIT ? ETL_CALL_DECOMMIT : ETL_CALL_RELEASE);
		export->counts.frees++;
		break;
	case ETL_MEMORY_COMMIT:
		etl_write_virtual(export->writer, call->start, length, pid, how);
		export->counts.commits++;
		break;
	case ETL_MEMORY_RESERVE:
		etl_write_virtual(export->writer, call->start, length, pid, ETL_CALL_RESERVE);
		break;
	}
}

static void exec_process(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process = find_process(export, event->pid, event->time_ns);
	struct exported_process *exported;

	if (!process)
		return;
	exported = state_of(export, process);
	exec_images(export, process);
	if (!exported->memory)
		return;
	export->copied -= etl_memory_copied(exported->memory);
	etl_memory_clear(exported->memory, &export->calls);
	export->machine->memory_steps += etl_memory_take_steps(exported->memory);
	for (size_t i = 0; i < export->calls.nr; i++)
		write_call(export, &export->calls.v[i], id_of(process->pid), MEMORY_RELEASE);
}

static void name_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);
	bool was_exported;

	if (!thread)
		return;
	was_exported = thread->index < export->threads_nr && export->threads[thread->index];
	find_thread(export, event);
	if (was_exported)
		write_name(export, thread);
}

static void end_thread(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = machine_thread(export->machine, event);

	if (!thread)
		return;
	if (event->kind == TRACE_THREAD_END && !thread->alive &&
	    thread->index < export->threads_nr && export->threads[thread->index])
		etl_write_thread(export->writer, ETL_EVENT_END, id_of(thread->process->pid),
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
	add_mapping(export, process, event->map.address);
}

static void write_stack(struct etl_export *export, const struct trace_process *process, int64_t tid)
{
	etl_write_stack(export->writer, export->tick, process ? id_of(process->pid) : 0, id_of(tid),
			export->addresses.v, export->addresses.nr);
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
			   export->interval ? ETL_EVENT_INTERVAL_SET : ETL_EVENT_INTERVAL_START,
			   interval, export->interval ? export->interval : interval);
	export->interval = interval;
}

/* Set the stack for the next write_stack(), and write the images that it needs. */
static void set_stack(struct etl_export *export, struct trace_process *process, int64_t tid,
		      const struct trace_stack *stack)
{
	struct etl_addresses *addresses = &export->addresses;
	size_t kernel_nr = stack->kernel ? stack->kernel_nr : 0;

	etl_addresses_set(addresses, process, tid, stack);
	export->counts.truncated = addresses->truncated;
	if (process && addresses->nr > kernel_nr)
		settle_images(export, process, addresses->v[kernel_nr]);
}

static void sample_cpu(struct etl_export *export, const struct trace_event *event)
{
	struct trace_thread *thread = find_thread(export, event);
	struct trace_process *process = thread ? thread->process : NULL;
	const struct etl_addresses *addresses = &export->addresses;

	set_stack(export, process, event->tid, &event->cpu_sample.stack);
	set_interval(export, event->cpu_sample.weight_ns);
	etl_write_sample(export->writer, addresses->nr ? addresses->v[0] : 0,
			 thread ? id_of(thread->tid) : 0);
	export->counts.samples++;
	if (process)
		write_stack(export, process, thread->tid);
}

static uint32_t cpu_of(const struct trace_event *event)
{
	return event->cpu > 0 ? (uint32_t)event->cpu : 0;
}

/* Write the calls of a memory event, each with the event's stack. */
static void write_memory(struct etl_export *export, const struct trace_event *event)
{
	const struct etl_memory_calls *calls = &export->calls;
	uint32_t pid = id_of(event->memory.target_pid);
	bool stacked = event->memory.weight > 0;
	struct trace_thread *thread = stacked ? find_thread(export, event) : NULL;
	struct trace_process *caller = thread ? thread->process : NULL;

	if (stacked)
		set_stack(export, caller, event->tid, &event->memory.stack);
	export->counts.picked += event->memory.weight > 1;
	for (size_t i = 0; i < calls->nr; i++) {
		if (i && stacked)
			set_time(export, event->time_ns, cpu_of(event), true);
		write_call(export, &calls->v[i], pid, event->memory.op);
		if (stacked)
			write_stack(export, caller, event->tid);
	}
}

static void change_memory(struct etl_export *export, const struct trace_event *event)
{
	struct trace_process *process =
		find_process(export, event->memory.target_pid, event->time_ns);
	struct etl_memory *memory;

	export->counts.purges += event->memory.op == MEMORY_PURGE;
	if (!process || process->end_ns != PROCESS_UNKNOWN)
		return;
	if (!state_of(export, process)->memory)
		begin_memory(export, process, etl_memory_new());
	memory = state_of(export, process)->memory;
	etl_memory_apply(memory, &event->memory, &export->calls);
	export->machine->memory_steps += etl_memory_take_steps(memory);
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
	case TRACE_TOUCH: /* ETW's page faults have no such sample */
	case TRACE_HEAP:
	case TRACE_RUN:
		break;
	case TRACE_CPU:
		if (!event->cpu_sample.stack_only)
			sample_cpu(export, event);
		break;
	case TRACE_MEMORY:
		change_memory(export, event);
		break;
	}
}

static void end_all_images(struct etl_export *export)
{
	for (size_t i = 0; i < export->machine->processes_nr; i++) {
		const struct trace_process *process = export->machine->processes[i];
		const struct exported_process *exported = state_of(export, process);

		if (exported->started && !exported->ended && process->pid >= 0)
			end_images(export, process);
	}
}

void etl_export_finish(struct etl_export *export, uint64_t lost)
{
	set_time(export, 0, 0, false);
	end_all_images(export);
	if (export->interval)
		etl_write_interval(export->writer, ETL_EVENT_INTERVAL_END, export->interval,
				   export->interval);
	etl_writer_lost(export->writer, lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX, 0);
	etl_writer_finish(export->writer);
}
