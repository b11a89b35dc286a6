#include "model/function_finder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define MET_FIRST 1024

/* A symbol is known again by where its name is: many names are hundreds of bytes long. */
struct met {
	const char *name; /* the source's own; NULL: a free place */
	uint64_t start;
	uint32_t module, number;
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

void function_finder_init(struct function_finder *finder, const struct module_table *modules,
			  const struct stack_table *stacks, struct symbol_source source)
{
	*finder = (struct function_finder){
		.modules = modules,
		.stacks = stacks,
		.source = source,
		.met = { xcalloc(MET_FIRST, sizeof(*finder->met.v)), 0, MET_FIRST },
	};
}

void function_finder_release(struct function_finder *finder)
{
	free(finder->met.v);
	finder->met.v = NULL;
}

static struct met *find_met(const struct met_symbols *met, uint32_t module, const char *name,
			    uint64_t start)
{
	uint64_t hash = ((uintptr_t)name + start) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (hash >> 32) & (met->alloc - 1);

	while (met->v[i].name &&
	       (met->v[i].name != name || met->v[i].start != start || met->v[i].module != module))
		i = (i + 1) & (met->alloc - 1);
	return &met->v[i];
}

static void grow_met(struct met_symbols *met)
{
	struct met_symbols old = *met;

	met->alloc *= 2;
	met->v = xcalloc(met->alloc, sizeof(*met->v));
	for (size_t i = 0; i < old.alloc; i++) {
		const struct met *at = &old.v[i];

		if (at->name)
			*find_met(met, at->module, at->name, at->start) = *at;
	}
	free(old.v);
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
	struct met *met = find_met(&finder->met, module, symbol->name, symbol->start);
	uint32_t number;

	if (met->name)
		return met->number;
	number = add_name(finder, (struct found_name){ module, *symbol, NULL }, found);
	*met = (struct met){ symbol->name, symbol->start, module, number };
	if (++finder->met.nr * 2 > finder->met.alloc)
		grow_met(&finder->met);
	return number;
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

static char *name_without_symbol(const struct module *module, uint32_t id, uint64_t offset)
{
	switch (id) {
	case FRAME_TRUNCATED:
		return xstrdup("[truncated]");
	case FRAME_NOT_SAMPLED:
		return xstrdup("[not sampled]");
	case FRAME_UNKNOWN:
		return xstrdup(module->name);
	default:
		return name_place(module, offset);
	}
}

/* The levels of a frame, innermost first; 0: nothing is known of lines there. */
static size_t find_lines(const struct function_finder *finder, uint32_t id,
			 const struct symbol_line **lines)
{
	const struct frame *frame = &finder->stacks->frames[id];

	if (!finder->lines.find || id < FRAME_FIRST)
		return 0;
	return finder->lines.find(finder->lines.data, &finder->modules->v[frame->module],
				  frame->offset, lines);
}

/* The function that has the place is known by its symbol; what is inlined by its line alone. */
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
