#include "report/view_head.h"

#include "util/strbuf.h"
#include "util/text.h"

#define INDENT 9

/* What a line is about, before its text; nothing goes on from the line above. */
static void begin(struct strbuf *sb, const char *label)
{
	size_t start = sb->len;

	strbuf_adds(sb, label);
	strbuf_pad(sb, ' ', start + INDENT);
}

static void add_range(struct strbuf *sb, const struct view_head *head)
{
	bool whole = head->from_ns <= 0 && head->to_ns == INT64_MAX;

	begin(sb, "range");
	text_add_duration(sb, head->from_ns > 0 ? head->from_ns : 0);
	strbuf_adds(sb, "..");
	if (head->to_ns != INT64_MAX)
		text_add_duration(sb, head->to_ns);
	else if (head->last_ns >= head->from_ns)
		text_add_duration(sb, head->last_ns);
	if (whole)
		strbuf_adds(sb, head->cut || head->unread ? ", all that could be read"
							  : ", the whole recording");
	else if (head->last_ns >= 0 &&
		 (head->to_ns != INT64_MAX || head->last_ns < head->from_ns)) {
		strbuf_adds(sb, " of ");
		text_add_duration(sb, head->last_ns);
	}
	if (head->clock)
		strbuf_addf(sb, ", by %s", head->clock);
	strbuf_addc(sb, '\n');
}

static void add_cpu(struct strbuf *sb, const struct cpu_head *cpu, bool filtered)
{
	begin(sb, "cpu");
	text_add_duration(sb, cpu->total.self_ns);
	strbuf_addf(sb, " in %lld sample%s", (long long)cpu->total.samples,
		    cpu->total.samples == 1 ? "" : "s");
	if (cpu->event)
		strbuf_addf(sb, " of %s", cpu->event);
	strbuf_adds(sb, filtered ? ", of the processes asked for\n" : "\n");
	if (!cpu->note)
		return;
	begin(sb, "");
	strbuf_addf(sb, "%s\n", cpu->note);
}

static void add_peak(struct strbuf *sb, const struct ledger *ledger, bool filtered)
{
	begin(sb, "peak");
	text_add_bytes(sb, ledger->whole.peak);
	strbuf_adds(sb, " of the whole build, at ");
	text_add_duration(sb, ledger->whole.peak_ns);
	if (filtered) {
		strbuf_adds(sb, "; ");
		text_add_bytes(sb, ledger->total.at_peak);
		strbuf_adds(sb, " of it by the processes asked for");
	}
	strbuf_addc(sb, '\n');
}

static void add_moment(struct strbuf *sb, const struct ledger *ledger)
{
	if (ledger->at_ns == LEDGER_AT_PEAK)
		return;
	begin(sb, "at");
	if (ledger->at_ns == LEDGER_AT_END)
		strbuf_adds(sb, "the end of the range");
	else
		text_add_duration(sb, ledger->at_ns);
	strbuf_adds(sb, ": ");
	text_add_bytes(sb, ledger->total.at);
	strbuf_adds(sb, " outstanding\n");
}

static void add_size(struct strbuf *sb, const struct ledger_entry *total, bool filtered)
{
	begin(sb, "size");
	text_add_bytes(sb, total->size);
	strbuf_addf(sb, " committed by %lld event%s, ", (long long)total->count,
		    total->count == 1 ? "" : "s");
	text_add_bytes(sb, total->freed);
	strbuf_adds(sb, filtered ? " freed, by the processes asked for\n" : " freed\n");
}

static void add_estimate(struct strbuf *sb, const struct memory_estimate *estimate)
{
	double all = (double)estimate->exact_bytes + (double)estimate->estimated_bytes +
		     (double)estimate->not_sampled_bytes;
	double rest;

	if (all <= 0 || (!estimate->estimated_bytes && !estimate->not_sampled_bytes))
		return;
	begin(sb, "stacks");
	strbuf_addf(
		sb,
		"known for %.1f%% of the size, for %.1f%% estimated from a part of the events\n",
		100 * (double)estimate->exact_bytes / all,
		100 * (double)estimate->estimated_bytes / all);
	rest = 100 * (double)estimate->not_sampled_bytes / all;
	begin(sb, "");
	if (rest < 0)
		strbuf_addf(sb, "%.1f%% too much in sum, which [not sampled] takes off\n", -rest);
	else
		strbuf_addf(sb, "%.1f%% is [not sampled]\n", rest);
}

