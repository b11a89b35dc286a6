#include "convert/etl_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/etl_events.h"
#include "util/array.h"

/* Where things stand in a file: by the documents, not by the writer. */
static uint64_t get(const struct strbuf *file, size_t at, unsigned bytes)
{
	uint64_t value = 0;

	assert_true(at + bytes <= file->len);
	for (unsigned i = bytes; i--;)
		value = value << 8 | (unsigned char)file->buf[at + i];
	return value;
}

/* A line for each event: "cpu tick kind group/opcode/version size"; the offset of the last one's payload. */
static size_t walk(const struct strbuf *file, struct strbuf *text)
{
	size_t payload = 0;

	for (size_t at = 0; at < file->len; at += get(file, at, 4)) {
		size_t end = at + get(file, at + 0x30, 4);

		for (size_t event = at + 72; event < end;) {
			unsigned kind = (unsigned)get(file, event + 2, 1);
			bool classic = kind == 20;
			size_t size = get(file, classic ? event : event + 4, 2);

			assert_int_equal(get(file, event + 3, 1), 0xc0);
			payload = event + (kind == 2 ? 32 : classic ? 48 : 16);
			strbuf_addf(text, "%u %u %u ", (unsigned)get(file, at + 0x28, 2),
				    (unsigned)get(file, event + (kind == 17 ? 8 : 16), 8), kind);
			if (classic)
				strbuf_addf(text, "%02x/", (unsigned)get(file, event + 24, 1));
			else
				strbuf_addf(text, "%u/", (unsigned)get(file, event + 7, 1));
			strbuf_addf(text, "%u/%u %u\n",
				    (unsigned)get(file, classic ? event + 4 : event + 6, 1),
				    (unsigned)get(file, classic ? event + 6 : event, 1),
				    (unsigned)size);
			event += (size + 7) & ~(size_t)7;
		}
	}
	return payload;
}

static struct etl_writer_options usual(void)
{
	return (struct etl_writer_options){ .buffer_size = 1024,
					    .cpus = 2,
					    .build = 19045,
					    .frequency = 10000000,
					    .first_tick = 1000,
					    .start_time = INT64_C(133000000000000000),
					    .session = "s",
					    .file = "f" };
}

struct made {
	struct strbuf file;
	struct etl_writer *writer;
};

static void begin(struct made *made, const struct etl_writer_options *options)
{
	struct etl_sink sink;

	made->file = (struct strbuf)STRBUF_INIT;
	sink = etl_sink_memory(&made->file);
	made->writer = etl_writer_new(options, &sink);
}

static void end(struct made *made)
{
	etl_writer_finish(made->writer);
	etl_writer_free(made->writer);
}

static void etl_writer__nothing__is_a_header_alone(void **state)
{
	struct etl_writer_options options = usual();
	struct made made;
	struct strbuf text = STRBUF_INIT;
	size_t payload = 72 + 32;

	(void)state;
	options.masks[0] = 3;
	begin(&made, &options);
	etl_writer_lost(made.writer, 7, 2);
	etl_writer_at(made.writer, 10001000, 0);
	end(&made);
	walk(&made.file, &text);
	assert_string_equal(text.buf, "0 1000 2 0/0/2 320\n"
				      "0 1000 2 0/5/2 68\n"
				      "0 10001000 2 0/32/2 68\n");
	assert_int_equal(get(&made.file, 0x36, 2), 4);
	assert_int_equal(get(&made.file, payload, 4), 1024);
	assert_int_equal(get(&made.file, payload + 4, 4), 0x0501000a);
	assert_int_equal(get(&made.file, payload + 8, 4), 19045);
	assert_int_equal(get(&made.file, payload + 12, 4), 2);
	assert_int_equal(get(&made.file, payload + 16, 8), INT64_C(133000000010000000));
	assert_int_equal(get(&made.file, payload + 36, 4), 2);
	assert_int_equal(get(&made.file, payload + 44, 4), 8);
	assert_int_equal(get(&made.file, payload + 48, 4), 7);
	assert_int_equal(get(&made.file, payload + 0x100, 8), 10000000);
	assert_int_equal(get(&made.file, payload + 0x108, 8), INT64_C(133000000000000000));
	assert_int_equal(get(&made.file, payload + 0x110, 4), 1);
	assert_int_equal(get(&made.file, payload + 0x114, 4), 2);
	assert_memory_equal(made.file.buf + payload + 0x118, "s\0\0\0f\0\0", 8);
	strbuf_release(&text);
	strbuf_release(&made.file);
}

