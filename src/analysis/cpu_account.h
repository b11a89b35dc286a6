/*
 * CPU samples of a trace by key: self and total.
 */
#ifndef ANALYSIS_CPU_ACCOUNT_H
#define ANALYSIS_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/stack_quality.h"
#include "analysis/stack_totals.h"
#include "model/machine.h"
#include "model/stack_steps.h"
#include "model/trace_event.h"

struct cpu_account;

/* All borrowed. Samples from from_ns up to, not including, to_ns (INT64_MAX: no end) are counted. */
struct cpu_account *cpu_account_new(struct machine *machine, struct grouping *grouping,
				    int64_t from_ns, int64_t to_ns);
void cpu_account_free(struct cpu_account *account);

/* Take in an event, of any kind, after machine_apply(). */
void cpu_account_apply(struct cpu_account *account, const struct trace_event *event);

struct cpu_sample {
	int64_t weight_ns;
	uint32_t root; /* where keys have roots */
};

/* Samples that are to be counted, once their stacks are made. */
struct cpu_samples {
	struct stack_steps steps; /* of each, one behind the other */
	struct cpu_sample *v;
	size_t nr, alloc;
};

void cpu_samples_release(struct cpu_samples *samples);

/*
 * cpu_account_apply() in two halves, the second of which may be another thread's: add what is left to do for the
 * event, maybe nothing; and do that, for all in the order of events. False: it can't be put off; it is for
 * cpu_account_apply(), after all that was put off is done.
 */
bool cpu_account_prepare(struct cpu_account *account, const struct trace_event *event,
			 struct cpu_samples *samples);
void cpu_account_count(struct cpu_account *account, const struct cpu_samples *samples);

/* Add what was counted, by the machine's stacks; nothing where keys are not told by stacks. Before cpu_account_rest(). */
void cpu_account_add_stacks(const struct cpu_account *account, struct stack_quality *quality);

/*
 * Keys that stacks tell, where functions are found meanwhile: stack_totals_advance(). Nothing more is counted from here on.
 */
void cpu_account_advance(struct cpu_account *account, size_t frames);

/*
 * Work out the totals, once. Entries stand by the grouping's keys, `*nr` of them; a key that is on no stack as
 * leaf has a total only. Good until the account is freed.
 */
const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr);

/* Give back what only totals and cpu_account_add_stacks() need. */
void cpu_account_rest(struct cpu_account *account);

/* All that passed the filter; what a share is of. */
struct cpu_entry cpu_account_total(const struct cpu_account *account);

#endif
