/*
 * The command that a process really runs, without interpreters and wrappers: x.py for `python3 x.py`, and so on for
 * `env A=B rustc`, `sccache cc`, `sh -c '...'`, `powershell -File x.ps1`.
 */
#ifndef TAG_COMMAND_H
#define TAG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strvec.h"

/* Known programs, by file names on Linux and on Windows. */
enum program {
	PROGRAM_UNKNOWN,
	PROGRAM_RUSTC,
	PROGRAM_RUSTDOC,
	PROGRAM_CARGO,
	PROGRAM_BOOTSTRAP,
	PROGRAM_X_PY,
	PROGRAM_BUILD_SCRIPT,
	PROGRAM_CC,          /* a driver: compiles or links */
	PROGRAM_CC_MSVC,     /* cl.exe, clang-cl */
	PROGRAM_CC_PASS,     /* cc1, as: run by a driver to compile */
	PROGRAM_LINKER,      /* ld, lld, collect2 */
	PROGRAM_LINKER_MSVC, /* link.exe, lld-link */
	PROGRAM_LINK_STEP,   /* strip, dsymutil: processes a linker's output */
	PROGRAM_AR,
	PROGRAM_CMAKE,
	PROGRAM_QUERY, /* llvm-config, nm: only prints information */
	PROGRAM_GIT,
	PROGRAM_SHELL,
	PROGRAM_POWERSHELL,
	PROGRAM_CMD,
	PROGRAM_PYTHON,
	PROGRAM_ENV,
	PROGRAM_CACHE,    /* sccache, ccache: runs the compiler in its arguments */
	PROGRAM_CACHE_CL, /* sccache-plus-cl: its arguments are those of cl.exe */
	PROGRAM_PROXY,    /* rustup: argv[0] says which program it runs */
	PROGRAM_SYSTEM,   /* shell and system tools */
	PROGRAM_RECORDER, /* perf, wpr, strace, stagetrace */
	PROGRAM_HELPER, /* mspdbsrv and other services, which outlive the process that started them */
	PROGRAM_GENERATOR /* llvm-tblgen */
};

/* The program of a path by its file name; case, version suffix and target prefix do not matter. */
enum program program_of(const char *path);

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
