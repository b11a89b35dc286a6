/*
 * Modules: executables, libraries, the kernel; told apart by build id, else by path and kind.
 */
#ifndef MODEL_MODULE_H
#define MODEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

enum module_kind {
	MODULE_FILE,   /* of PE files also those of the kernel; offsets from its base */
	MODULE_KERNEL, /* [kernel.kallsyms], [ext4]; offsets from the start of its text */
	MODULE_VDSO,
	MODULE_ANON,    /* code that no file has: //anon, JIT, [heap]; offsets are addresses */
	MODULE_UNKNOWN, /* of addresses that nothing is mapped at; see FRAME_UNKNOWN */
};

/* The same in every trace for an address without a module. */
#define MODULE_ID_UNKNOWN 0u

struct module {
	enum module_kind kind;
	char *path; /* as first mapped, without " (deleted)"; "[kernel.kallsyms]", "//anon", "[unknown]" */
	const char *name; /* of what is a file the last component, else all; points into `path` */
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length; /* 0: none */
	uint64_t base;     /* MODULE_KERNEL: where its text is */
	bool kernel;       /* its code is the kernel's */
	char *debug_path;  /* see trace_map */
};

struct module_table {
	struct module *v; /* by module id; v[0] is the unknown one */
	size_t nr, alloc;
	struct module_index *index;
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/*
 * The module of what is mapped, added where it is new. Names of what is no file are perf's: "//anon" (also for
 * ""), "[heap]", "[stack]", "/dev/zero", "/anon_hugepage", "/memfd:...", "/SYSV...", "[vdso]".
 */
uint32_t module_table_intern(struct module_table *table, const struct trace_map *map);

/* The bytes of what is mapped from a file that are its path: without " (deleted)". */
size_t module_path_length(const char *mapped);

/* The offset in its module of the first byte of what is mapped. */
uint64_t module_table_offset(const struct module_table *table, uint32_t module,
			     const struct trace_map *map);

/* The length of a build id without the zeros at its end: who wrote it may have padded it, or dropped them. */
size_t module_id_trim(const uint8_t *id, size_t nr);

/* Build ids, equal but for zeros at the end: perf fills up short ones. Two without an id are not. */
bool module_id_equal(const uint8_t *a, size_t a_nr, const uint8_t *b, size_t b_nr);

#endif
