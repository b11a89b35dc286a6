#include "analysis/ledger_steps.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

struct ledger_steps *ledger_steps_new(int64_t step_ns, uint32_t nr)
{
	struct ledger_steps *steps = xcalloc(1, sizeof(*steps));

	steps->step_ns = step_ns;
	steps->steps = nr;
	steps->highs = xcalloc(nr, sizeof(*steps->highs));
	for (uint32_t i = 0; i < nr; i++)
		steps->highs[i].bytes = -1;
	return steps;
}

void ledger_steps_free(struct ledger_steps *steps)
{
	if (!steps)
		return;
	free(steps->v);
	free(steps->last);
	free(steps->highs);
	free(steps);
}

uint32_t ledger_steps_at(int64_t time_ns, int64_t step_ns, uint32_t steps)
{
	int64_t step;

	if (time_ns < 0)
		return 0;
	step = time_ns / step_ns;
	return step < (int64_t)steps - 1 ? (uint32_t)step + 1 : steps - 1;
}

void ledger_steps_change(struct ledger_steps *steps, uint32_t key, int64_t time_ns, int64_t bytes,
			 int64_t count, int64_t freed)
{
	uint32_t step = ledger_steps_at(time_ns, steps->step_ns, steps->steps);
	struct ledger_step *at;
	size_t *last;

	ARRAY_REACH(steps->last, (size_t)key + 1, steps->last_nr, steps->last_alloc);
	last = &steps->last[key];
	if (!*last || steps->v[*last - 1].step != step) {
		ARRAY_ADD(steps->v, steps->nr, steps->alloc,
			  ((struct ledger_step){ .key = key, .step = step, .most = INT64_MIN }));
		*last = steps->nr;
	}
	at = &steps->v[*last - 1];
	wrap_add_to(&at->size, bytes);
	wrap_add_to(&at->count, count);
	wrap_add_to(&at->freed, freed);
}

void ledger_steps_raise(struct ledger_steps *steps, uint32_t key, int64_t bytes)
{
	struct ledger_step *at;

	if (key >= steps->last_nr || !steps->last[key])
		return;
	at = &steps->v[steps->last[key] - 1];
	if (bytes > at->most)
		at->most = bytes;
}

void ledger_steps_raise_whole(struct ledger_steps *steps, int64_t time_ns, int64_t bytes)
{
	uint32_t step = ledger_steps_at(time_ns, steps->step_ns, steps->steps);
	struct ledger_high *high = &steps->highs[step];

	if (bytes > high->bytes)
		*high = (struct ledger_high){ bytes, time_ns };
}
