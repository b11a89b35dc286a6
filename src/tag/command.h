/*
 * The command that a process really runs, without interpreters and wrappers: x.py for `python3 x.py`, and so on for
 * `env A=B rustc`, `sccache cc`, `sh -c '...'`, `powershell -File x.ps1`.
 */
#ifndef TAG_COMMAND_H
#define TAG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "tag/program.h"
#include "util/strvec.h"

struct command {
	enum program program;
	const char *path;  /* its file, as on the command line; never NULL */
	const char *alias; /* argv[0] if the executable is known separately; else NULL */
	/* The script or program that an interpreter runs, if it is not a known program; else NULL. */
	const char *script;
	const struct strvec *argv; /* has its arguments */
	size_t first;              /* index of its first argument */
	bool wrapped;              /* run by a wrapper or an interpreter */
	struct strvec split; /* arguments from the text of a shell's -c; `argv` then points to it */
};

/*
 * Find the command of a process. The result points into `exe` and `argv`, and perhaps into itself: do not copy or move
 * it. `exe` may be NULL or `argv` empty, but not both.
 */
void command_resolve(const char *exe, const struct strvec *argv, struct command *command);
void command_release(struct command *command);

#endif
