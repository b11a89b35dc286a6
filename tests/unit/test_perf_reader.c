#include "perf_reader_fixture.h"

#include "platform/pipeline.h"

#define S UINT64_C(1000000000)

/* A process with a child that execs, maps, runs, allocates and ends: over two CPUs and two rounds. */
static void add_scenario(struct perf_writer *writer)
{
	const struct perf_writer_map kernel = { UINT64_C(0xffffffff81000000),
						0x1000000,
						UINT64_C(0xffffffff81000000),
						"[kernel.kallsyms]_text",
						{ 0 },
						0,
						true,
						false };
	const struct perf_writer_map file = { 0x4000,         0x2000, 0x1000, "/bin/a",
					      { 0xab, 0xcd }, 2,      false,  false };
	const struct perf_writer_map data = {
		0x8000, 0x1000, 0, "/lib/data", { 0 }, 0, false, true
	};

	perf_writer_map(writer, 0, &kernel);
	perf_writer_name(writer, 0, "perf-exec");
	perf_writer_on(writer, 10, 10, 0);
	perf_writer_fork(writer, S + 1000, 11);
	perf_writer_cpu(writer, S + 5000, 0x4010);
	perf_writer_on(writer, 11, 11, 1);
	perf_writer_exec(writer, S + 2000, "a");
	perf_writer_map(writer, S + 2500, &file);
	perf_writer_map(writer, S + 2600, &data);
	perf_writer_mmap(writer, S + 3000, 0x100000, 0x3001);
	perf_writer_thread(writer, S + 6000, 12);
	perf_writer_round(writer);
	perf_writer_on(writer, 0, 0, 0);
	perf_writer_cpu(writer, S + 6500, 0);
	perf_writer_on(writer, 11, 12, 1);
	perf_writer_name(writer, S + 7000, "worker");
	perf_writer_cpu(writer, S + 7500, 0x4020);
	perf_writer_munmap(writer, S + 8000, 0x100000, 0x1000);
	perf_writer_exit(writer, S + 9000);
	perf_writer_on(writer, 11, 11, 1);
	perf_writer_exit(writer, S + 9500);
	perf_writer_round(writer);
}

static const char scenario_text[] =
	"0 -1/0@-1 map ffffffff81000000+1000000 from ffffffff81000000 of "
	"'[kernel.kallsyms]_text' kernel\n"
	"0 10/10@-1 name 'perf-exec'\n"
	"0 11/11@0 start of 10 copied\n"
	"1000 11/11@1 exec 'a'\n"
	"1500 11/11@1 map 4000+2000 from 1000 of '/bin/a' id abcd\n"
	"1600 11/11@1 map 8000+1000 from 0 of '/lib/data' data\n"
	"3000 11/11@1 commit 100000+4000 weight 0\n"
	"4000 10/10@0 cpu 1000000ns k:ffffffff81000000 u:4010 4110\n"
	"5000 11/12@1 thread by 11\n"
	"6000 11/12@1 name 'worker'\n"
	"6500 11/12@1 cpu 1000000ns k:ffffffff81000000 u:4020 4120\n"
	"7000 11/12@1 release 100000+1000 weight 0\n"
	"8000 11/12@1 thread ends\n"
	"8500 11/11@1 thread ends\n";

static struct perf_writer *new_writer(enum perf_writer_form form)
{
	struct perf_writer *writer = perf_writer_new(form);

	perf_writer_cpu_clock(writer, 1000);
	perf_writer_memory(writer);
	return writer;
}

static void perf_reader__scenario__is_delivered_by_time(void **state)
{
	static const enum perf_writer_form forms[] = { PERF_WRITER_FILE, PERF_WRITER_PIPE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct perf_writer *writer = new_writer(forms[i]);

		add_scenario(writer);
		expect_text(writer, scenario_text);
	}
}

static void perf_reader__compressed_in_any_pieces__is_the_same(void **state)
{
	static const int types[] = { PERF_WRITER_COMPRESS, PERF_WRITER_COMPRESS2 };
	static const size_t pieces[] = { 1, 7, 100, 20000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types) * ARRAY_SIZE(pieces); i++) {
		struct perf_writer *writer =
			new_writer(i % 2 ? PERF_WRITER_PIPE : PERF_WRITER_FILE);

		perf_writer_compress(writer, types[i % 2], pieces[i / 2]);
		add_scenario(writer);
		expect_text(writer, scenario_text);
	}
}

