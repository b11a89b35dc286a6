#include "replay/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cost.h"
#include "platform/program.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/thread.h"
#include "replay/kept_events.h"
#include "replay/known_stacks.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "rundir/symbol_dirs.h"
#include "symbol/symbol_cache.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/*
 * How many ranges of memory maps all changes may go through: some seconds' work for any file. Those of a stage 2 go
 * through 0.9 for each event.
 */
#define STEPS_FREE ((uint64_t)32 << 20)
#define STEPS_EACH 16 /* and for each event so far */

/* Of the stack copies, those that lack a file. Some always do: programs that a build makes, runs and deletes. */
#define LACKING_MAX 0.1

/* Of a recording's events: names of at most so many characters, of so many that were lost. */
#define LOST_SHOWN 20
#define NAME_SHOWN 80

/* Larger files in symbols/, and of stacks, are refused: a real stage 2 has some 100 MB in all. */
#define SYMBOLS_MAX (INT64_C(2) << 30)

int replay_find_trace(struct run_source *source, struct strvec *paths, struct err *err)
{
	static const char *const names[] = { RUN_PERF_DATA, RUN_ETL };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path;

		if (!run_source_has(source, names[i]))
			continue;
		path = run_source_file(source, names[i], err);
		if (path)
			strvec_push_nodup(paths, path);
		return path ? 0 : -1;
	}
	return err_set(err, ERR_NOT_FOUND, "'%s' has no trace: it was recorded without one",
		       run_source_path(source));
}

int replay_threads(void)
{
	char *asked = env_get("STAGETRACE_THREADS");
	struct host host;
	int64_t threads;

	if (!asked || !text_parse_int(asked, 1, 2, &threads)) {
		host_read(&host);
		threads = host.cpus > 1 ? 2 : 1;
		host_release(&host);
	}
	free(asked);
	return (int)threads;
}

static int read_store_file(struct run_source *source, const char *name, struct symbol_store *store,
			   struct err *err)
{
	char *member = xasprintf(RUN_SYMBOLS "/%s", name);
	struct strbuf text = STRBUF_INIT;
	uint64_t damaged = 0;
	int rc = 0;

	if (run_source_has(source, member)) {
		rc = run_source_read(source, member, SYMBOLS_MAX, &text, err);
		if (!rc)
			rc = symbol_store_parse(store, name, text.buf, text.len, &damaged, err);
		if (rc)
			err_wrap(err, "cannot read '%s' of '%s'", member, run_source_path(source));
	}
	strbuf_release(&text);
	free(member);
	return rc;
}

/* Lines are many: they are read only if needed. */
static int read_store(struct run_source *source, bool lines, struct symbol_store *store,
		      struct err *err)
{
	for (size_t i = 0; symbol_store_files[i]; i++) {
		const char *name = symbol_store_files[i];

		if (!lines && !strcmp(name, SYMBOL_STORE_LINES))
			continue;
		if (read_store_file(source, name, store, err))
			return -1;
	}
	return 0;
}

/* Files of the run, which a bundle has to be asked for by one thread at a time. */
struct run_lookup {
	struct run_source *source;
	struct monitor *monitor;
};

static char *find_in_run(void *data, const char *name)
{
	struct run_lookup *lookup = data;
	char *member = xasprintf(RUN_SYMBOLS "/%s", name), *path = NULL;
	struct err err = ERR_INIT;

	monitor_enter(lookup->monitor);
	if (run_source_has(lookup->source, member))
		path = run_source_file(lookup->source, member, &err);
	monitor_leave(lookup->monitor);
	err_clear(&err);
	free(member);
	return path;
}

static struct run_files use_run_files(struct replay *replay, struct run_source *source)
{
	replay->run_lookup = xcalloc(1, sizeof(*replay->run_lookup));
	replay->run_lookup->source = source;
	replay->run_lookup->monitor = monitor_new();
	return (struct run_files){ replay->run_lookup, find_in_run };
}

