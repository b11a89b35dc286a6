/*
 * When the heap snapshots of one process are due: [heap] snapshots, interval, at, periodic.
 */
#ifndef RECORD_SNAPSHOT_TIMES_H
#define RECORD_SNAPSHOT_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

/* The age of a process at which its snapshot number `n`, from 0, is due; -1: it gets no more. */
int64_t snapshot_time(const struct config_heap *heap, size_t n);

/*
 * Number `n` is taken of a process of this age: the next one that is later than that. Those between came due while
 * another snapshot was taken, and are left out.
 */
size_t snapshot_after(const struct config_heap *heap, size_t n, int64_t age_ns);

#endif
