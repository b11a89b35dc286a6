/*
 * Writes the recordings in tests/data: make-data DIRECTORY.
 *
 * Ten seconds of a made-up build. rustc_middle holds most of the memory, most of that on one stack; rustc_parse ends
 * before the peak is over; a linker follows. The files:
 *
 *   traced-run/trace.perf.data, traced-run/symbols/   as `record` makes them, with stacks of sampled calls
 *   no-mprotect.perf.data    the same without a call that the accounting needs; 7 events are lost
 *   grown.perf.data          that of traced-run, but rustc_middle holds 32 MB more, for comparisons
 *   sampled-calls.perf.data  the same with -F, which samples the calls, and no CPU samples
 *   gaps.perf.data, gaps-stacks.txt  a process of traced-run without frame pointers, with jemalloc
 *   touched.perf.data        two processes that touch pages, give some back and fork; 3 page faults are lost
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/perf_writer.h"
#include "util/alloc.h"
#include "util/array.h"

#define START  UINT64_C(1000000000000)
#define MS     UINT64_C(1000000)
#define KB     UINT64_C(1024)
#define MB     (UINT64_C(1) << 20)
#define TICK   (100 * MS) /* between CPU samples */
#define KERNEL UINT64_C(0xffffffff81000000)

enum { PYTHON, CARGO, RUSTC, DRIVER, LLVM, LIBC, LLD, MODULES };

static const struct perf_writer_map modules[] = {
	[PYTHON] = { 0x550000000000, 16 * MB, 0, "/rust/bin/python3", { 0xa1 }, 8, false, false },
	[CARGO] = { 0x551000000000, 16 * MB, 0, "/rust/bin/cargo", { 0xa2 }, 8, false, false },
	[RUSTC] = { 0x552000000000, 16 * MB, 0, "/rust/bin/rustc", { 0xa3 }, 8, false, false },
	[DRIVER] = { 0x7f0000000000,
		     16 * MB,
		     0,
		     "/rust/lib/librustc_driver-0123456789abcdef.so",
		     { 0xa4 },
		     8,
		     false,
		     false },
	[LLVM] = { 0x7f1000000000,
		   16 * MB,
		   0,
		   "/rust/lib/libLLVM.so.19.1",
		   { 0xa5 },
		   8,
		   false,
		   false },
	[LIBC] = { 0x7f2000000000, 16 * MB, 0, "/rust/lib/libc.so.6", { 0xa6 }, 8, false, false },
	[LLD] = { 0x553000000000, 16 * MB, 0, "/rust/bin/ld.lld", { 0xa7 }, 8, false, false },
};

/* Functions are 4 KB long, and begin at multiples of that: a frame is a module and a number. */
struct frame {
	int module;
	unsigned function;
};

#define FRAMES_MAX 8

struct stack {
	struct frame frames[FRAMES_MAX]; /* root first */
	unsigned nr;
};

enum {
	MAIN = 1,
	ANALYSIS,
	CHECK,
	GROW,
	PARSE,
	CODEGEN,
};
enum { MALLOC = 1, SYSMALLOC, MPROTECT, MMAP, START_THREAD };
enum { LLD_MAIN = 1, LLD_LINK, LLD_UNNAMED = 0x30 };

static const struct stack main_stack = { { { DRIVER, MAIN } }, 1 };
static const struct stack checking = {
	{ { DRIVER, MAIN }, { DRIVER, ANALYSIS }, { DRIVER, CHECK } }, 3
};
static const struct stack growing = {
	{ { DRIVER, MAIN },
	  { DRIVER, ANALYSIS },
	  { DRIVER, CHECK },
	  { DRIVER, GROW },
	  { LIBC, MALLOC },
	  { LIBC, SYSMALLOC },
	  { LIBC, MPROTECT } },
	7,
};
static const struct stack large = {
	{ { DRIVER, MAIN },
	  { DRIVER, ANALYSIS },
	  { DRIVER, CHECK },
	  { LIBC, MALLOC },
	  { LIBC, MMAP } },
	5,
};
static const struct stack parsing = { { { DRIVER, MAIN }, { DRIVER, PARSE }, { DRIVER, PARSE } },
				      3 };