/* Blocks smaller than a record, one of which is kept; batches of one event. */
static void perf_reader__any_limits__are_the_same(void **state)
{
	static const struct perf_limits limits[] = {
		{ 3, 1, 1 << 20, 1 << 20, 1, 1, 1 },      { 6, 2, 1 << 20, 1 << 20, 1, 3, 2 },
		{ 10, 3, 1 << 20, 1 << 20, 100, 100, 1 }, { 12, 1, 1 << 20, 1 << 20, 1, 2, 2 },
		{ 18, 9, 1 << 20, 1 << 20, 1, 5, 9 },
	};

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(limits); i++) {
		struct perf_writer *writer =
			new_writer(i % 4 < 2 ? PERF_WRITER_FILE : PERF_WRITER_PIPE);
		struct reading reading;

		reading_init(&reading);
		reading.limits = limits[i / 4];
		reading.options.threads = i % 2 ? 2 : 1;
		if (i % 4 == 3)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS2, 50);
		add_scenario(writer);
		read_writer(&reading, writer);
		assert_string_equal(reading.text.buf, scenario_text);
		reading_release(&reading);
	}
}

static void perf_reader__facts__are_those_of_the_recording(void **state)
{
	static const enum perf_writer_form forms[] = { PERF_WRITER_FILE, PERF_WRITER_PIPE };
	const uint32_t cpus[] = { 8, 6 }, clock[] = { 1, 1, 0, 0, 0, 0 };
	const uint64_t kilobytes = 1000;
	const char line[] = "\2\0\0\0\5\0\0\0perf\0\6\0\0\0-a b\0";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct perf_writer *writer = new_writer(forms[i]);
		struct reading reading;

		reading_init(&reading);
		perf_writer_feature(writer, 3, "host");
		perf_writer_feature(writer, 4, "6.18");
		perf_writer_feature(writer, 5, "6.1.192");
		perf_writer_feature(writer, 6, "x86_64");
		perf_writer_feature_bytes(writer, 7, cpus, sizeof(cpus));
		perf_writer_feature(writer, 8, "A CPU");
		perf_writer_feature_bytes(writer, 10, &kilobytes, sizeof(kilobytes));
		perf_writer_feature_bytes(writer, 11, line, sizeof(line));
		perf_writer_feature_bytes(writer, 29, clock, sizeof(clock));
		add_scenario(writer);
		perf_writer_lost(writer, 3);
		perf_writer_lost(writer, 2);
		perf_writer_lost_samples(writer, 0, 1);
		perf_writer_lost_samples(writer, 3, 3);
		read_writer(&reading, writer);
		assert_string_equal(reading.facts.format, i ? "perf.data (pipe)" : "perf.data");
		assert_string_equal(reading.facts.hostname, "host");
		assert_string_equal(reading.facts.os_release, "6.18");
		assert_string_equal(reading.facts.tool_version, "6.1.192");
		assert_string_equal(reading.facts.arch, "x86_64");
		assert_string_equal(reading.facts.cpu_model, "A CPU");
		assert_int_equal(reading.facts.cpus, 6);
		assert_int_equal(reading.facts.memory_bytes, 1024000);
		assert_int_equal(reading.facts.command_line.nr, 2);
		assert_string_equal(reading.facts.command_line.v[1], "-a b");
		assert_string_equal(reading.facts.clock, "CLOCK_MONOTONIC");
		assert_int_equal(reading.facts.counters.base_ns, S + 1000);
		assert_int_equal(reading.facts.counters.first_ns, 0);
		assert_int_equal(reading.facts.counters.last_ns, 8500);
		assert_string_equal(reading.facts.cpu_event, "cpu-clock");
		assert_null(reading.facts.cpu_note);
		assert_true(reading.facts.has_memory);
		assert_null(reading.facts.memory_refusal);
		assert_false(reading.facts.sampled_stacks);
		assert_int_equal(reading.facts.counters.lost, 5);
		assert_int_equal(reading.facts.counts[0].lost, 1);
		assert_int_equal(reading.facts.counts[1].lost, 0);
		assert_int_equal(reading.facts.counts[3].lost, 3);
		assert_int_equal(reading.facts.counters.unordered, 0);
		assert_false(reading.facts.counters.truncated);
		assert_int_equal(reading.facts.counts_nr, 9);
		assert_string_equal(reading.facts.counts[0].name, "cpu-clock");
		assert_int_equal(reading.facts.counts[0].nr, 3);
		assert_string_equal(reading.facts.counts[1].name, "syscalls:sys_enter_mmap");
		assert_int_equal(reading.facts.counts[1].nr, 1);
		reading_release(&reading);
	}
}

