#include "support/scenario.h"

#include <string.h>

#include "convert/etl_events.h"
#include "util/array.h"
#include "util/little_endian.h"

#define US          UINT64_C(1000)
#define PERF_START  UINT64_C(5000000000000) /* of the perf.data's clock, in ns */
#define TICK_START  UINT64_C(77000000)
#define FILETIME    INT64_C(133800000000000000)
#define KERNEL      UINT64_C(0xffffffff81000000)
#define INTERVAL_US 1000
#define CPUS        2
#define KEYS        2
#define NO_STACK    UINT8_MAX

enum image { KERNEL_TEXT, SHELL, RUSTC, DRIVER, LIBC, LINKER, IMAGES };

struct image_row {
	uint64_t base, size;
	const char *path; /* below the drive's root, "/" between */
	uint8_t id[20];
};

static const struct image_row images[] = {
	[KERNEL_TEXT] = { KERNEL, 0x1000000, "[kernel.kallsyms]_text", { 0xb0, 6, [19] = 0xb0 } },
	[SHELL] = { 0x550000000000, 0x10000, "/rust/bin/x", { 0xb1, 1, [19] = 0xb1 } },
	[RUSTC] = { 0x552000000000, 0x10000, "/rust/bin/rustc", { 0xb2, 2, [19] = 0xb2 } },
	[DRIVER] = { 0x7f0000000000,
		     0x1000000,
		     "/rust/lib/librustc_driver.so",
		     { 0xb3, 3, [19] = 0xb3 } },
	[LIBC] = { 0x7f2000000000, 0x100000, "/rust/lib/libc.so.6", { 0xb4, 4, [19] = 0xb4 } },
	[LINKER] = { 0x553000000000, 0x20000, "/rust/bin/ld.lld", { 0xb5, 5, [19] = 0xb5 } },
};

#define FRAMES 8

struct stack_row {
	uint64_t kernel[FRAMES], user[FRAMES]; /* leaf first; 0 at the end */
};

enum stack { IDLE_LOOP, PARSE, CHECK, GROW, CODEGEN, LINK, MAP };

static const struct stack_row stacks[] = {
	[IDLE_LOOP] = { { 0 }, { 0x550000001010, 0x550000002011 } },
	[PARSE] = { { 0 }, { 0x7f0000005010, 0x7f0000001021, 0x552000001011 } },
	[CHECK] = { { KERNEL + 0x1010, KERNEL + 0x2011 },
		    { 0x7f0000003010, 0x7f0000002011, 0x7f0000001021, 0x552000001011 } },
	[GROW] = { { 0 },
		   { 0x7f2000003010, 0x7f2000001011, 0x7f0000004011, 0x7f0000001021,
		     0x552000001011 } },
	[CODEGEN] = { { 0 }, { 0x7f0000006010, 0x7f2000005011 } },
	[LINK] = { { 0 }, { 0x553000002010, 0x553000001011 } },
	[MAP] = { { KERNEL + 0x3010 }, { 0x7f2000004010, 0x553000002011, 0x553000001011 } },
};

enum process { X, RUSTC_PROCESS, LD, QUIET, PROCESSES };

struct process_row {
	uint32_t pid, parent;
	const char *name, *command_line;
};

static const struct process_row processes[] = {
	[X] = { 400, 4, "x", "/rust/bin/x build --stage 2" },
	[RUSTC_PROCESS] = { 420, 400, "rustc",
			    "/rust/bin/rustc --crate-name rustc_middle --crate-type lib a.rs" },
	[LD] = { 440, 420, "ld.lld", "ld.lld -o librustc_middle.so \"a b.o\"" },
	[QUIET] = { 480, 4, "daemon", "daemon" },
};

enum what {
	WAS_THERE, /* reported at the start of the trace */
	IS_LEFT,   /* in ETL reported only at the end of the trace */
	STARTS,
	ENDS,
	THREAD_STARTS,
	THREAD_IS_NAMED,
	THREAD_ENDS,
	LOADS,
	SAMPLE,
	RESERVE,
	COMMIT,       /* with its reservation */
	COMMIT_LARGE, /* the same, of large pages */
	ALLOW,        /* of what is reserved, or committed already */
	PURGE,        /* of anything: what is committed there stays so */
	FREE,
	DECOMMIT,
};

struct step {
	unsigned us100; /* hundreds of microseconds */
	enum what what;
	enum process process;
	uint32_t tid; /* 0: the first */
	uint32_t cpu;
	uint64_t address, length; /* of memory; `address`: the image */
	unsigned stack;
	const char *name;
};