static const struct stack parsed = {
	{ { DRIVER, MAIN }, { DRIVER, PARSE }, { LIBC, MALLOC }, { LIBC, MMAP } }, 4
};
static const struct stack optimizing = {
	{ { LIBC, START_THREAD }, { DRIVER, CODEGEN }, { LLVM, 1 } }, 3
};
static const struct stack linking = { { { LLD, LLD_MAIN }, { LLD, LLD_LINK } }, 2 };
static const struct stack linked = {
	{ { LLD, LLD_MAIN }, { LLD, LLD_LINK }, { LLD, LLD_UNNAMED }, { LIBC, MMAP } }, 4
};

static const char functions[] =
	"stagetrace-functions 1\n"
	"module\ta800000000000000\t[kernel.kallsyms]\tkernel\n"
	"1000\t1000\tclear_page_erms\n"
	"2000\t1000\texc_page_fault\n"
	"module\ta400000000000000\t/rust/lib/librustc_driver-0123456789abcdef.so\n"
	"1000\t1000\t_ZN17rustc_driver_impl4main17h0123456789abcdefE\n"
	"2000\t1000\t_ZN15rustc_interface6passes8analysis17h0123456789abcdefE\n"
	"3000\t1000\t_RNvMNtCs6nTuozswBxZ_16rustc_hir_typeck4exprNtNtB4_7fn_ctxt6FnCtxt"
	"20check_expr_with_hint\n"
	"4000\t1000\t_ZN9hashbrown3raw21RawTable$LT$T$C$A$GT$14reserve_rehash"
	"17h0123456789abcdefE\n"
	"5000\t1000\t_ZN11rustc_parse6parser10parse_expr17h0123456789abcdefE"
	"\t_ZN11rustc_parse6parser9parse_pat17h0123456789abcdefE\n"
	"6000\t1000\t_ZN18rustc_codegen_llvm4back5write8optimize17h0123456789abcdefE\n"
	"module\ta500000000000000\t/rust/lib/libLLVM.so.19.1\n"
	"1000\t1000\t_ZN4llvm11PassManagerINS_8FunctionEE3runERS1_\n"
	"module\ta600000000000000\t/rust/lib/libc.so.6\n"
	"1000\t1000\tmalloc\n"
	"2000\t1000\tsysmalloc\n"
	"3000\t1000\t__mprotect\n"
	"4000\t1000\t__mmap\n"
	"5000\t1000\tstart_thread\n"
	"module\ta700000000000000\t/rust/bin/ld.lld\n"
	"1000\t1000\tmain\n"
	"2000\t1000\t_ZN3lld3elf4linkEv\n"
	"module\ta100000000000000\t/rust/bin/python3\n"
	"1000\t1000\tmain\n"
	"module\ta200000000000000\t/rust/bin/cargo\n"
	"1000\t1000\tmain\n";

/* At the leaf of a sample Vec::push is inlined into what checks expressions. */
static const char lines[] =
	"stagetrace-lines 1\n"
	"module\ta400000000000000\t/rust/lib/librustc_driver-0123456789abcdef.so\n"
	"file\t0\tlibrary/alloc/src/vec/mod.rs\n"
	"file\t1\tcompiler/rustc_hir_typeck/src/expr.rs\n"
	"name\t0\t_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE\n"
	"name\t1\t_RNvMNtCs6nTuozswBxZ_16rustc_hir_typeck4exprNtNtB4_7fn_ctxt6FnCtxt"
	"20check_expr_with_hint\n"
	"300f\t1:1:80\n"
	"3010\t0:0:2042\t1:1:77\n";

/* What is different from one recording to the next. */
struct variant {
	const char *path;
	const char *stacks; /* NULL: the stacks of copies are not kept */
	bool no_mprotect, sampled, grown;
};

/* A recording as it grows; events by what they are of. */
struct recording {
	struct perf_writer *writer;
	unsigned cpu, mmap_enter, mmap_exit, munmap, brk_enter, brk_exit, mprotect, madvise;
	unsigned mmap_copy, mprotect_copy, small_copy;
	bool no_mprotect, sampled, grown;
	bool calls; /* frames of callers are those of call chains, just before the return address */
	struct strbuf stacks; /* stacks.txt, its copies */
	unsigned stacks_nr;
	const struct stack *kept[16];
};

