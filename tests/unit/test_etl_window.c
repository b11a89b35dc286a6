#include "trace/etl/etl_window.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etl_kernel_fixture.h"
#include "util/alloc.h"
#include "util/array.h"

#define SPAN 100
#define K(n) (0xfffff80000000000 + (n))

struct fixture {
	struct etl_keys *keys;
	struct etl_window *window;
	uint32_t place; /* of the next record */
	struct strbuf payload, text;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->keys = etl_keys_new();
	f->payload = f->text = (struct strbuf)STRBUF_INIT;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	etl_window_free(f->window);
	etl_keys_free(f->keys);
	strbuf_release(&f->payload);
	strbuf_release(&f->text);
	free(f);
	return 0;
}

/* The first look is over. */
static void begin(struct fixture *f)
{
	etl_keys_make(f->keys);
	f->window = etl_window_new(f->keys, SPAN);
}

static void add_sample(struct fixture *f, uint64_t time, uint32_t tid, uint32_t cpu)
{
	etl_window_add(f->window, &(struct etl_waiting){ .kind = ETL_WAITING_SAMPLE,
							 .time = time,
							 .tid = tid,
							 .pid = ETL_NO_ID,
							 .cpu = cpu });
}

static void add_alloc(struct fixture *f, uint64_t time, uint32_t cpu)
{
	etl_window_add(f->window, &(struct etl_waiting){ .kind = ETL_WAITING_MEMORY,
							 .time = time,
							 .tid = ETL_NO_ID,
							 .pid = ETL_NO_ID,
							 .cpu = cpu });
}

/* Either look at a record of the payload. */
static void look(struct fixture *f, uint8_t opcode, uint64_t time, uint32_t cpu)
{
	struct etl_record record = record_of(ETL_STACK_WALK, opcode, 2, &f->payload);
	struct etl_stack stack;

	record.time = time;
	record.cpu = cpu;
	record.offset = f->place;
	if (opcode >= ETL_STACK_CREATE && opcode <= ETL_STACK_RUNDOWN) {
		assert_true(etl_decode_stack_key(&record, &stack));
		etl_keys_define(f->keys, &record, &stack);
	} else {
		assert_true(etl_decode_stack(&record, &stack));
		if (f->window)
			etl_window_add_stack(f->window, &record, &stack);
		else if (etl_window_is_late(SPAN, &record, &stack))
			etl_keys_add_late(f->keys, &record, &stack);
	}
	strbuf_clear(&f->payload);
}

/* A stack of one frame of each kind that is not 0. */
static void add_stack(struct fixture *f, uint64_t recorded, uint32_t cpu, uint64_t time,
		      uint32_t tid, uint64_t kernel, uint64_t user)
{
	const uint64_t frames[] = { kernel ? kernel : user, user };

	put_stack(&f->payload, time, tid + 1000, tid, frames, kernel && user ? 2 : 1);
	look(f, ETL_STACK, recorded, cpu);
}

static void add_key(struct fixture *f, uint8_t opcode, uint64_t recorded, uint32_t cpu,
		    uint64_t time, uint32_t tid, uint64_t key)
{
	put_key(&f->payload, time, tid + 1000, tid, key);
	look(f, opcode, recorded, cpu);
}

static void define(struct fixture *f, uint64_t recorded, uint64_t key, uint64_t leaf, uint64_t root)
{
	const uint64_t frames[] = { leaf, root };

	put_definition(&f->payload, key, frames, 2);
	look(f, ETL_STACK_DELETE, recorded, 0);
}

static void add_part(struct fixture *f, const struct etl_part *part, const char *name)
{
	uint64_t *frames = xcalloc(part->nr + 1, sizeof(*frames));

	etl_window_copy(f->window, part, frames);
	for (uint32_t i = 0; i < part->nr; i++)
		strbuf_addf(&f->text, "%s%" PRIx64, i ? "," : name, frames[i] & 0xfffff);
	free(frames);
}

/* "5/12@1 k10 u20,21": time, thread, processor, stack. */
static void deliver(struct fixture *f, uint64_t now, bool all)
{
	const struct etl_waiting *oldest;

	while ((oldest = etl_window_oldest(f->window, now, all))) {
		strbuf_addf(&f->text, "%s%" PRIu64 "/%d", f->text.len ? "; " : "", oldest->time,
			    (int)oldest->tid);
		if (oldest->pid != ETL_NO_ID)
			assert_int_equal(oldest->pid, oldest->tid + 1000);
		add_part(f, &oldest->kernel, " k");
		add_part(f, &oldest->user, " u");
		etl_window_drop(f->window);
	}
}

static void expect(struct fixture *f, const char *text)
{
	deliver(f, 0, true);
	assert_string_equal(f->text.buf, text);
}

