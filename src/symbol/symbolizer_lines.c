#include <stdlib.h>
#include <string.h>

#include "symbol/symbolizer_modules.h"
#include "util/alloc.h"

struct batch {
	const struct module *module;
	const uint64_t *offsets; /* ascending */
	struct symbol_store *store;
};

static void take_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	const struct batch *batch = data;

	symbol_store_add_lines(batch->store, batch->module, batch->offsets[index], lines, nr);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void symbolizer_add_lines(struct symbolizer *symbolizer, const struct module *module,
			  const uint64_t *offsets, size_t nr, struct symbol_store *store)
{
	const struct symbol_file *file;
	struct batch batch = { module, NULL, store };
	uint64_t *ascending;

	if (!nr || !symbolizer_has_file(module) || !symbolizer->options.use_files)
		return;
	file = symbolizer_file(symbolizer, module);
	if (!file->ops)
		return;
	ascending = xcalloc(nr, sizeof(*ascending));
	memcpy(ascending, offsets, nr * sizeof(*ascending));
	qsort(ascending, nr, sizeof(*ascending), compare_offsets);
	batch.offsets = ascending;
	file->ops->find_lines(file->data, ascending, nr, symbolizer->options.threads,
			      (struct source_lines_taker){ &batch, take_lines });
	free(ascending);
}
