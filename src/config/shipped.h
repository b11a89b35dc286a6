/*
 * Finds files that came with the program: configurations, profiles.
 */
#ifndef CONFIG_SHIPPED_H
#define CONFIG_SHIPPED_H

#define SHIPPED_CONFIGS "configs"

/*
 * The path of such a file or directory, for example "profiles/rustc.wprp", in the first of these directories that has it,
 * relative to the directory of the program:
 *   .                        the zip for Windows
 *   ../share/stagetrace      `make install`
 *   .., ../..                the source tree, from build/ and build/windows/
 * NULL: none has it. The caller frees it.
 */
char *shipped_find(const char *name);

/* The directory below which `make install` has put the program; NULL: it runs from elsewhere. The caller frees it. */
char *shipped_prefix(void);

/*
 * The configuration that a user names `name`: `name` itself, or, if that is no file here and a file name alone, the one
 * that came with the program. Without either it is `name`. The caller frees it.
 */
char *shipped_find_config(const char *name);

#endif
