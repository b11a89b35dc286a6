/*
 * Writes and reads manifest.json.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "rundir/fields.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/text.h"

#define HOST_MAX           1000
#define SESSION_MAX        100
#define COMMANDS_MAX       10000
#define REMOVED_MAX        10000
#define UNDO_MAX           1000
#define STACK_WARNINGS_MAX 10000
#define FILES_MAX          1000000

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

static const struct field_kind version_kind = { .put = put_version, .get = get_version };

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

static const struct field_kind state_kind = { .put = put_state, .get = get_state };

static void put_name(json_t *object, const char *key, const void *at)
{
	field_text.put(object, key, at);
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

static const struct field_kind name_kind = { .put = put_name, .get = get_name };

/* These stay strings: a host or a user may be named 12. */
static bool is_name(const char *key)
{
	return !strcmp(key, "hostname") || !strcmp(key, "user") || !strcmp(key, "caller");
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

/* Whole numbers are allowed only with `numbers`. */
static int get_pairs(const json_t *object, const char *key, int limit, bool numbers,
		     struct manifest *manifest,
		     void (*add)(struct manifest *manifest, const char *key, const char *value),
		     struct err *err)
{
	json_t *pairs = json_object_get(object, key), *member;
	const char *name;

	if (!pairs || json_is_null(pairs))
		return 0;
	if (!json_is_object(pairs) || json_object_size(pairs) > (size_t)limit)
		return err_set(err, ERR_CORRUPT, "'%s' is not an object of at most %d members", key,
			       limit);
	json_object_foreach(pairs, name, member)
	{
		char *value = NULL;

		/* The exact bytes of the preceding member, read with it. */
		if (text_ends_with(name, "_hex"))
			continue;
		if (numbers && json_is_integer(member))
			value = xasprintf("%" PRId64, (int64_t)json_integer_value(member));
		else if (json_get_bytes(pairs, name, &value, err))
			return err_wrap(err, "'%s'", key);
		add(manifest, name, value);
		free(value);
	}
	return 0;
}

static int get_host(const json_t *object, const char *key, void *at, struct err *err)
{
	return get_pairs(object, key, HOST_MAX, true, at, manifest_add_host, err);
}

static const struct field_kind host_kind = { .put = put_host, .get = get_host };

/* An object for each section. Facts of a section are next to each other. */
static void put_system(json_t *object, const char *key, const void *at)
{
	const struct system_facts *facts = at;
	json_t *system = NULL, *section = NULL;

	for (size_t i = 0; i < facts->nr; i++) {
		const struct system_fact *fact = &facts->v[i];

		if (!system)
			system = fields_add_object(object, key);
		if (!i || strcmp(fact->section, facts->v[i - 1].section) != 0)
			section = fields_add_object(system, fact->section);
		if (fact->text)
			json_put_bytes(section, fact->key, fact->text);
		else
			json_put_int(section, fact->key, fact->number);
	}
}

static int get_section(const json_t *section, const char *name, struct system_facts *facts,
		       struct err *err)
{
	const char *key;
	json_t *member;

	if (!json_is_object(section))
		return err_set(err, ERR_CORRUPT, "'%s' is not an object", name);
	json_object_foreach((json_t *)section, key, member)
	{
		char *text = NULL;

		/* The exact bytes of the preceding member, read with it. */
		if (json_is_null(member) || text_ends_with(key, "_hex"))
			continue;
		if (json_is_integer(member)) {
			system_facts_add_number(facts, name, key,
						(int64_t)json_integer_value(member));
			continue;
		}
		if (json_get_bytes(section, key, &text, err))
			return err_wrap(err, "'%s'", name);
		system_facts_add(facts, name, key, text);
		free(text);
	}
	return 0;
}

static int get_system(const json_t *object, const char *key, void *at, struct err *err)
{
	json_t *system = json_object_get(object, key), *section;
	const char *name;

	if (!system || json_is_null(system))
		return 0;
	if (!json_is_object(system))
		return err_set(err, ERR_CORRUPT, "'%s' is not an object", key);
	json_object_foreach(system, name, section)
	{
		if (get_section(section, name, at, err))
			return err_wrap(err, "'%s'", key);
	}
	return 0;
}

static const struct field_kind system_kind = { .put = put_system, .get = get_system };

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
	return get_pairs(object, key, SESSION_MAX, false, at, manifest_note, err);
}

