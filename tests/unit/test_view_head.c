#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cpu_account.h"
#include "report/view_head.h"

#include "util/alloc.h"
#include "util/array.h"

#define S  INT64_C(1000000000)
#define GB (INT64_C(1) << 30)

static void expect(const struct view_head *view, const char *expected)
{
	struct head head = HEAD_INIT;

	view_head_begin(view, &head);
	view_head_end(view, &head);
	assert_string_equal(head.lines.buf, expected);
	head_release(&head);
}

static void view_head__cpu__whole_recording(void **state)
{
	const struct cpu_entry total = { 1000, 12 * S, 12 * S };
	const struct results results = { .account = &account_cpu, .total = &total };
	const struct trace_facts facts = { .clock = (char *)"CLOCK_MONOTONIC",
					   .cpu_event = (char *)"cpu-clock" };
	const struct view_head head = {
		.facts = &facts,
		.results = &results,
		.to_ns = INT64_MAX,
		.last_ns = 200 * S,
	};

	(void)state;
	expect(&head, "range    0 s..3m 20s, the whole recording, by CLOCK_MONOTONIC\n"
		      "cpu      12.0 s in 1000 samples of cpu-clock\n"
		      "lost     nothing\n");
}

static void view_head__cpu__range_filters_and_losses(void **state)
{
	const struct cpu_entry total = { 3, S, S };
	const struct results results = { .account = &account_cpu,
					 .total = &total,
					 .stacks = { .samples = 3, .complete = 3 } };
	const struct trace_facts facts = { .cpu_note = (char *)"weights are counts, not time",
					   .counters.lost = 1,
					   .counters.damaged = 2,
					   .counters.truncated = true };
	const struct view_head head = {
		.facts = &facts,
		.results = &results,
		.from_ns = 10 * S,
		.to_ns = 20 * S,
		.last_ns = 200 * S,
		.filtered = true,
	};

	(void)state;
	expect(&head, "range    10s..20s of 3m 20s\n"
		      "cpu      1.00 s in 3 samples, of the selection\n"
		      "         weights are counts, not time\n"
		      "stacks   all are complete\n"
		      "lost     1 event, 2 damaged records, the end of the file\n");
}

static void view_head__cpu__stacks_that_stop_short(void **state)
{
	const struct cpu_entry total = { 3, S, S };
	const struct results results = { .account = &account_cpu,
					 .total = &total,
					 .stacks = { .samples = 200,
						     .complete = 50,
						     .truncated = 10,
						     .unnamed = 5,
						     .worst = "libLLVM.so.19.1",
						     .worst_samples = 105 } };
	const struct trace_facts facts = { 0 };
	const struct view_head head = {
		.facts = &facts, .results = &results, .to_ns = INT64_MAX, .last_ns = 0
	};

	(void)state;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "cpu      1.00 s in 3 samples\n"
		      "stacks   75.0% are incomplete, with outer callers missing (docs/stacks.md)\n"
		      "         they end most often in libLLVM.so.19.1 (52.5%)\n"
		      "         5.0% have the root [truncated]: the callers were not recorded, or "
		      "not found\n"
		      "         2.5% may be complete: the symbols of their root are missing\n"
		      "lost     nothing\n");
}

/* A share that rounds to 0.0% says that it is more; of its parts nothing is said. */
static void view_head__cpu__few_stacks_that_stop_short(void **state)
{
	const struct cpu_entry total = { 3, S, S };
	struct results results = { .account = &account_cpu,
				   .total = &total,
				   .stacks = { .samples = 100000,
					       .complete = 99951,
					       .truncated = 3,
					       .worst = "ld.so",
					       .worst_samples = 40 } };
	const struct trace_facts facts = { 0 };
	const struct view_head head = {
		.facts = &facts, .results = &results, .to_ns = INT64_MAX, .last_ns = 0
	};

	(void)state;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "cpu      1.00 s in 3 samples\n"
		      "stacks   <0.1% are incomplete, with outer callers missing "
		      "(docs/stacks.md)\n"
		      "lost     nothing\n");
	results.stacks.complete = 99900;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "cpu      1.00 s in 3 samples\n"
		      "stacks   0.1% are incomplete, with outer callers missing (docs/stacks.md)\n"
		      "lost     nothing\n");
}

