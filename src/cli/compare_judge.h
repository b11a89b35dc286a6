/*
 * Which changes of a comparison are real: what is tested, at which level, and what is said of what is not.
 *
 * Build, parts, roles, crates and processes are tested directly. Of phases, queries, functions and stacks there are too
 * many: they are tested only within crates that changed, each crate by itself. One run a side has verdicts where a history
 * knows the noise.
 */
#ifndef CLI_COMPARE_JUDGE_H
#define CLI_COMPARE_JUDGE_H

#include "cli/compare_take.h"
#include "cli/compare_warn.h"
#include "compare/verdicts.h"

struct compare_judgement {
	struct compare_spec crates; /* read for what is found by stacks, of several runs a side */
	bool by_crates;             /* it is there */
	struct verdicts of_crates, shown, build;
};

/* Whether crates are to be read too. */
void compare_judgement_init(struct compare_judgement *judgement, const struct compare_spec *shown,
			    bool several);
void compare_judgement_release(struct compare_judgement *judgement);

/*
 * Warn of what makes runs differ, and test what can be; of one run a side by the noise in a history: that of `db`, the
 * option --db, or the one that is used without it (cli/compare_noise.h). Without `build` (NULL) only the rows are tested.
 */
int compare_judge(struct compare_judgement *judgement, const struct compare_spec *shown,
		  const struct compare_spec *build, const struct compare_effect *effect,
		  const struct compare_runs *runs, const char *db, struct err *err);

#endif
