/*
 * Files that come with the program: profiles.
 */
#ifndef CONFIG_SHIPPED_H
#define CONFIG_SHIPPED_H

/*
 * The file "profiles/rustc.wprp", say, of this installation, in the first of these folders that has it:
 *   that of the program      as in the portable zip
 *   ../share/stagetrace      as `make install` puts it
 *   .., ../..                from build/ and build/windows/, the source tree
 * NULL where none has. The caller frees it.
 */
char *shipped_find(const char *name);

#endif
