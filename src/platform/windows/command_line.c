#include "platform/windows/command_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/windows/library.h"
#include "platform/windows/wide.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/strbuf.h"

#define LINE_LIMIT       32767 /* CreateProcessW(), with the NUL */
#define BATCH_LINE_LIMIT 8191

/* Move the contents of `line` to the caller, or free them and fail. */
static int hand_over(wchar_t *line, unsigned limit, const char *program, wchar_t **result,
		     struct err *err)
{
	if (wcslen(line) >= limit) {
		free(line);
		return err_set(err, ERR_FAILED,
			       "the command line of '%s' is longer than the %u characters that "
			       "Windows accepts",
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
 * A quote is doubled, as cmd does not know \" and would end the quoted part. There is no escape for %: an empty
 * substring, %cd:~,%, after it keeps cmd from seeing the name of a variable.
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
	wchar_t **(WINAPI * split)(const wchar_t *, int *);
	wchar_t **args = NULL;
	int count = 0;

	/* For an empty line the function would return the path of this program. */
	if (*line && library_function(L"shell32.dll", "CommandLineToArgvW", &split, sizeof(split)))
		args = split(line, &count);
	for (int i = 0; args && i < count; i++)
		strvec_push_nodup(argv, wide_to_utf8(args[i]));
	LocalFree(args);
}

struct pairs {
	wchar_t **v;
	size_t nr, alloc;
};

/* "=C:" is a name too, of the variable with the directory on a drive. */
static int name_length(const wchar_t *pair)
{
	return *pair ? 1 + (int)wcscspn(pair + 1, L"=") : 0;
}

static int by_name(const void *a, const void *b)
{
	const wchar_t *x = *(wchar_t *const *)a, *y = *(wchar_t *const *)b;

	return CompareStringOrdinal(x, name_length(x), y, name_length(y), TRUE) - CSTR_EQUAL;
}

static void put(struct pairs *pairs, const wchar_t *pair)
{
	for (size_t i = 0; i < pairs->nr; i++) {
		if (!by_name(&pairs->v[i], &pair)) {
			free(pairs->v[i]);
			pairs->v[i] = _wcsdup(pair);
			return;
		}
	}
	ARRAY_ADD(pairs->v, pairs->nr, pairs->alloc, _wcsdup(pair));
}

wchar_t *environment_with(const struct strvec *changes)
{
	wchar_t *ours = GetEnvironmentStringsW();
	struct wide_buf block = WIDE_BUF_INIT;
	struct pairs pairs = { NULL, 0, 0 };

	for (const wchar_t *pair = ours; pair && *pair; pair += wcslen(pair) + 1)
		put(&pairs, pair);
	if (ours)
		FreeEnvironmentStringsW(ours);
	for (size_t i = 0; changes && i < changes->nr; i++) {
		wchar_t *pair = wide_from_utf8(changes->v[i]);

		put(&pairs, pair);
		free(pair);
	}
	if (pairs.nr)
		qsort(pairs.v, pairs.nr, sizeof(*pairs.v), by_name);
	for (size_t i = 0; i < pairs.nr; i++) {
		wide_buf_add(&block, pairs.v[i], wcslen(pairs.v[i]) + 1);
		free(pairs.v[i]);
	}
	free(pairs.v);
	wide_buf_addc(&block, L'\0');
	return block.v;
}
