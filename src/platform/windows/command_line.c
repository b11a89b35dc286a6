#include "platform/windows/command_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>

#include <shellapi.h>

#include "platform/windows/wide.h"

#define LINE_LIMIT       32767 /* CreateProcessW(), with the NUL */
#define BATCH_LINE_LIMIT 8191

static void add_repeated(struct wide_buf *line, wchar_t c, size_t count)
{
	while (count--)
		wide_buf_addc(line, c);
}

/* Backslashes are plain but before a quote: there two stand for one, and one makes the quote plain. */
static void add_argument(struct wide_buf *line, const wchar_t *arg)
{
	size_t backslashes = 0;

	if (*arg && !arg[wcscspn(arg, L" \t\n\v\"")]) {
		wide_buf_adds(line, arg);
		return;
	}
	wide_buf_addc(line, L'"');
	for (; *arg; arg++) {
		if (*arg == L'"')
			add_repeated(line, L'\\', backslashes + 1);
		backslashes = *arg == L'\\' ? backslashes + 1 : 0;
		wide_buf_addc(line, *arg);
	}
	add_repeated(line, L'\\', backslashes);
	wide_buf_addc(line, L'"');
}

/* The first is read up to its closing quote, backslashes are plain. */
static void add_program(struct wide_buf *line, const wchar_t *program)
{
	bool quote = !*program || program[wcscspn(program, L" \t")];

	if (quote)
		wide_buf_addc(line, L'"');
	wide_buf_adds(line, program);
	if (quote)
		wide_buf_addc(line, L'"');
}

static int hand_over(struct wide_buf *line, unsigned limit, const char *program, wchar_t **result,
		     struct err *err)
{
	if (line->nr >= limit) {
		wide_buf_release(line);
		return err_set(err, ERR_FAILED,
			       "the command line of '%s' is longer than the %u characters that "
			       "Windows takes",
			       program, limit - 1);
	}
	*result = line->v;
	return 0;
}

int command_line_join(const struct strvec *argv, wchar_t **line, struct err *err)
{
	struct wide_buf buf = WIDE_BUF_INIT;

	for (size_t i = 0; i < argv->nr; i++) {
		wchar_t *arg = wide_from_utf8(argv->v[i]);

		if (!i && wcschr(arg, L'"')) {
			free(arg);
			return err_set(err, ERR_NOT_FOUND, "cannot run '%s': no such program",
				       argv->v[0]);
		}
		if (i) {
			wide_buf_addc(&buf, L' ');
			add_argument(&buf, arg);
		} else {
			add_program(&buf, arg);
		}
		free(arg);
	}
	return hand_over(&buf, LINE_LIMIT, argv->v[0], line, err);
}

static bool is_plain(wchar_t c)
{
	return (c >= L'a' && c <= L'z') || (c >= L'A' && c <= L'Z') || (c >= L'0' && c <= L'9') ||
	       (c && wcschr(L"#$*+-./:?@\\_", c));
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
			add_repeated(line, L'\\', backslashes);
			wide_buf_addc(line, L'"');
		} else if (*arg == L'%') {
			wide_buf_adds(line, L"%%cd:~,");
		}
		backslashes = *arg == L'\\' ? backslashes + 1 : 0;
		wide_buf_addc(line, *arg);
	}
	if (quote) {
		add_repeated(line, L'\\', backslashes);
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
	return hand_over(&buf, BATCH_LINE_LIMIT, argv->v[0], line, err);
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
