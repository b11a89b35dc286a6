/*
 * The test copies its own registers and stack, as a recording does, and unwinds them with the files that it has mapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "symbol/unwinder.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define FRAMES_MAX 512

/* What a recording has of one event, and where the thread truly was. */
struct snapshot {
	uint64_t values[33], mask;
	unsigned char *bytes;
	size_t bytes_nr;
	void *frames[FRAMES_MAX]; /* [0] is in take() */
	int frames_nr;
};

struct fixture {
	struct machine machine;
	struct trace_process process;
	struct unwinder *unwinder;
	struct snapshot snapshot;
	uintptr_t stack_end;               /* of the thread that takes the snapshot */
	const struct trace_thread *thread; /* whose the stacks are; NULL */
	bool no_files;
};

static const char *find_path(void *data, const struct module *module)
{
	const struct fixture *fixture = data;

	return fixture->no_files || module->path[0] != '/' ? NULL : module->path;
}

static uint32_t add_module(struct fixture *fixture, const char *path)
{
	struct module_table *table = &fixture->machine.modules;

	for (size_t i = 1; i < table->nr; i++) {
		if (!strcmp(table->v[i].path, path))
			return (uint32_t)i;
	}
	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	table->v[table->nr] = (struct module){
		.kind = strcmp(path, "//anon") ? MODULE_FILE : MODULE_ANON,
		.path = xstrdup(path),
	};
	return (uint32_t)table->nr++;
}

/* All code that is mapped here. */
static void read_maps(struct fixture *fixture)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned long start, end, offset;
		char permissions[8] = "", path[2048] = "//anon";

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %2047[^\n]", &start, &end, permissions,
			   &offset, path) < 4 ||
		    permissions[2] != 'x')
			continue;
		address_space_map(
			&fixture->process.space,
			&(struct mapping){ start, end, offset, add_module(fixture, path) });
	}
	fclose(file);
}

static uintptr_t find_stack_end(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	assert_int_equal(pthread_attr_getstack(&attributes, &start, &size), 0);
	pthread_attr_destroy(&attributes);
	return (uintptr_t)start + size;
}

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	add_module(fixture, "?");
	fixture->machine.modules.nr = 0;
	free(fixture->machine.modules.v[0].path);
	fixture->machine.modules.v[0].path = xstrdup("?");
	fixture->machine.modules.nr = 1;
	address_space_init(&fixture->process.space);
	read_maps(fixture);
	fixture->unwinder = unwinder_new((struct module_files){ fixture, find_path });
	fixture->stack_end = find_stack_end();
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unwinder_free(fixture->unwinder);
	address_space_release(&fixture->process.space);
	for (size_t i = 0; i < fixture->machine.modules.nr; i++)
		free(fixture->machine.modules.v[i].path);
	free(fixture->machine.modules.v);
	free(fixture->snapshot.bytes);
	free(fixture);
	return 0;
}

/* Registers in perf's order. */
static void store_registers(struct snapshot *snapshot, const mcontext_t *context)
{
#ifdef __x86_64__
	static const int order[] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
		REG_EFL, REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		snapshot->values[i] = (uint64_t)context->gregs[order[i]];
	snapshot->mask = 0xff03ff;
#else
	for (size_t i = 0; i < 31; i++)
		snapshot->values[i] = context->regs[i];
	snapshot->values[31] = context->sp;
	snapshot->values[32] = context->pc;
	snapshot->mask = UINT64_C(0x1ffffffff);
#endif
}

static uint64_t stack_pointer(const mcontext_t *context)
{
#ifdef __x86_64__
	return (uint64_t)context->gregs[REG_RSP];
#else
	return context->sp;
#endif
}

/* What lies between variables is read as well. */
__attribute__((no_sanitize_address)) static void copy_stack(unsigned char *bytes, uint64_t sp,
							    size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		bytes[i] = ((const volatile unsigned char *)(uintptr_t)sp)[i];
}

/* From the one that returns to `caller` on: a sanitizer has a frame of its own below. */
static void call_backtrace(struct snapshot *snapshot, const void *caller)
{
	void *frames[FRAMES_MAX];
	int nr = backtrace(frames, FRAMES_MAX), first = 1;

	while (first < nr && frames[first] != caller)
		first++;
	assert_in_range(nr - first, 2, FRAMES_MAX - 3);
	snapshot->frames_nr = nr - first + 1;
	memcpy(snapshot->frames, frames + first - 1, (size_t)(nr - first + 1) * sizeof(frames[0]));
}

