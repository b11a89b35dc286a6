/*
 * Any bytes as an ETL file: walked buffer by buffer, and merged, with one thread and with two, to the same events and the
 * same damage. All data that events point to is accessed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/helper.h"
#include "trace/etl/etl_merge.h"
#include "util/fnv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DECOMPRESSED_MAX (UINT64_C(32) << 20) /* more takes too long */

struct outcome {
	uint64_t hash, events, unordered, buffers, spoiled, unknown;
};

static uint64_t hash_record(uint64_t hash, const struct etl_record *record)
{
	const uint64_t numbers[] = { record->time,     record->buffer_offset, record->offset,
				     record->cpu,      record->pid,           record->tid,
				     record->provider, record->kind,          record->opcode,
				     record->id,       record->stack_match };

	if (record->pointer != 4 && record->pointer != 8)
		abort();
	hash = fnv_add(hash, numbers, sizeof(numbers));
	hash = fnv_add(hash, record->payload, record->payload_nr);
	if (record->guid)
		hash = fnv_add(hash, record->guid, 16);
	if (record->stack)
		hash = fnv_add(hash, record->stack,
			       (size_t)record->stack_nr * record->stack_pointer);
	return hash;
}

/* Order within its processor, or within all: that is the same, as a late event is delivered immediately. */
static void note_order(struct outcome *outcome, const struct etl_record *record, uint64_t *latest)
{
	if (record->time >= *latest)
		*latest = record->time;
	else if (record->time || record->kind != ETL_MESSAGE)
		outcome->unordered++;
}

static struct etl_file *open_bytes(const uint8_t *data, size_t size)
{
	struct etl_file *file = NULL;
	struct err err = ERR_INIT;

	if ((etl_file_open_memory(data, size, &file, &err) < 0) != (err.code != ERR_NONE))
		abort();
	err_clear(&err);
	return file;
}

static void take_damage(struct outcome *outcome, const struct etl_file *file)
{
	const struct etl_damage *damage = etl_file_damage(file);

	if ((damage->buffers || damage->events) != (damage->first.len > 0))
		abort();
	outcome->buffers = damage->buffers;
	outcome->spoiled = damage->events;
	outcome->unknown = damage->unknown;
}

/* The sum of the events' hashes: the order makes no difference. */
static struct outcome walk(struct etl_file *file)
{
	const struct etl_extent *extents;
	struct outcome outcome = { 0 };
	struct etl_buffer buffer;
	struct etl_record record;
	struct err err = ERR_INIT;
	uint64_t latest = 0;
	size_t nr;

	extents = etl_file_extents(file, &nr);
	etl_buffer_init(&buffer, 0);
	for (size_t i = 0; i < nr; i++) {
		if (i && extents[i].cpu != extents[i - 1].cpu)
			latest = 0;
		if (etl_buffer_load(&buffer, file, &extents[i], &err))
			abort();
		while (etl_buffer_next(&buffer, file, &record)) {
			outcome.hash += hash_record(FNV_FIRST, &record);
			outcome.events++;
			note_order(&outcome, &record, &latest);
			etl_file_ns(file, record.time);
		}
	}
	etl_buffer_release(&buffer);
	take_damage(&outcome, file);
	return outcome;
}

static struct outcome merge(struct etl_file *file, struct helper *helper)
{
	const struct etl_record *records;
	struct outcome outcome = { 0 };
	struct etl_merge *merged;
	struct err err = ERR_INIT;
	uint64_t latest = 0;
	size_t nr;
	int rc;

	if (etl_merge_new(&file, 1, helper, &merged, &err))
		abort();
	while ((rc = etl_merge_next(merged, &records, &nr, &err)) > 0) {
		for (size_t i = 0; i < nr; i++) {
			outcome.hash += hash_record(FNV_FIRST, &records[i]);
			note_order(&outcome, &records[i], &latest);
		}
		outcome.events += nr;
	}
	if (rc < 0)
		abort();
	etl_merge_free(merged);
	take_damage(&outcome, file);
	return outcome;
}

static uint64_t decompressed(const struct etl_file *file)
{
	const struct etl_extent *extents;
	uint64_t bytes = 0;
	size_t nr;

	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr; i++)
		bytes += extents[i].filled;
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct helper *helper; /* of all inputs */
	struct outcome outcomes[3] = { { 0 } };

	if (!helper)
		helper = helper_new(2);
	for (int i = 0; i < 3; i++) {
		struct etl_file *file = open_bytes(data, size);

		if (!file)
			return 0;
		if (decompressed(file) <= DECOMPRESSED_MAX)
			outcomes[i] = i ? merge(file, i == 2 ? helper : NULL) : walk(file);
		etl_file_free(file);
	}
	if (memcmp(&outcomes[0], &outcomes[1], sizeof(outcomes[0])) != 0 ||
	    memcmp(&outcomes[0], &outcomes[2], sizeof(outcomes[0])) != 0)
		abort();
	return 0;
}
