#include "cli/view_books.h"

#include <string.h>

#include "cli/message.h"
#include "util/text.h"

const struct opt book_name_options[] = {
	{ 0, "mangled", OPT_FLAG, NULL, "names of functions as in the symbol tables",
	  offsetof(struct book_values, mangled), NULL },
	{ 0, "inlines", OPT_FLAG, NULL,
	  "functions that the compiler inlined stand on their own; what they are comes from debug "
	  "information",
	  offsetof(struct book_values, inlines), NULL },
	OPT_END,
};

enum group_by book_by_parse(const char *name)
{
	int by = 0;

	while (strcmp(group_by_names[by], name) != 0)
		by++;
	return (enum group_by)by;
}

int book_at_parse(const char *at, int64_t *at_ns, struct err *err)
{
	if (!at || !strcmp(at, "end"))
		*at_ns = LEDGER_AT_END;
	else if (!strcmp(at, "peak"))
		*at_ns = LEDGER_AT_PEAK;
	else if (!text_parse_duration(at, NS_PER_S, at_ns))
		return err_set(err, ERR_USAGE,
			       "--at '%s' is no moment: peak, end, or a time as in 12.5s or 3m20s",
			       at);
	return 0;
}

static bool needs_names(enum group_by by)
{
	return by == BY_STACK || by == BY_FUNCTION || by == BY_MODULE;
}

/* Where neither functions nor their callers are shown, what is inlined changes nothing. */
static bool needs_inlines(const struct book_view *view)
{
	return view->values->inlines && (view->by == BY_STACK || view->by == BY_FUNCTION);
}

static bool needs_tags(const struct book_view *view)
{
	return !needs_names(view->by) || view->root != ROOT_NONE ||
	       view_trace_filters(&view->filter);
}

static bool is_empty(const struct book_view *view)
{
	const struct ledger_entry *total = &view->memory_books.ledger.total;

	if (!view->memory)
		return !view->cpu_books.total.samples;
	return !total->count && !total->freed && !total->at_start && !total->peak;
}

static bool is_time(int64_t at_ns)
{
	return at_ns != LEDGER_AT_END && at_ns != LEDGER_AT_PEAK;
}

static void tell_moment(const struct book_view *view, struct strbuf *notes)
{
	const struct process_filter *filter = &view->filter;

	if (view->memory && is_time(view->at_ns) &&
	    (view->at_ns < filter->from_ns || view->at_ns > filter->to_ns))
		strbuf_addf(notes,
			    "--at %s is outside of --time %s: what is outstanding is of that "
			    "moment, all else of the range\n",
			    view->values->at, view->values->view.time);
}

/* What was asked for and is not there. */
static void tell_missing(const struct book_view *view)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	struct strbuf notes = STRBUF_INIT;

	process_filter_explain(&view->filter, &view->run.processes, &notes);
	if (!notes.len && is_empty(view))
		strbuf_adds(&notes, view->memory
					    ? "no memory was committed, held or released by what "
					      "was asked for\n"
					    : "no CPU sample is of what was asked for\n");
	tell_moment(view, &notes);
	if (view->memory && is_time(view->at_ns) && view->at_ns > facts->last_ns) {
		strbuf_adds(&notes, "--at is behind the end of the recording, which is at ");
		text_add_duration(&notes, facts->last_ns);
		strbuf_addc(&notes, '\n');
	}
	message_print("note: ", notes.buf);
	strbuf_release(&notes);
}

static int play(struct book_view *view, struct err *err)
{
	struct books_request request = { view->by, &view->filter, view->at_ns, view->root };
	struct strbuf notes = STRBUF_INIT;
	int rc = view->memory ? memory_books_play(&view->memory_books, &view->replay, &request, err)
			      : cpu_books_play(&view->cpu_books, &view->replay, &request, err);

	/* What was lost may be why it failed. */
	replay_explain(&view->replay, &notes);
	message_print("warning: ", notes.buf);
	strbuf_release(&notes);
	if (rc)
		return err_wrap(err, "cannot read the trace of '%s'", view->run.path);
	tell_missing(view);
	view->names = (struct group_names){
		.by = view->by,
		.grouping = view->memory ? view->memory_books.grouping : view->cpu_books.grouping,
		.modules = &view->replay.machine.modules,
		.functions = &view->replay.functions,
	};
	if (view->by == BY_MODULE || view->by == BY_FUNCTION)
		module_labels_make(&view->names.labels, view->names.modules);
	return 0;
}

