/*
 * Exact CPU times by process, of a whole trace, as views of processes show them. analysis/cpu_account.h has them by any
 * key, of a range of time and of what a filter lets through.
 */
#ifndef ANALYSIS_PROCESS_EXACT_H
#define ANALYSIS_PROCESS_EXACT_H

#include <stddef.h>

#include "analysis/cpu_exact.h"
#include "model/machine.h"
#include "model/process.h"
#include "model/trace_event.h"

struct process_exact {
	struct cpu_exact *v; /* by row of the machine; the times of later rows are 0 */
	size_t nr;
	struct cpu_exact gaps; /* where it is not known who ran */
};

#define PROCESS_EXACT_INIT \
	{ \
		NULL, 0, \
		{ \
			0, 0, 0, 0 \
		} \
	}

/* Count an event; those that are no TRACE_RUN are ignored. Call it after machine_apply(). */
void process_exact_add(struct process_exact *exact, struct machine *machine,
		       const struct trace_event *event);

/* No events follow: the times of each process of the list, by its place in it. The caller frees them; NULL: no process. */
struct cpu_exact *process_exact_take(struct process_exact *exact, const struct process_list *list);

/* Sort a list, and what process_exact_take() returned for it, which may be NULL. */
void process_exact_sort(struct cpu_exact *exact, struct process_list *list);

#endif
