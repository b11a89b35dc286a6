/*
 * Decodes samples of every sample_type, as the writer makes them.
 */
#include "perf_reader_fixture.h"

#define S UINT64_C(1000000000)

enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	READ = 1 << 4,
	CHAIN = 1 << 5,
	ID = 1 << 6,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
	STREAM = 1 << 9,
	RAW = 1 << 10,
	BRANCH = 1 << 11,
	REGS = 1 << 12,
	STACK = 1 << 13,
	IDENT = 1 << 16,
};

#define TRAILERS (UINT64_C(1) << 18)

static const uint64_t chain[] = {
	PERF_WRITER_KERNEL, 0xf1, 0xf2, PERF_WRITER_USER, 0x4010, 0x4110, 0x4210
};

static struct perf_writer_event cpu_clock(uint64_t sample_type)
{
	return (struct perf_writer_event){ .name = "cpu-clock",
					   .type = 1,
					   .period = 1000000,
					   .sample_type = sample_type,
					   .flags = TRAILERS };
}

/* One sample of an event, as text. */
static void expect_sample(const struct perf_writer_event *event,
			  const struct perf_writer_sample *sample, const char *expected)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);

	perf_writer_event(writer, event);
	perf_writer_on(writer, 10, 12, 3);
	perf_writer_sample(writer, S, sample);
	expect_text(writer, expected);
}

static void perf_decode__every_order_of_fields__finds_each(void **state)
{
	static const uint64_t usual = IP | TID | TIME | CPU | PERIOD | CHAIN;
	static const uint64_t more[] = {
		0,      IDENT,
		ADDR,   ID,
		STREAM, IDENT | ID | STREAM | ADDR,
		READ,   READ | RAW,
		RAW,    RAW | BRANCH,
		BRANCH, IDENT | ADDR | ID | STREAM | READ | RAW,
	};
	static const uint64_t formats[] = { 0, 1, 2, 4, 16, 7, 23, 8, 8 | 23, 8 | 4 };
	const struct perf_writer_sample sample = { .ip = 0xf1,
						   .period = 5000,
						   .kernel = true,
						   .chain = chain,
						   .chain_nr = 7,
						   .raw = "raw data",
						   .raw_nr = 8 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		for (size_t j = 0; j < (more[i] & READ ? ARRAY_SIZE(formats) : 1); j++) {
			struct perf_writer_event event = cpu_clock(usual | more[i]);

			event.read_format = formats[j];
			expect_sample(&event, &sample,
				      "0 10/12@3 cpu 5000ns k:f1 f2 u:4010 4110 4210\n");
		}
	}
}

static void perf_decode__registers_and_stack__behind_anything(void **state)
{
	static const uint64_t usual = IP | TID | TIME | CPU | PERIOD | IDENT | REGS | STACK;
	static const uint64_t more[] = { 0, RAW, BRANCH, RAW | BRANCH, READ };
	static const uint64_t branches[] = { 0, UINT64_C(1) << 17 };
	const struct perf_writer_sample sample = {
		.ip = 0x4010, .period = 5000, .stack = "stack", .stack_nr = 5
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more) * ARRAY_SIZE(branches); i++) {
		struct perf_writer_event event = cpu_clock(usual | more[i / 2]);

		event.branch_type = branches[i % 2];
		event.regs_user = 0x1ff;
		event.stack_user = 64;
		expect_sample(&event, &sample, "0 10/12@3 cpu 5000ns u:4010 copy:5 1 stack\n");
	}
}

