#include "trace/etl/etl_snapshots.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/compare.h"
#include "util/hash_index.h"

#define PART    100
#define END     200
#define VERSION 1

/* A run has at most 2000; a damaged file may have any number. */
#define SNAPSHOTS_MAX ((size_t)1 << 16)

struct snapshot {
	uint64_t time; /* of its first event */
	uint32_t pid, instance;
	uint64_t parts, bytes;
	uint32_t total;
	bool ended;
};

struct etl_snapshots {
	struct snapshot *v;
	size_t nr, alloc;
	struct hash_index index; /* by pid and instance */
};

struct etl_snapshots *etl_snapshots_new(void)
{
	return xcalloc(1, sizeof(struct etl_snapshots));
}

void etl_snapshots_free(struct etl_snapshots *snapshots)
{
	if (!snapshots)
		return;
	free(snapshots->v);
	hash_index_release(&snapshots->index);
	free(snapshots);
}

/* NULL: there are too many. */
static struct snapshot *find(struct etl_snapshots *snapshots, uint32_t pid, uint32_t instance)
{
	uint64_t key = (uint64_t)pid << 32 | instance;
	uint32_t at;

	HASH_INDEX_FIND(at, &snapshots->index, key, i,
			snapshots->v[i].pid == pid && snapshots->v[i].instance == instance);
	if (at != HASH_INDEX_NONE)
		return &snapshots->v[at];
	if (snapshots->nr == SNAPSHOTS_MAX)
		return NULL;
	hash_index_add(&snapshots->index, key, (uint32_t)snapshots->nr);
	ARRAY_ADD(snapshots->v, snapshots->nr, snapshots->alloc,
		  (struct snapshot){ .time = UINT64_MAX, .pid = pid, .instance = instance });
	return &snapshots->v[snapshots->nr - 1];
}

static void add_part(struct snapshot *snapshot, uint64_t time, uint32_t length)
{
	if (time < snapshot->time)
		snapshot->time = time;
	snapshot->parts++;
	snapshot->bytes += length;
}

static void end(struct snapshot *snapshot, uint64_t time, uint32_t total)
{
	if (time < snapshot->time)
		snapshot->time = time;
	snapshot->ended = true;
	snapshot->total = total;
}

bool etl_snapshots_add(struct etl_snapshots *snapshots, const struct etl_record *record)
{
	struct etl_payload payload = etl_payload_of(record);
	uint32_t instance, second, length = 0;
	struct snapshot *snapshot;

	if (record->kind != ETL_EVENT || (record->id != PART && record->id != END) ||
	    record->version != VERSION)
		return true;
	instance = etl_take32(&payload);
	second = etl_take32(&payload); /* sequence, or the total */
	if (record->id == PART) {
		length = etl_take32(&payload);
		etl_take(&payload, length);
	}
	if (payload.truncated)
		return false;
	snapshot = find(snapshots, record->pid, instance);
	if (snapshot && record->id == PART)
		add_part(snapshot, record->time, length);
	else if (snapshot)
		end(snapshot, record->time, second);
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct snapshot *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	if (!order)
		order = compare_u64(x->pid, y->pid);
	return order ? order : compare_u64(x->instance, y->instance);
}

void etl_snapshots_make(struct etl_snapshots *snapshots)
{
	if (snapshots->nr)
		qsort(snapshots->v, snapshots->nr, sizeof(*snapshots->v), by_time);
	hash_index_release(&snapshots->index);
}

void etl_snapshots_report(const struct etl_snapshots *snapshots, struct trace_facts *facts)
{
	if (!snapshots->nr)
		return;
	facts->snapshots = xcalloc(snapshots->nr, sizeof(*facts->snapshots));
	facts->snapshots_nr = snapshots->nr;
	for (size_t i = 0; i < snapshots->nr; i++) {
		const struct snapshot *from = &snapshots->v[i];

		facts->snapshots[i] = (struct trace_snapshot){
			.pid = from->pid == ETL_NO_ID ? -1 : (int64_t)from->pid,
			.instance = from->instance,
			.bytes = (int64_t)from->bytes,
			.parts = (int64_t)from->parts,
			.whole = from->ended && from->total == from->bytes,
		};
	}
}

void etl_snapshots_set_times(const struct etl_snapshots *snapshots,
			     const struct etl_clock_base *base, struct trace_facts *facts)
{
	for (size_t i = 0; i < facts->snapshots_nr; i++)
		facts->snapshots[i].time_ns = etl_clock_time(base, snapshots->v[i].time);
}
