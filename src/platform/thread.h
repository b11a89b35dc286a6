/*
 * Threads, and a monitor for what they share: one lock and one condition.
 */
#ifndef PLATFORM_THREAD_H
#define PLATFORM_THREAD_H

#include "util/err.h"

struct thread;

/* No signal is handled in the new thread. Every thread is joined. */
int thread_start(void (*run)(void *data), void *data, struct thread **thread, struct err *err);
void thread_join(struct thread *thread);

struct monitor;

struct monitor *monitor_new(void);
void monitor_free(struct monitor *monitor);

void monitor_enter(struct monitor *monitor);
void monitor_leave(struct monitor *monitor);

/* Inside only: be outside until woken, maybe for no reason. */
void monitor_wait(struct monitor *monitor);

/* Wake all who wait; inside only. */
void monitor_wake(struct monitor *monitor);

#endif
