#include "trace/perf/linux_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linux_calls_fixture.h"
#include "util/strbuf.h"

#define ANON           0x22 /* MAP_PRIVATE | MAP_ANONYMOUS */
#define FILE_MAP       0x02
#define SHARED         0x21
#define NORESERVE      0x4000
#define HUGE(log)      (0x40000 | UINT64_C(log) << 26) /* MAP_HUGETLB */
#define NONE           0
#define R              1
#define RW             3
#define FAILED(errnum) ((uint64_t) - (errnum))

/* The events of a recording: plain ones first. */
struct kind {
	const char *name;
	bool copy, chain;
};

#define MAX_EVENTS 24

static const struct kind without_stacks[] = {
	{ "cpu-clock", false, true },
	{ "syscalls:sys_enter_mmap", false, false },
	{ "syscalls:sys_exit_mmap", false, false },
	{ "syscalls:sys_enter_munmap", false, false },
	{ "syscalls:sys_exit_munmap", false, false },
	{ "syscalls:sys_enter_mremap", false, false },
	{ "syscalls:sys_exit_mremap", false, false },
	{ "syscalls:sys_enter_brk", false, false },
	{ "syscalls:sys_exit_brk", false, false },
	{ "syscalls:sys_enter_mprotect", false, false },
	{ "syscalls:sys_enter_pkey_mprotect", false, false },
	{ "syscalls:sys_enter_madvise", false, false },
};

/* As our recorder makes it. */
static const struct kind with_copies[] = {
	{ "syscalls:sys_enter_mmap", false, false },
	{ "syscalls:sys_exit_mmap", false, false },
	{ "syscalls:sys_enter_munmap", false, false },
	{ "syscalls:sys_enter_mremap", false, false },
	{ "syscalls:sys_exit_mremap", false, false },
	{ "syscalls:sys_enter_brk", false, false },
	{ "syscalls:sys_exit_brk", false, false },
	{ "syscalls:sys_enter_mprotect", false, false },
	{ "syscalls:sys_enter_madvise", false, false },
	{ "syscalls:sys_enter_mmap", true, true },
	{ "syscalls:sys_exit_mmap", true, true },
	{ "syscalls:sys_enter_mremap", true, true },
	{ "syscalls:sys_enter_brk", true, true },
	{ "syscalls:sys_enter_mprotect", true, true },
	{ "syscalls:sys_enter_mprotect", true, true },
};

static const struct kind with_chains[] = {
	{ "syscalls:sys_enter_mmap", false, true },
	{ "syscalls:sys_exit_mmap", false, true },
	{ "syscalls:sys_enter_munmap", false, true },
	{ "syscalls:sys_enter_mremap", false, true },
	{ "syscalls:sys_exit_mremap", false, true },
	{ "syscalls:sys_enter_brk", false, true },
	{ "syscalls:sys_exit_brk", false, true },
	{ "syscalls:sys_enter_mprotect", false, true },
	{ "syscalls:sys_enter_madvise", false, true },
};

/* Registers and stack with every event. */
static const struct kind with_bytes[] = {
	{ "syscalls:sys_enter_mmap", true, false },
	{ "syscalls:sys_exit_mmap", true, false },
	{ "syscalls:sys_enter_munmap", true, false },
	{ "syscalls:sys_enter_mremap", true, false },
	{ "syscalls:sys_exit_mremap", true, false },
	{ "syscalls:sys_enter_brk", true, false },
	{ "syscalls:sys_exit_brk", true, false },
	{ "syscalls:sys_enter_mprotect", true, false },
	{ "syscalls:sys_enter_madvise", true, false },
};

/* Frame pointers with every event, bytes with some. */
static const struct kind with_both[] = {
	{ "syscalls:sys_enter_mmap", false, true },
	{ "syscalls:sys_exit_mmap", false, true },
	{ "syscalls:sys_enter_munmap", false, true },
	{ "syscalls:sys_enter_mremap", false, true },
	{ "syscalls:sys_exit_mremap", false, true },
	{ "syscalls:sys_exit_brk", false, true },
	{ "syscalls:sys_enter_mprotect", false, true },
	{ "syscalls:sys_enter_mprotect", true, true },
};

/*
 * What the file has next. `name`: of the call without "sys_"; "copy:" before it is the first copy of it, "pick:"
 * the second one. "fork" (args: of whom), "exec", "exit", "thread-exit" are of `tid`; "batch" ends a batch.
 * The process of a thread is its number without the last digit: 10 has the threads 10 to 19.
 */
struct step {
	const char *name;
	int32_t tid;
	uint64_t args[CALL_ARGS_MAX];
	uint32_t frames; /* of the process, the first one at tid * 0x100 + frames */
	uint64_t copy;   /* 0: none; else its id, and 100 bytes, all of this value */
};

#define CALL(name, tid, ...) \
	{ \
		name, tid, { __VA_ARGS__ }, 0, 0 \
	}
#define FRAMES(frames, name, tid, ...) \
	{ \
		name, tid, { __VA_ARGS__ }, frames, 0 \
	}
#define COPY(copy, name, tid, ...) \
	{ \
		name, tid, { __VA_ARGS__ }, 0, copy \
	}

#define BATCH CALL("batch", 0, 0)

struct run {
	const struct kind *kinds;
	size_t kinds_nr;
	struct tracepoint_format formats[CALL_FORMATS];
	struct linux_memory *memory;
	struct strbuf text;
	uint64_t unmatched;
};

