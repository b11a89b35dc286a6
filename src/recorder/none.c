/*
 * No profiler: the build runs by itself, and the tracker alone tells tags, times and peak memory. Needs no
 * rights, so that a locked-down container still gets a useful run.
 */
#include "recorder/recorder.h"

static bool none_suits(const struct recorder_ops *recorder)
{
	(void)recorder;
	return true;
}

static void none_check(struct recorder_job *job, struct finding_list *findings)
{
	job->cpu = false;
	job->memory = false;
	finding_add(findings, FINDING_NOTE,
		    "there will be tags, times and peak memory of each process, and no stacks",
		    NULL, "no recorder is used");
}

const struct recorder_ops none_recorder = {
	.name = "none",
	.summary = "tags, times and peak memory only; needs no rights",
	.suits = none_suits,
	.check = none_check,
};
