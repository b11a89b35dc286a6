#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "replay/known_stacks.h"
#include "util/alloc.h"
#include "util/little_endian.h"

#define AT_VERSION 8
#define AT_HASH    12
#define AT_COUNTS  76
#define AT_STACKS  100

static const struct trace_fingerprint trace = {
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
};

struct fixture {
	struct machine machine; /* only its stacks are there */
	struct strbuf text;
};

static void begin(struct machine *machine)
{
	*machine = (struct machine){ .rows = NULL };
	stack_table_init(&machine->stacks);
}

static void release(struct machine *machine)
{
	stack_table_release(&machine->stacks);
	free(machine->known_stacks.v);
}

/* Many enough that their numbers go through several parts. */
#define STACKS  50000
#define SAMPLES 70000

static void fill(struct machine *machine)
{
	struct stack_table *stacks = &machine->stacks;
	uint32_t *known = xmalloc(SAMPLES * sizeof(*known));
	uint32_t stack = STACK_EMPTY;

	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t frame =
			stack_table_frame(stacks, 1 + i % 7, i % 1000 * UINT64_C(0x123456789));

		if (i % 100 == 0)
			stack = STACK_EMPTY;
		stack = stack_table_push(stacks, i % 100 == 50 ? 1 + i / 2 : stack, frame);
	}
	for (uint32_t i = 0; i < SAMPLES; i++)
		known[i] = KNOWN_STACK(i * UINT64_C(7919) % stacks->nodes_nr, i % 3 == 0);
	machine->known_stacks = (struct known_stacks){ known, SAMPLES };
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct err err = ERR_INIT;

	begin(&f->machine);
	fill(&f->machine);
	f->text = (struct strbuf)STRBUF_INIT;
	assert_int_equal(known_stacks_add_text(&f->machine, &trace, &f->text, &err), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	release(&f->machine);
	strbuf_release(&f->text);
	free(f);
	return 0;
}

static void assert_equal(const struct machine *a, const struct machine *b)
{
	assert_int_equal(a->stacks.frames_nr, b->stacks.frames_nr);
	assert_int_equal(a->stacks.nodes_nr, b->stacks.nodes_nr);
	assert_int_equal(a->known_stacks.nr, b->known_stacks.nr);
	for (size_t i = 0; i < a->stacks.frames_nr; i++) {
		assert_int_equal(a->stacks.frames[i].module, b->stacks.frames[i].module);
		assert_int_equal(a->stacks.frames[i].offset, b->stacks.frames[i].offset);
	}
	for (size_t i = 0; i < a->stacks.nodes_nr; i++) {
		assert_int_equal(a->stacks.nodes[i].parent, b->stacks.nodes[i].parent);
		assert_int_equal(a->stacks.nodes[i].frame, b->stacks.nodes[i].frame);
	}
	assert_memory_equal(a->known_stacks.v, b->known_stacks.v,
			    a->known_stacks.nr * sizeof(*a->known_stacks.v));
}

static void known_stacks_parse__what_was_written__is_the_same(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct machine machine;

	begin(&machine);
	assert_int_equal(known_stacks_parse(f->text.buf, f->text.len, &trace, &machine, &err), 0);
	assert_equal(&f->machine, &machine);
	/* Stacks and frames are found, and go on after the last one. */
	for (uint32_t i = STACK_EMPTY + 1; i < 1000; i++) {
		const struct stack_node *node = &f->machine.stacks.nodes[i];
		const struct frame *frame = &f->machine.stacks.frames[node->frame];

		assert_int_equal(stack_table_push(&machine.stacks, node->parent, node->frame), i);
		assert_int_equal(stack_table_frame(&machine.stacks, frame->module, frame->offset),
				 node->frame);
	}
	assert_int_equal(stack_table_push(&machine.stacks, 1, 2), f->machine.stacks.nodes_nr);
	release(&machine);
}

/* The machine gets nothing of the file. */
static int parse(const struct fixture *f, size_t len, struct err *err)
{
	struct machine machine, fresh;
	int rc;

	begin(&machine);
	begin(&fresh);
	rc = known_stacks_parse(f->text.buf, len, &trace, &machine, err);
	assert_null(machine.known_stacks.v);
	assert_int_equal(machine.stacks.nodes_nr, fresh.stacks.nodes_nr);
	assert_int_equal(machine.stacks.frames_nr, fresh.stacks.frames_nr);
	assert_int_equal(stack_table_push(&machine.stacks, STACK_EMPTY, 1), 1);
	release(&machine);
	release(&fresh);
	return rc;
}

static void known_stacks_parse__of_another_trace_or_version__is_not_used(void **state)
{
	static const size_t at[] = { AT_VERSION, AT_HASH, AT_COUNTS - 1 };
	struct fixture *f = *state;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		f->text.buf[at[i]] ^= 1;
		assert_int_equal(parse(f, f->text.len, &err), 1);
		f->text.buf[at[i]] ^= 1;
	}
	assert_int_equal(err.code, ERR_NONE);
}

static void assert_damaged(const struct fixture *f, size_t len, const char *message)
{
	struct err err = ERR_INIT;

	assert_int_equal(parse(f, len, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, message));
	err_clear(&err);
}

static void known_stacks_parse__cut_off__is_damaged(void **state)
{
	const struct fixture *f = *state;

	assert_damaged(f, 0, "no file of stacks");
	assert_damaged(f, AT_STACKS - 1, "no file of stacks");
	assert_damaged(f, AT_STACKS, "its stacks are damaged");
	assert_damaged(f, f->text.len / 2, "its stacks are damaged");
}

