#include "trace/perf/perf_tracing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"
#include "util/little_endian.h"

/* A piece of the text. */
struct span {
	const char *at;
	size_t nr;
};

static bool take_prefix(struct span *span, const char *prefix)
{
	size_t nr = strlen(prefix);

	if (span->nr < nr || memcmp(span->at, prefix, nr) != 0)
		return false;
	span->at += nr;
	span->nr -= nr;
	return true;
}

static void skip_blanks(struct span *span)
{
	while (span->nr && (*span->at == ' ' || *span->at == '\t')) {
		span->at++;
		span->nr--;
	}
}

static void cut_blanks(struct span *span)
{
	while (span->nr && strchr(" \t\r", span->at[span->nr - 1]))
		span->nr--;
}

/* Remove and return the text before `separator`, and remove the separator; without one, all of the text. */
static struct span take_until(struct span *span, char separator)
{
	const char *end = memchr(span->at, separator, span->nr);
	struct span taken = { span->at, end ? (size_t)(end - span->at) : span->nr };
	size_t gone = taken.nr + (end != NULL);

	span->at += gone;
	span->nr -= gone;
	return taken;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool parse_number(struct span span, int64_t max, int64_t *value)
{
	cut_blanks(&span);
	if (!span.nr)
		return false;
	for (*value = 0; span.nr; span.at++, span.nr--) {
		if (*span.at < '0' || *span.at > '9')
			return false;
		*value = *value * 10 + (*span.at - '0');
		if (*value > max)
			return false;
	}
	return true;
}

/* "len" of "unsigned long len", "comm" of "char comm[16]". */
static struct span field_name(struct span declaration)
{
	size_t start, end;

	cut_blanks(&declaration);
	if (declaration.nr && declaration.at[declaration.nr - 1] == ']') {
		declaration = take_until(&declaration, '[');
		cut_blanks(&declaration);
	}
	start = end = declaration.nr;
	while (start && is_word(declaration.at[start - 1]))
		start--;
	return (struct span){ declaration.at + start, end - start };
}

static enum tracepoint_field_kind field_kind(struct span declaration, int64_t size)
{
	bool array;

	cut_blanks(&declaration);
	array = declaration.nr && declaration.at[declaration.nr - 1] == ']';
	if (take_prefix(&declaration, "__data_loc char[]"))
		return size == 4 ? TRACEPOINT_LOCATION : TRACEPOINT_OTHER;
	if (take_prefix(&declaration, "__rel_loc char[]"))
		return size == 4 ? TRACEPOINT_RELATIVE : TRACEPOINT_OTHER;
	if (take_prefix(&declaration, "__data_loc") || take_prefix(&declaration, "__rel_loc"))
		return TRACEPOINT_OTHER;
	if (array && take_prefix(&declaration, "char "))
		return TRACEPOINT_TEXT;
	if (array)
		return take_prefix(&declaration, "unsigned long ") ||
				       take_prefix(&declaration, "long ")
			       ? TRACEPOINT_NUMBERS
			       : TRACEPOINT_OTHER;
	return size == 1 || size == 2 || size == 4 || size == 8 ? TRACEPOINT_NUMBERS
								: TRACEPOINT_OTHER;
}

/* Parse the line after "field:". Kernels before 2.6.33 do not give the sign. */
static bool parse_field(struct span line, struct tracepoint_field *field)
{
	struct span declaration = take_until(&line, ';'), name = field_name(declaration);
	int64_t offset = -1, size = -1, is_signed = 0;

	while (line.nr) {
		struct span part;

		skip_blanks(&line);
		part = take_until(&line, ';');
		if (take_prefix(&part, "offset:") && !parse_number(part, UINT32_MAX, &offset))
			return false;
		if (take_prefix(&part, "size:") && !parse_number(part, UINT32_MAX, &size))
			return false;
		if (take_prefix(&part, "signed:") && !parse_number(part, 1, &is_signed))
			return false;
	}
	if (!name.nr || offset < 0 || size < 0)
		return false;
	*field = (struct tracepoint_field){
		.name = xstrndup(name.at, name.nr),
		.kind = field_kind(declaration, size),
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.is_signed = is_signed,
	};
	return true;
}

static bool parse_line(struct span line, struct tracepoint_format *format)
{
	struct tracepoint_field field;

	skip_blanks(&line);
	if (take_prefix(&line, "name:")) {
		skip_blanks(&line);
		cut_blanks(&line);
		if (format->name || !line.nr)
			return false;
		format->name = xstrndup(line.at, line.nr);
	} else if (take_prefix(&line, "ID:")) {
		skip_blanks(&line);
		return format->id < 0 && parse_number(line, INT32_MAX, &format->id);
	} else if (take_prefix(&line, "field:")) {
		if (!parse_field(line, &field))
			return false;
		ARRAY_ADD(format->fields, format->nr, format->alloc, field);
	}
	return true;
}

int tracepoint_format_parse(const char *text, size_t nr, struct tracepoint_format *format,
			    struct err *err)
{
	const char *end = nr ? memchr(text, '\0', nr) : NULL;
	struct span rest = { text, end ? (size_t)(end - text) : nr };
	const char *missing = NULL;
	size_t number = 0;
	bool sound = true;

