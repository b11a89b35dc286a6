#include "platform/program.h"

#include "platform/terminal.h"

void program_start(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	terminal_ensure_streams();
}
