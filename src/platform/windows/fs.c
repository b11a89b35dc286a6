#include "platform/fs.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/clock.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"

#define TRIES 20 /* 2 seconds in all */

/* The type and size of the file at a path. */
struct file_info {
	bool dir;
	bool link; /* a symbolic link or a junction; false if links were followed */
	int64_t size;
};

static void set_facts(DWORD attributes, DWORD high, DWORD low, struct file_info *info)
{
	info->dir = attributes & FILE_ATTRIBUTE_DIRECTORY;
	info->link = false;
	info->size = (int64_t)high << 32 | low;
}

/*
 * Open a file or directory with the `access` rights of CreateFileW(), 0 to read only its facts. Other programs may
 * write, rename or remove it meanwhile. INVALID_HANDLE_VALUE on failure.
 */
static HANDLE open_path(const wchar_t *path, DWORD access)
{
	return CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
			   NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

/* Other reparse points (a file in the cloud, the alias of an app) count as ordinary files. */
static bool is_link_at(const wchar_t *path)
{
	WIN32_FIND_DATAW data;
	HANDLE find =
		FindFirstFileExW(path, FindExInfoBasic, &data, FindExSearchNameMatch, NULL, 0);

	if (find == INVALID_HANDLE_VALUE)
		return false;
	FindClose(find);
	return data.dwReserved0 == IO_REPARSE_TAG_SYMLINK ||
	       data.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT;
}

static bool get_followed(const wchar_t *path, struct file_info *info)
{
	HANDLE file = open_path(path, 0);
	BY_HANDLE_FILE_INFORMATION data;
	bool known;

	if (file == INVALID_HANDLE_VALUE)
		return false;
	known = GetFileInformationByHandle(file, &data);
	CloseHandle(file);
	if (known)
		set_facts(data.dwFileAttributes, data.nFileSizeHigh, data.nFileSizeLow, info);
	return known;
}

/*
 * Get the facts, with `follow` those of a link's target. False if there is no file, or the link has no target; then
 * GetLastError() has the reason.
 */
static bool get_facts(const wchar_t *path, bool follow, struct file_info *info)
{
	WIN32_FILE_ATTRIBUTE_DATA data;

	if (!GetFileAttributesExW(path, GetFileExInfoStandard, &data))
		return false;
	set_facts(data.dwFileAttributes, data.nFileSizeHigh, data.nFileSizeLow, info);
	if (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT && is_link_at(path)) {
		info->link = true;
		return !follow || get_followed(path, info);
	}
	return true;
}

static bool get_info(const char *path, bool follow, struct file_info *info)
{
	wchar_t *wide = wide_path(path);
	bool there = get_facts(wide, follow, info);

	free(wide);
	return there;
}

bool fs_exists(const char *path)
{
	struct file_info info;

	return get_info(path, false, &info);
}

bool fs_is_dir(const char *path)
{
	struct file_info info;

	return get_info(path, true, &info) && info.dir;
}

bool fs_is_executable(const char *path)
{
	struct file_info info;

	return path_is_program(path) && get_info(path, true, &info) && !info.dir;
}

bool fs_is_link(const char *path)
{
	struct file_info info;

	return get_info(path, false, &info) && info.link;
}

static bool can_open(const char *path, DWORD access)
{
	wchar_t *wide = wide_path(path);
	HANDLE file = open_path(wide, access);

	free(wide);
	if (file == INVALID_HANDLE_VALUE)
		return false;
	CloseHandle(file);
	return true;
}

bool fs_can_read(const char *path)
{
	return can_open(path, FILE_READ_DATA);
}

bool fs_can_write_in(const char *dir)
{
	return fs_is_dir(dir) && can_open(dir, FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY);
}

int64_t fs_size(const char *path)
{
	struct file_info info;

	return get_info(path, true, &info) && !info.dir ? info.size : -1;
}

/* Create a directory. Returns ERROR_SUCCESS or the error. */
static DWORD make_dir(const char *path)
{
	wchar_t *wide = wide_path(path);
	DWORD code = CreateDirectoryW(wide, NULL) ? ERROR_SUCCESS : GetLastError();

	free(wide);
	return code;
}

int fs_mkdir(const char *path, struct err *err)
{
	DWORD code = make_dir(path);

	/* For the root of a drive the error is not that it exists, but that it may not be created. */
	if (code && !fs_is_dir(path))
		return err_set_win32(err, code, "cannot create the directory '%s'", path);
	return 0;
}

int fs_mkdir_all(const char *path, struct err *err)
{
	size_t root = path_root_length(path);
	char *part;
	int rc = 0;

	if (fs_is_dir(path))
		return 0;
	part = xstrdup(path);
	for (char *s = part + root; *s && !rc; s++) {
		char separator = *s;

		if (!path_is_separator(separator))
			continue;
		*s = '\0';
		rc = fs_is_dir(part) ? 0 : fs_mkdir(part, err);
		*s = separator;
	}
	free(part);
	return rc ? rc : fs_mkdir(path, err);
}

int fs_mkdir_new(const char *path, struct err *err)
{
	DWORD code = make_dir(path);

	if (!code)
		return 0;
	if (code == ERROR_ALREADY_EXISTS)
		return err_set(err, ERR_UNSUPPORTED, "'%s' exists already", path);
	return err_set_win32(err, code, "cannot create the directory '%s'", path);
}

/* Virus scanners and search indexers open files for a moment after they were written. */
static bool try_again(DWORD code, int *tries)
{
	if ((code != ERROR_ACCESS_DENIED && code != ERROR_SHARING_VIOLATION &&
	     code != ERROR_DIR_NOT_EMPTY) ||
	    *tries == TRIES)
		return false;
	Sleep((DWORD)(10 * ++*tries));
	return true;
}

int fs_rename(const char *from, const char *to, struct err *err)
{
	wchar_t *wide_from = wide_path(from), *wide_to = wide_path(to);
	/* Replacing a directory always fails: do not retry. */
	int tries = fs_is_dir(to) && !fs_is_link(to) ? TRIES : 0;
	DWORD code;

	do {
		code = MoveFileExW(wide_from, wide_to,
				   MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
			       ? ERROR_SUCCESS
			       : GetLastError();
	} while (code && try_again(code, &tries));
	free(wide_from);
	free(wide_to);
	return code ? err_set_win32(err, code, "cannot rename '%s' to '%s'", from, to) : 0;
}

/* Remove a file, or with `dir` an empty directory or a link to a directory. */
static DWORD remove_one(const wchar_t *path, bool dir)
{
	DWORD code = ERROR_SUCCESS, attributes;
	int tries = 0;

	do {
		if (dir ? RemoveDirectoryW(path) : DeleteFileW(path))
			return ERROR_SUCCESS;
		code = GetLastError();
		attributes = code == ERROR_ACCESS_DENIED ? GetFileAttributesW(path)
							 : INVALID_FILE_ATTRIBUTES;
		if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_READONLY)
			SetFileAttributesW(path, attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY);
	} while (try_again(code, &tries));
	return code;
}

static bool is_absent(DWORD code)
{
	return code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND;
}

int fs_remove(const char *path, struct err *err)
{
	wchar_t *wide = wide_path(path);
	struct file_info info;
	DWORD code = ERROR_SUCCESS;

	if (!get_facts(wide, false, &info))
		code = GetLastError();
	else if (info.dir && !info.link)
		code = ERROR_ACCESS_DENIED;
	else
		code = remove_one(wide, info.dir);
	free(wide);
	return code && !is_absent(code) ? err_set_win32(err, code, "cannot remove '%s'", path) : 0;
}

static DWORD remove_below(struct wide_buf *path);

static DWORD remove_entry(struct wide_buf *path, const WIN32_FIND_DATAW *entry)
{
	size_t len = path->nr;
	struct file_info info;
	DWORD code;

	if (!wcscmp(entry->cFileName, L".") || !wcscmp(entry->cFileName, L".."))
		return ERROR_SUCCESS;
	wide_buf_addc(path, L'\\');
	wide_buf_adds(path, entry->cFileName);
	if (!get_facts(path->v, false, &info))
		code = GetLastError();
	else
		code = info.dir && !info.link ? remove_below(path) : remove_one(path->v, info.dir);
	wide_buf_set_len(path, len);
	return is_absent(code) ? ERROR_SUCCESS : code;
}

/* Remove the directory and its contents, without following links. */
static DWORD remove_below(struct wide_buf *path)
{
	size_t len = path->nr;
	DWORD code = ERROR_SUCCESS;
	WIN32_FIND_DATAW entry;
	HANDLE find;

	wide_buf_adds(path, L"\\*");
	find = FindFirstFileExW(path->v, FindExInfoBasic, &entry, FindExSearchNameMatch, NULL, 0);
	wide_buf_set_len(path, len);
	if (find == INVALID_HANDLE_VALUE)
		return GetLastError();
	do {
		code = remove_entry(path, &entry);
	} while (!code && FindNextFileW(find, &entry));
	FindClose(find);
	return code ? code : remove_one(path->v, true);
}

int fs_remove_tree(const char *path, struct err *err)
{
	struct wide_buf buf = WIDE_BUF_INIT;
	wchar_t *wide = wide_path_any_depth(path);
	size_t len = wcslen(wide);
	struct file_info info;
	DWORD code;

	/* With a separator at the end of the path a link would be followed. */
	while (len > 1 && wide[len - 1] == L'\\' && wide[len - 2] != L':')
		len--;
	wide_buf_add(&buf, wide, len);
	free(wide);
	if (!get_facts(buf.v, false, &info))
		code = GetLastError();
	else
		code = info.dir && !info.link ? remove_below(&buf) : remove_one(buf.v, info.dir);
	wide_buf_release(&buf);
	return code && !is_absent(code) ? err_set_win32(err, code, "cannot remove '%s'", path) : 0;
}

int fs_set_executable(const char *path, struct err *err)
{
	/* Its name says it. */
	if (!fs_exists(path))
		return err_set_win32(err, ERROR_FILE_NOT_FOUND, "cannot make '%s' executable",
				     path);
	return 0;
}

char *fs_identity(const char *dir)
{
	wchar_t *wide = wide_path(dir);
	HANDLE file = open_path(wide, 0);
	BY_HANDLE_FILE_INFORMATION data;
	bool known = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, &data);

	if (file != INVALID_HANDLE_VALUE)
		CloseHandle(file);
	free(wide);
	if (!known)
		return NULL;
	return xasprintf("%lx:%lx%08lx", (unsigned long)data.dwVolumeSerialNumber,
			 (unsigned long)data.nFileIndexHigh, (unsigned long)data.nFileIndexLow);
}

