/*
 * Accounts the CPU samples of a trace: for each key the number of samples, self time and total time. Unless keys are found
 * by stacks, also its exact times, if the trace has context switches.
 */
#ifndef ANALYSIS_CPU_ACCOUNT_H
#define ANALYSIS_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_entry.h"
#include "analysis/cpu_exact.h"
#include "analysis/cpu_stacks.h"
#include "analysis/group.h"
#include "analysis/stack_quality.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct cpu_account;

/* A sample that is counted. */
struct cpu_moment {
	int64_t time_ns, ns;
	uint32_t key;
	int32_t cpu; /* -1: not known */
};

/* Who wants the samples themselves. They come after the last event, in the order of their stacks. */
struct cpu_sink {
	void (*add)(void *data, const struct cpu_moment *moment);
	void *data;
};

/*
 * Samples from from_ns up to, not including, to_ns (INT64_MAX: no end) are counted. `complete`: call chains that stop short
 * are completed (analysis/stack_completer.h) if keys are found by stacks. The arguments are borrowed.
 */
struct cpu_account *cpu_account_new(struct machine *machine, struct grouping *grouping,
				    int64_t from_ns, int64_t to_ns, bool complete);
void cpu_account_free(struct cpu_account *account);

/*
 * For a sink: keep each sample by itself, instead of counting them for keys, which are found by stacks. Call it before the
 * first event.
 */
void cpu_account_keep_samples(struct cpu_account *account);

/* Whether what follows the range of time completes stacks within it. */
bool cpu_account_needs_all(const struct cpu_account *account);

/* Count an event. Call it with events of all kinds, after machine_apply(). */
void cpu_account_apply(struct cpu_account *account, const struct trace_event *event);

/*
 * cpu_account_apply() in two steps. cpu_account_prepare() adds the sample of an event, if it has one, to `samples`.
 * False: the event cannot be deferred; call cpu_account_apply() with it after all deferred samples are counted.
 * cpu_account_count() counts deferred samples, in the order of their events; it may run in another thread.
 */
bool cpu_account_prepare(struct cpu_account *account, const struct trace_event *event,
			 struct cpu_samples *samples);
void cpu_account_count(struct cpu_account *account, const struct cpu_samples *samples);

/*
 * No events follow: count the samples that wait, for what completes their stacks among others. Nothing is right before it.
 */
void cpu_account_end(struct cpu_account *account);

/*
 * Forget the stacks and frames that no counted sample has, and count the others in the order of their stacks: results do
 * not depend on what else the trace has. Only if keys are found by stacks; call it after cpu_account_end() and before
 * functions are looked up. No stacks may be looked up in the machine after this.
 */
void cpu_account_keep_counted(struct cpu_account *account);

/*
 * Give the root [truncated] to the call chains that break at their outermost frame; `breaks` decides that, once for each
 * frame. Only if keys are found by stacks; call it after cpu_account_end(), before cpu_account_add_stacks() and
 * cpu_account_finish_early().
 */
typedef bool cpu_breaks_fn(void *data, uint32_t frame);

void cpu_account_mark_truncated(struct cpu_account *account, cpu_breaks_fn *breaks, void *data);

/*
 * Leave out the samples whose stacks the filter does not let through. The function table must have all functions, and no
 * samples may be counted after this. Call it before cpu_account_add_stacks() and cpu_account_finish().
 */
void cpu_account_filter(struct cpu_account *account);

/* CPU time of samples whose stacks were completed. Call it before cpu_account_finish(). */
int64_t cpu_account_completed_ns(const struct cpu_account *account);

/* CPU time of samples whose stacks have a gap (FRAME_MISSING); 0 if keys are not found by stacks. Call it likewise. */
int64_t cpu_account_gap_ns(const struct cpu_account *account);

/*
 * Add the samples of each stack to `quality`, by the ends of all stacks; nothing if keys are not found by stacks. Call it
 * before cpu_account_finish().
 */
void cpu_account_add_stacks(const struct cpu_account *account, const struct stack_end *ends,
			    struct stack_quality *quality);

/*
 * For keys found by stacks, while functions are still being looked up: do the part of cpu_account_finish() that needs
 * only the functions of the first `frames` frames (0: none), which the function table must have. No samples may be
 * counted after this.
 */
void cpu_account_finish_early(struct cpu_account *account, size_t frames);

/*
 * Compute the totals, once; with BY_STACK alone the machine has no stacks afterwards. The result has `*nr` entries, by the
 * keys of the grouping, and lives as long as the account; a key that is the leaf of no stack has only a total. Then
 * only cpu_account_total() and cpu_account_trim() may be called.
 */
const struct cpu_entry *cpu_account_finish(struct cpu_account *account, size_t *nr);

/*
 * Instead of cpu_account_finish(), if keys are found by stacks: what was counted, by stacks of the machine, which keeps
 * them. Stacks without frames are [truncated]. The result has `*nr` tallies, in no order, with places of the grouping; it
 * lives until cpu_account_trim(). A stack at a place may have several.
 */
const struct stack_tally *cpu_account_tallies(struct cpu_account *account, size_t *nr);

/* Instead of cpu_account_finish(), after cpu_account_keep_samples(): give the samples to the sink. */
void cpu_account_give_samples(struct cpu_account *account, const struct cpu_sink *sink);

/* Free the data that only cpu_account_finish() needs. */
void cpu_account_trim(struct cpu_account *account);

/* The sum over all that the filter lets through; percentages are relative to it. */
struct cpu_entry cpu_account_total(const struct cpu_account *account);

/*
 * Exact times of a key, of all keys, and of gaps, where it is not known who ran; all 0 without context switches, or if keys
 * are found by stacks.
 */
struct cpu_exact cpu_account_exact(const struct cpu_account *account, uint32_t key);
struct cpu_exact cpu_account_exact_total(const struct cpu_account *account);
struct cpu_exact cpu_account_exact_gaps(const struct cpu_account *account);

#endif