static uint64_t address_of(struct frame frame)
{
	return modules[frame.module].address + frame.function * 4096 + 0x10;
}

static void add_event_pairs(struct recording *rec)
{
	struct perf_writer *writer = rec->writer;

	rec->mmap_enter = perf_writer_tracepoint(writer, "sys_enter_mmap", false);
	rec->mmap_exit = perf_writer_tracepoint(writer, "sys_exit_mmap", false);
	rec->munmap = perf_writer_tracepoint(writer, "sys_enter_munmap", false);
	perf_writer_tracepoint(writer, "sys_enter_mremap", false);
	perf_writer_tracepoint(writer, "sys_exit_mremap", false);
	rec->brk_enter = perf_writer_tracepoint(writer, "sys_enter_brk", false);
	rec->brk_exit = perf_writer_tracepoint(writer, "sys_exit_brk", false);
	if (!rec->no_mprotect)
		rec->mprotect = perf_writer_tracepoint(writer, "sys_enter_mprotect", false);
	rec->madvise = perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	rec->mmap_copy = perf_writer_tracepoint(writer, "sys_enter_mmap", true);
	if (rec->no_mprotect)
		return;
	rec->mprotect_copy = perf_writer_tracepoint(writer, "sys_enter_mprotect", true);
	rec->small_copy = perf_writer_tracepoint(writer, "sys_enter_mprotect", true);
}

static void add_events(struct recording *rec, bool sampled)
{
	unsigned copies[3], nr = 0;

	rec->sampled = sampled;
	if (!sampled)
		rec->cpu = perf_writer_cpu_clock(rec->writer, 10);
	add_event_pairs(rec);
	copies[nr++] = rec->mmap_copy;
	if (!rec->no_mprotect) {
		copies[nr++] = rec->mprotect_copy;
		copies[nr++] = rec->small_copy;
	}
	while (nr-- > 0)
		perf_writer_event_at(rec->writer, copies[nr])->stack_user = 64;
	if (!sampled)
		return;
	for (unsigned i = rec->mmap_enter; i <= rec->madvise; i++) {
		perf_writer_event_at(rec->writer, i)->period = 10;
		perf_writer_event_at(rec->writer, i)->flags |= UINT64_C(1) << 10;
	}
}

static void add_strings(struct perf_writer *writer, unsigned feature, const char *const *texts,
			uint32_t nr)
{
	perf_writer_feature_bytes(writer, feature, &nr, sizeof(nr));
	for (uint32_t i = 0; i < nr; i++)
		perf_writer_feature(writer, feature, texts[i]);
}

static void add_features(struct perf_writer *writer)
{
	static const char *const command[] = { "/usr/bin/perf",   "record",       "-k",
					       "CLOCK_MONOTONIC", "--sample-cpu", "--",
					       "python3",         "x.py" };
	static const uint32_t cpus[] = { 4, 4 };
	static const uint64_t memory_kb = 16 * MB;

	perf_writer_feature(writer, 3, "example");
	perf_writer_feature(writer, 4, "6.0.0-example");
	perf_writer_feature(writer, 5, "6.1.0");
	perf_writer_feature(writer, 6, "x86_64");
	perf_writer_feature_bytes(writer, 7, cpus, sizeof(cpus));
	perf_writer_feature(writer, 8, "Example CPU");
	perf_writer_feature_bytes(writer, 10, &memory_kb, sizeof(memory_kb));
	add_strings(writer, 11, command, ARRAY_SIZE(command));
}

static void on(struct recording *rec, int32_t pid, int32_t tid)
{
	perf_writer_on(rec->writer, pid, tid, 0);
}

/* `pid` is a child of `parent`, with the modules of what it executes. */
static void start(struct recording *rec, uint64_t ms, int32_t parent, int32_t pid, const char *name,
		  const int *mapped, size_t nr)
{
	uint64_t time = START + ms * MS;

	on(rec, parent, parent);
	perf_writer_fork(rec->writer, time, pid);
	on(rec, pid, pid);
	perf_writer_exec(rec->writer, time + MS, name);
	for (size_t i = 0; i < nr; i++)
		perf_writer_map(rec->writer, time + MS + i + 1, &modules[mapped[i]]);
}