#define HEAP  UINT64_C(0x7d0000000000)
#define ARENA UINT64_C(0x7e0000000000)
#define MB    (UINT64_C(1) << 20)
#define LARGE (2 * MB) /* size of large pages */

static const struct step steps[] = {
	{ 0, LOADS, X, 0, 0, KERNEL_TEXT, 0, 0, NULL },
	{ 0, WAS_THERE, X, 0, 0, 0, 0, 0, NULL },
	{ 0, LOADS, X, 0, 0, SHELL, 0, 0, NULL },
	{ 0, IS_LEFT, QUIET, 0, 0, 0, 0, 0, NULL },
	{ 1, SAMPLE, X, 0, 0, 0, 0, IDLE_LOOP, NULL },
	{ 10, STARTS, RUSTC_PROCESS, 0, 1, 0, 0, 0, NULL },
	{ 11, LOADS, RUSTC_PROCESS, 0, 1, RUSTC, 0, 0, NULL },
	{ 12, LOADS, RUSTC_PROCESS, 0, 1, DRIVER, 0, 0, NULL },
	{ 13, LOADS, RUSTC_PROCESS, 0, 1, LIBC, 0, 0, NULL },
	{ 20, SAMPLE, RUSTC_PROCESS, 0, 1, 0, 0, PARSE, NULL },
	{ 30, COMMIT, RUSTC_PROCESS, 0, 1, HEAP, 8 * MB, GROW, NULL },
	{ 31, RESERVE, RUSTC_PROCESS, 0, 1, ARENA, 64 * MB, GROW, NULL },
	{ 40, ALLOW, RUSTC_PROCESS, 0, 1, ARENA, 4 * MB, GROW, NULL },
	{ 50, SAMPLE, X, 0, 0, 0, 0, IDLE_LOOP, NULL },
	{ 50, SAMPLE, RUSTC_PROCESS, 0, 1, 0, 0, CHECK, NULL },
	{ 60, ALLOW, RUSTC_PROCESS, 0, 1, ARENA + 2 * MB, 6 * MB, PARSE, NULL },
	{ 70, THREAD_STARTS, RUSTC_PROCESS, 424, 0, 0, 0, 0, NULL },
	{ 71, THREAD_IS_NAMED, RUSTC_PROCESS, 424, 0, 0, 0, 0, "opt cgu.0" },
	{ 80, SAMPLE, RUSTC_PROCESS, 424, 0, 0, 0, CODEGEN, NULL },
	{ 80, SAMPLE, RUSTC_PROCESS, 0, 1, 0, 0, CHECK, NULL },
	{ 90, FREE, RUSTC_PROCESS, 0, 1, HEAP + MB, 2 * MB, GROW, NULL },
	{ 100, DECOMMIT, RUSTC_PROCESS, 0, 1, ARENA + MB, 2 * MB, GROW, NULL },
	{ 105, PURGE, RUSTC_PROCESS, 0, 1, ARENA, 16 * MB, GROW, NULL },
	{ 110, ALLOW, RUSTC_PROCESS, 424, 0, ARENA, 2 * MB, CODEGEN, NULL },
	{ 120, STARTS, LD, 0, 0, 0, 0, 0, NULL },
	{ 121, LOADS, LD, 0, 0, LINKER, 0, 0, NULL },
	{ 122, LOADS, LD, 0, 0, LIBC, 0, 0, NULL },
	{ 130, COMMIT, LD, 0, 0, HEAP, 16 * MB, MAP, NULL },
	{ 131, SAMPLE, LD, 0, 0, 0, 0, LINK, NULL },
	{ 140, SAMPLE, RUSTC_PROCESS, 424, 1, 0, 0, CODEGEN, NULL },
	{ 150, THREAD_ENDS, RUSTC_PROCESS, 424, 1, 0, 0, 0, NULL },
	{ 160, FREE, LD, 0, 0, HEAP, 4 * MB, MAP, NULL },
	{ 161, SAMPLE, LD, 0, 0, 0, 0, LINK, NULL },
	{ 170, COMMIT, LD, 0, 0, HEAP + MB, 2 * MB, LINK, NULL },
	{ 175, COMMIT_LARGE, LD, 0, 0, ARENA, LARGE + MB, LINK, NULL },
	{ 180, ENDS, LD, 0, 0, 0, 0, 0, NULL },
	{ 190, ENDS, RUSTC_PROCESS, 0, 1, 0, 0, 0, NULL },
	{ 200, SAMPLE, X, 0, 0, 0, 0, IDLE_LOOP, NULL },
};

