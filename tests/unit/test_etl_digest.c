/*
 * Events of a digest come back by time, and a trace that is played from it has the events of one that is read again.
 */
#include "etl_trace_fixture.h"
#include "trace/etl/etl_digest.h"
#include "util/array.h"

#define PAGE UINT64_C(4096)

struct added {
	struct etl_brief event;
	uint64_t latest;
	size_t stream, number;
};

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Of all sizes. */
static uint64_t random_number(uint64_t *seed)
{
	return (next_random(seed) << 31 | next_random(seed)) >> next_random(seed) % 62;
}

static int by_turn(const void *a, const void *b)
{
	const struct added *x = a, *y = b;

	if (x->latest != y->latest)
		return x->latest < y->latest ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static struct etl_brief random_event(uint64_t *seed, uint32_t cpu, uint64_t time)
{
	static const enum memory_op ops[] = { MEMORY_COMMIT_UNCOMMITTED, MEMORY_RESERVE,
					      MEMORY_PURGE, MEMORY_DECOMMIT, MEMORY_RELEASE };
	struct etl_brief event = { .time = time, .cpu = cpu, .id = (uint32_t)random_number(seed) };

	event.sample = next_random(seed) % 2;
	if (event.sample) {
		event.count = random_number(seed) % 70000;
	} else {
		event.op = ops[next_random(seed) % ARRAY_SIZE(ops)];
		event.address = (random_number(seed) << 12) * (next_random(seed) % 2 ? 1 : PAGE);
		event.length = random_number(seed) / PAGE * PAGE;
	}
	return event;
}

/* One in eight is earlier than one before it, some by much; many have equal times. */
static void add_stream(struct etl_digest *digest, size_t stream, size_t nr, uint64_t *seed,
		       struct added *added)
{
	uint64_t latest = 0;

	etl_digest_begin(digest, (uint32_t)(stream * 3));
	for (size_t i = 0; i < nr; i++) {
		bool late = latest && next_random(seed) % 8 == 0;
		uint64_t time = late ? random_number(seed) % latest
				     : latest + random_number(seed) % (i % 100 ? 4 : 1u << 20);

		latest = time > latest ? time : latest;
		added[i] = (struct added){ random_event(seed, (uint32_t)(stream * 3), time), latest,
					   stream, i };
		etl_digest_add(digest, &added[i].event, latest);
	}
}

static void assert_event(const struct etl_brief *event, const struct etl_brief *expected)
{
	assert_int_equal(event->time, expected->time);
	assert_int_equal(event->cpu, expected->cpu);
	assert_int_equal(event->id, expected->id);
	assert_int_equal(event->sample, expected->sample);
	if (event->sample) {
		assert_int_equal(event->count, expected->count);
		return;
	}
	assert_int_equal(event->op, expected->op);
	assert_int_equal(event->address, expected->address);
	assert_int_equal(event->length, expected->length);
}

/* Streams without events, with one, and with more than a block. */
static void etl_digest__any_events__come_by_time_then_by_stream(void **state)
{
	static const size_t lengths[] = { 0, 60000, 1, 0, 300, 50000, 2 };
	static struct added added[120000];

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct etl_digest *digest = etl_digest_new((size_t)64 << 20);
		struct etl_digest_reader *reader;
		const struct etl_brief *event;
		uint64_t random = seed;
		size_t nr = 0;

		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
			add_stream(digest, i, lengths[i], &random, added + nr);
			nr += lengths[i];
		}
		qsort(added, nr, sizeof(*added), by_turn);
		assert_false(etl_digest_is_dropped(digest));
		reader = etl_digest_reader_new(digest);
		event = etl_digest_reader_first(reader);
		for (size_t i = 0; i < nr; i++) {
			assert_non_null(event);
			assert_event(event, &added[i].event);
			event = etl_digest_reader_next(reader);
		}
		assert_null(event);
		etl_digest_reader_free(reader);
		etl_digest_free(digest);
	}
}

static void etl_digest__no_events__has_none(void **state)
{
	struct etl_digest *digest = etl_digest_new((size_t)1 << 20);
	struct etl_digest_reader *reader = etl_digest_reader_new(digest);

	(void)state;
	assert_null(etl_digest_reader_first(reader));
	etl_digest_reader_free(reader);
	etl_digest_begin(digest, 1);
	reader = etl_digest_reader_new(digest);
	assert_null(etl_digest_reader_first(reader));
	etl_digest_reader_free(reader);
	etl_digest_free(digest);
}

static void etl_digest__more_than_its_memory__is_dropped(void **state)
{
	struct etl_digest *digest = etl_digest_new((size_t)1 << 20);
	struct etl_brief event = { .sample = true, .id = 4 };
	size_t nr = 0;

	(void)state;
	etl_digest_begin(digest, 0);
	for (; !etl_digest_is_dropped(digest); nr++) {
		event.time = nr;
		etl_digest_add(digest, &event, nr);
		assert_true(nr < (size_t)1 << 20);
	}
	/* Six bytes each. */
	assert_in_range(nr, 150000, 200000);
	etl_digest_begin(digest, 1);
	etl_digest_add(digest, &event, nr);
	assert_true(etl_digest_is_dropped(digest));
	etl_digest_free(digest);
}

