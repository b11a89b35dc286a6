#include "convert/etl_export_state.h"
#include "util/array.h"

/* Above is the kernel's, for readers of ETL: bit 47 of what the processor takes as an address. */
#define KERNEL_FIRST UINT64_C(0x0000800000000000)

/* Where nothing is, on the side of a process or of the kernel. */
#define NOWHERE        UINT64_C(0)
#define NOWHERE_KERNEL UINT64_MAX

static void add(struct etl_export *export, size_t *nr, uint64_t address)
{
	ARRAY_GROW(export->addresses, *nr + 1, export->addresses_alloc);
	export->addresses[(*nr)++] = address;
}

/* Chains along frame pointers that are none have anything: it must not be taken for the other side's. */
static void add_kernel(struct etl_export *export, size_t *nr, const struct trace_stack *stack)
{
	for (uint32_t i = 0; stack->kernel && i < stack->kernel_nr; i++)
		add(export, nr,
		    stack->kernel[i] < KERNEL_FIRST ? NOWHERE_KERNEL : stack->kernel[i]);
}

static bool is_covered(const struct etl_export *export, const struct trace_process *process,
		       uint64_t address)
{
	return etl_export_reaches(export, &process->space, address) ||
	       etl_export_reaches(export, &process->before, address);
}

/* `id` is the stack of these. */
static void add_chain(struct etl_export *export, size_t *nr, const struct trace_process *process,
		      const struct trace_stack *stack, uint32_t id)
{
	const struct stack_node *nodes = export->machine->stacks.nodes;

	for (uint32_t i = 0; i < stack->user_nr; i++) {
		uint64_t address = stack->user[i];

		if (address >= KERNEL_FIRST ||
		    (id != STACK_EMPTY && nodes[id].frame == FRAME_UNKNOWN &&
		     is_covered(export, process, address)))
			address = NOWHERE;
		add(export, nr, address);
		if (id != STACK_EMPTY)
			id = nodes[id].parent;
	}
}

static bool is_place(const struct mapping *mapping, const struct frame *frame)
{
	return mapping && mapping->module == frame->module && frame->offset >= mapping->offset &&
	       frame->offset - mapping->offset < mapping->end - mapping->start;
}

static const struct mapping *search(const struct address_space *space, const struct frame *frame)
{
	const struct mapping *at;

	for (uint64_t address = 0; (at = address_space_seek(space, address)); address = at->end)
		if (is_place(at, frame))
			return at;
	return NULL;
}

/* A module is mostly where it was last. */
static uint64_t address_of(struct etl_export *export, const struct trace_process *process,
			   const struct frame *frame)
{
	const struct mapping *mapping;
	size_t had = export->places_nr;

	if (frame->module >= had) {
		ARRAY_GROW(export->places, export->machine->modules.nr, export->places_nr);
		for (size_t i = had; i < export->places_nr; i++)
			export->places[i] = 0;
	}
	mapping = address_space_find(&process->space, export->places[frame->module]);
	if (!is_place(mapping, frame))
		mapping = search(&process->space, frame);
	if (!mapping)
		mapping = search(&process->before, frame);
	if (!mapping)
		return NOWHERE;
	export->places[frame->module] = mapping->start;
	return mapping->start + (frame->offset - mapping->offset);
}

/* Of what a copy was unwound to: frames of callers have the offset of the byte before the return address. */
static void add_frames(struct etl_export *export, size_t *nr, const struct trace_process *process,
		       uint32_t stack)
{
	const struct stack_table *stacks = &export->machine->stacks;
	bool leaf = true;

	for (; stack != STACK_EMPTY; stack = stacks->nodes[stack].parent) {
		uint32_t id = stacks->nodes[stack].frame;
		uint64_t address;

		if (id == FRAME_TRUNCATED)
			break;
		address = id < FRAME_FIRST ? NOWHERE
					   : address_of(export, process, &stacks->frames[id]);
		add(export, nr, address && !leaf ? address + 1 : address);
		leaf = false;
	}
}

size_t etl_export_addresses(struct etl_export *export, struct trace_process *process, int64_t tid,
			    const struct trace_stack *stack)
{
	uint64_t truncated = export->machine->stacks_truncated;
	struct trace_stack user = *stack;
	size_t nr = 0;
	uint32_t id;

	user.kernel = NULL;
	id = process ? machine_stack(export->machine, process, tid, &user) : STACK_EMPTY;
	if (export->machine->stacks_truncated != truncated)
		export->counts.truncated++;
	add_kernel(export, &nr, stack);
	if (process && stack->copy && export->machine->copies.find)
		add_frames(export, &nr, process, id);
	else
		add_chain(export, &nr, process, stack, id);
	return nr;
}
