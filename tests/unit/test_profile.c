#include "report/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

/* Two processes with one pid, which ran one after the other. */
static void add_processes(struct profile *profile)
{
	struct process first, second;
	struct process *rows[] = { &first, &second };
	struct process_list list = { rows, 2, 2 };
	struct process_filter filter = PROCESS_FILTER_INIT;

	process_init(&first);
	process_init(&second);
	first.pid = second.pid = 7;
	first.start_ns = PROCESS_UNKNOWN;
	first.end_ns = 40;
	second.start_ns = 50;
	second.end_ns = PROCESS_UNKNOWN;
	first.exe = xstrdup("/bin/rustc");
	first.tag.crate = xstrdup("core");
	first.tag.part = xstrdup("stage2-std");
	second.exe = xstrdup("/bin/ld");
	second.tag.part = xstrdup("stage2-std");
	profile->to_ns = 100;
	profile_add_processes(profile, &list, &filter);
	/* Another pass over the trace finds them again. */
	profile_add_processes(profile, &list, &filter);
	process_release(&first);
	process_release(&second);
}

static void add_sample(struct profile *profile, uint32_t thread, int64_t time_ns, uint32_t phase)
{
	ARRAY_ADD(profile->samples, profile->samples_nr, profile->samples_alloc,
		  (struct profile_sample){
			  .time_ns = time_ns, .ns = 2, .thread = thread, .phase = phase });
}

static void add_piece(struct profile *profile, int64_t start_ns, int64_t end_ns, int64_t bytes,
		      bool held)
{
	ARRAY_ADD(profile->pieces, profile->pieces_nr, profile->pieces_alloc,
		  (struct profile_piece){
			  .start_ns = start_ns, .end_ns = end_ns, .bytes = bytes, .held = held });
}

static void profile_add_processes__pid_used_again__gets_another_number(void **state)
{
	struct profile profile;
	struct profile_part *parts;
	size_t nr;

	(void)state;
	profile_init(&profile);
	add_processes(&profile);
	profile_finish(&profile);
	assert_int_equal(profile.processes_nr, 2);
	assert_int_equal(profile.processes[0].pid, 7);
	assert_int_equal(profile.processes[1].pid, 8);
	assert_int_equal(profile.processes[1].real_pid, 7);
	assert_string_equal(profile.processes[0].name, "rustc core");
	assert_string_equal(profile.processes[1].name, "ld");
	/* Unknown ends are those of the range. */
	assert_int_equal(profile.processes[0].start_ns, 0);
	assert_int_equal(profile.processes[1].end_ns, 100);
	assert_int_equal(profile.threads_nr, 2);
	assert_int_equal(profile.threads[1].tid, 8);
	parts = profile_parts(&profile, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(parts[0].name, "stage2-std");
	assert_int_equal(parts[0].start_ns, 0);
	assert_int_equal(parts[0].end_ns, 100);
	free(parts);
	profile_release(&profile);
}

/* By phase, and where the thread did not run for more than four times the weight of a sample; no later than the process. */
static void profile_next_span__phases_and_gaps__end_it(void **state)
{
	/* From 30 to 39 is no more than four times 2, and a remainder that does not count. */
	static const struct profile_span expected[] = {
		{ 10, 14, 4, 1 },
		{ 14, 16, 2, 2 },
		{ 30, 40, 4, 2 },
	};
	struct profile profile;
	struct profile_span span;
	size_t at = 0;

	(void)state;
	profile_init(&profile);
	add_processes(&profile);
	add_sample(&profile, 0, 39, 2);
	add_sample(&profile, 0, 12, 1);
	add_sample(&profile, 0, 10, 1);
	add_sample(&profile, 0, 14, 2);
	add_sample(&profile, 0, 30, 2);
	profile_finish(&profile);
	assert_int_equal(profile.threads[0].samples_nr, 5);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(profile_next_span(&profile, &profile.threads[0], &at, &span));
		assert_int_equal(span.start_ns, expected[i].start_ns);
		assert_int_equal(span.end_ns, expected[i].end_ns);
		assert_int_equal(span.ns, expected[i].ns);
		assert_int_equal(span.phase, expected[i].phase);
	}
	assert_false(profile_next_span(&profile, &profile.threads[0], &at, &span));
	at = 0;
	assert_false(profile_next_span(&profile, &profile.threads[1], &at, &span));
	profile_release(&profile);
}

static void profile_changes__equal_times__replaced_memory_is_no_peak(void **state)
{
	struct profile profile;
	struct profile_change *changes;
	size_t nr;

	(void)state;
	profile_init(&profile);
	add_processes(&profile);
	add_piece(&profile, 20, 30, 4096, false);
	add_piece(&profile, -5, 20, 8192, false);
	add_piece(&profile, 30, 300, 100, false);
	add_piece(&profile, 32, 32, 16384, false);
	add_piece(&profile, 35, 35, 1, true);
	profile_finish(&profile);
	changes = profile_changes(&profile, 0, profile.pieces_nr, &nr);
	/* What ends after the range is held then; what began before it begins with it. */
	assert_int_equal(nr, 8);
	assert_int_equal(changes[0].time_ns, 0);
	assert_int_equal(changes[0].bytes, 8192);
	assert_int_equal(changes[1].time_ns, 20);
	assert_int_equal(changes[1].bytes, -8192);
	assert_int_equal(changes[2].bytes, 4096);
	assert_int_equal(changes[3].time_ns, 30);
	assert_int_equal(changes[3].bytes, -4096);
	assert_int_equal(changes[4].bytes, 100);
	/* What is given back at once was there. */
	assert_int_equal(changes[5].bytes, 16384);
	assert_int_equal(changes[6].bytes, -16384);
	assert_int_equal(changes[7].bytes, 1);
	free(changes);
	assert_int_equal(profile.memory.v[0].held, 0);
	assert_int_equal(profile.memory.v[profile.memory.highest].held, 16384 + 100);
	assert_int_equal(profile.memory.v[profile.memory.highest].time_ns, 32);
	assert_int_equal(profile.memory.v[profile.memory.nr - 1].held, 101);
	assert_int_equal(profile.processes[0].pieces_nr, 5);
	assert_int_equal(profile.processes[1].memory.nr, 0);
	profile_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profile_add_processes__pid_used_again__gets_another_number),
		cmocka_unit_test(profile_next_span__phases_and_gaps__end_it),
		cmocka_unit_test(profile_changes__equal_times__replaced_memory_is_no_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
