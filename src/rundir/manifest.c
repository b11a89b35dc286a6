#include "rundir/manifest.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

void manifest_init(struct manifest *manifest)
{
	*manifest = (struct manifest){
		.git_dirty = -1,
		.stage2_start_ns = -1,
		.stage2_end_ns = -1,
		.lost_trace_events = -1,
		.lost_tracker_events = -1,
		.lost_command_lines = -1,
		.missed_processes = -1,
		.foreign_cpu_ns = -1,
		.stolen_cpu_ns = -1,
		.foreign_memory_bytes = -1,
		.peak_memory_bytes = -1,
		.memory = { -1, -1, -1, -1, -1, -1, -1, -1, -1 },
		.warnings = STRVEC_INIT,
	};
}

static void release_texts(struct manifest *manifest)
{
	free(manifest->reason);
	free(manifest->name);
	free(manifest->version);
	free(manifest->cookie);
	free(manifest->place);
	free(manifest->recorder);
	free(manifest->recorder_version);
	free(manifest->source);
	free(manifest->git_commit);
	free(manifest->git_branch);
	free(manifest->clock);
	free(manifest->start_utc);
	free(manifest->tracker);
}

static void release_pairs(struct manifest_pair *pairs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(pairs[i].key);
		free(pairs[i].value);
	}
	free(pairs);
}

static void release_command(struct manifest_command *command)
{
	free(command->what);
	strvec_release(&command->argv);
	free(command->cwd);
	strvec_release(&command->env);
	free(command->process);
}

void manifest_release(struct manifest *manifest)
{
	release_texts(manifest);
	release_pairs(manifest->host, manifest->host_nr);
	release_pairs(manifest->session, manifest->session_nr);
	for (size_t i = 0; i < manifest->commands_nr; i++)
		release_command(&manifest->commands[i]);
	free(manifest->commands);
	for (size_t i = 0; i < manifest->snapshots_nr; i++)
		free(manifest->snapshots[i].crate);
	free(manifest->snapshots);
	strvec_release(&manifest->warnings);
	for (size_t i = 0; i < manifest->stack_warnings_nr; i++)
		free(manifest->stack_warnings[i].text);
	free(manifest->stack_warnings);
	manifest_drop_unnamed(manifest);
	free(manifest->unnamed);
	system_facts_release(&manifest->system);
	system_facts_release(&manifest->build);
	for (size_t i = 0; i < manifest->undo_nr; i++) {
		free(manifest->undo[i].path);
		free(manifest->undo[i].value);
	}
	free(manifest->undo);
	manifest_drop_files(manifest);
	free(manifest->files);
	manifest_drop_removed(manifest);
	free(manifest->removed);
	manifest_init(manifest);
}

void manifest_fail(struct manifest *manifest, const char *fmt, ...)
{
	struct strbuf reason = STRBUF_INIT;
	va_list ap;

	if (manifest->reason)
		return;
	va_start(ap, fmt);
	strbuf_addvf(&reason, fmt, ap);
	va_end(ap);
	manifest->reason = strbuf_detach(&reason);
}

void manifest_add_host(struct manifest *manifest, const char *key, const char *value)
{
	ARRAY_GROW(manifest->host, manifest->host_nr + 1, manifest->host_alloc);
	manifest->host[manifest->host_nr++] = (struct manifest_pair){
		.key = xstrdup(key),
		.value = xstrdup_or_null(value),
	};
}

static struct manifest_pair *find_note(const struct manifest *manifest, const char *key)
{
	for (size_t i = 0; i < manifest->session_nr; i++) {
		if (!strcmp(manifest->session[i].key, key))
			return &manifest->session[i];
	}
	return NULL;
}

const char *manifest_noted(const struct manifest *manifest, const char *key)
{
	const struct manifest_pair *note = find_note(manifest, key);

	return note ? note->value : NULL;
}

const char *manifest_host(const struct manifest *manifest, const char *key)
{
	for (size_t i = 0; i < manifest->host_nr; i++)
		if (!strcmp(manifest->host[i].key, key))
			return manifest->host[i].value;
	return NULL;
}

char *manifest_commit_text(const struct manifest *manifest)
{
	struct strbuf text = STRBUF_INIT;

	if (!manifest->git_commit)
		return NULL;
	strbuf_adds(&text, manifest->git_commit);
	if (manifest->git_branch)
		strbuf_addf(&text, " (%s)", manifest->git_branch);
	if (manifest->git_dirty > 0)
		strbuf_addf(&text, ", %lld file%s changed", (long long)manifest->git_dirty,
			    manifest->git_dirty == 1 ? "" : "s");
	return strbuf_detach(&text);
}

int64_t manifest_host_number(const struct manifest *manifest, const char *key)
{
	const char *value = manifest_host(manifest, key);
	int64_t number;

	return value && text_parse_int(value, 0, INT64_MAX, &number) ? number : -1;
}

void manifest_note(struct manifest *manifest, const char *key, const char *value)
{
	struct manifest_pair *note = find_note(manifest, key);
	char *copy = xstrdup_or_null(value);

	if (!copy) {
		if (note) {
			free(note->key);
			free(note->value);
			*note = manifest->session[--manifest->session_nr];
		}
		return;
	}
	if (!note) {
		ARRAY_GROW(manifest->session, manifest->session_nr + 1, manifest->session_alloc);
		note = &manifest->session[manifest->session_nr++];
		*note = (struct manifest_pair){ .key = xstrdup(key) };
	}
	free(note->value);
	note->value = copy;
}

