#include "record/recording.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/shipped.h"
#include "platform/below.h"
#include "platform/build_tree.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "platform/program.h"
#include "platform/shell.h"
#include "record/bootstrap_setting.h"
#include "record/describe.h"
#include "record/settings.h"
#include "rundir/bundle.h"
#include "rundir/layout.h"
#include "rundir/open_script.h"
#include "rundir/wpa_profile.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/print.h"
#include "util/text.h"

#define MIN_DISK_FLOOR  (INT64_C(2) << 20)
#define MAX_DISK_FLOOR  (INT64_C(256) << 20)
#define SHOWN_LINES     20
#define WPA_PROFILE_MAX (INT64_C(64) << 20)
#define SHOWN_LOG_SIZE  (1 << 16)

int recording_write_state(struct recording *r, enum run_state state, struct err *err)
{
	r->manifest.state = state;
	return manifest_write(&r->manifest, r->plan->dir, err);
}

static int64_t disk_floor(const struct config *config)
{
	int64_t floor = config->min_free_disk_bytes / 32;

	return floor < MIN_DISK_FLOOR   ? MIN_DISK_FLOOR
	       : floor > MAX_DISK_FLOOR ? MAX_DISK_FLOOR
					: floor;
}

struct runner recording_runner(struct recording *r, const char *what, const char *build_log)
{
	return (struct runner){
		.what = what,
		.dir = r->plan->dir,
		.cookie = r->manifest.cookie,
		.build_log = build_log,
		.verbose = r->options->verbose,
		.deadline_ns = r->deadline_ns,
		.disk_floor = disk_floor(r->plan->config),
		.status = &r->status,
		.messages = r->options->messages,
	};
}

struct manifest_command *recording_note_command(struct recording *r, const char *what,
						const struct strvec *argv,
						const struct config_stage *stage)
{
	struct manifest_command *command = manifest_add_command(&r->manifest, what);

	strvec_push_all(&command->argv, argv);
	strvec_push_all(&command->env, &stage->env);
	command->cwd = xstrdup(r->plan->source);
	return command;
}

void recording_note_end(struct recording *r, enum run_end end)
{
	r->stopped = end != RUN_END_NORMAL && end != RUN_END_TIMEOUT;
}

void recording_end_leftovers(struct recording *r)
{
	struct build_tree tree = BUILD_TREE_INIT;
	struct strbuf text = STRBUF_INIT;
	int64_t end = clock_now() + NS_PER_S;

	do {
		build_tree_find(r->manifest.cookie, 0, &tree);
		if (tree.nr)
			clock_sleep(50 * NS_PER_MS);
	} while (tree.nr && clock_now() < end);
	if (tree.nr) {
		strbuf_addf(&text, "the build left %zu process%s running, which %s ended:", tree.nr,
			    tree.nr == 1 ? "" : "es", tree.nr == 1 ? "was" : "were");
		for (size_t i = 0; i < tree.nr && i < 10; i++)
			strbuf_addf(&text, " %s (pid %lld)", tree.v[i].name,
				    (long long)tree.v[i].pid);
		status_warn(&r->status, &r->manifest.warnings, "%s", text.buf);
		build_tree_end(r->manifest.cookie, 0, 3 * NS_PER_S);
	}
	strbuf_release(&text);
	build_tree_release(&tree);
}

/* Without what colours a terminal. */
static void add_rendered(struct strbuf *sb, const char *text)
{
	while (*text) {
		if (!strncmp(text, "\033[", 2)) {
			text += 2 + strspn(text + 2, "0123456789;");
			text += *text == 'm';
		} else {
			strbuf_addc(sb, *text++);
		}
	}
}

/* The lines of an output. Of what rustc says to cargo, in JSON, which a replayed call says too, the text for people. */
static void add_output(struct strbuf *sb, const char *from)
{
	while (*from) {
		size_t len = strcspn(from, "\n");
		json_t *object = *from == '{' ? json_loadb(from, len, 0, NULL) : NULL;
		const char *rendered = json_string_value(json_object_get(object, "rendered"));

		if (rendered) {
			add_rendered(sb, rendered);
		} else if (!json_object_get(object, "artifact")) {
			strbuf_add(sb, from, len);
			strbuf_addc(sb, '\n');
		}
		json_decref(object);
		from += len + (from[len] == '\n');
	}
}

