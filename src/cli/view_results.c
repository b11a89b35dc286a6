#include "cli/view_results.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "platform/fs.h"
#include "report/result_rows.h"
#include "util/text.h"

const struct opt results_name_options[] = {
	{ 0, "mangled", OPT_FLAG, NULL, "show mangled function names, as in symbol tables",
	  offsetof(struct results_values, mangled), NULL },
	{ 0, "full-names", OPT_FLAG, NULL,
	  "do not shorten names of functions: type arguments, numbers of closures, hashes",
	  offsetof(struct results_values, full_names), NULL },
	{ 0, "inlines", OPT_FLAG, NULL, "show inlined functions separately, from debug information",
	  offsetof(struct results_values, inlines), NULL },
	{ 0, "symfs", OPT_STRING, "DIR",
	  "look for the programs and libraries of a Linux trace below DIR first",
	  offsetof(struct results_values, symfs), NULL },
	{ 0, "debuginfod", OPT_FLAG, NULL,
	  "fetch missing debug files of a Linux trace from the servers in DEBUGINFOD_URLS",
	  offsetof(struct results_values, debuginfod), NULL },
	OPT_END,
};

#define STACK_FILTER(member) offsetof(struct results_values, stacks.member)

const struct opt results_filter_options[] = {
	{ 0, "function", OPT_LIST, "FUNCTION",
	  "only what has a function of this name anywhere on its stack", STACK_FILTER(functions),
	  NULL },
	{ 0, "module", OPT_LIST, "MODULE", "only what has code of this file on its stack",
	  STACK_FILTER(modules), NULL },
	{ 0, "phase", OPT_LIST, "PHASE",
	  "only stacks of this phase, as --by phase names it, or a part of its name: 'LLVM', "
	  "'type check'",
	  STACK_FILTER(phases), NULL },
	{ 0, "query", OPT_LIST, "QUERY", "only what has this query of rustc anywhere on its stack",
	  STACK_FILTER(queries), NULL },
	{ 0, "thread", OPT_LIST, "NAME|TID", "only threads of this name or id",
	  offsetof(struct results_values, threads), NULL },
	{ 0, "not-function", OPT_LIST, "FUNCTION",
	  "nothing that has a function of this name on its stack", STACK_FILTER(not_functions),
	  NULL },
	{ 0, "not-module", OPT_LIST, "MODULE", "nothing that has code of this file on its stack",
	  STACK_FILTER(not_modules), NULL },
	{ 0, "not-phase", OPT_LIST, "PHASE", "no stacks of this phase", STACK_FILTER(not_phases),
	  NULL },
	{ 0, "not-query", OPT_LIST, "QUERY", "nothing that has this query on its stack",
	  STACK_FILTER(not_queries), NULL },
	{ 0, "not-thread", OPT_LIST, "NAME|TID", "no threads of this name or id",
	  offsetof(struct results_values, not_threads), NULL },
	OPT_END,
};

const char *const moment_words[] = { "peak", "own-peak", "end", NULL };

static const char *why_no_kind(const char *word)
{
	return strcmp(word, "snapshot") != 0
		       ? NULL
		       : "what a heap snapshot of Windows holds is documented nowhere; "
			 "'stagetrace system' lists when each was taken and how large it is, the "
			 "blocks in it are in WPA's table Heap Snapshot (docs/heap.md)";
}

const struct opt_choices memory_kinds = { .words = memory_kind_names, .refusal = why_no_kind };

/* One of moment_words, or a time. NULL: the end of the range. */
static int parse_moment(const char *at, int64_t *at_ns, struct err *err)
{
	if (!at || !strcmp(at, "end"))
		*at_ns = LEDGER_AT_END;
	else if (!strcmp(at, "peak"))
		*at_ns = LEDGER_AT_PEAK;
	else if (!strcmp(at, "own-peak"))
		*at_ns = LEDGER_AT_OWN_PEAK;
	else if (!text_parse_moment(at, at_ns))
		return err_set(err, ERR_USAGE,
			       "--at takes peak, own-peak, end or a time, as in 12.5s, 3m20s or "
			       "3:20 (the larger unit first, seconds after minutes below 60), not "
			       "'%s'",
			       at);
	return 0;
}

