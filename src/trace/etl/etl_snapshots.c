#include "trace/etl/etl_snapshots.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/compare.h"

#define PART    100
#define END     200
#define VERSION 1

/* A run has at most 2000; a damaged file may have any number. */
#define SNAPSHOTS_MAX ((size_t)1 << 16)

/* A part has up to 64 KB; a damaged file may have any number of small ones. */
#define PARTS_MAX ((size_t)1 << 21)

/* A part, or the end of a snapshot, as it is in the file. */
struct part {
	uint64_t time;
	uint32_t pid, instance;
	uint32_t length; /* of an end: the total */
	bool ends;
};

struct snapshot {
	uint64_t time; /* of its first event */
	uint32_t pid, instance;
	uint64_t parts, bytes;
	uint32_t total;
	bool ended;
};

struct etl_snapshots {
	struct part *parts; /* until etl_snapshots_make() */
	size_t parts_nr, parts_alloc;
	struct snapshot *v;
	size_t nr, alloc;
};

struct etl_snapshots *etl_snapshots_new(void)
{
	return xcalloc(1, sizeof(struct etl_snapshots));
}

void etl_snapshots_free(struct etl_snapshots *snapshots)
{
	if (!snapshots)
		return;
	free(snapshots->parts);
	free(snapshots->v);
	free(snapshots);
}

bool etl_snapshots_add(struct etl_snapshots *snapshots, const struct etl_record *record)
{
	struct etl_payload payload = etl_payload_of(record);
	struct part part = { .time = record->time, .pid = record->pid };

	if (record->kind != ETL_EVENT || (record->id != PART && record->id != END) ||
	    record->version != VERSION)
		return true;
	part.instance = etl_take32(&payload);
	part.length = etl_take32(&payload); /* sequence, or the total */
	part.ends = record->id == END;
	if (!part.ends) {
		part.length = etl_take32(&payload);
		etl_take(&payload, part.length);
	}
	if (payload.truncated || snapshots->parts_nr == PARTS_MAX)
		return false;
	ARRAY_ADD(snapshots->parts, snapshots->parts_nr, snapshots->parts_alloc, part);
	return true;
}

static int by_snapshot(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = compare_u64(x->pid, y->pid);

	if (!order)
		order = compare_u64(x->instance, y->instance);
	return order ? order : compare_u64(x->time, y->time);
}

static int by_time(const void *a, const void *b)
{
	const struct snapshot *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	if (!order)
		order = compare_u64(x->pid, y->pid);
	return order ? order : compare_u64(x->instance, y->instance);
}

static void add_part(struct snapshot *snapshot, const struct part *part)
{
	if (part->ends) {
		snapshot->ended = true;
		snapshot->total = part->length;
		return;
	}
	snapshot->parts++;
	snapshot->bytes += part->length;
}

/* Parts are sorted: those of one number that are in another lifetime than the part before are of another process. */
static void join_parts(struct etl_snapshots *snapshots, const struct etl_spans *processes)
{
	const struct etl_span *life = NULL;

	for (size_t i = 0; i < snapshots->parts_nr; i++) {
		const struct part *part = &snapshots->parts[i];
		const struct etl_span *of = etl_spans_at(processes, part->pid, part->time);

		if (!i || part->pid != part[-1].pid || part->instance != part[-1].instance ||
		    of != life) {
			if (snapshots->nr == SNAPSHOTS_MAX)
				return;
			ARRAY_ADD(snapshots->v, snapshots->nr, snapshots->alloc,
				  (struct snapshot){ .time = part->time,
						     .pid = part->pid,
						     .instance = part->instance });
		}
		life = of;
		add_part(&snapshots->v[snapshots->nr - 1], part);
	}
}

void etl_snapshots_make(struct etl_snapshots *snapshots, const struct etl_spans *processes)
{
	if (snapshots->parts_nr)
		qsort(snapshots->parts, snapshots->parts_nr, sizeof(*snapshots->parts),
		      by_snapshot);
	join_parts(snapshots, processes);
	if (snapshots->nr)
		qsort(snapshots->v, snapshots->nr, sizeof(*snapshots->v), by_time);
	free(snapshots->parts);
	snapshots->parts = NULL;
	snapshots->parts_nr = snapshots->parts_alloc = 0;
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
