/*
 * Modules: executables, libraries, the kernel. A module is identified by its kind and build id or, without one, its kind
 * and path.
 */
#ifndef MODEL_MODULE_H
#define MODEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "util/hash_index.h"

enum module_kind {
	MODULE_FILE, /* a file, also PE files of the Windows kernel; offsets in the file, PE: from the image base */
	MODULE_KERNEL, /* [kernel.kallsyms], [ext4]; offsets from the start of its text */
	MODULE_VDSO,
	MODULE_ANON, /* code that is not from a file: //anon, JIT, [heap]; offsets are addresses */
	MODULE_UNKNOWN, /* for addresses where nothing is mapped; see FRAME_UNKNOWN */
};

/* The module id of MODULE_UNKNOWN, in all tables. */
#define MODULE_ID_UNKNOWN 0u

struct module {
	enum module_kind kind;
	char *path; /* as first mapped, without " (deleted)"; "[kernel.kallsyms]", "//anon", "[unknown]" */
	/* The file name, or all of `path` if it is not a file; points into `path`. */
	const char *name;
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length; /* 0: none */
	uint64_t base;     /* MODULE_KERNEL: the address of its text when it was first mapped */
	bool kernel;       /* it has kernel code */
	char *debug_path;  /* see trace_map */
};

struct module_table {
	struct module *v; /* by module id; v[0] is the unknown one */
	size_t nr, alloc;
	struct hash_index index;
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/*
 * The module id of a mapping; the module is added if it is new. Mappings without a file have perf's names: "//anon"
 * (or ""), "[heap]", "[stack]", "/dev/zero", "/anon_hugepage", "/memfd:...", "/SYSV...", "[vdso]".
 */
uint32_t module_table_intern(struct module_table *table, const struct trace_map *map);

/* The length of the path in the name of a mapping: without " (deleted)". */
size_t module_path_length(const char *mapped);

/* The offset in the module of the first byte of a mapping. */
uint64_t module_table_offset(const struct module_table *table, uint32_t module,
			     const struct trace_map *map);

/* The length of a build id without trailing zeros, which some programs add as padding and others remove. */
size_t module_id_trim(const uint8_t *id, size_t nr);

/* Whether two build ids are equal, trailing zeros ignored: perf pads short ones. False if one is empty. */
bool module_id_equal(const uint8_t *a, size_t a_nr, const uint8_t *b, size_t b_nr);

/*
 * The id of a PDB, of MODULE_ID_MAX bytes, as symbol servers and stores write it: "3DE8368D531A454185A544D4A7DA394D1". The
 * caller frees it.
 */
char *module_symbol_id(const uint8_t *id);

#endif
