#include "tag/job.h"

#include <stdlib.h>
#include <string.h>

#include "tag/argv.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

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

void job_set_other(struct job *job, const char *why)
{
	job->tag.role = ROLE_OTHER;
	job->tag.why = why;
}

void job_locate(struct job *job, const char *path)
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

static void tag_build_script(struct job *job)
{
	const int stages[] = { job_env_compiler(job), job_parent_compiler(job) };

	job->tag.role = ROLE_BUILD_SCRIPT;
	job->compiler = job_first_known(stages, ARRAY_SIZE(stages));
	job->tag.built_by = job->compiler;
	job_locate(job, job->command.path);
	if (job->where.package.len)
		job->tag.crate = span_dup(job->where.package);
	else if (job->in->package && *job->in->package)
		job->tag.crate = xstrdup(job->in->package);
	job->tag.target = job_host_target(job);
}

/* The part that cargo builds, by its manifest, if CARGO_TARGET_DIR is unknown. `up`: 1 if the part is of the next stage. */
static const struct manifest {
	const char *glob;
	const char *mode;
	int up;
} manifests[] = {
	{ "*src/bootstrap/Cargo.toml", "bootstrap", STAGE_UNKNOWN },
	{ "*library/*Cargo.toml", "std", 0 },
	{ "*compiler/rustc/Cargo.toml", "rustc", 1 },
	{ "*compiler/rustc_codegen_*/Cargo.toml", "codegen", 1 },
};

static char *part_of_manifest(const char *manifest, int compiler)
{
	char *path = xstrdup(manifest), *part = NULL;

	for (char *c = path; *c; c++)
		if (*c == '\\')
			*c = '/';
	for (size_t i = 0; i < ARRAY_SIZE(manifests) && !part; i++) {
		const struct manifest *row = &manifests[i];

		if (!text_glob(row->glob, path, true))
			continue;
		if (row->up == STAGE_UNKNOWN)
			part = xstrdup(row->mode);
		else if (compiler != STAGE_UNKNOWN)
			part = xasprintf("stage%d-%s", compiler + row->up, row->mode);
	}
	free(path);
	return part;
}

static void tag_cargo(struct job *job)
{
	const char *manifest = argv_value(job->command.argv, job->command.first, "--manifest-path");

	job->tag.role = ROLE_CARGO;
	job->compiler = job_env_compiler(job);
	job_locate(job, job->in->target_dir);
	if (!job->tag.part && manifest)
		job->tag.part = part_of_manifest(manifest, job->compiler);
	job->tag.built_by = job->compiler;
	if (job->tag.built_by == STAGE_UNKNOWN)
		job->tag.built_by = part_compiler(job->tag.part, false);
}

static void tag_bootstrap(struct job *job)
{
	job->tag.role = ROLE_BOOTSTRAP;
}

static void tag_x_py(struct job *job)
{
	job->tag.role = ROLE_X_PY;
}

static void tag_cmake(struct job *job)
{
	const struct strvec *argv = job->command.argv;

	job->tag.role = ROLE_CMAKE;
	for (size_t i = job->command.first; i < argv->nr; i++) {
		const char *value = strchr(argv->v[i], '=');

		if (!strcmp(argv->v[i], "--version") || !strcmp(argv->v[i], "--help"))
			job->tag.role = ROLE_PROBE;
		if (job->where.tree == TREE_NONE)
			job_locate(job, value ? value + 1 : argv->v[i]);
	}
}

