/*
 * A test program that starts itself as a child: "PROGRAM --child WORD ARGUMENT..." runs the function for WORD in the
 * test's table of children.
 */
#ifndef TESTS_UNIT_WINDOWS_AGAIN_H
#define TESTS_UNIT_WINDOWS_AGAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <cmocka.h>

#include "platform/windows/command_line.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strvec.h"

struct again {
	const char *word;
	int (*run)(int argc, char **argv); /* the arguments after the word */
};

/* The path of this program. The caller frees it. */
static inline char *again_path(void)
{
	wchar_t path[1024];

	assert_in_range(GetModuleFileNameW(NULL, path, ARRAY_SIZE(path)), 1, 1023);
	return wide_to_utf8(path);
}

/* The command line of the child `word`; arguments may follow. */
static inline void again_push(struct strvec *argv, const char *word)
{
	strvec_push_nodup(argv, again_path());
	strvec_push(argv, "--child");
	strvec_push(argv, word);
}

/* In a child, append its arguments twice: as command_line_split() has them, and as the C runtime has them. */
static inline void again_split(struct strvec *lists)
{
	struct strvec split = STRVEC_INIT;
	wchar_t **argv, **env;
	int startup = 0, argc;

	command_line_split(GetCommandLineW(), &split);
	for (size_t i = 3; i < split.nr; i++)
		strvec_push(lists, split.v[i]);
	strvec_release(&split);
	__wgetmainargs(&argc, &argv, &env, 0, &startup);
	for (int i = 3; i < argc; i++)
		strvec_push_nodup(lists, wide_to_utf8(argv[i]));
}

/* To be called first. It does not return in a child. */
static inline void again_run(const struct again *children, size_t count, int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "--child"))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(children[i].word, argv[2])) {
			int code = children[i].run(argc - 3, argv + 3);

			fflush(NULL);
			ExitProcess((UINT)code);
		}
	}
	ExitProcess(99);
}

#endif