static void end(struct recording *rec, uint64_t ms, int32_t pid)
{
	on(rec, pid, pid);
	perf_writer_exit(rec->writer, START + ms * MS);
}

/* CPU samples of `nr` ticks from `ms` on, a stack each; with `fault` it was in the kernel. */
static void run(struct recording *rec, uint64_t ms, unsigned nr, const struct stack *stack,
		bool fault)
{
	uint64_t chain[FRAMES_MAX + 4];
	size_t chain_nr = 0;
	struct perf_writer_sample sample = { .event = rec->cpu, .period = TICK, .kernel = fault };

	if (fault) {
		chain[chain_nr++] = PERF_WRITER_KERNEL;
		chain[chain_nr++] = KERNEL + 0x1010;
		chain[chain_nr++] = KERNEL + 0x2010;
	}
	chain[chain_nr++] = PERF_WRITER_USER;
	for (unsigned i = stack->nr; i-- > 0;)
		chain[chain_nr++] = address_of(stack->frames[i]);
	sample.ip = chain[1];
	sample.chain = chain;
	sample.chain_nr = chain_nr;
	for (unsigned i = 0; i < nr && !rec->sampled; i++)
		perf_writer_sample(rec->writer, START + ms * MS + i * TICK, &sample);
}

/* The copy that comes next has this stack. */
static void keep_stack(struct recording *rec, const struct stack *stack)
{
	unsigned i = 0;

	while (i < rec->stacks_nr && rec->kept[i] != stack)
		i++;
	if (i == rec->stacks_nr)
		rec->kept[rec->stacks_nr++] = stack;
	/* Numbers of stacks are not known before all are: kept as the place of `stack`. */
	strbuf_addf(&rec->stacks, "%llx %u\n", (unsigned long long)perf_writer_place(rec->writer),
		    i);
}

static void call(struct recording *rec, uint64_t time, unsigned event, unsigned copy,
		 const uint64_t *args, size_t nr, const struct stack *stack)
{
	perf_writer_call(rec->writer, time, event, args, nr);
	if (!stack)
		return;
	keep_stack(rec, stack);
	perf_writer_call(rec->writer, time, copy, args, nr);
}

static void map(struct recording *rec, uint64_t ms, uint64_t address, uint64_t length,
		bool reserved, const struct stack *stack)
{
	const uint64_t args[] = { 0,          length, reserved ? 0 : 3, reserved ? 0x4022 : 0x22,
				  UINT64_MAX, 0 };

	call(rec, START + ms * MS, rec->mmap_enter, rec->mmap_copy, args, ARRAY_SIZE(args), stack);
	perf_writer_call(rec->writer, START + ms * MS + 1000, rec->mmap_exit, &address, 1);
}

static void unmap(struct recording *rec, uint64_t ms, uint64_t address, uint64_t length)
{
	const uint64_t args[] = { address, length };

	perf_writer_call(rec->writer, START + ms * MS, rec->munmap, args, ARRAY_SIZE(args));
}

static void protect(struct recording *rec, uint64_t ms, uint64_t address, uint64_t length,
		    const struct stack *stack)
{
	const uint64_t args[] = { address, length, 3 };

	if (rec->no_mprotect)
		return;
	call(rec, START + ms * MS, rec->mprotect,
	     length < 64 * KB ? rec->small_copy : rec->mprotect_copy, args, ARRAY_SIZE(args),
	     stack);
}

static void move_break(struct recording *rec, uint64_t ms, uint64_t wanted, uint64_t result)
{
	perf_writer_call(rec->writer, START + ms * MS, rec->brk_enter, &wanted, 1);
	perf_writer_call(rec->writer, START + ms * MS + 1000, rec->brk_exit, &result, 1);
}

static void purge(struct recording *rec, uint64_t ms, uint64_t address, uint64_t length)
{
	const uint64_t args[] = { address, length, 4 };

	perf_writer_call(rec->writer, START + ms * MS, rec->madvise, args, ARRAY_SIZE(args));
}

#define ARENA UINT64_C(0x7e0000000000)
#define HEAP  UINT64_C(0x7d0000000000)
#define BREAK UINT64_C(0x552001000000)