/* The tagging of each program: by a function, or as `other` with a reason. */
static const struct program_tagger {
	void (*tag)(struct job *job);
	const char *why;
} taggers[] = {
	[PROGRAM_UNKNOWN] = { NULL, "not a known program of a build" },
	[PROGRAM_RUSTC] = { job_tag_rustc, NULL },
	[PROGRAM_RUSTDOC] = { job_tag_rustc, NULL },
	[PROGRAM_CARGO] = { tag_cargo, NULL },
	[PROGRAM_BOOTSTRAP] = { tag_bootstrap, NULL },
	[PROGRAM_X_PY] = { tag_x_py, NULL },
	[PROGRAM_BUILD_SCRIPT] = { tag_build_script, NULL },
	[PROGRAM_CC] = { job_tag_tool, NULL },
	[PROGRAM_CC_MSVC] = { job_tag_tool, NULL },
	[PROGRAM_CC_PASS] = { job_tag_tool, NULL },
	[PROGRAM_LINKER] = { job_tag_tool, NULL },
	[PROGRAM_LINKER_MSVC] = { job_tag_tool, NULL },
	[PROGRAM_LINK_STEP] = { job_tag_tool, NULL },
	[PROGRAM_AR] = { job_tag_archiver, NULL },
	[PROGRAM_CMAKE] = { tag_cmake, NULL },
	[PROGRAM_QUERY] = { job_tag_query, NULL },
	[PROGRAM_GIT] = { job_tag_git, NULL },
	[PROGRAM_SHELL] = { NULL, job_why_system },
	[PROGRAM_POWERSHELL] = { NULL, job_why_system },
	[PROGRAM_CMD] = { NULL, job_why_system },
	[PROGRAM_PYTHON] = { NULL, "a script other than x.py" },
	[PROGRAM_ENV] = { NULL, job_why_system },
	[PROGRAM_CACHE] = { NULL, "a compiler cache that compiles nothing itself" },
	[PROGRAM_CACHE_CL] = { NULL, "a compiler cache that compiles nothing itself" },
	[PROGRAM_PROXY] = { NULL, "rustup, managing toolchains" },
	[PROGRAM_SYSTEM] = { NULL, job_why_system },
	[PROGRAM_RECORDER] = { NULL, "a profiler or tracer" },
	[PROGRAM_HELPER] = { NULL, "a background service of a build tool" },
	[PROGRAM_GENERATOR] = { NULL, "a code generator of a C or C++ build" },
};

static void tag_program(struct job *job)
{
	const struct program_tagger *tagger = &taggers[job->command.program];

	if (tagger->tag)
		tagger->tag(job);
	else
		job_set_other(job, tagger->why);
}

/* The built-in program that a user's rule for a role is treated as. */
static enum program program_of_role(enum role role)
{
	static const enum program programs[ROLE_COUNT] = {
		[ROLE_RUSTC] = PROGRAM_RUSTC,
		[ROLE_RUSTC_SHIM] = PROGRAM_RUSTC,
		[ROLE_RUSTDOC] = PROGRAM_RUSTDOC,
		[ROLE_CARGO] = PROGRAM_CARGO,
		[ROLE_BOOTSTRAP] = PROGRAM_BOOTSTRAP,
		[ROLE_X_PY] = PROGRAM_X_PY,
		[ROLE_BUILD_SCRIPT] = PROGRAM_BUILD_SCRIPT,
		[ROLE_LINK] = PROGRAM_LINKER,
		[ROLE_CC] = PROGRAM_CC,
		[ROLE_AR] = PROGRAM_AR,
		[ROLE_CMAKE] = PROGRAM_CMAKE,
		[ROLE_PROBE] = PROGRAM_QUERY,
	};

	return programs[role];
}

static bool glob_matches(const char *glob, const char *path)
{
	char *image;
	bool matches;

	if (!path || !*path)
		return false;
	image = span_dup(path_file(path));
	matches = image && text_glob(glob, image, true);
	free(image);
	return matches;
}

static const struct tag_rule *find_rule(const struct tag_rules *rules, const struct job *job)
{
	for (size_t i = 0; rules && i < rules->nr; i++)
		if (glob_matches(rules->v[i].glob, job->in->exe) ||
		    glob_matches(rules->v[i].glob, job->command.path) ||
		    glob_matches(rules->v[i].glob, job->command.alias) ||
		    glob_matches(rules->v[i].glob, job->command.script))
			return &rules->v[i];
	return NULL;
}

/* Whether `program` is of the role of `other`, but has its own option syntax: a rule for the role must not replace it. */
static bool is_like(enum program program, enum program other)
{
	if (other == PROGRAM_LINKER)
		return program == PROGRAM_LINKER_MSVC || program == PROGRAM_CC_MSVC ||
		       program == PROGRAM_CC || program == PROGRAM_LINK_STEP;
	return other == PROGRAM_CC && (program == PROGRAM_CC_MSVC || program == PROGRAM_CC_PASS);
}

