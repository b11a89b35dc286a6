#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/radix_sort.h"
#include "util/strbuf.h"
#include "util/utf8.h"
#include "util/wrap.h"

void profile_init(struct profile *profile)
{
	*profile = (struct profile){
		.phases = STRSET_INIT,
		.machine = { .cpus = -1, .memory_bytes = -1 },
		.by_pid = INTMAP_INIT,
		.by_row = INTMAP_INIT,
		.numbers = INTMAP_INIT,
	};
	frame_tree_init(&profile->tree);
}

static void release_machine(struct profile_machine *machine)
{
	free(machine->os);
	free(machine->arch);
	free(machine->cpu_model);
}

void profile_set_machine(struct profile *profile, struct profile_machine machine)
{
	release_machine(&profile->machine);
	profile->machine = machine;
}

void profile_release(struct profile *profile)
{
	release_machine(&profile->machine);
	for (size_t i = 0; i < profile->processes_nr; i++) {
		struct profile_process *process = &profile->processes[i];

		free(process->name);
		free(process->image);
		free(process->crate);
		free(process->part);
		free(process->command_line);
		free(process->memory.v);
	}
	for (size_t i = 0; i < profile->threads_nr; i++)
		free(profile->threads[i].name);
	frame_tree_release(&profile->tree);
	strset_release(&profile->phases);
	intmap_release(&profile->by_pid);
	intmap_release(&profile->by_row);
	intmap_release(&profile->numbers);
	free(profile->processes);
	free(profile->threads);
	free(profile->samples);
	free(profile->pieces);
	free(profile->sums);
	free(profile->memory.v);
}

/* Maps have pointers: an index is one more. */
static void *to_pointer(size_t index)
{
	return (void *)(uintptr_t)(index + 1);
}

static uint32_t to_index(const void *pointer)
{
	return pointer ? (uint32_t)(uintptr_t)pointer - 1 : PROFILE_NONE;
}

/* A number for a process or a thread: its own, unless another one has it. */
static int64_t take_number(struct profile *profile, int64_t wanted)
{
	if (wanted < 0 || wanted > INT32_MAX || intmap_get(&profile->numbers, wanted)) {
		do
			wanted = ++profile->last_number;
		while (intmap_get(&profile->numbers, wanted));
	}
	intmap_put(&profile->numbers, wanted, to_pointer(0));
	return wanted;
}

static char *command_line_of(const struct process *process)
{
	struct strbuf sb = STRBUF_INIT;
	size_t len;

	if (!process->argv.nr)
		return NULL;
	for (size_t i = 0; i < process->argv.nr && sb.len < 4 * PROFILE_COMMAND_MAX; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", process->argv.v[i]);
	len = utf8_prefix(sb.buf, PROFILE_COMMAND_MAX);
	if (len < sb.len) {
		strbuf_set_len(&sb, len);
		strbuf_adds(&sb, " …");
	}
	return strbuf_detach(&sb);
}

static uint32_t find_process(const struct profile *profile, const struct process *row)
{
	uint32_t at = to_index(intmap_get(&profile->by_pid, row->pid));

	while (at != PROFILE_NONE && profile->processes[at].known_start_ns != row->start_ns)
		at = profile->processes[at].next_same_pid;
	return at;
}

static uint32_t add_thread(struct profile *profile, uint32_t process, int64_t tid, const char *name)
{
	const struct profile_process *of = &profile->processes[process];
	bool is_main = tid == of->real_pid;

	ARRAY_ADD(profile->threads, profile->threads_nr, profile->threads_alloc,
		  (struct profile_thread){
			  .process = process,
			  .tid = is_main ? of->pid : take_number(profile, tid),
			  .real_tid = tid,
			  .name = xstrdup(name && *name ? name : of->image),
		  });
	return (uint32_t)profile->threads_nr - 1;
}

static uint32_t add_process(struct profile *profile, const struct process *row)
{
	uint32_t index = (uint32_t)profile->processes_nr;
	struct profile_process *process;
	const char *image = process_image(row);

	ARRAY_ADD(profile->processes, profile->processes_nr, profile->processes_alloc,
		  (struct profile_process){
			  .pid = take_number(profile, row->pid),
			  .real_pid = row->pid,
			  .known_start_ns = row->start_ns,
			  .start_ns = row->start_ns,
			  .end_ns = row->end_ns,
			  .image = xstrdup(image),
			  .name = row->tag.crate ? xasprintf("%s %s", image, row->tag.crate)
						 : xstrdup(image),
			  .crate = xstrdup_or_null(row->tag.crate),
			  .part = xstrdup_or_null(row->tag.part),
			  .command_line = command_line_of(row),
			  .role = role_name(row->tag.role),
			  .built_by = row->tag.built_by,
			  .exit_code = row->exit_code,
		  });
	process = &profile->processes[index];
	process->next_same_pid = to_index(intmap_get(&profile->by_pid, row->pid));
	intmap_put(&profile->by_pid, row->pid, to_pointer(index));
	process->main_thread = add_thread(profile, index, row->pid, NULL);
	return index;
}

/* All numbers that the system gave are taken before others are made up. */
static void skip_numbers(struct profile *profile, const struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		int64_t pid = list->v[i]->pid;

		if (pid > profile->last_number && pid <= INT32_MAX / 2)
			profile->last_number = pid;
	}
}

