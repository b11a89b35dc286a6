#include "trace/etl/etl_reader.h"

#include "etl_trace_fixture.h"
#include "trace/etl/etl_kernel.h"

#define K(n) (0xfffff80000000000 + (n))

static const struct trace_options all = {
	.base_ns = TRACE_BASE_FIRST, .cpu = true, .memory = true, .threads = 1
};

static void add_stack(struct making *making, struct strbuf *p, uint64_t recorded, uint64_t time,
		      uint32_t tid, uint64_t kernel, uint64_t user)
{
	const uint64_t frames[] = { kernel ? kernel : user, user };

	put_stack(p, time, 8, tid, frames, kernel && user ? 2 : 1);
	add_kernel(making, recorded, GROUP_STACK, ETL_STACK, 2, p);
}

/* What runs on the first processor, and what on the second. */
static void make_trace(struct making *making)
{
	struct strbuf p = STRBUF_INIT;

	making_init(making);
	add_first_buffer(making);
	begin_cpu(making, 0, 1);
	put32(&p, 0);
	put32(&p, 20000);
	put32(&p, 10000);
	add_kernel(making, 1500, GROUP_PERF, ETL_PERF_INTERVAL_START, 2, &p);
	add_process(making, &p, 2000, ETL_OPCODE_START, 8, 259);
	put_thread(&p, 8, 12, "main");
	add_kernel(making, 2000, GROUP_THREAD, ETL_OPCODE_START, ETL_THREAD_VERSION, &p);
	put_image(&p, 8, 0x10000, 0x1000, "\\Device\\HarddiskVolume1\\a.exe");
	add_kernel(making, 2010, GROUP_PROCESS, ETL_IMAGE_LOAD, ETL_IMAGE_VERSION, &p);
	put_rsds(&p, 8, 0x10000, 'x', 1, "a.pdb");
	add_full(making, 2010, guid_image_id, ETL_IMAGE_ID_RSDS, 2, &p);
	put_sample(&p, 0x10020, 12, 0);
	add_kernel(making, 2100, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	add_stack(making, &p, 2101, 2100, 12, 0, 0x10020);
	put_virtual(&p, 0x7ff0, 0x20, 8, ETL_MEM_COMMIT | ETL_MEM_RESERVE);
	add_kernel(making, 2200, GROUP_PAGE_FAULT, ETL_VIRTUAL_ALLOC, 2, &p);
	add_stack(making, &p, 2201, 2200, 12, K(1), 0);
	end_buffer(making, 0);
	begin_cpu(making, 1, 2);
	/* An idle one, one in an interrupt, one of a thread that is only in the rundown at the end. */
	put_sample(&p, K(2), 0, 0);
	add_kernel(making, 2100, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	put_sample(&p, K(2), 0, 1);
	add_kernel(making, 2110, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	put_sample(&p, K(3), 20, 0);
	add_kernel(making, 2120, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	/* The second part of what the other processor began. */
	add_stack(making, &p, 2300, 2200, 12, 0, 0x10040);
	put_virtual(&p, 0x8000, 0x1000, 8, ETL_MEM_DECOMMIT);
	add_kernel(making, 2400, GROUP_PAGE_FAULT, ETL_VIRTUAL_FREE, 2, &p);
	put_virtual(&p, 0x7000, 0, 8, ETL_MEM_RELEASE);
	add_kernel(making, 2410, GROUP_PAGE_FAULT, ETL_VIRTUAL_FREE, 2, &p);
	put_virtual(&p, 0x7000, 0x2000, 8, ETL_MEM_RELEASE);
	add_kernel(making, 2420, GROUP_PAGE_FAULT, ETL_VIRTUAL_FREE, 2, &p);
	add_process(making, &p, 2500, ETL_OPCODE_END, 8, 7);
	put_text(&p, "half way");
	add_full(making, 2450, guid_perf, ETL_PERF_MARK, 0, &p);
	put_thread(&p, 16, 20, "");
	add_kernel(making, 2600, GROUP_THREAD, ETL_OPCODE_DC_END, ETL_THREAD_VERSION, &p);
	put_volume(&p, "\\Device\\HarddiskVolume1\\", "C:\\");
	add_full(making, 1, guid_config_ex, ETL_EX_VOLUME, 0, &p);
	end_buffer(making, 0);
	strbuf_release(&p);
}

#define EXPECTED_PROCESS \
	"100000 8/-1@-1 start of 4 by 0\n" \
	"100000 8/12@-1 thread by 0\n" \
	"100000 8/12@-1 name 'main'\n" \
	"101000 8/-1@-1 map 10000+1000 from 0 of 'C:\\a.exe' id " \
	"7878787878787878787878787878787801000000\n"

#define EXPECTED_END "150000 8/-1@-1 process ends\n"

static const char expected[] =
	"0 16/20@-1 thread by 0\n" EXPECTED_PROCESS "110000 8/12@0 cpu 2000000ns u:10020\n"
	"112000 16/20@1 cpu 2000000ns k:fffff80000000003\n"
	"120000 8/12@0 fill 7000+2000 weight 1 k:fffff80000000001 u:10040\n"
	"140000 8/-1@1 decommit 8000+1000 weight 0\n"
	"142000 8/-1@1 release 7000+2000 weight 0\n" EXPECTED_END;

static void etl_reader__a_trace__is_delivered_by_time(void **state)
{
	struct making making;

	(void)state;
	make_trace(&making);
	for (int threads = 1; threads <= 2; threads++) {
		struct trace_options options = all;
		struct etl_file *file = open_making(&making);
		struct reading reading;

		options.threads = threads;
		read_files(&reading, &file, 1, &options);
		assert_int_equal(reading.rc, 0);
		assert_string_equal(reading.text.buf, expected);
		reading_release(&reading);
	}
	strbuf_release(&making.bytes);
}

static void etl_reader__what_is_not_wanted__is_not_delivered(void **state)
{
	struct making making;

	(void)state;
	make_trace(&making);
	for (int i = 0; i < 3; i++) {
		const struct trace_options options = {
			.base_ns = TRACE_BASE_FIRST, .cpu = i == 1, .memory = i == 2, .threads = 1
		};
		struct etl_file *file = open_making(&making);
		struct reading reading;

		read_files(&reading, &file, 1, &options);
		assert_int_equal(strstr(reading.text.buf, "cpu") != NULL, i == 1);
		assert_int_equal(strstr(reading.text.buf, "release") != NULL, i == 2);
		assert_non_null(strstr(reading.text.buf, EXPECTED_PROCESS));
		assert_non_null(strstr(reading.text.buf, EXPECTED_END));
		reading_release(&reading);
	}
	strbuf_release(&making.bytes);
}

/* A thread that has no event of its own is of the process that its stack has; what follows it waits too. */
static void etl_reader__no_stacks__only_the_process_is_found_by_them(void **state)
{
	const struct trace_options options = { .base_ns = TRACE_BASE_FIRST,
					       .cpu = true,
					       .memory = true,
					       .threads = 1,
					       .no_stacks = true };
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct etl_file *file;
	struct reading reading;

	(void)state;
	make_trace(&making);
	begin_cpu(&making, 2, 3);
	put_sample(&p, 0x10020, 30, 0);
	add_kernel(&making, 2430, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	add_sample(&making, &p, 2440, 0x10020);
	add_stack(&making, &p, 2450, 2430, 30, 0, 0x10020);
	end_buffer(&making, 0);
	file = open_making(&making);
	read_files(&reading, &file, 1, &options);
	assert_string_equal(reading.text.buf, "0 16/20@-1 thread by 0\n" EXPECTED_PROCESS
					      "110000 8/12@0 cpu 2000000ns\n"
					      "112000 16/20@1 cpu 2000000ns\n"
					      "120000 8/-1@0 fill 7000+2000 weight 0\n"
					      "140000 8/-1@1 decommit 8000+1000 weight 0\n"
					      "142000 8/-1@1 release 7000+2000 weight 0\n"
					      "143000 8/30@2 cpu 2000000ns\n"
					      "144000 8/12@2 cpu 2000000ns\n" EXPECTED_END);
	reading_release(&reading);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

static void etl_reader_again__other_options__delivers_the_same_trace(void **state)
{
	const struct trace_options none = { .threads = 2 };
	struct reading reading = { .text = STRBUF_INIT, .err = ERR_INIT };
	struct etl_reader *reader;
	struct making making;
	struct etl_file *file;

	(void)state;
	make_trace(&making);
	file = open_making(&making);
	trace_facts_init(&reading.facts);
	assert_int_equal(etl_reader_open(&file, 1, &none, &reading.facts, &reader, &reading.err),
			 0);
	for (int i = 0; i < 3; i++) {
		struct trace_options options = all;

		/* To the end, or not. */
		if (i != 1)
			read_events(&reading, reader);
		options.threads = 1 + i % 2;
		assert_int_equal(etl_reader_again(reader, &options, &reading.err), 0);
		read_events(&reading, reader);
		assert_string_equal(reading.text.buf, expected);
		assert_int_equal(reading.facts.counters.base_ns, 100000);
		assert_int_equal(reading.facts.marks[0].time_ns, 145000);
		assert_int_equal(reading.facts.counters.lost, 41);
	}
	etl_reader_free(reader);
	reading_release(&reading);
	strbuf_release(&making.bytes);
}

static void etl_reader__base__is_on_the_traces_clock(void **state)
{
	const struct trace_options options = {
		.base_ns = 50000, .cpu = true, .memory = true, .threads = 1
	};
	struct making making;
	struct etl_file *file;
	struct reading reading;

	(void)state;
	make_trace(&making);
	file = open_making(&making);
	read_files(&reading, &file, 1, &options);
	assert_int_equal(reading.facts.counters.base_ns, 50000);
	assert_int_equal(reading.facts.counters.first_ns, 50000);
	assert_int_equal(reading.facts.counters.last_ns, 210000);
	assert_non_null(strstr(reading.text.buf, "0 16/20@-1 thread"));
	assert_non_null(strstr(reading.text.buf, "\n150000 8/-1@-1 start"));
	reading_release(&reading);
	strbuf_release(&making.bytes);
}

/* A whole trace of one processor, whose events follow. */
static void begin_trace(struct making *making)
{
	making_init(making);
	add_first_buffer(making);
	begin_cpu(making, 0, 1);
}

static void read_all(struct reading *reading, const struct making *making)
{
	struct etl_file *file = open_making(making);

	read_files(reading, &file, 1, &all);
}

static uint64_t count_of(const struct trace_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->counts_nr; i++)
		if (!strcmp(facts->counts[i].name, name))
			return facts->counts[i].nr;
	return 0;
}

static void etl_reader__facts__have_machine_and_events(void **state)
{
	struct making making;
	struct reading reading;

	(void)state;
	make_trace(&making);
	read_all(&reading, &making);
	assert_string_equal(reading.facts.format, "etl");
	assert_string_equal(reading.facts.os_release, "Windows 10.0.22621");
	assert_string_equal(reading.facts.clock, "QPC");
	assert_string_equal(reading.facts.cpu_event, "SampledProfile");
	assert_null(reading.facts.cpu_note);
	assert_null(reading.facts.cpu_refusal);
	assert_null(reading.facts.caller_refusal);
	assert_true(reading.facts.has_memory);
	assert_null(reading.facts.memory_refusal);
	assert_int_equal(reading.facts.cpus, 4);
	/* Times of the year 1601. */
	assert_null(reading.facts.start_utc);
	assert_null(reading.facts.boot_utc);
	assert_string_equal(reading.facts.time_zone, "UTC+01:00");
	assert_int_equal(reading.facts.counters.base_ns, 100000);
	assert_int_equal(reading.facts.counters.first_ns, 0);
	assert_int_equal(reading.facts.counters.last_ns, 160000);
	assert_int_equal(reading.facts.counters.lost, 41);
	assert_int_equal(reading.facts.counters.lost_buffers, 3);
	assert_int_equal(reading.facts.counters.damaged, 0);
	assert_int_equal(count_of(&reading.facts, "PerfInfo/SampledProfile"), 4);
	assert_int_equal(count_of(&reading.facts, "idle: SampledProfile of thread 0"), 2);
	assert_int_equal(count_of(&reading.facts, "idle: of these in a DPC or ISR"), 1);
	assert_int_equal(count_of(&reading.facts, "PageFault/VirtualFree"), 3);
	assert_int_equal(reading.facts.marks_nr, 1);
	assert_string_equal(reading.facts.marks[0].text, "half way");
	assert_int_equal(reading.facts.marks[0].time_ns, 145000);
	reading_release(&reading);
	strbuf_release(&making.bytes);
}

/* Windows calls programs back from the kernel. */
static void etl_reader__stacks__kernel_frames_may_be_within_the_user_part(void **state)
{
	const uint64_t frames[] = { 0x10020, K(2), K(1), 0x10040 };
	const struct trace_event *events;
	struct etl_reader *reader;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct etl_file *file;
	size_t nr;

	(void)state;
	begin_trace(&making);
	add_sample(&making, &p, 2100, 0x10020);
	put_stack(&p, 2100, 8, 12, frames, ARRAY_SIZE(frames));
	add_kernel(&making, 2101, GROUP_STACK, ETL_STACK, 2, &p);
	end_buffer(&making, 0);
	file = open_making(&making);
	trace_facts_init(&facts);
	assert_int_equal(etl_reader_open(&file, 1, &all, &facts, &reader, &err), 0);
	assert_int_equal(etl_reader_next(reader, &events, &nr, &err), 1);
	assert_int_equal(nr, 1);
	assert_int_equal(events[0].cpu_sample.stack.kernel_nr, 0);
	assert_int_equal(events[0].cpu_sample.stack.user_nr, ARRAY_SIZE(frames));
	assert_true(events[0].cpu_sample.stack.kernel_from > 0x10040);
	assert_true(events[0].cpu_sample.stack.kernel_from <= K(0));
	etl_reader_free(reader);
	trace_facts_release(&facts);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

static void add_interval(struct making *making, struct strbuf *p, uint64_t time, uint8_t opcode,
			 uint32_t now, uint32_t before)
{
	put32(p, 0);
	put32(p, now);
	put32(p, before);
	add_kernel(making, time, GROUP_PERF, opcode, 2, p);
}

/* The first interval event is a change: it has the interval before too. */
static void etl_reader__interval_changes__samples_stand_for_theirs(void **state)
{
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct reading reading;

	(void)state;
	begin_trace(&making);
	add_sample(&making, &p, 2000, 0x10020);
	add_interval(&making, &p, 2100, ETL_PERF_INTERVAL, 20000, 5000);
	add_sample(&making, &p, 2200, 0x10020);
	add_interval(&making, &p, 2300, ETL_PERF_INTERVAL_END, 20000, 20000);
	add_sample(&making, &p, 2400, 0x10020);
	end_buffer(&making, 0);
	read_all(&reading, &making);
	assert_string_equal(reading.text.buf, "100000 -1/12@0 cpu 500000ns u:10020\n"
					      "120000 -1/12@0 cpu 2000000ns u:10020\n"
					      "140000 -1/12@0 cpu 2000000ns u:10020\n");
	assert_null(reading.facts.cpu_note);
	reading_release(&reading);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

/* 18 GHz is what one step of 64 bits holds. */
static void etl_reader__clock_of_20_ghz__is_exact(void **state)
{
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct reading reading;

	(void)state;
	making_init(&making);
	making.frequency = UINT64_C(20000000000);
	add_first_buffer(&making);
	begin_cpu(&making, 0, 1);
	add_sample(&making, &p, UINT64_C(19000001000), 0x10020);
	add_sample(&making, &p, UINT64_C(21000001019), 0x10020);
	end_buffer(&making, 0);
	read_all(&reading, &making);
	assert_string_equal(reading.text.buf, "950000000 -1/12@0 cpu 1000000ns u:10020\n"
					      "1050000000 -1/12@0 cpu 1000000ns u:10020\n");
	reading_release(&reading);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

/* It would come last, and all that follows on its processor behind it: without stacks, and after the process. */
static void etl_reader__time_behind_the_end__is_damage(void **state)
{
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct reading reading;

	(void)state;
	making_init(&making);
	making.end_time = 1000000200; /* behind 100 s */
	add_first_buffer(&making);
	begin_cpu(&making, 0, 1);
	add_process(&making, &p, 2000, ETL_OPCODE_START, 8, 259);
	add_sample(&making, &p, UINT64_C(1) << 40, 0x10020);
	add_sample(&making, &p, 2200, 0x10021);
	add_stack(&making, &p, 2201, 2200, 12, 0, 0x10022);
	add_process(&making, &p, 2500, ETL_OPCODE_END, 8, 7);
	/* A clock that was put forward: no event says otherwise. */
	add_sample(&making, &p, UINT64_C(1) << 40, 0x10023);
	end_buffer(&making, 0);
	read_all(&reading, &making);
	assert_string_equal(reading.text.buf, "100000 8/-1@-1 start of 4 by 0\n"
					      "120000 8/12@0 cpu 1000000ns u:10022\n"
					      "150000 8/-1@-1 process ends\n"
					      "109951162677600 -1/12@0 cpu 1000000ns u:10023\n");
	assert_int_equal(reading.facts.counters.damaged, 1);
	assert_int_equal(reading.facts.counters.unordered, 0);
	reading_release(&reading);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

/* In one processor's buffers; that others are later is no disorder, nor is a message without a time. */
static void etl_reader__events_behind_later_ones__are_counted(void **state)
{
	static const struct trace_options options[] = {
		{ .base_ns = TRACE_BASE_FIRST, .cpu = true, .memory = true, .threads = 1 },
		{ .base_ns = TRACE_BASE_FIRST, .cpu = true, .threads = 2 },
		{ .base_ns = TRACE_BASE_FIRST, .threads = 1 },
	};
	struct making making;

	(void)state;
	making_init(&making);
	add_first_buffer(&making);
	begin_cpu(&making, 1, 1);
	add_event(&making, 2000, 1);
	add_event(&making, 2005, 1);
	add_event(&making, 2003, 1);
	add_number(&making, 0x90000008, 4);
	add_number(&making, 99, 4);
	add_event(&making, 2006, 1);
	end_buffer(&making, 0);
	begin_cpu(&making, 2, 2);
	add_event(&making, 2004, 1);
	end_buffer(&making, 0);
	begin_cpu(&making, 1, 3);
	add_event(&making, 2005, 1);
	end_buffer(&making, 0);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct etl_file *file = open_making(&making);
		struct reading reading;

		read_files(&reading, &file, 1, &options[i]);
		assert_int_equal(reading.facts.counters.unordered, 2);
		assert_string_equal(reading.facts.cpu_refusal,
				    "it has no CPU samples: record with 'cpu = yes', or WPR's "
				    "profile CPU");
		reading_release(&reading);
	}
	strbuf_release(&making.bytes);
}

static const unsigned char guid_heap[] = { 0xab, 0x62, 0x29, 0x22, 0x80, 0x61, 0x88, 0x4b,
					   0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a };

enum { CALL_ALLOC = 33, CALL_REALLOC = 34, CALL_FREE = 36, HEAP_EXTEND = 37 };

/* An event of a process: heap, these numbers, and where in the heap it was done. */
static void add_heap(struct making *making, uint32_t pid, unsigned opcode, const uint64_t *numbers,
		     size_t nr)
{
	size_t begin = making->bytes.len;
	struct strbuf p = STRBUF_INIT;

	put64(&p, 0x9990000);
	for (size_t i = 0; i < nr; i++)
		put64(&p, numbers[i]);
	put32(&p, 3);
	add_full(making, 2000, guid_heap, opcode, 2, &p);
	put(making, begin + 12, pid, 4);
	strbuf_release(&p);
}

static void expect_heap(const struct trace_heap *heap, const struct trace_heap *sum)
{
	assert_int_equal(heap->pid, sum->pid);
	assert_int_equal(heap->allocs, sum->allocs);
	assert_int_equal(heap->reallocs, sum->reallocs);
	assert_int_equal(heap->frees, sum->frees);
	assert_int_equal(heap->allocated_bytes, sum->allocated_bytes);
	assert_int_equal(heap->grown_bytes, sum->grown_bytes);
}

static void etl_reader__heap_events__are_summed_by_process(void **state)
{
	static const struct trace_heap sums[] = {
		{ -1, 0, 0, 1, 0, 0 },
		{ 8, 2, 2, 1, 116, 40 },
		{ 12, 1, 0, 0, 1, 0 },
	};
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct reading reading;

	(void)state;
	begin_trace(&making);
	add_heap(&making, 12, CALL_ALLOC, (uint64_t[]){ 1, 0x20000 }, 2);
	add_heap(&making, 12, CALL_ALLOC, (uint64_t[]){ UINT64_MAX, 0x20000 }, 2); /* damaged */
	add_heap(&making, 8, CALL_ALLOC, (uint64_t[]){ 100, 0x10000 }, 2);
	add_heap(&making, 8, CALL_ALLOC, (uint64_t[]){ 16, 0x10100 }, 2);
	/* To a larger size, and to a smaller one. A block that moves counts by an allocation and a free. */
	add_heap(&making, 8, CALL_REALLOC, (uint64_t[]){ 0x10000, 0x10000, 140, 100 }, 4);
	add_heap(&making, 8, CALL_REALLOC, (uint64_t[]){ 0x10000, 0x10000, 20, 140 }, 4);
	add_heap(&making, 8, CALL_REALLOC, (uint64_t[]){ 0x10200, 0x10000, 500, 20 }, 4);
	add_heap(&making, 8, CALL_FREE, (uint64_t[]){ 0x10000 }, 1);
	/* Another kind, one that lacks fields, and one without a process. */
	add_heap(&making, 8, HEAP_EXTEND, (uint64_t[]){ 1, 2, 3, 4, 5 }, 5);
	add_heap(&making, 8, CALL_ALLOC, (uint64_t[]){ 100 }, 1);
	put64(&p, 0x9990000);
	put64(&p, 0x10000);
	put32(&p, 3);
	add_kernel(&making, 2000, GROUP_HEAP, CALL_FREE, 2, &p);
	end_buffer(&making, 0);
	read_all(&reading, &making);
	assert_int_equal(reading.facts.counters.damaged, 2);
	assert_int_equal(reading.facts.heaps_nr, ARRAY_SIZE(sums));
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		expect_heap(&reading.facts.heaps[i], &sums[i]);
	reading_release(&reading);
	strbuf_release(&p);
	strbuf_release(&making.bytes);
}

/* Processes are in one, samples in the other. */
static void etl_reader__files_of_one_recording__are_one_trace(void **state)
{
	struct strbuf p = STRBUF_INIT;
	struct making kernel, user;
	struct etl_file *files[2];
	struct reading reading;

	(void)state;
	making_init(&kernel);
	add_first_buffer(&kernel);
	begin_cpu(&kernel, 0, 1);
	put_sample(&p, 0x10020, 12, 0);
	add_kernel(&kernel, 2100, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	end_buffer(&kernel, 0);
	making_init(&user);
	user.first_tick = 900;
	add_first_buffer(&user);
	begin_cpu(&user, 0, 1);
	put_thread(&p, 8, 12, "");
	add_kernel(&user, 2600, GROUP_THREAD, ETL_OPCODE_DC_END, ETL_THREAD_VERSION, &p);
	end_buffer(&user, 0);
	files[0] = open_making(&kernel);
	files[1] = open_making(&user);
	read_files(&reading, files, 2, &all);
	assert_string_equal(reading.text.buf, "0 8/12@-1 thread by 0\n"
					      "120000 8/12@0 cpu 1000000ns u:10020\n");
	assert_non_null(reading.facts.cpu_note);
	assert_false(reading.facts.has_memory);
	assert_non_null(strstr(reading.facts.memory_refusal, "VirtualAlloc"));
	reading_release(&reading);
	files[0] = open_making(&kernel);
	user.frequency = 3000000;
	strbuf_clear(&user.bytes);
	add_first_buffer(&user);
	files[1] = open_making(&user);
	read_files(&reading, files, 2, &all);
	assert_int_equal(reading.rc, -1);
	assert_int_equal(reading.err.code, ERR_UNSUPPORTED);
	reading_release(&reading);
	strbuf_release(&kernel.bytes);
	strbuf_release(&user.bytes);
	strbuf_release(&p);
}

/* Two recordings since one start of Windows. */
static void etl_reader__files_that_do_not_overlap__are_named(void **state)
{
	static const struct {
		uint64_t first_ticks[3]; /* 0: no more files */
		int64_t seconds[3];      /* of the recording; 0: it was never closed */
		uint32_t mode;
		const char *gap;
	} cases[] = {
		{ { 1000, 20001000 }, { 5, 5 }, 0, NULL },
		{ { 1000, 70001000 },
		  { 5, 5 },
		  0,
		  "'-' begins 2.00 s after the end of '-': if they are two recordings, all sums "
		  "are of both together" },
		{ { 70001000, 1000 }, { 5, 5 }, 0, "'-' begins 2.00 s after the end of '-'" },
		/* Another file lies between, or goes on. */
		{ { 1000, 70001000, 40001000 }, { 5, 5, 5 }, 0, NULL },
		{ { 1000, 70001000, 20001000 }, { 9, 5, 1 }, 0, NULL },
		{ { 1000, 70001000 }, { 5, 5 }, ETL_MODE_NEW_FILE, NULL },
		{ { 1000, 70001000 }, { 0, 5 }, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct etl_file *files[3];
		struct making making[3];
		struct reading reading;
		size_t nr = 0;

		for (; nr < 3 && cases[i].first_ticks[nr]; nr++) {
			making_init(&making[nr]);
			making[nr].first_tick = cases[i].first_ticks[nr];
			making[nr].mode = cases[i].mode;
			/* It starts at FILETIME 200. */
			if (cases[i].seconds[nr])
				making[nr].end_time =
					200 + (uint64_t)cases[i].seconds[nr] * 10000000;
			add_first_buffer(&making[nr]);
			files[nr] = open_making(&making[nr]);
		}
		read_files(&reading, files, nr, &all);
		assert_int_equal(reading.rc, 0);
		assert_int_equal(reading.facts.gap != NULL, cases[i].gap != NULL);
		if (cases[i].gap)
			assert_memory_equal(reading.facts.gap, cases[i].gap, strlen(cases[i].gap));
		reading_release(&reading);
		while (nr-- > 0)
			strbuf_release(&making[nr].bytes);
	}
}

static void etl_reader__payload_that_lacks_fields__is_damage(void **state)
{
	struct strbuf p = STRBUF_INIT;
	struct making making;
	struct reading reading;

	(void)state;
	begin_trace(&making);
	put32(&p, 1);
	add_kernel(&making, 2100, GROUP_PERF, ETL_PERF_SAMPLE, 2, &p);
	end_buffer(&making, 0);
	read_all(&reading, &making);
	assert_int_equal(reading.rc, 0);
	assert_string_equal(reading.text.buf, "");
	assert_int_equal(reading.facts.counters.damaged, 1);
	assert_non_null(strstr(reading.facts.first_damage.buf, "PerfInfo event 46"));
	reading_release(&reading);
	strbuf_release(&making.bytes);
	strbuf_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_reader__a_trace__is_delivered_by_time),
		cmocka_unit_test(etl_reader__what_is_not_wanted__is_not_delivered),
		cmocka_unit_test(etl_reader__no_stacks__only_the_process_is_found_by_them),
		cmocka_unit_test(etl_reader_again__other_options__delivers_the_same_trace),
		cmocka_unit_test(etl_reader__base__is_on_the_traces_clock),
		cmocka_unit_test(etl_reader__facts__have_machine_and_events),
		cmocka_unit_test(etl_reader__stacks__kernel_frames_may_be_within_the_user_part),
		cmocka_unit_test(etl_reader__interval_changes__samples_stand_for_theirs),
		cmocka_unit_test(etl_reader__clock_of_20_ghz__is_exact),
		cmocka_unit_test(etl_reader__time_behind_the_end__is_damage),
		cmocka_unit_test(etl_reader__events_behind_later_ones__are_counted),
		cmocka_unit_test(etl_reader__heap_events__are_summed_by_process),
		cmocka_unit_test(etl_reader__files_of_one_recording__are_one_trace),
		cmocka_unit_test(etl_reader__files_that_do_not_overlap__are_named),
		cmocka_unit_test(etl_reader__payload_that_lacks_fields__is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
