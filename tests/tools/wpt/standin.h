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

/* Refusals without a documented number: those of Win32 for the same reason. */
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
	char *folder; /* of the state */
	uint32_t version[4];
	uint32_t build; /* the third of them */
	bool elevated;
	bool strict;         /* arguments only in the order that is documented */
	struct strbuf notes; /* more members for the log's line */
	struct strvec faults;
	char *verb; /* the argument of standin_verb() */
};

/* `version_variable` names the variable with the version, `version` is it where that is not set. */
void standin_begin(struct standin *s, const char *tool, const char *version_variable,
		   const char *version, int argc, char **argv);

/* Writes the log's line: `end` is "exit", or what the call does instead of ending. */
void standin_log(const struct standin *s, const char *end, uint32_t code);

/* Writes the log's line and ends. */
noreturn void standin_end(struct standin *s, uint32_t code);

/* Said in the log's line: `"key": "value"`. */
void standin_note(struct standin *s, const char *key, const char *value);

/*
 * Which verb this call is, counted in the state, so that faults may be asked for. Does what faults want before
 * anything else; -1, with the code to fail with, for one that makes the call fail.
 */
int standin_verb(struct standin *s, const char *verb, uint32_t *code);

/* The argument of a fault of the call's verb, "" for one without; NULL where it was not asked for. */
const char *standin_fault(const struct standin *s, const char *action);
/* The same for the verb "session": what becomes of a session, whatever the call is. */
const char *standin_session_fault(const struct standin *s, const char *action);

/* Hangs or crashes here where hang-`place` or crash-`place` was asked for. */
void standin_pass(struct standin *s, const char *place);

/* Writes a file, or half of it and fails with ENOSPC where the fault `nospace` wants that. */
int standin_write(const struct standin *s, const char *path, const void *data, size_t len);

/* The HRESULT for errno. */
uint32_t standin_code_of_errno(void);
/* What the system says of a code; "Unspecified error" for an unknown one. */
const char *standin_text(uint32_t code);

/* The whole file; -1 where it cannot be read. */
int standin_read(const char *path, struct strbuf *data);

/* Variables: a number, or `otherwise` where it is not set; and whether it is 1. */
int64_t standin_number(const char *variable, int64_t otherwise);

/* A whole decimal number. */
bool standin_is_number(const char *s, int64_t min, int64_t max, int64_t *value);

#endif
