/*
 * The git checkout that a recording builds: which commit, what differs from it, and the commits of its submodules.
 *
 * Nothing is written there, not even git's index, and of the programs that its configuration names none is run as a hook,
 * a monitor or a driver of differences.
 */
#ifndef RECORD_CHECKOUT_H
#define RECORD_CHECKOUT_H

#include "rundir/manifest.h"
#include "util/err.h"

/* A larger difference is not kept. */
#define CHECKOUT_DIFF_MAX (INT64_C(4) << 20)

/*
 * Describe the checkout at `source` in the manifest: git_commit, git_branch, git_dirty, and in `build` the sections
 * "checkout" (diff_bytes, diff_sha256, diff_kept, untracked_files: but for runs, series and bundles) and "submodules"
 * (commits by path, and what differs from them). Nothing, if it is no git checkout. With `dir`, the difference from the
 * commit, if there is one of at most CHECKOUT_DIFF_MAX, is kept in that run; why it cannot be kept is appended to `notes`.
 */
void checkout_describe(const char *source, const char *dir, struct manifest *manifest,
		       struct strvec *notes);

/* Check out a commit, detached. An error says why not: files that have changes would be replaced, for one. */
int checkout_switch(const char *source, const char *commit, struct err *err);

/* The full name of a commit of the checkout at `source`; NULL: it has none of this name. The caller frees it. */
char *checkout_find_commit(const char *source, const char *name);

/* The toml file that x.py reads in the checkout, if none is given to it; NULL: there is none. The caller frees it. */
char *checkout_find_toml(const char *source);

/* Make a further working tree of the checkout `source` in the new directory `dir`, at a commit. */
int checkout_add_tree(const char *source, const char *commit, const char *dir, struct err *err);

#endif
