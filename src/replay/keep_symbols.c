#include "replay/keep_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stack_quality.h"
#include "platform/below.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "replay/distill_run.h"
#include "replay/frame_names.h"
#include "replay/keep_files.h"
#include "replay/keep_cpu.h"
#include "replay/replay.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "symbol/module_map.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define NOT_DISTILLED \
	"the trace keeps its stack copies, which hold the environment of the recorded programs"

#define LEFT_OUT NOT_DISTILLED ": 'stagetrace bundle' leaves them out of the bundle"

/* Frames of a module; `named`: those with a name. */
struct module_frames {
	uint32_t module;
	size_t nr, named;
};

/* By module_map number - 1: a trace may have one file several times. */
struct frame_counts {
	struct module_map keys;
	uint32_t *numbers; /* by module; 0: it has no frames */
	struct module_frames *v;
	size_t nr, alloc;
};

struct keeper {
	struct replay replay;
	struct stack_source unwinder;
	struct symbol_store *store;
	struct perf_chains *chains; /* of the stack copies */
	struct perf_code *code;
	uint64_t copies;
	struct keep_options options;
	const struct process_list *rows;
	char *loss; /* the warning if many copies lack files; NULL: they do not */
	struct stack_end_finder *ends;
	struct stack_quality cpu, memory;
	struct snapshot_modules snapshots;
	struct frame_counts counts; /* keep_frames() */
};

/* Calls the unwinder and stores the stacks that it finds. */
static uint32_t find_stack(void *data, struct machine *machine, struct trace_process *process,
			   const struct trace_thread *thread, const struct trace_stack *stack,
			   bool *complete)
{
	struct keeper *keeper = data;
	uint32_t found = keeper->unwinder.find(keeper->unwinder.data, machine, process, thread,
					       stack, complete);

	keeper->copies++;
	symbol_store_add_stack(keeper->store, machine, stack->copy->id, found, *complete);
	return found;
}

static void take_chain(void *data, uint64_t copy, const uint64_t *addresses, size_t nr,
		       enum stack_origin origin)
{
	struct keeper *keeper = data;

	perf_chains_add(keeper->chains, copy, addresses, nr, origin);
}

static void forget_stack(void *data, const struct trace_thread *thread)
{
	struct keeper *keeper = data;

	keeper->unwinder.forget(keeper->unwinder.data, thread);
}

/* Views complete the call chains of CPU samples if stacks were recorded apart, and say how many are incomplete then. */
static void take_end(struct keeper *keeper, const struct trace_event *event, struct stack_end end)
{
	bool cpu = event->kind == TRACE_CPU;
	const struct trace_stack *stack = trace_event_stack(event);
	bool unwound = trace_stack_is_unwound(stack);

	/* While a program is started it has no stack yet, but faults. */
	if (event->kind == TRACE_TOUCH && !trace_stack_has_user(stack))
		return;

	if (!cpu || !replay_facts(&keeper->replay)->stacks_apart)
		stack_quality_add(cpu ? &keeper->cpu : &keeper->memory, end, !unwound, unwound);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct keeper *keeper = data;
	struct stack_end end;

	perf_code_see(keeper->code, event);
	snapshot_modules_see(&keeper->snapshots, replay, event);
	if (event->kind == TRACE_CPU && !event->cpu_sample.stack_only)
		symbolizer_see_chain(replay->symbolizer, machine_thread(&replay->machine, event),
				     &event->cpu_sample.stack);
	if (replay_stack_end(replay, event, keeper->ends, &end))
		take_end(keeper, event, end);
	return true;
}

static void count_frame(struct frame_counts *counts, const struct module *module, uint32_t number,
			bool named)
{
	struct module_frames *frames;

	if (!counts->numbers[number])
		counts->numbers[number] =
			module_map_add(&counts->keys, module->path, module->id, module->id_length);
	if (counts->numbers[number] > counts->nr)
		ARRAY_ADD(counts->v, counts->nr, counts->alloc,
			  (struct module_frames){ .module = number });
	frames = &counts->v[counts->numbers[number] - 1];
	frames->nr++;
	frames->named += named;
}

static int by_unnamed(const void *a, const void *b)
{
	const struct module_frames *x = a, *y = b;

	if (x->nr - x->named != y->nr - y->named)
		return x->nr - x->named < y->nr - y->named ? 1 : -1;
	return x->module < y->module ? -1 : x->module > y->module;
}

static void note_module(const struct module *module, const struct module_names *names,
			struct manifest *manifest)
{
	struct strbuf id = STRBUF_INIT;

