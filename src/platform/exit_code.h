/*
 * What the exit code of a process says. Linux: 128 + signal where a signal ended it. Windows: 32 bits, unsigned; from
 * 0xC0000000 on they are what the system calls an exception.
 */
#ifndef PLATFORM_EXIT_CODE_H
#define PLATFORM_EXIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

/* It was ended: by a signal, an exception, from outside. */
bool exit_code_is_crash(int64_t exit_code);

/* Append "failed with exit code 3", "was ended by signal 9", "ended with 0xC0000005 (access violation)". */
void exit_code_add_failure(struct strbuf *sb, int64_t exit_code);

#endif
