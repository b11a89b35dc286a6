/*
 * Writes a run of a made-up build as large as a stage 2 of rustc, with names: make-build DIRECTORY [PERCENT]
 *
 * 922 processes on two processors, 2.5 million CPU samples with some 840,000 different stacks, 1.57 million commits, stacks
 * of the large ones and of one in 64 of the others, and touched pages; or a PERCENT of its time, with all of its processes.
 * The same each time. Stacks are walks through a made-up program: each function calls few others, one of them far more
 * often, so that few stacks are frequent and most are rare.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "support/perf_writer.h"
#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/page_sampling.h"
#include "util/stack_sampling.h"

#define START    UINT64_C(1000000000000)
#define TICK     UINT64_C(1000000) /* between the CPU samples of a processor, ns */
#define KB       UINT64_C(1024)
#define MB       (UINT64_C(1) << 20)
#define ARENA    (64 * MB)
#define HEAP     UINT64_C(0x7d0000000000)
#define SAMPLES  2500000
#define CRATES   230 /* four processes each: what cargo starts, rustc, a linker, a probe */
#define CPUS     2
#define FIRST_ID 1000

enum { PYTHON, CARGO, RUSTC, DRIVER, LLVM, LIBC, LLD, MODULES };

static const struct perf_writer_map modules[MODULES] = {
	[PYTHON] = { 0x550000000000, 256 * MB, 0, "/rust/bin/python3", { 0xa1 }, 8, false, false },
	[CARGO] = { 0x551000000000, 256 * MB, 0, "/rust/bin/cargo", { 0xa2 }, 8, false, false },
	[RUSTC] = { 0x552000000000, 256 * MB, 0, "/rust/bin/rustc", { 0xa3 }, 8, false, false },
	[DRIVER] = { 0x7f0000000000,
		     256 * MB,
		     0,
		     "/rust/lib/librustc_driver-0123456789abcdef.so",
		     { 0xa4 },
		     8,
		     false,
		     false },
	[LLVM] = { 0x7f1000000000,
		   256 * MB,
		   0,
		   "/rust/lib/libLLVM.so.19.1",
		   { 0xa5 },
		   8,
		   false,
		   false },
	[LIBC] = { 0x7f2000000000, 256 * MB, 0, "/rust/lib/libc.so.6", { 0xa6 }, 8, false, false },
	[LLD] = { 0x553000000000, 256 * MB, 0, "/rust/bin/ld.lld", { 0xa7 }, 8, false, false },
};

/* Functions of a module are 4 KB long, and begin at multiples of that, from the first one on. */
static const unsigned functions_of[MODULES] = { 40, 400, 4, 24000, 8000, 6, 900 };

enum { START_THREAD, MALLOC, SYSMALLOC, MPROTECT, MMAP, LIBC_START };

/* What rustc works on, one after the other; of the time of a crate so many thousandths. */
static const struct {
	const char *crate;
	unsigned share;
} work[] = {
	{ "rustc_parse", 15 },           { "rustc_expand", 25 },       { "rustc_resolve", 40 },
	{ "rustc_ast_lowering", 15 },    { "rustc_hir_analysis", 60 }, { "rustc_hir_typeck", 110 },
	{ "rustc_trait_selection", 90 }, { "rustc_mir_build", 40 },    { "rustc_borrowck", 70 },
	{ "rustc_mir_transform", 70 },   { "rustc_lint", 30 },         { "rustc_monomorphize", 45 },
	{ "rustc_codegen_ssa", 60 },     { "rustc_metadata", 30 },
};

static const char *const queries[] = {
	"typeck",    "mir_borrowck",  "optimized_mir",       "layout_of",
	"type_of",   "predicates_of", "generics_of",         "fn_sig",
	"mir_built", "thir_body",     "evaluate_obligation", "impl_trait_ref",
	"adt_def",   "mir_const",     "items_of_instance",   "codegen_unit",
};

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t number)
{
	number ^= number >> 33;
	number *= UINT64_C(0xff51afd7ed558ccd);
	number ^= number >> 33;
	number *= UINT64_C(0xc4ceb9fe1a85ec53);
	return number ^ number >> 33;
}

static unsigned below(unsigned most)
{
	random_state += UINT64_C(0x9e3779b97f4a7c15);
	return (unsigned)(mix(random_state) % most);
}

