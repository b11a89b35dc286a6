#include "record/session.h"

#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/interrupt.h"
#include "record/collect.h"
#include "record/facts.h"
#include "record/settings.h"
#include "record/steps.h"
#include "rundir/bundle.h"
#include "rundir/layout.h"
#include "rundir/open_script.h"
#include "util/alloc.h"
#include "util/array.h"

static int copy_into_run(struct session *s, const char *from, const char *name, struct err *err)
{
	char *to = fs_join(s->plan->dir, name);
	int rc = fs_copy(from, to, err);

	free(to);
	return rc;
}

static int write_into_run(struct session *s, const char *name, const char *text, struct err *err)
{
	char *path = fs_join(s->plan->dir, name);
	int rc = fs_write_atomic(path, text, strlen(text), err);

	free(path);
	return rc;
}

/* The toml that x.py will read, so that the run can be repeated. */
static int copy_bootstrap_toml(struct session *s, struct err *err)
{
	static const char *const names[] = { "bootstrap.toml", "config.toml" };
	const char *given = s->plan->config->bootstrap_config;

	if (given)
		return copy_into_run(s, given, RUN_BOOTSTRAP_TOML, err);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = fs_join(s->plan->source, names[i]);
		int found = fs_size(path) >= 0,
		    rc = found ? copy_into_run(s, path, RUN_BOOTSTRAP_TOML, err) : 0;

		free(path);
		if (found)
			return rc;
	}
	return 0;
}

static int write_open_sh(struct session *s, struct err *err)
{
	char *path = fs_join(s->plan->dir, RUN_OPEN_SH);
	int rc = write_into_run(s, RUN_OPEN_SH, open_script_sh, err);

	if (!rc)
		rc = fs_set_executable(path, err);
	free(path);
	return rc;
}

/* For a trace that WPA reads. Its stack tags, which the profile names, are beside it. */
static int copy_wpa_profile(struct session *s, struct err *err)
{
	const char *profile = s->plan->config->wpa_profile, *trace = s->plan->recorder->trace;
	char *folder, *tags;
	int rc;

	if (!profile || fs_size(profile) < 0 || !trace || strcmp(trace, RUN_ETL))
		return 0;
	folder = fs_dirname(profile);
	tags = fs_join(folder, RUN_STACKTAGS);
	rc = copy_into_run(s, profile, RUN_WPA_PROFILE, err);
	if (!rc && fs_size(tags) >= 0)
		rc = copy_into_run(s, tags, RUN_STACKTAGS, err);
	free(tags);
	free(folder);
	return rc;
}

static int copy_inputs(struct session *s, struct err *err)
{
	const struct config *config = s->plan->config;
	struct strbuf ini = STRBUF_INIT;
	int rc;

	config_add_ini(config, &ini);
	rc = write_into_run(s, RUN_CONFIG, ini.buf, err);
	strbuf_release(&ini);
	if (!rc && s->plan->source)
		rc = copy_bootstrap_toml(s, err);
	if (!rc)
		rc = write_open_sh(s, err);
	if (!rc)
		rc = copy_wpa_profile(s, err);
	return rc;
}

static void describe(struct session *s)
{
	struct manifest *manifest = &s->manifest;
	struct record_plan *plan = s->plan;

	manifest->name = xstrdup(plan->run);
	manifest->version = xstrdup(STAGETRACE_VERSION);
	manifest->cookie = xasprintf("%s.%llx", plan->run, (unsigned long long)clock_now());
	manifest->recorder = xstrdup(plan->recorder->name);
	if (plan->recorder->version)
		manifest->recorder_version = plan->recorder->version(plan->recorder);
	manifest->source = xstrdup_or_null(plan->source);
	manifest->clock = xstrdup(clock_name);
	/* Until the recording has a start of its own. */
	manifest->clock_base_ns = clock_now();
	facts_add_host(manifest);
	if (plan->source)
		facts_add_git(manifest, plan->source);
}

/* The directory with all that is known before anything runs. */
static int prepare(struct session *s, struct err *err)
{
	int rc = fs_mkdir_all(s->plan->output, err);
	char *logs;

	/* A recording that started in the same second may take the name from under us. */
	while (!rc && (rc = fs_mkdir_new(s->plan->dir, err)) && err->code == ERR_UNSUPPORTED) {
		err_clear(err);
		plan_name_run(s->plan);
		rc = 0;
	}
	s->begun = !rc;
	logs = fs_join(s->plan->dir, RUN_LOGS);
	if (!rc)
		rc = fs_lock(s->plan->dir, &s->lock, err);
	if (!rc)
		rc = fs_mkdir(logs, err);
	if (!rc) {
		describe(s);
		rc = copy_inputs(s, err);
	}
	if (!rc)
		rc = steps_write_state(s, RUN_PREPARED, err);
	free(logs);
	return rc;
}

