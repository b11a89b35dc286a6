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

/* The frames of addresses, by their hash: most return addresses repeat soon. */
#define KNOWN_BITS 15

struct known_frame {
	uint64_t space; /* see struct chain_part; 0: none is known */
	uint64_t address;
	uint32_t frame;
};

struct recent_chains {
	struct recent_chain v[STACK_SLOTS];
	struct known_frame frames[1 << KNOWN_BITS];
};

/* What the frames of a user part depend on. */
static uint64_t generation_of(const struct machine *machine, const struct address_space *space,
			      const struct trace_stack *stack)
{
	uint64_t generation = space ? space->generation : 0;

	if (stack->kernel_from)
		generation += machine->kernel.generation +
			      stack->kernel_from * UINT64_C(0xff51afd7ed558ccd);
	return generation;
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

/* Addresses, and all that their frames depend on. */
struct chain_part {
	const uint64_t *addresses; /* leaf first; all but the leaf's are return addresses */
	const struct address_space *space;
	uint64_t kernel_from; /* addresses from here on are of the kernel; 0: all are in `space` */
	uint64_t generation;  /* of the address spaces */
	enum { KERNEL_PART = 1, USER_PART = 3 } kind;
};

/* A frame of the kernel within a user part; if nothing is there, the program may be one that may use such addresses. */
static struct frame user_frame_at(const struct machine *machine, const struct chain_part *part,
				  size_t at, const struct mapping **mapping)
{
	const struct mapping *in_kernel = NULL;
	uint64_t address = part->addresses[at];
	struct frame frame;

	if (part->kernel_from && address >= part->kernel_from) {
		frame = frame_at(&machine->kernel, address, at > 0, &in_kernel);
		if (in_kernel)
			return frame;
	}
	return frame_at(part->space, address, at > 0, mapping);
}

/* Where the frame of an address of the part is kept. Returns whether it is that of this address. */
static bool find_known(struct machine *machine, const struct chain_part *part, size_t at,
		       struct known_frame *wanted, struct known_frame **known)
{
	uint64_t hash;

	wanted->space = part->generation + part->kind + (at > 0);
	wanted->address = part->addresses[at];
	hash = (wanted->space ^ wanted->address) * UINT64_C(0x9e3779b97f4a7c15);
	*known = &machine->recent->frames[hash >> (64 - KNOWN_BITS)];
	return (*known)->space == wanted->space && (*known)->address == wanted->address;
}

/* The frames of the `nr` addresses before `end`, the outermost one first. */
static void find_frames(struct machine *machine, const struct chain_part *part, size_t end,
			size_t nr, uint32_t *ids)
{
	const struct mapping *mapping = NULL;
	struct frame places[BATCH];
	uint32_t found[BATCH];
	size_t missing[BATCH], missing_nr = 0;
	struct known_frame wanted, *known;

	for (size_t i = 0, at = end - 1; i < nr; i++, at--) {
		if (find_known(machine, part, at, &wanted, &known)) {
			ids[i] = known->frame;
			continue;
		}
		places[missing_nr] = user_frame_at(machine, part, at, &mapping);
		missing[missing_nr++] = i;
	}
	stack_table_frames(&machine->stacks, places, missing_nr, found);
	for (size_t i = 0; i < missing_nr; i++) {
		ids[missing[i]] = wanted.frame = found[i];
		find_known(machine, part, end - 1 - missing[i], &wanted, &known);
		*known = wanted;
	}
}

/* Add the frames of the first `nr` addresses of the part, the outermost one first. */
static void add_frames(struct machine *machine, const struct chain_part *part, size_t nr,
		       struct stack_steps *steps)
{
	for (size_t left = nr, batch; left; left -= batch) {
		batch = left < BATCH ? left : BATCH;
		find_frames(machine, part, left, batch, stack_steps_room(steps, batch));
		steps->nr += batch;
	}
}

static void add_kernel(struct machine *machine, const struct trace_stack *stack,
		       struct stack_steps *steps)
{
	const struct chain_part part = { .addresses = stack->kernel,
					 .space = &machine->kernel,
					 .generation = machine->kernel.generation,
					 .kind = KERNEL_PART };

	add_frames(machine, &part, stack->kernel ? stack->kernel_nr : 0, steps);
}

static struct chain_part user_part(const struct machine *machine, const struct address_space *space,
				   const struct trace_stack *stack)
{
	return (struct chain_part){ .addresses = stack->user,
				    .space = space,
				    .kernel_from = stack->kernel_from,
				    .generation = generation_of(machine, space, stack),
				    .kind = USER_PART };
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
	const struct chain_part part = user_part(machine, space, stack);
	uint32_t common = 0, nr = stack->user_nr;
	struct recent_chain *recent;
	size_t first = steps->nr;

	head->slot = (uint32_t)((uint64_t)tid % STACK_SLOTS);
	recent = &machine->recent->v[head->slot];
	if (recent->tid == tid && recent->generation == part.generation &&
	    recent->truncated == truncated)
		common = count_common(recent, stack->user, nr);
	if (common)
		head->keep = truncated + common;
	else if (truncated)
		add_truncated(steps);
	add_frames(machine, &part, nr - common, steps);
	recent->tid = tid;
	recent->generation = part.generation;
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
	const struct chain_part part = user_part(machine, space, stack);
	uint64_t length = chain_length(stack);
	bool full = machine_may_be_truncated(machine, stack);
	bool lacks_callers =
		full || stack->origin == STACK_TRUNCATED || (stack->copy && !stack->user_nr);
	bool truncated = lacks_callers && ((stack->kernel && stack->kernel_nr) || stack->user_nr);
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
		add_frames(machine, &part, stack->user_nr, steps);
	}
	head.nr = (uint32_t)(steps->nr - first);
	add_kernel(machine, stack, steps);
	head.more = (uint32_t)(steps->nr - first) - head.nr;
	stack_steps_end(steps, begin, &head);
}

