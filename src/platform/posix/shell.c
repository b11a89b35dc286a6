#include "platform/shell.h"

#include <string.h>

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

void shell_add_run(struct strbuf *sb, const char *dir, const struct strvec *env,
		   const struct strvec *argv, const char *log)
{
	strbuf_adds(sb, "(cd ");
	quote_add_word(sb, dir);
	strbuf_adds(sb, " && ");
	for (size_t i = 0; i < env->nr; i++) {
		const char *value = strchr(env->v[i], '=') + 1;

		strbuf_add(sb, env->v[i], (size_t)(value - env->v[i]));
		quote_add_word(sb, value);
		strbuf_addc(sb, ' ');
	}
	quote_add_shell(sb, argv);
	if (log) {
		strbuf_adds(sb, " >>");
		quote_add_word(sb, log);
		strbuf_adds(sb, " 2>&1");
	}
	strbuf_adds(sb, ")\n");
}
