/*
 * Writes and reads manifest.json.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "rundir/fields.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/text.h"

#define HOST_MAX     1000
#define SESSION_MAX  100
#define COMMANDS_MAX 10000
#define UNDO_MAX     1000
#define FILES_MAX    1000000

static const char *const state_names[RUN_STATE_COUNT] = {
	[RUN_PREPARED] = "prepared",     [RUN_STAGE1] = "stage1",     [RUN_STARTING] = "starting",
	[RUN_RECORDING] = "recording",   [RUN_STOPPING] = "stopping", [RUN_DONE] = "done",
	[RUN_COLLECTING] = "collecting", [RUN_FAILED] = "failed",
};

const char *run_state_name(enum run_state state)
{
	return state_names[state];
}

bool run_state_parse(const char *name, enum run_state *state)
{
	for (size_t i = 0; i < RUN_STATE_COUNT; i++) {
		if (!strcmp(state_names[i], name)) {
			*state = (enum run_state)i;
			return true;
		}
	}
	return false;
}

static void put_version(json_t *object, const char *key, const void *at)
{
	(void)at;
	json_put_int(object, key, MANIFEST_FORMAT_VERSION);
}

static int get_version(const json_t *object, const char *key, void *at, struct err *err)
{
	int64_t version = 0;

	(void)at;
	if (json_get_int(object, key, &version, err))
		return -1;
	if (version < 1)
		return err_set(err, ERR_CORRUPT,
			       "'%s' is missing: this is not the manifest of a run", key);
	if (version > MANIFEST_FORMAT_VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is %" PRId64
			       ", this stagetrace reads up to %d: use a newer one",
			       key, version, MANIFEST_FORMAT_VERSION);
	return 0;
}

static void put_state(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, run_state_name(*(const enum run_state *)at));
}

static int get_state(const json_t *object, const char *key, void *at, struct err *err)
{
	char *name = NULL;
	int ret = json_get_bytes(object, key, &name, err);

	if (!ret && !name)
		ret = err_set(err, ERR_CORRUPT, "'%s' is missing", key);
	else if (!ret && !run_state_parse(name, at))
		ret = err_set(err, ERR_CORRUPT, "'%s' is unknown: '%s'", key, name);
	free(name);
	return ret;
}

static int get_name(const json_t *object, const char *key, void *at, struct err *err)
{
	char **name = at;

	if (json_get_bytes(object, key, name, err))
		return -1;
	if (!*name)
		return err_set(err, ERR_CORRUPT, "'%s' is missing", key);
	if (!manifest_is_path(*name) || strchr(*name, '/'))
		return err_set(err, ERR_CORRUPT, "'%s' is not a valid file name: '%s'", key, *name);
	return 0;
}

static void put_name(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, *(char *const *)at);
}

/* Written only in a bundle's manifest. */
static void put_scrubbed(json_t *object, const char *key, const void *at)
{
	if (*(const bool *)at)
		json_put_bool(object, key, true);
}

static int get_scrubbed(const json_t *object, const char *key, void *at, struct err *err)
{
	return json_get_bool(object, key, at, err);
}

/* These stay strings: a host or a user may be named 12. */
static bool is_name(const char *key)
{
	return !strcmp(key, "hostname") || !strcmp(key, "user");
}

/* Whole numbers are written as JSON numbers, so that scripts can compare them. */
static void put_host(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *host = fields_add_object(object, key);

	for (size_t i = 0; i < manifest->host_nr; i++) {
		const char *name = manifest->host[i].key, *value = manifest->host[i].value;
		int64_t number = 0;
		char plain[24] = "";

		if (value && !is_name(name) && text_parse_int(value, 0, FIELD_NUMBER_MAX, &number))
			snprintf(plain, sizeof(plain), "%" PRId64, number);
		if (*plain && !strcmp(plain, value))
			json_put_int(host, name, number);
		else
			json_put_bytes(host, name, value);
	}
}

static int get_host_value(const json_t *host, const char *name, struct manifest *manifest,
			  struct err *err)
{
	char *value = NULL;
	const json_t *member = json_object_get(host, name);

	if (json_is_integer(member))
		value = xasprintf("%" PRId64, (int64_t)json_integer_value(member));
	else if (json_get_bytes(host, name, &value, err))
		return -1;
	manifest_add_host(manifest, name, value);
	free(value);
	return 0;
}

