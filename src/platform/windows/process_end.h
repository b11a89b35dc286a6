/*
 * Ending other processes. Nothing on Windows asks one process to end: CTRL_BREAK goes to all of a process group, and
 * only within one console.
 */
#ifndef PLATFORM_WINDOWS_PROCESS_END_H
#define PLATFORM_WINDOWS_PROCESS_END_H

#include <stdint.h>

/* Ctrl-Break to the whole group whose leader is `pid`, from its own console where we have none. */
void process_group_interrupt(int64_t pid);

/* End it at once, with the exit code of one that was interrupted. */
void process_kill(int64_t pid);

#endif
