#include "tag/job.h"

#include <stdlib.h>

#include "tag/part.h"
#include "util/alloc.h"

const char job_why_system[] = "a shell or system tool";

bool job_parent_is(const struct job *job, enum role role)
{
	return job->in->parent && job->in->parent->role == role;
}

int job_parent_compiler(const struct job *job)
{
	return job->in->parent ? job->in->parent->built_by : STAGE_UNKNOWN;
}

int job_env_compiler(const struct job *job)
{
	const char *stage = job->in->rustc_stage;

	return stage && stage[0] >= '0' && stage[0] <= '9' && !stage[1] ? stage[0] - '0'
									: STAGE_UNKNOWN;
}

int job_first_known(const int *stages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (stages[i] != STAGE_UNKNOWN)
			return stages[i];
	return STAGE_UNKNOWN;
}

void job_be_other(struct job *job, const char *why)
{
	job->tag.role = ROLE_OTHER;
	job->tag.why = why;
}

void job_place(struct job *job, const char *path)
{
	struct build_path where = path_parse(path);

	if (where.tree == TREE_NONE && !where.package.len)
		return;
	job->where = where;
	if (where.tree == TREE_NONE)
		return;
	free(job->tag.part);
	job->tag.part = part_name(&where, job->compiler, job->in->numbering);
}

char *job_host_target(const struct job *job)
{
	return job->where.tree == TREE_STAGE || job->where.tree == TREE_PLAIN ? xstrdup("host")
									      : NULL;
}
