#include "compare/schedule.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* Two events so close are at one time: rounding must not make a step between them. */
#define TINY_NS 1e-3

#define PI 3.14159265358979323846

/* What is held, as recorded and by parts in work: schedule_result.peak and .scaled_peak. */
enum held { HELD_RECORDED, HELD_SCALED, HELD_NR };

/* A job that runs. */
struct running {
	uint32_t job;
	double place_ns; /* since the start of its phase, when the schedule was at `at_ns` */
	double at_ns;
	double next_ns; /* of the schedule: its next point, or the end of its phase */
	double speed;   /* time of its phase per time of the schedule */
	bool back;      /* it is in its second phase */
	size_t point;   /* the next one */
	int64_t bytes;  /* as it was recorded */
	int64_t counted[HELD_NR];
	int64_t metadata_bytes; /* when its metadata was written */
	int64_t extra;          /* tokens for further threads */
};

struct waiting {
	size_t for_nr; /* jobs that it waits for */
	size_t part_nr; /* until it is whole: of a library these, when they are whole, and its own end */
	size_t round;           /* in which the last of them was done */
	double stretch, growth; /* by its spread: of time and of bytes */
	uint64_t order;
};

struct simulation {
	const struct job_graph *graph;
	const struct schedule_job *jobs;
	const struct schedule_options *options;
	struct schedule_result *result;
	size_t first, nr;        /* jobs of the graph, among which are those of the session */
	struct waiting *waiting; /* by job, from `first` on; the same below */
	uint32_t *whole;         /* jobs that are, while those that wait for them go on */
	uint32_t *ready;         /* a heap: the next to start is first */
	size_t ready_nr;
	struct running *running;
	size_t running_nr, running_alloc;
	double now_ns;
	size_t round; /* how often something changed */
	int64_t free; /* tokens */
	int64_t kept; /* of these, of jobs that ended just now: cargo has them, threads do not get them yet */
	int64_t held[HELD_NR];
};

/* A hash of two numbers (splitmix64). */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Above 0, up to 1. */
static double to_share(uint64_t hash)
{
	return ((double)(hash >> 11) + 1) / 9007199254740992.0;
}

/* A factor whose logarithm is normal with this standard deviation (Box and Muller); 1 if that is 0. */
static double to_factor(uint64_t hash, double spread)
{
	double length = sqrt(-2 * log(to_share(hash)));

	return exp(spread * length * cos(2 * PI * to_share(mix(hash, 0))));
}

static struct waiting *waiting_of(const struct simulation *simulation, size_t job)
{
	return &simulation->waiting[job - simulation->first];
}

static bool is_before(const struct simulation *simulation, uint32_t a, uint32_t b)
{
	const struct waiting *x = waiting_of(simulation, a), *y = waiting_of(simulation, b);
	uint32_t for_a = simulation->graph->jobs[a].dependents;
	uint32_t for_b = simulation->graph->jobs[b].dependents;

	if (for_a != for_b)
		return for_a > for_b;
	if (x->round != y->round)
		return x->round > y->round;
	if (x->order != y->order)
		return x->order < y->order;
	return a < b;
}

