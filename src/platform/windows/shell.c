#include "platform/shell.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/quote.h"

static bool needs_quotes(const char *word)
{
	return !*word || strpbrk(word, " \t\n\"'&|<>^()[]{}@,;=!`$#~%");
}

/*
 * To cmd.exe each quote begins or ends what is quoted, also one that a backslash escapes for the program: behind it "&"
 * would be the next command. With a caret before each none is quoted for cmd.exe, and nothing else has a meaning to it.
 */
static void add_with_carets(struct strbuf *sb, const char *text)
{
	for (; *text; text++) {
		if (strchr("()%!^\"<>&|", *text))
			strbuf_addc(sb, '^');
		strbuf_addc(sb, *text);
	}
}

/* What follows a line break would be the next command, quoted or not: there is a space in its place. */
static char *on_one_line(const char *text)
{
	char *copy = xstrdup(text);

	for (char *s = copy + strcspn(copy, "\r\n"); *s; s += strcspn(s, "\r\n"))
		*s = ' ';
	return copy;
}

static void add_quoted(struct strbuf *sb, const char *word)
{
	if (needs_quotes(word))
		quote_add_windows_word(sb, word);
	else
		strbuf_adds(sb, word);
}

void shell_add_word(struct strbuf *sb, const char *word)
{
	struct strbuf quoted = STRBUF_INIT;
	char *line = on_one_line(word);

	if (strchr(line, '"')) {
		quote_add_windows_word(&quoted, line);
		add_with_carets(sb, quoted.buf);
	} else {
		add_quoted(sb, line);
	}
	strbuf_release(&quoted);
	free(line);
}

void shell_add_words(struct strbuf *sb, const struct strvec *words)
{
	for (size_t i = 0; i < words->nr; i++) {
		if (i)
			strbuf_addc(sb, ' ');
		shell_add_word(sb, words->v[i]);
	}
}

void shell_add_comment(struct strbuf *sb, const char *text)
{
	char *line = on_one_line(text);

	strbuf_addf(sb, "rem %s\n", line);
	free(line);
}

/* cmd takes words after a "/" for options. No path has a quote in it; with carets, one after ">>" would end at a space. */
static void add_path(struct strbuf *sb, const char *path)
{
	char *copy = on_one_line(path);

	for (char *s = copy; *s; s++) {
		if (*s == '/')
			*s = '\\';
	}
	add_quoted(sb, copy);
	free(copy);
}

void shell_add_mkdir(struct strbuf *sb, const char *dir)
{
	strbuf_adds(sb, "mkdir ");
	add_path(sb, dir);
	strbuf_addc(sb, '\n');
}

void shell_add_copy(struct strbuf *sb, const char *from, const char *to)
{
	strbuf_adds(sb, "copy ");
	add_path(sb, from);
	strbuf_addc(sb, ' ');
	add_path(sb, to);
	strbuf_addc(sb, '\n');
}

/* cmd takes what is between the first and the last quote. */
static void add_set(struct strbuf *sb, const char *variable)
{
	char *line = on_one_line(variable), *quoted = xasprintf("\"%s\"", line);

	strbuf_adds(sb, "set ");
	if (strchr(line, '"'))
		add_with_carets(sb, quoted);
	else
		strbuf_adds(sb, quoted);
	strbuf_addc(sb, '\n');
	free(quoted);
	free(line);
}

void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log)
{
	strbuf_adds(sb, "pushd ");
	add_path(sb, dir);
	strbuf_addc(sb, '\n');
	for (size_t i = 0; i < env->nr; i++)
		add_set(sb, env->v[i]);
	shell_add_words(sb, argv);
	if (log) {
		strbuf_adds(sb, " >>");
		add_path(sb, log);
		strbuf_adds(sb, " 2>&1");
	}
	strbuf_addc(sb, '\n');
	for (size_t i = 0; i < env->nr; i++)
		strbuf_addf(sb, "set \"%.*s=\"\n", (int)strcspn(env->v[i], "="), env->v[i]);
	strbuf_adds(sb, "popd\n");
}