void recording_show_failure(const struct recording *r, const struct strvec *command,
			    const char *path)
{
	struct strbuf log = STRBUF_INIT, words = STRBUF_INIT, shown = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *from;
	int lines = 0;

	shell_add_words(&words, command);
	print_line(r->options->messages, "", "this command failed: %s", words.buf);
	if (fs_read_end(path, SHOWN_LOG_SIZE, &log, &err))
		err_clear(&err);
	for (from = log.buf + log.len; from > log.buf; from--) {
		if (from[-1] == '\n' && from < log.buf + log.len && ++lines == SHOWN_LINES)
			break;
	}
	if (!log.len)
		print_line(r->options->messages, "", "it printed nothing");
	if (*from && !r->options->verbose && from > log.buf)
		print_line(r->options->messages, "", "the last %d lines of its output:", lines);
	else if (*from && !r->options->verbose)
		print_line(r->options->messages, "", "its output:");
	if (!r->options->verbose) {
		add_output(&shown, from);
		print_text(r->options->messages, shown.buf);
	}
	strbuf_release(&shown);
	strbuf_release(&log);
	strbuf_release(&words);
}

static int copy_into_run(struct recording *r, const char *from, const char *name, struct err *err)
{
	return below_copy(from, r->plan->dir, name, err);
}

static int write_into_run(struct recording *r, const char *name, const char *text, struct err *err)
{
	return below_write(r->plan->dir, name, text, strlen(text), err);
}

/* Copy the toml file that x.py will read into the run, so that the build can be repeated. */
static int copy_bootstrap_toml(struct recording *r, struct err *err)
{
	char *path = bootstrap_toml(r->plan);
	int rc = path ? copy_into_run(r, path, RUN_BOOTSTRAP_TOML, err) : 0;

	free(path);
	return rc;
}

static int write_open_sh(struct recording *r, struct err *err)
{
	char *path = fs_join(r->plan->dir, RUN_OPEN_SH);
	int rc = write_into_run(r, RUN_OPEN_SH, open_script_sh, err);

	if (!rc)
		rc = fs_set_executable(path, err);
	free(path);
	return rc;
}

/* What the trace will have, for the tabs of WPA. */
static unsigned recorded_data(const struct recording *r)
{
	const struct config *config = r->plan->config;
	const struct config_heap *heap = &config->heap_job;
	unsigned data = 0;

	if (r->plan->profiler->snapshot_processes)
		return heap->recipe && !strcmp(heap->recipe, "tracing") ? WPA_HEAP_CALLS
									: WPA_HEAP_SNAPSHOTS;
	if (config->cpu)
		data |= WPA_CPU_SAMPLES;
	if (config->virtualalloc)
		data |= WPA_VIRTUAL_ALLOC;
	if (config->heap)
		data |= WPA_HEAP_CALLS;
	return data;
}

/* Tabs that would be empty are left out. */
static int write_wpa_profile(struct recording *r, const char *profile, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = fs_read(profile, WPA_PROFILE_MAX, &text, err);

	if (!rc) {
		wpa_profile_keep(&text, recorded_data(r));
		rc = below_write(r->plan->dir, RUN_WPA_PROFILE, text.buf, text.len, err);
	}
	strbuf_release(&text);
	return rc ? err_wrap(err, "cannot copy the profile for WPA") : 0;
}

/*
 * For an ETL trace, and for the one that `stagetrace convert` makes of another. The stack tags that the profile names are
 * in the same directory.
 */
static int copy_profile(struct recording *r, const char *profile, struct err *err)
{
	char *dir, *tags;
	int rc;

	if (fs_size(profile) < 0 || !r->plan->profiler->trace)
		return 0;
	dir = fs_dirname(profile);
	tags = fs_join(dir, RUN_STACKTAGS);
	rc = write_wpa_profile(r, profile, err);
	if (!rc && fs_size(tags) >= 0)
		rc = copy_into_run(r, tags, RUN_STACKTAGS, err);
	free(tags);
	free(dir);
	return rc;
}

/* The profile of the configuration, else the one that came with the program, if that is installed. */
static int copy_wpa_profile(struct recording *r, struct err *err)
{
	char *shipped = NULL;
	const char *profile = r->plan->config->wpa_profile;
	int rc;

	if (!profile)
		profile = shipped = shipped_find("profiles/" RUN_WPA_PROFILE);
	rc = profile ? copy_profile(r, profile, err) : 0;
	free(shipped);
	return rc;
}

static int copy_inputs(struct recording *r, struct err *err)
{
	const struct config *config = r->plan->config;
	struct strbuf ini = STRBUF_INIT;
	int rc;

	config_add_ini(config, &ini);
	rc = write_into_run(r, RUN_CONFIG, ini.buf, err);
	strbuf_release(&ini);
	if (!rc && r->plan->source)
		rc = copy_bootstrap_toml(r, err);
	if (!rc)
		rc = write_open_sh(r, err);
	if (!rc)
		rc = copy_wpa_profile(r, err);
	return rc;
}

