#include "model/function.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/strset.h"

#define NOT_ASKED UINT32_MAX
#define CHAIN     (UINT32_C(1) << 31)

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

/* The function of a symbol that came up before. */
struct met {
	const char *name; /* the source's own; NULL: a free place */
	uint64_t start;
	uint32_t module, function;
};

/* Open addressing. */
struct met_index {
	struct met *v;
	size_t nr, alloc; /* alloc: a power of two */
};

struct function_lookup {
	uint32_t *of_frame; /* by frame: function, or CHAIN and where in `chains` it has several */
	size_t frames;      /* its length */
	uint32_t *chains;   /* a number of functions, and these, the outermost first; and so on */
	size_t chains_nr, chains_alloc;
	struct index functions, names;
	struct intmap also; /* strset by module and name */
	struct met_index met;
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

static struct met *find_met(const struct met_index *index, uint32_t module,
			    const struct symbol *symbol)
{
	uint64_t hash = ((uintptr_t)symbol->name + symbol->start) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (hash >> 32) & (index->alloc - 1);

	while (index->v[i].name &&
	       (index->v[i].name != symbol->name || index->v[i].start != symbol->start ||
		index->v[i].module != module))
		i = (i + 1) & (index->alloc - 1);
	return &index->v[i];
}

static void grow_met(struct met_index *index)
{
	struct met_index old = *index;

	index->alloc *= 2;
	index->v = xcalloc(index->alloc, sizeof(*index->v));
	for (size_t i = 0; i < old.alloc; i++) {
		const struct symbol symbol = { .name = old.v[i].name, .start = old.v[i].start };

		if (symbol.name)
			*find_met(index, old.v[i].module, &symbol) = old.v[i];
	}
	free(old.v);
}

/* Most symbols come up many times: their names are not looked at again. */
static uint32_t function_of_symbol(struct function_table *table, uint32_t module,
				   const struct symbol *symbol)
{
	struct function function = { .module = module,
				     .linkage = (char *)(uintptr_t)symbol->name,
				     .start = UINT64_MAX };
	struct met *met = find_met(&table->lookup->met, module, symbol);
	struct place *place;
	uint32_t hash, id;

	if (met->name)
		return met->function;
	hash = hash_function(&function);
	place = find_function(table, &function, hash);
	if (place->id) {
		id = place->id - 1;
	} else {
		function.linkage = xstrdup(symbol->name);
		function.name = intern_name(table, demangle(table, symbol->name));
		id = add_function(table, &function, place, hash);
	}
	add_also(table, id, symbol);
	*met = (struct met){ symbol->name, symbol->start, module, id };
	if (++table->lookup->met.nr * 2 > table->lookup->met.alloc)
		grow_met(&table->lookup->met);
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

/* The levels of a frame, innermost first; 0: nothing is known of lines there. */
static size_t find_lines(const struct function_table *table, uint32_t id,
			 const struct symbol_line **lines)
{
	const struct frame *frame = &table->stacks->frames[id];

	if (!table->lines.find || id < FRAME_FIRST)
		return 0;
	return table->lines.find(table->lines.data, &table->modules->v[frame->module],
				 frame->offset, lines);
}

static void set_place(struct function *function, uint32_t frame, const struct symbol_line *line)
{
	if (!line || !line->file || (function->file && function->frame <= frame))
		return;
	free(function->file);
	function->file = xstrdup(line->file);
	function->line = line->line;
	function->frame = frame;
}

static uint32_t function_of_place(struct function_table *table, uint32_t id,
				  const struct symbol *symbol)
{
	const struct frame *frame = &table->stacks->frames[id];
	const struct module *module = &table->modules->v[frame->module];

	if (id == FRAME_TRUNCATED)
		return function_of_name(table, frame->module, xstrdup("[truncated]"));
	if (id == FRAME_NOT_SAMPLED)
		return function_of_name(table, frame->module, xstrdup("[not sampled]"));
	if (id == FRAME_UNKNOWN)
		return function_of_name(table, frame->module, xstrdup(module->name));
	if (symbol->name && *symbol->name)
		return function_of_symbol(table, frame->module, symbol);
	return function_of_name(table, frame->module, name_place(module, frame->offset));
}

/* The function that has the place is known by its symbol. */
static uint32_t resolve_outermost(struct function_table *table, uint32_t id)
{
	const struct frame *frame = &table->stacks->frames[id];
	struct symbol symbol = { .name = NULL };

	if (id >= FRAME_FIRST && table->source.find &&
	    !table->source.find(table->source.data, &table->modules->v[frame->module],
				frame->offset, &symbol))
		symbol.name = NULL;
	return function_of_place(table, id, &symbol);
}

/* What is inlined is known by its line alone. */
static uint32_t resolve_inlined(struct function_table *table, uint32_t id,
				const struct symbol_line *line)
{
	const struct symbol symbol = { .name = line->function };

	return function_of_place(table, id, &symbol);
}

/* What is kept of a frame: its function, or where all of them are. */
static uint32_t keep_levels(struct function_table *table, const uint32_t *functions, size_t nr)
{
	struct function_lookup *lookup = table->lookup;
	size_t at = lookup->chains_nr;

	if (nr == 1)
		return functions[0];
	assert(at < CHAIN);
	ARRAY_GROW(lookup->chains, at + nr + 1, lookup->chains_alloc);
	lookup->chains[at] = (uint32_t)nr;
	memcpy(&lookup->chains[at + 1], functions, nr * sizeof(*functions));
	lookup->chains_nr = at + nr + 1;
	return (uint32_t)at | CHAIN;
}

static uint32_t resolve(struct function_table *table, uint32_t id)
{
	uint32_t functions[FUNCTION_LEVELS];
	const struct symbol_line *lines = NULL;
	size_t known = find_lines(table, id, &lines), nr = known ? known : 1;

	if (nr > FUNCTION_LEVELS)
		nr = FUNCTION_LEVELS;
	for (size_t level = 0; level < nr; level++) {
		const struct symbol_line *line = known ? &lines[known - 1 - level] : NULL;

		functions[level] =
			level ? resolve_inlined(table, id, line) : resolve_outermost(table, id);
		set_place(&table->v[functions[level]], id, line);
	}
	return keep_levels(table, functions, nr);
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
	table->lookup->met.alloc = 1024;
	table->lookup->met.v = xcalloc(1024, sizeof(*table->lookup->met.v));
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
		free(table->lookup->chains);
		free(table->lookup->functions.v);
		free(table->lookup->names.v);
		free(table->lookup->met.v);
	}
	free(table->lookup);
	*table = (struct function_table){ .v = NULL };
}

/* Of a frame, asked for where it was not yet. */
static uint32_t kept_of(struct function_table *table, uint32_t frame)
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

uint32_t function_table_of(struct function_table *table, uint32_t frame)
{
	uint32_t kept = kept_of(table, frame);

	return kept & CHAIN ? table->lookup->chains[(kept & ~CHAIN) + 1] : kept;
}

size_t function_table_levels(struct function_table *table, uint32_t frame,
			     struct frame_function levels[FUNCTION_LEVELS])
{
	uint32_t kept = kept_of(table, frame);
	const uint32_t *functions = &kept;
	size_t nr = 1;

	if (kept & CHAIN) {
		functions = &table->lookup->chains[kept & ~CHAIN];
		nr = *functions++;
	}
	for (size_t i = 0; i < nr; i++)
		levels[i] = (struct frame_function){ functions[i], table->v[functions[i]].name };
	return nr;
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
