#include "unit/fs_place.h"

#include "history/schema.h"

static const char *const first[] = {
	"CREATE TABLE run (id @ID@, name TEXT NOT NULL)",
	"CREATE INDEX run_name ON run (name)",
	NULL,
};

/* What a later version may do: change a table, fill what is new from what is there, make another table. */
static const char *const second[] = {
	"ALTER TABLE run ADD COLUMN length @INT@",
	"UPDATE run SET length = length(name)",
	"CREATE TABLE note (run @INT@ NOT NULL, words TEXT NOT NULL)",
	"INSERT INTO note SELECT id, name FROM run",
	NULL,
};

static const char *const failing[] = {
	"ALTER TABLE run ADD COLUMN length @INT@",
	"UPDATE run SET name = 'changed'",
	"INSERT INTO nothing VALUES (1)",
	NULL,
};

static const char *const *const one_step[] = { first };
static const char *const *const two_steps[] = { first, second };
static const char *const *const two_that_fail[] = { first, failing };

static const struct schema old = { one_step, 1 };
static const struct schema new = { two_steps, 2 };
static const struct schema broken = { two_that_fail, 2 };

static struct database *open_db(enum db_access access)
{
	struct err err = ERR_INIT;
	struct database *db = database_open_with(&sqlite_database, "history", access, &err);

	if (!db)
		fail_msg("%s", err.msg);
	return db;
}

static void run(struct database *db, const char *sql)
{
	struct err err = ERR_INIT;

	if (database_run(db, sql, &err))
		fail_msg("%s", err.msg);
}

static int take_number(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], -1);
	return 0;
}

static int64_t number(struct database *db, const char *sql)
{
	struct err err = ERR_INIT;
	int64_t found = -1;
	const struct db_taker taker = { take_number, &found, 1, true };

	if (database_query(db, sql, NULL, 0, &taker, &err))
		fail_msg("%s", err.msg);
	return found;
}

static void prepare(struct database *db, const struct schema *schema, enum db_access access)
{
	struct err err = ERR_INIT;

	if (schema_prepare(db, schema, access, &err))
		fail_msg("%s", err.msg);
}

static void refuse(struct database *db, const struct schema *schema, enum db_access access,
		   enum err_code code, const char *words)
{
	struct err err = ERR_INIT;

	assert_int_equal(schema_prepare(db, schema, access, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.msg, words));
	err_clear(&err);
}

/* A data base of the old version with two runs. */
static void make_old(void)
{
	struct database *db = open_db(DB_WRITE);

	prepare(db, &old, DB_WRITE);
	run(db, "INSERT INTO run (name) VALUES ('a'), ('bcd')");
	database_close(db);
}

static void schema_prepare__older__is_brought_to_this_version(void **state)
{
	struct database *reader, *db, *other;

	(void)state;
	make_old();
	reader = open_db(DB_READ);
	refuse(reader, &new, DB_READ, ERR_UNSUPPORTED, "is of an older version");
	database_close(reader);

	/* Two programs that found the old one. */
	db = open_db(DB_WRITE);
	other = open_db(DB_WRITE);
	prepare(other, &old, DB_WRITE);
	prepare(db, &new, DB_WRITE);
	prepare(other, &new, DB_WRITE);
	database_close(other);
	assert_int_equal(number(db, "SELECT sum(length) FROM run"), 4);
	assert_int_equal(number(db, "SELECT count(*) FROM note"), 2);
	database_close(db);

	reader = open_db(DB_READ);
	prepare(reader, &new, DB_READ);
	refuse(reader, &old, DB_READ, ERR_UNSUPPORTED, "is of a newer version");
	database_close(reader);
}

static void schema_prepare__step_that_fails__is_undone(void **state)
{
	struct database *db;

	(void)state;
	make_old();
	db = open_db(DB_WRITE);
	refuse(db, &broken, DB_WRITE, ERR_FAILED, "nothing");
	database_close(db);
	db = open_db(DB_READ);
	prepare(db, &old, DB_READ);
	assert_int_equal(number(db, "SELECT count(*) FROM run WHERE name = 'changed'"), 0);
	assert_int_equal(number(db, "SELECT count(*) FROM run"), 2);
	database_close(db);
}

/* What a version has is what all its steps make, not more or less. */
static void schema_prepare__tables_of_another_version__are_refused(void **state)
{
	struct database *db;

	(void)state;
	make_old();
	db = open_db(DB_WRITE);
	run(db, "PRAGMA user_version = 2");
	refuse(db, &new, DB_WRITE, ERR_CORRUPT, "'run' in it is not as stagetrace makes it");
	run(db, "PRAGMA user_version = 1");
	prepare(db, &new, DB_WRITE);
	run(db, "CREATE TABLE of_others (run TEXT)");
	prepare(db, &new, DB_WRITE);
	run(db, "CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM note; END");
	refuse(db, &new, DB_WRITE, ERR_CORRUPT, "'more' in it");
	run(db, "DROP TRIGGER more");
	run(db, "DROP TABLE note");
	refuse(db, &new, DB_WRITE, ERR_CORRUPT, "it lacks tables");
	database_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(schema_prepare__older__is_brought_to_this_version,
						enter, leave),
		cmocka_unit_test_setup_teardown(schema_prepare__step_that_fails__is_undone, enter,
						leave),
		cmocka_unit_test_setup_teardown(
			schema_prepare__tables_of_another_version__are_refused, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
