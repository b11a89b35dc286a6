/*
 * Paths of a bootstrap's build directory: which part of the build a file belongs to, which compiler an
 * executable is, which crate an output holds. Text only; / and \ both separate, ASCII case is free.
 *
 *     <build>/<host>/stageN-<mode>/[<target>/]<profile>/deps/lib<crate>-<hash>.so
 *     <build>/<host>/stageN-<mode>/[<target>/]<profile>/build/<package>-<hash>/...
 *     <build>/<host>/bootstrap-tools/[<target>/]<profile>/...
 *     <build>/<host>/{llvm,lld,...}/...
 *     <build>/<host>/stageN/bin/rustc
 *     <build>/bootstrap/<profile>/...
 */
#ifndef TAG_PATH_H
#define TAG_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of a longer string; `len` 0 where there is none. */
struct span {
	const char *s;
	size_t len;
};

/* ASCII case-insensitive. */
bool span_is(struct span span, const char *text);

/* A copy for the caller to free; NULL for an empty one. */
char *span_dup(struct span span);

/* The file name, without " (deleted)" and ".exe". */
struct span path_file(const char *path);

enum tree {
	TREE_NONE,
	TREE_STAGE,     /* stageN-<mode> */
	TREE_BOOTSTRAP, /* bootstrap's own build */
	TREE_PLAIN      /* a part without a stage: bootstrap-tools, llvm, ... */
};

struct build_path {
	enum tree tree;
	int stage;          /* N of stageN-<mode>, as written; else STAGE_UNKNOWN */
	struct span mode;   /* "rustc", "std", ..., or the whole part where it has no stage */
	struct span target; /* the triple below the part; empty for host artefacts */
	bool host;          /* in a part, and built for the compiler's own use: no triple */
	struct span package;
};

/* Pieces of `path` point into it. NULL gives TREE_NONE. */
struct build_path path_parse(const char *path);

/* N of <build>/<host>/stageN/bin/<program>, or of stageN-sysroot; else STAGE_UNKNOWN. */
int path_compiler_stage(const char *path);

/* A program in <build>/bootstrap/<profile>/, where the shims are. */
bool path_is_bootstrap_program(const char *path);

/*
 * The crate an output file holds, by cargo's naming: the package of a build script, lib<crate>-<hash>.so,
 * or any file in deps/. For the caller to free; NULL where the name tells none.
 */
char *path_crate(const char *output);

#endif
