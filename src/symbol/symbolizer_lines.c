#include <stdlib.h>

#include "symbol/source_lines.h"
#include "symbol/symbolizer_modules.h"
#include "util/alloc.h"

/* Kept for a place that was asked for and of which nothing is known. */
static const struct symbol_line nothing = { NULL, NULL, 0 };

struct place {
	uint64_t address, offset;
};

struct batch {
	struct symbolizer *symbolizer;
	const struct module *module;
	struct symbol_store *store; /* where the lines go */
	struct place *places;
	size_t nr;
};

static void take_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct batch *batch = data;

	symbol_store_add_lines(batch->store, batch->module, batch->places[index].offset, lines, nr);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* That of the last module is kept open: many places of one are asked for in a row. */
static struct source_lines *open_lines(struct symbolizer *symbolizer, const struct module *module,
				       const struct symbol_file *file)
{
	struct err err = ERR_INIT;

	if (symbolizer->lines_of == file->elf)
		return symbolizer->lines;
	source_lines_free(symbolizer->lines);
	symbolizer->lines = NULL;
	symbolizer->lines_of = file->elf;
	if (source_lines_open(module->path, symbolizer_debug_path(symbolizer, module),
			      &symbolizer->lines, &err))
		err_clear(&err);
	return symbolizer->lines;
}

static void find_lines(const struct batch *batch, struct source_lines *lines)
{
	uint64_t *addresses = xcalloc(batch->nr + 1, sizeof(*addresses));

	if (batch->nr)
		qsort(batch->places, batch->nr, sizeof(*batch->places), compare_places);
	for (size_t i = 0; i < batch->nr; i++)
		addresses[i] = batch->places[i].address;
	source_lines_find(lines, addresses, batch->nr, batch->symbolizer->options.threads,
			  (struct source_lines_taker){ (void *)(uintptr_t)batch, take_lines });
	free(addresses);
}

/* What was kept or looked up before; 0: it was not asked for. */
static size_t known_lines(const struct symbolizer *symbolizer, const struct module *module,
			  uint64_t offset, const struct symbol_line **lines)
{
	size_t nr = 0;

	if (symbolizer->options.store)
		nr = symbol_store_lines(symbolizer->options.store, module, offset, lines);
	return nr ? nr : symbol_store_lines(symbolizer->found, module, offset, lines);
}

static bool is_something(const struct symbol_line *line)
{
	return line->function || line->file;
}

/* The file's lines; NULL. */
static struct source_lines *lines_of(struct symbolizer *symbolizer, const struct module *module)
{
	const struct symbol_file *file;

	if (module->kind != MODULE_FILE || !symbolizer->options.use_files)
		return NULL;
	file = symbolizer_file(symbolizer, module);
	return file->elf ? open_lines(symbolizer, module, file) : NULL;
}

/* Of the places those that were not asked for, looked up, and to be freed; those that were are not. */
static struct batch look_up(struct symbolizer *symbolizer, const struct module *module,
			    const uint64_t *offsets, size_t nr, struct symbol_store *store)
{
	struct source_lines *source = lines_of(symbolizer, module);
	struct batch batch = { symbolizer, module, store, xcalloc(nr + 1, sizeof(struct place)),
			       0 };
	const struct symbol_line *lines;

	if (!source)
		return batch;
	for (size_t i = 0; i < nr; i++) {
		struct place *place = &batch.places[batch.nr];

		place->offset = offsets[i];
		if (elf_symbols_address(symbolizer_file(symbolizer, module)->elf, offsets[i],
					&place->address) &&
		    !known_lines(symbolizer, module, offsets[i], &lines))
			batch.nr++;
	}
	find_lines(&batch, source);
	return batch;
}

void symbolizer_prepare_lines(struct symbolizer *symbolizer, const struct module *module,
			      const uint64_t *offsets, size_t nr)
{
	struct batch batch = look_up(symbolizer, module, offsets, nr, symbolizer->found);

	for (size_t i = 0; i < batch.nr; i++)
		symbol_store_add_lines(symbolizer->found, module, batch.places[i].offset, &nothing,
				       1);
	symbol_store_ready(symbolizer->found);
	free(batch.places);
}

void symbolizer_add_lines(struct symbolizer *symbolizer, const struct module *module,
			  const uint64_t *offsets, size_t nr, struct symbol_store *store)
{
	for (size_t i = 0; i < nr; i++) {
		const struct symbol_line *lines;
		size_t known = known_lines(symbolizer, module, offsets[i], &lines);

		if (known && is_something(lines))
			symbol_store_add_lines(store, module, offsets[i], lines, known);
	}
	free(look_up(symbolizer, module, offsets, nr, store).places);
}

size_t symbolizer_lines(struct symbolizer *symbolizer, const struct module *module, uint64_t offset,
			const struct symbol_line **lines)
{
	size_t nr = known_lines(symbolizer, module, offset, lines);

	if (!nr) {
		symbolizer_prepare_lines(symbolizer, module, &offset, 1);
		nr = known_lines(symbolizer, module, offset, lines);
	}
	return nr && is_something(*lines) ? nr : 0;
}
