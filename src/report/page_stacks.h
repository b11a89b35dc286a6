/*
 * The stacks of a report's page: what each process had in each step of time, by stack, of CPU time or of one kind of
 * memory. The numbers are those of an account (report/account.h): this only numbers them anew.
 *
 * Stacks with too small a share of the whole become one frame [other] of their caller, as `export --min-share` merges
 * them; their phase and query stay what they were.
 */
#ifndef REPORT_PAGE_STACKS_H
#define REPORT_PAGE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"
#include "report/account.h"
#include "report/frame_tree.h"
#include "report/page_columns.h"

/* Values of a record: of CPU time samples and ns, which are two, of memory size, count and freed bytes. */
#define PAGE_VALUES 3

struct page_record {
	uint32_t step, process,
		site; /* `process` is the place in the list, or its length: unknown */
	int64_t v[PAGE_VALUES];
};

/* What a process held at a stack, over the whole recording: */
enum page_held_kind {
	PAGE_AT_PEAK,      /* of the whole build */
	PAGE_AT_OWN_PEAKS, /* of the crate of the process */
	PAGE_LIFETIMES,    /* committed, by how long it was held */
	PAGE_HELD_KINDS
};

struct page_held {
	uint32_t class_text; /* PAGE_LIFETIMES: of lifetime_names, a text of the columns; else 0 */
	uint32_t process, site;
	int64_t bytes;
};

struct page_held_list {
	struct page_held *v; /* by class, process and site */
	size_t nr, alloc;
};

struct page_site {
	uint32_t node, phase, query; /* of the tree; texts of the columns */
	uint32_t allocator;          /* so many innermost frames are of the allocator */
};

struct page_stacks {
	struct frame_tree tree;
	struct page_site *sites;
	size_t sites_nr, sites_alloc;
	struct page_record *records; /* by step, process and site */
	size_t records_nr;
	struct page_held_list held[PAGE_HELD_KINDS];
	uint64_t merged; /* stacks that were merged into their callers */
	bool cpu;        /* of CPU time */
};

/*
 * Take the stacks of results that were finished, by BY_PROCESS_STEP or BY_PROCESS and BY_STACK, split: of CPU time from its
 * named stacks (COUNTS_OF_NAMED_STACKS), of memory from what the ledger keeps: steps, owners and lifetimes. Stacks below
 * `share` of the whole, in percent, are merged.
 */
void page_stacks_init(struct page_stacks *stacks, const struct results *results,
		      const struct process_list *processes, struct page_columns *columns,
		      double share);
void page_stacks_release(struct page_stacks *stacks);

/* Add them as columns whose names begin with `prefix`, a literal: "cpu". */
void page_stacks_add(const struct page_stacks *stacks, const char *prefix,
		     struct page_columns *columns);

#endif
