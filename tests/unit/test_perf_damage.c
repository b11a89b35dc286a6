/*
 * perf.data that is cut, damaged, or of another kind: intact events are delivered, the others are counted.
 */
#include "perf_reader_fixture.h"
#include "trace/perf/perf_file.h"

#define S UINT64_C(1000000000)

static struct perf_writer *new_writer(enum perf_writer_form form)
{
	struct perf_writer *writer = perf_writer_new(form);

	perf_writer_cpu_clock(writer, 1000);
	perf_writer_memory(writer);
	return writer;
}

/* Read what the writer made; damage is fine. */
static void read_damaged(struct reading *reading, struct perf_writer *writer)
{
	const struct strbuf *bytes = perf_writer_finish(writer);

	assert_int_equal(read_bytes(reading, bytes->buf, bytes->len), 0);
	perf_writer_free(writer);
}

static void add_names(struct perf_writer *writer)
{
	perf_writer_name(writer, S, "a");
	perf_writer_name(writer, S + 1, "b");
}

static const char names_text[] = "0 10/10@0 name 'a'\n1 10/10@0 name 'b'\n";

static void perf_reader__killed_recording__is_read_to_its_end(void **state)
{
	static const char zeros[100];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_KILLED);
		struct reading reading;

		reading_init(&reading);
		add_names(writer);
		/* Space that was not written to, and half a record. */
		if (i == 1)
			perf_writer_bytes(writer, zeros, sizeof(zeros));
		if (i == 2)
			perf_writer_bytes(writer, "\x09\0\0\0\1\0\x40\0abc", 11);
		read_writer(&reading, writer);
		assert_string_equal(reading.text.buf, names_text);
		assert_true(reading.facts.counters.truncated);
		assert_false(reading.facts.has_memory);
		assert_string_equal(reading.facts.memory_refusal,
				    "the recording ended before the formats of its "
				    "tracepoints were written");
		reading_release(&reading);
	}
}

static void perf_reader__record_that_cannot_be__ends_the_reading(void **state)
{
	static const char *const bytes[] = { "\x03\0\0\0\0\0\7\0", "\x03\0\0\0\0\0\0\0",
					     "\0\0\0\0\0\0\0\0", "\x03\0\0\0\0\0\xff\xff" };
	static const char *const words[] = { "a record of 7 bytes", "a record of 0 bytes",
					     "a record of 0 bytes", "a record of 65535 bytes" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct strbuf expected = STRBUF_INIT;
		struct reading reading;
		uint64_t place, end;

		reading_init(&reading);
		add_names(writer);
		place = perf_writer_place(writer);
		strbuf_addf(&expected, "%s at 0x%llx", words[i], (unsigned long long)place);
		perf_writer_bytes(writer, bytes[i], 8);
		perf_writer_name(writer, S + 2, "never");
		end = perf_writer_place(writer);
		read_damaged(&reading, writer);
		assert_string_equal(reading.text.buf, names_text);
		assert_string_equal(reading.facts.first_damage.buf, expected.buf);
		assert_int_equal(reading.facts.counters.damaged, 1);
		assert_string_equal(reading.facts.stop, expected.buf);
		/* The record, and the one behind it. */
		assert_int_equal(reading.facts.counters.unread_bytes, end - place);
		assert_false(reading.facts.counters.truncated);
		strbuf_release(&expected);
		reading_release(&reading);
	}
}

