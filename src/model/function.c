#include "model/function.h"

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

struct function_lookup {
	uint32_t *of_frame; /* by frame: function, or CHAIN and where in `chains` it has several */
	size_t frames;      /* its length */
	uint32_t *chains;   /* a number of functions, and these, the outermost first; and so on */
	size_t chains_nr, chains_alloc;
	struct index functions, names;
	struct intmap also;  /* strset by module and name */
	uint32_t *of_number; /* functions, by the number of a found name */
	size_t numbers_nr, numbers_alloc;
	struct found_functions found; /* room for one frame */
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
	const struct symbol_source *source = &table->finder.source;
	char *demangled = source->demangle ? source->demangle(source->data, name) : NULL;

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

	if (!symbol->also_nr)
		return;
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

static uint32_t function_of_symbol(struct function_table *table, const struct found_name *found)
{
	const struct symbol *symbol = &found->symbol;
	struct function function = { .module = found->module,
				     .linkage = (char *)(uintptr_t)symbol->name };
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

static uint32_t function_of_place(struct function_table *table, struct found_name *found)
{
	struct function function = { .module = found->module,
				     .name = intern_name(table, found->name) };
	uint32_t hash = hash_function(&function);
	struct place *place = find_function(table, &function, hash);

	found->name = NULL;
	return place->id ? place->id - 1 : add_function(table, &function, place, hash);
}

static void take_name(struct function_table *table, struct found_name *found)
{
	struct function_lookup *lookup = table->lookup;

	ARRAY_GROW(lookup->of_number, lookup->numbers_nr + 1, lookup->numbers_alloc);
	lookup->of_number[lookup->numbers_nr++] = found->symbol.name
							  ? function_of_symbol(table, found)
							  : function_of_place(table, found);
}

static void set_place(struct function *function, uint32_t frame, const struct found_level *level)
{
	if (!level->file || (function->file && function->frame <= frame))
		return;
	free(function->file);
	function->file = xstrdup(level->file);
	function->line = level->line;
	function->frame = frame;
}

/* Where the functions of a frame that has several are kept; the number of them stands before. */
static uint32_t *add_chain(struct function_lookup *lookup, uint32_t nr, uint32_t *kept)
{
	size_t at = lookup->chains_nr;

	ARRAY_GROW(lookup->chains, at + nr + 1, lookup->chains_alloc);
	lookup->chains[at] = nr;
	lookup->chains_nr = at + nr + 1;
	*kept = (uint32_t)at | CHAIN;
	return &lookup->chains[at + 1];
}

static void take_frame(struct function_table *table, const struct found_frame *frame,
		       const struct found_level *levels)
{
	struct function_lookup *lookup = table->lookup;
	uint32_t *kept = &lookup->of_frame[frame->frame], *functions = kept;
	uint32_t nr = frame->levels_nr;

	/* Where that is full, which takes gigabytes of them, what is inlined is left out. */
	if (lookup->chains_nr >= CHAIN - 1)
		nr = 1;
	if (nr > 1)
		functions = add_chain(lookup, nr, kept);
	for (uint32_t i = 0; i < nr; i++) {
		functions[i] = lookup->of_number[levels[i].number];
		set_place(&table->v[functions[i]], frame->frame, &levels[i]);
	}
}

static void make_room(struct function_table *table)
{
	struct function_lookup *lookup = table->lookup;
	size_t had = lookup->frames, nr = table->finder.stacks->frames_nr;

	if (nr <= had)
		return;
	ARRAY_GROW(lookup->of_frame, nr, lookup->frames);
	for (size_t i = had; i < lookup->frames; i++)
		lookup->of_frame[i] = NOT_ASKED;
}

void function_table_take(struct function_table *table, struct found_functions *found)
{
	const struct found_level *levels = found->levels;

	make_room(table);
	for (size_t i = 0; i < found->names_nr; i++)
		take_name(table, &found->names[i]);
	for (size_t i = 0; i < found->frames_nr; i++) {
		take_frame(table, &found->frames[i], levels);
		levels += found->frames[i].levels_nr;
	}
	found->names_nr = found->frames_nr = found->levels_nr = 0;
}

void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source)
{
	*table = (struct function_table){ .lookup = xcalloc(1, sizeof(*table->lookup)) };
	function_finder_init(&table->finder, modules, stacks, source);
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
	function_finder_release(&table->finder);
	if (table->lookup) {
		release_also(&table->lookup->also);
		free(table->lookup->of_frame);
		free(table->lookup->chains);
		free(table->lookup->functions.v);
		free(table->lookup->names.v);
		free(table->lookup->of_number);
		found_functions_release(&table->lookup->found);
	}
	free(table->lookup);
	*table = (struct function_table){ .v = NULL };
}

/* Of a frame, found where it was not yet. */
static uint32_t kept_of(struct function_table *table, uint32_t frame)
{
	struct function_lookup *lookup = table->lookup;

	if (frame >= lookup->frames)
		make_room(table);
	if (lookup->of_frame[frame] == NOT_ASKED) {
		function_finder_find(&table->finder, frame, &lookup->found);
		function_table_take(table, &lookup->found);
	}
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
