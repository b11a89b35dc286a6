#include "report/view_head.h"

#define INCOMPLETE "incomplete, with outer callers missing"

/* The form of the facts; to be raised if one changes its meaning or goes. */
#define SCHEMA 1

static void add_versions(struct head *head, const struct view_head *view)
{
	head_keep_number(head, "schema", SCHEMA);
	head_keep_text(head, "program", "stagetrace " STAGETRACE_VERSION);
	head_keep_text(head, "recorded_by", view->recorded_by);
	if (view->facts)
		head_keep_text(head, "trace_format", view->facts->format);
}

/* Where the range ends, as far as known; -1: unknown. */
static int64_t end_of_range(const struct view_head *view)
{
	if (view->to_ns != INT64_MAX)
		return view->to_ns;
	return view->last_ns >= view->from_ns ? view->last_ns : -1;
}

/* An end that the user gave, as it can be given again; that of the recording for people. */
static void add_end_of_range(struct head *head, const char *key, int64_t ns, bool given)
{
	if (given)
		head_moment(head, key, ns);
	else
		head_number(head, key, COLUMN_TIME, ns);
}

static void add_range(struct head *head, const struct view_head *view)
{
	const struct trace_counters *counters = view->facts ? &view->facts->counters : NULL;
	const char *clock = view->facts ? view->facts->clock : view->clock;
	bool whole = view->from_ns <= 0 && view->to_ns == INT64_MAX;

	head_label(head, "range");
	add_end_of_range(head, "from_ns", view->from_ns > 0 ? view->from_ns : 0, view->from_ns > 0);
	head_words(head, "..");
	if (end_of_range(view) >= 0)
		add_end_of_range(head, "to_ns", end_of_range(view), view->to_ns != INT64_MAX);
	if (whole)
		head_words(head, counters && (counters->truncated || counters->unread_bytes)
					 ? ", all that could be read"
					 : ", the whole recording");
	else if (view->last_ns >= 0 &&
		 (view->to_ns != INT64_MAX || view->last_ns < view->from_ns)) {
		head_words(head, " of ");
		table_add_number(&head->lines, COLUMN_TIME, view->last_ns);
	}
	if (view->last_ns >= 0)
		head_keep_number(head, "end_ns", view->last_ns);
	if (clock)
		head_words(head, ", by ");
	head_text(head, "clock", clock);
	head_words(head, "\n");
	head_keep_flag(head, "filtered", view->filtered);
}

static void add_estimate(struct head *head, const struct view_head *view)
{
	const struct memory_estimate *estimate = &view->results->estimate;
	double all = (double)estimate->exact_bytes + (double)estimate->estimated_bytes +
		     (double)estimate->not_sampled_bytes;
	double not_sampled;

	if (all <= 0 || (!estimate->estimated_bytes && !estimate->not_sampled_bytes))
		return;
	head_keep_number(head, "exact_bytes", estimate->exact_bytes);
	head_keep_number(head, "estimated_bytes", estimate->estimated_bytes);
	head_keep_number(head, "not_sampled_bytes", estimate->not_sampled_bytes);
	head_label(head, "stacks");
	head_words(head, "exact for ");
	head_percent(head, 100 * (double)estimate->exact_bytes / all);
	head_words(head, " of the size");
	if (estimate->estimated_bytes) {
		head_words(head, ", estimated from sampled events for ");
		head_percent(head, 100 * (double)estimate->estimated_bytes / all);
	}
	head_words(head, "\n");
	not_sampled = 100 * (double)estimate->not_sampled_bytes / all;
	head_label(head, "");
	if (not_sampled < 0)
		head_words(head, "the estimate is ");
	head_percent(head, not_sampled < 0 ? -not_sampled : not_sampled);
	head_words(head, not_sampled < 0 ? " too high: [not sampled] is negative by that\n"
					 : " is [not sampled]\n");
	if (!view->below_zero)
		return;
	head_label(head, "");
	head_words(head, "- is below zero: there the estimate is higher than the exact sum "
			 "(docs/memory.md)\n");
}

/* Shares below this are not worth a line. */
#define LEAST_SHARE       0.0005
#define LEAST_GAP_PERCENT 1.0

static bool is_shown(uint64_t some, double all)
{
	return (double)some >= LEAST_SHARE * all && some;
}

static void keep_stacks(struct head *head, const struct stack_quality_result *stacks)
{
	head_keep_number(head, "stacks", (int64_t)stacks->samples);
	head_keep_number(head, "incomplete_stacks", (int64_t)(stacks->samples - stacks->complete));
	head_keep_number(head, "truncated_stacks", (int64_t)stacks->truncated);
	head_keep_number(head, "unnamed_stacks", (int64_t)stacks->unnamed);
}

/* Shares are of all samples. */
static void add_incomplete(struct head *head, const struct stack_quality_result *stacks)
{
	double samples = (double)stacks->samples;
	uint64_t incomplete = stacks->samples - stacks->complete;

	head_percent(head, 100 * (double)incomplete / samples);
	head_words(head, " are " INCOMPLETE " (docs/stacks.md)\n");
	if (!is_shown(incomplete, samples))
		return;
	if (is_shown(stacks->worst_samples, samples)) {
		head_label(head, "");
		head_words(head, "they end most often in ");
		head_text(head, "incomplete_stacks_end_in", stacks->worst);
		head_words(head, " (");
		head_percent(head, 100 * (double)stacks->worst_samples / samples);
		head_words(head, ")\n");
	}
	if (is_shown(stacks->truncated, samples)) {
		head_label(head, "");
		head_percent(head, 100 * (double)stacks->truncated / samples);
		head_words(head, " have the root [truncated]: the callers were not recorded, or "
				 "not found\n");
	}
	if (is_shown(stacks->unnamed, samples)) {
		head_label(head, "");
		head_percent(head, 100 * (double)stacks->unnamed / samples);
		head_words(head, " may be complete: the symbols of their root are missing\n");
	}
}

