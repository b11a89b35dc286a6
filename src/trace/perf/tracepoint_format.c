#include "trace/perf/tracepoint_format.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
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

/* Parse the line after "field:". Kernels before 2.6.33 do not give the sign. */
static bool parse_field(struct span line, struct tracepoint_field *field)
{
	struct span name = field_name(take_until(&line, ';'));
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
