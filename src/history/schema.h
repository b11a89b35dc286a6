/*
 * The tables of a history, the same in all data bases (docs/history.md describes them), and their versions.
 *
 * A data base of an older version is brought to this one, step by step, in one transaction, by the first that opens it for
 * writing; one of a newer version is refused. Steps that were released are never changed: a change is a further step.
 */
#ifndef HISTORY_SCHEMA_H
#define HISTORY_SCHEMA_H

#include "history/database.h"

/*
 * Check the schema of a data base, and bring it to this version if it was opened for writing. ERR_NOT_FOUND: there is none,
 * for reading; ERR_UNSUPPORTED: it is newer, or older and opened for reading; ERR_CORRUPT: it is damaged, or holds
 * something else. Nothing is changed then.
 */
int schema_prepare(struct database *db, enum db_access access, struct err *err);

/* The newest version; the schema in the words of a data base, as SQL, for documentation. The caller frees it. */
extern const int64_t schema_version;
char *schema_text(const struct database_ops *ops);

#endif
