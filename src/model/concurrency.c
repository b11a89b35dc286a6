#include "model/concurrency.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/compare.h"
#include "util/intmap.h"

#define NO_WORKER SIZE_MAX
#define BUSY      (SIZE_MAX - 1) /* two workers or more */

struct worker {
	const struct process *process; /* NULL: it does not work, but `parent` is valid */
	size_t parent;                 /* the nearest ancestor that works */
	size_t children;               /* of those, that run */
	bool runs;
};

struct change {
	int64_t time_ns;
	bool starts;
	size_t at; /* of the worker */
};

struct sweep {
	struct worker *workers; /* in the order of the list */
	struct change *changes;
	size_t changes_nr;
	size_t working; /* their number, and the sum of their indexes: with one it is its index */
	size_t sum;
	size_t alone; /* since alone_ns; NO_WORKER */
	int64_t alone_ns;
	int64_t now_ns;
	int64_t cpus;
	struct concurrency *result;
	/* Of concurrency_longest(); else NULL. */
	struct stretch *stretches;
	size_t stretches_nr, stretches_most;
	size_t kind; /* NO_WORKER, the one that works, or BUSY, since stretch_ns */
	int64_t stretch_ns;
};

static bool works(enum role role)
{
	switch (role) {
	case ROLE_RUSTC:
	case ROLE_RUSTDOC:
	case ROLE_BUILD_SCRIPT:
	case ROLE_LINK:
	case ROLE_CC:
	case ROLE_AR:
	case ROLE_CMAKE:
		return true;
	default:
		return false;
	}
}

/* Ends come before starts of the same time. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->starts != y->starts ? x->starts - y->starts : compare_u64(x->at, y->at);
}

/* Pids are reused: the parent is the last process with its pid that started before the child. */
static void find_parents(struct sweep *sweep, const struct process_list *list)
{
	struct intmap last = INTMAP_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		const struct worker *parent = intmap_get(&last, list->v[i]->ppid);
		struct worker *worker = &sweep->workers[i];

		worker->parent = !parent           ? NO_WORKER
				 : parent->process ? (size_t)(parent - sweep->workers)
						   : parent->parent;
		if (works(list->v[i]->tag.role))
			worker->process = list->v[i];
		intmap_put(&last, list->v[i]->pid, worker);
	}
	intmap_release(&last);
}

static void add_changes(struct sweep *sweep, const struct process_list *list, int64_t start_ns,
			int64_t end_ns)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];
		int64_t from = process->start_ns > start_ns ? process->start_ns : start_ns;
		int64_t to = process->end_ns == PROCESS_UNKNOWN || process->end_ns > end_ns
				     ? end_ns
				     : process->end_ns;

		if (!sweep->workers[i].process || from >= to)
			continue;
		sweep->changes[sweep->changes_nr++] = (struct change){ from, true, i };
		sweep->changes[sweep->changes_nr++] = (struct change){ to, false, i };
	}
	qsort(sweep->changes, sweep->changes_nr, sizeof(*sweep->changes), compare_changes);
}

/* Keep the current stretch if it is among the longest. */
static void keep_stretch(struct sweep *sweep)
{
	struct stretch *v = sweep->stretches, stretch = { sweep->stretch_ns, sweep->now_ns, NULL };
	size_t at = sweep->stretches_nr;

	if (!v || sweep->kind == BUSY || stretch.start_ns == stretch.end_ns)
		return;
	if (sweep->kind != NO_WORKER)
		stretch.process = sweep->workers[sweep->kind].process;
	while (at && stretch.end_ns - stretch.start_ns > v[at - 1].end_ns - v[at - 1].start_ns) {
		if (at < sweep->stretches_most)
			v[at] = v[at - 1];
		at--;
	}
	if (at == sweep->stretches_most)
		return;
	v[at] = stretch;
	if (sweep->stretches_nr < sweep->stretches_most)
		sweep->stretches_nr++;
}

static void end_alone(struct sweep *sweep)
{
	struct concurrency *result = sweep->result;

	if (sweep->alone == NO_WORKER ||
	    sweep->now_ns - sweep->alone_ns <= result->longest_end_ns - result->longest_start_ns)
		return;
	result->longest = sweep->workers[sweep->alone].process;
	result->longest_start_ns = sweep->alone_ns;
	result->longest_end_ns = sweep->now_ns;
}

static void follow_stretch(struct sweep *sweep, size_t kind)
{
	if (kind == sweep->kind)
		return;
	keep_stretch(sweep);
	sweep->kind = kind;
	sweep->stretch_ns = sweep->now_ns;
}

