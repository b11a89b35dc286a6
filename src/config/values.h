/*
 * The text of a setting, checked and stored in its field.
 */
#ifndef CONFIG_VALUES_H
#define CONFIG_VALUES_H

#include "config/config.h"
#include "config/settings.h"

/*
 * Set the field of `setting` in `config` from `value` (for a family of keys add to it). `dir` is what paths
 * are relative to. -1 with ERR_USAGE, which does not name the place.
 */
int value_set(const struct setting *setting, const char *key, const char *value, const char *dir,
	      struct config *config, struct err *err);

/* The path made absolute, whether it exists or not; the caller frees it. */
char *value_absolute_path(const char *path);

/*
 * Is it the file name of a program, "rustc.exe"? Such a one becomes part of a key of the registry, and an argument
 * of wpr.
 */
bool value_is_image(const char *value);

#endif
