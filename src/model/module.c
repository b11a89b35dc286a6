#include "model/module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/fnv.h"
#include "util/text.h"

#define KERNEL  "[kernel.kallsyms]"
#define DELETED " (deleted)"

/* Open addressing; 0, which is never looked up, is a free place. */
struct module_index {
	uint32_t *v;
	size_t alloc; /* a power of two */
};

/* What tells a module from others. */
struct key {
	enum module_kind kind;
	const char *path;
	size_t path_nr;
	const uint8_t *id;
	size_t id_nr;  /* as module_id_trim() gives it */
	size_t id_all; /* with the zeros at its end */
};

static size_t hash_key(const struct key *key)
{
	uint64_t hash = FNV_FIRST + key->kind;

	if (key->id_nr)
		hash = fnv_add(hash, key->id, key->id_nr);
	else
		hash = fnv_add(hash, key->path, key->path_nr);
	return (size_t)(hash ^ hash >> 32);
}

static bool is_module(const struct module *module, const struct key *key)
{
	if (module->kind != key->kind ||
	    module_id_trim(module->id, module->id_length) != key->id_nr)
		return false;
	if (key->id_nr)
		return !memcmp(module->id, key->id, key->id_nr);
	return !strncmp(module->path, key->path, key->path_nr) && !module->path[key->path_nr];
}

static struct key key_of(const struct module *module)
{
	return (struct key){ .kind = module->kind,
			     .path = module->path,
			     .path_nr = strlen(module->path),
			     .id = module->id,
			     .id_nr = module_id_trim(module->id, module->id_length) };
}

/* What is in brackets is of no file, nor are these; see is_anon_memory() in perf's tools/perf/util/map.c. */
static bool is_anon(const char *path)
{
	static const char *const prefixes[] = {
		"[", "//anon", "/anon_hugepage", "/dev/zero", "/memfd:", "/SYSV", "anon_inode:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (text_starts_with(path, prefixes[i]))
			return true;
	return !*path;
}

static enum module_kind kind_of(const struct trace_map *map)
{
	if (map->pe)
		return MODULE_FILE;
	if (map->kernel)
		return MODULE_KERNEL;
	if (text_starts_with(map->path, "[vdso"))
		return MODULE_VDSO;
	return is_anon(map->path) ? MODULE_ANON : MODULE_FILE;
}

static bool is_whole_kernel(const struct trace_map *map)
{
	return map->kernel && text_starts_with(map->path, KERNEL);
}

size_t module_path_length(const char *mapped)
{
	size_t nr = strlen(mapped);

	return nr > strlen(DELETED) && text_ends_with(mapped, DELETED) ? nr - strlen(DELETED) : nr;
}

static struct key key_of_map(const struct trace_map *map)
{
	struct key key = {
		.kind = kind_of(map),
		.path = *map->path ? map->path : "//anon",
		.id = map->id,
		.id_all = map->id_length < MODULE_ID_MAX ? map->id_length : MODULE_ID_MAX,
	};

	key.id_nr = module_id_trim(key.id, key.id_all);

	if (is_whole_kernel(map))
		key.path = KERNEL; /* "_text" behind it says which symbol the map's offset is */
	key.path_nr = module_path_length(key.path);
	return key;
}

/* The id's place, or the free one where it would go. */
static uint32_t *probe(const struct module_table *table, const struct key *key)
{
	const struct module_index *index = table->index;
	size_t i = hash_key(key) & (index->alloc - 1);

	while (index->v[i] && !is_module(&table->v[index->v[i]], key))
		i = (i + 1) & (index->alloc - 1);
	return &index->v[i];
}

static void grow_index(struct module_table *table)
{
	struct module_index *index = table->index;

	free(index->v);
	index->alloc = index->alloc ? index->alloc * 2 : 64;
	index->v = xcalloc(index->alloc, sizeof(*index->v));
	for (size_t i = 1; i < table->nr; i++) {
		struct key key = key_of(&table->v[i]);

		*probe(table, &key) = (uint32_t)i;
	}
}

static struct module *add_module(struct module_table *table, const struct key *key)
{
	struct module *module;

	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	module = &table->v[table->nr++];
	*module = (struct module){
		.kind = key->kind,
		.path = xstrndup(key->path, key->path_nr),
		.id_length = (uint8_t)(key->id_nr ? key->id_all : 0),
	};
	if (key->id_nr)
		memcpy(module->id, key->id, key->id_all);
	module->name = module->path;
	if (key->kind == MODULE_FILE || (key->kind == MODULE_KERNEL && module->path[0] == '/'))
		module->name = text_file_name(module->path);
	return module;
}

void module_table_init(struct module_table *table)
{
	static const char unknown[] = "[unknown]";
	const struct key key = { .kind = MODULE_UNKNOWN,
				 .path = unknown,
				 .path_nr = strlen(unknown) };

	*table = (struct module_table){ .index = xcalloc(1, sizeof(*table->index)) };
	add_module(table, &key);
	grow_index(table);
}

void module_table_release(struct module_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		free(table->v[i].path);
		free(table->v[i].debug_path);
	}
	free(table->v);
	if (table->index)
		free(table->index->v);
	free(table->index);
	*table = (struct module_table){ .v = NULL };
}

/* perf's map of the kernel has the address of _text, as the kernel told it, in place of an offset. */
static uint64_t base_of(const struct trace_map *map)
{
	if (!map->kernel)
		return 0;
	return is_whole_kernel(map) && map->offset ? map->offset : map->address;
}

uint32_t module_table_intern(struct module_table *table, const struct trace_map *map)
{
	struct key key = key_of_map(map);
	uint32_t *place = probe(table, &key);
	struct module *module;

	if (!*place) {
		if ((table->nr + 1) * 2 > table->index->alloc) {
			grow_index(table);
			place = probe(table, &key);
		}
		*place = (uint32_t)table->nr;
		module = add_module(table, &key);
		module->base = key.kind == MODULE_KERNEL ? base_of(map) : 0;
		module->kernel = map->kernel;
		module->debug_path = xstrdup_or_null(map->debug_path);
	}
	return *place;
}

uint64_t module_table_offset(const struct module_table *table, uint32_t module,
			     const struct trace_map *map)
{
	switch (table->v[module].kind) {
	case MODULE_KERNEL:
		/* A module that is loaded again is at another place. */
		return map->address - base_of(map);
	case MODULE_ANON:
		return map->address;
	default:
		return map->offset;
	}
}

size_t module_id_trim(const uint8_t *id, size_t nr)
{
	while (nr && !id[nr - 1])
		nr--;
	return nr;
}

bool module_id_equal(const uint8_t *a, size_t a_nr, const uint8_t *b, size_t b_nr)
{
	size_t nr = a_nr < b_nr ? a_nr : b_nr;

	return nr && !memcmp(a, b, nr) && !module_id_trim(a + nr, a_nr - nr) &&
	       !module_id_trim(b + nr, b_nr - nr);
}
