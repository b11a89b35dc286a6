/*
 * Starts of processes under Wine. On a busy machine its CreateProcessW() refuses one start in some thousands with an internal error,
 * and another try succeeds; Windows knows no such failure. Programs linked with wine_starts.c and
 * -Wl,--wrap=__imp_CreateProcessW try again, up to three times, wherever they or the program's own code call it. Each
 * refusal is counted, and printed as "NOTE Wine refused ..." on stderr.
 *
 * A refused process has died before its program ran; in a job, it was one of the job's processes nevertheless.
 */
#ifndef TESTS_SUPPORT_WINDOWS_WINE_STARTS_H
#define TESTS_SUPPORT_WINDOWS_WINE_STARTS_H

/* Starts that were refused so far, and tried again. */
unsigned wine_starts_refused(void);

#endif
