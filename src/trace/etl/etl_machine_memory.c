#include "trace/etl/etl_machine_memory.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/compare.h"

/* Event of the manifest. */
#define EVENT         1
#define EVENT_VERSION 1

/* Lists of pages that may be taken, by priority. */
#define PRIORITIES 8

/* Six days; a damaged file may have any number. */
#define MEASUREMENTS_MAX ((size_t)1 << 20)

/* 256 TB. */
#define PAGES_MAX (UINT64_C(1) << 36)

#define PAGE_SIZE_USUAL 4096u
#define PAGE_SIZE_MAX   65536u

struct measurement {
	uint64_t time;
	uint64_t available, commit; /* pages */
	bool has_commit;
};

struct etl_machine_memory {
	struct measurement *v;
	size_t nr, alloc;
};

struct etl_machine_memory *etl_machine_memory_new(void)
{
	return xcalloc(1, sizeof(struct etl_machine_memory));
}

void etl_machine_memory_free(struct etl_machine_memory *memory)
{
	if (!memory)
		return;
	free(memory->v);
	free(memory);
}

/* A number of pages; more than there can be are damage too. */
static uint64_t take_pages(struct etl_payload *payload)
{
	uint64_t pages = etl_take_pointer(payload);

	payload->truncated |= pages > PAGES_MAX;
	return pages;
}

/*
 * Zeroed, free, modified, modified and not to be written, bad; standby of each priority; repurposed of each priority;
 * modified of page files. Then, if they are there: paged pool, nonpaged pool, locked for I/O, commit charge.
 */
static bool decode(const struct etl_record *record, struct measurement *measured)
{
	struct etl_payload payload = etl_payload_of(record);
	unsigned priorities = record->kind == ETL_EVENT ? etl_take8(&payload) : PRIORITIES;

	if (priorities > PRIORITIES)
		return false;
	measured->time = record->time;
	measured->available = take_pages(&payload);
	measured->available += take_pages(&payload);
	etl_take(&payload, (size_t)3 * payload.pointer);
	for (unsigned i = 0; i < priorities; i++)
		measured->available += take_pages(&payload);
	etl_take(&payload, (size_t)(priorities + 1) * payload.pointer);
	measured->has_commit = payload.nr >= (size_t)4 * payload.pointer;
	if (measured->has_commit) {
		etl_take(&payload, (size_t)3 * payload.pointer);
		measured->commit = take_pages(&payload);
	}
	return !payload.truncated;
}

static bool is_measurement(const struct etl_record *record)
{
	if (record->provider == ETL_PAGE_FAULT)
		return record->kind != ETL_EVENT && record->opcode == ETL_MEMORY_INFO;
	return record->kind == ETL_EVENT && record->id == EVENT && record->version == EVENT_VERSION;
}

bool etl_machine_memory_add(struct etl_machine_memory *memory, const struct etl_record *record)
{
	struct measurement measured = { 0 };

	if (!is_measurement(record))
		return true;
	if (!decode(record, &measured))
		return false;
	if (memory->nr < MEASUREMENTS_MAX)
		ARRAY_ADD(memory->v, memory->nr, memory->alloc, measured);
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct measurement *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	return order ? order : compare_u64(x->commit, y->commit);
}

void etl_machine_memory_make(struct etl_machine_memory *memory)
{
	if (memory->nr)
		qsort(memory->v, memory->nr, sizeof(*memory->v), by_time);
}

void etl_machine_memory_report(const struct etl_machine_memory *memory, uint32_t page_size,
			       struct trace_facts *facts)
{
	if (!page_size || page_size > PAGE_SIZE_MAX)
		page_size = PAGE_SIZE_USUAL;
	if (!memory->nr)
		return;
	facts->machine_memory = xcalloc(memory->nr, sizeof(*facts->machine_memory));
	facts->machine_memory_nr = memory->nr;
	for (size_t i = 0; i < memory->nr; i++) {
		const struct measurement *from = &memory->v[i];

		facts->machine_memory[i] = (struct trace_machine_memory){
			.available_bytes = (int64_t)(from->available * page_size),
			.commit_bytes = from->has_commit ? (int64_t)(from->commit * page_size) : -1,
		};
	}
}

void etl_machine_memory_set_times(const struct etl_machine_memory *memory,
				  const struct etl_clock_base *base, struct trace_facts *facts)
{
	for (size_t i = 0; i < facts->machine_memory_nr; i++)
		facts->machine_memory[i].time_ns = etl_clock_time(base, memory->v[i].time);
}
