/*
 * Memory: committed, from every event; touched, estimated from a sample of pages; and blocks of heaps. All are counted in a
 * ledger, and have the same columns.
 */
#include "report/account.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

struct memory_state {
	/* One of them; all NULL: all is counted. */
	struct memory_account *committed;
	struct touched_account *touched;
	struct heap_account *heap;
	struct ledger ledger;
	struct heap_commits_account *commits; /* of `heap`; NULL: commits were not recorded */
};

/* Why the trace has nothing to count; NULL: it has. */
static const char *refusal(const struct results *results, const struct replay *replay)
{
	const struct trace_facts *facts = replay_facts(replay);

	if (results->account->heap)
		return facts->heap_refusal;
	return results->account->touched ? facts->touched_refusal : facts->memory_refusal;
}

static void *memory_begin(struct results *results, struct replay *replay)
{
	const struct process_filter *filter = results->request.filter;
	struct memory_state *state;

	if (refusal(results, replay))
		return NULL;
	state = xcalloc(1, sizeof(*state));
	ledger_init(&state->ledger, filter->from_ns, filter->to_ns, results->request.at_ns);
	if (results->request.steps)
		ledger_keep_steps(&state->ledger, results->request.step_ns, results->request.steps);
	if (results->request.lifetimes)
		ledger_keep_lifetimes(&state->ledger, LIFETIMES);
	if (results->request.owner_of)
		ledger_keep_owners(&state->ledger, results->request.owner_of,
				   results->request.owner_data);
	if (results->account->heap) {
		state->heap = heap_account_new(&replay->machine, results->grouping, &state->ledger,
					       results->request.regions);
		if (!replay_facts(replay)->memory_refusal)
			state->commits = heap_commits_account_new(&replay->machine,
								  &replay->functions, filter);
	} else if (results->account->touched)
		state->touched = touched_account_new(&replay->machine, results->grouping,
						     &state->ledger, results->request.regions);
	else
		state->committed = memory_account_new(&replay->machine, results->grouping,
						      &state->ledger, results->request.regions);
	return state;
}

static bool memory_take(void *data, const struct trace_event *event)
{
	struct memory_state *state = data;
	bool more;

	if (state->heap) {
		more = heap_account_apply(state->heap, event);
		if (state->commits)
			heap_commits_account_apply(state->commits, &state->ledger, event);
		return more;
	}
	return state->touched ? touched_account_apply(state->touched, event)
			      : memory_account_apply(state->committed, event);
}

static void free_accounts(struct memory_state *state)
{
	memory_account_free(state->committed);
	touched_account_free(state->touched);
	heap_account_free(state->heap);
	heap_commits_account_free(state->commits);
	state->commits = NULL;
	state->heap = NULL;
	state->committed = NULL;
	state->touched = NULL;
}

/* Of call chains: stacks that were unwound from copies have the root [truncated] where callers are missing. */
static void rate_stacks(struct results *results, const struct memory_state *state,
			struct replay *replay)
{
	const struct tally *tally = state->heap      ? heap_account_tally(state->heap)
				    : state->touched ? touched_account_tally(state->touched)
						     : memory_account_tally(state->committed);

	if (!grouping_by_stacks(results->grouping))
		return;
	tally_rate_stacks(tally, &replay->functions, &results->stacks);
}

/* With regions nothing was counted for keys. */
static void set_entries(struct results *results, struct memory_state *state)
{
	results->nr = results->request.regions ? 0 : grouping_nr(results->grouping);
	ledger_reach(&state->ledger, results->nr);
	ledger_finish(&state->ledger);
	results->entries = state->ledger.keys;
	results->totals = state->ledger.totals;
	results->no_totals = results_are_by(results, BY_STACK);
	results->total = &state->ledger.total;
	results->whole = &state->ledger.whole;
	results->ledger = &state->ledger;
}

