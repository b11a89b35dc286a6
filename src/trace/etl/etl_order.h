/*
 * Which of several streams of events is next when they are merged by time: a heap, for equal times by the streams' numbers.
 */
#ifndef TRACE_ETL_ORDER_H
#define TRACE_ETL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/alloc.h"

/* The next event of a stream. */
struct etl_turn {
	uint64_t time;
	size_t stream;
};

struct etl_order {
	struct etl_turn *v; /* a heap: the first one is next */
	size_t nr;
};

/* For so many streams, each of which has at most one turn at a time. */
static inline void etl_order_init(struct etl_order *order, size_t streams)
{
	*order = (struct etl_order){ xcalloc(streams, sizeof(*order->v)), 0 };
}

static inline void etl_order_release(struct etl_order *order)
{
	free(order->v);
	*order = (struct etl_order){ NULL, 0 };
}

static inline bool etl_turn_before(const struct etl_turn *a, const struct etl_turn *b)
{
	return a->time < b->time || (a->time == b->time && a->stream < b->stream);
}

static inline void etl_order_add(struct etl_order *order, struct etl_turn turn)
{
	struct etl_turn *v = order->v;
	size_t at = order->nr++;

	for (; at && etl_turn_before(&turn, &v[(at - 1) / 2]); at = (at - 1) / 2)
		v[at] = v[(at - 1) / 2];
	v[at] = turn;
}

/* The earlier one of the two turns below `at` in the heap; NULL: none. */
static inline struct etl_turn *etl_order_below(const struct etl_order *order, size_t at)
{
	size_t child = 2 * at + 1;

	if (child >= order->nr)
		return NULL;
	if (child + 1 < order->nr && etl_turn_before(&order->v[child + 1], &order->v[child]))
		child++;
	return &order->v[child];
}

/* The turn after the first one; NULL: there is none. */
static inline const struct etl_turn *etl_order_second(const struct etl_order *order)
{
	return etl_order_below(order, 0);
}

static inline void etl_order_replace_first(struct etl_order *order, struct etl_turn turn)
{
	struct etl_turn *to = order->v, *next;

	while ((next = etl_order_below(order, (size_t)(to - order->v))) &&
	       etl_turn_before(next, &turn)) {
		*to = *next;
		to = next;
	}
	*to = turn;
}

static inline void etl_order_remove_first(struct etl_order *order)
{
	struct etl_turn last = order->v[--order->nr];

	if (order->nr)
		etl_order_replace_first(order, last);
}

#endif
