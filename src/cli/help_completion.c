/*
 * Completion scripts. All offer the same: commands, options, and the values of an option where they are known; those of
 * filters by crate, part and program are in the run that the line names. Names in a run may be anything, and bash expands
 * the words that it is to offer, so only names of plain characters are.
 */
#include "cli/help.h"

#include <string.h>

#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* The next word is its value in any case. */
static bool takes_value(const struct opt *opt)
{
	return opt->type != OPT_FLAG && opt->type != OPT_OPTIONAL;
}

/* Whether a value may be several words, joined by commas. */
static bool takes_list(const struct opt *opt)
{
	return !strcmp(opt->name, "columns");
}

/* Add the values of the option, with a blank before each. False: they are not known. */
static bool add_words(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	const struct column *column;

	if (opt->choices && opt->type != OPT_OPTIONAL) {
		for (size_t i = 0; opt_choice(opt, i); i++)
			strbuf_addf(sb, " %s", opt_choice(opt, i));
		return true;
	}
	if (!command->table ||
	    (strcmp(opt->name, "sort") != 0 && strcmp(opt->name, "columns") != 0))
		return false;
	for (size_t i = 0; (column = table_column(command->table, i)); i++)
		strbuf_addf(sb, " %s", column->key);
	return true;
}

/* The column of `processes` with what the option filters by; NULL: it is none of these. */
static const char *run_column(const struct opt *opt)
{
	static const struct {
		const char *option, *column;
	} filters[] = { { "crate", "crate" }, { "part", "part" }, { "process", "image" } };
	const char *name = text_starts_with(opt->name, "not-") ? opt->name + 4 : opt->name;

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (!strcmp(name, filters[i].option))
			return filters[i].column;
	}
	return NULL;
}

/* Add the words that may follow the `first` of a pair, with a blank before each. */
static void add_seconds(struct strbuf *sb, const struct opt *opt, size_t first)
{
	for (size_t i = 0; opt_choice(opt, i); i++) {
		if (i != first && (!opt->choices->pairs || opt->choices->pairs(first, i)))
			strbuf_addf(sb, " %s", opt_choice(opt, i));
	}
}

/* Add an argument for each first word of a pair: itself, and those that may follow. */
static void add_pairs(struct strbuf *sb, const struct opt *opt)
{
	for (size_t i = 0; opt_choice(opt, i); i++) {
		strbuf_addf(sb, " \"%s", opt_choice(opt, i));
		add_seconds(sb, opt, i);
		strbuf_addc(sb, '"');
	}
}

static void add_commands(struct strbuf *sb)
{
	for (size_t i = 0; commands[i]; i++)
		strbuf_addf(sb, " %s", commands[i]->name);
}

/* Whether its argument is a command of this program. */
static bool takes_command(const struct command *command)
{
	const struct opt_arg *args = command->syntax.args;

	return args && args->name && args->many == OPT_ONE && !strcmp(args->name, "COMMAND");
}

/* Add the start of a help text: what the option is, without its values and details. */
static void add_brief(struct strbuf *sb, const char *help, const char *escaped, const char *escape)
{
	size_t len = strcspn(help, ";:(");

	while (len && help[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++) {
		if (strchr(escaped, help[i]))
			strbuf_adds(sb, escape);
		if (help[i] == '\'')
			strbuf_adds(sb, "'\\''");
		else
			strbuf_addc(sb, help[i]);
	}
}

/* Call `add` for each option of the command, --help too. */
static void for_options(const struct command *command, struct strbuf *sb,
			void (*add)(struct strbuf *sb, const struct command *command,
				    const struct opt *opt))
{
	for (const struct opt_group *group = command->syntax.groups; group && group->opts;
	     group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++)
			add(sb, command, opt);
	}
	add(sb, command, &opt_help);
}

static void add_bash_values(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	struct strbuf words = STRBUF_INIT;

	if (opt->type == OPT_PAIR)
		strbuf_addf(sb, "\t%s:--%s:*,*,*) ;;\n", command->name, opt->name);
	for (size_t i = 0; opt->type == OPT_PAIR && opt_choice(opt, i); i++) {
		strbuf_addf(sb, "\t%s:--%s:%s,*) words='", command->name, opt->name,
			    opt_choice(opt, i));
		add_seconds(sb, opt, i);
		strbuf_adds(sb, "' ;;\n");
	}
	if (add_words(&words, command, opt))
		strbuf_addf(sb, "\t%s:--%s:*) words='%s' ;;\n", command->name, opt->name,
			    words.buf);
	else if (run_column(opt))
		strbuf_addf(sb, "\t%s:--%s:*) words=$(_stagetrace_of %s) ;;\n", command->name,
			    opt->name, run_column(opt));
	strbuf_release(&words);
}

