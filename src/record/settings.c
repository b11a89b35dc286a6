#include "record/settings.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "platform/setting.h"
#include "util/print.h"
#include "util/text.h"

#define PATIENCE_NS (3 * NS_PER_S)

/* Another recording may have raised it already, and will restore it. */
static bool is_enough(const char *now, const char *wanted)
{
	int64_t have, want;

	if (!strcmp(now, wanted))
		return true;
	return text_parse_int(now, 0, INT64_MAX, &have) &&
	       text_parse_int(wanted, 0, INT64_MAX, &want) && have >= want;
}

/* Note and change a setting. -1: the note cannot be written. If the change fails, `failure` has the reason. */
static int change(const struct profiler_setting *setting, struct manifest *manifest,
		  const char *dir, struct guard *guard, struct err *failure, struct err *err)
{
	struct strbuf before = STRBUF_INIT;
	int rc = 0;

	if (!setting_read(setting->path, &before, failure) &&
	    !is_enough(before.buf, setting->value)) {
		manifest_add_undo(manifest, setting->path, before.buf);
		rc = manifest_write(manifest, dir, err);
		if (!rc) {
			guard_add_undo(guard, setting->path, before.buf);
			setting_write(setting->path, setting->value, failure);
		}
	}
	strbuf_release(&before);
	return rc;
}

int settings_change(const struct profiler_settings *settings, struct manifest *manifest,
		    const char *dir, struct guard *guard, struct err *err)
{
	for (size_t i = 0; i < settings->nr; i++) {
		struct err failure = ERR_INIT;
		int rc = change(&settings->v[i], manifest, dir, guard, &failure, err);

		/* Usual without the rights: the recording works with the system's setting. */
		if (!rc && failure.code && settings->v[i].needed)
			rc = err_set(err, failure.code, "%s", failure.msg);
		else if (failure.code)
			strvec_pushf(&manifest->warnings, "a setting was not changed: %s",
				     failure.msg);
		err_clear(&failure);
		if (rc)
			return -1;
	}
	return 0;
}

/* The kernel refuses the change while any perf records stacks; ours has just ended, so try for a while. */
static int restore(const struct manifest_undo *undo, struct err *err)
{
	int64_t end = clock_now() + PATIENCE_NS;
	struct strbuf now = STRBUF_INIT;
	int rc = 0;

	if (setting_read(undo->path, &now, err))
		rc = -1;
	else if (strcmp(now.buf, undo->value))
		while ((rc = setting_write(undo->path, undo->value, err)) && clock_now() < end) {
			err_clear(err);
			clock_sleep(NS_PER_S / 10);
		}
	strbuf_release(&now);
	return rc;
}

static void print_command(const struct manifest_undo *undo, const char *text, FILE *messages)
{
	struct strbuf command = STRBUF_INIT;

	setting_add_command(&command, undo->path, undo->value);
	print_line(messages, "", "%s: %s", text, command.buf);
	strbuf_release(&command);
}

static void drop(struct manifest *manifest, size_t at)
{
	struct manifest_undo *undo = &manifest->undo[at];

	free(undo->path);
	free(undo->value);
	memmove(undo, undo + 1, (--manifest->undo_nr - at) * sizeof(*undo));
}

/* Drop what no profiler of ours changes: a run may come from anyone, and `recover` often runs as root. */
static void drop_others(struct manifest *manifest, FILE *messages)
{
	for (size_t i = manifest->undo_nr; i-- > 0;) {
		const struct manifest_undo *undo = &manifest->undo[i];

		if (profiler_may_restore(undo->path, undo->value, false))
			continue;
		print_line(
			messages, "warning: ",
			"'%s' is not restored to '%s': no recording changes this setting from that "
			"value",
			undo->path, undo->value);
		drop(manifest, i);
	}
}

static void leave(struct manifest *manifest, size_t at, FILE *messages)
{
	print_command(&manifest->undo[at],
		      "if the recording has left a setting changed, restore it by hand", messages);
	drop(manifest, at);
}

bool settings_restore(struct manifest *manifest, FILE *messages)
{
	drop_others(manifest, messages);
	/* Those of another system: the run was moved. */
	for (size_t i = manifest->undo_nr; i-- > 0;) {
		if (!profiler_may_restore(manifest->undo[i].path, manifest->undo[i].value, true))
			leave(manifest, i, messages);
	}
	for (size_t i = manifest->undo_nr; i-- > 0;) {
		const struct manifest_undo *undo = &manifest->undo[i];
		struct err err = ERR_INIT;

		if (!restore(undo, &err)) {
			drop(manifest, i);
			continue;
		}
		print_line(messages, "warning: ", "a setting is not restored yet: %s", err.msg);
		print_command(undo, "it will be restored as soon as the system accepts it; by hand",
			      messages);
		err_clear(&err);
	}
	return !manifest->undo_nr;
}

void settings_hand_over(struct manifest *manifest, const struct guard *guard)
{
	if (!guard || !guard_lives(guard))
		return;
	while (manifest->undo_nr)
		drop(manifest, manifest->undo_nr - 1);
}

void settings_leave(struct manifest *manifest, FILE *messages)
{
	drop_others(manifest, messages);
	while (manifest->undo_nr)
		leave(manifest, 0, messages);
}
