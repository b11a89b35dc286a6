/*
 * Settings of the whole system, which a recording changes and puts back. Linux: a file of /proc/sys and what it says.
 * Windows: a value of the registry, "HKLM\SOFTWARE\...\rustc.exe\TracingFlags", and "dword:1", "sz:text", "none"
 * where there is no such value, "no key" where not even its key is there.
 *
 * Linux, too, for tests: the same values of the registry, as files in the folder that STAGETRACE_REGISTRY names.
 *
 * Writing what was read before puts a setting back, "none" and "no key" too.
 */
#ifndef PLATFORM_SETTING_H
#define PLATFORM_SETTING_H

#include <stdbool.h>

#include "util/err.h"
#include "util/strbuf.h"

/*
 * Is it one that a recording may change? A run may come from anyone: what it names is put back only then. Reading
 * and writing do not ask.
 */
bool setting_may_change(const char *name);

/* Append its value as it is. */
int setting_read(const char *name, struct strbuf *value, struct err *err);

/* Linux: the file must be there. Windows: a key that is missing is made. */
int setting_write(const char *name, const char *value, struct err *err);

/* Append the command by which somebody would write it. */
void setting_add_command(struct strbuf *sb, const char *name, const char *value);

#endif