	text_add_hex(&id, module->id, module_id_trim(module->id, module->id_length));
	manifest_add_unnamed(manifest, module->path, id.len ? id.buf : NULL, names->word,
			     names->why);
	strbuf_release(&id);
}

/*
 * Note why modules lack names. Where some have one, gaps are what views say anyway; that a build id is missing is a doubt
 * about the names that there are.
 */
static void note_unnamed(struct keeper *keeper, struct manifest *manifest)
{
	struct frame_counts *counts = &keeper->counts;

	manifest_drop_unnamed(manifest);
	if (counts->nr)
		qsort(counts->v, counts->nr, sizeof(*counts->v), by_unnamed);
	for (size_t i = 0; i < counts->nr; i++) {
		const struct module_frames *frames = &counts->v[i];
		const struct module *module = &keeper->replay.machine.modules.v[frames->module];
		struct module_names names;

		if (frames->named == frames->nr || module->kind == MODULE_ANON ||
		    module->kind == MODULE_UNKNOWN)
			continue;
		names = symbolizer_module_names(keeper->replay.symbolizer, module);
		if (!frames->named || names.flaw > SYMBOL_ID_MISSING)
			note_module(module, &names, manifest);
	}
}

/* The same of modules that frames in heap snapshots may be in, but none in the trace's stacks. */
static void note_snapshot_modules(const struct keeper *keeper, struct manifest *manifest)
{
	const struct snapshot_modules *snapshots = &keeper->snapshots;

	for (size_t i = 0; i < snapshots->nr; i++) {
		const struct module *module = &keeper->replay.machine.modules.v[i];
		struct module_names names;

		if (!snapshots->v[i] || keeper->counts.numbers[i])
			continue;
		names = symbolizer_module_names(keeper->replay.symbolizer, module);
		if (names.flaw > SYMBOL_ID_MISSING)
			note_module(module, &names, manifest);
	}
}

static int name_frames(struct keeper *keeper, struct err *err)
{
	struct symbol_source source = symbolizer_source(keeper->replay.symbolizer);
	const struct machine *machine = &keeper->replay.machine;
	size_t nr = machine->stacks.frames_nr;

	replay_open_files(&keeper->replay);
	for (size_t i = FRAME_FIRST; i < nr; i++) {
		const struct frame *frame = &machine->stacks.frames[i];
		const struct module *module = &machine->modules.v[frame->module];
		struct symbol symbol;
		bool named;

		if (progress_show(keeper->replay.progress, "finding the names of functions",
				  (int64_t)i, (int64_t)nr, err))
			return -1;
		named = source.find(source.data, module, frame->offset, &symbol);
		if (named)
			symbol_store_add(keeper->store, module, &symbol);
		count_frame(&keeper->counts, module, frame->module, named);
	}
	frame_lines_add(&keeper->replay, keeper->store);
	return 0;
}

static int keep_frames(struct keeper *keeper, struct manifest *manifest, struct err *err)
{
	keeper->counts.numbers =
		xcalloc(keeper->replay.machine.modules.nr + 1, sizeof(*keeper->counts.numbers));
	if (name_frames(keeper, err))
		return -1;
	note_unnamed(keeper, manifest);
	return 0;
}

static void frame_counts_release(struct frame_counts *counts)
{
	module_map_release(&counts->keys);
	free(counts->numbers);
	free(counts->v);
}

/* Of the stacks of CPU samples, or of memory events. */
static void evaluate(struct keeper *keeper, bool cpu, struct strbuf *notes,
		     struct manifest *manifest)
{
	const char *what = cpu ? "CPU samples" : "memory events";
	const char *remedy =
		cpu ? "--set record.cpu-stacks=sampled also unwinds code without frame "
		      "pointers"
		    : "--set record.memory-stacks=sampled also unwinds code without "
		      "frame pointers";
	struct strbuf line = STRBUF_INIT;
	struct stack_quality_result result;

	/* Only perf has such settings. */
	if (text_starts_with(replay_facts(&keeper->replay)->format, "etl"))
		remedy = NULL;
	stack_quality_evaluate(cpu ? &keeper->cpu : &keeper->memory, &keeper->replay.machine,
			       &keeper->replay.functions, &result);
	if (cpu)
		result.none = replay_facts(&keeper->replay)->caller_refusal;
	stack_quality_explain(&result, what, remedy, &line);
	strbuf_adds(notes, line.buf);
	if (stack_quality_is_low(&result)) {
		strbuf_set_len(&line, line.len - 1);
		manifest_add_stack_warning(manifest, cpu, !cpu, line.buf);
	}
	strbuf_release(&line);
}

