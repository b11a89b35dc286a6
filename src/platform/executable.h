/*
 * This program's own file.
 */
#ifndef PLATFORM_EXECUTABLE_H
#define PLATFORM_EXECUTABLE_H

/* Absolute, links resolved; NULL where the system does not tell. The caller frees it. */
char *executable_path(void);

#endif
