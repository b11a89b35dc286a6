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

void shell_add_word(struct strbuf *sb, const char *word)
{
	if (needs_quotes(word))
		quote_add_windows_word(sb, word);
	else
		strbuf_adds(sb, word);
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
	strbuf_addf(sb, "rem %s\n", text);
}

/* cmd takes words after a "/" for options. */
static void add_path(struct strbuf *sb, const char *path)
{
	char *copy = xstrdup(path);

	for (char *s = copy; *s; s++) {
		if (*s == '/')
			*s = '\\';
	}
	shell_add_word(sb, copy);
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

void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log)
{
	strbuf_adds(sb, "pushd ");
	add_path(sb, dir);
	strbuf_addc(sb, '\n');
	for (size_t i = 0; i < env->nr; i++)
		strbuf_addf(sb, "set \"%s\"\n", env->v[i]);
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
