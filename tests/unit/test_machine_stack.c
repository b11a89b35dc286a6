#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine_fixture.h"
#include "util/array.h"

#define KERNEL_TEXT UINT64_C(0xffffffff81000000)

/* Process 10 has an executable and a library, and there is a kernel with a module. */
static int set_up(void **state)
{
	struct machine_fixture *f = machine_fixture_new();

	map_kernel(f, KERNEL_TEXT, 0x10000, KERNEL_TEXT, "[kernel.kallsyms]_text");
	map_kernel(f, UINT64_C(0xffffffffc0000000), 0x1000, 0, "[ext4]");
	fork_process(f, 1, 1, 10);
	exec_program(f, 1, 10, "rustc");
	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/rustc");
	map_file(f, 1, 10, 0x2000, 0x1000, "/lib/a.so");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	machine_fixture_free(*state);
	return 0;
}

static uint32_t stack_of(struct machine_fixture *f, int64_t pid, const struct trace_stack *stack)
{
	return machine_stack(&f->machine, process_at(f, 2, pid), pid, stack);
}

/* Leaf first, up to a 0. */
static const char *user_stack(struct machine_fixture *f, int64_t pid, const uint64_t *user)
{
	struct trace_stack stack = { .user = user };

	while (user[stack.user_nr])
		stack.user_nr++;
	return stack_text(f, stack_of(f, pid, &stack));
}

static void machine_stack__return_address__is_that_of_its_call(void **state)
{
	const uint64_t user[] = { 0x2000, 0x2000, 0x1010, 0 };
	struct machine_fixture *f = *state;

	/* The caller's return address is behind the end of rustc: its last instruction is the call. */
	assert_string_equal(user_stack(f, 10, user), "rustc+f;rustc+fff;a.so+0");
}

static void machine_see_stack__its_frames__and_no_stack(void **state)
{
	const uint64_t user[] = { 0x2000, 0x2000, 0x1010 };
	const struct trace_stack stack = { .user = user, .user_nr = 3 };
	struct machine_fixture *f = *state;
	const struct stack_table *stacks = &f->machine.stacks;
	size_t nodes = stacks->nodes_nr, frames = stacks->frames_nr;
	uint32_t id;

	assert_false(machine_see_stack(&f->machine, process_at(f, 2, 10), 10, &stack, &id));
	assert_int_equal(stacks->frames_nr, frames + 3);
	assert_int_equal(stacks->frames[frames].offset, 0xf);
	assert_int_equal(stacks->frames[frames + 1].offset, 0xfff);
	assert_int_equal(stacks->frames[frames + 2].offset, 0);
	assert_false(machine_see_stack(&f->machine, process_at(f, 2, 10), 10, &stack, &id));
	assert_int_equal(stacks->frames_nr, frames + 3);
	assert_int_equal(stacks->nodes_nr, nodes);
}

static void machine_frame__agrees_with_stacks(void **state)
{
	struct machine_fixture *f = *state;
	struct trace_process *process = process_at(f, 2, 10);
	const struct {
		uint64_t address;
		bool kernel, is_return;
		const char *expected;
	} cases[] = {
		{ 0x2000, false, false, "a.so+0" },
		{ 0x2000, false, true, "rustc+fff" },
		{ 0x9000, false, false, "[unknown]" },
		{ 0, false, true, "[unknown]" },
		{ 0, false, false, "[unknown]" },
		{ KERNEL_TEXT + 0x20, true, false, "[kernel.kallsyms]+20" },
		{ KERNEL_TEXT + 0x20, false, false, "[unknown]" },
		{ UINT64_C(0xffffffffc0000010), true, true, "[ext4]+f" },
	};

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			uint32_t frame = machine_frame(&f->machine, process, cases[i].address,
						       cases[i].kernel, cases[i].is_return);
			uint32_t stack = stack_table_push(&f->machine.stacks, STACK_EMPTY, frame);

			assert_string_equal(stack_text(f, stack), cases[i].expected);
		}
	assert_int_equal(machine_frame(&f->machine, NULL, 0x9000, false, false),
			 machine_frame(&f->machine, process, 0x9000, false, false));
}

