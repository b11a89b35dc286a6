/*
 * What the processes of a view of heaps have committed meanwhile: heaps are made of it.
 */
#ifndef ANALYSIS_HEAP_COMMITS_H
#define ANALYSIS_HEAP_COMMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/ledger.h"
#include "analysis/process_filter.h"
#include "model/function.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct heap_commits_account;

struct heap_commits {
	bool known;
	int64_t at_peak; /* bytes, when the heaps of the whole build had their peak */
	int64_t peak, peak_ns;
};

/* Of the processes that the filter lets through, in its range. The arguments are borrowed. */
struct heap_commits_account *heap_commits_account_new(struct machine *machine,
						      struct function_table *functions,
						      const struct process_filter *filter);
void heap_commits_account_free(struct heap_commits_account *account); /* accepts NULL */

/* Call it with each event, after the heaps, whose ledger this is, have taken it. */
void heap_commits_account_apply(struct heap_commits_account *account, const struct ledger *heaps,
				const struct trace_event *event);

/* After the last event. */
void heap_commits_account_finish(struct heap_commits_account *account, struct heap_commits *result);

#endif
