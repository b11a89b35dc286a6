/*
 * Known programs by file name: one table with the names on Linux and on Windows.
 */
#ifndef TAG_PROGRAM_H
#define TAG_PROGRAM_H

#include "tag/path.h"

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

/* The program of a file name; case, version suffix and target prefix do not matter. */
enum program program_named(struct span file);

#endif
