#include "cli/view_report_parts.h"
#include "cli/view_results.h"

#include <stdlib.h>
#include <string.h>

#include "cli/view_report.h"
#include "cli/view_system.h"
#include "cli/view_timeline.h"
#include "report/frame_kind.h"
#include "report/page_stacks.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

/* What a page has stacks of. */
struct kind {
	const char *prefix; /* of columns */
	const struct account *account;
	const char
		*problem; /* what is said if there is none; NULL: nothing, as few traces have it */
};

static const struct kind kinds[] = {
	{ "cpu", &account_cpu, "CPU time" },
	{ "commit", &account_memory, "committed memory" },
	{ "touched", &account_touched, NULL },
	{ "heap", &account_heap, NULL },
};

/* A smaller share of the CPU time without names of functions is not worth a line. */
#define LEAST_UNNAMED 0.01

/* A trace that is played for a kind. */
struct pass {
	struct view_report *report;
	const struct kind *kind;
	struct replay replay;
	struct results stacks;
	struct results crates; /* of memory: by crate */
	struct process_filter filter;
	bool cpu;
};

/* All of the recording is shown, so that each moment is in a step. */
static void choose_steps(struct view_report *report)
{
	int64_t end_ns = timeline_known_end(&report->run);

	if (report->steps)
		return;
	report->end_ns = end_ns > 0 ? end_ns : 1;
	report->step_ns = timeline_round_step(report->end_ns / (REPORT_STEPS - 1) + 1);
	report->steps = (uint32_t)((report->end_ns - 1) / report->step_ns) + 2;
}

static struct page_crate *find_crate(struct view_report *report, const char *name)
{
	uint32_t number = strset_add(&report->crate_names, name ? name : "");

	ARRAY_REACH(report->crates, (size_t)number + 1, report->crates_nr, report->crates_alloc);
	report->crates[number].name = name ? report->crate_names.strings.v[number] : NULL;
	return &report->crates[number];
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct pass *pass = data;
	bool more;

	(void)replay;
	if (pass->cpu)
		grouping_set_step(pass->stacks.grouping,
				  ledger_steps_at(event->time_ns, pass->report->step_ns,
						  pass->report->steps));
	more = results_take(&pass->stacks, event);
	return pass->cpu ? more : results_take(&pass->crates, event) || more;
}

/* The crate of a key, as a number. */
static uint32_t crate_of(void *data, uint32_t key)
{
	struct pass *pass = data;
	const struct process *process =
		grouping_part(pass->stacks.grouping, key, BY_PROCESS)->process;

	return strset_add(&pass->report->crate_names,
			  process && process->tag.crate ? process->tag.crate : "");
}

static void begin(struct pass *pass)
{
	struct view_report *report = pass->report;
	struct account_request request = {
		.by = { pass->cpu ? BY_PROCESS_STEP : BY_PROCESS, BY_STACK },
		.by_nr = 2,
		.tags = report->tags,
		.filter = &pass->filter,
		.at_ns = LEDGER_AT_END,
		.split = true,
		.counts = pass->cpu ? COUNTS_OF_NAMED_STACKS : COUNTS_OF_KEYS,
		.steps = pass->cpu ? 0 : report->steps,
		.step_ns = report->step_ns,
		.lifetimes = !pass->cpu,
		.owner_of = pass->cpu ? NULL : crate_of,
		.owner_data = pass,
	};
	struct account_request crates = request;

	crates.by[0] = BY_CRATE;
	crates.by_nr = 1;
	crates.split = crates.lifetimes = false;
	crates.owner_of = NULL;
	results_begin(&pass->stacks, pass->kind->account, &pass->replay, &request);
	if (!pass->cpu)
		results_begin(&pass->crates, pass->kind->account, &pass->replay, &crates);
}

/* The samples of each process, also those whose stacks were merged. */
static void sum_cpu(struct view_report *report, const struct page_stacks *stacks)
{
	report->cpu_ns = xcalloc(report->run.processes.nr + 1, sizeof(*report->cpu_ns));
	report->step_cpu_ns = xcalloc(report->steps, sizeof(*report->step_cpu_ns));
	for (size_t i = 0; i < stacks->records_nr; i++) {
		const struct page_record *record = &stacks->records[i];

		wrap_add_to(&report->cpu_ns[record->process], record->v[1]);
		wrap_add_to(&report->step_cpu_ns[record->step], record->v[1]);
	}
	for (size_t i = 0; i < report->run.processes.nr; i++) {
		struct page_crate *crate =
			find_crate(report, report->run.processes.v[i]->tag.crate);

		crate->cpu = true;
		wrap_add_to(&crate->cpu_ns, report->cpu_ns[i]);
	}
}

