#include "platform/shell.h"

#include "util/quote.h"

void shell_add_word(struct strbuf *sb, const char *word)
{
	quote_add_word(sb, word);
}
