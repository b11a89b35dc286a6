/*
 * wpr.exe and xperf.exe as programs: where they are, how new they are, and running them.
 */
#ifndef RECORDER_ETW_TOOL_H
#define RECORDER_ETW_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/etw_status.h"
#include "recorder/service.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct etw_tool {
	const char *name; /* "wpr"; static */
	char *path;       /* NULL: there is none */
	struct etw_version version;
	char *version_text; /* "10.0.22621"; NULL: it does not say */
};

/*
 * Can the tool be there at all: on Windows, or where STAGETRACE_WPR or STAGETRACE_XPERF names a stand-in for
 * it?
 */
bool etw_tool_suits(const char *name);

/*
 * The program that STAGETRACE_WPR (STAGETRACE_XPERF) names, else the newest of those in WPT_PATH, the Windows
 * ADK, System32 and PATH.
 */
void etw_tool_find(const char *name, struct etw_tool *tool);
void etw_tool_release(struct etw_tool *tool);

bool etw_tool_is_at_least(const struct etw_tool *tool, int major, int minor, int build);

/* A path as Windows' own tools want it: "C:/x" becomes "C:\x". The caller frees it. */
char *etw_tool_path(const char *path);

/* How a call ended. */
struct etw_result {
	bool over;     /* false: it still runs, and is left to */
	uint32_t code; /* etw_code_read() of its exit code */
	struct strbuf output;
};

#define ETW_RESULT_INIT \
	{ \
		false, 0, STRBUF_INIT \
	}

/* Ask the tool something outside of a recording; a minute at most. */
int etw_tool_ask(const struct strvec *argv, struct etw_result *result, struct err *err);

struct etw_call {
	const char *what;   /* for the progress; NULL: none is shown, and nobody can cut it short */
	const char *folder; /* whose files tell that it gets on */
	int64_t patience;   /* ns; gives up where no file has changed for so long; 0: never */
};

/*
 * Run the tool for a recording: its command line, words and exit code go to the recorder's log and the
 * manifest. -1 where it can't be run at all.
 */
int etw_tool_run(struct service_session *session, const struct strvec *argv,
		 const struct etw_call *call, struct etw_result *result, struct err *err);

#endif