bool fs_is_stream(const char *path)
{
	wchar_t *wide = wide_path(path);
	HANDLE file = open_path(wide, 0);
	DWORD type = FILE_TYPE_UNKNOWN;

	free(wide);
	if (file != INVALID_HANDLE_VALUE) {
		type = GetFileType(file);
		CloseHandle(file);
	}
	return type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE;
}

int fs_sync_dir(const char *path, struct err *err)
{
	/* Nothing to sync: fs_rename() has waited for the disk. */
	if (!fs_is_dir(path))
		return err_set_win32(err, ERROR_PATH_NOT_FOUND, "cannot sync the directory '%s'",
				     path);
	return 0;
}

int64_t fs_free_space(const char *path)
{
	wchar_t *wide;
	ULARGE_INTEGER free_bytes;
	struct file_info info;
	char *dir = NULL;
	bool known;

	if (!get_info(path, true, &info))
		return -1;
	if (!info.dir)
		dir = fs_dirname(path);
	wide = wide_path(dir ? dir : path);
	known = GetDiskFreeSpaceExW(wide, &free_bytes, NULL, NULL);
	free(wide);
	free(dir);
	return known ? (int64_t)free_bytes.QuadPart : -1;
}

/* The root of an empty drive does not even have ".". */
static DWORD list(const char *path, struct strvec *names)
{
	size_t len = strlen(path);
	char *pattern = xasprintf(len && path_is_separator(path[len - 1]) ? "%s*" : "%s/*", path);
	wchar_t *wide = wide_path(pattern);
	WIN32_FIND_DATAW entry;
	HANDLE find = FindFirstFileExW(wide, FindExInfoBasic, &entry, FindExSearchNameMatch, NULL,
				       FIND_FIRST_EX_LARGE_FETCH);
	DWORD code = GetLastError();

	free(wide);
	free(pattern);
	if (find == INVALID_HANDLE_VALUE)
		return code == ERROR_FILE_NOT_FOUND && fs_is_dir(path) ? ERROR_SUCCESS : code;
	do {
		if (wcscmp(entry.cFileName, L".") && wcscmp(entry.cFileName, L".."))
			strvec_push_nodup(names, wide_to_utf8(entry.cFileName));
	} while (FindNextFileW(find, &entry));
	code = GetLastError();
	FindClose(find);
	return code == ERROR_NO_MORE_FILES ? ERROR_SUCCESS : code;
}

