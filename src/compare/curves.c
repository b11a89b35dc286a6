#include "compare/curves.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

void curves_release(struct curves *curves)
{
	free(curves->v);
	*curves = (struct curves){ NULL, 0, 0, false };
}

void curves_add(struct curves *curves, uint32_t process, int64_t start_ns, int64_t end_ns,
		int64_t bytes)
{
	if (curves->nr + 2 > CURVES_MAX) {
		curves->too_many = true;
		return;
	}
	ARRAY_ADD(curves->v, curves->nr, curves->alloc,
		  (struct curve_change){ start_ns, bytes, process });
	ARRAY_ADD(curves->v, curves->nr, curves->alloc,
		  (struct curve_change){ end_ns, wrap_subtract(0, bytes), process });
}

#define NO_SPAN SIZE_MAX

/* The number of each key's span in a build. */
struct span_places {
	size_t *v;
	size_t nr;
};

static struct span_places find_places(const struct curve_build *build)
{
	struct span_places places = { NULL, 0 };

	for (size_t i = 0; i < build->spans_nr; i++) {
		if (build->spans[i].key >= places.nr)
			places.nr = (size_t)build->spans[i].key + 1;
	}
	places.v = xcalloc(places.nr, sizeof(*places.v));
	for (size_t i = 0; i < places.nr; i++)
		places.v[i] = NO_SPAN;
	for (size_t i = 0; i < build->spans_nr; i++)
		places.v[build->spans[i].key] = i;
	return places;
}

/* How times of a process on its own schedule become times on another one. */
struct move {
	int64_t from_ns, to_ns; /* its start */
	double stretch;
};

/* Times of damaged files may be anything. */
static int64_t to_ns(double ns)
{
	const double most = 4e18;

	return ns > most ? (int64_t)most : ns < -most ? -(int64_t)most : (int64_t)ns;
}

static double ratio(int64_t to, int64_t from)
{
	return from > 0 && to >= 0 ? (double)to / (double)from : 1.0;
}

static struct move move_of(const struct curve_build *own, const struct curve_span *span,
			   const struct curve_build *other, const struct span_places *places)
{
	size_t place = span->key < places->nr ? places->v[span->key] : NO_SPAN;
	const struct curve_span *there;

	if (place == NO_SPAN)
		return (struct move){
			span->start_ns,
			to_ns((double)span->start_ns * ratio(other->end_ns, own->end_ns)), 1.0
		};
	there = &other->spans[place];
	return (struct move){ span->start_ns, there->start_ns,
			      ratio(wrap_subtract(there->end_ns, there->start_ns),
				    wrap_subtract(span->end_ns, span->start_ns)) };
}

static int64_t move_time(const struct move *move, int64_t time_ns)
{
	if (move->stretch == 1.0)
		return wrap_add(move->to_ns, wrap_subtract(time_ns, move->from_ns));
	return wrap_add(move->to_ns,
			to_ns((double)wrap_subtract(time_ns, move->from_ns) * move->stretch));
}

/* What ends makes room for what is committed at the same time. */
static int compare_changes(const void *a, const void *b)
{
	const struct curve_change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int64_t peak_of(struct curve_change *changes, size_t nr)
{
	int64_t held = 0, peak = 0;

	if (nr)
		qsort(changes, nr, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < nr; i++) {
		wrap_add_to(&held, changes[i].bytes);
		if (held > peak)
			peak = held;
	}
	return peak;
}

/* The peak of the curves of `own` on the schedule of `other`. */
static int64_t peak_on(const struct curve_build *own, const struct curve_build *other)
{
	struct span_places places = find_places(other);
	struct move *moves = xcalloc(own->spans_nr, sizeof(*moves));
	struct curve_change *moved = xcalloc(own->curves->nr, sizeof(*moved));
	int64_t peak;

	for (size_t i = 0; i < own->spans_nr; i++)
		moves[i] = move_of(own, &own->spans[i], other, &places);
	for (size_t i = 0; i < own->curves->nr; i++) {
		moved[i] = own->curves->v[i];
		if (moved[i].process < own->spans_nr)
			moved[i].time_ns = move_time(&moves[moved[i].process], moved[i].time_ns);
	}
	peak = peak_of(moved, own->curves->nr);
	free(moved);
	free(moves);
	free(places.v);
	return peak;
}

bool curves_split(const struct curve_build *base, const struct curve_build *changed,
		  struct peak_split *split)
{
	if (base->curves->too_many || changed->curves->too_many)
		return false;
	split->base = peak_on(base, base);
	split->new = peak_on(changed, changed);
	split->growth = wrap_subtract(peak_on(changed, base), split->base);
	split->overlap = wrap_subtract(peak_on(base, changed), split->base);
	split->rest = wrap_subtract(wrap_subtract(split->new, split->base),
				    wrap_add(split->growth, split->overlap));
	return true;
}
