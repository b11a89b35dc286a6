/*
 * The table of all settings: used to read values, for defaults, for suggestions for misspelt names, to write the copy in
 * the run, and by the test that compares it with docs/configuration.md.
 *
 * To add a setting:
 *   1. give struct config (config/config.h) a field;
 *   2. give it a row in the table of settings.c;
 *   3. describe it in docs/configuration.md: a test compares both.
 */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

enum setting_type {
	SETTING_NAME,     /* char *: valid in a file name */
	SETTING_WORD,     /* char *: one of `choices` */
	SETTING_PATH,     /* char *: relative to the INI file */
	SETTING_COMMAND,  /* struct strvec: arguments */
	SETTING_SIZE,     /* int64_t: bytes within min and max */
	SETTING_DURATION, /* int64_t: nanoseconds within min and max */
	SETTING_COUNT,    /* int64_t: a whole number within min and max */
	SETTING_BOOL,     /* bool */
	SETTING_STACKS,   /* enum stack_mode: one of `choices` */
	SETTING_SYMBOLS,  /* enum symbols_mode: one of `choices` */
	SETTING_GATES,    /* struct strvec: expressions */
	SETTING_IMAGE,    /* char *: a program's file name */
	SETTING_NAMES,    /* struct strvec: globs */
	SETTING_MOMENTS,  /* struct config_numbers: durations, ascending */
	SETTING_PIDS,     /* struct config_numbers: process ids without repetition, at most `max` */
	SETTING_GLOBS,    /* struct tag_rules; the key is the role */
	SETTING_TOML,     /* struct strvec: key=value for x.py */
	SETTING_ENV,      /* struct strvec: NAME=value */
};

/* Limit of a key, so that a line has room for a value. */
#define SETTING_KEY_MAX 120

struct setting {
	const char *section;
	const char *key; /* of a family of keys, its form: "TABLE.KEY", "env.NAME", "ROLE" */
	enum setting_type type;
	size_t offset;        /* of the field in struct config */
	const char *fallback; /* the default as INI text; NULL: not set */
	bool required;
	int64_t min, max;           /* of sizes, durations and counts */
	int64_t bare_unit;          /* unit of a number without one; 0: a unit is required */
	const char *const *choices; /* NULL-terminated */
	const char *help;
};

/* The whole table, in the order of the sections in a file. */
const struct setting *setting_table(size_t *count);

/* The row of a key of a section; NULL: unknown key. */
const struct setting *setting_find(const char *section, const char *key);

bool setting_is_section(const char *section);

/* Does the row stand for many keys? */
bool setting_is_family(const struct setting *setting);

/* May its value span several lines, whose text is joined? */
bool setting_takes_lines(const struct setting *setting);

/*
 * Append why there is no setting of this name, with a suggestion: "unknown key 'comand' in [stage1] (did you mean
 * 'command'?)", or the section that has the key. False: there is one, nothing was appended.
 */
bool setting_refuse(const char *section, const char *key, struct strbuf *why);
bool setting_refuse_section(const char *section, struct strbuf *why);

/* Append " (did you mean 'perf'?)", or nothing. */
void setting_suggest_choice(const struct setting *setting, const char *word, struct strbuf *sb);

#endif