static void add_bash_name(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	(void)command;
	strbuf_addf(sb, " --%s", opt->name);
}

static void add_bash_command(struct strbuf *sb, const struct command *command)
{
	for_options(command, sb, add_bash_values);
	strbuf_addf(sb, "\t%s:*:*)\n\t\twords='", command->name);
	if (takes_command(command))
		add_commands(sb);
	strbuf_adds(sb, "'\n\t\t[[ $cur == -* ]] && words='");
	for_options(command, sb, add_bash_name);
	strbuf_adds(sb, "'\n\t\t;;\n");
}

void help_print_bash_completion(FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb,
		    "# bash completion for stagetrace\n"
		    "# The values of a column in the run that the line names.\n"
		    "_stagetrace_of()\n"
		    "{\n"
		    "\tlocal word\n"
		    "\n"
		    "\tfor word in \"${COMP_WORDS[@]:2}\"; do\n"
		    "\t\tword=${word/#\\~\\//$HOME/}\n"
		    "\t\t[[ -f $word/processes.jsonl ]] || continue\n"
		    "\t\t\"${COMP_WORDS[0]}\" processes \"$word\" --columns \"$1\" --format csv "
		    "-q 2>/dev/null |\n"
		    "\t\t\ttr -d '\\r' | sed 1d | grep -x '[[:alnum:]_.+-]*' | sort -u\n"
		    "\t\treturn\n"
		    "\tdone\n"
		    "}\n"
		    "\n"
		    "_stagetrace()\n"
		    "{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
		    "\tlocal command=${COMP_WORDS[1]} words=''\n"
		    "\n"
		    "\tif ((COMP_CWORD == 1)); then\n"
		    "\t\tcommand='' words='--help --version");
	add_commands(&sb);
	strbuf_adds(&sb, "'\n"
			 "\tfi\n"
			 "\t# --OPTION=VALUE is three words.\n"
			 "\tif [[ $cur == = ]]; then\n"
			 "\t\tcur=''\n"
			 "\telif [[ $before == = ]]; then\n"
			 "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
			 "\tfi\n"
			 "\tcase $command:$before:$cur in\n");
	for (size_t i = 0; commands[i]; i++)
		add_bash_command(&sb, commands[i]);
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

/* The kind of file that a value is. */
static bool is_file(const char *value)
{
	return strstr(value, "FILE");
}

static bool is_directory(const char *value)
{
	return strstr(value, "DIR");
}

/* What has a meaning in the descriptions of _arguments and _describe. */
#define ZSH_SPECIAL "[]:\\"

/* ":VALUE:ACTION" */
static void add_zsh_value(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	struct strbuf words = STRBUF_INIT;

	strbuf_adds(sb, ":");
	add_brief(sb, opt->value, ZSH_SPECIAL, "\\");
	if (!add_words(&words, command, opt) && run_column(opt))
		strbuf_addf(sb, ":{_stagetrace_of %s}", run_column(opt));
	else if (!words.len)
		strbuf_adds(sb, is_file(opt->value)        ? ":_files"
				: is_directory(opt->value) ? ":_files -/"
							   : ": ");
	else if (opt->type == OPT_PAIR) {
		strbuf_adds(sb, ":{_stagetrace_pair");
		add_pairs(sb, opt);
		strbuf_addc(sb, '}');
	} else if (takes_list(opt))
		strbuf_addf(sb, ":_sequence compadd -%s", words.buf);
	else
		strbuf_addf(sb, ":(%s)", words.buf + 1);
	strbuf_release(&words);
}

/* One spec of _arguments. */
static void add_zsh_spec(struct strbuf *sb, const struct command *command, const struct opt *opt,
			 const char *name)
{
	strbuf_addf(sb, " \\\n\t\t\t'%s%s%s[", opt->type == OPT_LIST ? "*" : "", name,
		    !takes_value(opt) ? ""
		    : name[1] == '-'  ? "="
				      : "+");
	add_brief(sb, opt->help, ZSH_SPECIAL, "\\");
	strbuf_addc(sb, ']');
	if (takes_value(opt))
		add_zsh_value(sb, command, opt);
	strbuf_addc(sb, '\'');
}

