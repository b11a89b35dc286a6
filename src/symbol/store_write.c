#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "symbol/store_content.h"
#include "util/array.h"
#include "util/strbuf.h"

static void add_string(struct strbuf *sb, const char *s)
{
	size_t plain;

	for (; *s; s += plain) {
		plain = strcspn(s, "\\\t\n");
		strbuf_add(sb, s, plain);
		if (s[plain]) {
			strbuf_addc(sb, '\\');
			strbuf_addc(sb, s[plain] == '\t' ? 't' : s[plain] == '\n' ? 'n' : '\\');
			plain++;
		}
	}
}

static void add_digits(struct strbuf *sb, uint64_t value, unsigned base)
{
	char digits[24], *at = digits + sizeof(digits);

	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	strbuf_add(sb, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_head(struct strbuf *sb, const char *head)
{
	strbuf_addf(sb, "%s %d\n", head, STORE_VERSION);
}

static void add_module(struct strbuf *sb, const struct symbol_store *store, size_t index)
{
	const struct module_key *key = &store->keys.v[index];

	strbuf_adds(sb, "module\t");
	for (size_t i = 0; i < key->id_nr; i++)
		strbuf_addf(sb, "%02x", key->id[i]);
	strbuf_adds(sb, key->id_nr ? "\t" : "-\t");
	add_string(sb, key->path);
	strbuf_adds(sb, store->modules[index].kernel ? "\tkernel\n" : "\n");
}

static int compare_keys(const void *a, const void *b)
{
	const struct module_key *const *x = a, *const *y = b;
	int rc = strcmp((*x)->path, (*y)->path);

	return rc ? rc : memcmp((*x)->id, (*y)->id, MODULE_ID_MAX);
}

/* By path, so that two runs compare well. */
static const struct module_key **sort_modules(const struct symbol_store *store)
{
	const struct module_key **v = xcalloc(store->keys.nr + 1, sizeof(*v));

	for (size_t i = 0; i < store->keys.nr; i++)
		v[i] = &store->keys.v[i];
	qsort(v, store->keys.nr, sizeof(*v), compare_keys);
	return v;
}

static void add_functions(struct strbuf *sb, const struct symbol_store *store, size_t index)
{
	const struct store_module *module = &store->modules[index];

	if (!module->functions_nr)
		return;
	add_module(sb, store, index);
	for (size_t i = 0; i < module->functions_nr; i++) {
		const struct store_function *function = &module->functions[i];

		add_digits(sb, function->start, 16);
		strbuf_addc(sb, '\t');
		add_digits(sb, function->end - function->start, 16);
		for (uint32_t k = 0; k < function->names_nr; k++) {
			strbuf_addc(sb, '\t');
			add_string(sb, function->names[k]);
		}
		strbuf_addc(sb, '\n');
	}
}

/* Strings by number, as they are met; the key is where they are. */
struct numbering {
	struct intmap map; /* to entries of `v` */
	uintptr_t next;
};

static void add_definition(struct strbuf *sb, struct numbering *numbering, const char *word,
			   const char *s)
{
	if (!s || intmap_get(&numbering->map, (int64_t)(uintptr_t)s))
		return;
	strbuf_addf(sb, "%s\t%" PRIuPTR "\t", word, numbering->next);
	add_string(sb, s);
	strbuf_addc(sb, '\n');
	numbering->next++;
	intmap_put(&numbering->map, (int64_t)(uintptr_t)s, (void *)numbering->next);
}

static void add_reference(struct strbuf *sb, const struct numbering *numbering, const char *s)
{
	if (s)
		add_digits(sb, (uintptr_t)intmap_get(&numbering->map, (int64_t)(uintptr_t)s) - 1,
			   10);
	else
		strbuf_addc(sb, '-');
	strbuf_addc(sb, ':');
}

static void add_places(struct strbuf *sb, const struct symbol_store *store, size_t index,
		       struct numbering *files, struct numbering *names)
{
	const struct store_module *module = &store->modules[index];

	if (!module->places_nr)
		return;
	add_module(sb, store, index);
	for (size_t i = 0; i < module->places_nr; i++) {
		const struct store_place *place = &module->places[i];

		for (uint32_t k = 0; k < place->lines_nr; k++) {
			add_definition(sb, files, "file", place->lines[k].file);
			add_definition(sb, names, "name", place->lines[k].function);
		}
		add_digits(sb, place->offset, 16);
		for (uint32_t k = 0; k < place->lines_nr; k++) {
			strbuf_addc(sb, '\t');
			add_reference(sb, names, place->lines[k].function);
			add_reference(sb, files, place->lines[k].file);
			add_digits(sb, place->lines[k].line, 10);
		}
		strbuf_addc(sb, '\n');
	}
}

/* Frames by module; `numbers` are those that they get in the file. */
static void add_frames(struct strbuf *sb, const struct symbol_store *store, uint32_t *numbers)
{
	const struct stack_table *stacks = &store->stacks;
	uint32_t next = STORE_FRAME_FIRST;
	size_t *counts = xcalloc(store->modules_nr + 2, sizeof(*counts));
	uint32_t *order = xcalloc(stacks->frames_nr, sizeof(*order));

	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		counts[stacks->frames[i].module + 1]++;
	for (size_t i = 1; i <= store->modules_nr; i++)
		counts[i + 1] += counts[i];
	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		order[counts[stacks->frames[i].module]++] = (uint32_t)i;
	for (size_t i = 0; i + FRAME_FIRST < stacks->frames_nr; i++) {
		const struct frame *frame = &stacks->frames[order[i]];

		if (!i || frame->module != stacks->frames[order[i - 1]].module)
			add_module(sb, store, frame->module - 1);
		strbuf_adds(sb, "frame\t");
		add_digits(sb, frame->offset, 16);
		strbuf_addc(sb, '\n');
		numbers[order[i]] = next++;
	}
	free(order);
	free(counts);
}

static void add_stacks(struct strbuf *sb, const struct symbol_store *store)
{
	const struct stack_table *stacks = &store->stacks;
	uint32_t *numbers = xcalloc(stacks->frames_nr, sizeof(*numbers));

	numbers[FRAME_TRUNCATED] = STORE_TRUNCATED;
	numbers[FRAME_NOT_SAMPLED] = STORE_NOT_SAMPLED;
	numbers[FRAME_UNKNOWN] = STORE_UNKNOWN;
	add_frames(sb, store, numbers);
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		strbuf_adds(sb, "stack\t");
		add_digits(sb, stacks->nodes[i].parent, 10);
		strbuf_addc(sb, '\t');
		add_digits(sb, numbers[stacks->nodes[i].frame], 10);
		strbuf_addc(sb, '\n');
	}
	for (size_t i = 0; i < store->copies_nr; i++) {
		strbuf_adds(sb, "copy\t");
		add_digits(sb, store->copies[i].id, 16);
		strbuf_addc(sb, '\t');
		add_digits(sb, store->copies[i].stack, 10);
		strbuf_adds(sb, store->copies[i].whole ? "\twhole\n" : "\tcut\n");
	}
	free(numbers);
}

void store_add_text(const struct symbol_store *store, const char *name, struct strbuf *sb)
{
	struct numbering files = { INTMAP_INIT, 0 }, names = { INTMAP_INIT, 0 };
	const struct module_key **keys = sort_modules(store);

	if (!strcmp(name, STORE_FUNCTIONS)) {
		add_head(sb, STORE_FUNCTIONS_HEAD);
		for (size_t i = 0; i < store->modules_nr; i++)
			add_functions(sb, store, (size_t)(keys[i] - store->keys.v));
	} else if (!strcmp(name, SYMBOL_STORE_LINES)) {
		add_head(sb, STORE_LINES_HEAD);
		for (size_t i = 0; i < store->modules_nr; i++)
			add_places(sb, store, (size_t)(keys[i] - store->keys.v), &files, &names);
	} else {
		add_head(sb, STORE_STACKS_HEAD);
		add_stacks(sb, store);
	}
	intmap_release(&files.map);
	intmap_release(&names.map);
	free(keys);
}

int symbol_store_write(struct symbol_store *store, const char *dir, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc = 0;

	symbol_store_ready(store);
	for (size_t i = 0; !rc && symbol_store_files[i]; i++) {
		char *path = fs_join(dir, symbol_store_files[i]);

		strbuf_clear(&sb);
		store_add_text(store, symbol_store_files[i], &sb);
		rc = fs_write_atomic(path, sb.buf, sb.len, err);
		free(path);
	}
	strbuf_release(&sb);
	return rc;
}