/* A run with symbols needs no files of this machine, but may get some; for any other the files that exist are used. */
static void find_names(struct replay *replay, struct run_source *source,
		       const struct process_list *rows, const struct replay_options *options)
{
	struct strvec dirs = STRVEC_INIT, traced_dirs = STRVEC_INIT;
	struct strvec caches = STRVEC_INIT;
	char *cache = symbol_cache_dir();
	struct symbolizer_options names = {
		.store = replay->store,
		.use_files = !replay->names_kept || options->symfs || options->fetcher,
		.same_machine_kernel = !replay->names_kept,
		.modules = &replay->machine.modules,
		.places = { .dirs = &dirs,
			    .traced_dirs = &traced_dirs,
			    .symfs = options->symfs,
			    .caches = &caches,
			    .fetcher = options->fetcher },
		.mangled = options->mangled,
		.threads = replay_threads(),
	};

	if (source && !options->fresh)
		names.places.run = use_run_files(replay, source);
	/* Directories that may contain PDBs. */
	if (cache)
		strvec_push(&caches, cache);
	if (options->cache)
		strvec_push(&caches, options->cache);
	strvec_push_all(&dirs, &caches);
	if (rows)
		symbol_dirs_add(rows, NULL, &traced_dirs);
	replay->symbolizer = symbolizer_new(&names);
	replay->machine.copies = symbolizer_stacks(replay->symbolizer);
	strvec_release(&dirs);
	strvec_release(&traced_dirs);
	strvec_release(&caches);
	free(cache);
}

static struct trace_options trace_options_of(const struct replay_options *options,
					     const struct run_source *source)
{
	return (struct trace_options){
		.base_ns = options->base_ns,
		.names = options->file_names,
		.cpu = options->cpu,
		.memory = options->memory,
		.touched = options->touched,
		.heap = options->heap,
		.threads = replay_threads(),
		.compressed_bytes = source ? run_source_bundle_bytes(source) : 0,
		.no_stacks = options->no_stacks,
		.switches = options->switches,
	};
}

static void set_damage(struct replay *replay, const char *name, const struct err *err)
{
	if (!replay->stacks_damage)
		replay->stacks_damage = xasprintf(
			"'%s' is not used: %s; remove it to have no warning", name, err->msg);
}

static void close_kept(struct replay *replay)
{
	kept_reader_free(replay->kept);
	replay->kept = NULL;
}

/* Whether the events of RUN_TRACE_CPU are all that is asked for: they have no stacks, but those of RUN_TRACE_STACKS. */
static bool may_use_kept(const struct replay_options *options, struct run_source *source)
{
	bool stacks = options->cpu_stacks && source && run_source_has(source, RUN_TRACE_STACKS);

	return source && !options->fresh && options->cpu && !options->memory && !options->touched &&
	       !options->heap && (stacks || options->no_stacks) &&
	       run_source_has(source, RUN_TRACE_CPU);
}

static void open_kept(struct replay *replay, struct run_source *source,
		      const struct replay_options *options)
{
	struct trace_fingerprint fingerprint;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!may_use_kept(options, source))
		return;
	if (run_source_read(source, RUN_TRACE_CPU, SYMBOLS_MAX, &text, &err) ||
	    trace_fingerprint_read(replay->trace, &fingerprint, &err) ||
	    kept_reader_open(text.buf, text.len, &fingerprint, &replay->kept, &err) < 0)
		set_damage(replay, RUN_TRACE_CPU, &err);
	strbuf_release(&text);
	err_clear(&err);
	if (replay->kept && kept_reader_counters(replay->kept)->base_ns != options->base_ns)
		close_kept(replay);
}

/* Once it is known whether the stacks can be used. */
static void begin_kept(struct replay *replay, const struct replay_options *options)
{
	const struct trace_event_count *counts;
	size_t nr;

	if (!replay->kept)
		return;
	if (options->cpu_stacks && !replay->machine.known_stacks.v) {
		close_kept(replay);
		return;
	}
	counts = kept_reader_counts(replay->kept, &nr);
	trace_reader_set_counts(replay->reader, kept_reader_counters(replay->kept), counts, nr);
}

/* The stacks of the run, which are parsed while names are read. */
struct known_parse {
	struct replay *replay;
	struct thread *thread; /* NULL: it is done */
	struct strbuf text;
	struct trace_fingerprint fingerprint;
	struct err err;
	int rc;
};

static void parse_known(void *data)
{
	struct known_parse *parse = data;

	parse->rc = known_stacks_parse(parse->text.buf, parse->text.len, &parse->fingerprint,
				       &parse->replay->machine, &parse->err);
}

