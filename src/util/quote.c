#include "util/quote.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Append the quoted part at `s` (behind its opening quote); the place behind the closing one, or NULL. */
static const char *add_quoted(struct strbuf *word, const char *s, char quote)
{
	for (; *s && *s != quote; s++) {
		if (quote == '"' && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		strbuf_addc(word, *s);
	}
	return *s ? s + 1 : NULL;
}

int quote_split(const char *command, struct strvec *args, struct err *err)
{
	struct strbuf word = STRBUF_INIT;
	const char *s = command;

	for (;;) {
		while (is_blank(*s))
			s++;
		if (!*s)
			break;
		strbuf_clear(&word);
		while (*s && !is_blank(*s)) {
			if (*s == '"' || *s == '\'') {
				const char *open = s;

				s = add_quoted(&word, s + 1, *s);
				if (!s) {
					strbuf_release(&word);
					return err_set(err, ERR_USAGE, "quote %c is never closed",
						       *open);
				}
			} else {
				strbuf_addc(&word, *s++);
			}
		}
		strvec_push(args, word.buf);
	}
	strbuf_release(&word);
	return 0;
}

static bool needs_quotes(const char *word)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "_-+=./:,@%^";

	return !*word || word[strspn(word, safe)];
}

void quote_add_word(struct strbuf *sb, const char *word)
{
	if (!needs_quotes(word)) {
		strbuf_adds(sb, word);
		return;
	}
	strbuf_addc(sb, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_adds(sb, "'\\''");
		else
			strbuf_addc(sb, *word);
	}
	strbuf_addc(sb, '\'');
}

void quote_add_shell(struct strbuf *sb, const struct strvec *args)
{
	for (size_t i = 0; i < args->nr; i++) {
		if (i)
			strbuf_addc(sb, ' ');
		quote_add_word(sb, args->v[i]);
	}
}