__attribute__((noinline)) static void take(struct fixture *fixture)
{
	struct snapshot *snapshot = &fixture->snapshot;
	ucontext_t context;
	uint64_t sp;

	assert_int_equal(getcontext(&context), 0);
	store_registers(snapshot, &context.uc_mcontext);
	sp = stack_pointer(&context.uc_mcontext);
	snapshot->bytes_nr = fixture->stack_end - sp;
	free(snapshot->bytes);
	snapshot->bytes = xmalloc(snapshot->bytes_nr);
	copy_stack(snapshot->bytes, sp, snapshot->bytes_nr);
	call_backtrace(snapshot, __builtin_return_address(0));
}

static enum unwind_end unwind(struct fixture *fixture, size_t bytes_nr,
			      const struct trace_stack *with, const uint64_t **v, size_t *nr)
{
	struct trace_stack_copy copy = {
		.values = fixture->snapshot.values,
		.mask = fixture->snapshot.mask,
		.bytes = fixture->snapshot.bytes,
		.bytes_nr = bytes_nr,
	};
	struct trace_stack stack = with ? *with : (struct trace_stack){ .user = NULL };

	stack.copy = &copy;
	return unwinder_unwind(fixture->unwinder, &fixture->machine, &fixture->process,
			       fixture->thread, &stack, v, nr);
}

/* The leaf is in take() itself, at another instruction. */
static void expect_whole(struct fixture *fixture)
{
	const struct snapshot *snapshot = &fixture->snapshot;
	const uint64_t *v;
	size_t nr;

	assert_int_equal(unwind(fixture, snapshot->bytes_nr, NULL, &v, &nr), UNWIND_COMPLETE);
	assert_int_equal(nr, snapshot->frames_nr);
	for (size_t i = 1; i < nr; i++)
		assert_int_equal(v[i], (uintptr_t)snapshot->frames[i]);
}

static volatile int sink; /* what is done after a call keeps it from being a jump */

static void take_deep(struct fixture *fixture, int depth);

__attribute__((noinline)) static void take_deeper(struct fixture *fixture, int depth)
{
	take_deep(fixture, depth);
	sink += 2;
}

/* `depth` + 1 frames, of two functions in turn; `depth` is even. */
__attribute__((noinline)) static void take_deep(struct fixture *fixture, int depth)
{
	if (depth > 1)
		take_deeper(fixture, depth - 2);
	else
		take(fixture);
	sink++;
}

__attribute__((noinline)) static void take_with_alloca(struct fixture *fixture, size_t size)
{
	unsigned char *space = alloca(size);

	memset(space, 1, size);
	take_deep(fixture, 4);
	sink += space[size / 2];
}

__attribute__((noinline)) static void take_aligned(struct fixture *fixture, size_t size)
{
	_Alignas(256) unsigned char space[512];

	memset(space, 2, sizeof(space));
	take_with_alloca(fixture, size);
	sink += space[size % sizeof(space)];
}

static void unwinder_unwind__nested_calls__are_those_of_backtrace(void **state)
{
	struct fixture *fixture = *state;

	take_deep(fixture, 20);
	expect_whole(fixture);
	assert_int_equal(unwinder_loss(fixture->unwinder).copies, 0);
}

static void unwinder_unwind__stack_of_odd_size_and_place__is_whole(void **state)
{
	take_aligned(*state, 1000);
	expect_whole(*state);
	take_aligned(*state, 17);
	expect_whole(*state);
}

static int order_and_take(const void *a, const void *b)
{
	const struct fixture *const *fixture = a;

	(void)b;
	take((struct fixture *)*fixture);
	return 0;
}

static void unwinder_unwind__called_back_by_a_library__is_whole(void **state)
{
	void *v[2] = { *state, *state };

	qsort(v, ARRAY_SIZE(v), sizeof(v[0]), order_and_take);
	expect_whole(*state);
}