static void begin(struct recording *rec)
{
	static const struct perf_writer_map kernel = {
		KERNEL, 16 * MB, KERNEL, "[kernel.kallsyms]_text", { 0xa8 }, 8, true, false
	};
	static const struct stack python = { { { PYTHON, 1 } }, 1 };
	static const struct stack cargo = { { { CARGO, 1 } }, 1 };

	perf_writer_map(rec->writer, 0, &kernel);
	on(rec, 200, 200);
	perf_writer_exec(rec->writer, START, "python3");
	perf_writer_map(rec->writer, START + 1, &modules[PYTHON]);
	run(rec, 100, 2, &python, false);
	start(rec, 500, 200, 210, "cargo", (const int[]){ CARGO, LIBC }, 2);
	run(rec, 600, 4, &cargo, false);
	map(rec, 800, HEAP, 8 * MB, false, NULL);
}

static void compile(struct recording *rec)
{
	static const int rustc[] = { RUSTC, DRIVER, LLVM, LIBC };

	start(rec, 1000, 210, 220, "rustc", rustc, ARRAY_SIZE(rustc));
	move_break(rec, 1050, 0, BREAK);
	run(rec, 1100, 2, &main_stack, false);
	map(rec, 1200, ARENA, 64 * MB, true, NULL);
	protect(rec, 1300, ARENA, 4 * MB, &growing);
	run(rec, 1300, 2, &checking, false);
	start(rec, 1500, 210, 230, "rustc", rustc, ARRAY_SIZE(rustc));
	run(rec, 1600, 2, &parsing, false);
	map(rec, 1800, HEAP, 96 * MB, false, &parsed);
	run(rec, 1800, 20, &parsing, false);
	on(rec, 220, 220);
	map(rec, 2000, HEAP, (rec->grown ? 288 : 256) * MB, false, &large);
	run(rec, 2000, 8, &growing, true);
	move_break(rec, 2500, BREAK + MB, BREAK + MB);
	run(rec, 2800, 10, &checking, false);
	perf_writer_thread(rec->writer, START + 3000 * MS, 221);
	unmap(rec, 3500, HEAP, 128 * MB);
	protect(rec, 3600, ARENA + 4 * MB, 4 * KB, &growing);
	for (uint64_t i = 1; i < 50; i++)
		protect(rec, 3600 + i, ARENA + 4 * MB + i * 4 * KB, 4 * KB, NULL);
	purge(rec, 3700, HEAP + 128 * MB, 64 * MB);
}

static void finish_up(struct recording *rec)
{
	on(rec, 230, 230);
	unmap(rec, 3900, HEAP, 96 * MB);
	end(rec, 4000, 230);
	on(rec, 220, 221);
	perf_writer_name(rec->writer, START + 4000 * MS, "opt cgu.1");
	run(rec, 4100, 18, &optimizing, false);
	perf_writer_exit(rec->writer, START + 5950 * MS);
	end(rec, 6000, 220);
	start(rec, 6500, 210, 240, "ld.lld", (const int[]){ LLD, LIBC }, 2);
	run(rec, 6600, 20, &linking, false);
	map(rec, 7000, HEAP, 128 * MB, false, &linked);
	end(rec, 9000, 240);
	end(rec, 9500, 210);
	end(rec, 10000, 200);
}

/* All stacks of the recording, each as a chain of its own. */
static void add_stacks(const struct recording *rec, struct strbuf *sb)
{
	unsigned frames = 3, stacks = 1, leaves[ARRAY_SIZE(rec->kept)];
	const char *line = rec->stacks.buf;
	unsigned long long place;
	unsigned kept;
	int used;

	strbuf_adds(sb, "stagetrace-stacks 1\n");
	for (unsigned i = 0; i < rec->stacks_nr; i++) {
		for (unsigned j = 0; j < rec->kept[i]->nr; j++) {
			const struct frame *frame = &rec->kept[i]->frames[j];
			const struct perf_writer_map *module = &modules[frame->module];
			bool caller = rec->calls && j + 1 < rec->kept[i]->nr;

			strbuf_addf(sb, "module\t%02x00000000000000\t%s\nframe\t%x\n",
				    module->id[0], module->path,
				    frame->function * 4096 + (caller ? 0x0f : 0x10));
			strbuf_addf(sb, "stack\t%u\t%u\n", j ? stacks - 1 : 0, frames++);
			leaves[i] = stacks++;
		}
	}
	for (; sscanf(line, "%llx %u\n%n", &place, &kept, &used) == 2; line += used)
		strbuf_addf(sb, "copy\t%llx\t%u\twhole\n", place, leaves[kept]);
}