static void known_stacks_parse__other_counts__are_damaged(void **state)
{
	struct fixture *f = *state;
	unsigned char *counts = (unsigned char *)f->text.buf + AT_COUNTS;

	f->text.buf[0]++;
	assert_damaged(f, f->text.len, "no file of stacks");
	f->text.buf[0]--;
	/* Frames, stacks, samples: one less of the first ones has the columns after it begin too early. */
	for (size_t i = 0; i < 3; i++) {
		uint64_t right = le_get64(counts + 8 * i);

		le_put64(counts + 8 * i, right + 1);
		assert_damaged(f, f->text.len, "its stacks are damaged");
		le_put64(counts + 8 * i, UINT64_MAX);
		assert_damaged(f, f->text.len, "more stacks than its");
		le_put64(counts + 8 * i, right);
	}
	le_put64(counts, le_get64(counts) - 1);
	assert_damaged(f, f->text.len, "its stacks are damaged");
	le_put64(counts, le_get64(counts) + 1);
	le_put64(counts + 16, 0);
	assert_damaged(f, f->text.len, "no samples");
}

/* Written of a machine whose stacks are none. */
static void assert_no_stacks(struct fixture *f)
{
	struct err err = ERR_INIT;

	strbuf_clear(&f->text);
	assert_int_equal(known_stacks_add_text(&f->machine, &trace, &f->text, &err), 0);
	assert_damaged(f, f->text.len, "its stacks are damaged");
}

static void known_stacks_parse__impossible_stacks__are_damaged(void **state)
{
	struct fixture *f = *state;
	struct stack_node *node = &f->machine.stacks.nodes[1000];
	struct stack_node right = *node;

	node->parent = 1000;
	assert_no_stacks(f);
	node->parent = 1001;
	assert_no_stacks(f);
	*node = right;
	node->frame = (uint32_t)f->machine.stacks.frames_nr;
	assert_no_stacks(f);
	*node = right;
	f->machine.known_stacks.v[5] = KNOWN_STACK(f->machine.stacks.nodes_nr, 0);
	assert_no_stacks(f);
}

static void known_stacks_parse__very_deep__is_damaged(void **state)
{
	struct fixture *f = *state;
	struct stack_table *stacks = &f->machine.stacks;
	uint32_t stack = STACK_EMPTY;
	struct machine machine;
	struct err err = ERR_INIT;

	for (uint32_t i = 0; i < STACK_DEPTH_MAX; i++)
		stack = stack_table_push(stacks, stack, FRAME_FIRST);
	strbuf_clear(&f->text);
	assert_int_equal(known_stacks_add_text(&f->machine, &trace, &f->text, &err), 0);
	begin(&machine);
	assert_int_equal(known_stacks_parse(f->text.buf, f->text.len, &trace, &machine, &err), 0);
	release(&machine);
	stack_table_push(stacks, stack, FRAME_FIRST);
	assert_no_stacks(f);
}

/* Frames of modules that the trace does not have are nowhere. */
static void stack_table_limit_modules__later_modules__are_unknown(void **state)
{
	struct fixture *f = *state;
	struct stack_table *stacks = &f->machine.stacks;
	size_t left = 0;

	stack_table_limit_modules(stacks, 3);
	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++) {
		assert_in_range(stacks->frames[i].module, 0, 2);
		if (!stacks->frames[i].module)
			assert_int_equal(stacks->frames[i].offset, FRAME_UNKNOWN);
		left += stacks->frames[i].module > 0;
	}
	assert_in_range(left, 1, stacks->frames_nr - FRAME_FIRST - 1);
	for (uint32_t i = 0; i < FRAME_FIRST; i++)
		assert_int_equal(stacks->frames[i].offset, i);
}

static void write_bytes(const char *path, size_t nr, unsigned char last)
{
	unsigned char *bytes = xcalloc(nr + 1, 1);
	struct err err = ERR_INIT;

	if (nr)
		bytes[nr - 1] = last;
	assert_int_equal(fs_write_atomic(path, bytes, nr, &err), 0);
	free(bytes);
}

static void trace_fingerprint_read__size_and_content__count(void **state)
{
	static const struct {
		size_t nr;
		unsigned char last;
	} files[] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 100000, 0 }, { 100001, 0 }, { 100000, 1 } };
	struct trace_fingerprint seen[sizeof(files) / sizeof(files[0])];
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_bytes("fingerprint", files[i].nr, files[i].last);
		assert_int_equal(trace_fingerprint_read("fingerprint", &seen[i], &err), 0);
		assert_int_equal(strlen(seen[i].hash), HASH_TEXT_SIZE - 1);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(seen[i].hash, seen[j].hash);
	}
	fs_remove("fingerprint", &err);
	assert_int_equal(trace_fingerprint_read("fingerprint", &seen[0], &err), -1);
	err_clear(&err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(known_stacks_parse__what_was_written__is_the_same),
		TEST(known_stacks_parse__of_another_trace_or_version__is_not_used),
		TEST(known_stacks_parse__cut_off__is_damaged),
		TEST(known_stacks_parse__other_counts__are_damaged),
		TEST(known_stacks_parse__impossible_stacks__are_damaged),
		TEST(known_stacks_parse__very_deep__is_damaged),
		TEST(stack_table_limit_modules__later_modules__are_unknown),
		cmocka_unit_test(trace_fingerprint_read__size_and_content__count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