static void describe(struct recording *r)
{
	struct manifest *manifest = &r->manifest;
	struct record_plan *plan = r->plan;
	struct strvec notes = STRVEC_INIT;

	manifest->name = xstrdup(plan->run);
	manifest->version = xstrdup(STAGETRACE_VERSION);
	manifest->cookie = xasprintf("%s.%llx", plan->run, (unsigned long long)clock_now());
	manifest->place = fs_identity(plan->dir);
	manifest->clock = xstrdup(clock_name);
	/* Preliminary: stage 2 sets the start of the recording. */
	manifest->clock_base_ns = clock_now();
	describe_given(plan, plan->dir, manifest, &notes);
	for (size_t i = 0; i < notes.nr; i++)
		print_line(r->options->messages, "warning: ", "%s", notes.v[i]);
	strvec_release(&notes);
}

/* Create the directory, with everything known before a command runs. */
static int prepare(struct recording *r, struct err *err)
{
	int rc = owner_mkdir_all(r->plan->output, config_file_mode(r->plan->config),
				 &r->manifest.warnings, err);

	/* Another recording that started in the same second may have taken the name. */
	while (!rc && (rc = fs_mkdir_new(r->plan->dir, err)) && err->code == ERR_UNSUPPORTED) {
		err_clear(err);
		plan_name_run(r->plan);
		rc = 0;
	}
	r->begun = !rc;
	if (!rc)
		rc = fs_lock(r->plan->dir, &r->lock, err);
	if (!rc)
		rc = below_mkdir(r->plan->dir, RUN_LOGS, err);
	if (!rc) {
		describe(r);
		rc = copy_inputs(r, err);
	}
	if (!rc)
		rc = recording_write_state(r, RUN_PREPARED, err);
	return rc;
}

/* A command that is not recorded: stage 1, or what runs before stage 2. */
struct unrecorded {
	const char *name;  /* in the manifest */
	const char *title; /* for people */
	const struct strvec *argv;
	const struct config_stage *stage; /* its environment */
	const char *log_name;
};

static int run_unrecorded(struct recording *r, const struct unrecorded *what, struct err *err)
{
	char *log = fs_join(r->plan->dir, what->log_name);
	char *final_log = fs_join(r->plan->final_dir, what->log_name);
	struct manifest_command *command =
		recording_note_command(r, what->name, what->argv, what->stage);
	struct runner runner = recording_runner(r, what->title, log);
	struct strbuf how = STRBUF_INIT;
	struct strvec env = STRVEC_INIT;
	struct child_options options = {
		.argv = what->argv,
		.cwd = r->plan->source,
		.env = &env,
		.output = log,
	};
	enum run_end end = RUN_END_NORMAL;
	struct child child;
	int rc;

	plan_environment(what->stage, r->manifest.cookie, &env);
	print_line(r->options->messages, "", "%s, not recorded", what->title);
	command->start_ns = clock_now() - r->manifest.clock_base_ns;
	rc = recording_write_state(r, RUN_STAGE1, err);
	if (!rc)
		rc = child_start(&options, &child, err);
	if (!rc)
		rc = child_release(&child, &options, err);
	if (!rc) {
		end = runner_wait(&runner, &child, err);
		command->exit_code = child.exit_code;
		recording_end_leftovers(r);
	}
	command->end_ns = clock_now() - r->manifest.clock_base_ns;
	recording_note_end(r, end);
	if (!rc && end != RUN_END_NORMAL)
		rc = err_set(err, ERR_FAILED, "%s: %s", what->title, run_end_reason(end));
	if (!rc && child.exit_code) {
		recording_show_failure(r, what->argv, log);
		exit_code_add_failure(&how, child.exit_code);
		rc = err_set(err, ERR_FAILED, "%s %s; its output is in '%s'", what->title, how.buf,
			     final_log);
	}
	strbuf_release(&how);
	strvec_release(&env);
	free(final_log);
	free(log);
	return rc;
}

static int run_stages(struct recording *r, struct err *err)
{
	const struct record_plan *plan = r->plan;
	const struct unrecorded stage1 = {
		"stage1", "stage 1", &plan->stage1, &plan->config->stage1, RUN_STAGE1_LOG,
	};
	const struct unrecorded before = {
		"before", "before stage 2", &plan->before, &plan->config->stage2, RUN_BEFORE_LOG,
	};

	if (plan->stage1.nr && run_unrecorded(r, &stage1, err))
		return -1;
	if (plan->before.nr && run_unrecorded(r, &before, err))
		return -1;
	describe_made(plan, &r->manifest);
	return recording_run_stage2(r, err);
}

