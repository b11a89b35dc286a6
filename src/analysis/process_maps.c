#include "analysis/process_maps.h"

#include <stdlib.h>

#include "util/array.h"

void process_maps_init(struct process_maps *maps, struct machine *machine, page_change_fn *change,
		       void *data)
{
	*maps = (struct process_maps){ .machine = machine, .change = change, .data = data };
}

void process_maps_release(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		page_map_free(maps->v[i]);
	free(maps->v);
	intmap_release(&maps->by_pid);
}

/* The element of maps->v of a process. */
static struct page_map **slot_of(struct process_maps *maps, const struct trace_process *process)
{
	ARRAY_GROW_ZERO(maps->v, process->index + 1, maps->nr);
	return &maps->v[process->index];
}

void process_maps_changed(struct process_maps *maps, struct page_map *map)
{
	maps->machine->memory_steps += page_map_take_steps(map);
}

static void release_all(struct process_maps *maps, struct page_map *map)
{
	maps->copied -= page_map_copied(map);
	page_map_release_all(map, maps->change, maps->data);
	process_maps_changed(maps, map);
}

static void end_process(struct process_maps *maps, const struct trace_process *process)
{
	struct page_map **map = slot_of(maps, process);

	if (!*map)
		return;
	release_all(maps, *map);
	page_map_free(*map);
	*map = NULL;
}

/* The process gets `map`. An earlier process with its pid must have ended, though no event said so. */
static void begin_process(struct process_maps *maps, struct trace_process *process,
			  struct page_map *map)
{
	struct trace_process *before = intmap_get(&maps->by_pid, process->pid);

	if (before && before != process)
		end_process(maps, before);
	intmap_put(&maps->by_pid, process->pid, process);
	*slot_of(maps, process) = map;
}

struct page_map *process_maps_get(struct process_maps *maps, int64_t pid, int64_t time_ns,
				  struct trace_process **process)
{
	struct page_map *map;

	*process = machine_process(maps->machine, pid, time_ns);
	if (!*process || (*process)->end_ns != PROCESS_UNKNOWN)
		return NULL;
	map = *slot_of(maps, *process);
	if (!map) {
		map = page_map_new();
		begin_process(maps, *process, map);
	}
	return map;
}

/* The map of a forked process; empty if too many ranges were copied already: see machine.h. */
static struct page_map *copy_map(struct process_maps *maps, const struct page_map *from)
{
	struct page_map *map;

	if (page_map_ranges(from) > maps->machine->max_copied - maps->copied) {
		maps->machine->forks_cut++;
		return page_map_new();
	}
	map = page_map_copy(from);
	maps->copied += page_map_copied(map);
	return map;
}

/* If a process has a map already when it starts, it keeps the map. */
static void start_process(struct process_maps *maps, const struct trace_event *event)
{
	struct trace_process *process = machine_process(maps->machine, event->pid, event->time_ns);
	struct trace_process *parent = intmap_get(&maps->by_pid, event->start.ppid);
	struct page_map *map = parent && parent != process ? *slot_of(maps, parent) : NULL;

	if (!process || process->end_ns != PROCESS_UNKNOWN || *slot_of(maps, process))
		return;
	if (map && event->start.copied)
		begin_process(maps, process, copy_map(maps, map));
	else
		begin_process(maps, process, page_map_new());
}

static void exec_process(struct process_maps *maps, const struct trace_event *event)
{
	struct trace_process *process = intmap_get(&maps->by_pid, event->pid);
	struct page_map *map = process ? *slot_of(maps, process) : NULL;

	if (map)
		release_all(maps, map);
}

void process_maps_apply(struct process_maps *maps, const struct trace_event *event)
{
	const struct trace_process *process;

	switch (event->kind) {
	case TRACE_PROCESS_START:
		start_process(maps, event);
		break;
	case TRACE_EXEC:
		exec_process(maps, event);
		break;
	case TRACE_THREAD_END:
	case TRACE_PROCESS_END:
		process = intmap_get(&maps->by_pid, event->pid);
		if (process && process->end_ns != PROCESS_UNKNOWN)
			end_process(maps, process);
		break;
	default:
		break;
	}
}

void process_maps_each(const struct process_maps *maps, page_part_fn *part, void *data)
{
	for (size_t i = 0; i < maps->nr; i++) {
		if (maps->v[i])
			page_map_each(maps->v[i], 0, PAGE_MAP_END, part, data);
	}
}
