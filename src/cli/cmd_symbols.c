#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_results.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "replay/keep_files.h"
#include "report/symbols_view.h"
#include "symbol/symbol_fetch.h"
#include "util/alloc.h"
#include "util/text.h"

#define FETCH_SECONDS 30  /* that a server may be silent */
#define FETCH_WHOLE   100 /* times that: for a whole file */
#define FETCH_MAX     86400

/* A trace may have any other name. */
static bool is_server(const char *word)
{
	return strstr(word, "://") || text_starts_with(word, "srv*") ||
	       text_starts_with(word, "symsrv*") || text_starts_with(word, "cache*");
}

static const struct opt_choices servers = { .takes = is_server };

static const struct opt option_rows[] = {
	{ 0, "symfs", OPT_STRING, "DIR",
	  "search ELF files of the traced machine in DIR first: by build id, traced path, name",
	  offsetof(struct results_values, symfs), NULL },
	{ 0, "debuginfod", OPT_FLAG, NULL,
	  "ask the servers of DEBUGINFOD_URLS for debug files that are missing here",
	  offsetof(struct results_values, debuginfod), NULL },
	{ 0, "fetch", OPT_OPTIONAL, "[SERVER]",
	  "fetch PDBs and debug files that are missing, from SERVER: a URL, or srv*DIR*URL; "
	  "without SERVER from those of _NT_SYMBOL_PATH, else Microsoft's, and of DEBUGINFOD_URLS",
	  offsetof(struct results_values, fetch), &servers },
	{ 0, "fetch-timeout", OPT_NUMBER, "SECONDS",
	  "how long a server may be silent, 30 by default, 86400 at most; a file may take "
	  "100 times that",
	  offsetof(struct results_values, fetch_timeout), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Names", option_rows, 0 },
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

/* What the recording of the run knew of its modules. */
static void use_recorded(const struct manifest *manifest, struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < manifest->unnamed_nr; i++) {
		const struct manifest_unnamed *unnamed = &manifest->unnamed[i];

		symbolizer_add_reason(symbolizer, unnamed->path, unnamed->build_id, unnamed->reason,
				      unnamed->why);
	}
}

/*
 * Play the trace, count by function, and add the modules. Returns 1, with the reason in `err`, if the trace has nothing to
 * count.
 */
static int count(const struct results_values *values, const struct account *account,
		 const struct progress *reading, struct symbols_rows *rows, struct head *head,
		 struct err *err)
{
	struct results_view view = {
		.values = values,
		.account = account,
		.by = { BY_FUNCTION },
		.by_nr = 1,
		.reading = reading,
		/* The rows do; before files are fetched it would be said of too many modules. */
		.explained = values->fetch != NULL,
	};
	struct view_head facts;
	int rc = results_view_open(&view, err);

	if (!rc) {
		use_recorded(&view.run.manifest, view.replay.symbolizer);
		symbols_rows_add(rows, &view.results, view.replay.symbolizer);
		if (account == &account_cpu || rows->cpu_ns < 0) {
			facts = results_view_head(&view);
			view_head_begin(&facts, head);
			view_head_end(&facts, head);
		}
	} else if (err->code == ERR_UNSUPPORTED && view.replay_open) {
		rc = 1;
	}
	results_view_close(&view);
	return rc;
}

/* The trace has neither. */
static int refuse(const struct err *cpu, struct err *memory)
{
	char *text = xasprintf("%s; %s", cpu->msg, memory->msg);

	err_clear(memory);
	err_set(memory, ERR_UNSUPPORTED, "%s", text);
	free(text);
	return -1;
}

/* As count(): what was committed; else, of a recording of heaps alone, what was allocated in them. */
static int count_memory(const struct results_values *values, const struct progress *reading,
			struct symbols_rows *rows, struct head *head, struct err *err)
{
	struct err no_heaps = ERR_INIT;
	int rc = count(values, &account_memory, reading, rows, head, err), heaps;

	if (rc <= 0)
		return rc;
	heaps = count(values, &account_heap, reading, rows, head, &no_heaps);
	if (heaps <= 0) {
		err_clear(err);
		*err = no_heaps;
		return heaps;
	}
	err_clear(&no_heaps);
	return rc;
}

/* Modules of processes with heap snapshots that pass a filter. */
struct finding {
	const struct process_filter *filter;
	struct snapshot_modules modules;
};

static bool find_modules(void *data, struct replay *replay, const struct trace_event *event)
{
	struct finding *finding = data;
	const struct trace_process *process;

	if (event->kind != TRACE_MAP)
		return true;
	process = machine_process(&replay->machine, event->pid, event->time_ns);
	if (process && process_filter_match(finding->filter, replay->machine.rows->v[process->row]))
		snapshot_modules_see(&finding->modules, replay, event);
	return true;
}

static void note_snapshots(const struct view_run *run, const struct process_filter *filter)
{
	struct strbuf notes = STRBUF_INIT;

	strbuf_adds(&notes, "the trace has heap snapshots alone, whose stacks only WPA reads: the "
			    "modules that their processes have loaded are listed\n");
	process_filter_explain(filter, &run->processes, &notes);
	message_print_buf("note: ", &notes);
}

static void list_modules(const struct view_run *run, struct replay *replay,
			 const struct finding *finding, struct symbols_rows *rows,
			 struct head *head)
{
	const struct view_head facts = view_run_head(
		run, replay_facts(replay), finding->filter->from_ns, finding->filter->to_ns);

	use_recorded(&run->manifest, replay->symbolizer);
	symbols_rows_add_loaded(rows, &replay->machine.modules, finding->modules.v,
				finding->modules.nr, replay->symbolizer);
	view_head_begin(&facts, head);
	view_head_end(&facts, head);
}

/*
 * Of a recording of heap snapshots alone, whose stacks cannot be read: list what their processes have loaded. Returns 1 if
 * the trace has no snapshots.
 */
static int list_snapshots(const struct results_values *values, const struct progress *reading,
			  struct symbols_rows *rows, struct head *head, struct err *err)
{
	const struct view_trace_options options = {
		.replay = { .cpu = true,
			    .memory = true,
			    .heap = true,
			    .names = true,
			    .symfs = values->symfs,
			    .cache = values->cache,
			    .progress = reading },
		.tags = true,
	};
	const struct view_subject subject = { .processes = true };
	struct process_filter filter;
	struct finding finding = { .filter = &filter };
	struct view_run run;
	struct replay replay;
	int rc = view_get_filter(&values->view, &filter, err);

	if (!rc)
		rc = view_run_open(&values->view.traces, subject, &run, err);
	if (rc) {
		process_filter_release(&filter);
		return -1;
	}
	rc = view_trace_open(&run, &options, &replay, err);
	if (!rc) {
		rc = replay_facts(&replay)->snapshots_nr ? 0 : 1;
		if (!rc)
			rc = replay_play(&replay, find_modules, &finding, err);
		/* Before files are fetched, the table is not shown. */
		if (!rc && (!values->fetch || values->cache))
			note_snapshots(&run, &filter);
		if (!rc)
			list_modules(&run, &replay, &finding, rows, head);
		replay_close(&replay);
	}
	snapshot_modules_release(&finding.modules);
	view_run_close(&run);
	process_filter_release(&filter);
	return rc;
}

static int list_or_refuse(const struct results_values *values, const struct progress *reading,
			  struct symbols_rows *rows, struct head *head, const struct err *no_cpu,
			  struct err *err)
{
	struct err failure = ERR_INIT;
	int rc = list_snapshots(values, reading, rows, head, &failure);

	if (rc > 0)
		return refuse(no_cpu, err);
	err_clear(err);
	*err = failure;
	return rc;
}

/* Count CPU time and memory. `reading` may be NULL. */
static int count_all(const struct results_values *values, const struct progress *reading,
		     struct symbols_rows *rows, struct head *head, struct err *err)
{
	struct err no_cpu = ERR_INIT;
	int rc = count(values, &account_cpu, reading, rows, head, &no_cpu), memory;

	if (rc < 0) {
		*err = no_cpu;
		no_cpu = (struct err)ERR_INIT;
	}
	memory = rc < 0 ? -1 : count_memory(values, reading, rows, head, err);
	/* One of them is enough. */
	if (memory > 0 && !rc)
		err_clear(err);
	if (rc > 0 && memory > 0)
		memory = list_or_refuse(values, reading, rows, head, &no_cpu, err);
	err_clear(&no_cpu);
	return memory < 0 || rc < 0 ? -1 : 0;
}

/* Files that are being fetched. */
struct fetching {
	struct symbol_fetch *fetch;
	struct status *status;
	bool quiet;
	size_t nr, lacking, fetched;
	bool stopped;
};

/* For struct progress: only see interrupts, as a view shows no line. */
static bool goes_on(void *data, const char *step, int64_t done, int64_t total)
{
	const struct status *status = data;

	(void)step;
	(void)done;
	(void)total;
	return interrupt_count() == status->interrupts;
}

static bool show_fetching(void *data, const char *step, int64_t done, int64_t total)
{
	struct fetching *fetching = data;

	if (fetching->quiet)
		return goes_on(fetching->status, step, done, total);
	if (total <= 0 || done < total)
		return status_step(fetching->status, step, done, total);
	status_wipe(fetching->status);
	return true;
}

static const char *file_of(const struct module *module)
{
	return text_file_name(module->debug_path ? module->debug_path : module->path);
}

static bool fetch_one(void *data, const struct module *module)
{
	struct fetching *fetching = data;
	struct strbuf from = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *what = module->debug_path ? "" : "debug file of ";
	int rc = symbol_fetch_get(fetching->fetch, module, &from, &err);

	status_wipe(fetching->status);
	fetching->nr++;
	if (!rc) {
		fetching->fetched++;
		message_printf("note: ", "fetched %s%s from %s", what, file_of(module), from.buf);
	} else if (!goes_on(fetching->status, NULL, 0, 0)) {
		fetching->stopped = true;
	} else if (rc < 0 && err.code == ERR_NOT_FOUND) {
		fetching->lacking++;
	} else if (rc < 0) {
		fetching->stopped = err.code == ERR_FAILED || err.code == ERR_NO_SPACE;
		message_printf("warning: ", "cannot fetch %s%s: %s%s", what, file_of(module),
			       err.msg, fetching->stopped ? "; nothing more is asked" : "");
	}
	err_clear(&err);
	strbuf_release(&from);
	return !fetching->stopped;
}

static void say_fetched(const struct fetching *fetching)
{
	if (!fetching->nr)
		message_print("note: ", "no file is missing that a server may have");
	if (fetching->lacking)
		message_printf("note: ", "the servers have no file of %zu module%s",
			       fetching->lacking, fetching->lacking == 1 ? "" : "s");
}

/* Fetch what is missing. The files are in `*cache` then, which the caller frees. */
static int fetch_missing(const struct results_values *values, const struct symbols_rows *rows,
			 struct status *status, char **cache, struct err *err)
{
	int64_t seconds = values->fetch_timeout ? values->fetch_timeout : FETCH_SECONDS;
	struct fetching fetching = { .status = status, .quiet = values->view.quiet };
	const struct progress progress = { &fetching, show_fetching };
	const struct symbol_fetch_options options = {
		.server = *values->fetch ? values->fetch : NULL,
		.answer_ns = seconds * NS_PER_S,
		.whole_ns = seconds * FETCH_WHOLE * NS_PER_S,
		.progress = &progress,
	};

	if (symbol_fetch_new(&options, &fetching.fetch, err))
		return err_wrap(err, "--fetch");
	symbols_rows_missing(rows, fetch_one, &fetching);
	*cache = xstrdup(symbol_fetch_cache(fetching.fetch));
	symbol_fetch_free(fetching.fetch);
	if (!goes_on(status, NULL, 0, 0))
		return err_set(err, ERR_FAILED, "--fetch: interrupted by the user");
	say_fetched(&fetching);
	return 0;
}

static int print(const struct results_values *given, struct table_options *options, struct err *err)
{
	struct results_values values = *given;
	struct symbols_rows rows = SYMBOLS_ROWS_INIT;
	struct head head = HEAD_INIT;
	struct status status;
	const struct progress interrupts = { &status, goes_on };
	char *cache = NULL;
	int rc = 0;

	if (values.fetch) {
		rc = count_all(&values, NULL, &rows, &head, err);
		interrupt_catch();
		status_init(&status, stderr);
		status_begin_steps(&status);
		if (!rc)
			rc = fetch_missing(&values, &rows, &status, &cache, err);
		values.cache = cache;
		symbols_rows_release(&rows);
		head_release(&head);
		head = (struct head)HEAD_INIT;
	}
	if (!rc)
		rc = count_all(&values, values.fetch ? &interrupts : NULL, &rows, &head, err);
	if (!rc) {
		symbols_rows_finish(&rows);
		if (values.view.head || options->format == TABLE_TEXT)
			options->head = &head;
		rc = view_print_table(&values.view, &symbols_table, options, rows.v, rows.nr, err);
	}
	symbols_rows_release(&rows);
	head_release(&head);
	free(cache);
	return rc < 0 ? -1 : 0;
}

static int run_symbols(const void *data, struct err *err)
{
	const struct results_values *values = data;
	struct table_options options;

	if (values->fetch_timeout > FETCH_MAX)
		return err_set(err, ERR_USAGE,
			       "--fetch-timeout takes at most %d seconds, a day, not %" PRId64,
			       FETCH_MAX, values->fetch_timeout);
	if (view_get_table_options(&values->view, &symbols_table, &options, err))
		return -1;
	return print(values, &options, err) ? -1 : EXIT_CODE_DONE;
}

const struct command symbols_command = {
	.name = "symbols",
	.summary = "show which modules have names, which not, and why",
	.details =
		"A row for each program, library or kernel in whose code CPU samples are, or whose "
		"functions asked for memory, with its share of both; of a trace with heap "
		"snapshots "
		"alone one for each that their processes have loaded. Names come from the run, "
		"else from files of this machine: where cpu and memory take them from.\n\n"
		"--fetch asks servers for what is missing, which learn the names and ids of these "
		"files. They are kept for all later views of this user.",
	.syntax = { groups, view_args, sizeof(struct results_values) },
	.table = &symbols_table,
	.examples = { { "Which modules have no names, and why?", "stagetrace symbols run" },
		      { "Ids of the PDBs, for a symbol server",
			"stagetrace symbols run --format csv --columns "
			"path,symbol_id,reason" },
		      { "Fetch the PDBs of Windows from Microsoft's server",
			"stagetrace symbols run --fetch" } },
	.run = run_symbols,
};
