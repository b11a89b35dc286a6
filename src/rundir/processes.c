#include "rundir/processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/cost.h"
#include "rundir/fields.h"
#include "rundir/layout.h"
#include "util/array.h"
#include "util/json.h"

#define STAGE_MAX 1000 /* of a directory in a path, as tag/ takes it: up to three digits */

static void put_duration(json_t *object, const char *key, const void *at)
{
	int64_t duration = process_duration(at);

	field_count.put(object, key, &duration);
}

static void put_image(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, process_image(at));
}

static void put_role(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, role_name(*(const enum role *)at));
}

/* An unknown role, of a later version, becomes ROLE_OTHER. */
static int get_role(const json_t *object, const char *key, void *at, struct err *err)
{
	char *name = NULL;

	if (json_get_bytes(object, key, &name, err))
		return -1;
	if (name && !role_parse(name, at))
		*(enum role *)at = ROLE_OTHER;
	free(name);
	return 0;
}

static void put_stage(json_t *object, const char *key, const void *at)
{
	int64_t stage = *(const int *)at == STAGE_UNKNOWN ? -1 : *(const int *)at;

	field_count.put(object, key, &stage);
}

static int get_stage(const json_t *object, const char *key, void *at, struct err *err)
{
	int64_t stage = -1;

	if (field_count.get(object, key, &stage, err))
		return -1;
	if (stage > STAGE_MAX)
		return err_set(err, ERR_CORRUPT, "'%s' is not a stage", key);
	*(int *)at = stage < 0 ? STAGE_UNKNOWN : (int)stage;
	return 0;
}

static void put_why(json_t *object, const char *key, const void *at)
{
	const struct process *process = at;

	json_put_bytes(object, key, process->tag.why);
}

static int get_why(const json_t *object, const char *key, void *at, struct err *err)
{
	struct process *process = at;

	if (json_get_bytes(object, key, &process->why, err))
		return -1;
	process->tag.why = process->why;
	return 0;
}

