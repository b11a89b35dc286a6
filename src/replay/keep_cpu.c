#include "replay/keep_cpu.h"

#include <stdlib.h>

#include "analysis/cpu_stacks.h"
#include "platform/below.h"
#include "replay/kept_events.h"
#include "replay/known_stacks.h"
#include "replay/replay.h"
#include "rundir/layout.h"
#include "util/array.h"

struct maker {
	struct cpu_stacks *stacks; /* NULL: the trace is not played yet */
	struct known_stacks known;
	size_t alloc;
	struct kept_writer *events;
};

/* The number of a sample is its place. */
static void take_stack(void *data, uint32_t stack, bool completed,
		       const struct completer_samples *samples)
{
	struct maker *maker = data;

	if (samples->samples)
		maker->known.v[samples->place] = KNOWN_STACK(stack, completed);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct maker *maker = data;
	struct trace_process *process = NULL;
	struct cpu_sample sample;

	kept_writer_add(maker->events, event);
	if (!maker->stacks)
		maker->stacks = cpu_stacks_new(&replay->machine, replay_facts(replay)->stacks_apart,
					       take_stack, maker);
	if (!cpu_stacks_see(maker->stacks, event, &sample))
		return true;
	if (sample.step == CPU_SAMPLE) {
		sample.samples.place = (uint32_t)maker->known.nr;
		sample.samples.samples = 1;
		ARRAY_ADD(maker->known.v, maker->known.nr, maker->alloc,
			  KNOWN_STACK(STACK_EMPTY, false));
	}
	if (cpu_step_has_stack(sample.step))
		process = machine_process(&replay->machine, event->pid, event->time_ns);
	if (process || !cpu_step_has_stack(sample.step))
		cpu_stacks_apply(maker->stacks, event, process, &sample);
	return maker->known.nr < UINT32_MAX && replay->machine.stacks.nodes_nr < KNOWN_STACK_MAX;
}

/* Only stacks that samples have, in the order in which views have them. */
static void keep_stacks(struct machine *machine)
{
	struct known_stacks *known = &machine->known_stacks;
	uint32_t *numbers = xcalloc(machine->stacks.nodes_nr, sizeof(*numbers));

	for (size_t i = 0; i < known->nr; i++)
		numbers[known->v[i] >> 1] = 1;
	if (stack_table_keep(&machine->stacks, numbers)) {
		for (size_t i = 0; i < known->nr; i++)
			known->v[i] = KNOWN_STACK(numbers[known->v[i] >> 1], known->v[i] & 1);
	}
	free(numbers);
}

/* What a trace of context switches adds is not kept, nor what is said of a damaged one. */
static int write_events(struct replay *replay, const struct maker *maker, const char *dir,
			const struct trace_fingerprint *fingerprint, struct err *err)
{
	const struct trace_facts *facts = replay_facts(replay);
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (facts->has_switches)
		return 0;
	rc = kept_writer_add_text(maker->events, fingerprint, facts, &text, err);
	if (!rc)
		rc = below_write(dir, RUN_TRACE_CPU, text.buf, text.len, err);
	else if (err->code == ERR_UNSUPPORTED)
		rc = 0;
	if (!rc)
		err_clear(err);
	strbuf_release(&text);
	return rc;
}

static int write_files(struct replay *replay, const struct maker *maker, const char *dir,
		       struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct trace_fingerprint fingerprint;
	int rc = trace_fingerprint_read(replay->trace, &fingerprint, err);

	if (!rc)
		rc = known_stacks_add_text(&replay->machine, &fingerprint, &text, err);
	if (!rc)
		rc = below_write(dir, RUN_TRACE_STACKS, text.buf, text.len, err);
	strbuf_release(&text);
	return rc ? rc : write_events(replay, maker, dir, &fingerprint, err);
}

static int play(struct replay *replay, const char *dir, struct err *err)
{
	struct maker maker = { .stacks = NULL, .events = kept_writer_new() };
	int rc = replay_play(replay, take, &maker, err);

	if (maker.stacks)
		cpu_stacks_end(maker.stacks);
	cpu_stacks_free(maker.stacks);
	replay->machine.known_stacks = maker.known;
	if (!rc && maker.known.nr && maker.known.nr < UINT32_MAX &&
	    !replay_facts(replay)->has_copies &&
	    replay->machine.stacks.nodes_nr < KNOWN_STACK_MAX) {
		keep_stacks(&replay->machine);
		rc = write_files(replay, &maker, dir, err);
	}
	kept_writer_free(maker.events);
	return rc;
}

static int open_and_play(struct run_source *source, const char *dir, int64_t base_ns,
			 const struct progress *progress, struct err *err)
{
	const struct replay_options options = { .cpu = true,
						.base_ns = base_ns,
						.progress = progress };
	struct process_list rows = PROCESS_LIST_INIT;
	struct replay replay;
	int rc = replay_open_run(source, &options, &rows, &replay, err);

	if (!rc) {
		rc = play(&replay, dir, err);
		replay_close(&replay);
	}
	process_list_release(&rows);
	return rc;
}

int keep_cpu(const char *dir, int64_t base_ns, const struct progress *progress, struct err *err)
{
	struct run_source *source;
	int rc;

	if (below_remove(dir, RUN_TRACE_STACKS, err) || below_remove(dir, RUN_TRACE_CPU, err) ||
	    run_source_open(dir, &source, err))
		return -1;
	rc = open_and_play(source, dir, base_ns, progress, err);
	run_source_free(source);
	return rc;
}
