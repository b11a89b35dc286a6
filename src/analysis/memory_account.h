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
 * All borrowed. With a grouping by stack, module or function the stacks of events are looked at, without the
 * kernel's part, and memory without one is on FRAME_NOT_SAMPLED's key: a picked event counts `weight` times on
 * its own key and that much less on that one, so that every sum is exact.
 */
struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger);
void memory_account_free(struct memory_account *account);

/*
 * Take in an event after machine_apply(): all of them are to come, since starts, execs and ends of processes
 * change the books too. Memory of a process that has ended is no one's. False: the ledger's range is over.
 */
bool memory_account_apply(struct memory_account *account, const struct trace_event *event);

/*
 * What is known of the stacks of `size`, of all keys: bytes on the stacks of their own events, on stacks of
 * picked events that stand for others, and what these leave to the key of what was not sampled. By processes,
 * roles, parts and crates all is exact.
 */
struct memory_estimate {
	int64_t exact_bytes, estimated_bytes, not_sampled_bytes;
};

void memory_account_estimate(const struct memory_account *account,
			     struct memory_estimate *estimate);

#endif
