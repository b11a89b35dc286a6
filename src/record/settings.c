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

	if (!setting_may_change(undo->path))
		return err_set(err, ERR_CORRUPT, "'%s' is not a setting", undo->path);
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

/* Warn of a setting that is not restored yet, and print the command. */
static void warn(const struct manifest_undo *undo, const struct err *err, FILE *messages)
{
	struct strbuf command = STRBUF_INIT;

	print_line(messages, "warning: ", "a setting is not restored yet: %s", err->msg);
	if (setting_may_change(undo->path)) {
		setting_add_command(&command, undo->path, undo->value);
		print_line(messages, "",
			   "it will be restored as soon as the system accepts it; by hand: %s",
			   command.buf);
	}
	strbuf_release(&command);
}

bool settings_restore(struct manifest *manifest, FILE *messages)
{
	for (size_t i = manifest->undo_nr; i-- > 0;) {
		struct manifest_undo *undo = &manifest->undo[i];
		struct err err = ERR_INIT;

		if (restore(undo, &err)) {
			warn(undo, &err, messages);
			err_clear(&err);
			continue;
		}
		free(undo->path);
		free(undo->value);
		memmove(undo, undo + 1, (--manifest->undo_nr - i) * sizeof(*undo));
	}
	return !manifest->undo_nr;
}