static void etl_window__stacks__go_to_their_event_by_time_and_thread(void **state)
{
	struct fixture *f = *state;

	begin(f);
	add_sample(f, 10, 12, 0);
	add_sample(f, 10, 16, 1);
	add_sample(f, 11, 12, 0);
	add_stack(f, 12, 0, 10, 16, 0, 0x20);
	add_stack(f, 12, 1, 10, 12, K(1), 0x21);
	add_stack(f, 13, 0, 11, 12, K(2), 0);
	add_stack(f, 14, 0, 11, 12, 0, 0x22);
	/* Of events that are none of these. */
	add_stack(f, 14, 0, 9, 12, 0, 0x30);
	add_stack(f, 14, 0, 12, 12, 0, 0x30);
	add_stack(f, 14, 0, 10, 20, 0, 0x30);
	/* There is one already. */
	add_stack(f, 14, 0, 10, 16, 0, 0x30);
	expect(f, "10/12 k1 u21; 10/16 u20; 11/12 k2 u22");
}

static void etl_window__event_without_thread__gets_that_of_its_processor(void **state)
{
	struct fixture *f = *state;

	begin(f);
	add_alloc(f, 10, 0);
	add_alloc(f, 10, 1);
	add_alloc(f, 10, 2);
	add_stack(f, 11, 1, 10, 16, K(1), 0);
	add_stack(f, 11, 0, 10, 12, K(2), 0);
	/* Its thread goes on on another processor; another one's event is none of these. */
	add_stack(f, 12, 0, 10, 16, 0, 0x20);
	add_stack(f, 12, 3, 10, 20, 0, 0x30);
	expect(f, "10/12 k2; 10/16 k1 u20; 10/-1");
}

static void etl_window__coarse_clock__stacks_go_to_events_in_order(void **state)
{
	struct fixture *f = *state;

	begin(f);
	add_sample(f, 10, 12, 0);
	add_stack(f, 10, 0, 10, 12, 0, 0x20);
	add_sample(f, 10, 12, 0);
	add_stack(f, 10, 0, 10, 12, 0, 0x21);
	expect(f, "10/12 u20; 10/12 u21");
}

static void etl_window__events__wait_for_the_span(void **state)
{
	struct fixture *f = *state;

	begin(f);
	add_sample(f, 10, 12, 0);
	add_sample(f, 11, 12, 0);
	deliver(f, 10, false);
	deliver(f, 10 + SPAN, false);
	assert_string_equal(f->text.buf, "");
	add_stack(f, 10 + SPAN, 0, 10, 12, 0, 0x20);
	deliver(f, 11 + SPAN, false);
	assert_string_equal(f->text.buf, "10/12 u20");
	add_stack(f, 12 + SPAN, 0, 10, 12, 0, 0x30);
	add_stack(f, 12 + SPAN, 0, 11, 12, 0, 0x30);
	expect(f, "10/12 u20; 11/12");
}

static void etl_window__part_that_is_late__is_known_from_the_first_look(void **state)
{
	struct fixture *f = *state;
	uint64_t late = 11 + SPAN;

	add_stack(f, late, 3, 10, 12, K(1), 0x20);
	add_stack(f, late, 3, 10, 16, 0, 0x21);
	add_stack(f, late, 3, 5, 16, 0, 0x30);
	add_key(f, ETL_STACK_USER_KEY, late, 3, 10, 20, 7);
	define(f, late + 5, 7, 0x40, 0x41);
	/* In time: not for the first look. */
	add_stack(f, 10 + SPAN, 3, 10, 24, 0, 0x31);
	begin(f);
	add_sample(f, 10, 12, 0);
	add_sample(f, 10, 16, 0);
	add_sample(f, 10, 20, 0);
	add_sample(f, 10, 24, 0);
	/* The second look passes over it. */
	add_stack(f, late, 3, 10, 12, K(1), 0x20);
	expect(f, "10/12 k1 u20; 10/16 u21; 10/20 u40,41; 10/24");
}

static void etl_window__key__is_what_is_defined_next(void **state)
{
	struct fixture *f = *state;

	define(f, 20, 7, 0x20, 0x21);
	define(f, 5, 7, 0x30, 0x31);
	define(f, 40, 7, 0x40, 0x41);
	define(f, 30, 7, 0x40, 0x41);
	define(f, 30, 8, K(0x50), K(0x51));
	begin(f);
	add_sample(f, 10, 12, 0);
	add_key(f, ETL_STACK_USER_KEY, 11, 0, 10, 12, 7);
	add_sample(f, 20, 12, 0);
	add_key(f, ETL_STACK_USER_KEY, 21, 0, 20, 12, 7);
	add_key(f, ETL_STACK_KERNEL_KEY, 21, 0, 20, 12, 8);
	add_sample(f, 38, 12, 0);
	add_key(f, ETL_STACK_USER_KEY, 39, 0, 38, 12, 7);
	add_key(f, ETL_STACK_KERNEL_KEY, 39, 0, 38, 12, 8);
	add_key(f, ETL_STACK_KERNEL_KEY, 39, 0, 38, 12, 9);
	expect(f, "10/12 u20,21; 20/12 k50,51 u40,41; 38/12 u40,41");
}

static void etl_window__definition_of_the_same_time__is_by_place(void **state)
{
	struct fixture *f = *state;

	f->place = 1;
	define(f, 11, 7, 0x20, 0x21);
	f->place = 3;
	define(f, 11, 7, 0x30, 0x31);
	begin(f);
	add_sample(f, 10, 12, 0);
	f->place = 2;
	add_key(f, ETL_STACK_USER_KEY, 11, 0, 10, 12, 7);
	expect(f, "10/12 u30,31");
}