/* What only the missing files could give is in the original. */
static void find_loss(struct keeper *keeper)
{
	struct strbuf text = STRBUF_INIT;

	if (!replay_explain_loss(&keeper->replay, keeper->copies, &text))
		return;
	strbuf_adds(&text, ": the original trace, which holds the environment of the recorded "
			   "programs, is kept as " RUN_STACK_COPIES
			   ": view that file where these files are, or remove it");
	keeper->loss = strbuf_detach(&text);
	keeper->options.copies = true;
}

/* Of the snapshots of a process the last one that was requested before this time, whose size is not known yet; NULL. */
static struct manifest_snapshot *find_request(const struct manifest *manifest, int64_t pid,
					      int64_t time_ns)
{
	struct manifest_snapshot *found = NULL;

	for (size_t i = 0; i < manifest->snapshots_nr; i++) {
		struct manifest_snapshot *snapshot = &manifest->snapshots[i];

		if (snapshot->pid == pid && snapshot->bytes < 0 && snapshot->time_ns <= time_ns &&
		    (!found || snapshot->time_ns > found->time_ns))
			found = snapshot;
	}
	return found;
}

/* Any one of a process; NULL: it has none. */
static const struct manifest_snapshot *find_any(const struct manifest *manifest, int64_t pid)
{
	for (size_t i = 0; i < manifest->snapshots_nr; i++) {
		if (manifest->snapshots[i].pid == pid)
			return &manifest->snapshots[i];
	}
	return NULL;
}

/* Note the sizes of the heap snapshots in the trace, and those that wpr took itself, of the processes that were chosen. */
static void note_snapshots(const struct trace_facts *facts, struct manifest *manifest)
{
	for (size_t i = 0; i < facts->snapshots_nr; i++) {
		const struct trace_snapshot *taken = &facts->snapshots[i];
		struct manifest_snapshot *snapshot =
			find_request(manifest, taken->pid, taken->time_ns);
		const struct manifest_snapshot *other = find_any(manifest, taken->pid);

		if (!snapshot && other && manifest->snapshots_nr < MANIFEST_SNAPSHOTS_MAX)
			snapshot = manifest_add_snapshot(manifest, taken->pid, other->crate,
							 taken->time_ns);
		if (snapshot)
			snapshot->bytes = taken->bytes;
	}
}

/* A trace whose end is missing looks like a whole one until it is viewed: the run has a warning. */
static void explain_trace(struct keeper *keeper, struct strbuf *notes, struct manifest *manifest)
{
	struct strbuf all = STRBUF_INIT, truncated = STRBUF_INIT;
	const char *at;

	replay_explain(&keeper->replay, &all);
	at = all.buf;
	if (replay_explain_truncated(&keeper->replay, &truncated)) {
		at = strstr(all.buf, truncated.buf);
		strbuf_add(notes, all.buf, (size_t)(at - all.buf));
		strbuf_adds(notes, "warning: ");
		strvec_push(&manifest->warnings, truncated.buf);
	}
	strbuf_adds(notes, at);
	strbuf_release(&all);
	strbuf_release(&truncated);
}

static int keep(struct keeper *keeper, const char *dir, struct strbuf *notes,
		struct manifest *manifest, int64_t *lost, struct err *err)
{
	int rc;

	keeper->unwinder = keeper->replay.machine.copies;
	keeper->replay.machine.copies = (struct stack_source){ keeper, find_stack, forget_stack };
	symbolizer_set_listener(keeper->replay.symbolizer,
				(struct unwound_listener){ keeper, take_chain });
	if (replay_play(&keeper->replay, take, keeper, err))
		return -1;
	*lost = (int64_t)replay_facts(&keeper->replay)->counters.lost;
	note_snapshots(replay_facts(&keeper->replay), manifest);
	find_loss(keeper);
	symbolizer_end_unwinding(keeper->replay.symbolizer);
	perf_chains_trim(keeper->chains);
	stack_table_trim(&keeper->replay.machine.stacks);
	memory_trim();
	if (keep_frames(keeper, manifest, err))
		return -1;
	explain_trace(keeper, notes, manifest);
	evaluate(keeper, true, notes, manifest);
	evaluate(keeper, false, notes, manifest);
	symbolizer_explain(keeper->replay.symbolizer, notes);
	/* Not in the notes: the modules of Windows would be half of them. */
	note_snapshot_modules(keeper, manifest);
	rc = symbol_store_write_names(keeper->store, dir, RUN_SYMBOLS, err);
	if (!rc && keeper->options.copies)
		rc = symbol_store_write_stacks(keeper->store, dir, RUN_SYMBOLS, err);
	return rc;
}