static int run_stages(struct session *s, struct err *err)
{
	const struct record_plan *plan = s->plan;
	const struct unrecorded stage1 = {
		"stage1", "stage 1", &plan->stage1, &plan->config->stage1, RUN_STAGE1_LOG,
	};
	const struct unrecorded before = {
		"before", "before stage 2", &plan->before, &plan->config->stage2, RUN_BEFORE_LOG,
	};

	if (plan->stage1.nr && steps_run_unrecorded(s, &stage1, err))
		return -1;
	if (plan->before.nr && steps_run_unrecorded(s, &before, err))
		return -1;
	return steps_record_stage2(s, err);
}

/* Give the run its final name. A stage 1 that failed leaves a run as well: its log tells why. */
static int finish(struct session *s, struct err *err)
{
	s->put_back = settings_put_back(&s->manifest, s->options->messages);
	if (s->manifest.state == RUN_COLLECTING)
		collect_symbols(s->options->keep_symbols, &s->manifest, s->plan->dir,
				s->options->messages);
	return collect_finish(&s->manifest, s->manifest.reason ? RUN_FAILED : RUN_DONE,
			      s->plan->dir, s->plan->final_dir, err);
}

static bool show_packing(int64_t done, int64_t total, void *data)
{
	struct session *s = data;
	struct status_facts facts = { .what = "packing the bundle", .trace_bytes = -1, .lost = -1 };

	(void)done;
	(void)total;
	if (s->status.tty && status_due(&s->status))
		status_show(&s->status, &facts);
	return interrupt_count() > 0;
}

static int pack(struct session *s, char **bundle, struct err *err)
{
	struct bundle_options options = {
		.compress = s->plan->config->compress,
		.without_symbols = s->plan->config->symbols == SYMBOLS_NONE,
		.progress = show_packing,
		.data = s,
	};
	char *path = xasprintf("%s.zip", s->plan->final_dir);
	int rc = bundle_write(s->plan->final_dir, path, &options, err);

	status_wipe(&s->status);
	if (!rc) {
		*bundle = path;
		return 0;
	}
	free(path);
	return err_wrap(err, "the run is whole, but its bundle could not be written");
}

/* What can't go on now is left as it is, under its .partial name, with the way out. */
static int leave_partial(struct session *s, struct err *err)
{
	s->put_back = settings_put_back(&s->manifest, s->options->messages);
	build_tree_end(s->manifest.cookie, 0, 0);
	if (fs_is_dir(s->plan->dir)) {
		struct err ignored = ERR_INIT;

		/* Once the build was over, what failed is only the saving: `recover` may still do that. */
		if (s->manifest.state < RUN_STOPPING)
			steps_fail(s, "%s", err->msg);
		manifest_write(&s->manifest, s->plan->dir, &ignored);
		err_clear(&ignored);
		fprintf(s->options->messages,
			"stagetrace: what was recorded is in '%s': 'stagetrace recover' finishes "
			"it\n",
			s->plan->dir);
	}
	return -1;
}

static int run_session(struct session *s, char **run_dir, char **bundle, struct err *err)
{
	struct err failure = ERR_INIT;
	int rc;

	if (prepare(s, err) || guard_start(s->manifest.cookie, &s->guard, err))
		return s->begun ? leave_partial(s, err) : -1;
	rc = run_stages(s, &failure);
	if (rc && s->manifest.state > RUN_STAGE1 && !s->not_started) {
		*err = failure;
		return leave_partial(s, err);
	}
	/* Before stage 2 there is nothing to recover: the run is closed as failed, with its logs. */
	if (rc)
		steps_fail(s, "%s", failure.msg);
	err_clear(&failure);
	if (finish(s, err))
		return leave_partial(s, err);
	*run_dir = xstrdup(s->plan->final_dir);
	if (s->manifest.reason)
		return err_set(err, ERR_FAILED, "%s", s->manifest.reason);
	return s->options->bundle ? pack(s, bundle, err) : 0;
}

int session_run(struct record_plan *plan, const struct session_options *options, char **run_dir,
		char **bundle, struct err *err)
{
	struct session session = { .plan = plan, .options = options, .put_back = true };
	int64_t timeout = plan->config->timeout_ns;
	int rc;

	*run_dir = *bundle = NULL;
	interrupt_catch();
	manifest_init(&session.manifest);
	status_init(&session.status, options->messages);
	session.deadline_ns = timeout ? clock_now() + timeout : 0;
	rc = run_session(&session, run_dir, bundle, err);
	status_wipe(&session.status);
	if (session.put_back)
		guard_dismiss(session.guard);
	else
		guard_leave_undo(session.guard);
	fs_unlock(session.lock);
	manifest_release(&session.manifest);
	return rc;
}
