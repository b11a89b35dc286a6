/*
 * Parts of a build, in the numbering in force since August 2025 (rust PR 145295).
 *
 *     directory     old numbering                  new numbering
 *     stageN-std    library/, built by stage N     the same
 *     stageN-rustc  built by stage N               crates of the stage N compiler: built by stage N - 1
 *     stageN-codegen, stageN-tools: as stageN-rustc
 *     bootstrap-tools: stageN-bootstrap-tools of old, always built by stage 0
 */
#ifndef TAG_PART_H
#define TAG_PART_H

#include <stdbool.h>

#include "tag/path.h"
#include "tag/tag.h"

/*
 * What a directory shows of the numbering when a compiler of stage `compiler` (or STAGE_UNKNOWN) writes
 * into it.
 */
enum tag_numbering part_numbering(const struct build_path *where, int compiler);

/*
 * The part that `where` belongs to; `numbering` decides where the two stages do not. For the caller to
 * free; NULL where it is in none.
 */
char *part_name(const struct build_path *where, int compiler, enum tag_numbering numbering);

/* Stage of the compiler that builds a part; `host`: what the library build needs for itself. */
int part_compiler(const char *part, bool host);

#endif