void profile_add_processes(struct profile *profile, const struct process_list *list,
			   const struct process_filter *filter)
{
	intmap_release(&profile->by_row);
	profile->by_row = (struct intmap)INTMAP_INIT;
	skip_numbers(profile, list);
	for (size_t i = 0; i < list->nr; i++) {
		const struct process *row = list->v[i];
		uint32_t index = find_process(profile, row);

		if (index == PROFILE_NONE && process_filter_match(filter, row))
			index = add_process(profile, row);
		if (index != PROFILE_NONE)
			intmap_put(&profile->by_row, (int64_t)(intptr_t)row, to_pointer(index));
	}
}

/* A process that is not in the range by its times may have late events there. */
static uint32_t process_of(struct profile *profile, const struct process *row)
{
	uint32_t index = to_index(intmap_get(&profile->by_row, (int64_t)(intptr_t)row));

	if (index == PROFILE_NONE) {
		index = add_process(profile, row);
		intmap_put(&profile->by_row, (int64_t)(intptr_t)row, to_pointer(index));
	}
	return index;
}

/* By key of results that are split: the phase of its stacks, as numbers of the profile. */
static uint32_t *find_phases(struct profile *profile, const struct results *results)
{
	const struct dimension *stacks = grouping_dimension(results->grouping, BY_STACK);
	size_t nr = grouping_nr(results->grouping);
	uint32_t *phases = xcalloc(nr + 1, sizeof(*phases));

	for (size_t key = 0; key < nr; key++) {
		const struct group *group =
			grouping_part(results->grouping, (uint32_t)key, BY_STACK);

		phases[key] = strset_add(&profile->phases,
					 dimension_class_name(stacks, STACK_PHASE, group->phase));
	}
	return phases;
}

/* `thread` may be NULL: one that is not known. */
static uint32_t thread_of(struct profile *profile, uint32_t process,
			  const struct trace_thread *thread)
{
	uint32_t main_thread = profile->processes[process].main_thread;
	struct profile_thread *known = &profile->threads[main_thread];

	if (!thread || thread->tid != known->real_tid)
		return add_thread(profile, process, thread ? thread->tid : -1,
				  thread ? thread->name : NULL);
	if (*thread->name) {
		free(known->name);
		known->name = xstrdup(thread->name);
	}
	return main_thread;
}

/* By key of results by thread: its thread. */
static uint32_t *find_threads(struct profile *profile, const struct results *results)
{
	size_t nr = grouping_nr(results->grouping);
	uint32_t *threads = xcalloc(nr + 1, sizeof(*threads));
	struct intmap known = INTMAP_INIT;

	for (size_t key = 0; key < nr; key++) {
		const struct group *group =
			grouping_part(results->grouping, (uint32_t)key, BY_THREAD);
		const void *id = group->thread ? (const void *)group->thread : group->process;
		uint32_t at = to_index(intmap_get(&known, (int64_t)(intptr_t)id));

		if (at == PROFILE_NONE) {
			uint32_t process = process_of(profile, group->process);

			at = thread_of(profile, process, group->thread);
			intmap_put(&known, (int64_t)(intptr_t)id, to_pointer(at));
		}
		threads[key] = at;
	}
	intmap_release(&known);
	return threads;
}

