/*
 * All that is generated from the command table: help, version, manual page, shell completion.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"
#include "util/strbuf.h"

void help_print_overview(FILE *out);
void help_print_version(FILE *out);
void help_print_command(const struct command *command, FILE *out);

/* stagetrace(1) in roff. */
void help_print_man(FILE *out);

/* A script for bash. */
void help_print_bash_completion(FILE *out);

/* "stagetrace foo [OPTIONS] RUN [FILE...]" */
void help_add_synopsis(struct strbuf *sb, const struct command *command);

/* An option as the help names it: "-o, --out DIR", or indented to the same place where it has no letter. */
void help_add_option(struct strbuf *sb, const struct opt *opt);

/* What an exit status means. */
struct exit_status {
	int code;
	const char *meaning;
};

/* Ends with NULL as meaning. */
extern const struct exit_status help_exit_statuses[];

#endif