static int memory_finish(struct results *results, struct replay *replay, struct err *err)
{
	const char *reason = refusal(results, replay);
	struct memory_state *state = results->state;

	if (reason)
		return err_set(err, ERR_UNSUPPORTED, "%s", reason);
	if (state->heap) {
		heap_account_finish(state->heap);
		heap_account_oddities(state->heap, &results->heap);
		heap_account_estimate(state->heap, &results->estimate);
		if (state->commits)
			heap_commits_account_finish(state->commits, &results->commits);
	} else if (state->touched) {
		touched_account_finish(state->touched);
		touched_account_sample(state->touched, &results->touched);
	} else {
		memory_account_finish(state->committed);
		memory_account_estimate(state->committed, &results->estimate);
		results->uncounted_bytes = memory_account_uncounted(state->committed);
	}
	rate_stacks(results, state, replay);
	free_accounts(state);
	/* All keys are made: those of stacks have names. */
	if (results_are_by(results, BY_STACK)) {
		dimension_trim(grouping_inner(results->grouping));
		stack_table_forget_stacks(&replay->machine.stacks);
	}
	set_entries(results, state);
	return 0;
}

bool results_hide_a_heap(const struct results *results)
{
	const struct ledger_entry *total = results->account->memory ? results->total : NULL;

	return total && memory_hides_a_heap(results->uncounted_bytes, total->size);
}

static void memory_free(void *data)
{
	struct memory_state *state = data;

	if (!state)
		return;
	free_accounts(state);
	ledger_release(&state->ledger);
	free(state);
}

static bool memory_has_value(const void *data)
{
	const struct ledger_entry *entry = data;

	return entry->size || entry->count || entry->freed || entry->at_start || entry->at_end ||
	       entry->at || entry->peak || entry->at_peak || entry->purged;
}

static int64_t memory_rank(const void *entry)
{
	return ((const struct ledger_entry *)entry)->peak;
}

static bool memory_is_empty(const struct results *results)
{
	const struct ledger_entry *total = results->total;

	return !total->count && !total->freed && !total->at_start && !total->peak;
}

/* A sum that is an estimate: see ACCOUNT_ESTIMATE. */
static void add_sum(struct head *head, const char *key, int64_t bytes)
{
	if (bytes >= 0) {
		head_number(head, key, COLUMN_BYTES, bytes);
		return;
	}
	head_words(head, "-");
	head_keep_number(head, key, bytes);
}

static void add_peak(const struct results *results, bool filtered, struct head *head)
{
	const struct ledger_entry *whole = results->whole, *total = results->total;

	head_label(head, "peak");
	head_number(head, "peak_bytes", COLUMN_BYTES, whole->peak);
	head_words(head, " of the whole build, at ");
	head_moment(head, "peak_time_ns", whole->peak_ns);
	if (filtered) {
		head_words(head, "; ");
		add_sum(head, "at_peak_bytes", total->at_peak);
		head_words(head, " of it in the selection");
	}
	head_keep_number(head, "own_peak_bytes", total->peak);
	if (total->peak > 0)
		head_keep_number(head, "own_peak_time_ns", total->peak_ns);
	head_words(head, "\n");
}

/*
 * Regions do not stand for others: a filter by stacks has less of them than the other keys count, whose sampled events
 * stand for those that have no stack.
 */
static bool has_recorded_alone(const struct results *results)
{
	const struct stack_filter *stacks = results->request.stacks;

	return results->request.regions && results->estimate.sampled && stacks &&
	       !stack_filter_is_empty(stacks);
}

static void add_recorded_alone(const struct results *results, struct head *head)
{
	if (!has_recorded_alone(results))
		return;
	head_label(head, "regions");
	head_words(head, "only those whose own stack was recorded; other keys estimate the rest "
			 "(docs/lifetimes.md)\n");
	head_keep_flag(head, "recorded_stacks_only", true);
}

static void add_moment(const struct results *results, bool filtered, struct head *head)
{
	const struct ledger_entry *total = results->total;
	int64_t at_ns = results->request.at_ns;

	if (at_ns == LEDGER_AT_PEAK)
		return;
	/* Nobody asked, and there is nothing to say. */
	if (!results->request.moment && !total->at) {
		head_keep_number(head, "outstanding_bytes", total->at);
		return;
	}
	head_label(head, "at");
	if (at_ns == LEDGER_AT_END)
		head_words(head, "the end of the range");
	else if (at_ns == LEDGER_AT_OWN_PEAK)
		head_words(head, has_recorded_alone(results) ? "the own peak of these regions, "
				 : filtered                  ? "the selection's own peak, "
							     : "the peak, ");
	if (at_ns == LEDGER_AT_OWN_PEAK)
		head_moment(head, "at_ns", total->peak_ns);
	else if (ledger_at_is_time(at_ns))
		head_moment(head, "at_ns", at_ns);
	head_words(head, ": ");
	add_sum(head, "outstanding_bytes", total->at);
	head_words(head, " outstanding\n");
}