/* What is not wanted is counted all the same, and changes neither time zero nor the ends. */
static void perf_reader__not_wanted__is_left_out_but_counted(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	reading.options.cpu = reading.options.memory = false;
	perf_writer_cpu(writer, S, 0x4010);
	perf_writer_name(writer, S + 10, "x");
	perf_writer_mmap(writer, S + 20, 0x1000, 0x1000);
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, "10 10/10@0 name 'x'\n");
	assert_int_equal(reading.facts.counters.base_ns, S);
	assert_int_equal(reading.facts.counters.last_ns, 1020);
	assert_int_equal(reading.facts.counts[0].nr, 1);
	assert_int_equal(reading.facts.counts[2].nr, 1);
	assert_true(reading.facts.has_memory);
	assert_string_equal(reading.facts.cpu_event, "cpu-clock");
	reading_release(&reading);
}

static void perf_reader__base_given__is_time_zero(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	reading.options.base_ns = (int64_t)S;
	perf_writer_name(writer, 0, "first");
	perf_writer_name(writer, S - 7, "x");
	perf_writer_name(writer, S + 7, "y");
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, "0 10/10@-1 name 'first'\n"
					      "-7 10/10@0 name 'x'\n"
					      "7 10/10@0 name 'y'\n");
	assert_int_equal(reading.facts.counters.base_ns, S);
	assert_int_equal(reading.facts.counters.first_ns, -7);
	assert_int_equal(reading.facts.counters.last_ns, 7);
	reading_release(&reading);
}

/* What perf made up of what existed before is no fork. */
static void perf_reader__process_made_up__has_no_copy(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);

	(void)state;
	perf_writer_fork(writer, 0, 11);
	perf_writer_name(writer, S, "x");
	expect_text(writer, "0 11/11@-1 start of 10\n0 10/10@0 name 'x'\n");
}

/* In each round one CPU's records are older than some of the round before: still none comes too late. */
static void perf_reader__rounds__bound_the_delay(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	for (uint64_t round = 0; round < 4; round++) {
		perf_writer_on(writer, 10, 10, 0);
		perf_writer_name(writer, S * (round + 2), "x");
		perf_writer_on(writer, 10, 10, 1);
		perf_writer_name(writer, S * round + S / 2, "y");
		perf_writer_round(writer);
	}
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, "0 10/10@1 name 'y'\n"
					      "1000000000 10/10@1 name 'y'\n"
					      "1500000000 10/10@0 name 'x'\n"
					      "2000000000 10/10@1 name 'y'\n"
					      "2500000000 10/10@0 name 'x'\n"
					      "3000000000 10/10@1 name 'y'\n"
					      "3500000000 10/10@0 name 'x'\n"
					      "4500000000 10/10@0 name 'x'\n");
	assert_int_equal(reading.facts.counters.unordered, 0);
	/* From the end of the second round on each round delivers some. */
	assert_int_equal(reading.batches, 4);
	reading_release(&reading);
}

static void perf_reader__no_rounds__are_delivered_when_too_many_wait(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	reading.limits.queued = 4;
	for (uint64_t i = 0; i < 6; i++)
		perf_writer_name(writer, S + i * 10, "x");
	perf_writer_name(writer, S + 5, "late");
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, "0 10/10@0 name 'x'\n10 10/10@0 name 'x'\n"
					      "20 10/10@0 name 'x'\n30 10/10@0 name 'x'\n"
					      "5 10/10@0 name 'late'\n"
					      "40 10/10@0 name 'x'\n50 10/10@0 name 'x'\n");
	assert_int_equal(reading.facts.counters.unordered, 1);
	reading_release(&reading);
}

