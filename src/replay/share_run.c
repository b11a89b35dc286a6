#include "replay/share_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/below.h"
#include "platform/file.h"
#include "platform/fs.h"
#include "replay/replay.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "trace/perf/perf_chains.h"
#include "trace/perf/perf_rewrite.h"
#include "trace/perf/perf_scrub.h"
#include "util/alloc.h"
#include "util/array.h"

#define FRAMES_MAX 8192 /* more than fit into a record */

struct sharer {
	const char *dir;
	struct process_list rows;
	struct stack_source stacks;
	struct perf_chains *chains; /* NULL: the trace has no stack copies */
	struct perf_code *code;
	struct perf_scrub *scrub; /* NULL: do not scrub */
	uint64_t copies;
	uint64_t addresses[FRAMES_MAX];
	bool unwound; /* the last stack was unwound, not looked up */
};

static void take_chain(void *data, uint64_t copy, const uint64_t *addresses, size_t nr,
		       enum stack_origin origin)
{
	struct sharer *sharer = data;

	sharer->unwound = true;
	perf_chains_add(sharer->chains, copy, addresses, nr, origin);
}

/* An address of a frame in a process. Where its module is not mapped, one that is in no module either. */
static uint64_t address_of(const struct trace_process *process, const struct frame *frame,
			   bool is_return)
{
	const struct ranges *ranges = &process->space.ranges;
	struct range_cursor cursor = ranges_find(ranges, 0);
	const struct mapping *mapping;

	while ((mapping = ranges_get(ranges, &cursor))) {
		if (mapping->module == frame->module && frame->offset >= mapping->offset &&
		    frame->offset - mapping->offset < mapping->end - mapping->start)
			return mapping->start + (frame->offset - mapping->offset) + is_return;
		ranges_next(ranges, &cursor);
	}
	return 1;
}

/* A stack that an earlier unwinding gave, from symbols/ of the run. */
static void take_kept(struct sharer *sharer, const struct machine *machine,
		      const struct trace_process *process, uint64_t copy, uint32_t stack,
		      bool complete)
{
	size_t nr = 0;

	for (; stack != STACK_EMPTY && nr < FRAMES_MAX;
	     stack = machine->stacks.nodes[stack].parent) {
		uint32_t frame = machine->stacks.nodes[stack].frame;

		if (frame != FRAME_TRUNCATED) {
			sharer->addresses[nr] =
				address_of(process, &machine->stacks.frames[frame], nr > 0);
			nr++;
		}
	}
	perf_chains_add(sharer->chains, copy, sharer->addresses, nr,
			complete ? STACK_UNWOUND : STACK_TRUNCATED);
}

static uint32_t find_stack(void *data, struct machine *machine, struct trace_process *process,
			   const struct trace_thread *thread, const struct trace_stack *stack,
			   bool *complete)
{
	struct sharer *sharer = data;
	uint32_t found;

	sharer->copies++;
	sharer->unwound = false;
	found = sharer->stacks.find(sharer->stacks.data, machine, process, thread, stack, complete);
	if (found != STACK_EMPTY && !sharer->unwound && stack->copy)
		take_kept(sharer, machine, process, stack->copy->id, found, *complete);
	return found;
}

static void forget_stack(void *data, const struct trace_thread *thread)
{
	struct sharer *sharer = data;

	sharer->stacks.forget(sharer->stacks.data, thread);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct sharer *sharer = data;

	/* perf_scrub_read() will see it. */
	if (!sharer->scrub)
		perf_code_see(sharer->code, event);
	if (event->kind == TRACE_CPU && !event->cpu_sample.stack_only)
		symbolizer_see_chain(replay->symbolizer, machine_thread(&replay->machine, event),
				     &event->cpu_sample.stack);
	replay_add_frames(replay, event);
	return true;
}

/* The bundle has no copies, from which what the missing files could give can be found later. */
static void warn_of_loss(const struct sharer *sharer, const struct replay *replay,
			 struct strvec *warnings)
{
	struct strbuf text = STRBUF_INIT;

	if (replay_explain_loss(replay, sharer->copies, &text)) {
		strbuf_adds(&text, ": pack the run where these files are");
		strvec_push(warnings, text.buf);
	}
	strbuf_release(&text);
}

/* Find the chains of all stack copies. */
static int find_chains(struct sharer *sharer, struct run_source *source, const struct strvec *paths,
		       int64_t base_ns, const struct bundle_options *bundle, struct err *err)
{
	const struct replay_options options = { .cpu = true,
						.memory = true,
						.touched = true,
						.names = true,
						.base_ns = base_ns,
						.progress = bundle->progress };
	struct replay replay;
	int rc = replay_open(paths, source, &sharer->rows, &options, &replay, err);

	if (rc)
		return -1;
	sharer->chains = perf_chains_new();
	sharer->stacks = replay.machine.copies;
	replay.machine.copies = (struct stack_source){ sharer, find_stack, forget_stack };
	symbolizer_set_listener(replay.symbolizer, (struct unwound_listener){ sharer, take_chain });
	rc = replay_play(&replay, take, sharer, err);
	if (!rc && bundle->stack_warnings)
		warn_of_loss(sharer, &replay, bundle->stack_warnings);
	replay_close(&replay);
	perf_chains_trim(sharer->chains);
	return rc;
}

