#include "util/quote.h"

#include <string.h>

#include "util/ascii.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Append the quoted part at `s` (after the opening quote). Returns the end, after the closing quote, or NULL. */
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

static const char *add_windows_program(struct strbuf *word, const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || !ascii_is_blank(*s)); s++) {
		if (*s == '"')
			quoted = !quoted;
		else
			strbuf_addc(word, *s);
	}
	return s;
}

/* Append the backslashes at `s`, and the quote after them if they escape it. */
static const char *add_backslashes(struct strbuf *word, const char *s)
{
	size_t nr = strspn(s, "\\");
	bool escapes = s[nr] == '"';

	strbuf_pad(word, '\\', word->len + (escapes ? nr / 2 : nr));
	s += nr;
	if (escapes && nr % 2)
		strbuf_addc(word, *s++);
	return s;
}

static const char *add_windows_argument(struct strbuf *word, const char *s)
{
	bool quoted = false;

	while (*s && (quoted || !ascii_is_blank(*s))) {
		if (*s == '\\') {
			s = add_backslashes(word, s);
		} else if (*s == '"' && quoted && s[1] == '"') {
			strbuf_addc(word, '"');
			s += 2;
		} else if (*s == '"') {
			quoted = !quoted;
			s++;
		} else {
			strbuf_addc(word, *s++);
		}
	}
	return s;
}

void quote_split_windows(const char *command, struct strvec *args)
{
	struct strbuf word = STRBUF_INIT;
	const char *s = command;

	if (*s) {
		s = add_windows_program(&word, s);
		strvec_push(args, word.buf);
	}
	for (;;) {
		while (ascii_is_blank(*s))
			s++;
		if (!*s)
			break;
		strbuf_clear(&word);
		s = add_windows_argument(&word, s);
		strvec_push(args, word.buf);
	}
	strbuf_release(&word);
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

void quote_add_split(struct strbuf *sb, const struct strvec *args)
{
	for (size_t i = 0; i < args->nr; i++) {
		const char *word = args->v[i];
		bool quotes = !*word || word[strcspn(word, " \t\"'")];

		strbuf_adds(sb, i ? " " : "");
		strbuf_adds(sb, quotes ? "\"" : "");
		for (; *word; word++) {
			if (quotes && (*word == '"' || *word == '\\'))
				strbuf_addc(sb, '\\');
			strbuf_addc(sb, *word);
		}
		strbuf_adds(sb, quotes ? "\"" : "");
	}
}

/* Backslashes are special only before a quote, the closing one included. */
void quote_add_windows_word(struct strbuf *sb, const char *word)
{
	size_t backslashes = 0;

	strbuf_addc(sb, '"');
	for (; *word; word++) {
		if (*word == '"')
			strbuf_pad(sb, '\\', sb->len + backslashes + 1);
		backslashes = *word == '\\' ? backslashes + 1 : 0;
		strbuf_addc(sb, *word);
	}
	strbuf_pad(sb, '\\', sb->len + backslashes);
	strbuf_addc(sb, '"');
}

/* Backslashes in the program's name are plain characters. */
static void write_windows_program(struct strbuf *sb, const char *word)
{
	bool quoted = !*word || word[strcspn(word, " \t")];

	if (quoted)
		strbuf_addc(sb, '"');
	for (; *word; word++)
		if (*word != '"')
			strbuf_addc(sb, *word);
	if (quoted)
		strbuf_addc(sb, '"');
}

void quote_add_windows(struct strbuf *sb, const struct strvec *args)
{
	for (size_t i = 0; i < args->nr; i++) {
		const char *word = args->v[i];

		if (i)
			strbuf_addc(sb, ' ');
		if (!i)
			write_windows_program(sb, word);
		else if (!*word || word[strcspn(word, " \t\n\v\"")])
			quote_add_windows_word(sb, word);
		else
			strbuf_adds(sb, word);
	}
}
