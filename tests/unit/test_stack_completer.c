#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stack_completer.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/*
 * Stacks are texts, root first, a letter for each frame: "?" is nowhere, "/" missing frames, "!" [truncated]. After " k"
 * are frames of the kernel.
 */
struct fixture {
	struct stack_table stacks;
	struct stack_completer *completer;
	struct strbuf taken; /* "ABC:2 " for two samples */
	int completed;       /* of what was taken */
};

static char letter_of(uint32_t frame)
{
	switch (frame) {
	case FRAME_UNKNOWN:
		return '?';
	case FRAME_MISSING:
		return '/';
	case FRAME_TRUNCATED:
		return '!';
	default:
		return (char)('A' + (int)(frame - FRAME_FIRST));
	}
}

static uint32_t frame_of(struct fixture *f, char letter)
{
	switch (letter) {
	case '?':
		return FRAME_UNKNOWN;
	case '!':
		return FRAME_TRUNCATED;
	default:
		return stack_table_frame(&f->stacks, 1, (uint64_t)letter);
	}
}

#define FRAMES_MAX 64

/* The frames of a text, but for the space before the kernel's. */
static struct stack_path path_of(struct fixture *f, const char *text, uint32_t *frames)
{
	struct stack_path path = { frames, 0, strcspn(text, "k") };

	assert_true(strlen(text) <= FRAMES_MAX);
	for (; text[path.nr]; path.nr++)
		frames[path.nr] = frame_of(f, text[path.nr]);
	return path;
}

static void take(void *data, uint32_t stack, bool completed,
		 const struct completer_samples *samples)
{
	struct fixture *f = data;
	char text[64];
	size_t nr = sizeof(text);

	text[--nr] = '\0';
	for (; stack != STACK_EMPTY; stack = f->stacks.nodes[stack].parent)
		text[--nr] = letter_of(f->stacks.nodes[stack].frame);
	strbuf_addf(&f->taken, "%s:%d ", text + nr, (int)samples->samples);
	f->completed += completed;
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->taken = (struct strbuf)STRBUF_INIT;
	stack_table_init(&f->stacks);
	f->completer = stack_completer_new(&f->stacks, take, f);
	/* A frame for each letter, in their order. */
	for (char letter = 'A'; letter <= 'z'; letter++)
		frame_of(f, letter);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	stack_completer_free(f->completer);
	stack_table_release(&f->stacks);
	strbuf_release(&f->taken);
	free(f);
	return 0;
}

/* A sample of thread 2 of process 1, or of another thread. */
static void add_of(struct fixture *f, int64_t tid, const char *text)
{
	const struct completer_samples samples = { .samples = 1, .ns = 10 };
	uint32_t frames[FRAMES_MAX];
	const struct stack_path path = path_of(f, text, frames);

	stack_completer_add(f->completer, 1, tid, &path, &samples);
}

static void see_of(struct fixture *f, int64_t tid, const char *text)
{
	uint32_t frames[FRAMES_MAX];
	const struct stack_path path = path_of(f, text, frames);

	stack_completer_see(f->completer, 1, tid, &path);
}

/* Enough whole stacks that what they have in common is stable. */
static void see_many(struct fixture *f, int64_t tid, const char *text)
{
	for (int i = 0; i < 16; i++)
		see_of(f, tid, text);
}

static void expect(struct fixture *f, const char *taken)
{
	assert_string_equal(f->taken.buf, taken);
	strbuf_clear(&f->taken);
}

static void add__between_whole_stacks__gets_what_they_have_in_common(void **state)
{
	struct fixture *f = *state;

	see_many(f, 2, "ABCDEF");
	add_of(f, 2, "X");
	add_of(f, 2, "X");
	add_of(f, 2, "YkZ");
	expect(f, "");
	see_many(f, 2, "ABCDGH");
	expect(f, "ABCD/X:2 ABCD/YkZ:1 ");
	assert_int_equal(f->completed, 2);
}

/* Both sides were in D by chance: it is in no window of 16. */
static void add__callee_on_both_sides__is_not_stable(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 16; i++)
		see_of(f, 2, i % 2 ? "ABCDx" : "ABCEx");
	see_of(f, 2, "ABCDx");
	add_of(f, 2, "X");
	for (int i = 0; i < 16; i++)
		see_of(f, 2, i % 2 ? "ABCEx" : "ABCDx");
	expect(f, "ABC/X:1 ");
}