/* Those of memory that was `gained`, and later `lost`. */
static void add_size(const struct results *results, bool filtered, const char *gained,
		     const char *lost, struct head *head)
{
	const struct ledger_entry *total = results->total;

	head_label(head, "size");
	add_sum(head, "size_bytes", total->size);
	head_words(head, gained);
	head_words(head, ", ");
	add_sum(head, "freed_bytes", total->freed);
	head_words(head, lost);
	head_words(head, filtered ? ", in the selection\n" : "\n");
}

static void memory_add_head(const struct results *results, const struct trace_facts *facts,
			    bool filtered, struct head *head)
{
	const struct ledger_entry *total = results->total;
	char *gained = total->count < 0
			       ? xstrdup(" committed")
			       : xasprintf(" committed by %lld event%s", (long long)total->count,
					   total->count == 1 ? "" : "s");

	(void)facts;
	add_peak(results, filtered, head);
	add_moment(results, filtered, head);
	add_size(results, filtered, gained, " freed", head);
	head_keep_number(head, "count", total->count);
	add_recorded_alone(results, head);
	free(gained);
}

static void touched_add_head(const struct results *results, const struct trace_facts *facts,
			     bool filtered, struct head *head)
{
	const struct ledger_entry *total = results->total;

	(void)facts;
	add_peak(results, filtered, head);
	add_moment(results, filtered, head);
	add_size(results, filtered, " touched", " released", head);
	head_label(head, "estimate");
	head_words(head, "from ");
	head_number(head, "sampled_pages", COLUMN_INT, (int64_t)results->touched.pages);
	head_words(head, " pages, one in ");
	head_number(head, "one_page_in", COLUMN_INT, (int64_t)results->touched.one_in);
	head_words(head, " by address");
	if (results->touched.large_pages) {
		head_words(head, ", and ");
		head_number(head, "large_pages", COLUMN_INT, (int64_t)results->touched.large_pages);
		head_words(head,
			   results->touched.large_pages == 1 ? " large page" : " large pages");
	}
	head_words(head, filtered ? "; the standard error of the selection's own peak is "
				  : "; the standard error of the peak is ");
	head_number(head, "error_bytes", COLUMN_BYTES,
		    touched_error(&results->touched, total->peak));
	head_words(head, "\n");
}

static void add_commits(const struct results *results, bool filtered, struct head *head)
{
	const struct heap_commits *commits = &results->commits;

	head_label(head, "commit");
	if (!commits->known) {
		head_words(head, "not recorded: the trace has no VirtualAlloc events\n");
		return;
	}
	head_number(head, "commit_at_peak_bytes", COLUMN_BYTES, commits->at_peak);
	head_words(head,
		   filtered ? " of VirtualAlloc at that moment, of the selected processes; at most "
			    : " of VirtualAlloc at that moment; at most ");
	head_number(head, "commit_peak_bytes", COLUMN_BYTES, commits->peak);
	head_words(head, ", at ");
	head_moment(head, "commit_peak_time_ns", commits->peak_ns);
	head_words(head, "\n");
}

static void add_plural(struct head *head, const char *key, int64_t nr, const char *one,
		       const char *many)
{
	head_number(head, key, COLUMN_INT, nr);
	head_words(head, nr == 1 ? one : many);
}

static void add_oddities(const struct heap_oddities *odd, struct head *head)
{
	if (odd->unknown_frees || odd->unknown_resizes) {
		head_label(head, "unknown");
		add_plural(head, "unknown_frees", odd->unknown_frees, " free and ", " frees and ");
		add_plural(head, "unknown_resizes", odd->unknown_resizes, " resize", " resizes");
		head_words(head, " of blocks whose allocation was before the recording, or lost\n");
	}
	if (odd->replaced) {
		head_label(head, "replaced");
		add_plural(head, "replaced_blocks", odd->replaced, " block whose free was lost",
			   " blocks whose frees were lost");
		head_words(head, ": freed when the address was allocated again\n");
	}
	if (odd->dropped) {
		head_label(head, "left out");
		add_plural(head, "dropped_allocations", odd->dropped, " allocation",
			   " allocations");
		head_words(head, ": more heaps than the limit have blocks\n");
	}
}

