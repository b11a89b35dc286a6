/*
 * CPU samples counted beside the reading of the trace: what an event does to processes and mappings is done by the caller's
 * thread, the search for stacks, which is most of the work, by another.
 */
#ifndef REPLAY_CPU_COUNTER_H
#define REPLAY_CPU_COUNTER_H

#include "analysis/cpu_account.h"

struct cpu_counter;

/* With one thread, or where none can be started, the caller's does all. The account is borrowed. */
struct cpu_counter *cpu_counter_new(struct cpu_account *account, int threads);

/* In place of cpu_account_apply(). */
void cpu_counter_apply(struct cpu_counter *counter, const struct trace_event *event);

/* All that was taken in is in the account then. */
void cpu_counter_free(struct cpu_counter *counter);

#endif
