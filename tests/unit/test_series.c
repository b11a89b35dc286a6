#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/series.h"
#include "grouping_by.h"
#include "page_model.h"
#include "trace_fixture.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

#define PAGE FIXTURE_PAGE

struct view {
	struct trace_fixture fixture;
	struct process_filter filter;
	struct timeline_options options;
	struct timeline *timeline;
	struct series_set *set;
	/* The same events in a ledger of their own. */
	struct ledger ledger;
	struct memory_account *account;
	struct grouping *grouping;
};

static void apply(struct view *view, struct trace_event event)
{
	machine_apply(&view->fixture.machine, &event);
	timeline_apply(view->timeline, &event);
	memory_account_apply(view->account, &event);
}

/* A cargo and three compilers of two crates, from 1 to 4 on up to 100, 40, 60 and the end. `crate`: the filter, or NULL. */
static void start(struct view *view, enum group_by by, const char *crate, int64_t from_ns,
		  int64_t step_ns, size_t nr)
{
	static const int64_t ends[] = { 100, 40, 60, PROCESS_UNKNOWN };

	*view = (struct view){ .fixture = { .rows = PROCESS_LIST_INIT },
			       .filter = PROCESS_FILTER_INIT };
	if (crate)
		strvec_push(&view->filter.crates, crate);
	fixture_add_row(&view->fixture, 10, 1, ROLE_CARGO, NULL);
	fixture_add_row(&view->fixture, 11, 2, ROLE_RUSTC, "core");
	fixture_add_row(&view->fixture, 12, 3, ROLE_RUSTC, "alloc");
	fixture_add_row(&view->fixture, 13, 4, ROLE_RUSTC, "core");
	for (size_t i = 0; i < view->fixture.rows.nr; i++)
		view->fixture.rows.v[i]->end_ns = ends[i];
	fixture_start(&view->fixture);
	view->options = (struct timeline_options){
		.machine = &view->fixture.machine,
		.memory = { [TIMELINE_COMMITTED] = true },
		.keys = true,
		.from_ns = from_ns,
		.step_ns = step_ns,
		.to_ns = INT64_MAX,
		.nr = nr,
	};
	view->options.grouping = view->options.cpu = grouping_by(
		by, false, &view->fixture.machine, &view->fixture.functions, &view->filter);
	view->timeline = timeline_new(&view->options);
	view->grouping = grouping_by(by, false, &view->fixture.machine, &view->fixture.functions,
				     &view->filter);
	ledger_init(&view->ledger, from_ns, INT64_MAX, LEDGER_AT_END);
	view->account =
		memory_account_new(&view->fixture.machine, view->grouping, &view->ledger, NULL);
	for (int64_t pid = 10; pid <= 13; pid++) {
		apply(view, fixture_fork(pid - 9, pid, 1));
		apply(view, fixture_exec(pid - 9, pid));
	}
}

static void finish(struct view *view, enum group_by by, int64_t end_ns)
{
	const struct series_request request = {
		.timeline = &view->options,
		.keys = timeline_keys(view->timeline),
		.memory = TIMELINE_COMMITTED,
		.by = by,
		.end_ns = end_ns,
		.processes = &view->fixture.rows,
		.filter = &view->filter,
	};

	timeline_finish(view->timeline);
	ledger_finish(&view->ledger);
	view->set = series_set_new(&request);
}

static void release(struct view *view)
{
	series_set_free(view->set);
	timeline_free(view->timeline);
	memory_account_free(view->account);
	ledger_release(&view->ledger);
	grouping_free(view->grouping);
	grouping_free(view->options.grouping);
	process_filter_release(&view->filter);
	fixture_release(&view->fixture);
}

static const struct series *find(const struct view *view, const char *text)
{
	size_t nr;
	const struct series *series = series_set_get(view->set, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (text && series[i].text ? !strcmp(text, series[i].text) : text == series[i].text)
			return &series[i];
	}
	return NULL;
}

/* "pages@moment cpu processes" of all, then of each step. */
static void expect(const struct view *view, const char *text, const char *expected)
{
	const struct series *series = find(view, text);
	struct series_point *points = xcalloc(view->options.nr, sizeof(*points));
	struct strbuf got = STRBUF_INIT;

	assert_non_null(series);
	series_set_points(view->set, series, points);
	strbuf_addf(&got, "%d@%d %d %d", (int)(series->bytes / PAGE), (int)series->bytes_ns,
		    (int)series->cpu_ns, (int)series->processes);
	for (size_t i = 0; i < view->options.nr; i++)
		strbuf_addf(&got, " | %d@%d %d %d", (int)(points[i].bytes / PAGE),
			    (int)points[i].bytes_ns, (int)points[i].cpu_ns,
			    (int)points[i].processes);
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
	free(points);
}