static void setup(struct run *run, const struct kind *kinds, size_t nr)
{
	struct linux_memory_event events[MAX_EVENTS];
	char *refusal = NULL;

	*run = (struct run){ .kinds = kinds, .kinds_nr = nr, .text = STRBUF_INIT };
	call_formats_parse(run->formats);
	for (size_t i = 0; i < nr; i++) {
		const char *colon = strchr(kinds[i].name, ':');

		events[i] = (struct linux_memory_event){
			.name = kinds[i].name,
			.format = colon ? call_format(run->formats, colon + 1) : NULL,
			.carries_copy = kinds[i].copy,
			.carries_chain = kinds[i].chain,
		};
	}
	run->memory = linux_memory_new(events, nr, &refusal);
	assert_null(refusal);
}

static void teardown(struct run *run)
{
	linux_memory_free(run->memory);
	call_formats_release(run->formats);
	strbuf_release(&run->text);
}

static uint32_t find_event(const struct run *run, const char *name)
{
	int skip = !strncmp(name, "copy:", 5) ? 1 : !strncmp(name, "pick:", 5) ? 2 : 0;

	name += skip ? 5 : 0;
	for (size_t i = 0; i < run->kinds_nr; i++) {
		const char *system = "syscalls:sys_";

		if (!strncmp(run->kinds[i].name, system, strlen(system)) &&
		    !strcmp(run->kinds[i].name + strlen(system), name) && skip-- == 0)
			return (uint32_t)i;
	}
	fail_msg("no event %s", name);
	return 0;
}

static void make_sample(const struct run *run, const struct step *step, struct perf_sample *sample)
{
	uint64_t *frames = xcalloc(step->frames + 1, sizeof(*frames));
	uint64_t *values = xcalloc(2, sizeof(*values));
	unsigned char *bytes = xcalloc(1, 100);

	*sample = (struct perf_sample){
		.event = find_event(run, step->name),
		.pid = step->tid / 10 * 10,
		.tid = step->tid,
		.cpu = step->tid % 4,
		.raw = call_raw_new(step->tid, step->args) + 4,
		.raw_nr = CALL_RAW_BYTES,
	};
	for (uint32_t i = 0; i < step->frames; i++)
		frames[i] = (uint64_t)step->tid * 0x100 + step->frames - i;
	values[0] = values[1] = step->copy;
	memset(bytes, (int)step->copy, 100);
	sample->stack.user = frames;
	sample->stack.user_nr = step->frames;
	sample->copy = (struct trace_stack_copy){
		.id = step->copy, .values = values, .mask = 0x90, .bytes = bytes, .bytes_nr = 100
	};
	if (step->copy)
		sample->stack.copy = &sample->copy;
}

/* Its bytes are gone with the batch. */
static void wipe_sample(struct perf_sample *sample)
{
	free((void *)(uintptr_t)(sample->raw - 4));
	free((void *)(uintptr_t)sample->stack.user);
	free((void *)(uintptr_t)sample->copy.values);
	free((void *)(uintptr_t)sample->copy.bytes);
	memset(sample, 0xee, sizeof(*sample));
}

static void add_stack(struct strbuf *sb, const struct trace_memory *memory)
{
	const struct trace_stack_copy *copy = memory->stack.copy;

	strbuf_addf(sb, " x%u", (unsigned)memory->weight);
	for (uint32_t i = 0; i < memory->stack.user_nr; i++)
		strbuf_addf(sb, i ? ",%llx" : " %llx", (unsigned long long)memory->stack.user[i]);
	if (!copy)
		return;
	strbuf_addf(sb, " c%u", (unsigned)copy->id);
	assert_int_equal(copy->mask, 0x90);
	assert_int_equal(copy->values[0], copy->id);
	assert_int_equal(copy->values[1], copy->id);
	assert_int_equal(copy->bytes_nr, 100);
	for (size_t i = 0; i < copy->bytes_nr; i++)
		assert_int_equal(copy->bytes[i], copy->id);
}

/* "11 commit 7000+2000 x1 1101 c5": thread, what, range, weight, frames, copy. */
static void add_event(struct strbuf *sb, const struct trace_event *event)
{
	static const char *const ops[] = { "reserve",  "commit",  "other", "allow", "fill",
					   "decommit", "release", "move",  "purge" };
	const struct trace_memory *memory = &event->memory;

	assert_int_equal(event->kind, TRACE_MEMORY);
	assert_int_equal(event->pid, event->tid / 10 * 10);
	assert_int_equal(event->cpu, event->tid % 4);
	assert_int_equal(memory->target_pid, event->pid);
	strbuf_addf(sb, "%s%d %s %llx+%llx", sb->len ? "\n" : "", (int)event->tid, ops[memory->op],
		    (unsigned long long)memory->address, (unsigned long long)memory->length);
	if (memory->op == MEMORY_MOVE)
		strbuf_addf(sb, "->%llx+%llx", (unsigned long long)memory->to,
			    (unsigned long long)memory->to_length);
	else
		assert_true(!memory->to && !memory->to_length);
	strbuf_adds(sb, memory->keep ? " keep" : "");
	strbuf_adds(sb, memory->shared ? " shared" : "");
	add_stack(sb, memory);
}

static bool is_sample(const struct step *step)
{
	return strstr(step->name, "enter_") || strstr(step->name, "exit_");
}