static uint32_t tid_of(const struct step *step)
{
	return step->tid ? step->tid : processes[step->process].pid;
}

static size_t count_frames(const uint64_t *frames)
{
	size_t nr = 0;

	while (nr < FRAMES && frames[nr])
		nr++;
	return nr;
}

/* A part of a stack that is written later. */
struct pending {
	bool is;
	uint64_t tick;
	const struct step *step;
};

struct etl_making {
	const struct scenario_options *options;
	struct etl_writer *writer;
	uint64_t tick;
	struct pending pending[CPUS];
	unsigned key_stacks[KEYS]; /* NO_STACK: not used yet */
	unsigned keys;
};

static uint64_t tick_of(const struct etl_making *making, unsigned us100)
{
	return TICK_START + us100 * 100 * (making->options->frequency / 1000000);
}

static void write_key(struct etl_making *making, const struct pending *pending, uint64_t now,
		      uint32_t cpu)
{
	unsigned slot = making->keys++ % KEYS, stack = pending->step->stack;
	unsigned *has = &making->key_stacks[slot];
	const struct stack_row *old;

	/* Before the reference, and so of those that were before. */
	if (*has != NO_STACK) {
		old = &stacks[*has];
		etl_writer_at(making->writer, now - 1, cpu);
		etl_write_stack_definition(making->writer, ETL_EVENT_KEY_DELETED, 0x1000 + slot,
					   old->user, count_frames(old->user));
		etl_writer_at(making->writer, now, cpu);
	}
	*has = stack;
	etl_write_stack_key(making->writer, ETL_EVENT_USER_KEY, pending->tick,
			    processes[pending->step->process].pid, tid_of(pending->step),
			    0x1000 + slot);
}

static void write_pending(struct etl_making *making, uint64_t now, uint32_t cpu)
{
	struct pending *pending = &making->pending[cpu];
	const struct step *step = pending->step;

	if (!pending->is)
		return;
	pending->is = false;
	if (making->options->stacks == SCENARIO_KEYS)
		write_key(making, pending, now, cpu);
	else
		etl_write_stack(making->writer, pending->tick, processes[step->process].pid,
				tid_of(step), stacks[step->stack].user,
				count_frames(stacks[step->stack].user));
}

static void write_stack(struct etl_making *making, const struct step *step)
{
	const struct stack_row *stack = &stacks[step->stack];
	size_t kernel = count_frames(stack->kernel), user = count_frames(stack->user);
	uint64_t all[2 * FRAMES];
	bool whole = making->options->stacks == SCENARIO_WHOLE;

	memcpy(all, stack->kernel, kernel * sizeof(*all));
	memcpy(all + kernel, stack->user, user * sizeof(*all));
	if (whole || kernel)
		etl_write_stack(making->writer, making->tick, processes[step->process].pid,
				tid_of(step), all, whole ? kernel + user : kernel);
	if (!whole)
		making->pending[step->cpu] = (struct pending){ true, making->tick, step };
}

static void write_life(struct etl_making *making, const struct step *step, enum etl_event_life life)
{
	const struct process_row *row = &processes[step->process];
	const struct etl_writer_process process = { .pid = row->pid,
						    .parent = row->parent,
						    .image = row->name,
						    .command_line = making->options->commands
									    ? row->command_line
									    : "" };
	enum etl_event_life thread = life;

	if (life == ETL_EVENT_END)
		etl_write_thread(making->writer, thread, row->pid, row->pid, row->name);
	etl_write_process(making->writer, life, &process);
	if (life != ETL_EVENT_END)
		etl_write_thread(making->writer, thread, row->pid, row->pid, row->name);
}

static void write_load(struct etl_making *making, const struct step *step)
{
	const struct image_row *row = &images[step->address];
	bool kernel = step->address == KERNEL_TEXT;
	struct strbuf path = STRBUF_INIT;
	struct etl_writer_image image = { .base = row->base,
					  .size = row->size,
					  .pid = kernel ? 0 : processes[step->process].pid };

	if (making->options->devices && !kernel)
		strbuf_adds(&path, "\\Device\\HarddiskVolume3");
	strbuf_adds(&path, row->path);
	for (char *c = path.buf; *c && making->options->devices && !kernel; c++)
		if (*c == '/')
			*c = '\\';
	image.path = path.buf;
	etl_write_image(making->writer, step->us100 ? ETL_EVENT_LOAD : ETL_EVENT_DC_START, &image);
	etl_write_pdb(making->writer, row->base, image.pid, row->id, le_get32(row->id + 16),
		      kernel ? "ntkrnlmp.pdb" : strrchr(row->path, '/') + 1);
	strbuf_release(&path);
}

