#include "platform/windows/win32_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/windows/wide.h"
#include "util/array.h"
#include "util/strbuf.h"

#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295 /* winerror.h since Windows 7 */
#endif

/* The system's message without full stop and line end; NULL: there is none. The caller frees it. */
static char *describe(DWORD code)
{
	static const DWORD languages[] = { MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), 0 };
	wchar_t text[512];
	DWORD len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(languages) && !len; i++)
		len = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
					     FORMAT_MESSAGE_MAX_WIDTH_MASK,
				     NULL, code, languages[i], text, ARRAY_SIZE(text), NULL);
	while (len && (text[len - 1] == L' ' || text[len - 1] == L'.'))
		len--;
	return len ? wide_to_utf8_len(text, len) : NULL;
}

static enum err_code classify(DWORD code)
{
	switch (code) {
	case ERROR_DISK_FULL:
	case ERROR_HANDLE_DISK_FULL:
	case ERROR_DISK_QUOTA_EXCEEDED:
		return ERR_NO_SPACE;
	default:
		return ERR_FAILED;
	}
}

int err_set_win32(struct err *err, unsigned long code, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char *words = describe(code);
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&sb, fmt, ap);
	va_end(ap);
	strbuf_addf(&sb, words ? ": %s (error %lu)" : ": %serror %lu", words ? words : "", code);
	err_set(err, classify(code), "%s", sb.buf);
	strbuf_release(&sb);
	free(words);
	return -1;
}

int win32_errno(unsigned long code)
{
	static const struct {
		DWORD code;
		int errnum;
	} known[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT },      { ERROR_PATH_NOT_FOUND, ENOENT },
		{ ERROR_INVALID_NAME, ENOENT },        { ERROR_BAD_PATHNAME, ENOENT },
		{ ERROR_BAD_NETPATH, ENOENT },         { ERROR_INVALID_DRIVE, ENOENT },
		{ ERROR_DIRECTORY, ENOENT },           { ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_ALREADY_EXISTS, EEXIST },      { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
		{ ERROR_ACCESS_DENIED, EACCES },       { ERROR_SHARING_VIOLATION, EACCES },
		{ ERROR_LOCK_VIOLATION, EACCES },      { ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_DISK_FULL, ENOSPC },           { ERROR_HANDLE_DISK_FULL, ENOSPC },
		{ ERROR_TOO_MANY_OPEN_FILES, EMFILE }, { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
		{ ERROR_BROKEN_PIPE, EPIPE },          { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
		{ ERROR_INVALID_HANDLE, EBADF },       { ERROR_NOT_SAME_DEVICE, EXDEV },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].code == code)
			return known[i].errnum;
	}
	return EIO;
}