static void *run_thread(void *data)
{
	struct fixture *fixture = data;

	fixture->stack_end = find_stack_end();
	take_deep(fixture, 6);
	return NULL;
}

static void unwinder_unwind__thread__ends_at_its_start(void **state)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, run_thread, *state), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	expect_whole(*state);
}

/* sigaction() passes nothing of ours. */
static struct fixture *in_handler;

static void handle(int signal)
{
	(void)signal;
	take(in_handler);
	sink++;
}

static void unwinder_unwind__signal_handler__goes_on_where_it_came(void **state)
{
	struct sigaction action = { .sa_handler = handle }, before;
	struct fixture *fixture = *state;
	const uint64_t *v;
	size_t nr, interrupted = 0;

	in_handler = fixture;
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	assert_int_equal(unwind(fixture, fixture->snapshot.bytes_nr, NULL, &v, &nr),
			 UNWIND_COMPLETE);
	assert_int_equal(nr, fixture->snapshot.frames_nr);
	/* But for one, that of the interrupted instruction, which stands as if it were behind a call. */
	for (size_t i = 1; i < nr; i++) {
		uintptr_t there = (uintptr_t)fixture->snapshot.frames[i];

		if (v[i] == there + 1)
			interrupted++;
		else
			assert_int_equal(v[i], there);
	}
	assert_int_equal(interrupted, 1);
}

static void unwinder_unwind__cut_bytes__end_early(void **state)
{
	struct fixture *fixture = *state;
	struct snapshot *snapshot = &fixture->snapshot;
	size_t before = 0, nr;
	const uint64_t *v;

	take_deep(fixture, 20);
	for (size_t bytes_nr = 0; bytes_nr < snapshot->bytes_nr; bytes_nr += 8) {
		if (unwind(fixture, bytes_nr, NULL, &v, &nr) == UNWIND_COMPLETE)
			break;
		assert_int_equal(unwind(fixture, bytes_nr, NULL, &v, &nr), UNWIND_NO_BYTES);
		assert_in_range(nr, before ? before : 1, snapshot->frames_nr);
		for (size_t i = 1; i < nr; i++)
			assert_int_equal(v[i], (uintptr_t)snapshot->frames[i]);
		before = nr;
	}
	assert_int_equal(nr, snapshot->frames_nr);
	assert_in_range(before, 21, snapshot->frames_nr);
}

static void unwinder_unwind__frame_larger_than_copies__says_so(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t *v;
	size_t nr;

	take_with_alloca(fixture, 66000);
	assert_int_equal(unwind(fixture, 65528, NULL, &v, &nr), UNWIND_BIG_FRAME);
	assert_int_equal(nr, 7); /* take(), five by take_deep(), and the one that is too large */
	take_with_alloca(fixture, 60000);
	assert_int_equal(unwind(fixture, 60000, NULL, &v, &nr), UNWIND_NO_BYTES);
	assert_int_equal(nr, 7);
}

/* As many bytes as make `frames` frames. */
static size_t bytes_of(struct fixture *fixture, size_t frames)
{
	size_t bytes_nr = 0, nr;
	const uint64_t *v;

	do {
		bytes_nr += 8;
		unwind(fixture, bytes_nr, NULL, &v, &nr);
	} while (nr < frames && bytes_nr < fixture->snapshot.bytes_nr);
	assert_int_equal(nr, frames);
	return bytes_nr;
}