static void take_life(struct linux_memory *memory, const struct step *step)
{
	if (!strcmp(step->name, "fork"))
		linux_memory_fork(memory, step->tid, (int64_t)step->args[0]);
	else if (!strcmp(step->name, "exec"))
		linux_memory_exec(memory, step->tid);
	else if (!strcmp(step->name, "exit"))
		linux_memory_exit(memory, step->tid);
	else if (!strcmp(step->name, "thread-exit"))
		linux_memory_thread_exit(memory, step->tid);
	else
		fail_msg("no step %s", step->name);
}

#define MAX_BATCH 32

static void take_batch(struct run *run, const struct step *steps, size_t nr)
{
	struct perf_sample samples[MAX_BATCH] = { 0 };
	struct trace_event events[2 * MAX_BATCH];
	size_t partner[MAX_BATCH], samples_nr = 0, events_nr = 0, at = 0;

	for (size_t i = 0; i < nr; i++) {
		if (is_sample(&steps[i]))
			make_sample(run, &steps[i], &samples[samples_nr++]);
	}
	linux_memory_pair(run->memory, samples, samples_nr, partner, &run->unmatched);
	for (size_t i = 0; i < nr; i++) {
		const struct perf_sample *sample = &samples[at], *duplicate;
		struct trace_event event, before;
		size_t made = 0;

		if (!is_sample(&steps[i])) {
			take_life(run->memory, &steps[i]);
			continue;
		}
		duplicate = partner[at] == SIZE_MAX ? NULL : &samples[partner[at]];
		at++;
		assert_true(linux_memory_wants(run->memory, sample->event) ||
			    !strcmp(steps[i].name, "exit_munmap"));
		if (!linux_memory_is_duplicate(run->memory, sample->event))
			made = linux_memory_sample(run->memory, sample, duplicate, &event, &before);
		if (made > 1)
			events[events_nr++] = before;
		if (made)
			events[events_nr++] = event;
	}
	for (size_t i = 0; i < events_nr; i++)
		add_event(&run->text, &events[i]);
	linux_memory_recycle(run->memory);
	for (size_t i = 0; i < samples_nr; i++)
		wipe_sample(&samples[i]);
}

static void take_steps(struct run *run, const struct step *steps, size_t nr)
{
	size_t start = 0;

	for (size_t i = 0; i <= nr; i++) {
		if (i < nr && strcmp(steps[i].name, "batch") != 0)
			continue;
		assert_true(i - start <= MAX_BATCH);
		take_batch(run, steps + start, i - start);
		start = i + 1;
	}
}

static void expect_steps(const struct kind *kinds, size_t kinds_nr, const struct step *steps,
			 size_t nr, uint64_t unmatched, const char *expected)
{
	struct run run;

	setup(&run, kinds, kinds_nr);
	take_steps(&run, steps, nr);
	assert_string_equal(run.text.buf, expected);
	assert_int_equal(run.unmatched, unmatched);
	assert_int_equal(linux_memory_damaged(run.memory), 0);
	teardown(&run);
}

#define EXPECT(kinds, unmatched, expected, ...) \
	do { \
		static const struct step steps[] = { __VA_ARGS__ }; \
		expect_steps(kinds, ARRAY_SIZE(kinds), steps, ARRAY_SIZE(steps), unmatched, \
			     expected); \
	} while (0)

/* Whole calls. */
#define MMAP(tid, length, protection, flags, result) \
	CALL("enter_mmap", tid, 0, length, protection, flags), CALL("exit_mmap", tid, result)
#define BRK(tid, wanted, result) CALL("enter_brk", tid, wanted), CALL("exit_brk", tid, result)