#define FRAMES_MAX 128

/* Root first. */
struct stack {
	uint64_t frames[FRAMES_MAX];
	unsigned nr;
};

static void push(struct stack *stack, int module, unsigned function)
{
	if (stack->nr < FRAMES_MAX)
		stack->frames[stack->nr++] =
			modules[module].address + (function + 1) * UINT64_C(4096) + 0x10;
}

/* Functions of the driver: first those of queries, then of each crate of `work` every ARRAY_SIZE(work)-th one. */
static unsigned driver_function(unsigned crate, uint64_t number)
{
	unsigned of_crate = (functions_of[DRIVER] - ARRAY_SIZE(queries)) / ARRAY_SIZE(work);

	return ARRAY_SIZE(queries) + (unsigned)(number % of_crate) * ARRAY_SIZE(work) + crate;
}

/* Which of the functions that a function calls: nearly always the first, but of one in five functions. */
static unsigned choose(uint64_t caller)
{
	unsigned k = 0, often = mix(caller) % 5 ? 985 : 620;

	while (k < 6 && below(1000) >= often)
		k++;
	return k;
}

static void walk(struct stack *stack, int module, unsigned crate)
{
	uint64_t function = crate;

	while (stack->nr + 8 < FRAMES_MAX && below(24)) {
		uint64_t next = mix((uint64_t)module << 48 | function << 8 | choose(function));

		if (module == DRIVER && next % 11 == 0)
			push(stack, DRIVER, (unsigned)(next >> 32) % ARRAY_SIZE(queries));
		if (module == DRIVER && next % 13 == 0)
			crate = (unsigned)(next >> 24) % ARRAY_SIZE(work);
		function = module == DRIVER ? driver_function(crate, next >> 16)
					    : next % functions_of[module];
		push(stack, module, (unsigned)function);
	}
}

/* What a process does after so many thousandths of its time. */
static void make_stack(struct stack *stack, int program, unsigned done)
{
	unsigned crate = 0, from = 0;

	stack->nr = 0;
	while (program == RUSTC && crate < ARRAY_SIZE(work) && done >= from + work[crate].share)
		from += work[crate++].share;
	if (program == RUSTC && crate == ARRAY_SIZE(work)) {
		push(stack, LIBC, START_THREAD);
		push(stack, DRIVER, driver_function(ARRAY_SIZE(work) - 2, 0));
		walk(stack, LLVM, 0);
		return;
	}
	push(stack, LIBC, LIBC_START);
	push(stack, program, 0);
	if (program == RUSTC) {
		push(stack, DRIVER, driver_function(crate, 0));
		walk(stack, DRIVER, crate);
	} else {
		walk(stack, program, 0);
	}
}

static void add_part(struct strbuf *sb, const char *part)
{
	strbuf_addf(sb, "%zu%s", strlen(part), part);
}

/* The name of a function, mangled as rustc or C++ do. */
static void add_name(struct strbuf *sb, int module, unsigned function)
{
	static const char *const modules_of_crates[] = { "check", "context", "build", "visit",
							 "query", "infer",   "util",  "cache" };
	static const char *const libc[] = { "start_thread", "malloc", "sysmalloc",
					    "__mprotect",   "__mmap", "__libc_start_main" };
	char *name = xasprintf("function_%u", function);

	if (module == LIBC) {
		strbuf_adds(sb, libc[function]);
	} else if (!function && module != DRIVER && module != LLVM) {
		strbuf_adds(sb, "main");
	} else if (module != DRIVER) {
		strbuf_adds(sb, "_ZN");
		add_part(sb, module == LLVM ? "llvm" : module == LLD ? "lld" : "tool");
		add_part(sb, modules_of_crates[mix(function) % ARRAY_SIZE(modules_of_crates)]);
		add_part(sb, name);
		strbuf_adds(sb, "EPvi");
	} else {
		bool query = function < ARRAY_SIZE(queries);

		strbuf_adds(sb, "_ZN");
		add_part(sb,
			 query ? "rustc_query_impl"
			       : work[(function - ARRAY_SIZE(queries)) % ARRAY_SIZE(work)].crate);
		add_part(sb,
			 query ? "query_impl"
			       : modules_of_crates[mix(function) % ARRAY_SIZE(modules_of_crates)]);
		add_part(sb, query ? queries[function] : name);
		if (query)
			add_part(sb, "get_query_non_incr");
		strbuf_addf(sb, "17h%016llxE", (unsigned long long)mix(function + 1));
	}
	free(name);
}

