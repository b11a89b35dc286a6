#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/prediction.h"
#include "util/alloc.h"

#define MOST 12
#define S    INT64_C(1000000000)
#define MB   (INT64_C(1) << 20)

/* A recorded build: jobs, each of which is one process, and cargo, which is the last process. Times are seconds. */
struct build {
	struct job_graph graph;
	struct job jobs[MOST];
	struct job_wait waits[MOST][MOST];
	struct job_session session;
	uint32_t job_of[MOST + 1];
	struct job_cpu cpu[MOST];
	struct curves curves;
	struct prediction_input input;
};

static void build_init(struct build *build, int64_t jobs, double end)
{
	memset(build, 0, sizeof(*build));
	build->session = (struct job_session){ .first_ns = INT64_MAX };
	build->graph = (struct job_graph){ .jobs = build->jobs,
					   .sessions = &build->session,
					   .sessions_nr = 1,
					   .job_of = build->job_of,
					   .processes_nr = MOST + 1 };
	for (size_t i = 0; i <= MOST; i++)
		build->job_of[i] = JOB_NONE;
	build->input = (struct prediction_input){ .graph = &build->graph,
						  .cpu = build->cpu,
						  .cpu_known = true,
						  .curves = &build->curves,
						  .end_ns = (int64_t)(end * (double)S),
						  .jobs = jobs };
}

/* A job with one thread that did nothing but compute, and held so much from its start to its end. */
static uint32_t add(struct build *build, double start, double metadata, double end, int64_t mb)
{
	uint32_t i = (uint32_t)build->graph.nr++;
	struct job *job = &build->jobs[i];

	*job = (struct job){ .waits_nr = job->waits_nr,
			     .process = i,
			     .compiler = i,
			     .compiles = true,
			     .start_ns = (int64_t)(start * (double)S),
			     .metadata_ns = (int64_t)(metadata * (double)S),
			     .end_ns = (int64_t)(end * (double)S),
			     .waits = build->waits[i] };
	build->job_of[i] = i;
	build->cpu[i] = (struct job_cpu){ .front_ns = job->metadata_ns - job->start_ns,
					  .back_ns = job->end_ns - job->metadata_ns,
					  .busiest_ns = job->end_ns - job->metadata_ns,
					  .wait_ns = -1 };
	if (job->start_ns < build->session.first_ns)
		build->session.first_ns = job->start_ns;
	if (job->end_ns > build->session.last_ns)
		build->session.last_ns = job->end_ns;
	curves_add(&build->curves, i, job->start_ns, job->end_ns, mb * MB);
	return i;
}

static void wait_for(struct build *build, uint32_t job, uint32_t other, enum job_moment until)
{
	build->waits[job][build->jobs[job].waits_nr++] = (struct job_wait){ other, until };
	build->graph.waits_nr++;
}

static struct predictor *new_predictor(struct build *build)
{
	job_graph_list_users(&build->graph);
	return predictor_new(&build->input);
}

static struct prediction predict(struct build *build, int64_t jobs)
{
	struct predictor *predictor = new_predictor(build);
	struct prediction prediction;

	predictor_run(predictor, jobs, 0, &prediction);
	predictor_free(predictor);
	return prediction;
}

static void build_release(struct build *build)
{
	curves_release(&build->curves);
	free(build->graph.users);
	free(build->graph.users_at);
}

/* Between these, with what recordings differ by: of one compile or two, hardly by a tenth. */
static void assert_peaks(const struct prediction *prediction, int64_t low_mb, int64_t high_mb)
{
	assert_in_range(prediction->peak_low, low_mb * MB * 9 / 10, low_mb * MB);
	assert_in_range(prediction->peak_high, high_mb * MB, high_mb * MB * 11 / 10);
}

static void assert_peak(const struct prediction *prediction, int64_t mb)
{
	assert_peaks(prediction, mb, mb);
}

/* Jobs take longer or shorter, in both directions by about the same factor. */
static void assert_time(const struct prediction *prediction, double seconds)
{
	double low = (double)prediction->time_low_ns / (double)S;
	double high = (double)prediction->time_high_ns / (double)S;

	assert_true(low <= seconds + 1e-6 && low >= 0.5 * seconds);
	assert_true(high >= seconds - 1e-6 && high <= 2 * seconds);
	assert_true(fabs(log(sqrt(low * high) / seconds)) < 0.2);
}

