#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/kept_events.h"
#include "util/alloc.h"
#include "util/array.h"

#define AT_VERSION 8
#define AT_HASH    12
#define AT_EVENTS  76

/* So many that they go through several of zstd's blocks, fewer than BLOCKS, and batches. */
#define SAMPLES 100000
#define BLOCKS  32

static const struct trace_fingerprint trace = {
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
};

/* One or more of each kind, each field with a value that no other has where it has one. */
static const struct trace_event kinds[] = {
	{ .kind = TRACE_PROCESS_START,
	  .cpu = 3,
	  .time_ns = -5,
	  .pid = 10,
	  .tid = 11,
	  .start = { .ppid = 9, .by_tid = 8, .copied = true } },
	{ .kind = TRACE_PROCESS_START,
	  .cpu = -1,
	  .time_ns = 100,
	  .pid = -1,
	  .tid = -1,
	  .start = { .starts = true,
		     .has_end = true,
		     .image = "a.exe",
		     .command_line = "a \"b\"" } },
	{ .kind = TRACE_THREAD_START,
	  .time_ns = 200,
	  .pid = 10,
	  .tid = 12,
	  .start = { .by_tid = 11 } },
	{ .kind = TRACE_EXEC, .time_ns = 300, .pid = 10, .tid = 11, .name = "rustc" },
	{ .kind = TRACE_THREAD_NAME, .time_ns = 400, .pid = 10, .tid = 12, .name = "" },
	{ .kind = TRACE_MAP,
	  .cpu = 300,
	  .time_ns = 500,
	  .pid = 10,
	  .tid = 12,
	  .map = { .address = UINT64_MAX,
		   .length = 4096,
		   .offset = UINT64_C(1) << 63,
		   .path = "/usr/lib/a.so",
		   .debug_path = "a.pdb",
		   .id = { 1, 2, 3 },
		   .id_length = MODULE_ID_MAX,
		   .pe = true } },
	{ .kind = TRACE_MAP,
	  .time_ns = 499,
	  .pid = -1,
	  .map = { .path = "[kernel.kallsyms]_text", .kernel = true, .code = true } },
	{ .kind = TRACE_UNMAP,
	  .time_ns = 600,
	  .pid = 10,
	  .tid = 12,
	  .map = { .address = 1, .path = "" } },
	{ .kind = TRACE_THREAD_END, .time_ns = 700, .pid = 10, .tid = 12 },
	{ .kind = TRACE_PROCESS_END,
	  .time_ns = INT64_C(1) << 61,
	  .pid = 10,
	  .tid = 11,
	  .end = { true, -3 } },
	{ .kind = TRACE_CPU,
	  .time_ns = 0,
	  .cpu = 1,
	  .pid = INT32_MAX,
	  .tid = INT32_MIN,
	  .cpu_sample = { .weight_ns = 1000000, .stack_only = true } },
	{ .kind = TRACE_CPU,
	  .time_ns = 0,
	  .cpu = 1,
	  .pid = INT32_MAX,
	  .tid = INT32_MIN,
	  .cpu_sample = { .weight_ns = 1000000, .stack = { .origin = STACK_UNWOUND } } },
};

static struct trace_event sample(uint64_t i)
{
	return (struct trace_event){ .kind = TRACE_CPU,
				     .cpu = (int32_t)(i % 3),
				     .time_ns = (int64_t)(i * 7919),
				     .pid = (int64_t)(i / 1000),
				     .tid = (int64_t)(i / 100),
				     .cpu_sample = { .weight_ns = (int64_t)(i / 5000) } };
}

struct fixture {
	struct kept_writer *writer;
	struct trace_facts facts;
	struct strbuf text;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct trace_event event = { .kind = TRACE_MEMORY };

