/*
 * Settings of the whole system, which a recording changes and restores. Linux: the name is a file in /proc/sys, the
 * value its content. Windows: the name is that of a registry value, "HKLM\SOFTWARE\...\rustc.exe\TracingFlags"; the
 * value is "dword:1" or "sz:text", "none" if the key has no such value, "no key" if there is no such key.
 *
 * For tests, Linux has these registry values too, as files in the directory STAGETRACE_REGISTRY.
 *
 * Writing a value that was read restores the setting, also if it is "none" or "no key".
 */
#ifndef PLATFORM_SETTING_H
#define PLATFORM_SETTING_H

#include <stdbool.h>

#include "util/err.h"
#include "util/strbuf.h"

/* Append the value of a setting. */
int setting_read(const char *name, struct strbuf *value, struct err *err);

/* Linux: the file must exist. Windows: a missing key is created. */
int setting_write(const char *name, const char *value, struct err *err);

/* Append a command for a shell of the system that has the setting, which may be another one. */
void setting_add_command(struct strbuf *sb, const char *name, const char *value);

#endif
