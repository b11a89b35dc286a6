#include "cli/help.h"
#include "util/strbuf.h"

static void add_choices(struct strbuf *sb, const struct command *command)
{
	for (const struct opt_group *group = command->syntax.groups; group && group->opts;
	     group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			if (!opt->choices)
				continue;
			strbuf_addf(sb, "\t%s:--%s) words='", command->name, opt->name);
			for (size_t i = 0; opt_choice(opt, i); i++)
				strbuf_addf(sb, "%s%s", i ? " " : "", opt_choice(opt, i));
			strbuf_adds(sb, "' ;;\n");
		}
	}
}

static void add_columns(struct strbuf *sb, const struct command *command)
{
	const struct column *column;

	strbuf_addf(sb, "\t%s:--sort | %s:--columns) words='", command->name, command->name);
	for (size_t i = 0; (column = table_column(command->table, i)); i++)
		strbuf_addf(sb, "%s%s", i ? " " : "", column->key);
	strbuf_adds(sb, "' ;;\n");
}

static void add_options(struct strbuf *sb, const struct command *command)
{
	strbuf_addf(sb, "\t%s:*) [[ $cur == -* ]] && words='", command->name);
	for (const struct opt_group *group = command->syntax.groups; group && group->opts;
	     group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++)
			strbuf_addf(sb, "--%s ", opt->name);
	}
	strbuf_addf(sb, "--%s' ;;\n", opt_help.name);
}

void help_print_bash_completion(FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "# bash completion for stagetrace\n"
		    "_stagetrace()\n"
		    "{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
		    "\tlocal command=${COMP_WORDS[1]} words=''\n"
		    "\n"
		    "\tif ((COMP_CWORD == 1)); then\n"
		    "\t\tcommand='' words='--help --version");
	for (size_t i = 0; commands[i]; i++)
		strbuf_addf(&sb, " %s", commands[i]->name);
	strbuf_adds(&sb, "'\n"
			 "\tfi\n"
			 "\tcase $command:$before in\n");
	for (size_t i = 0; commands[i]; i++) {
		add_choices(&sb, commands[i]);
		if (commands[i]->table)
			add_columns(&sb, commands[i]);
		add_options(&sb, commands[i]);
	}
	strbuf_adds(&sb, "\tesac\n"
			 "\tlocal lead=''\n"
			 "\t[[ $before == --* && $cur == *,* ]] && lead=${cur%,*},\n"
			 "\tmapfile -t COMPREPLY < <(compgen -P \"$lead\" -W \"$words\" -- "
			 "\"${cur#\"$lead\"}\")\n"
			 "}\n"
			 "complete -o default -F _stagetrace stagetrace\n");
	fputs(sb.buf, out);
	strbuf_release(&sb);
}
