#include "convert/etl_export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/etl/etl_file.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_merge.h"
#include "util/array.h"

#define BASE     INT64_C(1000)
#define NS_LATER INT64_C(3000000000)

/* A machine whose events go into an export. */
struct fixture {
	struct process_list rows;
	struct machine machine;
	struct strbuf file;
	struct etl_export *export;
};

static void begin(struct fixture *fixture)
{
	const struct etl_export_options options = {
		.source = "x", .product = "p", .base_ns = BASE, .cpus = 2
	};
	struct etl_sink sink;

	*fixture = (struct fixture){ .rows = PROCESS_LIST_INIT, .file = STRBUF_INIT };
	machine_init(&fixture->machine, &fixture->rows);
	sink = etl_sink_memory(&fixture->file);
	fixture->export = etl_export_new(&fixture->machine, &options, &sink);
}

static void give(struct fixture *fixture, const struct trace_event *event)
{
	machine_apply(&fixture->machine, event);
	etl_export_event(fixture->export, event);
}

static struct trace_event event_of(enum trace_event_kind kind, int64_t time_ns, int64_t pid)
{
	return (struct trace_event){ .kind = kind, .time_ns = time_ns, .pid = pid, .tid = pid };
}

static void start(struct fixture *fixture, int64_t time_ns, int64_t pid, int64_t ppid)
{
	struct trace_event event = event_of(TRACE_PROCESS_START, time_ns, pid);

	event.start = (struct trace_start){ .ppid = ppid, .copied = true };
	give(fixture, &event);
}

static void exec(struct fixture *fixture, int64_t time_ns, int64_t pid, const char *name)
{
	struct trace_event event = event_of(TRACE_EXEC, time_ns, pid);

	event.name = name;
	give(fixture, &event);
}

static void map(struct fixture *fixture, int64_t time_ns, int64_t pid, uint64_t address,
		uint64_t offset, const char *path)
{
	struct trace_event event = event_of(TRACE_MAP, time_ns, pid);

	event.map = (struct trace_map){
		.address = address, .length = 0x1000, .offset = offset, .path = path, .code = true
	};
	give(fixture, &event);
}

static void sample(struct fixture *fixture, int64_t time_ns, int64_t pid, uint64_t address,
		   uint64_t caller)
{
	const uint64_t user[] = { address, caller };
	struct trace_event event = event_of(TRACE_CPU, time_ns, pid);

	event.cpu_sample.weight_ns = 1000000;
	event.cpu_sample.stack = (struct trace_stack){ .user = user, .user_nr = 2 };
	give(fixture, &event);
}

static void add_stack(struct strbuf *text, const struct etl_stack *stack)
{
	strbuf_addf(text, "stack @%u %u", (unsigned)(stack->time - BASE), stack->tid);
	for (size_t i = 0; i < stack->nr; i++)
		strbuf_addf(text, " %llx", (unsigned long long)etl_stack_frame(stack, i));
}

/* "TIME what ..."; of what the tests are about. */
static void add_record(struct strbuf *text, const struct etl_record *record)
{
	union {
		struct etl_process process;
		struct etl_image image;
		struct etl_sample sample;
		struct etl_stack stack;
		struct etl_virtual call;
	} is;
	size_t before = text->len;

	strbuf_addf(text, "%u ", (unsigned)(record->time - BASE));
	if (record->provider == ETL_PROCESS && record->opcode != ETL_IMAGE_LOAD) {
		assert_true(etl_decode_process(record, &is.process));
		strbuf_addf(text, "process %u %u of %u", record->opcode, is.process.pid,
			    is.process.ppid);
	} else if (record->provider == ETL_PROCESS || record->provider == ETL_IMAGE) {
		assert_true(etl_decode_image(record, &is.image));
		strbuf_addf(text, "image %u %u %llx+%llx", record->opcode, is.image.pid,
			    (unsigned long long)is.image.base, (unsigned long long)is.image.size);
	} else if (record->provider == ETL_PERF_INFO && record->opcode == ETL_PERF_SAMPLE) {
		assert_true(etl_decode_sample(record, &is.sample));
		strbuf_addf(text, "sample %u %llx", is.sample.tid,
			    (unsigned long long)is.sample.ip);
	} else if (record->provider == ETL_STACK_WALK) {
		assert_true(etl_decode_stack(record, &is.stack));
		add_stack(text, &is.stack);
	} else if (record->provider == ETL_PAGE_FAULT) {
		assert_true(etl_decode_virtual(record, &is.call));
		strbuf_addf(text, "%s %u %llx+%llx",
			    record->opcode == ETL_VIRTUAL_ALLOC ? "alloc" : "free", is.call.pid,
			    (unsigned long long)is.call.base, (unsigned long long)is.call.size);
	} else {
		strbuf_set_len(text, before);
		return;
	}
	strbuf_addc(text, '\n');
}