/* Stacks that reach the start of their thread are not complete if there is a gap in them. */
static void view_head__cpu__gaps_in_stacks(void **state)
{
	const struct cpu_entry total = { 100, 100 * S, 100 * S };
	struct results results = { .account = &account_cpu,
				   .total = &total,
				   .stacks = { .samples = 100, .complete = 100 },
				   .gap_ns = S };
	const struct trace_facts facts = { 0 };
	const struct view_head head = {
		.facts = &facts, .results = &results, .to_ns = INT64_MAX, .last_ns = 0
	};

	(void)state;
	expect(&head,
	       "range    0 s..0 s, the whole recording\n"
	       "cpu      1m 40s in 100 samples\n"
	       "stacks   all reach the start of their thread\n"
	       "         1.0% of the time has [missing frames] in its stacks: unknown callers "
	       "(docs/stacks.md)\n"
	       "lost     nothing\n");
	/* Too few for a line of their own. */
	results.gap_ns = S - 1;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "cpu      1m 40s in 100 samples\n"
		      "stacks   all reach the start of their thread\n"
		      "lost     nothing\n");
	results.stacks.complete = 50;
	results.gap_ns = 50 * S;
	expect(&head,
	       "range    0 s..0 s, the whole recording\n"
	       "cpu      1m 40s in 100 samples\n"
	       "stacks   50.0% are incomplete, with outer callers missing (docs/stacks.md)\n"
	       "         50.0% of the time has [missing frames] in its stacks: unknown callers "
	       "(docs/stacks.md)\n"
	       "lost     nothing\n");
}

/* What was not read is not "the whole recording". */
static void view_head__unread_and_missing__are_shown(void **state)
{
	static const struct {
		struct trace_facts facts;
		const char *range, *lost;
	} cases[] = {
		{ { .counters.truncated = true },
		  ", all that could be read",
		  "the end of the file" },
		{ { .counters.truncated = true, .counters.missing_bytes = 2048 },
		  ", all that could be read",
		  "2.00 KB at the end of the file" },
		{ { .counters.truncated = true,
		    .counters.missing_bytes = 2048,
		    .counters.missing_buffers = 2,
		    .counters.all_buffers = 9 },
		  ", all that could be read",
		  "2.00 KB (2 of 9 buffers) at the end of the file" },
		{ { .counters.truncated = true,
		    .counters.missing_buffers = 2,
		    .counters.all_buffers = 9 },
		  ", all that could be read",
		  "2 of 9 buffers at the end of the file" },
		{ { .counters.damaged = 3, .counters.damaged_buffers = 1 },
		  ", the whole recording",
		  "1 damaged buffer of events, 2 damaged records" },
		{ { .counters.damaged = 1, .counters.unread_bytes = 4096 },
		  ", all that could be read",
		  "1 damaged record, 4.00 KB not read" },
		{ { .counters.truncated = true, .counters.unread_bytes = 4096 },
		  ", all that could be read",
		  "4.00 KB not read, the end of the file" },
		{ { .counters.damaged = 1 }, ", the whole recording", "1 damaged record" },
		{ { .counters.lost_buffers = 1 }, ", the whole recording", "1 buffer of events" },
		{ { .counters.lost = 7, .counters.lost_buffers = 2 },
		  ", the whole recording",
		  "7 events, 2 buffers of events" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct view_head head = { .facts = &cases[i].facts,
						.to_ns = INT64_MAX,
						.last_ns = S };
		char *expected = xasprintf("range    0 s..1.00 s%s\nlost     %s\n", cases[i].range,
					   cases[i].lost);

		expect(&head, expected);
		free(expected);
	}
}

static void view_head__memory__peak_moment_and_estimate(void **state)
{
	const struct ledger_entry whole = { .peak = 4 * GB, .peak_ns = 90 * S };
	const struct ledger_entry total = {
		.size = 100 * GB, .count = 5, .freed = 99 * GB, .at = GB, .at_peak = 3 * GB
	};
	const struct results results = { .account = &account_memory,
					 .request = { .at_ns = 15 * S },
					 .total = &total,
					 .whole = &whole,
					 .estimate = { 5 * GB, 3 * GB, 2 * GB } };
	const struct trace_facts facts = { .counters.unordered = 3 };
	const struct view_head head = {
		.facts = &facts,
		.results = &results,
		.to_ns = INT64_MAX,
		.last_ns = -1,
		.filtered = true,
		.stacks_truncated = 1,
	};

	(void)state;
	expect(&head, "range    0 s.., the whole recording\n"
		      "peak     4.00 GB of the whole build, at 1m30s; 3.00 GB of it in the "
		      "selection\n"
		      "at       15s: 1.00 GB outstanding\n"
		      "size     100 GB committed by 5 events, 99.0 GB freed, in the "
		      "selection\n"
		      "stacks   exact for 50.0% of the size, estimated from sampled events "
		      "for 30.0%\n"
		      "         20.0% is [not sampled]\n"
		      "         1 is incomplete, with outer callers missing: [truncated] "
		      "(docs/stacks.md)\n"
		      "lost     nothing\n"
		      "order    3 events out of order\n");
}

static void view_head__memory__estimate_above_the_exact_size(void **state)
{
	const struct ledger_entry nothing = { 0 };
	struct results results = { .account = &account_memory,
				   .request = { .at_ns = LEDGER_AT_PEAK },
				   .total = &nothing,
				   .whole = &nothing,
				   .estimate = { 80, 30, -10 } };
	const struct trace_facts facts = { 0 };
	const struct view_head head = {
		.facts = &facts, .results = &results, .to_ns = INT64_MAX, .last_ns = 0
	};

	(void)state;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "peak     0 B of the whole build, at 0s\n"
		      "size     0 B committed by 0 events, 0 B freed\n"
		      "stacks   exact for 80.0% of the size, estimated from sampled events "
		      "for 30.0%\n"
		      "         the estimate is 10.0% too high: [not sampled] is negative by that\n"
		      "lost     nothing\n");
	results.estimate = (struct memory_estimate){ 9998, 3, -1, false };
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "peak     0 B of the whole build, at 0s\n"
		      "size     0 B committed by 0 events, 0 B freed\n"
		      "stacks   exact for 100.0% of the size, estimated from sampled events "
		      "for <0.1%\n"
		      "         the estimate is <0.1% too high: [not sampled] is negative by that\n"
		      "lost     nothing\n");
}

