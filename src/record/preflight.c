/*
 * plan_check(): what would stop or spoil a recording, found before it costs an hour.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/process_id.h"
#include "record/bootstrap_setting.h"
#include "record/compiler_check.h"
#include "record/plan.h"
#include "record/recover.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

static void check_source(const struct record_plan *plan, struct finding_list *findings)
{
	struct strbuf place = STRBUF_INIT;
	char *x_py = fs_join(plan->source, "x.py");

	config_add_place(plan->config, "run", "source", &place);
	if (!fs_is_dir(plan->source))
		finding_add(findings, FINDING_ERROR, "the build runs there",
			    "give --set run.source=DIR, or correct [run] source; a relative one "
			    "is relative to the configuration file",
			    "%s: there is no directory '%s'", place.buf, plan->source);
	else if (!config_is_bootstrap(plan->config))
		finding_add(findings, FINDING_OK, NULL, NULL, "the command runs in %s",
			    plan->source);
	else if (!fs_exists(x_py))
		finding_add(findings, FINDING_ERROR,
			    "a rustc checkout has one, and the build commands run it",
			    "set [run] source to the top of the checkout",
			    "%s: there is no x.py in '%s'", place.buf, plan->source);
	else if (!fs_can_read(x_py))
		finding_add(findings, FINDING_ERROR, "the build commands run it",
			    "give this user the right to read it", "this user may not read '%s'",
			    x_py);
	else
		finding_add(findings, FINDING_OK, NULL, NULL, "checkout with x.py at %s",
			    plan->source);
	free(x_py);
	strbuf_release(&place);
}

/* A command with a path is relative to the checkout. */
static bool can_run(const struct record_plan *plan, const char *program)
{
	char *path = strpbrk(program, "/\\") ? fs_join(plan->source, program) : xstrdup(program);
	char *found = fs_find_program(path);

	free(path);
	free(found);
	return found != NULL;
}

static void check_command(const struct record_plan *plan, const char *section, const char *key,
			  const struct strvec *argv, struct finding_list *findings)
{
	struct strbuf place = STRBUF_INIT;
	const char *remedy = "install it, or correct the command";

	if (!argv->nr)
		return;
	config_add_place(plan->config, section, key, &place);
	if (can_run(plan, argv->v[0])) {
		strbuf_release(&place);
		return;
	}
	if (!strcmp(argv->v[0], "python") && can_run(plan, "python3"))
		remedy = "this system calls it python3: write that in the command";
	finding_add(findings, FINDING_ERROR, "the command could not be run", remedy,
		    "%s: no program '%s' is found", place.buf, argv->v[0]);
	strbuf_release(&place);
}

static void check_file(const struct record_plan *plan, const char *section, const char *key,
		       const char *path, enum finding_level level, const char *why,
		       const char *remedy, struct finding_list *findings)
{
	struct strbuf place = STRBUF_INIT;

	if (!path || fs_size(path) >= 0)
		return;
	config_add_place(plan->config, section, key, &place);
	finding_add(findings, level, why, remedy, "%s: there is no file '%s'", place.buf, path);
	strbuf_release(&place);
}

/* `path` or its nearest existing parent directory; if none exists, the topmost. The caller frees it. */
static char *find_upwards(const char *path, bool (*is_one)(const char *path))
{
	char *at = xstrdup(path), *above;

	while (!is_one(at)) {
		bool last;

		above = fs_dirname(at);
		last = !strcmp(above, at);
		free(at);
		at = above;
		if (last)
			break;
	}
	return at;
}

static void check_disk(const struct record_plan *plan, const char *what, const char *path,
		       struct finding_list *findings)
{
	char *dir = find_upwards(path, fs_is_dir);
	int64_t bytes = fs_free_space(dir), wanted = plan->config->min_free_disk_bytes;
	struct strbuf found = STRBUF_INIT, needed = STRBUF_INIT;

	text_add_bytes(&found, bytes);
	text_add_bytes(&needed, wanted);
	if (bytes >= 0 && bytes < wanted)
		finding_add(findings, FINDING_ERROR,
			    "a build and its trace need much space, and a full disk ends both",
			    "free some space, or lower [record] min-free-disk",
			    "%s free for %s at %s, but min-free-disk is %s", found.buf, what, dir,
			    needed.buf);
	else if (bytes >= 0)
		finding_add(findings, FINDING_OK, NULL, NULL, "%s free for %s", found.buf, what);
	strbuf_release(&found);
	strbuf_release(&needed);
	free(dir);
}

/* Can the run directory be created? */
static void check_writable(const char *output, struct finding_list *findings)
{
	char *dir = find_upwards(output, fs_exists);

	if (!fs_is_dir(dir))
		finding_add(findings, FINDING_ERROR, "runs are written there",
			    "correct [run] output, or use --out", "'%s' is not a directory", dir);
	else if (!fs_can_write_in(dir))
		finding_add(findings, FINDING_ERROR, "runs are written there",
			    "set [run] output or --out to another directory, or become its owner",
			    "this user may not write in '%s'", dir);
	free(dir);
}

static void check_dead(const struct profiler_ops *profiler, const struct manifest *manifest,
		       const char *dir, struct finding_list *findings)
{
	const struct manifest_command *command = recover_living_command(manifest);
	char *remedy = xasprintf("stagetrace recover %s", dir);

	if (command)
		finding_add(findings, FINDING_ERROR, "it may still change the system or the trace",
			    remedy, "%s of an interrupted recording still runs: process %lld",
			    profiler->name, (long long)process_id_number(command->process));
	profiler->find_leftovers(profiler, manifest, dir, findings);
	free(remedy);
}

