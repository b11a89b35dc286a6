#include "history/sqlite_files.h"

#include <sqlite3.h>
#include <stddef.h>

static const char name[] = "stagetrace";

/* A super-journal is opened before it is removed. */
static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
		     int *flags_out)
{
	sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
		file->pMethods = NULL;
		return SQLITE_CORRUPT;
	}
	return system->xOpen(vfs, path, file, flags, flags_out);
}

const char *sqlite_files_name(void)
{
	static sqlite3_vfs files;
	const sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	/* Without SQLite's own one opening fails, and says so. */
	if (!system || sqlite3_vfs_find(name))
		return name;
	files = *system;
	files.zName = name;
	files.xOpen = open_file;
	sqlite3_vfs_register(&files, 0);
	return name;
}
