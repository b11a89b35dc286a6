#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/export_profile.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "cli/view_results.h"
#include "report/export_format.h"
#include "report/folded.h"
#include "report/frame_merge.h"
#include "util/text.h"

struct export_values {
	struct results_values results; /* first */
	int format;                    /* -1: not given */
	int metric, root;
	bool yes;
	const char *output;
	bool force;
};

static const struct opt_choices formats = { .name = export_format_name,
					    .help = export_format_help,
					    .ending = export_format_ending };
static const char *former_metric(const char *word)
{
	return strcmp(word, "peak") != 0 ? NULL
					 : "at-peak is what was held at the peak of the whole "
					   "build, own-peak that of what the filters let through";
}

static const struct opt_choices metrics = { .name = metric_name,
					    .help = metric_help,
					    .refusal = former_metric };

/* The frame that is added at the root of each stack. */
static const char *const root_names[] = { "none",  "process", "crate", "thread",
					  "phase", "query",   NULL };
static const enum group_by roots[] = { BY_STACK,       BY_IMAGE, BY_IMAGE_AND_CRATE,
				       BY_THREAD_NAME, BY_PHASE, BY_QUERY };

static const struct opt option_rows[] = {
	{ 0, "format", OPT_GIVEN, "FORMAT", "what to write; without it what the name of FILE says",
	  offsetof(struct export_values, format), &formats },
	{ 0, "metric", OPT_GIVEN, "METRIC", "what the value of a stack is",
	  offsetof(struct export_values, metric), &metrics },
	{ 0, "of", OPT_CHOICE, "KIND",
	  "of the metrics of memory: commit (the default), touched or heap",
	  offsetof(struct results_values, of), &memory_kinds },
	{ 0, "at", OPT_STRING, "peak|own-peak|end|TIME",
	  "the moment of --metric outstanding; by default the end of the range",
	  offsetof(struct results_values, at), OPT_WORDS(moment_words) },
	{ 'o', "output", OPT_STRING, "FILE", "where to write; by default stdout",
	  offsetof(struct export_values, output), NULL },
	RESULT_FORCE_OPTION(struct export_values, force),
	{ 0, "root", OPT_CHOICE, "ROOT",
	  "a frame to add at the root of each stack: none (the default); process: its "
	  "image; crate: image and crate; thread: the thread's name; phase or query, as --by of "
	  "cpu and memory has them",
	  offsetof(struct export_values, root), OPT_WORDS(root_names) },
	STACK_TAGS_OPTION,
	{ 0, "min-share", OPT_STRING, "PERCENT",
	  "stacks with less than this share of the whole become one frame [other] of their caller; "
	  "by default as little as makes folded text no longer than 500 MB, JSON for speedscope no "
	  "longer than 100 MB, else nothing",
	  offsetof(struct export_values, results.min_share), NULL },
	{ 0, "yes", OPT_FLAG, NULL, "write text of more than 1 GB",
	  offsetof(struct export_values, yes), NULL },
	QUIET_OPTION(offsetof(struct view_values, quiet)),
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 }, RESULTS_NAME_GROUP, VIEW_FILTER_GROUP,
	RESULTS_FILTER_GROUP,          OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "TRACE",
	  "a run directory, a bundle, a bare perf.data file, the bare .etl files of one recording, "
	  "or - for folded text on stdin",
	  false, OPT_MANY, offsetof(struct view_values, traces) },
	OPT_ARG_END,
};

