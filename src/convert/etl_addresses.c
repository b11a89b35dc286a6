#include "convert/etl_addresses.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/array.h"

/* Readers of ETL take this address and all above it for kernel addresses. */
#define KERNEL_FIRST UINT64_C(0x0000800000000000)

/* Stand for addresses that must not be resolved: user and kernel. */
#define ADDRESS_NONE        UINT64_C(0)
#define ADDRESS_NONE_KERNEL UINT64_MAX

/* The mappings in a range, ascending; returns their number. -1: too many, or of another module. */
static int find_segments(const struct address_space *space, uint64_t from, uint64_t to,
			 uint32_t module, const struct mapping *segments[ETL_SEGMENTS_MAX])
{
	const struct mapping *at;
	int nr = 0;

	for (; from < to && (at = address_space_seek(space, from)) && at->start < to;
	     from = at->end) {
		if (at->module != module || nr == ETL_SEGMENTS_MAX)
			return -1;
		segments[nr++] = at;
	}
	return nr;
}

uint64_t etl_image_base(const struct machine *machine, const struct address_space *space,
			const struct mapping *mapping)
{
	const struct module *module = &machine->modules.v[mapping->module];
	uint64_t base = mapping->start - mapping->offset;
	const struct mapping *below[ETL_SEGMENTS_MAX];

	if (module->kind == MODULE_ANON || mapping->offset > mapping->start ||
	    find_segments(space, base, mapping->start, mapping->module, below) < 0)
		return mapping->start;
	return base;
}

/* Does an image contain the address? An image starts at its base, which may be below its mappings. */
static bool is_in_image(const struct machine *machine, const struct address_space *space,
			uint64_t address)
{
	const struct mapping *at = address_space_seek(space, address), *before = at;

	for (int i = 0; at && i < ETL_SEGMENTS_MAX && at->module == before->module; i++) {
		if (etl_image_base(machine, space, at) <= address)
			return true;
		before = at;
		at = address_space_seek(space, at->end);
	}
	return false;
}

int etl_image_segments(const struct machine *machine, const struct address_space *space,
		       const struct mapping *mapping,
		       const struct mapping *segments[ETL_SEGMENTS_MAX])
{
	return find_segments(space, etl_image_base(machine, space, mapping), mapping->start,
			     mapping->module, segments);
}

static void add(struct etl_addresses *addresses, uint64_t address)
{
	ARRAY_GROW(addresses->v, addresses->nr + 1, addresses->alloc);
	addresses->v[addresses->nr++] = address;
}

/* Add the user call chain. `id` is the same stack in the stack table. */
static void add_chain(struct etl_addresses *addresses, const struct trace_process *process,
		      const struct trace_stack *stack, uint32_t id)
{
	const struct machine *machine = addresses->machine;
	const struct stack_node *nodes = machine->stacks.nodes;

	for (uint32_t i = 0; i < stack->user_nr; i++) {
		uint64_t address = stack->user[i];

		if (address >= KERNEL_FIRST ||
		    (id != STACK_EMPTY && nodes[id].frame == FRAME_UNKNOWN &&
		     (is_in_image(machine, &process->space, address) ||
		      is_in_image(machine, &process->before, address))))
			address = ADDRESS_NONE;
		add(addresses, address);
		if (id != STACK_EMPTY)
			id = nodes[id].parent;
	}
}

static bool contains_frame(const struct mapping *mapping, const struct frame *frame)
{
	return mapping && mapping->module == frame->module && frame->offset >= mapping->offset &&
	       frame->offset - mapping->offset < mapping->end - mapping->start;
}

static const struct mapping *search(const struct address_space *space, const struct frame *frame)
{
	const struct mapping *at;

	for (uint64_t address = 0; (at = address_space_seek(space, address)); address = at->end)
		if (contains_frame(at, frame))
			return at;
	return NULL;
}

/* The address of a frame. Usually its module is mapped where it was found last, so that is tried first. */
static uint64_t address_of(struct etl_addresses *addresses, const struct trace_process *process,
			   const struct frame *frame)
{
	const struct mapping *mapping;
	size_t had = addresses->starts_nr;

	if (frame->module >= had) {
		ARRAY_GROW(addresses->starts, addresses->machine->modules.nr, addresses->starts_nr);
		for (size_t i = had; i < addresses->starts_nr; i++)
			addresses->starts[i] = 0;
	}
	mapping = address_space_find(&process->space, addresses->starts[frame->module]);
	if (!contains_frame(mapping, frame))
		mapping = search(&process->space, frame);
	if (!mapping)
		mapping = search(&process->before, frame);
	if (!mapping)
		return ADDRESS_NONE;
	addresses->starts[frame->module] = mapping->start;
	return mapping->start + (frame->offset - mapping->offset);
}

/* Add the frames unwound from a stack copy. The offset of a caller's frame is one less than its return address. */
static void add_frames(struct etl_addresses *addresses, const struct trace_process *process,
		       uint32_t stack)
{
	const struct stack_table *stacks = &addresses->machine->stacks;
	bool leaf = true;

	for (; stack != STACK_EMPTY; stack = stacks->nodes[stack].parent) {
		uint32_t id = stacks->nodes[stack].frame;
		uint64_t address;

		if (id == FRAME_TRUNCATED)
			break;
		address = id < FRAME_FIRST ? ADDRESS_NONE
					   : address_of(addresses, process, &stacks->frames[id]);
		add(addresses, address && !leaf ? address + 1 : address);
		leaf = false;
	}
}

void etl_addresses_set(struct etl_addresses *addresses, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack)
{
	struct machine *machine = addresses->machine;
	uint64_t truncated = machine->stacks_truncated;
	struct trace_stack user = *stack;
	uint32_t id;

	addresses->nr = 0;
	user.kernel = NULL;
	id = process ? machine_stack(machine, process, tid, &user) : STACK_EMPTY;
	addresses->truncated += machine->stacks_truncated != truncated;
	/* A call chain along invalid frame pointers has arbitrary values: a user address in it must not be resolved. */
	for (uint32_t i = 0; stack->kernel && i < stack->kernel_nr; i++)
		add(addresses,
		    stack->kernel[i] < KERNEL_FIRST ? ADDRESS_NONE_KERNEL : stack->kernel[i]);
	if (process && stack->copy && machine->copies.find)
		add_frames(addresses, process, id);
	else
		add_chain(addresses, process, stack, id);
}

void etl_addresses_release(struct etl_addresses *addresses)
{
	free(addresses->v);
	free(addresses->starts);
}
