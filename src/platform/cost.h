/*
 * What reading a file may cost. A file may come from anyone, and a small one may ask for any amount of memory, time and
 * disk. The limits follow from what is stored of what is read, and are far above the needs of recordings. All are
 * multiplied by the number in STAGETRACE_LIMITS of the environment.
 */
#ifndef PLATFORM_COST_H
#define PLATFORM_COST_H

#include <stdint.h>

#include "util/err.h"

/* ERR_USAGE if STAGETRACE_LIMITS is set to anything else than such a number. */
int cost_check(struct err *err);

/* For the end of a message: how to raise a limit, or that it is the highest. Valid until the thread calls it again. */
const char *cost_remedy(void);

/* `bytes` times STAGETRACE_LIMITS. */
uint64_t cost_raised(uint64_t bytes);

/* This process reads only what it recorded itself, whatever that costs: all limits are raised as far as possible. */
void cost_trust(void);

/* The largest size to which `compressed` bytes may be decompressed: of a member of a bundle, of perf's records. */
uint64_t cost_decompressed_max(uint64_t compressed);
uint64_t cost_records_max(uint64_t compressed);

/*
 * What a file counts for in these limits: the bytes that it has stored. A hole does not count, as it costs nothing to
 * make. 0: there is no such file, or it cannot be read.
 */
uint64_t cost_of_file(const char *path);

/*
 * Limit the memory and processor time of this process, which reads an input of `bytes`; beyond that it ends with a message,
 * which names the input `path`. (Windows: no limit.)
 */
void cost_limit(const char *path, uint64_t bytes);

/* Set the limits back: for a process that goes on without reading the input. */
void cost_lift(void);

/*
 * The unfinished file to remove if one of these limits ends the process. The path is borrowed; NULL: none. (Windows: the
 * file stays.)
 */
void cost_set_unfinished(const char *path);

/*
 * Raise these limits, if they are set, for the file at `path`, which a trace names. A file may be allowed many times and by
 * many paths: its time counts once, its memory as often as its names, call frame information and lines are read. All files
 * together raise the limits by two minutes and 4 GB at most. Thread-safe.
 */
void cost_allow_file(const char *path);

/*
 * A mapping of a file counts as memory, but its pages are the file's, and the system can take them back: allow it for as
 * long as it is there. Thread-safe.
 */
void cost_map(uint64_t bytes);
void cost_unmap(uint64_t bytes);

#endif
