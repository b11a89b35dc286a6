#include <string.h>

#include "tag/argv.h"
#include "tag/job.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Stage, part, crate and target of a tool: it works for the rustc or build script that started it. */
static void tag_tool(struct job *job, const char *output)
{
	const int stages[] = { job_parent_compiler(job), job_env_compiler(job) };

	job->compiler = job_first_known(stages, ARRAY_SIZE(stages));
	job->tag.built_by = job->compiler;
	job_locate(job, output);
	job->tag.crate =
		job->tag.role == ROLE_LINK ? path_crate(output) : span_dup(job->where.package);
	if (job->where.host)
		job->tag.target = xstrdup("host");
	else
		job->tag.target = span_dup(job->where.target);
}

static bool is_null_device(const char *path)
{
	return path && (!strcmp(path, "/dev/null") || text_equal_fold(path, "nul"));
}

static enum role role_of_driver(const struct job *job, const struct tool_options *options)
{
	bool lost = !job->command.argv->nr || options->unread;

	if (options->compiles)
		return ROLE_CC;
	if (options->preprocesses)
		return options->output ? ROLE_CC : ROLE_PROBE;
	if (!job->command.argv->nr)
		return job_parent_is(job, ROLE_RUSTC) ? ROLE_LINK : ROLE_CC;
	return options->inputs || lost ? ROLE_LINK : ROLE_PROBE;
}

static enum role role_of_tool(const struct job *job, const struct tool_options *options)
{
	bool bare = !options->inputs && !options->output && !options->unread;

	switch (job->command.program) {
	case PROGRAM_LINKER:
	case PROGRAM_LINKER_MSVC:
	case PROGRAM_LINK_STEP:
		if (options->lib)
			return ROLE_AR;
		return bare && job->command.argv->nr ? ROLE_PROBE : ROLE_LINK;
	case PROGRAM_CC_PASS:
		return options->preprocesses && !options->output ? ROLE_PROBE : ROLE_CC;
	default:
		return options->cc1 ? ROLE_CC : role_of_driver(job, options);
	}
}

/* Whether it is the `link` of coreutils, which Git for Windows puts before Microsoft's in the PATH. */
static bool is_coreutils_link(const struct command *command)
{
	const char *path = command->path;

	return span_is(path_file(path), "link") &&
	       (strstr(path, "usr\\bin\\") || strstr(path, "usr/bin/") ||
		text_starts_with(path, "/bin/"));
}

static enum spelling spelling_of(const struct command *command)
{
	const char *flavor = argv_value(command->argv, command->first, "-flavor");

	if (command->program == PROGRAM_CC_MSVC || command->program == PROGRAM_LINKER_MSVC ||
	    (flavor && text_equal_fold(flavor, "link")))
		return SPELLING_MSVC;
	return SPELLING_UNIX;
}

void job_tag_tool(struct job *job)
{
	const struct command *command = &job->command;
	struct tool_options options;

	if (command->program == PROGRAM_LINKER_MSVC && is_coreutils_link(command)) {
		job_set_other(job, job_why_system);
		return;
	}
	options = tool_options_scan(command->argv, command->first, spelling_of(command));
	job->tag.role = role_of_tool(job, &options);
	if (options.asks || is_null_device(options.output) || job_parent_is(job, ROLE_PROBE))
		job->tag.role = ROLE_PROBE;
	tag_tool(job, options.output);
}

void job_tag_archiver(struct job *job)
{
	struct tool_options options = archiver_options_scan(job->command.argv, job->command.first);

	job->tag.role = options.asks || job_parent_is(job, ROLE_PROBE) ? ROLE_PROBE : ROLE_AR;
	tag_tool(job, options.output);
}

void job_tag_query(struct job *job)
{
	job->tag.role = ROLE_PROBE;
	tag_tool(job, NULL);
}

/* Commands of git that only read are probes. */
void job_tag_git(struct job *job)
{
	static const char asking[] =
		"rev-parse rev-list log status diff diff-index diff-tree describe config "
		"ls-files ls-tree ls-remote merge-base show cat-file name-rev "
		"symbolic-ref branch remote grep for-each-ref --version";
	const struct strvec *argv = job->command.argv;
	size_t i = job->command.first;

	while (i < argv->nr && argv->v[i][0] == '-' && argv->v[i][1] != '-')
		i += text_has_word("-C -c", argv->v[i]) ? 2 : 1;
	if (i < argv->nr && text_has_word(asking, argv->v[i]))
		job_tag_query(job);
	else
		job_set_other(job, job_why_system);
}
