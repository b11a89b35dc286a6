/*
 * Buffers of ETL files: their number and order, and what is read of damaged files. Real files are in tests/data/etl.
 */
#include "etl_fixture.h"

/* All events' numbers in the order of the buffers, "|" between these. */
static char *walk(struct etl_file *file)
{
	const struct etl_extent *extents;
	struct strbuf text = STRBUF_INIT;
	struct etl_buffer buffer;
	struct etl_record record;
	struct err err = ERR_INIT;
	size_t nr;

	etl_buffer_init(&buffer, 9);
	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(etl_buffer_load(&buffer, file, &extents[i], &err), 0);
		strbuf_adds(&text, i ? "|" : "");
		while (etl_buffer_next(&buffer, file, &record)) {
			if (record.group != 100)
				continue;
			strbuf_addf(&text, "%u", record.opcode);
			assert_int_equal(record.cpu, extents[i].cpu);
			assert_int_equal(record.session, 9);
			assert_true(record.buffer_offset == extents[i].offset);
		}
	}
	etl_buffer_release(&buffer);
	return strbuf_detach(&text);
}

static void assert_walk(struct etl_file *file, const char *expected)
{
	char *text = walk(file);

	assert_string_equal(text, expected);
	free(text);
}

static void close_all(struct making *making, struct etl_file *file)
{
	etl_file_free(file);
	strbuf_release(&making->bytes);
}

static void etl_file__header_event(void **state)
{
	(void)state;
	for (uint32_t pointer = 4; pointer <= 8; pointer += 4) {
		const struct etl_header *header;
		struct etl_file *file;
		struct making making;

		making_init(&making);
		making.pointer = pointer;
		making.written = 1;
		making.mode = 0x11002009;
		add_first_buffer(&making);
		file = open_making(&making);
		header = etl_file_header(file);
		assert_int_equal(header->buffer_size, ETL_SIZE);
		assert_int_equal(header->os_major, 10);
		assert_int_equal(header->os_minor, 0);
		assert_int_equal(header->build, 22621);
		assert_int_equal(header->cpus, 4);
		assert_int_equal(header->pointer_size, pointer);
		assert_int_equal(header->mode, 0x11002009);
		assert_int_equal(header->buffers_written, 1);
		assert_int_equal(header->events_lost, 41);
		assert_int_equal(header->buffers_lost, 3);
		assert_int_equal(header->boot_time, 100);
		assert_int_equal(header->start_time, 200);
		assert_int_equal(header->end_time, 1);
		assert_int_equal(header->timezone_bias, -60);
		assert_int_equal(header->clock, ETL_CLOCK_QPC);
		assert_int_equal(header->frequency, 10000000);
		assert_int_equal(header->first_tick, 1000);
		assert_string_equal(header->session_name, "Session");
		assert_string_equal(header->file_name, "C:\\a.etl");
		assert_false(etl_file_damage(file)->truncated);
		assert_int_equal(etl_file_size(file), ETL_SIZE);
		close_all(&making, file);
	}
}

