/*
 * What the stand-ins share: variables that configure them and their faults, and a log of their calls. README.md lists the
 * variables and the faults.
 */
#ifndef WPT_STANDIN_H
#define WPT_STANDIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "tools/wpt/state.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* HRESULTs of the documented refusals. */
#define E_NOT_RUNNING      UINT32_C(0xc5583000)
#define E_ALREADY_RUNNING  UINT32_C(0xc5583001)
#define E_COLLECTOR_IN_USE UINT32_C(0xc5583014)
#define E_NO_PROVIDERS     UINT32_C(0xc5580612)
#define E_BAD_PROFILE      UINT32_C(0xc5580701)
#define E_PROFILE_POLICY   UINT32_C(0xc5585011)
#define E_SYNTAX           UINT32_C(0xc5600602)
#define E_ACCESS           UINT32_C(0x80070005)
#define E_NO_RESOURCES     UINT32_C(0x800705aa)
#define E_NO_MEMORY        UINT32_C(0x80070008)
#define E_EXISTS           UINT32_C(0x800700b7)
#define E_INSTANCE_GONE    UINT32_C(0x80071069)
#define E_BAD_FLAGS        UINT32_C(0x800703ec)
#define E_UNEXPECTED       UINT32_C(0x8000ffff)

/* Refusals without a documented HRESULT: the Win32 error for the same reason. */
#define E_NO_FILE       UINT32_C(0x80070002)
#define E_NO_PATH       UINT32_C(0x80070003)
#define E_PATH_TOO_LONG UINT32_C(0x800700ce)
#define E_BAD_ARGUMENT  UINT32_C(0x80070057)
#define E_DISK_FULL     UINT32_C(0x80070070)
#define E_NOT_FOUND     UINT32_C(0x80070490)
#define E_CANCELLED     UINT32_C(0x800704c7)
#define E_NOT_ENABLED   UINT32_C(0x80004005)

struct standin {
	const char *tool;
	struct strvec args;
	char *dir; /* directory of the state */
	uint32_t version[4];
	uint32_t build; /* version[2] */
	bool elevated;
	bool strict;         /* arguments must be in the documented order */
	struct strbuf notes; /* more members for the log's line */
	struct strvec faults;
	char *verb; /* the argument of standin_verb() */
};

/* `version_variable` is the name of the variable with the version; if it is not set, `version` is used. */
void standin_begin(struct standin *s, const char *tool, const char *version_variable,
		   const char *version, int argc, char **argv);

/* Write the line of this call to the log; `end` is "exit", or what the call does instead of exiting. */
void standin_log(const struct standin *s, const char *end, uint32_t code);

/* Write the line to the log, and exit. */
noreturn void standin_end(struct standin *s, uint32_t code);

/* Add `"key": "value"` to the line. */
void standin_note(struct standin *s, const char *key, const char *value);

/*
 * Set the verb of this call, and count it in the state: faults are selected by verb and count. Carries out faults that
 * come first. -1: a fault makes the call fail, with `*code`.
 */
int standin_verb(struct standin *s, const char *verb, uint32_t *code);

/* The argument of a fault for the call's verb, "" if it has none; NULL: the fault was not requested. */
const char *standin_fault(const struct standin *s, const char *action);
/* The same for the verb "session": faults of a session, in any call. */
const char *standin_session_fault(const struct standin *s, const char *action);

/* Hang or crash here if the fault hang-`place` or crash-`place` was requested. */
void standin_pass(struct standin *s, const char *place);

/* Write a file; with the fault `nospace` write half of it and fail with ENOSPC. */
int standin_write(const struct standin *s, const char *path, const void *data, size_t len);

/* The HRESULT for errno. */
uint32_t standin_code_of_errno(void);
/* The system's message for a code; "Unspecified error" for an unknown one. */
const char *standin_text(uint32_t code);

/* Read a whole file; -1: it cannot be read. */
int standin_read(const char *path, struct strbuf *data);

/* The value of a variable as a number; `otherwise` if it is not set. */
int64_t standin_number(const char *variable, int64_t otherwise);

/* Parse a whole decimal number. */
bool standin_is_number(const char *s, int64_t min, int64_t max, int64_t *value);

#endif
