#include "platform/program.h"

#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/terminal.h"
#include "platform/windows/command_line.h"
#include "util/array.h"

/* What the console was like before us: it outlives us. */
static struct {
	UINT code_page;
	HANDLE screen[2];
	DWORD mode[2];
} before;

static void restore_console(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(before.screen); i++) {
		if (before.screen[i])
			SetConsoleMode(before.screen[i], before.mode[i]);
	}
	if (before.code_page)
		SetConsoleOutputCP(before.code_page);
}

/* Text is UTF-8, and a line is rewritten by escape sequences. */
static void set_console(void)
{
	static const DWORD ids[] = { STD_OUTPUT_HANDLE, STD_ERROR_HANDLE };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		HANDLE screen = GetStdHandle(ids[i]);
		DWORD mode;

		if (!GetConsoleMode(screen, &mode))
			continue;
		any = true;
		if (SetConsoleMode(screen, mode | ENABLE_PROCESSED_OUTPUT |
						   ENABLE_VIRTUAL_TERMINAL_PROCESSING)) {
			before.screen[i] = screen;
			before.mode[i] = mode;
		}
	}
	if (!any)
		return;
	before.code_page = GetConsoleOutputCP();
	SetConsoleOutputCP(CP_UTF8);
	atexit(restore_console);
}

void program_start(int *argc, char ***argv)
{
	struct strvec args = STRVEC_INIT;

	terminal_ensure_streams();
	_setmode(0, _O_BINARY);
	_setmode(1, _O_BINARY);
	_setmode(2, _O_BINARY);
	/* A console is written to letter by letter else, and with a part of one at a time. */
	setvbuf(stdout, NULL, _IOFBF, 65536);
	setvbuf(stderr, NULL, _IONBF, 0);
	set_console();
	command_line_split(GetCommandLineW(), &args);
	*argc = (int)args.nr;
	*argv = args.v;
}