/* MEM_LARGE_PAGES and MEM_RESET of winnt.h */
enum { ETL_LARGE_PAGES = 0x20000000, ETL_RESET = 0x80000 };

static void write_call(struct etl_making *making, const struct step *step)
{
	uint32_t pid = processes[step->process].pid;

	switch (step->what) {
	case RESERVE:
		etl_write_virtual(making->writer, step->address, step->length, pid,
				  ETL_CALL_RESERVE);
		break;
	case COMMIT:
		etl_write_virtual(making->writer, step->address, step->length, pid,
				  ETL_CALL_RESERVE | ETL_CALL_COMMIT);
		break;
	case COMMIT_LARGE: /* the caller rounds the length up */
		etl_write_virtual(making->writer, step->address,
				  (step->length + LARGE - 1) & ~(LARGE - 1), pid,
				  ETL_CALL_RESERVE | ETL_CALL_COMMIT | ETL_LARGE_PAGES);
		break;
	case ALLOW:
		etl_write_virtual(making->writer, step->address, step->length, pid,
				  ETL_CALL_COMMIT);
		break;
	case PURGE:
		etl_write_virtual(making->writer, step->address, step->length, pid, ETL_RESET);
		break;
	case FREE:
		etl_write_virtual(making->writer, step->address, step->length, pid,
				  ETL_CALL_RELEASE);
		break;
	default:
		etl_write_virtual(making->writer, step->address, step->length, pid,
				  ETL_CALL_DECOMMIT);
		break;
	}
}

static void write_step(struct etl_making *making, const struct step *step)
{
	uint32_t pid = processes[step->process].pid;

	switch (step->what) {
	case WAS_THERE:
		write_life(making, step, ETL_EVENT_DC_START);
		break;
	case IS_LEFT:
		break;
	case STARTS:
		write_life(making, step, ETL_EVENT_START);
		break;
	case ENDS:
		write_life(making, step, ETL_EVENT_END);
		break;
	case THREAD_STARTS:
		etl_write_thread(making->writer, ETL_EVENT_START, pid, step->tid, "");
		break;
	case THREAD_IS_NAMED:
		etl_write_thread_name(making->writer, pid, step->tid, step->name);
		break;
	case THREAD_ENDS:
		etl_write_thread(making->writer, ETL_EVENT_END, pid, step->tid, "");
		break;
	case LOADS:
		write_load(making, step);
		break;
	case SAMPLE:
		etl_write_sample(making->writer,
				 stacks[step->stack].kernel[0] ? stacks[step->stack].kernel[0]
							       : stacks[step->stack].user[0],
				 tid_of(step));
		write_stack(making, step);
		break;
	default:
		write_call(making, step);
		write_stack(making, step);
		break;
	}
}

/* Write the rundown at the end, and the remaining parts of stacks. */
static void write_end(struct etl_making *making)
{
	uint64_t end = tick_of(making, steps[ARRAY_SIZE(steps) - 1].us100 + 1);

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		etl_writer_at(making->writer, end, cpu);
		write_pending(making, end, cpu);
	}
	etl_writer_at(making->writer, end, 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i].what == IS_LEFT || steps[i].what == WAS_THERE)
			write_life(making, &steps[i], ETL_EVENT_DC_END);
	etl_writer_at(making->writer, end, CPUS - 1);
	for (unsigned i = 0; i < KEYS; i++) {
		const struct stack_row *stack = &stacks[making->key_stacks[i]];

		if (making->key_stacks[i] != NO_STACK)
			etl_write_stack_definition(making->writer, ETL_EVENT_KEY_RUNDOWN,
						   0x1000 + i, stack->user,
						   count_frames(stack->user));
	}
}

/* By the parent's thread, whose the stack is. */
static void write_parent_commit(struct etl_making *making)
{
	const struct stack_row *stack = &stacks[IDLE_LOOP];

	etl_writer_at(making->writer, making->tick + 1, 0);
	write_pending(making, making->tick + 1, 0);
	etl_write_virtual(making->writer, ARENA - MB, MB, processes[RUSTC_PROCESS].pid,
			  ETL_CALL_RESERVE | ETL_CALL_COMMIT);
	etl_write_stack(making->writer, making->tick + 1, processes[X].pid, processes[X].pid,
			stack->user, count_frames(stack->user));
}

