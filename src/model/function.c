#include "model/function.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/key_hash.h"
#include "util/strset.h"

#define NOT_ASKED UINT32_MAX
#define CHAIN     (UINT32_C(1) << 31)

/* A symbol is identified by the address of its name, as many names are hundreds of bytes long. */
struct seen_symbol {
	const char *name; /* owned by the source */
	uint64_t start;
	uint32_t module, number;
};

struct function_lookup {
	uint32_t *of_frame; /* by frame: a function, or CHAIN and an index in `chains` */
	size_t frames;      /* its length */
	uint32_t *chains; /* for each chain: the number of functions, then these, outermost first */
	size_t chains_nr, chains_alloc;
	struct hash_index functions, names;
	struct intmap also;  /* strset by module and name */
	uint32_t *of_number; /* functions, by the number of a found name */
	size_t numbers_nr, numbers_alloc;
	struct found_functions found; /* results for one frame */
};

void found_functions_release(struct found_functions *found)
{
	for (size_t i = 0; i < found->names_nr; i++)
		free(found->names[i].name);
	free(found->names);
	free(found->frames);
	free(found->levels);
	*found = (struct found_functions){ .names = NULL };
}

static uint32_t add_name(struct function_finder *finder, struct found_name name,
			 struct found_functions *found)
{
	ARRAY_GROW(found->names, found->names_nr + 1, found->names_alloc);
	found->names[found->names_nr++] = name;
	return finder->names_nr++;
}

static uint32_t number_of_symbol(struct function_finder *finder, uint32_t module,
				 const struct symbol *symbol, struct found_functions *found)
{
	uint64_t key = (uintptr_t)symbol->name + symbol->start;
	uint32_t number, at;

	HASH_INDEX_FIND(at, &finder->seen_index, key, i,
			finder->seen[i].name == symbol->name &&
				finder->seen[i].start == symbol->start &&
				finder->seen[i].module == module);
	if (at != HASH_INDEX_NONE)
		return finder->seen[at].number;
	number = add_name(finder, (struct found_name){ module, *symbol, NULL }, found);
	hash_index_add(&finder->seen_index, key, (uint32_t)finder->seen_nr);
	ARRAY_GROW(finder->seen, finder->seen_nr + 1, finder->seen_alloc);
	finder->seen[finder->seen_nr++] =
		(struct seen_symbol){ symbol->name, symbol->start, module, number };
	return number;
}

/* "libLLVM.so.19.1!0x1f00d"; the caller frees it. Fast, as most names of a large trace may be like this. */
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

static char *name_without_symbol(const struct module *module, uint32_t id, uint64_t offset)
{
	switch (id) {
	case FRAME_TRUNCATED:
		return xstrdup("[truncated]");
	case FRAME_NOT_SAMPLED:
		return xstrdup("[not sampled]");
	case FRAME_MISSING:
		return xstrdup("[missing frames]");
	case FRAME_UNKNOWN:
		return xstrdup(module->name);
	default:
		return name_place(module, offset);
	}
}

/* The levels of a frame, innermost first; 0: unknown. */
static size_t find_lines(const struct function_finder *finder, uint32_t id,
			 const struct symbol_line **lines)
{
	const struct frame *frame = &finder->stacks->frames[id];

	if (!finder->lines.find || id < FRAME_FIRST)
		return 0;
	return finder->lines.find(finder->lines.data, &finder->modules->v[frame->module],
				  frame->offset, lines);
}

/* Level 0 has a symbol in the symbol table, inlined functions are only in the line information. */
static struct symbol find_symbol(const struct function_finder *finder, uint32_t id, size_t level,
				 const struct symbol_line *line)
{
	const struct frame *frame = &finder->stacks->frames[id];
	struct symbol symbol = { .name = NULL };

	if (level)
		symbol.name = line->function;
	else if (id >= FRAME_FIRST && finder->source.find &&
		 !finder->source.find(finder->source.data, &finder->modules->v[frame->module],
				      frame->offset, &symbol))
		symbol.name = NULL;
	return symbol;
}

static uint32_t find_number(struct function_finder *finder, uint32_t id, size_t level,
			    const struct symbol_line *line, struct found_functions *found)
{
	const struct frame *frame = &finder->stacks->frames[id];
	struct symbol symbol = find_symbol(finder, id, level, line);
	struct found_name place = { .module = frame->module };

	if (symbol.name && *symbol.name)
		return number_of_symbol(finder, frame->module, &symbol, found);
	place.name = name_without_symbol(&finder->modules->v[frame->module], id, frame->offset);
	return add_name(finder, place, found);
}

void function_finder_find(struct function_finder *finder, uint32_t frame,
			  struct found_functions *found)
{
	const struct symbol_line *lines = NULL;
	size_t known = find_lines(finder, frame, &lines), nr = known ? known : 1;

	if (nr > FUNCTION_LEVELS)
		nr = FUNCTION_LEVELS;
	ARRAY_GROW(found->frames, found->frames_nr + 1, found->frames_alloc);
	found->frames[found->frames_nr++] = (struct found_frame){ frame, (uint32_t)nr };
	ARRAY_GROW(found->levels, found->levels_nr + nr, found->levels_alloc);
	for (size_t level = 0; level < nr; level++) {
		const struct symbol_line *line = known ? &lines[known - 1 - level] : NULL;

		found->levels[found->levels_nr++] = (struct found_level){
			find_number(finder, frame, level, line, found),
			line ? line->line : 0,
			line ? line->file : NULL,
		};
	}
}

