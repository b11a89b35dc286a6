/*
 * What wpr and xperf have in common: a session that is started, marked, asked, and stopped by calls of one tool,
 * files in a folder of ours, a sampling interval of the whole system that is set and put back. Each says how
 * the calls are worded; the order, the journal and what to do when a call fails are here, once.
 */
#ifndef RECORDER_ETW_H
#define RECORDER_ETW_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/etw_status.h"
#include "recorder/etw_tool.h"
#include "recorder/recorder.h"
#include "recorder/service.h"
#include "util/err.h"
#include "util/strvec.h"

/* What the wording of a call depends on. Paths are as the tool wants them. */
struct etw_context {
	const struct recorder_job *job;
	struct etw_tool tool; /* a session's own, or one that was looked for */
	bool owns_tool;
	char *instance; /* name of the recording */
	char *folder;
	char *tool_folder; /* `folder` as the tool wants it */
};

struct etw_ops {
	const char *name;

	/*
	 * Optional: make what the start needs, in the run's directory, or on the system, noted before. Optional: put
	 * that back, and what other steps have noted; also where nothing is to be.
	 */
	int (*prepare)(const struct etw_context *context, struct service_session *session,
		       struct err *err);
	int (*put_back)(const struct etw_context *context, struct service_session *session,
			struct err *err);

	/* Optional: what the first does in the run's directory and the folder, in a shell's words. */
	void (*show_prepare)(const struct etw_context *context, struct strbuf *sb);

	/* Append the arguments of a call behind the program. */
	void (*start)(const struct etw_context *context, struct strvec *argv);
	void (*mark)(const struct etw_context *context, const char *text, struct strvec *argv);
	void (*status)(const struct etw_context *context, struct strvec *argv);
	/* `plain`: without any option that an old version may not know. */
	void (*stop)(const struct etw_context *context, bool plain, struct strvec *argv);
	void (*cancel)(const struct etw_context *context, struct strvec *argv);
	/* In 100 ns; 0: the system's default. */
	void (*set_interval)(int64_t interval, struct strvec *argv);
	void (*ask_interval)(struct strvec *argv); /* NULL: it can't be asked */

	/* What the status says of our own recording, and how many events it has lost (-1: nothing). */
	enum etw_state (*state)(const struct etw_context *context, const struct etw_result *result);
	int64_t (*lost)(const char *status);

	/* May it be cancelled where the status does not tell that it is ours? */
	bool cancel_is_safe;
};

/* Hooks of a recorder_service that has `calls`. */
int etw_start(struct service_session *session, struct err *err);
int etw_mark(struct service_session *session, const char *text, struct err *err);
int etw_stop(struct service_session *session, int64_t *lost, struct err *err);
int etw_cancel(struct service_session *session, struct err *err);
void etw_release(struct service_session *session);

void etw_find_leftovers(const struct recorder_service *service, const struct manifest *manifest,
			const char *dir, struct finding_list *findings);
void etw_show(const struct recorder_service *service, const struct recorder_job *job, bool end,
	      struct strbuf *sb);

/* Hooks of recorder_ops that has such a service. */
bool etw_suits(const struct recorder_ops *recorder);
char *etw_version(const struct recorder_ops *recorder);

/* Unless there is an error: what of CPU and memory will be recorded. */
void etw_check_end(const char *name, const struct recorder_job *job, struct finding_list *findings);

/* Take from the configuration whether to record CPU and memory; one of them must be. */
void etw_check_wishes(const char *name, struct recorder_job *job, struct finding_list *findings);

/*
 * What all must have: Windows, an elevated prompt, the tool, paths that are short enough, room. Adds findings;
 * `context` is filled for further checks, and released by the caller. False: there is no tool to ask.
 */
bool etw_check(const struct etw_ops *ops, struct recorder_job *job, struct etw_context *context,
	       struct finding_list *findings);

/* `tool` is borrowed; NULL: it is looked for. */
void etw_context_init(struct etw_context *context, const struct etw_ops *ops,
		      const struct recorder_job *job, const struct etw_tool *tool);
void etw_context_release(struct etw_context *context);

/* The interval to sample by, in 100 ns, within what Windows allows. */
int64_t etw_interval(const struct recorder_job *job);

#endif