/* The peak has a column in any case. */
static bool shows_moment(const char *at)
{
	return at && strcmp(at, "peak") != 0;
}

/* Whether one of the keys is of the kind. */
static bool is_by(const struct results_view *view, enum group_by by)
{
	for (size_t i = 0; i < view->by_nr; i++) {
		if (view->by[i] == by)
			return true;
	}
	return false;
}

static bool filters_stacks(const struct results_view *view)
{
	return !stack_filter_is_empty(&view->values->stacks);
}

/* Rules and names of queries are about demangled names. */
static bool needs_demangled(const struct results_view *view)
{
	return is_by(view, BY_PHASE) || is_by(view, BY_QUERY) || view->split ||
	       stack_filter_has_classes(&view->values->stacks);
}

/* Inlined functions matter only then, and notes about names. */
static bool shows_functions(const struct results_view *view)
{
	return is_by(view, BY_STACK) || is_by(view, BY_FUNCTION) || needs_demangled(view) ||
	       filters_stacks(view);
}

static bool needs_names(const struct results_view *view)
{
	return shows_functions(view) || is_by(view, BY_MODULE);
}

/* Whether stacks are needed, or the threads of memory events. */
static bool needs_stacks(const struct results_view *view)
{
	return needs_names(view) || is_by(view, BY_THREAD) || view->filter.threads.nr ||
	       view->filter.not_threads.nr;
}

/* Whether a key is found by stacks, or stacks are filtered. */
static bool finds_by_stacks(const struct results_view *view)
{
	for (size_t i = 0; i < view->by_nr; i++) {
		if (group_by_stacks(view->by[i]))
			return true;
	}
	return filters_stacks(view);
}

/* Whether processes are keys. */
static bool needs_tags(const struct results_view *view)
{
	for (size_t i = 0; i < view->by_nr; i++) {
		if (!group_by_stacks(view->by[i]))
			return true;
	}
	return process_filter_has_names(&view->filter);
}

int results_load_tags(const char *path, struct stack_tags **tags, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = fs_read(path, (int64_t)STACK_TAGS_MAX, &text, err);

	if (!rc)
		rc = stack_tags_read(text.buf, text.len, path, tags, err);
	strbuf_release(&text);
	return rc;
}

int results_check_symfs(const char *symfs, struct err *err)
{
	if (!symfs || fs_is_dir(symfs))
		return 0;
	return err_set(err, ERR_USAGE, "--symfs takes a directory, not '%s'", symfs);
}

static int get_tags(struct results_view *view, struct err *err)
{
	const char *path = view->values->stack_tags;

	if (!is_by(view, BY_PHASE) && !view->split &&
	    !stack_filter_has_phases(&view->values->stacks))
		return path ? err_set(err, ERR_USAGE,
				      "--stack-tags is for phases: --by phase, --root phase, "
				      "--phase and --not-phase")
			    : 0;
	if (path)
		return results_load_tags(path, &view->tags, err);
	view->tags = stack_tags_builtin();
	return 0;
}

/* Add notes about --at if it is a time. */
static void add_moment_notes(const struct results_view *view, struct strbuf *notes)
{
	const struct process_filter *filter = &view->filter;
	int64_t last_ns = replay_facts(&view->replay)->counters.last_ns;

	if (!ledger_at_is_time(view->at_ns))
		return;
	if (view->at_ns < filter->from_ns || view->at_ns > filter->to_ns)
		strbuf_addf(notes,
			    "--at %s is outside --time %s: outstanding_bytes are of that moment, "
			    "all other values of the range\n",
			    view->at, view->values->view.time);
	if (view->at_ns > last_ns) {
		strbuf_adds(notes, "--at is after the end of the recording, at ");
		text_add_duration(notes, last_ns);
		strbuf_addc(notes, '\n');
	}
}

