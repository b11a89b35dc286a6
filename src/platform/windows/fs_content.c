#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

#define SHARE_ALL   (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define BLOCK       65536
#define APPEND_ONLY (FILE_GENERIC_WRITE & ~FILE_WRITE_DATA)

static HANDLE open_file(const char *path, DWORD access, DWORD disposition)
{
	wchar_t *wide = wide_path(path);
	HANDLE file = CreateFileW(wide, access, SHARE_ALL, NULL, disposition, FILE_ATTRIBUTE_NORMAL,
				  NULL);
	DWORD code = GetLastError();

	free(wide);
	SetLastError(code);
	return file;
}

static HANDLE open_by_mode(const char *path, const char *mode)
{
	DWORD other = strchr(mode, '+') ? GENERIC_READ | GENERIC_WRITE : 0;

	switch (*mode) {
	case 'r':
		return open_file(path, GENERIC_READ | other, OPEN_EXISTING);
	case 'a':
		return open_file(path, APPEND_ONLY | (other & GENERIC_READ), OPEN_ALWAYS);
	default:
		return open_file(path, GENERIC_WRITE | other,
				 strchr(mode, 'x') ? CREATE_NEW : CREATE_ALWAYS);
	}
}

FILE *fs_open(const char *path, const char *mode)
{
	char binary[] = { mode[0], 'b', strchr(mode, '+') ? '+' : '\0', '\0' };
	HANDLE handle = open_by_mode(path, mode);
	int fd, flags = mode[0] == 'a' ? _O_APPEND : 0;
	FILE *file;

	if (handle == INVALID_HANDLE_VALUE) {
		errno = win32_errno(GetLastError());
		return NULL;
	}
	if (mode[0] == 'r' && !binary[2])
		flags |= _O_RDONLY;
	fd = _open_osfhandle((intptr_t)handle, flags | _O_NOINHERIT);
	if (fd < 0) {
		CloseHandle(handle);
		errno = EMFILE;
		return NULL;
	}
	file = _fdopen(fd, binary);
	if (!file)
		_close(fd);
	return file;
}

int fs_seek(FILE *file, int64_t offset, int whence)
{
	return _fseeki64(file, offset, whence);
}

int64_t fs_tell(FILE *file)
{
	return _ftelli64(file);
}

int fs_read(const char *path, int64_t limit, struct strbuf *sb, struct err *err)
{
	HANDLE file = open_file(path, GENERIC_READ, OPEN_EXISTING);
	size_t start = sb->len;
	DWORD code = GetLastError(), got = 0;
	bool fine;

	if (file == INVALID_HANDLE_VALUE && win32_errno(code) == ENOENT)
		return err_set(err, ERR_NOT_FOUND, "cannot read '%s': it does not exist", path);
	if (file == INVALID_HANDLE_VALUE)
		return err_set_win32(err, code, "cannot read '%s'", path);
	do {
		strbuf_grow(sb, BLOCK);
		fine = ReadFile(file, sb->buf + sb->len, BLOCK, &got, NULL);
		code = GetLastError();
		strbuf_set_len(sb, sb->len + (fine ? got : 0));
	} while (fine && got && (int64_t)(sb->len - start) <= limit);
	CloseHandle(file);
	if (!fine)
		return err_set_win32(err, code, "cannot read '%s'", path);
	if ((int64_t)(sb->len - start) > limit)
		return err_set(err, ERR_UNSUPPORTED, "'%s' is larger than %lld bytes", path,
			       (long long)limit);
	return 0;
}

