#include "compare/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/schedule.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* Curves of jobs are kept to this share of the most that the job held, and to so many bytes, */
#define CURVE_SHARE 256
#define CURVE_BYTES (256 << 10)
/* and in so many parts of each phase: fewer with very many jobs, so that simulations end soon. */
#define CURVE_PARTS     256
#define CURVE_PARTS_ALL (1 << 18)

/*
 * With each of the assumptions the recorded order and lengths of jobs, and so many random ones. One more random one, as a
 * build is, would be outside of all these with a probability of 2 in DRAWS + 1 at most (docs/fit.md).
 */
#define DRAWS 20

/*
 * By how much the compiles of one recording of a build differ from those of another: standard deviations of the logarithms
 * of how long they take, without what all of a recording have in common, and of their own peaks (docs/fit.md).
 */
#define TIME_SPREAD  0.18
#define BYTES_SPREAD 0.025

/* A compile that uses so much more CPU time than time works with several threads. */
#define SEVERAL_THREADS 1.1

const char *const fits_names[] = { "no", "perhaps", "yes", NULL };

enum pace { PACE_CPU, PACE_WALL, PACES };

struct points {
	struct schedule_point *v;
	size_t nr, alloc;
};

/* The jobs of a session are among those from `first` to before `end`. */
struct job_range {
	uint32_t first, end;
};

struct predictor {
	const struct job_graph *graph;
	struct schedule_job *jobs[PACES]; /* by how long they take */
	struct points *points;            /* by job */
	struct job_range *ranges;         /* by session */
	/* By session: the least and the most that processes of no job held while its jobs ran. */
	int64_t *frames_low, *frames;
	int64_t outside;  /* the most that was held outside of sessions */
	int64_t fixed_ns; /* of the build, outside of sessions */
	bool jobs_given; /* a call of cargo has a -j: those without one are of processors, whatever -j is */
	struct prediction_check check;
	double peak_down, peak_up, time_down, time_up; /* factors of intervals */
};

/* Where the memory of a job is split: what it did before with one thread, and after with several. */
static int64_t split_of(const struct predictor *predictor, uint32_t job)
{
	const struct job *of = &predictor->graph->jobs[job];

	return predictor->jobs[PACE_CPU][job].front_ns > 0 ? of->metadata_ns : of->start_ns;
}

static double place_of(const struct predictor *predictor, uint32_t job, int64_t time_ns)
{
	const struct job *of = &predictor->graph->jobs[job];
	int64_t split_ns = split_of(predictor, job);

	if (time_ns <= of->start_ns)
		return split_ns == of->start_ns;
	if (time_ns >= of->end_ns)
		return 2;
	if (time_ns < split_ns)
		return (double)(time_ns - of->start_ns) / (double)(split_ns - of->start_ns);
	return 1 + (double)(time_ns - split_ns) / (double)(of->end_ns - split_ns);
}

