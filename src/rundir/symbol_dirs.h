/*
 * Directories with debug information of a run's compilers, for the symbol path of other tools.
 */
#ifndef RUNDIR_SYMBOL_DIRS_H
#define RUNDIR_SYMBOL_DIRS_H

#include <stdbool.h>

#include "model/process.h"
#include "util/strvec.h"

/*
 * Append the directories of the rustc and rustdoc programs that ran, each once, by start time, 64 at most. If `processes`
 * is empty, append the stage 1 directory in the checkout `source` (may be NULL) instead.
 */
void symbol_dirs_add(const struct process_list *processes, const char *source, struct strvec *dirs);

/* The places of what a build made: directories, and those of compilers, where only rustc's own files count. */
struct build_places {
	struct strvec dirs, sysroots;
};

#define BUILD_PLACES_INIT \
	{ \
		STRVEC_INIT, STRVEC_INIT \
	}

/*
 * Find them: the checkout `source` (NULL: the directory in which the first of `processes` was started), the directories of
 * bootstrap, cargo and build scripts, and the compilers that ran. At most 64 of each.
 */
void build_places_add(struct build_places *places, const struct process_list *processes,
		      const char *source);
void build_places_release(struct build_places *places);

/* Whether the file at a path, with the separators of any system, was made by the build or is part of its compiler. */
bool build_places_has(const struct build_places *places, const char *path);

/* The kind of a directory that a run names, as a part of a symbol path of Windows' tools. */
enum symbol_dir_kind {
	SYMBOL_DIR_LOCAL, /* a directory of this machine, absolute */
	SYMBOL_DIR_OTHER, /* relative, a share, a symbol server, several parts: another machine may be contacted */
	SYMBOL_DIR_NONE, /* no directory of Windows, as it has characters that names there cannot have */
};

enum symbol_dir_kind symbol_dir_kind(const char *dir);

#endif
