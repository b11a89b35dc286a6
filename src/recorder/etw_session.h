/*
 * The calls of one recording by wpr or xperf, and its notes in the manifest; what starting, stopping and recovering
 * share, of no use outside etw*.c.
 */
#ifndef RECORDER_ETW_SESSION_H
#define RECORDER_ETW_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/etw.h"

/* Notes of a session in the manifest. */
#define NOTE_INSTANCE "instance" /* name of the recording that may run */
#define NOTE_FOLDER   "folder"   /* with its files */
#define NOTE_INTERVAL "interval" /* sampling interval to put back, in 100 ns; "default" */
#define NOTE_STOP     "stop"     /* a stop was asked for */

/* A call that writes no files while it works, and takes longer, is taken for hung. */
#define ETW_SHORT_NS (5 * 60 * NS_PER_S)

/*
 * Take instance and folder as a dead recording noted them. A run may come from anyone: only names and folders of
 * the form that we make are believed, and files in the run itself, which may have been moved.
 */
void etw_session_use_notes(struct etw_context *context, const struct manifest *manifest,
			   const char *dir);

/* The session's program, looked for once. */
const struct etw_tool *etw_session_tool(const struct etw_ops *ops, struct service_session *session);
int etw_session_no_tool(const struct etw_ops *ops, struct err *err);

/* The context of a session that is under way, released by the caller. -1: the tool is gone. */
int etw_session_open(const struct etw_ops *ops, struct service_session *session,
		     struct etw_context *context, struct err *err);

/* A command line that begins with the program. */
struct strvec etw_session_argv(const struct etw_context *context);

/* A call that answers soon, and must succeed. */
int etw_session_call_well(const struct etw_ops *ops, struct service_session *session,
			  const struct strvec *argv, struct err *err);

/* Set `err` to why a call failed; always -1. */
int etw_session_explain(const struct etw_ops *ops, const struct strvec *argv,
			const struct etw_result *result, struct err *err);

/* Does our own recording run? What the tool says of it is appended to `said` (NULL: not wanted). */
enum etw_state etw_session_state(const struct etw_ops *ops, const struct etw_context *context,
				 struct service_session *session, struct strbuf *said);

/* Codes of a recording that is not there. */
bool etw_session_is_gone(uint32_t code);

/*
 * Set the sampling interval, after noting the one before. What can't be set is a warning: no reason not to
 * record; what can't be noted is.
 */
int etw_session_set_interval(const struct etw_ops *ops, const struct etw_context *context,
			     struct service_session *session, struct err *err);

/*
 * End our own recording without saving it. One that does not run is as good; one that ended by itself may be told
 * as not running, and still be known by its name.
 */
int etw_session_end(const struct etw_ops *ops, const struct etw_context *context,
		    struct service_session *session, struct err *err);

/* The recording is over: nothing of it is to be left on the system, and no note. All of it is tried. */
int etw_session_put_back(const struct etw_ops *ops, const struct etw_context *context,
			 struct service_session *session, struct err *err);

#endif