/* Begin to use the stacks of the run; end_known() must follow. Nothing else may use the machine's stacks until then. */
static void begin_known(struct known_parse *parse, struct replay *replay, struct run_source *source)
{
	struct err err = ERR_INIT;

	*parse = (struct known_parse){ .replay = replay, .text = STRBUF_INIT, .err = ERR_INIT };
	parse->rc =
		run_source_read(source, RUN_TRACE_STACKS, SYMBOLS_MAX, &parse->text, &parse->err);
	if (!parse->rc)
		parse->rc = trace_fingerprint_read(replay->trace, &parse->fingerprint, &parse->err);
	if (parse->rc)
		return;
	if (replay->threads < 2 || thread_start(parse_known, parse, &parse->thread, &err))
		parse_known(parse);
	err_clear(&err);
}

/* Without stacks, or if they are of another trace, the trace itself has them. */
static void end_known(struct known_parse *parse)
{
	if (parse->thread)
		thread_join(parse->thread);
	if (parse->rc < 0)
		set_damage(parse->replay, RUN_TRACE_STACKS, &parse->err);
	err_clear(&parse->err);
	strbuf_release(&parse->text);
}

/* Set up all members except the reader. */
static int begin(struct replay *replay, struct run_source *source, struct process_list *rows,
		 const struct replay_options *options, struct err *err)
{
	struct symbol_source none = { NULL, NULL, NULL };
	bool known = options->cpu_stacks && source && run_source_has(source, RUN_TRACE_STACKS);
	struct known_parse parse;
	int rc = 0;

	machine_init(&replay->machine, rows);
	replay->raised = cost_raised(1);
	if (replay_facts(replay)->max_stack)
		replay->machine.max_stack = replay_facts(replay)->max_stack;
	replay->store = symbol_store_new();
	if (known)
		begin_known(&parse, replay, source);
	if (options->names && source && !options->fresh) {
		replay->names_kept = run_source_has(source, RUN_SYMBOLS "/functions.txt");
		rc = read_store(source, options->inlines, replay->store, err);
	}
	if (known)
		end_known(&parse);
	begin_kept(replay, options);
	if (rc) {
		replay_close(replay);
		return -1;
	}
	if (options->names)
		find_names(replay, source, rows, options);
	function_table_init(&replay->functions, &replay->machine.modules, &replay->machine.stacks,
			    options->names ? symbolizer_source(replay->symbolizer) : none);
	replay->inlines = options->inlines;
	replay->switches = options->switches && replay_facts(replay)->has_switches;
	replay->progress = options->progress;
	if (options->inlines)
		replay->functions.finder.lines = symbol_store_line_source(replay->store);
	return 0;
}

static void release_all_but_reader(struct replay *replay)
{
	function_table_release(&replay->functions);
	symbolizer_free(replay->symbolizer);
	if (replay->run_lookup)
		monitor_free(replay->run_lookup->monitor);
	free(replay->run_lookup);
	symbol_store_free(replay->store);
	machine_release(&replay->machine);
	free(replay->stacks_damage);
	close_kept(replay);
}

int replay_open(const struct strvec *paths, struct run_source *source, struct process_list *rows,
		const struct replay_options *options, struct replay *replay, struct err *err)
{
	struct trace_options trace = trace_options_of(options, source), again;

	if (options->again) {
		again = trace_options_of(options->again, source);
		trace.again = &again;
	}
	memset(replay, 0, sizeof(*replay));
	replay->threads = trace.threads;
	replay->trace = xstrdup(paths->v[0]);
	open_kept(replay, source, options);
	/* Then the trace is not read, and not ahead either. */
	if (replay->kept)
		trace.threads = 1;
	if (trace_reader_open(paths, &trace, &replay->reader, err)) {
		close_kept(replay);
		free(replay->stacks_damage);
		free(replay->trace);
		return -1;
	}
	return begin(replay, source, rows, options, err);
}

int replay_open_run(struct run_source *source, const struct replay_options *options,
		    struct process_list *rows, struct replay *replay, struct err *err)
{
	struct strvec paths = STRVEC_INIT;
	int64_t damaged = 0;
	int rc = run_source_processes(source, rows, &damaged, NULL, err);

	if (!rc)
		rc = replay_find_trace(source, &paths, err);
	if (!rc)
		rc = replay_open(&paths, source, rows, options, replay, err);
	strvec_release(&paths);
	return rc;
}