	f->writer = kept_writer_new();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		kept_writer_add(f->writer, &kinds[i]);
		kept_writer_add(f->writer, &event);
	}
	for (uint64_t i = 0; i < SAMPLES; i++) {
		event = sample(i);
		kept_writer_add(f->writer, &event);
	}
	trace_facts_init(&f->facts);
	f->facts.counters = (struct trace_counters){
		.base_ns = 1,
		.first_ns = -2,
		.last_ns = 3,
		.stack_copies = 4,
		.stack_copies_unmatched = 5,
		.exits_unmatched = 6,
		.lost = 7,
		.lost_buffers = 8,
		.unordered = 9,
		.untimed = 10,
		.unknown = 11,
		.all_buffers = UINT64_MAX,
		.read_bytes = 13,
		.all_bytes = 14,
	};
	trace_facts_add_count(&f->facts, xstrdup("cpu-clock"), SAMPLES, false);
	trace_facts_add_count(&f->facts, xstrdup("cpu-clock"), 16, true);
	f->facts.counts[1].lost = 17;
	f->text = (struct strbuf)STRBUF_INIT;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kept_writer_free(f->writer);
	trace_facts_release(&f->facts);
	strbuf_release(&f->text);
	free(f);
	return 0;
}

static void write_text(struct fixture *f)
{
	struct err err = ERR_INIT;

	strbuf_clear(&f->text);
	assert_int_equal(kept_writer_add_text(f->writer, &trace, &f->facts, &f->text, &err), 0);
}

static void assert_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void assert_start(const struct trace_start *a, const struct trace_start *b)
{
	assert_int_equal(a->ppid, b->ppid);
	assert_int_equal(a->by_tid, b->by_tid);
	assert_int_equal(a->copied, b->copied);
	assert_int_equal(a->starts, b->starts);
	assert_int_equal(a->has_end, b->has_end);
	assert_text(a->image, b->image);
	assert_text(a->command_line, b->command_line);
}

static void assert_map(const struct trace_map *a, const struct trace_map *b)
{
	assert_int_equal(a->address, b->address);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->offset, b->offset);
	assert_text(a->path, b->path);
	assert_text(a->debug_path, b->debug_path);
	assert_int_equal(a->id_length, b->id_length);
	assert_memory_equal(a->id, b->id, MODULE_ID_MAX);
	assert_int_equal(a->kernel, b->kernel);
	assert_int_equal(a->pe, b->pe);
	assert_int_equal(a->code, b->code);
}

static void assert_event(const struct trace_event *a, const struct trace_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	switch (a->kind) {
	case TRACE_PROCESS_START:
	case TRACE_THREAD_START:
		assert_start(&a->start, &b->start);
		break;
	case TRACE_EXEC:
	case TRACE_THREAD_NAME:
		assert_text(a->name, b->name);
		break;
	case TRACE_PROCESS_END:
		assert_int_equal(a->end.has_code, b->end.has_code);
		assert_int_equal(a->end.exit_code, b->end.exit_code);
		break;
	case TRACE_MAP:
	case TRACE_UNMAP:
		assert_map(&a->map, &b->map);
		break;
	case TRACE_CPU:
		assert_int_equal(a->cpu_sample.weight_ns, b->cpu_sample.weight_ns);
		assert_int_equal(a->cpu_sample.stack_only, b->cpu_sample.stack_only);
		assert_int_equal(trace_stack_is_unwound(&a->cpu_sample.stack),
				 trace_stack_is_unwound(&b->cpu_sample.stack));
		break;
	default:
		assert_int_equal(a->kind, TRACE_THREAD_END);
	}
}

static void kept_reader_next__what_was_written__is_the_same(void **state)
{
	struct fixture *f = *state;
	const struct trace_event *events;
	const struct trace_event_count *counts;
	struct kept_reader *reader;
	struct err err = ERR_INIT;
	uint64_t seen = 0, all;
	size_t nr;

	write_text(f);
	assert_int_equal(kept_reader_open(f->text.buf, f->text.len, &trace, &reader, &err), 0);
	assert_memory_equal(kept_reader_counters(reader), &f->facts.counters,
			    sizeof(f->facts.counters));
	counts = kept_reader_counts(reader, &nr);
	assert_int_equal(nr, 2);
	for (size_t i = 0; i < nr; i++) {
		assert_string_equal(counts[i].name, "cpu-clock");
		assert_int_equal(counts[i].nr, f->facts.counts[i].nr);
		assert_int_equal(counts[i].stacks, f->facts.counts[i].stacks);
		assert_int_equal(counts[i].lost, f->facts.counts[i].lost);
	}
	while (kept_reader_next(reader, &events, &nr, &err) > 0) {
		for (size_t i = 0; i < nr; i++, seen++) {
			struct trace_event expected = seen < ARRAY_SIZE(kinds)
							      ? kinds[seen]
							      : sample(seen - ARRAY_SIZE(kinds));

			assert_event(&events[i], &expected);
		}
		assert_int_equal(kept_reader_done(reader, &all), seen);
	}
	assert_null(err.msg);
	assert_int_equal(seen, SAMPLES + ARRAY_SIZE(kinds));
	assert_int_equal(all, seen);
	kept_reader_free(reader);
}