static void add_functions(struct strbuf *sb)
{
	strbuf_adds(sb, "stagetrace-functions 1\n");
	for (int i = 0; i < MODULES; i++) {
		strbuf_addf(sb, "module\t%02x00000000000000\t%s\n", modules[i].id[0],
			    modules[i].path);
		for (unsigned k = 0; k < functions_of[i]; k++) {
			strbuf_addf(sb, "%x\t1000\t", (k + 1) * 4096);
			add_name(sb, i, k);
			strbuf_addc(sb, '\n');
		}
	}
}

/* A process, as far as it has work of its own. */
struct worker {
	int32_t pid;
	int program;
	unsigned ticks, done;
	uint64_t arena; /* the last one; 0: none */
	uint64_t used;  /* of it */
};

/* An event with call chains; its id is what its raw data begins with. */
struct chained {
	unsigned event;
	uint64_t id; /* 0: of the processor, without raw data */
};

struct build {
	struct perf_writer *writer;
	struct chained cpu;
	unsigned mmap_enter, mmap_exit, munmap, mprotect;
	struct chained mprotect_stack, fault;
	struct strbuf processes; /* processes.jsonl */
	unsigned samples, crates_left;
	unsigned weights[CRATES], weights_sum;
	uint64_t end;
};

static struct chained add_chained(struct perf_writer *writer, const char *name)
{
	unsigned event = perf_writer_tracepoint(writer, name, false);

	perf_writer_event_at(writer, event)->sample_type |= PERF_SAMPLE_CALLCHAIN;
	return (struct chained){ event, perf_writer_event_at(writer, event)->config };
}

static void add_events(struct build *build)
{
	struct perf_writer *writer = build->writer;

	build->cpu = (struct chained){ .event = perf_writer_cpu_clock(writer, 1000) };
	build->mmap_enter = perf_writer_tracepoint(writer, "sys_enter_mmap", false);
	build->mmap_exit = perf_writer_tracepoint(writer, "sys_exit_mmap", false);
	build->munmap = perf_writer_tracepoint(writer, "sys_enter_munmap", false);
	perf_writer_tracepoint(writer, "sys_enter_mremap", false);
	perf_writer_tracepoint(writer, "sys_exit_mremap", false);
	perf_writer_tracepoint(writer, "sys_enter_brk", false);
	perf_writer_tracepoint(writer, "sys_exit_brk", false);
	build->mprotect = perf_writer_tracepoint(writer, "sys_enter_mprotect", false);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	build->mprotect_stack = add_chained(writer, "sys_enter_mprotect");
	build->fault = add_chained(writer, "page_fault_user");
	perf_writer_tracepoint(writer, "page_fault_kernel", false);
}

/* A sample with a stack: of a tracepoint with its fields, or of the processor. */
static void sample(struct build *build, uint64_t time, const struct chained *event,
		   const struct stack *stack, int32_t tid, const uint64_t *args, size_t nr)
{
	uint64_t chain[FRAMES_MAX + 1] = { PERF_WRITER_USER };
	uint64_t raw[8] = { event->id | (uint64_t)(uint32_t)tid << 32 };
	struct perf_writer_sample sample = { .event = event->event,
					     .period = nr ? 1 : TICK,
					     .chain = chain };

	for (unsigned i = 0; i < stack->nr; i++)
		chain[i + 1] = stack->frames[stack->nr - 1 - i];
	sample.chain_nr = stack->nr + 1;
	sample.ip = chain[1];
	if (nr) {
		memcpy(raw + 2, args, nr * sizeof(*args));
		sample.raw = raw;
		sample.raw_nr = 16 + nr * sizeof(*args);
	}
	perf_writer_sample(build->writer, time, &sample);
}

/* The first write to each page of new memory that is in the sample of touched pages. */
static void touch(struct build *build, uint64_t time, const struct worker *worker,
		  const struct stack *stack, uint64_t length)
{
	uint64_t from = worker->arena + worker->used;

	for (uint64_t page = from; page < from + length; page += PAGE_SAMPLING_BYTES) {
		const uint64_t args[] = { page, 0x1000, 4 | FAULT_WRITE };

		if (page_is_picked(page))
			sample(build, time++, &build->fault, stack, worker->pid, args,
			       ARRAY_SIZE(args));
	}
}