static void add_truncated(struct strbuf *sb, uint64_t truncated, bool goes_on)
{
	if (!truncated)
		return;
	begin(sb, goes_on ? "" : "stacks");
	strbuf_addf(sb, "%llu end before the start of their thread: [truncated]\n",
		    (unsigned long long)truncated);
}

/* A chain of frame pointers that breaks has no root [truncated]. */
static void add_short(struct strbuf *sb, const struct stack_quality_result *stacks)
{
	double samples = (double)stacks->samples;

	if (!stacks->samples)
		return;
	begin(sb, "stacks");
	strbuf_addf(sb, "%.1f%% stop short of the start of their thread%s\n",
		    100 * (double)(stacks->samples - stacks->whole) / samples,
		    stacks->worst_samples ? "," : "");
	if (stacks->worst_samples) {
		begin(sb, "");
		strbuf_addf(sb, "most often (%.1f%%) in %s\n",
			    100 * (double)stacks->worst_samples / samples, stacks->worst);
	}
	if (stacks->truncated) {
		begin(sb, "");
		strbuf_addf(sb, "%.1f%% are known to have been cut: [truncated]\n",
			    100 * (double)stacks->truncated / samples);
	}
	if (stacks->unnamed) {
		begin(sb, "");
		strbuf_addf(sb, "%.1f%% stop in code without a name, which may be that start\n",
			    100 * (double)stacks->unnamed / samples);
	}
}

static void add_loss(struct strbuf *sb, const char *one, const char *many, uint64_t nr, bool *any)
{
	if (!nr)
		return;
	strbuf_addf(sb, "%s%llu %s", *any ? ", " : "", (unsigned long long)nr, nr > 1 ? many : one);
	*any = true;
}

static void add_lost_bytes(struct strbuf *sb, uint64_t bytes, const char *what, bool *any)
{
	if (!bytes)
		return;
	strbuf_adds(sb, *any ? ", " : "");
	text_add_bytes(sb, (int64_t)bytes);
	strbuf_adds(sb, what);
	*any = true;
}

static void add_losses(struct strbuf *sb, const struct view_head *head)
{
	bool any = false;

	begin(sb, "lost");
	add_loss(sb, "event", "events", head->lost, &any);
	add_loss(sb, "buffer of events", "buffers of events", head->lost_buffers, &any);
	add_loss(sb, "damaged record", "damaged records", head->damaged, &any);
	add_loss(sb, "late event", "late events", head->unordered, &any);
	add_lost_bytes(sb, head->unread, " not read", &any);
	add_lost_bytes(sb, head->missing, " at the end of the file", &any);
	if (head->cut && !head->missing)
		strbuf_addf(sb, "%sthe end of the file", any ? ", " : "");
	else if (!any)
		strbuf_adds(sb, "nothing");
	strbuf_addc(sb, '\n');
}

void view_head_print(const struct view_head *head, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;
	size_t before;

	add_range(&sb, head);
	if (head->cpu)
		add_cpu(&sb, head->cpu, head->filtered);
	if (head->memory) {
		add_peak(&sb, head->memory->ledger, head->filtered);
		add_moment(&sb, head->memory->ledger);
		add_size(&sb, &head->memory->ledger->total, head->filtered);
	}
	before = sb.len;
	if (head->memory)
		add_estimate(&sb, &head->memory->estimate);
	if (head->cpu)
		add_short(&sb, &head->cpu->stacks);
	else
		add_truncated(&sb, head->stacks_truncated, sb.len > before);
	add_losses(&sb, head);
	strbuf_addc(&sb, '\n');
	fputs(sb.buf, out);
	strbuf_release(&sb);
}
