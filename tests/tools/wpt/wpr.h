/*
 * The stand-in for wpr.exe: what its two sources share.
 */
#ifndef WPT_WPR_H
#define WPT_WPR_H

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "tools/wpt/standin.h"
#include "tools/wpt/wprp.h"

/* Builds from which on, or up to which, an option is there. */
#define BUILD_SKIP_PDB_GEN      18955
#define BUILD_NEWER             20215 /* the first whose help has topics */
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

/* Fails as wpr does: the text of the code, the code, and `detail` where it is not NULL. */
noreturn void wpr_fail(struct wpr *w, uint32_t code, const char *detail);
noreturn void wpr_fail_syntax(struct wpr *w, const char *option);

/* The option at `at` of the arguments, or NULL where it is none of `options`, or not yet in this version. */
const char *wpr_option(const struct wpr *w, size_t at, const struct wpr_option *options,
		       size_t count);
/* Fails unless there are from `least` to `most` arguments. */
void wpr_need(struct wpr *w, size_t least, size_t most);
/* Fails where the path is longer than wpr takes. */
void wpr_check_path(struct wpr *w, const char *path);
/* Fails with E_ACCESS where that is so. */
void wpr_need_elevation(struct wpr *w);

/*
 * The profiles that "[file!]Name" may be of, read into `profiles`, and the name; fails where there is no such file or
 * it is no profile file.
 */
const char *wpr_read_profiles(struct wpr *w, const char *spec, struct profiles *profiles);
/* One of them; fails where there is none. */
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

/* A recording that events can be sent to; fails where there is none. `state` is open then. */
struct record *wpr_need_recording(struct wpr *w, struct state *state);

#endif