static void add_thread(struct making *making, struct strbuf *p, uint64_t time, uint32_t pid,
		       uint32_t tid)
{
	put_process(p, pid, 4, 259, "a.exe", "a --b");
	add_kernel(making, time, GROUP_PROCESS, ETL_OPCODE_START, ETL_PROCESS_VERSION, p);
	put_thread(p, pid, tid, "");
	add_kernel(making, time, GROUP_THREAD, ETL_OPCODE_START, ETL_THREAD_VERSION, p);
}

/* Samples, memory and what is in no view, in no order of time. */
static void add_random(struct making *making, struct strbuf *p, uint64_t time, uint64_t *seed)
{
	static const uint32_t flags[] = { ETL_MEM_COMMIT, ETL_MEM_RESERVE, ETL_MEM_RESET, 0 };
	uint32_t thread = (uint32_t)(next_random(seed) % 3);

	time -= next_random(seed) % 8 ? 0 : next_random(seed) % 300;
	switch (next_random(seed) % 5) {
	case 0:
		put_sample(p, 0x1000, next_random(seed) % 9 ? 100 + 4 * thread : 0, 0);
		add_kernel(making, time, GROUP_PERF, ETL_PERF_SAMPLE, 2, p);
		return;
	case 1:
		put_virtual(p, 0x10020 + next_random(seed) % 64 * PAGE,
			    next_random(seed) % 3 * PAGE, 8 + 4 * thread,
			    flags[next_random(seed) % ARRAY_SIZE(flags)]);
		add_kernel(making, time, GROUP_PAGE_FAULT, ETL_VIRTUAL_ALLOC, 2, p);
		return;
	case 2:
		put_virtual(p, 0x10000 + next_random(seed) % 64 * PAGE,
			    next_random(seed) % 5 * PAGE, 8 + 4 * thread,
			    next_random(seed) % 2 ? ETL_MEM_DECOMMIT : ETL_MEM_RELEASE);
		add_kernel(making, time, GROUP_PAGE_FAULT, ETL_VIRTUAL_FREE, 2, p);
		return;
	case 3:
		put_stack(p, time, 8, 100, (const uint64_t[]){ 1, 2, 3 }, 3);
		add_kernel(making, time, GROUP_STACK, ETL_STACK, 2, p);
		return;
	default:
		add_event(making, time, 1);
		return;
	}
}

static void make_random(struct making *making, uint64_t seed, bool threads)
{
	struct strbuf p = STRBUF_INIT;

	making_init(making);
	add_first_buffer(making);
	begin_buffer(making, 0, 1, 0x20);
	for (uint32_t i = 0; threads && i < 3; i++)
		add_thread(making, &p, 1500, 8 + 4 * i, 100 + 4 * i);
	end_buffer(making, 0);
	for (unsigned buffer = 0; buffer < 12; buffer++) {
		uint64_t time = 2000 + buffer / 3 * UINT64_C(1000);

		begin_buffer(making, buffer % 3, 2 + buffer, 0x20);
		for (unsigned i = 0; i < 60; i++)
			add_random(making, &p, time += next_random(&seed) % 20, &seed);
		end_buffer(making, 0);
	}
	strbuf_release(&p);
}

/*
 * Read without stacks: at once, as a second play that was announced, and as one that was not, which reads the file again.
 */
static void read_in_ways(const struct making *making, const struct trace_options *options,
			 char *texts[3])
{
	for (unsigned way = 0; way < 3; way++) {
		struct trace_options first = { .base_ns = TRACE_BASE_FIRST,
					       .again = way == 1 ? options : NULL,
					       .threads = options->threads };
		struct etl_file *file = open_making(making);
		struct reading reading = { .text = STRBUF_INIT, .err = ERR_INIT };
		struct etl_reader *reader;

		trace_facts_init(&reading.facts);
		assert_int_equal(etl_reader_open(&file, 1, way ? &first : options, &reading.facts,
						 &reader, &reading.err),
				 0);
		read_events(&reading, reader);
		if (way) {
			assert_int_equal(etl_reader_again(reader, options, &reading.err), 0);
			read_events(&reading, reader);
		}
		assert_int_equal(reading.rc, 0);
		texts[way] = xstrdup(reading.text.buf);
		etl_reader_free(reader);
		reading_release(&reading);
	}
}

/* With threads that the trace does not know, too: then processes of samples are found by their stacks. */
static void etl_reader__digest__has_the_events_of_the_file(void **state)
{
	struct trace_options options = { .base_ns = TRACE_BASE_FIRST, .no_stacks = true };

	(void)state;
	for (uint64_t seed = 1; seed <= 48; seed++) {
		struct making making;
		char *texts[3];

		options.cpu = seed % 3 != 1;
		options.memory = seed % 3 != 2;
		options.switches = seed % 2;
		options.threads = 1 + seed / 4 % 2;
		make_random(&making, seed, seed % 8 != 0);
		read_in_ways(&making, &options, texts);
		assert_true(strlen(texts[0]) > 1000);
		assert_string_equal(texts[1], texts[0]);
		assert_string_equal(texts[2], texts[0]);
		for (unsigned i = 0; i < 3; i++)
			free(texts[i]);
		strbuf_release(&making.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_digest__any_events__come_by_time_then_by_stream),
		cmocka_unit_test(etl_digest__no_events__has_none),
		cmocka_unit_test(etl_digest__more_than_its_memory__is_dropped),
		cmocka_unit_test(etl_reader__digest__has_the_events_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
