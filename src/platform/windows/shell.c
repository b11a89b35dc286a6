#include "platform/shell.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *word)
{
	return !*word || strpbrk(word, " \t\n\"'&|<>^()[]{}@,;=!`$#~%");
}

/* Backslashes stand for themselves but for those in front of a quote, the closing one too. */
void shell_add_word(struct strbuf *sb, const char *word)
{
	size_t backslashes = 0;

	if (!needs_quotes(word)) {
		strbuf_adds(sb, word);
		return;
	}
	strbuf_addc(sb, '"');
	for (; *word; word++) {
		if (*word == '"') {
			for (; backslashes; backslashes--)
				strbuf_addc(sb, '\\');
			strbuf_addc(sb, '\\');
		}
		backslashes = *word == '\\' ? backslashes + 1 : 0;
		strbuf_addc(sb, *word);
	}
	for (; backslashes; backslashes--)
		strbuf_addc(sb, '\\');
	strbuf_addc(sb, '"');
}
