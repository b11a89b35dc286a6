#include "trace/perf/linux_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linux_calls_fixture.h"
#include "util/array.h"
#include "util/strbuf.h"

#define REMEDY \
	"; perf record needs the events of docs/perf-data.md, a configuration 'virtualalloc = " \
	"yes'; both need the rights that 'stagetrace check' names"

/* Words: names without "sys_"; marks before it: '~' sampled, '!' no format, '+' carries bytes, '-' a chain. */
struct events {
	struct linux_memory_event v[16];
	struct strbuf names[16];
	size_t nr;
	struct tracepoint_format formats[CALL_FORMATS];
	struct linux_call_event found[16];
};

static void add_event(struct events *events, const char *word, size_t nr)
{
	struct linux_memory_event *event = &events->v[events->nr];
	struct strbuf *name = &events->names[events->nr];

	assert_true(events->nr < 16);
	*event = (struct linux_memory_event){ 0 };
	*name = (struct strbuf)STRBUF_INIT;
	for (; strchr("~!+-", *word); word++, nr--) {
		event->frequency = event->frequency || *word == '~';
		event->carries_copy = event->carries_copy || *word == '+';
		event->carries_chain = event->carries_chain || *word == '-';
		event->format = *word == '!' ? &events->formats[0] : event->format;
	}
	strbuf_adds(name, "sys_");
	strbuf_add(name, word, nr);
	event->format = event->format ? NULL : call_format(events->formats, name->buf);
	strbuf_clear(name);
	strbuf_addf(name, "syscalls:sys_%.*s", (int)nr, word);
	event->name = name->buf;
	events->nr++;
}

static void add_events(struct events *events, const char *words)
{
	*events = (struct events){ .nr = 0 };
	call_formats_parse(events->formats);
	while (*words) {
		size_t nr = strcspn(words, " ");

		add_event(events, words, nr);
		words += nr + (words[nr] == ' ');
	}
}

static void release_events(struct events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		strbuf_release(&events->names[i]);
	call_formats_release(events->formats);
}

#define ALL \
	"enter_mmap exit_mmap enter_munmap enter_mremap exit_mremap enter_brk exit_brk " \
	"enter_mprotect enter_madvise"

static void linux_calls_find__events_that_do__no_refusal(void **state)
{
	static const char *const cases[] = {
		ALL,
		"enter_mmap exit_mmap enter_munmap enter_mremap exit_mremap exit_brk "
		"enter_mprotect",
		ALL " exit_munmap",
		"-enter_mmap -exit_mmap -enter_munmap -enter_mremap -exit_mremap -exit_brk "
		"+enter_mprotect",
		/* what is not needed may be as it likes */
		ALL " ~enter_pkey_mprotect",
		ALL " !enter_pkey_mprotect",
	};
	struct events events;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_events(&events, cases[i]);
		assert_null(linux_calls_find(events.v, events.nr, events.found));
		assert_int_equal(events.found[0].call, LINUX_MMAP_ENTER);
		assert_int_equal(events.found[0].carries_stack, cases[i][0] == '-');
		assert_int_equal(events.found[0].fields_nr, 3);
		assert_int_equal(events.found[0].fields[0].offset, 24);
		release_events(&events);
	}
}

static void linux_calls_find__events_that_do_not__says_why(void **state)
{
	static const struct {
		const char *events, *refusal;
	} cases[] = {
		{ "", "no memory events were recorded" REMEDY },
		{ "exit_munmap", "no memory events were recorded" REMEDY },
		{ "enter_madvise", "not recorded: sys_enter_mmap, sys_exit_mmap, sys_enter_munmap, "
				   "sys_enter_mremap, sys_exit_mremap, sys_exit_brk, "
				   "sys_enter_mprotect" REMEDY },
		{ "enter_mmap exit_mmap enter_munmap exit_mremap exit_brk enter_mprotect",
		  "not recorded: sys_enter_mremap" REMEDY },
		{ "enter_mmap exit_mmap ~enter_munmap enter_mremap exit_mremap exit_brk "
		  "enter_mprotect",
		  "sys_enter_munmap was sampled: most of its calls are missing; record without -F "
		  "and -c, with -e cpu-clock/freq=997/" },
		{ "enter_mmap exit_mmap enter_munmap enter_mremap exit_mremap !exit_brk "
		  "enter_mprotect",
		  "the format of sys_exit_brk is missing" },
	};
	struct events events;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *refusal;

		add_events(&events, cases[i].events);
		refusal = linux_calls_find(events.v, events.nr, events.found);
		assert_string_equal(refusal, cases[i].refusal);
		for (size_t j = 0; j < events.nr; j++)
			assert_int_equal(events.found[j].call, LINUX_NONE);
		free(refusal);
		release_events(&events);
	}
}

