#include "perf_reader_fixture.h"

#define REMEDY \
	"; perf record needs the events of docs/perf-data.md, a configuration 'virtualalloc = " \
	"yes'; both need the rights that 'stagetrace check' names"

#define S UINT64_C(1000000000)

/* IP, TID, TIME, IDENTIFIER. */
#define USUAL  (UINT64_C(1) << 16 | 7)
#define PERIOD (UINT64_C(1) << 8)
#define CHAIN  (UINT64_C(1) << 5)
#define COPIES (UINT64_C(3) << 12) /* REGS_USER, STACK_USER */

#define TRAILERS  (UINT64_C(1) << 18)
#define FREQUENCY (UINT64_C(1) << 10)

struct choice {
	struct perf_writer_event events[3];
	const char *expected; /* of a sample of each, with period 2000 */
	const char *event, *note;
};

static const struct choice choices[] = {
	{ { { "task-clock", 1, 1, 4000000, USUAL, .flags = TRAILERS },
	    { "cpu-clock", 1, 0, 1000, USUAL | PERIOD, .flags = TRAILERS | FREQUENCY },
	    { "cycles", 0, 0, 1000, USUAL, .flags = TRAILERS | FREQUENCY } },
	  "1 10/10@-1 cpu 2000ns u:1\n",
	  "cpu-clock",
	  NULL },
	{ { { "page-faults", 1, 2, 1, USUAL, .flags = TRAILERS },
	    { "cycles", 0, 0, 1000, USUAL, .flags = TRAILERS | FREQUENCY },
	    { "task-clock", 1, 1, 4000000, USUAL, .flags = TRAILERS } },
	  "2 10/10@-1 cpu 4000000ns u:2\n",
	  "task-clock",
	  NULL },
	{ { { "cpu-clock:u", 1, 0, 250, USUAL, .flags = TRAILERS | FREQUENCY },
	    { "again", 1, 0, 250, USUAL, .flags = TRAILERS | FREQUENCY },
	    { "dummy", 1, 9, 0, USUAL, .flags = TRAILERS } },
	  "0 10/10@-1 cpu 4000000ns u:0\n",
	  "cpu-clock:u",
	  NULL },
	/* With copies next to one without: they are for its stacks. */
	{ { { "cpu-clock", 1, 0, 1000, USUAL | PERIOD, .flags = TRAILERS | FREQUENCY },
	    { "cpu-stacks", 1, 0, 67, USUAL | PERIOD | COPIES, .flags = TRAILERS | FREQUENCY,
	      .regs_user = 1, .stack_user = 16 },
	    { "cpu-clock", 1, 0, 10, USUAL | PERIOD, .flags = TRAILERS | FREQUENCY } },
	  "0 10/10@-1 cpu 2000ns u:0\n1 10/10@-1 cpu 2000ns stack only u:1\n",
	  "cpu-clock",
	  NULL },
	{ { { "cpu-clock", 1, 0, 1000, USUAL | PERIOD | COPIES, .flags = TRAILERS | FREQUENCY,
	      .regs_user = 1, .stack_user = 16 },
	    { "again", 1, 0, 67, USUAL | PERIOD | COPIES, .flags = TRAILERS | FREQUENCY,
	      .regs_user = 1, .stack_user = 16 },
	    { "again", 1, 0, 67, USUAL | PERIOD, .flags = TRAILERS | FREQUENCY } },
	  "0 10/10@-1 cpu 2000ns u:0\n",
	  "cpu-clock",
	  NULL },
	/* Two kinds of CPU. */
	{ { { "cpu_core/cycles/", 0, UINT64_C(4) << 32, 500, USUAL | PERIOD,
	      .flags = TRAILERS | FREQUENCY },
	    { "cpu_atom/cycles/", 0, UINT64_C(8) << 32, 500, USUAL | PERIOD,
	      .flags = TRAILERS | FREQUENCY },
	    { "instructions", 0, 1, 500, USUAL | PERIOD, .flags = TRAILERS | FREQUENCY } },
	  "0 10/10@-1 cpu 2000000ns u:0\n1 10/10@-1 cpu 2000000ns u:1\n",
	  "cpu_core/cycles/",
	  "'cpu_core/cycles/' was sampled 500 times a second of CPU time, a sample stands for "
	  "2000000 ns" },
	{ { { "cycles", 0, 0, 100000, USUAL, .flags = TRAILERS },
	    { "instructions", 0, 1, 500, USUAL, .flags = TRAILERS },
	    { "branches", 0, 4, 500, USUAL, .flags = TRAILERS } },
	  "0 10/10@-1 cpu 100000ns u:0\n",
	  "cycles",
	  "'cycles' was sampled every 100000 cycles: shares are of cycles, and a cycle is shown as "
	  "1 ns" },
	{ { { "instructions", 0, 1, 500, USUAL, .flags = TRAILERS },
	    { "page-faults", 1, 2, 1, USUAL, .flags = TRAILERS },
	    { "cpu-clock", 1, 0, 0, USUAL, .flags = TRAILERS } },
	  "",
	  NULL,
	  NULL },
};

