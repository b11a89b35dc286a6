#include <stdlib.h>

#include "symbol/symbolizer_modules.h"
#include "util/alloc.h"

/* Kept for a place that was asked for and of which nothing is known. */
static const struct symbol_line nothing = { NULL, NULL, 0 };

struct batch {
	const struct module *module;
	struct symbol_store *store; /* where the lines go */
	uint64_t *offsets;
	bool *told; /* of each, whether it has lines */
	size_t nr;
};

static void release_batch(struct batch *batch)
{
	free(batch->offsets);
	free(batch->told);
}

static void take_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct batch *batch = data;

	batch->told[index] = true;
	symbol_store_add_lines(batch->store, batch->module, batch->offsets[index], lines, nr);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What the last module's file has read is kept: many places of one are asked for in a row. */
static void let_rest(struct symbolizer *symbolizer, const struct symbol_file *next)
{
	if (symbolizer->lines_of && symbolizer->lines_of != next->data)
		symbolizer->lines_ops->rest(symbolizer->lines_of);
	symbolizer->lines_of = next->data;
	symbolizer->lines_ops = next->ops;
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

/* Of the places those that were not asked for, looked up; to be released. */
static struct batch look_up(struct symbolizer *symbolizer, const struct module *module,
			    const uint64_t *offsets, size_t nr, struct symbol_store *store)
{
	struct batch batch = { module, store, xcalloc(nr + 1, sizeof(*offsets)),
			       xcalloc(nr + 1, sizeof(bool)), 0 };
	const struct symbol_line *lines;
	const struct symbol_file *file;

	if (!symbolizer_has_file(module) || !symbolizer->options.use_files)
		return batch;
	file = symbolizer_file(symbolizer, module);
	if (!file->ops)
		return batch;
	for (size_t i = 0; i < nr; i++) {
		batch.offsets[batch.nr] = offsets[i];
		if (!known_lines(symbolizer, module, offsets[i], &lines))
			batch.nr++;
	}
	if (batch.nr)
		qsort(batch.offsets, batch.nr, sizeof(*batch.offsets), compare_offsets);
	let_rest(symbolizer, file);
	file->ops->find_lines(file->data, batch.offsets, batch.nr, symbolizer->options.threads,
			      (struct source_lines_taker){ &batch, take_lines });
	return batch;
}

void symbolizer_prepare_lines(struct symbolizer *symbolizer, const struct module *module,
			      const uint64_t *offsets, size_t nr)
{
	struct batch batch = look_up(symbolizer, module, offsets, nr, symbolizer->found);

	for (size_t i = 0; i < batch.nr; i++) {
		if (!batch.told[i])
			symbol_store_add_lines(symbolizer->found, module, batch.offsets[i],
					       &nothing, 1);
	}
	symbol_store_ready(symbolizer->found);
	release_batch(&batch);
}

void symbolizer_add_lines(struct symbolizer *symbolizer, const struct module *module,
			  const uint64_t *offsets, size_t nr, struct symbol_store *store)
{
	struct batch batch;

	for (size_t i = 0; i < nr; i++) {
		const struct symbol_line *lines;
		size_t known = known_lines(symbolizer, module, offsets[i], &lines);

		if (known && is_something(lines))
			symbol_store_add_lines(store, module, offsets[i], lines, known);
	}
	batch = look_up(symbolizer, module, offsets, nr, store);
	release_batch(&batch);
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
