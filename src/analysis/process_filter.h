/*
 * Which processes a view is about: the filters that all views share.
 *
 * Names are exact or globs with * and ?. Several values of one filter widen it, several filters narrow.
 */
#ifndef ANALYSIS_PROCESS_FILTER_H
#define ANALYSIS_PROCESS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/process.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct process_filter {
	struct strvec roles;
	struct strvec parts;
	struct strvec crates;
	struct strvec processes; /* a pid, or an image's name, with or without ".exe" */
	int64_t from_ns;
	int64_t to_ns; /* INT64_MAX: no end */
};

#define PROCESS_FILTER_INIT \
	{ \
		STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, 0, INT64_MAX \
	}

void process_filter_release(struct process_filter *filter);

/* "A..B", "A..", "..B": "12.5s", "3m20s", or seconds where there is no unit. ERR_USAGE. */
int process_filter_set_time(struct process_filter *filter, const char *text, struct err *err);

/* ERR_USAGE for a role that there is none of: roles are a fixed list, unlike the other names. */
int process_filter_check_roles(const struct process_filter *filter, struct err *err);

/* It has the names, and ran at a moment from `from_ns` up to, not including, `to_ns`. */
bool process_filter_match(const struct process_filter *filter, const struct process *process);

/*
 * Append a line for each thing that was asked for and is not there: a name that no process has, with the
 * nearest that one has; a time when none ran; or that each was found, but nothing by all of them.
 */
void process_filter_explain(const struct process_filter *filter, const struct process_list *list,
			    struct strbuf *notes);

#endif