static void perf_decode__parts_of_a_chain__go_where_they_belong(void **state)
{
	static const uint64_t guest = (uint64_t)-2048, deferred = (uint64_t)-640;
	const struct {
		uint64_t chain[6];
		size_t nr;
		bool kernel;
		const char *expected;
	} cases[] = {
		{ { guest, 1 }, 2, true, " k:f1" },
		{ { PERF_WRITER_KERNEL, 1, 2 }, 3, true, " k:1 2" },
		{ { PERF_WRITER_USER, 1, 2 }, 3, true, " u:1 2" },
		{ { PERF_WRITER_USER, 0 }, 2, true, " u:0" },
		{ { 1, 2 }, 2, true, " k:1 2" },
		{ { 1, 2 }, 2, false, " u:1 2" },
		{ { guest, 1, PERF_WRITER_USER, 2 }, 4, true, " u:2" },
		{ { PERF_WRITER_KERNEL, 1, deferred, 2 }, 4, true, " k:1" },
		{ { PERF_WRITER_USER, 1, PERF_WRITER_USER, 2 }, 4, true, " u:1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_writer_event event = cpu_clock(IP | TID | TIME | CPU | CHAIN);
		const struct perf_writer_sample sample = { .ip = 0xf1,
							   .kernel = cases[i].kernel,
							   .chain = cases[i].chain,
							   .chain_nr = cases[i].nr };
		struct strbuf expected = STRBUF_INIT;

		strbuf_addf(&expected, "0 10/12@3 cpu 1000000ns%s\n", cases[i].expected);
		expect_sample(&event, &sample, expected.buf);
		strbuf_release(&expected);
	}
}

static void perf_decode__no_chain__is_the_place_alone(void **state)
{
	const struct perf_writer_event event = cpu_clock(IP | TID | TIME);
	struct perf_writer_sample sample = { .ip = 0x4010 };

	(void)state;
	expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns u:4010\n");
	sample.kernel = true;
	expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns k:4010\n");
}

/* As where a mode was left out of chains, not of samples: --kernel-callchains, --user-callchains. */
static void perf_decode__chain_without_addresses__is_the_place_alone(void **state)
{
	static const uint64_t marks[] = { PERF_WRITER_KERNEL, PERF_WRITER_USER };
	struct perf_writer_event event = cpu_clock(IP | TID | TIME | CHAIN);
	struct perf_writer_sample sample = { .ip = 0x4010, .chain = marks };

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(marks); i++) {
		sample.chain_nr = i;
		sample.kernel = false;
		expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns u:4010\n");
		sample.kernel = true;
		expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns k:4010\n");
	}
	/* The copy has it, and all above. */
	event.sample_type |= REGS | STACK;
	event.regs_user = 0x1ff;
	event.stack_user = 64;
	sample = (struct perf_writer_sample){ .ip = 0x4010, .stack = "stack", .stack_nr = 5 };
	expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns copy:5 1 stack\n");
}

/* The stack's bytes may be fewer than there is room for, or none: then there is nothing to unwind. */
static void perf_decode__copy_without_bytes__is_none(void **state)
{
	struct perf_writer_event event = cpu_clock(IP | TID | TIME | REGS | STACK);
	const struct perf_writer_sample sample = { .ip = 0x4010 };

	(void)state;
	event.regs_user = 3;
	event.stack_user = 64;
	expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns u:4010\n");
	event.stack_user = 0;
	expect_sample(&event, &sample, "0 10/12@-1 cpu 1000000ns u:4010\n");
}

/* Attrs of all versions of Linux, with and without the id in front. */
static void perf_file__attrs_of_any_size__are_read(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 200 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		struct perf_writer *writer =
			perf_writer_new(i % 2 ? PERF_WRITER_PIPE : PERF_WRITER_FILE);
		struct perf_writer_event event = cpu_clock(IP | TID | TIME | IDENT);
		const struct perf_writer_sample sample = { .event = 1, .ip = 0x4010 };

		event.attr_size = sizes[i / 2];
		event.type = 1;
		event.config = 2;
		perf_writer_event(writer, &event);
		event.config = 0;
		perf_writer_event(writer, &event);
		perf_writer_on(writer, 10, 12, 3);
		perf_writer_sample(writer, S, &sample);
		expect_text(writer, "0 10/12@-1 cpu 1000000ns u:4010\n");
	}
}

/* Old kernels: no id anywhere, no trailers; FORK has a time of its own. */
static void perf_reader__no_trailers__tasks_have_their_own_time(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct perf_writer_event event = cpu_clock(IP | TID | TIME);
	const struct perf_writer_sample sample = { .ip = 0x4010 };

	(void)state;
	event.flags = 0;
	perf_writer_event(writer, &event);
	perf_writer_sample(writer, S + 5, &sample);
	perf_writer_on(writer, 10, 12, 0);
	perf_writer_fork(writer, S, 11);
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_name(writer, S + 9, "name");
	expect_text(writer, "0 10/10@-1 name 'name'\n"
			    "0 11/11@-1 start of 10 by 12 copied\n"
			    "5 10/10@-1 cpu 1000000ns u:4010\n");
}