static void add_zsh_option(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	const char letter[] = { '-', opt->letter, '\0' };
	struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "--%s", opt->name);
	add_zsh_spec(sb, command, opt, name.buf);
	if (opt->letter)
		add_zsh_spec(sb, command, opt, letter);
	strbuf_release(&name);
}

void help_print_zsh_completion(FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "#compdef stagetrace\n"
			 "# zsh completion for stagetrace\n"
			 "# One word, or two with a comma: each argument is a first word, and "
			 "those that may follow.\n"
			 "_stagetrace_pair()\n"
			 "{\n"
			 "\tlocal pair\n"
			 "\tlocal -a keys\n"
			 "\n"
			 "\tfor pair; do\n"
			 "\t\tkeys=(${=pair})\n"
			 "\t\tif [[ $PREFIX == $keys[1],* ]]; then\n"
			 "\t\t\tcompset -P 1 '*,'\n"
			 "\t\t\tcompadd - $keys[2,-1]\n"
			 "\t\t\treturn\n"
			 "\t\telif (( $#keys > 1 )); then\n"
			 "\t\t\tcompadd -qS, - $keys[1]\n"
			 "\t\telse\n"
			 "\t\t\tcompadd - $keys[1]\n"
			 "\t\tfi\n"
			 "\tdone\n"
			 "}\n"
			 "\n"
			 "# The values of a column in the run that the line names.\n"
			 "_stagetrace_of()\n"
			 "{\n"
			 "\tlocal word\n"
			 "\tlocal -a found\n"
			 "\n"
			 "\tfor word in $words; do\n"
			 "\t\tword=${word/#\\~\\//$HOME/}\n"
			 "\t\t[[ -f $word/processes.jsonl ]] || continue\n"
			 "\t\tfound=(${(f)\"$($program processes $word --columns $1 --format csv "
			 "-q 2>/dev/null |\n"
			 "\t\t\ttr -d '\\r' | sed 1d | grep -x '[[:alnum:]_.+-]*' | sort -u)\"})\n"
			 "\t\tcompadd -a found\n"
			 "\t\treturn\n"
			 "\tdone\n"
			 "}\n"
			 "\n"
			 "_stagetrace()\n"
			 "{\n"
			 "\tlocal curcontext=$curcontext program=$words[1] state line\n"
			 "\tlocal -A opt_args\n"
			 "\tlocal -a commands\n"
			 "\n"
			 "\tcommands=(\n");
	for (size_t i = 0; commands[i]; i++) {
		strbuf_addf(&sb, "\t\t'%s:", commands[i]->name);
		add_brief(&sb, commands[i]->summary, ZSH_SPECIAL, "\\");
		strbuf_adds(&sb, "'\n");
	}
	strbuf_adds(
		&sb,
		"\t)\n"
		"\t_arguments -C '(- *)--help[show help]' '(- *)--version[show the version]' \\\n"
		"\t\t'1:command:->command' '*::argument:->argument' && return\n"
		"\tcase $state in\n"
		"\tcommand)\n"
		"\t\t_describe command commands\n"
		"\t\t;;\n"
		"\targument)\n"
		"\t\tcase $words[1] in\n");
	for (size_t i = 0; commands[i]; i++) {
		strbuf_addf(&sb, "\t\t%s)\n\t\t\t_arguments -s -S", commands[i]->name);
		for_options(commands[i], &sb, add_zsh_option);
		if (takes_command(commands[i]))
			strbuf_adds(&sb, " \\\n\t\t\t'1:command:{_describe command commands}'");
		else
			strbuf_adds(&sb, " \\\n\t\t\t'*:file:_files'");
		strbuf_adds(&sb, "\n\t\t\t;;\n");
	}
	strbuf_adds(&sb, "\t\tesac\n"
			 "\t\t;;\n"
			 "\tesac\n"
			 "}\n"
			 "\n"
			 "# Loaded by its name, or read by a script.\n"
			 "if [[ $funcstack[1] == _stagetrace ]]; then\n"
			 "\t_stagetrace \"$@\"\n"
			 "else\n"
			 "\tcompdef _stagetrace stagetrace\n"
			 "fi\n");
	fputs(sb.buf, out);
	strbuf_release(&sb);
}

static void add_fish_start(struct strbuf *sb, const char *condition)
{
	strbuf_addf(sb, "complete -c stagetrace -n '%s'", condition);
}

static void add_fish_description(struct strbuf *sb, const char *help)
{
	strbuf_adds(sb, " -d '");
	/* In its single quotes \ escapes ' and itself, so '\'' is as good as elsewhere. */
	add_brief(sb, help, "\\", "\\");
	strbuf_adds(sb, "'\n");
}