static void linux_calls_find__field_missing__says_which(void **state)
{
	struct events events;
	char *refusal;

	(void)state;
	add_events(&events, ALL);
	strcpy(events.formats[0].fields[7].name, "pro");
	events.formats[0].fields[8].name[0] = 'g';
	refusal = linux_calls_find(events.v, events.nr, events.found);
	assert_string_equal(refusal, "the format of sys_enter_mmap has no field 'prot'");
	free(refusal);
	release_events(&events);
}

static void linux_calls_find__several_of_one__plain_is_what_carries_least(void **state)
{
	struct events events;

	(void)state;
	/* the second plain mmap is one as well: no call counts twice */
	add_events(&events, "exit_mmap enter_munmap enter_mremap exit_mremap exit_brk "
			    "+-enter_mmap -enter_mmap +enter_mprotect enter_mmap enter_mmap "
			    "+enter_mprotect -enter_mprotect");
	assert_null(linux_calls_find(events.v, events.nr, events.found));
	for (size_t i = 0; i < events.nr; i++)
		assert_int_equal(events.found[i].duplicate,
				 i == 5 || i == 6 || i == 7 || i == 9 || i == 10);
	release_events(&events);
}

static void linux_calls_find__names__end_or_terms_behind(void **state)
{
	static const struct {
		const char *name;
		enum linux_call call;
	} cases[] = {
		{ "syscalls:sys_enter_madvise", LINUX_MADVISE },
		{ "syscalls:sys_enter_madvise:u", LINUX_MADVISE },
		{ "syscalls:sys_enter_madvise/call-graph=dwarf,stack-size=16384/", LINUX_MADVISE },
		{ "syscalls:sys_enter_madvise2", LINUX_NONE },
		{ "syscalls:sys_enter_madvis", LINUX_NONE },
		{ "sys_enter_madvise", LINUX_NONE },
		{ "mine:sys_enter_madvise", LINUX_NONE },
		{ "cpu-clock", LINUX_NONE },
		{ "", LINUX_NONE },
		{ NULL, LINUX_NONE },
	};
	struct events events;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_events(&events, ALL);
		events.v[8].name = cases[i].name;
		assert_null(linux_calls_find(events.v, events.nr, events.found));
		assert_int_equal(events.found[8].call, cases[i].call);
		release_events(&events);
	}
}

/* Plain events in capitals, their duplicates below: M and m, P and p and q; W has none, x is no call. */
static const char names[] = "MmPpqWx";
static const struct linux_call_event kinds[] = {
	{ .call = LINUX_MMAP_ENTER },
	{ .call = LINUX_MMAP_ENTER, .duplicate = true },
	{ .call = LINUX_MPROTECT },
	{ .call = LINUX_MPROTECT, .duplicate = true },
	{ .call = LINUX_MPROTECT, .duplicate = true },
	{ .call = LINUX_MUNMAP },
	{ .call = LINUX_NONE },
};

#define MAX_SAMPLES 64

/*
 * Samples as words "Pa1": an event, its arguments, its thread; with a '-' behind it its stack has no frames.
 * For each plain one the index of its duplicate, or '.'.
 */