/* What an allocator maps as jemalloc does is not committed. */
void results_add_hidden_heap(const struct trace_facts *facts, struct strbuf *notes)
{
	strbuf_adds(notes,
		    "heaps were mapped in a way that does not count as committed, as jemalloc "
		    "does, which rustup's compilers have; ");
	strbuf_adds(notes, facts->touched_refusal
				   ? "a recording with 'touched = sampled' shows it with"
				   : "what was written there is shown by");
	strbuf_adds(notes, " `memory --of touched` (docs/memory.md)\n");
}

void results_note_hidden_heap(const struct results *results, const struct trace_facts *facts,
			      struct strbuf *notes)
{
	if (results_hide_a_heap(results))
		results_add_hidden_heap(facts, notes);
}

/* A share of the time that is worth a note, in percent. */
#define MANY_GAPS 10.0

/* What a gap hides may be the query or the phase. */
static void add_gap_note(const struct results_view *view, struct strbuf *notes)
{
	double percent = results_gap_percent(&view->results);
	bool query = is_by(view, BY_QUERY);

	if (percent < MANY_GAPS || (!query && !is_by(view, BY_PHASE)))
		return;
	text_add_percent(notes, percent);
	strbuf_addf(
		notes,
		" %% of the time has [missing frames] in its stacks, which may hide the %s: it "
		"then counts for %s; code without frame pointers leaves them, as a distribution's "
		"libLLVM and rustup's compilers: 'cpu-stacks = dwarf' has fewer, as has a compiler "
		"that is built with rust.frame-pointers = true (docs/stacks.md)\n",
		query ? "query" : "phase",
		query ? "an outer query or [no query]" : "another phase or [untagged]");
}

/* Print notes about what was requested but has no data. */
static void print_notes(const struct results_view *view)
{
	struct strbuf notes = STRBUF_INIT;

	process_filter_explain(&view->filter, &view->run.processes, &notes);
	grouping_explain(view->results.grouping, &notes);
	if (!notes.len && view->account->is_empty(&view->results))
		strbuf_addf(&notes, "%s\n", view->account->nothing);
	if (view->account->explain)
		view->account->explain(&view->results, &notes);
	add_moment_notes(view, &notes);
	results_note_hidden_heap(&view->results, replay_facts(&view->replay), &notes);
	add_gap_note(view, &notes);
	message_print_buf("note: ", &notes);
}

static int play(struct results_view *view, struct err *err)
{
	const struct account_request request = { .by = { view->by[0], view->by[1] },
						 .by_nr = view->by_nr,
						 .stacks = &view->values->stacks,
						 .tags = view->tags,
						 .split = view->split,
						 .counts = view->counts,
						 .filter = &view->filter,
						 .at_ns = view->at_ns,
						 .full_names = view->values->full_names ||
							       view->values->mangled,
						 .moment = shows_moment(view->at),
						 .regions = view->regions,
						 .samples = view->samples };
	int rc = results_play(&view->results, view->account, &view->replay, &request, err);

	/* Lost events may be the reason for the failure. */
	view_trace_warn(&view->replay);
	if (rc && err->code == ERR_UNSUPPORTED)
		return err_wrap(err, "cannot count %s of '%s'", view->account->what,
				view->run.path);
	if (rc)
		return err_wrap(err, "cannot read the trace of '%s'", view->run.path);
	print_notes(view);
	return 0;
}

static int get_filter(struct results_view *view, struct err *err)
{
	if (view_get_filter(&view->values->view, &view->filter, err))
		return -1;
	strvec_push_all(&view->filter.threads, &view->values->threads);
	strvec_push_all(&view->filter.not_threads, &view->values->not_threads);
	return 0;
}

static bool show_fetching(void *data, const char *step, int64_t done, int64_t total)
{
	struct status *status = data;

	if (total <= 0 || done < total)
		return status_step(status, step, done, total);
	status_wipe(status);
	return true;
}

