/*
 * What people call modules whose names are the same: the rustc of two stages, the build scripts of all packages.
 */
#ifndef REPORT_MODULE_LABELS_H
#define REPORT_MODULE_LABELS_H

#include <stddef.h>

#include "model/module.h"

struct module_labels {
	char **v;      /* by module; NULL: no other has its name */
	char **briefs; /* the same of brief names */
	size_t nr;
};

#define MODULE_LABELS_INIT \
	{ \
		NULL, NULL, 0 \
	}

/*
 * As much of the end of the path as no other has, "stage1/bin/rustc"; of those that have one path the start of the
 * build id behind it, "rustc 1f2e3d4c".
 */
void module_labels_make(struct module_labels *labels, const struct module_table *modules);
void module_labels_release(struct module_labels *labels);

/* NULL: none is needed, or none were made. */
const char *module_labels_get(const struct module_labels *labels, size_t module);

/*
 * The brief name is the one without the hash of a crate's file, ".so" and version: how much of the name it is; and
 * where another module has the same, "librustc_driver-6108".
 */
size_t module_brief_length(const char *name);
const char *module_labels_brief(const struct module_labels *labels, size_t module);

#endif