static void write_file(const char *dir, const char *name, const struct strbuf *sb)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(sb->buf, 1, sb->len, file) != sb->len || fclose(file)) {
		perror(path);
		exit(1);
	}
	free(path);
}

static void write_recording(const char *dir, const struct variant *variant)
{
	struct recording rec = { .writer = perf_writer_new(PERF_WRITER_FILE),
				 .no_mprotect = variant->no_mprotect,
				 .grown = variant->grown,
				 .stacks = STRBUF_INIT };
	struct strbuf text = STRBUF_INIT;

	add_events(&rec, variant->sampled);
	add_features(rec.writer);
	begin(&rec);
	compile(&rec);
	if (variant->no_mprotect)
		perf_writer_lost(rec.writer, 7);
	finish_up(&rec);
	perf_writer_round(rec.writer);
	write_file(dir, variant->path, perf_writer_finish(rec.writer));
	if (variant->stacks) {
		add_stacks(&rec, &text);
		write_file(dir, variant->stacks, &text);
	}
	strbuf_release(&text);
	strbuf_release(&rec.stacks);
	perf_writer_free(rec.writer);
}

/* A CPU sample with a call chain, or with a stack copy. */
static void sample_stack(struct recording *rec, uint64_t ms, unsigned event,
			 const struct stack *stack, bool copy)
{
	uint64_t chain[FRAMES_MAX + 1] = { PERF_WRITER_USER };
	struct perf_writer_sample sample = { .event = event, .period = TICK, .chain = chain };

	sample.ip = address_of(stack->frames[stack->nr - 1]);
	sample.chain_nr = 1;
	for (unsigned i = stack->nr; i-- > 0 && !copy;)
		chain[sample.chain_nr++] = address_of(stack->frames[i]);
	if (copy) {
		keep_stack(rec, stack);
		sample.stack = chain;
		sample.stack_nr = sizeof(*chain);
	}
	perf_writer_sample(rec->writer, START + ms * MS, &sample);
}

static unsigned add_cpu_copies(struct perf_writer *writer)
{
	unsigned copies = perf_writer_cpu_clock(writer, 10);
	struct perf_writer_event *event = perf_writer_event_at(writer, copies);

	event->name = "cpu-stacks";
	event->sample_type |= UINT64_C(3) << 12; /* registers and stack */
	event->regs_user = 0xff0fff;
	event->stack_user = 64;
	return copies;
}

/* As jemalloc maps its heap: writable, with MAP_NORESERVE. */
static void map_heap(struct recording *rec, uint64_t ms, uint64_t length)
{
	const uint64_t args[] = { 0, length, 3, 0x4022, UINT64_MAX, 0 }, heap = HEAP;

	call(rec, START + ms * MS, rec->mmap_enter, rec->mmap_copy, args, ARRAY_SIZE(args), NULL);
	perf_writer_call(rec->writer, START + ms * MS + 1000, rec->mmap_exit, &heap, 1);
}

