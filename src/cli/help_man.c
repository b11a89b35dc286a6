#include <string.h>

#include "cli/help.h"
#include "util/strbuf.h"

/* Text for roff: backslashes, hyphens that must stay hyphens, and dots or quotes that would be requests. */
static void add_roff(struct strbuf *sb, const char *text)
{
	if (*text == '.' || *text == '\'')
		strbuf_adds(sb, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			strbuf_adds(sb, "\\e");
		else if (*text == '-')
			strbuf_adds(sb, "\\-");
		else if (text[0] == '\n' && (text[1] == '.' || text[1] == '\''))
			strbuf_adds(sb, "\n\\&");
		else
			strbuf_addc(sb, *text);
	}
}

static void add_line(struct strbuf *sb, const char *text)
{
	add_roff(sb, text);
	strbuf_addc(sb, '\n');
}

static void add_item(struct strbuf *sb, const char *label, const char *text)
{
	strbuf_adds(sb, ".TP\n.B ");
	add_line(sb, label + strspn(label, " "));
	add_line(sb, text);
}

static void add_details(struct strbuf *sb, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);
		struct strbuf paragraph = STRBUF_INIT;

		strbuf_adds(sb, ".PP\n");
		strbuf_add(&paragraph, text, len);
		add_line(sb, paragraph.buf);
		strbuf_release(&paragraph);
		text += len + (end ? 2 : 0);
	}
}

static void add_options(struct strbuf *sb, const struct opt_group *groups)
{
	struct strbuf label = STRBUF_INIT;

	for (const struct opt_group *group = groups; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			strbuf_clear(&label);
			help_add_option(&label, opt);
			add_item(sb, label.buf, opt->help);
		}
	}
	strbuf_release(&label);
}

static void add_columns(struct strbuf *sb, const struct table *table)
{
	const struct column *column;

	strbuf_adds(sb, ".PP\nColumns:\n");
	for (size_t i = 0; (column = table_column(table, i)); i++)
		add_item(sb, column->key, column->help);
}

static void add_command(struct strbuf *sb, const struct command *command)
{
	struct strbuf synopsis = STRBUF_INIT;

	help_add_synopsis(&synopsis, command);
	strbuf_adds(sb, ".SS ");
	add_line(sb, synopsis.buf);
	strbuf_release(&synopsis);
	add_line(sb, command->summary);
	if (command->details)
		add_details(sb, command->details);
	for (const struct opt_arg *arg = command->syntax.args; arg && arg->name; arg++)
		add_item(sb, arg->name, arg->help);
	add_options(sb, command->syntax.groups);
	if (command->table)
		add_columns(sb, command->table);
}

void help_print_man(FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, ".TH STAGETRACE 1 \"\" \"stagetrace " STAGETRACE_VERSION "\"\n"
			 ".SH NAME\n"
			 "stagetrace \\- record the build of a rustc stage and see where memory "
			 "and time went\n"
			 ".SH SYNOPSIS\n"
			 ".B stagetrace\n"
			 ".I COMMAND\n"
			 "[OPTIONS] ...\n"
			 ".SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++)
		add_command(&sb, commands[i]);
	strbuf_adds(&sb, ".SH EXIT STATUS\n");
	for (const struct exit_status *status = help_exit_statuses; status->meaning; status++) {
		strbuf_addf(&sb, ".TP\n.B %d\n", status->code);
		add_line(&sb, status->meaning);
	}
	fputs(sb.buf, out);
	strbuf_release(&sb);
}