static void perf_reader__compressed_without_rounds__keeps_its_limit(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	reading.limits.block_shift = 8;
	reading.limits.decompressed_bytes = 4096;
	perf_writer_compress(writer, PERF_WRITER_COMPRESS, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		perf_writer_name(writer, S + i, "x");
	read_writer(&reading, writer);
	assert_int_equal(reading.events, 1000);
	assert_int_equal(reading.facts.counters.unordered, 0);
	assert_in_range(reading.batches, 20, 1000);
	reading_release(&reading);
}

/* One after the other, all that two CPUs' buffers held. */
static void perf_reader__a_round_larger_than_memory__is_in_order(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct reading reading;

		reading_init(&reading);
		reading.limits.block_shift = 8;
		reading.limits.blocks = 4;
		reading.options.threads = threads;
		perf_writer_compress(writer, PERF_WRITER_COMPRESS, 3000);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			perf_writer_on(writer, 10, 10 + (int32_t)cpu, cpu);
			for (uint64_t i = 0; i < 2000; i++)
				perf_writer_name(writer, S + 2 * i + cpu, i % 2 ? "odd" : "even");
		}
		perf_writer_round(writer);
		read_writer(&reading, writer);
		assert_int_equal(reading.events, 4000);
		assert_int_equal(reading.facts.counters.unordered, 0);
		assert_non_null(strstr(reading.text.buf, "2 10/10@0 name 'odd'\n"
							 "3 10/11@1 name 'odd'\n"
							 "4 10/10@0 name 'even'\n"));
		reading_release(&reading);
	}
}

/* Each call's stack is that of its copy, wherever batches end. */
static void perf_reader__copies__are_never_parted_from_their_calls(void **state)
{
	(void)state;
	for (size_t batch = 1; batch < 12; batch++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		unsigned plain = 8,
			 copying = perf_writer_tracepoint(writer, "sys_enter_mprotect", true);
		struct reading reading;

		reading_init(&reading);
		reading.limits.batch = batch < 2 ? 2 : batch;
		for (uint64_t i = 0; i < 20; i++) {
			const uint64_t args[] = { i << 20, 0x10000, 3 };

			perf_writer_on(writer, 10, 10 + (int32_t)(i % 3), 0);
			perf_writer_call(writer, S + i * 100, i % 2 ? plain : copying, args, 3);
			perf_writer_call(writer, S + i * 100 + 3, i % 2 ? copying : plain, args, 3);
		}
		read_writer(&reading, writer);
		assert_int_equal(reading.events, 20);
		assert_true(reading.facts.sampled_stacks);
		assert_int_equal(reading.facts.counters.stack_copies, 20);
		assert_int_equal(reading.facts.counters.stack_copies_unmatched, 0);
		assert_non_null(strstr(reading.text.buf,
				       "3 10/10@0 allow 0+10000 weight 1 u:7f01 copy:64 1 stack at "
				       "1000000000\n"));
		assert_null(strstr(reading.text.buf, "weight 0"));
		reading_release(&reading);
	}
}

/* The stack of a call's entry outlives the batch of the entry, and of the exit, which the accounting lends. */
static void perf_reader__stack_of_an_entry__lasts_as_long_as_its_event(void **state)
{
	const uint64_t args[] = { 0, 0x20000, 3, 0x22, UINT64_MAX, 0 };

	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		unsigned copying = perf_writer_tracepoint(writer, "sys_enter_mmap", true);
		struct reading reading;
		const char *at;

		reading_init(&reading);
		reading.options.threads = threads;
		reading.limits.batch = 3;
		for (uint64_t i = 0; i < 30; i++) {
			const uint64_t address = (i + 1) << 20;

			perf_writer_call(writer, S + i * 10000, 1, args, 6);
			perf_writer_call(writer, S + i * 10000 + 1, copying, args, 6);
			perf_writer_call(writer, S + i * 10000 + 2000, 2, &address, 1);
		}
		read_writer(&reading, writer);
		at = reading.text.buf;
		for (uint64_t i = 0; i < 30; i++) {
			char expected[64];

			snprintf(expected, sizeof(expected), "copy:64 1 stack at %llu\n",
				 (unsigned long long)(S + i * 10000 + 1));
			at = strstr(at, expected);
			assert_non_null(at);
		}
		reading_release(&reading);
	}
}

