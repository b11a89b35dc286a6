#include <stdlib.h>
#include <string.h>

#include "tag/argv.h"
#include "tag/job.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static enum program program_of(const char *path)
{
	return program_named(path_file(path));
}

/* Whether it is ~/.cargo/bin/rustc: rustup, which runs the rustc of a toolchain. */
static bool is_proxy(const char *path)
{
	return program_of(path) == PROGRAM_PROXY || strstr(path, ".cargo/bin/") ||
	       strstr(path, ".cargo\\bin\\");
}

static bool is_shim(const struct command *command)
{
	return command->wrapped || is_proxy(command->path) ||
	       path_is_bootstrap_program(command->path) ||
	       (command->alias && path_is_bootstrap_program(command->alias));
}

/* The first argument of the shim and of clippy-driver is the compiler's name. */
static size_t skip_own_name(const struct command *command)
{
	size_t first = command->first;

	while (first < command->argv->nr &&
	       (program_of(command->argv->v[first]) == PROGRAM_RUSTC ||
		program_of(command->argv->v[first]) == PROGRAM_RUSTDOC))
		first++;
	return first;
}

static bool builds_std(const struct job *job, const struct build_path *where)
{
	struct build_path env = path_parse(job->in->target_dir);
	const char *part = job->in->parent ? job->in->parent->part : NULL;

	if (where->tree != TREE_NONE)
		return span_is(where->mode, "std");
	if (env.tree != TREE_NONE)
		return span_is(env.mode, "std");
	return part && text_ends_with(part, "-std");
}

/* The stage of a rustc by its path and arguments alone. */
static int own_compiler(const struct command *command, const struct rustc_options *options)
{
	const int stages[] = {
		path_compiler_stage(command->path),
		path_compiler_stage(command->alias),
		path_compiler_stage(options->sysroot),
		options->cfg_bootstrap ? 0 : STAGE_UNKNOWN,
	};

	return job_first_known(stages, ARRAY_SIZE(stages));
}

/*
 * The stage of a rustc, or of the rustc that a shim will run. In the build of the library the shim runs the snapshot
 * (stage 0) to compile host programs: those without --target, but not for -vV.
 */
static int rustc_compiler(const struct job *job, const struct rustc_options *options,
			  const struct build_path *where)
{
	bool snapshot = !options->target && !options->version && builds_std(job, where);
	const int stages[] = {
		path_compiler_stage(job->command.path),
		job->in->before_exec ? job->in->before_exec->built_by : STAGE_UNKNOWN,
		own_compiler(&job->command, options),
		snapshot ? 0 : STAGE_UNKNOWN,
		job_env_compiler(job),
		job_parent_compiler(job),
	};

	return job_first_known(stages, ARRAY_SIZE(stages));
}

/* Whether its options are unknown: only the parent shows its purpose. */
static bool is_lost(const struct job *job, const struct rustc_options *options)
{
	return !job->command.argv->nr || (options->unread && !options->crate_name);
}

static bool is_rustc_probe(const struct job *job, const struct rustc_options *options)
{
	const char *source = options->source;

	if (options->asks || job_parent_is(job, ROLE_PROBE) || (source && !strcmp(source, "-")))
		return true;
	/* Build scripts run rustc only for probes: autocfg compiles a few lines and discards the result. */
	if (is_lost(job, options) && job_parent_is(job, ROLE_BUILD_SCRIPT))
		return true;
	if (is_lost(job, options))
		return !options->unread && !job->in->argv_lost &&
		       !job_parent_is(job, ROLE_RUSTC_SHIM);
	if (options->crate_name)
		return !strcmp(options->crate_name, "___") || !*options->crate_name ||
		       (job_parent_is(job, ROLE_BUILD_SCRIPT) && options->emits &&
			!options->emits_link);
	return !source || !(text_ends_with(source, ".rs") || text_ends_with(source, ".md"));
}

/* Without --crate-name, rustc names a crate after its source file. */
static char *crate_of_source(const char *source)
{
	struct span file = path_file(source);
	char *name;

	for (size_t i = file.len; i > 1; i--)
		if (file.s[i - 1] == '.') {
			file.len = i - 1;
			break;
		}
	name = span_dup(file);
	for (char *c = name; c && *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static char *crate_of_rustc(const struct job *job, const struct rustc_options *options)
{
	const char *name = options->crate_name;

	if (!name)
		return options->source ? crate_of_source(options->source) : NULL;
	if (!text_starts_with(name, "build_script_"))
		return xstrdup(name);
	if (job->where.package.len)
		return span_dup(job->where.package);
	return xstrdup(job->in->package && *job->in->package ? job->in->package : name);
}

static char *target_of_rustc(const struct job *job, const char *target)
{
	struct span file;

	if (target) {
		file = path_file(target);
		if (file.len > 5 && span_is((struct span){ file.s + file.len - 5, 5 }, ".json"))
			file.len -= 5;
		return span_dup(file);
	}
	return job_host_target(job);
}

/* A rustc whose options are unknown has those of its shim. */
static void copy_from_shim(struct job *job)
{
	const struct tag *parent = job->in->parent;

	if (!parent || parent->role != ROLE_RUSTC_SHIM)
		return;
	job->tag.crate_type = xstrdup_or_null(parent->crate_type);
	job->tag.target = xstrdup_or_null(parent->target);
}

void job_tag_rustc(struct job *job)
{
	size_t first = skip_own_name(&job->command);
	struct rustc_options options = rustc_options_scan(job->command.argv, first);
	const char *out = options.out_dir ? options.out_dir : options.output;
	struct build_path where = path_parse(out);

	job->compiler = rustc_compiler(job, &options, &where);
	job->tag.built_by = job->compiler;
	job_locate(job, out);
	if (is_rustc_probe(job, &options)) {
		job->tag.role = ROLE_PROBE;
		job->tag.crate = span_dup(job->where.package);
		job->tag.target = options.target ? target_of_rustc(job, options.target) : NULL;
		return;
	}
	if (is_shim(&job->command))
		job->tag.role = ROLE_RUSTC_SHIM;
	else
		job->tag.role = job->command.program == PROGRAM_RUSTDOC ? ROLE_RUSTDOC : ROLE_RUSTC;
	if (is_lost(job, &options)) {
		copy_from_shim(job);
		return;
	}
	job->tag.crate = crate_of_rustc(job, &options);
	job->tag.crate_type = rustc_crate_types(job->command.argv, first);
	job->tag.target = target_of_rustc(job, options.target);
}

enum tag_numbering tag_detect_numbering(const struct tag_input *in)
{
	enum tag_numbering shown = NUMBERING_UNKNOWN;
	struct rustc_options options;
	struct build_path where;
	struct command command;

	if (!in->exec_seen || !in->argv || !in->argv->nr)
		return NUMBERING_UNKNOWN;
	command_resolve(in->exe, in->argv, &command);
	if (command.program == PROGRAM_RUSTC) {
		options = rustc_options_scan(command.argv, skip_own_name(&command));
		where = path_parse(options.out_dir);
		if (span_is(where.mode, "rustc"))
			shown = part_numbering(&where, own_compiler(&command, &options));
	}
	command_release(&command);
	return shown;
}