static uint64_t hash_string(const char *s)
{
	return key_hash_add(key_hash_first(), s, strlen(s));
}

/* The id of a name; takes ownership of `name`. */
static uint32_t intern_name(struct function_table *table, char *name)
{
	struct hash_index *index = &table->lookup->names;
	uint64_t hash = hash_string(name);
	uint32_t id;

	HASH_INDEX_FIND(id, index, hash, i, !strcmp(table->names[i], name));
	if (id != HASH_INDEX_NONE) {
		free(name);
		return id;
	}
	hash_index_add(index, hash, (uint32_t)table->names_nr);
	ARRAY_GROW(table->names, table->names_nr + 1, table->names_alloc);
	table->names[table->names_nr] = name;
	return (uint32_t)table->names_nr++;
}

/* A function without a symbol is identified by its name, which contains module and offset. */
static uint64_t hash_function(const struct function *function)
{
	return (function->linkage ? hash_string(function->linkage) : function->name) +
	       function->module;
}

static bool is_same(const struct function *a, const struct function *b)
{
	if (a->module != b->module || !a->linkage != !b->linkage)
		return false;
	return a->linkage ? !strcmp(a->linkage, b->linkage) : a->name == b->name;
}

/* The id of a function; HASH_INDEX_NONE: it is new. */
static uint32_t find_function(const struct function_table *table, const struct function *function)
{
	uint32_t id;

	HASH_INDEX_FIND(id, &table->lookup->functions, hash_function(function), i,
			is_same(&table->v[i], function));
	return id;
}

static uint32_t add_function(struct function_table *table, const struct function *function)
{
	hash_index_add(&table->lookup->functions, hash_function(function), (uint32_t)table->nr);
	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	table->v[table->nr] = *function;
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

/* Functions of one name may each have more names: destructors, functions local to a file, folded code. */
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
	uint32_t id = find_function(table, &function);

	if (id == HASH_INDEX_NONE) {
		function.linkage = xstrdup(symbol->name);
		function.name = intern_name(table, demangle(table, symbol->name));
		id = add_function(table, &function);
	}
	add_also(table, id, symbol);
	return id;
}

static uint32_t function_of_place(struct function_table *table, struct found_name *found)
{
	struct function function = { .module = found->module,
				     .name = intern_name(table, found->name) };
	uint32_t id = find_function(table, &function);

	found->name = NULL;
	return id != HASH_INDEX_NONE ? id : add_function(table, &function);
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

/* Add a chain of `nr` functions, which the caller fills. */
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

	/* If the chains are full, which takes gigabytes, inlined functions are left out. */
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
	struct function_lookup *lookup = table->lookup;

	make_room(table);
	ARRAY_GROW(lookup->of_number, lookup->numbers_nr + found->names_nr, lookup->numbers_alloc);
	for (size_t i = 0; i < found->names_nr; i++) {
		struct found_name *name = &found->names[i];

		lookup->of_number[lookup->numbers_nr++] = name->symbol.name
								  ? function_of_symbol(table, name)
								  : function_of_place(table, name);
	}
	for (size_t i = 0; i < found->frames_nr; i++) {
		take_frame(table, &found->frames[i], levels);
		levels += found->frames[i].levels_nr;
	}
	found->names_nr = found->frames_nr = found->levels_nr = 0;
}

void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source)
{
	*table = (struct function_table){
		.finder = { .modules = modules, .stacks = stacks, .source = source },
		.lookup = xcalloc(1, sizeof(*table->lookup)),
	};
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
	free(table->finder.seen);
	hash_index_release(&table->finder.seen_index);
	if (table->lookup) {
		struct intmap *also = &table->lookup->also;

		for (size_t i = 0; i < also->nr; i++) {
			strset_release(also->v[i].value);
			free(also->v[i].value);
		}
		intmap_release(also);
		free(table->lookup->of_frame);
		free(table->lookup->chains);
		hash_index_release(&table->lookup->functions);
		hash_index_release(&table->lookup->names);
		free(table->lookup->of_number);
		found_functions_release(&table->lookup->found);
	}
	free(table->lookup);
	*table = (struct function_table){ .v = NULL };
}

/* The entry of a frame in `of_frame`; finds its functions if they are not yet known. */
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

/* The functions of an entry of `of_frame`, and their number; the entry itself is one. */
static const uint32_t *functions_of(const struct function_table *table, const uint32_t *kept,
				    size_t *nr)
{
	const uint32_t *chain;

	*nr = 1;
	if (!(*kept & CHAIN))
		return kept;
	chain = &table->lookup->chains[*kept & ~CHAIN];
	*nr = *chain;
	return chain + 1;
}

size_t function_table_levels(struct function_table *table, uint32_t frame,
			     struct frame_function levels[FUNCTION_LEVELS])
{
	uint32_t kept = kept_of(table, frame);
	size_t nr;
	const uint32_t *functions = functions_of(table, &kept, &nr);

	for (size_t i = 0; i < nr; i++)
		levels[i] = (struct frame_function){ functions[i], table->v[functions[i]].name };
	return nr;
}

size_t function_table_names(const struct function_table *table, uint32_t frame,
			    uint32_t names[FUNCTION_LEVELS])
{
	const struct function_lookup *lookup = table->lookup;
	const uint32_t *functions;
	size_t nr;

	if (frame >= lookup->frames || lookup->of_frame[frame] == NOT_ASKED)
		return 0;
	functions = functions_of(table, &lookup->of_frame[frame], &nr);
	for (size_t i = 0; i < nr; i++)
		names[i] = table->v[functions[i]].name;
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