int fs_list(const char *path, struct strvec *names, struct err *err)
{
	DWORD code = *path ? list(path, names) : ERROR_PATH_NOT_FOUND;

	if (code)
		return err_set_win32(err, code, "cannot read the directory '%s'", path);
	strvec_sort(names);
	return 0;
}

/*
 * An exclusive handle of the directory would prevent renaming it. So the lock is a named object, which exists until
 * this process ends. Its name has the file id of the directory, which does not change when it is renamed.
 */
struct fs_lock {
	HANDLE name;
};

/* Make the name of the lock. False: the file system has no file ids. */
static bool make_name(HANDLE dir, wchar_t *name, size_t size)
{
	FILE_ID_INFO id;
	BY_HANDLE_FILE_INFORMATION info;
	uint64_t file[2] = { 0, 0 };
	uint64_t volume;

	if (GetFileInformationByHandleEx(dir, FileIdInfo, &id, sizeof(id))) {
		memcpy(file, &id.FileId, sizeof(file));
		volume = id.VolumeSerialNumber;
	} else if (GetFileInformationByHandle(dir, &info)) {
		file[0] = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
		volume = info.dwVolumeSerialNumber;
	} else {
		return false;
	}
	swprintf(name, size, L"Global\\stagetrace-%016llx-%016llx%016llx",
		 (unsigned long long)volume, (unsigned long long)file[1],
		 (unsigned long long)file[0]);
	return file[0] || file[1];
}

