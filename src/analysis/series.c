#include "analysis/series.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/compare.h"
#include "util/strset.h"
#include "util/wrap.h"

const enum group_by series_kinds[] = { BY_CRATE, BY_ROLE, BY_PART, BY_PHASE, BY_QUERY };
const char *const series_kind_names[] = { "crate", "role", "part", "phase", "query", NULL };

/* A process starts or ends. */
struct change {
	size_t series;
	int64_t time_ns;
	bool starts;
};

/* Part of an array. */
struct slice {
	size_t from, nr;
};

struct details {
	struct slice held, cpu; /* points of its key */
	struct slice changes;
};

struct series_set {
	struct series_request request;
	struct strset texts;
	struct series *v;
	struct details *details; /* of each */
	size_t nr;
	struct change *changes;
	size_t changes_nr;
};

/* Of processes without a text: the last series, after those of the texts. */
static size_t add_text(struct series_set *set, const char *text)
{
	return text ? strset_add(&set->texts, text) : SIZE_MAX;
}

static const char *text_of(const struct series_set *set, const struct process *process)
{
	switch (set->request.by) {
	case BY_ROLE:
		return role_name(process->tag.role);
	case BY_PART:
		return process->tag.part;
	default:
		return process->tag.crate;
	}
}

/* The time in the range in which a process existed. */
static bool find_time(const struct series_set *set, const struct process *process,
		      int64_t *start_ns, int64_t *end_ns)
{
	const struct series_request *request = &set->request;

	*start_ns = request->timeline->from_ns;
	*end_ns = request->end_ns;
	if (process->start_ns > *start_ns)
		*start_ns = process->start_ns;
	if (process->end_ns != PROCESS_UNKNOWN && process->end_ns < *end_ns)
		*end_ns = process->end_ns;
	return *start_ns < *end_ns;
}

/* Ends come before starts of the same time. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->series != y->series)
		return compare_u64(x->series, y->series);
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->starts - y->starts;
}

static void add_changes(struct series_set *set)
{
	const struct process_list *list = set->request.processes;

	set->changes = xcalloc(2 * list->nr + 1, sizeof(*set->changes));
	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];
		int64_t start_ns, end_ns;
		size_t series;

		if (!process_filter_match(set->request.filter, process) ||
		    !find_time(set, process, &start_ns, &end_ns))
			continue;
		series = add_text(set, text_of(set, process));
		set->changes[set->changes_nr++] = (struct change){ series, start_ns, true };
		set->changes[set->changes_nr++] = (struct change){ series, end_ns, false };
	}
}

/* Number the series: those of the texts, and the one without. */
static void number_series(struct series_set *set)
{
	set->nr = set->texts.strings.nr + 1;
	set->v = xcalloc(set->nr, sizeof(*set->v));
	set->details = xcalloc(set->nr, sizeof(*set->details));
	for (size_t i = 0; i + 1 < set->nr; i++)
		set->v[i].text = set->texts.strings.v[i];
	for (size_t i = 0; i < set->changes_nr; i++) {
		if (set->changes[i].series == SIZE_MAX)
			set->changes[i].series = set->nr - 1;
	}
	if (set->changes_nr)
		qsort(set->changes, set->changes_nr, sizeof(*set->changes), compare_changes);
	for (size_t i = 0; i < set->changes_nr; i++) {
		struct slice *slice = &set->details[set->changes[i].series].changes;

		if (!slice->nr++)
			slice->from = i;
	}
}

static struct details *details_of_key(const struct series_set *set, const size_t *series,
				      uint32_t key)
{
	return &set->details[series[key] == SIZE_MAX ? set->nr - 1 : series[key]];
}

static void find_slices(struct series_set *set, const size_t *series)
{
	const struct timeline_keys *keys = set->request.keys;
	enum timeline_memory memory = set->request.memory;

	for (size_t i = 0; i < keys->held_nr[memory]; i++) {
		struct details *details = details_of_key(set, series, keys->held[memory][i].key);

		if (!details->held.nr++)
			details->held.from = i;
	}
	for (size_t i = 0; i < keys->cpu_nr; i++) {
		struct details *details = details_of_key(set, series, keys->cpu[i].key);

		if (!details->cpu.nr++)
			details->cpu.from = i;
	}
}

