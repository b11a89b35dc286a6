#include "perf_reader_fixture.h"

#define REMEDY \
	"; perf record needs the events of docs/perf-data.md, a configuration 'virtualalloc = " \
	"yes'; both need the rights that 'stagetrace check' names"

#define S UINT64_C(1000000000)

/* A picked page: its address bits 12 to 16 are 00101. */
#define PICKED UINT64_C(0x7f0000025000)

struct fault {
	uint64_t address, error_code;
	const char *expected;
};

static const struct fault faults[] = {
	{ PICKED, 6, "0 10/10@3 touch 7f0000025000+1000 for 32" },
	{ PICKED + 0xfff, 7,
	  "0 10/10@3 touch 7f0000025000+1000 for 32" }, /* the page is there: copy on write */
	{ PICKED + 0x40000, 2, "0 10/10@3 touch 7f0000065000+1000 for 32" }, /* by a system call */
	{ PICKED, 4, NULL },                                                 /* a read */
	{ PICKED, 5, NULL },
	{ PICKED, 0x14, NULL }, /* code that is run */
	{ PICKED - 0x1000, 6, NULL },
	{ PICKED + 0x1000, 6, NULL },
	{ PICKED + 0x10000, 6, NULL },
	{ UINT64_C(0xffffc00000025000), 2, NULL }, /* the kernel's own */
};

static void put_fault(struct perf_writer *writer, uint64_t time, unsigned event,
		      const struct fault *fault)
{
	const uint64_t args[] = { fault->address, 0x1234, fault->error_code };

	perf_writer_call(writer, time, event, args, ARRAY_SIZE(args));
}

static void linux_touches__writes_of_picked_pages__are_touches(void **state)
{
	static const char *const names[] = { "page_fault_user", "page_fault_kernel" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults) * ARRAY_SIZE(names); i++) {
		const struct fault *fault = &faults[i / ARRAY_SIZE(names)];
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		const char *name = names[i % ARRAY_SIZE(names)];
		struct reading reading;
		unsigned event;

		reading_init(&reading);
		reading.options.base_ns = (int64_t)S;
		perf_writer_memory(writer);
		perf_writer_tracepoint(writer, "sys_enter_madvise", false);
		event = perf_writer_tracepoint(writer, name, false);
		perf_writer_on(writer, 10, 10, 3);
		put_fault(writer, S, event, fault);
		read_writer(&reading, writer);
		if (fault->expected)
			assert_memory_equal(reading.text.buf, fault->expected,
					    strlen(fault->expected));
		else
			assert_string_equal(reading.text.buf, "");
		assert_true(reading.facts.has_touched);
		assert_null(reading.facts.touched_refusal);
		reading_release(&reading);
	}
}

/* In order with the calls that change the memory, and with their own stacks. */
static void linux_touches__among_calls__are_in_order(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	unsigned event;

	(void)state;
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	event = perf_writer_tracepoint(writer, "page_fault_user", true);
	perf_writer_on(writer, 10, 10, 3);
	perf_writer_mmap(writer, S, PICKED, 0x2000);
	put_fault(writer, S + 2000, event, &faults[0]);
	perf_writer_munmap(writer, S + 3000, PICKED, 0x2000);
	expect_text(
		writer,
		"1000 10/10@3 commit 7f0000025000+2000 weight 0\n"
		"2000 10/10@3 touch 7f0000025000+1000 for 32 u:7f01 copy:64 1 stack at 1000002000\n"
		"3000 10/10@3 release 7f0000025000+2000 weight 0\n");
}

/* __GFP_NOMEMALLOC, __GFP_MOVABLE */
#define ALLOWED UINT64_C(0x80008)

/* What a file has next: a fault, or the allocation of a large page. */
struct step {
	uint64_t at;
	int32_t tid;
	bool alloc;
	uint64_t a, b; /* address and error code, order and flags */
	uint64_t pfn;  /* of an allocation */
};