static void predictor_run__two_jobs_one_by_one__meet_with_two(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 1, 20);
	add(&build, 0, 10, 10, 1000);
	add(&build, 10, 20, 20, 500);
	prediction = predict(&build, 2);
	assert_peak(&prediction, 1500);
	assert_time(&prediction, 10);
	prediction = predict(&build, 1);
	assert_peak(&prediction, 1000);
	assert_time(&prediction, 20);
	build_release(&build);
}

/* The time before the first job and after the last one stays. What cargo holds is held with each job. */
static void predictor_run__outside_of_jobs__stays(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 2, 100);
	add(&build, 30, 40, 40, 512);
	add(&build, 30, 40, 40, 256);
	curves_add(&build.curves, MOST, 1 * S, 95 * S, 100 * MB);
	curves_add(&build.curves, MOST, 96 * S, 97 * S, 640 * MB);
	prediction = predict(&build, 2);
	assert_peak(&prediction, 868);
	assert_time(&prediction, 100);
	prediction = predict(&build, 1);
	assert_peak(&prediction, 640);
	assert_true(prediction.time_low_ns >= 100 * S && prediction.time_low_ns <= 110 * S);
	assert_true(prediction.time_high_ns >= 110 * S && prediction.time_high_ns <= 125 * S);
	build_release(&build);
}

/* Where in a session cargo held what it held is not the same with other jobs. */
static void predictor_run__held_by_no_job_for_a_part__is_counted_or_not(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 1, 100);
	add(&build, 30, 40, 40, 512);
	curves_add(&build.curves, MOST, 32 * S, 34 * S, 100 * MB);
	prediction = predict(&build, 1);
	assert_peaks(&prediction, 512, 612);
	build_release(&build);
}

/* A compile that used 2 s of CPU time a second after its metadata takes that time with one token, half of it with two. */
static void predictor_run__codegen_threads__shrink_with_jobs(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 2, 14);
	add(&build, 0, 4, 14, 100);
	build.cpu[0].back_ns = 20 * S;
	build.cpu[0].busiest_ns = 5 * S;
	build.cpu[0].threads = 8;
	prediction = predict(&build, 1);
	assert_time(&prediction, 24);
	prediction = predict(&build, 2);
	assert_time(&prediction, 14);
	prediction = predict(&build, 16);
	assert_time(&prediction, 9);
	build_release(&build);
}

/* Four units were in work on two processors, two of them waiting: with -j 1 it is one, and what it holds is for fewer. */
static void predictor_run__threads_that_waited__are_in_work(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 4, 14);
	build.input.cpus = 2;
	add(&build, 0, 4, 14, 100);
	curves_add(&build.curves, 0, 5 * S, 13 * S, 500 * MB);
	build.cpu[0] = (struct job_cpu){ .front_ns = 2 * S,
					 .back_ns = 20 * S,
					 .busiest_ns = 5 * S,
					 .threads = 8,
					 .wait_ns = 22 * S };
	prediction = predict(&build, 1);
	assert_peaks(&prediction, 100 + 500 * 2 / 5, 600);
	build_release(&build);
}

static void predictor_run__script_with_several_processes__is_serial_with_one_job(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 4, 10);
	add(&build, 0, 10, 10, 100);
	build.cpu[0].front_ns = 0;
	build.cpu[0].others_ns = 30 * S;
	prediction = predict(&build, 1);
	assert_time(&prediction, 30);
	prediction = predict(&build, 4);
	assert_time(&prediction, 10);
	build_release(&build);
}

/* It ran for 20 s, of which it waited for a processor for 15: alone it takes 5 s. */
static void predictor_run__waited_for_processors__is_faster_alone(void **state)
{
	struct build build;
	struct prediction prediction;

	(void)state;
	build_init(&build, 2, 20);
	build.input.cpus = 1;
	add(&build, 0, 20, 20, 100);
	add(&build, 0, 20, 20, 100);
	for (int i = 0; i < 2; i++) {
		build.cpu[i].front_ns = 5 * S;
		build.cpu[i].wait_ns = 15 * S;
	}
	prediction = predict(&build, 2);
	assert_true(prediction.time_low_ns <= 6 * S);
	build_release(&build);
}

