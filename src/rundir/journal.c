#include "rundir/journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "rundir/fields.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/json.h"
#include "util/strbuf.h"

/* Limit of a line: a command line has at most 2 MB on Linux, and response files are added. */
#define LINE_MAX_SIZE ((size_t)64 * 1024 * 1024)

struct journal {
	char *path;
	FILE *file;
	int errnum; /* of the first failure; 0: none */
};

static const char *const kind_names[] = {
	[PROC_FORK] = "fork",
	[PROC_EXEC] = "exec",
	[PROC_EXIT] = "exit",
	[PROC_USAGE] = "usage",
};

#define KIND_COUNT ARRAY_SIZE(kind_names)

static void put_kind(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, kind_names[*(const enum proc_event_kind *)at]);
}

static int get_kind(const json_t *object, const char *key, void *at, struct err *err)
{
	const char *name = json_string_value(json_object_get(object, key));

	for (size_t i = 0; name && i < KIND_COUNT; i++) {
		if (!strcmp(kind_names[i], name)) {
			*(enum proc_event_kind *)at = (enum proc_event_kind)i;
			return 0;
		}
	}
	return err_set(err, ERR_CORRUPT, "'%s' is not an event", key);
}

static const struct field_kind kind_kind = { .put = put_kind, .get = get_kind };

/* Members of each kind of event (proc_watch.h), after kind, time and process. */
static const struct field head_fields[] = {
	{ "event", &kind_kind, offsetof(struct proc_event, kind), NULL },
	{ "time_ns", &field_number, offsetof(struct proc_event, time_ns), NULL },
	{ "pid", &field_count, offsetof(struct proc_event, pid), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field fork_fields[] = {
	{ "ppid", &field_count, offsetof(struct proc_event, ppid), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field exec_fields[] = {
	{ "ppid", &field_count, offsetof(struct proc_event, ppid), NULL },
	{ "exe", &field_text, offsetof(struct proc_event, exe), NULL },
	{ "argv_lost", &field_bool, offsetof(struct proc_event, argv_lost), NULL },
	{ "argv", &field_strings, offsetof(struct proc_event, argv), NULL },
	{ "cwd", &field_text, offsetof(struct proc_event, cwd), NULL },
	{ "env", &field_env, offsetof(struct proc_event, env), NULL },
	{ "responses", &field_strings, offsetof(struct proc_event, responses), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field exit_fields[] = {
	{ "exit_code", &field_count, offsetof(struct proc_event, exit_code), NULL },
	{ "signal", &field_count, offsetof(struct proc_event, signal), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field usage_fields[] = {
	{ "cpu_ns", &field_count, offsetof(struct proc_event, cpu_ns), NULL },
	{ "peak_rss_bytes", &field_count, offsetof(struct proc_event, peak_rss_bytes), NULL },
	{ "peak_commit_bytes", &field_count, offsetof(struct proc_event, peak_commit_bytes), NULL },
	{ "wait_cpu_ns", &field_count, offsetof(struct proc_event, waits.cpu_ns), NULL },
	{ "wait_io_ns", &field_count, offsetof(struct proc_event, waits.io_ns), NULL },
	{ "wait_memory_ns", &field_count, offsetof(struct proc_event, waits.memory_ns), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field *const kind_fields[KIND_COUNT] = {
	[PROC_FORK] = fork_fields,
	[PROC_EXEC] = exec_fields,
	[PROC_EXIT] = exit_fields,
	[PROC_USAGE] = usage_fields,
};

int journal_create(const char *dir, struct journal **journal, struct err *err)
{
	FILE *file = below_open(dir, RUN_JOURNAL, "wbx", err);

	if (!file)
		return -1;
	*journal = xcalloc(1, sizeof(**journal));
	(*journal)->path = fs_join(dir, RUN_JOURNAL);
	(*journal)->file = file;
	return 0;
}

static void note_failure(struct journal *journal)
{
	if (!journal->errnum)
		journal->errnum = errno ? errno : EIO;
}

void journal_add(struct journal *journal, const struct proc_event *event)
{
	json_t *object = fields_to_json(head_fields, event);
	char *line;

	fields_put(object, kind_fields[event->kind], event);
	line = json_line(object);
	errno = 0;
	if (fputs(line, journal->file) == EOF || fputc('\n', journal->file) == EOF)
		note_failure(journal);
	free(line);
	json_decref(object);
}

int journal_flush(struct journal *journal, struct err *err)
{
	errno = 0;
	if (fflush(journal->file))
		note_failure(journal);
	if (journal->errnum)
		return err_set_errno(err, journal->errnum, "cannot write '%s'", journal->path);
	return 0;
}

int journal_close(struct journal *journal, struct err *err)
{
	int ret = journal_flush(journal, err);

	if (fclose(journal->file) && !ret)
		ret = err_set_errno(err, errno, "cannot write '%s'", journal->path);
	free(journal->path);
	free(journal);
	return ret;
}

static int get_event(const json_t *object, struct proc_event *event, struct err *err)
{
	if (fields_get(object, head_fields, event, err))
		return -1;
	if (event->pid < 0 || !json_is_integer(json_object_get(object, "time_ns")))
		return err_set(err, ERR_CORRUPT, "'pid' or 'time_ns' is missing");
	if (fields_get(object, kind_fields[event->kind], event, err))
		return -1;
	if (event->responses.nr % 2)
		return err_set(err, ERR_CORRUPT, "'responses' is not pairs of path and text");
	return 0;
}

static bool parse_event(const struct strbuf *line, struct proc_event *event)
{
	struct err err = ERR_INIT;
	json_t *object = fields_parse(line->buf, line->len, &err);
	bool good;

	event->pid = event->ppid = event->exit_code = -1;
	good = object && !get_event(object, event, &err);
	json_decref(object);
	err_clear(&err);
	return good;
}

struct replay {
	void (*handle)(const struct proc_event *event, void *data);
	void *data;
	int64_t damaged;
	struct strbuf line;
	bool too_long;
};

/* The line is complete, or the file ends without a newline. */
static void end_line(struct replay *replay)
{
	struct proc_event event;

	if (!replay->line.len && !replay->too_long)
		return;
	proc_event_init(&event);
	if (!replay->too_long && parse_event(&replay->line, &event))
		replay->handle(&event, replay->data);
	else
		replay->damaged++;
	proc_event_release(&event);
	strbuf_clear(&replay->line);
	replay->too_long = false;
}

static void take(void *data, const char *part, size_t len)
{
	struct replay *replay = data;

	for (;;) {
		const char *newline = memchr(part, '\n', len);
		size_t nr = newline ? (size_t)(newline - part) : len;

		if (replay->line.len + nr > LINE_MAX_SIZE)
			replay->too_long = true;
		else
			strbuf_add(&replay->line, part, nr);
		if (!newline)
			return;
		end_line(replay);
		part += nr + 1;
		len -= nr + 1;
	}
}

int journal_replay(const char *dir, void (*handle)(const struct proc_event *event, void *data),
		   void *data, int64_t *damaged, struct err *err)
{
	struct replay replay = { handle, data, 0, STRBUF_INIT, false };
	int rc = below_read_parts(dir, RUN_JOURNAL, take, &replay, err);

	end_line(&replay);
	*damaged = replay.damaged;
	strbuf_release(&replay.line);
	return rc;
}