/* One in twenty is large; what is committed has half of its bytes in these. */
static uint64_t choose_length(void)
{
	if (below(20))
		return 4 * KB * (1 + below(1 + below(12)));
	return STACK_LARGE_BYTES * (uint64_t)(1 + below(1 + below(16)));
}

static bool has_stack(uint64_t address, uint64_t length)
{
	return length >= STACK_LARGE_BYTES || !(address & STACK_PICK_MASK);
}

static void commit(struct build *build, uint64_t time, struct worker *worker, struct stack *stack)
{
	uint64_t length = choose_length();

	if (!worker->arena || worker->used + length > ARENA) {
		const uint64_t args[] = { 0, ARENA, 0, 0x4022, UINT64_MAX, 0 };
		const uint64_t old[] = { worker->arena, ARENA };

		if (worker->arena && below(3))
			perf_writer_call(build->writer, time, build->munmap, old, ARRAY_SIZE(old));
		worker->arena = worker->arena ? worker->arena + ARENA : HEAP;
		worker->used = 0;
		perf_writer_call(build->writer, time + 1, build->mmap_enter, args,
				 ARRAY_SIZE(args));
		perf_writer_call(build->writer, time + 2, build->mmap_exit, &worker->arena, 1);
	}
	const uint64_t args[] = { worker->arena + worker->used, length, 3 };

	perf_writer_call(build->writer, time + 3, build->mprotect, args, ARRAY_SIZE(args));
	touch(build, time + 5, worker, stack, length);
	if (has_stack(args[0], length)) {
		push(stack, LIBC, MALLOC);
		push(stack, LIBC, SYSMALLOC);
		push(stack, LIBC, MPROTECT);
		sample(build, time + 4, &build->mprotect_stack, stack, worker->pid, args,
		       ARRAY_SIZE(args));
	}
	worker->used += length;
}

static void start(struct build *build, uint64_t time, int32_t parent, int32_t pid, int program)
{
	static const int libraries[] = { DRIVER, LLVM, LIBC };
	const char *path = modules[program].path;

	perf_writer_on(build->writer, parent, parent, 0);
	perf_writer_fork(build->writer, time, pid);
	perf_writer_on(build->writer, pid, pid, 0);
	perf_writer_exec(build->writer, time + 1, strrchr(path, '/') + 1);
	perf_writer_map(build->writer, time + 2, &modules[program]);
	for (size_t i = program == RUSTC ? 0 : 2; i < ARRAY_SIZE(libraries); i++)
		perf_writer_map(build->writer, time + 3 + i, &modules[libraries[i]]);
}

static void end(struct build *build, uint64_t time, int32_t pid)
{
	perf_writer_on(build->writer, pid, pid, 0);
	perf_writer_exit(build->writer, time);
}

/* A row of processes.jsonl; `crate` below 0: none. */
static void add_process(struct build *build, int32_t pid, int32_t parent, uint64_t from,
			uint64_t to, int program, const char *role, int crate, unsigned ticks)
{
	struct strbuf *sb = &build->processes;

	strbuf_addf(
		sb,
		"{\"pid\":%d,\"ppid\":%d,\"start_ns\":%llu,\"end_ns\":%llu,\"exe\":\"%s\","
		"\"role\":\"%s\",\"exit_code\":0,\"signal\":0,\"cpu_ns\":%llu,\"exec_seen\":true,"
		"\"argv_lost\":false,\"cwd\":\"/src/rust\",\"argv\":[\"%s\"",
		pid, parent, (unsigned long long)(from - START), (unsigned long long)(to - START),
		modules[program].path, role, ticks * (unsigned long long)TICK,
		modules[program].path);
	if (crate >= 0)
		strbuf_addf(sb,
			    ",\"--crate-name\",\"crate_%d\",\"-Copt-level=3\",\"-Lcrate=deps\"],"
			    "\"crate\":"
			    "\"crate_%d\",\"crate_type\":\"lib\",\"part\":\"%s\",\"built_by\":1}\n",
			    crate, crate, crate % 5 ? "stage2-rustc" : "stage2-std");
	else
		strbuf_adds(sb, "]}\n");
}

