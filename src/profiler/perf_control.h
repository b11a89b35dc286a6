/*
 * Asks perf to read its buffers while the build runs.
 *
 * By itself perf reads a buffer when it is half full, and at the end. A record of its file has at most 65,535 bytes of
 * compressed data. What the compressor holds back when one is full and all bytes of a read are taken, up to a few hundred
 * KB of events, is written with the next read, and after the last one never (zstd_compress_stream_to_records() of perf
 * 6.1): 10 of 56 short recordings ended too early. Read ten times a second and when a process has ended, the last read is
 * small.
 */
#ifndef PROFILER_PERF_CONTROL_H
#define PROFILER_PERF_CONTROL_H

#include <stdint.h>

struct perf_control;

/*
 * Make a FIFO (perf record --control=fifo:) in a temporary directory, as a run holds regular files alone. NULL: that is not
 * possible there.
 */
struct perf_control *perf_control_new(void);

/* The FIFO's path. */
const char *perf_control_path(const struct perf_control *control);

/*
 * Ask perf, if it is time to. To be called often, `now` by clock_now(), `ended`: how many processes of the build have ended
 * so far. The directory goes once perf has opened the FIFO.
 */
void perf_control_tick(struct perf_control *control, int64_t now, uint64_t ended);

/* NULL is allowed. */
void perf_control_free(struct perf_control *control);

#endif