static int read_trace(const struct export_values *values, const struct account *account,
		      const struct metric *metric, struct frame_tree *tree, struct err *err)
{
	struct results_view view = {
		.values = &values->results,
		.account = account,
		.by = { BY_STACK, roots[values->root] },
		.by_nr = values->root ? 2 : 1,
		.at = metric->at ? metric->at : values->results.at,
	};
	const struct results *results = &view.results;
	int rc = results_view_open(&view, err);

	if (!rc) {
		int64_t surplus = frame_tree_add_results(tree, results, metric);

		results_view_warn_stacks(&view);
		results_view_note_surplus(&view, metric, surplus);
		if (metric->nothing && !account->is_empty(results) &&
		    !metric_value(metric, results, results->total))
			message_print("note: ", metric->nothing);
	} else if (view.replay_open && err->code == ERR_UNSUPPORTED && values->metric < 0 &&
		   replay_facts(&view.replay)->has_memory) {
		err_append(err, "; --metric size or --metric at-peak exports its memory");
	}
	results_view_close(&view);
	return rc;
}

/* --at is only for one of the metrics. */
static int check_moment(const struct export_values *values, const struct metric *metric,
			struct err *err)
{
	const struct account *account;
	const struct metric *other;
	size_t i = 0;

	if (!values->results.at || metric->moment)
		return 0;
	do
		other = metric_get(i++, &account);
	while (!other->moment);
	return err_set(err, ERR_USAGE, "--at is for --metric %s, not for --metric %s", other->name,
		       metric->name);
}

/* Take the metric of the same name of the other kind of memory. */
static int choose_kind(int kind, const struct account **account, const struct metric **metric,
		       struct err *err)
{
	const struct metric *found;

	if (!kind)
		return 0;
	found = metric_of(memory_kind_account(kind), (*metric)->name);
	if (!found)
		return err_set(
			err, ERR_USAGE,
			"--of is for metrics of memory, as --metric size, not for --metric %s",
			(*metric)->name);
	*account = memory_kind_account(kind);
	*metric = found;
	return 0;
}

/* Folded text has neither processes nor times. */
static int check_folded(const struct export_values *values, struct err *err)
{
	const struct view_values *view = &values->results.view;

	if (values->metric >= 0 || values->results.of || values->results.at ||
	    values->results.mangled || values->results.full_names || values->results.inlines ||
	    values->root || view->time || view->roles.nr || view->parts.nr || view->crates.nr ||
	    view->processes.nr || view->not_roles.nr || view->not_parts.nr || view->not_crates.nr ||
	    view->not_processes.nr || values->results.threads.nr ||
	    values->results.not_threads.nr || !stack_filter_is_empty(&values->results.stacks))
		return err_set(
			err, ERR_USAGE,
			"folded stacks on stdin have no processes, times or metrics: with '-' "
			"only --format, --min-share, --yes, --output and --force are allowed");
	return 0;
}

static int read_folded(struct frame_tree *tree, struct err *err)
{
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	int rc = folded_read(stdin, tree, &damage, err);

	if (rc)
		err_wrap(err, "cannot read folded stacks from stdin");
	else if (damage.lines)
		message_printf("warning: ", "%llu damaged line%s of stdin left out; the first: %s",
			       (unsigned long long)damage.lines, damage.lines > 1 ? "s" : "",
			       damage.first.buf);
	folded_damage_release(&damage);
	return rc;
}

/* Add what was selected: readers of the file may not have anything else. */
static void add_subject(struct strbuf *sb, const struct export_values *values,
			const struct metric *metric)
{
	const struct view_values *view = &values->results.view;

	strbuf_adds(sb, text_file_name(view->traces.v[0]));
	view_add_selection(view, sb);
	view_add_names(sb, ", thread ", &values->results.threads);
	view_add_names(sb, ", function ", &values->results.stacks.functions);
	view_add_names(sb, ", module ", &values->results.stacks.modules);
	view_add_names(sb, ", phase ", &values->results.stacks.phases);
	view_add_names(sb, ", query ", &values->results.stacks.queries);
	view_add_names(sb, ", not thread ", &values->results.not_threads);
	view_add_names(sb, ", not function ", &values->results.stacks.not_functions);
	view_add_names(sb, ", not module ", &values->results.stacks.not_modules);
	view_add_names(sb, ", not phase ", &values->results.stacks.not_phases);
	view_add_names(sb, ", not query ", &values->results.stacks.not_queries);
	if (view->time)
		strbuf_addf(sb, ", time %s", view->time);
	if (metric->moment)
		strbuf_addf(sb, ", at %s", values->results.at ? values->results.at : "end");
}

