#include "symbol/symbol_store.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/store_content.h"
#include "util/array.h"
#include "util/compare.h"

static int compare_copies(const void *a, const void *b)
{
	const struct store_copy *x = a, *y = b;

	return compare_u64(x->id, y->id);
}

void store_add_copy(struct symbol_store *store, struct store_copy copy)
{
	if (store->copies_nr && store->copies[store->copies_nr - 1].id >= copy.id)
		store->copies_sorted = false;
	ARRAY_ADD(store->copies, store->copies_nr, store->copies_alloc, copy);
}

static void sort_copies(struct symbol_store *store)
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

static void release_ids(struct store_ids *ids)
{
	free(ids->stacks);
	free(ids->modules);
	free(ids->path);
	*ids = (struct store_ids){ .machine = NULL };
}

static void init(struct symbol_store *store)
{
	*store = (struct symbol_store){ .copies_sorted = true };
	stack_table_init(&store->stacks);
}

struct symbol_store *symbol_store_new(void)
{
	struct symbol_store *store = xmalloc(sizeof(*store));

	init(store);
	return store;
}

static void release_module(struct store_module *module)
{
	free(module->functions);
	free(module->places);
	intmap_release(&module->starts);
	symbol_table_release(&module->table);
}

static void release(struct symbol_store *store)
{
	for (size_t i = 0; i < store->modules_nr; i++)
		release_module(&store->modules[i]);
	free(store->modules);
	module_map_release(&store->keys);
	for (size_t i = 0; i < store->texts_nr; i++)
		free(store->texts[i]);
	free(store->texts);
	stack_table_release(&store->stacks);
	free(store->copies);
	release_ids(&store->taken);
	release_ids(&store->given);
	pool_release(&store->pool);
}

void symbol_store_free(struct symbol_store *store)
{
	if (store)
		release(store);
	free(store);
}

void symbol_store_empty(struct symbol_store *store)
{
	release(store);
	init(store);
}

uint32_t store_module_add(struct symbol_store *store, const char *path, const uint8_t *id,
			  size_t id_nr, bool kernel)
{
	uint32_t number = module_map_add(&store->keys, path, id, id_nr);
	struct store_module *module;

	if (number <= store->modules_nr)
		return number;
	ARRAY_GROW(store->modules, store->modules_nr + 1, store->modules_alloc);
	module = &store->modules[store->modules_nr++];
	memset(module, 0, sizeof(*module));
	module->kernel = kernel;
	symbol_table_init(&module->table);
	return number;
}

static struct store_module *add_module(struct symbol_store *store, const struct module *module)
{
	uint32_t number = store_module_add(store, module->path, module->id, module->id_length,
					   module->kind == MODULE_KERNEL);

	return &store->modules[number - 1];
}

static const struct store_module *find_module(const struct symbol_store *store,
					      const struct module *module)
{
	uint32_t number =
		module_map_find(&store->keys, module->path, module->id, module->id_length);

	return number ? &store->modules[number - 1] : NULL;
}

void store_add_function(struct store_module *module, struct store_function function)
{
	ARRAY_ADD(module->functions, module->functions_nr, module->functions_alloc, function);
	module->dirty = true;
}

void store_add_place(struct store_module *module, struct store_place place)
{
	ARRAY_ADD(module->places, module->places_nr, module->places_alloc, place);
	module->dirty = true;
}

void symbol_store_add(struct symbol_store *store, const struct module *module,
		      const struct symbol *symbol)
{
	struct store_module *to = add_module(store, module);
	const char **names;

	if (symbol->end <= symbol->start || intmap_get(&to->starts, (int64_t)symbol->start))
		return;
	names = pool_alloc(&store->pool, (symbol->also_nr + 1) * sizeof(*names));
	names[0] = pool_string(&store->pool, symbol->name);
	for (size_t i = 0; i < symbol->also_nr; i++)
		names[i + 1] = pool_string(&store->pool, symbol->also[i]);
	intmap_put(&to->starts, (int64_t)symbol->start, names);
	store_add_function(to, (struct store_function){ symbol->start, symbol->end, names,
							(uint32_t)(symbol->also_nr + 1) });
}

void symbol_store_add_lines(struct symbol_store *store, const struct module *module,
			    uint64_t offset, const struct symbol_line *lines, size_t nr)
{
	struct symbol_line *copy;

	if (!nr)
		return;
	copy = pool_alloc(&store->pool, nr * sizeof(*copy));
	for (size_t i = 0; i < nr; i++)
		copy[i] = (struct symbol_line){ pool_string(&store->pool, lines[i].function),
						pool_string(&store->pool, lines[i].file),
						lines[i].line };
	store_add_place(add_module(store, module),
			(struct store_place){ offset, copy, (uint32_t)nr });
}

static int compare_functions(const void *a, const void *b)
{
	const struct store_function *x = a, *y = b;
	int order = compare_u64(x->start, y->start);

	return order ? order : compare_u64(x->end, y->end);
}

static int compare_places(const void *a, const void *b)
{
	const struct store_place *x = a, *y = b;

	return compare_u64(x->offset, y->offset);
}

