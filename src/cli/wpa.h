/*
 * The Windows Performance Analyzer: where it is, and how it is to be started for a trace.
 */
#ifndef CLI_WPA_H
#define CLI_WPA_H

#include <stdbool.h>

#include "util/strvec.h"

/* Is this a system that WPA runs on? */
bool wpa_runs_here(void);

/*
 * The program that STAGETRACE_WPA names, on any system, whether it is there or not; else, on Windows, wpa.exe in the
 * folder WPT_PATH, of the Windows ADK, of the Microsoft Store, or along PATH. NULL where there is none. The caller
 * frees it.
 */
char *wpa_find(void);

struct wpa_trace {
	const char *etl;           /* absolute */
	const char *profile;       /* NULL: none */
	const struct strvec *dirs; /* where symbols are, before those that the user has set */
};

/* Append the arguments behind the program, and NAME=value for its environment. */
void wpa_add_command(const struct wpa_trace *trace, struct strvec *argv, struct strvec *env);

#endif