/* Stacks by name of a large build are gigabytes. */
#define WRITTEN_AT_ONCE ((size_t)256 << 10)

static int write_file(const struct export_values *values, const struct export_format *format,
		      const struct export_data *data, struct err *err)
{
	struct result_file file;

	if (result_file_open(&file, values->output, values->force, format->packed, err))
		return -1;
	setvbuf(file.out, NULL, _IOFBF, WRITTEN_AT_ONCE);
	format->write(data, file.out);
	return result_file_close(&file, 0, err);
}

/* Text is not longer than this without --yes. */
#define TEXT_LENGTH_MAX ((uint64_t)1 << 30)

static uint64_t length_of(const struct export_format *format, const struct frame_tree *tree,
			  double share)
{
	return frame_merge_text_length(tree, frame_merge_least(tree->total, share),
				       format->frame_length);
}

/* The smallest default share, in percent, that makes the text of the tree short enough. */
static double choose_share(const struct export_format *format, const struct frame_tree *tree)
{
	/* Where frames are short, stacks of few samples are most of the text: a large step merges nearly all. */
	double share = 0.00001, step = format->frame_length ? 2 : 10;

	if (length_of(format, tree, 0) <= format->length)
		return 0;
	while (share < 1 && length_of(format, tree, share) > format->length)
		share *= step;
	return share;
}

/* Merge small stacks: as --min-share says, or as few as is good for the format. */
static int merge_small(const struct export_values *values, const struct export_format *format,
		       struct frame_tree *tree, struct err *err)
{
	bool text = format->length;
	struct strbuf said = STRBUF_INIT;
	double share = 0;
	uint64_t merged, length;

	if (results_min_share(&values->results, &share, err))
		return -1;
	if (text && !values->results.min_share)
		share = choose_share(format, tree);
	length = text ? length_of(format, tree, share) : 0;
	if (length > TEXT_LENGTH_MAX && !values->yes) {
		text_add_bytes(&said, (int64_t)length);
		err_set(err, ERR_USAGE,
			"the text would be %s long: give a --min-share above %g%s, or confirm with "
			"--yes",
			said.buf, share, values->results.min_share ? ", or leave it out" : "");
		strbuf_release(&said);
		return -1;
	}
	merged = share > 0 ? frame_merge(tree, frame_merge_least(tree->total, share)) : 0;
	if (merged)
		message_printf("note: ",
			       "%llu stacks in parts below %g%% of the whole are merged into "
			       "frames " FRAME_MERGED "%s",
			       (unsigned long long)merged, share,
			       values->results.min_share ? "" : "; --min-share 0 keeps all");
	return 0;
}

/* `metric` is NULL if the stacks are from folded text, which does not say what its values are. */
static int write_tree(const struct export_values *values, const struct export_format *format,
		      const struct metric *metric, const struct frame_tree *tree, struct err *err)
{
	unsigned int carries = format->carries;
	struct export_data data = { .tree = tree, .unit = COLUMN_INT };
	struct strbuf subject = STRBUF_INIT;
	int rc;

	if (metric && (carries & EXPORT_UNIT))
		data.unit = metric->column->type;
	if (metric && (carries & EXPORT_SUBJECT)) {
		add_subject(&subject, values, metric);
		data.title = metric->title;
		data.subject = subject.buf;
	}
	rc = write_file(values, format, &data, err);
	strbuf_release(&subject);
	return rc;
}