static void unwinder_unwind__cut_bytes_and_chain__are_joined(void **state)
{
	static const struct {
		uint32_t skipped; /* of the frames in the middle the chain has every second alone */
		uint32_t chain_nr;
		uint32_t kernel_nr, limit; /* 0: the usual one */
		bool joins, complete;
	} cases[] = {
		{ 0, 0, 0, 0, true, true },
		{ 1, 0, 0, 0, true, true },
		{ 0, 126, 0, 0, true, true },
		{ 0, 127, 0, 0, true, false }, /* where the kernel cuts */
		{ 0, 124, 3, 0, true, false }, /* which counts its own frames too */
		{ 0, 127, 0, 192, true, true },
		{ 0, 1, 0, 0, false, false }, /* the leaf alone */
	};
	struct fixture *fixture = *state;
	struct snapshot *snapshot = &fixture->snapshot;
	size_t bytes_nr, nr;
	const uint64_t *v;

	take_deep(fixture, 150);
	bytes_nr = bytes_of(fixture, 60);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t depth = cases[i].chain_nr, chain_nr = 0;
		struct trace_stack stack = { .user = NULL };
		uint64_t chain[FRAMES_MAX];

		if (!depth)
			depth = 100;
		for (uint32_t j = 0; j < depth; j += 1 + (j < 50 && cases[i].skipped))
			chain[chain_nr++] = (uintptr_t)snapshot->frames[j];
		stack.user = chain;
		stack.user_nr = chain_nr;
		stack.kernel_nr = cases[i].kernel_nr;
		fixture->machine.max_stack = cases[i].limit ? cases[i].limit : MACHINE_MAX_STACK;
		assert_int_equal(unwind(fixture, bytes_nr, &stack, &v, &nr),
				 cases[i].complete ? UNWIND_COMPLETE : UNWIND_NO_BYTES);
		assert_int_equal(nr, cases[i].joins ? depth : 60);
		for (size_t j = 1; j < nr; j++)
			assert_int_equal(v[j], (uintptr_t)snapshot->frames[j]);
	}
}

/* All cuts of a stack that was seen completely, from the same place, and from a deeper one of the same caller. */
static void unwinder_unwind__cut_bytes_of_a_known_thread__are_joined(void **state)
{
	struct trace_thread thread = { .index = 7, .alive = true };
	struct fixture *fixture = *state;
	size_t bytes_nr, nr;
	const uint64_t *v;

	fixture->thread = &thread;
	take_with_alloca(fixture, 66000);
	bytes_nr = bytes_of(fixture, 7);
	assert_int_equal(unwind(fixture, bytes_nr, NULL, &v, &nr), UNWIND_BIG_FRAME);
	expect_whole(fixture);
	for (; bytes_nr; bytes_nr -= 8) {
		assert_int_equal(unwind(fixture, bytes_nr, NULL, &v, &nr), UNWIND_JOINED);
		assert_int_equal(nr, fixture->snapshot.frames_nr);
		for (size_t i = 1; i < nr; i++)
			assert_int_equal(v[i], (uintptr_t)fixture->snapshot.frames[i]);
	}
	thread.index++;
	assert_int_equal(unwind(fixture, 200, NULL, &v, &nr), UNWIND_NO_BYTES);
	thread.index--;
	unwinder_forget(fixture->unwinder, &thread);
	assert_int_equal(unwind(fixture, 200, NULL, &v, &nr), UNWIND_NO_BYTES);
	expect_whole(fixture);
	thread.alive = false;
	assert_int_equal(unwind(fixture, 200, NULL, &v, &nr), UNWIND_NO_BYTES);
}

static void unwinder_unwind__call_chain_of_the_thread__joins(void **state)
{
	struct trace_thread thread = { .index = 7, .alive = true };
	struct fixture *fixture = *state;
	struct snapshot *snapshot = &fixture->snapshot;
	uint64_t chain[FRAMES_MAX];
	size_t bytes_nr, nr, known;
	const uint64_t *v;

	take_aligned(fixture, 66000);
	bytes_nr = bytes_of(fixture, 7);
	fixture->thread = &thread;
	take(fixture);
	expect_whole(fixture);
	known = (size_t)snapshot->frames_nr;
	take_aligned(fixture, 66000);
	for (size_t i = 0; i < (size_t)snapshot->frames_nr; i++)
		chain[i] = (uintptr_t)snapshot->frames[i];
	/* As far as the chain shares a call with what is known: this function is in both, at another call. */
	unwinder_see_chain(fixture->unwinder, &thread, chain, (size_t)snapshot->frames_nr);
	assert_int_equal(unwind(fixture, bytes_nr, NULL, &v, &nr), UNWIND_JOINED);
	assert_int_equal(nr, snapshot->frames_nr);
	assert_in_range(known, 3, nr - 7);
	for (size_t i = 1; i < nr; i++)
		assert_int_equal(v[i], (uintptr_t)snapshot->frames[i]);
}