/* 0: all events were read; else the error's code. */
static int read_all(const struct fixture *f, size_t len, uint64_t *seen)
{
	const struct trace_event *events;
	struct kept_reader *reader = NULL;
	struct err err = ERR_INIT;
	int code, rc;
	size_t nr;

	*seen = 0;
	rc = kept_reader_open(f->text.buf, len, &trace, &reader, &err);
	assert_in_range(rc + 1, 0, 1);
	while (!rc && (rc = kept_reader_next(reader, &events, &nr, &err)) > 0) {
		*seen += nr;
		rc = 0;
	}
	code = rc < 0 ? (int)err.code : 0;
	kept_reader_free(reader);
	err_clear(&err);
	return code;
}

static void kept_reader_open__of_another_trace_or_version__is_not_used(void **state)
{
	static const size_t at[] = { AT_VERSION, AT_HASH, AT_EVENTS - 1 };
	struct fixture *f = *state;
	struct kept_reader *reader;
	struct err err = ERR_INIT;

	write_text(f);
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		f->text.buf[at[i]] ^= 1;
		assert_int_equal(kept_reader_open(f->text.buf, f->text.len, &trace, &reader, &err),
				 1);
		f->text.buf[at[i]] ^= 1;
	}
	assert_int_equal(err.code, ERR_NONE);
	f->text.buf[0]++;
	assert_int_equal(kept_reader_open(f->text.buf, f->text.len, &trace, &reader, &err), -1);
	assert_string_equal(err.msg, "it is no file of events");
	err_clear(&err);
}

/* Not one event of such a file may be delivered: whoever counts them cannot take them back. */
static void assert_damaged(const struct fixture *f, size_t len)
{
	uint64_t seen;

	assert_int_equal(read_all(f, len, &seen), ERR_CORRUPT);
	assert_int_equal(seen, 0);
}

/*
 * Where the frame's first block begins, each other one, and the checksum
 * (https://datatracker.ietf.org/doc/html/rfc8878#name-zstandard-frames).
 */
static size_t block_starts(const struct fixture *f, size_t starts[BLOCKS])
{
	const unsigned char *text = (const unsigned char *)f->text.buf;
	size_t at = AT_EVENTS + 4 + 1, nr = 0;
	uint32_t head;

	/* Neither a dictionary nor a content size, but a window's size. */
	assert_int_equal(text[AT_EVENTS + 4] & ~4, 0);
	at++;
	do {
		assert_in_range(nr, 0, BLOCKS - 2);
		starts[nr++] = at;
		assert_true(at + 3 <= f->text.len);
		head = text[at] | (uint32_t)text[at + 1] << 8 | (uint32_t)text[at + 2] << 16;
		at += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
	} while (!(head & 1));
	starts[nr++] = at;
	return nr;
}

static void kept_reader_open__cut_off__is_damaged(void **state)
{
	struct fixture *f = *state;
	size_t starts[BLOCKS], nr;

	write_text(f);
	nr = block_starts(f, starts);
	assert_in_range(nr, 4, BLOCKS);
	assert_int_equal(starts[nr - 1] + 4, f->text.len);
	for (size_t len = 0; len < starts[0] + 10; len++)
		assert_damaged(f, len);
	for (size_t i = 1; i < nr; i++) {
		assert_damaged(f, starts[i - 1] + (starts[i] - starts[i - 1]) / 2);
		for (size_t len = starts[i] - 5; len < starts[i] + 4; len++)
			assert_damaged(f, len);
	}
}

