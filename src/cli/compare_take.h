/*
 * What is compared, and how results of an account (report/account.h) become values of its keys.
 */
#ifndef CLI_COMPARE_TAKE_H
#define CLI_COMPARE_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/process_filter.h"
#include "compare/comparison.h"
#include "compare/joined_stacks.h"
#include "report/account.h"
#include "util/intmap.h"
#include "util/strset.h"

enum crate_text { CRATE_PART, CRATE_NAME, CRATE_TYPE, CRATE_TEXTS };

/* What is compared by one or two keys. */
struct compare_spec {
	enum group_by by[GROUP_DIMENSIONS];
	size_t by_nr; /* 0: the whole build, whatever the filter */
	bool crates;  /* BY_PROCESS: keys are crates, by the texts of enum crate_text */
	const struct process_filter *filter;
	bool full_names;              /* functions keep their type arguments */
	struct comparison comparison; /* its texts: compare_texts() */
	/*
	 * Of functions the names. Of stacks, whose text in keys is a number of these: own peaks are what was held at the
	 * own peaks of their crates.
	 */
	struct joined_stacks stacks;
};

/* `by` without BY_PROCESS, or alone; BY_STACK with a key of processes, or alone. */
void compare_spec_init(struct compare_spec *spec, const enum group_by *by, size_t by_nr,
		       const struct process_filter *filter);

/* The same by part, crate and crate type: the own peak of a key is the highest of its processes. */
void compare_spec_init_crates(struct compare_spec *spec, const struct process_filter *filter);
void compare_spec_release(struct compare_spec *spec);

/* Whether it is by a key, and by one that is found by stacks. */
bool compare_spec_is_by(const struct compare_spec *spec, enum group_by by);
bool compare_spec_by_stacks(const struct compare_spec *spec);

/* Whether only a range of the recording is compared. */
bool compare_spec_limits_time(const struct compare_spec *spec);

/* Whether own peaks are known: those of stacks are of the whole recording. */
bool compare_spec_has_peaks(const struct compare_spec *spec);

/* The place of the first text of a key's part, of `by` or of a process; its number of texts. */
size_t compare_text_place(const struct compare_spec *spec, enum group_by by);
size_t compare_texts(enum group_by by);

/* The text of a process; `by` is a role, part or crate. */
const char *compare_text_of(const struct tag *tag, enum group_by by);

/* Results that are taken as a run of a spec. */
struct compare_taking {
	struct compare_spec *spec;
	size_t run; /* in the comparison */
	enum compare_side side;
	/* BY_PROCESS: places of processes, and their keys by place. */
	const struct intmap *places;
	const uint32_t *keys;
	const struct results *results; /* set before the first event */
	struct strset crates;          /* of BY_STACK, made while events are taken */
};

void compare_taking_release(struct compare_taking *taking);

/* What an account is asked for; `taking` lives as long as the results. */
struct account_request compare_account_request(struct compare_taking *taking,
					       const struct stack_tags *tags);

/* Add the values of all keys to the run. */
void compare_take(const struct compare_taking *taking, const struct results *results);

/* Once all runs were read: join the functions and stacks of both sides, by how much they have of a measure. */
void compare_join(struct compare_spec *spec, enum measure measure);

#endif
