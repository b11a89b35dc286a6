#include "record/steps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/exit_code.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define MIN_DISK_FLOOR (INT64_C(2) << 20)
#define SHOWN_LINES    8
#define SHOWN_LOG_SIZE (1 << 16)
#define MAX_DISK_FLOOR (INT64_C(256) << 20)

int steps_write_state(struct session *s, enum run_state state, struct err *err)
{
	s->manifest.state = state;
	return manifest_write(&s->manifest, s->plan->dir, err);
}

void steps_warn(struct session *s, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	status_wipe(&s->status);
	fprintf(s->options->messages, "stagetrace: warning: %s\n", text.buf);
	strvec_push_nodup(&s->manifest.warnings, strbuf_detach(&text));
}

void steps_fail(struct session *s, const char *fmt, ...)
{
	struct strbuf reason = STRBUF_INIT;
	va_list ap;

	if (s->manifest.reason)
		return;
	va_start(ap, fmt);
	strbuf_addvf(&reason, fmt, ap);
	va_end(ap);
	s->manifest.reason = strbuf_detach(&reason);
}

static int64_t disk_floor(const struct config *config)
{
	int64_t floor = config->min_free_disk_bytes / 32;

	return floor < MIN_DISK_FLOOR   ? MIN_DISK_FLOOR
	       : floor > MAX_DISK_FLOOR ? MAX_DISK_FLOOR
					: floor;
}

struct runner steps_runner(struct session *s, const char *what, const char *build_log)
{
	return (struct runner){
		.what = what,
		.dir = s->plan->dir,
		.cookie = s->manifest.cookie,
		.build_log = build_log,
		.verbose = s->options->verbose,
		.deadline_ns = s->deadline_ns,
		.disk_floor = disk_floor(s->plan->config),
		.status = &s->status,
		.messages = s->options->messages,
	};
}

struct manifest_command *steps_note_command(struct session *s, const char *what,
					    const struct strvec *argv,
					    const struct config_stage *stage)
{
	struct manifest_command *command = manifest_add_command(&s->manifest, what);

	strvec_push_all(&command->argv, argv);
	strvec_push_all(&command->env, &stage->env);
	command->cwd = xstrdup(s->plan->source);
	return command;
}

void steps_end_leftovers(struct session *s)
{
	struct build_tree tree = BUILD_TREE_INIT;
	struct strbuf text = STRBUF_INIT;
	int64_t end = clock_now() + NS_PER_S;

	do {
		build_tree_find(s->manifest.cookie, 0, &tree);
		if (tree.nr)
			clock_sleep(50 * NS_PER_MS);
	} while (tree.nr && clock_now() < end);
	if (tree.nr) {
		strbuf_addf(&text, "the build left %zu process%s running, which %s ended:", tree.nr,
			    tree.nr == 1 ? "" : "es", tree.nr == 1 ? "was" : "were");
		for (size_t i = 0; i < tree.nr && i < 10; i++)
			strbuf_addf(&text, " %s (pid %lld)", tree.v[i].name,
				    (long long)tree.v[i].pid);
		steps_warn(s, "%s", text.buf);
		build_tree_end(s->manifest.cookie, 0, 3 * NS_PER_S);
	}
	strbuf_release(&text);
	build_tree_release(&tree);
}

void steps_show_log(const struct session *s, const char *path)
{
	struct strbuf log = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *from;
	int lines = 0;

	if (fs_read_end(path, SHOWN_LOG_SIZE, &log, &err))
		err_clear(&err);
	for (from = log.buf + log.len; from > log.buf; from--) {
		if (from[-1] == '\n' && from < log.buf + log.len && ++lines == SHOWN_LINES)
			break;
	}
	if (*from && !s->options->verbose)
		fprintf(s->options->messages, "%s%s", from,
			strbuf_ends_with(&log, "\n") ? "" : "\n");
	strbuf_release(&log);
}

static int stage_failed(const char *what, int64_t exit_code, const char *log, struct err *err)
{
	struct strbuf how = STRBUF_INIT;

	exit_code_add_failure(&how, exit_code);
	err_set(err, ERR_FAILED, "%s %s; its output is in '%s'", what, how.buf, log);
	strbuf_release(&how);
	return -1;
}

int steps_run_unrecorded(struct session *s, const struct unrecorded *what, struct err *err)
{
	char *log = fs_join(s->plan->dir, what->log_name);
	char *final_log = fs_join(s->plan->final_dir, what->log_name);
	struct manifest_command *command =
		steps_note_command(s, what->name, what->argv, what->stage);
	struct runner runner = steps_runner(s, what->title, log);
	struct strvec env = STRVEC_INIT;
	struct child_options options = {
		.argv = what->argv,
		.cwd = s->plan->source,
		.env = &env,
		.output = log,
	};
	enum run_end end = RUN_END_ITSELF;
	struct child child;
	int rc;

	plan_environment(what->stage, s->manifest.cookie, &env);
	fprintf(s->options->messages, "stagetrace: %s, not recorded\n", what->title);
	command->start_ns = clock_now() - s->manifest.clock_base_ns;
	rc = steps_write_state(s, RUN_STAGE1, err);
	if (!rc)
		rc = child_start(&options, &child, err);
	if (!rc)
		rc = child_release(&child, &options, err);
	if (!rc) {
		end = runner_wait(&runner, &child, err);
		command->exit_code = child.exit_code;
		steps_end_leftovers(s);
	}
	command->end_ns = clock_now() - s->manifest.clock_base_ns;
	if (!rc && end != RUN_END_ITSELF)
		rc = err_set(err, ERR_FAILED, "%s: %s", what->title, run_end_reason(end));
	if (!rc && child.exit_code)
		steps_show_log(s, log);
	if (!rc && child.exit_code)
		rc = stage_failed(what->title, child.exit_code, final_log, err);
	strvec_release(&env);
	free(final_log);
	free(log);
	return rc;
}
