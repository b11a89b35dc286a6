/*
 * stagetrace: runs the command that the arguments name, and prints its error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "platform/cost.h"
#include "platform/program.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/strbuf.h"

static int report(const struct err *err)
{
	/* path:line: message, as compilers print it, so that an editor finds the line. */
	if (err->code == ERR_CONFIG) {
		print_textf(stderr, "%s\n", err->msg);
		return EXIT_CODE_USAGE;
	}
	message_print("", err->msg);
	return err->code == ERR_USAGE ? EXIT_CODE_USAGE : EXIT_CODE_FAILED;
}

/* A mistake on the command line: the message ends with the command that shows the help. */
static int report_usage(const struct err *err, const char *command)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s; see 'stagetrace %s%s--help'", err->msg, command ? command : "",
		    command ? " " : "");
	message_print("", sb.buf);
	strbuf_release(&sb);
	return EXIT_CODE_USAGE;
}

static int run_command(const struct command *command, const char *const *argv, struct err *err)
{
	void *values = xcalloc(1, command->syntax.values_size);
	bool help = false;
	int ret;

	if (opt_parse(&command->syntax, argv, values, &help, err)) {
		ret = report_usage(err, command->name);
	} else if (help) {
		help_print_command(command, stdout);
		ret = EXIT_CODE_DONE;
	} else {
		ret = cost_check(err) ? -1 : command->run(values, err);
		if (ret < 0)
			ret = report(err);
	}
	opt_release(&command->syntax, values);
	free(values);
	return ret;
}

/* Results that cannot be written, to a full disk for example, are a failure too. */
static int close_stdout(int ret)
{
	int failed = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !failed)
		return ret;
	message_printf("", "cannot write to standard output%s%s", errno ? ": " : "",
		       errno ? strerror(errno) : "");
	return ret == EXIT_CODE_DONE ? EXIT_CODE_FAILED : ret;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct err err = ERR_INIT;
	int ret = EXIT_CODE_DONE;

	program_start(&argc, &argv);
	if (argc < 2) {
		err_set(&err, ERR_USAGE, "no command given");
		ret = report_usage(&err, NULL);
	} else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_print_overview(stdout);
	} else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("stagetrace " STAGETRACE_VERSION " (commit " STAGETRACE_COMMIT
		     ", " STAGETRACE_FEATURES ")");
	} else if (argv[1][0] == '-') {
		err_set(&err, ERR_USAGE, "unknown option '%s' before a command", argv[1]);
		ret = report_usage(&err, NULL);
	} else {
		command = command_find(argv[1], &err);
		ret = command ? run_command(command, (const char *const *)argv + 2, &err)
			      : report_usage(&err, NULL);
	}
	err_clear(&err);
	return close_stdout(ret);
}
