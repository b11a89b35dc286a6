/*
 * The guard reads lines from a pipe: "cookie TEXT", "profiler PID", "undo SETTING<tab>VALUE", "later", "bye". The end
 * of the pipe without a "bye" means that stagetrace was killed.
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
#define PROFILER_GRACE_NS (60 * NS_PER_S)

/*
 * The profiler is found by its id: the environment of a program with capabilities, as perf may be, is not readable,
 * so neither is the cookie.
 */
static bool profiler_is_alive(const struct guard_state *state)
{
	return state->profiler && process_id_lives(state->profiler);
}

static void end_profiler(const struct guard_state *state)
{
	int64_t end = clock_now() + PROFILER_GRACE_NS, pid;

	if (!profiler_is_alive(state))
		return;
	pid = process_id_number(state->profiler);
	guard_profiler_end(pid, false);
	while (clock_now() < end && profiler_is_alive(state))
		clock_sleep(50 * NS_PER_MS);
	if (profiler_is_alive(state))
		guard_profiler_end(pid, true);
}

/* `line` is SETTING, a tab and VALUE, which may have blanks and tabs. False: it cannot be written now. */
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

/* Linux refuses to write some settings while another recording uses them: retry until it accepts. */
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

bool guard_state_obey(struct guard_state *state, const char *line)
{
	if (!strcmp(line, "bye"))
		return false;
	if (!strcmp(line, "later")) {
		undo_all(&state->undos);
		return false;
	}
	if (text_starts_with(line, "cookie ")) {
		free(state->cookie);
		state->cookie = xstrdup(line + strlen("cookie "));
	} else if (text_starts_with(line, "profiler ")) {
		free(state->profiler);
		state->profiler = process_id(atoll(line + strlen("profiler ")));
	} else if (text_starts_with(line, "undo ")) {
		strvec_push(&state->undos, line + strlen("undo "));
	}
	return true;
}

void guard_state_clean_up(struct guard_state *state)
{
	/* stagetrace was killed before it sent the cookie. */
	if (!state->cookie)
		return;
	build_tree_end(state->cookie, state->profiler ? process_id_number(state->profiler) : 0,
		       GRACE_NS);
	end_profiler(state);
	build_tree_end(state->cookie, 0, 0);
	undo_all(&state->undos);
}

static void send(struct guard *guard, char *line)
{
	guard_process_send(guard, line);
	free(line);
}

int guard_start(const char *cookie, struct guard **guard, struct err *err)
{
	if (guard_process_start(guard, err))
		return -1;
	if (cookie)
		send(*guard, xasprintf("cookie %s\n", cookie));
	return 0;
}

void guard_set_profiler(struct guard *guard, int64_t pid)
{
	send(guard, xasprintf("profiler %lld\n", (long long)pid));
}

void guard_add_undo(struct guard *guard, const char *setting, const char *value)
{
	send(guard, xasprintf("undo %s\t%s\n", setting, value));
}

void guard_leave_undo(struct guard *guard)
{
	if (!guard)
		return;
	guard_process_send(guard, "later\n");
	guard_process_leave(guard, false);
}

void guard_dismiss(struct guard *guard)
{
	if (!guard)
		return;
	guard_process_send(guard, "bye\n");
	guard_process_leave(guard, true);
}