void replay_open_none(struct process_list *rows, struct replay *replay)
{
	struct symbol_source none = { NULL, NULL, NULL };

	memset(replay, 0, sizeof(*replay));
	replay->threads = 1;
	machine_init(&replay->machine, rows);
	function_table_init(&replay->functions, &replay->machine.modules, &replay->machine.stacks,
			    none);
}

int replay_rewind(struct replay *replay, struct run_source *source, struct process_list *rows,
		  const struct replay_options *options, struct err *err)
{
	struct trace_options trace = trace_options_of(options, source);
	struct trace_reader *reader = replay->reader;
	char *path = replay->trace;

	release_all_but_reader(replay);
	memset(replay, 0, sizeof(*replay));
	replay->threads = trace.threads;
	replay->reader = reader;
	replay->trace = path;
	open_kept(replay, source, options);
	if (replay->kept)
		trace.threads = 1;
	if (trace_reader_again(reader, &trace, err)) {
		trace_reader_free(reader);
		close_kept(replay);
		free(replay->stacks_damage);
		free(path);
		return -1;
	}
	return begin(replay, source, rows, options, err);
}

void replay_close(struct replay *replay)
{
	release_all_but_reader(replay);
	trace_reader_free(replay->reader);
	free(replay->trace);
}

/* Whether the accounting of memory has cost more than that of recordings does: see page_map_take_steps(). */
static int check_steps(const struct replay *replay, struct err *err)
{
	const struct machine *machine = &replay->machine;
	uint64_t most = STEPS_FREE + STEPS_EACH * machine->events;

	if (machine->memory_steps <= most || machine->memory_steps / replay->raised <= most)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "its memory events visit more than %" PRIu64
		       " million ranges of addresses, the limit for %" PRIu64 " events: %s",
		       replay->raised * most / 1000000, machine->events, cost_remedy());
}

static int show_reading(const struct replay *replay, int64_t time_ns, struct err *err)
{
	const struct trace_counters *counters = &replay_facts(replay)->counters;
	bool bytes = counters->all_bytes > 0;
	uint64_t all, done;

	if (replay->kept) {
		done = kept_reader_done(replay->kept, &all);
		return progress_show(replay->progress, "reading the trace", (int64_t)done,
				     (int64_t)all, err);
	}
	return progress_show(
		replay->progress, "reading the trace",
		bytes ? (int64_t)counters->read_bytes : time_ns - counters->first_ns,
		bytes ? (int64_t)counters->all_bytes : counters->last_ns - counters->first_ns, err);
}

/* The known stacks are of each sample of the trace: `ended`, all of it has been played. */
static int check_known(const struct replay *replay, bool ended, struct err *err)
{
	const struct known_stacks *known = &replay->machine.known_stacks;

	if (!known->v || (ended ? replay->samples == known->nr : replay->samples <= known->nr))
		return 0;
	return err_set(err, ERR_CORRUPT,
		       "'" RUN_TRACE_STACKS "' beside it has %s CPU samples: remove it",
		       ended ? "more" : "fewer");
}

static int count_sample(struct replay *replay, const struct trace_event *event, struct err *err)
{
	replay->samples += !event->cpu_sample.stack_only;
	return check_known(replay, false, err);
}

static int next_events(struct replay *replay, const struct trace_event **events, size_t *nr,
		       struct err *err)
{
	if (!replay->kept)
		return trace_reader_next(replay->reader, events, nr, err);
	if (kept_reader_next(replay->kept, events, nr, err) >= 0)
		return *nr > 0;
	err_clear(err);
	return err_set(err, ERR_CORRUPT, "'" RUN_TRACE_CPU "' beside it is damaged: remove it");
}

static int play(struct replay *replay, replay_fn *take, void *data, struct err *err)
{
	const struct trace_event *events;
	size_t nr;
	int rc;

	while ((rc = next_events(replay, &events, &nr, err)) > 0) {
		if (nr && show_reading(replay, events[0].time_ns, err))
			return -1;
		replay->machine.first_ns = replay_facts(replay)->counters.first_ns;
		for (size_t i = 0; i < nr; i++) {
			machine_apply(&replay->machine, &events[i]);
			if (events[i].kind == TRACE_CPU && count_sample(replay, &events[i], err))
				return -1;
			if (take && !take(data, replay, &events[i]))
				return 0;
			if (check_steps(replay, err))
				return -1;
		}
	}
	return rc ? -1 : check_known(replay, true, err);
}