/* As distill_run(). A trace that cannot be distilled is kept as it is: that is worth a warning, as it holds secrets. */
static int distill(struct keeper *keeper, const char *dir, struct strbuf *notes,
		   struct manifest *manifest)
{
	const struct distill_options options = { keeper->chains, keeper->code,
						 keeper->options.copies, keeper->replay.progress };
	struct err err = ERR_INIT;
	int rc = distill_run(dir, &options, notes, &err);

	if (rc < 0) {
		err_wrap(&err, NOT_DISTILLED);
		strbuf_addf(notes, "warning: %s\n", err.msg);
		strvec_push(&manifest->warnings, err.msg);
	} else if (keeper->loss) {
		strbuf_addf(notes, "warning: %s\n", keeper->loss);
		manifest_add_stack_warning(manifest, true, true, keeper->loss);
	}
	err_clear(&err);
	return rc;
}

/* Views find them in the trace too, more slowly. */
static void keep_stacks(struct keeper *keeper, const char *dir, struct manifest *manifest,
			struct strbuf *notes)
{
	struct err err = ERR_INIT;

	if (below_size(dir, RUN_PERF_DATA) < 0 ||
	    !keep_cpu(dir, manifest->clock_base_ns, keeper->replay.progress, &err))
		return;
	strbuf_addf(notes, "warning: views take longer, as stacks and samples are not kept: %s\n",
		    err.msg);
	err_clear(&err);
}

static int open_and_keep(struct run_source *source, const char *dir,
			 const struct keep_options *keep_options, const struct progress *progress,
			 struct strbuf *notes, struct manifest *manifest, int64_t *lost,
			 bool *distilled, struct err *err)
{
	const struct replay_options options = {
		.progress = progress,
		.cpu = true,
		.memory = true,
		.touched = true,
		.heap = true,
		.names = true,
		.fresh = true,
		.base_ns = manifest->clock_base_ns,
	};
	struct process_list rows = PROCESS_LIST_INIT;
	struct keeper keeper = {
		.store = symbol_store_new(),
		.chains = perf_chains_new(),
		.code = perf_code_new(),
		.ends = stack_end_finder_new(),
		.options = *keep_options,
		.rows = &rows,
	};
	const struct keep_job job = { .replay = &keeper.replay,
				      .dir = dir,
				      .options = &keeper.options,
				      .rows = &rows,
				      .manifest = manifest,
				      .snapshots = &keeper.snapshots };
	bool files;
	int rc = replay_open_run(source, &options, &rows, &keeper.replay, err), gone;

	if (!rc) {
		rc = keep(&keeper, dir, notes, manifest, lost, err);
		if (rc && replay_facts(&keeper.replay)->has_copies) {
			strbuf_adds(notes, "warning: " LEFT_OUT "\n");
			strvec_push(&manifest->warnings, LEFT_OUT);
		}
		files = !rc && keep_files_wanted(&job);
		if (!files)
			replay_close(&keeper.replay);
		memory_trim();
		gone = rc ? -1 : distill(&keeper, dir, notes, manifest);
		*distilled = gone >= 0;
		/* Stack copies that are gone leave room for files. */
		if (files) {
			rc = keep_files(&job, notes, err);
			replay_close(&keeper.replay);
		}
		if (*distilled)
			keep_stacks(&keeper, dir, manifest, notes);
		if (!rc && gone <= 0 && !keeper.options.copies)
			rc = symbol_store_write_stacks(keeper.store, dir, RUN_SYMBOLS, err);
	}
	free(keeper.loss);
	perf_chains_free(keeper.chains);
	perf_code_free(keeper.code);
	stack_end_finder_free(keeper.ends);
	stack_quality_release(&keeper.cpu);
	stack_quality_release(&keeper.memory);
	snapshot_modules_release(&keeper.snapshots);
	frame_counts_release(&keeper.counts);
	symbol_store_free(keeper.store);
	process_list_release(&rows);
	return rc;
}

int keep_symbols(const char *dir, const struct keep_options *options,
		 const struct progress *progress, struct strbuf *notes, struct manifest *manifest,
		 int64_t *lost, bool *distilled, struct err *err)
{
	struct run_source *source;
	int rc;

	*lost = -1;
	*distilled = false;
	if (run_source_open(dir, &source, err))
		return -1;
	rc = open_and_keep(source, dir, options, progress, notes, manifest, lost, distilled, err);
	if (rc && err->code == ERR_NOT_FOUND) {
		err_clear(err);
		rc = 0;
	}
	run_source_free(source);
	return rc;
}
