#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/view_books.h"
#include "platform/fs.h"
#include "replay/replay.h"
#include "report/flamegraph.h"
#include "report/folded.h"
#include "report/stack_tree.h"
#include "trace/pipeline.h"
#include "util/alloc.h"
#include "util/text.h"

static const char *const metric_titles[] = {
	[METRIC_CPU] = "CPU time",
	[METRIC_SIZE] = "Memory committed",
	[METRIC_PEAK] = "Memory at the peak of the whole build",
	[METRIC_OUTSTANDING] = "Memory outstanding",
};

enum format { FORMAT_FOLDED, FORMAT_SVG };

static const char *const format_choices[] = { "folded", "svg", NULL };

struct export_values {
	struct book_values book; /* first */
	int format, metric, root;
	const char *output;
};

static const struct opt option_rows[] = {
	{ 0, "format", OPT_CHOICE, "folded|svg",
	  "folded (the default): a line of text for each stack, as flamegraph.pl, inferno and "
	  "speedscope read "
	  "it; svg: a flame graph",
	  offsetof(struct export_values, format), format_choices },
	{ 0, "metric", OPT_CHOICE, "cpu|size|peak|outstanding",
	  "what is shown: CPU time (the default), memory committed, held at the peak of the whole "
	  "build, or held at --at",
	  offsetof(struct export_values, metric), stack_metric_names },
	{ 0, "at", OPT_STRING, "peak|end|TIME",
	  "the moment of --metric outstanding; the end of the range by default",
	  offsetof(struct book_values, at), NULL },
	{ 'o', "output", OPT_STRING, "FILE", "where to write; by default stdout",
	  offsetof(struct export_values, output), NULL },
	{ 0, "root", OPT_CHOICE, "none|process|crate",
	  "the first frame of each stack: none (the default) of its own, the image of the "
	  "process, or image and crate",
	  offsetof(struct export_values, root), group_root_names },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	BOOK_NAME_GROUP,
	VIEW_FILTER_GROUP,
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "TRACE",
	  "a run directory, a bundle, a bare perf.data file, the bare .etl files of one recording, "
	  "or - for folded text on stdin",
	  false, true, offsetof(struct view_values, traces) },
	OPT_ARG_END,
};

/* What an estimate took from a key can't be drawn. */
static void tell_surplus(int64_t bytes, enum stack_metric metric)
{
	struct strbuf size = STRBUF_INIT;

	if (bytes <= 0)
		return;
	text_add_bytes(&size, bytes);
	message_printf("note: ",
		       "the estimate of stacks is %s above what was %s: their sum is that much too "
		       "high",
		       size.buf, metric == METRIC_SIZE ? "committed" : "held");
	strbuf_release(&size);
}

/* A metric of a moment at which what was asked for held nothing, though it did at others. */
static void tell_nothing_held(const struct ledger_entry *total, enum stack_metric metric)
{
	if (!total->peak)
		return;
	if (metric == METRIC_PEAK && !total->at_peak)
		message_print("note: ", "what was asked for held nothing at the peak of the whole "
					"build; --metric outstanding --at TIME shows another "
					"moment\n");
	if (metric == METRIC_OUTSTANDING && !total->at)
		message_print("note: ", "what was asked for held nothing at that moment; --at "
					"chooses another: peak, or a time\n");
}

static void fill_tree(const struct book_view *view, enum stack_metric metric,
		      struct frame_tree *tree)
{
	if (metric == METRIC_CPU) {
		book_view_warn_stacks(view);
		stack_tree_add_cpu(tree, &view->names, view->cpu_books.entries, view->cpu_books.nr);
		return;
	}
	tell_surplus(stack_tree_add_ledger(tree, &view->names, &view->memory_books.ledger, metric),
		     metric);
	tell_nothing_held(&view->memory_books.ledger.total, metric);
}

static int read_trace(const struct export_values *values, struct frame_tree *tree, struct err *err)
{
	struct book_view view = {
		.values = &values->book,
		.by = BY_STACK,
		.root = (enum group_root)values->root,
		.memory = values->metric != METRIC_CPU,
		.filter = PROCESS_FILTER_INIT,
	};
	int rc = book_at_parse(values->book.at, &view.at_ns, err);

	if (!rc)
		rc = book_view_open(&view, err);
	if (!rc)
		fill_tree(&view, (enum stack_metric)values->metric, tree);
	book_view_close(&view);
	return rc;
}

static int check_moment(const struct export_values *values, struct err *err)
{
	if (!values->book.at || values->metric == METRIC_OUTSTANDING)
		return 0;
	return err_set(err, ERR_USAGE, "--at is for --metric outstanding, not for --metric %s",
		       stack_metric_names[values->metric]);
}

/* Text has neither processes nor times. */
static int check_folded(const struct export_values *values, struct err *err)
{
	const struct view_values *view = &values->book.view;

	if (values->metric != METRIC_CPU || values->book.at || values->book.mangled ||
	    values->book.inlines || values->root || view->time || view->roles.nr ||
	    view->parts.nr || view->crates.nr || view->processes.nr)
		return err_set(
			err, ERR_USAGE,
			"folded stacks on stdin have no processes, times or metrics to choose "
			"from: with - there is only --format and --output");
	return 0;
}