/* Gaps are within stacks, which may be complete otherwise. */
static void add_gaps(struct head *head, const struct results *results)
{
	double percent = results_gap_percent(results);

	head_keep_number(head, "missing_frames_ns", results->gap_ns);
	if (percent < LEAST_GAP_PERCENT)
		return;
	head_label(head, "");
	head_percent(head, percent);
	head_words(head, " of the time has [missing frames] in its stacks: unknown callers "
			 "(docs/stacks.md)\n");
}

static void add_stacks(struct head *head, const struct results *results, bool first)
{
	const struct stack_quality_result *stacks = &results->stacks;

	keep_stacks(head, stacks);
	head_label(head, first ? "stacks" : "");
	if (stacks->none)
		head_wordsf(head, "%s\n", stacks->none);
	else if (stacks->complete < stacks->samples)
		add_incomplete(head, stacks);
	else
		head_words(head, results->gap_ns ? "all reach the start of their thread\n"
						 : "all are complete\n");
	if (results->account->cpu)
		add_gaps(head, results);
}

/* Add to a list, where there are any; keep the fact in any case. */
static void add_count(struct head *head, const char *key, const char *one, const char *many,
		      uint64_t nr, bool *any)
{
	if (nr)
		head_wordsf(head, "%s%llu %s", *any ? ", " : "", (unsigned long long)nr,
			    nr > 1 ? many : one);
	*any |= nr > 0;
	head_keep_number(head, key, (int64_t)nr);
}

static void add_unread(struct head *head, uint64_t bytes, bool *any)
{
	if (bytes) {
		head_words(head, *any ? ", " : "");
		table_add_number(&head->lines, COLUMN_BYTES, (int64_t)bytes);
		head_words(head, " not read");
		*any = true;
	}
	head_keep_number(head, "unread_bytes", (int64_t)bytes);
}

static void add_end(struct head *head, const struct trace_counters *counters, bool *any)
{
	head_keep_flag(head, "truncated", counters->truncated);
	if (!counters->truncated)
		return;
	head_words(head, *any ? ", " : "");
	if (trace_counters_add_missing(counters, &head->lines))
		head_words(head, " at the end of the file");
	else
		head_words(head, "the end of the file");
	*any = true;
	if (counters->missing_bytes)
		head_keep_number(head, "missing_bytes", (int64_t)counters->missing_bytes);
	if (counters->missing_buffers)
		head_keep_number(head, "missing_buffers", (int64_t)counters->missing_buffers);
}

static void add_losses(struct head *head, const struct trace_counters *counters)
{
	bool any = false;

	head_label(head, "lost");
	add_count(head, "lost_events", "event", "events", counters->lost, &any);
	add_count(head, "lost_buffers", "buffer of events", "buffers of events",
		  counters->lost_buffers, &any);
	add_count(head, "damaged_buffers", "damaged buffer of events", "damaged buffers of events",
		  counters->damaged_buffers, &any);
	add_count(head, "damaged_records", "damaged record", "damaged records",
		  counters->damaged - counters->damaged_buffers, &any);
	add_unread(head, counters->unread_bytes, &any);
	add_end(head, counters, &any);
	head_words(head, any ? "\n" : "nothing\n");
}

/* They are not lost: views have them, a little late. */
static void add_order(struct head *head, const struct trace_counters *counters)
{
	bool any = false;

	if (counters->unordered)
		head_label(head, "order");
	add_count(head, "unordered_events", "event out of order", "events out of order",
		  counters->unordered, &any);
	head_words(head, any ? "\n" : "");
}

/* Where nothing is lost there is no line: most views do not show processes. */
static void add_tracker(struct head *head, const struct tracker_losses *tracker)
{
	bool any = false;

	if (!tracker)
		return;
	if (tracker->events || tracker->processes || tracker->command_lines)
		head_label(head, "tracker");
	add_count(head, "lost_tracker_events", "event lost", "events lost", tracker->events, &any);
	add_count(head, "missed_processes", "short process may be missing",
		  "short processes may be missing", tracker->processes, &any);
	add_count(head, "lost_command_lines", "command line lost", "command lines lost",
		  tracker->command_lines, &any);
	head_words(head, any ? "\n" : "");
}

static void add_truncated(struct head *head, uint64_t nr, bool first)
{
	head_label(head, first ? "stacks" : "");
	head_wordsf(head, "%llu %s " INCOMPLETE ": [truncated] (docs/stacks.md)\n",
		    (unsigned long long)nr, nr == 1 ? "is" : "are");
	head_keep_number(head, "truncated_stacks", (int64_t)nr);
}

void view_head_begin(const struct view_head *view, struct head *head)
{
	const struct results *results = view->results;
	size_t before;

	add_versions(head, view);
	add_range(head, view);
	if (!results)
		return;
	results->account->add_head(results, view->facts, view->filtered, head);
	before = head->lines.len;
	add_estimate(head, view);
	if (results->stacks.samples)
		add_stacks(head, results, head->lines.len == before);
	else if (view->stacks_truncated)
		add_truncated(head, view->stacks_truncated, head->lines.len == before);
}

void view_head_end(const struct view_head *view, struct head *head)
{
	if (view->facts) {
		add_losses(head, &view->facts->counters);
		add_order(head, &view->facts->counters);
	}
	add_tracker(head, view->tracker);
}
