/*
 * Counts the calls of heaps in a ledger: blocks that programs allocated and freed, in bytes as requested.
 *
 * A block that is resized in place is freed, and allocated by the call that resizes it, as one that has to be moved. With a
 * heap or a process all of its blocks end. Blocks that were allocated before the recording are not counted, as nothing is
 * known of them until they are freed, and then not their size.
 */
#ifndef ANALYSIS_HEAP_ACCOUNT_H
#define ANALYSIS_HEAP_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "analysis/memory_account.h"
#include "analysis/tally.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct heap_account;

/* See memory_account_new(). No event stands for others. */
struct heap_account *heap_account_new(struct machine *machine, struct grouping *grouping,
				      struct ledger *ledger, const struct region_sink *sink);
void heap_account_free(struct heap_account *account);

/* See memory_account_apply(). */
bool heap_account_apply(struct heap_account *account, const struct trace_event *event);
void heap_account_finish(struct heap_account *account);

/* Calls in the range that do not fit the others, by processes that the filter lets through. */
struct heap_oddities {
	/* Of blocks that were allocated before the recording, or by an event that was lost: they count for nothing. */
	int64_t unknown_frees, unknown_resizes;
	/* Blocks whose free was lost: another one was allocated at their address, or their heap was created again. */
	int64_t replaced;
	/* Allocations that are left out, as too many heaps have blocks (HEAP_BLOCKS_HEAPS_MAX). */
	int64_t dropped;
};

void heap_account_oddities(const struct heap_account *account, struct heap_oddities *oddities);

/* See memory_account_estimate(): nothing is estimated, but blocks may lack a stack. */
void heap_account_estimate(const struct heap_account *account, struct memory_estimate *estimate);

/* For tally_rate_stacks(). */
const struct tally *heap_account_tally(const struct heap_account *account);

#endif