static int read_folded(struct frame_tree *tree, struct err *err)
{
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	int rc = folded_read(stdin, tree, &damage, err);

	if (rc)
		err_wrap(err, "cannot read folded stacks from stdin");
	else if (damage.lines)
		message_printf("warning: ", "%llu lines of stdin are no stacks; the first: %s",
			       (unsigned long long)damage.lines, damage.first.buf);
	folded_damage_release(&damage);
	return rc;
}

static void add_names(struct strbuf *sb, const char *what, const struct strvec *names)
{
	for (size_t i = 0; i < names->nr; i++)
		strbuf_addf(sb, "%s%s", i ? " or " : what, names->v[i]);
}

/* What the picture is of: somebody may have nothing but it. */
static void add_subject(struct strbuf *sb, const struct export_values *values)
{
	const struct view_values *view = &values->book.view;

	strbuf_adds(sb, text_file_name(view->traces.v[0]));
	add_names(sb, ", role ", &view->roles);
	add_names(sb, ", part ", &view->parts);
	add_names(sb, ", crate ", &view->crates);
	add_names(sb, ", process ", &view->processes);
	if (view->time)
		strbuf_addf(sb, ", time %s", view->time);
	if (values->metric == METRIC_OUTSTANDING)
		strbuf_addf(sb, ", at %s", values->book.at ? values->book.at : "end");
}

static void write_svg(const struct export_values *values, bool from_text,
		      const struct frame_tree *tree, FILE *out)
{
	struct strbuf subtitle = STRBUF_INIT;
	struct flame_options options = {
		.title = from_text ? "Flame graph" : metric_titles[values->metric],
		.subtitle = subtitle.buf,
		.unit = from_text                      ? FLAME_COUNT
			: values->metric == METRIC_CPU ? FLAME_NS
						       : FLAME_BYTES,
	};

	if (!from_text) {
		add_subject(&subtitle, values);
		options.subtitle = subtitle.buf;
	}
	flamegraph_write(tree, &options, out);
	strbuf_release(&subtitle);
}

struct folding {
	struct folded_walk *walk;
	struct folded_steps steps[PIPELINE_SLOTS];
};

static int walk_on(void *data, size_t slot, struct err *err)
{
	struct folding *folding = data;

	(void)err;
	return folded_walk_next(folding->walk, &folding->steps[slot]);
}

/* One thread finds the way through the tree, from one place in memory to another, and one writes. */
static int write_folded(const struct frame_tree *tree, FILE *out, struct err *err)
{
	struct folding *folding = xcalloc(1, sizeof(*folding));
	struct folded_line line = FOLDED_LINE_INIT;
	struct pipeline *pipeline = NULL;
	size_t slot;
	int rc;

	folding->walk = folded_walk_new(tree);
	rc = pipeline_new(walk_on, NULL, folding, replay_threads(), &pipeline, err);
	while (!rc && pipeline_next(pipeline, &slot, err) > 0)
		folded_write_steps(folding->walk, &folding->steps[slot], &line, out);
	pipeline_free(pipeline);
	folded_line_release(&line);
	folded_walk_free(folding->walk);
	free(folding);
	return rc;
}

/* Stacks by name of a large build are gigabytes. */
#define WRITTEN_AT_ONCE ((size_t)256 << 10)

static int write_tree(const struct export_values *values, bool from_text,
		      const struct frame_tree *tree, struct err *err)
{
	FILE *out = values->output ? fs_open(values->output, "wb") : stdout;
	bool failed;
	int rc = 0;

	if (!out)
		return err_set_errno(err, errno, "cannot write '%s'", values->output);
	setvbuf(out, NULL, _IOFBF, WRITTEN_AT_ONCE);
	if (values->format == FORMAT_SVG)
		write_svg(values, from_text, tree, out);
	else
		rc = write_folded(tree, out, err);
	if (!values->output)
		return rc;
	failed = ferror(out);
	failed |= fclose(out) != 0;
	if (rc)
		return rc;
	return failed ? err_set_errno(err, errno, "cannot write '%s'", values->output) : 0;
}

static bool is_stdin(const struct strvec *traces)
{
	return traces->nr == 1 && !strcmp(traces->v[0], "-");
}

static int run_export(const void *data, struct err *err)
{
	const struct export_values *values = data;
	bool from_text = is_stdin(&values->book.view.traces);
	struct frame_tree tree;
	int rc = from_text ? check_folded(values, err) : check_moment(values, err);

	frame_tree_init(&tree);
	if (!rc)
		rc = from_text ? read_folded(&tree, err) : read_trace(values, &tree, err);
	if (!rc)
		rc = write_tree(values, from_text, &tree, err);
	frame_tree_release(&tree);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command export_command = {
	.name = "export",
	.summary = "write stacks for other tools, or as a flame graph",
	.details = "Stacks are those of `cpu --by stack` or `memory --by stack`, the root first.",
	.syntax = { groups, args, sizeof(struct export_values) },
	.run = run_export,
};