/* As with --per-thread: nothing has a time but the fork itself, which is where it stands all the same. */
static void perf_reader__no_times__order_is_that_of_the_file(void **state)
{
	static const char exec[] = { 7,  0, 0, 0, 0,  32, 32, 0, 13, 0, 0, 0, 10, 0, 0, 0,
				     13, 0, 0, 0, 10, 0,  0,  0, 0,  1, 0, 0, 0,  0, 0, 0 };
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct perf_writer_event event = cpu_clock(IP | TID);
	const struct perf_writer_sample sample = { .ip = 0x4010 };
	const struct strbuf *bytes;
	struct reading reading;

	(void)state;
	event.flags = 0;
	perf_writer_event(writer, &event);
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_sample(writer, 0, &sample);
	perf_writer_fork(writer, S, 11);
	perf_writer_on(writer, 11, 11, 0);
	perf_writer_sample(writer, 0, &sample);
	/* Synthesized by perf: PERF_RECORD_MISC_FORK_EXEC. */
	perf_writer_bytes(writer, exec, sizeof(exec));
	bytes = perf_writer_finish(writer);
	reading_init(&reading);
	assert_int_equal(read_bytes(&reading, bytes->buf, bytes->len), 0);
	assert_string_equal(reading.text.buf, "0 10/10@-1 cpu 1000000ns u:4010\n"
					      "0 11/11@-1 start of 10 copied\n"
					      "0 11/11@-1 cpu 1000000ns u:4010\n"
					      "0 13/13@-1 start of 10\n");
	assert_int_equal(reading.facts.counters.untimed, 2);
	perf_writer_free(writer);
	reading_release(&reading);
}

/* An MMAP2 record whose flag says that the 24 bytes of its file are a build id, and what is read of it. */
static void expect_map(const unsigned char *file, const char *expected)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct perf_writer_event event = cpu_clock(IP | TID);
	unsigned char record[80] = { 10, 0, 0, 0, 10, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0,
				     0,  1, 0, 0, 0,  0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0 };
	struct reading reading;

	event.flags = 0;
	memcpy(record + 32, file, 24);
	memcpy(record + 64, "/bin/a", sizeof("/bin/a"));
	perf_writer_event(writer, &event);
	perf_writer_record(writer, 10, 1 << 14 | 2, record, sizeof(record));
	reading_init(&reading);
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, expected);
	assert_int_equal(reading.facts.counters.damaged, 0);
	reading_release(&reading);
}

static void perf_decode__flag_of_another_recording__is_no_build_id(void **state)
{
	static const unsigned char id[24] = { 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 },
				   disk[24] = { 8,    0,    0, 0, 1, 0, 0, 0,    0x35,
						0xc8, 0x03, 0, 0, 0, 0, 0, 0x4d, 0x3c },
				   nvme[24] = { 3, 1, 0, 0, 2, 0, 0, 0, 0x35, 0xc8, 0x03 },
				   virtual[24] = { 0xfe, 0, 0, 0, 0, 0, 0, 0, 0x35, 0xc8, 0x03 },
				   overlay[24] = { 0, 0, 0, 0, 0x2a, 0, 0, 0, 0x35, 0xc8, 0x03 };

	(void)state;
	expect_map(id, "0 10/10@-1 map 4000+100 from 0 of '/bin/a' id 0102030405060708\n");
	expect_map(disk, "0 10/10@-1 map 4000+100 from 0 of '/bin/a'\n");
	expect_map(nvme, "0 10/10@-1 map 4000+100 from 0 of '/bin/a'\n");
	expect_map(virtual, "0 10/10@-1 map 4000+100 from 0 of '/bin/a'\n");
	expect_map(overlay, "0 10/10@-1 map 4000+100 from 0 of '/bin/a'\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_decode__every_order_of_fields__finds_each),
		cmocka_unit_test(perf_decode__registers_and_stack__behind_anything),
		cmocka_unit_test(perf_decode__parts_of_a_chain__go_where_they_belong),
		cmocka_unit_test(perf_decode__no_chain__is_the_place_alone),
		cmocka_unit_test(perf_decode__chain_without_addresses__is_the_place_alone),
		cmocka_unit_test(perf_decode__copy_without_bytes__is_none),
		cmocka_unit_test(perf_file__attrs_of_any_size__are_read),
		cmocka_unit_test(perf_decode__flag_of_another_recording__is_no_build_id),
		cmocka_unit_test(perf_reader__no_trailers__tasks_have_their_own_time),
		cmocka_unit_test(perf_reader__no_times__order_is_that_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
