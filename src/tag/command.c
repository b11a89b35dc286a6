#include "tag/command.h"

#include <string.h>

#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

/* env sh -c 'env sccache rustc' is as deep as anyone goes. */
#define MAX_DEPTH 8

#define NOT_FOUND ((size_t)-1)

static enum program program_of(const char *path)
{
	return program_named(path_file(path));
}

/* The first of the two names, unless it is a program of many names and argv[0] is the telling one. */
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

/* The script of python: behind its options; none with -c and -m. */
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

/* The script or, with -c (also -ec, -lc), the command text; `*text` says which. */
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

/* cmd /d /s /c COMMAND: one text, or words of their own. */
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

/* Where `command`, an interpreter or wrapper, names what it runs; NOT_FOUND where it does not. */
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

/* Split the text of -c where it is one plain command; its index in the result, or NOT_FOUND. */
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

/* Move on to the command behind `command`; false, with nothing changed, where there is none we know. */
static bool step_in(struct command *command)
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
	command->behind = true;
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
	for (int depth = 0; depth < MAX_DEPTH && step_in(command); depth++)
		continue;
	if (command->program == PROGRAM_CACHE_CL) {
		command->program = PROGRAM_CC_MSVC;
		command->behind = true;
	}
}

void command_release(struct command *command)
{
	strvec_release(&command->split);
}