static void machine_stack__kernel_part__is_on_the_processs(void **state)
{
	const uint64_t kernel[] = { KERNEL_TEXT + 0x300, KERNEL_TEXT + 0x200 };
	const uint64_t user[] = { 0x2004, 0x1005 };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { kernel, user, 2, 2, NULL, 0, STACK_CHAIN };

	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
			    "rustc+4;a.so+4;[kernel.kallsyms]+1ff;[kernel.kallsyms]+300");
	stack.user_nr = 0;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
			    "[kernel.kallsyms]+1ff;[kernel.kallsyms]+300");
	stack.user_nr = 2;
	stack.kernel = NULL;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "rustc+4;a.so+4");
	stack.user_nr = 0;
	assert_int_equal(stack_of(f, 10, &stack), STACK_EMPTY);
	assert_int_equal(machine_stack(&f->machine, NULL, -1, &stack), STACK_EMPTY);
}

/* The kernel calls back: user, kernel, user. In the kernel's part such addresses are never of the process. */
static void machine_stack__kernel_frames_within_the_user_part__are_the_kernels(void **state)
{
	const uint64_t kernel[] = { KERNEL_TEXT + 0x300 };
	const uint64_t user[] = { 0x2004, KERNEL_TEXT + 0x201, KERNEL_TEXT - 0x1000, 0x1005 };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { kernel, user, 1, 4, NULL, 0x800000000000, 0 };

	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
			    "rustc+4;[unknown];[kernel.kallsyms]+200;a.so+4;"
			    "[kernel.kallsyms]+300");
	stack.kernel = NULL;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
			    "rustc+4;[unknown];[kernel.kallsyms]+200;a.so+4");
	/* A driver that is loaded now is in what the thread's next stack shares. */
	map_kernel(f, KERNEL_TEXT - 0x2000, 0x2000, 0, "[win32k]");
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
			    "rustc+4;[win32k]+fff;[kernel.kallsyms]+200;a.so+4");
	/* A 32-bit program may use addresses above 2 GB. */
	map_file(f, 2, 10, 0x80001000, 0x1000, "high.dll");
	stack.user_nr = 3;
	stack.user = (const uint64_t[]){ 0x2004, 0x80001011, 0x1005 };
	stack.kernel_from = 0x80000000;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "rustc+4;high.dll+10;a.so+4");
}

/* What is remembered of the chain before changes nothing: under a tid that never comes again there is none. */
static void machine_stack__chain_of_a_thread__is_as_without_the_one_before(void **state)
{
	enum { CHAINS = 5000, DEPTH = 6 };
	struct machine_fixture *f = *state;
	uint64_t user[DEPTH], seed = 1;

	for (int i = 0; i < CHAINS; i++) {
		struct trace_stack stack = { .user = user };
		uint32_t id;

		/* Few places, so that much is as it was before. */
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
		stack.user_nr = seed >> 33 & 7;
		if (stack.user_nr > DEPTH)
			stack.user_nr = DEPTH;
		for (uint32_t k = 0; k < stack.user_nr; k++)
			if (seed >> (40 + k) & 1)
				user[k] = 0x1000 + (seed >> (46 + k) & 3);
			else if (!i)
				user[k] = 0x9000;
		id = machine_stack(&f->machine, process_at(f, 2, 10), 10, &stack);
		assert_int_equal(
			id, machine_stack(&f->machine, process_at(f, 2, 10), 1000 + i, &stack));
	}
}

/* What is remembered of addresses: a leaf is at its own, a return address is behind a call, and files are mapped anew. */
static void machine_stack__address_seen_before__is_in_what_is_mapped_now(void **state)
{
	struct machine_fixture *f = *state;
	const uint64_t user[] = { 0x2004, 0x2004, 0 };

	assert_string_equal(user_stack(f, 10, user), "a.so+3;a.so+4");
	assert_string_equal(user_stack(f, 10, user + 1), "a.so+4");
	map_file(f, 2, 10, 0x2000, 0x1000, "b.so");
	assert_string_equal(user_stack(f, 10, user), "b.so+3;b.so+4");
}