/* One after the other between two sound records; each is dropped alone. */
static void perf_reader__record_with_bad_contents__is_dropped_alone(void **state)
{
	/* Times are at 24 in samples; the trailer is 40 bytes: pid, tid, time, CPU, id. */
	static const uint64_t no_event[] = { 77, 0, 0, S, 0, 0, 0 };
	static const uint64_t too_short[] = { 1000, 0, 0, S, 0 };
	static const uint64_t long_chain[] = { 1000, 1, 10, S, 0, 1, 500 };
	static const uint64_t far_time[] = { 1000, 1, 10, UINT64_C(1) << 63, 0, 1, 0 };
	static const uint64_t no_time[] = { 1000 };
	static const uint64_t period[] = { 1000, 1, 10, S, 0, UINT64_C(1) << 50, 0 };
	static const uint64_t name_without_end[] = { 10,  UINT64_C(0x4141414141414141), 10, S, 0,
						     1000 };
	static const uint64_t short_fork[] = { 10, 10, S, 0, 1000 };
	static const uint64_t map_without_path[] = { 10, 0x1000, 0x1000, 0, 10, S, 0, 1000 };
	uint64_t long_name[39] = { 10, [35] = 10, [36] = S, [38] = 1000 };
	uint64_t long_path[523] = { 10, 0x1000, 0x1000, 0, [519] = 10, [520] = S, [522] = 1000 };
	const struct {
		uint32_t type;
		const uint64_t *v;
		size_t nr;
		const char *words;
	} cases[] = {
		{ 9, no_event, 7, "a sample of an unknown event" },
		{ 9, too_short, 5, "a sample that lacks fields" },
		{ 9, long_chain, 7, "a sample that lacks fields" },
		{ 9, far_time, 7, "a time stamp out of range" },
		{ 9, no_time, 1, "a sample of an unknown event" },
		{ 9, period, 7, "a sample with a period out of range" },
		{ 3, name_without_end, 6, "a record that lacks fields" },
		{ 3, long_name, 39, "a thread whose name has more than 255 bytes" },
		{ 1, long_path, 523, "a mapping whose path has more than 4105 bytes" },
		{ 7, short_fork, 5, "a record that lacks fields" },
		{ 1, map_without_path, 8, "a record that lacks fields" },
		{ 2, NULL, 0, "a count of lost events out of range" },
		{ 67, NULL, 0, "a truncated build id" },
	};

	(void)state;
	memset(&long_name[1], 'a', 256);
	memset(&long_path[4], 'a', 4106);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct strbuf expected = STRBUF_INIT;
		struct reading reading;

		reading_init(&reading);
		perf_writer_name(writer, S, "a");
		strbuf_addf(&expected, "%s at 0x%llx", cases[i].words,
			    (unsigned long long)perf_writer_place(writer));
		perf_writer_record(writer, cases[i].type, 0, cases[i].v, cases[i].nr * 8);
		perf_writer_name(writer, S + 1, "b");
		read_damaged(&reading, writer);
		assert_string_equal(reading.text.buf, names_text);
		assert_string_equal(reading.facts.first_damage.buf, expected.buf);
		assert_int_equal(reading.facts.counters.damaged, 1);
		assert_false(reading.facts.counters.truncated);
		strbuf_release(&expected);
		reading_release(&reading);
	}
}

static void perf_reader__kinds_of_records__are_passed_over(void **state)
{
	static const uint32_t known[] = { 5,  6,  8,  11, 12, 14, 15, 16, 17, 18, 19, 20, 21,
					  22, 65, 69, 70, 72, 73, 74, 75, 76, 77, 79, 82, 84 };
	static const uint32_t unknown[] = { 0, 23, 63, 85, 1000, UINT32_MAX };
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	perf_writer_name(writer, S, "a");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		perf_writer_record(writer, known[i], 0, "12345678", 8);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		perf_writer_record(writer, unknown[i], 0, "12345678", 8);
	perf_writer_name(writer, S + 1, "b");
	read_writer(&reading, writer);
	assert_string_equal(reading.text.buf, names_text);
	assert_int_equal(reading.facts.counters.unknown, ARRAY_SIZE(unknown));
	reading_release(&reading);
}

