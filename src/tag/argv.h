/*
 * Parses command lines of rustc, C compilers, linkers and archivers, as far as tags need them.
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
	bool asks;          /* --version, --print, --explain: prints something and exits */
	bool version;       /* -vV, which the shim handles separately */
	bool cfg_bootstrap; /* --cfg bootstrap: the compiler is stage 0 */
	bool emits;         /* has --emit */
	bool emits_link;    /* ... with "link" among its values */
	bool unread;        /* has an @file whose contents are unknown */
};

/* Parse the arguments of rustc, rustdoc or the shim, from index `first` on. */
struct rustc_options rustc_options_scan(const struct strvec *argv, size_t first);

/* All --crate-type values joined by ",", in order; the caller frees it. NULL: none. */
char *rustc_crate_types(const struct strvec *argv, size_t first);

/*
 * Whether rustc was told to make one codegen unit, `-C codegen-units=1`, and not to analyse in threads, `-Z threads=8`:
 * none of its threads race.
 */
bool rustc_is_sequential(const struct strvec *argv, size_t first);

/* Syntax of a tool's options. */
enum spelling { SPELLING_UNIX, SPELLING_MSVC };

struct tool_options {
	const char *output; /* -o X, /OUT:X, /FoX */
	bool asks;          /* --version, -print-..., -?: prints something and exits */
	bool compiles;      /* -c or -S: does not link */
	bool preprocesses;  /* -E, -M, -fsyntax-only: writes text or nothing */
	bool inputs;        /* has at least one input file */
	bool cc1;           /* clang -cc1, clang -cc1as */
	bool lib;           /* link.exe /lib: works as an archiver */
	bool unread;        /* has an @file whose contents are unknown */
};

/* Parse the arguments of a C compiler or a linker. */
struct tool_options tool_options_scan(const struct strvec *argv, size_t first,
				      enum spelling spelling);

/* Parse the arguments of ar, ranlib or lib.exe. */
struct tool_options archiver_options_scan(const struct strvec *argv, size_t first);

/* Whether this argument of rustc takes the next one as its value. */
bool rustc_takes_next(const char *arg);

/*
 * The value of `option` if argv[*i] is this option, else NULL. The value follows "=", or is the next argument, to which
 * `*i` is then advanced. That of a short option (-o, -C) may also follow the letter directly.
 */
const char *argv_take_value(const struct strvec *argv, size_t *i, const char *option);

/* The value of an option, written as one argument with "=" or as two arguments; NULL: absent. */
const char *argv_value(const struct strvec *argv, size_t first, const char *option);

#endif
