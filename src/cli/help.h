/*
 * Help, manual page and shell completion, made from the table of commands.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"
#include "util/strbuf.h"

void help_print_overview(FILE *out);
void help_print_command(const struct command *command, FILE *out);

/* stagetrace(1) in roff; `prefix` is the directory of the installation, /usr/local for example. */
void help_print_man(const char *prefix, FILE *out);

/* Scripts that a shell reads. */
void help_print_bash_completion(FILE *out);
void help_print_zsh_completion(FILE *out);
void help_print_fish_completion(FILE *out);

/* "stagetrace foo [OPTIONS] RUN [FILE...]" */
void help_add_synopsis(struct strbuf *sb, const struct command *command);

/* "-o, --out DIR"; an option without a letter is indented by the width of the letter. */
void help_add_option(struct strbuf *sb, const struct opt *opt);

/* Cut the next paragraph off `*text`, which then is at the one after it. NULL: there is none. The caller frees it. */
char *help_next_paragraph(const char **text);

struct exit_code_help {
	int code;
	const char *meaning;
};

/* The last row has no meaning. */
extern const struct exit_code_help help_exit_codes[];

#endif
