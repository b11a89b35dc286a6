/*
 * The commands: one table for main, the help, the manual page and the shell completion.
 *
 * To add the command `foo`:
 * 1. cli/cmd_foo.c: a struct for its values, the option tables (cli/opt.h), `run`, and at the end `const struct
 *    command foo_command`, with two examples that run. A view uses cli/view_options.h and cli/view_run.h.
 * 2. Declare it below, and list it in cli/commands.c, at the position in the help where users would look for it.
 * 3. docs/foo.md: an example first, then each option. tests/suites/docs.sh compares it with --help and runs the
 *    examples; it makes the files that they name.
 * 4. tests/cli/foo/: cases for the help (help.sh), for wrong options and for the output.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/opt.h"
#include "report/table.h"
#include "util/err.h"

/* What the exit code means (docs/exit-codes.md). The last two are for gates (gate/gate.h). */
enum exit_code {
	EXIT_CODE_DONE = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_GATE = 3,        /* a gate tripped */
	EXIT_CODE_UNDECIDED = 125, /* a gate is undecided; `git bisect run` skips the commit */
};

/* An example of a command: it runs unchanged if the files that it names exist (tests/suites/docs.sh runs it). */
struct example {
	const char *what; /* a question or a purpose: upper case first, no full stop */
	const char *line; /* for a shell */
};

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *details; /* paragraphs for the help, separated by empty lines; may be NULL */
	struct opt_syntax syntax;
	bool takes_config; /* the help lists the configurations that came with the program */
	const struct table *table;  /* its columns are listed in the help; may be NULL */
	struct example examples[5]; /* those that it has; `what` NULL: no more */

	/*
	 * Run the command with the parsed values. Returns an exit code, or -1 with `err` set: main prints it and
	 * exits with EXIT_CODE_USAGE for ERR_USAGE, else with EXIT_CODE_FAILED.
	 */
	int (*run)(const void *values, struct err *err);

	/* Optional: check the options alone, of values that have one word in place of all arguments. */
	int (*check)(const void *values, struct err *err);
};

extern const struct command bundle_command;
extern const struct command check_command;
extern const struct command compare_command;
extern const struct command convert_command;
extern const struct command cpu_command;
extern const struct command export_command;
extern const struct command heap_command;
extern const struct command help_command;
extern const struct command history_command;
extern const struct command memory_command;
extern const struct command nightly_command;
extern const struct command open_command;
extern const struct command processes_command;
extern const struct command record_command;
extern const struct command recover_command;
extern const struct command replay_command;
extern const struct command report_command;
extern const struct command rerun_command;
extern const struct command symbols_command;
extern const struct command system_command;
extern const struct command tree_command;
extern const struct command timeline_command;
extern const struct command why_command;

/* All commands, in the order of the help; ends with NULL. */
extern const struct command *const commands[];

/*
 * Parse the words, which end with NULL, as those after the command's name, and run it. As its `run`; a mistake in the words
 * is ERR_USAGE. With `only_check` it is not run, but its options are checked.
 */
int command_run_words(const struct command *command, const char *const *words, bool only_check,
		      struct err *err);

/* Find the command called `name`. NULL with ERR_USAGE; the message suggests a similar name if there is one. */
const struct command *command_find(const char *name, struct err *err);

#endif
