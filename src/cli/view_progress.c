#include "cli/view_progress.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/clock.h"
#include "platform/program.h"
#include "record/status.h"
#include "util/text.h"

/* Milliseconds, for tests: they cannot wait for a trace that takes a second on every machine. */
#define VARIABLE "STAGETRACE_PROGRESS_AFTER"

static struct status status;
static int64_t begun_ns = -1, from_ns;
static bool hidden;

static int64_t patience(void)
{
	char *asked = env_get(VARIABLE);
	int64_t ns = asked ? strtol(asked, NULL, 10) * NS_PER_MS : NS_PER_S;

	free(asked);
	return ns;
}

/* Ctrl-C ends a view at once. */
static bool show(void *data, const char *step, int64_t done, int64_t total)
{
	(void)data;
	if (!status.tty || hidden || clock_now() < from_ns)
		return true;
	if (!status.step) {
		status.step = step;
		status.step_ns = begun_ns;
	}
	status_step(&status, step, done, total);
	return true;
}

const struct progress *view_progress(void)
{
	static const struct progress progress = { NULL, show };

	if (begun_ns < 0) {
		status_init(&status, stderr);
		begun_ns = clock_now();
		from_ns = begun_ns + patience();
	}
	return &progress;
}

void view_progress_wipe(void)
{
	if (status.shown)
		status_wipe(&status);
}

void view_progress_hide(void)
{
	hidden = true;
}