static void write_gaps(const char *dir)
{
	static const struct stack whole = { { { LIBC, START_THREAD },
					      { DRIVER, MAIN },
					      { DRIVER, ANALYSIS },
					      { DRIVER, CHECK } },
					    4 };
	static const struct stack broken = { { { LLVM, 2 }, { LLVM, 1 } }, 2 };
	struct recording rec = { .writer = perf_writer_new(PERF_WRITER_FILE),
				 .calls = true,
				 .stacks = STRBUF_INIT };
	struct strbuf text = STRBUF_INIT;
	unsigned copies;

	rec.cpu = perf_writer_cpu_clock(rec.writer, 10);
	copies = add_cpu_copies(rec.writer);
	add_event_pairs(&rec);
	on(&rec, 220, 220);
	perf_writer_exec(rec.writer, START + 1000 * MS, "rustc");
	for (unsigned i = RUSTC; i <= LIBC; i++)
		perf_writer_map(rec.writer, START + 1000 * MS + i, &modules[i]);
	map_heap(&rec, 1050, 512 * MB);
	for (unsigned i = 0; i < 8; i++) {
		sample_stack(&rec, 1100 + 200 * i, copies, &whole, true);
		sample_stack(&rec, 1200 + 200 * i, rec.cpu, i % 4 ? &broken : &whole, false);
	}
	end(&rec, 3000, 220);
	perf_writer_round(rec.writer);
	write_file(dir, "gaps.perf.data", perf_writer_finish(rec.writer));
	add_stacks(&rec, &text);
	write_file(dir, "gaps-stacks.txt", &text);
	strbuf_release(&text);
	strbuf_release(&rec.stacks);
	perf_writer_free(rec.writer);
}

/* A page of the sample of touched ones. */
#define PICKED UINT64_C(0x7f0000025000)

static void fault(struct perf_writer *writer, uint64_t ms, unsigned event, uint64_t address,
		  uint64_t error_code)
{
	const uint64_t args[] = { address, UINT64_C(0x401000), error_code };

	perf_writer_call(writer, START + ms * MS, event, args, ARRAY_SIZE(args));
}

static void write_touched(const char *dir)
{
	const uint64_t given_back[] = { PICKED, 4 * KB, 4 };
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	const uint64_t large_page[] = { 9, 0x80008, 1 };
	unsigned advice, user, kernel, alloc;

	perf_writer_memory(writer);
	advice = perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	user = perf_writer_tracepoint(writer, "page_fault_user", true);
	perf_writer_event_at(writer, user)->stack_user = 64;
	kernel = perf_writer_tracepoint(writer, "page_fault_kernel", false);
	alloc = perf_writer_tracepoint(writer, "mm_page_alloc", false);
	perf_writer_on(writer, 300, 300, 0);
	perf_writer_exec(writer, START, "rustc");
	perf_writer_mmap(writer, START + MS, PICKED, 576 * KB);
	fault(writer, 3, user, PICKED, 6);
	fault(writer, 4, kernel, PICKED + 256 * KB, 2);
	perf_writer_fork(writer, START + 5 * MS, 310);
	perf_writer_on(writer, 310, 310, 1);
	fault(writer, 6, user, PICKED, 7);
	perf_writer_call(writer, START + 7 * MS, advice, given_back, ARRAY_SIZE(given_back));
	perf_writer_munmap(writer, START + 8 * MS, PICKED, 576 * KB);
	perf_writer_on(writer, 300, 300, 0);
	fault(writer, 9, user, PICKED + 512 * KB, 6);
	fault(writer, 9, kernel, UINT64_C(0x7f0000401000), 2);
	perf_writer_call(writer, START + 9 * MS + 9000, alloc, large_page, ARRAY_SIZE(large_page));
	perf_writer_lost_samples(writer, user, 3);
	perf_writer_exit(writer, START + 10 * MS);
	write_file(dir, "touched.perf.data", perf_writer_finish(writer));
	perf_writer_free(writer);
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = {
		{ "traced-run/trace.perf.data", "traced-run/symbols/stacks.txt", false, false,
		  false },
		{ "no-mprotect.perf.data", NULL, true, false, false },
		{ "sampled-calls.perf.data", NULL, false, true, false },
		{ "grown.perf.data", NULL, false, false, true },
	};
	static const struct {
		const char *path, *text;
		size_t nr;
	} texts[] = {
		{ "traced-run/symbols/functions.txt", functions, sizeof(functions) - 1 },
		{ "traced-run/symbols/lines.txt", lines, sizeof(lines) - 1 },
	};

	if (argc != 2) {
		fprintf(stderr, "usage: make-data DIRECTORY\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++)
		write_recording(argv[1], &variants[i]);
	write_gaps(argv[1]);
	write_touched(argv[1]);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, texts[i].text, texts[i].nr);
		write_file(argv[1], texts[i].path, &text);
		strbuf_release(&text);
	}
	return 0;
}