static void sum_up(const struct series_set *set, struct series *series)
{
	const struct details *details = &set->details[series - set->v];
	const struct timeline_keys *keys = set->request.keys;
	int64_t processes = 0;

	for (size_t i = 0; i < details->held.nr; i++) {
		const struct timeline_key_held *held =
			&keys->held[set->request.memory][details->held.from + i];

		if (held->bytes > series->bytes) {
			series->bytes = held->bytes;
			series->bytes_ns = held->bytes_ns;
		}
	}
	for (size_t i = 0; i < details->cpu.nr; i++)
		wrap_add_to(&series->cpu_ns, keys->cpu[details->cpu.from + i].cpu_ns);
	for (size_t i = 0; i < details->changes.nr; i++) {
		processes += set->changes[details->changes.from + i].starts ? 1 : -1;
		if (processes > series->processes)
			series->processes = processes;
	}
}

/* Remove those that have nothing. */
static void drop_empty(struct series_set *set)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++) {
		const struct series *series = &set->v[i];

		if (!series->bytes && !series->cpu_ns && !series->processes)
			continue;
		set->details[nr] = set->details[i];
		set->v[nr++] = *series;
	}
	set->nr = nr;
}

struct series_set *series_set_new(const struct series_request *request)
{
	struct series_set *set = xcalloc(1, sizeof(*set));
	const struct grouping *grouping = request->timeline->grouping;
	size_t keys_nr = grouping_nr(grouping), *series = xcalloc(keys_nr, sizeof(*series));

	set->request = *request;
	for (uint32_t key = 0; key < keys_nr; key++)
		series[key] = add_text(set, grouping_part(grouping, key, request->by)->text);
	if (!group_by_stacks(request->by))
		add_changes(set);
	number_series(set);
	find_slices(set, series);
	for (size_t i = 0; i < set->nr; i++)
		sum_up(set, &set->v[i]);
	drop_empty(set);
	free(series);
	return set;
}

void series_set_free(struct series_set *set)
{
	if (!set)
		return;
	strset_release(&set->texts);
	free(set->changes);
	free(set->details);
	free(set->v);
	free(set);
}

const struct series *series_set_get(const struct series_set *set, size_t *nr)
{
	*nr = set->nr;
	return set->v;
}

static void add_processes(const struct series_set *set, const struct slice *slice,
			  struct series_point *points)
{
	const struct timeline_options *timeline = set->request.timeline;
	const struct change *changes = &set->changes[slice->from];
	int64_t processes = 0;
	size_t next = 0;

	for (size_t step = 0; step < timeline->nr; step++) {
		int64_t to_ns = points[step].start_ns + timeline->step_ns;

		/* Those that end when the step begins are not of it. */
		for (; next < slice->nr && changes[next].time_ns <= points[step].start_ns; next++)
			processes += changes[next].starts ? 1 : -1;
		points[step].processes = processes;
		for (; next < slice->nr && changes[next].time_ns < to_ns; next++) {
			processes += changes[next].starts ? 1 : -1;
			if (processes > points[step].processes)
				points[step].processes = processes;
		}
	}
}

void series_set_points(const struct series_set *set, const struct series *series,
		       struct series_point *points)
{
	const struct timeline_options *timeline = set->request.timeline;
	const struct details *details = &set->details[series - set->v];
	const struct timeline_key_held *held = set->request.keys->held[set->request.memory];
	const struct timeline_key_cpu *cpu = set->request.keys->cpu;
	size_t held_at = details->held.from, held_end = held_at + details->held.nr;
	size_t cpu_at = details->cpu.from, cpu_end = cpu_at + details->cpu.nr;
	int64_t left = 0;

	for (size_t step = 0; step < timeline->nr; step++) {
		int64_t start_ns = timeline->from_ns + (int64_t)step * timeline->step_ns;

		points[step] = (struct series_point){ .start_ns = start_ns,
						      .bytes = left,
						      .bytes_ns = start_ns };
		if (held_at < held_end && held[held_at].step == step) {
			points[step].bytes = held[held_at].bytes;
			points[step].bytes_ns = held[held_at].bytes_ns;
			left = held[held_at++].left;
		}
		if (cpu_at < cpu_end && cpu[cpu_at].step == step)
			points[step].cpu_ns = cpu[cpu_at++].cpu_ns;
	}
	add_processes(set, &details->changes, points);
}
