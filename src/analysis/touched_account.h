/*
 * Counts touched memory in a ledger: pages of private memory with contents of their own, whatever allocator handed them
 * out.
 *
 * It is an estimate: a page is in the sample by its address, and stands for many. Values of the ledger are bytes of all
 * pages that the sample stands for; `count` is the number of pages in the sample. Large pages are all in it. If it is not
 * known where one is, it is released by an exec and the end alone.
 *
 * A page of a process is touched by a write, and released when its range is unmapped, mapped anew or given back
 * (MEMORY_PURGE, but not with `keep`), and by an exec and the end. mremap moves it. After a fork the pages are the
 * parent's; a child has those that it writes. Pages of shared memory and pages of files that are only read are never
 * touched.
 */
#ifndef ANALYSIS_TOUCHED_ACCOUNT_H
#define ANALYSIS_TOUCHED_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "analysis/tally.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct touched_account;

/*
 * The arguments are borrowed. If the keys of the grouping are found by stacks, the stacks of touches are used, without
 * frames of the kernel. A sink (may be NULL) gets pages as regions, with the bytes that they stand for, and nothing is
 * counted for keys.
 */
struct touched_account *touched_account_new(struct machine *machine, struct grouping *grouping,
					    struct ledger *ledger, const struct region_sink *sink);
void touched_account_free(struct touched_account *account);

/* As those of memory_account.h. */
bool touched_account_apply(struct touched_account *account, const struct trace_event *event);
void touched_account_finish(struct touched_account *account);

/* What the values are estimated from, as far as the filter lets it through. */
struct touched_sample {
	uint32_t one_in;      /* each page of the sample stands for so many; 0: there is none */
	uint64_t pages;       /* of the sample, touched in the range */
	uint64_t large_pages; /* of any size; their values are exact */
};

void touched_account_sample(const struct touched_account *account, struct touched_sample *sample);

/* The standard error of a value of the ledger; less if a part of it is large pages. */
int64_t touched_error(const struct touched_sample *sample, int64_t bytes);

/* For tally_rate_stacks(). */
const struct tally *touched_account_tally(const struct touched_account *account);

#endif
