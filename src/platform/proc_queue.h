/*
 * Events of processes, first in, first out: between the thread that watches and whoever drains. The lock is the owner's.
 */
#ifndef PLATFORM_PROC_QUEUE_H
#define PLATFORM_PROC_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "platform/proc_watch.h"

struct proc_queue {
	struct proc_event *events; /* from `at` on */
	size_t at, nr, alloc;
};

/* Zeroed is empty. Releases the events too. */
void proc_queue_release(struct proc_queue *queue);

/* A new one at the end, initialised; the queue's, and valid until the next call. */
struct proc_event *proc_queue_add(struct proc_queue *queue);

/* Move all of `from` to the end, in their order. */
void proc_queue_join(struct proc_queue *queue, struct proc_queue *from);

/* Move the oldest into `event` (released first), which is the caller's then; false: there is none. */
bool proc_queue_take(struct proc_queue *queue, struct proc_event *event);

#endif
