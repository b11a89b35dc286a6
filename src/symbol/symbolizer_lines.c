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
	const struct place *places;
};

static void take_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct batch *batch = data;

	symbol_store_add_lines(batch->symbolizer->found, batch->module, batch->places[index].offset,
			       lines, nr);
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

static void find_lines(struct batch *batch, struct source_lines *lines, size_t nr)
{
	uint64_t *addresses = xcalloc(nr + 1, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = batch->places[i].address;
	source_lines_find(lines, addresses, nr, (struct source_lines_taker){ batch, take_lines });
	free(addresses);
}

static bool is_known(const struct symbolizer *symbolizer, const struct module *module,
		     uint64_t offset)
{
	const struct symbol_line *lines;

	return (symbolizer->options.store &&
		symbol_store_lines(symbolizer->options.store, module, offset, &lines)) ||
	       symbol_store_lines(symbolizer->found, module, offset, &lines);
}

void symbolizer_prepare_lines(struct symbolizer *symbolizer, const struct module *module,
			      const uint64_t *offsets, size_t nr)
{
	struct batch batch = { symbolizer, module, NULL };
	const struct symbol_file *file;
	struct source_lines *lines;
	struct place *places;
	size_t wanted = 0;

	if (module->kind != MODULE_FILE || !symbolizer->options.use_files)
		return;
	file = symbolizer_file(symbolizer, module);
	lines = file->elf ? open_lines(symbolizer, module, file) : NULL;
	if (!lines)
		return;
	places = xcalloc(nr + 1, sizeof(*places));
	for (size_t i = 0; i < nr; i++) {
		places[wanted].offset = offsets[i];
		if (elf_symbols_address(file->elf, offsets[i], &places[wanted].address) &&
		    !is_known(symbolizer, module, offsets[i]))
			wanted++;
	}
	qsort(places, wanted, sizeof(*places), compare_places);
	batch.places = places;
	find_lines(&batch, lines, wanted);
	for (size_t i = 0; i < wanted; i++)
		symbol_store_add_lines(symbolizer->found, module, places[i].offset, &nothing, 1);
	symbol_store_ready(symbolizer->found);
	free(places);
}

size_t symbolizer_lines(struct symbolizer *symbolizer, const struct module *module, uint64_t offset,
			const struct symbol_line **lines)
{
	size_t nr = 0;

	if (symbolizer->options.store)
		nr = symbol_store_lines(symbolizer->options.store, module, offset, lines);
	if (nr)
		return nr;
	nr = symbol_store_lines(symbolizer->found, module, offset, lines);
	if (!nr) {
		symbolizer_prepare_lines(symbolizer, module, &offset, 1);
		nr = symbol_store_lines(symbolizer->found, module, offset, lines);
	}
	return nr && ((*lines)->function || (*lines)->file) ? nr : 0;
}
