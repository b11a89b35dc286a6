#include "model/function.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/strset.h"

#define NOT_ASKED UINT32_MAX

/* Open addressing; ids plus 1, so that 0 is a free place. */
struct index {
	uint32_t *v;
	size_t alloc; /* a power of two */
};

struct function_lookup {
	uint32_t *of_frame; /* function, by frame */
	size_t frames;      /* its length */
	struct index functions, names;
	struct intmap also; /* strset by module and name */
};

static uint64_t hash_string(const char *s)
{
	uint64_t hash = fnv_add(FNV_FIRST, s, strlen(s));

	return hash ^ hash >> 32;
}

/* The end of the way from `hash` on, for the owner to go on comparing. */
static size_t next_place(const struct index *index, size_t place)
{
	return (place + 1) & (index->alloc - 1);
}

static void place_id(struct index *index, uint64_t hash, uint32_t id)
{
	size_t i = hash & (index->alloc - 1);

	while (index->v[i])
		i = next_place(index, i);
	index->v[i] = id + 1;
}

static void clear_index(struct index *index, size_t alloc)
{
	free(index->v);
	index->alloc = alloc;
	index->v = xcalloc(alloc, sizeof(*index->v));
}

static bool is_full(const struct index *index, size_t nr)
{
	return (nr + 1) * 2 > index->alloc;
}

/* Without a symbol the name, which has module and offset in it, tells functions apart. */
static uint64_t hash_function(uint32_t module, const char *linkage, uint32_t name)
{
	uint64_t hash = linkage ? hash_string(linkage) : name;

	return (hash + module) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

/* The id of a name that is in the table's hands from here on. */
static uint32_t intern_name(struct function_table *table, char *name)
{
	struct index *index = &table->lookup->names;
	uint64_t hash = hash_string(name);
	size_t i = hash & (index->alloc - 1);

	for (; index->v[i]; i = next_place(index, i)) {
		if (!strcmp(table->names[index->v[i] - 1], name)) {
			free(name);
			return index->v[i] - 1;
		}
	}
	ARRAY_GROW(table->names, table->names_nr + 1, table->names_alloc);
	table->names[table->names_nr++] = name;
	if (!is_full(index, table->names_nr)) {
		index->v[i] = (uint32_t)table->names_nr;
		return (uint32_t)table->names_nr - 1;
	}
	clear_index(index, index->alloc * 2);
	for (size_t k = 0; k < table->names_nr; k++)
		place_id(index, hash_string(table->names[k]), (uint32_t)k);
	return (uint32_t)table->names_nr - 1;
}

static void index_function(struct function_table *table, uint32_t id)
{
	const struct function *function = &table->v[id];

	place_id(&table->lookup->functions,
		 hash_function(function->module, function->linkage, function->name), id);
}

static uint32_t add_function(struct function_table *table, const struct function *function)
{
	struct index *index = &table->lookup->functions;

	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	table->v[table->nr++] = *function;
	if (is_full(index, table->nr)) {
		clear_index(index, index->alloc * 2);
		for (size_t i = 0; i < table->nr; i++)
			index_function(table, (uint32_t)i);
	} else {
		index_function(table, (uint32_t)table->nr - 1);
	}
	return (uint32_t)table->nr - 1;
}

/* UINT32_MAX: there is none yet. `name` is only for those without a symbol. */
static uint32_t find_function(const struct function_table *table, uint32_t module,
			      const char *linkage, uint32_t name)
{
	const struct index *index = &table->lookup->functions;
	size_t i = hash_function(module, linkage, name) & (index->alloc - 1);

	for (; index->v[i]; i = next_place(index, i)) {
		const struct function *at = &table->v[index->v[i] - 1];

		if (at->module != module || !at->linkage != !linkage)
			continue;
		if (linkage ? !strcmp(at->linkage, linkage) : at->name == name)
			return index->v[i] - 1;
	}
	return UINT32_MAX;
}

static char *demangle(const struct function_table *table, const char *name)
{
	char *demangled = NULL;

	if (table->source.demangle)
		demangled = table->source.demangle(table->source.data, name);
	return demangled ? demangled : xstrdup(name);
}

static int64_t also_key(const struct function *function)
{
	return (int64_t)((uint64_t)function->module << 32 | function->name);
}

/* Functions of one name may have others each: destructors, what is local to its file, identical code. */
static void add_also(struct function_table *table, uint32_t id, const struct symbol *symbol)
{
	struct function *function = &table->v[id];
	struct strset *also = intmap_get(&table->lookup->also, also_key(function));

	if (!symbol->also_nr || function->start == symbol->start)
		return;
	function->start = symbol->start;
	for (size_t i = 0; i < symbol->also_nr; i++) {
		char *name = demangle(table, symbol->also[i]);

		if (strcmp(name, table->names[function->name])) {
			if (!also) {
				also = xcalloc(1, sizeof(*also));
				*also = (struct strset)STRSET_INIT;
				intmap_put(&table->lookup->also, also_key(function), also);
			}
			strset_add(also, name);
		}
		free(name);
	}
}

static uint32_t function_of_symbol(struct function_table *table, uint32_t module,
				   const struct symbol *symbol)
{
	struct function function = { .module = module, .start = UINT64_MAX };
	uint32_t id = find_function(table, module, symbol->name, 0);

	if (id == UINT32_MAX) {
		function.linkage = xstrdup(symbol->name);
		function.name = intern_name(table, demangle(table, symbol->name));
		id = add_function(table, &function);
	}
	add_also(table, id, symbol);
	return id;
}

static uint32_t function_of_name(struct function_table *table, uint32_t module, char *name)
{
	struct function function = { .module = module, .name = intern_name(table, name) };
	uint32_t id = find_function(table, module, NULL, function.name);

	return id != UINT32_MAX ? id : add_function(table, &function);
}

/* The line of a frame at its level; NULL. */
static const struct symbol_line *find_line(const struct function_table *table, uint32_t id)
{
	const struct frame *frame = &table->stacks->frames[id];
	const struct symbol_line *lines;
	size_t nr = 0;

	if (table->lines.find && id >= FRAME_FIRST)
		nr = table->lines.find(table->lines.data, &table->modules->v[frame->module],
				       frame->offset, &lines);
	return frame->level < nr ? &lines[nr - 1 - frame->level] : NULL;
}

/* What is inlined is known by its line alone; the function that has the place by its symbol. */
static bool find_symbol(const struct function_table *table, const struct frame *frame,
			const struct symbol_line *line, struct symbol *symbol)
{
	*symbol = (struct symbol){ .name = NULL };
	if (frame->level)
		symbol->name = line ? line->function : NULL;
	else if (table->source.find &&
		 !table->source.find(table->source.data, &table->modules->v[frame->module],
				     frame->offset, symbol))
		symbol->name = NULL;
	return symbol->name && *symbol->name;
}

static void set_place(struct function *function, const struct symbol_line *line)
{
	if (function->file || !line || !line->file)
		return;
	function->file = xstrdup(line->file);
	function->line = line->line;
}

static uint32_t resolve(struct function_table *table, uint32_t id)
{
	const struct frame *frame = &table->stacks->frames[id];
	const struct module *module = &table->modules->v[frame->module];
	const struct symbol_line *line = find_line(table, id);
	struct symbol symbol;
	uint32_t function;

	if (id == FRAME_TRUNCATED)
		return function_of_name(table, frame->module, xstrdup("[truncated]"));
	if (id == FRAME_NOT_SAMPLED)
		return function_of_name(table, frame->module, xstrdup("[not sampled]"));
	if (id == FRAME_UNKNOWN)
		return function_of_name(table, frame->module, xstrdup(module->name));
	if (find_symbol(table, frame, line, &symbol))
		function = function_of_symbol(table, frame->module, &symbol);
	else
		function =
			function_of_name(table, frame->module,
					 xasprintf("%s!0x%" PRIx64, module->name, frame->offset));
	set_place(&table->v[function], line);
	return function;
}

void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source)
{
	*table = (struct function_table){
		.modules = modules,
		.stacks = stacks,
		.source = source,
		.lookup = xcalloc(1, sizeof(*table->lookup)),
	};
	clear_index(&table->lookup->functions, 1024);
	clear_index(&table->lookup->names, 1024);
}

