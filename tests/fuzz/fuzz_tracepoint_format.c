/*
 * Any bytes as a format text: parsed or refused. Each field is then looked up by name, and read from the same bytes as
 * raw data.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_tracing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct tracepoint_format *format, const struct tracepoint_field *field,
		    const uint8_t *data, size_t size)
{
	const struct tracepoint_field *found = tracepoint_format_field(format, field->name);
	uint64_t value;
	bool whole;

	if (!found || strcmp(found->name, field->name) != 0 || !*field->name)
		abort();
	whole = tracepoint_field_get(field, data, size, &value);
	if (whole && ((uint64_t)field->offset + field->size > size || field->size > 8))
		abort();
	if (whole && field->size && (uint8_t)value != data[field->offset])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracepoint_format format;
	struct err err = ERR_INIT;

	if (tracepoint_format_parse((const char *)data, size, &format, &err)) {
		if (err.code != ERR_CORRUPT || format.nr || format.name)
			abort();
		err_clear(&err);
		return 0;
	}
	if (!format.name || !format.nr || format.id < 0)
		abort();
	for (size_t i = 0; i < format.nr; i++)
		look_at(&format, &format.fields[i], data, size);
	tracepoint_format_release(&format);
	return 0;
}