/* Changes of one owner after the other, by time; what ends makes room for what is committed at the same time. */
static int compare_changes(const void *a, const void *b)
{
	const struct curve_change *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int64_t most_of(const struct curve_change *changes, size_t nr)
{
	int64_t held = 0, most = 0;

	for (size_t i = 0; i < nr; i++) {
		wrap_add_to(&held, changes[i].bytes);
		if (held > most)
			most = held;
	}
	return most;
}

static int64_t round_up(int64_t bytes, int64_t step)
{
	return bytes <= 0 ? 0 : bytes > INT64_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

static void add_point(struct points *points, double place, int64_t bytes)
{
	ARRAY_ADD(points->v, points->nr, points->alloc, (struct schedule_point){ place, bytes });
}

/* In each part of its phases the most that it held there, in steps: never below what it was, and above by less than one. */
static void make_points(struct predictor *predictor, uint32_t job,
			const struct curve_change *changes, size_t nr)
{
	struct points *points = &predictor->points[job];
	size_t jobs = predictor->graph->nr;
	double parts = (double)(CURVE_PARTS_ALL / jobs < CURVE_PARTS ? CURVE_PARTS_ALL / jobs + 1
								     : CURVE_PARTS);
	int64_t step = most_of(changes, nr) / CURVE_SHARE, held = 0, shown = 0;

	if (step < CURVE_BYTES)
		step = CURVE_BYTES;
	for (size_t i = 0; i < nr;) {
		double part = floor(place_of(predictor, job, changes[i].time_ns) * parts);
		int64_t most = held;

		for (; i < nr && place_of(predictor, job, changes[i].time_ns) * parts < part + 1;
		     i++) {
			wrap_add_to(&held, changes[i].bytes);
			if (held > most)
				most = held;
		}
		if (most > shown || most <= shown - step) {
			shown = round_up(most, step);
			add_point(points, part / parts, shown);
		}
		/* Nothing may change in the next part: what ended in this one ends there. */
		if (held <= shown - step && part + 1 < 2 * parts) {
			shown = round_up(held, step);
			add_point(points, (part + 1) / parts, shown);
		}
	}
	add_point(points, 2, 0);
}

/* The session whose jobs ran at a time; none: the number of sessions. */
static size_t session_at(const struct job_graph *graph, int64_t time_ns)
{
	size_t nr;

	ARRAY_SEARCH(nr, graph->sessions_nr, i, graph->sessions[i].first_ns <= time_ns);
	return nr && time_ns <= graph->sessions[nr - 1].last_ns ? nr - 1 : graph->sessions_nr;
}

static void raise(int64_t *most, int64_t held)
{
	if (held > *most)
		*most = held;
}

/* Sessions whose first job starts at or before a time begin with what is held. */
static void begin_frames(struct predictor *predictor, size_t *session, int64_t time_ns,
			 int64_t held)
{
	const struct job_graph *graph = predictor->graph;

	for (; *session < graph->sessions_nr && graph->sessions[*session].first_ns <= time_ns;
	     (*session)++) {
		predictor->frames_low[*session] = held;
		predictor->frames[*session] = held;
	}
}

/* What was held by no job. */
static void take_frames(struct predictor *predictor, const struct curve_change *changes, size_t nr)
{
	size_t session = 0;
	int64_t held = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t in = session_at(predictor->graph, changes[i].time_ns);

		begin_frames(predictor, &session, changes[i].time_ns, held);
		wrap_add_to(&held, changes[i].bytes);
		if (in == predictor->graph->sessions_nr) {
			raise(&predictor->outside, held);
			continue;
		}
		raise(&predictor->frames[in], held);
		if (held < predictor->frames_low[in])
			predictor->frames_low[in] = held;
	}
	begin_frames(predictor, &session, INT64_MAX, held);
}

/* Changes with the job in place of the process; those of no job are the last ones. */
static void take_curves(struct predictor *predictor, const struct curves *curves)
{
	const struct job_graph *graph = predictor->graph;
	struct curve_change *changes = xcalloc(curves->nr + 1, sizeof(*changes));

	for (size_t i = 0; i < curves->nr; i++) {
		changes[i] = curves->v[i];
		changes[i].process = changes[i].process < graph->processes_nr
					     ? graph->job_of[changes[i].process]
					     : JOB_NONE;
	}
	if (curves->nr)
		qsort(changes, curves->nr, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < curves->nr;) {
		uint32_t job = changes[i].process;
		size_t nr = 0;

		while (i + nr < curves->nr && changes[i + nr].process == job)
			nr++;
		if (job == JOB_NONE)
			take_frames(predictor, &changes[i], nr);
		else
			make_points(predictor, job, &changes[i], nr);
		i += nr;
	}
	free(changes);
}

/* A phase of a job as it was recorded; nanoseconds. */
struct phase {
	double wall, cpu;
	double wait; /* for a processor; below 0: unknown */
};

/*
 * How long it takes with one thread and a processor: from the CPU time that it used, with what it waited for but
 * processors, to as long as it took. Some of that may be because of other jobs: then it is too long.
 */
static void set_paces(const struct phase *phase, double paces[PACES])
{
	paces[PACE_CPU] = phase->cpu;
	if (phase->wait >= 0)
		paces[PACE_CPU] = fmax(phase->cpu, phase->wall - phase->wait);
	paces[PACE_WALL] = fmax(phase->wall, phase->cpu + fmax(0, phase->wait));
}

/* So many, if one of them took so much of the CPU time. */
static double threads_of(double cpu_ns, double one_ns)
{
	return one_ns > 0 ? fmin(fmax(1, cpu_ns / one_ns), JOBS_MOST) : 1;
}

/* Threads that ran or waited for a processor at a time, of so many at most. */
static double threads_in_work(const struct phase *phase, double most)
{
	return fmin(fmax(1, (phase->cpu + fmax(0, phase->wait)) / phase->wall), most);
}

/* A job without metadata that others wait for. What uses more CPU time than time has several threads in it. */
static void set_one_phase(struct schedule_job *work, struct phase *front, struct phase *back)
{
	front->cpu += back->cpu;
	back->cpu = 0;
	if (front->cpu <= SEVERAL_THREADS * front->wall)
		return;
	work->threads = threads_of(front->cpu, front->wall);
	*back = *front;
	*front = (struct phase){ 0 };
}

static void set_job(struct predictor *predictor, const struct prediction_input *input, uint32_t i)
{
	const struct job *job = &input->graph->jobs[i];
	const struct job_cpu *cpu = &input->cpu[i];
	struct phase front = { .wall = (double)(job->metadata_ns - job->start_ns),
			       .cpu = (double)cpu->front_ns };
	struct phase back = { .wall = (double)(job->end_ns - job->metadata_ns),
			      .cpu = (double)cpu->back_ns + (double)cpu->others_ns };
	struct schedule_job work = { .threads = 1, .recorded_threads = 1, .parts = 1 };
	double front_paces[PACES], back_paces[PACES], all;

	if (!input->cpu_known) {
		front.cpu = front.wall;
		back.cpu = back.wall;
	} else if (back.wall <= 0) {
		set_one_phase(&work, &front, &back);
	} else if (back.cpu > 0) {
		work.threads =
			threads_of(back.cpu, (double)cpu->busiest_ns + (double)cpu->others_ns);
		work.parts = fmax(1, (double)cpu->threads);
	}
	front.cpu = fmin(front.cpu, front.wall);
	all = front.cpu + back.cpu;
	front.wait = cpu->wait_ns < 0 ? -1 : all > 0 ? (double)cpu->wait_ns * front.cpu / all : 0;
	back.wait = cpu->wait_ns < 0 ? -1 : (double)cpu->wait_ns - front.wait;
	if (back.wall <= 0)
		back.wait = fmin(back.wait, 0);
	if (work.parts > 1)
		work.recorded_threads = threads_in_work(&back, work.parts);
	set_paces(&front, front_paces);
	set_paces(&back, back_paces);
	for (int pace = 0; pace < PACES; pace++) {
		predictor->jobs[pace][i] = work;
		predictor->jobs[pace][i].front_ns = front_paces[pace];
		predictor->jobs[pace][i].back_ns = back_paces[pace];
	}
}

/* The peak and time of the whole build, of one simulation. */
struct outcome {
	/* What no job held counts with the least and with the most, parts in work by both assumptions. */
	int64_t peak_low, peak;
	double time_ns;
	bool tokens_short;
};

/* x.py builds bootstrap with as many jobs as there are processors, which its -j does not change. */
static int64_t jobs_of(const struct predictor *predictor, const struct job_session *session,
		       const struct schedule_options *options)
{
	if (session->jobs_max || !predictor->jobs_given || options->cpus < 1)
		return options->jobs;
	return (int64_t)options->cpus;
}

static int64_t least(const struct schedule_result *result)
{
	return result->peak < result->scaled_peak ? result->peak : result->scaled_peak;
}

static int64_t most(const struct schedule_result *result)
{
	return result->peak > result->scaled_peak ? result->peak : result->scaled_peak;
}

static struct outcome simulate(const struct predictor *predictor, enum pace pace,
			       const struct schedule_options *options)
{
	const struct job_graph *graph = predictor->graph;
	struct schedule_options of_session = *options;
	struct outcome outcome = { predictor->outside, predictor->outside,
				   (double)predictor->fixed_ns, false };

	for (uint32_t i = 0; i < graph->sessions_nr; i++) {
		struct schedule_result result;

		of_session.first = predictor->ranges[i].first;
		of_session.end = predictor->ranges[i].end;
		of_session.jobs = jobs_of(predictor, &graph->sessions[i], options);
		schedule_run(graph, i, predictor->jobs[pace], &of_session, &result);
		raise(&outcome.peak_low, wrap_add(least(&result), predictor->frames_low[i]));
		raise(&outcome.peak, wrap_add(most(&result), predictor->frames[i]));
		outcome.time_ns += result.time_ns;
		outcome.tokens_short = outcome.tokens_short ||
				       (result.tokens_short && of_session.jobs == options->jobs);
	}
	return outcome;
}

static void include(struct prediction *prediction, const struct outcome *outcome)
{
	int64_t time_ns = outcome->time_ns < 9e18 ? (int64_t)outcome->time_ns : INT64_MAX;

	if (outcome->peak_low < prediction->peak_low)
		prediction->peak_low = outcome->peak_low;
	raise(&prediction->peak_high, outcome->peak);
	if (time_ns < prediction->time_low_ns)
		prediction->time_low_ns = time_ns;
	raise(&prediction->time_high_ns, time_ns);
	prediction->tokens_short = prediction->tokens_short || outcome->tokens_short;
}

/* All assumptions with each other. */
static void simulate_all(const struct predictor *predictor, int64_t jobs, double cpus,
			 struct prediction *prediction)
{
	*prediction = (struct prediction){ .jobs = jobs,
					   .peak_low = INT64_MAX,
					   .time_low_ns = INT64_MAX };
	for (unsigned int i = 0; i < (1 + DRAWS) * PACES * 2; i++) {
		bool recorded = i < PACES * 2;
		/* Each has an order of its own: where the assumptions change nothing, there are more of them. */
		const struct schedule_options options = { .jobs = jobs,
							  .cpus = cpus,
							  .order = recorded ? 0 : i,
							  .threads_first = i & 1,
							  .time_spread = recorded ? 0 : TIME_SPREAD,
							  .bytes_spread =
								  recorded ? 0 : BYTES_SPREAD };
		struct outcome outcome = simulate(predictor, i / 2 % PACES, &options);

		include(prediction, &outcome);
	}
}

static double ratio(int64_t to, int64_t from)
{
	return from > 0 ? (double)to / (double)from : 1;
}

static int64_t times(int64_t value, double factor)
{
	double product = (double)value * factor;

	return product < 9e18 ? (int64_t)product : INT64_MAX;
}

static int compare_times(const void *a, const void *b)
{
	const struct curve_change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int64_t recorded_peak(const struct curves *curves)
{
	struct curve_change *changes = xcalloc(curves->nr + 1, sizeof(*changes));
	int64_t peak;

	if (curves->nr) {
		memcpy(changes, curves->v, curves->nr * sizeof(*changes));
		qsort(changes, curves->nr, sizeof(*changes), compare_times);
	}
	peak = most_of(changes, curves->nr);
	free(changes);
	return peak;
}

static void check(struct predictor *predictor, const struct prediction_input *input)
{
	struct prediction_check *result = &predictor->check;

	simulate_all(predictor, input->jobs, input->cpus, &result->simulated);
	result->peak = recorded_peak(input->curves);
	result->time_ns = input->end_ns;
	predictor->peak_down = fmin(1, ratio(result->peak, result->simulated.peak_low));
	predictor->peak_up = fmax(1, ratio(result->peak, result->simulated.peak_high));
	predictor->time_down = fmin(1, ratio(result->time_ns, result->simulated.time_low_ns));
	predictor->time_up = fmax(1, ratio(result->time_ns, result->simulated.time_high_ns));
}

/* Without them each of many short sessions would take the time of all. */
static void find_ranges(struct predictor *predictor)
{
	const struct job_graph *graph = predictor->graph;

	predictor->ranges = xcalloc(graph->sessions_nr, sizeof(*predictor->ranges));
	for (uint32_t i = 0; i < graph->nr; i++) {
		struct job_range *range = &predictor->ranges[graph->jobs[i].session];

		if (!range->end)
			range->first = i;
		range->end = i + 1;
	}
}

struct predictor *predictor_new(const struct prediction_input *input)
{
	const struct job_graph *graph = input->graph;
	struct predictor *predictor;

	if (!graph->nr)
		return NULL;
	predictor = xcalloc(1, sizeof(*predictor));
	predictor->graph = graph;
	predictor->points = xcalloc(graph->nr, sizeof(*predictor->points));
	predictor->frames = xcalloc(graph->sessions_nr, sizeof(*predictor->frames));
	predictor->frames_low = xcalloc(graph->sessions_nr, sizeof(*predictor->frames_low));
	find_ranges(predictor);
	predictor->fixed_ns = input->end_ns;
	for (size_t i = 0; i < graph->sessions_nr; i++) {
		const struct job_session *session = &graph->sessions[i];

		predictor->jobs_given = predictor->jobs_given || session->jobs_max;
		predictor->fixed_ns = wrap_subtract(
			predictor->fixed_ns, wrap_subtract(session->last_ns, session->first_ns));
	}
	if (predictor->fixed_ns < 0)
		predictor->fixed_ns = 0;
	for (int pace = 0; pace < PACES; pace++)
		predictor->jobs[pace] = xcalloc(graph->nr, sizeof(struct schedule_job));
	for (uint32_t i = 0; i < graph->nr; i++)
		set_job(predictor, input, i);
	take_curves(predictor, input->curves);
	for (uint32_t i = 0; i < graph->nr * PACES; i++) {
		struct schedule_job *job = &predictor->jobs[i % PACES][i / PACES];

		job->points = predictor->points[i / PACES].v;
		job->points_nr = predictor->points[i / PACES].nr;
	}
	check(predictor, input);
	return predictor;
}

void predictor_free(struct predictor *predictor)
{
	if (!predictor)
		return;
	for (size_t i = 0; i < predictor->graph->nr; i++)
		free(predictor->points[i].v);
	for (int pace = 0; pace < PACES; pace++)
		free(predictor->jobs[pace]);
	free(predictor->points);
	free(predictor->ranges);
	free(predictor->frames);
	free(predictor->frames_low);
	free(predictor);
}

void predictor_run(const struct predictor *predictor, int64_t jobs, double cpus,
		   struct prediction *prediction)
{
	simulate_all(predictor, jobs, cpus, prediction);
	prediction->peak_low = times(prediction->peak_low, predictor->peak_down);
	prediction->peak_high = times(prediction->peak_high, predictor->peak_up);
	prediction->time_low_ns = times(prediction->time_low_ns, predictor->time_down);
	prediction->time_high_ns = times(prediction->time_high_ns, predictor->time_up);
}

const struct prediction_check *predictor_check(const struct predictor *predictor)
{
	return &predictor->check;
}

enum fits prediction_fits(const struct prediction *prediction, int64_t size)
{
	return prediction->peak_high <= size  ? FITS_YES
	       : prediction->peak_low <= size ? FITS_PERHAPS
					      : FITS_NO;
}
