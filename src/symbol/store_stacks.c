#include <stdlib.h>
#include <string.h>

#include "symbol/store_content.h"
#include "util/array.h"

static int compare_copies(const void *a, const void *b)
{
	const struct store_copy *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void store_add_copy(struct symbol_store *store, struct store_copy copy)
{
	if (store->copies_nr && store->copies[store->copies_nr - 1].id >= copy.id)
		store->copies_sorted = false;
	ARRAY_GROW(store->copies, store->copies_nr + 1, store->copies_alloc);
	store->copies[store->copies_nr++] = copy;
}

void store_sort_copies(struct symbol_store *store)
{
	size_t kept = 0;

	if (store->copies_sorted)
		return;
	qsort(store->copies, store->copies_nr, sizeof(*store->copies), compare_copies);
	for (size_t i = 0; i < store->copies_nr; i++) {
		if (!kept || store->copies[i].id != store->copies[kept - 1].id)
			store->copies[kept++] = store->copies[i];
	}
	store->copies_nr = kept;
	store->copies_sorted = true;
}

void store_ids_release(struct store_ids *ids)
{
	free(ids->stacks);
	free(ids->modules);
	free(ids->path);
	*ids = (struct store_ids){ .machine = NULL };
}

/* Room for all stacks and modules there are; of another machine nothing is known yet. */
static void prepare_ids(struct store_ids *ids, const struct machine *machine, size_t stacks,
			size_t modules)
{
	if (ids->machine != machine) {
		store_ids_release(ids);
		ids->machine = machine;
	}
	ARRAY_GROW_ZERO(ids->stacks, stacks, ids->stacks_nr);
	ARRAY_GROW_ZERO(ids->modules, modules, ids->modules_nr);
}

/* The stack, in another table, of `parent` calling what a frame is there. */
typedef uint32_t push_fn(void *data, uint32_t parent, const struct stack_table *from,
			 uint32_t frame);

/* The same stack in another table: what is known of its callers, and the frames from there on. */
static uint32_t carry_stack(struct store_ids *ids, const struct stack_table *from, uint32_t stack,
			    push_fn *push, void *data)
{
	uint32_t at = stack, id;
	size_t nr = 0;

	while (at != STACK_EMPTY && !ids->stacks[at]) {
		ARRAY_GROW(ids->path, nr + 1, ids->path_alloc);
		ids->path[nr++] = at;
		at = from->nodes[at].parent;
	}
	id = at == STACK_EMPTY ? STACK_EMPTY : ids->stacks[at];
	while (nr--) {
		uint32_t node = ids->path[nr];

		id = push(data, id, from, from->nodes[node].frame);
		ids->stacks[node] = id;
	}
	return id;
}

struct carrier {
	struct symbol_store *store;
	struct machine *machine;
};

static uint32_t take_module(struct carrier *carrier, uint32_t number)
{
	uint32_t *known = &carrier->store->taken.modules[number];

	if (!*known) {
		const struct module *module = &carrier->machine->modules.v[number];

		*known = store_module_add(carrier->store, module->path, module->id,
					  module->id_length, module->kind == MODULE_KERNEL);
	}
	return *known;
}

static uint32_t take_frame(void *data, uint32_t parent, const struct stack_table *from,
			   uint32_t frame)
{
	struct carrier *carrier = data;
	struct stack_table *to = &carrier->store->stacks;
	const struct frame *place = &from->frames[frame];

	if (frame >= FRAME_FIRST)
		frame = stack_table_frame(to, take_module(carrier, place->module), place->offset);
	return stack_table_push(to, parent, frame);
}

static uint32_t give_module(struct carrier *carrier, uint32_t number)
{
	uint32_t *known = &carrier->store->given.modules[number];

	if (!*known) {
		const struct module_key *key = &carrier->store->keys.v[number - 1];
		struct trace_map map = {
			.path = key->path,
			.kernel = carrier->store->modules[number - 1].kernel,
			.code = true,
			.id_length = key->id_nr,
		};

		memcpy(map.id, key->id, key->id_nr);
		*known = module_table_intern(&carrier->machine->modules, &map);
	}
	return *known;
}

static uint32_t give_frame(void *data, uint32_t parent, const struct stack_table *from,
			   uint32_t frame)
{
	struct carrier *carrier = data;
	const struct frame *place = &from->frames[frame];

	if (frame >= FRAME_FIRST)
		frame = stack_table_frame(&carrier->machine->stacks,
					  give_module(carrier, place->module), place->offset);
	return stack_table_push(&carrier->machine->stacks, parent, frame);
}

void symbol_store_add_stack(struct symbol_store *store, const struct machine *machine, uint64_t id,
			    uint32_t stack, bool whole)
{
	struct carrier carrier = { store, (struct machine *)(uintptr_t)machine };
	uint32_t kept;

	prepare_ids(&store->taken, machine, machine->stacks.nodes_nr, machine->modules.nr);
	kept = carry_stack(&store->taken, &machine->stacks, stack, take_frame, &carrier);
	store_add_copy(store, (struct store_copy){ id, kept, whole });
}

uint32_t symbol_store_stack(struct symbol_store *store, struct machine *machine, uint64_t id,
			    bool *whole)
{
	struct carrier carrier = { store, machine };
	const struct store_copy key = { id, 0, false }, *copy;

	store_sort_copies(store);
	if (!store->copies_nr)
		return STACK_EMPTY;
	copy = bsearch(&key, store->copies, store->copies_nr, sizeof(key), compare_copies);
	if (!copy)
		return STACK_EMPTY;
	*whole = copy->whole;
	prepare_ids(&store->given, machine, store->stacks.nodes_nr, store->modules_nr + 1);
	return carry_stack(&store->given, &store->stacks, copy->stack, give_frame, &carrier);
}