static void expect_note(const char *note, const char *expected)
{
	assert_int_equal(note != NULL, expected != NULL);
	if (note)
		assert_string_equal(note, expected);
}

static void perf_uses__cpu_time__is_one_kind_of_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		struct reading reading;

		reading_init(&reading);
		reading.options.base_ns = (int64_t)S;
		for (unsigned event = 0; event < 3; event++)
			perf_writer_event(writer, &choices[i].events[event]);
		for (unsigned event = 0; event < 3; event++) {
			const struct perf_writer_sample sample = { .event = event,
								   .ip = event,
								   .period = 2000 };

			perf_writer_sample(writer, S + event, &sample);
		}
		read_writer(&reading, writer);
		assert_string_equal(reading.text.buf, choices[i].expected);
		expect_note(reading.facts.cpu_event, choices[i].event);
		expect_note(reading.facts.cpu_note, choices[i].note);
		expect_note(reading.facts.cpu_refusal,
			    choices[i].event ? NULL
					     : "it has no CPU samples: record with 'cpu = yes', or "
					       "'perf record -e cpu-clock'");
		assert_string_equal(reading.facts.memory_refusal,
				    "no memory events were recorded" REMEDY);
		for (size_t event = 0; event < 3; event++)
			assert_int_equal(reading.facts.counts[event].nr, 1);
		reading_release(&reading);
	}
}

/* A clock without call chains, next to an event that has them; with them; with stack copies; with those of a second one. */
static void perf_uses__no_call_chains__are_no_callers(void **state)
{
	static const struct {
		struct perf_writer_event events[2];
		bool callers;
	} cases[] = {
		{ { { "cpu-clock", 1, 0, 1000, USUAL, .flags = TRAILERS },
		    { "page-faults", 1, 2, 1, USUAL | CHAIN, .flags = TRAILERS } },
		  false },
		{ { { "cpu-clock", 1, 0, 1000, USUAL | CHAIN, .flags = TRAILERS },
		    { "page-faults", 1, 2, 1, USUAL, .flags = TRAILERS } },
		  true },
		{ { { "cpu-clock", 1, 0, 1000, USUAL | COPIES, .flags = TRAILERS, .regs_user = 1,
		      .stack_user = 16 },
		    { "page-faults", 1, 2, 1, USUAL, .flags = TRAILERS } },
		  true },
		{ { { "cpu-clock", 1, 0, 1000, USUAL, .flags = TRAILERS },
		    { "cpu-stacks", 1, 0, 67, USUAL | COPIES, .flags = TRAILERS, .regs_user = 1,
		      .stack_user = 16 } },
		  true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		struct reading reading;

		reading_init(&reading);
		for (unsigned event = 0; event < 2; event++)
			perf_writer_event(writer, &cases[i].events[event]);
		perf_writer_name(writer, S, "x");
		read_writer(&reading, writer);
		expect_note(reading.facts.caller_refusal,
			    cases[i].callers
				    ? NULL
				    : "CPU samples have no callers: record with stagetrace, or "
				      "'perf record -g'");
		reading_release(&reading);
	}
}

/* Where nobody named them. */
static void perf_events__without_names__are_called_by_type_and_config(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} cases[] = { { 1, 0, "cpu-clock" },
		      { 1, 10, "bpf-output" },
		      { 0, 1, "instructions" },
		      { 0, (UINT64_C(4) << 32) + 9, "ref-cycles" },
		      { 2, 200, "syscalls:sys_enter_mmap" },
		      { 2, 999, "tracepoint 999" },
		      { 4, 0x76, "type 4 config 0x76" },
		      { 1, 99, "type 1 config 0x63" } };
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_PIPE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_writer_event event = { .type = cases[i].type,
							 .config = cases[i].config,
							 .period = 1,
							 .sample_type = USUAL,
							 .flags = TRAILERS };

		perf_writer_event(writer, &event);
	}
	perf_writer_name(writer, S, "x");
	read_writer(&reading, writer);
	assert_int_equal(reading.facts.counts_nr, ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(reading.facts.counts[i].name, cases[i].name);
	reading_release(&reading);
}

/* EVENT_UPDATE, which has the names in a pipe. */
static void perf_reader__names_in_a_pipe__are_taken(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_PIPE);
	const struct perf_writer_event event = {
		.type = 1, .period = 1, .sample_type = USUAL, .flags = TRAILERS
	};
	const uint64_t body[] = { 2, 1000, UINT64_C(0x0000000065656c66) };
	struct reading reading;

	(void)state;
	reading_init(&reading);
	perf_writer_event(writer, &event);
	perf_writer_record(writer, 78, 0, body, sizeof(body));
	perf_writer_name(writer, S, "x");
	read_writer(&reading, writer);
	assert_string_equal(reading.facts.counts[0].name, "flee");
	reading_release(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_uses__cpu_time__is_one_kind_of_event),
		cmocka_unit_test(perf_uses__no_call_chains__are_no_callers),
		cmocka_unit_test(perf_events__without_names__are_called_by_type_and_config),
		cmocka_unit_test(perf_reader__names_in_a_pipe__are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
