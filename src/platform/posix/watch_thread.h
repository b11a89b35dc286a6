/*
 * Threads that must be there in time: a process of 3 ms leaves none to wait for a turn.
 */
#ifndef PLATFORM_POSIX_WATCH_THREAD_H
#define PLATFORM_POSIX_WATCH_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Start one that no signal is delivered to: they are the caller's affair. 0 or an errno. */
int watch_thread_start(pthread_t *thread, void *(*run)(void *data), void *data);

/* Put the calling thread ahead of all ordinary ones; false where it is no more than favoured. */
bool watch_thread_raise(void);

/* Keep the calling thread to the CPU that is the `which`-th of `count` spread over those allowed. */
void watch_thread_pin(unsigned which, unsigned count);

/* A lock whose holder is as urgent as whoever waits for it. */
void watch_thread_init_lock(pthread_mutex_t *lock);

/* CPUs that this process may use. */
unsigned watch_thread_cpus(void);

#endif