/* The first of several duplicates is kept. */
static void sort_module(struct store_module *module)
{
	size_t kept = 0;

	if (module->functions_nr)
		qsort(module->functions, module->functions_nr, sizeof(*module->functions),
		      compare_functions);
	for (size_t i = 0; i < module->functions_nr; i++) {
		if (!kept || module->functions[i].start != module->functions[kept - 1].start)
			module->functions[kept++] = module->functions[i];
	}
	module->functions_nr = kept;
	if (module->places_nr)
		qsort(module->places, module->places_nr, sizeof(*module->places), compare_places);
	kept = 0;
	for (size_t i = 0; i < module->places_nr; i++) {
		if (!kept || module->places[i].offset != module->places[kept - 1].offset)
			module->places[kept++] = module->places[i];
	}
	module->places_nr = kept;
}

/* Make the first name global and the others not, so that the table prefers it. */
static void fill_table(struct store_module *module)
{
	symbol_table_release(&module->table);
	for (size_t i = 0; i < module->functions_nr; i++) {
		const struct store_function *function = &module->functions[i];

		for (uint32_t k = 0; k < function->names_nr; k++) {
			struct symbol_entry entry = { .start = function->start,
						      .end = function->end,
						      .name = function->names[k],
						      .binding = k ? SYMBOL_LOCAL : SYMBOL_GLOBAL };

			symbol_table_add(&module->table, entry);
		}
	}
	symbol_table_ready(&module->table);
}

void symbol_store_ready(struct symbol_store *store)
{
	for (size_t i = 0; i < store->modules_nr; i++) {
		struct store_module *module = &store->modules[i];

		if (!module->dirty)
			continue;
		sort_module(module);
		fill_table(module);
		module->dirty = false;
	}
	sort_copies(store);
}

bool symbol_store_has(const struct symbol_store *store, const struct module *module)
{
	const struct store_module *found = find_module(store, module);

	return found && found->functions_nr;
}

bool symbol_store_find(const struct symbol_store *store, const struct module *module,
		       uint64_t offset, struct symbol *symbol)
{
	const struct store_module *from = find_module(store, module);

	return from && symbol_table_find(&from->table, offset, symbol);
}

size_t symbol_store_lines(const struct symbol_store *store, const struct module *module,
			  uint64_t offset, const struct symbol_line **lines)
{
	const struct store_module *from = find_module(store, module);
	const struct store_place key = { offset, NULL, 0 }, *found = NULL;

	if (from && from->places_nr)
		found = bsearch(&key, from->places, from->places_nr, sizeof(key), compare_places);
	if (!found)
		return 0;
	*lines = found->lines;
	return found->lines_nr;
}

static size_t find_lines(void *data, const struct module *module, uint64_t offset,
			 const struct symbol_line **lines)
{
	return symbol_store_lines(data, module, offset, lines);
}

struct line_source symbol_store_line_source(struct symbol_store *store)
{
	return (struct line_source){ store, find_lines };
}

/* Make room for all stacks and modules. For another machine than before, the map becomes empty. */
static void prepare_ids(struct store_ids *ids, const struct machine *machine, size_t stacks,
			size_t modules)
{
	if (ids->machine != machine) {
		release_ids(ids);
		ids->machine = machine;
	}
	ARRAY_GROW_ZERO(ids->stacks, stacks, ids->stacks_nr);
	ARRAY_GROW_ZERO(ids->modules, modules, ids->modules_nr);
}

struct carrier {
	struct symbol_store *store;
	struct machine *machine;
};

/*
 * Map a stack from one table to another: find the nearest caller that is already mapped, and add the frames from there.
 * `map_module` returns the number that a module has at the other table.
 */
static uint32_t carry_stack(struct store_ids *ids, const struct stack_table *from, uint32_t stack,
			    struct stack_table *to,
			    uint32_t (*map_module)(struct carrier *carrier, uint32_t number),
			    struct carrier *carrier)
{
	uint32_t at = stack, id;
	size_t nr = 0;

	while (at != STACK_EMPTY && !ids->stacks[at]) {
		ARRAY_ADD(ids->path, nr, ids->path_alloc, at);
		at = from->nodes[at].parent;
	}
	id = at == STACK_EMPTY ? STACK_EMPTY : ids->stacks[at];
	while (nr--) {
		uint32_t node = ids->path[nr], frame = from->nodes[node].frame;
		const struct frame *place = &from->frames[frame];

		if (frame >= FRAME_FIRST)
			frame = stack_table_frame(to, map_module(carrier, place->module),
						  place->offset);
		id = ids->stacks[node] = stack_table_push(to, id, frame);
	}
	return id;
}

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

void symbol_store_add_stack(struct symbol_store *store, const struct machine *machine, uint64_t id,
			    uint32_t stack, bool complete)
{
	struct carrier carrier = { store, (struct machine *)(uintptr_t)machine };
	uint32_t kept;

	prepare_ids(&store->taken, machine, machine->stacks.nodes_nr, machine->modules.nr);
	kept = carry_stack(&store->taken, &machine->stacks, stack, &store->stacks, take_module,
			   &carrier);
	store_add_copy(store, (struct store_copy){ id, kept, complete });
}

uint32_t symbol_store_stack(struct symbol_store *store, struct machine *machine, uint64_t id,
			    bool *complete)
{
	struct carrier carrier = { store, machine };
	const struct store_copy key = { id, 0, false }, *copy;

	sort_copies(store);
	if (!store->copies_nr)
		return STACK_EMPTY;
	copy = bsearch(&key, store->copies, store->copies_nr, sizeof(key), compare_copies);
	if (!copy)
		return STACK_EMPTY;
	*complete = copy->complete;
	prepare_ids(&store->given, machine, store->stacks.nodes_nr, store->modules_nr + 1);
	return carry_stack(&store->given, &store->stacks, copy->stack, &machine->stacks,
			   give_module, &carrier);
}