/* A tick of a worker: a sample, and often a commit. */
static void work_a_tick(struct build *build, uint64_t time, unsigned cpu, struct worker *worker)
{
	struct stack stack;

	make_stack(&stack, worker->program, 1000 * worker->done / worker->ticks);
	perf_writer_on(build->writer, worker->pid, worker->pid, cpu);
	sample(build, time, &build->cpu, &stack, worker->pid, NULL, 0);
	build->samples--;
	worker->done++;
	if (below(1000) < 628)
		commit(build, time + 100 + cpu * 10, worker, &stack);
}

/* What a processor does: the processes of a crate, one after the other. */
struct lane {
	struct worker worker;
	unsigned crate, process; /* of the crate: 0 cargo's, 1 rustc, 2 linker, 3 probe */
	uint64_t crate_began, began;
	bool busy;
};

static const struct {
	int program;
	const char *role;
} kinds[] = { { RUSTC, "rustc-shim" }, { RUSTC, "rustc" }, { LLD, "link" }, { RUSTC, "probe" } };

static int32_t pid_of(const struct lane *lane, unsigned process)
{
	return FIRST_ID + 2 + (int32_t)(lane->crate * ARRAY_SIZE(kinds) + process);
}

/* The ticks of a process of a crate. */
static unsigned ticks_of(const struct build *build, const struct lane *lane, unsigned all)
{
	unsigned ticks =
		(unsigned)((uint64_t)all * build->weights[lane->crate] / build->weights_sum);

	return 1 + (lane->process == 1 ? ticks * 19 / 20 : lane->process == 2 ? ticks / 20 : 0);
}

static void begin_process(struct build *build, struct lane *lane, uint64_t time, unsigned all)
{
	int32_t pid = pid_of(lane, lane->process);

	lane->began = time;
	lane->worker = (struct worker){ .pid = pid,
					.program = kinds[lane->process].program,
					.ticks = ticks_of(build, lane, all) };
	start(build, time, lane->process == 1 ? pid - 1 : FIRST_ID + 1, pid, lane->worker.program);
}

static void end_process(struct build *build, struct lane *lane, unsigned process, uint64_t from,
			uint64_t time)
{
	int32_t pid = pid_of(lane, process);

	end(build, time, pid);
	add_process(build, pid, process == 1 ? pid - 1 : FIRST_ID + 1, from, time,
		    kinds[process].program, kinds[process].role, (int)lane->crate,
		    lane->worker.ticks);
}

/* Go on after a process: what cargo started ends after the rustc that it runs. */
static void next_process(struct build *build, struct lane *lane, uint64_t time, unsigned all)
{
	if (lane->process)
		end_process(build, lane, lane->process, lane->began, time);
	if (lane->process == 1)
		end_process(build, lane, 0, lane->crate_began, time + 1);
	lane->process++;
	lane->busy = lane->process < ARRAY_SIZE(kinds);
	if (lane->busy)
		begin_process(build, lane, time + 10, all);
}

static bool next_crate(struct build *build, struct lane *lane, uint64_t time, unsigned all)
{
	if (!build->crates_left)
		return false;
	lane->crate = CRATES - build->crates_left--;
	lane->process = 0;
	lane->crate_began = time;
	lane->busy = true;
	begin_process(build, lane, time, all);
	return true;
}

static void run(struct build *build, unsigned all)
{
	struct lane lanes[CPUS] = { 0 };
	uint64_t time = START + 10 * TICK;
	bool more = true;

	for (unsigned tick = 0; more; tick++, time += TICK) {
		more = false;
		for (unsigned i = 0; i < CPUS; i++) {
			struct lane *lane = &lanes[i];

			if (lane->busy && lane->worker.done == lane->worker.ticks)
				next_process(build, lane, time + 1000 * i, all);
			if (!lane->busy && !next_crate(build, lane, time + 1000 * i, all))
				continue;
			more = true;
			work_a_tick(build, time + 10000 + 1000 * i, i, &lane->worker);
		}
		if (tick % 4096 == 0)
			perf_writer_round(build->writer);
	}
	build->end = time;
}

