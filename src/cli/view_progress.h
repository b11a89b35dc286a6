/*
 * The line that shows how far a view has read its trace: on stderr, if that is a terminal, once it has taken a second. It
 * is wiped before anything else is printed.
 */
#ifndef CLI_VIEW_PROGRESS_H
#define CLI_VIEW_PROGRESS_H

#include "util/progress.h"

/* The same for all traces that a command reads: the second begins with the first call. Borrowed. */
const struct progress *view_progress(void);

void view_progress_wipe(void);

/* From now on show no line. */
void view_progress_hide(void);

#endif