static void heap_add_head(const struct results *results, const struct trace_facts *facts,
			  bool filtered, struct head *head)
{
	const struct ledger_entry *total = results->total;
	char *gained = xasprintf(" allocated by %lld call%s", (long long)total->count,
				 total->count == 1 ? "" : "s");

	(void)facts;
	add_peak(results, filtered, head);
	add_commits(results, filtered, head);
	add_moment(results, filtered, head);
	add_size(results, filtered, gained, " freed", head);
	head_keep_number(head, "count", total->count);
	add_oddities(&results->heap, head);
	free(gained);
}

/* Of the value that rows are sorted by. */
static void get_error(const void *data, struct cell *cell)
{
	const struct result_row *row = data;
	const struct ledger_entry *entry = row->entry;

	cell_set_number(cell,
			touched_error(&row->results->touched,
				      row->results->request.moment ? entry->at : entry->at_peak));
}

ACCOUNT_ESTIMATE(ledger_entry, size, entry->size)
ACCOUNT_ESTIMATE(ledger_entry, count, entry->count)
ACCOUNT_ESTIMATE(ledger_entry, freed, entry->freed)
ACCOUNT_NUMBER(ledger_entry, impacting, ledger_impacting(entry))
ACCOUNT_ESTIMATE(ledger_entry, outstanding, entry->at)

/* Where keys are counted as bytes end, nobody knows what they held at a time. */
static void set_if_followed(const struct ledger_entry *entry, int64_t number, struct cell *cell)
{
	if (entry && !entry->lived)
		cell_set_number(cell, number);
}

static void get_peak(const void *data, struct cell *cell)
{
	const struct ledger_entry *entry = ((const struct result_row *)data)->entry;

	set_if_followed(entry, entry->peak, cell);
}

static void get_total_peak(const void *data, struct cell *cell)
{
	const struct ledger_entry *entry = ((const struct result_row *)data)->total;

	set_if_followed(entry, entry ? entry->peak : 0, cell);
}

static void get_purged(const void *data, struct cell *cell)
{
	const struct ledger_entry *entry = ((const struct result_row *)data)->entry;

	set_if_followed(entry, entry->purged, cell);
}

/* What never held anything has no moment. */
static void set_peak_time(const struct ledger_entry *entry, struct cell *cell)
{
	if (entry && entry->peak > 0)
		cell_set_number(cell, entry->peak_ns);
}

static void get_peak_time(const void *row, struct cell *cell)
{
	set_peak_time(((const struct result_row *)row)->entry, cell);
}

static void get_total_peak_time(const void *row, struct cell *cell)
{
	set_peak_time(((const struct result_row *)row)->total, cell);
}

ACCOUNT_ESTIMATE(ledger_entry, at_peak, entry->at_peak)
ACCOUNT_ESTIMATE(ledger_entry, aifi, entry->aifi)
ACCOUNT_ESTIMATE(ledger_entry, aifo, ledger_aifo(entry))
ACCOUNT_ESTIMATE(ledger_entry, aofi, entry->aofi)
ACCOUNT_ESTIMATE(ledger_entry, aofo, ledger_aofo(entry))
ACCOUNT_TOTAL(ledger_entry, size, entry->size)
ACCOUNT_TOTAL(ledger_entry, count, entry->count)
ACCOUNT_TOTAL(ledger_entry, freed, entry->freed)

static void get_total_impacting(const void *data, struct cell *cell)
{
	const struct ledger_entry *entry = ((const struct result_row *)data)->total;

	if (entry)
		cell_set_number(cell, ledger_impacting(entry));
}

ACCOUNT_TOTAL(ledger_entry, outstanding, entry->at)
ACCOUNT_TOTAL(ledger_entry, at_peak, entry->at_peak)
ACCOUNT_TOTAL(ledger_entry, aifi, entry->aifi)
ACCOUNT_TOTAL(ledger_entry, aifo, ledger_aifo(entry))
ACCOUNT_TOTAL(ledger_entry, aofi, entry->aofi)
ACCOUNT_TOTAL(ledger_entry, aofo, ledger_aofo(entry))

enum {
	SIZE,
	COUNT,
	FREED,
	IMPACTING,
	OUTSTANDING,
	PEAK,
	PEAK_TIME,
	AT_PEAK,
	AIFI,
	AIFO,
	AOFI,
	AOFO,
	PURGED,
	TOTAL_SIZE,
	TOTAL_COUNT,
	TOTAL_FREED,
	TOTAL_IMPACTING,
	TOTAL_OUTSTANDING,
	TOTAL_PEAK,
	TOTAL_PEAK_TIME,
	TOTAL_AT_PEAK,
	TOTAL_AIFI,
	TOTAL_AIFO,
	TOTAL_AOFI,
	TOTAL_AOFO,
	ERROR,
};

