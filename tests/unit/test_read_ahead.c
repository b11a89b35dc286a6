#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "page_model.h"
#include "trace/read_ahead.h"
#include "util/array.h"

#define SIZE   64u
#define BYTES  20000u
#define BLOCKS ((BYTES + SIZE - 1) / SIZE)

struct place {
	unsigned char bytes[BYTES];
	struct trace_input input;
	struct read_ahead *ahead;
	unsigned char *data;
};

static void begin(struct place *place, uint64_t end)
{
	for (size_t i = 0; i < BYTES; i++)
		place->bytes[i] = (unsigned char)(i * 31 + i / 256);
	trace_input_memory(&place->input, place->bytes, BYTES);
	place->ahead = read_ahead_new(&place->input, SIZE, end);
	place->data = xmalloc(SIZE);
}

static void finish(struct place *place)
{
	read_ahead_free(place->ahead);
	trace_input_close(&place->input);
	free(place->data);
}

/* Of the block there is what is before `end`. */
static void check(struct place *place, uint64_t number, uint64_t end)
{
	uint64_t at = number * SIZE, left = at < end ? end - at : 0;
	size_t expected = left < SIZE ? (size_t)left : SIZE;
	struct err err = ERR_INIT;

	memset(place->data, 0xee, SIZE);
	assert_int_equal(read_ahead_block(place->ahead, number, &place->data, &err), expected);
	if (expected)
		assert_memory_equal(place->data, &place->bytes[at], expected);
}

static void read_ahead_block__in_order__to_the_end(void **state)
{
	static const uint64_t ends[] = { BYTES, BYTES - 1, SIZE * 5, SIZE * 5 + 1, 1, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct place place;

		begin(&place, ends[i]);
		for (uint64_t number = 0; number < BLOCKS + 3; number++)
			check(&place, number, ends[i]);
		finish(&place);
	}
}

/* Blocks are passed over, few and many; and looked at again. */
static void read_ahead_block__any_order__has_the_bytes(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 20; round++) {
		uint64_t number = 0;
		struct place place;

		begin(&place, BYTES);
		while (number < BLOCKS) {
			check(&place, number, BYTES);
			if (model_random(&seed) % 4 == 0)
				check(&place, model_random(&seed) % (number + 1), BYTES);
			number += 1 + (model_random(&seed) % 8 ? 0 : model_random(&seed) % 40);
		}
		finish(&place);
	}
}

/* The file became shorter since its end was looked at. */
static void read_ahead_block__input_ends_early__fewer_bytes(void **state)
{
	struct place place;

	(void)state;
	begin(&place, BYTES + SIZE * 10);
	for (uint64_t number = 0; number < BLOCKS + 5; number++)
		check(&place, number, BYTES);
	finish(&place);
}

static void read_ahead_free__not_read__ends(void **state)
{
	struct place place;

	(void)state;
	begin(&place, BYTES);
	finish(&place);
	begin(&place, BYTES);
	check(&place, 0, BYTES);
	finish(&place);
	read_ahead_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_ahead_block__in_order__to_the_end),
		cmocka_unit_test(read_ahead_block__any_order__has_the_bytes),
		cmocka_unit_test(read_ahead_block__input_ends_early__fewer_bytes),
		cmocka_unit_test(read_ahead_free__not_read__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
