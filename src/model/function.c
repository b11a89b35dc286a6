#include "model/function.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/strset.h"

#define NOT_ASKED UINT32_MAX

/* The hash tells texts apart without a look at them, and where an id goes when the index grows. */
struct place {
	uint32_t id; /* plus 1, so that 0 is a free place */
	uint32_t hash;
};

/* Open addressing. */
struct index {
	struct place *v;
	size_t alloc; /* a power of two */
};

struct function_lookup {
	uint32_t *of_frame; /* function, by frame */
	size_t frames;      /* its length */
	struct index functions, names;
	struct intmap also; /* strset by module and name */
};

static uint32_t hash_string(const char *s)
{
	uint64_t hash = fnv_add(FNV_FIRST, s, strlen(s));

	return (uint32_t)(hash ^ hash >> 32);
}

static void clear_index(struct index *index, size_t alloc)
{
	index->alloc = alloc;
	index->v = xcalloc(alloc, sizeof(*index->v));
}

/* The first place from that of `hash` on, or behind `place`, that has an id of that hash, or is free. */
static struct place *first_place(const struct index *index, uint32_t hash)
{
	size_t i = hash & (index->alloc - 1);

	while (index->v[i].id && index->v[i].hash != hash)
		i = (i + 1) & (index->alloc - 1);
	return &index->v[i];
}

static struct place *next_place(const struct index *index, const struct place *place)
{
	size_t i = (size_t)(place - index->v);

	do
		i = (i + 1) & (index->alloc - 1);
	while (index->v[i].id && index->v[i].hash != place->hash);
	return &index->v[i];
}

static void grow_index(struct index *index)
{
	struct index old = *index;

	clear_index(index, old.alloc * 2);
	for (size_t i = 0; i < old.alloc; i++) {
		struct place *place;

		if (!old.v[i].id)
			continue;
		place = first_place(index, old.v[i].hash);
		while (place->id)
			place = next_place(index, place);
		*place = old.v[i];
	}
	free(old.v);
}

/* At a free place: `id` is the last of all. */
static void fill_place(struct index *index, struct place *place, uint32_t id, uint32_t hash)
{
	*place = (struct place){ id + 1, hash };
	if (((size_t)id + 2) * 2 > index->alloc)
		grow_index(index);
}

/* The id of a name that is in the table's hands from here on. */
static uint32_t intern_name(struct function_table *table, char *name)
{
	struct index *index = &table->lookup->names;
	uint32_t hash = hash_string(name);
	struct place *place = first_place(index, hash);

	for (; place->id; place = next_place(index, place)) {
		if (!strcmp(table->names[place->id - 1], name)) {
			free(name);
			return place->id - 1;
		}
	}
	ARRAY_GROW(table->names, table->names_nr + 1, table->names_alloc);
	table->names[table->names_nr] = name;
	fill_place(index, place, (uint32_t)table->names_nr, hash);
	return (uint32_t)table->names_nr++;
}

/* Without a symbol the name, which has module and offset in it, tells functions apart. */
static uint32_t hash_function(const struct function *function)
{
	uint64_t hash = function->linkage ? hash_string(function->linkage) : function->name;

	return (uint32_t)((hash + function->module) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool is_same(const struct function *a, const struct function *b)
{
	if (a->module != b->module || !a->linkage != !b->linkage)
		return false;
	return a->linkage ? !strcmp(a->linkage, b->linkage) : a->name == b->name;
}

/* Where it is, or where it goes. */
static struct place *find_function(const struct function_table *table,
				   const struct function *function, uint32_t hash)
{
	const struct index *index = &table->lookup->functions;
	struct place *place = first_place(index, hash);

	while (place->id && !is_same(&table->v[place->id - 1], function))
		place = next_place(index, place);
	return place;
}

static uint32_t add_function(struct function_table *table, const struct function *function,
			     struct place *place, uint32_t hash)
{
	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	table->v[table->nr] = *function;
	fill_place(&table->lookup->functions, place, (uint32_t)table->nr, hash);
	return (uint32_t)table->nr++;
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
	struct function function = { .module = module,
				     .linkage = (char *)(uintptr_t)symbol->name,
				     .start = UINT64_MAX };
	uint32_t hash = hash_function(&function), id;
	struct place *place = find_function(table, &function, hash);

	if (place->id) {
		id = place->id - 1;
	} else {
		function.linkage = xstrdup(symbol->name);
		function.name = intern_name(table, demangle(table, symbol->name));
		id = add_function(table, &function, place, hash);
	}
	add_also(table, id, symbol);
	return id;
}

static uint32_t function_of_name(struct function_table *table, uint32_t module, char *name)
{
	struct function function = { .module = module, .name = intern_name(table, name) };
	uint32_t hash = hash_function(&function);
	struct place *place = find_function(table, &function, hash);

	return place->id ? place->id - 1 : add_function(table, &function, place, hash);
}

/* "libLLVM.so.19.1!0x1f00d"; to be freed. Most of the names of a large trace may be such. */
static char *name_place(const struct module *module, uint64_t offset)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strlen(module->name), nr = 1;
	char *name;

	while (nr < 16 && offset >> nr * 4)
		nr++;
	name = xmalloc(len + 3 + nr + 1);
	memcpy(name, module->name, len);
	memcpy(name + len, "!0x", 3);
	name[len + 3 + nr] = '\0';
	for (size_t i = len + 3 + nr; nr--; offset >>= 4)
		name[--i] = digits[offset & 15];
	return name;
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
			function_of_name(table, frame->module, name_place(module, frame->offset));
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