void scenario_write_etl(const struct scenario_options *options, struct strbuf *file)
{
	struct scenario_options usual = *options;
	struct etl_making making = { .options = &usual, .key_stacks = { NO_STACK, NO_STACK } };
	struct etl_writer_options how = { .buffer_size = options->buffer_size,
					  .cpus = CPUS,
					  .build = 19045,
					  .first_tick = TICK_START,
					  .start_time = FILETIME,
					  .compression = options->compression,
					  .masks = { 0x4007, 0, 2 },
					  .session = "Relogger",
					  .file = "[multiple files]" };
	struct etl_sink sink = etl_sink_memory(file);

	if (!usual.frequency)
		usual.frequency = 10000000;
	how.frequency = usual.frequency;
	making.writer = etl_writer_new(&how, &sink);
	etl_write_interval(making.writer, ETL_EVENT_INTERVAL_START, INTERVAL_US * 10,
			   INTERVAL_US * 10);
	if (options->devices)
		etl_write_volume(making.writer, "\\Device\\HarddiskVolume3\\", "C:\\");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		making.tick = tick_of(&making, steps[i].us100);
		etl_writer_at(making.writer, making.tick, steps[i].cpu);
		write_pending(&making, making.tick, steps[i].cpu);
		write_step(&making, &steps[i]);
		if (options->parent_commits && steps[i].us100 == 10)
			write_parent_commit(&making);
	}
	write_end(&making);
	etl_writer_lost(making.writer, options->lost_events, options->lost_buffers);
	etl_writer_finish(making.writer);
	etl_writer_free(making.writer);
}

enum { MMAP, MMAP_EXIT, MUNMAP, MREMAP, MREMAP_EXIT, BRK, BRK_EXIT, MPROTECT, MADVISE, CALLS };
#define PERF_CALLCHAIN (UINT64_C(1) << 5)

enum { PROT_NONE, PROT_RW = 3, MAP_USUAL = 0x22, MAP_FIXED = 0x10, MAP_HUGETLB = 0x40000 };
enum { MADV_DONTNEED = 4 };

struct perf_making {
	struct perf_writer *writer;
	unsigned cpu_clock, calls[CALLS];
	uint64_t ids[CALLS + 1]; /* by event: of the tracepoint */
};

static void perf_sample(struct perf_making *making, uint64_t time, const struct step *step,
			unsigned event, const uint64_t *args, size_t nr)
{
	const struct stack_row *stack = &stacks[step->stack];
	size_t kernel = count_frames(stack->kernel), user = count_frames(stack->user), at = 0;
	uint64_t chain[2 * FRAMES + 2];
	uint64_t raw[8] = { making->ids[event] | (uint64_t)tid_of(step) << 32 };
	struct perf_writer_sample sample = { .event = event,
					     .ip = kernel ? stack->kernel[0] : stack->user[0],
					     .period = args ? 1 : INTERVAL_US * US,
					     .kernel = kernel > 0,
					     .chain = chain };

	if (kernel)
		chain[at++] = PERF_WRITER_KERNEL;
	for (size_t i = 0; i < kernel; i++)
		chain[at++] = stack->kernel[i];
	chain[at++] = PERF_WRITER_USER;
	for (size_t i = 0; i < user; i++)
		chain[at++] = stack->user[i];
	sample.chain_nr = at;
	if (args) {
		memcpy(raw + 2, args, nr * sizeof(*args));
		sample.raw = raw;
		sample.raw_nr = 16 + nr * 8;
	}
	perf_writer_sample(making->writer, time, &sample);
}

static void perf_mmap(struct perf_making *making, uint64_t time, const struct step *step,
		      uint64_t protection, uint64_t flags)
{
	const uint64_t args[] = { step->address, step->length, protection, flags, UINT64_MAX, 0 };

	perf_sample(making, time - US, step, making->calls[MMAP], args, ARRAY_SIZE(args));
	perf_sample(making, time, step, making->calls[MMAP_EXIT], &step->address, 1);
}

