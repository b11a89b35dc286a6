#include "trace/etl/etl_switches.h"

#include "etl_trace_fixture.h"
#include "trace/etl/etl_kernel.h"

static void add_switch(struct making *making, struct strbuf *p, uint64_t time, uint32_t next,
		       uint32_t previous, uint8_t state)
{
	put32(p, next);
	put32(p, previous);
	put32(p, 0);
	put16(p, 0);
	put16(p, state);
	put64(p, 0);
	add_kernel(making, time, GROUP_THREAD, ETL_THREAD_SWITCH, 4, p);
}

static void add_ready(struct making *making, struct strbuf *p, uint64_t time, uint32_t tid)
{
	put32(p, tid);
	put32(p, 0);
	add_kernel(making, time, GROUP_THREAD, ETL_THREAD_READY, 2, p);
}

/* Begin a trace on the first processor: process 8 starts, with its threads 12 and 20. */
static void begin_threads(struct making *making, struct strbuf *p)
{
	making_init(making);
	add_first_buffer(making);
	begin_cpu(making, 0, 1);
	add_process(making, p, 2000, ETL_OPCODE_START, 8, 259);
	put_thread(p, 8, 12, "");
	add_kernel(making, 2000, GROUP_THREAD, ETL_OPCODE_START, ETL_THREAD_VERSION, p);
	put_thread(p, 8, 20, "");
	add_kernel(making, 2000, GROUP_THREAD, ETL_OPCODE_START, ETL_THREAD_VERSION, p);
}

/*
 * Thread 12 waits on the first processor, is woken, and goes on on the second; thread 20 is preempted. `apart`: the flagged
 * buffer has no event of threads.
 */
static void make_switches(struct making *making, uint16_t flags, bool apart)
{
	struct strbuf p = STRBUF_INIT;

	begin_threads(making, &p);
	add_switch(making, &p, 2010, 12, 0, 0);
	add_switch(making, &p, 2030, 0, 12, ETL_STATE_WAITING);
	add_ready(making, &p, 2050, 12);
	end_buffer(making, 0);
	begin_cpu(making, 1, 2);
	add_ready(making, &p, 2005, 20);
	add_sample(making, &p, 2007, 0x10020);
	add_switch(making, &p, 2020, 12, 20, ETL_STATE_READY);
	end_buffer(making, 0);
	begin_buffer(making, 1, 3, (uint16_t)(0x20 | flags));
	if (apart) {
		put_virtual(&p, 0x8000, 0x1000, 8, ETL_MEM_DECOMMIT);
		add_kernel(making, 2055, GROUP_PAGE_FAULT, ETL_VIRTUAL_FREE, 2, &p);
		end_buffer(making, 0);
		begin_cpu(making, 1, 4);
	}
	add_switch(making, &p, 2060, 20, 12, ETL_STATE_TERMINATED);
	add_ready(making, &p, 2070, 12);
	end_buffer(making, 0);
	strbuf_release(&p);
}

/*
 * Thread 12 moves to the second processor. Of the first one the events of that are lost, which its next buffer says while
 * the thread still runs there. `sample`: the last event before the loss is while the thread runs, else it is the switch.
 */
static void make_lost_move(struct making *making, bool sample)
{
	struct strbuf p = STRBUF_INIT;

	begin_threads(making, &p);
	add_switch(making, &p, 2010, 12, 0, 0);
	if (sample)
		add_sample(making, &p, 2013, 0x10020);
	end_buffer(making, 0);
	begin_cpu(making, 1, 2);
	add_switch(making, &p, 2020, 12, 0, 0);
	add_switch(making, &p, 2050, 0, 12, ETL_STATE_WAITING);
	end_buffer(making, 0);
	begin_buffer(making, 0, 3, 0x20 | 4);
	add_switch(making, &p, 2030, 20, 0, 0);
	add_switch(making, &p, 2060, 0, 20, ETL_STATE_WAITING);
	end_buffer(making, 0);
	strbuf_release(&p);
}

/* Read what was made, and compare what follows the starts of two threads. */
static void expect_runs(struct making *making, const char *runs_text)
{
	const struct trace_options options = { .base_ns = TRACE_BASE_FIRST,
					       .threads = 1,
					       .switches = true };
	struct err err = ERR_INIT;
	struct reading reading;
	struct etl_file *file;
	const char *runs;

	assert_false(etl_file_open_memory(making->bytes.buf, making->bytes.len, &file, &err));
	read_files(&reading, &file, 1, &options);
	runs = strstr(reading.text.buf, "thread by 0\n");
	assert_non_null(runs);
	runs = strstr(runs + 1, "thread by 0\n");
	assert_non_null(runs);
	assert_string_equal(runs + strlen("thread by 0\n"), runs_text);
	reading_release(&reading);
	strbuf_release(&making->bytes);
}

static void expect_switches(uint16_t flags, bool apart, const char *runs_text)
{
	struct making making;

	make_switches(&making, flags, apart);
	expect_runs(&making, runs_text);
}

static void etl_switches__context_switches__are_runs_with_waits(void **state)
{
	(void)state;
	/* That thread 12 is on two processors shows that a switch is missing: the first one's run is not known. */
	expect_switches(0, false,
			"102000 8/20@1 had run blocked 100500 ready 100500 from 100500 to 102000\n"
			"103000 -1/-1@0 gap blocked 101000 ready 101000 from 101000 to 103000\n"
			"106000 8/12@1 ran blocked 102000 ready 102000 from 102000 to 106000\n"
			"107000 8/20@1 ran blocked 102000 ready 102000 from 106000 to 107000\n");
	for (int apart = 0; apart < 2; apart++)
		expect_switches(
			4, apart,
			"102000 8/20@1 had run blocked 100500 ready 100500 from 100500 to 102000\n"
			"103000 -1/-1@0 gap blocked 101000 ready 101000 from 101000 to 103000\n"
			"106000 8/12@1 ran blocked 102000 ready 102000 from 102000 to 102000\n"
			"106000 -1/-1@1 gap blocked 102000 ready 102000 from 102000 to 106000\n"
			"107000 8/20@1 ran blocked 102000 ready 102000 from 106000 to 107000\n");
}

static void etl_switches__lost_switches__take_nothing_from_another_processor(void **state)
{
	struct making making;

	(void)state;
	make_lost_move(&making, true);
	expect_runs(&making,
		    "103000 8/12@0 ran blocked 101000 ready 101000 from 101000 to 101300\n"
		    "103000 -1/-1@0 gap blocked 101300 ready 101300 from 101300 to 103000\n"
		    "105000 8/12@1 ran blocked 102000 ready 102000 from 102000 to 105000\n"
		    "106000 8/20@0 ran blocked 103000 ready 103000 from 103000 to 106000\n");
	make_lost_move(&making, false);
	expect_runs(&making,
		    "103000 8/12@0 ran blocked 101000 ready 101000 from 101000 to 101000\n"
		    "103000 -1/-1@0 gap blocked 101000 ready 101000 from 101000 to 103000\n"
		    "105000 8/12@1 ran blocked 102000 ready 102000 from 102000 to 105000\n"
		    "106000 8/20@0 ran blocked 103000 ready 103000 from 103000 to 106000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_switches__context_switches__are_runs_with_waits),
		cmocka_unit_test(etl_switches__lost_switches__take_nothing_from_another_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
