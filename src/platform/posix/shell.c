#include "platform/shell.h"

#include <stdbool.h>
#include <string.h>

#include "util/ascii.h"
#include "util/quote.h"

void shell_add_word(struct strbuf *sb, const char *word)
{
	quote_add_word(sb, word);
}

void shell_add_words(struct strbuf *sb, const struct strvec *words)
{
	quote_add_shell(sb, words);
}

void shell_add_comment(struct strbuf *sb, const char *text)
{
	strbuf_addf(sb, "# %s\n", text);
}

void shell_add_mkdir(struct strbuf *sb, const char *dir)
{
	strbuf_adds(sb, "mkdir -p ");
	quote_add_word(sb, dir);
	strbuf_addc(sb, '\n');
}

void shell_add_copy(struct strbuf *sb, const char *from, const char *to)
{
	strbuf_adds(sb, "cp ");
	quote_add_word(sb, from);
	strbuf_addc(sb, ' ');
	quote_add_word(sb, to);
	strbuf_addc(sb, '\n');
}

/* A variable of the shell: it takes a pair with another name for a word of the command, or for several commands. */
static bool has_plain_name(const char *pair)
{
	size_t len = strcspn(pair, "=");

	for (size_t i = 0; i < len; i++)
		if (!ascii_is_letter_or_digit(pair[i]) && pair[i] != '_')
			return false;
	return len && !ascii_is_digit(*pair);
}

static void add_variables(struct strbuf *sb, const struct strvec *env)
{
	bool plain = true;

	for (size_t i = 0; i < env->nr; i++)
		plain &= has_plain_name(env->v[i]);
	if (!plain)
		strbuf_adds(sb, "env ");
	for (size_t i = 0; i < env->nr; i++) {
		size_t name = plain ? strcspn(env->v[i], "=") + 1 : 0;

		strbuf_add(sb, env->v[i], name);
		quote_add_word(sb, env->v[i] + name);
		strbuf_addc(sb, ' ');
	}
}

void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log)
{
	/* What looks like an option is a directory too, and a program with a "=" is no variable. */
	strbuf_adds(sb, dir[0] == '-' ? "(cd ./" : "(cd ");
	quote_add_word(sb, dir);
	strbuf_adds(sb, " && ");
	add_variables(sb, env);
	if (argv->nr && strchr(argv->v[0], '='))
		strbuf_adds(sb, "''");
	quote_add_shell(sb, argv);
	if (log) {
		strbuf_adds(sb, " >>");
		quote_add_word(sb, log);
		strbuf_adds(sb, " 2>&1");
	}
	strbuf_adds(sb, ")\n");
}