int fs_lock(const char *dir, struct fs_lock **lock, struct err *err)
{
	wchar_t *wide = wide_path(dir), name[96];
	HANDLE handle = fs_is_dir(dir) ? open_path(wide, 0) : INVALID_HANDLE_VALUE;
	DWORD code = GetLastError();
	bool named;

	free(wide);
	if (handle == INVALID_HANDLE_VALUE)
		return err_set_win32(err, code ? code : ERROR_DIRECTORY,
				     "cannot open the directory '%s'", dir);
	named = make_name(handle, name, ARRAY_SIZE(name));
	CloseHandle(handle);
	handle = named ? CreateMutexW(NULL, FALSE, name) : NULL;
	code = GetLastError();
	/* The lock of another user cannot even be opened. */
	if (named && (code == ERROR_ALREADY_EXISTS || (!handle && code == ERROR_ACCESS_DENIED))) {
		if (handle)
			CloseHandle(handle);
		return err_set(err, ERR_UNSUPPORTED, "'%s' is in use by another stagetrace", dir);
	}
	*lock = xmalloc(sizeof(**lock));
	(*lock)->name = handle;
	return 0;
}

void fs_unlock(struct fs_lock *lock)
{
	if (lock && lock->name)
		CloseHandle(lock->name);
	free(lock);
}

/* The path without the prefix \\?\, which programs do not expect. */
static char *to_plain_path(const wchar_t *path)
{
	char *rest, *plain;

	if (!wcsncmp(path, L"\\\\?\\UNC\\", 8)) {
		rest = wide_to_utf8(path + 8);
		plain = xasprintf("\\\\%s", rest);
		free(rest);
		return plain;
	}
	return wide_to_utf8(!wcsncmp(path, L"\\\\?\\", 4) ? path + 4 : path);
}

/* The absolute path, with links resolved if the system supports it. NULL: there is none. */
static wchar_t *get_final_path(HANDLE file, const wchar_t *path)
{
	DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
	bool final = size > 0;
	wchar_t *full;

	if (!final)
		size = GetFullPathNameW(path, 0, NULL, NULL);
	full = xreallocarray(NULL, (size_t)size + 1, sizeof(*full));
	if (final)
		size = GetFinalPathNameByHandleW(file, full, size + 1, FILE_NAME_NORMALIZED);
	else
		size = GetFullPathNameW(path, size + 1, full, NULL);
	if (!size) {
		free(full);
		return NULL;
	}
	return full;
}

