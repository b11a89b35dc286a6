#include <stdlib.h>
#include <string.h>

#include "model/machine.h"
#include "util/alloc.h"

/* Frames that are computed before they are looked up in the table. */
#define BATCH 64

/* Longer chains are not kept. */
#define RECENT_PLACES 256

/* The last chain of a thread. */
struct recent_chain {
	int64_t tid;
	uint64_t generation;
	uint64_t addresses[RECENT_PLACES]; /* the leaf first */
	uint32_t nr;
	bool truncated; /* its root is [truncated] */
};

struct recent_chains {
	struct recent_chain v[STACK_SLOTS];
};

/* What the frames of a user part depend on. */
static uint64_t generation_of(const struct machine *machine, const struct address_space *space,
			      const struct trace_stack *stack)
{
	return (space ? space->generation : 0) +
	       (stack->kernel_from ? machine->kernel.generation : 0);
}

/* `*mapping` caches the mapping of the previous address, mostly the same. `space` NULL: nothing is mapped. */
static struct frame frame_at(const struct address_space *space, uint64_t address, bool is_return,
			     const struct mapping **mapping)
{
	/* 0 is not a return address. */
	if (is_return && address)
		address--;
	if (!*mapping || address < (*mapping)->start || address >= (*mapping)->end)
		*mapping = space ? address_space_find(space, address) : NULL;
	if (!*mapping)
		return (struct frame){ .module = MODULE_ID_UNKNOWN };
	return (struct frame){ .module = (*mapping)->module,
			       .offset = (*mapping)->offset + (address - (*mapping)->start) };
}

uint32_t machine_frame(struct machine *machine, struct trace_process *process, uint64_t address,
		       bool kernel, bool is_return)
{
	const struct address_space *space = kernel    ? &machine->kernel
					    : process ? &process->space
						      : NULL;
	const struct mapping *mapping = NULL;
	struct frame frame = frame_at(space, address, is_return, &mapping);

	return stack_table_frame(&machine->stacks, frame.module, frame.offset);
}

/* A frame of the kernel within a user part; if nothing is there, the program may be one that may use such addresses. */
static struct frame user_frame_at(const struct machine *machine, const struct address_space *space,
				  uint64_t kernel_from, uint64_t address, bool is_return,
				  const struct mapping **mapping)
{
	const struct mapping *in_kernel = NULL;
	struct frame frame;

	if (kernel_from && address >= kernel_from) {
		frame = frame_at(&machine->kernel, address, is_return, &in_kernel);
		if (in_kernel)
			return frame;
	}
	return frame_at(space, address, is_return, mapping);
}

/*
 * `addresses` are leaf first; all but the leaf's are return addresses. Those from `kernel_from` on are of the kernel; 0:
 * all are in `space`.
 */
static void add_frames(struct machine *machine, const struct address_space *space,
		       uint64_t kernel_from, const uint64_t *addresses, uint32_t nr,
		       struct stack_steps *steps)
{
	const struct mapping *mapping = NULL;
	struct frame places[BATCH];
	size_t filled = 0;

	for (uint32_t i = nr; i-- > 0;) {
		places[filled++] =
			user_frame_at(machine, space, kernel_from, addresses[i], i > 0, &mapping);
		if (filled < BATCH && i)
			continue;
		stack_table_frames(&machine->stacks, places, filled,
				   stack_steps_room(steps, filled));
		steps->nr += filled;
		filled = 0;
	}
}

/*
 * The number of frames, from the root, that the chain shares with the previous one. A leaf's address is not a return
 * address: the leaf is shared only if both chains are equal.
 */
static uint32_t count_common(const struct recent_chain *recent, const uint64_t *addresses,
			     uint32_t nr)
{
	const uint64_t *a = recent->addresses + recent->nr, *b = addresses + nr;
	uint32_t most = recent->nr < nr ? recent->nr : nr, common = 0;

	while (common + 1 < most && a[-1 - (ptrdiff_t)common] == b[-1 - (ptrdiff_t)common])
		common++;
	if (common + 1 == nr && recent->nr == nr && recent->addresses[0] == addresses[0])
		common++;
	return common;
}

static void add_truncated(struct stack_steps *steps)
{
	*stack_steps_room(steps, 1) = FRAME_TRUNCATED;
	steps->nr++;
}

/* Callers change less often than callees: only the frames that differ from the previous chain are looked up. */
static void add_user(struct machine *machine, const struct address_space *space, int64_t tid,
		     bool truncated, const struct trace_stack *stack, struct stack_head *head,
		     struct stack_steps *steps)
{
	uint64_t generation = generation_of(machine, space, stack);
	uint32_t common = 0, nr = stack->user_nr;
	struct recent_chain *recent;
	size_t first = steps->nr;

	if (!machine->recent)
		machine->recent = xcalloc(1, sizeof(*machine->recent));
	head->slot = (uint32_t)((uint64_t)tid % STACK_SLOTS);
	recent = &machine->recent->v[head->slot];
	if (recent->tid == tid && recent->generation == generation &&
	    recent->truncated == truncated)
		common = count_common(recent, stack->user, nr);
	if (common)
		head->keep = truncated + common;
	else if (truncated)
		add_truncated(steps);
	add_frames(machine, space, stack->kernel_from, stack->user, nr - common, steps);
	recent->tid = tid;
	recent->generation = generation;
	recent->truncated = truncated;
	recent->nr = head->keep + (steps->nr - first) <= STACK_SLOT_FRAMES ? nr : 0;
	memcpy(recent->addresses, stack->user, nr * sizeof(*stack->user));
}

