#include "trace/perf/linux_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linux_calls_fixture.h"
#include "util/strbuf.h"

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
		{ "", "no memory events were recorded; record with 'virtualalloc = yes'" },
		{ "exit_munmap",
		  "no memory events were recorded; record with 'virtualalloc = yes'" },
		{ "enter_madvise", "not recorded: sys_enter_mmap, sys_exit_mmap, sys_enter_munmap, "
				   "sys_enter_mremap, sys_exit_mremap, sys_exit_brk, "
				   "sys_enter_mprotect; record with 'virtualalloc = yes'" },
		{ "enter_mmap exit_mmap enter_munmap exit_mremap exit_brk enter_mprotect",
		  "not recorded: sys_enter_mremap; record with 'virtualalloc = yes'" },
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
		assert_int_equal(events.found[i].copy,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_calls_find__events_that_do__no_refusal),
		cmocka_unit_test(linux_calls_find__events_that_do_not__says_why),
		cmocka_unit_test(linux_calls_find__field_missing__says_which),
		cmocka_unit_test(linux_calls_find__several_of_one__plain_is_what_carries_least),
		cmocka_unit_test(linux_calls_find__names__end_or_terms_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
