/*
 * Directories with debug information of a run's compilers, for the symbol path of other tools.
 */
#ifndef RUNDIR_SYMBOL_DIRS_H
#define RUNDIR_SYMBOL_DIRS_H

#include "model/process.h"
#include "util/strvec.h"

/*
 * Append the directories of the rustc and rustdoc programs that ran, each once, by start time, 64 at most. If `processes`
 * is empty, append the stage 1 directory in the checkout `source` (may be NULL) instead.
 */
void symbol_dirs_add(const struct process_list *processes, const char *source, struct strvec *dirs);

/* The kind of a directory that a run names, as a part of a symbol path of Windows' tools. */
enum symbol_dir_kind {
	SYMBOL_DIR_LOCAL, /* a directory of this machine */
	SYMBOL_DIR_OTHER, /* a share, a symbol server, or more than one part: this machine would contact another one */
	SYMBOL_DIR_NONE, /* no directory of Windows, as it has characters that names there cannot have */
};

enum symbol_dir_kind symbol_dir_kind(const char *dir);

#endif
