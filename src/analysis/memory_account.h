/*
 * Memory of a trace, event by event, into a ledger.
 */
#ifndef ANALYSIS_MEMORY_ACCOUNT_H
#define ANALYSIS_MEMORY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct memory_account;

/*
 * All borrowed. With a grouping by stack, module or function the stacks of events are looked at, and memory
 * without one is on FRAME_NOT_SAMPLED's key: a picked event counts `weight` times on its own key and that
 * much less on that one, so that every sum is exact.
 */
struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger);
void memory_account_free(struct memory_account *account);

/*
 * Take in an event after machine_apply(): memory, and starts, execs and ends of processes. False: the
 * ledger's range is over.
 */
bool memory_account_apply(struct memory_account *account, const struct trace_event *event);

/* Bytes committed whose stack was not recorded, and by picked events that stand for others. */
struct memory_estimate {
	int64_t exact_bytes, estimated_bytes, not_sampled_bytes;
};

void memory_account_estimate(const struct memory_account *account,
			     struct memory_estimate *estimate);

#endif