void profile_add_samples(struct profile *profile, const struct results *results,
			 const struct cpu_moment *moments, size_t nr)
{
	uint32_t *nodes = frame_tree_nodes(&profile->tree, results);
	uint32_t *phases = find_phases(profile, results);
	uint32_t *threads = find_threads(profile, results);

	ARRAY_GROW(profile->samples, profile->samples_nr + nr, profile->samples_alloc);
	for (size_t i = 0; i < nr; i++) {
		const struct cpu_moment *moment = &moments[i];
		uint32_t stack = grouping_part(results->grouping, moment->key, BY_STACK)->stack;

		profile->samples[profile->samples_nr++] = (struct profile_sample){
			.time_ns = moment->time_ns,
			.ns = moment->ns,
			.thread = threads[moment->key],
			.node = nodes[stack],
			.phase = phases[moment->key],
			.cpu = moment->cpu,
		};
	}
	free(nodes);
	free(phases);
	free(threads);
}

void profile_add_regions(struct profile *profile, const struct results *results,
			 const struct profile_region *regions, size_t nr)
{
	uint32_t *nodes = frame_tree_nodes(&profile->tree, results);

	ARRAY_GROW(profile->pieces, profile->pieces_nr + nr, profile->pieces_alloc);
	for (size_t i = 0; i < nr; i++) {
		const struct profile_region *region = &regions[i];
		const struct group *group =
			grouping_part(results->grouping, region->key, BY_PROCESS);
		uint32_t process = process_of(profile, group->process);
		uint32_t stack = grouping_part(results->grouping, region->key, BY_STACK)->stack;

		profile->pieces[profile->pieces_nr++] = (struct profile_piece){
			.start_ns = region->start_ns,
			.end_ns = region->end_ns,
			.bytes = region->bytes,
			.process = process,
			.node = nodes[stack],
			.held = region->held,
		};
	}
	free(nodes);
}