static void linux_memory_sample__mmap__by_protection_and_flags(void **state)
{
	static const struct {
		uint64_t length, protection, flags, result;
		const char *expected;
	} cases[] = {
		{ 0x2000, RW, ANON, 0x7000, "11 commit 7000+2000 x0" },
		{ 0x2000, 2, ANON, 0x7000, "11 commit 7000+2000 x0" },
		{ 1, RW, ANON, 0x7000, "11 commit 7000+1000 x0" },
		{ 0x1001, RW, ANON, 0x7000, "11 commit 7000+2000 x0" },
		{ 0x2000, RW, ANON | 0x20000, 0x7000, "11 commit 7000+2000 x0" }, /* MAP_STACK */
		{ 0x2000, RW, ANON | 0x100, 0x7000, "11 commit 7000+2000 x0" }, /* MAP_GROWSDOWN */
		{ 0x2000, RW, ANON | 0x10, 0x7000, "11 commit 7000+2000 x0" },  /* MAP_FIXED */
		{ 0x2000, RW, ANON | NORESERVE, 0x7000, "11 other 7000+2000 x0" },
		{ 0x2000, NONE, ANON | NORESERVE, 0x7000, "11 reserve 7000+2000 x0" },
		{ 0x2000, R, ANON | NORESERVE, 0x7000, "11 reserve 7000+2000 x0" },
		{ 0x2000, NONE, ANON, 0x7000, "11 reserve 7000+2000 x0" },
		{ 0x2000, R, ANON, 0x7000, "11 reserve 7000+2000 x0" },
		{ 0x2000, 5, ANON, 0x7000, "11 reserve 7000+2000 x0" }, /* read, execute */
		{ 0x2000, RW, FILE_MAP, 0x7000, "11 other 7000+2000 x0" },
		{ 0x2000, RW, SHARED, 0x7000, "11 other 7000+2000 shared x0" },
		{ 0x2000, RW, 0x23, 0x7000, "11 other 7000+2000 shared x0" }, /* SHARED_VALIDATE */
		{ 0x2000, RW, ANON, FAILED(12), "" },
		{ 0x2000, RW, ANON, FAILED(1), "" },
		{ 0x2000, RW, ANON, FAILED(4095), "" },
		{ 0x2000, RW, ANON, 0x7ffffffff000, "11 commit 7ffffffff000+2000 x0" },
		{ 0x2000, RW, ANON, FAILED(4096), "" }, /* no address of a process */
		{ 0, RW, ANON, 0x7000, "" },
		{ UINT64_MAX, RW, ANON, 0x7000, "" },
		{ 0x2000, RW, ANON, 0x7001, "" },
		{ 1, RW, ANON | HUGE(0), 0x600000, "11 commit 600000+200000 x0" },
		{ 0x200001, RW, ANON | HUGE(21), 0x600000, "11 commit 600000+400000 x0" },
		{ 0x1001, NONE, ANON | HUGE(16), 0x10000, "11 reserve 10000+10000 x0" },
		{ 1, RW, ANON | HUGE(30), 0x40000000, "11 commit 40000000+40000000 x0" },
		{ 1, RW, SHARED | HUGE(0), 0x600000, "11 other 600000+200000 shared x0" },
		{ 1, RW, ANON | NORESERVE | HUGE(0), 0x600000, "11 other 600000+200000 x0" },
		/* no huge pages: a size without the flag, a file, sizes that no kernel has */
		{ 1, RW, ANON | (HUGE(21) & ~HUGE(0)), 0x7000, "11 commit 7000+1000 x0" },
		{ 1, RW, FILE_MAP | HUGE(21), 0x7000, "11 other 7000+1000 x0" },
		{ 1, RW, ANON | HUGE(3), 0x7000, "11 commit 7000+1000 x0" },
		{ 1, RW, ANON | HUGE(63), 0x7000, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct step steps[] = { MMAP(11, cases[i].length, cases[i].protection,
						   cases[i].flags, cases[i].result) };

		expect_steps(without_stacks, ARRAY_SIZE(without_stacks), steps, ARRAY_SIZE(steps),
			     0, cases[i].expected);
	}
}

static void linux_memory_sample__at_entry__by_call(void **state)
{
	static const struct {
		struct step step;
		const char *expected;
	} cases[] = {
		{ CALL("enter_munmap", 11, 0x7000, 0x1801), "11 release 7000+2000 x0" },
		{ CALL("enter_munmap", 11, 0x7008, 0x1000), "" },
		{ CALL("enter_munmap", 11, 0x7000, 0), "" },
		{ CALL("enter_munmap", 11, 0x7000, UINT64_MAX), "" },
		{ CALL("enter_munmap", 11, UINT64_C(0xfffffffffffff000), 0x1000), "" },
		{ CALL("exit_munmap", 11, 0), "" },
		{ CALL("enter_mprotect", 11, 0x7000, 0x10, RW), "11 allow 7000+1000 x0" },
		{ CALL("enter_mprotect", 11, 0x7000, 0x1000, 6), "11 allow 7000+1000 x0" },
		{ CALL("enter_mprotect", 11, 0x7000, 0x1000, R), "" },
		{ CALL("enter_mprotect", 11, 0x7000, 0x1000, NONE), "" },
		{ CALL("enter_mprotect", 11, 0x7010, 0x1000, RW), "" },
		{ CALL("enter_mprotect", 11, 0x7000, 0, RW), "" },
		{ CALL("enter_pkey_mprotect", 11, 0x7000, 0x1000, RW, 1), "11 allow 7000+1000 x0" },
		{ CALL("enter_madvise", 11, 0x7000, 0x1000, 4), "11 purge 7000+1000 x0" },
		{ CALL("enter_madvise", 11, 0x7000, 0x1001, 8), "11 purge 7000+2000 keep x0" },
		{ CALL("enter_madvise", 11, 0x7000, 0x1000, 14), "" }, /* HUGEPAGE */
		{ CALL("enter_madvise", 11, 0x7000, 0x1000, 21), "" }, /* PAGEOUT */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_steps(without_stacks, ARRAY_SIZE(without_stacks), &cases[i].step, 1, 0,
			     cases[i].expected);
}

static void linux_memory_sample__mremap__moves(void **state)
{
	static const struct {
		uint64_t address, old_length, new_length, flags, result;
		const char *expected;
	} cases[] = {
		{ 0x7000, 0x1000, 0x2000, 1, 0x7000, "11 move 7000+1000->7000+2000 x0" },
		{ 0x7000, 0x1000, 0x1801, 1, 0x9000, "11 move 7000+1000->9000+2000 x0" },
		{ 0x7000, 0x2000, 0x1000, 0, 0x7000, "11 move 7000+2000->7000+1000 x0" },
		{ 0x7000, 0x1000, 0x1000, 5, 0x9000, "11 move 7000+1000->9000+1000 keep x0" },
		{ 0x7000, 0x1000, 0x1000, 3, 0x9000, "11 move 7000+1000->9000+1000 x0" },
		{ 0x7000, 0x1000, 0xfff, 1, 0x7000, "" }, /* as it was */
		{ 0x7000, 0, 0x3000, 1, 0x9000, "11 other 9000+3000 shared x0" },
		{ 0x7000, 0x1000, 0x2000, 0, FAILED(12), "" },
		{ 0x7000, 0x1000, 0, 0, 0x7000, "" },
		{ 0x7001, 0x1000, 0x2000, 1, 0x9000, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct step steps[] = {
			CALL("enter_mremap", 11, cases[i].address, cases[i].old_length,
			     cases[i].new_length, cases[i].flags),
			CALL("exit_mremap", 11, cases[i].result),
		};

		expect_steps(without_stacks, ARRAY_SIZE(without_stacks), steps, 2, 0,
			     cases[i].expected);
	}
}

#define MREMAP_ENTER(tid, address, old_length, new_length, flags) \
	CALL("enter_mremap", tid, address, old_length, new_length, flags)

/* The kernel has moved the range when another thread gets its address, though the exit of mremap follows. */
static void linux_memory_sample__address_is_taken_during_mremap__keeps_both(void **state)
{
	(void)state;
	EXPECT(without_stacks, 0,
	       "12 move 7000+2000->100000000007000+2000 x0\n"
	       "12 commit 8000+1000 x0\n"
	       "11 move 100000000007000+2000->9000+4000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x2000, 0x4000, 1), MMAP(12, 0x1000, RW, ANON, 0x8000),
	       CALL("exit_mremap", 11, 0x9000));
	/* its end was cut off; by a reservation, in another batch */
	EXPECT(without_stacks, 0,
	       "12 move 7000+2000->100000000007000+2000 x0\n"
	       "12 reserve 8000+1000 x0\n"
	       "11 move 100000000007000+2000->7000+1000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x2000, 0x1000, 0), BATCH,
	       MMAP(12, 0x1000, NONE, ANON, 0x8000), BATCH, CALL("exit_mremap", 11, 0x7000));
	/* by another mremap, of which the first one's address is taken too */
	EXPECT(without_stacks, 0,
	       "12 move 7000+1000->100000000007000+1000 x0\n"
	       "12 move a000+1000->7000+1000 x0\n"
	       "11 move 100000000007000+1000->9000+1000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x1000, 0x1000, 1),
	       MREMAP_ENTER(12, 0xa000, 0x1000, 0x1000, 1), CALL("exit_mremap", 12, 0x7000),
	       CALL("exit_mremap", 11, 0x9000));
	/* by a mapping with MAP_FIXED, which made it fail */
	EXPECT(without_stacks, 0,
	       "12 move 7000+1000->100000000007000+1000 x0\n"
	       "12 other 7000+1000 shared x0\n"
	       "11 release 100000000007000+1000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x1000, 0x2000, 1), MMAP(12, 0x1000, R, SHARED, 0x7000),
	       CALL("exit_mremap", 11, FAILED(14)));
}

static void linux_memory_sample__another_address_during_mremap__moves_once(void **state)
{
	(void)state;
	EXPECT(without_stacks, 0,
	       "12 commit 6000+1000 x0\n"
	       "21 commit 7000+1000 x0\n"
	       "12 release 7000+1000 x0\n"
	       "11 move 7000+2000->20000+2000 x0\n"
	       "12 commit 7000+1000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x2000, 0x2000, 1), MMAP(12, 0x1000, RW, ANON, 0x6000),
	       MMAP(21, 0x1000, RW, ANON, 0x7000), MMAP(12, 0x1000, RW, ANON, FAILED(12)),
	       CALL("enter_munmap", 12, 0x7000, 0x1000), CALL("exit_mremap", 11, 0x20000),
	       MMAP(12, 0x1000, RW, ANON, 0x7000));
	/* MREMAP_DONTUNMAP; a thread that has ended; an exit that was lost */
	EXPECT(without_stacks, 0,
	       "12 commit 7000+1000 x0\n"
	       "11 move 7000+1000->9000+1000 keep x0\n"
	       "12 commit 7000+1000 x0\n"
	       "13 reserve 3000+1000 x0\n"
	       "12 commit 7000+1000 x0",
	       MREMAP_ENTER(11, 0x7000, 0x1000, 0x1000, 5), MMAP(12, 0x1000, RW, ANON, 0x7000),
	       CALL("exit_mremap", 11, 0x9000), MREMAP_ENTER(11, 0x7000, 0x1000, 0x1000, 1),
	       CALL("thread-exit", 11, 0), MMAP(12, 0x1000, RW, ANON, 0x7000),
	       MREMAP_ENTER(13, 0x7000, 0x1000, 0x1000, 1), MMAP(13, 0x1000, NONE, ANON, 0x3000),
	       MMAP(12, 0x1000, RW, ANON, 0x7000));
}

/* As many threads as a malicious file likes: the first ones are forgotten. */
static void linux_memory_sample__very_many_mremaps__the_last_ones_are_known(void **state)
{
	static struct step steps[200];
	struct run run;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		steps[i] = i % 2 ? (struct step)BATCH
				 : (struct step)MREMAP_ENTER(1000 + (int32_t)i, 0x1000 * (i + 1),
							     0x1000, 0x1000, 1);
	setup(&run, without_stacks, ARRAY_SIZE(without_stacks));
	take_steps(&run, steps, ARRAY_SIZE(steps));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i += 2) {
		const struct step next[] = { MMAP(1000 + (int32_t)i + 1, 0x1000, RW, ANON,
						  0x1000 * (i + 1)) };

		strbuf_clear(&run.text);
		take_steps(&run, next, ARRAY_SIZE(next));
		assert_int_equal(strstr(run.text.buf, "move") != NULL, i >= 200 - 2 * 64);
	}
	teardown(&run);
}

static void linux_memory_sample__brk__pages_between(void **state)
{
	(void)state;
	EXPECT(without_stacks, 0,
	       "10 commit 6000+1000 x0\n"
	       "11 commit 7000+2000 x0\n"
	       "10 release 6000+3000 x0",
	       BRK(10, 0, 0x5010), BRK(10, 0x7000, 0x7000), BRK(10, 0, 0x7000),
	       BRK(11, 0x8001, 0x8001), BRK(10, 0x8fff, 0x8fff), BRK(10, 0x5f00, 0x5f00),
	       BRK(10, 0x9000, 0x5f00), BRK(10, 0x9000, FAILED(4)), BRK(10, 0x9000, FAILED(4095)),
	       BRK(10, 0, 0x5f00));
}

static void linux_memory_sample__brk__is_of_the_process(void **state)
{
	(void)state;
	/* each process has its own; a fork its parent's; an exec none, and a number used again none */
	EXPECT(without_stacks, 0,
	       "20 commit 5000+1000 x0\n"
	       "20 commit 6000+2000 x0\n"
	       "10 commit 5000+2000 x0\n"
	       "30 commit 4000+1000 x0",
	       BRK(10, 0, 0x5000), BRK(30, 0, 0x4000), CALL("fork", 20, 10),
	       BRK(20, 0x6000, 0x6000), BRK(20, 0x8000, 0x8000), CALL("exec", 20, 0),
	       BRK(20, 0, 0x9000), CALL("exit", 20, 0), BRK(20, 0x8000, 0x8000),
	       BRK(10, 0x7000, 0x7000), BRK(30, 0x5000, 0x5000));
	EXPECT(without_stacks, 0, "", BRK(10, 0, 0x5000), BRK(20, 0, 0x3000), CALL("exit", 10, 0),
	       CALL("fork", 20, 10), BRK(20, 0x4000, 0x4000));
	/* nobody is its own parent */
	EXPECT(without_stacks, 0, "10 commit 5000+1000 x0", BRK(10, 0, 0x5000),
	       CALL("fork", 10, 10), BRK(10, 0x6000, 0x6000));
	/* one whose entry is not there */
	EXPECT(without_stacks, 0, "10 commit 5000+1000 x0", CALL("exit_brk", 10, 0x5000),
	       CALL("exit_brk", 10, 0x6000));
}

static void linux_memory_sample__threads__each_in_its_call(void **state)
{
	(void)state;
	EXPECT(without_stacks, 0,
	       "12 reserve 9000+1000 x0\n"
	       "11 commit 7000+2000 x0\n"
	       "13 move 3000+1000->4000+1000 x0",
	       CALL("enter_mmap", 11, 0, 0x2000, RW, ANON),
	       CALL("enter_mremap", 13, 0x3000, 0x1000, 0x1000, 1),
	       CALL("enter_mmap", 12, 0, 0x1000, NONE, ANON), BATCH, CALL("exit_mmap", 12, 0x9000),
	       CALL("exit_mmap", 11, 0x7000), BATCH, CALL("exit_mremap", 13, 0x4000));
}

static void linux_memory_sample__half_a_call__changes_nothing(void **state)
{
	static const struct step steps[] = {
		CALL("exit_mmap", 11, 0x1000), /* the recording began in between */
		CALL("exit_mremap", 11, 0x1000),
		CALL("exit_mmap", 11, FAILED(12)), /* would have changed nothing: not counted */
		CALL("enter_mmap", 11, 0, 0x2000, RW, ANON), /* its exit was lost */
		CALL("enter_mmap", 11, 0, 0x3000, RW, ANON),
		CALL("exit_mmap", 11, 0x7000),
		CALL("exit_mmap", 11, 0x8000), /* its entry was lost */
		CALL("enter_mmap", 11, 0, 0x2000, RW, ANON),
		CALL("exit_mremap", 11, 0x9000), /* of another call */
		CALL("exit_mmap", 11, 0x9000),
		CALL("enter_mmap", 11, 0, 0x2000, RW, ANON),
		CALL("thread-exit", 11, 0),
		CALL("exit_mmap", 11, 0x9000), /* of another thread with this number */
		CALL("enter_mmap", 10, 0, 0x2000, RW, ANON),
		CALL("exec", 10, 0),
		CALL("exit_mmap", 10, 0x9000),
	};
	struct run run;

	(void)state;
	setup(&run, without_stacks, ARRAY_SIZE(without_stacks));
	take_steps(&run, steps, ARRAY_SIZE(steps));
	assert_string_equal(run.text.buf, "11 commit 7000+3000 x0");
	assert_int_equal(linux_memory_exits_unmatched(run.memory), 7);
	teardown(&run);
}

static void linux_memory_sample__raw_too_short__is_damage(void **state)
{
	static const struct step steps[] = { CALL("enter_mprotect", 11, 0x7000, 0x1000, RW),
					     CALL("enter_mmap", 11, 0, 0x1000, RW, ANON),
					     CALL("exit_mmap", 11, 0x7000) };
	static const uint32_t cut[] = { 39, 47, CALL_RAW_BYTES };
	struct trace_event event, before;
	struct perf_sample sample;
	struct run run;

	(void)state;
	setup(&run, without_stacks, ARRAY_SIZE(without_stacks));
	make_sample(&run, &steps[1], &sample); /* forgotten by the damaged one behind it */
	assert_false(linux_memory_sample(run.memory, &sample, NULL, &event, &before));
	wipe_sample(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		make_sample(&run, &steps[i], &sample);
		sample.raw_nr = cut[i];
		assert_false(linux_memory_sample(run.memory, &sample, NULL, &event, &before));
		wipe_sample(&sample);
	}
	assert_int_equal(linux_memory_damaged(run.memory), 2);
	assert_int_equal(linux_memory_exits_unmatched(run.memory), 1);
	teardown(&run);
}

static void linux_memory_sample__chains__exit_before_entry(void **state)
{
	(void)state;
	EXPECT(with_chains, 0,
	       "11 commit 7000+1000 x1 b02,b01\n"
	       "11 commit 8000+1000 x1 b03,b02,b01\n"
	       "11 commit 9000+1000 x1\n"
	       "11 allow 7000+1000 x1 b01\n"
	       "11 allow 7000+1000 x1",
	       FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON), FRAMES(2, "exit_mmap", 11, 0x7000),
	       FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0x8000),
	       CALL("enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0x9000),
	       FRAMES(1, "enter_mprotect", 11, 0x7000, 0x1000, RW),
	       CALL("enter_mprotect", 11, 0x7000, 0x1000, RW));
}

static void linux_memory_sample__entry_of_an_earlier_batch__has_its_stack(void **state)
{
	(void)state;
	EXPECT(with_chains, 0,
	       "12 commit 8000+1000 x1 c02,c01\n"
	       "11 commit 7000+1000 x1 b03,b02,b01\n"
	       "11 commit a000+1000 x1 b04,b03,b02,b01",
	       FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON),
	       FRAMES(2, "enter_mmap", 12, 0, 0x1000, RW, ANON), BATCH,
	       CALL("exit_mmap", 12, 0x8000), CALL("exit_mmap", 11, 0x7000),
	       /* events of one batch do not share what they were lent */
	       FRAMES(4, "enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0xa000));
	EXPECT(with_copies, 0, "11 commit 70000+20000 x1 c7",
	       CALL("enter_mmap", 11, 0, 0x20000, RW, ANON),
	       COPY(7, "copy:enter_mmap", 11, 0, 0x20000, RW, ANON), BATCH,
	       CALL("enter_mprotect", 12, 0x7000, 0x1000, R), BATCH,
	       CALL("exit_mmap", 11, 0x70000));
}

static void linux_memory_sample__entry_of_another_call__lends_no_stack(void **state)
{
	(void)state;
	EXPECT(with_chains, 0,
	       "11 commit 5000+1000 x1\n"
	       "11 commit 7000+2000 x1\n"
	       "11 commit 9000+1000 x1 b02,b01",
	       BRK(11, 0, 0x5000), FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON),
	       CALL("exit_brk", 11, 0x6000), FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON),
	       CALL("enter_mmap", 11, 0, 0x2000, RW, ANON), CALL("exit_mmap", 11, 0x7000),
	       FRAMES(3, "enter_mmap", 11, 0, 0x1000, RW, ANON),
	       FRAMES(2, "enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0x9000));
}

static void linux_memory_sample__chain_and_copy__has_both(void **state)
{
	(void)state;
	EXPECT(with_both, 0,
	       "11 allow 7000+1000 x1 b02,b01 c1\n"
	       "11 allow 8000+1000 x1 c2\n"
	       "11 allow 9000+1000 x1 b01",
	       FRAMES(2, "enter_mprotect", 11, 0x7000, 0x1000, RW),
	       COPY(1, "copy:enter_mprotect", 11, 0x7000, 0x1000, RW),
	       CALL("enter_mprotect", 11, 0x8000, 0x1000, RW),
	       COPY(2, "copy:enter_mprotect", 11, 0x8000, 0x1000, RW),
	       FRAMES(1, "enter_mprotect", 11, 0x9000, 0x1000, RW));
}

static void linux_memory_sample__bytes_with_every_event__weigh_one(void **state)
{
	(void)state;
	EXPECT(with_bytes, 0,
	       "11 commit 7000+1000 x1 c2\n"
	       "11 commit 7000+1000 x1 c3\n"
	       "11 allow 40000+1000 x1 c4",
	       COPY(1, "enter_mmap", 11, 0, 0x1000, RW, ANON), COPY(2, "exit_mmap", 11, 0x7000),
	       COPY(3, "enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0x7000),
	       COPY(4, "enter_mprotect", 11, 0x40000, 0x1000, RW));
}

static void linux_memory_sample__copies__weigh_by_size_and_event(void **state)
{
	(void)state;
	EXPECT(with_copies, 0,
	       "11 commit 100000+10000 x1 c1\n"
	       "11 commit 1000+f000 x64 c2\n"
	       "11 commit 41000+10000 x1 c4\n"
	       "11 commit 2000+1000 x0\n"
	       "11 allow 100000+10000 x1 c5\n"
	       "11 allow 40000+f000 x64 c6\n"
	       "11 allow 42000+f000 x0\n"
	       "11 move 7000+1000->9000+10000 x1 c7\n"
	       "11 commit 6000+1000 x1 c8",
	       CALL("enter_mmap", 11, 0, 0x10000, RW, ANON),
	       COPY(1, "copy:enter_mmap", 11, 0, 0x10000, RW, ANON),
	       CALL("exit_mmap", 11, 0x100000), CALL("enter_mmap", 11, 0, 0xf000, RW, ANON),
	       CALL("exit_mmap", 11, 0x1000), COPY(2, "copy:exit_mmap", 11, 0x1000),
	       /* large, and where the pattern would pick a small one */
	       COPY(3, "copy:enter_mmap", 11, 0, 0x10000, RW, ANON),
	       CALL("enter_mmap", 11, 0, 0x10000, RW, ANON), CALL("exit_mmap", 11, 0x41000),
	       COPY(4, "copy:exit_mmap", 11, 0x41000), MMAP(11, 0x1000, RW, ANON, 0x2000),
	       CALL("enter_mprotect", 11, 0x100000, 0x10000, RW),
	       COPY(5, "copy:enter_mprotect", 11, 0x100000, 0x10000, RW),
	       COPY(6, "pick:enter_mprotect", 11, 0x40000, 0xf000, RW),
	       CALL("enter_mprotect", 11, 0x40000, 0xf000, RW),
	       CALL("enter_mprotect", 11, 0x42000, 0xf000, RW),
	       CALL("enter_mremap", 11, 0x7000, 0x1000, 0x10000, 1),
	       COPY(7, "copy:enter_mremap", 11, 0x7000, 0x1000, 0x10000, 1),
	       CALL("exit_mremap", 11, 0x9000), BRK(11, 0, 0x6000), CALL("enter_brk", 11, 0x7000),
	       COPY(8, "copy:enter_brk", 11, 0x7000), CALL("exit_brk", 11, 0x7000));
}

static void linux_memory_sample__exit_picked__weighs_one_if_any_other_reason(void **state)
{
	(void)state;
	EXPECT(with_copies, 0, "11 reserve 41000+10000 x1 c1",
	       CALL("enter_mmap", 11, 0, 0x10000, NONE, ANON), CALL("exit_mmap", 11, 0x41000),
	       COPY(1, "copy:exit_mmap", 11, 0x41000));
	/* an entry that was copied whatever its length */
	EXPECT(with_copies, 0, "11 commit 41000+1000 x1 c2",
	       CALL("enter_mmap", 11, 0, 0x1000, RW, ANON),
	       COPY(1, "copy:enter_mmap", 11, 0, 0x1000, RW, ANON), CALL("exit_mmap", 11, 0x41000),
	       COPY(2, "copy:exit_mmap", 11, 0x41000));
}

static void linux_memory_sample__copy_without_its_bytes__is_none(void **state)
{
	(void)state;
	EXPECT(with_copies, 0,
	       "11 allow 100000+10000 x0\n"
	       "11 allow 100000+10000 x1 b02,b01",
	       CALL("enter_mprotect", 11, 0x100000, 0x10000, RW),
	       CALL("copy:enter_mprotect", 11, 0x100000, 0x10000, RW),
	       CALL("enter_mprotect", 11, 0x100000, 0x10000, R),
	       CALL("enter_mprotect", 11, 0x100000, 0x10000, RW),
	       CALL("copy:enter_mprotect", 11, 0x100000, 0x10000, RW),
	       FRAMES(2, "pick:enter_mprotect", 11, 0x100000, 0x10000, RW));
}

static void linux_memory_wants__events__those_of_the_accounting(void **state)
{
	struct run run;

	(void)state;
	setup(&run, without_stacks, ARRAY_SIZE(without_stacks));
	assert_false(linux_memory_has_duplicates(run.memory));
	for (uint32_t i = 0; i < ARRAY_SIZE(without_stacks); i++) {
		assert_int_equal(linux_memory_wants(run.memory, i), i != 0 && i != 4);
		assert_false(linux_memory_is_duplicate(run.memory, i));
	}
	assert_false(linux_memory_wants(run.memory, ARRAY_SIZE(without_stacks)));
	assert_false(linux_memory_wants(run.memory, UINT32_MAX));
	teardown(&run);
	setup(&run, with_copies, ARRAY_SIZE(with_copies));
	assert_true(linux_memory_has_duplicates(run.memory));
	for (uint32_t i = 0; i < ARRAY_SIZE(with_copies); i++) {
		assert_true(linux_memory_wants(run.memory, i));
		assert_int_equal(linux_memory_is_duplicate(run.memory, i), i >= 9);
	}
	teardown(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_memory_sample__mmap__by_protection_and_flags),
		cmocka_unit_test(linux_memory_sample__at_entry__by_call),
		cmocka_unit_test(linux_memory_sample__mremap__moves),
		cmocka_unit_test(linux_memory_sample__address_is_taken_during_mremap__keeps_both),
		cmocka_unit_test(linux_memory_sample__another_address_during_mremap__moves_once),
		cmocka_unit_test(linux_memory_sample__very_many_mremaps__the_last_ones_are_known),
		cmocka_unit_test(linux_memory_sample__brk__pages_between),
		cmocka_unit_test(linux_memory_sample__brk__is_of_the_process),
		cmocka_unit_test(linux_memory_sample__threads__each_in_its_call),
		cmocka_unit_test(linux_memory_sample__half_a_call__changes_nothing),
		cmocka_unit_test(linux_memory_sample__raw_too_short__is_damage),
		cmocka_unit_test(linux_memory_sample__chains__exit_before_entry),
		cmocka_unit_test(linux_memory_sample__entry_of_an_earlier_batch__has_its_stack),
		cmocka_unit_test(linux_memory_sample__entry_of_another_call__lends_no_stack),
		cmocka_unit_test(linux_memory_sample__chain_and_copy__has_both),
		cmocka_unit_test(linux_memory_sample__bytes_with_every_event__weigh_one),
		cmocka_unit_test(linux_memory_sample__copies__weigh_by_size_and_event),
		cmocka_unit_test(linux_memory_sample__exit_picked__weighs_one_if_any_other_reason),
		cmocka_unit_test(linux_memory_sample__copy_without_its_bytes__is_none),
		cmocka_unit_test(linux_memory_wants__events__those_of_the_accounting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