static void unwinder_unwind__chain_of_other_frames__is_not_joined(void **state)
{
	struct fixture *fixture = *state;
	uint64_t chain[] = { 0, 0x1000, 0x2000 };
	struct trace_stack stack = { .user = chain, .user_nr = ARRAY_SIZE(chain) };
	size_t bytes_nr, nr;
	const uint64_t *v;

	take_deep(fixture, 20);
	bytes_nr = bytes_of(fixture, 10);
	unwind(fixture, bytes_nr, NULL, &v, &nr);
	chain[0] = v[0];
	assert_int_equal(unwind(fixture, bytes_nr, &stack, &v, &nr), UNWIND_NO_BYTES);
	assert_int_equal(nr, 10);
}

static void unwinder_unwind__no_files__has_the_leaf(void **state)
{
	struct fixture *fixture = *state;
	struct unwind_loss loss;
	const uint64_t *v;
	size_t nr;

	take_deep(fixture, 2);
	fixture->no_files = true;
	fixture->snapshot.values[6] = 0; /* no frame pointer to follow: bp */
	fixture->snapshot.values[29] = 0;
	assert_int_equal(unwind(fixture, fixture->snapshot.bytes_nr, NULL, &v, &nr),
			 UNWIND_NO_FILE);
	assert_int_equal(nr, 1);
	loss = unwinder_loss(fixture->unwinder);
	assert_int_equal(loss.copies, 1);
	assert_non_null(strstr(fixture->machine.modules.v[loss.module].path, "test_unwinder"));
}

/* Code without rules that keeps the frame pointer, as a made-up stack. */
static void unwinder_unwind__no_rules__follows_frame_pointers(void **state)
{
	struct fixture *fixture = *state;
	uint64_t words[32] = { 0 }, base = 0x7000000000;
	uint64_t values[] = { base + 16, base, 0x10010 }; /* bp sp ip */
	struct trace_stack_copy copy = {
		.values = values,
		.mask = 1 << 6 | 1 << 7 | 1 << 8,
		.bytes = (unsigned char *)words,
		.bytes_nr = sizeof(words),
	};
	struct trace_stack stack = { .copy = &copy };
	const uint64_t *v;
	size_t nr;

	address_space_map(&fixture->process.space,
			  &(struct mapping){ 0x10000, 0x20000, 0, add_module(fixture, "//anon") });
	words[2] = base + 80;
	words[3] = 0x10123;
	words[10] = base + 40; /* back down */
	words[11] = 0x10456;
	assert_int_equal(unwinder_unwind(fixture->unwinder, &fixture->machine, &fixture->process,
					 NULL, &stack, &v, &nr),
			 UNWIND_NO_MODULE);
	assert_int_equal(nr, 3);
	assert_int_equal(v[1], 0x10123);
	assert_int_equal(v[2], 0x10456);
	words[11] = 0x20456; /* nothing is there */
	assert_int_equal(unwinder_unwind(fixture->unwinder, &fixture->machine, &fixture->process,
					 NULL, &stack, &v, &nr),
			 UNWIND_NO_MODULE);
	assert_int_equal(nr, 2);
}

#ifdef __x86_64__
/* Code of this program that has no rules. */
__asm__(".text\n.globl jump_without_rules\njump_without_rules: nop\nnop\n");
extern const char jump_without_rules[];

static void unwinder_unwind__leaf_without_rules__was_jumped_to(void **state)
{
	struct fixture *fixture = *state;
	struct snapshot *snapshot = &fixture->snapshot;
	uint64_t *values = snapshot->values;
	unsigned char *bytes;
	const uint64_t *v;
	size_t nr;

	/* As if take() had called it: its return address is where take() was, and one more on the stack. */
	take_deep(fixture, 4);
	bytes = xmalloc(snapshot->bytes_nr + 8);
	memcpy(bytes, &values[8], 8);
	memcpy(bytes + 8, snapshot->bytes, snapshot->bytes_nr);
	free(snapshot->bytes);
	snapshot->bytes = bytes;
	snapshot->bytes_nr += 8;
	values[7] -= 8;
	values[8] = (uintptr_t)jump_without_rules;
	assert_int_equal(unwind(fixture, snapshot->bytes_nr, NULL, &v, &nr), UNWIND_COMPLETE);
	assert_int_equal(nr, snapshot->frames_nr + 1);
	for (size_t i = 2; i < nr; i++)
		assert_int_equal(v[i], (uintptr_t)snapshot->frames[i - 1]);
}
#endif