void profile_add_sums(struct profile *profile, const struct results *results,
		      const struct metric *metric)
{
	uint32_t *nodes = frame_tree_nodes(&profile->tree, results);
	uint32_t *phases = find_phases(profile, results);
	size_t number = profile->metrics_nr++;

	profile->metrics[number] = metric;
	for (size_t i = 0; i < results->nr; i++) {
		int64_t value = metric_value(metric, results, results_entry(results, i));
		struct profile_sum sum = { .process = PROFILE_NONE };
		uint32_t stack;

		if (!value)
			continue;
		sum.process = process_of(
			profile,
			grouping_part(results->grouping, (uint32_t)i, BY_PROCESS)->process);
		stack = grouping_part(results->grouping, (uint32_t)i, BY_STACK)->stack;
		sum.node = nodes[stack];
		sum.phase = phases[i];
		sum.values[number] = value;
		ARRAY_ADD(profile->sums, profile->sums_nr, profile->sums_alloc, sum);
	}
	free(nodes);
	free(phases);
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_samples(const void *a, const void *b)
{
	const struct profile_sample *x = a, *y = b;
	int order = compare(x->thread, y->thread);

	if (!order)
		order = compare(x->time_ns, y->time_ns);
	return order ? order : compare(x->node, y->node);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct profile_piece *x = a, *y = b;
	int order = compare(x->process, y->process);

	if (!order)
		order = compare(x->start_ns, y->start_ns);
	if (!order)
		order = compare(x->end_ns, y->end_ns);
	if (!order)
		order = compare(x->node, y->node);
	return order ? order : compare(x->bytes, y->bytes);
}

static int compare_sums(const void *a, const void *b)
{
	const struct profile_sum *x = a, *y = b;
	int order = compare(x->process, y->process);

	if (!order)
		order = compare(x->node, y->node);
	return order ? order : compare(x->phase, y->phase);
}

static int compare_threads(const void *a, const void *b)
{
	const struct profile_thread *const *x = a, *const *y = b;
	int order = compare((*x)->process, (*y)->process);

	return order ? order : (*x > *y) - (*x < *y);
}

/* Sort the threads by their processes; samples are then of other numbers. */
static void sort_threads(struct profile *profile)
{
	size_t nr = profile->threads_nr;
	struct profile_thread **order = xcalloc(nr + 1, sizeof(*order));
	struct profile_thread *sorted = xcalloc(nr + 1, sizeof(*sorted));
	uint32_t *numbers = xcalloc(nr + 1, sizeof(*numbers));

	for (size_t i = 0; i < nr; i++)
		order[i] = &profile->threads[i];
	qsort(order, nr, sizeof(struct profile_thread *), compare_threads);
	for (size_t i = 0; i < nr; i++) {
		struct profile_process *process = &profile->processes[order[i]->process];

		sorted[i] = *order[i];
		numbers[order[i] - profile->threads] = (uint32_t)i;
		if (!process->threads_nr++)
			process->first_thread = (uint32_t)i;
	}
	for (size_t i = 0; i < profile->samples_nr; i++)
		profile->samples[i].thread = numbers[profile->samples[i].thread];
	free(profile->threads);
	profile->threads = sorted;
	profile->threads_alloc = nr + 1;
	free(order);
	free(numbers);
}

/* Stacks of one process and phase that have values of several metrics become one. */
static void join_sums(struct profile *profile)
{
	size_t nr = 0;

	for (size_t i = 0; i < profile->sums_nr; i++) {
		const struct profile_sum *sum = &profile->sums[i];
		struct profile_sum *last = nr ? &profile->sums[nr - 1] : NULL;

		if (!last || compare_sums(last, sum)) {
			profile->sums[nr++] = *sum;
			continue;
		}
		for (size_t k = 0; k < profile->metrics_nr; k++)
			wrap_add_to(&last->values[k], sum->values[k]);
	}
	profile->sums_nr = nr;
}

/* Within the range, and no later than it ended. */
static void limit_times(const struct profile *profile, int64_t *start_ns, int64_t *end_ns)
{
	if (*end_ns == PROCESS_UNKNOWN || *end_ns > profile->to_ns)
		*end_ns = profile->to_ns;
	if (*start_ns < profile->from_ns)
		*start_ns = profile->from_ns;
	if (*start_ns > *end_ns)
		*start_ns = *end_ns;
}

static void sort(void *v, size_t nr, size_t size, int (*order)(const void *, const void *))
{
	if (nr)
		qsort(v, nr, size, order);
}

/* Millions of these are half of all work if they are compared. */
RADIX_SORT_DEFINE(sort_times, struct profile_change, time_ns)
RADIX_SORT_DEFINE(sort_by_time, struct profile_sample, time_ns)
RADIX_SORT_DEFINE(sort_by_thread, struct profile_sample, thread)
RADIX_SORT_DEFINE(sort_by_start, struct profile_piece, start_ns)
RADIX_SORT_DEFINE(sort_by_process, struct profile_piece, process)

/* Add to the times of all samples. */
static void shift_samples(struct profile *profile, int64_t ns)
{
	for (size_t i = 0; ns && i < profile->samples_nr; i++)
		wrap_add_to(&profile->samples[i].time_ns, ns);
}

/* A recording may have samples from before its time zero. */
static int64_t first_sample_ns(const struct profile *profile)
{
	int64_t first_ns = 0;

	for (size_t i = 0; i < profile->samples_nr; i++) {
		if (profile->samples[i].time_ns < first_ns)
			first_ns = profile->samples[i].time_ns;
	}
	return first_ns;
}

static void sort_samples(struct profile *profile)
{
	size_t nr = profile->samples_nr;
	struct profile_sample *v = profile->samples, *room = xcalloc(nr + 1, sizeof(*room));
	struct profile_sample *sorted;
	int64_t first_ns = first_sample_ns(profile);

	shift_samples(profile, wrap_subtract(0, first_ns));
	sorted = sort_by_time(v, nr, room);
	sorted = sort_by_thread(sorted, nr, sorted == v ? room : v);
	free(sorted == v ? room : v);
	profile->samples = sorted;
	profile->samples_alloc = nr + 1;
	shift_samples(profile, first_ns);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && sorted[end].thread == sorted[i].thread &&
				  sorted[end].time_ns == sorted[i].time_ns;)
			end++;
		if (end - i > 1)
			sort(sorted + i, end - i, sizeof(*sorted), compare_samples);
	}
}

