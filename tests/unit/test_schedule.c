#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/schedule.h"

#define MOST 24

/* A build whose jobs and waits are made up. Times are seconds, memory is in MB. */
struct build {
	struct job_graph graph;
	struct job jobs[MOST];
	struct job_wait waits[MOST][MOST];
	struct schedule_job work[MOST];
	struct schedule_point points[MOST][4];
};

static void build_init(struct build *build)
{
	*build = (struct build){ 0 };
	build->graph.jobs = build->jobs;
}

/* A job that holds so much from its start to its end, and works `front` with one thread, `back` with several. */
static uint32_t add(struct build *build, double front, double back, double threads, int64_t mb)
{
	uint32_t job = (uint32_t)build->graph.nr++;

	build->points[job][0] = (struct schedule_point){ 0, mb };
	build->points[job][1] = (struct schedule_point){ 2, 0 };
	build->work[job] = (struct schedule_job){ .front_ns = front * 1e9,
						  .back_ns = back * 1e9,
						  .threads = threads,
						  .recorded_threads = 1,
						  .parts = 1,
						  .points = build->points[job],
						  .points_nr = 2 };
	build->jobs[job].waits = build->waits[job];
	return job;
}

static void wait_for(struct build *build, uint32_t job, uint32_t other, enum job_moment until)
{
	build->waits[job][build->jobs[job].waits_nr++] = (struct job_wait){ other, until };
	build->graph.waits_nr++;
}

/* The more depend on a job, the sooner it starts. */
static void depend(struct build *build, uint32_t job, uint32_t dependents)
{
	build->jobs[job].dependents = dependents;
}

static void simulate(struct build *build, const struct schedule_options *options,
		     struct schedule_result *result)
{
	job_graph_list_users(&build->graph);
	schedule_run(&build->graph, 0, build->work, options, result);
	free(build->graph.users);
	free(build->graph.users_at);
	build->graph.users = NULL;
	build->graph.users_at = NULL;
}

static void run(struct build *build, const struct schedule_options *options, double seconds,
		int64_t peak)
{
	struct schedule_result result;

	simulate(build, options, &result);
	assert_float_equal(result.time_ns / 1e9, seconds, 1e-6);
	assert_int_equal(result.peak, peak);
}

static void schedule_run__one_job_at_a_time__is_serial(void **state)
{
	struct build build;

	(void)state;
	build_init(&build);
	add(&build, 2, 3, 4, 100);
	add(&build, 4, 0, 1, 300);
	add(&build, 1, 6, 2, 200);
	run(&build, &(struct schedule_options){ .jobs = 1 }, 16, 300);
	run(&build, &(struct schedule_options){ .jobs = 1, .threads_first = true }, 16, 300);
}

static void schedule_run__enough_jobs__takes_the_critical_path(void **state)
{
	struct build build;
	uint32_t a, b, c;

	(void)state;
	build_init(&build);
	a = add(&build, 2, 0, 1, 100);
	b = add(&build, 5, 0, 1, 200);
	c = add(&build, 3, 0, 1, 400);
	wait_for(&build, c, a, JOB_END);
	wait_for(&build, c, b, JOB_END);
	run(&build, &(struct schedule_options){ .jobs = 9 }, 8, 400);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 8, 400);
	run(&build, &(struct schedule_options){ .jobs = 1 }, 10, 400);
}

static void schedule_run__needs_metadata_only__starts_while_the_other_goes_on(void **state)
{
	struct build build;
	uint32_t a, b;

	(void)state;
	build_init(&build);
	a = add(&build, 2, 6, 1, 100);
	b = add(&build, 3, 0, 1, 50);
	wait_for(&build, b, a, JOB_METADATA);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 8, 150);
	build.waits[b][0].until = JOB_END;
	run(&build, &(struct schedule_options){ .jobs = 2 }, 11, 100);
}

