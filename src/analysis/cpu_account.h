/*
 * CPU samples of a trace by key: self and total.
 */
#ifndef ANALYSIS_CPU_ACCOUNT_H
#define ANALYSIS_CPU_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct cpu_entry {
	int64_t samples; /* with the key as leaf */
	int64_t self_ns;
	int64_t total_ns; /* with the key anywhere on the stack, once */
};

struct cpu_account;

/* All borrowed. Samples from from_ns up to, not including, to_ns are counted. */
struct cpu_account *cpu_account_new(struct machine *machine, struct function_table *functions,
				    struct grouping *grouping, enum group_by by, int64_t from_ns,
				    int64_t to_ns);
void cpu_account_free(struct cpu_account *account);

void cpu_account_apply(struct cpu_account *account, const struct trace_event *event);

/* Work out the totals. After it entries stand by the grouping's keys; `*nr` of them. */
const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr);

/* All that passed the filter; what a share is of. */
struct cpu_entry cpu_account_total(const struct cpu_account *account);

#endif