static void unwinder_unwind__registers_missing__has_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint64_t values[33] = { 0 };
	struct trace_stack_copy copies[] = {
		{ .values = values, .mask = 0 },
		{ .values = values, .mask = 1 << 7 }, /* sp alone */
		{ .values = values, .mask = 1 << 8 }, /* ip alone */
		{ .values = values, .mask = 0xff0fff, .bits32 = true },
		{ .values = values, .mask = UINT64_C(1) << 31 }, /* arm64: sp alone */
	};
	const uint64_t *v;
	size_t nr;

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		struct trace_stack stack = { .copy = &copies[i] };

		assert_int_equal(unwinder_unwind(fixture->unwinder, &fixture->machine,
						 &fixture->process, NULL, &stack, &v, &nr),
				 UNWIND_NO_RULE);
		assert_int_equal(nr, 0);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static const struct mapping *pick_mapping(const struct address_space *space, uint64_t any)
{
	const struct mapping *at = address_space_seek(space, 0);

	for (uint64_t i = any % space->ranges.nr; i > 0; i--)
		at = address_space_seek(space, at->end);
	return at;
}

/* Any code, any registers, a stack full of addresses of code and of itself: it ends, and within bounds. */
static void unwinder_unwind__garbage__ends(void **state)
{
	struct fixture *fixture = *state;
	struct snapshot *snapshot = &fixture->snapshot;
	const struct address_space *space = &fixture->process.space;
	uint64_t seed = 20, words[256], ends[UNWIND_BIG_FRAME + 1] = { 0 };
	const uint64_t *v;
	size_t nr;

	take(fixture);
	for (int round = 0; round < 20000; round++) {
		const struct mapping *mapping = pick_mapping(space, next_random(&seed));
		uint64_t sp = UINT64_C(0x7ffc00000000) + next_random(&seed) % 4096 * 8;

		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			uint64_t any = next_random(&seed);

			words[i] = any % 3 == 0 ? any
				   : any % 3 == 1
					   ? mapping->start + any % (mapping->end - mapping->start)
					   : sp + any % sizeof(words);
		}
		memcpy(snapshot->bytes, words,
		       sizeof(words) < snapshot->bytes_nr ? sizeof(words) : snapshot->bytes_nr);
		for (size_t i = 0; i < ARRAY_SIZE(snapshot->values); i++)
			snapshot->values[i] = sp + next_random(&seed) % sizeof(words);
		snapshot->values[7] = sp;
		snapshot->values[8] =
			mapping->start + next_random(&seed) % (mapping->end - mapping->start);
		ends[unwind(fixture, next_random(&seed) % sizeof(words), NULL, &v, &nr)]++;
		assert_in_range(nr, 1, UNWIND_MAX);
	}
	assert_true(ends[UNWIND_NO_BYTES] && ends[UNWIND_BAD]);
}

#endif

int main(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(unwinder_unwind__nested_calls__are_those_of_backtrace),
		CASE(unwinder_unwind__stack_of_odd_size_and_place__is_whole),
		CASE(unwinder_unwind__called_back_by_a_library__is_whole),
		CASE(unwinder_unwind__thread__ends_at_its_start),
		CASE(unwinder_unwind__signal_handler__goes_on_where_it_came),
		CASE(unwinder_unwind__cut_bytes__end_early),
		CASE(unwinder_unwind__frame_larger_than_copies__says_so),
		CASE(unwinder_unwind__cut_bytes_and_chain__are_joined),
		CASE(unwinder_unwind__cut_bytes_of_a_known_thread__are_joined),
		CASE(unwinder_unwind__call_chain_of_the_thread__joins),
		CASE(unwinder_unwind__chain_of_other_frames__is_not_joined),
		CASE(unwinder_unwind__no_files__has_the_leaf),
		CASE(unwinder_unwind__no_rules__follows_frame_pointers),
#ifdef __x86_64__
		CASE(unwinder_unwind__leaf_without_rules__was_jumped_to),
#endif
		CASE(unwinder_unwind__registers_missing__has_nothing),
		CASE(unwinder_unwind__garbage__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	return 0;
#endif
}