/* Give the run its final name. A failed stage 1 leaves a run as well, with its log. */
static int finish(struct recording *r, struct err *err)
{
	bool distilled = false;

	r->restored = settings_restore(&r->manifest, r->options->messages);
	if (!r->restored)
		settings_hand_over(&r->manifest, r->guard);
	if (r->manifest.state == RUN_COLLECTING)
		distilled = collect_symbols(r->options->keep_symbols, &r->status, &r->manifest,
					    r->plan->dir);
	return collect_finish(&r->manifest, r->manifest.reason ? RUN_FAILED : RUN_DONE, distilled,
			      r->plan->dir, r->plan->final_dir, err);
}

static int pack(struct recording *r, char **bundle, struct err *err)
{
	struct strvec warnings = STRVEC_INIT;
	struct bundle_options options = {
		.compress = r->plan->config->compress,
		.replace = true, /* what an interrupted one left: the name is that of the run */
		.mode = config_file_mode(r->plan->config),
		.without_symbols = r->plan->config->symbols == SYMBOLS_NONE,
		.names_only = r->plan->config->symbols == SYMBOLS_USED,
		.stack_warnings = &warnings,
		.progress = &(struct progress){ &r->status, status_step },
	};
	char *path = xasprintf("%s.zip", r->plan->final_dir);
	pack_run_fn *write = r->options->pack ? r->options->pack : bundle_write;
	int rc;

	status_begin_steps(&r->status);
	rc = write(r->plan->final_dir, path, &options, err);
	status_wipe(&r->status);
	for (size_t i = 0; !rc && i < warnings.nr; i++)
		print_line(r->options->messages, "warning: ", "%s", warnings.v[i]);
	strvec_release(&warnings);
	if (!rc) {
		*bundle = path;
		return 0;
	}
	free(path);
	return err_wrap(err, "the run is complete, but its bundle could not be written");
}

/* The recording cannot be finished now: keep the directory under its .partial name, and say how to recover it. */
static int leave_partial(struct recording *r, struct err *err)
{
	/* What the guard has taken over stays its task. */
	r->restored = settings_restore(&r->manifest, r->options->messages) && r->restored;
	build_tree_end(r->manifest.cookie, 0, 0);
	if (fs_is_dir(r->plan->dir)) {
		struct err ignored = ERR_INIT;

		/* After the build's end only saving can fail, which `recover` can repeat. */
		if (r->manifest.state < RUN_STOPPING)
			manifest_fail(&r->manifest, "%s", err->msg);
		manifest_write(&r->manifest, r->plan->dir, &ignored);
		err_clear(&ignored);
		print_line(r->options->messages, "",
			   "the recorded data is in '%s': 'stagetrace recover' completes the run",
			   r->plan->dir);
	}
	return -1;
}

/* A failed recording is what others are asked about. */
static void pack_failed(struct recording *r, char **bundle)
{
	struct err err = ERR_INIT;

	if (pack(r, bundle, &err))
		print_line(r->options->messages, "warning: ", "%s", err.msg);
	err_clear(&err);
}

static int run_recording(struct recording *r, char **run_dir, char **bundle, struct err *err)
{
	struct err failure = ERR_INIT;
	int rc;

	if (prepare(r, err) || guard_start(r->manifest.cookie, &r->guard, err))
		return r->begun ? leave_partial(r, err) : -1;
	rc = run_stages(r, &failure);
	if (rc && r->manifest.state > RUN_STAGE1 && !r->not_started) {
		*err = failure;
		return leave_partial(r, err);
	}
	/* Before stage 2 there is nothing to recover: close the run as failed, with its logs. */
	if (rc)
		manifest_fail(&r->manifest, "%s", failure.msg);
	err_clear(&failure);
	if (finish(r, err))
		return leave_partial(r, err);
	*run_dir = xstrdup(r->plan->final_dir);
	if (r->manifest.reason) {
		if (r->options->bundle && !r->stopped && !r->not_started)
			pack_failed(r, bundle);
		return err_set(err, ERR_FAILED, "%s", r->manifest.reason);
	}
	return r->options->bundle ? pack(r, bundle, err) : 0;
}

int record_run(struct record_plan *plan, const struct record_options *options, char **run_dir,
	       char **bundle, struct err *err)
{
	struct recording recording = { .plan = plan, .options = options, .restored = true };
	int64_t timeout = plan->config->timeout_ns;
	int rc;

	*run_dir = *bundle = NULL;
	interrupt_catch();
	manifest_init(&recording.manifest);
	status_init(&recording.status, options->messages);
	recording.deadline_ns = timeout ? clock_now() + timeout : 0;
	rc = run_recording(&recording, run_dir, bundle, err);
	status_wipe(&recording.status);
	if (recording.restored)
		guard_dismiss(recording.guard);
	else
		guard_leave_undo(recording.guard);
	fs_unlock(recording.lock);
	manifest_release(&recording.manifest);
	return rc;
}