/* A payload behind its record, which is no record; longer than a block, and than the file. */
static void perf_reader__hardware_trace__is_skipped(void **state)
{
	static const char payload[5000];

	(void)state;
	for (uint64_t size = 0; size <= 6000; size += 1000) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		const uint64_t body[] = { size, 0, 0, 0, 0 };
		struct reading reading;

		reading_init(&reading);
		reading.limits.block_shift = 8;
		perf_writer_name(writer, S, "a");
		perf_writer_record(writer, 71, 0, body, sizeof(body));
		perf_writer_bytes(writer, payload, size < 5000 ? size : 5000);
		if (size <= 5000)
			perf_writer_name(writer, S + 1, "b");
		read_damaged(&reading, writer);
		assert_int_equal(reading.facts.counters.damaged, size > 5000);
		assert_string_equal(reading.text.buf,
				    size <= 5000 ? names_text : "0 10/10@0 name 'a'\n");
		assert_int_equal(reading.facts.stop != NULL, size > 5000);
		assert_int_equal(reading.facts.counters.unread_bytes, size > 5000 ? 5000 : 0);
		assert_false(reading.facts.counters.truncated);
		reading_release(&reading);
	}
}

static void perf_reader__bad_compression__ends_the_reading(void **state)
{
	static const struct {
		uint32_t type;
		const char *bytes, *words;
	} cases[] = {
		{ 81, "not a zstd frame at all.",
		  "records that cannot be decompressed (Unknown frame descriptor)" },
		{ 83, "\xff\xff\0\0\0\0\0\0not a zstd frame", "truncated compressed records" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct strbuf expected = STRBUF_INIT;
		struct reading reading;

		reading_init(&reading);
		add_names(writer);
		perf_writer_record(writer, cases[i].type, 0, cases[i].bytes, 24);
		read_damaged(&reading, writer);
		assert_string_equal(reading.text.buf, names_text);
		assert_int_equal(reading.facts.counters.damaged, 1);
		assert_memory_equal(reading.facts.first_damage.buf, cases[i].words,
				    strlen(cases[i].words));
		assert_int_equal(reading.facts.stop != NULL, i == 0);
		assert_false(reading.facts.counters.truncated);
		strbuf_release(&expected);
		reading_release(&reading);
	}
}

static void perf_reader__bad_record_compressed__ends_the_reading(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	perf_writer_compress(writer, PERF_WRITER_COMPRESS, 100);
	add_names(writer);
	perf_writer_bytes(writer, "\x03\0\0\0\0\0\4\0", 8);
	perf_writer_name(writer, S + 2, "never");
	read_damaged(&reading, writer);
	assert_string_equal(reading.text.buf, names_text);
	assert_int_equal(reading.facts.counters.damaged, 1);
	assert_non_null(reading.facts.stop);
	assert_false(reading.facts.counters.truncated);
	reading_release(&reading);
}

static const struct strbuf *make_everything(struct perf_writer *writer)
{
	const uint64_t args[] = { 0x10000, 0x10000, 3 };
	unsigned copying = perf_writer_tracepoint(writer, "sys_enter_mprotect", true);

	perf_writer_feature(writer, 3, "host");
	for (uint64_t i = 0; i < 4; i++) {
		perf_writer_name(writer, S + i * 100, "a");
		perf_writer_cpu(writer, S + i * 100 + 10, 0x4000);
		perf_writer_call(writer, S + i * 100 + 20, 8, args, 3);
		perf_writer_call(writer, S + i * 100 + 21, copying, args, 3);
		perf_writer_mmap(writer, S + i * 100 + 30, 0x10000, 0x10000);
		perf_writer_round(writer);
	}
	return perf_writer_finish(writer);
}

static void read_cut(const struct strbuf *bytes, size_t nr, size_t whole)
{
	struct reading reading;
	char *exact = xmalloc(nr);

	/* So that a byte too far is seen. */
	memcpy(exact, bytes->buf, nr);
	reading_init(&reading);
	reading.limits.block_shift = 7;
	reading.limits.blocks = 4;
	if (read_bytes(&reading, exact, nr) < 0)
		assert_non_null(reading.err.msg);
	else
		assert_in_range(reading.events, 0, whole);
	free(exact);
	reading_release(&reading);
}

static void perf_reader__cut_anywhere__delivers_what_is_there(void **state)
{
	(void)state;
	for (int form = 0; form < 3; form++) {
		struct perf_writer *writer =
			new_writer(form == 1 ? PERF_WRITER_PIPE : PERF_WRITER_FILE);
		const struct strbuf *bytes;

		if (form == 2)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS, 1000);
		bytes = make_everything(writer);
		for (size_t nr = 0; nr < bytes->len; nr += 1 + nr / 300)
			read_cut(bytes, nr, 16);
		perf_writer_free(writer);
	}
}

