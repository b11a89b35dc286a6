/*
 * What the options of rustc, of C compilers, linkers and archivers say about the job at hand.
 * Strings in the results point into the arguments.
 */
#ifndef TAG_ARGV_H
#define TAG_ARGV_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strvec.h"

struct rustc_options {
	const char *crate_name;
	const char *source; /* the input file; "-" for standard input */
	const char *out_dir;
	const char *output;
	const char *target;
	const char *sysroot;
	bool asks;          /* --version, --print, --explain: answers and ends */
	bool version;       /* -vV, exactly: what the shim looks for */
	bool cfg_bootstrap; /* the compiler is stage 0 */
	bool emits;         /* there is an --emit */
	bool emits_link;    /* ... with "link" in it */
	bool unread;        /* an @file that nobody read */
};

/* Read the arguments of rustc, rustdoc or the shim from index `first` on. */
struct rustc_options rustc_options_scan(const struct strvec *argv, size_t first);

/* All --crate-type values joined by ",", in order; the caller frees it. NULL where there is none. */
char *rustc_crate_types(const struct strvec *argv, size_t first);

/* How a tool's options are spelled. */
enum spelling { SPELLING_UNIX, SPELLING_MSVC };

struct tool_options {
	const char *output; /* -o X, /OUT:X, /FoX */
	bool asks;          /* --version, -print-..., -?: answers and ends */
	bool compiles;      /* -c or -S: stops before the linker */
	bool preprocesses;  /* -E, -M, -fsyntax-only: makes text or nothing */
	bool inputs;        /* at least one file to work on */
	bool cc1;           /* clang -cc1, clang -cc1as */
	bool lib;           /* link.exe /lib: an archiver */
	bool unread;        /* an @file that nobody read */
};

/* Read the arguments of a C compiler or a linker. */
struct tool_options tool_options_scan(const struct strvec *argv, size_t first,
				      enum spelling spelling);

/* As above, of ar, ranlib or lib.exe. */
struct tool_options archiver_options_scan(const struct strvec *argv, size_t first);

/* The value of an option such as --manifest-path, as one argument with = or as two; NULL where absent. */
const char *argv_value(const struct strvec *argv, size_t first, const char *option);

#endif
