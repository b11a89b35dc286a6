/*
 * Paths in a bootstrap's build directory: the part of the build that a file belongs to, the stage of a compiler,
 * the crate of an output. Paths are only parsed, no file is accessed; / and \ both separate, ASCII case is ignored.
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

#include "tag/tag.h"

/* A part of a longer string; `len` 0: none. */
struct span {
	const char *s;
	size_t len;
};

/* Whether it equals `text`, ASCII case ignored. */
bool span_is(struct span span, const char *text);

/* A copy, which the caller frees; NULL if it is empty. */
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
	int stage;        /* N of stageN-<mode>, in the numbering of the path; else STAGE_UNKNOWN */
	struct span mode; /* "rustc", "std", ..., or the name of a part without a stage */
	struct span target;  /* the target triple below the part; empty for host artefacts */
	bool host;           /* in a part, but not below a triple: built for the host */
	struct span package; /* of a build script; else empty */
};

/* Parse a path; the spans point into it. NULL: TREE_NONE. */
struct build_path path_parse(const char *path);

/* N of <build>/<host>/stageN/bin/<program> or of stageN-sysroot; else STAGE_UNKNOWN. */
int path_compiler_stage(const char *path);

/* Whether it is a program in <build>/bootstrap/<profile>/, where the shims are. */
bool path_is_bootstrap_program(const char *path);

/*
 * The crate of an output file, by cargo's naming: the package of a build script, or <crate> of lib<crate>-<hash>.so
 * and of any file in deps/. The caller frees it; NULL: none.
 */
char *path_crate(const char *output);

/*
 * Parts of a build. Directories have a new numbering since August 2025 (rust PR 145295); names of parts always have
 * the new one.
 *
 *     directory     old numbering                  new numbering
 *     stageN-std    library/, built by stage N     the same
 *     stageN-rustc  built by stage N               crates of the stage N compiler: built by stage N - 1
 *     stageN-codegen, stageN-tools: as stageN-rustc
 *     bootstrap-tools: was stageN-bootstrap-tools, always built by stage 0
 */

/*
 * The numbering of a build, if it follows from the fact that a compiler of stage `compiler` (or STAGE_UNKNOWN)
 * writes into this directory.
 */
enum tag_numbering part_numbering(const struct build_path *where, int compiler);

/*
 * The part that `where` belongs to, in the new numbering. The numbering of `where` follows from its stage and
 * `compiler`, or else is `numbering`. The caller frees it; NULL: in no part.
 */
char *part_name(const struct build_path *where, int compiler, enum tag_numbering numbering);

/* Stage of the compiler that builds a part, or STAGE_UNKNOWN. `host`: for host programs in the build of the library. */
int part_compiler(const char *part, bool host);

#endif