static void kept_reader_open__changed_or_longer__is_damaged(void **state)
{
	struct fixture *f = *state;
	size_t starts[BLOCKS], nr;

	write_text(f);
	nr = block_starts(f, starts);
	for (size_t i = 0; i < nr; i++) {
		for (size_t at = starts[i]; at < starts[i] + 4; at++) {
			f->text.buf[at] ^= 0x10;
			assert_damaged(f, f->text.len);
			f->text.buf[at] ^= 0x10;
		}
	}
	for (size_t at = starts[0]; at < f->text.len; at += 997) {
		f->text.buf[at] ^= 1;
		assert_damaged(f, f->text.len);
		f->text.buf[at] ^= 1;
	}
	strbuf_addc(&f->text, '\0');
	assert_damaged(f, f->text.len);
}

/* What no trace has is refused, however it came into the file. */
static void kept_reader_next__impossible_events__are_damaged(void **state)
{
	char long_name[300], *long_path = xmalloc(5000);
	const struct trace_event cases[] = {
		{ .kind = TRACE_CPU, .time_ns = (INT64_C(1) << 62) + 1 },
		{ .kind = TRACE_CPU, .time_ns = INT64_MIN },
		{ .kind = TRACE_CPU, .pid = INT64_C(1) << 31 },
		{ .kind = TRACE_CPU, .tid = -(INT64_C(1) << 31) - 1 },
		{ .kind = TRACE_CPU, .cpu_sample = { .weight_ns = -1 } },
		{ .kind = TRACE_CPU, .cpu_sample = { .weight_ns = INT64_MAX } },
		{ .kind = TRACE_EXEC, .name = NULL },
		{ .kind = TRACE_THREAD_NAME, .name = long_name },
		{ .kind = TRACE_MAP, .map = { .path = NULL } },
		{ .kind = TRACE_MAP, .map = { .path = long_path } },
		{ .kind = TRACE_MAP, .map = { .path = "a", .id_length = MODULE_ID_MAX + 1 } },
		{ .kind = TRACE_PROCESS_START, .start = { .ppid = INT64_MAX } },
	};
	struct fixture *f = *state;
	uint64_t seen;

	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	memset(long_path, 'a', 4999);
	long_path[4999] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kept_writer *writer = kept_writer_new();
		struct err err = ERR_INIT;

		for (size_t j = 0; j < 5000; j++)
			kept_writer_add(writer, &kinds[3]);
		kept_writer_add(writer, &cases[i]);
		strbuf_clear(&f->text);
		assert_int_equal(kept_writer_add_text(writer, &trace, &f->facts, &f->text, &err),
				 0);
		assert_int_equal(read_all(f, f->text.len, &seen), ERR_CORRUPT);
		assert_int_equal(seen, 4096);
		kept_writer_free(writer);
	}
	free(long_path);
}

static void kept_writer__damaged_trace_or_switches__are_not_kept(void **state)
{
	const struct trace_event run = { .kind = TRACE_RUN };
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	bool *const truncated = &f->facts.counters.truncated;

	*truncated = true;
	assert_int_equal(kept_writer_add_text(f->writer, &trace, &f->facts, &f->text, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	*truncated = false;
	f->facts.counters.damaged = 1;
	assert_int_equal(kept_writer_add_text(f->writer, &trace, &f->facts, &f->text, &err), -1);
	err_clear(&err);
	f->facts.counters.damaged = 0;
	kept_writer_add(f->writer, &run);
	assert_int_equal(kept_writer_add_text(f->writer, &trace, &f->facts, &f->text, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	assert_int_equal(f->text.len, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kept_reader_next__what_was_written__is_the_same),
		TEST(kept_reader_open__of_another_trace_or_version__is_not_used),
		TEST(kept_reader_open__cut_off__is_damaged),
		TEST(kept_reader_open__changed_or_longer__is_damaged),
		TEST(kept_reader_next__impossible_events__are_damaged),
		TEST(kept_writer__damaged_trace_or_switches__are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