/* Write the trace anew. */
static int write_trace(struct sharer *sharer, const struct bundle_options *options,
		       const char *path, struct scratch_file *file, struct err *err)
{
	struct perf_rewrite_result result;
	struct trace_input input;
	struct perf_rewrite_job job = { .input = &input,
					.from = path,
					.to = scratch_file_dir(file),
					.chains = sharer->chains,
					.code = sharer->code,
					.scrub = sharer->scrub,
					.progress = options->progress };
	int rc = trace_input_open(&input, path, err);

	if (rc)
		return -1;
	if (job.scrub)
		rc = perf_scrub_read(job.scrub, &input, path, job.code, job.progress, err);
	if (!rc) {
		job.out = scratch_file_stream(file, err);
		rc = job.out ? perf_rewrite(&job, &result, err) : -1;
	}
	if (job.out && fclose(job.out) && !rc)
		rc = err_set_errno(err, errno, "cannot write '%s'", job.to);
	if (rc && err->code == ERR_NO_SPACE)
		err_append(err, " (TMPDIR chooses another directory for temporary files)");
	trace_input_close(&input);
	return rc;
}

/* What leaves such a trace out of the bundle. */
static int explain(const struct bundle_options *options, struct err *err)
{
	if (err->code != ERR_UNSUPPORTED && err->code != ERR_CORRUPT)
		return -1;
	return err_append(err,
			  options->scrub
				  ? ": --without-trace leaves the trace out of the bundle"
				  : ", and it may have memory of the recorded programs, with their "
				    "environment: --without-trace leaves the trace out of the "
				    "bundle, --with-stack-copies packs it as it is");
}

/* Before a replay adds the processes that the trace alone knows. */
static void begin_scrubbing(struct sharer *sharer, const struct bundle_options *options)
{
	if (!options->scrub)
		return;
	sharer->scrub = perf_scrub_new(options->scrub);
	for (size_t i = 0; i < sharer->rows.nr; i++)
		perf_scrub_add_process(sharer->scrub, sharer->rows.v[i]->pid);
}

static int read_rows(struct sharer *sharer, struct run_source *source, int64_t *base_ns,
		     struct err *err)
{
	struct strbuf damage = STRBUF_INIT;
	struct manifest manifest;
	int64_t damaged;
	int rc;

	manifest_init(&manifest);
	rc = run_source_manifest(source, &manifest, err);
	*base_ns = manifest.clock_base_ns;
	if (!rc)
		rc = run_source_processes(source, &sharer->rows, &damaged, &damage, err);
	manifest_release(&manifest);
	strbuf_release(&damage);
	return rc;
}

/* Has it memory of the recorded programs? Of a trace that no view can read it is not known. */
static int find_memory(const struct strvec *paths, const struct bundle_options *options,
		       bool *memory, struct err *err)
{
	const struct trace_options reading = { .threads = 1 };
	struct trace_reader *reader;

	*memory = false;
	if (trace_reader_open(paths, &reading, &reader, err))
		return explain(options, err);
	*memory = trace_reader_facts(reader)->has_copies || trace_reader_facts(reader)->has_words;
	trace_reader_free(reader);
	return 0;
}

/* Make the trace of the bundle, if the run's own cannot be packed. */
static int make_trace(struct sharer *sharer, struct run_source *source,
		      struct bundle_options *options, struct err *err)
{
	struct strvec paths = STRVEC_INIT;
	int64_t base_ns;
	bool memory;
	int rc = replay_find_trace(source, &paths, err);

	if (!rc)
		rc = find_memory(&paths, options, &memory, err);
	if (!rc && (memory || options->scrub)) {
		rc = read_rows(sharer, source, &base_ns, err);
		begin_scrubbing(sharer, options);
		if (!rc && memory)
			rc = find_chains(sharer, source, &paths, base_ns, options, err);
		options->trace.distilled = memory;
		if (!rc)
			rc = scratch_file_open(&options->trace.file, err);
		if (!rc && write_trace(sharer, options, paths.v[0], options->trace.file, err))
			rc = explain(options, err);
	}
	strvec_release(&paths);
	return rc;
}

static int share(struct sharer *sharer, struct run_source *source, const char *path,
		 struct bundle_options *options, struct err *err)
{
	int rc = make_trace(sharer, source, options, err);

	if (!rc && options->trace.file) {
		char *file = scratch_file_path(options->trace.file);

		options->trace.size = fs_size(file);
		free(file);
	}
	if (!rc)
		rc = bundle_write(sharer->dir, path, options, err);
	scratch_file_close(options->trace.file);
	return rc;
}

int share_run(const char *dir, const char *path, const struct bundle_options *options,
	      struct err *err)
{
	int64_t size = below_size(dir, RUN_PERF_DATA);
	struct bundle_options changed = *options;
	struct run_source *source;
	struct sharer *sharer;
	int rc;

	if (options->without_trace || options->with_stack_copies || size <= 0)
		return bundle_write(dir, path, options, err);
	if (options->scrub && bundle_learn(dir, options->scrub, options->progress, err))
		return -1;
	if (run_source_open(dir, &source, err))
		return -1;
	sharer = xcalloc(1, sizeof(*sharer));
	sharer->dir = dir;
	sharer->code = perf_code_new();
	sharer->rows = (struct process_list)PROCESS_LIST_INIT;
	rc = share(sharer, source, path, &changed, err);
	perf_chains_free(sharer->chains);
	perf_code_free(sharer->code);
	perf_scrub_free(sharer->scrub);
	process_list_release(&sharer->rows);
	free(sharer);
	run_source_free(source);
	return rc;
}