/* The program is linked from b and a, of which b needs only the metadata: it starts when both have ended. */
static void schedule_run__needs_whole_library__starts_when_all_parts_have_ended(void **state)
{
	struct build build;
	uint32_t a, b, program;

	(void)state;
	build_init(&build);
	a = add(&build, 2, 8, 1, 100);
	b = add(&build, 3, 0, 1, 50);
	program = add(&build, 1, 0, 1, 70);
	build.jobs[a].library = build.jobs[b].library = true;
	wait_for(&build, b, a, JOB_METADATA);
	wait_for(&build, program, b, JOB_WHOLE);
	run(&build, &(struct schedule_options){ .jobs = 3 }, 11, 150);
	build.waits[program][0].until = JOB_END;
	run(&build, &(struct schedule_options){ .jobs = 3 }, 10, 170);
	/* What a macro was made of matters no more. */
	build.waits[program][0].until = JOB_WHOLE;
	build.jobs[b].library = false;
	run(&build, &(struct schedule_options){ .jobs = 3 }, 10, 170);
}

static void schedule_run__free_tokens__are_for_threads_after_metadata(void **state)
{
	struct build build;

	(void)state;
	build_init(&build);
	add(&build, 2, 8, 4, 100);
	run(&build, &(struct schedule_options){ .jobs = 1 }, 10, 100);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 6, 100);
	run(&build, &(struct schedule_options){ .jobs = 4 }, 4, 100);
	run(&build, &(struct schedule_options){ .jobs = 64 }, 4, 100);
}

static void schedule_run__most_depend_on_it__is_first(void **state)
{
	struct build build;
	uint32_t first, last;

	(void)state;
	build_init(&build);
	add(&build, 4, 0, 1, 10);
	add(&build, 4, 0, 1, 10);
	first = add(&build, 1, 0, 1, 10);
	last = add(&build, 7, 0, 1, 10);
	wait_for(&build, last, first, JOB_END);
	depend(&build, first, 1);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 8, 20);
	depend(&build, first, 0);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 12, 20);
}

/* A compile has metadata at 1; then another one may start, or it gets a second thread. */
static void schedule_run__thread_and_job_want_a_token__as_the_option_says(void **state)
{
	struct build build;
	uint32_t a, b;

	(void)state;
	build_init(&build);
	a = add(&build, 1, 4, 2, 100);
	b = add(&build, 6, 0, 1, 100);
	wait_for(&build, b, a, JOB_METADATA);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 7, 200);
	run(&build, &(struct schedule_options){ .jobs = 2, .threads_first = true }, 9, 100);
}

/* The token of a job that ends is cargo's: it does not go to a thread of another one. */
static void schedule_run__threads_first__job_follows_job(void **state)
{
	struct build build;
	uint32_t b, c;

	(void)state;
	build_init(&build);
	add(&build, 0, 8, 2, 100);
	b = add(&build, 2, 0, 1, 100);
	c = add(&build, 2, 0, 1, 100);
	wait_for(&build, c, b, JOB_END);
	run(&build, &(struct schedule_options){ .jobs = 2, .threads_first = true }, 6, 200);
}

/* As much waits for both: what became ready just now goes before what was ready from the start. */
static void schedule_run__ready_last__is_first(void **state)
{
	struct build build;
	uint32_t a, b;

	(void)state;
	build_init(&build);
	depend(&build, add(&build, 2, 0, 1, 500), 2);
	a = add(&build, 1, 0, 1, 10);
	depend(&build, a, 1);
	add(&build, 1, 0, 1, 900);
	b = add(&build, 1, 0, 1, 100);
	wait_for(&build, b, a, JOB_END);
	run(&build, &(struct schedule_options){ .jobs = 2 }, 3, 900);
}