static void tag_by_rule(struct job *job, const struct tag_rule *rule)
{
	enum program program = program_of_role(rule->role);
	enum role role;

	if (rule->role == ROLE_OTHER) {
		job_set_other(job, "a [tag] rule of the configuration says so");
		return;
	}
	if (!is_like(job->command.program, program))
		job->command.program = program;
	tag_program(job);
	role = job->tag.role;
	if (role != ROLE_PROBE && !(role == ROLE_LINK && rule->role == ROLE_CC)) {
		job->tag.role = rule->role;
		job->tag.why = NULL;
	}
}

static void tag_command(const struct tag_rules *rules, struct job *job)
{
	static const struct strvec no_arguments = STRVEC_INIT;
	const struct tag_rule *rule;

	command_resolve(job->in->exe, job->in->argv ? job->in->argv : &no_arguments, &job->command);
	rule = find_rule(rules, job);
	if (rule)
		tag_by_rule(job, rule);
	else
		tag_program(job);
	command_release(&job->command);
}

/* Tag a process with an unknown command line by its parent: a shim runs only rustc, a probe only probes. */
static void tag_unread(struct job *job)
{
	const struct tag *parent = job->in->parent;

	if (job_parent_is(job, ROLE_PROBE)) {
		job->tag.role = ROLE_PROBE;
	} else if (job_parent_is(job, ROLE_RUSTC_SHIM)) {
		job->tag.role = ROLE_RUSTC;
		job->tag.crate_type = xstrdup_or_null(parent->crate_type);
		job->tag.target = xstrdup_or_null(parent->target);
	} else {
		job_set_other(job, "it ended before its command line could be read");
	}
}

static void fill_from(struct job *job, const struct tag *from)
{
	struct tag *tag = &job->tag;

	if (!from)
		return;
	if (!tag->part)
		tag->part = xstrdup_or_null(from->part);
	if (tag->built_by == STAGE_UNKNOWN)
		tag->built_by = from->built_by;
	if (!tag->crate)
		tag->crate = xstrdup_or_null(from->crate);
	/* A build script is for the host, but what it runs may be for the host or the target. */
	if (!tag->target && tag->role != ROLE_PROBE && from->role != ROLE_BUILD_SCRIPT)
		tag->target = xstrdup_or_null(from->target);
}

/* Whether stage 0 does this work in the build of the library: it compiles host programs, but does not run build scripts. */
static bool uses_snapshot(const struct tag *tag)
{
	return tag->role != ROLE_BUILD_SCRIPT && tag->target && !strcmp(tag->target, "host");
}

/* Complete the tag from the program before the exec, the parent, then directories of the process. */
static void inherit(struct job *job)
{
	const struct tag_input *in = job->in;
	struct tag *tag = &job->tag;

	if (tag->role == ROLE_CARGO || tag->role == ROLE_BOOTSTRAP || tag->role == ROLE_X_PY)
		return;
	fill_from(job, in->before_exec);
	fill_from(job, in->parent);
	if (!tag->part && in->exec_seen) {
		const int stages[] = { job->compiler, tag->built_by, job_env_compiler(job) };

		job->compiler = job_first_known(stages, ARRAY_SIZE(stages));
		job_locate(job, in->target_dir);
		if (!tag->part)
			job_locate(job, in->cwd);
	}
	if (tag->built_by == STAGE_UNKNOWN)
		tag->built_by = part_compiler(tag->part, uses_snapshot(tag));
}

static bool is_unread(const struct tag_input *in)
{
	return (!in->exe || !*in->exe) && (!in->argv || !in->argv->nr || !*in->argv->v[0]);
}

void tag_process(const struct tag_rules *rules, const struct tag_input *in, struct tag *tag)
{
	struct job job = {
		.in = in,
		.where = path_parse(NULL),
		.compiler = STAGE_UNKNOWN,
		.tag = TAG_INIT,
	};

	if (!in->exec_seen)
		job_set_other(&job, "forked, ran no program of its own");
	else if (is_unread(in))
		tag_unread(&job);
	else
		tag_command(rules, &job);
	inherit(&job);
	tag_release(tag);
	*tag = job.tag;
}
