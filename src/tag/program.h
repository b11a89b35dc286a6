/*
 * Which tool a file name stands for: one table for Linux and Windows spellings alike.
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
	PROGRAM_CC_PASS,     /* cc1, as: what a driver runs to compile */
	PROGRAM_LINKER,      /* ld, lld, collect2 */
	PROGRAM_LINKER_MSVC, /* link.exe, lld-link */
	PROGRAM_LINK_STEP,   /* strip, dsymutil: finishes what a linker wrote */
	PROGRAM_AR,
	PROGRAM_CMAKE,
	PROGRAM_ASKER, /* llvm-config, nm: only ever answers */
	PROGRAM_GIT,
	PROGRAM_SHELL,
	PROGRAM_POWERSHELL,
	PROGRAM_CMD,
	PROGRAM_PYTHON,
	PROGRAM_ENV,
	PROGRAM_CACHE,    /* sccache, ccache: runs the compiler that follows */
	PROGRAM_CACHE_CL, /* sccache-plus-cl: the arguments are cl.exe's */
	PROGRAM_PROXY,    /* rustup: argv[0] says what it stands for */
	PROGRAM_SYSTEM,   /* shell and system tools */
	PROGRAM_RECORDER, /* perf, wpr, stagetrace */
	PROGRAM_HELPER,   /* mspdbsrv and the like: outlive who started them */
	PROGRAM_GENERATOR /* llvm-tblgen */
};

/* By file name alone, whatever its case, version suffix or target prefix. */
enum program program_named(struct span file);

#endif