/* The limit is on both parts together: get_perf_callchain() in Linux's kernel/events/callchain.c. */
static uint64_t chain_length(const struct trace_stack *stack)
{
	return (uint64_t)stack->kernel_nr + stack->user_nr;
}

bool machine_may_be_truncated(const struct machine *machine, const struct trace_stack *stack)
{
	return machine->max_stack && stack->origin == STACK_CHAIN &&
	       chain_length(stack) >= machine->max_stack;
}

static void add_chain(struct machine *machine, const struct address_space *space, int64_t tid,
		      const struct trace_stack *stack, struct stack_steps *steps)
{
	uint32_t kernel_nr = stack->kernel ? stack->kernel_nr : 0;
	uint64_t length = chain_length(stack);
	bool full = machine_may_be_truncated(machine, stack);
	bool lacks_callers =
		full || stack->origin == STACK_TRUNCATED || (stack->copy && !stack->user_nr);
	bool truncated = lacks_callers && (kernel_nr || stack->user_nr);
	struct stack_head head = { .slot = STACK_NO_SLOT };
	size_t begin = stack_steps_begin(steps), first = steps->nr;

	/* A chain longer than `max_stack` shows that the limit was higher. */
	if (full)
		machine->max_stack = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
	machine->stacks_truncated += truncated;
	if (stack->user_nr && stack->user_nr <= RECENT_PLACES) {
		add_user(machine, space, tid, truncated, stack, &head, steps);
	} else {
		if (truncated)
			add_truncated(steps);
		add_frames(machine, space, stack->kernel_from, stack->user, stack->user_nr, steps);
	}
	head.nr = (uint32_t)(steps->nr - first);
	add_frames(machine, &machine->kernel, 0, stack->kernel, kernel_nr, steps);
	head.more = (uint32_t)(steps->nr - first) - head.nr;
	stack_steps_end(steps, begin, &head);
}

/* The same stack with [truncated] as its root. */
static uint32_t put_on_truncated(struct machine *machine, uint32_t stack)
{
	struct stack_table *stacks = &machine->stacks;
	uint32_t id = stack_table_push(stacks, STACK_EMPTY, FRAME_TRUNCATED);
	uint32_t *frames;
	size_t nr = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = stacks->nodes[at].parent)
		nr++;
	frames = xcalloc(nr + 1, sizeof(*frames));
	nr = 0;
	for (uint32_t at = stack; at != STACK_EMPTY; at = stacks->nodes[at].parent)
		frames[nr++] = stacks->nodes[at].frame;
	while (nr-- > 0)
		id = stack_table_push(stacks, id, frames[nr]);
	free(frames);
	return id;
}

/* Get the stack of a stack copy. False: the copy gives no frames. */
static bool copy_stack(struct machine *machine, struct trace_process *process,
		       const struct trace_stack *stack, uint32_t *id, uint32_t *user)
{
	const struct trace_thread *thread = NULL;
	bool complete = false;

	if (stack->copy->tid > 0)
		thread = machine_find_thread(machine, process, stack->copy->tid);
	*id = machine->copies.find(machine->copies.data, machine, process, thread, stack,
				   &complete);
	if (*id == STACK_EMPTY)
		return false;
	if (!complete) {
		*id = put_on_truncated(machine, *id);
		machine->stacks_truncated++;
	}
	if (user)
		*user = *id;
	machine->steps.nr = 0;
	add_frames(machine, &machine->kernel, 0, stack->kernel,
		   stack->kernel ? stack->kernel_nr : 0, &machine->steps);
	*id = stack_table_push_all(&machine->stacks, *id, machine->steps.v, machine->steps.nr,
				   NULL);
	return true;
}

/*
 * The kernel clears the address space long before exec is complete. Until then, the user part of a stack is in the program
 * that called exec, so that its mappings are still needed. Stack copies are unwound without them.
 */
static const struct address_space *space_of(struct trace_process *process,
					    const struct trace_stack *stack)
{
	if (!process)
		return NULL;
	if (!process->before.ranges.nr || !stack->user_nr || stack->origin != STACK_CHAIN)
		return &process->space;
	if (address_space_find(&process->space, stack->user[0]))
		address_space_release(&process->before);
	else if (address_space_find(&process->before, stack->user[0]))
		return &process->before;
	return &process->space;
}

void machine_stack_steps(struct machine *machine, struct trace_process *process, int64_t tid,
			 const struct trace_stack *stack, struct stack_steps *steps)
{
	add_chain(machine, space_of(process, stack), tid, stack, steps);
}

static bool see_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		      const struct trace_stack *stack, uint32_t *id, uint32_t *user)
{
	if (stack->copy && machine->copies.find && process &&
	    copy_stack(machine, process, stack, id, user))
		return true;
	machine->steps.nr = 0;
	machine_stack_steps(machine, process, tid, stack, &machine->steps);
	return false;
}

bool machine_see_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack, uint32_t *id)
{
	return see_stack(machine, process, tid, stack, id, NULL);
}

uint32_t machine_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack, uint32_t *user)
{
	size_t at = 0;
	uint32_t id;

	if (see_stack(machine, process, tid, stack, &id, user))
		return id;
	return stack_maker_next(machine->maker, &machine->stacks, &machine->steps, &at, user);
}
