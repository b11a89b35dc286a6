/*
 * A process while it is being told what it is: shared by the files that know one kind of program each.
 */
#ifndef TAG_JOB_H
#define TAG_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "tag/command.h"
#include "tag/path.h"
#include "tag/tag.h"

struct job {
	const struct tag_input *in;
	struct command command;
	struct build_path where; /* of what it writes, or of itself */
	int compiler;            /* stage of the compiler at work, as far as known */
	struct tag tag;
};

bool job_parent_is(const struct job *job, enum role role);

/* The parent's built_by, and RUSTC_STAGE, or STAGE_UNKNOWN. */
int job_parent_compiler(const struct job *job);
int job_env_compiler(const struct job *job);

/* The first of `count` stages that is known. */
int job_first_known(const int *stages, size_t count);

void job_be_other(struct job *job, const char *why);

/* `where` and part by what `path` names; a path outside a build's directory (or NULL) changes nothing. */
void job_place(struct job *job, const char *path);

/* "host" in a part of a bootstrap's build, where all that is not for the host is built with --target. */
char *job_host_target(const struct job *job);

/* rustc, rustdoc, the shim. */
void job_tag_rustc(struct job *job);

/* C compilers and linkers; archivers; programs that only answer; git. */
void job_tag_tool(struct job *job);
void job_tag_archiver(struct job *job);
void job_tag_asker(struct job *job);
void job_tag_git(struct job *job);

extern const char job_why_system[];

#endif
