/*
 * Checks and stores the value of a setting.
 */
#ifndef CONFIG_VALUES_H
#define CONFIG_VALUES_H

#include "config/config.h"
#include "config/settings.h"

/*
 * Set the field of `setting` in `config` from `value`, or add to it for a family of keys. Paths are relative to `dir`. -1:
 * ERR_USAGE; the message has no location.
 */
int value_set(const struct setting *setting, const char *key, const char *value, const char *dir,
	      struct config *config, struct err *err);

/* The absolute path; it need not exist. The caller frees it. */
char *value_absolute_path(const char *path);

/*
 * The absolute path of a program by the name that it was given: links to its directory are resolved, one that it is itself
 * is not, as programs act by their name (rustup's rustc is a link to rustup). The caller frees it.
 */
char *value_program_path(const char *path);

/*
 * Is `value` the file name of a Windows program, such as "rustc.exe"? It is used in a registry key and in wpr's arguments.
 */
bool value_is_image(const char *value);

#endif