static void expect_steps(const struct step *steps, size_t nr, const char *expected)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;
	unsigned fault, alloc;

	reading_init(&reading);
	reading.options.base_ns = (int64_t)S;
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	fault = perf_writer_tracepoint(writer, "page_fault_user", false);
	alloc = perf_writer_tracepoint(writer, "mm_page_alloc", false);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t of_fault[] = { steps[i].a, 0, steps[i].b };
		const uint64_t of_alloc[] = { steps[i].a, steps[i].b, steps[i].pfn };

		perf_writer_on(writer, 10, steps[i].tid, 0);
		if (steps[i].alloc)
			perf_writer_call(writer, S + steps[i].at, alloc, of_alloc, 3);
		else
			perf_writer_call(writer, S + steps[i].at, fault, of_fault, 3);
	}
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, expected);
	reading_release(&reading);
}

static void linux_touches__large_pages__are_where_their_fault_was(void **state)
{
	static const struct step steps[] = {
		{ 0, 10, false, UINT64_C(0x7f0000203000), 6, 0 },
		{ 100, 11, false, UINT64_C(0x7f0000c01000), 6, 0 }, /* of another thread */
		{ 9000, 10, true, 9, ALLOWED, 1 },
		{ 10000, 11, true, 4, ALLOWED, 1 }, /* 64 KB */
		{ 11000, 10, true, 9, ALLOWED, 1 }, /* its fault was not recorded */
		{ 20000, 10, false, UINT64_C(0x7f0000603000), 6, 0 },
		{ 400000, 10, true, 9, ALLOWED, 1 }, /* too late for that one */
		{ 500000, 10, false, UINT64_C(0x7f0000803000), 6, 0 },
		{ 501000, 10, true, 2, 0x80000, 1 },          /* a slab */
		{ 502000, 10, true, 9, 0x8, 1 },              /* of the page cache */
		{ 503000, 10, true, 0, ALLOWED, 1 },          /* not large */
		{ 504000, 10, true, 60, ALLOWED, 1 },         /* too large */
		{ 505000, 10, true, 9, ALLOWED, UINT64_MAX }, /* it failed */
		{ 506000, 10, true, 4, ALLOWED, 1 },          /* a smaller one instead */
	};

	(void)state;
	expect_steps(steps, ARRAY_SIZE(steps),
		     "9000 10/10@0 touch 7f0000200000+200000 for 1 u:7f01\n"
		     "10000 10/11@0 touch 7f0000c00000+10000 for 1 u:7f01\n"
		     "11000 10/10@0 touch ffffffffffffffff+200000 for 1 u:7f01\n"
		     "400000 10/10@0 touch ffffffffffffffff+200000 for 1 u:7f01\n"
		     "506000 10/10@0 touch 7f0000800000+10000 for 1 u:7f01\n");
}

static void linux_touches__not_asked_for__are_only_counted(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;
	unsigned event;

	(void)state;
	reading_init(&reading);
	reading.options.touched = false;
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	event = perf_writer_tracepoint(writer, "page_fault_user", false);
	put_fault(writer, S, event, &faults[0]);
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, "");
	assert_true(reading.facts.has_touched);
	assert_int_equal(reading.facts.counts[event].nr, 1);
	reading_release(&reading);
}

static void expect_refusal(struct perf_writer *writer, const char *expected)
{
	struct reading reading;

	reading_init(&reading);
	read_writer(&reading, writer);
	assert_false(reading.facts.has_touched);
	assert_string_equal(reading.facts.touched_refusal, expected);
	assert_string_equal(reading.text.buf, "");
	reading_release(&reading);
}

