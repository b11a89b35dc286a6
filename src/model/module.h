/*
 * Modules: executables, libraries, the kernel; told apart by build id, else by path.
 */
#ifndef MODEL_MODULE_H
#define MODEL_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

enum module_kind {
	MODULE_FILE,
	MODULE_KERNEL, /* [kernel.kallsyms]; offsets from the start of its text */
	MODULE_VDSO,
	MODULE_ANON,    /* code that no file has: //anon, JIT, [heap]; offsets are addresses */
	MODULE_UNKNOWN, /* an address that nothing is mapped at; offsets are addresses */
};

/* The same in every trace for an address without a module. */
#define MODULE_ID_UNKNOWN 0u

struct module {
	enum module_kind kind;
	char *path;       /* as mapped */
	const char *name; /* its last component; points into `path` */
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length; /* 0: none */
	uint64_t base;     /* kernel: where its text is */
};

struct module_table {
	struct module *v; /* by module id; v[0] is the unknown one */
	size_t nr, alloc;
	struct module_index *index;
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/* The module of what is mapped, added where it is new. */
uint32_t module_table_intern(struct module_table *table, const struct trace_map *map);

#endif