static void machine_stack__address_0_where_nothing_is_mapped__is_unknown(void **state)
{
	struct machine_fixture *f = *state;
	const uint64_t zero = 0;
	const struct trace_stack stack = { .user = &zero, .user_nr = 1 };

	assert_string_equal(stack_text(f, machine_stack(&f->machine, NULL, -1, &stack)),
			    "[unknown]");
}

static void machine_stack_path__is_the_stack_as_frames(void **state)
{
	const uint64_t kernel[] = { KERNEL_TEXT + 0x300, KERNEL_TEXT + 0x200 };
	const uint64_t user[] = { 0x2004, 0x1005 };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { kernel, user, 2, 2, NULL, 0, STACK_CHAIN };

	for (stack.user_nr = 0; stack.user_nr <= 2; stack.user_nr++) {
		struct stack_path path =
			machine_stack_path(&f->machine, process_at(f, 2, 10), 10, &stack);
		uint32_t id = stack_table_push_all(&f->machine.stacks, STACK_EMPTY, path.frames,
						   path.nr, NULL);

		assert_int_equal(path.user_nr, stack.user_nr);
		/* Another machine's way would do; no stack of this thread has been made. */
		assert_int_equal(id, machine_stack(&f->machine, process_at(f, 2, 10), 11, &stack));
	}
}

static void machine_stack__parts_of_other_lengths__are_other_stacks(void **state)
{
	const uint64_t words[] = { 0x1001, 0x1002, 0x1003, 0x1004 };
	struct machine_fixture *f = *state;
	const struct trace_stack stacks[] = {
		{ words, words + 1, 1, 3, NULL, 0, STACK_CHAIN },
		{ words, words + 2, 2, 2, NULL, 0, STACK_CHAIN },
		{ words, words, 0, 4, NULL, 0, STACK_CHAIN },
		{ words, words, 0, 3, NULL, 0, STACK_CHAIN },
		{ words, words, 4, 0, NULL, 0, STACK_CHAIN },
	};
	uint32_t ids[ARRAY_SIZE(stacks)];

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		ids[i] = stack_of(f, 10, &stacks[i]);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(ids[i], ids[k]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		assert_int_equal(stack_of(f, 10, &stacks[i]), ids[i]);
}

static void machine_stack__same_code_in_two_processes__is_one_stack(void **state)
{
	const uint64_t here[] = { 0x2010, 0x1010 }, there[] = { 0x7010, 0x6010 };
	struct machine_fixture *f = *state;
	struct trace_stack a = { NULL, here, 0, 2, NULL, 0, STACK_CHAIN },
			   b = { NULL, there, 0, 2, NULL, 0, STACK_CHAIN };

	map_file(f, 1, 20, 0x6000, 0x1000, "/bin/rustc");
	map_file(f, 1, 20, 0x7000, 0x1000, "/lib/a.so");
	assert_int_equal(stack_of(f, 10, &a), stack_of(f, 20, &b));
	assert_int_not_equal(stack_of(f, 20, &a), stack_of(f, 10, &a));
}

static void machine_stack__mapping_changed__is_not_the_old_frame(void **state)
{
	const uint64_t user[] = { 0x2010, 0x1010, 0 };
	struct machine_fixture *f = *state;

	assert_string_equal(user_stack(f, 10, user), "rustc+f;a.so+10");
	map_file(f, 2, 10, 0x2000, 0x100, "/lib/b.so");
	assert_string_equal(user_stack(f, 10, user), "rustc+f;b.so+10");
	unmap(f, 3, 10, 0x2000, 0x100);
	assert_string_equal(user_stack(f, 10, user), "rustc+f;[unknown]");
	map_file(f, 4, 10, 0x2000, 0x1000, "/lib/a.so");
	assert_string_equal(user_stack(f, 10, user), "rustc+f;a.so+10");
	fork_process(f, 5, 10, 11);
	assert_string_equal(user_stack(f, 11, user), "rustc+f;a.so+10");
	exec_program(f, 6, 10, "cc");
	map_file(f, 6, 10, 0x5000, 0x1000, "/bin/cc");
	assert_string_equal(user_stack(f, 10, (const uint64_t[]){ 0x5001, 0 }), "cc+1");
	assert_string_equal(user_stack(f, 10, user), "[unknown];[unknown]");
	assert_string_equal(user_stack(f, 11, user), "rustc+f;a.so+10");
}

/* Samples within the call itself, which come behind the event of the exec. */
static void machine_stack__exec_not_done__is_called_by_the_program_before(void **state)
{
	const uint64_t call[] = { 0x2010, 0x1010, 0 }, first[] = { 0x5001, 0 };
	struct machine_fixture *f = *state;

	exec_program(f, 2, 10, "sh");
	assert_string_equal(user_stack(f, 10, call), "rustc+f;a.so+10");
	/* Again, before anything of "sh" was mapped. */
	exec_program(f, 2, 10, "cc");
	map_file(f, 3, 10, 0x5000, 0x1000, "/bin/cc");
	assert_string_equal(user_stack(f, 10, call), "rustc+f;a.so+10");
	fork_process(f, 3, 10, 11);
	assert_string_equal(user_stack(f, 10, first), "cc+1");
	assert_string_equal(user_stack(f, 10, call), "[unknown];[unknown]");
	assert_string_equal(user_stack(f, 11, call), "[unknown];[unknown]");
	exec_program(f, 4, 10, "as");
	assert_string_equal(user_stack(f, 10, first), "cc+1");
	assert_string_equal(user_stack(f, 10, call), "[unknown];[unknown]");
}

static void machine_stack__kernel_changed__is_not_the_old_frame(void **state)
{
	const uint64_t kernel[] = { UINT64_C(0xffffffffc0000010) };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { kernel, NULL, 1, 0, NULL, 0, STACK_CHAIN };

	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "[ext4]+10");
	map_kernel(f, UINT64_C(0xffffffffc0000000), 0x1000, 0, "[btrfs]");
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "[btrfs]+10");
}

