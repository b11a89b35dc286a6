/*
 * Shared by the two source files of the stand-in for wpr.exe.
 */
#ifndef WPT_WPR_H
#define WPT_WPR_H

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "tools/wpt/standin.h"
#include "tools/wpt/wprp.h"

/* The first or last build of wpr that has an option. */
#define BUILD_SKIP_PDB_GEN      18955
#define BUILD_NEWER             20215 /* the first with topics in its help */
#define BUILD_MARKERFLUSH_FIRST 17709
#define BUILD_MARKERFLUSH_LAST  20153

#define DEFAULT_INSTANCE "WprApp"

struct wpr {
	struct standin s;
	struct strvec args; /* without the verb and -instancename */
	char *instance;
};

struct wpr_option {
	const char *name;
	uint32_t since;
};

/* Fail as wpr does: print the text of the code, the code, and `detail` (may be NULL). */
noreturn void wpr_fail(struct wpr *w, uint32_t code, const char *detail);
noreturn void wpr_fail_syntax(struct wpr *w, const char *option);

/* The argument at `at` if it is one of `options` that this version has; else NULL. */
const char *wpr_option(const struct wpr *w, size_t at, const struct wpr_option *options,
		       size_t count);
/* Fail unless there are `least` to `most` arguments. */
void wpr_need(struct wpr *w, size_t least, size_t most);
/* Fail if the path is longer than wpr accepts. */
void wpr_check_path(struct wpr *w, const char *path);
/* Fail with E_ACCESS if the prompt is not elevated. */
void wpr_need_elevation(struct wpr *w);

/*
 * Read the profiles that "[file!]Name" selects from into `profiles`, and return the name. Fails if the file does not exist
 * or is not a profile file.
 */
const char *wpr_read_profiles(struct wpr *w, const char *spec, struct profiles *profiles);
/* The profile with the name; fails if there is none. */
const struct profile *wpr_pick(struct wpr *w, const struct profiles *profiles, const char *name,
			       bool file);

/* The verbs of recordings; each ends the program or returns for exit 0. */
void wpr_start(struct wpr *w);
void wpr_stop(struct wpr *w);
void wpr_cancel(struct wpr *w);
void wpr_status(struct wpr *w);
void wpr_marker(struct wpr *w);
void wpr_markerflush(struct wpr *w);
void wpr_flush(struct wpr *w);
void wpr_capture_state(struct wpr *w);
void wpr_merge(struct wpr *w);

/* The recording of this call's instance; fails if there is none. `state` is open then. */
struct record *wpr_need_recording(struct wpr *w, struct state *state);

#endif