/* The mean of a factor is nearly 1, and nine in ten are within 1.65 standard deviations. */
static void schedule_run__spread__is_as_wide_as_asked(void **state)
{
	struct build build;
	int within = 0;
	double logarithms = 0;

	(void)state;
	build_init(&build);
	add(&build, 1, 0, 1, 1000000);
	for (uint64_t order = 1; order <= 1000; order++) {
		const struct schedule_options options = {
			.jobs = 1, .order = order, .time_spread = 0.2, .bytes_spread = 0.1
		};
		struct schedule_result result;
		double grown;

		simulate(&build, &options, &result);
		grown = log((double)result.peak / 1e6);
		assert_int_equal(result.peak, result.scaled_peak);
		within +=
			fabs(log(result.time_ns / 1e9)) < 0.2 * 1.645 && fabs(grown) < 0.1 * 1.645;
		logarithms += grown;
	}
	assert_in_range(within, 770, 850);
	assert_true(fabs(logarithms) < 10);
	run(&build, &(struct schedule_options){ .jobs = 1, .order = 3 }, 1, 1000000);
}

static void schedule_run__few_processors__all_go_on_slower(void **state)
{
	struct build build;

	(void)state;
	build_init(&build);
	for (int i = 0; i < 4; i++)
		add(&build, 3, 0, 1, 100);
	run(&build, &(struct schedule_options){ .jobs = 4 }, 3, 400);
	run(&build, &(struct schedule_options){ .jobs = 4, .cpus = 2 }, 6, 400);
	run(&build, &(struct schedule_options){ .jobs = 2, .cpus = 2 }, 6, 200);
}

static void schedule_run__curve__is_held_at_its_places(void **state)
{
	struct build build;

	(void)state;
	build_init(&build);
	add(&build, 2, 2, 1, 0);
	add(&build, 1, 0, 1, 100);
	build.points[0][0] = (struct schedule_point){ 0.75, 300 };
	build.points[0][1] = (struct schedule_point){ 1.5, 900 };
	build.points[0][2] = (struct schedule_point){ 2, 0 };
	build.work[0].points_nr = 3;
	run(&build, &(struct schedule_options){ .jobs = 2 }, 4, 900);
	build.work[1].front_ns = 2e9;
	run(&build, &(struct schedule_options){ .jobs = 2 }, 4, 900);
	build.work[1].front_ns = 4e9;
	run(&build, &(struct schedule_options){ .jobs = 2 }, 4, 1000);
}

static void run_scaled(struct build *build, int64_t jobs, int64_t peak, int64_t scaled_peak)
{
	struct schedule_result result;

	simulate(build, &(struct schedule_options){ .jobs = jobs }, &result);
	assert_int_equal(result.peak, peak);
	assert_int_equal(result.scaled_peak, scaled_peak);
}

/* 100 when metadata is written and 400 at the end, with one thread: 2 parts, the one in work and the next, have 300. */
static void schedule_run__parts_in_work__scale_memory(void **state)
{
	struct build build;

	(void)state;
	build_init(&build);
	add(&build, 1, 6, 3, 100);
	build.points[0][1] = (struct schedule_point){ 1.5, 400 };
	build.points[0][2] = (struct schedule_point){ 2, 0 };
	build.work[0].points_nr = 3;
	build.work[0].parts = 16;
	run_scaled(&build, 3, 400, 100 + 300 * 4 / 2);
	run_scaled(&build, 1, 400, 400);
	build.work[0].recorded_threads = 3;
	run_scaled(&build, 1, 400, 100 + 300 * 2 / 4);
}

/* Beside a job of centuries a nanosecond is nothing: the schedule ends. */
static void schedule_run__times_far_apart__ends(void **state)
{
	struct build build;
	struct schedule_result result;

	(void)state;
	build_init(&build);
	add(&build, 4e9, 0, 1, 100);
	add(&build, 4e9, 3e-9, 1, 100);
	build.points[1][0].place = 1e-19;
	simulate(&build, &(struct schedule_options){ .jobs = 1 }, &result);
	assert_float_equal(result.time_ns, 8e18, 1e6);
}

