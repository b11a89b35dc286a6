/*
 * The guard reads lines from a pipe: "cookie TEXT", "recorder PID", "undo SETTING<tab>VALUE", "later", "bye". The end
 * of the pipe without a "bye" means that stagetrace is gone.
 */
#include "platform/guard.h"

#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/guard_process.h"
#include "platform/process_id.h"
#include "platform/setting.h"
#include "util/alloc.h"
#include "util/text.h"

#define GRACE_NS          (3 * NS_PER_S)
#define UNDO_PATIENCE_NS  (24 * 3600 * NS_PER_S)
#define RECORDER_GRACE_NS (60 * NS_PER_S)

/* Its environment may be closed to us, as that of a perf with capabilities of its own is. */
static bool recorder_is_alive(const struct guard_duty *duty)
{
	return duty->recorder && process_id_lives(duty->recorder);
}

static void end_recorder(const struct guard_duty *duty)
{
	int64_t end = clock_now() + RECORDER_GRACE_NS, pid;

	if (!recorder_is_alive(duty))
		return;
	pid = process_id_number(duty->recorder);
	guard_recorder_end(pid, false);
	while (clock_now() < end && recorder_is_alive(duty))
		clock_sleep(50 * NS_PER_MS);
	if (recorder_is_alive(duty))
		guard_recorder_end(pid, true);
}

/* SETTING, a tab, VALUE with its blanks and tabs; false where it can't be written now. */
static bool undo(const char *line)
{
	const char *tab = strchr(line, '\t');
	struct err err = ERR_INIT;
	char *name;
	int rc;

	if (!tab)
		return true;
	name = xstrndup(line, (size_t)(tab - line));
	rc = setting_write(name, tab + 1, &err);
	free(name);
	err_clear(&err);
	return !rc;
}

/* Linux refuses some for as long as they are in use, as by another recording: that is waited for, however long. */
static void undo_all(struct strvec *undos)
{
	int64_t end = clock_now() + UNDO_PATIENCE_NS;

	while (undos->nr && clock_now() < end) {
		for (size_t i = undos->nr; i-- > 0;) {
			if (undo(undos->v[i]))
				strvec_remove(undos, i);
		}
		if (undos->nr)
			clock_sleep(NS_PER_S / 2);
	}
}

bool guard_duty_obey(struct guard_duty *duty, const char *line)
{
	if (!strcmp(line, "bye"))
		return false;
	if (!strcmp(line, "later")) {
		undo_all(&duty->undos);
		return false;
	}
	if (text_starts_with(line, "cookie ")) {
		free(duty->cookie);
		duty->cookie = xstrdup(line + strlen("cookie "));
	} else if (text_starts_with(line, "recorder ")) {
		free(duty->recorder);
		duty->recorder = process_id(atoll(line + strlen("recorder ")));
	} else if (text_starts_with(line, "undo ")) {
		strvec_push(&duty->undos, line + strlen("undo "));
	}
	return true;
}

void guard_duty_take_over(struct guard_duty *duty)
{
	/* It went before it said for what. */
	if (!duty->cookie)
		return;
	build_tree_end(duty->cookie, duty->recorder ? process_id_number(duty->recorder) : 0,
		       GRACE_NS);
	end_recorder(duty);
	build_tree_end(duty->cookie, 0, 0);
	undo_all(&duty->undos);
}

static void tell(struct guard *guard, char *line)
{
	guard_process_tell(guard, line);
	free(line);
}

int guard_start(const char *cookie, struct guard **guard, struct err *err)
{
	if (guard_process_start(guard, err))
		return -1;
	tell(*guard, xasprintf("cookie %s\n", cookie));
	return 0;
}

void guard_set_recorder(struct guard *guard, int64_t pid)
{
	tell(guard, xasprintf("recorder %lld\n", (long long)pid));
}

void guard_add_undo(struct guard *guard, const char *setting, const char *value)
{
	tell(guard, xasprintf("undo %s\t%s\n", setting, value));
}

void guard_leave_undo(struct guard *guard)
{
	if (!guard)
		return;
	guard_process_tell(guard, "later\n");
	guard_process_leave(guard, false);
}

void guard_dismiss(struct guard *guard)
{
	if (!guard)
		return;
	guard_process_tell(guard, "bye\n");
	guard_process_leave(guard, true);
}
