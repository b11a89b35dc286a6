#include "symbol/symbol_store.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/store_content.h"
#include "util/array.h"

const char *const symbol_store_files[] = { STORE_FUNCTIONS, SYMBOL_STORE_LINES, STORE_STACKS,
					   NULL };

struct symbol_store *symbol_store_new(void)
{
	struct symbol_store *store = xcalloc(1, sizeof(*store));

	stack_table_init(&store->stacks);
	store->copies_sorted = true;
	return store;
}

static void release_module(struct store_module *module)
{
	free(module->functions);
	free(module->places);
	intmap_release(&module->starts);
	symbol_table_release(&module->table);
}

void symbol_store_free(struct symbol_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->modules_nr; i++)
		release_module(&store->modules[i]);
	free(store->modules);
	module_map_release(&store->keys);
	for (size_t i = 0; i < store->texts_nr; i++)
		free(store->texts[i]);
	free(store->texts);
	stack_table_release(&store->stacks);
	free(store->copies);
	store_ids_release(&store->taken);
	store_ids_release(&store->given);
	pool_release(&store->pool);
	free(store);
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
	ARRAY_GROW(module->functions, module->functions_nr + 1, module->functions_alloc);
	module->functions[module->functions_nr++] = function;
	module->dirty = true;
}

void store_add_place(struct store_module *module, struct store_place place)
{
	ARRAY_GROW(module->places, module->places_nr + 1, module->places_alloc);
	module->places[module->places_nr++] = place;
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

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_places(const void *a, const void *b)
{
	const struct store_place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Of what was told twice the first is kept. */
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

/* The first name stands for all: it is global, the others are not. */
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
	store_sort_copies(store);
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
