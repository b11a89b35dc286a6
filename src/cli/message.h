/*
 * Messages on stderr: "stagetrace: " before each line, control characters shown as escapes.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "util/printf_like.h"
#include "util/strbuf.h"

/* Print `text`, of one or more lines. `kind` is "" for an error; "note: " or "warning: " if the program continues. */
void message_print(const char *kind, const char *text);
/* The same, and release the text. */
void message_print_buf(const char *kind, struct strbuf *text);
void message_printf(const char *kind, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