/* Add what passed since the last change. */
static void advance(struct sweep *sweep, int64_t time_ns)
{
	int64_t passed = time_ns - sweep->now_ns;
	size_t alone = sweep->working == 1 ? sweep->sum : NO_WORKER;

	if (!passed)
		return;
	follow_stretch(sweep, sweep->working > 1 ? BUSY : alone);
	if (alone != sweep->alone) {
		end_alone(sweep);
		sweep->alone = alone;
		sweep->alone_ns = sweep->now_ns;
	}
	if ((int64_t)sweep->working > sweep->result->most)
		sweep->result->most = (int64_t)sweep->working;
	if (!sweep->working)
		sweep->result->none_ns += passed;
	if (sweep->working == 1)
		sweep->result->alone_ns += passed;
	if (sweep->working && (int64_t)sweep->working >= sweep->cpus)
		sweep->result->full_ns += passed;
	sweep->now_ns = time_ns;
}

static void set_working(struct sweep *sweep, size_t at, bool on)
{
	sweep->working += on ? 1 : (size_t)-1;
	sweep->sum += on ? at : (size_t)0 - at;
}

static void apply(struct sweep *sweep, const struct change *change)
{
	struct worker *worker = &sweep->workers[change->at];
	struct worker *parent =
		worker->parent == NO_WORKER ? NULL : &sweep->workers[worker->parent];

	worker->runs = change->starts;
	if (change->starts) {
		if (parent && !parent->children++ && parent->runs)
			set_working(sweep, worker->parent, false);
		if (!worker->children)
			set_working(sweep, change->at, true);
		return;
	}
	if (!worker->children)
		set_working(sweep, change->at, false);
	if (parent && !--parent->children && parent->runs)
		set_working(sweep, worker->parent, true);
}

static void begin(struct sweep *sweep, const struct process_list *list, int64_t start_ns,
		  int64_t end_ns, int64_t cpus)
{
	*sweep = (struct sweep){
		.workers = xcalloc(list->nr + 1, sizeof(*sweep->workers)),
		.changes = xcalloc(2 * list->nr + 1, sizeof(*sweep->changes)),
		.alone = NO_WORKER,
		.now_ns = start_ns,
		.cpus = cpus,
		.kind = NO_WORKER,
		.stretch_ns = start_ns,
	};
	find_parents(sweep, list);
	add_changes(sweep, list, start_ns, end_ns);
}

static void end(struct sweep *sweep)
{
	free(sweep->workers);
	free(sweep->changes);
}

static void run(struct sweep *sweep, int64_t end_ns, struct concurrency *result)
{
	sweep->result = result;
	for (size_t i = 0; i < sweep->changes_nr; i++) {
		advance(sweep, sweep->changes[i].time_ns);
		apply(sweep, &sweep->changes[i]);
	}
	if (end_ns > sweep->now_ns)
		advance(sweep, end_ns);
}

void concurrency_measure(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			 int64_t cpus, struct concurrency *result)
{
	struct sweep sweep;

	begin(&sweep, list, start_ns, end_ns, cpus);
	*result = (struct concurrency){ .cpu_ns = process_list_cpu(list) };
	run(&sweep, end_ns, result);
	end_alone(&sweep);
	end(&sweep);
}

double concurrency_percent(int64_t cpu_ns, int64_t wall_ns, int64_t cpus)
{
	return 100 * (double)cpu_ns / (double)wall_ns / (double)cpus;
}

size_t concurrency_longest(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			   struct stretch *v, size_t nr)
{
	struct concurrency unused = { .cpu_ns = -1 };
	struct sweep sweep;

	begin(&sweep, list, start_ns, end_ns, 1);
	sweep.stretches = v;
	sweep.stretches_most = nr;
	run(&sweep, end_ns, &unused);
	keep_stretch(&sweep);
	end(&sweep);
	return sweep.stretches_nr;
}

void concurrency_series(const struct process_list *list, int64_t start_ns, int64_t end_ns,
			int64_t step_ns, size_t nr, int64_t cpus, struct concurrency *results)
{
	struct sweep sweep;
	size_t next = 0;

	begin(&sweep, list, start_ns, end_ns, cpus);
	for (size_t step = 0; step < nr; step++) {
		int64_t to_ns = start_ns + (int64_t)(step + 1) * step_ns;

		results[step] = (struct concurrency){ .cpu_ns = -1 };
		sweep.result = &results[step];
		for (; next < sweep.changes_nr && sweep.changes[next].time_ns < to_ns; next++) {
			advance(&sweep, sweep.changes[next].time_ns);
			apply(&sweep, &sweep.changes[next]);
		}
		advance(&sweep, to_ns < end_ns ? to_ns : end_ns);
		results[step].longest = NULL;
		results[step].longest_start_ns = results[step].longest_end_ns = 0;
	}
	end(&sweep);
}
