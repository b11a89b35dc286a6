/*
 * A program that imitates the programs of a rustc checkout on Windows: its file name decides which. README.md says what
 * is true to the original.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define TRIPLE L"x86_64-pc-windows-msvc"

#define LINE_MAX 32767

/* A command line, quoted argument by argument by the rules of the C and Rust runtimes. */
struct command {
	wchar_t exe[1024];
	wchar_t line[LINE_MAX + 1];
	size_t len;
};

void command_begin(struct command *command, const wchar_t *exe);
void command_add(struct command *command, const wchar_t *format, ...);
void command_add_all(struct command *command, int argc, wchar_t **argv);

/* Run it to its end in `dir` (NULL: ours). Returns its exit code. */
DWORD command_run(const struct command *command, const wchar_t *dir);

/* Start it outside our job, without waiting for it, as cl.exe and link.exe start mspdbsrv.exe. */
void command_leave(const struct command *command);

/* Format a text, into one of a few buffers that are reused in turn. */
const wchar_t *text(const wchar_t *format, ...);

/* A path below the checkout; a path below its build directory. */
const wchar_t *source(const wchar_t *format, ...);
const wchar_t *build(const wchar_t *format, ...);

void set_env(const wchar_t *name, const wchar_t *value);
const wchar_t *env(const wchar_t *name);

/* The value of an option, "--name value"; NULL: not given. */
const wchar_t *value_of(int argc, wchar_t **argv, const wchar_t *name);

void say(const wchar_t *format, ...);

void make_dirs(const wchar_t *path);
void copy_self(const wchar_t *path);

enum encoding { UTF8, UTF16 };

/* Write a response file, one argument per line: quoted as rustc does for link.exe, or not, as cargo does. */
void write_response(const wchar_t *path, enum encoding encoding, bool quoted, int argc,
		    const wchar_t *const *argv);

/* Replace the names of response files by the arguments in them. */
void expand(int *argc, wchar_t ***argv);

/* Commit memory, use CPU time, and live for at least `stay_ms`. */
void work(int megabytes, int cpu_ms, int stay_ms);

/* At most so long, and until the file named by TREE_UNTIL is there, if it names one. */
void stay_until(DWORD ms);

/* Until a recording in ..\runs has noted our arguments, which Wine shows only while we are there; at most 5 s. */
void stay_to_be_seen(void);

int run_cargo(int argc, wchar_t **argv);
int run_compiler(int argc, wchar_t **argv);
int run_tool(const wchar_t *name, int argc, wchar_t **argv);

#endif