static void pair(struct linux_pairing *pairing, const char *words, struct strbuf *result,
		 uint64_t *unmatched)
{
	struct perf_sample samples[MAX_SAMPLES] = { 0 };
	size_t partner[MAX_SAMPLES], nr = 0;

	for (const char *at = words; *at; at += *at == ' ') {
		assert_true(nr < MAX_SAMPLES);
		samples[nr].event = (uint32_t)(strchr(names, at[0]) - names);
		samples[nr].raw = (const unsigned char *)at + 1;
		samples[nr].raw_nr = 1;
		samples[nr].tid = at[2];
		samples[nr].stack.user_nr = at[3] != '-';
		at += at[3] == '-' ? 4 : 3;
		nr++;
	}
	linux_pairing_run(pairing, samples, nr, partner, unmatched);
	for (size_t i = 0; i < nr; i++) {
		if (samples[i].event >= ARRAY_SIZE(kinds) || kinds[samples[i].event].duplicate ||
		    partner[i] == SIZE_MAX) {
			assert_true(partner[i] == SIZE_MAX);
			strbuf_adds(result, ".");
			continue;
		}
		strbuf_addf(result, "%zu", partner[i]);
	}
}

static void linux_pairing_run__orders__next_to_each_other(void **state)
{
	static const struct {
		const char *samples, *partners;
		uint64_t unmatched;
	} cases[] = {
		{ "", "", 0 },
		{ "Pa1", ".", 0 },
		{ "Pa1 pa1", "1.", 0 },
		{ "pa1 Pa1", ".0", 0 },
		{ "pa1", ".", 1 },
		{ "Pa1 pb1", "..", 1 }, /* other arguments */
		{ "Pa1 pa2", "..", 1 }, /* another thread */
		{ "Pa1 ma1", "..", 1 }, /* another call */
		{ "Wa1 Pa1 Wa1", "...", 0 },
		{ "Pa1 Pa2 Pb3 pb3 pa2 pa1", "543...", 0 }, /* threads between each other */
		{ "Pa1 xa1 pa1", "2..", 0 },                /* what is no call is not in between */
		{ "Pa1 pa1 Pa1 pa1", "1.3.", 0 },           /* the same once more */
		{ "Pa1 pa1 pa1 Pa1", "1..2", 0 },
		{ "pa1 Pa1 Pa1 pa1", ".03.", 0 },
		{ "Pa1 Pa1 Pa1 pa1 pa1 pa1", "345...", 0 },
		{ "pa1 pa1 pa1 Pa1 Pa1 Pa1", "...012", 0 },
		{ "Pa1 pa1 pa1", "1..", 1 },      /* a plain one was lost */
		{ "Pa1 Pb1 Pa1 pa1", "..3.", 0 }, /* a duplicate was lost */
		{ "pa1 Pb1 Pa1", "...", 1 },
		{ "Pa1 Wa1 pa1", "...", 1 },
		{ "Pa1 pa1 qa1", "1..", 0 }, /* two duplicates: that of the first event */
		{ "Pa1 qa1 pa1", "2..", 0 },
		{ "qa1 Pa1 pa1", ".2.", 0 },
		{ "Pa1 pa1- qa1", "2..", 0 }, /* ... that has a stack */
		{ "Pa1 qa1 pa1-", "1..", 0 },
		{ "Pa1 qa1- pa1-", "2..", 0 },
		{ "Pa1 pa1 qa1 Pa1 qa1 pa1", "1..5..", 0 }, /* each is counted by itself */
		{ "Pa1 qa1 Pa1 qa1 pa1", "4.3..", 0 },
		{ "Ma1 ma1 Pa1 qa1 Wa1 Pa1 pa1", "1.3..6.", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct linux_pairing *pairing = linux_pairing_new(kinds, ARRAY_SIZE(kinds));
		struct strbuf result = STRBUF_INIT;
		uint64_t unmatched = 7;

		pair(pairing, cases[i].samples, &result, &unmatched);
		assert_string_equal(result.buf, cases[i].partners);
		assert_int_equal(unmatched, 7 + cases[i].unmatched);
		strbuf_release(&result);
		linux_pairing_free(pairing);
	}
}

static void linux_pairing_run__again__knows_nothing_of_before(void **state)
{
	struct linux_pairing *pairing = linux_pairing_new(kinds, ARRAY_SIZE(kinds));
	struct strbuf result = STRBUF_INIT;
	uint64_t unmatched = 0;

	(void)state;
	pair(pairing, "Pa1", &result, &unmatched);
	pair(pairing, "pa1", &result, &unmatched);
	pair(pairing, "Pa1 pa1", &result, &unmatched);
	assert_string_equal(result.buf, "..1.");
	pair(pairing, "pa2", &result, &unmatched);
	pair(pairing, "pb3", &result, &unmatched);
	assert_int_equal(unmatched, 3);
	strbuf_release(&result);
	linux_pairing_free(pairing);
}

static void linux_pairing_run__unknown_event__is_left_alone(void **state)
{
	struct linux_pairing *pairing = linux_pairing_new(kinds, ARRAY_SIZE(kinds));
	struct perf_sample samples[2] = { { .event = ARRAY_SIZE(kinds) }, { .event = UINT32_MAX } };
	size_t partner[2] = { 0, 0 };
	uint64_t unmatched = 0;

	(void)state;
	linux_pairing_run(pairing, samples, 2, partner, &unmatched);
	assert_true(partner[0] == SIZE_MAX && partner[1] == SIZE_MAX);
	assert_int_equal(unmatched, 0);
	linux_pairing_free(pairing);
	linux_pairing_free(NULL);
}

static void linux_pairing_run__length_differs__is_another_call(void **state)
{
	struct linux_pairing *pairing = linux_pairing_new(kinds, ARRAY_SIZE(kinds));
	static const unsigned char raw[] = "raw";
	struct perf_sample samples[] = { { .event = 2, .raw = raw, .raw_nr = 3 },
					 { .event = 3, .raw = raw, .raw_nr = 2 },
					 { .event = 2 },
					 { .event = 3 } };
	size_t partner[4];
	uint64_t unmatched = 0;

	(void)state;
	linux_pairing_run(pairing, samples, 4, partner, &unmatched);
	assert_true(partner[0] == SIZE_MAX);
	assert_int_equal(partner[2], 3);
	assert_int_equal(unmatched, 1);
	linux_pairing_free(pairing);
}

/* 3000 threads at once, two hits each, the plain ones of all before the duplicates of all. */
static void linux_pairing_run__many_threads__all_found(void **state)
{
	enum { THREADS = 3000 };
	static const unsigned char raw[4] = "same";
	struct linux_pairing *pairing = linux_pairing_new(kinds, ARRAY_SIZE(kinds));
	struct perf_sample *samples = xcalloc(4 * THREADS, sizeof(*samples));
	size_t *partner = xcalloc(4 * THREADS, sizeof(*partner));
	uint64_t unmatched = 0;

	(void)state;
	for (size_t i = 0; i < 4 * THREADS; i++)
		samples[i] = (struct perf_sample){ .event = i < 2 * THREADS ? 2 : 3,
						   .tid = (int32_t)(i % THREADS) * 64 - 5,
						   .raw = raw,
						   .raw_nr = sizeof(raw) };
	for (int runs = 0; runs < 2; runs++) {
		linux_pairing_run(pairing, samples, 4 * THREADS, partner, &unmatched);
		for (size_t i = 0; i < 2 * THREADS; i++)
			assert_int_equal(partner[i], i + 2 * THREADS);
	}
	assert_int_equal(unmatched, 0);
	free(samples);
	free(partner);
	linux_pairing_free(pairing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_calls_find__events_that_do__no_refusal),
		cmocka_unit_test(linux_calls_find__events_that_do_not__says_why),
		cmocka_unit_test(linux_calls_find__field_missing__says_which),
		cmocka_unit_test(linux_calls_find__several_of_one__plain_is_what_carries_least),
		cmocka_unit_test(linux_calls_find__names__end_or_terms_behind),
		cmocka_unit_test(linux_pairing_run__orders__next_to_each_other),
		cmocka_unit_test(linux_pairing_run__again__knows_nothing_of_before),
		cmocka_unit_test(linux_pairing_run__unknown_event__is_left_alone),
		cmocka_unit_test(linux_pairing_run__length_differs__is_another_call),
		cmocka_unit_test(linux_pairing_run__many_threads__all_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