/* Another call of cargo has the -j: this one, without any, has as many jobs as processors with each -j. */
static void predictor_run__call_without_j__goes_by_processors(void **state)
{
	struct build build;
	struct job_session sessions[2];
	struct predictor *predictor;
	struct prediction prediction;

	(void)state;
	build_init(&build, 1, 20);
	add(&build, 0, 10, 10, 300);
	add(&build, 0, 10, 10, 300);
	sessions[0] = build.session;
	sessions[1] = (struct job_session){ .start_ns = 10 * S,
					    .end_ns = 20 * S,
					    .first_ns = 11 * S,
					    .last_ns = 12 * S,
					    .jobs_max = 1 };
	build.graph.sessions = sessions;
	build.graph.sessions_nr = 2;
	build.input.cpus = 2;
	predictor = new_predictor(&build);
	predictor_run(predictor, 1, 2, &prediction);
	assert_peak(&prediction, 600);
	predictor_run(predictor, 8, 1, &prediction);
	assert_peak(&prediction, 300);
	sessions[1].jobs_max = 0;
	predictor_free(predictor);
	predictor = new_predictor(&build);
	predictor_run(predictor, 8, 1, &prediction);
	assert_in_range(prediction.peak_high, 1100 * MB, 1320 * MB);
	predictor_free(predictor);
	build_release(&build);
}

/* Many short calls of cargo: each takes the time of its own jobs, else this would not end. */
static void predictor_run__ten_thousand_calls__end(void **state)
{
	enum { CALLS = 10000 };
	struct build build;
	struct job *jobs = xcalloc(CALLS, sizeof(*jobs));
	struct job_session *sessions = xcalloc(CALLS, sizeof(*sessions));
	struct job_cpu *cpu = xcalloc(CALLS, sizeof(*cpu));
	struct predictor *predictor;
	struct prediction prediction;

	(void)state;
	build_init(&build, 4, CALLS);
	for (uint32_t i = 0; i < CALLS; i++) {
		int64_t start_ns = i * S, end_ns = start_ns + S;

		jobs[i] = (struct job){ .session = i,
					.compiles = true,
					.start_ns = start_ns,
					.metadata_ns = end_ns,
					.end_ns = end_ns };
		sessions[i] = (struct job_session){ .start_ns = start_ns,
						    .end_ns = end_ns,
						    .first_ns = start_ns,
						    .last_ns = end_ns,
						    .jobs_max = 4 };
		cpu[i].front_ns = S;
		cpu[i].wait_ns = -1;
	}
	build.graph.jobs = jobs;
	build.graph.nr = CALLS;
	build.graph.sessions = sessions;
	build.graph.sessions_nr = CALLS;
	build.input.cpu = cpu;
	predictor = new_predictor(&build);
	predictor_run(predictor, 1, 4, &prediction);
	assert_true(prediction.time_low_ns <= CALLS * S && prediction.time_high_ns >= CALLS * S);
	predictor_free(predictor);
	build_release(&build);
	free(cpu);
	free(sessions);
	free(jobs);
}

/* A thousand blocks one after the other, and one high one for a thousandth of the time: none is lost or lasts. */
static void predictor_check__many_changes__keeps_their_height(void **state)
{
	struct build build;
	struct predictor *predictor;

	(void)state;
	build_init(&build, 1, 100);
	add(&build, 0, 30, 100, 100);
	for (int i = 0; i < 1000; i++)
		curves_add(&build.curves, 0, i * S / 10, i * S / 10 + S / 20,
			   (i % 7 + 1) * 10 * MB);
	curves_add(&build.curves, 0, 70 * S, 70 * S + S / 10, 1000 * MB);
	add(&build, 0, 30, 30, 400);
	wait_for(&build, 1, 0, JOB_END);
	predictor = new_predictor(&build);
	assert_in_range(predictor_check(predictor)->simulated.peak_high, 1100 * MB, 1300 * MB);
	predictor_free(predictor);

	/* The second job runs after the high one: both never meet. */
	build.waits[1][0].until = JOB_METADATA;
	build.jobs[0].metadata_ns = 71 * S;
	predictor = new_predictor(&build);
	assert_in_range(predictor_check(predictor)->simulated.peak_high, 1100 * MB, 1300 * MB);
	predictor_free(predictor);
	build_release(&build);
}

static void predictor_check__model_misses_the_recording__widens_all(void **state)
{
	struct build build;
	struct predictor *predictor;
	struct prediction prediction;

	(void)state;
	/* With -j1, and yet two ran at a time: something that the model does not know. */
	build_init(&build, 1, 40);
	add(&build, 0, 10, 10, 1000);
	add(&build, 0, 10, 10, 500);
	predictor = new_predictor(&build);
	assert_int_equal(predictor_check(predictor)->peak, 1500 * MB);
	assert_int_equal(predictor_check(predictor)->time_ns, 40 * S);
	assert_peak(&predictor_check(predictor)->simulated, 1000);
	predictor_run(predictor, 1, 0, &prediction);
	assert_in_range(prediction.peak_low, 900 * MB, 1000 * MB);
	assert_in_range(prediction.peak_high, 1500 * MB - 1, 1500 * MB);
	predictor_run(predictor, 2, 0, &prediction);
	assert_in_range(prediction.peak_high, 2000 * MB, 2400 * MB);
	predictor_free(predictor);
	build_release(&build);
}

