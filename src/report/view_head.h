/*
 * What stands above the rows of a view in text: what the numbers are of, and how far they can be trusted.
 */
#ifndef REPORT_VIEW_HEAD_H
#define REPORT_VIEW_HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/cpu_account.h"
#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/stack_quality.h"

struct cpu_head {
	struct cpu_entry total; /* cpu_account_total() */
	const char *event;      /* "cpu-clock" */
	const char *note;       /* what weights mean where they are not plain time; NULL */
	struct stack_quality_result stacks; /* told where there are any */
};

struct memory_head {
	const struct ledger *ledger;     /* finished; borrowed */
	struct memory_estimate estimate; /* told where not all of it is exact */
};

struct view_head {
	const char *clock;                 /* NULL: not known */
	int64_t from_ns, to_ns;            /* the range of time; to_ns INT64_MAX: to the end */
	int64_t last_ns;                   /* the last event of the recording; -1: not known */
	bool filtered;                     /* some processes were left out */
	uint64_t stacks_truncated;         /* of memory */
	uint64_t lost, damaged, unordered; /* events, records, events */
	uint64_t lost_buffers;             /* as many full of events */
	bool cut;                          /* the file ends before its end ... */
	uint64_t missing;                  /* ... by that many bytes; 0: not known */
	uint64_t unread;                   /* bytes of records that lead nowhere */
	const struct cpu_head *cpu;        /* NULL: the view is of something else */
	const struct memory_head *memory;  /* the same */
};

/* The lines, and an empty one behind them. */
void view_head_print(const struct view_head *head, FILE *out);

#endif
