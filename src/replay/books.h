/*
 * Playing a trace into the books of a view: memory or CPU time by the keys of a grouping.
 */
#ifndef REPLAY_BOOKS_H
#define REPLAY_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/cpu_account.h"
#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/process_filter.h"
#include "replay/replay.h"
#include "util/err.h"

struct books_request {
	enum group_by by;
	const struct process_filter *filter; /* its range of time is that of the books */
	int64_t at_ns;                       /* of memory: see ledger_init() */
	enum group_root root;                /* BY_STACK */
};

struct memory_books {
	struct grouping *grouping;
	struct ledger ledger;
	struct memory_estimate estimate;
	struct memory_account *account; /* NULL: closed */
};

/*
 * Play the trace, which was opened with its memory events. ERR_UNSUPPORTED where it can't tell of memory.
 * `books` is to be released in any case.
 */
int memory_books_play(struct memory_books *books, struct replay *replay,
		      const struct books_request *request, struct err *err);

/*
 * The same in steps, for who plays the trace for more than that: before it (false: it can't tell, there is nothing to
 * take), with each event (false: no more is wanted), and behind the last one.
 */
bool memory_books_begin(struct memory_books *books, struct replay *replay,
			const struct books_request *request);
bool memory_books_take(struct memory_books *books, const struct trace_event *event);
int memory_books_finish(struct memory_books *books, const struct replay *replay, struct err *err);
void memory_books_release(struct memory_books *books);

struct cpu_books {
	struct grouping *grouping;
	struct cpu_account *account;
	const struct cpu_entry *entries; /* by the grouping's keys */
	size_t nr;
	struct cpu_entry total;
	struct stack_quality_result stacks; /* no samples: keys are not told by stacks */
};

/* The same for a trace that was opened with its CPU samples. */
int cpu_books_play(struct cpu_books *books, struct replay *replay,
		   const struct books_request *request, struct err *err);
void cpu_books_release(struct cpu_books *books);

#endif
