#include "platform/windows/response_files.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/text.h"

#define RESPONSE_MAX  ((DWORD)1 << 20)
#define RESPONSES_MAX 64

static const char *response_path(const char *arg)
{
	if (arg[0] == '@')
		return arg + 1;
	if (text_starts_with(arg, "-Wl,@"))
		return arg + strlen("-Wl,@");
	return NULL;
}

static bool is_separator(char c)
{
	return c == '\\' || c == '/';
}

/* As the process itself would find it. The caller frees it. */
static char *from_directory(const char *cwd, const char *path)
{
	if (path[0] && path[1] == ':')
		return xstrdup(path);
	if (is_separator(path[0]))
		return is_separator(path[1]) || !cwd || cwd[0] == '\0' || cwd[1] != ':'
			       ? xstrdup(path)
			       : xasprintf("%.2s%s", cwd, path);
	return cwd ? xasprintf("%s\\%s", cwd, path) : NULL;
}

/* Nothing that we hold open may keep others from deleting or renaming it. */
static HANDLE open_shared(const wchar_t *path)
{
	HANDLE file = CreateFileW(path, GENERIC_READ,
				  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
				  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);

	if (file != INVALID_HANDLE_VALUE && GetFileType(file) != FILE_TYPE_DISK) {
		CloseHandle(file);
		return INVALID_HANDLE_VALUE;
	}
	return file;
}

static char *decode(char *bytes, size_t len)
{
	if (len >= 2 && !memcmp(bytes, "\xff\xfe", 2)) {
		/* An even address, two bytes on. */
		wchar_t *text = (wchar_t *)(void *)(bytes + 2);
		size_t chars = (len - 2) / sizeof(wchar_t);

		for (size_t i = 0; i < chars; i++) {
			if (!text[i])
				text[i] = L'\n';
		}
		return wide_to_utf8_len(text, chars);
	}
	for (size_t i = 0; i < len; i++) {
		if (!bytes[i])
			bytes[i] = '\n';
	}
	if (len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		return xstrndup(bytes + 3, len - 3);
	return xstrndup(bytes, len);
}

/* NULL where it can't be read. The caller frees it. */
static char *read_text(const wchar_t *path)
{
	HANDLE file = open_shared(path);
	char *bytes, *text = NULL;
	DWORD got = 0;

	if (file == INVALID_HANDLE_VALUE)
		return NULL;
	bytes = xmalloc(RESPONSE_MAX);
	if (ReadFile(file, bytes, RESPONSE_MAX, &got, NULL))
		text = decode(bytes, got);
	free(bytes);
	CloseHandle(file);
	return text;
}

static char *read_response(const char *cwd, const char *path)
{
	char *found = from_directory(cwd, path), *text = NULL;
	wchar_t *wide = found ? wide_path(found) : NULL;

	if (wide)
		text = read_text(wide);
	free(wide);
	free(found);
	return text;
}

void response_files_read(struct proc_event *event)
{
	for (size_t i = 1; i < event->argv.nr && event->responses.nr < 2 * RESPONSES_MAX; i++) {
		const char *path = response_path(event->argv.v[i]);
		char *text = path && *path ? read_response(event->cwd, path) : NULL;

		if (!text)
			continue;
		strvec_push(&event->responses, path);
		strvec_push_nodup(&event->responses, text);
	}
}