static void etl_writer__two_processors__have_buffers_of_their_own(void **state)
{
	struct etl_writer_options options = usual();
	struct made made;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	begin(&made, &options);
	etl_writer_at(made.writer, 1001, 1);
	etl_write_sample(made.writer, 0x1234, 5);
	etl_writer_at(made.writer, 1002, 0);
	etl_write_sample(made.writer, 0x1234, 6);
	etl_writer_flush(made.writer, 0);
	etl_writer_at(made.writer, 1003, 1);
	etl_write_sample(made.writer, 0x1234, 5);
	etl_writer_at(made.writer, 1004, 0);
	etl_write_sample(made.writer, 0x1234, 6);
	end(&made);
	walk(&made.file, &text);
	assert_string_equal(text.buf, "0 1000 2 0/0/2 320\n"
				      "0 1002 17 15/46/2 32\n"
				      "0 1004 17 15/46/2 32\n"
				      "1 1001 17 15/46/2 32\n"
				      "1 1003 17 15/46/2 32\n");
	assert_int_equal(made.file.len, 4 * 1024);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(get(&made.file, i * 1024, 4), 1024);
		assert_int_equal(get(&made.file, i * 1024 + 0x18, 8), i);
		assert_int_equal(get(&made.file, i * 1024 + 0x34, 2), 0x20);
	}
	assert_int_equal(get(&made.file, 3 * 1024 + 0x10, 8), 1003);
	assert_int_equal(get(&made.file, 3 * 1024 + 0x30, 4), 72 + 64);
	assert_int_equal(get(&made.file, 3 * 1024 + 72 + 64, 1), 0xff);
	strbuf_release(&text);
	strbuf_release(&made.file);
}

static void etl_writer__a_full_buffer__begins_another(void **state)
{
	struct etl_writer_options options = usual();
	struct made made;

	(void)state;
	begin(&made, &options);
	for (unsigned i = 0; i < 31; i++) {
		etl_writer_at(made.writer, 1001 + i, 0);
		etl_write_sample(made.writer, 0x1234, 5);
	}
	end(&made);
	/* 29 events of 32 bytes are in 1024 - 72. */
	assert_int_equal(made.file.len, 3 * 1024);
	assert_int_equal(get(&made.file, 1024 + 0x30, 4), 72 + 29 * 32);
	assert_int_equal(get(&made.file, 2048 + 0x30, 4), 72 + 2 * 32);
	strbuf_release(&made.file);
}

static void etl_writer__compressed__says_so(void **state)
{
	static const enum etl_compression compressions[] = { ETL_COMPRESSED_XPRESS,
							     ETL_COMPRESSED_HUFFMAN };

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(compressions); p++) {
		struct etl_writer_options options = usual();
		struct made made;
		size_t size;

		options.compression = compressions[p];
		begin(&made, &options);
		for (unsigned i = 0; i < 29; i++)
			etl_write_sample(made.writer, 0x1234, 5);
		end(&made);
		assert_int_equal(get(&made.file, 0x2c, 2), compressions[p]);
		assert_int_equal(get(&made.file, 72 + 32 + 4, 4), 0x0002000a);
		assert_int_equal(get(&made.file, 72 + 32 + 32, 4), 0x04000000);
		size = get(&made.file, 1024, 4);
		assert_int_equal(made.file.len, 1024 + size);
		assert_true(size < 600);
		assert_int_equal(get(&made.file, 1024 + 0x30, 4), 72 + 29 * 32);
		assert_int_equal(get(&made.file, 1024 + 0x34, 2), 0x60);
		strbuf_release(&made.file);
	}
}