int fs_read_end(const char *path, int64_t limit, struct strbuf *sb, struct err *err)
{
	HANDLE file = open_file(path, GENERIC_READ, OPEN_EXISTING);
	LARGE_INTEGER size, at;
	DWORD got = 0;
	bool fine = file != INVALID_HANDLE_VALUE && GetFileSizeEx(file, &size);

	if (fine) {
		at.QuadPart = size.QuadPart > limit ? size.QuadPart - limit : 0;
		strbuf_grow(sb, (size_t)limit);
		fine = SetFilePointerEx(file, at, NULL, FILE_BEGIN) &&
		       ReadFile(file, sb->buf + sb->len, (DWORD)limit, &got, NULL);
	}
	if (fine)
		strbuf_set_len(sb, sb->len + got);
	else
		err_set_win32(err, GetLastError(), "cannot read '%s'", path);
	if (file != INVALID_HANDLE_VALUE)
		CloseHandle(file);
	return fine ? 0 : -1;
}

int fs_sync(FILE *file, const char *path, struct err *err)
{
	HANDLE handle = (HANDLE)_get_osfhandle(_fileno(file));

	if (fflush(file))
		return err_set_errno(err, errno, "cannot write '%s'", path);
	/* Pipes and consoles cannot be synced, and need not. */
	if (GetFileType(handle) == FILE_TYPE_DISK && !FlushFileBuffers(handle))
		return err_set_win32(err, GetLastError(), "cannot write '%s'", path);
	return 0;
}

/* A temporary file in the directory of `path`; commit_temporary() renames it to `path`, and removes it on any failure. */
static HANDLE open_temporary(const char *path, char **temp, struct err *err)
{
	HANDLE file;

	*temp = xasprintf("%s.partial", path);
	file = open_file(*temp, GENERIC_WRITE, CREATE_ALWAYS);
	if (file == INVALID_HANDLE_VALUE) {
		err_set_win32(err, GetLastError(), "cannot write '%s'", *temp);
		free(*temp);
	}
	return file;
}

static int write_all(HANDLE file, const char *path, const void *data, size_t len, struct err *err)
{
	const char *from = data;

	while (len) {
		DWORD part = len < BLOCK ? (DWORD)len : BLOCK, done = 0;

		if (!WriteFile(file, from, part, &done, NULL))
			return err_set_win32(err, GetLastError(), "cannot write '%s'", path);
		from += done;
		len -= done;
	}
	return 0;
}

static int commit_temporary(HANDLE file, char *temp, const char *path, int rc, struct err *err)
{
	wchar_t *wide = wide_path(temp);

	if (!rc && !FlushFileBuffers(file))
		rc = err_set_win32(err, GetLastError(), "cannot write '%s'", temp);
	CloseHandle(file);
	if (!rc)
		rc = fs_rename(temp, path, err);
	if (rc)
		DeleteFileW(wide);
	free(wide);
	free(temp);
	return rc;
}

int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err)
{
	char *temp;
	HANDLE file = open_temporary(path, &temp, err);

	if (file == INVALID_HANDLE_VALUE)
		return -1;
	return commit_temporary(file, temp, path, write_all(file, temp, data, len, err), err);
}

static int copy_bytes(HANDLE in, const char *from, HANDLE out, const char *to, struct err *err)
{
	char *buf = xmalloc(BLOCK);
	DWORD got = 0;
	int rc = 0;

	do {
		if (!ReadFile(in, buf, BLOCK, &got, NULL))
			rc = err_set_win32(err, GetLastError(), "cannot read '%s'", from);
		else
			rc = write_all(out, to, buf, got, err);
	} while (!rc && got);
	free(buf);
	return rc;
}

int fs_copy(const char *from, const char *to, struct err *err)
{
	HANDLE in = open_file(from, GENERIC_READ, OPEN_EXISTING), out;
	char *temp;
	int rc;

	if (in == INVALID_HANDLE_VALUE)
		return err_set_win32(err, GetLastError(), "cannot read '%s'", from);
	out = open_temporary(to, &temp, err);
	if (out == INVALID_HANDLE_VALUE) {
		CloseHandle(in);
		return -1;
	}
	rc = copy_bytes(in, from, out, temp, err);
	CloseHandle(in);
	return commit_temporary(out, temp, to, rc, err);
}