static uint32_t random_below(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

static void make_random(struct build *build, uint32_t *seed)
{
	build_init(build);
	for (uint32_t i = 0; i < MOST; i++) {
		bool compiles = random_below(seed, 3) > 0;

		add(build, 1 + random_below(seed, 9), compiles ? random_below(seed, 20) : 0,
		    compiles ? 1 + random_below(seed, 8) : 1, 1 + random_below(seed, 500));
		for (uint32_t k = 0; k < i; k++) {
			if (!random_below(seed, 5))
				wait_for(build, i, k, (enum job_moment)random_below(seed, 3));
		}
		build->jobs[i].library = compiles && random_below(seed, 2);
		depend(build, i, random_below(seed, 5));
	}
}

/* The longest way through the graph if each job has all the threads that it can use. */
static double critical_path(const struct build *build)
{
	double ready[MOST][3] = { { 0 } }, longest = 0;

	for (size_t i = 0; i < build->graph.nr; i++) {
		double start = 0, parts = 0;

		for (size_t k = 0; k < build->jobs[i].waits_nr; k++) {
			const struct job_wait *wait = &build->jobs[i].waits[k];

			start = fmax(start, ready[wait->job][wait->until]);
			parts = fmax(parts, ready[wait->job][JOB_WHOLE]);
		}
		ready[i][JOB_METADATA] = start + build->work[i].front_ns;
		ready[i][JOB_END] =
			ready[i][JOB_METADATA] + build->work[i].back_ns / build->work[i].threads;
		ready[i][JOB_WHOLE] = fmax(ready[i][JOB_END], build->jobs[i].library ? parts : 0);
		longest = fmax(longest, ready[i][JOB_END]);
	}
	return longest;
}

static void schedule_run__random_graphs__keep_what_holds_for_all(void **state)
{
	struct build build;
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		double path, work = 0;
		int64_t memory = 0, largest = 0;

		make_random(&build, &seed);
		path = critical_path(&build);
		for (size_t i = 0; i < build.graph.nr; i++) {
			work += build.work[i].front_ns + build.work[i].back_ns;
			memory += build.points[i][0].bytes;
			if (build.points[i][0].bytes > largest)
				largest = build.points[i][0].bytes;
		}
		for (int64_t jobs = 1; jobs < 200; jobs += jobs) {
			for (unsigned int i = 0; i < 4; i++) {
				const struct schedule_options options = { .jobs = jobs,
									  .order = i,
									  .threads_first = i & 1 };
				struct schedule_result result;

				simulate(&build, &options, &result);
				assert_true(result.time_ns >= path * (1 - 1e-9));
				assert_true(result.time_ns >= work / (double)jobs * (1 - 1e-9));
				assert_true(result.time_ns <= work * (1 + 1e-9));
				assert_true(result.peak >= largest && result.peak <= memory);
				assert_true(result.most <= (size_t)jobs);
				if (jobs == 1) {
					assert_float_equal(result.time_ns, work, work * 1e-9);
					assert_int_equal(result.peak, largest);
				}
				if (jobs > 128)
					assert_float_equal(result.time_ns, path, path * 1e-9);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedule_run__one_job_at_a_time__is_serial),
		cmocka_unit_test(schedule_run__enough_jobs__takes_the_critical_path),
		cmocka_unit_test(schedule_run__needs_metadata_only__starts_while_the_other_goes_on),
		cmocka_unit_test(
			schedule_run__needs_whole_library__starts_when_all_parts_have_ended),
		cmocka_unit_test(schedule_run__free_tokens__are_for_threads_after_metadata),
		cmocka_unit_test(schedule_run__most_depend_on_it__is_first),
		cmocka_unit_test(schedule_run__thread_and_job_want_a_token__as_the_option_says),
		cmocka_unit_test(schedule_run__threads_first__job_follows_job),
		cmocka_unit_test(schedule_run__ready_last__is_first),
		cmocka_unit_test(schedule_run__spread__is_as_wide_as_asked),
		cmocka_unit_test(schedule_run__few_processors__all_go_on_slower),
		cmocka_unit_test(schedule_run__curve__is_held_at_its_places),
		cmocka_unit_test(schedule_run__parts_in_work__scale_memory),
		cmocka_unit_test(schedule_run__times_far_apart__ends),
		cmocka_unit_test(schedule_run__random_graphs__keep_what_holds_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