/* Of all that are different so many are kept; earlier ones keep theirs. */
static void etl_keys__more_stacks_than_are_kept__are_counted(void **state)
{
	struct fixture *f = *state;
	uint64_t frames[8000];

	define(f, 20, 7, 0x20, 0x21);
	for (uint64_t i = 0; i < 1100; i++) {
		for (uint64_t k = 0; k < ARRAY_SIZE(frames); k++)
			frames[k] = i << 20 | k;
		put_definition(&f->payload, i + 8, frames, ARRAY_SIZE(frames));
		look(f, ETL_STACK_RUNDOWN, 30, 0);
	}
	assert_in_range(etl_keys_dropped(f->keys), 1, 100);
	add_stack(f, 21 + SPAN, 0, 20, 12, 0, 0x22);
	assert_in_range(etl_keys_dropped(f->keys), 2, 101);
	begin(f);
	add_sample(f, 10, 12, 0);
	add_key(f, ETL_STACK_USER_KEY, 11, 0, 10, 12, 7);
	expect(f, "10/12 u20,21");
}

static void etl_window__many__keep_their_own(void **state)
{
	struct fixture *f = *state;
	uint64_t delivered = 0;

	begin(f);
	for (uint64_t i = 1; i <= 300000; i++) {
		const struct etl_waiting *oldest;
		uint64_t frame = 0;

		add_sample(f, i, 12, 0);
		add_stack(f, i + SPAN / 2, 0, i, 12, 0, i);
		while ((oldest = etl_window_oldest(f->window, i, false))) {
			assert_int_equal(oldest->time, ++delivered);
			assert_int_equal(oldest->user.nr, 1);
			etl_window_copy(f->window, &oldest->user, &frame);
			assert_int_equal(frame, delivered);
			etl_window_drop(f->window);
		}
	}
	assert_int_equal(delivered, 300000 - SPAN - 1);
}

static void etl_window__too_many_wait__the_oldest_goes(void **state)
{
	struct fixture *f = *state;
	size_t nr = 0;

	begin(f);
	for (int i = 0; i < 200000; i++) {
		add_sample(f, 10, 12, 0);
		while (etl_window_oldest(f->window, 10, false)) {
			etl_window_drop(f->window);
			nr++;
		}
	}
	assert_in_range(nr, 1, 199999);
}

/* Each part would look through all that wait. */
static void etl_window__very_coarse_clock__stacks_go_to_the_last_events(void **state)
{
	struct fixture *f = *state;
	const struct etl_waiting *oldest;
	size_t nr = 0;

	begin(f);
	for (uint32_t i = 0; i < 100000; i++) {
		add_sample(f, 10, i, 0);
		add_sample(f, 10, i, 0);
		add_stack(f, 10, 0, 10, i, 0, 0x20);
		add_stack(f, 10, 0, 10, i, 0, 0x21);
		add_stack(f, 10, 0, 10, 200000, 0, 0x30);
		while ((oldest = etl_window_oldest(f->window, 10, false))) {
			uint64_t frame = 0;

			assert_int_equal(oldest->user.nr, 1);
			etl_window_copy(f->window, &oldest->user, &frame);
			assert_int_equal(frame, 0x20 + nr % 2);
			assert_int_equal(oldest->tid, nr++ / 2);
			etl_window_drop(f->window);
		}
	}
	assert_in_range(nr, 1, 199999);
}

/* 16 million frames are 128 MB. */
static void etl_window__too_many_frames_wait__the_oldest_goes(void **state)
{
	struct fixture *f = *state;
	uint64_t frames[8000] = { 0 };
	size_t waiting = 0;

	begin(f);
	for (uint32_t i = 0; i < 2000; i++) {
		add_sample(f, 10, i, 0);
		put_stack(&f->payload, 10, 8, i, frames, ARRAY_SIZE(frames));
		look(f, ETL_STACK, 10, 0);
		waiting++;
		while (etl_window_oldest(f->window, 10, false)) {
			etl_window_drop(f->window);
			waiting--;
		}
		assert_in_range(waiting, 0, 1000);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(etl_window__stacks__go_to_their_event_by_time_and_thread),
		TEST(etl_window__event_without_thread__gets_that_of_its_processor),
		TEST(etl_window__coarse_clock__stacks_go_to_events_in_order),
		TEST(etl_window__events__wait_for_the_span),
		TEST(etl_window__part_that_is_late__is_known_from_the_first_look),
		TEST(etl_window__key__is_what_is_defined_next),
		TEST(etl_window__definition_of_the_same_time__is_by_place),
		TEST(etl_keys__more_stacks_than_are_kept__are_counted),
		TEST(etl_window__many__keep_their_own),
		TEST(etl_window__too_many_wait__the_oldest_goes),
		TEST(etl_window__very_coarse_clock__stacks_go_to_the_last_events),
		TEST(etl_window__too_many_frames_wait__the_oldest_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