static void machine_stack__as_long_as_the_limit__is_truncated(void **state)
{
	const uint64_t kernel[] = { KERNEL_TEXT + 1 }, user[] = { 0x2010, 0x1010 };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { kernel, user, 1, 2, NULL, 0, STACK_CHAIN };

	assert_int_equal(f->machine.max_stack, 127);
	f->machine.max_stack = 3;
	for (int round = 0; round < 2; round++)
		assert_string_equal(stack_text(f, stack_of(f, 10, &stack)),
				    "[truncated];rustc+f;a.so+10;[kernel.kallsyms]+1");
	assert_int_equal(f->machine.stacks_truncated, 2);
	stack.kernel = NULL;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "[truncated];rustc+f;a.so+10");
	stack.kernel_nr = 0;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "rustc+f;a.so+10");
	f->machine.max_stack = 0;
	stack.kernel_nr = 1;
	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "rustc+f;a.so+10");
	assert_int_equal(f->machine.stacks_truncated, 3);
}

static void machine_stack__longer_than_the_limit__raises_the_limit(void **state)
{
	uint64_t user[200];
	struct machine_fixture *f = *state;
	struct trace_stack stack = { NULL, user, 0, 127, NULL, 0, STACK_CHAIN };

	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		user[i] = 0x1001;
	stack_of(f, 10, &stack);
	assert_int_equal(f->machine.stacks_truncated, 1);
	stack.user_nr = 192;
	stack_of(f, 10, &stack);
	assert_int_equal(f->machine.stacks_truncated, 2);
	assert_int_equal(f->machine.max_stack, 192);
	stack.user_nr = 127;
	stack_of(f, 10, &stack);
	stack.user_nr = 191;
	stack_of(f, 10, &stack);
	assert_int_equal(f->machine.stacks_truncated, 2);
}

