/*
 * What the accounts of memory have in common (memory_account.h, touched_account.h, heap_account.h): the ledger that they
 * count in, the sites that they count for, and the lives of what they count.
 */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "analysis/sites.h"
#include "analysis/stack_quality.h"
#include "model/machine.h"
#include "model/trace_event.h"
#include "util/hash_index.h"

/* How many events a stack of the machine has. */
struct tally_stack {
	uint32_t stack, events;
};

/* Of the stacks that have any: most are only callers. */
struct tally_stacks {
	struct tally_stack *v;
	size_t nr, alloc;
	struct hash_index index;
};

struct tally {
	struct machine *machine;
	struct grouping *grouping;
	struct ledger *ledger;
	struct sites *sites;
	struct lives lives;
	struct tally_stacks chains, unwound; /* as those of struct samples_by_end */
};

/* All but the tally is borrowed. See memory_account_new() for the sink, which may be NULL. */
void tally_init(struct tally *tally, struct machine *machine, struct grouping *grouping,
		struct ledger *ledger, const struct region_sink *sink);
void tally_release(struct tally *tally);

/* To the time of an event. False: nothing more is to be counted, as the range of the ledger is over. */
bool tally_advance(struct tally *tally, const struct trace_event *event);

/* The same, and take the event before it is counted. */
bool tally_begin(struct tally *tally, const struct trace_event *event);

/* Bytes of a site ended, as the region says: count them by how long they were held, if that is wanted. */
void tally_lived(struct tally *tally, uint32_t site, int64_t bytes, const struct region *region);

/* Where an event of a process counts: see grouping_place(). */
uint32_t tally_place(const struct tally *tally, const struct trace_event *event,
		     struct trace_process *process);

/*
 * The site of an event at a place, by the stack of `caller`, without the frames of the kernel; GROUP_NONE: it does not
 * count. `caller` NULL: it is not known, and neither is the stack. Grouped by stacks, those in the range are kept for
 * tally_rate_stacks().
 */
uint32_t tally_site(struct tally *tally, uint32_t place, struct trace_process *caller, uint32_t tid,
		    const struct trace_stack *stack);

/* How many of the stacks are complete; none if all were unwound from copies. Call it before the machine forgets stacks. */
void tally_rate_stacks(const struct tally *tally, struct function_table *functions,
		       struct stack_quality_result *result);

#endif