static void push_ready(struct simulation *simulation, uint32_t job)
{
	uint32_t *heap = simulation->ready;
	size_t i = simulation->ready_nr++;

	for (; i && is_before(simulation, job, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = job;
}

static uint32_t pop_ready(struct simulation *simulation)
{
	uint32_t *heap = simulation->ready, first = heap[0];
	uint32_t last = heap[--simulation->ready_nr];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < simulation->ready_nr &&
		    is_before(simulation, heap[child + 1], heap[child]))
			child++;
		if (child >= simulation->ready_nr || !is_before(simulation, heap[child], last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

static double stretch_of(const struct simulation *simulation, const struct running *running)
{
	return waiting_of(simulation, running->job)->stretch;
}

static double phase_ns(const struct simulation *simulation, const struct running *running)
{
	const struct schedule_job *job = &simulation->jobs[running->job];

	return (running->back ? job->back_ns : job->front_ns) * stretch_of(simulation, running);
}

/* With its parts in work, which may be more or fewer than when it was recorded. */
static int64_t scaled_bytes(const struct simulation *simulation, const struct running *running)
{
	const struct schedule_job *job = &simulation->jobs[running->job];
	int64_t more = wrap_subtract(running->bytes, running->metadata_bytes);
	double parts = fmin(job->parts, fmin(job->threads, 1.0 + (double)running->extra));
	double scaled;

	if (!running->back || more <= 0 || job->parts <= 1)
		return running->bytes;
	scaled = (double)more * (fmax(parts, 1) + 1) / (job->recorded_threads + 1);
	return wrap_add(running->metadata_bytes, scaled < 4e18 ? (int64_t)scaled : more);
}

static void count(struct simulation *simulation, struct running *running, enum held what,
		  int64_t bytes)
{
	double grown = (double)bytes * waiting_of(simulation, running->job)->growth;

	if (simulation->options->bytes_spread > 0 && grown < 4e18)
		bytes = (int64_t)grown;
	wrap_add_to(&simulation->held[what], wrap_subtract(bytes, running->counted[what]));
	running->counted[what] = bytes;
}

static void recount(struct simulation *simulation, struct running *running)
{
	count(simulation, running, HELD_RECORDED, running->bytes);
	count(simulation, running, HELD_SCALED, scaled_bytes(simulation, running));
}

/* After all that changes at a time. */
static void note_peak(struct simulation *simulation)
{
	struct schedule_result *result = simulation->result;

	if (simulation->held[HELD_RECORDED] > result->peak)
		result->peak = simulation->held[HELD_RECORDED];
	if (simulation->held[HELD_SCALED] > result->scaled_peak)
		result->scaled_peak = simulation->held[HELD_SCALED];
}

static int64_t most_extra(const struct simulation *simulation, const struct running *running)
{
	double threads = simulation->jobs[running->job].threads;

	return running->back && threads > 1 ? (int64_t)ceil(threads - 1) : 0;
}

/* Threads of running compiles take what tokens are free, one each in turn. */
static void give_to_threads(struct simulation *simulation)
{
	bool given = true;

	while (simulation->free > 0 && given) {
		given = false;
		for (size_t i = 0; i < simulation->running_nr && simulation->free > 0; i++) {
			struct running *running = &simulation->running[i];

			if (running->extra < most_extra(simulation, running)) {
				running->extra++;
				simulation->free--;
				given = true;
			}
		}
	}
}

static void take_from_threads(struct simulation *simulation)
{
	for (size_t i = 0; i < simulation->running_nr; i++) {
		simulation->free += simulation->running[i].extra;
		simulation->running[i].extra = 0;
	}
}

static void start_jobs(struct simulation *simulation, int64_t most)
{
	while (simulation->free > 0 && simulation->ready_nr && most-- > 0) {
		simulation->free--;
		ARRAY_ADD(simulation->running, simulation->running_nr, simulation->running_alloc,
			  (struct running){ .job = pop_ready(simulation),
					    .at_ns = simulation->now_ns });
	}
	if (simulation->running_nr > simulation->result->most)
		simulation->result->most = simulation->running_nr;
}

static void share_tokens(struct simulation *simulation)
{
	if (simulation->options->threads_first) {
		start_jobs(simulation, simulation->kept);
		give_to_threads(simulation);
	} else {
		take_from_threads(simulation);
	}
	start_jobs(simulation, INT64_MAX);
	give_to_threads(simulation);
	simulation->kept = 0;
	if (simulation->free <= 0)
		simulation->result->tokens_short = true;
}

/* Where the next point of its memory is, in the time of its phase; DBL_MAX: not in this phase. */
static double next_point_ns(const struct simulation *simulation, const struct running *running)
{
	const struct schedule_job *job = &simulation->jobs[running->job];
	double place;

	if (running->point >= job->points_nr)
		return DBL_MAX;
	place = job->points[running->point].place - (running->back ? 1 : 0);
	return place < 1 ? place * phase_ns(simulation, running) : DBL_MAX;
}

/* Where something changes next: a point, or the end of the phase, in the time of that. */
static double next_place_ns(const struct simulation *simulation, const struct running *running)
{
	return fmin(phase_ns(simulation, running), next_point_ns(simulation, running));
}

static void set_next(const struct simulation *simulation, struct running *running)
{
	running->next_ns =
		running->at_ns +
		fmax(0, next_place_ns(simulation, running) - running->place_ns) / running->speed;
}

/* Where it is now. */
static void go_on(const struct simulation *simulation, struct running *running)
{
	running->place_ns += (simulation->now_ns - running->at_ns) * running->speed;
	running->at_ns = simulation->now_ns;
}

/* How fast each goes on from now on, with the tokens and processors that there are. */
static void set_speeds(struct simulation *simulation)
{
	double threads = 0, slower = 1;

	for (size_t i = 0; i < simulation->running_nr; i++) {
		struct running *running = &simulation->running[i];

		go_on(simulation, running);
		running->speed = running->back ? fmin(1.0 + (double)running->extra,
						      simulation->jobs[running->job].threads)
					       : 1.0;
		threads += running->speed;
		recount(simulation, running);
	}
	if (simulation->options->cpus > 0 && threads > simulation->options->cpus)
		slower = simulation->options->cpus / threads;
	for (size_t i = 0; i < simulation->running_nr; i++) {
		simulation->running[i].speed *= slower;
		set_next(simulation, &simulation->running[i]);
	}
}

static void tell_users(struct simulation *simulation, uint32_t job, enum job_moment moment)
{
	const struct job_graph *graph = simulation->graph;

	for (size_t i = graph->users_at[job]; i < graph->users_at[job + 1]; i++) {
		const struct job_user *user = &graph->users[i];

		if (user->until == moment && !--waiting_of(simulation, user->job)->for_nr) {
			waiting_of(simulation, user->job)->round = simulation->round;
			push_ready(simulation, user->job);
		}
	}
}

/* One part more of a job is whole, as is then, perhaps, the job, and what it is a part of. */
static void add_part(struct simulation *simulation, uint32_t job)
{
	const struct job_graph *graph = simulation->graph;
	size_t nr = 0;

	if (!--waiting_of(simulation, job)->part_nr)
		simulation->whole[nr++] = job;
	while (nr) {
		uint32_t whole = simulation->whole[--nr];

		tell_users(simulation, whole, JOB_WHOLE);
		for (size_t i = graph->users_at[whole]; i < graph->users_at[whole + 1]; i++) {
			uint32_t user = graph->users[i].job;

			if (graph->jobs[user].library && !--waiting_of(simulation, user)->part_nr)
				simulation->whole[nr++] = user;
		}
	}
}

/* It is at its next point, or at the end of its phase. True: the job changed its phase, or ended; then `ended` is set. */
static bool advance(struct simulation *simulation, struct running *running, bool *ended)
{
	const struct schedule_job *job = &simulation->jobs[running->job];
	bool changed = false;

	/* Times may be so large that it does not get there by adding. */
	go_on(simulation, running);
	running->place_ns = fmax(running->place_ns, next_place_ns(simulation, running));
	while (running->place_ns + TINY_NS >= next_point_ns(simulation, running))
		running->bytes = job->points[running->point++].bytes;
	while (!*ended && running->place_ns + TINY_NS >= phase_ns(simulation, running)) {
		changed = true;
		if (running->back) {
			*ended = true;
			break;
		}
		running->back = true;
		running->place_ns = 0;
		while (running->point < job->points_nr && job->points[running->point].place <= 1)
			running->bytes = job->points[running->point++].bytes;
		running->metadata_bytes = running->bytes;
		tell_users(simulation, running->job, JOB_METADATA);
	}
	recount(simulation, running);
	set_next(simulation, running);
	return changed;
}

static void end_job(struct simulation *simulation, size_t i)
{
	struct running *running = &simulation->running[i];

	for (int what = 0; what < HELD_NR; what++)
		count(simulation, running, what, 0);
	simulation->free += 1 + running->extra;
	simulation->kept++;
	tell_users(simulation, running->job, JOB_END);
	add_part(simulation, running->job);
	*running = simulation->running[--simulation->running_nr];
}

/* The schedule goes on to where something changes next. */
static void step(struct simulation *simulation)
{
	double next_ns = DBL_MAX;
	bool changed = false;

	for (size_t i = 0; i < simulation->running_nr; i++)
		next_ns = fmin(next_ns, simulation->running[i].next_ns);
	simulation->now_ns = next_ns;
	simulation->round++;
	for (size_t i = 0; i < simulation->running_nr;) {
		struct running *running = &simulation->running[i];
		bool ended = false;

		if (running->next_ns <= next_ns + TINY_NS && advance(simulation, running, &ended))
			changed = true;
		if (ended)
			end_job(simulation, i);
		else
			i++;
	}
	if (changed) {
		share_tokens(simulation);
		set_speeds(simulation);
	}
	note_peak(simulation);
}

static void begin(struct simulation *simulation, uint32_t session)
{
	const struct job_graph *graph = simulation->graph;
	const struct schedule_options *options = simulation->options;
	size_t end = options->end ? options->end : graph->nr;

	simulation->first = options->end ? options->first : 0;
	simulation->nr = end - simulation->first;
	simulation->waiting = xcalloc(simulation->nr, sizeof(*simulation->waiting));
	simulation->ready = xcalloc(simulation->nr, sizeof(*simulation->ready));
	simulation->whole = xcalloc(simulation->nr, sizeof(*simulation->whole));
	simulation->free = options->jobs;
	for (size_t i = simulation->first; i < end; i++) {
		struct waiting *waiting = waiting_of(simulation, i);

		waiting->for_nr = graph->jobs[i].waits_nr;
		waiting->part_nr = 1 + (graph->jobs[i].library ? waiting->for_nr : 0);
		waiting->order = options->order ? mix(options->order, i) : 0;
		waiting->stretch = to_factor(mix(~options->order, i), options->time_spread);
		waiting->growth = to_factor(mix(~mix(options->order, i), i), options->bytes_spread);
	}
	for (size_t i = simulation->first; i < end; i++) {
		if (graph->jobs[i].session == session && !waiting_of(simulation, i)->for_nr)
			push_ready(simulation, (uint32_t)i);
	}
}

void schedule_run(const struct job_graph *graph, uint32_t session, const struct schedule_job *jobs,
		  const struct schedule_options *options, struct schedule_result *result)
{
	struct simulation simulation = {
		.graph = graph, .jobs = jobs, .options = options, .result = result
	};

	*result = (struct schedule_result){ 0 };
	begin(&simulation, session);
	share_tokens(&simulation);
	set_speeds(&simulation);
	while (simulation.running_nr)
		step(&simulation);
	result->time_ns = simulation.now_ns;
	free(simulation.running);
	free(simulation.ready);
	free(simulation.waiting);
	free(simulation.whole);
}