/* A source of stacks that gives rustc+1;a.so+2, or what the test says. */
struct copies {
	bool none, whole;
	uint64_t id; /* of the last copy */
	const struct trace_thread *thread;
	struct strbuf *forgotten; /* tids */
};

static uint32_t find_copy(void *data, struct machine *machine, struct trace_process *process,
			  const struct trace_thread *thread, const struct trace_stack *stack,
			  bool *whole)
{
	struct copies *copies = data;
	uint32_t id = STACK_EMPTY;

	copies->id = stack->copy->id;
	copies->thread = thread;
	*whole = copies->whole;
	if (copies->none)
		return STACK_EMPTY;
	id = stack_table_push(&machine->stacks, id,
			      machine_frame(machine, process, 0x1002, false, true));
	return stack_table_push(&machine->stacks, id,
				machine_frame(machine, process, 0x2002, false, false));
}

static void machine_stack__copy__is_in_place_of_the_chain(void **state)
{
	static const struct {
		bool none, whole, kernel, user;
		const char *expected;
		uint64_t truncated;
	} cases[] = {
		{ false, true, true, true, "rustc+1;a.so+2;[kernel.kallsyms]+1", 0 },
		{ false, true, false, false, "rustc+1;a.so+2", 0 },
		{ false, false, true, true, "[truncated];rustc+1;a.so+2;[kernel.kallsyms]+1", 1 },
		{ true, false, true, true, "a.so+10;[kernel.kallsyms]+1", 0 },
		{ true, false, true, false, "[truncated];[kernel.kallsyms]+1", 1 },
		{ true, false, false, false, "", 0 },
	};
	const uint64_t kernel[] = { KERNEL_TEXT + 1 }, user[] = { 0x2010 };
	const struct trace_stack_copy copy = { .id = 4711 };
	struct machine_fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct copies copies = { .none = cases[i].none, .whole = cases[i].whole };
		struct trace_stack stack = { kernel, user, cases[i].kernel, cases[i].user,
					     &copy,  0,    STACK_CHAIN };

		f->machine.copies = (struct stack_source){ &copies, find_copy, NULL };
		f->machine.stacks_truncated = 0;
		assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), cases[i].expected);
		assert_int_equal(copies.id, 4711);
		assert_int_equal(f->machine.stacks_truncated, cases[i].truncated);
	}
}

static void forget_thread(void *data, const struct trace_thread *thread)
{
	struct copies *copies = data;

	strbuf_addf(copies->forgotten, " %lld", (long long)thread->tid);
}

static void machine_stack__copy__is_of_its_thread(void **state)
{
	struct machine_fixture *f = *state;
	struct copies copies = { .whole = true };
	struct trace_stack_copy copy = { .id = 1, .tid = 11 };
	struct trace_stack stack = { .copy = &copy };
	const struct trace_thread *first;

	f->machine.copies = (struct stack_source){ &copies, find_copy, NULL };
	start_thread(f, 1, 10, 11);
	stack_of(f, 10, &stack);
	first = copies.thread;
	assert_int_equal(first->tid, 11);
	assert_int_equal(first->process->pid, 10);
	end_thread(f, 1, 10, 11);
	start_thread(f, 1, 10, 11);
	stack_of(f, 10, &stack);
	assert_int_equal(copies.thread->tid, 11);
	assert_int_not_equal(copies.thread->index, first->index);
	copy.tid = 0;
	stack_of(f, 10, &stack);
	assert_null(copies.thread);
}

