/*
 * What is said on stderr: "stagetrace: " before each line, control characters shown as escapes.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "util/printf_like.h"

/* `kind` is "", or "note: " or "warning: " for what does not end the program. */
void message_print(const char *kind, const char *text);
void message_printf(const char *kind, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