static void end(struct fixture *fixture, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	const struct etl_record *records;
	struct err err = ERR_INIT;
	struct etl_merge *merge;
	struct etl_file *file;
	size_t nr;

	etl_export_finish(fixture->export, 3);
	assert_int_equal(etl_file_open_memory(fixture->file.buf, fixture->file.len, &file, &err),
			 0);
	assert_int_equal(etl_file_header(file)->events_lost, 3);
	assert_int_equal(etl_merge_new(&file, 1, NULL, &merge, &err), 0);
	while (etl_merge_next(merge, &records, &nr, &err) > 0)
		for (size_t i = 0; i < nr; i++)
			add_record(&text, &records[i]);
	assert_string_equal(text.buf, expected);
	etl_merge_free(merge);
	etl_file_free(file);
	etl_export_free(fixture->export);
	machine_release(&fixture->machine);
	process_list_release(&fixture->rows);
	strbuf_release(&fixture->file);
	strbuf_release(&text);
}

static void etl_export__an_exec__unloads_when_the_new_program_runs(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	start(&fixture, 0, 10, 1);
	exec(&fixture, 0, 10, "shell");
	map(&fixture, 0, 10, 0x10000, 0x2000, "/bin/shell");
	sample(&fixture, 10, 10, 0x10010, 0x10020);
	/* A child with the parent's code, which is written when the child runs in it. */
	start(&fixture, 20, 11, 10);
	sample(&fixture, 30, 11, 0x10030, 0x10020);
	exec(&fixture, 40, 11, "cc");
	map(&fixture, 41, 11, 0x50000, 0, "/bin/cc");
	sample(&fixture, 50, 11, 0x10040, 0x10020);
	sample(&fixture, 60, 11, 0x50010, 0x50020);
	/* One that runs another program at once has nothing of the parent. */
	start(&fixture, 70, 12, 10);
	exec(&fixture, 71, 12, "ld");
	map(&fixture, 72, 12, 0x60000, 0, "/bin/ld");
	sample(&fixture, 80, 12, 0x60010, 0x60020);
	end(&fixture, "0 process 3 10 of 1\n"
		      "10 image 10 10 e000+3000\n"
		      "10 sample 10 10010\n"
		      "10 stack @10 10 10010 10020\n"
		      "20 process 1 11 of 10\n"
		      "30 image 10 11 e000+3000\n"
		      "30 sample 11 10030\n"
		      "30 stack @30 11 10030 10020\n"
		      "50 sample 11 10040\n"
		      "50 stack @50 11 10040 10020\n"
		      "60 image 2 11 e000+3000\n"
		      "61 image 10 11 50000+1000\n"
		      "61 sample 11 50010\n"
		      "61 stack @61 11 50010 50020\n"
		      "70 process 1 12 of 10\n"
		      "80 image 10 12 60000+1000\n"
		      "80 sample 12 60010\n"
		      "80 stack @80 12 60010 60020\n");
}

/* Programs that are linked to one address, as gcc and what it runs. */
static void etl_export__an_exec_to_one_address__has_the_new_image(void **state)
{
	const uint64_t kernel = 0xffff800000000010;
	struct trace_event event = event_of(TRACE_CPU, 30, 11);
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	start(&fixture, 0, 10, 1);
	exec(&fixture, 0, 10, "gcc");
	map(&fixture, 0, 10, 0x403000, 0x3000, "/bin/gcc");
	start(&fixture, 10, 11, 10);
	exec(&fixture, 20, 11, "cc1");
	map(&fixture, 21, 11, 0x600000, 0x200000, "/lib/cc1");
	/* In the kernel alone; where the old one called exec; in the new one. */
	event.cpu_sample.weight_ns = 1000000;
	event.cpu_sample.stack = (struct trace_stack){ .kernel = &kernel, .kernel_nr = 1 };
	give(&fixture, &event);
	sample(&fixture, 40, 11, 0x403010, 0x403020);
	sample(&fixture, 50, 11, 0x600010, 0x600020);
	/* One that never runs has its image still. */
	start(&fixture, 60, 12, 10);
	exec(&fixture, 61, 12, "as");
	map(&fixture, 62, 12, 0x408000, 0x8000, "/bin/as");
	start(&fixture, 70, 13, 10);
	exec(&fixture, 71, 13, "ld");
	map(&fixture, 72, 13, 0x409000, 0x9000, "/bin/ld");
	event = event_of(TRACE_THREAD_END, 80, 12);
	give(&fixture, &event);
	end(&fixture, "0 process 3 10 of 1\n"
		      "10 process 1 11 of 10\n"
		      "30 sample 11 ffff800000000010\n"
		      "30 stack @30 11 ffff800000000010\n"
		      "40 image 10 11 400000+4000\n"
		      "40 sample 11 403010\n"
		      "40 stack @40 11 403010 403020\n"
		      "50 image 2 11 400000+4000\n"
		      "51 image 10 11 400000+201000\n"
		      "51 sample 11 600010\n"
		      "51 stack @51 11 600010 600020\n"
		      "60 process 1 12 of 10\n"
		      "70 process 1 13 of 10\n"
		      "80 image 10 12 400000+9000\n"
		      "80 process 2 12 of 10\n"
		      "80 image 10 10 400000+4000\n"
		      "80 image 10 13 400000+a000\n");
}