static const struct field_kind session_kind = { .put = put_session, .get = get_session };

static const struct field command_fields[] = {
	{ "what", &field_text, offsetof(struct manifest_command, what), NULL },
	{ "argv", &field_strings, offsetof(struct manifest_command, argv), NULL },
	{ "cwd", &field_text, offsetof(struct manifest_command, cwd), NULL },
	{ "env", &field_env, offsetof(struct manifest_command, env), NULL },
	{ "exit_code", &field_count, offsetof(struct manifest_command, exit_code), NULL },
	{ "start_ns", &field_number, offsetof(struct manifest_command, start_ns), NULL },
	{ "end_ns", &field_time, offsetof(struct manifest_command, end_ns), NULL },
	{ "process", &field_text_if_any, offsetof(struct manifest_command, process), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_command(void *manifest)
{
	return manifest_add_command(manifest, NULL);
}

static int check_command(const void *command, struct err *err)
{
	if (!((const struct manifest_command *)command)->what)
		return err_set(err, ERR_CORRUPT, "'what' is missing");
	return 0;
}

static const struct field_kind commands_kind = {
	.fields = command_fields,
	.size = sizeof(struct manifest_command),
	.nr = offsetof(struct manifest, commands_nr),
	.limit = COMMANDS_MAX,
	.add = add_command,
	.check = check_command,
};

static const struct field snapshot_fields[] = {
	{ "pid", &field_count, offsetof(struct manifest_snapshot, pid), NULL },
	{ "crate", &field_text, offsetof(struct manifest_snapshot, crate), NULL },
	{ "time_ns", &field_number, offsetof(struct manifest_snapshot, time_ns), NULL },
	{ "bytes", &field_count_if_known, offsetof(struct manifest_snapshot, bytes), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_snapshot(void *manifest)
{
	return manifest_add_snapshot(manifest, -1, NULL, 0);
}

static const struct field_kind snapshots_kind = {
	.fields = snapshot_fields,
	.size = sizeof(struct manifest_snapshot),
	.nr = offsetof(struct manifest, snapshots_nr),
	.limit = MANIFEST_SNAPSHOTS_MAX,
	.if_any = true,
	.add = add_snapshot,
};

static const struct field undo_fields[] = {
	{ "path", &field_text, offsetof(struct manifest_undo, path), NULL },
	{ "value", &field_text, offsetof(struct manifest_undo, value), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_undo(void *manifest)
{
	return manifest_add_undo(manifest, NULL, NULL);
}

static int check_undo(const void *element, struct err *err)
{
	const struct manifest_undo *undo = element;

	if (!undo->path || !undo->value)
		return err_set(err, ERR_CORRUPT, "'path' or 'value' is missing");
	return 0;
}

static const struct field_kind undo_kind = {
	.fields = undo_fields,
	.size = sizeof(struct manifest_undo),
	.nr = offsetof(struct manifest, undo_nr),
	.limit = UNDO_MAX,
	.add = add_undo,
	.check = check_undo,
};

static const struct field removed_fields[] = {
	{ "what", &field_text, offsetof(struct manifest_removed, what), NULL },
	{ "count", &field_count, offsetof(struct manifest_removed, count), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_removed(void *manifest)
{
	return manifest_add_removed(manifest, NULL, -1);
}

static const struct field_kind removed_kind = {
	.fields = removed_fields,
	.size = sizeof(struct manifest_removed),
	.nr = offsetof(struct manifest, removed_nr),
	.limit = REMOVED_MAX,
	.if_any = true,
	.add = add_removed,
};

static const struct field stack_warning_fields[] = {
	{ "cpu", &field_bool, offsetof(struct manifest_stack_warning, cpu), NULL },
	{ "memory", &field_bool, offsetof(struct manifest_stack_warning, memory), NULL },
	{ "text", &field_text, offsetof(struct manifest_stack_warning, text), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_stack_warning(void *manifest)
{
	return manifest_add_stack_warning(manifest, false, false, NULL);
}

static int check_stack_warning(const void *element, struct err *err)
{
	if (!((const struct manifest_stack_warning *)element)->text)
		return err_set(err, ERR_CORRUPT, "'text' is missing");
	return 0;
}

static const struct field_kind stack_warnings_kind = {
	.fields = stack_warning_fields,
	.size = sizeof(struct manifest_stack_warning),
	.nr = offsetof(struct manifest, stack_warnings_nr),
	.limit = STACK_WARNINGS_MAX,
	.if_any = true,
	.add = add_stack_warning,
	.check = check_stack_warning,
};

static const struct field unnamed_fields[] = {
	{ "path", &field_text, offsetof(struct manifest_unnamed, path), NULL },
	{ "build_id", &field_text_if_any, offsetof(struct manifest_unnamed, build_id), NULL },
	{ "reason", &field_text, offsetof(struct manifest_unnamed, reason), NULL },
	{ "why", &field_text_if_any, offsetof(struct manifest_unnamed, why), NULL },
	{ NULL, NULL, 0, NULL },
};

static void put_unnamed(json_t *object, const char *key, const void *at)
{
	const struct manifest *manifest = at;
	json_t *array;

	if (!manifest->unnamed_nr)
		return;
	array = json_array();
	if (!array || json_object_set_new(object, key, array))
		alloc_fail();
	for (size_t i = 0; i < manifest->unnamed_nr; i++)
		json_array_append_new(array, fields_to_json(unnamed_fields, &manifest->unnamed[i]));
}

static bool is_hex(const char *text)
{
	return !text || !text[strspn(text, "0123456789abcdef")];
}

static void get_unnamed_module(const json_t *element, struct manifest *manifest)
{
	struct manifest_unnamed read = { .path = NULL };
	struct err ignored = ERR_INIT;

	if (json_is_object(element) && !fields_get(element, unnamed_fields, &read, &ignored) &&
	    read.path && read.reason && is_hex(read.build_id))
		manifest_add_unnamed(manifest, read.path, read.build_id, read.reason, read.why);
	err_clear(&ignored);
	free(read.path);
	free(read.build_id);
	free(read.reason);
	free(read.why);
}

/* The results of a run are good without it: what is damaged is left out. */
static int get_unnamed(const json_t *object, const char *key, void *at, struct err *err)
{
	const json_t *array = json_object_get(object, key);

	(void)err;
	for (size_t i = 0; i < json_array_size(array); i++)
		get_unnamed_module(json_array_get(array, i), at);
	return 0;
}

static const struct field_kind unnamed_kind = { .put = put_unnamed, .get = get_unnamed };

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

static const struct field_kind sha256_kind = { .put = put_sha256, .get = get_sha256 };

static const struct field file_fields[] = {
	{ "path", &field_text, offsetof(struct manifest_file, path), NULL },
	{ "size", &field_count, offsetof(struct manifest_file, size), NULL },
	{ "sha256", &sha256_kind, offsetof(struct manifest_file, sha256), NULL },
	{ NULL, NULL, 0, NULL },
};

static void *add_file(void *manifest)
{
	return manifest_add_file(manifest, NULL, -1, NULL);
}

static int check_file(const void *element, struct err *err)
{
	const struct manifest_file *file = element;

	if (!file->path || !manifest_is_path(file->path))
		return err_set(err, ERR_CORRUPT, "'path' is not the path of a file in a run");
	return 0;
}

static const struct field_kind files_kind = {
	.fields = file_fields,
	.size = sizeof(struct manifest_file),
	.nr = offsetof(struct manifest, files_nr),
	.limit = FILES_MAX,
	.add = add_file,
	.check = check_file,
};

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

static const struct field foreign_fields[] = {
	{ "cpu_ns", &field_count, offsetof(struct manifest, foreign_cpu_ns), NULL },
	{ "stolen_ns", &field_count, offsetof(struct manifest, stolen_cpu_ns), NULL },
	{ "memory_bytes", &field_count, offsetof(struct manifest, foreign_memory_bytes), NULL },
	{ NULL, NULL, 0, NULL },
};

#define MEMORY_FIELD(name, kind) \
	{ \
#name, &kind, offsetof(struct manifest, memory.name), NULL \
	}

static const struct field memory_fields[] = {
	MEMORY_FIELD(least_available_bytes, field_count),
	MEMORY_FIELD(least_available_ns, field_time),
	MEMORY_FIELD(peak_commit_bytes, field_count),
	MEMORY_FIELD(commit_limit_bytes, field_count),
	MEMORY_FIELD(peak_group_bytes, field_count),
	MEMORY_FIELD(group_limit_bytes, field_count),
	MEMORY_FIELD(address_space_limit_bytes, field_count),
	MEMORY_FIELD(oom_kills, field_count),
	{ NULL, NULL, 0, NULL },
};

static const struct field manifest_fields[] = {
	{ "format_version", &version_kind, 0, NULL },
	{ "state", &state_kind, offsetof(struct manifest, state), NULL },
	{ "reason", &field_text, offsetof(struct manifest, reason), NULL },
	{ "name", &name_kind, offsetof(struct manifest, name), NULL },
	{ "version", &field_text, offsetof(struct manifest, version), NULL },
	{ "cookie", &field_text, offsetof(struct manifest, cookie), NULL },
	{ "place", &field_text_if_any, offsetof(struct manifest, place), NULL },
	{ "scrubbed", &field_bool_if_true, offsetof(struct manifest, scrubbed), NULL },
	{ "removed", &removed_kind, offsetof(struct manifest, removed), NULL },
	{ "host", &host_kind, 0, NULL },
	{ "system", &system_kind, offsetof(struct manifest, system), NULL },
	{ "recorder", NULL, 0, recorder_fields },
	{ "commands", &commands_kind, offsetof(struct manifest, commands), NULL },
	{ "snapshots", &snapshots_kind, offsetof(struct manifest, snapshots), NULL },
	{ "source", NULL, 0, source_fields },
	{ "build", &system_kind, offsetof(struct manifest, build), NULL },
	{ "clock", NULL, 0, clock_fields },
	{ "stage2", NULL, 0, stage2_fields },
	{ "tracker", NULL, 0, tracker_fields },
	{ "lost", NULL, 0, lost_fields },
	{ "foreign", NULL, 0, foreign_fields },
	{ "memory", NULL, 0, memory_fields },
	{ "peak_memory_bytes", &field_count, offsetof(struct manifest, peak_memory_bytes), NULL },
	{ "warnings", &field_strings, offsetof(struct manifest, warnings), NULL },
	{ "stack_warnings", &stack_warnings_kind, offsetof(struct manifest, stack_warnings), NULL },
	{ "unnamed_modules", &unnamed_kind, 0, NULL },
	{ "undo", &undo_kind, offsetof(struct manifest, undo), NULL },
	{ "files", &files_kind, offsetof(struct manifest, files), NULL },
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
	char *text = manifest_text(manifest);
	int ret = below_write(dir, RUN_MANIFEST, text, strlen(text), err);

	free(text);
	return ret;
}

int manifest_read(const char *dir, struct manifest *manifest, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = fs_join(dir, RUN_MANIFEST);
	int ret = below_read(dir, RUN_MANIFEST, MANIFEST_MAX, &text, err);

	manifest_init(manifest);
	if (!ret)
		ret = manifest_parse(text.buf, text.len, path, manifest, err);
	strbuf_release(&text);
	free(path);
	return ret;
}