static struct trace_event sample(int64_t time_ns, int64_t pid, int64_t weight_ns)
{
	struct trace_event event = fixture_event(TRACE_CPU, time_ns, pid);

	event.cpu_sample.weight_ns = weight_ns;
	return event;
}

static void apply_build(struct view *view)
{
	apply(view, fixture_memory(10, 11, MEMORY_COMMIT, 0, 100));
	apply(view, fixture_memory(12, 12, MEMORY_COMMIT, 0, 30));
	apply(view, sample(13, 11, 3));
	apply(view, fixture_memory(15, 11, MEMORY_RELEASE, 0, 90));
	apply(view, fixture_memory(25, 13, MEMORY_COMMIT, 100, 20));
	apply(view, sample(29, 12, 2));
	apply(view, sample(45, 13, 5));
	apply(view, fixture_memory(58, 10, MEMORY_COMMIT, 0, 7));
}

static void series__crates__memory_time_and_processes(void **state)
{
	struct view view;

	(void)state;
	start(&view, BY_CRATE, NULL, 0, 20, 4);
	apply_build(&view);
	finish(&view, BY_CRATE, 80);
	/* Of two processes, which hold their memory until they end in the trace. */
	expect(&view, "core", "100@10 8 2 | 100@10 3 2 | 30@25 0 2 | 30@40 5 1 | 30@60 0 1");
	expect(&view, "alloc", "30@12 2 1 | 30@12 0 1 | 30@20 2 1 | 30@40 0 1 | 30@60 0 0");
	expect(&view, NULL, "7@58 0 1 | 0@0 0 1 | 0@20 0 1 | 7@58 0 1 | 7@60 0 1");
	release(&view);
}

static void series__roles_of_a_filter__the_others_are_not_there(void **state)
{
	struct view view;

	(void)state;
	start(&view, BY_ROLE, "core", 0, 40, 2);
	apply_build(&view);
	finish(&view, BY_ROLE, 80);
	expect(&view, "rustc", "100@10 8 2 | 100@10 3 2 | 30@40 5 1");
	assert_null(find(&view, "cargo"));
	release(&view);
}

static void series__a_range__begins_with_what_is_held(void **state)
{
	struct view view;

	(void)state;
	start(&view, BY_CRATE, NULL, 30, 5, 2);
	apply_build(&view);
	finish(&view, BY_CRATE, 40);
	expect(&view, "core", "30@30 0 2 | 30@30 0 2 | 30@35 0 2");
	expect(&view, NULL, "0@0 0 1 | 0@30 0 1 | 0@35 0 1");
	release(&view);
}

/* The highest point of a series is the peak of its key, and its first moment; CPU times add up; whatever the steps. */
static void series__random_events__the_maximum_is_the_peak(void **state)
{
	static const int64_t steps[] = { 1, 7, 100, 1000, 5000 };
	uint64_t seed = 3;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
		int64_t time = 10, weights[4] = { 0 }, from_ns = k % 2 ? 0 : 150;
		struct view view;
		size_t nr;

		start(&view, BY_CRATE, NULL, from_ns, steps[k], (size_t)(5000 / steps[k]));
		for (uint64_t i = 0; i < 1000; i++) {
			int64_t pid = 10 + (int64_t)(model_random(&seed) % 4);
			bool commits = model_random(&seed) % 3;

			time += (int64_t)(model_random(&seed) % 3);
			apply(&view,
			      fixture_memory(time, pid, commits ? MEMORY_COMMIT : MEMORY_RELEASE,
					     model_random(&seed) % 500,
					     model_random(&seed) % 60 + 1));
			apply(&view, sample(time, pid, (int64_t)i));
			if (time >= from_ns)
				weights[pid - 10] += (int64_t)i;
		}
		finish(&view, BY_CRATE, from_ns + 5000);
		for (uint32_t key = 0; key < view.ledger.keys_nr; key++) {
			const char *text = only_group(view.grouping, key)->text;
			const struct series *series = find(&view, text);

			assert_non_null(series);
			assert_int_equal(series->bytes, view.ledger.keys[key].peak);
			assert_int_equal(series->bytes_ns, view.ledger.keys[key].peak_ns);
		}
		assert_int_equal(find(&view, "core")->cpu_ns, weights[1] + weights[3]);
		assert_int_equal(find(&view, "alloc")->cpu_ns, weights[2]);
		series_set_get(view.set, &nr);
		assert_int_equal(nr, 3);
		release(&view);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series__crates__memory_time_and_processes),
		cmocka_unit_test(series__roles_of_a_filter__the_others_are_not_there),
		cmocka_unit_test(series__a_range__begins_with_what_is_held),
		cmocka_unit_test(series__random_events__the_maximum_is_the_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
