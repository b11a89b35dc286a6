#include "analysis/cpu_exact.h"

#include "util/text.h"
#include "util/wrap.h"

/* Times of a damaged file may be far apart: no overflow. */
static int64_t overlap(int64_t from, int64_t to, int64_t from_ns, int64_t to_ns)
{
	if (from < from_ns)
		from = from_ns;
	if (to > to_ns)
		to = to_ns;
	return from < to ? wrap_subtract(to, from) : 0;
}

void cpu_exact_add(struct cpu_exact *exact, const struct trace_run *run, int64_t from_ns,
		   int64_t to_ns)
{
	wrap_add_to(&exact->run_ns, overlap(run->from_ns, run->to_ns, from_ns, to_ns));
	wrap_add_to(&exact->ready_ns, overlap(run->ready_ns, run->from_ns, from_ns, to_ns));
	wrap_add_to(&exact->blocked_ns, overlap(run->blocked_ns, run->ready_ns, from_ns, to_ns));
	exact->switches += run->switched && run->from_ns >= from_ns && run->from_ns < to_ns;
}

void cpu_exact_join(struct cpu_exact *exact, const struct cpu_exact *other)
{
	wrap_add_to(&exact->run_ns, other->run_ns);
	wrap_add_to(&exact->ready_ns, other->ready_ns);
	wrap_add_to(&exact->blocked_ns, other->blocked_ns);
	exact->switches += other->switches;
}

void cpu_exact_explain(const struct cpu_exact *gap, struct strbuf *notes)
{
	if (gap->run_ns <= 0)
		return;
	strbuf_adds(notes, "context switches are missing: who ran for ");
	text_add_duration(notes, gap->run_ns);
	strbuf_adds(notes, " of processor time is not known, and exact times are too low\n");
}