static void take_crates(struct pass *pass)
{
	const struct results *results = &pass->crates;

	for (uint32_t key = 0; key < results->nr; key++) {
		const struct ledger_entry *entry = results_entry(results, key);
		struct page_crate *crate = find_crate(
			pass->report, grouping_part(results->grouping, key, BY_CRATE)->text);

		crate->memory = true;
		crate->peak = entry->peak;
		crate->peak_ns = entry->peak_ns;
		crate->at_peak = entry->at_peak;
		crate->size = entry->size;
	}
}

static void end_column(struct page_columns *columns, const struct kind *kind, const char *name,
		       size_t nr, enum page_coding coding)
{
	char *whole = xasprintf("%s.%s", kind->prefix, name);

	page_columns_end(columns, whole, nr, coding);
	free(whole);
}

/* The crates; and the most that each held in each step in which it changed. */
static void add_series(struct pass *pass)
{
	static const struct page_field fields[] = {
		{ "series.crate", offsetof(struct ledger_step, key), PAGE_UINT32, PAGE_PLAIN },
		{ "series.step", offsetof(struct ledger_step, step), PAGE_UINT32, PAGE_PLAIN },
		{ "series.most", offsetof(struct ledger_step, most), PAGE_INT64, PAGE_SIGNED },
	};
	const struct results *results = &pass->crates;
	const struct ledger_steps *steps = results->ledger->steps;
	struct page_columns *columns = &pass->report->columns;

	page_columns_begin(columns);
	for (uint32_t key = 0; key < results->nr; key++) {
		const char *text = grouping_part(results->grouping, key, BY_CRATE)->text;

		page_columns_add(columns, page_columns_text(columns, text));
	}
	end_column(columns, pass->kind, "crate.name", results->nr, PAGE_PLAIN);
	page_columns_add_fields(columns, pass->kind->prefix, fields, ARRAY_SIZE(fields), steps->v,
				steps->nr, sizeof(*steps->v));
}

/* The most that the whole build held in each step, and when. */
static void add_highs(struct pass *pass)
{
	static const struct page_field fields[] = {
		{ "high.bytes", offsetof(struct ledger_high, bytes), PAGE_INT64, PAGE_SIGNED },
	};
	const struct ledger_steps *steps = pass->crates.ledger->steps;
	const struct ledger_entry *whole = pass->crates.whole;
	struct page_columns *columns = &pass->report->columns;

	page_columns_add_fields(columns, pass->kind->prefix, fields, ARRAY_SIZE(fields),
				steps->highs, steps->steps, sizeof(*steps->highs));
	page_columns_begin(columns);
	page_columns_add_signed(columns, whole->peak);
	page_columns_add_signed(columns, whole->peak_ns);
	end_column(columns, pass->kind, "peak", 2, PAGE_SIGNED);
}

static void add_peak_fact(struct pass *pass)
{
	const struct ledger_entry *whole = pass->crates.whole;
	struct strbuf text = STRBUF_INIT;

	if (pass->kind->account != &account_memory)
		return;
	text_add_bytes(&text, whole->peak);
	strbuf_adds(&text, " committed at ");
	text_add_moment(&text, whole->peak_ns > 0 ? whole->peak_ns : 0);
	view_report_add_fact(pass->report, "Peak", strbuf_detach(&text));
}

static void say_hidden_heap(struct pass *pass)
{
	struct strbuf text = STRBUF_INIT;

	if (pass->kind->account == &account_memory)
		results_note_hidden_heap(&pass->crates, replay_facts(&pass->replay), &text);
	view_report_add_problems(pass->report, &text);
}

static void say_stacks(struct pass *pass)
{
	struct strbuf text = STRBUF_INIT;

	/* The recording may have said so. */
	if (pass->cpu && stack_quality_is_low(&pass->stacks.stacks) &&
	    !manifest_warns_of_stacks(&pass->report->run.manifest, true))
		stack_quality_explain(&pass->stacks.stacks, "CPU samples", NULL, &text);
	symbolizer_explain_flaws(pass->replay.symbolizer, &text);
	view_report_add_problems(pass->report, &text);
}

/* Time of functions whose names are missing; stacks that were merged have none. */
static void say_unnamed(struct pass *pass, const struct page_stacks *stacks)
{
	const struct frame_tree *tree = &stacks->tree;
	bool *unnamed = xcalloc(tree->names_nr + 1, sizeof(*unnamed));
	double all = 0, missing = 0;
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < tree->names_nr; i++)
		unnamed[i] = frame_kind_is_unnamed(tree->names[i].text);
	for (size_t i = 0; i < stacks->records_nr; i++) {
		const struct page_record *record = &stacks->records[i];
		uint32_t node = stacks->sites[record->site].node;

		all += (double)record->v[1];
		if (node && unnamed[tree->nodes[node].name])
			missing += (double)record->v[1];
	}
	free(unnamed);
	if (all <= 0 || missing < LEAST_UNNAMED * all)
		return;
	strbuf_addf(&text,
		    "%.1f %% of the CPU time is in functions without names: ", 100 * missing / all);
	strbuf_adds(&text, "'stagetrace symbols' lists their modules, and why");
	view_report_add_problem(pass->report, text.buf);
	strbuf_release(&text);
}