/* An address minus its image's base is the offset in the file, in every segment. */
static void etl_export__segments_further_apart_than_in_the_file__have_images_of_their_own(
	void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	start(&fixture, 0, 10, 1);
	map(&fixture, 0, 10, 0x12000, 0x1000, "/lib/a.so");
	map(&fixture, 0, 10, 0x20000, 0x10000, "/lib/a.so");
	sample(&fixture, 10, 10, 0x12010, 0x20020);
	/* Above the lower one is the upper one's image, below nothing. */
	sample(&fixture, 20, 10, 0x13010, 0xf010);
	map(&fixture, 30, 10, 0x32000, 0x20000, "/lib/a.so");
	end(&fixture, "0 process 3 10 of 1\n"
		      "10 image 10 10 11000+2000\n"
		      "10 image 10 10 10000+11000\n"
		      "11 image 10 10 11000+2000\n"
		      "11 sample 10 12010\n"
		      "11 stack @11 10 12010 20020\n"
		      "20 sample 10 0\n"
		      "20 stack @20 10 0 f010\n"
		      "30 image 10 10 12000+21000\n"
		      "31 image 10 10 10000+11000\n"
		      "32 image 10 10 11000+2000\n");
}

static void etl_export__stacks_at_one_time__have_ticks_of_their_own(void **state)
{
	struct trace_event event = event_of(TRACE_MEMORY, 10, 10);
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	start(&fixture, 0, 10, 1);
	event.cpu = 1;
	event.memory = (struct trace_memory){ .op = MEMORY_COMMIT,
					      .address = 0x10000,
					      .length = 0x2000,
					      .target_pid = 10,
					      .weight = 1 };
	give(&fixture, &event);
	sample(&fixture, 10, 10, 0x1, 0xffff800000000000);
	/* Two calls of one event. */
	event.memory.address = 0x11000;
	event.time_ns = 20;
	give(&fixture, &event);
	event.memory.weight = 0;
	give(&fixture, &event);
	sample(&fixture, 30, 10, 0x1, 0x2);
	end(&fixture, "0 process 3 10 of 1\n"
		      "10 alloc 10 10000+2000\n"
		      "10 stack @10 10\n"
		      "11 sample 10 1\n"
		      "11 stack @11 10 1 0\n"
		      "20 free 10 11000+1000\n"
		      "20 stack @20 10\n"
		      "21 alloc 10 11000+2000\n"
		      "21 stack @21 10\n"
		      "22 free 10 11000+2000\n"
		      "22 alloc 10 11000+2000\n"
		      "30 sample 10 1\n"
		      "30 stack @30 10 1 2\n");
}

static void etl_export__a_pid_that_comes_again__ends_the_one_before(void **state)
{
	struct trace_event event = event_of(TRACE_THREAD_END, 10, 10);
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	start(&fixture, 5, 10, 1);
	give(&fixture, &event);
	/* Late samples are the old one's. */
	sample(&fixture, 11, 10, 0x1, 0x2);
	start(&fixture, 20, 10, 1);
	start(&fixture, NS_LATER, 10, 2);
	event.time_ns = NS_LATER + 1;
	give(&fixture, &event);
	end(&fixture, "5 process 1 10 of 1\n"
		      "10 process 2 10 of 1\n"
		      "11 sample 10 1\n"
		      "11 stack @11 10 1 2\n"
		      "20 process 1 10 of 1\n"
		      "3000000000 process 2 10 of 1\n"
		      "3000000000 process 1 10 of 2\n"
		      "3000000001 process 2 10 of 2\n");
}

static void etl_export__what_is_not_known_or_idle__has_no_process(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	sample(&fixture, 1, 0, 0x1, 0x2);
	sample(&fixture, 2, -1, 0x1, 0x2);
	end(&fixture, "1 sample 0 1\n"
		      "2 sample 4294967295 1\n"
		      "2 stack @2 4294967295 1 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_export__an_exec__unloads_when_the_new_program_runs),
		cmocka_unit_test(etl_export__an_exec_to_one_address__has_the_new_image),
		cmocka_unit_test(
			etl_export__segments_further_apart_than_in_the_file__have_images_of_their_own),
		cmocka_unit_test(etl_export__stacks_at_one_time__have_ticks_of_their_own),
		cmocka_unit_test(etl_export__a_pid_that_comes_again__ends_the_one_before),
		cmocka_unit_test(etl_export__what_is_not_known_or_idle__has_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
