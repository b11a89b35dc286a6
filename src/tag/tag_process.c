#include "tag/tag.h"

#include <stdlib.h>
#include <string.h>

#include "tag/argv.h"
#include "tag/command.h"
#include "tag/path.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static const char why_system[] = "a shell or system tool";

/* A process that is being tagged. */
struct job {
	const struct tag_input *in;
	struct command command;
	struct build_path where; /* path of its output, or of its executable */
	int compiler; /* stage of the compiler that runs, or that it works for; STAGE_UNKNOWN */
	struct tag tag;
};

static bool parent_is(const struct job *job, enum role role)
{
	return job->in->parent && job->in->parent->role == role;
}

/* The stage of the compiler, by the parent or by RUSTC_STAGE; STAGE_UNKNOWN: not known. */
static int parent_compiler(const struct job *job)
{
	return job->in->parent ? job->in->parent->built_by : STAGE_UNKNOWN;
}

static int env_compiler(const struct job *job)
{
	const char *stage = job->in->rustc_stage;

	return stage && stage[0] >= '0' && stage[0] <= '9' && !stage[1] ? stage[0] - '0'
									: STAGE_UNKNOWN;
}

/* The first of `count` stages that is not STAGE_UNKNOWN. */
static int first_known(const int *stages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (stages[i] != STAGE_UNKNOWN)
			return stages[i];
	return STAGE_UNKNOWN;
}

static void set_other(struct job *job, const char *why)
{
	job->tag.role = ROLE_OTHER;
	job->tag.why = why;
}

/* Set `where` and the part from a path. A path outside a build directory, or NULL, changes nothing. */
static void locate(struct job *job, const char *path)
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

/*
 * The target of a process without --target: "host" in a part of a build, as bootstrap passes --target for everything
 * else; NULL elsewhere.
 */
static char *host_target(const struct job *job)
{
	return job->where.tree == TREE_STAGE || job->where.tree == TREE_PLAIN ? xstrdup("host")
									      : NULL;
}

/* Stage, part, crate and target of a tool: it works for the rustc or build script that started it. */
static void complete_tool(struct job *job, const char *output)
{
	const int stages[] = { parent_compiler(job), env_compiler(job) };

	job->compiler = first_known(stages, ARRAY_SIZE(stages));
	job->tag.built_by = job->compiler;
	locate(job, output);
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
		return parent_is(job, ROLE_RUSTC) ? ROLE_LINK : ROLE_CC;
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

static void tag_tool(struct job *job)
{
	const struct command *command = &job->command;
	struct tool_options options;

	if (command->program == PROGRAM_LINKER_MSVC && is_coreutils_link(command)) {
		set_other(job, why_system);
		return;
	}
	options = tool_options_scan(command->argv, command->first, spelling_of(command));
	job->tag.role = role_of_tool(job, &options);
	if (options.asks || is_null_device(options.output) || parent_is(job, ROLE_PROBE))
		job->tag.role = ROLE_PROBE;
	complete_tool(job, options.output);
}

static void tag_archiver(struct job *job)
{
	struct tool_options options = archiver_options_scan(job->command.argv, job->command.first);

	job->tag.role = options.asks || parent_is(job, ROLE_PROBE) ? ROLE_PROBE : ROLE_AR;
	complete_tool(job, options.output);
}

static void tag_query(struct job *job)
{
	job->tag.role = ROLE_PROBE;
	complete_tool(job, NULL);
}

/* Commands of git that only read are probes. */
static void tag_git(struct job *job)
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
		tag_query(job);
	else
		set_other(job, why_system);
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

	return first_known(stages, ARRAY_SIZE(stages));
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
		env_compiler(job),
		parent_compiler(job),
	};

	return first_known(stages, ARRAY_SIZE(stages));
}

/* Whether its options are unknown: only the parent shows its purpose. */
static bool is_lost(const struct job *job, const struct rustc_options *options)
{
	return !job->command.argv->nr || (options->unread && !options->crate_name);
}

