/*
 * The facts about a recording, as `system` and `report` show them.
 */
#ifndef CLI_VIEW_SYSTEM_H
#define CLI_VIEW_SYSTEM_H

#include "cli/view_run.h"
#include "report/system_view.h"

/* Add what the manifest and the processes of a run say; nothing for a bare trace. */
void view_system_add_run(struct system_rows *rows, const struct view_run *run);

/* Add what the trace says, after it was played. */
void view_system_add_trace(struct system_rows *rows, const struct trace_facts *facts);

#endif