	*format = (struct tracepoint_format){ .id = -1 };
	while (rest.nr && sound) {
		struct span line = take_until(&rest, '\n');

		/* The rest is code for printing, in any form. */
		if (take_prefix(&line, "print fmt:"))
			break;
		sound = parse_line(line, format);
		number++;
	}
	if (!format->name)
		missing = "name";
	else if (format->id < 0)
		missing = "ID";
	else if (!format->nr)
		missing = "field";
	if (sound && !missing)
		return 0;
	tracepoint_format_release(format);
	if (!sound)
		return err_set(err, ERR_CORRUPT, "line %zu of the format is damaged", number);
	return err_set(err, ERR_CORRUPT, "the format has no '%s:'", missing);
}

void tracepoint_format_release(struct tracepoint_format *format)
{
	for (size_t i = 0; i < format->nr; i++)
		free(format->fields[i].name);
	free(format->fields);
	free(format->name);
	*format = (struct tracepoint_format){ .id = -1 };
}

const struct tracepoint_field *tracepoint_format_field(const struct tracepoint_format *format,
						       const char *name)
{
	for (size_t i = 0; i < format->nr; i++) {
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	}
	return NULL;
}

static uint64_t load(const unsigned char *at, uint32_t size)
{
	switch (size) {
	case 1:
		return *at;
	case 2:
		return le_get16(at);
	case 4:
		return le_get32(at);
	default:
		return le_get64(at);
	}
}

bool tracepoint_is_named(const char *event, const char *name)
{
	size_t nr = strlen(name);

	return !strncmp(event, name, nr) && strchr("/:", event[nr]);
}

bool tracepoint_field_get(const struct tracepoint_field *field, const unsigned char *raw,
			  size_t raw_nr, uint64_t *value)
{
	uint32_t size = field->size;

	if (size != 8 && size != 4 && size != 2 && size != 1)
		return false;
	if (field->offset > raw_nr || size > raw_nr - field->offset)
		return false;
	*value = load(raw + field->offset, size);
	if (field->is_signed && size < 8 && *value >> (size * 8 - 1))
		*value |= UINT64_MAX << (size * 8);
	return true;
}

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

bool perf_tracing_is_common(const char *system, size_t nr)
{
	static const char *const systems[] = { "ftrace",     "syscalls", "raw_syscalls", "sched",
					       "exceptions", "kmem",     "signal",       "task",
					       "irq",        "timer",    "block",        "vmscan" };

	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		if (strlen(systems[i]) == nr && !memcmp(systems[i], system, nr))
			return true;
	}
	return false;
}

/* Pass the formats of a system. */
static bool skip_formats(struct byte_cursor *cursor, uint32_t *count)
{
	size_t nr;

	if (!byte_cursor_take32(cursor, count))
		return false;
	for (uint32_t i = 0; i < *count; i++) {
		if (!take_sized(cursor, &nr))
			return false;
	}
	return true;
}

bool perf_tracing_add_common(const unsigned char *data, size_t nr, struct strbuf *to,
			     uint64_t *left_out)
{
	struct byte_cursor cursor = { data, nr };
	uint32_t systems, kept = 0, count;
	size_t at;

	*left_out = 0;
	if (!skip_head(&cursor) || !skip_formats(&cursor, &count))
		return false;
	strbuf_add(to, data, nr - cursor.left);
	at = to->len;
	strbuf_pad(to, 0, at + 4);
	if (!byte_cursor_take32(&cursor, &systems))
		return false;
	for (uint32_t i = 0; i < systems; i++) {
		const unsigned char *start = cursor.at;
		const char *system = take_text(&cursor);

		if (!system || !skip_formats(&cursor, &count))
			return false;
		if (perf_tracing_is_common(system, strlen(system))) {
			strbuf_add(to, start, (size_t)(cursor.at - start));
			kept++;
		} else {
			*left_out += count;
		}
	}
	le_put32((unsigned char *)to->buf + at, kept);
	/* No kallsyms, no formats of printk, no names of processes. */
	strbuf_pad(to, 0, to->len + 4 + 4 + 8);
	return true;
}

const struct perf_tracepoint *perf_tracing_find(const struct perf_tracing *tracing, uint64_t id)
{
	uintptr_t found = (uintptr_t)intmap_get(&tracing->by_id, (int64_t)id);

	return found ? &tracing->v[found - 1] : NULL;
}