static void release_also(struct intmap *also)
{
	for (size_t i = 0; i < also->alloc; i++) {
		if (!also->v[i].value)
			continue;
		strset_release(also->v[i].value);
		free(also->v[i].value);
	}
	intmap_release(also);
}

void function_table_release(struct function_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		free(table->v[i].linkage);
		free(table->v[i].file);
	}
	free(table->v);
	for (size_t i = 0; i < table->names_nr; i++)
		free(table->names[i]);
	free(table->names);
	if (table->lookup) {
		release_also(&table->lookup->also);
		free(table->lookup->of_frame);
		free(table->lookup->functions.v);
		free(table->lookup->names.v);
	}
	free(table->lookup);
	*table = (struct function_table){ .v = NULL };
}

uint32_t function_table_of(struct function_table *table, uint32_t frame)
{
	struct function_lookup *lookup = table->lookup;
	size_t had = lookup->frames;

	if (frame >= had) {
		ARRAY_GROW(lookup->of_frame, table->stacks->frames_nr, lookup->frames);
		for (size_t i = had; i < lookup->frames; i++)
			lookup->of_frame[i] = NOT_ASKED;
	}
	if (lookup->of_frame[frame] == NOT_ASKED)
		lookup->of_frame[frame] = resolve(table, frame);
	return lookup->of_frame[frame];
}

const char *function_table_name(const struct function_table *table, uint32_t name)
{
	return table->names[name];
}

const struct strvec *function_table_also(const struct function_table *table, uint32_t function)
{
	const struct strset *also = intmap_get(&table->lookup->also, also_key(&table->v[function]));

	return also ? &also->strings : NULL;
}
