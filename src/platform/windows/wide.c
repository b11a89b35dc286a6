#include "platform/windows/wide.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

#define REPLACEMENT 0xfffd

/* Below the limit by the length of a component, as some calls append one. */
#define SHORT_PATH 240

void wide_buf_release(struct wide_buf *buf)
{
	free(buf->v);
	*buf = (struct wide_buf)WIDE_BUF_INIT;
}

void wide_buf_add(struct wide_buf *buf, const wchar_t *s, size_t len)
{
	ARRAY_GROW(buf->v, buf->nr + len + 1, buf->alloc);
	if (len)
		memcpy(buf->v + buf->nr, s, len * sizeof(*s));
	wide_buf_set_len(buf, buf->nr + len);
}

void wide_buf_adds(struct wide_buf *buf, const wchar_t *s)
{
	wide_buf_add(buf, s, wcslen(s));
}

void wide_buf_addc(struct wide_buf *buf, wchar_t c)
{
	wide_buf_add(buf, &c, 1);
}

void wide_buf_set_len(struct wide_buf *buf, size_t len)
{
	buf->nr = len;
	if (buf->v)
		buf->v[len] = L'\0';
}

/* Decode the surrogate in the three bytes at `s`; otherwise U+FFFD, for one byte. */
static uint32_t decode_surrogate(const char *s, size_t len, size_t *used)
{
	const unsigned char *b = (const unsigned char *)s;

	*used = 1;
	if (len < 3 || b[0] != 0xed || b[1] < 0xa0 || b[1] > 0xbf || b[2] < 0x80 || b[2] > 0xbf)
		return REPLACEMENT;
	*used = 3;
	return 0xd000U | (uint32_t)(b[1] & 0x3f) << 6 | (b[2] & 0x3f);
}

wchar_t *wide_from_utf8(const char *s)
{
	size_t len = strlen(s), used;
	wchar_t *wide = xreallocarray(NULL, len + 1, sizeof(*wide)), *to = wide;

	for (; len; s += used, len -= used) {
		uint32_t c = utf8_next(s, len, &used);

		if (c == UTF8_BAD)
			c = decode_surrogate(s, len, &used);
		if (c >= 0x10000) {
			*to++ = (wchar_t)(0xd7c0 + (c >> 10));
			c = 0xdc00 | (c & 0x3ff);
		}
		*to++ = (wchar_t)c;
	}
	*to = L'\0';
	return wide;
}

static char *encode(char *to, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	*to++ = (char)(lead[more] | c >> 6 * more);
	while (more--)
		*to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return to;
}

char *wide_to_utf8_len(const wchar_t *s, size_t len)
{
	char *text = xreallocarray(NULL, len + 1, 3), *to = text;

	for (size_t i = 0; i < len; i++) {
		uint32_t c = s[i];

		if (c >> 10 == 0x36 && i + 1 < len && s[i + 1] >> 10 == 0x37)
			c = ((c & 0x3ff) + 0x40) << 10 | (s[++i] & 0x3ff);
		to = encode(to, c);
	}
	*to = '\0';
	return text;
}

char *wide_to_utf8(const wchar_t *s)
{
	return wide_to_utf8_len(s, wcslen(s));
}

/*
 * Make the path absolute, with the prefix "\\?\" or "\\?\UNC\"; a path with a prefix, or of a device ("\\.\"), is
 * unchanged.
 */
static wchar_t *lift_limit(wchar_t *path)
{
	DWORD size = GetFullPathNameW(path, 0, NULL, NULL), got;
	wchar_t *full = xreallocarray(NULL, (size_t)size + 1, sizeof(*full));
	struct wide_buf long_path = WIDE_BUF_INIT;

	got = GetFullPathNameW(path, size + 1, full, NULL);
	if (!got || got > size || !wcsncmp(full, L"\\\\?\\", 4) || !wcsncmp(full, L"\\\\.\\", 4)) {
		free(full);
		return path;
	}
	if (!wcsncmp(full, L"\\\\", 2)) {
		wide_buf_adds(&long_path, L"\\\\?\\UNC\\");
		wide_buf_adds(&long_path, full + 2);
	} else {
		wide_buf_adds(&long_path, L"\\\\?\\");
		wide_buf_adds(&long_path, full);
	}
	free(full);
	free(path);
	return long_path.v;
}

static wchar_t *with_backslashes(const char *path)
{
	wchar_t *wide = wide_from_utf8(path);

	for (wchar_t *s = wide; *s; s++) {
		if (*s == L'/')
			*s = L'\\';
	}
	return wide;
}

static bool is_relative(const wchar_t *path)
{
	return path[0] != L'\\' && path[1] != L':';
}

wchar_t *wide_path(const char *path)
{
	wchar_t *wide = with_backslashes(path);
	size_t len = wcslen(wide);

	/* The length of a relative path includes the current directory. */
	if (len && is_relative(wide))
		len += GetCurrentDirectoryW(0, NULL);
	return len < SHORT_PATH ? wide : lift_limit(wide);
}

wchar_t *wide_path_any_depth(const char *path)
{
	wchar_t *wide = with_backslashes(path);

	return *wide ? lift_limit(wide) : wide;
}

char *wide_getenv(const char *name)
{
	wchar_t *wide = wide_from_utf8(name), *value = NULL;
	DWORD size = 0, got = GetEnvironmentVariableW(wide, NULL, 0);
	char *text = NULL;

	/* Another thread may change the variable between the two calls. */
	while (got > size) {
		size = got;
		value = xreallocarray(value, size, sizeof(*value));
		got = GetEnvironmentVariableW(wide, value, size);
	}
	if (value && (got || GetLastError() != ERROR_ENVVAR_NOT_FOUND))
		text = wide_to_utf8_len(value, got);
	free(value);
	free(wide);
	return text;
}

bool path_is_separator(char c)
{
	return c == '/' || c == '\\';
}

static size_t skip_component(const char *path, size_t at)
{
	while (path[at] && !path_is_separator(path[at]))
		at++;
	while (path_is_separator(path[at]))
		at++;
	return at;
}

static size_t drive_length(const char *path)
{
	return isalpha((unsigned char)path[0]) && path[1] == ':' ? 2 : 0;
}

size_t path_root_length(const char *path)
{
	size_t at = drive_length(path);

	if (!at && path_is_separator(path[0]) && path_is_separator(path[1]) && path[2] &&
	    !path_is_separator(path[2])) {
		at = skip_component(path, 2);
		if ((path[2] == '?' || path[2] == '.') && at == 4) {
			if (drive_length(path + at))
				at += 2;
			else if (text_starts_with(path + at, "UNC\\"))
				at = skip_component(path, skip_component(path, at + 4));
		} else {
			at = skip_component(path, at);
		}
	}
	while (path_is_separator(path[at]))
		at++;
	return at;
}

static bool ends_in_one_of(const char *path, const char *const *endings, size_t count)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < count; i++) {
		if (len > strlen(endings[i]) &&
		    text_equal_fold(path + len - strlen(endings[i]), endings[i]))
			return true;
	}
	return false;
}

bool path_is_program(const char *path)
{
	static const char *const endings[] = { ".exe", ".com", ".bat", ".cmd" };

	return ends_in_one_of(path, endings, ARRAY_SIZE(endings));
}

bool path_is_batch(const char *path)
{
	static const char *const endings[] = { ".bat", ".cmd" };

	return ends_in_one_of(path, endings, ARRAY_SIZE(endings));
}
