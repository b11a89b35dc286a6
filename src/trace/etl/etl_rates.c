#include "trace/etl/etl_rates.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_kernel.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/text.h"

#define INTERVAL_NS 100 /* unit of the event's fields */
#define USUAL_NS    ((uint64_t)NS_PER_MS)

/* Intervals are set by hand or by a profiler; a damaged file may have any number. */
#define RATES_MAX ((size_t)1 << 20)

/* From `time` on a sample stands for `ns`. */
struct rate {
	uint64_t time, ns;
	uint64_t before_ns; /* the interval before a change; else 0 */
};

struct etl_rates {
	struct rate *v; /* by time; the first applies before its time too */
	size_t nr, alloc;
	bool known;
};

struct etl_rates *etl_rates_new(void)
{
	return xcalloc(1, sizeof(struct etl_rates));
}

void etl_rates_free(struct etl_rates *rates)
{
	if (!rates)
		return;
	free(rates->v);
	free(rates);
}

bool etl_rates_add(struct etl_rates *rates, const struct etl_record *record)
{
	bool change = record->opcode == ETL_PERF_INTERVAL;
	struct etl_interval interval;

	if (!etl_decode_interval(record, &interval))
		return false;
	if (interval.source || !interval.now || rates->nr >= RATES_MAX)
		return true;
	ARRAY_GROW(rates->v, rates->nr + 1, rates->alloc);
	rates->v[rates->nr++] = (struct rate){
		.time = record->time,
		.ns = (uint64_t)interval.now * INTERVAL_NS,
		.before_ns = change ? (uint64_t)interval.old * INTERVAL_NS : 0,
	};
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	return order ? order : compare_u64(x->ns, y->ns);
}

/* Add the interval that applies before the first known change. */
static void add_first(struct etl_rates *rates, uint64_t ns)
{
	ARRAY_GROW(rates->v, rates->nr + 1, rates->alloc);
	memmove(&rates->v[1], rates->v, rates->nr * sizeof(*rates->v));
	rates->v[0] = (struct rate){ .ns = ns };
	rates->nr++;
}

void etl_rates_make(struct etl_rates *rates)
{
	rates->known = rates->nr > 0;
	if (!rates->known) {
		add_first(rates, USUAL_NS);
		return;
	}
	qsort(rates->v, rates->nr, sizeof(*rates->v), by_time);
	if (rates->v[0].before_ns)
		add_first(rates, rates->v[0].before_ns);
}

bool etl_rates_known(const struct etl_rates *rates)
{
	return rates->known;
}

uint64_t etl_rates_find(const struct etl_rates *rates, uint64_t time, size_t *at)
{
	while (*at + 1 < rates->nr && rates->v[*at + 1].time <= time)
		++*at;
	return rates->v[*at].ns;
}