static int get_fetcher(struct results_view *view, struct err *err)
{
	if (!view->values->debuginfod)
		return 0;
	status_init(&view->status, stderr);
	status_begin_steps(&view->status);
	view->progress = (struct progress){ &view->status, show_fetching };
	if (debug_fetcher_new(view->values->view.quiet ? NULL : &view->progress, &view->fetcher,
			      err))
		return err_wrap(err, "--debuginfod");
	return 0;
}

static void print_fetching(const struct results_view *view)
{
	struct strbuf notes = STRBUF_INIT, warnings = STRBUF_INIT;

	if (view->fetcher)
		debug_fetcher_explain(view->fetcher, &notes, &warnings);
	message_print_buf("warning: ", &warnings);
	message_print_buf("note: ", &notes);
}

int results_view_open(struct results_view *view, struct err *err)
{
	struct view_trace_options options = {
		.replay = {
			.cpu = view->account->cpu,
			.memory = view->account->memory,
			.touched = view->account->touched,
			.heap = view->account->heap,
			.names = needs_names(view),
			.mangled = view->values->mangled && !needs_demangled(view),
			.inlines = view->values->inlines && shows_functions(view),
			.symfs = view->values->symfs,
			.cache = view->values->cache,
			.progress = view->reading,
		},
	};

	struct view_subject subject = {
		.cpu_stacks = view->account->cpu && needs_names(view),
		.memory_stacks = view->account->memory && needs_names(view),
	};

	view->filter = (struct process_filter)PROCESS_FILTER_INIT;
	if (results_check_symfs(view->values->symfs, err))
		return -1;
	if (get_fetcher(view, err) || get_tags(view, err) ||
	    parse_moment(view->at, &view->at_ns, err) || get_filter(view, err))
		return -1;
	options.replay.fetcher = view->fetcher;
	options.tags = subject.processes = needs_tags(view);
	if (view_run_open(&view->values->view.traces, subject, &view->run, err))
		return -1;
	view->run_open = true;
	options.replay.no_stacks = !needs_stacks(view);
	options.replay.switches = view->account->switches && !finds_by_stacks(view);
	options.replay.cpu_stacks = subject.cpu_stacks;
	if (view_trace_open(&view->run, &options, &view->replay, err))
		return -1;
	view->replay_open = true;
	if (play(view, err))
		return -1;
	view_note_tags(&view->run, replay_facts(&view->replay), &view->filter,
		       is_by(view, BY_PART) || is_by(view, BY_CRATE));
	return 0;
}

bool results_view_has_head(const struct results_view *view, const struct table_options *options)
{
	return view->values->view.head || options->format == TABLE_TEXT;
}

int results_min_share(const struct results_values *values, double *share, struct err *err)
{
	return view_get_min_share(values->min_share, share, err);
}

struct view_head results_view_head(const struct results_view *view)
{
	struct view_head head = view_run_head(&view->run, replay_facts(&view->replay),
					      view->filter.from_ns, view->filter.to_ns);

	head.results = &view->results;
	head.filtered = process_filter_has_names(&view->filter) || filters_stacks(view);
	/* Of all stacks: not of those that the filter lets through. */
	head.stacks_truncated = filters_stacks(view) ? 0
						     : view->results.truncated_until -
							       view->results.truncated_before;
	return head;
}

void results_view_note_surplus(const struct results_view *view, const struct metric *metric,
			       int64_t value)
{
	struct strbuf size = STRBUF_INIT;

	if (value <= 0)
		return;
	text_add_bytes(&size, value);
	if (metric->shrinks)
		message_printf("note: ",
			       "only what grew is shown; stacks that held less at the end of the "
			       "range than at its start shrank by %s",
			       size.buf);
	else if (view->account->estimates)
		message_printf("note: ", "values are an estimate: their sum is %s too high",
			       size.buf);
	strbuf_release(&size);
}

