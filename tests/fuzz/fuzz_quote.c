/*
 * Any text as a command: split or refused; the quoted form of the arguments is split into the same arguments again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/quote.h"
#include "util/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * quote_add_word() writes an apostrophe as '\'' for a shell, where quote_split() has no backslash outside of
 * double quotes: such words do not come back.
 */
static int has_apostrophe(const struct strvec *args)
{
	for (size_t i = 0; i < args->nr; i++) {
		if (strchr(args->v[i], '\''))
			return 1;
	}
	return 0;
}

static void expect_back(const struct strvec *args)
{
	struct strbuf quoted = STRBUF_INIT;
	struct strvec again = STRVEC_INIT;
	struct err err = ERR_INIT;

	quote_add_shell(&quoted, args);
	if (!has_apostrophe(args)) {
		if (quote_split(quoted.buf, &again, &err) || again.nr != args->nr)
			abort();
		for (size_t i = 0; i < args->nr; i++) {
			if (strcmp(again.v[i], args->v[i]))
				abort();
		}
	}
	strbuf_release(&quoted);
	strvec_release(&again);
}

static void expect_clean(const char *text)
{
	struct strbuf clean = STRBUF_INIT, printable = STRBUF_INIT;

	utf8_add_clean(&clean, text, strlen(text));
	utf8_add_printable(&printable, text);
	if (!utf8_valid(clean.buf, clean.len) || !utf8_valid(printable.buf, printable.len) ||
	    utf8_length(clean.buf) != utf8_length(text))
		abort();
	for (size_t i = 0; i < printable.len; i++) {
		if ((unsigned char)printable.buf[i] < 0x20)
			abort();
	}
	strbuf_release(&clean);
	strbuf_release(&printable);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct strvec args = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (!quote_split(text, &args, &err))
		expect_back(&args);
	else if (err.code != ERR_USAGE)
		abort();
	expect_clean(text);
	err_clear(&err);
	strvec_release(&args);
	free(text);
	return 0;
}
