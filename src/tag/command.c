#include "tag/command.h"

#include <string.h>

#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

/* More levels than real commands have: env sh -c 'env sccache rustc'. */
#define MAX_DEPTH 8

#define NOT_FOUND ((size_t)-1)

static enum program program_of(const char *path)
{
	return program_named(path_file(path));
}

/* The program by `exe`, or by argv[0] if `exe` is a program that behaves according to its name. */
static enum program first_program(const char *exe, const char *alias)
{
	enum program program = program_of(exe), called = alias ? program_of(alias) : program;

	switch (program) {
	case PROGRAM_UNKNOWN:
	case PROGRAM_PROXY:
	case PROGRAM_CACHE:
		return called == PROGRAM_UNKNOWN ? program : called;
	case PROGRAM_LINKER:
		return called == PROGRAM_LINKER_MSVC ? called : program;
	case PROGRAM_CC:
		return called == PROGRAM_CC_MSVC ? called : program;
	default:
		return program;
	}
}

static bool is_any(const char *arg, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal_fold(arg, words[i]))
			return true;
	return false;
}

/* Index of python's script, which follows the options; none with -c and -m. */
static size_t find_python_script(const struct strvec *argv, size_t i)
{
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (arg[0] != '-')
			return i;
		if (!strcmp(arg, "-c") || !strcmp(arg, "-m") || !strcmp(arg, "-"))
			return NOT_FOUND;
		if (!strcmp(arg, "-W") || !strcmp(arg, "-X"))
			i++;
	}
	return NOT_FOUND;
}

/* Index of the shell's script or, with -c (also -ec, -lc), of its command text; `*text` is set for a text. */
static size_t find_shell_script(const struct strvec *argv, size_t i, bool *text)
{
	*text = false;
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (arg[0] != '-' && arg[0] != '+')
			return i;
		if (arg[0] == '-' && arg[1] != '-' && strchr(arg, 'c'))
			*text = true;
		if (!strcmp(arg, "-o") || !strcmp(arg, "+o"))
			i++;
	}
	return NOT_FOUND;
}

static size_t find_powershell_script(const struct strvec *argv, size_t i, bool *text)
{
	static const char *const with_value[] = {
		"-ExecutionPolicy", "-ep",          "-ex",           "-Version",
		"-WindowStyle",     "-InputFormat", "-OutputFormat", "-WorkingDirectory"
	};
	static const char *const commands[] = { "-Command", "-c" };

	*text = false;
	for (; i < argv->nr; i++) {
		if (argv->v[i][0] != '-')
			return i;
		if (is_any(argv->v[i], with_value, ARRAY_SIZE(with_value)))
			i++;
		else if (is_any(argv->v[i], commands, ARRAY_SIZE(commands)))
			*text = i + 2 == argv->nr;
	}
	return NOT_FOUND;
}

/* Index of the command in `cmd /d /s /c COMMAND`: one text, or separate arguments. */
static size_t find_cmd_command(const struct strvec *argv, size_t i, bool *text)
{
	for (; i < argv->nr && argv->v[i][0] == '/'; i++)
		if (text_equal_fold(argv->v[i], "/c") && i + 1 < argv->nr) {
			*text = i + 2 == argv->nr;
			return i + 1;
		}
	return NOT_FOUND;
}

static size_t find_env_command(const struct strvec *argv, size_t i)
{
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (!strcmp(arg, "-u") || !strcmp(arg, "-C"))
			i++;
		else if (arg[0] != '-' && !strchr(arg, '='))
			return i;
	}
	return NOT_FOUND;
}

/* Index of the argument that an interpreter or wrapper runs, or NOT_FOUND. */
static size_t find_inner(const struct command *command, bool *text)
{
	const struct strvec *argv = command->argv;
	size_t first = command->first;

	*text = false;
	switch (command->program) {
	case PROGRAM_PYTHON:
		return find_python_script(argv, first);
	case PROGRAM_SHELL:
		return find_shell_script(argv, first, text);
	case PROGRAM_POWERSHELL:
		return find_powershell_script(argv, first, text);
	case PROGRAM_CMD:
		return find_cmd_command(argv, first, text);
	case PROGRAM_ENV:
		return find_env_command(argv, first);
	case PROGRAM_CACHE:
		return first < argv->nr && argv->v[first][0] != '-' ? first : NOT_FOUND;
	default:
		return NOT_FOUND;
	}
}

/* Split the text of -c if it is one simple command. Returns the index of the program in `words`, or NOT_FOUND. */
static size_t split_text(const char *text, struct strvec *words)
{
	struct err err = ERR_INIT;
	size_t i = 0;

	if (strpbrk(text, ";|<>`\n$(){}") || strstr(text, "&&") || quote_split(text, words, &err)) {
		err_clear(&err);
		return NOT_FOUND;
	}
	while (i < words->nr && (!strcmp(words->v[i], "exec") || !strcmp(words->v[i], "&") ||
				 !strcmp(words->v[i], "call")))
		i++;
	return i < words->nr ? i : NOT_FOUND;
}

/* Replace an interpreter or wrapper by the known program that it runs; false: there is none. */
static bool unwrap_once(struct command *command)
{
	const struct strvec *argv = command->argv;
	struct strvec words = STRVEC_INIT;
	enum program program;
	bool text, split = false;
	size_t at = find_inner(command, &text);

	if (at != NOT_FOUND && text) {
		at = split_text(argv->v[at], &words);
		argv = &words;
		split = true;
	}
	program = at == NOT_FOUND ? PROGRAM_UNKNOWN : program_of(argv->v[at]);
	if (program == PROGRAM_UNKNOWN || program == PROGRAM_SYSTEM) {
		if (at != NOT_FOUND && !split)
			command->script = argv->v[at];
		strvec_release(&words);
		return false;
	}
	if (split) {
		strvec_release(&command->split);
		command->split = words;
		command->argv = &command->split;
	}
	command->program = program;
	command->path = command->argv->v[at];
	command->alias = NULL;
	command->first = at + 1;
	command->wrapped = true;
	return true;
}

void command_resolve(const char *exe, const struct strvec *argv, struct command *command)
{
	const char *alias = argv->nr ? argv->v[0] : NULL;

	*command = (struct command){
		.path = exe && *exe ? exe : alias,
		.alias = exe && *exe ? alias : NULL,
		.argv = argv,
		.first = argv->nr ? 1 : 0,
		.split = STRVEC_INIT,
	};
	command->program = first_program(command->path, command->alias);
	for (int depth = 0; depth < MAX_DEPTH && unwrap_once(command); depth++)
		continue;
	if (command->program == PROGRAM_CACHE_CL) {
		command->program = PROGRAM_CC_MSVC;
		command->wrapped = true;
	}
}

void command_release(struct command *command)
{
	strvec_release(&command->split);
}
