/*
 * Which process a number means: "NUMBER@START", to be kept on disk. A later process of the same number is another.
 */
#ifndef PLATFORM_PROCESS_ID_H
#define PLATFORM_PROCESS_ID_H

#include <stdbool.h>
#include <stdint.h>

/* Of a living process; NULL where there is none. The caller frees it. */
char *process_id(int64_t pid);

int64_t process_id_number(const char *id);

/* Does it live? Any text may be given: one that is no such says no. */
bool process_id_lives(const char *id);

#endif