char *fs_absolute(const char *path)
{
	wchar_t *wide = wide_path(path), *full;
	HANDLE file = *wide ? open_path(wide, 0) : INVALID_HANDLE_VALUE;
	char *plain = NULL;

	if (file != INVALID_HANDLE_VALUE) {
		full = get_final_path(file, wide);
		CloseHandle(file);
		if (full)
			plain = to_plain_path(full);
		free(full);
	}
	free(wide);
	return plain;
}

/*
 * Uses the separator that `dir` has, "/" if it has none. So paths from recordings of other systems, and those of
 * MSYS2, keep their separator.
 */
char *fs_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);
	bool backslash = strchr(dir, '\\') || (path_root_length(dir) && !strchr(dir, '/'));

	if (path_root_length(name) || !len || !strcmp(dir, "."))
		return xstrdup(name);
	if (path_is_separator(dir[len - 1]) || (len == 2 && dir[1] == ':'))
		return xasprintf("%s%s", dir, name);
	return xasprintf(backslash ? "%s\\%s" : "%s/%s", dir, name);
}

char *fs_dirname(const char *path)
{
	size_t root = path_root_length(path), end = strlen(path);

	while (end > root && !path_is_separator(path[end - 1]))
		end--;
	if (end == root)
		return root ? xstrndup(path, root) : xstrdup(".");
	return xstrndup(path, end - 1 > root ? end - 1 : root ? root : end - 1);
}

const char *fs_file_name(const char *path)
{
	const char *root = path + path_root_length(path), *name = path + strlen(path);

	while (name > root && !path_is_separator(name[-1]))
		name--;
	return name;
}

/* Find `path`, or `path` with one of the extensions, in the given order. Takes ownership of `path`. */
static char *try_endings(char *path, const char *endings)
{
	if (fs_is_executable(path))
		return path;
	while (*endings) {
		size_t len = strcspn(endings, ";");
		char *candidate = xasprintf("%s%.*s", path, (int)len, endings);

		if (len && fs_is_executable(candidate)) {
			free(path);
			return candidate;
		}
		free(candidate);
		endings += len + (endings[len] == ';');
	}
	free(path);
	return NULL;
}

static char *find_along(const char *path, const char *name, const char *endings)
{
	char *found = NULL;

	while (path && !found) {
		size_t len = strcspn(path, ";");
		/* Quotes may enclose a directory, for a ";" in its name; such a ";" is not supported. */
		bool quoted = len > 1 && path[0] == '"' && path[len - 1] == '"';
		char *dir = quoted ? xstrndup(path + 1, len - 2) : xstrndup(path, len);

		/* An empty entry would mean the current directory. */
		if (*dir)
			found = try_endings(fs_join(dir, name), endings);
		free(dir);
		path = path[len] ? path + len + 1 : NULL;
	}
	return found;
}

char *fs_find_program(const char *name)
{
	char *path = wide_getenv("PATH"), *endings = wide_getenv("PATHEXT"), *found;

	if (!endings)
		endings = xstrdup(".COM;.EXE;.BAT;.CMD");
	if (!*name)
		found = NULL;
	else if (strpbrk(name, "/\\:"))
		found = try_endings(xstrdup(name), endings);
	else
		found = find_along(path, name, endings);
	free(path);
	free(endings);
	return found;
}

char *fs_temp_dir(struct err *err)
{
	wchar_t base[MAX_PATH + 2] = L"";
	DWORD code = ERROR_ALREADY_EXISTS;
	char *parent, *dir = NULL;

	GetTempPathW(ARRAY_SIZE(base), base);
	parent = wide_to_utf8(base);
	for (int i = 0; i < 100 && code == ERROR_ALREADY_EXISTS; i++) {
		wchar_t *wide;

		free(dir);
		dir = xasprintf("%sstagetrace.%lx%llx", parent, GetCurrentProcessId(),
				(unsigned long long)clock_now() & 0xffffff);
		wide = wide_path(dir);
		code = CreateDirectoryW(wide, NULL) ? ERROR_SUCCESS : GetLastError();
		free(wide);
	}
	free(parent);
	if (!code)
		return dir;
	err_set_win32(err, code, "cannot create a temporary directory '%s'", dir);
	free(dir);
	return NULL;
}
