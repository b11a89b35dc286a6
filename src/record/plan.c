#include "record/plan.h"

#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "platform/setting.h"
#include "platform/shell.h"
#include "rundir/layout.h"
#include "util/alloc.h"

/* The output directory need not exist yet. */
static char *absolute_output(const char *path)
{
	char *absolute = fs_absolute(path), *dir, *parent;

	if (absolute)
		return absolute;
	dir = fs_dirname(path);
	parent = strcmp(dir, path) != 0 ? absolute_output(dir) : xstrdup(dir);
	absolute = fs_join(parent, fs_file_name(path));
	free(parent);
	free(dir);
	return absolute;
}

static int no_profiler(const struct config *config, struct err *err)
{
	struct strbuf place = STRBUF_INIT;

	config_add_place(config, "record", "recorder", &place);
	err_set(err, ERR_UNSUPPORTED, "%s: profiler '%s' does not run on this system: use 'auto'",
		place.buf, config->recorder);
	strbuf_release(&place);
	return -1;
}

static void forget_name(struct record_plan *plan)
{
	free(plan->run);
	free(plan->final_dir);
	free(plan->dir);
	free(plan->build_log);
}

void plan_name_run(struct record_plan *plan)
{
	bool taken = true;

	for (int number = 1; taken; number++) {
		char *zip;

		forget_name(plan);
		plan->run =
			number == 1 ? xstrdup(plan->stem) : xasprintf("%s-%d", plan->stem, number);
		plan->final_dir = fs_join(plan->output, plan->run);
		plan->dir = xasprintf("%s" RUN_PARTIAL, plan->final_dir);
		plan->build_log = fs_join(plan->dir, RUN_STAGE2_LOG);
		zip = xasprintf("%s.zip", plan->final_dir);
		taken = fs_exists(plan->final_dir) || fs_exists(plan->dir) || fs_exists(zip);
		free(zip);
	}
	plan->job.dir = plan->dir;
	plan->job.build_log = plan->build_log;
}

static void init(struct record_plan *plan, const struct config *config,
		 const struct profiler_ops *profiler, bool skip_stage1, int64_t start_wall_ns)
{
	char utc[CLOCK_UTC_SIZE];

	*plan = (struct record_plan){
		.config = config,
		.profiler = profiler,
		.build = config_is_bootstrap(config) ? "stage 2" : "the command",
		.skip_stage1 = skip_stage1,
		.job = { .config = config },
		.stage1 = STRVEC_INIT,
		.before = STRVEC_INIT,
		.stage2 = STRVEC_INIT,
	};
	clock_format_utc_name(start_wall_ns, utc);
	plan->output = absolute_output(config->output);
	plan->stem = xasprintf("%s-%s", config->name, utc);
	plan_name_run(plan);
}

static void add_build(struct record_plan *plan)
{
	const struct config *config = plan->config;

	plan->source = config->unseen ? NULL : fs_absolute(config->source);
	if (!plan->source)
		plan->source = xstrdup(config->source);
	if (!plan->skip_stage1)
		config_stage_argv(config, &config->stage1, &plan->stage1);
	config_before_argv(config, &config->stage2, &plan->before);
	config_stage_argv(config, &config->stage2, &plan->stage2);
}

int plan_init(struct record_plan *plan, const struct config *config, bool skip_stage1,
	      int64_t start_wall_ns, struct err *err)
{
	const struct profiler_ops *profiler = profiler_find(config->recorder);

	if (!profiler || !profiler->suits(profiler))
		return no_profiler(config, err);
	if (!config->source || !config->stage2.command.nr)
		return err_set(err, ERR_CONFIG,
			       "%s: with [heap] pid nothing is built: use 'stagetrace heap'",
			       config->path);
	init(plan, config, profiler, skip_stage1, start_wall_ns);
	plan->job.cpu = config->cpu;
	plan->job.memory = config->virtualalloc;
	plan->job.touched = config_wants_touched(config);
	add_build(plan);
	return 0;
}

int plan_init_heap(struct record_plan *plan, const struct config *config, bool skip_stage1,
		   int64_t start_wall_ns, struct err *err)
{
	if (!heap_profiler.suits(&heap_profiler))
		return err_set(err, ERR_UNSUPPORTED,
			       "heap snapshots need Windows Performance Recorder, which runs on "
			       "Windows only; here 'stagetrace record CONFIG' and then 'stagetrace "
			       "memory RUN --by stack' show who allocated the memory");
	init(plan, config, &heap_profiler, skip_stage1, start_wall_ns);
	plan->job.attached = config->heap_job.pids.nr > 0;
	if (!plan->job.attached)
		add_build(plan);
	return 0;
}

void plan_release(struct record_plan *plan)
{
	free(plan->source);
	free(plan->output);
	free(plan->stem);
	forget_name(plan);
	strvec_release(&plan->stage1);
	strvec_release(&plan->before);
	strvec_release(&plan->stage2);
}

void plan_environment(const struct config_stage *stage, const char *cookie, struct strvec *env)
{
	strvec_push_all(env, &stage->env);
	strvec_pushf(env, BUILD_COOKIE "=%s", cookie);
}

char *plan_variable(const struct record_plan *plan, const char *name)
{
	const struct strvec *env = &plan->config->stage2.env;
	size_t len = strlen(name);

	for (size_t i = env->nr; i-- > 0;) {
		if (!strncmp(env->v[i], name, len) && env->v[i][len] == '=')
			return env->v[i][len + 1] ? xstrdup(env->v[i] + len + 1) : NULL;
	}
	return env_get(name);
}

static void add_command(struct strbuf *sb, const char *title, const struct record_plan *plan,
			const struct config_stage *stage, const struct strvec *argv,
			const char *log)
{
	char *path = log ? fs_join(plan->dir, log) : NULL;

	shell_add_comment(sb, title);
	shell_add_run(sb, plan->source, &stage->env, argv, path);
	free(path);
}

void plan_add_commands(const struct record_plan *plan, struct strbuf *sb)
{
	const struct config *config = plan->config;
	struct profiler_settings settings = { NULL, 0, 0 };
	struct strvec argv = STRVEC_INIT;
	char *logs = fs_join(plan->dir, RUN_LOGS), *title;
	int own_execs;

	if (plan->profiler->settings)
		plan->profiler->settings(&plan->job, &settings);
	shell_add_mkdir(sb, logs);
	free(logs);
	if (plan->stage1.nr)
		add_command(sb, "stage 1, not recorded", plan, &config->stage1, &plan->stage1,
			    RUN_STAGE1_LOG);
	if (plan->before.nr)
		add_command(sb, "before stage 2, not recorded", plan, &config->stage2,
			    &plan->before, RUN_BEFORE_LOG);
	for (size_t i = 0; i < settings.nr; i++) {
		shell_add_comment(sb, "restored afterwards");
		setting_add_command(sb, settings.v[i].path, settings.v[i].value);
		strbuf_addc(sb, '\n');
	}
	if (plan->profiler->show)
		plan->profiler->show(plan->profiler, &plan->job, false, sb);
	if (!plan->job.attached) {
		profiler_command(plan->profiler, &plan->job, &plan->stage2, &argv, &own_execs);
		title = xasprintf("%s, recorded", plan->build);
		add_command(sb, title, plan, &config->stage2, &argv,
			    plan->profiler->wraps_build ? RUN_RECORDER_LOG : RUN_STAGE2_LOG);
		free(title);
	}
	if (plan->profiler->show)
		plan->profiler->show(plan->profiler, &plan->job, true, sb);
	strvec_release(&argv);
	profiler_settings_release(&settings);
}
