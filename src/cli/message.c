#include "cli/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/color.h"
#include "cli/line_width.h"
#include "cli/view_progress.h"
#include "platform/terminal.h"
#include "util/alloc.h"
#include "util/print.h"

static bool quiet;
static const char *about; /* NULL: nothing */

/* Notes and warnings, each with its kind. */
static struct strvec said = STRVEC_INIT;

/* Where they are kept; NULL: nowhere. */
static struct strvec *warnings_kept, *notes_kept;

void message_set_quiet(void)
{
	quiet = true;
	view_progress_hide();
}

void message_set_subject(const char *subject)
{
	about = subject;
}

void message_keep(struct strvec *warnings, struct strvec *notes)
{
	warnings_kept = warnings;
	notes_kept = notes;
}

static void keep(const char *kind, const char *text)
{
	struct strvec *list = !strcmp(kind, "warning: ") ? warnings_kept : notes_kept;

	if (list)
		strvec_push(list, text);
}

/* An error is always shown; a trace that is read twice warns twice. */
static bool is_shown(const char *kind, const char *text)
{
	char *message;

	if (!*kind)
		return true;
	message = xasprintf("%s%s", kind, text);
	for (size_t i = 0; i < said.nr; i++) {
		if (!strcmp(said.v[i], message)) {
			free(message);
			return false;
		}
	}
	strvec_push_nodup(&said, message);
	keep(kind, text);
	return !quiet;
}

void message_print(const char *kind, const char *text)
{
	const struct print_style style = {
		.width = terminal_is_tty(stderr) ? line_width(stderr) : 0,
		.bold = color_of(stderr),
	};

	char *whole = about && *kind ? xasprintf("%s: %s", about, text) : NULL;

	if (whole)
		text = whole;
	if (is_shown(kind, text)) {
		view_progress_wipe();
		print_styled(stderr, &style, kind, text);
	}
	free(whole);
}

void message_print_buf(const char *kind, struct strbuf *text)
{
	const char *line = text->buf ? text->buf : "";

	while (*line) {
		size_t len = strcspn(line, "\n");
		char *one = xstrndup(line, len);

		message_print(kind, one);
		free(one);
		line += len + (line[len] == '\n');
	}
	strbuf_release(text);
}

void message_printf(const char *kind, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	message_print(kind, text.buf);
	strbuf_release(&text);
}