/* A thread gets the old address of another one's mremap, which has not returned: its call makes two events. */
static void perf_reader__address_taken_during_mremap__is_moved_before(void **state)
{
	const uint64_t move[] = { 0x7000, 0x1000, 0x2000, 1, 0 };
	const uint64_t map[] = { 0, 0x1000, 3, 0x22, UINT64_MAX, 0 };
	const uint64_t old = 0x7000, new = 0x9000;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct reading reading;

		reading_init(&reading);
		reading.options.threads = 1 + (int)i % 2;
		reading.limits.batch = i / 2 ? i / 2 : 4096;
		perf_writer_on(writer, 10, 11, 0);
		perf_writer_call(writer, S, 4, move, 5);
		perf_writer_on(writer, 10, 12, 1);
		perf_writer_call(writer, S + 1, 1, map, 6);
		perf_writer_call(writer, S + 2, 2, &old, 1);
		perf_writer_call(writer, S + 3, 3, map + 1, 2);
		perf_writer_on(writer, 10, 11, 0);
		perf_writer_call(writer, S + 4, 5, &new, 1);
		read_writer(&reading, writer);
		assert_string_equal(reading.text.buf,
				    "2 10/12@1 move 7000+1000 weight 0\n"
				    "2 10/12@1 commit 7000+1000 weight 0\n"
				    "3 10/12@1 release 1000+1000 weight 0\n"
				    "4 10/11@0 move 100000000007000+1000 weight 0\n");
		reading_release(&reading);
	}
}

/* The recording began within it, or lost its begin. */
static void perf_reader__exit_of_a_call_alone__is_counted(void **state)
{
	const uint64_t args[] = { 0, 0x20000, 3, 0x22, UINT64_MAX, 0 };
	const uint64_t address = 1 << 20;

	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct reading reading;

		reading_init(&reading);
		reading.options.threads = threads;
		perf_writer_call(writer, S, 2, &address, 1);
		perf_writer_call(writer, S + 1, 1, args, 6);
		perf_writer_call(writer, S + 2, 2, &address, 1);
		read_writer(&reading, writer);
		assert_int_equal(reading.events, 1);
		assert_int_equal(reading.facts.counters.exits_unmatched, 1);
		reading_release(&reading);
	}
}

/* What a round makes ready ends with an event whose duplicate is one nanosecond later. */
static void perf_reader__round_between_an_event_and_its_duplicate__waits(void **state)
{
	const uint64_t args[] = { 1 << 20, 0x20000, 3 }, ms = 1000000;
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	unsigned copies = perf_writer_tracepoint(writer, "sys_enter_mprotect", true);

	(void)state;
	perf_writer_name(writer, S, "x");
	perf_writer_call(writer, S + 5 * ms, 8, args, ARRAY_SIZE(args));
	perf_writer_call(writer, S + 5 * ms + 1, copies, args, ARRAY_SIZE(args));
	perf_writer_name(writer, S + 6 * ms, "x");
	perf_writer_round(writer);
	perf_writer_name(writer, S + 8 * ms, "x");
	perf_writer_round(writer);
	expect_text(writer, "0 10/10@0 name 'x'\n"
			    "5000000 10/10@0 allow 100000+20000 weight 1 "
			    "u:7f01 copy:64 1 stack at 1005000001\n"
			    "6000000 10/10@0 name 'x'\n"
			    "8000000 10/10@0 name 'x'\n");
}

static void perf_reader__a_few_thousand__are_the_same_with_two_threads(void **state)
{
	struct reading readings[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);

		if (i >= 2)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS, 30000);
		for (uint64_t round = 0; round < 50; round++) {
			for (uint64_t cpu = 0; cpu < 4; cpu++) {
				perf_writer_on(writer, 10, 10 + (int32_t)cpu, (uint32_t)cpu);
				for (uint64_t k = 0; k < 30; k++)
					perf_writer_cpu(writer, S * (round + 1) + k * 1000000 + cpu,
							0x4000 + k);
				perf_writer_mmap(writer, S * (round + 1) + 40000000 + cpu,
						 (cpu * 100 + round) << 20, 0x3000);
			}
			perf_writer_round(writer);
		}
		reading_init(&readings[i]);
		readings[i].options.threads = 1 + (int)(i % 2);
		readings[i].limits = (struct perf_limits){ 12, 1, 1 << 20, 1 << 20, 100, 64, 100 };
		read_writer(&readings[i], writer);
		assert_int_equal(readings[i].events, 50 * 4 * 31);
		assert_int_equal(readings[i].facts.counters.unordered, 0);
		assert_string_equal(readings[i].text.buf, readings[0].text.buf);
		assert_int_equal(readings[i].batches, readings[i / 2 * 2].batches);
	}
	for (size_t i = 0; i < 4; i++)
		reading_release(&readings[i]);
}