static const struct column columns[] = {
	[SIZE] = { "size_bytes", "SIZE", "committed (touched) in the range, freed or not",
		   COLUMN_BYTES, SHOW_DATA | SHOW_IF_ROOM, false, get_size, get_size_text },
	[COUNT] = { "count", "COUNT",
		    "events that committed something; pages of the sample that were touched",
		    COLUMN_INT, SHOW_DATA, false, get_count, get_count_text },
	[FREED] = { "freed_bytes", "FREED", "freed in the range", COLUMN_BYTES, SHOW_DATA, false,
		    get_freed, get_freed_text },
	[IMPACTING] = { "impacting_bytes", "IMPACTING",
			"held at the end of the range minus held at its start", COLUMN_BYTES,
			SHOW_DATA, false, get_impacting, NULL },
	[OUTSTANDING] = { "outstanding_bytes", "OUTSTANDING",
			  "held at the moment of --at, by default at the end of the range",
			  COLUMN_BYTES, SHOW_DATA, false, get_outstanding, get_outstanding_text },
	[PEAK] = { "peak_bytes", "PEAK", "most memory held at any moment of the range",
		   COLUMN_BYTES, SHOW_DATA | SHOW_IF_ROOM, false, get_peak, NULL },
	[PEAK_TIME] = { "peak_time_ns", "PEAK AT", "the first moment at which peak_bytes was held",
			COLUMN_TIME, SHOW_DATA, false, get_peak_time, NULL },
	[AT_PEAK] = { "at_peak_bytes", "AT PEAK", "held at the peak of the whole build",
		      COLUMN_BYTES, SHOW_DATA, false, get_at_peak, get_at_peak_text },
	[AIFI] = { "aifi_bytes", "AIFI", "allocated inside the range, freed inside it",
		   COLUMN_BYTES, SHOW_DATA, false, get_aifi, get_aifi_text },
	[AIFO] = { "aifo_bytes", "AIFO", "allocated inside the range, not freed inside it",
		   COLUMN_BYTES, SHOW_DATA, false, get_aifo, get_aifo_text },
	[AOFI] = { "aofi_bytes", "AOFI", "allocated before the range, freed inside it",
		   COLUMN_BYTES, SHOW_DATA, false, get_aofi, get_aofi_text },
	[AOFO] = { "aofo_bytes", "AOFO", "allocated before the range, held throughout",
		   COLUMN_BYTES, SHOW_DATA, false, get_aofo, get_aofo_text },
	[PURGED] = { "purged_bytes", "PURGED",
		     "purged: the system may take it back (madvise); it stays committed",
		     COLUMN_BYTES, 0, false, get_purged, NULL },
	[TOTAL_SIZE] = { "total_size_bytes", "TOTAL SIZE",
			 "size_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_size, get_total_size_text },
	[TOTAL_COUNT] = { "total_count", "TOTAL COUNT", "count, of all stacks that contain the row",
			  COLUMN_INT, SHOW_DATA, false, get_total_count, get_total_count_text },
	[TOTAL_FREED] = { "total_freed_bytes", "TOTAL FREED",
			  "freed_bytes, of all stacks that contain the row", COLUMN_BYTES,
			  SHOW_DATA, false, get_total_freed, get_total_freed_text },
	[TOTAL_IMPACTING] = { "total_impacting_bytes", "TOTAL IMPACTING",
			      "impacting_bytes, of all stacks that contain the row", COLUMN_BYTES,
			      SHOW_DATA, false, get_total_impacting, NULL },
	[TOTAL_OUTSTANDING] = { "total_outstanding_bytes", "TOTAL",
				"outstanding_bytes, of all stacks that contain the row",
				COLUMN_BYTES, SHOW_DATA, false, get_total_outstanding,
				get_total_outstanding_text },
	[TOTAL_PEAK] = { "total_peak_bytes", "TOTAL PEAK",
			 "peak_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_peak, NULL },
	[TOTAL_PEAK_TIME] = { "total_peak_time_ns", "TOTAL PEAK AT",
			      "peak_time_ns, of all stacks that contain the row", COLUMN_TIME,
			      SHOW_DATA, false, get_total_peak_time, NULL },
	[TOTAL_AT_PEAK] = { "total_at_peak_bytes", "TOTAL",
			    "at_peak_bytes, of all stacks that contain the row", COLUMN_BYTES,
			    SHOW_DATA, false, get_total_at_peak, get_total_at_peak_text },
	[TOTAL_AIFI] = { "total_aifi_bytes", "TOTAL AIFI",
			 "aifi_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_aifi, get_total_aifi_text },
	[TOTAL_AIFO] = { "total_aifo_bytes", "TOTAL AIFO",
			 "aifo_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_aifo, get_total_aifo_text },
	[TOTAL_AOFI] = { "total_aofi_bytes", "TOTAL AOFI",
			 "aofi_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_aofi, get_total_aofi_text },
	[TOTAL_AOFO] = { "total_aofo_bytes", "TOTAL AOFO",
			 "aofo_bytes, of all stacks that contain the row", COLUMN_BYTES, SHOW_DATA,
			 false, get_total_aofo, get_total_aofo_text },
	[ERROR] = { "error_bytes", "ERROR",
		    "only with --of touched, which is an estimate: the standard error of "
		    "at_peak_bytes, "
		    "with --at of outstanding_bytes",
		    COLUMN_BYTES, SHOW_DATA, false, get_error, NULL },
};

#define NOTHING_AT_PEAK \
	"nothing that matches the request was held at the peak of the whole build; for another " \
	"moment use --at own-peak or a time, in exports --metric own-peak, or outstanding with " \
	"--at"
#define NOTHING_GREW \
	"what matches the request held as much at the end of the range as at its start; use " \
	"--time " \
	"for another range"
#define NOTHING_THEN \
	"nothing that matches the request was held at that moment; use --at for another one: " \
	"peak, own-peak, or a time"

static const struct metric metrics[] = {
	{ .name = "size",
	  .title = "Memory committed",
	  .help = "memory committed in the range",
	  .column = &columns[SIZE] },
	{ .name = "at-peak",
	  .title = "Memory at the peak of the whole build",
	  .help = "memory held at the peak of the whole build",
	  .column = &columns[AT_PEAK],
	  .nothing = NOTHING_AT_PEAK },
	{ .name = "own-peak",
	  .title = "Memory at the own peak",
	  .help = "memory held at the peak of what the filters let through",
	  .column = &columns[OUTSTANDING],
	  .at = "own-peak" },
	{ .name = "outstanding",
	  .title = "Memory outstanding",
	  .help = "memory held at the moment of --at",
	  .column = &columns[OUTSTANDING],
	  .moment = true,
	  .nothing = NOTHING_THEN },
	{ .name = "impacting",
	  .title = "Impacting memory",
	  .help = "memory held at the end of the range minus held at its start, where it grew",
	  .column = &columns[IMPACTING],
	  .shrinks = true,
	  .nothing = NOTHING_GREW },
	{ .name = NULL },
};

/* As above, with titles of their own. */
static const struct metric touched_metrics[] = {
	{ .name = "size", .title = "Memory touched", .column = &columns[SIZE] },
	{ .name = "at-peak",
	  .title = "Touched memory at the peak of the whole build",
	  .column = &columns[AT_PEAK],
	  .nothing = NOTHING_AT_PEAK },
	{ .name = "own-peak",
	  .title = "Touched memory at the own peak",
	  .column = &columns[OUTSTANDING],
	  .at = "own-peak" },
	{ .name = "outstanding",
	  .title = "Touched memory outstanding",
	  .column = &columns[OUTSTANDING],
	  .moment = true,
	  .nothing = NOTHING_THEN },
	{ .name = "impacting",
	  .title = "Impacting touched memory",
	  .column = &columns[IMPACTING],
	  .shrinks = true,
	  .nothing = NOTHING_GREW },
	{ .name = NULL },
};

static const struct metric heap_metrics[] = {
	{ .name = "size", .title = "Memory allocated from heaps", .column = &columns[SIZE] },
	{ .name = "at-peak",
	  .title = "Heap memory at the peak of the whole build's heaps",
	  .column = &columns[AT_PEAK],
	  .nothing = NOTHING_AT_PEAK },
	{ .name = "own-peak",
	  .title = "Heap memory at the own peak",
	  .column = &columns[OUTSTANDING],
	  .at = "own-peak" },
	{ .name = "outstanding",
	  .title = "Heap memory outstanding",
	  .column = &columns[OUTSTANDING],
	  .moment = true,
	  .nothing = NOTHING_THEN },
	{ .name = "impacting",
	  .title = "Impacting heap memory",
	  .column = &columns[IMPACTING],
	  .shrinks = true,
	  .nothing = NOTHING_GREW },
	{ .name = NULL },
};

/* Long names come last in a line, and leave less space for values. */
#define VALUES "peak_bytes,peak_time_ns,size_bytes,freed_bytes,count"
#define PEAKS  "peak_bytes,size_bytes"
#define LIVES  "size_bytes,count,at_peak_bytes"

/* `first` is the column that rows are sorted by, also that of its total where keys have one. */
#define TEXT(first, values, few, lives) \
	{ \
		[BY_PROCESS] = first "," values, [BY_ROLE] = first "," values, \
		[BY_PART] = first "," values, [BY_CRATE] = first "," values, \
		[BY_THREAD] = first "," values, [BY_MODULE] = first ",total_" first "," values, \
		[BY_PHASE] = first "," values, [BY_QUERY] = first ",total_" first "," values, \
		[BY_FUNCTION] = first ",total_" first "," few, \
		[BY_STACK] = first "," few ",count", [BY_CALLS] = first, [BY_LIFETIME] = lives, \
		[BY_HEAP] = first "," values, [BY_REGION] = "", \
	}

const struct account account_memory = {
	.memory = true,
	.estimates = true,
	.what = "memory",
	.nothing = "no memory that matches the request was committed, held or freed",
	.entry_size = sizeof(struct ledger_entry),
	.table = { .columns = columns,
		   .columns_nr = ERROR, /* without it: nothing is sampled */
		   .keys = key_columns_memory },
	.text = { .columns = TEXT("at_peak_bytes", VALUES, PEAKS, LIVES), .sort = "at_peak_bytes" },
	.text_at = { .columns = TEXT("outstanding_bytes", "at_peak_bytes," VALUES, PEAKS,
				     "outstanding_bytes," LIVES),
		     .sort = "outstanding_bytes" },
	.metrics = metrics,
	.begin = memory_begin,
	.take = memory_take,
	.finish = memory_finish,
	.free = memory_free,
	.has_value = memory_has_value,
	.rank = memory_rank,
	.is_empty = memory_is_empty,
	.add_head = memory_add_head,
};

#define SAMPLED     "error_bytes,peak_bytes,peak_time_ns,size_bytes,freed_bytes,count"
#define SAMPLED_FEW "error_bytes,peak_bytes,size_bytes"

const struct account account_touched = {
	.memory = true,
	.touched = true,
	.what = "touched memory",
	.nothing = "no memory that matches the request was touched",
	.entry_size = sizeof(struct ledger_entry),
	.table = { .columns = columns,
		   .columns_nr = ARRAY_SIZE(columns),
		   .keys = key_columns_memory },
	.text = { .columns = TEXT("at_peak_bytes", SAMPLED, SAMPLED_FEW, LIVES),
		  .sort = "at_peak_bytes" },
	.text_at = { .columns = TEXT("outstanding_bytes", SAMPLED, SAMPLED_FEW,
				     "outstanding_bytes," LIVES),
		     .sort = "outstanding_bytes" },
	.metrics = touched_metrics,
	.begin = memory_begin,
	.take = memory_take,
	.finish = memory_finish,
	.free = memory_free,
	.has_value = memory_has_value,
	.rank = memory_rank,
	.is_empty = memory_is_empty,
	.add_head = touched_add_head,
};

const struct account account_heap = {
	.memory = true,
	.heap = true,
	.what = "heap memory",
	.nothing = "no block of a heap that matches the request was allocated, held or freed",
	.entry_size = sizeof(struct ledger_entry),
	.table = { .columns = columns, .columns_nr = ERROR, .keys = key_columns_memory },
	.text = { .columns = TEXT("at_peak_bytes", VALUES, PEAKS, LIVES), .sort = "at_peak_bytes" },
	.text_at = { .columns = TEXT("outstanding_bytes", "at_peak_bytes," VALUES, PEAKS,
				     "outstanding_bytes," LIVES),
		     .sort = "outstanding_bytes" },
	.metrics = heap_metrics,
	.begin = memory_begin,
	.take = memory_take,
	.finish = memory_finish,
	.free = memory_free,
	.has_value = memory_has_value,
	.rank = memory_rank,
	.is_empty = memory_is_empty,
	.add_head = heap_add_head,
};