void results_view_warn_stacks(const struct results_view *view)
{
	struct strbuf text = STRBUF_INIT;
	bool cpu = view->account->cpu;

	/* That of the run was printed when it was opened. */
	if (!stack_quality_is_low(&view->results.stacks) ||
	    manifest_warns_of_stacks(&view->run.manifest, cpu))
		return;
	stack_quality_explain(&view->results.stacks, cpu ? "CPU samples" : "memory events", NULL,
			      &text);
	message_print_buf("warning: ", &text);
}

void results_view_close(struct results_view *view)
{
	struct strbuf notes = STRBUF_INIT;

	/* Which names were needed is known only after the results were shown. */
	if (view->results.total && shows_functions(view) && !view->explained)
		symbolizer_explain_flaws(view->replay.symbolizer, &notes);
	message_print_buf("note: ", &notes);
	print_fetching(view);
	results_release(&view->results);
	stack_tags_free(view->tags);
	if (view->replay_open)
		replay_close(&view->replay);
	if (view->run_open)
		view_run_close(&view->run);
	debug_fetcher_free(view->fetcher);
	process_filter_release(&view->filter);
}

/* Whether the head or a row has no number in text, as an estimate is too high. */
static bool is_below_zero(const struct results_view *view, const struct table *table,
			  const struct table_options *options, const void **rows, size_t rows_nr)
{
	const struct table_options sums = { .columns = "size_bytes,count,freed_bytes" };
	const struct results *results = &view->results;
	const struct result_row total = { .results = results, .entry = results->total };
	const void *first = &total;

	if (!results->estimate.estimated_bytes && !results->estimate.not_sampled_bytes)
		return false;
	return table_hides_numbers(&view->account->table, &sums, &first, 1) ||
	       table_hides_numbers(table, options, rows, rows_nr);
}

int results_view_print(const struct results_view *view, const struct table *table,
		       struct table_options *options, const void **rows, size_t rows_nr,
		       struct err *err)
{
	struct view_head facts = results_view_head(view);
	struct head head = HEAD_INIT;
	int rc;

	if (options->format == TABLE_TEXT)
		facts.below_zero = is_below_zero(view, table, options, rows, rows_nr);
	if (results_view_has_head(view, options)) {
		view_head_begin(&facts, &head);
		view_head_end(&facts, &head);
		options->head = &head;
	} else {
		results_view_warn_stacks(view);
	}
	rc = view_print_table(&view->values->view, table, options, rows, rows_nr, err);
	head_release(&head);
	return rc;
}

static int print(const struct results_view *view, const struct table *table,
		 struct table_options *options, struct err *err)
{
	struct result_rows rows;
	int rc;

	result_rows_init(&rows, &view->results);
	if (options->format == TABLE_TEXT && !options->columns && view->at) {
		options->zeros = result_rows_leave_out(&rows, &view->results);
		options->zeros_what = "held nothing then";
	}
	rc = results_view_print(view, table, options, rows.pointers, rows.nr, err);
	result_rows_release(&rows);
	return rc;
}

int results_view_run(const struct account *account, const struct results_values *values,
		     struct err *err)
{
	struct results_view view = {
		.values = values,
		.account = account,
		.at = values->at,
		.by_nr = values->by.nr ? values->by.nr : 1,
	};
	struct table_options options;
	struct account_table table;
	int rc;

	for (size_t i = 0; i < view.by_nr; i++)
		view.by[i] = (enum group_by)account_key(account, (size_t)values->by.v[i]);
	if (account_table_init(&table, account, view.by, view.by_nr, shows_moment(values->at), err))
		return -1;
	rc = view_get_table_options(&values->view, &table.table, &options, err);
	if (!rc) {
		rc = results_view_open(&view, err);
		if (!rc) {
			replay_forget_names(&view.replay);
			rc = print(&view, &table.table, &options, err);
		}
		results_view_close(&view);
	}
	account_table_release(&table);
	return rc ? -1 : EXIT_CODE_DONE;
}
