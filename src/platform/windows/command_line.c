#include "platform/windows/command_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#include "platform/windows/wide.h"
#include "util/quote.h"
#include "util/strbuf.h"

#define LINE_LIMIT       32767 /* CreateProcessW(), with the NUL */
#define BATCH_LINE_LIMIT 8191

/* `line` is handed over, or freed. */
static int hand_over(wchar_t *line, unsigned limit, const char *program, wchar_t **result,
		     struct err *err)
{
	if (wcslen(line) >= limit) {
		free(line);
		return err_set(err, ERR_FAILED,
			       "the command line of '%s' is longer than the %u characters that "
			       "Windows takes",
			       program, limit - 1);
	}
	*result = line;
	return 0;
}

int command_line_join(const struct strvec *argv, wchar_t **line, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	wchar_t *wide;

	if (strchr(argv->v[0], '"'))
		return err_set(err, ERR_NOT_FOUND, "cannot run '%s': no such program", argv->v[0]);
	quote_add_windows(&text, argv);
	wide = wide_from_utf8(text.buf);
	strbuf_release(&text);
	return hand_over(wide, LINE_LIMIT, argv->v[0], line, err);
}

static bool is_plain(wchar_t c)
{
	return (c >= L'a' && c <= L'z') || (c >= L'A' && c <= L'Z') || (c >= L'0' && c <= L'9') ||
	       (c && wcschr(L"#$*+-./:?@\\_", c));
}

static void add_backslashes(struct wide_buf *line, size_t count)
{
	while (count--)
		wide_buf_addc(line, L'\\');
}

/*
 * A quote is doubled, as cmd does not know \" and would leave the quoted part. A % has no escape: the empty substring
 * %cd:~,% between it and what follows keeps a variable's name from being seen.
 */
static void add_batch_argument(struct wide_buf *line, const wchar_t *arg)
{
	size_t backslashes = 0, len = wcslen(arg);
	bool quote = !len || arg[len - 1] == L'\\';

	for (size_t i = 0; i < len; i++)
		quote |= !is_plain(arg[i]);
	if (quote)
		wide_buf_addc(line, L'"');
	for (; *arg; arg++) {
		if (*arg == L'"') {
			add_backslashes(line, backslashes);
			wide_buf_addc(line, L'"');
		} else if (*arg == L'%') {
			wide_buf_adds(line, L"%%cd:~,");
		}
		backslashes = *arg == L'\\' ? backslashes + 1 : 0;
		wide_buf_addc(line, *arg);
	}
	if (quote) {
		add_backslashes(line, backslashes);
		wide_buf_addc(line, L'"');
	}
}

int command_line_join_batch(const wchar_t *script, const struct strvec *argv, wchar_t **line,
			    struct err *err)
{
	struct wide_buf buf = WIDE_BUF_INIT;

	wide_buf_adds(&buf, L"cmd.exe /e:ON /v:OFF /d /c \"\"");
	wide_buf_adds(&buf, script);
	wide_buf_addc(&buf, L'"');
	for (size_t i = 1; i < argv->nr; i++) {
		wchar_t *arg = wide_from_utf8(argv->v[i]);
		bool broken = arg[wcscspn(arg, L"\r\n")];

		if (!broken) {
			wide_buf_addc(&buf, L' ');
			add_batch_argument(&buf, arg);
		}
		free(arg);
		if (broken) {
			wide_buf_release(&buf);
			return err_set(err, ERR_FAILED,
				       "cannot run '%s': a batch file takes no line break in an "
				       "argument",
				       argv->v[0]);
		}
	}
	wide_buf_addc(&buf, L'"');
	return hand_over(buf.v, BATCH_LINE_LIMIT, argv->v[0], line, err);
}

void command_line_split(const wchar_t *line, struct strvec *argv)
{
	int count = 0;
	/* For an empty line it would give this program's path. */
	wchar_t **args = *line ? CommandLineToArgvW(line, &count) : NULL;

	for (int i = 0; args && i < count; i++)
		strvec_push_nodup(argv, wide_to_utf8(args[i]));
	LocalFree(args);
}
