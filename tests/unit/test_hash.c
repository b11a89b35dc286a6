#include "rundir/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "util/array.h"

#define OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OF_ABC     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* FIPS 180-4's examples. */
static const struct {
	const char *text, *sha256;
} cases[] = {
	{ "", OF_NOTHING },
	{ "abc", OF_ABC },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void hash_bytes__examples__match(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[HASH_TEXT_SIZE];

		hash_bytes(cases[i].text, strlen(cases[i].text), text);
		assert_string_equal(text, cases[i].sha256);
	}
}

static void hash_add__in_pieces__is_the_same(void **state)
{
	struct hash hash;
	char text[HASH_TEXT_SIZE];

	(void)state;
	hash_init(&hash);
	hash_add(&hash, "a", 1);
	hash_add(&hash, "", 0);
	hash_add(&hash, "bc", 2);
	hash_text(&hash, text);
	assert_string_equal(text, OF_ABC);
	hash_text(&hash, text);
	assert_string_equal(text, OF_NOTHING);
}

static void hash_file__any_size__matches_its_bytes(void **state)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 262143, 262144, 262145, 1000000 };
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "file");
	char *bytes = calloc(1000000, 1);

	(void)state;
	for (size_t i = 0; i < 1000000; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char text[HASH_TEXT_SIZE], of_file[HASH_TEXT_SIZE];
		int64_t size;

		assert_int_equal(fs_write_atomic(path, bytes, sizes[i], &err), 0);
		hash_bytes(bytes, sizes[i], text);
		assert_int_equal(hash_file(dir, "file", of_file, &size, &err), 0);
		assert_string_equal(of_file, text);
		assert_int_equal(size, sizes[i]);
	}
	free(bytes);
	fs_remove_tree(dir, &err);
	free(path);
	free(dir);
}

static void hash_file__missing_or_a_directory__fails_and_names_it(void **state)
{
	char text[HASH_TEXT_SIZE];
	struct err err = ERR_INIT;
	int64_t size;

	(void)state;
	assert_int_equal(hash_file("/nowhere/at", "all", text, &size, &err), -1);
	assert_non_null(strstr(err.msg, "'/nowhere/at/all'"));
	assert_int_equal(hash_file("/", "etc", text, &size, &err), -1);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_bytes__examples__match),
		cmocka_unit_test(hash_add__in_pieces__is_the_same),
		cmocka_unit_test(hash_file__any_size__matches_its_bytes),
		cmocka_unit_test(hash_file__missing_or_a_directory__fails_and_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
