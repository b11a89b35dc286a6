#include "trace/perf/perf_tracing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"

#define FORMATS_MAX 65536 /* more tracepoints than any kernel has */

void perf_tracing_init(struct perf_tracing *tracing)
{
	*tracing = (struct perf_tracing){ .by_id = INTMAP_INIT };
}

void perf_tracing_release(struct perf_tracing *tracing)
{
	for (size_t i = 0; i < tracing->nr; i++) {
		free(tracing->v[i].system);
		tracepoint_format_release(&tracing->v[i].format);
	}
	free(tracing->v);
	intmap_release(&tracing->by_id);
	perf_tracing_init(tracing);
}

static const char *take_text(struct byte_cursor *cursor)
{
	const unsigned char *end = cursor->left ? memchr(cursor->at, 0, cursor->left) : NULL;

	return end ? (const char *)byte_cursor_take(cursor, (uint64_t)(end - cursor->at) + 1)
		   : NULL;
}

/* Read a u64 size and as many bytes. */
static const char *take_sized(struct byte_cursor *cursor, size_t *nr)
{
	const unsigned char *at;
	uint64_t size;

	if (!byte_cursor_take64(cursor, &size))
		return NULL;
	at = byte_cursor_take(cursor, size);
	*nr = at ? (size_t)size : 0;
	return (const char *)at;
}

static bool skip_head(struct byte_cursor *cursor)
{
	static const unsigned char magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const unsigned char *at = byte_cursor_take(cursor, sizeof(magic));
	size_t nr;

	if (!at || memcmp(at, magic, sizeof(magic)) != 0 || !take_text(cursor))
		return false;
	at = byte_cursor_take(cursor, 1 + 1 + 4);
	if (!at || at[0])
		return false;
	for (int i = 0; i < 2; i++) {
		const char *name = take_text(cursor);

		if (!name || strcmp(name, i ? "header_event" : "header_page") != 0 ||
		    !take_sized(cursor, &nr))
			return false;
	}
	return true;
}

static void add_format(struct perf_tracing *tracing, const char *system, const char *text,
		       size_t nr, struct err *bad)
{
	struct tracepoint_format format;

	if (tracepoint_format_parse(text, nr, &format, bad)) {
		tracepoint_format_release(&format);
		return;
	}
	ARRAY_GROW(tracing->v, tracing->nr + 1, tracing->alloc);
	tracing->v[tracing->nr++] = (struct perf_tracepoint){ xstrdup(system), format };
	if (!intmap_get(&tracing->by_id, format.id))
		intmap_put(&tracing->by_id, format.id, (void *)(uintptr_t)tracing->nr);
}

static bool take_formats(struct perf_tracing *tracing, const char *system,
			 struct byte_cursor *cursor, struct err *bad)
{
	uint32_t count;

	if (!byte_cursor_take32(cursor, &count))
		return false;
	while (count--) {
		size_t nr;
		const char *text = take_sized(cursor, &nr);

		if (!text || tracing->nr >= FORMATS_MAX)
			return false;
		add_format(tracing, system, text, nr, bad);
	}
	return true;
}

int perf_tracing_parse(struct perf_tracing *tracing, const unsigned char *data, size_t nr,
		       struct err *err)
{
	struct byte_cursor cursor = { data, nr };
	struct err bad = ERR_INIT;
	uint32_t systems = 0;
	bool whole = skip_head(&cursor) && take_formats(tracing, "ftrace", &cursor, &bad) &&
		     byte_cursor_take32(&cursor, &systems);

	while (whole && systems--) {
		const char *system = take_text(&cursor);

		whole = system && take_formats(tracing, system, &cursor, &bad);
	}
	if (whole && bad.code == ERR_NONE)
		return 0;
	err_set(err, ERR_CORRUPT, "the formats of tracepoints: %s", bad.msg ? bad.msg : "damaged");
	err_clear(&bad);
	return -1;
}

const struct perf_tracepoint *perf_tracing_find(const struct perf_tracing *tracing, uint64_t id)
{
	uintptr_t found = (uintptr_t)intmap_get(&tracing->by_id, (int64_t)id);

	return found ? &tracing->v[found - 1] : NULL;
}
