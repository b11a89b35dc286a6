/*
 * Where the debug information of a run's compilers was, for tools that look for it themselves.
 */
#ifndef RUNDIR_SYMBOL_DIRS_H
#define RUNDIR_SYMBOL_DIRS_H

#include "model/process.h"
#include "util/strvec.h"

/*
 * Append the folders that rustc and rustdoc ran from, each once, in the order of their start. Where no process tells:
 * that of stage 1 in the checkout `source` (may be NULL).
 */
void symbol_dirs_add(const struct process_list *processes, const char *source, struct strvec *dirs);

#endif
