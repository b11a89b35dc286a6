#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#include "symbol/symbolizer.h"
#include "util/array.h"

#define PID 7

/* A copy of a piece of our own stack, as perf would have taken it. */
struct taken {
	uint64_t values[24];
	unsigned char bytes[16384];
	struct trace_stack_copy copy;
};

int stacks_leaf(struct taken *taken);
int stacks_middle(struct taken *taken);

#ifdef __x86_64__
/* perf's numbers of AX BX CX DX SI DI BP SP IP, and R8 to R15, as bits. */
static const int registers[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				 REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
				 REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
#define MASK (UINT64_C(0x1ff) | UINT64_C(0xff) << 16)

__attribute__((noinline, no_sanitize_address)) int stacks_leaf(struct taken *taken)
{
	ucontext_t context;
	const volatile unsigned char *sp;

	getcontext(&context);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		taken->values[i] = (uint64_t)context.uc_mcontext.gregs[registers[i]];
	sp = (const unsigned char *)(uintptr_t)context.uc_mcontext.gregs[REG_RSP];
	for (size_t i = 0; i < sizeof(taken->bytes); i++)
		taken->bytes[i] = sp[i];
	taken->copy = (struct trace_stack_copy){ .id = 0x500,
						 .values = taken->values,
						 .mask = MASK,
						 .bytes = taken->bytes,
						 .bytes_nr = sizeof(taken->bytes) };
	return 1;
}
#else
int stacks_leaf(struct taken *taken)
{
	(void)taken;
	return 0;
}
#endif

__attribute__((noinline)) int stacks_middle(struct taken *taken)
{
	int rc = stacks_leaf(taken);

	__asm__ volatile("" : "+r"(rc));
	return rc;
}

/* So that there are bytes enough above. */
static __attribute__((noinline)) int take_deep(struct taken *taken)
{
	volatile char room[20000];
	int rc;

	room[0] = 0;
	room[sizeof(room) - 1] = 0;
	rc = stacks_middle(taken);
	__asm__ volatile("" : "+r"(rc));
	return rc + room[0];
}

static void map_ourselves(struct machine *machine)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096], path[4096], perms[8];
	unsigned long start, end, offset;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct trace_event event = { .kind = TRACE_MAP, .pid = PID, .tid = PID };

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, perms, &offset,
			   path) != 5 ||
		    perms[2] != 'x')
			continue;
		event.map = (struct trace_map){ .address = start,
						.length = end - start,
						.offset = offset,
						.path = path,
						.code = true };
		machine_apply(machine, &event);
	}
	fclose(file);
}

/* The names of a stack's two innermost frames are ours. */
static void expect_ours(struct symbolizer *symbolizer, const struct machine *machine,
			uint32_t stack)
{
	static const char *const names[] = { "stacks_leaf", "stacks_middle" };
	struct symbol_source source = symbolizer_source(symbolizer);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct stack_node *node = &machine->stacks.nodes[stack];
		const struct frame *frame = &machine->stacks.frames[node->frame];
		struct symbol symbol;

		assert_int_not_equal(stack, STACK_EMPTY);
		assert_true(source.find(source.data, &machine->modules.v[frame->module],
					frame->offset, &symbol));
		assert_string_equal(symbol.name, names[i]);
		stack = node->parent;
	}
}

static void symbolizer_stacks__copy__is_unwound_and_kept(void **state)
{
	struct taken *taken = xcalloc(1, sizeof(*taken));
	struct trace_stack stack = { .copy = &taken->copy };
	struct symbolizer_options options = { .use_files = true };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct stack_source source = symbolizer_stacks(symbolizer);
	struct symbol_store *store = symbol_store_new();
	struct process_list rows = PROCESS_LIST_INIT;
	struct trace_process *process;
	struct machine machine;
	uint32_t id, again;
	bool whole = true;

	(void)state;
	machine_init(&machine, &rows);
	map_ourselves(&machine);
	if (take_deep(taken)) {
		process = machine_process(&machine, PID, 1);
		id = source.find(source.data, &machine, process, NULL, &stack, &whole);
		assert_false(whole);
		expect_ours(symbolizer, &machine, id);
		symbol_store_add_stack(store, &machine, taken->copy.id, id, whole);
	}
	symbolizer_free(symbolizer);

	options = (struct symbolizer_options){ .store = store };
	symbolizer = symbolizer_new(&options);
	source = symbolizer_stacks(symbolizer);
	again = source.find(source.data, &machine, NULL, NULL, &stack, &whole);
	if (taken->copy.bytes_nr)
		assert_int_equal(again, id);
	symbolizer_free(symbolizer);
	symbol_store_free(store);
	machine_release(&machine);
	process_list_release(&rows);
	free(taken);
}

static void symbolizer_stacks__no_files__gives_no_frames(void **state)
{
	struct trace_stack_copy copy = { .id = 1 };
	struct trace_stack with = { .copy = &copy }, without = { .copy = NULL };
	struct symbolizer_options options = { .use_files = false };
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct stack_source source = symbolizer_stacks(symbolizer);
	bool whole = true;

	(void)state;
	assert_int_equal(source.find(source.data, NULL, NULL, NULL, &with, &whole), STACK_EMPTY);
	assert_false(whole);
	assert_int_equal(source.find(source.data, NULL, NULL, NULL, &without, &whole), STACK_EMPTY);
	symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbolizer_stacks__copy__is_unwound_and_kept),
		cmocka_unit_test(symbolizer_stacks__no_files__gives_no_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
