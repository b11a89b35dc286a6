/*
 * How SQLite reaches the files of a history: as it does by itself, but for what the files of a stranger could make of that.
 */
#ifndef HISTORY_SQLITE_FILES_H
#define HISTORY_SQLITE_FILES_H

/*
 * The name for sqlite3_open_v2(). A journal that was left behind may name a super-journal, a file that SQLite removes when
 * it has undone the transaction (sqlite.org, "Atomic Commit In SQLite", 5: transactions of several data bases). There are
 * none here, and the name in a stranger's journal could be that of any file: such a journal is damaged (SQLITE_CORRUPT).
 */
const char *sqlite_files_name(void);

#endif
