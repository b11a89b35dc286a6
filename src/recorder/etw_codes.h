/*
 * What wpr and xperf end with: an HRESULT, compared as unsigned 32 bits. What is known of each is in one table.
 */
#ifndef RECORDER_ETW_CODES_H
#define RECORDER_ETW_CODES_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define ETW_NOT_RUNNING     0xc5583000u /* nothing runs that could be stopped or cancelled */
#define ETW_ALREADY_RUNNING 0xc5583001u
#define ETW_IN_USE          0xc5583014u /* the session's name is taken */
#define ETW_BAD_PROFILE     0xc5580701u
#define ETW_NOT_ELEVATED    0xc5585011u
#define ETW_BAD_SYNTAX      0xc5600602u
#define ETW_ACCESS_DENIED   0x80070005u
#define ETW_SESSION_GONE    0x80071069u
#define ETW_FILE_EXISTS     0x800700b7u
#define ETW_DISK_FULL       0x80070070u
#define ETW_TIMED_OUT       0x800705b4u /* a heap snapshot's, as a rule: it works when tried again */

struct etw_code {
	uint32_t code;
	const char *tool; /* that ends with it; NULL: any */
	const char *meaning;
	const char *advice;
};

/* The row of a code; NULL where nothing is known of it. */
const struct etw_code *etw_code_find(const char *tool, uint32_t code);

/* The whole table. */
const struct etw_code *etw_code_table(size_t *count);

/*
 * The code of a tool that ended with `exit_code` and said `output`. Where that is no HRESULT (a system or a wrapper
 * cuts it to a byte; xperf gives one of Windows' own) the tool's words tell: "0x" and eight digits, or "(0xb7)".
 */
uint32_t etw_code_read(int64_t exit_code, const char *output);

/*
 * Set `err` to what `call` ("wpr -stop") ended with: what it means and what to do, or the tool's own last words;
 * ERR_UNSUPPORTED where it is a matter of rights, ERR_NO_SPACE of the disk. Always -1.
 */
int etw_code_explain(const char *tool, const char *call, uint32_t code, const char *output,
		     struct err *err);

#endif
