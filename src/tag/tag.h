/*
 * What a process of a rustc bootstrap is for: role, crate, stage and part, told from its executable,
 * arguments and parent. Pure functions: no file, no clock, no environment is read here.
 *
 * Facts: the process tree and command lines of real bootstraps; rust PR 145295 (August 2025) renumbered
 * the directories: `stageN-rustc` held what stage N built, and now holds the crates of the stage N
 * compiler. `part` always speaks the new way.
 */
#ifndef TAG_TAG_H
#define TAG_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strvec.h"

enum role {
	ROLE_OTHER,
	ROLE_RUSTC,
	ROLE_RUSTC_SHIM,
	ROLE_RUSTDOC,
	ROLE_CARGO,
	ROLE_BOOTSTRAP,
	ROLE_X_PY,
	ROLE_BUILD_SCRIPT,
	ROLE_LINK,
	ROLE_CC,
	ROLE_AR,
	ROLE_CMAKE,
	ROLE_PROBE,
	ROLE_COUNT
};

/* "rustc-shim" and so on, as users write it; static. */
const char *role_name(enum role role);

/* False where `name` is none. */
bool role_parse(const char *name, enum role *role);

#define STAGE_UNKNOWN (-1)

struct tag {
	enum role role;
	int built_by;     /* stage of the compiler that runs, or that it works for; STAGE_UNKNOWN */
	char *crate;      /* package name for a build script; NULL where none */
	char *crate_type; /* "lib", "dylib,rlib", ...; NULL where none */
	char *part;       /* "bootstrap", "stage1-std", "stage2-rustc", ...; NULL where none */
	char *target; /* target triple, or "host" for build scripts, proc macros and what they need */
	const char *why; /* for ROLE_OTHER: the reason, static text; else NULL */
};

#define TAG_INIT \
	{ \
		ROLE_OTHER, STAGE_UNKNOWN, NULL, NULL, NULL, NULL, NULL \
	}

void tag_release(struct tag *tag);
void tag_copy(struct tag *to, const struct tag *from);

/* Directory numbering of a checkout, seen from a rustc of stage K writing into stageK-rustc (old). */
enum tag_numbering { NUMBERING_UNKNOWN, NUMBERING_OLD, NUMBERING_NEW };

/*
 * Image-name globs a user adds to the built-in ones ([tag] of the configuration). Case is free. The first
 * that matches wins, over built-in roles too; `--version` and its like stay a probe, and a `cc` that links
 * stays a link.
 */
struct tag_rule {
	enum role role;
	char *glob;
};

struct tag_rules {
	struct tag_rule *v;
	size_t nr, alloc;
};

#define TAG_RULES_INIT \
	{ \
		NULL, 0, 0 \
	}

void tag_rules_add(struct tag_rules *rules, enum role role, const char *glob);
void tag_rules_release(struct tag_rules *rules);

/* All that may be known of one process; pointers are borrowed and may be NULL where not known. */
struct tag_input {
	const char *exe;               /* the file executed; NULL: then argv[0] */
	const struct strvec *argv;     /* with @file arguments already replaced by their contents */
	const char *rustc_stage;       /* value of RUSTC_STAGE in its environment */
	const char *package;           /* value of CARGO_PKG_NAME in its environment */
	const char *target_dir;        /* value of CARGO_TARGET_DIR in its environment */
	const char *cwd;               /* where it runs */
	bool argv_lost;                /* argv is empty because nobody could read it */
	bool exec_seen;                /* false: forked, and never ran a program of its own */
	const struct tag *parent;      /* tag of the process that started it */
	const struct tag *before_exec; /* tag of the same process before its last exec: a wrapper */
	enum tag_numbering numbering;  /* of the checkout, as far as known */
};

/*
 * Fill `tag` (which is released first, and may be what `in` points to). Never fails: what can't be told is
 * ROLE_OTHER with `why`. `rules` may be NULL.
 */
void tag_process(const struct tag_rules *rules, const struct tag_input *in, struct tag *tag);

/*
 * What this process shows of the numbering: OLD or NEW for a rustc that writes into a stageN-rustc
 * directory, else UNKNOWN. It holds for the whole checkout: what was tagged before, with less known than
 * RUSTC_STAGE or a compiler's path, is to be tagged again.
 */
enum tag_numbering tag_detect_numbering(const struct tag_input *in);

/* The last component of a path with / or \, without ".exe"; points into `path`, length in `*len`. */
const char *tag_image(const char *path, size_t *len);

#endif
