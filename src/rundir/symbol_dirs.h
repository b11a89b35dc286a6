/*
 * Folders with debug information of a run's compilers, for the symbol path of other tools.
 */
#ifndef RUNDIR_SYMBOL_DIRS_H
#define RUNDIR_SYMBOL_DIRS_H

#include "model/process.h"
#include "util/strvec.h"

/*
 * Append the folders of the rustc and rustdoc programs that ran, each once, by start time. If `processes` is empty, append
 * the stage 1 folder in the checkout `source` (may be NULL) instead.
 */
void symbol_dirs_add(const struct process_list *processes, const char *source, struct strvec *dirs);

#endif
