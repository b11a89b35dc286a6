/*
 * The tables of a history, the same in all data bases (docs/history.md describes them), and their versions.
 *
 * A data base of an older version is brought to this one, step by step, in one transaction, by the first that opens it for
 * writing; one of a newer version is refused. Steps that were released are never changed: a change is a further step.
 */
#ifndef HISTORY_SCHEMA_H
#define HISTORY_SCHEMA_H

#include "history/database.h"

/* A version for each step: the statements that bring the one before to it, up to NULL. */
struct schema {
	const char *const *const *steps;
	int64_t version; /* the newest */
};

extern const struct schema history_schema;

/*
 * Check the schema of a data base, and bring it to this version if it was opened for writing. ERR_NOT_FOUND: there is none,
 * for reading; ERR_UNSUPPORTED: it is newer, or older and opened for reading; ERR_CORRUPT: it is damaged, or holds
 * something else. Nothing is changed then.
 */
int schema_prepare(struct database *db, const struct schema *schema, enum db_access access,
		   struct err *err);

/* A version of the schema in the words of a data base, as SQL statements, a line each. The caller frees it. */
char *schema_text(const struct schema *schema, int64_t version, const struct db_dialect *dialect);

#endif
