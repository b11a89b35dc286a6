/*
 * The buffers of a file in their order, however many threads unpack them.
 */
#include "etl_fixture.h"

#include "trace/etl/etl_ahead.h"

#define BUFFERS 300 /* behind the first one */

/* Plain ones, packed ones of many lengths, and one in seven that can't be unpacked. */
static struct etl_file *make_file(struct making *making)
{
	making_init(making);
	add_first_buffer(making);
	for (unsigned i = 1; i <= BUFFERS; i++) {
		begin_buffer(making, 0, i, i % 2 ? 0x60 : 0x20);
		for (unsigned k = 0; k < 1 + i % 50; k++)
			add_event(making, 1000 + i, i % 256);
		if (i % 2 == 0)
			end_buffer(making, ETL_SIZE);
		else if (i % 7)
			end_plain(making);
		else
			end_packed(making, "\xff\xff\xff\xff", 4);
	}
	return open_making(making);
}

/* Its events are those of buffer `number`. */
static void assert_buffer(struct etl_buffer *buffer, struct etl_file *file, unsigned number)
{
	bool damaged = number % 2 && number % 7 == 0;
	struct etl_record record;
	unsigned nr = 0;

	assert_int_equal(buffer->extent.sequence, number);
	assert_int_equal(buffer->session, 3);
	for (; etl_buffer_next(buffer, file, &record); nr++) {
		if (number == 0)
			continue;
		assert_int_equal(record.opcode, number % 256);
		assert_int_equal(record.time, 1000 + number);
	}
	assert_int_equal(nr, number == 0 ? 1 : damaged ? 0 : 1 + number % 50);
}

static void etl_ahead_next__one_thread_or_two__in_order(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct making making;
		struct etl_file *file = make_file(&making);
		struct etl_buffer *buffer = NULL;
		struct etl_ahead *ahead = NULL;
		struct err err = ERR_INIT;

		assert_int_equal(etl_ahead_new(file, 3, threads, &ahead, &err), 0);
		for (unsigned i = 0; i <= BUFFERS; i++) {
			assert_int_equal(etl_ahead_next(ahead, &buffer, &err), 1);
			assert_buffer(buffer, file, i);
		}
		assert_int_equal(etl_ahead_next(ahead, &buffer, &err), 0);
		assert_int_equal(etl_ahead_next(ahead, &buffer, &err), 0);
		assert_int_equal(etl_file_damage(file)->buffers, 21);
		etl_ahead_free(ahead);
		etl_file_free(file);
		strbuf_release(&making.bytes);
	}
}

static void etl_ahead_free__with_buffers_left__ends(void **state)
{
	struct making making;
	struct etl_file *file = make_file(&making);

	(void)state;
	for (unsigned taken = 0; taken < 200; taken++) {
		struct etl_buffer *buffer = NULL;
		struct etl_ahead *ahead = NULL;
		struct err err = ERR_INIT;

		assert_int_equal(etl_ahead_new(file, 3, 2, &ahead, &err), 0);
		for (unsigned i = 0; i < taken % 20; i++) {
			assert_int_equal(etl_ahead_next(ahead, &buffer, &err), 1);
			assert_int_equal(buffer->extent.sequence, i);
		}
		etl_ahead_free(ahead);
	}
	etl_ahead_free(NULL);
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_ahead_next__one_thread_or_two__in_order),
		cmocka_unit_test(etl_ahead_free__with_buffers_left__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
