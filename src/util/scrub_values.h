/*
 * Finds values of environment variables and of secrets in command lines and texts. In a text they are found as
 *   NAME=value, NAME+=value    a word of a shell with all its quotes, $(a b), ${a:-b c}, and (a b) or `a b` at its start;
 *                              all of the line if NAME begins it
 *   --NAME value               secrets alone
 *   "NAME": "value", "NAME": Some("value"), ("NAME", "value")
 *   NAME = Some(value)         as build scripts print them
 *   NAME: value, NAME = value  secrets, and what begins a line and has _ in its name
 *   "NAME: value"              secrets, as headers of HTTP are given
 *   NAME =value                secrets whose name is in capitals
 * Terminal escape sequences may follow NAME.
 * The name of a variable is in capitals, ends with _proxy, or has a _ and begins with a capital (CFLAGS_x86_64-unknown).
 * A secret is what ends with password, token, secret and the like, in any case.
 * In a single argument of a command, the value goes on to the end of the argument, unless blanks come before NAME.
 */
#ifndef UTIL_SCRUB_VALUES_H
#define UTIL_SCRUB_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct scrub_value {
	size_t start, end; /* without the quotes that enclose it; not empty */
	bool secret;       /* it has the name of a secret, and not that of a variable */
};

struct scrub_values {
	const char *s;
	size_t len;
	bool argument;
	/* of the search */
	size_t at;
	bool begins_line; /* nothing but blanks, marks such as + and a [prefix] was before it in its line */
	bool in_prefix;
	bool has_blanks;
};

void scrub_values_init(struct scrub_values *values, const char *s, size_t len, bool argument);

/* The next value; false: there are no more. Variables of scrub_keeps_variable() are passed over. */
bool scrub_values_next(struct scrub_values *values, struct scrub_value *value);

/* Whether the value of a secret is the argument after this one: --token */
bool scrub_values_is_option(const char *argument);

/* Whether the value of this variable (NAME=value or NAME) is kept: tags follow from it. */
bool scrub_keeps_variable(const char *text);

#endif
