/*
 * Functions of the stand-ins that differ between Linux and Windows. Text is UTF-8 on both; a function that fails sets
 * errno.
 */
#ifndef WPT_PORT_H
#define WPT_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>

#include "util/strbuf.h"
#include "util/strvec.h"

#ifdef _WIN32
#define PORT_SEPARATOR '\\'
#else
#define PORT_SEPARATOR '/'
#endif

/* The longest path that the toolkit's programs accept, in UTF-16 units without the NUL. */
#define PORT_MAX_PATH 259

/* The arguments without the program's name. */
void port_arguments(int argc, char **argv, struct strvec *args);

/* The value of a variable, which the caller frees; NULL: not set. */
char *port_env(const char *name);

FILE *port_open(const char *path, const char *mode);
bool port_is_dir(const char *path);
bool port_is_file(const char *path);
int port_make_dir(const char *path);
int port_remove(const char *path);
/* An existing `to` is replaced. */
int port_rename(const char *from, const char *to);
/* The absolute path, with the system's separators; the caller frees it. */
char *port_absolute(const char *path);
/* The length of the absolute path, in UTF-16 units. */
size_t port_path_length(const char *path);

/* Lock a file, which is created if needed; waits for other holders. The lock ends with the process. */
void *port_lock(const char *path);
void port_unlock(void *lock);

void port_sleep_ms(int64_t ms);
/* A monotonic clock, and UTC since 1601, both in 100 ns. */
int64_t port_ticks(void);
int64_t port_filetime(void);

uint32_t port_pid(void);
/* The file name of a process's program; false: there is no such process. */
bool port_process_name(uint32_t pid, struct strbuf *name);

/* The kind of a standard stream: "terminal", "null", "pipe", "file", "closed", "other". */
const char *port_stream(int fd);

/* TracingFlags of an image in the registry: set to `flags`, or removed if negative. Does nothing on Linux. */
int port_tracing_flags(const char *image, int flags);

/*
 * Exit, on Windows with all 32 bits. A Linux parent sees the low byte, or 1 if that is zero and the code is not; a program
 * under Wine does the same.
 */
noreturn void port_exit(uint32_t code);
noreturn void port_crash(void);

#endif