/* Their times are within the range. */
static void sort_pieces(struct profile *profile)
{
	size_t nr = profile->pieces_nr;
	struct profile_piece *v = profile->pieces, *room = xcalloc(nr + 1, sizeof(*room));
	struct profile_piece *sorted = sort_by_start(v, nr, room);

	sorted = sort_by_process(sorted, nr, sorted == v ? room : v);
	free(sorted == v ? room : v);
	profile->pieces = sorted;
	profile->pieces_alloc = nr + 1;
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && sorted[end].process == sorted[i].process &&
				  sorted[end].start_ns == sorted[i].start_ns;)
			end++;
		if (end - i > 1)
			sort(sorted + i, end - i, sizeof(*sorted), compare_pieces);
	}
}

/* By time, which is not negative; changes of one time stay in their order. */
static struct profile_change *sort_changes(struct profile_change *v, size_t nr)
{
	struct profile_change *room = xcalloc(nr + 1, sizeof(*room));
	struct profile_change *sorted = sort_times(v, nr, room);

	free(sorted == v ? room : v);
	return sorted;
}

/* Those given back, either at another time than they were committed, or at the same. */
static size_t add_frees(const struct profile *profile, size_t first, size_t nr, bool at_once,
			struct profile_change *v, size_t used)
{
	for (size_t i = first; i < first + nr; i++) {
		const struct profile_piece *piece = &profile->pieces[i];

		if (!piece->held && (piece->start_ns == piece->end_ns) == at_once)
			v[used++] = (struct profile_change){ piece->end_ns, -piece->bytes, i };
	}
	return used;
}

struct profile_change *profile_changes(const struct profile *profile, size_t first, size_t nr,
				       size_t *changes_nr)
{
	struct profile_change *v = xcalloc(2 * nr + 1, sizeof(*v));
	size_t used = add_frees(profile, first, nr, false, v, 0);

	for (size_t i = first; i < first + nr; i++) {
		const struct profile_piece *piece = &profile->pieces[i];

		v[used++] = (struct profile_change){ piece->start_ns, piece->bytes, i };
	}
	*changes_nr = add_frees(profile, first, nr, true, v, used);
	return sort_changes(v, *changes_nr);
}

/* A point is left out if it differs from the one before by less than this part of the highest. */
#define CURVE_PART 1024

/* The highest value that the changes lead to, and the index of the change that does. */
static int64_t find_peak(const struct profile_change *changes, size_t nr, size_t *at)
{
	int64_t held = 0, peak = 0;

	*at = 0;
	for (size_t i = 0; i < nr; i++) {
		wrap_add_to(&held, changes[i].bytes);
		if (held > peak) {
			peak = held;
			*at = i;
		}
	}
	return peak;
}

static bool is_far(int64_t value, int64_t last, int64_t peak)
{
	int64_t distance = wrap_subtract(value, last);

	return distance > peak / CURVE_PART || distance < -(peak / CURVE_PART);
}

static void make_curve(const struct profile *profile, size_t first, size_t nr,
		       struct profile_curve *curve)
{
	size_t changes_nr, peak_at;
	struct profile_change *changes = profile_changes(profile, first, nr, &changes_nr);
	int64_t peak = find_peak(changes, changes_nr, &peak_at), held = 0;
	size_t alloc = 0;

	if (nr)
		ARRAY_ADD(curve->v, curve->nr, alloc,
			  (struct profile_point){ profile->from_ns, 0 });
	for (size_t i = 0; i < changes_nr; i++) {
		wrap_add_to(&held, changes[i].bytes);
		if (i == peak_at)
			curve->highest = curve->nr;
		if (i == peak_at || i + 1 == changes_nr ||
		    is_far(held, curve->v[curve->nr - 1].held, peak))
			ARRAY_ADD(curve->v, curve->nr, alloc,
				  (struct profile_point){ changes[i].time_ns, held });
	}
	free(changes);
}

