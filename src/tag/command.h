/*
 * The command that a process runs, looked up behind interpreters and wrappers: python3 x.py,
 * env A=B rustc, sccache cc, sh -c '...', powershell -File x.ps1.
 */
#ifndef TAG_COMMAND_H
#define TAG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "tag/program.h"
#include "util/strvec.h"

struct command {
	enum program program;
	const char *path;  /* its file, as written; never NULL */
	const char *alias; /* argv[0], where it may name another file than `path`; or NULL */
	/* What an interpreter runs, where that is no program we know; or NULL. */
	const char *script;
	const struct strvec *argv; /* where its arguments are */
	size_t first;              /* index of the first of them */
	bool behind;               /* a wrapper or an interpreter runs it */
	struct strvec split;       /* holds `argv` where a shell's -c was split */
};

/*
 * What executable and arguments come to; the result points into both, and stays where it is (`argv` may
 * point to `split`). `exe` may be NULL, `argv` empty, not both.
 */
void command_resolve(const char *exe, const struct strvec *argv, struct command *command);
void command_release(struct command *command);

#endif
