/*
 * Finds files installed with the program: profiles.
 */
#ifndef CONFIG_SHIPPED_H
#define CONFIG_SHIPPED_H

/*
 * The path of an installed file, for example "profiles/rustc.wprp", in the first of these folders that has it, relative
 * to the folder of the program:
 *   .                        the portable zip
 *   ../share/stagetrace      `make install`
 *   .., ../..                the source tree, from build/ and build/windows/
 * NULL: none has it. The caller frees it.
 */
char *shipped_find(const char *name);

#endif