static void perf_reader__freed_early__ends_its_thread(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	const struct trace_event *events;
	struct perf_reader *reader;
	const struct strbuf *bytes;
	struct trace_input input;
	struct reading reading;
	size_t nr;

	(void)state;
	reading_init(&reading);
	reading.options.threads = 2;
	reading.limits.batch = 1;
	for (uint64_t i = 0; i < 100; i++)
		perf_writer_name(writer, S + i, "x");
	bytes = perf_writer_finish(writer);
	trace_input_memory(&input, bytes->buf, bytes->len);
	assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
					  &reading.facts, &reader, &reading.err),
			 0);
	assert_int_equal(perf_reader_next(reader, &events, &nr, &reading.err), 1);
	assert_int_equal(nr, 1);
	perf_reader_free(reader);
	perf_writer_free(writer);
	reading_release(&reading);
}

/* Build ids from the list, where the mappings have none; the kernel's by the part of its name. */
static void perf_reader__build_ids_apart__come_to_their_mappings(void **state)
{
	const struct perf_writer_map maps[] = {
		{ 0x4000, 0x1000, 0, "/bin/a", { 0 }, 0, false, false },
		{ 0x6000, 0x1000, 0, "/bin/b", { 9 }, 1, false, false },
		{ 0x8000, 0x1000, 0, "/bin/c", { 0 }, 0, false, false },
		{ 0xa000, 0x1000, 0, "[kernel.kallsyms]_stext", { 0 }, 0, true, false },
	};
	static const struct {
		const char *path;
		uint16_t misc;
		unsigned char id;
	} ids[] = { { "/bin/a", 1 << 15 | 2, 1 },
		    { "/bin/b", 1 << 15 | 2, 2 },
		    { "[kernel.kallsyms]", 1 << 15 | 1, 3 } };
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		unsigned char record[64] = { 67 };
		uint16_t size = sizeof(record);

		memcpy(record + 4, &ids[i].misc, 2);
		memcpy(record + 6, &size, 2);
		record[12] = ids[i].id;
		record[13] = 0xee;
		record[32] = 2;
		memcpy(record + 36, ids[i].path, strlen(ids[i].path));
		perf_writer_feature_bytes(writer, 2, record, sizeof(record));
	}
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		perf_writer_map(writer, S, &maps[i]);
	expect_text(writer,
		    "0 10/10@0 map 4000+1000 from 0 of '/bin/a' id 01ee\n"
		    "0 10/10@0 map 6000+1000 from 0 of '/bin/b' id 09\n"
		    "0 10/10@0 map 8000+1000 from 0 of '/bin/c'\n"
		    "0 -1/0@0 map a000+1000 from 0 of '[kernel.kallsyms]_stext' kernel id 03ee\n");
}

/* What is read ahead needs the other half: without room each of its blocks replaces one that is still needed. */
static void perf_limits_usual__all_batches_in_use__leave_half_of_the_blocks(void **state)
{
	(void)state;
	assert_true(PIPELINE_SLOTS * perf_limits_usual.batch_blocks <=
		    perf_limits_usual.blocks / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_limits_usual__all_batches_in_use__leave_half_of_the_blocks),
		cmocka_unit_test(perf_reader__scenario__is_delivered_by_time),
		cmocka_unit_test(perf_reader__compressed_in_any_pieces__is_the_same),
		cmocka_unit_test(perf_reader__any_limits__are_the_same),
		cmocka_unit_test(perf_reader__facts__are_those_of_the_recording),
		cmocka_unit_test(perf_reader__not_wanted__is_left_out_but_counted),
		cmocka_unit_test(perf_reader__base_given__is_time_zero),
		cmocka_unit_test(perf_reader__process_made_up__has_no_copy),
		cmocka_unit_test(perf_reader__rounds__bound_the_delay),
		cmocka_unit_test(perf_reader__no_rounds__are_delivered_when_too_many_wait),
		cmocka_unit_test(perf_reader__compressed_without_rounds__keeps_its_limit),
		cmocka_unit_test(perf_reader__a_round_larger_than_memory__is_in_order),
		cmocka_unit_test(perf_reader__copies__are_never_parted_from_their_calls),
		cmocka_unit_test(perf_reader__stack_of_an_entry__lasts_as_long_as_its_event),
		cmocka_unit_test(perf_reader__address_taken_during_mremap__is_moved_before),
		cmocka_unit_test(perf_reader__exit_of_a_call_alone__is_counted),
		cmocka_unit_test(perf_reader__round_between_an_event_and_its_duplicate__waits),
		cmocka_unit_test(perf_reader__a_few_thousand__are_the_same_with_two_threads),
		cmocka_unit_test(perf_reader__freed_early__ends_its_thread),
		cmocka_unit_test(perf_reader__build_ids_apart__come_to_their_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
