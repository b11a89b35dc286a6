/*
 * Messages of the command line, on stderr; see util/print.h. On a terminal they are broken into lines of its width.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "util/printf_like.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Print one message. `kind` is "" for an error; "note: " or "warning: " if the program continues: those only once. */
void message_print(const char *kind, const char *text);
void message_printf(const char *kind, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* From now on notes and warnings begin with what they are about, as a run: "new/b.zip: "; NULL: with nothing. Borrowed. */
void message_set_subject(const char *subject);

/* From now on print errors alone: neither notes nor warnings. */
void message_set_quiet(void);

/* A row of options: a bool at `offset`, for which message_set_quiet() is called. */
#define QUIET_OPTION(offset) \
	{ \
		'q', "quiet", OPT_FLAG, NULL, "no warnings and notes, errors alone", offset, NULL \
	}

/*
 * From now on warnings and notes are added to these lists too, each once, also those that are not printed; NULL: no longer.
 * Borrowed.
 */
void message_keep(struct strvec *warnings, struct strvec *notes);

/* Print each line of the text as a message, and release the text. */
void message_print_buf(const char *kind, struct strbuf *text);

#endif
