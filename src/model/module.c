#include "model/module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/key_hash.h"
#include "util/little_endian.h"
#include "util/text.h"

#define KERNEL  "[kernel.kallsyms]"
#define DELETED " (deleted)"

/* Identifies a module. */
struct key {
	enum module_kind kind;
	const char *path;
	size_t path_nr;
	const uint8_t *id;
	size_t id_nr;  /* as module_id_trim() gives it */
	size_t id_all; /* with the zeros at its end */
};

static uint64_t hash_key(const struct key *key)
{
	uint64_t hash = key_hash_first() + key->kind;

	if (key->id_nr)
		return key_hash_add(hash, key->id, key->id_nr);
	return key_hash_add(hash, key->path, key->path_nr);
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

/* Names of mappings without a file; see is_anon_memory() in perf's tools/perf/util/map.c. */
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

	/* A symbol such as "_text" may be appended: the map's offset is its address. */
	if (is_whole_kernel(map))
		key.path = KERNEL;
	key.path_nr = module_path_length(key.path);
	return key;
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

	*table = (struct module_table){ .v = NULL };
	add_module(table, &key); /* not in the index: no mapping has this module */
}

void module_table_release(struct module_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		free(table->v[i].path);
		free(table->v[i].debug_path);
	}
	free(table->v);
	hash_index_release(&table->index);
	*table = (struct module_table){ .v = NULL };
}

/* In perf's mapping of the kernel the offset is the address of _text. */
static uint64_t base_of(const struct trace_map *map)
{
	if (!map->kernel)
		return 0;
	return is_whole_kernel(map) && map->offset ? map->offset : map->address;
}

uint32_t module_table_intern(struct module_table *table, const struct trace_map *map)
{
	struct key key = key_of_map(map);
	uint64_t hash = hash_key(&key);
	struct module *module;
	uint32_t id;

	HASH_INDEX_FIND(id, &table->index, hash, i, is_module(&table->v[i], &key));
	if (id != HASH_INDEX_NONE)
		return id;
	id = (uint32_t)table->nr;
	hash_index_add(&table->index, hash, id);
	module = add_module(table, &key);
	module->base = key.kind == MODULE_KERNEL ? base_of(map) : 0;
	module->kernel = map->kernel;
	module->debug_path = xstrdup_or_null(map->debug_path);
	return id;
}

uint64_t module_table_offset(const struct module_table *table, uint32_t module,
			     const struct trace_map *map)
{
	switch (table->v[module].kind) {
	case MODULE_KERNEL:
		/* Not module->base: a module that is loaded again has another address. */
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

char *module_symbol_id(const uint8_t *id)
{
	return xasprintf("%08X%04X%04X%02X%02X%02X%02X%02X%02X%02X%02X%X", le_get32(id),
			 le_get16(id + 4), le_get16(id + 6), id[8], id[9], id[10], id[11], id[12],
			 id[13], id[14], id[15], le_get32(id + 16));
}
