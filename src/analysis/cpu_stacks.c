#include "analysis/cpu_stacks.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

struct cpu_stacks {
	struct machine *machine;
	completer_fn *take;
	void *data;
	struct stack_completer *completer; /* NULL: stacks are as recorded, or known */
	size_t seen;                       /* CPU samples so far */
	bool known; /* their stacks are: those of the machine are freed before the last are taken */
};

struct cpu_stacks *cpu_stacks_new(struct machine *machine, bool complete, completer_fn *take,
				  void *data)
{
	struct cpu_stacks *stacks = xcalloc(1, sizeof(*stacks));

	*stacks = (struct cpu_stacks){
		.machine = machine, .take = take, .data = data, .known = machine->known_stacks.v
	};
	if (complete && !stacks->known)
		stacks->completer = stack_completer_new(&machine->stacks, take, data);
	return stacks;
}

void cpu_stacks_free(struct cpu_stacks *stacks)
{
	if (stacks)
		stack_completer_free(stacks->completer);
	free(stacks);
}

void cpu_samples_release(struct cpu_samples *samples)
{
	stack_steps_release(&samples->steps);
	free(samples->v);
	*samples = (struct cpu_samples){ .nr = 0 };
}

bool cpu_stacks_need_all(const struct cpu_stacks *stacks)
{
	return stacks->completer;
}

bool cpu_step_has_stack(enum cpu_step step)
{
	return step == CPU_SAMPLE || step == CPU_STACK;
}

/* A sample beyond those that are known has no stack: replay_play() refuses the trace then. */
static uint32_t next_known(struct cpu_stacks *stacks)
{
	const struct known_stacks *known = &stacks->machine->known_stacks;
	size_t at = stacks->seen++;

	return at < known->nr ? known->v[at] : KNOWN_STACK(STACK_EMPTY, false);
}

bool cpu_stacks_see(struct cpu_stacks *stacks, const struct trace_event *event,
		    struct cpu_sample *sample)
{
	*sample = (struct cpu_sample){ .pid = event->pid, .tid = event->tid };
	switch (event->kind) {
	case TRACE_CPU:
		sample->samples.unwound = trace_stack_is_unwound(&event->cpu_sample.stack);
		if (event->cpu_sample.stack_only) {
			sample->step = CPU_STACK;
			return stacks->completer;
		}
		sample->step = CPU_SAMPLE;
		sample->known = next_known(stacks);
		return true;
	case TRACE_EXEC:
	case TRACE_PROCESS_START:
		sample->step = CPU_PROGRAM_END;
		return stacks->completer;
	case TRACE_THREAD_END:
		sample->step = CPU_THREAD_END;
		return stacks->completer;
	default:
		return false;
	}
}

/* Take the sample of a path when its callers are known, or learn what it says of others. */
static void complete(struct cpu_stacks *stacks, const struct stack_path *path,
		     const struct cpu_sample *sample)
{
	struct stack_completer *completer = stacks->completer;

	if (sample->step == CPU_THREAD_END)
		stack_completer_end_thread(completer, sample->pid, sample->tid);
	else if (sample->step == CPU_PROGRAM_END)
		stack_completer_end_program(completer, sample->pid);
	else if (sample->step == CPU_STACK)
		stack_completer_see(completer, sample->pid, sample->tid, path);
	else
		stack_completer_add(completer, sample->pid, sample->tid, path, &sample->samples);
}

void cpu_stacks_apply(struct cpu_stacks *stacks, const struct trace_event *event,
		      struct trace_process *process, const struct cpu_sample *sample)
{
	struct machine *machine = stacks->machine;
	const struct trace_stack *stack = &event->cpu_sample.stack;
	struct stack_path path = { NULL, 0, 0 };

	if (stacks->known) {
		stacks->take(stacks->data, sample->known >> 1, sample->known & 1, &sample->samples);
	} else if (!stacks->completer) {
		stacks->take(stacks->data, machine_stack(machine, process, event->tid, stack),
			     false, &sample->samples);
	} else {
		if (cpu_step_has_stack(sample->step))
			path = machine_stack_path(machine, process, event->tid, stack);
		complete(stacks, &path, sample);
	}
}

bool cpu_stacks_may_defer(const struct trace_event *event)
{
	return event->kind != TRACE_CPU || !event->cpu_sample.stack.copy;
}

void cpu_stacks_defer(struct cpu_stacks *stacks, const struct trace_event *event,
		      struct trace_process *process, const struct cpu_sample *sample,
		      struct cpu_samples *samples)
{
	ARRAY_ADD(samples->v, samples->nr, samples->alloc, *sample);
	if (cpu_step_has_stack(sample->step) && !stacks->known)
		machine_stack_steps(stacks->machine, process, event->tid, &event->cpu_sample.stack,
				    &samples->steps);
}

static void take_recorded(struct cpu_stacks *stacks, const struct cpu_samples *samples)
{
	struct machine *machine = stacks->machine;
	size_t at = 0;

	for (size_t i = 0; i < samples->nr; i++) {
		uint32_t stack =
			stack_maker_next(machine->maker, &machine->stacks, &samples->steps, &at);

		stacks->take(stacks->data, stack, false, &samples->v[i].samples);
	}
}

static void take_known(struct cpu_stacks *stacks, const struct cpu_samples *samples)
{
	for (size_t i = 0; i < samples->nr; i++) {
		const struct cpu_sample *sample = &samples->v[i];

		stacks->take(stacks->data, sample->known >> 1, sample->known & 1, &sample->samples);
	}
}

static void complete_recorded(struct cpu_stacks *stacks, const struct cpu_samples *samples)
{
	const struct stack_path none = { NULL, 0, 0 };
	size_t at = 0;

	for (size_t i = 0; i < samples->nr; i++) {
		struct stack_path path = none;

		if (cpu_step_has_stack(samples->v[i].step))
			path = stack_maker_path(stacks->machine->maker, &samples->steps, &at);
		complete(stacks, &path, &samples->v[i]);
	}
}

void cpu_stacks_take(struct cpu_stacks *stacks, const struct cpu_samples *samples)
{
	if (stacks->completer)
		complete_recorded(stacks, samples);
	else if (stacks->known)
		take_known(stacks, samples);
	else
		take_recorded(stacks, samples);
}

void cpu_stacks_end(struct cpu_stacks *stacks)
{
	if (stacks->completer)
		stack_completer_finish(stacks->completer);
	stack_completer_free(stacks->completer);
	stacks->completer = NULL;
}
