#include "report/timeline_picture.h"

const struct timeline_group timeline_groups[PHASE_GROUPS] = {
	[PHASE_FRONTEND] = { "frontend", "frontend" }, [PHASE_MIR] = { "mir", "MIR" },
	[PHASE_CODEGEN] = { "codegen", "codegen" },    [PHASE_LLVM] = { "llvm", "LLVM" },
	[PHASE_LINK] = { "link", "linking" },          [PHASE_OTHER] = { "rest", "other work" },
};

double timeline_x(const struct timeline_picture *picture, int64_t time_ns)
{
	int64_t length = picture->end_ns - picture->start_ns;

	if (time_ns > picture->end_ns)
		time_ns = picture->end_ns;
	return TIMELINE_LEFT +
	       TIMELINE_PLOT * (double)(time_ns - picture->start_ns) / (double)length;
}

int64_t timeline_point_end(const struct timeline_picture *picture, size_t point)
{
	int64_t start_ns = picture->points[point].start_ns;

	return start_ns < INT64_MAX - picture->step_ns ? start_ns + picture->step_ns : INT64_MAX;
}