/* All ones and all zeros at every place of the head and the features. */
static void perf_reader__absurd_numbers_anywhere__are_survived(void **state)
{
	static const unsigned char values[] = { 0xff, 0, 0x7f };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(values); i++) {
		struct perf_writer *writer =
			new_writer(i % 2 ? PERF_WRITER_PIPE : PERF_WRITER_FILE);
		struct strbuf copy = STRBUF_INIT;
		const struct strbuf *bytes = make_everything(writer);

		strbuf_add(&copy, bytes->buf, bytes->len);
		for (size_t at = 0; at + 8 < bytes->len; at += at < 1000 ? 4 : 52) {
			struct reading reading;

			memset(copy.buf + at, values[i / 2], 8);
			reading_init(&reading);
			if (read_bytes(&reading, copy.buf, copy.len) < 0)
				assert_non_null(reading.err.msg);
			memcpy(copy.buf + at, bytes->buf + at, 8);
			reading_release(&reading);
		}
		strbuf_release(&copy);
		perf_writer_free(writer);
	}
}

/* A list of ids that many events point to is read again for each. */
static void perf_reader__too_many_ids__are_not_read(void **state)
{
	enum { EVENTS = 20, IDS = 400000, ATTRS_AT = 104, ENTRY = 144, SECTION_AT = 128 };
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct strbuf bytes = STRBUF_INIT;
	const struct strbuf *made;
	struct reading reading;
	uint64_t section[2];

	(void)state;
	reading_init(&reading);
	for (int i = 0; i < EVENTS; i++)
		perf_writer_cpu_clock(writer, 1000);
	perf_writer_name(writer, S, "a");
	made = perf_writer_finish(writer);
	strbuf_add(&bytes, made->buf, made->len);
	section[0] = bytes.len;
	section[1] = IDS * sizeof(uint64_t);
	for (size_t i = 0; i < EVENTS; i++)
		memcpy(bytes.buf + ATTRS_AT + i * ENTRY + SECTION_AT, section, sizeof(section));
	for (size_t i = 0; i < IDS; i++)
		strbuf_add(&bytes, "\1\0\0\0\0\0\0", 8);
	assert_int_equal(read_bytes(&reading, bytes.buf, bytes.len), 0);
	assert_memory_equal(reading.facts.first_damage.buf, "too many ids of events", 22);
	assert_int_equal(reading.facts.counters.damaged, 1);
	assert_int_equal(reading.facts.counts_nr, 3);
	strbuf_release(&bytes);
	perf_writer_free(writer);
	reading_release(&reading);
}

/* The file was written anew while it was read: a record that was sound is none when its turn comes. */
static void perf_reader__record_that_shrinks__is_not_read(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_input input;
	struct reading reading;
	struct strbuf bytes = STRBUF_INIT;
	const struct strbuf *made;
	uint64_t place = 0;
	size_t nr, delivered = 0;

	(void)state;
	reading_init(&reading);
	reading.limits.block_shift = 7;
	reading.limits.blocks = 4;
	reading.limits.batch = 1;
	for (uint64_t i = 0; i < 100; i++) {
		if (i == 50)
			place = perf_writer_place(writer);
		perf_writer_cpu(writer, S + i, 0x4000);
	}
	made = perf_writer_finish(writer);
	strbuf_add(&bytes, made->buf, made->len);
	perf_writer_free(writer);
	trace_input_memory(&input, bytes.buf, bytes.len);
	assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
					  &reading.facts, &reader, &reading.err),
			 0);
	while (perf_reader_next(reader, &events, &nr, &reading.err) > 0) {
		delivered += nr;
		memset(bytes.buf + place + 6, 0, 2);
	}
	assert_int_equal(delivered, 99);
	assert_true(reading.facts.counters.truncated);
	perf_reader_free(reader);
	strbuf_release(&bytes);
	reading_release(&reading);
}

