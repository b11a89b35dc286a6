#include "platform/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "util/array.h"

static void file_map_open__file__is_its_bytes_and_stays_as_it_is(void **state)
{
	struct strbuf again = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "file");
	struct file_map map;

	(void)state;
	assert_int_equal(fs_write_atomic(path, "a\0b", 3, &err), 0);
	assert_int_equal(file_map_open(path, &map, &err), 0);
	assert_int_equal(map.size, 3);
	assert_memory_equal(map.data, "a\0b", 3);
	map.data[0] = 'X';
	assert_int_equal(fs_read(path, 10, &again, &err), 0);
	assert_memory_equal(again.buf, "a\0b", 3);
	/* What replaces it is another file. */
	assert_int_equal(fs_write_atomic(path, "", 0, &err), 0);
	assert_memory_equal(map.data, "X\0b", 3);
	file_map_close(&map);
	assert_null(map.data);
	file_map_close(&map);
	assert_int_equal(file_map_open(path, &map, &err), 0);
	assert_null(map.data);
	assert_int_equal(map.size, 0);
	file_map_close(&map);
	strbuf_release(&again);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
}

static void file_map_drop__pages__are_read_again(void **state)
{
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "file");
	struct file_map map;

	(void)state;
	assert_int_equal(fs_write_atomic(path, "a\0b", 3, &err), 0);
	assert_int_equal(file_map_open(path, &map, &err), 0);
	map.data[0] = 'X';
	file_map_drop(&map);
	assert_memory_equal(map.data, "a\0b", 3);
	file_map_close(&map);
	file_map_drop(&map);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
}

static void file_map_open__no_file__says_so(void **state)
{
	static const struct {
		const char *path;
		enum err_code code;
	} cases[] = {
		{ "/no/such/file", ERR_FAILED },
		{ "/", ERR_UNSUPPORTED },
		{ "/dev/null", ERR_UNSUPPORTED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct file_map map;

		assert_int_equal(file_map_open(cases[i].path, &map, &err), -1);
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.msg, cases[i].path));
		assert_null(map.data);
		err_clear(&err);
	}
}

/* Nobody writes to it: to wait for that would be forever. */
static void file_map_open__fifo__does_not_wait(void **state)
{
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "fifo");
	struct file_map map;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_int_equal(file_map_open(path, &map, &err), -1);
	alarm(0);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
}

/* A trace may name any path, and opening a device may have effects. */
static void file_open__fifo__is_not_even_opened(void **state)
{
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "fifo");
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct inotify_event event;
	struct file_map map;
	struct file_at *file;

	(void)state;
	assert_true(watch >= 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_int_equal(file_map_open(path, &map, &err), -1);
	assert_int_equal(file_at_open(path, &file, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	close(watch);
	err_clear(&err);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_map_open__file__is_its_bytes_and_stays_as_it_is),
		cmocka_unit_test(file_map_drop__pages__are_read_again),
		cmocka_unit_test(file_map_open__no_file__says_so),
		cmocka_unit_test(file_map_open__fifo__does_not_wait),
		cmocka_unit_test(file_open__fifo__is_not_even_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