static const struct field exec_fields[] = {
	{ "end_ns", &field_time, offsetof(struct process_exec, end_ns), NULL },
	{ "exe", &field_text, offsetof(struct process_exec, exe), NULL },
	{ "argv", &field_strings, offsetof(struct process_exec, argv), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_exec(void *outer)
{
	struct process *process = outer;
	struct process_exec *exec;

	ARRAY_GROW(process->execs, process->execs_nr + 1, process->execs_alloc);
	exec = &process->execs[process->execs_nr++];
	*exec = (struct process_exec){ PROCESS_UNKNOWN, NULL, STRVEC_INIT };
	return exec;
}

static const struct field_kind execs_kind = {
	.fields = exec_fields,
	.size = sizeof(struct process_exec),
	.nr = offsetof(struct process, execs_nr),
	.limit = PROCESS_EXECS_MAX,
	.add = add_exec,
};

static const struct field response_fields[] = {
	{ "path", &field_text, offsetof(struct response_file, path), NULL },
	{ "text", &field_text, offsetof(struct response_file, text), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_response(void *outer)
{
	struct process *process = outer;

	ARRAY_GROW(process->responses, process->responses_nr + 1, process->responses_alloc);
	process->responses[process->responses_nr] = (struct response_file){ NULL, NULL };
	return &process->responses[process->responses_nr++];
}

static int check_response(const void *element, struct err *err)
{
	const struct response_file *file = element;

	if (!file->path || !file->text)
		return err_set(err, ERR_CORRUPT, "'path' or 'text' is missing");
	return 0;
}

static const struct field_kind responses_kind = {
	.fields = response_fields,
	.size = sizeof(struct response_file),
	.nr = offsetof(struct process, responses_nr),
	.limit = PROCESS_RESPONSES_MAX,
	.add = add_response,
	.check = check_response,
};

static const struct field_kind duration_kind = { .put = put_duration };
static const struct field_kind image_kind = { .put = put_image };
static const struct field_kind role_kind = { .put = put_role, .get = get_role };
static const struct field_kind stage_kind = { .put = put_stage, .get = get_stage };
static const struct field_kind why_kind = { .put = put_why, .get = get_why };

static const struct field process_fields[] = {
	{ "pid", &field_count, offsetof(struct process, pid), NULL },
	{ "ppid", &field_count, offsetof(struct process, ppid), NULL },
	{ "start_ns", &field_time, offsetof(struct process, start_ns), NULL },
	{ "end_ns", &field_time, offsetof(struct process, end_ns), NULL },
	{ "duration_ns", &duration_kind, 0, NULL },
	{ "image", &image_kind, 0, NULL },
	{ "exe", &field_text, offsetof(struct process, exe), NULL },
	{ "role", &role_kind, offsetof(struct process, tag.role), NULL },
	{ "role_reason", &why_kind, 0, NULL },
	{ "crate", &field_text, offsetof(struct process, tag.crate), NULL },
	{ "crate_type", &field_text, offsetof(struct process, tag.crate_type), NULL },
	{ "built_by", &stage_kind, offsetof(struct process, tag.built_by), NULL },
	{ "part", &field_text, offsetof(struct process, tag.part), NULL },
	{ "target", &field_text, offsetof(struct process, tag.target), NULL },
	{ "exit_code", &field_count, offsetof(struct process, exit_code), NULL },
	{ "signal", &field_count, offsetof(struct process, signal), NULL },
	{ "cpu_ns", &field_count, offsetof(struct process, cpu_ns), NULL },
	{ "peak_rss_bytes", &field_count, offsetof(struct process, peak_rss_bytes), NULL },
	/* Known on some systems only. */
	{ "peak_commit_bytes", &field_count_if_known, offsetof(struct process, peak_commit_bytes),
	  NULL },
	{ "wait_cpu_ns", &field_count_if_known, offsetof(struct process, waits.cpu_ns), NULL },
	{ "wait_io_ns", &field_count_if_known, offsetof(struct process, waits.io_ns), NULL },
	{ "wait_memory_ns", &field_count_if_known, offsetof(struct process, waits.memory_ns),
	  NULL },
	{ "exec_seen", &field_bool, offsetof(struct process, exec_seen), NULL },
	{ "argv_lost", &field_bool, offsetof(struct process, argv_lost), NULL },
	{ "cwd", &field_text, offsetof(struct process, cwd), NULL },
	{ "argv", &field_strings, offsetof(struct process, argv), NULL },
	{ "env", &field_env, offsetof(struct process, env), NULL },
	{ "execs", &execs_kind, offsetof(struct process, execs), NULL },
	{ "responses", &responses_kind, offsetof(struct process, responses), NULL },
	{ NULL, NULL, 0, NULL },
};

char *processes_line(const struct process *process)
{
	json_t *object = fields_to_json(process_fields, process);
	char *line = json_line(object);

	json_decref(object);
	return line;
}

int processes_write(const struct process_list *list, const char *dir, uint64_t limit,
		    struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; i < list->nr && text.len <= limit; i++) {
		char *line = processes_line(list->v[i]);

		strbuf_adds(&text, line);
		strbuf_addc(&text, '\n');
		free(line);
	}
	if (text.len > limit)
		ret = err_set(err, ERR_UNSUPPORTED,
			      "'" RUN_PROCESSES "' would have more than %" PRIu64
			      " MB, the limit for the size of " RUN_JOURNAL ": %s",
			      limit >> 20, cost_remedy());
	if (!ret)
		ret = below_write(dir, RUN_PROCESSES, text.buf, text.len, err);
	strbuf_release(&text);
	return ret;
}

static int check_process(const struct process *process, struct err *err)
{
	if (process->pid == PROCESS_UNKNOWN)
		return err_set(err, ERR_CORRUPT, "'pid' is missing");
	if (process->start_ns == PROCESS_UNKNOWN)
		return err_set(err, ERR_CORRUPT, "'start_ns' is missing");
	if (process->end_ns != PROCESS_UNKNOWN && process->end_ns < process->start_ns)
		return err_set(err, ERR_CORRUPT, "'end_ns' is before 'start_ns'");
	return 0;
}

static int parse_line(const char *line, size_t len, struct process *process, struct err *err)
{
	int number, ret;
	json_t *object = fields_load(line, len, &number, err);

	if (!object)
		return -1;
	ret = fields_get(object, process_fields, process, err);
	json_decref(object);
	return ret ? ret : check_process(process, err);
}

static bool is_blank(const char *line, size_t len)
{
	while (len && strchr(" \t\r", line[len - 1]) && line[len - 1])
		len--;
	return !len;
}

void processes_parse(const char *text, size_t len, const char *name, struct process_list *list,
		     int64_t *damaged, struct strbuf *first)
{
	const char *end = text + len;
	size_t line = 1;

	*damaged = 0;
	for (; text < end; line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line_len = (size_t)((newline ? newline : end) - text);
		struct process *process = process_list_add(list);
		struct err err = ERR_INIT;
		bool blank = is_blank(text, line_len);

		if (blank || parse_line(text, line_len, process, &err)) {
			process_list_drop_last(list);
			if (!blank && !(*damaged)++ && first)
				strbuf_addf(first, "%s:%zu: %s", name, line, err.msg);
			err_clear(&err);
		}
		text += line_len + 1;
	}
	process_list_sort(list);
}
