/*
 * Finds wpr.exe and xperf.exe and their versions, and runs them.
 */
#ifndef PROFILER_ETW_ETW_TOOL_H
#define PROFILER_ETW_ETW_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/etw/etw_output.h"
#include "profiler/profiler.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct etw_tool {
	const char *name; /* "wpr"; static */
	char *path;       /* NULL: not installed */
	struct etw_version version;
	char *version_text; /* "10.0.22621"; NULL: unknown */
};

/*
 * Can the tool run on this system? Yes on Windows, and wherever STAGETRACE_WPR or STAGETRACE_XPERF names a stand-in
 * program.
 */
bool etw_tool_suits(const char *name);

/*
 * Find the program that STAGETRACE_WPR (STAGETRACE_XPERF) names, else the newest one in WPT_PATH, the Windows
 * ADK, System32 and PATH.
 */
void etw_tool_find(const char *name, struct etw_tool *tool);
void etw_tool_release(struct etw_tool *tool);

bool etw_tool_is_at_least(const struct etw_tool *tool, int major, int minor, int build);

/* A path in the form that Windows' own tools accept: "C:/x" becomes "C:\x". The caller frees it. */
char *etw_tool_path(const char *path);

/* How a call ended. */
struct etw_result {
	bool over;     /* false: it still runs, and was left running */
	uint32_t code; /* etw_code_read() of its exit code */
	struct strbuf output;
};

#define ETW_RESULT_INIT \
	{ \
		false, 0, STRBUF_INIT \
	}

/* Run the tool outside of a recording, to query something; for a minute at most. */
int etw_tool_query(const struct strvec *argv, struct etw_result *result, struct err *err);

struct etw_call {
	const char *what; /* shown as progress; NULL: none, and Ctrl-C cannot end the wait */
	const char *dir;  /* its growing files are shown as progress; NULL: none */
	int64_t patience; /* ns; give up waiting when no file has changed for this long; 0: never */
};

/*
 * Run the tool for a recording: its command line, output and exit code go to the profiler's log and the manifest.
 * -1: it cannot be run.
 */
int etw_tool_run(struct profiler_session *session, const struct strvec *argv,
		 const struct etw_call *call, struct etw_result *result, struct err *err);

#endif
