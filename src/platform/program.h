/*
 * The program itself: startup, executable, environment, interrupts.
 */
#ifndef PLATFORM_PROGRAM_H
#define PLATFORM_PROGRAM_H

#include <stddef.h>

#include "util/err.h"

/*
 * Make sure that the standard streams are open and change no bytes, and replace the arguments by the same in UTF-8,
 * without expanding patterns. Call it first, with the arguments of main(). The new arguments are never freed.
 */
void program_start(int *argc, char ***argv);

/* The absolute path of this program's executable, links resolved; NULL: unknown. The caller frees it. */
char *executable_path(void);

/* The value of an environment variable, in UTF-8; NULL if it is not set or empty. The caller frees it. */
char *env_get(const char *name);

/*
 * The path of a program that stagetrace runs for itself, such as perf or git, searched for in PATH. For root, programs that
 * other users can change are skipped. NULL: there is none (ERR_NOT_FOUND), or all are skipped (ERR_UNSUPPORTED). The caller
 * frees it. (Windows: as fs_find_program().)
 */
char *program_find_own(const char *name, struct err *err);

/* The version in a program's file, "10.0.22621.1"; NULL: it has none, as on Linux. The caller frees it. */
char *program_version(const char *path);

/* From now on count interrupts (SIGINT, SIGTERM, SIGHUP; Windows: console events) instead of ending. */
void interrupt_catch(void);

/* The number of interrupts so far. */
int interrupt_count(void);

/* Return freed memory to the system, before a step that needs much. */
void memory_trim(void);

/*
 * The vdso, a shared object that the kernel maps into each process and that has no file: the ELF image of *size bytes
 * in this process, which stays valid. NULL: there is none.
 */
const void *vdso_image(size_t *size);

#endif
