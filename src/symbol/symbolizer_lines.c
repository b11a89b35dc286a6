#include <stdlib.h>

#include "platform/helper.h"
#include "platform/thread.h"
#include "symbol/symbolizer_modules.h"

/* Modules whose places are looked up: those with the most first. */
struct search {
	struct module_places *v;
	size_t begin, end; /* of those that nobody has taken yet */
	struct symbolizer *symbolizer;
	struct symbol_store *store;
	struct monitor *monitor; /* in which both are */
};

/* One of them. */
struct taking {
	const struct search *search;
	const struct module_places *places;
};

static void take_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	const struct taking *taking = data;

	monitor_enter(taking->search->monitor);
	symbol_store_add_lines(taking->search->store, taking->places->module,
			       taking->places->offsets[index], lines, nr);
	monitor_leave(taking->search->monitor);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Several threads may look at different modules. */
static void find_lines(const struct search *search, struct module_places *places,
		       struct helper *helper)
{
	struct taking taking = { search, places };
	struct symbol_file file;

	monitor_enter(search->monitor);
	file = *symbolizer_file(search->symbolizer, places->module);
	monitor_leave(search->monitor);
	if (!file.ops)
		return;
	qsort(places->offsets, places->nr, sizeof(*places->offsets), compare_offsets);
	file.ops->find_lines(file.data, places->offsets, places->nr, helper,
			     (struct source_lines_taker){ &taking, take_lines });
}

/* The one with the most places, or the fewest; NULL: all are taken. */
static struct module_places *next_module(struct search *search, bool most)
{
	struct module_places *next = NULL;

	monitor_enter(search->monitor);
	if (search->begin < search->end)
		next = most ? &search->v[search->begin++] : &search->v[--search->end];
	monitor_leave(search->monitor);
	return next;
}

static void find_smallest(void *data)
{
	struct search *search = data;
	struct module_places *next;

	while ((next = next_module(search, false)))
		find_lines(search, next, NULL);
}

/* Most places are in one module or two: once the small ones are done, the helper has a part of these. */
static void find_all(struct search *search)
{
	struct helper *helper = helper_new(search->symbolizer->options.threads);
	struct module_places *next;

	helper_offer(helper, find_smallest, search);
	while ((next = next_module(search, true)))
		find_lines(search, next, helper);
	helper_take_back(helper, search);
	helper_free(helper);
}

static int compare_sizes(const void *a, const void *b)
{
	const struct module_places *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return (x->module > y->module) - (x->module < y->module);
}

void symbolizer_add_lines(struct symbolizer *symbolizer, struct module_places *places, size_t nr,
			  struct symbol_store *store)
{
	struct search search = { .v = places, .symbolizer = symbolizer, .store = store };

	if (!nr || !symbolizer->options.use_files)
		return;
	for (size_t i = 0; i < nr; i++) {
		if (!symbolizer_has_file(places[i].module))
			places[i].nr = 0;
	}
	qsort(places, nr, sizeof(*places), compare_sizes);
	search.end = nr;
	while (search.end && !places[search.end - 1].nr)
		search.end--;
	search.monitor = monitor_new();
	find_all(&search);
	monitor_free(search.monitor);
}
