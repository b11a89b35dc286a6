/*
 * The programs of a rustc checkout on Windows, made up: one file, which plays by the name it has. README.md says what
 * is true to the original.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define TRIPLE L"x86_64-pc-windows-msvc"

#define LINE_MAX 32767

/* A command line, put together argument by argument as programs of MSVC's and Rust's runtimes take it apart. */
struct command {
	wchar_t exe[1024];
	wchar_t line[LINE_MAX + 1];
	size_t len;
};

void command_begin(struct command *command, const wchar_t *exe);
void command_add(struct command *command, const wchar_t *format, ...);
void command_add_all(struct command *command, int argc, wchar_t **argv);

/* Run it to its end in `folder` (NULL: ours); its exit code. */
DWORD command_run(const struct command *command, const wchar_t *folder);

/* Start it on its own, outside our job, as cl.exe and link.exe do with mspdbsrv.exe. */
void command_leave(const struct command *command);

/* In one of a few buffers, the oldest of which is used again. */
const wchar_t *text(const wchar_t *format, ...);

/* The checkout; below its build directory. */
const wchar_t *source(const wchar_t *format, ...);
const wchar_t *build(const wchar_t *format, ...);

void set_env(const wchar_t *name, const wchar_t *value);
const wchar_t *env(const wchar_t *name);

/* The value of an option, "--name value"; NULL: not given. */
const wchar_t *value_of(int argc, wchar_t **argv, const wchar_t *name);

void say(const wchar_t *format, ...);

void make_folders(const wchar_t *path);
void copy_self(const wchar_t *path);

enum encoding { UTF8, UTF16 };

/* A response file, an argument a line; quoted as rustc does for link.exe, or not at all as cargo does. */
void write_response(const wchar_t *path, enum encoding encoding, bool quoted, int argc,
		    const wchar_t *const *argv);

/* The arguments with those of response files in their place. */
void expand(int *argc, wchar_t ***argv);

/* Commit so much, use the processor so long, and stay at least for a while. */
void work(int megabytes, int cpu_ms, int stay_ms);

/* Until a recording in ..\runs has noted our arguments, which Wine shows only while we are there; at most 5 s. */
void stay_to_be_seen(void);

int run_cargo(int argc, wchar_t **argv);
int run_compiler(int argc, wchar_t **argv);
int run_tool(const wchar_t *name, int argc, wchar_t **argv);

#endif
