/*
 * Threads, and monitors to protect what they share. A monitor is a mutex with one condition variable.
 */
#ifndef PLATFORM_THREAD_H
#define PLATFORM_THREAD_H

#include <stdbool.h>

#include "util/err.h"

struct thread;

/* Start a thread, which handles no signals. Every thread must be joined. */
int thread_start(void (*run)(void *data), void *data, struct thread **thread, struct err *err);
void thread_join(struct thread *thread);

/*
 * Give the calling thread priority over all ordinary threads and, on Linux, over those with the lowest real-time
 * priority. False: it got only a higher share of CPU time.
 */
bool thread_raise(void);

/* A mutex with a condition variable. On Linux its owner inherits the priority of the threads that wait for it. */
struct monitor;

struct monitor *monitor_new(void);
void monitor_free(struct monitor *monitor);

void monitor_enter(struct monitor *monitor);
void monitor_leave(struct monitor *monitor);

/* Leave the monitor, wait until woken (maybe spuriously), enter it again. Only inside the monitor. */
void monitor_wait(struct monitor *monitor);

/* Wake all threads in monitor_wait(). Only inside the monitor. */
void monitor_wake(struct monitor *monitor);

#endif