static void machine_stack__threads_that_end__are_forgotten(void **state)
{
	struct machine_fixture *f = *state;
	struct strbuf forgotten = STRBUF_INIT;
	struct copies copies = { .forgotten = &forgotten };

	f->machine.copies = (struct stack_source){ &copies, find_copy, forget_thread };
	fork_process(f, 1, 10, 20);
	start_thread(f, 1, 20, 21);
	start_thread(f, 1, 20, 22);
	end_thread(f, 2, 20, 21);
	end_thread(f, 2, 20, 21);
	assert_string_equal(forgotten.buf, " 21");
	exec_program(f, 3, 20, "cc");
	assert_string_equal(forgotten.buf, " 21 20 22");
	strbuf_clear(&forgotten);
	/* Their ends were lost: of a thread, whose tid a thread of another process has, and of a process. */
	start_thread(f, 4, 20, 23);
	fork_process(f, 5, 10, 30);
	start_thread(f, 5, 30, 23);
	assert_string_equal(forgotten.buf, " 23");
	fork_process(f, 5000, 10, 30);
	assert_string_equal(forgotten.buf, " 23 23 30");
	end_thread(f, 5001, 20, 20);
	assert_string_equal(forgotten.buf, " 23 23 30 20");
	strbuf_release(&forgotten);
}

static void machine_stack__copy_that_nobody_reads__is_the_chain(void **state)
{
	const uint64_t user[] = { 0x2010 };
	const struct trace_stack_copy copy = { .id = 1 };
	struct machine_fixture *f = *state;
	struct trace_stack stack = { NULL, user, 0, 1, &copy, 0, STACK_CHAIN };

	assert_string_equal(stack_text(f, stack_of(f, 10, &stack)), "a.so+10");
}

/* More chains than any cache holds, twice: what is found again has to be the same. */
static void machine_stack__many_chains__come_again(void **state)
{
	enum { NR = 200000 };
	struct machine_fixture *f = *state;
	uint32_t *ids = xcalloc(NR, sizeof(*ids));
	size_t nodes = 0;

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < NR; i++) {
			const uint64_t user[] = { 0x2000 + i % 0xfff, 0x1001 + i / 0xfff % 0xfff };
			struct trace_stack stack = { NULL, user, 0, 2, NULL, 0, STACK_CHAIN };
			uint32_t id = stack_of(f, 10, &stack);
			const struct stack_node *node = &f->machine.stacks.nodes[id];

			assert_int_equal(f->machine.stacks.frames[node->frame].offset, i % 0xfff);
			assert_true(!round || ids[i] == id);
			ids[i] = id;
		}
		assert_true(!round || nodes == f->machine.stacks.nodes_nr);
		nodes = f->machine.stacks.nodes_nr;
	}
	free(ids);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(machine_stack__return_address__is_that_of_its_call),
		TEST(machine_see_stack__its_frames__and_no_stack),
		TEST(machine_frame__agrees_with_stacks),
		TEST(machine_stack__kernel_part__is_on_the_processs),
		TEST(machine_stack__kernel_frames_within_the_user_part__are_the_kernels),
		TEST(machine_stack__chain_of_a_thread__is_as_without_the_one_before),
		TEST(machine_stack__address_seen_before__is_in_what_is_mapped_now),
		TEST(machine_stack__address_0_where_nothing_is_mapped__is_unknown),
		TEST(machine_stack_path__is_the_stack_as_frames),
		TEST(machine_stack__parts_of_other_lengths__are_other_stacks),
		TEST(machine_stack__same_code_in_two_processes__is_one_stack),
		TEST(machine_stack__mapping_changed__is_not_the_old_frame),
		TEST(machine_stack__exec_not_done__is_called_by_the_program_before),
		TEST(machine_stack__kernel_changed__is_not_the_old_frame),
		TEST(machine_stack__as_long_as_the_limit__is_truncated),
		TEST(machine_stack__longer_than_the_limit__raises_the_limit),
		TEST(machine_stack__copy__is_in_place_of_the_chain),
		TEST(machine_stack__copy__is_of_its_thread),
		TEST(machine_stack__threads_that_end__are_forgotten),
		TEST(machine_stack__copy_that_nobody_reads__is_the_chain),
		TEST(machine_stack__many_chains__come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
