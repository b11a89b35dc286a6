#include <stdlib.h>

#include "cli/command.h"
#include "cli/help.h"
#include "config/shipped.h"

struct values {
	bool man;
	bool bash_completion, zsh_completion, fish_completion;
	const char *prefix;
	const char *command;
};

static void print_man(const char *prefix)
{
	char *own = shipped_prefix();

	help_print_man(prefix ? prefix : own ? own : "/usr/local", stdout);
	free(own);
}

static int run(const void *data, struct err *err)
{
	const struct values *values = data;
	const struct command *command;

	if (values->man + values->bash_completion + values->zsh_completion +
		    values->fish_completion + !!values->command >
	    1)
		return err_set(err, ERR_USAGE,
			       "COMMAND, --man and the completion scripts exclude each other");
	if (values->prefix && !values->man)
		return err_set(err, ERR_USAGE, "--prefix needs --man");
	if (values->man) {
		print_man(values->prefix);
	} else if (values->bash_completion) {
		help_print_bash_completion(stdout);
	} else if (values->zsh_completion) {
		help_print_zsh_completion(stdout);
	} else if (values->fish_completion) {
		help_print_fish_completion(stdout);
	} else if (values->command) {
		command = command_find(values->command, err);
		if (!command)
			return -1;
		help_print_command(command, stdout);
	} else {
		help_print_overview(stdout);
	}
	return EXIT_CODE_DONE;
}

static const struct opt options[] = {
	{ 0, "man", OPT_FLAG, NULL, "print the manual page, stagetrace(1), in roff",
	  offsetof(struct values, man), NULL },
	{ 0, "bash-completion", OPT_FLAG, NULL, "print the completion script for bash",
	  offsetof(struct values, bash_completion), NULL },
	{ 0, "zsh-completion", OPT_FLAG, NULL, "print the completion script for zsh",
	  offsetof(struct values, zsh_completion), NULL },
	{ 0, "fish-completion", OPT_FLAG, NULL, "print the completion script for fish",
	  offsetof(struct values, fish_completion), NULL },
	{ 0, "prefix", OPT_STRING, "DIR",
	  "with --man: the directory that the page names as that of the installation, /usr/local "
	  "for "
	  "example; by default that of this program",
	  offsetof(struct values, prefix), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", options, 0 },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "COMMAND", "show the help of this command; without it, the list of commands", true,
	  OPT_ONE, offsetof(struct values, command) },
	OPT_ARG_END,
};

const struct command help_command = {
	.name = "help",
	.summary = "show help, the manual page, or the shell completion",
	.syntax = { groups, args, sizeof(struct values) },
	.examples = { { "Options and columns of a command", "stagetrace help memory" },
		      { "Write the manual page to a file",
			"stagetrace help --man >stagetrace.1" } },
	.run = run,
};
