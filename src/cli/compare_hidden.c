#include "cli/compare_hidden.h"

#include <stdlib.h>

#include "cli/message.h"
#include "report/compare_view.h"
#include "tag/tag.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/* So many crates are named. */
#define NAMED 5

void compare_hidden_init(struct compare_hidden *hidden, const struct compare_spec *shown)
{
	const struct process_filter *filter = shown->filter;

	*hidden = (struct compare_hidden){ .filter = PROCESS_FILTER_INIT };
	hidden->is_read = compare_spec_is_by(shown, BY_CRATE) && !compare_spec_by_stacks(shown) &&
			  !compare_spec_is_by(shown, BY_ROLE) && !filter->roles.nr &&
			  !filter->not_roles.nr && !filter->processes.nr &&
			  !filter->not_processes.nr;
	if (!hidden->is_read)
		return;
	strvec_push(&hidden->filter.roles, role_name(ROLE_RUSTC));
	strvec_push_all(&hidden->filter.parts, &filter->parts);
	strvec_push_all(&hidden->filter.crates, &filter->crates);
	strvec_push_all(&hidden->filter.not_parts, &filter->not_parts);
	strvec_push_all(&hidden->filter.not_crates, &filter->not_crates);
	hidden->filter.from_ns = filter->from_ns;
	hidden->filter.to_ns = filter->to_ns;
	compare_spec_init(&hidden->compiles, shown->by, shown->by_nr, &hidden->filter);
}

void compare_hidden_release(struct compare_hidden *hidden)
{
	if (hidden->is_read)
		compare_spec_release(&hidden->compiles);
	process_filter_release(&hidden->filter);
}

/* A change of a compile. */
struct change {
	const char *crate;
	double percent;
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double left = x->percent < 0 ? -x->percent : x->percent;
	double right = y->percent < 0 ? -y->percent : y->percent;

	return (left < right) - (left > right);
}

/* How the own peak of a key changed: 1 it grew, -1 it shrank; 0: as far as is known it did neither. */
static int direction(const struct comparison *comparison, uint32_t key,
		     const struct verdicts *verdicts, const struct compare_effect *effect)
{
	struct compare_change change;

	if (verdicts->v) {
		enum verdict verdict =
			verdicts->v[(size_t)key * MEASURES + MEASURE_OWN_PEAK].verdict;

		return (verdict == VERDICT_GREW) - (verdict == VERDICT_SHRANK);
	}
	change = comparison_change(comparison, key, MEASURE_OWN_PEAK);
	if (!change.relative || !compare_effect_reached(effect, MEASURE_OWN_PEAK, &change))
		return 0;
	return change.delta > 0 ? 1 : -1;
}

static void say(struct change *changes, size_t nr)
{
	struct strbuf names = STRBUF_INIT;

	qsort(changes, nr, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < nr && i < NAMED; i++) {
		strbuf_addf(&names, "%s%s ", i ? ", " : "", changes[i].crate);
		compare_add_percent(&names, changes[i].percent);
	}
	if (nr > NAMED)
		strbuf_addf(&names, " and %zu more", nr - NAMED);
	message_printf("note: ",
		       "own peaks of compiles changed below what other processes of their crates "
		       "need, as linkers of build scripts: %s; --role rustc shows them",
		       names.buf);
	strbuf_release(&names);
}

void compare_hidden_say(struct compare_hidden *hidden, const struct compare_spec *shown,
			const struct verdicts *verdicts, const struct compare_effect *effect)
{
	const struct comparison *compiles = &hidden->compiles.comparison;
	const struct verdict_family family = { .effect = effect, .level = VERDICT_LEVEL_ROWS };
	struct verdicts own = VERDICTS_INIT;
	struct change *changes;
	size_t nr = 0;

	if (!hidden->is_read)
		return;
	verdicts_make(&own, compiles, &family);
	changes = xcalloc(compiles->keys_nr + 1, sizeof(*changes));
	for (uint32_t key = 0; key < compiles->keys_nr; key++) {
		const char *const *texts = (const char *const *)compiles->keys[key].texts;
		const char *crate = texts[compare_text_place(&hidden->compiles, BY_CRATE)];
		int changed = direction(compiles, key, &own, effect);
		uint32_t whole = comparison_find(&shown->comparison, texts);

		/* Of one run a side the rows may have verdicts by their noise: here what they show counts. */
		if (changed && crate && whole != HASH_INDEX_NONE &&
		    direction(&shown->comparison, whole, own.v ? verdicts : &own, effect) !=
			    changed)
			changes[nr++] = (struct change){
				crate, comparison_change(compiles, key, MEASURE_OWN_PEAK).percent
			};
	}
	if (nr)
		say(changes, nr);
	free(changes);
	verdicts_release(&own);
}
