#include "trace/etl/etl_spans.h"

#include <stdlib.h>

#include "trace/etl/etl_kernel.h"
#include "util/array.h"
#include "util/compare.h"

void etl_spans_add(struct etl_spans *spans, const struct etl_sighting *sighting)
{
	ARRAY_ADD(spans->sightings, spans->sightings_nr, spans->sightings_alloc, *sighting);
}

static int by_time(const void *a, const void *b)
{
	const struct etl_sighting *x = a, *y = b;
	int order = compare_u64(x->id, y->id);

	if (!order)
		order = compare_u64(x->key, y->key);
	if (!order)
		order = compare_u64(x->time, y->time);
	return order ? order : compare_u64(x->item, y->item);
}

static struct etl_span *add_span(struct etl_spans *spans, const struct etl_sighting *sighting,
				 uint64_t start)
{
	struct etl_span *span;

	ARRAY_GROW(spans->v, spans->nr + 1, spans->alloc);
	span = &spans->v[spans->nr++];
	*span = (struct etl_span){
		.key = sighting->key,
		.start = start,
		.end = ETL_TO_THE_END,
		.seen = sighting->time,
		.id = sighting->id,
		.item = sighting->item,
		.end_item = UINT32_MAX,
	};
	return span;
}

/* Whether a sighting adds nothing: a second end, or an object that is known to exist. */
static bool is_known(const struct etl_span *last, bool open, bool same_owner,
		     const struct etl_sighting *sighting)
{
	if (!last || !same_owner)
		return false;
	switch (sighting->what) {
	case ETL_OPCODE_START:
		return open && last->start == sighting->time;
	case ETL_OPCODE_END:
		return !open;
	default:
		return open;
	}
}

/* End a span before the next one of its id starts; also if its end is unknown. */
static void end_before(struct etl_span *last, uint64_t time)
{
	if (last && last->end >= time)
		last->end = time > last->start ? time - 1 : time;
}

/* Make the spans of one id and key from its sightings, sorted by time. */
static void make_group(struct etl_spans *spans, const struct etl_sighting *v, size_t nr)
{
	size_t first = spans->nr;
	bool open = false;

	for (size_t i = 0; i < nr; i++) {
		struct etl_span *last = spans->nr > first ? &spans->v[spans->nr - 1] : NULL;
		bool same = i && v[i].owner == v[i - 1].owner;
		bool ends = v[i].what == ETL_OPCODE_END;

		if (is_known(last, open, same, &v[i]))
			continue;
		if (!(ends && open && same)) {
			end_before(last, v[i].time);
			last = add_span(spans, &v[i],
					last || v[i].what == ETL_OPCODE_START ? v[i].time
									      : ETL_SINCE_BEFORE);
		}
		open = !ends;
		if (ends) {
			last->end = v[i].time;
			last->end_item = v[i].item;
		}
	}
}

void etl_spans_make(struct etl_spans *spans)
{
	const struct etl_sighting *v = spans->sightings;
	size_t nr;

	if (spans->sightings_nr)
		qsort(spans->sightings, spans->sightings_nr, sizeof(*v), by_time);
	for (size_t i = 0; i < spans->sightings_nr; i += nr) {
		nr = 1;
		while (i + nr < spans->sightings_nr && v[i + nr].id == v[i].id &&
		       v[i + nr].key == v[i].key)
			nr++;
		make_group(spans, &v[i], nr);
	}
	free(spans->sightings);
	spans->sightings = NULL;
	spans->sightings_nr = spans->sightings_alloc = 0;
}

void etl_spans_release(struct etl_spans *spans)
{
	free(spans->sightings);
	free(spans->v);
	*spans = (struct etl_spans){ .v = NULL };
}

static size_t find_first(const struct etl_spans *spans, uint64_t id)
{
	size_t low;

	ARRAY_SEARCH(low, spans->nr, i, spans->v[i].id < id);
	return low;
}

const struct etl_span *etl_spans_of(const struct etl_spans *spans, uint32_t id, size_t *nr)
{
	size_t first = find_first(spans, id);

	*nr = find_first(spans, (uint64_t)id + 1) - first;
	return *nr ? &spans->v[first] : NULL;
}

const struct etl_span *etl_spans_at(const struct etl_spans *spans, uint32_t id, uint64_t time)
{
	size_t nr, begun;
	const struct etl_span *v = etl_spans_of(spans, id, &nr);

	ARRAY_SEARCH(begun, nr, i, v[i].start <= time);
	return nr ? &v[begun ? begun - 1 : 0] : NULL;
}
