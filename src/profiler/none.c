/*
 * No profiler: the build runs alone, and the tracker records tags, times and peak memory. It needs no rights, so a
 * locked-down container still gets a useful run.
 */
#include "profiler/profiler.h"

static bool none_suits(const struct profiler_ops *profiler)
{
	(void)profiler;
	return true;
}

static void none_check(struct profiler_job *job, struct finding_list *findings)
{
	job->cpu = false;
	job->memory = job->touched = false;
	finding_add(findings, FINDING_NOTE,
		    "the run will have tags, times and peak memory of each process, but no stacks",
		    NULL, "no profiler is used");
}

const struct profiler_ops none_profiler = {
	.name = "none",
	.summary = "tags, times and peak memory only; needs no rights",
	.suits = none_suits,
	.check = none_check,
};