/* Report what an interrupted recording has left on the system, if its profiler is a service. */
static void check_leftovers(const char *dir, struct finding_list *findings)
{
	const struct profiler_ops *profiler = NULL;
	struct fs_lock *lock = NULL;
	struct err err = ERR_INIT;
	struct manifest manifest;

	manifest_init(&manifest);
	if (!manifest_read(dir, &manifest, &err) && manifest.recorder)
		profiler = profiler_find(manifest.recorder);
	if (profiler_is_service(profiler) && profiler->suits(profiler) &&
	    !profiler_session_is_over(&manifest)) {
		/* A recording in progress has locked its directory. */
		if (fs_lock(dir, &lock, &err))
			finding_add(findings, FINDING_ERROR, "the two would disturb each other",
				    "wait for its end", "a recording is in progress: %s", dir);
		else
			check_dead(profiler, &manifest, dir, findings);
		fs_unlock(lock);
	}
	err_clear(&err);
	manifest_release(&manifest);
}

static void check_output(const struct record_plan *plan, struct finding_list *findings)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	check_writable(plan->output, findings);
	if (fs_is_dir(plan->output) && fs_list(plan->output, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr; i++) {
		char *dir = xasprintf("%s/%s", plan->output, names.v[i]);

		if (text_ends_with(dir, RUN_PARTIAL) && !text_ends_with(dir, ".zip" RUN_PARTIAL)) {
			finding_add(findings, FINDING_NOTE,
				    "it may contain a trace, or be in progress",
				    "stagetrace recover finishes or abandons it",
				    "there is an interrupted recording: %s", dir);
			check_leftovers(dir, findings);
		}
		free(dir);
	}
	strvec_release(&names);
	check_disk(plan, "the run", plan->output, findings);
	if (plan->source && fs_is_dir(plan->source))
		check_disk(plan, "the build", plan->source, findings);
}

static void add_findings(const struct finding_list *from, bool soften,
			 struct finding_list *findings)
{
	for (size_t i = 0; i < from->nr; i++) {
		enum finding_level level = from->v[i].level;

		finding_add(findings, soften && level == FINDING_ERROR ? FINDING_WARNING : level,
			    from->v[i].why, from->v[i].remedy, "%s", from->v[i].what);
	}
}

/*
 * "auto" falls back to the next profiler, which records less, and reports that. It does not if the better one is
 * installed and the user can correct the problem (no elevated prompt, another recording in progress): else a build of an
 * hour would have no trace.
 */
static void check_profiler(struct record_plan *plan, struct finding_list *findings)
{
	bool any = !strcmp(plan->config->recorder, "auto");

	for (;;) {
		struct finding_list own = FINDING_LIST_INIT;
		const struct profiler_ops *next = any ? profiler_next(plan->profiler) : NULL;
		bool fails;

		plan->job.no_fallback = false;
		plan->profiler->check(&plan->job, &own);
		fails = finding_has(&own, FINDING_ERROR);
		if (plan->job.no_fallback)
			next = NULL;
		add_findings(&own, fails && next, findings);
		finding_list_release(&own);
		if (!fails || !next)
			return;
		plan->profiler = next;
	}
}

/* x.py would fail only after it has built what it finds to be built. */
static void check_build_dir(const struct record_plan *plan, struct finding_list *findings)
{
	char *build = bootstrap_build_dir(plan);
	char *dir = find_upwards(build, fs_exists);

	if (fs_is_dir(dir) && !fs_can_write_in(dir))
		finding_add(
			findings, FINDING_ERROR, "x.py builds there",
			"become its owner, or --set bootstrap.build.build-dir=DIR, in which this "
			"user may write",
			"this user may not write in '%s'", dir);
	free(dir);
	free(build);
}

static void check_build(const struct record_plan *plan, struct finding_list *findings)
{
	const struct config *config = plan->config;

	check_source(plan, findings);
	if (config_is_bootstrap(config) && fs_is_dir(plan->source))
		check_build_dir(plan, findings);
	if (config_is_bootstrap(config) && !plan->skip_stage1 && !plan->stage1.nr)
		finding_add(findings, FINDING_ERROR, "stage 2 is built by the stage 1 compiler",
			    "set it, or use --skip-stage1 if stage 1 is built already",
			    "%s: [stage1] has no command", config->path);
	check_command(plan, "stage1", "command", &plan->stage1, findings);
	check_command(plan, "stage2", "before", &plan->before, findings);
	check_command(plan, "stage2", "command", &plan->stage2, findings);
	check_file(plan, "bootstrap", "config", config->bootstrap_config, FINDING_ERROR,
		   "x.py would stop without it",
		   "correct the path; it is relative to the configuration file", findings);
}

static void check_compiler(const struct record_plan *plan, struct finding_list *findings)
{
	char *build = bootstrap_build_dir(plan);

	compiler_check(build, findings);
	free(build);
}

void plan_check(struct record_plan *plan, struct finding_list *findings)
{
	const struct config *config = plan->config;

	if (plan->source)
		check_build(plan, findings);
	check_file(plan, "bundle", "wpa-profile", config->wpa_profile, FINDING_WARNING,
		   "the run will lack the profile for WPA",
		   "correct the path, which is relative to the configuration file, or remove the "
		   "setting: then the run has the profile that comes with stagetrace",
		   findings);
	check_profiler(plan, findings);
	if (config->heap && !plan->profiler->records_heap)
		finding_add(findings, FINDING_WARNING, "the trace will have no heap allocations",
			    "set heap = no: virtualalloc records memory, and stagetrace heap the "
			    "heaps of single processes",
			    "profiler '%s' cannot record the heap", plan->profiler->name);
	if (plan->source && plan->skip_stage1 && config_is_bootstrap(config))
		check_compiler(plan, findings);
	check_output(plan, findings);
}