static void keep(struct pass *pass)
{
	struct view_report *report = pass->report;
	struct page_stacks stacks;

	page_stacks_init(&stacks, &pass->stacks, &report->run.processes, &report->columns,
			 report->share);
	if (pass->cpu) {
		sum_cpu(report, &stacks);
		say_unnamed(pass, &stacks);
	}
	page_stacks_add(&stacks, pass->kind->prefix, &report->columns);
	page_columns_begin(&report->columns);
	page_columns_add(&report->columns, stacks.merged);
	end_column(&report->columns, pass->kind, "merged", 1, PAGE_PLAIN);
	page_stacks_release(&stacks);
	if (pass->cpu)
		return;
	if (pass->kind->account == &account_memory)
		take_crates(pass);
	add_series(pass);
	add_highs(pass);
	add_peak_fact(pass);
	say_hidden_heap(pass);
}

/* Why the page has nothing of a kind. */
static void refuse(struct view_report *report, const struct kind *kind, const char *reason)
{
	struct strbuf text = STRBUF_INIT;

	page_columns_begin(&report->columns);
	page_columns_add(&report->columns, page_columns_text(&report->columns, reason));
	end_column(&report->columns, kind, "refusal", 1, PAGE_PLAIN);
	if (!kind->problem)
		return;
	strbuf_addf(&text, "no %s is shown: %s", kind->problem, reason);
	view_report_add_problem(report, text.buf);
	strbuf_release(&text);
}

static void read_facts(struct pass *pass)
{
	struct view_report *report = pass->report;
	const struct trace_facts *facts = replay_facts(&pass->replay);
	struct strbuf notes = STRBUF_INIT;

	replay_explain(&pass->replay, &notes);
	view_report_add_problems(report, &notes);
	if (report->system_read)
		return;
	report->system_read = true;
	report->cpus = facts->cpus;
	view_system_add_trace(&report->system, facts);
	view_report_add_trace(report, facts);
}

/* What the trace has nothing of is no failure. */
static int finish(struct pass *pass, struct err *err)
{
	struct err own = ERR_INIT;
	int rc = results_finish(&pass->stacks, &pass->replay, &own);

	if (!rc && !pass->cpu)
		rc = results_finish(&pass->crates, &pass->replay, &own);
	if (!rc) {
		replay_forget_names(&pass->replay);
		keep(pass);
		say_stacks(pass);
		return 0;
	}
	if (own.code != ERR_UNSUPPORTED) {
		err_set(err, own.code, "%s", own.msg);
		err_clear(&own);
		return -1;
	}
	refuse(pass->report, pass->kind, own.msg);
	err_clear(&own);
	return 0;
}

static int play(struct pass *pass, struct err *err)
{
	int rc = 0;

	choose_steps(pass->report);
	begin(pass);
	if (pass->stacks.state)
		rc = replay_play(&pass->replay, take, pass, err);
	read_facts(pass);
	if (!rc)
		rc = finish(pass, err);
	results_release(&pass->stacks);
	results_release(&pass->crates);
	return rc ? err_wrap(err, "cannot read the trace of '%s'", pass->report->run.path) : 0;
}

static int take_kind(struct view_report *report, const struct kind *kind, struct err *err)
{
	const struct account *account = kind->account;
	struct view_run *run = &report->run;
	const struct view_trace_options options = {
		.replay = { .cpu = account->cpu,
			    .memory = account->memory,
			    .touched = account->touched,
			    .heap = account->heap,
			    .names = true,
			    .cpu_stacks = account->cpu,
			    .symfs = report->symfs },
		/* Where nothing else says when the recording ended. */
		.processes =
			run->trace_end_ns < 0 && (!run->source || run->manifest.stage2_end_ns <= 0),
	};
	struct pass pass = {
		.report = report, .kind = kind, .filter = PROCESS_FILTER_INIT, .cpu = account->cpu
	};
	int rc = view_trace_open_optional(run, &options, &pass.replay, err);

	if (rc > 0)
		refuse(report, kind, "the trace cannot be read");
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = play(&pass, err);
	replay_close(&pass.replay);
	return rc;
}

int view_report_take_kinds(struct view_report *report, struct err *err)
{
	bool has_trace = view_run_has_trace(&report->run);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!has_trace)
			refuse(report, &kinds[i], "it was recorded without a trace");
		else if (take_kind(report, &kinds[i], err))
			return -1;
	}
	choose_steps(report);
	return 0;
}
