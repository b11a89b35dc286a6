/*
 * A process that is being tagged. Shared by the files that each tag one kind of program.
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
	struct build_path where; /* path of its output, or of its executable */
	int compiler; /* stage of the compiler that runs, or that it works for; STAGE_UNKNOWN */
	struct tag tag;
};

bool job_parent_is(const struct job *job, enum role role);

/* The stage of the compiler: the parent's built_by; the value of RUSTC_STAGE. STAGE_UNKNOWN: not known. */
int job_parent_compiler(const struct job *job);
int job_env_compiler(const struct job *job);

/* The first of `count` stages that is not STAGE_UNKNOWN. */
int job_first_known(const int *stages, size_t count);

/* Tag it as ROLE_OTHER; `why` is static text. */
void job_set_other(struct job *job, const char *why);

/* Set `where` and the part from a path. A path outside a build directory, or NULL, changes nothing. */
void job_locate(struct job *job, const char *path);

/*
 * The target of a process without --target: "host" in a part of a build, as bootstrap passes --target for everything
 * else; NULL elsewhere. The caller frees it.
 */
char *job_host_target(const struct job *job);

/* rustc, rustdoc, the shim. */
void job_tag_rustc(struct job *job);

/* C compilers and linkers; archivers; programs that only print information; git. */
void job_tag_tool(struct job *job);
void job_tag_archiver(struct job *job);
void job_tag_query(struct job *job);
void job_tag_git(struct job *job);

extern const char job_why_system[];

#endif
