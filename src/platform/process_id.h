/*
 * Identifies a process on disk, as "PID@START": a later process with the same pid has another start.
 */
#ifndef PLATFORM_PROCESS_ID_H
#define PLATFORM_PROCESS_ID_H

#include <stdbool.h>
#include <stdint.h>

/* The id of a running process; NULL if there is none. The caller frees it. */
char *process_id(int64_t pid);

int64_t process_id_number(const char *id);

/* Whether the process still runs. False for a text that is no id. */
bool process_id_lives(const char *id);

/* The file name of the program that a process runs; NULL if it has ended. The caller frees it. */
char *process_program(int64_t pid);

#endif