static int get_host(const json_t *object, const char *key, void *at, struct err *err)
{
	json_t *host = json_object_get(object, key), *member;
	const char *name;

	if (!host || json_is_null(host))
		return 0;
	if (!json_is_object(host) || json_object_size(host) > HOST_MAX)
		return err_set(err, ERR_CORRUPT, "'%s' is not an object of at most %d members", key,
			       HOST_MAX);
	json_object_foreach(host, name, member)
	{
		/* The exact bytes of the preceding member, read with it. */
		if (text_ends_with(name, "_hex"))
			continue;
		if (get_host_value(host, name, at, err))
			return err_wrap(err, "'%s'", key);
	}
	return 0;
}

/* Written only while something is to be restored. */
static void put_session(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *session;

	if (!manifest->session_nr)
		return;
	session = fields_add_object(object, key);
	for (size_t i = 0; i < manifest->session_nr; i++)
		json_put_bytes(session, manifest->session[i].key, manifest->session[i].value);
}

static int get_session(const json_t *object, const char *key, void *at, struct err *err)
{
	json_t *session = json_object_get(object, key), *member;
	const char *name;

	if (!session || json_is_null(session))
		return 0;
	if (!json_is_object(session) || json_object_size(session) > SESSION_MAX)
		return err_set(err, ERR_CORRUPT, "'%s' is not an object of at most %d members", key,
			       SESSION_MAX);
	json_object_foreach(session, name, member)
	{
		char *value = NULL;

		if (text_ends_with(name, "_hex"))
			continue;
		if (json_get_bytes(session, name, &value, err))
			return err_wrap(err, "'%s'", key);
		manifest_note(at, name, value);
		free(value);
	}
	return 0;
}

/* Written only while it runs. */
static void put_process(json_t *object, const char *key, const void *at)
{
	const char *process = *(char *const *)at;

	if (process)
		json_put_bytes(object, key, process);
}

static int get_process(const json_t *object, const char *key, void *at, struct err *err)
{
	return json_get_bytes(object, key, at, err);
}

static const struct field_kind process_kind = { put_process, get_process };

static const struct field command_fields[] = {
	{ "what", &field_text, offsetof(struct manifest_command, what), NULL },
	{ "argv", &field_strings, offsetof(struct manifest_command, argv), NULL },
	{ "cwd", &field_text, offsetof(struct manifest_command, cwd), NULL },
	{ "env", &field_env, offsetof(struct manifest_command, env), NULL },
	{ "exit_code", &field_count, offsetof(struct manifest_command, exit_code), NULL },
	{ "start_ns", &field_number, offsetof(struct manifest_command, start_ns), NULL },
	{ "end_ns", &field_time, offsetof(struct manifest_command, end_ns), NULL },
	{ "process", &process_kind, offsetof(struct manifest_command, process), NULL },
	{ NULL, NULL, 0, NULL },
};

static void put_commands(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *array = fields_add_array(object, key);

	for (size_t i = 0; i < manifest->commands_nr; i++)
		fields_put(fields_append_object(array), command_fields, &manifest->commands[i]);
}

