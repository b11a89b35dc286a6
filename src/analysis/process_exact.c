#include "analysis/process_exact.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/intmap.h"

void process_exact_add(struct process_exact *exact, struct machine *machine,
		       const struct trace_event *event)
{
	const struct trace_process *process;

	if (event->kind != TRACE_RUN)
		return;
	if (event->run.gap) {
		cpu_exact_add(&exact->gaps, &event->run, INT64_MIN, INT64_MAX);
		return;
	}
	process = machine_process(machine, event->pid, event->time_ns);
	if (!process)
		return;
	ARRAY_GROW_ZERO(exact->v, process->row + 1, exact->nr);
	cpu_exact_add(&exact->v[process->row], &event->run, INT64_MIN, INT64_MAX);
}

struct cpu_exact *process_exact_take(struct process_exact *exact, const struct process_list *list)
{
	struct cpu_exact *v;

	ARRAY_GROW_ZERO(exact->v, list->nr, exact->nr);
	v = exact->v;
	exact->v = NULL;
	exact->nr = 0;
	return v;
}

void process_exact_sort(struct cpu_exact *exact, struct process_list *list)
{
	struct process **before;
	struct cpu_exact *sorted;
	struct intmap places;

	if (!exact) {
		process_list_sort(list);
		return;
	}
	before = xcalloc(list->nr, sizeof(struct process *));
	sorted = xcalloc(list->nr, sizeof(*sorted));
	for (size_t i = 0; i < list->nr; i++)
		before[i] = list->v[i];
	process_list_sort(list);
	places = process_list_places(list);
	for (size_t i = 0; i < list->nr; i++)
		sorted[process_list_place(&places, before[i])] = exact[i];
	for (size_t i = 0; i < list->nr; i++)
		exact[i] = sorted[i];
	intmap_release(&places);
	free(sorted);
	free(before);
}
