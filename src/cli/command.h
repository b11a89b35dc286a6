/*
 * The commands: one table that main, the help, the manual page and the shell completion read.
 *
 * To add the command `foo`:
 * 1. cli/cmd_foo.c: a struct for its values, the option tables (cli/opt.h), `run`, and at the end
 *    `const struct command foo_command`. A view takes cli/view_options.h and cli/view_run.h.
 * 2. Declare it below, list it in cli/commands.c, where users would look for it.
 * 3. docs/foo.md: an example first, then each option (tests/suites/docs.sh compares it with --help).
 * 4. tests/cli/foo/: a case for the help (help.sh), for wrong options, for what it prints.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

#include "cli/opt.h"
#include "report/table.h"
#include "util/err.h"

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *details; /* paragraphs for the help, split by an empty line; may be NULL */
	struct opt_syntax syntax;
	const struct table *table; /* whose columns the help lists; NULL */

	/*
	 * Do it, with the values parsed. An exit code, or -1 with `err` filled: main prints it, and exits with
	 * "usage" for ERR_USAGE, else "failed".
	 */
	int (*run)(const void *values, struct err *err);
};

extern const struct command bundle_command;
extern const struct command check_command;
extern const struct command convert_command;
extern const struct command cpu_command;
extern const struct command export_command;
extern const struct command heap_command;
extern const struct command help_command;
extern const struct command memory_command;
extern const struct command open_command;
extern const struct command processes_command;
extern const struct command record_command;
extern const struct command recover_command;
extern const struct command system_command;
extern const struct command tree_command;

/* All of them, in the order of the help; ends with NULL. */
extern const struct command *const commands[];

/* ERR_USAGE with a near miss where there is none. */
const struct command *command_find(const char *name, struct err *err);

#endif
