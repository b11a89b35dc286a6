/*
 * Any bytes as the file, and as what its frame has: an error, or events that are the same after they are written and read
 * again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "replay/kept_events.h"
#include "util/little_endian.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT_VERSION 8
#define AT_HASH    12
#define AT_EVENTS  76

/* All events of a reader, into a new file. False: it is damaged, which is said. */
static bool copy(struct kept_reader *reader, const struct trace_fingerprint *trace,
		 struct strbuf *text)
{
	struct kept_writer *writer = kept_writer_new();
	const struct trace_event *events;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	size_t nr;
	int rc;

	while ((rc = kept_reader_next(reader, &events, &nr, &err)) > 0) {
		for (size_t i = 0; i < nr; i++)
			kept_writer_add(writer, &events[i]);
	}
	if (rc && (err.code != ERR_CORRUPT || !err.msg))
		abort();
	err_clear(&err);
	trace_facts_init(&facts);
	facts.counters = *kept_reader_counters(reader);
	if (!rc && kept_writer_add_text(writer, trace, &facts, text, &err))
		abort();
	trace_facts_release(&facts);
	kept_writer_free(writer);
	return !rc;
}

static void round_trip(const struct strbuf *text, const struct trace_fingerprint *trace)
{
	struct strbuf again = STRBUF_INIT;
	struct kept_reader *reader;
	struct err err = ERR_INIT;

	if (kept_reader_open(text->buf, text->len, trace, &reader, &err) ||
	    !copy(reader, trace, &again) || again.len != text->len ||
	    memcmp(again.buf, text->buf, text->len) != 0)
		abort();
	kept_reader_free(reader);
	strbuf_release(&again);
}

static void read_file(const char *data, size_t size)
{
	struct trace_fingerprint trace = { "" };
	struct strbuf text = STRBUF_INIT;
	struct kept_reader *reader;
	struct err err = ERR_INIT;
	int rc;

	if (size > AT_HASH + sizeof(trace.hash))
		memcpy(trace.hash, data + AT_HASH, sizeof(trace.hash) - 1);
	rc = kept_reader_open(data, size, &trace, &reader, &err);
	if (rc < 0 && (err.code != ERR_CORRUPT || !err.msg))
		abort();
	if (!rc) {
		if (copy(reader, &trace, &text))
			round_trip(&text, &trace);
		kept_reader_free(reader);
	}
	strbuf_release(&text);
	err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char head[AT_EVENTS] = "events\n";
	struct strbuf text = STRBUF_INIT;

	read_file((const char *)data, size);
	/* The checksum of a changed frame is wrong: of these bytes it is right. */
	le_put32(head + AT_VERSION, KEPT_EVENTS_VERSION);
	strbuf_add(&text, (const char *)head, sizeof(head));
	strbuf_grow(&text, ZSTD_compressBound(size));
	strbuf_set_len(&text, text.len + ZSTD_compress(text.buf + text.len,
						       ZSTD_compressBound(size), data, size, 1));
	read_file(text.buf, text.len);
	strbuf_release(&text);
	return 0;
}