static void perf_memory(struct perf_making *making, uint64_t time, const struct step *step)
{
	const uint64_t args[] = { step->address, step->length, PROT_RW };
	const uint64_t advice[] = { step->address, step->length, MADV_DONTNEED };

	switch (step->what) {
	case RESERVE:
		perf_mmap(making, time, step, PROT_NONE, MAP_USUAL);
		break;
	case COMMIT:
		perf_mmap(making, time, step, PROT_RW, MAP_USUAL);
		break;
	case COMMIT_LARGE:
		perf_mmap(making, time, step, PROT_RW, MAP_USUAL | MAP_HUGETLB);
		break;
	case PURGE:
		perf_sample(making, time, step, making->calls[MADVISE], advice, 3);
		break;
	case ALLOW:
		perf_sample(making, time, step, making->calls[MPROTECT], args, 3);
		break;
	case FREE:
		perf_sample(making, time, step, making->calls[MUNMAP], args, 2);
		break;
	default:
		perf_mmap(making, time, step, PROT_NONE, MAP_USUAL | MAP_FIXED);
		break;
	}
}

static void perf_start(struct perf_making *making, uint64_t time, const struct step *step)
{
	const struct process_row *row = &processes[step->process];

	perf_writer_on(making->writer, (int32_t)row->parent, (int32_t)row->parent, step->cpu);
	perf_writer_fork(making->writer, time, (int32_t)row->pid);
	perf_writer_on(making->writer, (int32_t)row->pid, (int32_t)row->pid, step->cpu);
	perf_writer_exec(making->writer, time, row->name);
}

static void perf_load(struct perf_making *making, uint64_t time, const struct step *step)
{
	const struct image_row *row = &images[step->address];
	bool kernel = step->address == KERNEL_TEXT;
	struct perf_writer_map map = { .address = row->base,
				       .length = row->size,
				       .path = row->path,
				       .id_length = sizeof(row->id),
				       .kernel = kernel };

	if (kernel) {
		map.offset = row->base;
		perf_writer_on(making->writer, -1, 0, 0);
	}
	memcpy(map.id, row->id, sizeof(row->id));
	perf_writer_map(making->writer, time, &map);
}

static void perf_step(struct perf_making *making, const struct step *step)
{
	struct perf_writer *writer = making->writer;
	uint64_t time = step->us100 ? PERF_START + step->us100 * 100 * US : 0;

	perf_writer_on(writer, (int32_t)processes[step->process].pid, (int32_t)tid_of(step),
		       step->cpu);
	switch (step->what) {
	case WAS_THERE:
	case IS_LEFT:
	case STARTS:
		perf_start(making, time, step);
		break;
	case ENDS:
	case THREAD_ENDS:
		perf_writer_exit(writer, time);
		break;
	case THREAD_STARTS:
		perf_writer_on(writer, (int32_t)processes[step->process].pid,
			       (int32_t)processes[step->process].pid, step->cpu);
		perf_writer_thread(writer, time, (int32_t)step->tid);
		break;
	case THREAD_IS_NAMED:
		perf_writer_name(writer, time, step->name);
		break;
	case LOADS:
		perf_load(making, time, step);
		break;
	case SAMPLE:
		perf_sample(making, time, step, making->cpu_clock, NULL, 0);
		break;
	default:
		perf_memory(making, time, step);
		break;
	}
}

struct perf_writer *scenario_perf(enum perf_writer_form form)
{
	static const char *const calls[] = {
		[MMAP] = "sys_enter_mmap",         [MMAP_EXIT] = "sys_exit_mmap",
		[MUNMAP] = "sys_enter_munmap",     [MREMAP] = "sys_enter_mremap",
		[MREMAP_EXIT] = "sys_exit_mremap", [BRK] = "sys_enter_brk",
		[BRK_EXIT] = "sys_exit_brk",       [MPROTECT] = "sys_enter_mprotect",
		[MADVISE] = "sys_enter_madvise",
	};
	struct perf_making making = { .writer = perf_writer_new(form) };

	making.cpu_clock = perf_writer_cpu_clock(making.writer, 1000000 / INTERVAL_US);
	for (size_t i = 0; i < CALLS; i++) {
		unsigned event = perf_writer_tracepoint(making.writer, calls[i], false);

		making.calls[i] = event;
		making.ids[event] = perf_writer_event_at(making.writer, event)->config;
		perf_writer_event_at(making.writer, event)->sample_type |= PERF_CALLCHAIN;
	}
	/* Time zero is that of the first event with a time from the kernel. */
	perf_writer_on(making.writer, (int32_t)processes[X].pid, (int32_t)processes[X].pid, 0);
	perf_writer_name(making.writer, PERF_START, processes[X].name);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		perf_step(&making, &steps[i]);
	return making.writer;
}
