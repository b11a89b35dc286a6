/*
 * Counts the memory events of a trace in a ledger.
 */
#ifndef ANALYSIS_MEMORY_ACCOUNT_H
#define ANALYSIS_MEMORY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "analysis/tally.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct memory_account;

/*
 * The arguments are borrowed. If the keys of the grouping are found by stacks, the stacks of events are used, without
 * frames of the kernel. Memory without a stack is counted for the key of FRAME_NOT_SAMPLED. A sampled event stands for
 * `weight` events: it counts `weight` times for its own key, and the excess is subtracted from the key of
 * FRAME_NOT_SAMPLED, so that sums over all keys are exact.
 *
 * With a sink (may be NULL) it gets the regions of all keys, and nothing is counted for keys. Then each event counts once,
 * sampled or not.
 */
struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger, const struct region_sink *sink);
void memory_account_free(struct memory_account *account);

/*
 * Count an event after machine_apply(). Call it with all events: starts, execs and ends of processes change memory too.
 * Memory events of a process that has ended are ignored. False: the range of the ledger is over; never if the end of what
 * was committed matters, by lifetime or with a sink.
 */
bool memory_account_apply(struct memory_account *account, const struct trace_event *event);

/* Call it after the last event, before ledger_finish(): it counts what is held at the end of the recording. */
void memory_account_finish(struct memory_account *account);

/*
 * How well the stacks of `size`, over all keys, are known: bytes whose own event has a stack, bytes estimated from
 * sampled events, and the remaining bytes, which the key of FRAME_NOT_SAMPLED has. If keys are not found by stacks,
 * all bytes are exact.
 */
struct memory_estimate {
	int64_t exact_bytes, estimated_bytes, not_sampled_bytes;
	bool sampled; /* of some events that could count the stack was not recorded */
};

/*
 * What processes that the filter lets through mapped in the range as private memory that does not count as committed, freed
 * or not: the heap of allocators that map it so (jemalloc).
 */
int64_t memory_account_uncounted(const struct memory_account *account);

/* Whether that is so much that committed memory, of which there was `size`, is not all that was asked for. */
bool memory_hides_a_heap(int64_t uncounted, int64_t size);

void memory_account_estimate(const struct memory_account *account,
			     struct memory_estimate *estimate);

/* For tally_rate_stacks(). */
const struct tally *memory_account_tally(const struct memory_account *account);

#endif