static void linux_touches__that_cannot_be_counted__are_refused(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	unsigned event;

	(void)state;
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	perf_writer_mmap(writer, S, PICKED, 0);
	expect_refusal(writer,
		       "it has no page faults: perf record needs the events of docs/perf-data.md, "
		       "a configuration 'touched = sampled' (x86); both need the rights that "
		       "'stagetrace check' names");

	/* One in ten: what the others touched is not known. */
	writer = perf_writer_new(PERF_WRITER_FILE);
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	event = perf_writer_tracepoint(writer, "page_fault_user", false);
	perf_writer_event_at(writer, event)->period = 10;
	put_fault(writer, S, event, &faults[0]);
	expect_refusal(writer,
		       "exceptions:page_fault_user was sampled by time or count, or its format "
		       "is missing: record without -F and -c");

	/* Without the call that gives pages back. */
	writer = perf_writer_new(PERF_WRITER_FILE);
	perf_writer_memory(writer);
	event = perf_writer_tracepoint(writer, "page_fault_user", false);
	put_fault(writer, S, event, &faults[0]);
	expect_refusal(writer,
		       "not recorded: sys_enter_madvise, by which programs give pages back");

	/* Without the calls that release memory. */
	writer = perf_writer_new(PERF_WRITER_FILE);
	event = perf_writer_tracepoint(writer, "page_fault_user", false);
	put_fault(writer, S, event, &faults[0]);
	expect_refusal(writer, "no memory events were recorded" REMEDY);
}

/* The command line of perf: u32 number, and each as u32 size and text. */
static void set_filter(struct perf_writer *writer, const char *filter)
{
	unsigned char line[4 + 4 + 128] = { 1, [4] = 128 };

	memcpy(line + 8, filter, strlen(filter));
	perf_writer_feature_bytes(writer, 11, line, sizeof(line));
}

static void linux_touches__of_another_sample__are_refused(void **state)
{
	static const struct {
		const char *filter;
		bool known;
	} cases[] = {
		{ "address & 0x1000 && address & 0x4000 && !(address & 0x1a000)", true },
		{ "error_code & 2 && address & 0x1000 && address & 0x4000 && !(address & 0x1a000)",
		  true },
		{ "error_code & 2", true },
		{ "!(address & 0x3f000)", false },
		{ "address & 0x1000 && address & 0x4000 && address & 0x20000 && "
		  "!(address & 0x1a000)",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		struct reading reading;
		unsigned event;

		reading_init(&reading);
		perf_writer_memory(writer);
		perf_writer_tracepoint(writer, "sys_enter_madvise", false);
		event = perf_writer_tracepoint(writer, "page_fault_user", false);
		set_filter(writer, cases[i].filter);
		put_fault(writer, S, event, &faults[0]);
		read_writer(&reading, writer);
		assert_int_equal(reading.facts.has_touched, cases[i].known);
		if (!cases[i].known)
			assert_string_equal(
				reading.facts.touched_refusal,
				"its page faults are of another sample of pages than this version "
				"reads (--filter 'address & 0x1000 && address & 0x4000 && "
				"!(address & 0x1a000)'): record it again");
		reading_release(&reading);
	}
}

static void linux_touches__that_lack_fields__are_damage(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	const uint64_t args[] = { PICKED };
	const struct strbuf *bytes;
	struct reading reading;
	unsigned event;

	(void)state;
	reading_init(&reading);
	perf_writer_memory(writer);
	perf_writer_tracepoint(writer, "sys_enter_madvise", false);
	event = perf_writer_tracepoint(writer, "page_fault_user", false);
	perf_writer_call(writer, S, event, args, ARRAY_SIZE(args));
	bytes = perf_writer_finish(writer);
	assert_int_equal(read_bytes(&reading, bytes->buf, bytes->len), 0);
	perf_writer_free(writer);
	assert_int_equal(reading.facts.counters.damaged, 1);
	assert_non_null(strstr(reading.facts.first_damage.buf,
			       "a page fault, or allocation, that lacks fields"));
	reading_release(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_touches__writes_of_picked_pages__are_touches),
		cmocka_unit_test(linux_touches__among_calls__are_in_order),
		cmocka_unit_test(linux_touches__large_pages__are_where_their_fault_was),
		cmocka_unit_test(linux_touches__not_asked_for__are_only_counted),
		cmocka_unit_test(linux_touches__that_cannot_be_counted__are_refused),
		cmocka_unit_test(linux_touches__of_another_sample__are_refused),
		cmocka_unit_test(linux_touches__that_lack_fields__are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
