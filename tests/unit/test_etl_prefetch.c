/*
 * The buffers of streams are in order, with any number of threads.
 */
#include "etl_fixture.h"

#include "trace/etl/etl_prefetch.h"

#define BUFFERS 300 /* behind the first one */

/* Plain ones, compressed ones of many lengths, and one in seven that can't be decompressed. */
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
			end_compressed(making, "\xff\xff\xff\xff", 4);
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
	for (; etl_buffer_next(buffer, file, &record); nr++) {
		if (number == 0)
			continue;
		assert_int_equal(record.opcode, number % 256);
		assert_int_equal(record.time, 1000 + number);
	}
	assert_int_equal(nr, number == 0 ? 1 : damaged ? 0 : 1 + number % 50);
}

/* The buffers in streams of so many, that of the last ones is shorter. */
static size_t add_streams(struct etl_prefetch *prefetch, const struct etl_file *file, size_t length)
{
	size_t nr, streams = 0;
	const struct etl_extent *extents = etl_file_extents(file, &nr);

	assert_int_equal(nr, 1 + BUFFERS);
	for (size_t begin = 0; begin < nr; begin += length, streams++)
		etl_prefetch_add(prefetch, file, extents + begin,
				 begin + length < nr ? length : nr - begin, (uint16_t)streams);
	return streams;
}

/*
 * One stream, and several: of these a buffer in turn, of all but the last one, which is behind them; plain buffers
 * prefetched or not.
 */
static void etl_prefetch_next__one_thread_or_two__in_order(void **state)
{
	static const size_t lengths[] = { 1 + BUFFERS, 100, 7, 1 };

	(void)state;
	for (unsigned i = 0; i < 3 * ARRAY_SIZE(lengths); i++) {
		size_t length = lengths[i / 3];
		struct making making;
		struct etl_file *file = make_file(&making);
		struct helper *helper = helper_new(i % 3 ? 2 : 1);
		struct etl_prefetch *prefetch = etl_prefetch_new(helper, i % 3 == 2);
		size_t streams = add_streams(prefetch, file, length), stream = 0;
		struct etl_buffer *buffer = NULL;
		struct err err = ERR_INIT;

		for (size_t k = 0; k <= BUFFERS; k++, stream = (stream + 1) % streams) {
			while (etl_prefetch_next(prefetch, stream, &buffer, &err) == 0)
				stream = (stream + 1) % streams;
			assert_int_equal(buffer->session, stream);
			assert_buffer(buffer, file, (unsigned)buffer->extent.sequence);
			assert_int_equal(buffer->extent.sequence / length, stream);
		}
		for (stream = 0; stream < streams; stream++)
			assert_int_equal(etl_prefetch_next(prefetch, stream, &buffer, &err), 0);
		assert_int_equal(etl_file_damage(file)->buffers, 21);
		etl_prefetch_free(prefetch);
		helper_free(helper);
		etl_file_free(file);
		strbuf_release(&making.bytes);
	}
}

/* What others have in hand stays as it is. */
static void etl_prefetch_next__another_stream__leaves_buffers_alone(void **state)
{
	struct making making;
	struct etl_file *file = make_file(&making);
	struct helper *helper = helper_new(2);
	struct etl_prefetch *prefetch = etl_prefetch_new(helper, false);
	struct etl_buffer *first, *buffer;
	struct err err = ERR_INIT;

	(void)state;
	add_streams(prefetch, file, 100);
	for (unsigned i = 0; i <= 9; i++)
		assert_int_equal(etl_prefetch_next(prefetch, 0, &first, &err), 1);
	for (unsigned i = 100; i < 200; i++) {
		assert_int_equal(etl_prefetch_next(prefetch, 1, &buffer, &err), 1);
		assert_buffer(buffer, file, i);
	}
	assert_buffer(first, file, 9);
	etl_prefetch_free(prefetch);
	helper_free(helper);
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

static void etl_prefetch_free__with_buffers_left__ends(void **state)
{
	struct making making;
	struct etl_file *file = make_file(&making);
	struct helper *helper = helper_new(2);

	(void)state;
	for (unsigned taken = 0; taken < 200; taken++) {
		struct etl_prefetch *prefetch = etl_prefetch_new(helper, taken % 2);
		struct etl_buffer *buffer = NULL;
		struct err err = ERR_INIT;

		add_streams(prefetch, file, 20);
		for (unsigned i = 0; i < taken % 20; i++) {
			assert_int_equal(etl_prefetch_next(prefetch, taken % 5, &buffer, &err), 1);
			assert_int_equal(buffer->extent.sequence, taken % 5 * 20 + i);
		}
		etl_prefetch_free(prefetch);
	}
	etl_prefetch_free(NULL);
	helper_free(helper);
	etl_file_free(file);
	strbuf_release(&making.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_prefetch_next__one_thread_or_two__in_order),
		cmocka_unit_test(etl_prefetch_next__another_stream__leaves_buffers_alone),
		cmocka_unit_test(etl_prefetch_free__with_buffers_left__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