static void view_head__memory__at_the_end_or_at_the_peak(void **state)
{
	const struct ledger_entry whole = { 0 };
	const struct ledger_entry total = { .at = GB, .peak_ns = 7 * S + S / 4 };
	struct results results = { .account = &account_memory,
				   .request = { .at_ns = LEDGER_AT_END },
				   .total = &total,
				   .whole = &whole,
				   .estimate = { 7, 0, 0 } }; /* all is exact: not worth a line */
	const struct trace_facts facts = { 0 };
	const struct view_head head = {
		.facts = &facts, .results = &results, .to_ns = INT64_MAX, .last_ns = 0
	};

	(void)state;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "peak     0 B of the whole build, at 0s\n"
		      "at       the end of the range: 1.00 GB outstanding\n"
		      "size     0 B committed by 0 events, 0 B freed\n"
		      "lost     nothing\n");
	results.request.at_ns = LEDGER_AT_PEAK;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "peak     0 B of the whole build, at 0s\n"
		      "size     0 B committed by 0 events, 0 B freed\n"
		      "lost     nothing\n");
	results.request.at_ns = LEDGER_AT_OWN_PEAK;
	expect(&head, "range    0 s..0 s, the whole recording\n"
		      "peak     0 B of the whole build, at 0s\n"
		      "at       the peak, 7.25s: 1.00 GB outstanding\n"
		      "size     0 B committed by 0 events, 0 B freed\n"
		      "lost     nothing\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(view_head__cpu__whole_recording),
		cmocka_unit_test(view_head__cpu__range_filters_and_losses),
		cmocka_unit_test(view_head__cpu__stacks_that_stop_short),
		cmocka_unit_test(view_head__cpu__few_stacks_that_stop_short),
		cmocka_unit_test(view_head__cpu__gaps_in_stacks),
		cmocka_unit_test(view_head__unread_and_missing__are_shown),
		cmocka_unit_test(view_head__memory__peak_moment_and_estimate),
		cmocka_unit_test(view_head__memory__estimate_above_the_exact_size),
		cmocka_unit_test(view_head__memory__at_the_end_or_at_the_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