/* Few crates take most of the time. */
static void choose_weights(struct build *build)
{
	for (unsigned i = 0; i < CRATES; i++) {
		build->weights[i] = 20 + 3000 / (1 + (unsigned)(mix(i) % CRATES));
		build->weights_sum += build->weights[i];
	}
}

static void write_file(const char *directory, const char *name, const struct strbuf *sb)
{
	char *path = xasprintf("%s/%s", directory, name);
	struct err err = ERR_INIT;

	if (fs_write_atomic(path, sb->buf, sb->len, &err)) {
		fprintf(stderr, "make-build: %s\n", err.msg);
		exit(1);
	}
	free(path);
}

static void make_directories(const char *directory)
{
	char *symbols = xasprintf("%s/symbols", directory);
	struct err err = ERR_INIT;

	if (fs_mkdir_all(symbols, &err)) {
		fprintf(stderr, "make-build: %s\n", err.msg);
		exit(1);
	}
	free(symbols);
}

static void add_manifest(struct strbuf *sb, const struct build *build)
{
	unsigned long long end_ns = build->end - START;

	strbuf_addf(
		sb,
		"{\"format_version\":1,\"state\":\"done\",\"name\":\"made-up\",\"version\":\"0.1."
		"0\","
		"\"host\":{\"hostname\":\"example\",\"os\":\"Linux\",\"arch\":\"x86_64\","
		"\"cpu_model\":\"Example CPU\",\"cpus\":%d,\"memory_bytes\":17179869184},"
		"\"recorder\":{\"name\":\"perf\",\"version\":\"6.1.0\"},\"commands\":[{\"what\":"
		"\"recorder\",\"argv\":[\"perf\",\"record\",\"--\",\"python3\",\"x.py\",\"build\","
		"\"--stage\",\"2\"],\"cwd\":\"/src/rust\",\"exit_code\":0,\"start_ns\":0,"
		"\"end_ns\":%llu}],\"clock\":{\"name\":\"CLOCK_MONOTONIC\",\"base_ns\":%llu,"
		"\"start_utc\":\"2026-01-31T12:00:00.000Z\"},\"stage2\":{\"start_ns\":0,\"end_ns\":"
		"%llu},\"lost\":{\"trace_events\":0,\"tracker_events\":0,\"command_lines\":0,"
		"\"processes\":0},\"warnings\":[],\"files\":[]}\n",
		CPUS, end_ns, (unsigned long long)START, end_ns);
}

int main(int argc, char **argv)
{
	unsigned percent = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
	struct build build = { .writer = perf_writer_new(PERF_WRITER_FILE),
			       .processes = STRBUF_INIT,
			       .crates_left = CRATES };
	struct strbuf text = STRBUF_INIT;

	if (argc < 2 || argc > 3 || !percent || percent > 100) {
		fprintf(stderr, "usage: make-build DIRECTORY [PERCENT]\n");
		return 2;
	}
	make_directories(argv[1]);
	choose_weights(&build);
	add_events(&build);
	perf_writer_compress(build.writer, PERF_WRITER_COMPRESS, 24000);
	perf_writer_on(build.writer, FIRST_ID, FIRST_ID, 0);
	perf_writer_exec(build.writer, START, "python3");
	perf_writer_map(build.writer, START + 1, &modules[PYTHON]);
	start(&build, START + 2, FIRST_ID, FIRST_ID + 1, CARGO);
	run(&build, SAMPLES / 100 * percent);
	end(&build, build.end, FIRST_ID + 1);
	end(&build, build.end + 1, FIRST_ID);
	perf_writer_round(build.writer);
	add_process(&build, FIRST_ID, 1, START, build.end + 1, PYTHON, "x.py", -1, 0);
	add_process(&build, FIRST_ID + 1, FIRST_ID, START, build.end, CARGO, "cargo", -1, 0);
	write_file(argv[1], "trace.perf.data", perf_writer_finish(build.writer));
	write_file(argv[1], "processes.jsonl", &build.processes);
	add_functions(&text);
	write_file(argv[1], "symbols/functions.txt", &text);
	strbuf_clear(&text);
	add_manifest(&text, &build);
	write_file(argv[1], "manifest.json", &text);
	strbuf_release(&text);
	strbuf_release(&build.processes);
	perf_writer_free(build.writer);
	return 0;
}