int book_view_open(struct book_view *view, struct err *err)
{
	struct view_trace_options options = {
		.cpu = !view->memory,
		.memory = view->memory,
		.names = needs_names(view->by),
		.mangled = view->values->mangled,
		.inlines = needs_inlines(view),
	};

	if (view_get_filter(&view->values->view, &view->filter, err) ||
	    view_run_open(&view->values->view.traces, &view->run, err))
		return -1;
	view->run_open = true;
	options.tags = needs_tags(view);
	if (view_trace_open(&view->run, &options, &view->replay, err))
		return -1;
	view->replay_open = true;
	return play(view, err);
}

/* The last event that was read, unless more may follow: what is behind the range is not read. */
static int64_t end_of_recording(const struct book_view *view)
{
	int64_t last_ns = replay_facts(&view->replay)->last_ns;

	if (view->filter.to_ns > last_ns)
		return last_ns;
	return view->run.source ? view->run.manifest.stage2_end_ns : -1;
}

void book_view_print_head(const struct book_view *view, FILE *out)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	struct cpu_head cpu = { view->cpu_books.total, facts->cpu_event, facts->cpu_note,
				view->cpu_books.stacks };
	struct memory_head memory = { &view->memory_books.ledger, view->memory_books.estimate };
	struct view_head head = {
		.clock = facts->clock,
		.from_ns = view->filter.from_ns,
		.to_ns = view->filter.to_ns,
		.last_ns = end_of_recording(view),
		.filtered = view_trace_filters(&view->filter),
		.stacks_truncated = view->replay.machine.stacks_truncated,
		.lost = facts->lost,
		.lost_buffers = facts->lost_buffers,
		.damaged = facts->damaged,
		.unordered = facts->unordered,
		.cut = facts->cut,
		.missing = facts->missing,
		.unread = facts->unread,
		.cpu = view->memory ? NULL : &cpu,
		.memory = view->memory ? &memory : NULL,
	};

	view_head_print(&head, out);
}

/* Of all samples the run says so itself. */
static bool has_warning(const struct strvec *warnings, const char *start)
{
	for (size_t i = 0; i < warnings->nr; i++) {
		if (!strncmp(warnings->v[i], start, strlen(start)))
			return true;
	}
	return false;
}

void book_view_warn_stacks(const struct book_view *view)
{
	struct strbuf text = STRBUF_INIT;

	if (!view->memory && stack_quality_is_low(&view->cpu_books.stacks)) {
		stack_quality_explain(&view->cpu_books.stacks, "CPU samples", NULL, &text);
		strbuf_set_len(&text, text.len - 1);
		if (!has_warning(&view->run.manifest.warnings, text.buf))
			message_print("warning: ", text.buf);
	}
	strbuf_release(&text);
}

/* Only once the results were shown it is known which names were asked for. */
static void tell_names(const struct book_view *view)
{
	struct strbuf notes = STRBUF_INIT;

	symbolizer_explain_flaws(view->replay.symbolizer, &notes);
	message_print("note: ", notes.buf);
	strbuf_release(&notes);
}

void book_view_close(struct book_view *view)
{
	if (view->names.modules && (view->by == BY_FUNCTION || view->by == BY_STACK))
		tell_names(view);
	module_labels_release(&view->names.labels);
	if (view->replay_open) {
		if (view->memory)
			memory_books_release(&view->memory_books);
		else
			cpu_books_release(&view->cpu_books);
		replay_close(&view->replay);
	}
	if (view->run_open)
		view_run_close(&view->run);
	process_filter_release(&view->filter);
}