/* The last one of a whole stack is where it executed, no caller. */
static void add__leaf_of_whole_stacks__is_no_caller(void **state)
{
	struct fixture *f = *state;

	see_many(f, 2, "ABCD");
	add_of(f, 2, "X");
	see_many(f, 2, "ABCD");
	expect(f, "ABC/X:1 ");
}

static void add__return_address_in_a_whole_stack__goes_on_there(void **state)
{
	struct fixture *f = *state;

	see_many(f, 2, "ABCDEF");
	add_of(f, 2, "?EXY");
	add_of(f, 2, "F");
	see_many(f, 2, "ABCDEF");
	expect(f, "ABCDEXY:1 ABCDE/F:1 ");
}

static void add__no_frames__waits_and_is_taken(void **state)
{
	struct fixture *f = *state;

	add_of(f, 2, "");
	stack_completer_end_thread(f->completer, 1, 2);
	expect(f, ":1 ");
	see_many(f, 2, "ABCD");
	add_of(f, 2, "");
	see_many(f, 2, "ABCD");
	expect(f, "ABC/:1 ");
}

static void add__frames_outside_one_that_is_nowhere__are_dropped(void **state)
{
	struct fixture *f = *state;

	see_many(f, 2, "ABCDEF");
	add_of(f, 2, "P?XY");
	add_of(f, 2, "!XY");
	add_of(f, 2, "P?");
	see_many(f, 2, "ABCDEF");
	expect(f, "ABCDE/XY:1 ABCDE/XY:1 ABCDE/?:1 ");
}

/* Chains end at B, where whole stacks have A further out. */
static void add__chain_reaches_the_start__is_whole(void **state)
{
	struct fixture *f = *state;

	see_of(f, 2, "ABCDE");
	add_of(f, 2, "BCx");
	expect(f, "BCx:1 ");
	assert_int_equal(f->completed, 0);
	see_many(f, 2, "ABCDE");
	add_of(f, 2, "X");
	see_many(f, 2, "ABCDE");
	expect(f, "BCD/X:1 ");
}

static void end_thread__few_whole_stacks__are_all_that_counts(void **state)
{
	struct fixture *f = *state;

	add_of(f, 2, "X");
	see_of(f, 2, "ABCDE");
	see_of(f, 2, "ABCFG");
	add_of(f, 2, "Y");
	expect(f, "");
	stack_completer_end_thread(f->completer, 1, 2);
	expect(f, "ABC/X:1 ABC/Y:1 ");
}

/* The main thread has other callers than the others. */
static void end_thread__none_of_its_own__those_of_its_process(void **state)
{
	struct fixture *f = *state;

	see_of(f, 1, "MNOP");
	see_of(f, 2, "ABCDE");
	see_of(f, 2, "ABCFG");
	add_of(f, 3, "X");
	stack_completer_end_thread(f->completer, 1, 3);
	expect(f, "ABC/X:1 ");
	stack_completer_end_thread(f->completer, 1, 1);
	add_of(f, 1, "Y");
	stack_completer_end_thread(f->completer, 1, 1);
	expect(f, "MNO/Y:1 ");
}

static void finish__nothing_known__stays_as_it_is(void **state)
{
	struct fixture *f = *state;

	add_of(f, 2, "?X");
	see_of(f, 3, "!ABC");
	add_of(f, 3, "Y");
	stack_completer_finish(f->completer);
	expect(f, "?X:1 Y:1 ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(add__between_whole_stacks__gets_what_they_have_in_common),
		TEST(add__callee_on_both_sides__is_not_stable),
		TEST(add__leaf_of_whole_stacks__is_no_caller),
		TEST(add__return_address_in_a_whole_stack__goes_on_there),
		TEST(add__no_frames__waits_and_is_taken),
		TEST(add__frames_outside_one_that_is_nowhere__are_dropped),
		TEST(add__chain_reaches_the_start__is_whole),
		TEST(end_thread__few_whole_stacks__are_all_that_counts),
		TEST(end_thread__none_of_its_own__those_of_its_process),
		TEST(finish__nothing_known__stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
