/*
 * How near the limits of memory came while a build ran: rows of `system` and `why`.
 */
#ifndef CLI_VIEW_LIMITS_H
#define CLI_VIEW_LIMITS_H

#include "report/system_view.h"
#include "rundir/manifest.h"

/* Add what is known to a section. */
void view_limits_add(struct system_rows *rows, const char *section,
		     const struct manifest_memory *memory);

#endif