int replay_play(struct replay *replay, replay_fn *take, void *data, struct err *err)
{
	int rc;

	if (!replay->reader)
		return 0;
	rc = play(replay, take, data, err);
	/* Modules that are not known yet have no samples yet, unless the known stacks are of another trace. */
	if (replay->machine.known_stacks.v)
		stack_table_limit_modules(&replay->machine.stacks, replay->machine.modules.nr);
	free(replay->machine.known_stacks.v);
	replay->machine.known_stacks = (struct known_stacks){ NULL, 0 };
	close_kept(replay);
	return rc;
}

/* Get the stack of an event, only with frames that count, and its process; NULL: there is none. */
static struct trace_process *get_stack(struct replay *replay, const struct trace_event *event,
				       struct trace_stack *stack)
{
	const struct trace_stack *found = trace_event_stack(event);

	if (!found || (event->kind == TRACE_MEMORY && !event->memory.weight) ||
	    (event->kind == TRACE_HEAP && !event->heap.weight))
		return NULL;
	*stack = *found;
	if (event->kind != TRACE_CPU)
		stack->kernel = NULL;
	return machine_process(&replay->machine, event->pid, event->time_ns);
}

void replay_add_frames(struct replay *replay, const struct trace_event *event)
{
	struct trace_stack stack;
	struct trace_process *process = get_stack(replay, event, &stack);
	uint32_t id;

	if (process)
		machine_see_stack(&replay->machine, process, event->tid, &stack, &id);
}

bool replay_stack_end(struct replay *replay, const struct trace_event *event,
		      struct stack_end_finder *ends, struct stack_end *end)
{
	struct machine *machine = &replay->machine;
	struct trace_stack stack;
	struct trace_process *process = get_stack(replay, event, &stack);
	size_t at = 0;
	uint32_t id;

	if (!process)
		return false;
	if (machine_see_stack(machine, process, event->tid, &stack, &id))
		*end = stack_end_of(machine, id);
	else
		*end = stack_end_finder_next(ends, machine, &machine->steps, &at);
	return true;
}

void replay_open_files(struct replay *replay)
{
	const struct machine *machine = &replay->machine;
	const struct module **modules = xcalloc(machine->modules.nr, sizeof(*modules));
	bool *seen = xcalloc(machine->modules.nr, sizeof(*seen));
	size_t nr = 0;

	for (size_t i = FRAME_FIRST; i < machine->stacks.frames_nr; i++) {
		uint32_t module = machine->stacks.frames[i].module;

		if (!seen[module])
			modules[nr++] = &machine->modules.v[module];
		seen[module] = true;
	}
	symbolizer_open_files(replay->symbolizer, modules, nr);
	free(seen);
	free(modules);
}

void replay_forget_names(struct replay *replay)
{
	symbol_store_empty(replay->store);
	memory_trim();
}

const struct trace_facts *replay_facts(const struct replay *replay)
{
	static const struct trace_facts none = { .command_line = STRVEC_INIT,
						 .first_damage = STRBUF_INIT,
						 .cpus = -1,
						 .memory_bytes = -1,
						 .counters = { .last_ns = -1 } };

	return replay->reader ? trace_reader_facts(replay->reader) : &none;
}

static void add_count(struct strbuf *notes, uint64_t nr, const char *what, const char *meaning)
{
	if (nr)
		strbuf_addf(notes, "%llu %s%s%s\n", (unsigned long long)nr, what,
			    nr == 1 ? "" : "s", meaning);
}

/* Losses by event: the events with stacks are not those that the exact sums are made of. */
static void add_lost(struct strbuf *notes, const struct trace_facts *facts)
{
	uint64_t events = 0;

	for (size_t i = 0; i < facts->counts_nr; i++) {
		const struct trace_event_count *count = &facts->counts[i];
		char *name;

		if (!count->lost || ++events > LOST_SHOWN)
			continue;
		name = xstrndup(count->name, utf8_prefix(count->name, NAME_SHOWN));
		strbuf_addf(notes, "%s%llu of ",
			    events > 1 ? ", " : "lost by event: ", (unsigned long long)count->lost);
		utf8_add_printable(notes, name);
		strbuf_adds(notes, count->stacks ? " with its stack" : "");
		free(name);
	}
	if (events > LOST_SHOWN)
		strbuf_addf(notes, ", and of %" PRIu64 " other events", events - LOST_SHOWN);
	if (events)
		strbuf_addc(notes, '\n');
}

