/*
 * Makes whole ETL traces in memory, and reads them.
 */
#ifndef TESTS_UNIT_ETL_TRACE_FIXTURE_H
#define TESTS_UNIT_ETL_TRACE_FIXTURE_H

#include "etl_fixture.h"
#include "etl_kernel_fixture.h"
#include "support/trace_text.h"
#include "trace/etl/etl_reader.h"

/* Group numbers of kernel events. */
enum {
	GROUP_HEADER = 0,
	GROUP_PAGE_FAULT = 2,
	GROUP_PROCESS = 3,
	GROUP_THREAD = 5,
	GROUP_CONFIG = 11,
	GROUP_PERF = 15,
	GROUP_HEAP = 16,
	GROUP_IMAGE = 20,
	GROUP_STACK = 24,
};

static const unsigned char guid_image_id[] = { 0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f,
					       0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde };
static const unsigned char guid_config_ex[] = { 0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41,
						0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 };
static const unsigned char guid_perf[] = { 0xb4, 0xbf, 0x1d, 0xce, 0x7e, 0x13, 0xa6, 0x4d,
					   0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc };

/* End an event: append the payload, which is then empty. */
static inline void end_event(struct making *making, size_t begin, size_t size_at,
			     struct strbuf *payload)
{
	strbuf_add(&making->bytes, payload->buf, payload->len);
	put(making, begin + size_at, making->bytes.len - begin, 2);
	strbuf_pad(&making->bytes, 0, (making->bytes.len + 7) / 8 * 8);
	strbuf_clear(payload);
}

/* Add an event with a PERFINFO header, which has no pid and tid. */
static inline void add_kernel(struct making *making, uint64_t time, unsigned group, unsigned opcode,
			      unsigned version, struct strbuf *payload)
{
	size_t begin = making->bytes.len;

	add_number(making, 0xc0110000 | version, 4);
	add_number(making, 0, 2);
	add_number(making, opcode, 1);
	add_number(making, group, 1);
	add_number(making, time, 8);
	end_event(making, begin, 4, payload);
}

/* Add an event with an EVENT_TRACE_HEADER. */
static inline void add_full(struct making *making, uint64_t time, const unsigned char guid[16],
			    unsigned opcode, unsigned version, struct strbuf *payload)
{
	size_t begin = making->bytes.len;

	add_number(making, 0xc0140000, 4);
	add_number(making, opcode | version << 16, 4);
	add_number(making, 0, 8);
	add_number(making, time, 8);
	strbuf_add(&making->bytes, guid, 16);
	add_number(making, 0, 8);
	end_event(making, begin, 0, payload);
}

/* It becomes as large as it is filled. */
static inline void begin_cpu(struct making *making, unsigned cpu, uint64_t sequence)
{
	begin_buffer(making, cpu, sequence, 0x20);
}

static inline void add_process(struct making *making, struct strbuf *p, uint64_t time,
			       uint8_t opcode, uint32_t pid, uint32_t status)
{
	put_process(p, pid, 4, status, "a.exe", "a --b");
	add_kernel(making, time, GROUP_PROCESS, opcode, ETL_PROCESS_VERSION, p);
}

/* Of thread 12. */
static inline void add_sample(struct making *making, struct strbuf *p, uint64_t time,
			      uint64_t address)
{
	put_sample(p, address, 12, 0);
	add_kernel(making, time, GROUP_PERF, ETL_PERF_SAMPLE, 2, p);
}

struct reading {
	struct strbuf text;
	struct trace_facts facts;
	int rc;
	struct err err;
};

static inline void read_events(struct reading *reading, struct etl_reader *reader)
{
	const struct trace_event *events;
	size_t nr;

	strbuf_clear(&reading->text);
	while ((reading->rc = etl_reader_next(reader, &events, &nr, &reading->err)) > 0) {
		for (size_t i = 0; i < nr; i++)
			trace_text_add(&reading->text, &events[i]);
	}
}

static inline void read_files(struct reading *reading, struct etl_file *const *files, size_t nr,
			      const struct trace_options *options)
{
	struct etl_reader *reader;

	*reading = (struct reading){ .text = STRBUF_INIT, .err = ERR_INIT };
	trace_facts_init(&reading->facts);
	reading->rc = etl_reader_open(files, nr, options, &reading->facts, &reader, &reading->err);
	if (reading->rc)
		return;
	read_events(reading, reader);
	etl_reader_free(reader);
}

static inline void reading_release(struct reading *reading)
{
	strbuf_release(&reading->text);
	trace_facts_release(&reading->facts);
	err_clear(&reading->err);
}

#endif