static bool is_rustc_probe(const struct job *job, const struct rustc_options *options)
{
	const char *source = options->source;

	if (options->asks || parent_is(job, ROLE_PROBE) || (source && !strcmp(source, "-")))
		return true;
	/* Build scripts run rustc only for probes: autocfg compiles a few lines and discards the result. */
	if (is_lost(job, options) && parent_is(job, ROLE_BUILD_SCRIPT))
		return true;
	if (is_lost(job, options))
		return !options->unread && !job->in->argv_lost && !parent_is(job, ROLE_RUSTC_SHIM);
	if (options->crate_name)
		return !strcmp(options->crate_name, "___") || !*options->crate_name ||
		       (parent_is(job, ROLE_BUILD_SCRIPT) && options->emits &&
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
	return host_target(job);
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

static void tag_rustc(struct job *job)
{
	size_t first = skip_own_name(&job->command);
	struct rustc_options options = rustc_options_scan(job->command.argv, first);
	const char *out = options.out_dir ? options.out_dir : options.output;
	struct build_path where = path_parse(out);

	job->compiler = rustc_compiler(job, &options, &where);
	job->tag.built_by = job->compiler;
	locate(job, out);
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

static void tag_build_script(struct job *job)
{
	const int stages[] = { env_compiler(job), parent_compiler(job) };

	job->tag.role = ROLE_BUILD_SCRIPT;
	job->compiler = first_known(stages, ARRAY_SIZE(stages));
	job->tag.built_by = job->compiler;
	locate(job, job->command.path);
	if (job->where.package.len)
		job->tag.crate = span_dup(job->where.package);
	else if (job->in->package && *job->in->package)
		job->tag.crate = xstrdup(job->in->package);
	job->tag.target = host_target(job);
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
	job->compiler = env_compiler(job);
	locate(job, job->in->target_dir);
	if (!job->tag.part && manifest)
		job->tag.part = part_of_manifest(manifest, job->compiler);
	job->tag.built_by = job->compiler;
	if (job->tag.built_by == STAGE_UNKNOWN)
		job->tag.built_by = part_compiler(job->tag.part, false);
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
			locate(job, value ? value + 1 : argv->v[i]);
	}
}

/* How each program is tagged: by a function, with a role alone, or as `other` for a reason. */
static const struct program_tagger {
	void (*tag)(struct job *job);
	const char *why;
	enum role role;
} taggers[] = {
	[PROGRAM_UNKNOWN] = { .why = "not a known program of a build" },
	[PROGRAM_RUSTC] = { .tag = tag_rustc },
	[PROGRAM_RUSTDOC] = { .tag = tag_rustc },
	[PROGRAM_CARGO] = { .tag = tag_cargo },
	[PROGRAM_BOOTSTRAP] = { .role = ROLE_BOOTSTRAP },
	[PROGRAM_X_PY] = { .role = ROLE_X_PY },
	[PROGRAM_BUILD_SCRIPT] = { .tag = tag_build_script },
	[PROGRAM_CC] = { .tag = tag_tool },
	[PROGRAM_CC_MSVC] = { .tag = tag_tool },
	[PROGRAM_CC_PASS] = { .tag = tag_tool },
	[PROGRAM_LINKER] = { .tag = tag_tool },
	[PROGRAM_LINKER_MSVC] = { .tag = tag_tool },
	[PROGRAM_LINK_STEP] = { .tag = tag_tool },
	[PROGRAM_AR] = { .tag = tag_archiver },
	[PROGRAM_CMAKE] = { .tag = tag_cmake },
	[PROGRAM_QUERY] = { .tag = tag_query },
	[PROGRAM_GIT] = { .tag = tag_git },
	[PROGRAM_SHELL] = { .why = why_system },
	[PROGRAM_POWERSHELL] = { .why = why_system },
	[PROGRAM_CMD] = { .why = why_system },
	[PROGRAM_PYTHON] = { .why = "a script other than x.py" },
	[PROGRAM_ENV] = { .why = why_system },
	[PROGRAM_CACHE] = { .why = "a compiler cache that compiles nothing itself" },
	[PROGRAM_CACHE_CL] = { .why = "a compiler cache that compiles nothing itself" },
	[PROGRAM_PROXY] = { .why = "rustup, managing toolchains" },
	[PROGRAM_SYSTEM] = { .why = why_system },
	[PROGRAM_RECORDER] = { .why = "a profiler or tracer" },
	[PROGRAM_HELPER] = { .why = "a background service of a build tool" },
	[PROGRAM_GENERATOR] = { .why = "a code generator of a C or C++ build" },
};

static void tag_program(struct job *job)
{
	const struct program_tagger *tagger = &taggers[job->command.program];

	job->tag.role = tagger->role;
	job->tag.why = tagger->why;
	if (tagger->tag)
		tagger->tag(job);
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
		set_other(job, "a [tag] rule of the configuration says so");
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
	if (parent_is(job, ROLE_PROBE)) {
		job->tag.role = ROLE_PROBE;
	} else if (parent_is(job, ROLE_RUSTC_SHIM)) {
		job->tag.role = ROLE_RUSTC;
		copy_from_shim(job);
	} else {
		set_other(job, "it ended before its command line could be read");
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
		const int stages[] = { job->compiler, tag->built_by, env_compiler(job) };

		job->compiler = first_known(stages, ARRAY_SIZE(stages));
		locate(job, in->target_dir);
		if (!tag->part)
			locate(job, in->cwd);
	}
	if (tag->built_by == STAGE_UNKNOWN)
		tag->built_by = part_compiler(tag->part, uses_snapshot(tag));
}

/* Each process takes these from its parent, so that long ones would be copied for each. */
static void drop_long(char **text)
{
	if (*text && strlen(*text) > TAG_TEXT_MAX) {
		free(*text);
		*text = NULL;
	}
}

static void drop_long_texts(struct tag *tag)
{
	drop_long(&tag->crate);
	drop_long(&tag->crate_type);
	drop_long(&tag->part);
	drop_long(&tag->target);
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
		set_other(&job, "forked, ran no program of its own");
	else if (is_unread(in))
		tag_unread(&job);
	else
		tag_command(rules, &job);
	inherit(&job);
	drop_long_texts(&job.tag);
	tag_release(tag);
	*tag = job.tag;
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
