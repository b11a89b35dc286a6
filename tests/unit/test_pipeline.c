#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/thread.h"
#include "platform/pipeline.h"

#define BATCHES 100

/* Numbers as batches. */
struct work {
	struct monitor *monitor;
	size_t slots[PIPELINE_SLOTS];
	size_t made;
	size_t fails_at; /* SIZE_MAX: it ends */
};

static void init(struct work *work)
{
	*work = (struct work){ .fails_at = SIZE_MAX };
	work->monitor = monitor_new();
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
	number = work->made++;
	monitor_wake(work->monitor);
	monitor_leave(work->monitor);
	if (number == work->fails_at)
		return err_set(err, ERR_FAILED, "batch %zu", number);
	work->slots[slot] = number;
	return number < BATCHES;
}

static void check_next(struct pipeline *pipeline, const struct work *work, size_t content)
{
	struct err err = ERR_INIT;
	size_t slot;

	assert_int_equal(pipeline_next(pipeline, &slot, &err), 1);
	assert_int_equal(work->slots[slot], content);
}

static void run_all(int threads)
{
	struct err err = ERR_INIT;
	struct pipeline *pipeline;
	struct work work;
	size_t slot;

	init(&work);
	pipeline = pipeline_new(make, &work, threads);
	for (size_t i = 0; i < BATCHES; i++)
		check_next(pipeline, &work, i);
	assert_int_equal(pipeline_next(pipeline, &slot, &err), 0);
	assert_int_equal(work.slots[slot], BATCHES);
	assert_int_equal(work.made, BATCHES + 1);
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

/* While the first batch is used, the other slots are filled, and it stays as it is. */
static void pipeline_next__user_is_slow__others_are_made(void **state)
{
	struct pipeline *pipeline;
	struct work work;
	size_t first;
	struct err err = ERR_INIT;

	(void)state;
	init(&work);
	pipeline = pipeline_new(make, &work, 2);
	assert_int_equal(pipeline_next(pipeline, &first, &err), 1);
	monitor_enter(work.monitor);
	while (work.made < PIPELINE_SLOTS)
		monitor_wait(work.monitor);
	monitor_leave(work.monitor);
	assert_int_equal(work.slots[first], 0);
	for (size_t i = 1; i < BATCHES; i++)
		check_next(pipeline, &work, i);
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
		pipeline = pipeline_new(make, &work, threads);
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
	pipeline = pipeline_new(make, &work, 2);
	check_next(pipeline, &work, 0);
	pipeline_free(pipeline);
	assert_true(work.made < BATCHES);
	monitor_free(work.monitor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipeline_next__one_thread__all_in_their_order),
		cmocka_unit_test(pipeline_next__two_threads__all_in_their_order),
		cmocka_unit_test(pipeline_next__user_is_slow__others_are_made),
		cmocka_unit_test(pipeline_next__making_fails__is_reported_in_its_turn),
		cmocka_unit_test(pipeline_free__amid_all__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