void profile_finish(struct profile *profile)
{
	for (size_t i = 0; i < profile->processes_nr; i++)
		limit_times(profile, &profile->processes[i].start_ns,
			    &profile->processes[i].end_ns);
	sort_threads(profile);
	sort_samples(profile);
	for (size_t i = 0; i < profile->samples_nr; i++) {
		struct profile_thread *thread = &profile->threads[profile->samples[i].thread];

		if (!thread->samples_nr++)
			thread->first_sample = i;
	}
	for (size_t i = 0; i < profile->pieces_nr; i++) {
		struct profile_piece *piece = &profile->pieces[i];

		piece->held |= piece->end_ns > profile->to_ns;
		limit_times(profile, &piece->start_ns, &piece->end_ns);
	}
	sort_pieces(profile);
	for (size_t i = 0; i < profile->pieces_nr; i++) {
		struct profile_process *process = &profile->processes[profile->pieces[i].process];

		if (!process->pieces_nr++)
			process->first_piece = i;
	}
	make_curve(profile, 0, profile->pieces_nr, &profile->memory);
	for (size_t i = 0; i < profile->processes_nr; i++) {
		struct profile_process *process = &profile->processes[i];

		make_curve(profile, process->first_piece, process->pieces_nr, &process->memory);
	}
	sort(profile->sums, profile->sums_nr, sizeof(*profile->sums), compare_sums);
	join_sums(profile);
}

/* A thread that has no sample for so many times the weight of the last one did something else, or waited. */
#define SPAN_GAP 4

bool profile_next_span(const struct profile *profile, const struct profile_thread *thread,
		       size_t *at, struct profile_span *span)
{
	const struct profile_process *process = &profile->processes[thread->process];
	const struct profile_sample *samples = profile->samples + thread->first_sample;
	const struct profile_sample *last;

	if (*at >= thread->samples_nr)
		return false;
	last = &samples[(*at)++];
	*span = (struct profile_span){ last->time_ns, 0, last->ns, last->phase };
	for (; *at < thread->samples_nr; last = &samples[(*at)++]) {
		const struct profile_sample *next = &samples[*at];

		if (next->phase != span->phase ||
		    wrap_subtract(next->time_ns, last->time_ns) / SPAN_GAP > last->ns)
			break;
		wrap_add_to(&span->ns, next->ns);
	}
	span->end_ns = wrap_add(last->time_ns, last->ns > 0 ? last->ns : 0);
	if (*at < thread->samples_nr && span->end_ns > samples[*at].time_ns)
		span->end_ns = samples[*at].time_ns;
	if (span->end_ns > process->end_ns)
		span->end_ns = process->end_ns;
	if (span->end_ns < span->start_ns)
		span->end_ns = span->start_ns;
	return true;
}

static int compare_parts(const void *a, const void *b)
{
	const struct profile_part *x = a, *y = b;
	int order = compare(x->start_ns, y->start_ns);

	return order ? order : strcmp(x->name, y->name);
}

struct profile_part *profile_parts(const struct profile *profile, size_t *nr)
{
	struct profile_part *parts = xcalloc(profile->processes_nr + 1, sizeof(*parts));
	struct strset names = STRSET_INIT;

	*nr = 0;
	for (size_t i = 0; i < profile->processes_nr; i++) {
		const struct profile_process *process = &profile->processes[i];
		struct profile_part *part;
		uint32_t number;

		if (!process->part)
			continue;
		number = strset_add(&names, process->part);
		part = &parts[number];
		if (number == *nr) {
			*part = (struct profile_part){ process->part, process->start_ns,
						       process->end_ns };
			++*nr;
		}
		if (process->start_ns < part->start_ns)
			part->start_ns = process->start_ns;
		if (process->end_ns > part->end_ns)
			part->end_ns = process->end_ns;
	}
	strset_release(&names);
	sort(parts, *nr, sizeof(*parts), compare_parts);
	return parts;
}
