/*
 * Labels that distinguish modules with equal names: the rustc of two stages, the build scripts of all packages.
 */
#ifndef REPORT_MODULE_LABELS_H
#define REPORT_MODULE_LABELS_H

#include <stddef.h>

#include "model/module.h"

struct module_labels {
	char **v;      /* by module; NULL: its name is unique */
	char **briefs; /* the same for brief names */
	size_t nr;
};

#define MODULE_LABELS_INIT \
	{ \
		NULL, NULL, 0 \
	}

/*
 * A label is the shortest end of the path that no other module has, "stage1/bin/rustc"; for modules with equal paths the
 * name and the start of the build id, "rustc 1f2e3d4c".
 */
void module_labels_make(struct module_labels *labels, const struct module_table *modules);
void module_labels_release(struct module_labels *labels);

/* The label of a module; NULL: its name is unique, or no labels were made. */
const char *module_labels_get(const struct module_labels *labels, size_t module);

/*
 * The brief name of a module is its name without hash, ".so" and version. module_brief_length() returns its length.
 * module_labels_brief() returns a label if another module has the same brief name, "librustc_driver-6108"; else NULL.
 */
size_t module_brief_length(const char *name);
const char *module_labels_brief(const struct module_labels *labels, size_t module);

#endif
