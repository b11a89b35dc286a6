#include "cli/compare_judge.h"

#include <stdlib.h>
#include <string.h>

#include "cli/compare_noise.h"
#include "cli/message.h"
#include "util/alloc.h"

/* So many crates are named. */
#define NAMED 5

void compare_judgement_init(struct compare_judgement *judgement, const struct compare_spec *shown,
			    bool several)
{
	static const enum group_by by = BY_CRATE;

	*judgement =
		(struct compare_judgement){ .by_crates = several && compare_spec_by_stacks(shown) };
	if (judgement->by_crates)
		compare_spec_init(&judgement->crates, &by, 1, shown->filter);
}

void compare_judgement_release(struct compare_judgement *judgement)
{
	if (judgement->by_crates)
		compare_spec_release(&judgement->crates);
	verdicts_release(&judgement->of_crates);
	verdicts_release(&judgement->shown);
	verdicts_release(&judgement->build);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Test the rows of a crate. */
static void test_inside(struct compare_judgement *judgement, const struct compare_spec *shown,
			const struct verdict_family *rows, uint32_t crate)
{
	const struct comparison *comparison = &shown->comparison;
	const char *name = judgement->crates.comparison.keys[crate].texts[0];
	bool *wanted = xcalloc(comparison->keys_nr + 1, sizeof(*wanted));
	const struct verdict_family family = { .effect = rows->effect,
					       .level = VERDICT_LEVEL_INSIDE,
					       .no_times = rows->no_times,
					       .larger = &judgement->of_crates,
					       .wanted = wanted };
	size_t place = compare_text_place(shown, BY_CRATE);

	for (uint32_t key = 0; key < comparison->keys_nr; key++)
		wanted[key] = !compare_spec_is_by(shown, BY_CRATE) ||
			      is_same_text(comparison->keys[key].texts[place], name);
	verdicts_make(&judgement->shown, comparison, &family);
	free(wanted);
}

/* Append the names of the crates that changed. Returns how many those are. */
static size_t add_changed(const struct compare_judgement *judgement, struct strbuf *names)
{
	const struct comparison *crates = &judgement->crates.comparison;
	size_t nr = 0;

	for (uint32_t key = 0; key < crates->keys_nr; key++) {
		if (!verdicts_changed(&judgement->of_crates, key))
			continue;
		if (nr++ < NAMED)
			strbuf_addf(names, "%s%s", names->len ? ", " : "",
				    crates->keys[key].texts[0] ? crates->keys[key].texts[0] : "-");
	}
	if (nr > NAMED)
		strbuf_addf(names, " and %zu more", nr - NAMED);
	return nr;
}

static void test_by_crates(struct compare_judgement *judgement, const struct compare_spec *shown,
			   const struct verdict_family *rows)
{
	const struct comparison *crates = &judgement->crates.comparison;
	bool each = compare_spec_is_by(shown, BY_CRATE) || crates->keys_nr == 1;
	struct strbuf names = STRBUF_INIT;
	size_t changed = add_changed(judgement, &names);

	if (!changed)
		message_print("note: ",
			      "the rows have no verdicts: they are tested only within crates "
			      "that changed, and there is none");
	else if (!each)
		message_printf(
			"note: ",
			"the rows have no verdicts: they are tested within crates that changed "
			"(%s), with --crate of one of them, or --by crate and another key",
			names.buf);
	for (uint32_t key = 0; each && key < crates->keys_nr; key++) {
		if (verdicts_changed(&judgement->of_crates, key))
			test_inside(judgement, shown, rows, key);
	}
	strbuf_release(&names);
}

static int judge_pair(struct compare_judgement *judgement, const struct compare_spec *shown,
		      const struct compare_spec *build, const struct compare_effect *effect,
		      const struct compare_runs *runs, const char *db, struct err *err)
{
	const char *const paths[SIDES] = { runs->paths[SIDE_BASE]->v[0],
					   runs->paths[SIDE_NEW]->v[0] };
	struct compare_noise noise;
	int rc = compare_noise_open(&noise, db, paths, err);

	if (!rc && build)
		rc = compare_noise_judge(&noise, build, effect, &judgement->build, err);
	if (!rc)
		rc = compare_noise_judge(&noise, shown, effect, &judgement->shown, err);
	if (!rc)
		compare_noise_say(&noise);
	compare_noise_release(&noise);
	return rc;
}

static void judge_several(struct compare_judgement *judgement, const struct compare_spec *shown,
			  const struct compare_spec *build, const struct compare_effect *effect,
			  bool no_times)
{
	const struct verdict_family whole = { .effect = effect,
					      .level = VERDICT_LEVEL_BUILD,
					      .no_times = no_times };
	const struct verdict_family rows = {
		.effect = effect, .level = VERDICT_LEVEL_ROWS, .drift = true, .no_times = no_times
	};

	if (build)
		verdicts_make(&judgement->build, &build->comparison, &whole);
	if (!judgement->by_crates) {
		if (!compare_spec_by_stacks(shown))
			verdicts_make(&judgement->shown, &shown->comparison, &rows);
		return;
	}
	verdicts_make(&judgement->of_crates, &judgement->crates.comparison, &rows);
	if (judgement->of_crates.v)
		test_by_crates(judgement, shown, &rows);
}

int compare_judge(struct compare_judgement *judgement, const struct compare_spec *shown,
		  const struct compare_spec *build, const struct compare_effect *effect,
		  const struct compare_runs *runs, const char *db, struct err *err)
{
	if (build)
		compare_warn_of_runs(runs);
	if (runs->paths[SIDE_BASE]->nr == 1 && runs->paths[SIDE_NEW]->nr == 1)
		return judge_pair(judgement, shown, build, effect, runs, db, err);
	if (build) {
		compare_warn_of_verdicts(runs, VERDICT_LEVEL_ROWS);
		compare_warn_of_shapes(runs, &build->comparison);
	}
	judge_several(judgement, shown, build, effect, compare_times_are_unfair(runs));
	return 0;
}
