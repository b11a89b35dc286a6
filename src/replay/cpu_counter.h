/*
 * Counts CPU samples in a second thread while the caller reads the trace. The caller's thread applies events to
 * processes and mappings; the second thread looks up stacks, which is most of the work.
 */
#ifndef REPLAY_CPU_COUNTER_H
#define REPLAY_CPU_COUNTER_H

#include "analysis/cpu_account.h"

struct cpu_counter;

/* If `threads` is 1 or no thread can be started, the caller's thread does everything. The account is borrowed. */
struct cpu_counter *cpu_counter_new(struct cpu_account *account, int threads);

/* Replaces cpu_account_apply(). */
void cpu_counter_apply(struct cpu_counter *counter, const struct trace_event *event);

/* Waits until all samples are counted in the account. */
void cpu_counter_free(struct cpu_counter *counter);

#endif