static void add_fish_option(struct strbuf *sb, const struct command *command, const struct opt *opt)
{
	struct strbuf words = STRBUF_INIT;

	strbuf_addf(sb, "complete -c stagetrace -n '__stagetrace_is %s' -l %s", command->name,
		    opt->name);
	if (opt->letter)
		strbuf_addf(sb, " -s %c", opt->letter);
	if (!takes_value(opt))
		;
	else if (opt->type == OPT_PAIR) {
		strbuf_adds(sb, " -x -a '(__stagetrace_pair");
		add_pairs(sb, opt);
		strbuf_adds(sb, ")'");
	} else if (add_words(&words, command, opt))
		strbuf_addf(sb, takes_list(opt) ? " -x -a '(__stagetrace_list%s)'" : " -x -a '%s'",
			    takes_list(opt) ? words.buf : words.buf + 1);
	else if (run_column(opt))
		strbuf_addf(sb, " -x -a '(__stagetrace_of %s)'", run_column(opt));
	else if (is_file(opt->value))
		strbuf_adds(sb, " -r -F");
	else if (is_directory(opt->value))
		strbuf_adds(sb, " -x -a '(__fish_complete_directories)'");
	else
		strbuf_adds(sb, " -x");
	add_fish_description(sb, opt->help);
	strbuf_release(&words);
}

void help_print_fish_completion(FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(
		&sb,
		"# fish completion for stagetrace\n"
		"function __stagetrace_first\n"
		"    test (count (commandline -opc)) -eq 1\n"
		"end\n"
		"\n"
		"function __stagetrace_is\n"
		"    set -l words (commandline -opc)\n"
		"    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
		"end\n"
		"\n"
		"# The values of a column in the run that the line names.\n"
		"function __stagetrace_of\n"
		"    set -l line (commandline -opc)\n"
		"    for word in $line[3..-1]\n"
		"        set -l run (string replace -r '^~/' \"$HOME/\" -- $word)\n"
		"        test -f $run/processes.jsonl; or continue\n"
		"        $line[1] processes $run --columns $argv[1] --format csv -q 2>/dev/null | "
		"tr -d '\\r' | sed 1d | grep -x '[[:alnum:]_.+-]*' | sort -u\n"
		"        return\n"
		"    end\n"
		"end\n"
		"\n"
		"# The words after those that are there already, with commas between them.\n"
		"function __stagetrace_list\n"
		"    set -l token (commandline -ct | string replace -r '^--[^=]*=' '')\n"
		"    set -l lead (string match -r '^.*,' -- $token)\n"
		"    printf '%s\\n' \"$lead\"$argv\n"
		"end\n"
		"\n"
		"# One word, or two with a comma: each argument is a first word, and those "
		"that may follow.\n"
		"function __stagetrace_pair\n"
		"    set -l token (commandline -ct | string replace -r '^--[^=]*=' '')\n"
		"    set -l lead (string match -r '^[^,]*,' -- $token)\n"
		"    for pair in $argv\n"
		"        set -l keys (string split ' ' -- $pair)\n"
		"        set -l first $keys[1]\n"
		"        set -e keys[1]\n"
		"        if test -z \"$lead\"\n"
		"            echo $first\n"
		"        else if test \"$lead\" = \"$first,\"\n"
		"            for key in $keys\n"
		"                echo $lead$key\n"
		"            end\n"
		"        end\n"
		"    end\n"
		"end\n"
		"\n");
	add_fish_start(&sb, "__stagetrace_first");
	strbuf_adds(&sb, " -l help -d 'show help'\n");
	add_fish_start(&sb, "__stagetrace_first");
	strbuf_adds(&sb, " -l version -d 'show the version'\n");
	for (size_t i = 0; commands[i]; i++) {
		add_fish_start(&sb, "__stagetrace_first");
		strbuf_addf(&sb, " -f -a %s", commands[i]->name);
		add_fish_description(&sb, commands[i]->summary);
	}
	for (size_t i = 0; commands[i]; i++) {
		for_options(commands[i], &sb, add_fish_option);
		if (!takes_command(commands[i]))
			continue;
		strbuf_addf(&sb, "complete -c stagetrace -n '__stagetrace_is %s' -f -a '",
			    commands[i]->name);
		add_commands(&sb);
		strbuf_adds(&sb, "'\n");
	}
	fputs(sb.buf, out);
	strbuf_release(&sb);
}
