/*
 * The purpose of a process of a rustc bootstrap: its role, crate, stage and part, derived from executable,
 * arguments and parent. Pure functions: they read no file, clock or environment.
 *
 * The rules come from process trees and command lines of real bootstraps. rust PR 145295 (August 2025)
 * renumbered the directories: `stageN-rustc` had the crates built by stage N, and now has the crates of the
 * stage N compiler. `part` always uses the new numbering.
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

/* The name of a role for users, such as "rustc-shim"; static. */
const char *role_name(enum role role);

/* Parse the name of a role. False: it is not a role. */
bool role_parse(const char *name, enum role *role);

#define STAGE_UNKNOWN (-1)

/* Crates, parts and targets are parts of file names: what is longer than one can be is none of these. */
#define TAG_TEXT_MAX 255

struct tag {
	enum role role;
	int built_by;     /* stage of the compiler that it is or works for; STAGE_UNKNOWN */
	char *crate;      /* of a build script its package; NULL: none */
	char *crate_type; /* "lib", "dylib,rlib", ...; NULL: none */
	char *part;       /* "bootstrap", "stage1-std", "stage2-rustc", ...; NULL: none */
	char *target; /* target triple, or "host": build scripts, proc macros, their dependencies; NULL */
	const char *why; /* for ROLE_OTHER: the reason, static text; else NULL */
};

#define TAG_INIT \
	{ \
		ROLE_OTHER, STAGE_UNKNOWN, NULL, NULL, NULL, NULL, NULL \
	}

void tag_release(struct tag *tag);
void tag_copy(struct tag *to, const struct tag *from);

/* Numbering of the directories of a checkout; see path.h. */
enum tag_numbering { NUMBERING_UNKNOWN, NUMBERING_OLD, NUMBERING_NEW };

/*
 * A rule of the user ([tag] of the configuration): processes whose image name matches the glob, case ignored, have this
 * role. The first match wins, over the built-in rules too. But a process that only prints its version or the like is
 * still a probe, and one that a rule makes `cc` but that links is still a link.
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

/* The facts about one process; pointers are borrowed, NULL: unknown. */
struct tag_input {
	const char *exe;               /* the file executed; NULL: then argv[0] */
	const struct strvec *argv;     /* with @file arguments already replaced by their contents */
	const char *rustc_stage;       /* value of RUSTC_STAGE in its environment */
	const char *package;           /* value of CARGO_PKG_NAME in its environment */
	const char *target_dir;        /* value of CARGO_TARGET_DIR in its environment */
	const char *cwd;               /* its working directory */
	bool argv_lost;                /* argv is empty because it could not be read */
	bool exec_seen;                /* false: forked, but never called exec */
	const struct tag *parent;      /* tag of the process that started it */
	const struct tag *before_exec; /* tag of the same process before its last exec: a wrapper */
	enum tag_numbering numbering;  /* of the checkout, or NUMBERING_UNKNOWN */
};

/*
 * Set `tag` (the previous one is released; `in` may point to it). Never fails: an unknown process is
 * ROLE_OTHER with a reason in `why`. `rules` may be NULL.
 */
void tag_process(const struct tag_rules *rules, const struct tag_input *in, struct tag *tag);

/*
 * The numbering of the checkout, if this process shows it: OLD or NEW for a rustc that writes into a
 * stageN-rustc directory, else UNKNOWN. The caller must tag again the processes that it tagged before the
 * numbering was known: their part and stage may depend on it.
 */
enum tag_numbering tag_detect_numbering(const struct tag_input *in);

#endif
