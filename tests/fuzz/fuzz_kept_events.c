/* Any bytes as the events of a trace: an error, or events that are the same after they are written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/kept_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT_HASH 12

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_fingerprint trace = { "" };
	struct strbuf text = STRBUF_INIT;
	struct kept_reader *reader;
	struct err err = ERR_INIT;
	int rc;

	if (size > AT_HASH + sizeof(trace.hash))
		memcpy(trace.hash, data + AT_HASH, sizeof(trace.hash) - 1);
	rc = kept_reader_open((const char *)data, size, &trace, &reader, &err);
	if (rc < 0 && (err.code != ERR_CORRUPT || !err.msg))
		abort();
	if (!rc) {
		if (copy(reader, &trace, &text))
			round_trip(&text, &trace);
		kept_reader_free(reader);
	}
	strbuf_release(&text);
	err_clear(&err);
	return 0;
}
