#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/pipeline.h"
#include "platform/thread.h"

#define BATCHES 100

/* Numbers as batches, and which thread finished them. */
struct work {
	struct monitor *monitor;
	size_t slots[PIPELINE_SLOTS];
	size_t made, finished;
	size_t by_user, by_maker;
	bool finishing, wrong;
	size_t fails_at;    /* SIZE_MAX: it ends */
	size_t wait_before; /* of this batch: until all before it are finished; SIZE_MAX: none */
};

static _Thread_local bool is_user;

static void init(struct work *work)
{
	*work = (struct work){ .fails_at = SIZE_MAX, .wait_before = SIZE_MAX };
	work->monitor = monitor_new();
	is_user = true;
}

static void end(struct work *work, struct pipeline *pipeline)
{
	pipeline_free(pipeline);
	monitor_free(work->monitor);
}

static int make(void *data, size_t slot, struct err *err)
{
	struct work *work = data;
	size_t number;

	monitor_enter(work->monitor);
	while (work->made == work->wait_before && work->finished < work->made)
		monitor_wait(work->monitor);
	number = work->made++;
	monitor_leave(work->monitor);
	if (number == work->fails_at)
		return err_set(err, ERR_FAILED, "batch %zu", number);
	work->slots[slot] = number;
	return number < BATCHES;
}

static void finish(void *data, size_t slot)
{
	struct work *work = data;

	monitor_enter(work->monitor);
	work->wrong |= work->finishing || work->slots[slot] != work->finished;
	work->finishing = true;
	monitor_leave(work->monitor);
	monitor_enter(work->monitor);
	work->finishing = false;
	work->slots[slot] += 1000;
	work->finished++;
	work->by_user += is_user;
	work->by_maker += !is_user;
	monitor_wake(work->monitor);
	monitor_leave(work->monitor);
}

static void check_next(struct pipeline *pipeline, const struct work *work, size_t content)
{
	struct err err = ERR_INIT;
	size_t slot;

	assert_int_equal(pipeline_next(pipeline, &slot, &err), 1);
	assert_int_equal(work->slots[slot], content);
}

static void check_all(struct pipeline *pipeline, struct work *work, size_t from)
{
	struct err err = ERR_INIT;
	size_t slot;

	for (size_t i = from; i < BATCHES; i++)
		check_next(pipeline, work, 1000 + i);
	assert_int_equal(pipeline_next(pipeline, &slot, &err), 0);
	assert_int_equal(work->slots[slot], 1000 + BATCHES);
	assert_int_equal(work->finished, BATCHES + 1);
	assert_int_equal(work->by_user + work->by_maker, BATCHES + 1);
	assert_false(work->wrong);
}

static void run_all(int threads)
{
	struct pipeline *pipeline;
	struct work work;

	init(&work);
	pipeline = pipeline_new(make, finish, &work, threads);
	check_all(pipeline, &work, 0);
	if (threads == 1)
		assert_int_equal(work.by_maker, 0);
	end(&work, pipeline);
}

static void pipeline_next__one_thread__all_in_their_order(void **state)
{
	(void)state;
	run_all(1);
}

static void pipeline_next__two_threads__all_in_their_order(void **state)
{
	(void)state;
	run_all(2);
}

/* The first batch is used until the maker, which can make no more, has finished others. */
static void pipeline_next__user_is_slow__maker_finishes(void **state)
{
	struct pipeline *pipeline;
	struct work work;

	(void)state;
	init(&work);
	pipeline = pipeline_new(make, finish, &work, 2);
	check_next(pipeline, &work, 1000);
	monitor_enter(work.monitor);
	while (work.finished < PIPELINE_SLOTS)
		monitor_wait(work.monitor);
	assert_true(work.by_maker >= PIPELINE_SLOTS - 1);
	monitor_leave(work.monitor);
	check_all(pipeline, &work, 1);
	end(&work, pipeline);
}

/* The second batch is being made until the first one is finished. */
static void pipeline_next__maker_is_slow__user_finishes(void **state)
{
	struct pipeline *pipeline;
	struct work work;

	(void)state;
	init(&work);
	work.wait_before = 1;
	pipeline = pipeline_new(make, finish, &work, 2);
	check_all(pipeline, &work, 0);
	assert_true(work.by_user >= 1);
	end(&work, pipeline);
}

static void pipeline_next__making_fails__is_reported_in_its_turn(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct err err = ERR_INIT;
		struct pipeline *pipeline;
		struct work work;
		size_t slot;

		init(&work);
		work.fails_at = 7;
		pipeline = pipeline_new(make, NULL, &work, threads);
		for (size_t i = 0; i < 7; i++)
			check_next(pipeline, &work, i);
		assert_int_equal(pipeline_next(pipeline, &slot, &err), -1);
		assert_string_equal(err.msg, "batch 7");
		err_clear(&err);
		end(&work, pipeline);
	}
}

static void pipeline_free__amid_all__ends(void **state)
{
	struct pipeline *pipeline;
	struct work work;

	(void)state;
	init(&work);
	pipeline = pipeline_new(make, finish, &work, 2);
	check_next(pipeline, &work, 1000);
	pipeline_free(pipeline);
	assert_true(work.made < BATCHES);
	assert_false(work.wrong);
	monitor_free(work.monitor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipeline_next__one_thread__all_in_their_order),
		cmocka_unit_test(pipeline_next__two_threads__all_in_their_order),
		cmocka_unit_test(pipeline_next__user_is_slow__maker_finishes),
		cmocka_unit_test(pipeline_next__maker_is_slow__user_finishes),
		cmocka_unit_test(pipeline_next__making_fails__is_reported_in_its_turn),
		cmocka_unit_test(pipeline_free__amid_all__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
