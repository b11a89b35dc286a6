#include "report/view_head.h"

#include "util/print.h"
#include "util/strbuf.h"
#include "util/text.h"
#include "util/utf8.h"

#define INDENT 9

#define INCOMPLETE "incomplete, with outer callers missing"

void view_head_label(struct strbuf *sb, const char *label)
{
	size_t start = sb->len;

	strbuf_adds(sb, label);
	strbuf_pad(sb, ' ', start + INDENT);
}

static void add_range(struct strbuf *sb, const struct view_head *head)
{
	bool whole = head->from_ns <= 0 && head->to_ns == INT64_MAX;

	view_head_label(sb, "range");
	text_add_duration(sb, head->from_ns > 0 ? head->from_ns : 0);
	strbuf_adds(sb, "..");
	if (head->to_ns != INT64_MAX)
		text_add_duration(sb, head->to_ns);
	else if (head->last_ns >= head->from_ns)
		text_add_duration(sb, head->last_ns);
	if (whole)
		strbuf_adds(sb,
			    head->facts->counters.truncated || head->facts->counters.unread_bytes
				    ? ", all that could be read"
				    : ", the whole recording");
	else if (head->last_ns >= 0 &&
		 (head->to_ns != INT64_MAX || head->last_ns < head->from_ns)) {
		strbuf_adds(sb, " of ");
		text_add_duration(sb, head->last_ns);
	}
	if (head->facts->clock)
		strbuf_addf(sb, ", by %s", head->facts->clock);
	strbuf_addc(sb, '\n');
}

static void add_estimate(struct strbuf *sb, const struct memory_estimate *estimate)
{
	double all = (double)estimate->exact_bytes + (double)estimate->estimated_bytes +
		     (double)estimate->not_sampled_bytes;
	double not_sampled;

	if (all <= 0 || (!estimate->estimated_bytes && !estimate->not_sampled_bytes))
		return;
	view_head_label(sb, "stacks");
	strbuf_addf(sb, "exact for %.1f%% of the size, estimated from sampled events for %.1f%%\n",
		    100 * (double)estimate->exact_bytes / all,
		    100 * (double)estimate->estimated_bytes / all);
	not_sampled = 100 * (double)estimate->not_sampled_bytes / all;
	view_head_label(sb, "");
	if (not_sampled < 0)
		strbuf_addf(sb,
			    "the estimate is %.1f%% too high: [not sampled] is negative by that\n",
			    -not_sampled);
	else
		strbuf_addf(sb, "%.1f%% is [not sampled]\n", not_sampled);
}

/* Shares below this are not worth a line. */
#define LEAST_SHARE 0.0005

static bool is_shown(uint64_t some, double all)
{
	return (double)some >= LEAST_SHARE * all && some;
}

/* Shares are of all samples. */
static void add_incomplete(struct strbuf *sb, const struct stack_quality_result *stacks)
{
	double samples = (double)stacks->samples;
	uint64_t incomplete = stacks->samples - stacks->complete;

	view_head_label(sb, "stacks");
	if (!incomplete) {
		strbuf_adds(sb, "all are complete\n");
		return;
	}
	if (!is_shown(incomplete, samples)) {
		strbuf_adds(sb, "less than 0.1% are " INCOMPLETE " (docs/stacks.md)\n");
		return;
	}
	strbuf_addf(sb, "%.1f%% are " INCOMPLETE " (docs/stacks.md)\n",
		    100 * (double)incomplete / samples);
	if (is_shown(stacks->worst_samples, samples)) {
		view_head_label(sb, "");
		strbuf_adds(sb, "they end most often in ");
		utf8_add_printable(sb, stacks->worst);
		strbuf_addf(sb, " (%.1f%%)\n", 100 * (double)stacks->worst_samples / samples);
	}
	if (is_shown(stacks->truncated, samples)) {
		view_head_label(sb, "");
		strbuf_addf(sb,
			    "%.1f%% have the root [truncated]: the callers were not recorded, or "
			    "not found\n",
			    100 * (double)stacks->truncated / samples);
	}
	if (is_shown(stacks->unnamed, samples)) {
		view_head_label(sb, "");
		strbuf_addf(sb, "%.1f%% may be complete: the symbols of their root are missing\n",
			    100 * (double)stacks->unnamed / samples);
	}
}

static void add_count(struct strbuf *sb, const char *one, const char *many, uint64_t nr, bool *any)
{
	if (!nr)
		return;
	strbuf_addf(sb, "%s%llu %s", *any ? ", " : "", (unsigned long long)nr, nr > 1 ? many : one);
	*any = true;
}

static void add_unread(struct strbuf *sb, uint64_t bytes, bool *any)
{
	if (!bytes)
		return;
	strbuf_adds(sb, *any ? ", " : "");
	text_add_bytes(sb, (int64_t)bytes);
	strbuf_adds(sb, " not read");
	*any = true;
}

static void add_end(struct strbuf *sb, const struct trace_counters *counters, bool *any)
{
	strbuf_adds(sb, *any ? ", " : "");
	if (trace_counters_add_missing(counters, sb))
		strbuf_adds(sb, " at the end of the file");
	else
		strbuf_adds(sb, "the end of the file");
	*any = true;
}

static void add_losses(struct strbuf *sb, const struct trace_counters *counters)
{
	bool any = false;

	view_head_label(sb, "lost");
	add_count(sb, "event", "events", counters->lost, &any);
	add_count(sb, "buffer of events", "buffers of events", counters->lost_buffers, &any);
	add_count(sb, "damaged buffer of events", "damaged buffers of events",
		  counters->damaged_buffers, &any);
	add_count(sb, "damaged record", "damaged records",
		  counters->damaged - counters->damaged_buffers, &any);
	add_unread(sb, counters->unread_bytes, &any);
	if (counters->truncated)
		add_end(sb, counters, &any);
	if (!any)
		strbuf_adds(sb, "nothing");
	strbuf_addc(sb, '\n');
}

/* They are not lost: views have them, a little late. */
static void add_order(struct strbuf *sb, const struct trace_counters *counters)
{
	bool any = false;

	if (!counters->unordered)
		return;
	view_head_label(sb, "order");
	add_count(sb, "event out of order", "events out of order", counters->unordered, &any);
	strbuf_addc(sb, '\n');
}

void view_head_print(const struct view_head *head, FILE *out)
{
	const struct results *results = head->results;
	struct strbuf sb = STRBUF_INIT;
	size_t before;

	add_range(&sb, head);
	if (results)
		results->account->add_head(results, head->facts, head->filtered, &sb);
	before = sb.len;
	if (results)
		add_estimate(&sb, &results->estimate);
	if (results && results->stacks.samples) {
		add_incomplete(&sb, &results->stacks);
	} else if (head->stacks_truncated) {
		view_head_label(&sb, sb.len > before ? "" : "stacks");
		strbuf_addf(&sb, "%llu %s " INCOMPLETE ": [truncated] (docs/stacks.md)\n",
			    (unsigned long long)head->stacks_truncated,
			    head->stacks_truncated == 1 ? "is" : "are");
	}
	strbuf_adds(&sb, head->more ? head->more : "");
	add_losses(&sb, &head->facts->counters);
	add_order(&sb, &head->facts->counters);
	strbuf_addc(&sb, '\n');
	print_text(out, sb.buf);
	strbuf_release(&sb);
}
