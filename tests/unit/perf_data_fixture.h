/*
 * Makes small perf.data files, field by field.
 */
#ifndef TESTS_UNIT_PERF_DATA_FIXTURE_H
#define TESTS_UNIT_PERF_DATA_FIXTURE_H

#include <stdint.h>
#include <string.h>

#include "util/strbuf.h"

#define PERF_HEADER_SIZE 104
#define PERF_OFFSET_AT   40 /* of the data section, in the file header */
#define PERF_SIZE_AT     48 /* of the data section's size */

static inline void perf_add(struct strbuf *sb, const void *value, size_t size)
{
	strbuf_add(sb, value, size);
}

/* A file header; the records begin at `offset` and have `size` bytes, 0 while perf still writes. */
static inline void perf_add_header(struct strbuf *sb, uint64_t offset, uint64_t size)
{
	uint64_t words[PERF_HEADER_SIZE / 8] = { 0 };

	memcpy(words, "PERFILE2", 8);
	words[1] = PERF_HEADER_SIZE;
	words[2] = 136; /* of an attribute */
	words[3] = PERF_HEADER_SIZE;
	words[5] = offset;
	words[6] = size;
	perf_add(sb, words, sizeof(words));
	while (sb->len < offset)
		strbuf_addc(sb, '\0');
}

/* A record of `size` bytes: its header, `words`, then zeros. */
static inline void perf_add_record(struct strbuf *sb, uint32_t type, uint16_t size,
				   const uint64_t *words, size_t count)
{
	uint16_t misc = 0;
	size_t end = sb->len + size;

	perf_add(sb, &type, sizeof(type));
	perf_add(sb, &misc, sizeof(misc));
	perf_add(sb, &size, sizeof(size));
	for (size_t i = 0; i < count; i++)
		perf_add(sb, &words[i], sizeof(words[i]));
	while (sb->len < end)
		strbuf_addc(sb, '\0');
}

#define PERF_SAMPLE       9
#define PERF_LOST         2
#define PERF_LOST_SAMPLES 13

/* PERF_RECORD_LOST: id, lost. */
static inline void perf_add_lost(struct strbuf *sb, uint64_t lost)
{
	const uint64_t words[] = { 17, lost };

	perf_add_record(sb, PERF_LOST, 24, words, 2);
}

static inline void perf_add_lost_samples(struct strbuf *sb, uint64_t lost)
{
	perf_add_record(sb, PERF_LOST_SAMPLES, 16, &lost, 1);
}

#endif
