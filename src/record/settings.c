#include "record/settings.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"

static int note(const char *path, const char *value, struct manifest *manifest, const char *dir,
		struct guard *guard, struct err *err)
{
	manifest_add_undo(manifest, path, value);
	if (manifest_write(manifest, dir, err))
		return -1;
	guard_add_undo(guard, path, value);
	return 0;
}

int settings_change(const struct recorder_settings *settings, struct manifest *manifest,
		    const char *dir, struct guard *guard, struct err *err)
{
	for (size_t i = 0; i < settings->nr; i++) {
		const struct recorder_setting *setting = &settings->v[i];
		struct strbuf before = STRBUF_INIT;
		struct err failure = ERR_INIT;
		int rc = 0;

		if (!fs_read(setting->path, 4096, &before, &failure)) {
			before.buf[strcspn(before.buf, "\n")] = '\0';
			rc = note(setting->path, before.buf, manifest, dir, guard, err);
			if (!rc)
				guard_put_back(setting->path, setting->value, &failure);
		}
		/* Without the rights this is how it always is: the recording works, with the system's setting. */
		if (failure.code)
			strvec_pushf(&manifest->warnings, "left a setting as it is: %s",
				     failure.msg);
		err_clear(&failure);
		strbuf_release(&before);
		if (rc)
			return -1;
	}
	return 0;
}

void settings_put_back(struct manifest *manifest)
{
	for (size_t i = manifest->undo_nr; i-- > 0;) {
		struct manifest_undo *undo = &manifest->undo[i];
		struct strbuf now = STRBUF_INIT;
		struct err err = ERR_INIT;

		/* Not ours to touch where it already is as it was. */
		if (!fs_read(undo->path, 4096, &now, &err))
			now.buf[strcspn(now.buf, "\n")] = '\0';
		if (!err.code && strcmp(now.buf, undo->value))
			guard_put_back(undo->path, undo->value, &err);
		if (err.code)
			strvec_pushf(&manifest->warnings, "could not put a setting back: %s",
				     err.msg);
		err_clear(&err);
		strbuf_release(&now);
		free(undo->path);
		free(undo->value);
	}
	manifest->undo_nr = 0;
}