static void make_room(struct machine *machine)
{
	if (!machine->recent)
		machine->recent = xcalloc(1, sizeof(*machine->recent));
}

/* Add the frames of a stack of the table. */
static void add_stack(const struct stack_table *stacks, uint32_t stack, struct stack_steps *steps)
{
	uint32_t *frames;
	size_t nr = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = stacks->nodes[at].parent)
		nr++;
	frames = stack_steps_room(steps, nr);
	steps->nr += nr;
	for (; nr-- > 0; stack = stacks->nodes[stack].parent)
		frames[nr] = stacks->nodes[stack].frame;
}

/*
 * Find the frames of a stack copy: those of the stack `*outer` (STACK_EMPTY: none, always if `as_path`), and then the
 * machine's steps, of which `*user_nr` are of the user part. False: the copy gives no frames.
 */
static bool find_copy(struct machine *machine, struct trace_process *process,
		      const struct trace_stack *stack, bool as_path, uint32_t *outer,
		      size_t *user_nr)
{
	const struct trace_thread *thread = NULL;
	bool complete = false;

	if (!stack->copy || !machine->copies.find || !process)
		return false;
	if (stack->copy->tid > 0)
		thread = machine_find_thread(machine, process, stack->copy->tid);
	*outer = machine->copies.find(machine->copies.data, machine, process, thread, stack,
				      &complete);
	if (*outer == STACK_EMPTY)
		return false;
	machine->steps.nr = 0;
	if (!complete) {
		add_truncated(&machine->steps);
		machine->stacks_truncated++;
	}
	if (!complete || as_path) {
		add_stack(&machine->stacks, *outer, &machine->steps);
		*outer = STACK_EMPTY;
	}
	*user_nr = machine->steps.nr;
	make_room(machine);
	add_kernel(machine, stack, &machine->steps);
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
	make_room(machine);
	add_chain(machine, space_of(process, stack), tid, stack, steps);
}

bool machine_see_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack, uint32_t *id)
{
	size_t user_nr;

	if (find_copy(machine, process, stack, false, id, &user_nr)) {
		*id = stack_table_push_all(&machine->stacks, *id, machine->steps.v,
					   machine->steps.nr, NULL);
		return true;
	}
	machine->steps.nr = 0;
	machine_stack_steps(machine, process, tid, stack, &machine->steps);
	return false;
}

uint32_t machine_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack)
{
	size_t at = 0;
	uint32_t id;

	if (machine_see_stack(machine, process, tid, stack, &id))
		return id;
	return stack_maker_next(machine->maker, &machine->stacks, &machine->steps, &at);
}

struct stack_path machine_stack_path(struct machine *machine, struct trace_process *process,
				     int64_t tid, const struct trace_stack *stack)
{
	struct stack_path path;
	size_t at = 0;
	uint32_t none;

	if (find_copy(machine, process, stack, true, &none, &path.user_nr)) {
		path.frames = machine->steps.v;
		path.nr = machine->steps.nr;
		return path;
	}
	machine->steps.nr = 0;
	machine_stack_steps(machine, process, tid, stack, &machine->steps);
	return stack_maker_path(machine->maker, &machine->steps, &at);
}
