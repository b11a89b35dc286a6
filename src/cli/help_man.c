#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

/* Text that roff would read as a request, an escape or a typographic sign, and how it is written instead. */
static const struct {
	char c;
	const char *roff;
} escapes[] = {
	{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" },
	{ '`', "\\(ga" }, { '~', "\\(ti" }, { '^', "\\(ha" },
};

static void add_roff(struct strbuf *sb, const char *text)
{
	bool at_start = true;

	for (; *text; at_start = *text++ == '\n') {
		size_t i = 0;

		while (i < ARRAY_SIZE(escapes) && escapes[i].c != *text)
			i++;
		if (at_start && *text == '.')
			strbuf_adds(sb, "\\&");
		if (i < ARRAY_SIZE(escapes))
			strbuf_adds(sb, escapes[i].roff);
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

static void add_options(struct strbuf *sb, const struct opt_group *groups)
{
	struct strbuf label = STRBUF_INIT, help = STRBUF_INIT;

	for (const struct opt_group *group = groups; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			strbuf_clear(&label);
			strbuf_clear(&help);
			help_add_option(&label, opt);
			opt_add_help(opt, &help);
			add_item(sb, label.buf, help.buf);
		}
	}
	strbuf_release(&label);
	strbuf_release(&help);
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
	const char *details = command->details;
	struct strbuf synopsis = STRBUF_INIT;
	char *paragraph;

	help_add_synopsis(&synopsis, command);
	strbuf_adds(sb, ".SS ");
	add_line(sb, synopsis.buf);
	strbuf_release(&synopsis);
	add_line(sb, command->summary);
	while ((paragraph = help_next_paragraph(&details))) {
		strbuf_adds(sb, ".PP\n");
		add_line(sb, paragraph);
		free(paragraph);
	}
	for (const struct opt_arg *arg = command->syntax.args; arg && arg->name; arg++)
		add_item(sb, arg->name, arg->help);
	add_options(sb, command->syntax.groups);
	if (command->table)
		add_columns(sb, command->table);
}

/* An entry of a section: a name in bold, and its meaning. */
struct entry {
	const char *name, *meaning;
};

static const struct entry environment[] = {
	{ "STAGETRACE_RUN", "Set by record for the build: the run's cookie, by which recover finds "
			    "processes that are left of the build." },
	{ "COLUMNS",
	  "Width of the lines of text that views print, from 40 up; without it that of the "
	  "terminal, or 100." },
	{ "NO_COLOR", "If set and not empty, nothing is bold, unless --color says so." },
	{ "TERM", "dumb: the same." },
	{ "STAGETRACE_THREADS", "1: read a trace with one thread. 2, the default with two "
				"processors or more: with helper threads. The results are "
				"the same." },
	{ "STAGETRACE_LIMITS",
	  "A whole number from 1 to 1000, by which the limits of what reading a file "
	  "may cost are multiplied. By default 1." },
	{ "STAGETRACE_HISTORY", "The data base of history and compare, unless --db names one." },
	{ "STAGETRACE_HISTORY_TIMEOUT",
	  "How long the server of a history may take to answer, as 1h; by default 10m." },
	{ "GITHUB_STEP_SUMMARY", "The file that compare --format github adds its comment to." },
	{ "STAGETRACE_WPR, STAGETRACE_XPERF, STAGETRACE_WPA",
	  "Programs to use as wpr, xperf and wpa." },
	{ "WPT_PATH", "Windows: the directory of the Windows Performance Toolkit." },
	{ "_NT_SYMBOL_PATH",
	  "Directories and servers with PDB files, as for other tools of Windows. "
	  "Of servers only the local cache is read, but by symbols --fetch." },
	{ "_NT_SYMCACHE_PATH",
	  "Directories where WPA keeps what it makes of PDBs; open puts that of the run first." },
	{ "DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT, DEBUGINFOD_RETRY_LIMIT",
	  "Servers that --debuginfod and symbols --fetch ask, how many seconds each may take to "
	  "answer (by default "
	  "90), "
	  "and how often it is asked again (0). libdebuginfod reads these and others." },
	{ "STAGETRACE_CACHE",
	  "Directory for symbol files that were fetched, in symbols below it. By default "
	  "stagetrace "
	  "in XDG_CACHE_HOME, else in .cache of HOME; on Windows in LOCALAPPDATA." },
	{ "ProgramFiles, ProgramFiles(x86), LOCALAPPDATA, SystemRoot",
	  "Windows: where else wpr, xperf and WPA are searched for." },
	{ "TMPDIR", "Directory for temporary files; by default /var/tmp for large ones, /tmp for "
		    "others. On Windows TMP, then TEMP." },
	{ "SUDO_UID, SUDO_GID", "Set by sudo: the user to whom a recording belongs, if the output "
				"directory does." },
	{ "SUDO_USER", "Set by sudo: noted in a run as the caller; a name that bundle --scrub "
		       "replaces." },
	{ "HOME, USER",
	  "Noted in a run as the home directory and, without an entry in the password file, the "
	  "user. On Windows USERPROFILE and USERNAME." },
	{ "PATH", "Where perf and the programs of the build are. On Windows PATHEXT has the "
		  "extensions of their names, and COMSPEC is the program that runs batch files." },
	{ NULL, NULL },
};

/* Below the directory of the installation. */
static const struct entry installed_files[] = {
	{ "/share/stagetrace/configs/*.ini",
	  "Configurations to copy or to use with --set: memory.ini, cpu.ini, tags-only.ini and "
	  "others." },
	{ "/share/stagetrace/profiles/", "Profiles for wpr and WPA, and stack tags." },
	{ "/share/doc/stagetrace/", "A page for each command, for the configuration, and "
				    "for each file of a run." },
	{ NULL, NULL },
};

static const struct entry files[] = {
	{ "RUN/manifest.json", "What the run is, how far it came, and what belongs to it." },
	{ "RUN/processes.jsonl", "The processes of the build, a JSON object a line." },
	{ "RUN/trace.perf.data, RUN/trace.etl",
	  "The trace; that of perf without its stack copies." },
	{ "RUN/trace.stack-copies.perf.data",
	  "With [record] keep-stack-copies: the trace as perf wrote it." },
	{ "RUN/symbols/", "Names and lines of the addresses in the trace." },
	{ "RUN/logs/", "Output of the build and of the profiler." },
	{ "RUN.zip", "The run as a bundle: all views, export and convert read it." },
	{ "RUN.partial", "A run that is not finished: being recorded, or interrupted." },
	{ NULL, NULL },
};

static void add_entries(struct strbuf *sb, const char *dir, const struct entry *entries)
{
	for (; entries->name; entries++) {
		char *name = xasprintf("%s%s", dir, entries->name);

		add_item(sb, name, entries->meaning);
		free(name);
	}
}

static void add_examples(struct strbuf *sb)
{
	strbuf_adds(sb, ".SH EXAMPLES\n");
	for (size_t i = 0; commands[i]; i++) {
		for (size_t k = 0;
		     k < ARRAY_SIZE(commands[i]->examples) && commands[i]->examples[k].what; k++) {
			/* A heading begins a paragraph already. */
			strbuf_adds(sb, i || k ? ".PP\n" : "");
			add_line(sb, commands[i]->examples[k].what);
			strbuf_adds(sb, ".PP\n.RS 4\n.EX\n");
			add_line(sb, commands[i]->examples[k].line);
			strbuf_adds(sb, ".EE\n.RE\n");
		}
	}
}

void help_print_man(const char *prefix, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, ".TH STAGETRACE 1 " STAGETRACE_RELEASED " \"stagetrace " STAGETRACE_VERSION
			 "\"\n"
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
	for (const struct exit_code_help *row = help_exit_codes; row->meaning; row++) {
		strbuf_addf(&sb, ".TP\n.B %d\n", row->code);
		add_line(&sb, row->meaning);
	}
	strbuf_adds(&sb, ".SH ENVIRONMENT\n");
	add_entries(&sb, "", environment);
	strbuf_adds(&sb, ".SH FILES\n");
	add_entries(&sb, prefix, installed_files);
	add_entries(&sb, "", files);
	add_examples(&sb);
	strbuf_adds(&sb, ".SH SEE ALSO\n"
			 ".BR perf (1),\n"
			 ".BR perf\\-record (1),\n"
			 ".BR bash (1)\n");
	fputs(sb.buf, out);
	strbuf_release(&sb);
}