static void etl_file_ns__by_clock(void **state)
{
	static const struct {
		uint32_t clock, cpu_mhz;
		uint64_t frequency, first, ticks;
		int64_t ns;
	} cases[] = {
		{ 1, 0, 10000000, 1000, 1000, 0 },
		{ 1, 0, 10000000, 1000, 1001, 100 },
		{ 1, 0, 10000000, 1000, 990, -1000 },
		{ 0, 0, 10000000, 0, 5, 500 },
		{ 1, 0, 1818300, 0, 1818300, 1000000000 },
		{ 1, 0, 3, 0, 1, 333333333 },
		{ 1, 0, 3, 0, 2, 666666666 },
		{ 1, 0, 3, 2, 0, -666666666 },
		/* 51 hours of 10 MHz ticks, and 200 years. */
		{ 1, 0, 10000000, 0, UINT64_C(1844674407371), INT64_C(184467440737100) },
		{ 1, 0, 2994853, 7, 7 + UINT64_C(2994853) * 6307200000 + 2994852,
		  INT64_C(6307200000999999666) },
		{ 1, 0, 100000000000, 0, UINT64_C(99999999999), 999999999 },
		{ 1, 0, 10000000, 0, UINT64_MAX, INT64_MAX },
		{ 1, 0, 10000000, UINT64_MAX, 0, -INT64_MAX },
		{ 2, 0, 0, UINT64_C(133000000000000000), UINT64_C(133000000000000001), 100 },
		{ 3, 2500, 1, 0, 5, 2 },
		{ 3, 0, 1000, 0, 5, 5000000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct etl_file *file;
		struct making making;

		making_init(&making);
		making.clock = cases[i].clock;
		making.cpu_mhz = cases[i].cpu_mhz;
		making.frequency = cases[i].frequency;
		making.first_tick = cases[i].first;
		add_first_buffer(&making);
		file = open_making(&making);
		assert_int_equal(etl_file_ns(file, cases[i].ticks), cases[i].ns);
		close_all(&making, file);
	}
}

/* What becomes of a good file: cut to `nr` bytes where `at` is CUT, else `nr` bytes of it changed. */
#define CUT SIZE_MAX

struct change {
	size_t at, nr;
	uint64_t value;
};

static void apply(struct making *making, const struct change *change)
{
	if (change->at == CUT)
		strbuf_set_len(&making->bytes, change->nr);
	else
		put(making, change->at, change->value, change->nr);
}

static void etl_file_open__no_trace__is_refused(void **state)
{
	static const struct {
		struct change change;
		const char *words;
	} cases[] = {
		{ { CUT, 0, 0 }, "it does not begin with a buffer of events" },
		{ { CUT, 71, 0 }, "it does not begin with a buffer of events" },
		{ { CUT, 300, 0 }, "its first buffer is damaged" },
		{ { 0x00, 4, 0x40 }, "it does not begin with a buffer of events" },
		{ { 0x00, 4, 0x2000000 }, "it does not begin with a buffer of events" },
		{ { 0x30, 4, 0x47 }, "it does not begin with a buffer of events" },
		{ { 0x30, 4, 0x401 }, "it does not begin with a buffer of events" },
		{ { 0x28, 2, 2048 }, "it does not begin with a buffer of events" },
		{ { 0x30, 4, 0x48 }, "its first buffer is damaged" },
		{ { 0x4a, 1, 30 }, "its first buffer is damaged" },
		{ { 0x4a, 1, 17 }, "it does not begin with the header event" },
		{ { 0x4e, 1, 5 }, "it does not begin with the header event" },
		{ { 0x4f, 1, 3 }, "it does not begin with the header event" },
		{ { 0x4c, 2, 300 }, "its header event has only 268 bytes" },
		{ { 0x48 + 32 + 12, 4, UINT32_MAX }, "its header event has 4294967295 processors" },
		{ { 0x48 + 32 + 12, 4, 2049 }, "its header event has 2049 processors" },
		{ { 0x48 + 32 + 44, 4, 3 }, "its header event has pointers of 3 bytes" },
		{ { 0x48 + 32 + 0x110, 4, 9 }, "its header event has a clock of the type 9" },
		{ { 0x48 + 32 + 0x100, 8, 0 }, "its clock has 0 ticks a second" },
		{ { 0x48 + 32 + 0x100, 8, UINT64_C(100000000001) },
		  "its clock has 100000000001 ticks a second" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct etl_file *file = NULL;
		struct err err = ERR_INIT;
		struct making making;

		making_init(&making);
		add_first_buffer(&making);
		apply(&making, &cases[i].change);
		assert_int_equal(
			etl_file_open_memory(making.bytes.buf, making.bytes.len, &file, &err), -1);
		assert_int_equal(err.code, ERR_CORRUPT);
		assert_string_equal(err.msg, cases[i].words);
		assert_null(file);
		err_clear(&err);
		strbuf_release(&making.bytes);
	}
}

static void add_buffer(struct making *making, unsigned cpu, uint64_t sequence, uint16_t flags,
		       unsigned number)
{
	begin_buffer(making, cpu, sequence, flags);
	add_event(making, 2000 + number, number);
	add_event(making, 2000 + number, number + 1);
	end_buffer(making, ETL_SIZE);
}

static void etl_file_extents__order(void **state)
{
	(void)state;
	/* Windows 7 has the processor in one byte, and another number behind it. */
	for (int windows7 = 0; windows7 < 2; windows7++) {
		unsigned more = windows7 ? 0x800 : 0;
		uint16_t flags = windows7 ? 0 : ETL_BUFFER_WIDE_CPU;
		const struct etl_extent *extents;
		struct etl_file *file;
		struct making making;
		size_t nr;

		making_init(&making);
		making.written = 6;
		add_first_buffer(&making);
		add_buffer(&making, more + 3, 910, flags | ETL_BUFFER_EVENTS_LOST, 10);
		add_buffer(&making, more, 908, flags, 20);
		add_buffer(&making, more + 3, 909, flags | ETL_BUFFER_LOST, 30);
		/* Here numbers are of no use. */
		add_buffer(&making, more + 1, 7, flags, 40);
		add_buffer(&making, more + 1, 5, flags, 50);
		add_buffer(&making, more + 1, 7, flags, 60);
		file = open_making(&making);
		extents = etl_file_extents(file, &nr);
		assert_int_equal(nr, 7);
		assert_int_equal(extents[6].cpu, 3);
		assert_int_equal(extents[6].offset, ETL_SIZE);
		assert_int_equal(extents[6].size, ETL_SIZE);
		assert_int_equal(extents[6].filled, ETL_BUFFER_HEADER + 2 * ETL_EVENT_BYTES);
		assert_walk(file, "|2021|4041|5051|6061|3031|1011");
		assert_int_equal(etl_file_damage(file)->buffers_with_loss, 2);
		assert_int_equal(etl_file_damage(file)->buffers, 0);
		assert_false(etl_file_damage(file)->truncated);
		close_all(&making, file);
	}
}

/* Three buffers, of which the second is one of this processor's as well. */
static void make_three(struct making *making)
{
	making_init(making);
	making->written = 4;
	add_first_buffer(making);
	add_buffer(making, 0, 1, 0x20, 10);
	add_buffer(making, 0, 2, 0x20, 20);
	add_buffer(making, 0, 3, 0x20, 30);
}

static void etl_file__damage__is_graded(void **state)
{
	static const struct {
		struct change change;
		const char *walk, *first;
		uint64_t buffers, events, unknown, missing;
		bool truncated;
		uint64_t missing_buffers, buffer_bytes;
	} cases[] = {
		{ { 0, 0, 0 }, "|1011|2021|3031", "", 0, 0, 0, 0, false, 0, 0 },
		/* Cut: by buffers, in unused space, in an event, in a header. */
		{ { CUT, 3 * ETL_SIZE, 0 }, "|1011|2021", "", 0, 0, 0, ETL_SIZE, true, 1, 0 },
		{ { CUT, 2 * ETL_SIZE, 0 }, "|1011", "", 0, 0, 0, 2 * ETL_SIZE, true, 2, 0 },
		{ { CUT, 4 * ETL_SIZE - 100, 0 }, "|1011|2021|3031", "", 0, 0, 0, 100, true, 1, 0 },
		{ { CUT, 3 * ETL_SIZE + 72 + 60, 0 },
		  "|1011|2021|30",
		  "",
		  0,
		  0,
		  0,
		  ETL_SIZE - 132,
		  true,
		  1,
		  0 },
		{ { CUT, 3 * ETL_SIZE + 40, 0 }, "|1011|2021", "", 0, 0, 0, ETL_SIZE, true, 1, 0 },
		/* Headers of buffers. */
		{ { 2 * ETL_SIZE, 4, 0x12345678 },
		  "|1011|3031",
		  "a buffer of 305419896 bytes, 152 of them filled, at 0x800",
		  1,
		  0,
		  0,
		  0,
		  false,
		  0,
		  ETL_SIZE - ETL_BUFFER_HEADER },
		{ { 2 * ETL_SIZE, 4, 7 },
		  "|1011|3031",
		  "a buffer of 7 bytes, 152 of them filled, at 0x800",
		  1,
		  0,
		  0,
		  0,
		  false,
		  0,
		  ETL_SIZE - ETL_BUFFER_HEADER },
		{ { 2 * ETL_SIZE + 0x30, 4, ETL_SIZE + 1 },
		  "|1011|3031",
		  "a buffer of 1024 bytes, 1025 of them filled, at 0x800",
		  1,
		  0,
		  0,
		  0,
		  false,
		  0,
		  ETL_SIZE - ETL_BUFFER_HEADER },
		/* In the midst of a buffer, which is at no place that one can be at. */
		{ { 2 * ETL_SIZE, 4, 200 },
		  "|1011|2021|3031",
		  "a buffer of 4294967295 bytes, 4294967295 of them filled, at 0x8c8",
		  1,
		  0,
		  0,
		  0,
		  false,
		  0,
		  ETL_SIZE - ETL_BUFFER_HEADER },
		/* Events. */
		{ { 2 * ETL_SIZE + 72 + 4, 2, 0xfff0 },
		  "|1011||3031",
		  "an event with an impossible size, 72 bytes into the buffer at 0x800",
		  1,
		  0,
		  0,
		  0,
		  false,
		  0,
		  80 },
		{ { 2 * ETL_SIZE + 72 + 40, 4, 0xc0990028 },
		  "|1011|20|3031",
		  "",
		  0,
		  0,
		  1,
		  0,
		  false,
		  0,
		  0 },
		{ { 2 * ETL_SIZE + 72, 4, 0xc0118702 },
		  "|1011|21|3031",
		  "an event that lacks fields, 72 bytes into the buffer at 0x800",
		  0,
		  1,
		  0,
		  0,
		  false,
		  0,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct etl_damage *damage;
		struct etl_file *file;
		struct making making;

		make_three(&making);
		apply(&making, &cases[i].change);
		file = open_making(&making);
		damage = etl_file_damage(file);
		assert_walk(file, cases[i].walk);
		assert_string_equal(damage->first.buf, cases[i].first);
		assert_int_equal(damage->buffers, cases[i].buffers);
		assert_int_equal(damage->events, cases[i].events);
		assert_int_equal(damage->unknown, cases[i].unknown);
		assert_int_equal(damage->missing, cases[i].missing);
		assert_int_equal(damage->truncated, cases[i].truncated);
		assert_int_equal(damage->missing_buffers, cases[i].missing_buffers);
		assert_int_equal(damage->buffer_bytes, cases[i].buffer_bytes);
		close_all(&making, file);
	}
}

/* It has no end, and its count is from long before. */
static void etl_file__session_that_never_stopped(void **state)
{
	struct etl_file *file;
	struct making making;

	(void)state;
	make_three(&making);
	making.bytes.len = 0;
	making.end_time = 0;
	making.written = 1;
	add_first_buffer(&making);
	add_buffer(&making, 2, 1, 0x20, 10);
	/* Space that is there already, and what is behind it. */
	strbuf_pad(&making.bytes, 0, 5 * ETL_SIZE);
	add_buffer(&making, 2, 2, 0x20, 20);
	strbuf_pad(&making.bytes, 0, 8 * ETL_SIZE + 500);
	file = open_making(&making);
	assert_int_equal(etl_file_header(file)->end_time, 0);
	assert_walk(file, "|1011|2021");
	assert_int_equal(etl_file_damage(file)->buffers, 0);
	assert_false(etl_file_damage(file)->truncated);
	close_all(&making, file);
}

/* A circular file lacks what was written over. */
static void etl_file__circular__is_not_cut(void **state)
{
	struct etl_file *file;
	struct making making;

	(void)state;
	making_init(&making);
	making.mode = 2;
	making.written = 100;
	add_first_buffer(&making);
	add_buffer(&making, 0, 99, 0x20, 30);
	add_buffer(&making, 0, 97, 0x20, 10);
	add_buffer(&making, 0, 98, 0x20, 20);
	file = open_making(&making);
	assert_walk(file, "|1011|2021|3031");
	assert_false(etl_file_damage(file)->truncated);
	close_all(&making, file);
}

/* All codes of 8 bits: the bytes as they are, in words with the first bits leftmost. */
static void compress_huffman(struct strbuf *to, const char *bytes, size_t nr)
{
	unsigned char table[256] = { 0 };

	memset(table, 0x88, 128);
	strbuf_add(to, table, sizeof(table));
	for (size_t i = 0; i < nr; i += 2) {
		strbuf_addc(to, bytes[i + 1]);
		strbuf_addc(to, bytes[i]);
	}
	strbuf_add(to, "\0\0", 2);
}

static void etl_file__compressed_buffers(void **state)
{
	static const struct {
		uint16_t state;
		void (*compress)(struct strbuf *to, const char *bytes, size_t nr);
		const char *walk, *first;
	} cases[] = {
		{ 3, compress_plain, "|1011|2021", "" },
		{ 0, compress_plain, "|1011|2021", "" },
		{ 4, compress_huffman, "|1011|2021", "" },
		{ 4, compress_plain, "||2021", "a buffer that cannot be decompressed at 0x400" },
		{ 2, compress_plain, "||2021",
		  "a buffer compressed with LZNT1, which is not read, at 0x400" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf compressed = STRBUF_INIT;
		struct etl_file *file;
		struct making making;
		size_t begin;

		making_init(&making);
		making.state = cases[i].state;
		add_first_buffer(&making);
		begin_buffer(&making, 1, 1, 0x60);
		begin = making.bytes.len;
		add_event(&making, 5, 10);
		add_event(&making, 5, 11);
		cases[i].compress(&compressed, making.bytes.buf + begin, making.bytes.len - begin);
		end_compressed(&making, compressed.buf, compressed.len);
		add_buffer(&making, 1, 2, 0x20, 20);
		file = open_making(&making);
		assert_walk(file, cases[i].walk);
		assert_string_equal(etl_file_damage(file)->first.buf, cases[i].first);
		assert_int_equal(etl_file_damage(file)->buffers, *cases[i].first ? 1 : 0);
		close_all(&making, file);
		strbuf_release(&compressed);
	}
}

/* Buffers of any size: there is no way on from one that can't be. */
static void etl_file__compressed_buffer_without_a_size__ends_the_file(void **state)
{
	struct etl_file *file;
	struct making making;
	size_t bad = 0;

	(void)state;
	making_init(&making);
	making.mode = 0x04000000;
	making.written = 4;
	add_first_buffer(&making);
	for (unsigned i = 0; i < 3; i++) {
		begin_buffer(&making, 1, i, 0x60);
		add_event(&making, 5, 10 * i);
		end_plain(&making);
		if (i == 1)
			bad = making.begin;
	}
	put(&making, bad, 1, 4);
	file = open_making(&making);
	assert_walk(file, "|0");
	assert_int_equal(etl_file_damage(file)->buffers, 1);
	assert_int_equal(etl_file_damage(file)->unread, making.bytes.len - bad);
	assert_string_equal(etl_file_damage(file)->stop.buf, "a buffer at 0x478");
	assert_int_equal(etl_file_damage(file)->missing, 0);
	assert_false(etl_file_damage(file)->truncated);
	close_all(&making, file);
}

/* Of buffers that are missing, the header says how many there were; not how large they were. */
static void etl_file__compressed_and_cut__buffers_are_missing(void **state)
{
	static const struct {
		size_t buffers, bytes; /* what is left */
		const char *walk;
		uint64_t missing_buffers;
		bool bytes_known;
	} cases[] = {
		{ 3, 0, "|0|10|20", 0, false }, { 2, 100, "|0|10", 1, true },
		{ 2, 10, "|0|10", 1, false },   { 1, 100, "|0", 2, false },
		{ 1, 0, "|0", 2, false },       { 0, 72, "", 3, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct etl_damage *damage;
		size_t ends[4] = { ETL_SIZE }, whole;
		struct etl_file *file;
		struct making making;

		making_init(&making);
		making.mode = 0x04000000;
		making.written = 4;
		add_first_buffer(&making);
		for (unsigned k = 0; k < 3; k++) {
			begin_buffer(&making, 1, k, 0x60);
			add_event(&making, 5, 10 * k);
			end_plain(&making);
			ends[k + 1] = making.bytes.len;
		}
		whole = ends[cases[i].buffers] + cases[i].bytes;
		strbuf_set_len(&making.bytes, whole);
		file = open_making(&making);
		damage = etl_file_damage(file);
		assert_walk(file, cases[i].walk);
		assert_int_equal(damage->missing_buffers, cases[i].missing_buffers);
		assert_int_equal(damage->missing, cases[i].bytes_known ? ends[3] - whole : 0);
		assert_int_equal(damage->truncated, cases[i].missing_buffers > 0);
		assert_int_equal(damage->buffers, 0);
		close_all(&making, file);
	}
}

/* The file has 1.5 KB. */
static void etl_file_open__buffers_that_decompress_to_very_much__are_refused(void **state)
{
	struct etl_file *file = NULL;
	struct err err = ERR_INIT;
	struct making making;

	(void)state;
	for (unsigned nr = 4; nr <= 5; nr++) {
		making_init(&making);
		making.mode = ETL_MODE_COMPRESSED;
		add_first_buffer(&making);
		for (unsigned i = 0; i < nr; i++) {
			begin_buffer(&making, 1, i, 0x60);
			end_compressed(&making, "\0\0\0\x40\0\x07\0\x0f\xff\0\0\0\0\0\1", 15);
			put(&making, making.begin + 0x30, 16 << 20, 4);
		}
		assert_int_equal(
			etl_file_open_memory(making.bytes.buf, making.bytes.len, &file, &err),
			nr == 4 ? 0 : -1);
		if (nr == 4)
			etl_file_free(file);
		strbuf_release(&making.bytes);
	}
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_string_equal(err.msg, "its 6 buffers have 80 MB decompressed, the limit for its "
				     "size is 64 MB: write it without compression (xperf -merge); "
				     "STAGETRACE_LIMITS=4 raises the limit to four times, if you "
				     "trust the file");
	err_clear(&err);
}

struct real {
	const char *path;
	uint64_t events;
	size_t buffers;
	uint32_t build, cpus, lost, pointer;
	int64_t start;
	const char *session;
};

static uint64_t count_events(struct etl_file *file)
{
	const struct etl_extent *extents;
	struct etl_buffer buffer;
	struct etl_record record;
	struct err err = ERR_INIT;
	uint64_t events = 0;
	size_t nr;

	etl_buffer_init(&buffer, 0);
	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(etl_buffer_load(&buffer, file, &extents[i], &err), 0);
		while (etl_buffer_next(&buffer, file, &record))
			events++;
	}
	etl_buffer_release(&buffer);
	return events;
}

static void etl_file_open__real_files(void **state)
{
	static const struct real files[] = {
		{ "tests/data/etl/SIH.etl", 12, 2, 22621, 1, 0, 8, INT64_C(133266340443632943),
		  "SIH_trace_log" },
		{ "tests/data/etl/SelfDescribingSingleEvent.etl", 23, 3, 22000, 12, 0, 8,
		  INT64_C(132949636352722435), "Relogger" },
		{ "tests/data/etl/smallEtlFile.etl", 2, 2, 10586, 4, 0, 4,
		  INT64_C(131159502220379266), "PerfWatsonGCHeapETLSession688" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct etl_header *header;
		struct err err = ERR_INIT;
		struct etl_file *file;
		size_t nr;

		assert_int_equal(etl_file_open(files[i].path, 0, &file, &err), 0);
		header = etl_file_header(file);
		etl_file_extents(file, &nr);
		assert_int_equal(nr, files[i].buffers);
		assert_int_equal(header->build, files[i].build);
		assert_int_equal(header->cpus, files[i].cpus);
		assert_int_equal(header->events_lost, files[i].lost);
		assert_int_equal(header->pointer_size, files[i].pointer);
		assert_string_equal(header->session_name, files[i].session);
		assert_int_equal(header->start_time, files[i].start);
		assert_int_equal(count_events(file), files[i].events);
		assert_string_equal(etl_file_damage(file)->first.buf, "");
		etl_file_free(file);
	}
}

static void etl_file_open__no_file__fails(void **state)
{
	struct err err = ERR_INIT;
	struct etl_file *file;

	(void)state;
	assert_int_equal(etl_file_open("tests/data/etl/none.etl", 0, &file, &err), -1);
	assert_non_null(strstr(err.msg, "none.etl"));
	err_clear(&err);
	assert_int_equal(etl_file_open("tests/data/README.md", 0, &file, &err), -1);
	assert_string_equal(err.msg, "cannot read 'tests/data/README.md': it does not begin with a "
				     "buffer of events");
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_file__header_event),
		cmocka_unit_test(etl_file_ns__by_clock),
		cmocka_unit_test(etl_file_open__no_trace__is_refused),
		cmocka_unit_test(etl_file_extents__order),
		cmocka_unit_test(etl_file__damage__is_graded),
		cmocka_unit_test(etl_file__session_that_never_stopped),
		cmocka_unit_test(etl_file__circular__is_not_cut),
		cmocka_unit_test(etl_file__compressed_buffers),
		cmocka_unit_test(etl_file__compressed_buffer_without_a_size__ends_the_file),
		cmocka_unit_test(etl_file__compressed_and_cut__buffers_are_missing),
		cmocka_unit_test(etl_file_open__buffers_that_decompress_to_very_much__are_refused),
		cmocka_unit_test(etl_file_open__real_files),
		cmocka_unit_test(etl_file_open__no_file__fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
