/*
 * What wpr and xperf say: their exit codes, each with its meaning and advice (HRESULTs as unsigned 32-bit numbers), and
 * their output. Windows translates it, so parsing relies on numbers, session names and the layout of tables, and on
 * English words only where nothing else decides. A number that cannot be read is -1.
 */
#ifndef PROFILER_ETW_ETW_OUTPUT_H
#define PROFILER_ETW_ETW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define ETW_NOT_RUNNING     0xc5583000u /* there is no session to stop or cancel */
#define ETW_ALREADY_RUNNING 0xc5583001u
#define ETW_IN_USE          0xc5583014u /* the session's name is taken */
#define ETW_BAD_PROFILE     0xc5580701u
#define ETW_NOT_ELEVATED    0xc5585011u
#define ETW_BAD_SYNTAX      0xc5600602u
#define ETW_ACCESS_DENIED   0x80070005u
#define ETW_SESSION_GONE    0x80071069u
#define ETW_FILE_EXISTS     0x800700b7u
#define ETW_DISK_FULL       0x80070070u
#define ETW_TIMED_OUT       0x800705b4u /* usually a heap snapshot, which works at the second try */

struct etw_code {
	uint32_t code;
	const char *tool; /* which tool uses the code; NULL: both */
	const char *meaning;
	const char *advice;
};

/* The row of a code; NULL: unknown code. */
const struct etw_code *etw_code_find(const char *tool, uint32_t code);

/* The whole table. */
const struct etw_code *etw_code_table(size_t *count);

/*
 * The code of a tool that ended with `exit_code` and printed `output`. If the exit code is no HRESULT (some systems cut it
 * to a byte; xperf may return a Win32 error code), the code is taken from the output: "0x" and eight digits, or
 * "(0xb7)".
 */
uint32_t etw_code_read(int64_t exit_code, const char *output);

/*
 * Set `err` to the reason why `call` ("wpr -stop") failed: meaning and advice of the code, or the output's last line.
 * ERR_UNSUPPORTED: rights are missing. ERR_NO_SPACE: the disk is full. Always -1.
 */
int etw_code_explain(const char *tool, const char *call, uint32_t code, const char *output,
		     struct err *err);

enum etw_state {
	ETW_IDLE,
	ETW_RECORDING,
	ETW_UNKNOWN, /* the tool failed */
};

/* The state, from the exit code and output of `wpr -status`. */
enum etw_state etw_status_state(uint32_t code, const char *output);

/*
 * Lost events and buffers, summed over all collectors: "Events Lost : N" and similar lines in `wpr -status
 * collectors details` and `xperf -loggers`, or "Dropped event", which is a total. -1: the output has no such line.
 */
int64_t etw_status_lost(const char *output);

/* The same for one session of `xperf -loggers`. */
int64_t etw_status_lost_of(const char *output, const char *logger);

/* The sampling interval in 100 ns, from the output of `wpr -profint`; 0: none within wpr's limits. */
int64_t etw_status_interval(const char *output);

#define ETW_INTERVAL_MIN INT64_C(1221) /* in 100 ns */
#define ETW_INTERVAL_MAX INT64_C(10000000)

struct etw_version {
	int v[4]; /* 10.0.19041[.1]; all 0: unknown */
};

/* The first version number in a banner. */
struct etw_version etw_version_read(const char *output);

/* <0: a is older; 0: same version; >0: a is newer. */
int etw_version_compare(struct etw_version a, struct etw_version b);

#endif