static int get_commands(const json_t *object, const char *key, void *at, struct err *err)
{
	size_t count;

	if (fields_get_array(object, key, COMMANDS_MAX, &count, err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct manifest_command *command = manifest_add_command(at, NULL);

		if (fields_get(fields_element(object, key, i), command_fields, command, err))
			return err_wrap(err, "'%s[%zu]'", key, i);
		if (!command->what)
			return err_set(err, ERR_CORRUPT, "'%s[%zu]': 'what' is missing", key, i);
	}
	return 0;
}

static const struct field snapshot_fields[] = {
	{ "pid", &field_count, offsetof(struct manifest_snapshot, pid), NULL },
	{ "crate", &field_text, offsetof(struct manifest_snapshot, crate), NULL },
	{ "time_ns", &field_number, offsetof(struct manifest_snapshot, time_ns), NULL },
	{ NULL, NULL, 0, NULL },
};

/* Written only if any were taken. */
static void put_snapshots(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *array;

	if (!manifest->snapshots_nr)
		return;
	array = fields_add_array(object, key);
	for (size_t i = 0; i < manifest->snapshots_nr; i++)
		fields_put(fields_append_object(array), snapshot_fields, &manifest->snapshots[i]);
}

static int get_snapshots(const json_t *object, const char *key, void *at, struct err *err)
{
	struct manifest *manifest = at;
	size_t count;

	if (fields_get_array(object, key, MANIFEST_SNAPSHOTS_MAX, &count, err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		manifest_add_snapshot(manifest, -1, NULL, 0);
		if (fields_get(fields_element(object, key, i), snapshot_fields,
			       &manifest->snapshots[i], err))
			return err_wrap(err, "'%s[%zu]'", key, i);
	}
	return 0;
}

static const struct field undo_fields[] = {
	{ "path", &field_text, offsetof(struct manifest_undo, path), NULL },
	{ "value", &field_text, offsetof(struct manifest_undo, value), NULL },
	{ NULL, NULL, 0, NULL },
};

static void put_undo(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *array = fields_add_array(object, key);

	for (size_t i = 0; i < manifest->undo_nr; i++)
		fields_put(fields_append_object(array), undo_fields, &manifest->undo[i]);
}

static int get_undo(const json_t *object, const char *key, void *at, struct err *err)
{
	struct manifest *manifest = at;
	size_t count;

	if (fields_get_array(object, key, UNDO_MAX, &count, err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct manifest_undo *undo;

		manifest_add_undo(manifest, NULL, NULL);
		undo = &manifest->undo[i];
		if (fields_get(fields_element(object, key, i), undo_fields, undo, err))
			return err_wrap(err, "'%s[%zu]'", key, i);
		if (!undo->path || !undo->value)
			return err_set(err, ERR_CORRUPT, "'%s[%zu]': 'path' or 'value' is missing",
				       key, i);
	}
	return 0;
}

static void put_sha256(json_t *object, const char *key, const void *at)
{
	const char *text = at;

	json_put_bytes(object, key, *text ? text : NULL);
}

static int get_sha256(const json_t *object, const char *key, void *at, struct err *err)
{
	const size_t size = sizeof(((struct manifest_file *)NULL)->sha256);
	char *text = NULL;
	int ret = json_get_bytes(object, key, &text, err);

	if (!ret && text) {
		if (strlen(text) == size - 1 && strspn(text, "0123456789abcdef") == size - 1)
			memcpy(at, text, size);
		else
			ret = err_set(err, ERR_CORRUPT, "'%s' is not a SHA-256", key);
	}
	free(text);
	return ret;
}

static const struct field_kind sha256_kind = { put_sha256, get_sha256 };

static const struct field file_fields[] = {
	{ "path", &field_text, offsetof(struct manifest_file, path), NULL },
	{ "size", &field_count, offsetof(struct manifest_file, size), NULL },
	{ "sha256", &sha256_kind, offsetof(struct manifest_file, sha256), NULL },
	{ NULL, NULL, 0, NULL },
};

static void put_files(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *array = fields_add_array(object, key);

	for (size_t i = 0; i < manifest->files_nr; i++)
		fields_put(fields_append_object(array), file_fields, &manifest->files[i]);
}

static int get_files(const json_t *object, const char *key, void *at, struct err *err)
{
	struct manifest *manifest = at;
	size_t count;

	if (fields_get_array(object, key, FILES_MAX, &count, err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct manifest_file *file;

		manifest_add_file(manifest, NULL, -1, NULL);
		file = &manifest->files[i];
		if (fields_get(fields_element(object, key, i), file_fields, file, err))
			return err_wrap(err, "'%s[%zu]'", key, i);
		if (!file->path || !manifest_is_path(file->path))
			return err_set(err, ERR_CORRUPT,
				       "'%s[%zu]': 'path' is not the path of a file in a run", key,
				       i);
	}
	return 0;
}

static const struct field_kind version_kind = { put_version, get_version };
static const struct field_kind state_kind = { put_state, get_state };
static const struct field_kind name_kind = { put_name, get_name };
static const struct field_kind scrubbed_kind = { put_scrubbed, get_scrubbed };
static const struct field_kind host_kind = { put_host, get_host };
static const struct field_kind session_kind = { put_session, get_session };
static const struct field_kind commands_kind = { put_commands, get_commands };
static const struct field_kind snapshots_kind = { put_snapshots, get_snapshots };
static const struct field_kind undo_kind = { put_undo, get_undo };
static const struct field_kind files_kind = { put_files, get_files };

static const struct field recorder_fields[] = {
	{ "name", &field_text, offsetof(struct manifest, recorder), NULL },
	{ "version", &field_text, offsetof(struct manifest, recorder_version), NULL },
	{ "session", &session_kind, 0, NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field source_fields[] = {
	{ "path", &field_text, offsetof(struct manifest, source), NULL },
	{ "git_commit", &field_text, offsetof(struct manifest, git_commit), NULL },
	{ "git_branch", &field_text, offsetof(struct manifest, git_branch), NULL },
	{ "git_dirty", &field_count, offsetof(struct manifest, git_dirty), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field clock_fields[] = {
	{ "name", &field_text, offsetof(struct manifest, clock), NULL },
	{ "base_ns", &field_number, offsetof(struct manifest, clock_base_ns), NULL },
	{ "start_utc", &field_text, offsetof(struct manifest, start_utc), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field stage2_fields[] = {
	{ "start_ns", &field_time, offsetof(struct manifest, stage2_start_ns), NULL },
	{ "end_ns", &field_time, offsetof(struct manifest, stage2_end_ns), NULL },
	{ "own_execs", &field_count, offsetof(struct manifest, own_execs), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field tracker_fields[] = {
	{ "method", &field_text, offsetof(struct manifest, tracker), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field lost_fields[] = {
	{ "trace_events", &field_count, offsetof(struct manifest, lost_trace_events), NULL },
	{ "tracker_events", &field_count, offsetof(struct manifest, lost_tracker_events), NULL },
	{ "command_lines", &field_count, offsetof(struct manifest, lost_command_lines), NULL },
	{ "processes", &field_count, offsetof(struct manifest, missed_processes), NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct field manifest_fields[] = {
	{ "format_version", &version_kind, 0, NULL },
	{ "state", &state_kind, offsetof(struct manifest, state), NULL },
	{ "reason", &field_text, offsetof(struct manifest, reason), NULL },
	{ "name", &name_kind, offsetof(struct manifest, name), NULL },
	{ "version", &field_text, offsetof(struct manifest, version), NULL },
	{ "cookie", &field_text, offsetof(struct manifest, cookie), NULL },
	{ "scrubbed", &scrubbed_kind, offsetof(struct manifest, scrubbed), NULL },
	{ "host", &host_kind, 0, NULL },
	{ "recorder", NULL, 0, recorder_fields },
	{ "commands", &commands_kind, 0, NULL },
	{ "snapshots", &snapshots_kind, 0, NULL },
	{ "source", NULL, 0, source_fields },
	{ "clock", NULL, 0, clock_fields },
	{ "stage2", NULL, 0, stage2_fields },
	{ "tracker", NULL, 0, tracker_fields },
	{ "lost", NULL, 0, lost_fields },
	{ "peak_memory_bytes", &field_count, offsetof(struct manifest, peak_memory_bytes), NULL },
	{ "warnings", &field_strings, offsetof(struct manifest, warnings), NULL },
	{ "undo", &undo_kind, 0, NULL },
	{ "files", &files_kind, 0, NULL },
	{ NULL, NULL, 0, NULL },
};

char *manifest_text(const struct manifest *manifest)
{
	json_t *object = fields_to_json(manifest_fields, manifest);
	char *text = fields_pretty(object);

	json_decref(object);
	return text;
}

int manifest_parse(const char *text, size_t len, const char *name, struct manifest *manifest,
		   struct err *err)
{
	json_t *object = fields_parse(text, len, err);
	int ret = -1;

	manifest_init(manifest);
	if (!object)
		return err_wrap(err, "%s", name);
	ret = fields_get(object, manifest_fields, manifest, err);
	if (ret) {
		manifest_release(manifest);
		err_wrap(err, "%s", name);
	}
	json_decref(object);
	return ret;
}

int manifest_write(const struct manifest *manifest, const char *dir, struct err *err)
{
	char *path = fs_join(dir, RUN_MANIFEST);
	char *text = manifest_text(manifest);
	int ret = fs_write_atomic(path, text, strlen(text), err);

	free(text);
	free(path);
	return ret;
}

int manifest_read(const char *dir, struct manifest *manifest, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = fs_join(dir, RUN_MANIFEST);
	int ret = fs_read(path, MANIFEST_MAX, &text, err);

	manifest_init(manifest);
	if (!ret)
		ret = manifest_parse(text.buf, text.len, path, manifest, err);
	strbuf_release(&text);
	free(path);
	return ret;
}