/* Places would not fit where they are kept. */
static void perf_reader__file_above_the_limit__is_refused(void **state)
{
	static const char bytes[104] = "PERFILE2";
	struct perf_reader *reader;
	struct trace_input input;
	struct reading reading;

	(void)state;
	reading_init(&reading);
	trace_input_memory(&input, bytes, (size_t)PERF_SIZE_MAX + 1);
	assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
					  &reading.facts, &reader, &reading.err),
			 -1);
	assert_int_equal(reading.err.code, ERR_UNSUPPORTED);
	assert_string_equal(reading.err.msg,
			    "'x' has 140737488355329 bytes; at most 2^47 are read");
	reading_release(&reading);
}

/* The header's u64 at 48 is how long the records are; where it is absurd nobody knows what is missing. */
static void perf_reader__records_that_are_missing__are_counted_where_that_can_be(void **state)
{
	static const uint64_t more[] = { 0, 1, 1000, PERF_SIZE_MAX, UINT64_MAX / 2 };
	static const uint64_t missing[] = { 0, 1, 1000, 0, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		struct strbuf bytes = STRBUF_INIT;
		const struct strbuf *made;
		struct reading reading;
		uint64_t start, size;

		reading_init(&reading);
		add_names(writer);
		made = perf_writer_finish(writer);
		memcpy(&start, made->buf + 40, 8);
		memcpy(&size, made->buf + 48, 8);
		strbuf_add(&bytes, made->buf, (size_t)(start + size));
		size += more[i];
		memcpy(bytes.buf + 48, &size, 8);
		assert_int_equal(read_bytes(&reading, bytes.buf, bytes.len), 0);
		assert_string_equal(reading.text.buf, names_text);
		assert_int_equal(reading.facts.counters.truncated, more[i] > 0);
		assert_int_equal(reading.facts.counters.missing_bytes, missing[i]);
		strbuf_release(&bytes);
		perf_writer_free(writer);
		reading_release(&reading);
	}
}

/* `perf record --kcore` has a directory too, but all that it recorded is in one file of it: version 0. */
static void perf_reader__a_part_of_a_recording__is_refused(void **state)
{
	static const uint64_t one_file = 0, more_files = 1;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
		const struct strbuf *bytes;
		struct reading reading;

		reading_init(&reading);
		perf_writer_feature_bytes(writer, 24, i ? &more_files : &one_file, 8);
		add_names(writer);
		bytes = perf_writer_finish(writer);
		assert_int_equal(read_bytes(&reading, bytes->buf, bytes->len), i ? -1 : 0);
		assert_string_equal(reading.text.buf, i ? "" : names_text);
		assert_int_equal(reading.err.code, i ? ERR_UNSUPPORTED : ERR_NONE);
		if (i)
			assert_string_equal(
				reading.err.msg,
				"'x' is only one of several files of a recording by 'perf "
				"record --threads', which is not read: record without "
				"--threads");
		perf_writer_free(writer);
		reading_release(&reading);
	}
}