/* Formats of processes have all metrics, and merge nothing: what they cannot do is refused. */
static int check_profile(const struct export_values *values, const struct export_format *format,
			 const struct metric *metric, bool from_text, struct err *err)
{
	bool events = format->carries & EXPORT_EVENTS;

	if (from_text)
		return err_set(err, ERR_USAGE,
			       "folded stacks on stdin have no processes, which --format %s needs",
			       format->name);
	if (values->root || values->results.min_share || values->yes)
		return err_set(err, ERR_USAGE,
			       "--root, --min-share and --yes are not for --format %s, which has "
			       "all processes and stacks",
			       format->name);
	if (events && (values->metric >= 0 || values->results.at))
		return err_set(err, ERR_USAGE,
			       "--metric and --at are not for --format %s, which has all events",
			       format->name);
	if (metric->shrinks)
		return err_set(err, ERR_USAGE, "--metric %s is not for --format %s", metric->name,
			       format->name);
	return 0;
}

static int export_profile(const struct export_values *values, const struct export_format *format,
			  const struct metric *metric, struct err *err)
{
	struct profile profile;
	struct strbuf subject = STRBUF_INIT;
	struct export_data data = { .profile = &profile, .metric = metric->name };
	int rc;

	profile_init(&profile);
	rc = format->carries & EXPORT_SUMS ? export_profile_sums(&values->results, &profile, err)
					   : export_profile_events(&values->results, &profile, err);
	if (!rc) {
		add_subject(&subject, values, metric);
		data.subject = subject.buf;
		rc = write_file(values, format, &data, err);
	}
	strbuf_release(&subject);
	profile_release(&profile);
	return rc;
}

/* Formats of stacks with one value each. */
static int export_stacks(const struct export_values *values, const struct export_format *format,
			 const struct account *account, const struct metric *metric, bool from_text,
			 struct err *err)
{
	struct frame_tree tree;
	int rc;

	frame_tree_init(&tree);
	rc = from_text ? read_folded(&tree, err) : read_trace(values, account, metric, &tree, err);
	if (!rc)
		rc = merge_small(values, format, &tree, err);
	if (!rc)
		rc = write_tree(values, format, from_text ? NULL : metric, &tree, err);
	frame_tree_release(&tree);
	return rc;
}

static int run_export(const void *data, struct err *err)
{
	const struct export_values *values = data;
	const struct strvec *traces = &values->results.view.traces;
	bool from_text = traces->nr == 1 && !strcmp(traces->v[0], "-");
	const struct account *account;
	const struct metric *metric =
		metric_get(values->metric < 0 ? 0 : (size_t)values->metric, &account);
	const struct export_format *format;
	double share;
	int number, rc = from_text ? check_folded(values, err) : check_moment(values, metric, err);
	bool of_processes;

	if (values->results.view.quiet)
		message_set_quiet();
	if (!rc)
		rc = results_min_share(&values->results, &share, err);
	if (!rc)
		rc = result_file_check_option(values->output, traces, &formats, err);
	if (!rc)
		rc = result_file_format(values->output, &formats, values->format, &number, err);
	if (rc)
		return -1;
	format = export_format_get((size_t)number);
	of_processes = format->carries & (EXPORT_SUMS | EXPORT_EVENTS);
	/* Those have all metrics of the kind. */
	if (!of_processes || values->metric >= 0)
		rc = choose_kind(values->results.of, &account, &metric, err);
	if (!rc)
		rc = result_file_check(values->output, values->force, traces, err);
	if (!rc && of_processes)
		rc = check_profile(values, format, metric, from_text, err);
	if (rc)
		return -1;
	rc = of_processes ? export_profile(values, format, metric, err)
			  : export_stacks(values, format, account, metric, from_text, err);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command export_command = {
	.name = "export",
	.summary = "write stacks for other tools, or as a flame graph",
	.details = "Stacks are those of `cpu --by stack` or `memory --by stack`, the root first.",
	.syntax = { groups, args, sizeof(struct export_values) },
	.examples = { { "A flame graph of the memory held at the peak",
			"stagetrace export run --format svg --metric at-peak -o peak.svg" },
		      { "Folded stacks of one crate's CPU time",
			"stagetrace export run --crate rustc_middle -o rustc_middle.folded" } },
	.run = run_export,
};