static void etl_write__each_event__stands_as_documented(void **state)
{
	static const uint64_t addresses[] = { 0x1111, 0x2222 };
	static const uint8_t guid[16] = { 1, 2, 3 };
	const struct etl_writer_process process = { 44, 4, 1, 9, "a.exe", "a \xf0\x9f\x98\x80" };
	const struct etl_writer_image image = { 0x10000, 0x2000, 44, 0x77, 0x88, "\\x" };
	struct etl_writer_options options = usual();
	struct strbuf text = STRBUF_INIT;
	struct made made;

	(void)state;
	options.buffer_size = 4096;
	begin(&made, &options);
	etl_write_process(made.writer, ETL_EVENT_START, &process);
	etl_write_process(made.writer, ETL_EVENT_DC_START, &process);
	etl_write_thread(made.writer, ETL_EVENT_START, 44, 48, "t");
	etl_write_thread_name(made.writer, 44, 48, "t");
	etl_write_image(made.writer, ETL_EVENT_LOAD, &image);
	etl_write_image(made.writer, ETL_EVENT_END, &image);
	etl_write_image_id(made.writer, &image, "x");
	etl_write_pdb(made.writer, 0x10000, 44, guid, 3, "x.pdb");
	etl_write_interval(made.writer, ETL_EVENT_INTERVAL_START, 10000, 10000);
	etl_write_stack(made.writer, 1000, 44, 48, addresses, 2);
	etl_write_stack_key(made.writer, ETL_EVENT_USER_KEY, 1000, 44, 48, 0x99);
	etl_write_stack_definition(made.writer, ETL_EVENT_KEY_RUNDOWN, 0x99, addresses, 2);
	etl_write_virtual(made.writer, 0x5000, 0x1000, 44, ETL_CALL_RELEASE);
	etl_write_mark(made.writer, "hi");
	etl_write_volume(made.writer, "\\Device\\D\\", "C:\\");
	etl_write_build(made.writer, "lab", "product");
	etl_write_virtual(made.writer, 0x5000, 0x1000, 44, ETL_CALL_COMMIT);
	end(&made);
	assert_int_equal(get(&made.file, walk(&made.file, &text), 8), 0x5000);
	assert_string_equal(text.buf, "0 1000 2 0/0/2 320\n"
				      "0 1000 2 3/1/4 116\n"
				      "0 1000 17 3/3/4 100\n"
				      "0 1000 2 5/1/3 108\n"
				      "0 1000 17 5/72/2 28\n"
				      "0 1000 2 3/10/3 94\n"
				      "0 1000 2 20/2/3 94\n"
				      "0 1000 20 d7/0/2 76\n"
				      "0 1000 20 d7/36/2 86\n"
				      "0 1000 17 15/73/3 40\n"
				      "0 1000 17 24/32/2 48\n"
				      "0 1000 17 24/38/2 40\n"
				      "0 1000 17 24/36/2 40\n"
				      "0 1000 17 2/99/2 40\n"
				      "0 1000 20 b4/34/0 51\n"
				      "0 1000 20 91/35/0 78\n"
				      "0 1000 20 91/32/0 80\n"
				      "0 1000 17 2/98/2 40\n");
	strbuf_release(&text);
	strbuf_release(&made.file);
}

static void etl_write_process__a_long_command_line__is_cut(void **state)
{
	struct etl_writer_options options = usual();
	struct etl_writer_process process = { .pid = 44, .image = "a.exe" };
	struct strbuf line = STRBUF_INIT;
	struct made made;

	(void)state;
	begin(&made, &options);
	strbuf_pad(&line, 'x', 423);
	process.command_line = line.buf;
	assert_true(etl_write_process(made.writer, ETL_EVENT_START, &process));
	strbuf_set_len(&line, 422);
	assert_false(etl_write_process(made.writer, ETL_EVENT_START, &process));
	end(&made);
	assert_int_equal(made.file.len, 3 * 1024);
	assert_in_range(get(&made.file, 1024 + 0x30, 4), 1016, 1024);
	assert_in_range(get(&made.file, 2048 + 0x30, 4), 1016, 1024);
	strbuf_release(&line);
	strbuf_release(&made.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_writer__nothing__is_a_header_alone),
		cmocka_unit_test(etl_writer__two_processors__have_buffers_of_their_own),
		cmocka_unit_test(etl_writer__a_full_buffer__begins_another),
		cmocka_unit_test(etl_writer__compressed__says_so),
		cmocka_unit_test(etl_write__each_event__stands_as_documented),
		cmocka_unit_test(etl_write_process__a_long_command_line__is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