static void perf_reader__other_files__are_refused(void **state)
{
	static const struct {
		const char *head;
		uint64_t size;
		enum err_code code;
		const char *words;
	} cases[] = {
		{ "2ELIFREP", 0, ERR_UNSUPPORTED,
		  "'x' was recorded on a big-endian machine, whose files are not read" },
		{ "PERFFILE", 0, ERR_UNSUPPORTED,
		  "'x' is of an old format that perf wrote before Linux 3.7" },
		{ "\x7f"
		  "ELF\0\0\0\0",
		  0, ERR_UNSUPPORTED, "'x' is not a perf.data file" },
		{ "PERFILE2", 60, ERR_CORRUPT,
		  "'x' is a damaged or truncated perf.data: its header says it has 60 bytes, the "
		  "file "
		  "has "
		  "104" },
		{ "PERFILE2", 1 << 20, ERR_CORRUPT,
		  "'x' is a damaged or truncated perf.data: its header says it has 1048576 bytes, "
		  "the "
		  "file "
		  "has 104" },
		{ "PERFILE2", 104, ERR_CORRUPT,
		  "'x' is a damaged perf.data: its header says that the description of an event "
		  "has "
		  "0 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char bytes[104] = { 0 };
		struct reading reading;

		reading_init(&reading);
		memcpy(bytes, cases[i].head, 8);
		memcpy(bytes + 8, &cases[i].size, 8);
		assert_int_equal(read_bytes(&reading, bytes, sizeof(bytes)), -1);
		assert_int_equal(reading.err.code, cases[i].code);
		assert_string_equal(reading.err.msg, cases[i].words);
		reading_release(&reading);
	}
}

/* Linux has shorter ones; each process would have a copy. */
static void perf_reader__names_of_kilobytes__are_damage(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	char *name = xcalloc(1, 60001);
	struct reading reading;

	(void)state;
	reading_init(&reading);
	memset(name, 'a', 60000);
	perf_writer_name(writer, S, "a");
	perf_writer_name(writer, S, name);
	perf_writer_map(writer, S, &(struct perf_writer_map){ .length = 1, .path = name });
	perf_writer_name(writer, S + 1, "b");
	read_damaged(&reading, writer);
	assert_string_equal(reading.text.buf, names_text);
	assert_int_equal(reading.facts.counters.damaged, 2);
	reading_release(&reading);
	free(name);
}

/* 78 MB of records in a few KB: more than recordings are compressed to. */
static void perf_reader__records_compressed_to_nothing__are_refused(void **state)
{
	struct perf_writer *writer = new_writer(PERF_WRITER_FILE);
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_input input;
	char *name = xcalloc(1, 60001);
	const struct strbuf *bytes;
	struct reading reading;
	size_t nr;
	int rc;

	(void)state;
	reading_init(&reading);
	memset(name, 'a', 60000);
	perf_writer_compress(writer, PERF_WRITER_COMPRESS2, 60000);
	for (uint64_t i = 0; i < 3000; i++)
		perf_writer_name(writer, S, name);
	bytes = perf_writer_finish(writer);
	assert_in_range(bytes->len, 1, 110000);
	trace_input_memory(&input, bytes->buf, bytes->len);
	assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
					  &reading.facts, &reader, &reading.err),
			 0);
	while ((rc = perf_reader_next(reader, &events, &nr, &reading.err)) > 0)
		reading.events += nr;
	assert_int_equal(rc, -1);
	assert_non_null(strstr(reading.err.msg, "the limit for its size"));
	perf_reader_free(reader);
	perf_writer_free(writer);
	reading_release(&reading);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_reader__names_of_kilobytes__are_damage),
		cmocka_unit_test(perf_reader__records_compressed_to_nothing__are_refused),
		cmocka_unit_test(perf_reader__killed_recording__is_read_to_its_end),
		cmocka_unit_test(perf_reader__record_that_cannot_be__ends_the_reading),
		cmocka_unit_test(perf_reader__record_with_bad_contents__is_dropped_alone),
		cmocka_unit_test(perf_reader__kinds_of_records__are_passed_over),
		cmocka_unit_test(perf_reader__hardware_trace__is_skipped),
		cmocka_unit_test(perf_reader__bad_compression__ends_the_reading),
		cmocka_unit_test(perf_reader__bad_record_compressed__ends_the_reading),
		cmocka_unit_test(perf_reader__cut_anywhere__delivers_what_is_there),
		cmocka_unit_test(perf_reader__absurd_numbers_anywhere__are_survived),
		cmocka_unit_test(perf_reader__too_many_ids__are_not_read),
		cmocka_unit_test(perf_reader__record_that_shrinks__is_not_read),
		cmocka_unit_test(perf_reader__file_above_the_limit__is_refused),
		cmocka_unit_test(
			perf_reader__records_that_are_missing__are_counted_where_that_can_be),
		cmocka_unit_test(perf_reader__a_part_of_a_recording__is_refused),
		cmocka_unit_test(perf_reader__other_files__are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