static void predictor_new__no_jobs__has_nothing_to_say(void **state)
{
	struct build build;

	(void)state;
	build_init(&build, 1, 40);
	assert_null(new_predictor(&build));
	predictor_free(NULL);
	build_release(&build);
}

static uint32_t random_below(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* A build of random jobs, each of which begins when what it waits for is ready, with enough tokens for all. */
static void make_random(struct build *build, uint32_t *seed)
{
	double last = 0;

	build_init(build, MOST * 2, 0);
	for (uint32_t i = 0; i < MOST; i++) {
		double start = 1, front = 1 + random_below(seed, 9), back = random_below(seed, 9);

		for (uint32_t k = 0; k < i; k++) {
			const struct job *job = &build->jobs[k];
			bool metadata = random_below(seed, 2);
			double ready =
				(double)(metadata ? job->metadata_ns : job->end_ns) / (double)S;

			if (random_below(seed, 4))
				continue;
			wait_for(build, i, k, metadata ? JOB_METADATA : JOB_END);
			start = ready > start ? ready : start;
		}
		add(build, start, start + front, start + front + back, 1 + random_below(seed, 900));
		last = start + front + back > last ? start + front + back : last;
	}
	build->input.end_ns = (int64_t)((last + 1) * (double)S);
}

static void predictor_run__random_builds__interval_holds_the_recording(void **state)
{
	uint32_t seed = 5;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct build build;
		struct predictor *predictor;
		const struct prediction_check *check;
		struct prediction own, serial;

		make_random(&build, &seed);
		predictor = new_predictor(&build);
		check = predictor_check(predictor);
		/* The model alone: the first order has no spread, and makes the recorded schedule. */
		assert_true(check->simulated.time_low_ns <= check->time_ns + 1000);
		assert_true(check->simulated.time_high_ns >= check->time_ns - 1000);
		assert_true(check->simulated.peak_low <= check->peak * 1.01);
		assert_true(check->simulated.peak_high >= check->peak);
		predictor_run(predictor, build.input.jobs, 0, &own);
		assert_true(own.peak_low <= check->peak && own.peak_high >= check->peak);
		assert_true(own.time_low_ns <= check->time_ns &&
			    own.time_high_ns >= check->time_ns);
		assert_false(own.tokens_short);
		predictor_run(predictor, 1, 0, &serial);
		assert_true(serial.time_high_ns >= own.time_high_ns);
		assert_true(serial.peak_low <= own.peak_high && serial.tokens_short);
		predictor_free(predictor);
		build_release(&build);
	}
}

static void prediction_fits__sizes__yes_perhaps_no(void **state)
{
	const struct prediction prediction = { .peak_low = 10, .peak_high = 20 };

	(void)state;
	assert_int_equal(prediction_fits(&prediction, 9), FITS_NO);
	assert_int_equal(prediction_fits(&prediction, 10), FITS_PERHAPS);
	assert_int_equal(prediction_fits(&prediction, 19), FITS_PERHAPS);
	assert_int_equal(prediction_fits(&prediction, 20), FITS_YES);
	assert_string_equal(fits_names[FITS_PERHAPS], "perhaps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predictor_run__two_jobs_one_by_one__meet_with_two),
		cmocka_unit_test(predictor_run__outside_of_jobs__stays),
		cmocka_unit_test(predictor_run__held_by_no_job_for_a_part__is_counted_or_not),
		cmocka_unit_test(predictor_run__codegen_threads__shrink_with_jobs),
		cmocka_unit_test(
			predictor_run__script_with_several_processes__is_serial_with_one_job),
		cmocka_unit_test(predictor_run__threads_that_waited__are_in_work),
		cmocka_unit_test(predictor_run__waited_for_processors__is_faster_alone),
		cmocka_unit_test(predictor_run__call_without_j__goes_by_processors),
		cmocka_unit_test(predictor_run__ten_thousand_calls__end),
		cmocka_unit_test(predictor_check__many_changes__keeps_their_height),
		cmocka_unit_test(predictor_check__model_misses_the_recording__widens_all),
		cmocka_unit_test(predictor_new__no_jobs__has_nothing_to_say),
		cmocka_unit_test(predictor_run__random_builds__interval_holds_the_recording),
		cmocka_unit_test(prediction_fits__sizes__yes_perhaps_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
