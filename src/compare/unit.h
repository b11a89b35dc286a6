/*
 * What joins the processes of two builds: role, stage of the compiler, part, crate, crate type, target, and the number
 * among those that are equal in all of these, by start.
 */
#ifndef COMPARE_UNIT_H
#define COMPARE_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include "compare/comparison.h"
#include "model/process.h"

enum unit_text {
	UNIT_ROLE,
	UNIT_PART,
	UNIT_CRATE,
	UNIT_CRATE_TYPE,
	UNIT_BUILT_BY,
	UNIT_TARGET,
	UNIT_ORDINAL,
	UNIT_TEXTS
};

/*
 * The keys of the processes of a list, which is sorted by start, in a comparison of UNIT_TEXTS texts: by the place in the
 * list. The caller frees them.
 */
uint32_t *unit_keys(const struct process_list *list, struct comparison *comparison);

#endif
