/*
 * The table of exit codes of wpr and xperf, each with its meaning and advice. They are HRESULTs as unsigned 32-bit numbers.
 */
#ifndef PROFILER_ETW_ETW_CODES_H
#define PROFILER_ETW_ETW_CODES_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define ETW_NOT_RUNNING     0xc5583000u /* there is no recording to stop or cancel */
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

#endif
