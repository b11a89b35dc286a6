/*
 * The filters that all views share: which processes a view shows.
 *
 * Names are exact or patterns with * and ?. A process passes if for each filter that has values one of them matches, and
 * none of those that begin with `not`. Threads are filtered by views of events alone.
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
	struct strvec threads;   /* a tid, or the name of a thread */
	struct strvec not_roles, not_parts, not_crates, not_processes, not_threads;
	int64_t from_ns;
	int64_t to_ns; /* INT64_MAX: no end */
};

#define PROCESS_FILTER_INIT \
	{ \
		STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, \
			STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT, 0, INT64_MAX \
	}

void process_filter_release(struct process_filter *filter);

/* Set the range from "A..B", "A.." or "..B", with times as "12.5s" or "3m20s", in seconds without a unit. ERR_USAGE. */
int process_filter_set_time(struct process_filter *filter, const char *text, struct err *err);

/* ERR_USAGE for an unknown role: roles are a fixed list, unlike the other names. */
int process_filter_check_roles(const struct process_filter *filter, struct err *err);

/* Whether the process has the names, and ran at some time from `from_ns` up to, not including, `to_ns`. */
bool process_filter_match(const struct process_filter *filter, const struct process *process);

/* Whether a thread passes, by its id and its name (NULL: unknown). */
bool process_filter_match_thread(const struct process_filter *filter, int64_t tid,
				 const char *name);

/* Whether something but the range of time is filtered. */
bool process_filter_has_names(const struct process_filter *filter);

/*
 * Append a line for each filter that matches no process: for a name with the most similar one of a process, for a time
 * range; or one line if only all filters together match no process.
 */
void process_filter_explain(const struct process_filter *filter, const struct process_list *list,
			    struct strbuf *notes);

#endif