static bool add_truncated(struct strbuf *text, const struct trace_counters *counters)
{
	size_t before = text->len;

	if (!counters->truncated)
		return false;
	strbuf_adds(text, MANIFEST_TRUNCATED ": its last ");
	if (trace_counters_add_missing(counters, text)) {
		strbuf_adds(text, " are missing");
	} else {
		strbuf_set_len(text, before);
		strbuf_adds(text, MANIFEST_TRUNCATED ", or is still being written");
	}
	return true;
}

bool replay_explain_truncated(const struct replay *replay, struct strbuf *text)
{
	return add_truncated(text, &replay_facts(replay)->counters);
}

/* Add why parts of the file are missing in the results. */
static void add_end(struct strbuf *notes, const struct trace_facts *facts)
{
	const struct trace_counters *counters = &facts->counters;

	if (add_truncated(notes, counters))
		strbuf_addc(notes, '\n');
	if (!facts->stop)
		return;
	strbuf_adds(notes, "the last ");
	text_add_bytes(notes, (int64_t)counters->unread_bytes);
	strbuf_adds(notes, " of the trace were not read: ");
	utf8_add_printable(notes, facts->stop);
	strbuf_adds(notes, " is damaged, so that the start of the next one is unknown\n");
}

/* A damaged buffer loses many events: it is not counted as a record. */
static void add_damage(struct strbuf *notes, const struct trace_facts *facts)
{
	const struct trace_counters *counters = &facts->counters;
	uint64_t buffers = counters->damaged_buffers, records = counters->damaged - buffers;

	if (buffers)
		strbuf_addf(notes, "%llu damaged buffer%s of events", (unsigned long long)buffers,
			    buffers == 1 ? "" : "s");
	if (counters->damaged_buffers_bytes) {
		strbuf_adds(notes, " (");
		text_add_bytes(notes, (int64_t)counters->damaged_buffers_bytes);
		strbuf_addc(notes, ')');
	}
	if (records)
		strbuf_addf(notes, "%s%llu damaged record%s", buffers ? " and " : "",
			    (unsigned long long)records, records == 1 ? "" : "s");
	strbuf_adds(notes, " left out; the first: ");
	utf8_add_printable(notes, facts->first_damage.buf);
	strbuf_addc(notes, '\n');
}

bool replay_explain_loss(const struct replay *replay, uint64_t copies, struct strbuf *text)
{
	struct unwind_loss loss = symbolizer_loss(replay->symbolizer);

	if ((double)loss.copies <= LACKING_MAX * (double)copies)
		return false;
	text_add_percent(text, 100.0 * (double)loss.copies / (double)copies);
	strbuf_addf(text,
		    " %% of %" PRIu64 " stack copies end early, as files are missing here or "
		    "have changed, most often '%s'",
		    copies, replay->machine.modules.v[loss.module].path);
	return true;
}

void replay_explain(const struct replay *replay, struct strbuf *notes)
{
	const struct trace_facts *facts = replay_facts(replay);
	const struct trace_counters *counters = &facts->counters;

	add_count(notes, counters->lost, "lost event", ": sums are too low");
	add_lost(notes, facts);
	add_count(notes, counters->lost_buffers, "lost buffer", " of events: sums are too low");
	add_count(notes, counters->exits_unmatched, "call",
		  " of mmap or mremap not counted: the entry was not recorded");
	add_end(notes, facts);
	if (counters->damaged > 1 || (counters->damaged && !facts->stop))
		add_damage(notes, facts);
	if (facts->gap) {
		utf8_add_printable(notes, facts->gap);
		strbuf_addc(notes, '\n');
	}
	add_count(notes, counters->unordered, "event", " out of order");
	add_count(notes, counters->untimed, "sample",
		  " without a time (--per-thread, --no-timestamp): counted at the start");
	add_count(notes, replay->machine.forks_cut, "fork",
		  " above the limit of copied memory maps: what the child inherits is not known");
	add_count(notes, counters->stack_copies_unmatched, "copied stack",
		  " without an event: not counted");
	if (replay->stacks_damage) {
		utf8_add_printable(notes, replay->stacks_damage);
		strbuf_addc(notes, '\n');
	}
}