struct manifest_command *manifest_add_command(struct manifest *manifest, const char *what)
{
	struct manifest_command *command;

	ARRAY_GROW(manifest->commands, manifest->commands_nr + 1, manifest->commands_alloc);
	command = &manifest->commands[manifest->commands_nr++];
	*command = (struct manifest_command){
		.what = xstrdup_or_null(what),
		.argv = STRVEC_INIT,
		.env = STRVEC_INIT,
		.exit_code = -1,
		.end_ns = -1,
	};
	return command;
}

void manifest_set_process(struct manifest_command *command, char *process)
{
	free(command->process);
	command->process = process;
}

struct manifest_snapshot *manifest_add_snapshot(struct manifest *manifest, int64_t pid,
						const char *crate, int64_t time_ns)
{
	char *copy = xstrdup_or_null(crate); /* it may be that of another one */

	ARRAY_GROW(manifest->snapshots, manifest->snapshots_nr + 1, manifest->snapshots_alloc);
	manifest->snapshots[manifest->snapshots_nr] = (struct manifest_snapshot){
		.pid = pid,
		.crate = copy,
		.time_ns = time_ns,
		.bytes = -1,
	};
	return &manifest->snapshots[manifest->snapshots_nr++];
}

struct manifest_undo *manifest_add_undo(struct manifest *manifest, const char *path,
					const char *value)
{
	ARRAY_GROW(manifest->undo, manifest->undo_nr + 1, manifest->undo_alloc);
	manifest->undo[manifest->undo_nr] = (struct manifest_undo){
		.path = xstrdup_or_null(path),
		.value = xstrdup_or_null(value),
	};
	return &manifest->undo[manifest->undo_nr++];
}

struct manifest_file *manifest_add_file(struct manifest *manifest, const char *path, int64_t size,
					const char *sha256)
{
	struct manifest_file *file;

	ARRAY_GROW(manifest->files, manifest->files_nr + 1, manifest->files_alloc);
	file = &manifest->files[manifest->files_nr++];
	*file = (struct manifest_file){ .path = xstrdup_or_null(path), .size = size };
	if (sha256 && strlen(sha256) < sizeof(file->sha256))
		strcpy(file->sha256, sha256);
	return file;
}

void manifest_drop_files(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->files_nr; i++)
		free(manifest->files[i].path);
	manifest->files_nr = 0;
}

struct manifest_removed *manifest_add_removed(struct manifest *manifest, const char *what,
					      int64_t count)
{
	ARRAY_ADD(manifest->removed, manifest->removed_nr, manifest->removed_alloc,
		  (struct manifest_removed){ xstrdup_or_null(what), count });
	return &manifest->removed[manifest->removed_nr - 1];
}

struct manifest_stack_warning *manifest_add_stack_warning(struct manifest *manifest, bool cpu,
							  bool memory, const char *text)
{
	ARRAY_ADD(manifest->stack_warnings, manifest->stack_warnings_nr,
		  manifest->stack_warnings_alloc,
		  (struct manifest_stack_warning){ cpu, memory, xstrdup_or_null(text) });
	return &manifest->stack_warnings[manifest->stack_warnings_nr - 1];
}

static bool is_short(const char *text)
{
	return !text || strlen(text) <= MANIFEST_UNNAMED_TEXT_MAX;
}

void manifest_add_unnamed(struct manifest *manifest, const char *path, const char *build_id,
			  const char *reason, const char *why)
{
	struct manifest_unnamed *unnamed;

	if (manifest->unnamed_nr == MANIFEST_UNNAMED_MAX || !is_short(path) ||
	    !is_short(build_id) || !is_short(reason) || !is_short(why))
		return;
	ARRAY_GROW(manifest->unnamed, manifest->unnamed_nr + 1, manifest->unnamed_alloc);
	unnamed = &manifest->unnamed[manifest->unnamed_nr++];
	unnamed->path = xstrdup(path);
	unnamed->build_id = xstrdup_or_null(build_id);
	unnamed->reason = xstrdup(reason);
	unnamed->why = xstrdup_or_null(why);
}

void manifest_drop_unnamed(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->unnamed_nr; i++) {
		free(manifest->unnamed[i].path);
		free(manifest->unnamed[i].build_id);
		free(manifest->unnamed[i].reason);
		free(manifest->unnamed[i].why);
	}
	manifest->unnamed_nr = 0;
}

bool manifest_warns_of_stacks(const struct manifest *manifest, bool cpu)
{
	for (size_t i = 0; i < manifest->stack_warnings_nr; i++) {
		if (cpu ? manifest->stack_warnings[i].cpu : manifest->stack_warnings[i].memory)
			return true;
	}
	return false;
}

void manifest_drop_removed(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->removed_nr; i++)
		free(manifest->removed[i].what);
	manifest->removed_nr = 0;
}

const struct manifest_file *manifest_find_file(const struct manifest *manifest, const char *path)
{
	for (size_t i = 0; i < manifest->files_nr; i++) {
		if (!strcmp(manifest->files[i].path, path))
			return &manifest->files[i];
	}
	return NULL;
}

/* Refuse characters with a meaning on Windows too: drive, stream, backslash. */
bool manifest_is_path(const char *path)
{
	for (const char *s = path; *s; s++) {
		if (*s == '\\' || *s == ':' || (unsigned char)*s < ' ')
			return false;
	}
	for (;;) {
		size_t len = strcspn(path, "/");

		if (!len || (len <= 2 && !strncmp(path, "..", len)))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}
