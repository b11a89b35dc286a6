/*
 * Any bytes as one of the files of symbols/: the contents can be looked up, and are the same after they are written and
 * read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/store_content.h"
#include "symbol/symbol_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_functions(const struct symbol_store *store, size_t index)
{
	const struct module_key *key = &store->keys.v[index];
	struct module module = { .path = key->path, .name = key->path, .id_length = key->id_nr };
	const struct store_module *content = &store->modules[index];
	const struct symbol_line *lines;
	struct symbol symbol;

	memcpy(module.id, key->id, sizeof(module.id));
	for (size_t i = 0; i < content->functions_nr; i++) {
		if (!symbol_store_find(store, &module, content->functions[i].start, &symbol) ||
		    !*symbol.name || symbol.end <= symbol.start)
			abort();
	}
	for (size_t i = 0; i < content->places_nr; i++) {
		if (!symbol_store_lines(store, &module, content->places[i].offset, &lines))
			abort();
	}
}

static void ask_stacks(struct symbol_store *store)
{
	struct machine machine = { .rows = NULL };
	bool complete;

	module_table_init(&machine.modules);
	stack_table_init(&machine.stacks);
	for (size_t i = 0; i < store->copies_nr; i++) {
		uint32_t stack =
			symbol_store_stack(store, &machine, store->copies[i].id, &complete);

		if ((stack == STACK_EMPTY) != (store->copies[i].stack == STACK_EMPTY) ||
		    stack >= machine.stacks.nodes_nr || complete != store->copies[i].complete)
			abort();
	}
	module_table_release(&machine.modules);
	stack_table_release(&machine.stacks);
}

static void round_trip(const struct symbol_store *store, const char *name)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct symbol_store *again = symbol_store_new();
	struct err err = ERR_INIT;
	uint64_t damaged;

	store_add_text(store, name, &first);
	if (symbol_store_parse(again, name, first.buf, first.len, &damaged, &err) || damaged)
		abort();
	store_add_text(again, name, &second);
	if (first.len != second.len || memcmp(first.buf, second.buf, first.len))
		abort();
	strbuf_release(&first);
	strbuf_release(&second);
	symbol_store_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; symbol_store_files[i]; i++) {
		struct symbol_store *store = symbol_store_new();
		struct err err = ERR_INIT;
		uint64_t damaged;

		if (symbol_store_parse(store, symbol_store_files[i], (const char *)data, size,
				       &damaged, &err)) {
			err_clear(&err);
		} else {
			for (size_t k = 0; k < store->modules_nr; k++)
				ask_functions(store, k);
			ask_stacks(store);
			round_trip(store, symbol_store_files[i]);
		}
		symbol_store_free(store);
	}
	return 0;
}
