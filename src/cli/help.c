#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "config/shipped.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"

#define HELP_WIDTH   80
#define ENTRY_INDENT 2

const struct exit_code_help help_exit_codes[] = {
	{ EXIT_CODE_DONE, "done" },
	{ EXIT_CODE_FAILED, "failed: a line on stderr says what and why" },
	{ EXIT_CODE_USAGE, "a mistake on the command line or in the configuration" },
	{ EXIT_CODE_GATE, "a gate (--fail-if, [compare] fail-if) tripped" },
	{ EXIT_CODE_UNDECIDED, "a gate could not be decided ('git bisect run' skips the commit)" },
	{ 0, NULL },
};

/* Wrap `text` at blanks. The first line continues at `column`, the others are indented by `indent`. */
static void add_wrapped(struct strbuf *sb, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + len > HELP_WIDTH) {
			strbuf_addc(sb, '\n');
			column = 0;
		}
		if (!column) {
			strbuf_pad(sb, ' ', sb->len + indent);
			column = indent;
		} else if (column > indent) {
			strbuf_addc(sb, ' ');
			column++;
		}
		strbuf_add(sb, text, len);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	strbuf_addc(sb, '\n');
}

/* Add " label text", with the text at `indent`, on the next line if the label is too long. */
static void add_entry(struct strbuf *sb, const char *label, const char *text, size_t indent)
{
	size_t start = sb->len, column = ENTRY_INDENT + strlen(label);

	strbuf_pad(sb, ' ', start + ENTRY_INDENT);
	strbuf_adds(sb, label);
	if (column + 2 > indent)
		strbuf_addc(sb, '\n');
	else
		strbuf_pad(sb, ' ', start + indent);
	add_wrapped(sb, text, column + 2 > indent ? 0 : indent, indent);
}

void help_add_option(struct strbuf *sb, const struct opt *opt)
{
	if (opt->letter)
		strbuf_addf(sb, "-%c, ", opt->letter);
	else
		strbuf_adds(sb, "    ");
	strbuf_addf(sb, "--%s", opt->name);
	if (opt->value)
		strbuf_addf(sb, " %s", opt->value);
}

void help_add_synopsis(struct strbuf *sb, const struct command *command)
{
	strbuf_addf(sb, "stagetrace %s [OPTIONS]", command->name);
	for (const struct opt_arg *arg = command->syntax.args; arg && arg->name; arg++)
		strbuf_addf(sb, arg->optional ? " [%s%s%s]" : " %s%s%s",
			    arg->many == OPT_AFTER || arg->many == OPT_THEN ? "-- " : "", arg->name,
			    arg->many == OPT_ONE ? "" : "...");
}

char *help_next_paragraph(const char **text)
{
	const char *start = *text, *end;

	if (!start || !*start)
		return NULL;
	end = strstr(start, "\n\n");
	*text = end ? end + 2 : start + strlen(start);
	return end ? xstrndup(start, (size_t)(end - start)) : xstrdup(start);
}

static void add_args(struct strbuf *sb, const struct opt_arg *args)
{
	if (!args || !args->name)
		return;
	strbuf_adds(sb, "\nArguments:\n");
	for (const struct opt_arg *arg = args; arg->name; arg++)
		add_entry(sb, arg->name, arg->help, 14);
}

static void add_options(struct strbuf *sb, const struct opt *opts)
{
	struct strbuf label = STRBUF_INIT, help = STRBUF_INIT;

	for (const struct opt *opt = opts; opt->name; opt++) {
		strbuf_clear(&label);
		strbuf_clear(&help);
		help_add_option(&label, opt);
		opt_add_help(opt, &help);
		add_entry(sb, label.buf, help.buf, 28);
	}
	strbuf_release(&label);
	strbuf_release(&help);
}

static void add_columns(struct strbuf *sb, const struct table *table)
{
	const struct column *column;

	strbuf_adds(sb, "\nColumns:\n");
	for (size_t i = 0; (column = table_column(table, i)); i++)
		add_entry(sb, column->key, column->help, 20);
}

/* The directory of the configurations that came with the program, and their names. */
static void add_configurations(struct strbuf *sb)
{
	char *dir = shipped_find(SHIPPED_CONFIGS);
	struct strvec names = STRVEC_INIT;
	struct strbuf list = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (dir && !fs_list(dir, &names, &err)) {
		strbuf_addf(sb,
			    "\nConfigurations, which CONFIG may name without their directory:\n");
		strbuf_addf(sb, "  %s\n", dir);
		for (size_t i = 0; i < names.nr; i++) {
			if (text_ends_with(names.v[i], ".ini"))
				strbuf_addf(&list, "%s%s", list.len ? " " : "", names.v[i]);
		}
		add_wrapped(sb, list.buf, 0, 2 * ENTRY_INDENT);
	}
	err_clear(&err);
	strbuf_release(&list);
	strvec_release(&names);
	free(dir);
}

static void add_examples(struct strbuf *sb, const struct example *examples, size_t nr)
{
	strbuf_adds(sb, "\nExamples:\n");
	for (size_t i = 0; i < nr && examples[i].what; i++)
		strbuf_addf(sb, "  # %s\n  %s\n", examples[i].what, examples[i].line);
}

void help_print_command(const struct command *command, FILE *out)
{
	const struct opt help_only[] = { opt_help, OPT_END };
	const struct opt_group *group = command->syntax.groups;
	const char *details = command->details;
	struct strbuf sb = STRBUF_INIT;
	char *paragraph;

	strbuf_adds(&sb, "Usage: ");
	help_add_synopsis(&sb, command);
	strbuf_adds(&sb, "\n\nstagetrace ");
	strbuf_addf(&sb, "%s: %s\n", command->name, command->summary);
	while ((paragraph = help_next_paragraph(&details))) {
		strbuf_addc(&sb, '\n');
		add_wrapped(&sb, paragraph, 0, 0);
		free(paragraph);
	}
	add_args(&sb, command->syntax.args);
	for (; group && group->opts; group++) {
		strbuf_addf(&sb, "\n%s:\n", group->heading);
		add_options(&sb, group->opts);
	}
	strbuf_adds(&sb, "\nHelp:\n");
	add_options(&sb, help_only);
	if (command->table)
		add_columns(&sb, command->table);
	if (command->takes_config)
		add_configurations(&sb);
	add_examples(&sb, command->examples, ARRAY_SIZE(command->examples));
	print_text(out, sb.buf);
	strbuf_release(&sb);
}

void help_print_overview(FILE *out)
{
	const struct example examples[] = { record_command.examples[0],
					    memory_command.examples[0] };
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "Usage: stagetrace COMMAND [OPTIONS] ...\n"
		    "\n"
		    "Record the build of a rustc stage, and see who held the memory and who took\n"
		    "the time.\n"
		    "\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		add_entry(&sb, commands[i]->name, commands[i]->summary, 14);
	strbuf_adds(&sb, "\nOptions:\n");
	add_entry(&sb, "-h, --help", "show this help; after a command, its help", 17);
	add_entry(&sb, "-V, --version", "show version, commit and features", 17);
	strbuf_adds(&sb, "\nExit codes:\n");
	for (const struct exit_code_help *row = help_exit_codes; row->meaning; row++) {
		char code[16];

		snprintf(code, sizeof(code), "%d", row->code);
		add_entry(&sb, code, row->meaning, 8);
	}
	add_configurations(&sb);
	add_examples(&sb, examples, ARRAY_SIZE(examples));
	print_text(out, sb.buf);
	strbuf_release(&sb);
}
