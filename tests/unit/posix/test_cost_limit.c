/*
 * Limits of a process, each in a child, as they cannot be taken back.
 */
#include "platform/cost.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/file.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"

/* What the child writes to stderr is in `said`. Returns its exit code. */
static int in_child(void (*act)(void), char *said, size_t size)
{
	int ends[2], status;
	ssize_t got, nr = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + nr, size - 1 - (size_t)nr)) > 0)
		nr += got;
	said[nr] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void take_half_a_gigabyte(void)
{
	cost_limit("some\x1b.zip", 1 << 20);
	for (int i = 0; i < 512; i++)
		memset(xmalloc(1 << 20), 1, 1 << 20);
}

static void take_it_for_a_large_file(void)
{
	cost_limit("some\x1b.zip", 100 << 20);
	for (int i = 0; i < 512; i++)
		memset(xmalloc(1 << 20), 1, 1 << 20);
}

static void take_it_with_one_file_again_and_again(void)
{
	struct rlimit before, after;

	cost_limit("some\x1b.zip", 1 << 20);
	getrlimit(RLIMIT_CPU, &before);
	for (int i = 0; i < 1000; i++)
		cost_allow_file("/proc/self/exe");
	getrlimit(RLIMIT_CPU, &after);
	if (after.rlim_cur <= before.rlim_cur || after.rlim_cur > before.rlim_cur + 100)
		_exit(2);
	for (int i = 0; i < 640; i++)
		memset(xmalloc(1 << 20), 1, 1 << 20);
}

/* A new file, of which `stored` bytes are no hole; `path` ends in XXXXXX. */
static int make_file(char *path, size_t stored, off_t size)
{
	char *bytes = xmalloc(stored + 1);
	int fd = mkstemp(path);

	memset(bytes, 1, stored + 1);
	if (fd < 0 || write(fd, bytes, stored) != (ssize_t)stored || ftruncate(fd, size))
		_exit(3);
	free(bytes);
	return fd;
}

/* By how much the limits are raised for files of `size` bytes, each read four times. */
static void name_files(int nr, size_t stored, off_t size, struct rlimit *cpu, struct rlimit *data)
{
	struct rlimit before[2];
	struct err err = ERR_INIT;
	struct file_map map;

	cost_limit("some\x1b.zip", 1 << 20);
	getrlimit(RLIMIT_CPU, &before[0]);
	getrlimit(RLIMIT_DATA, &before[1]);
	for (int i = 0; i < nr; i++) {
		char path[] = "/tmp/test-cost-XXXXXX";

		make_file(path, stored, size);
		if (file_map_open(path, &map, &err))
			_exit(3);
		for (int k = 0; k < 4; k++)
			cost_allow_file(path);
		file_map_close(&map);
		unlink(path); /* its inode stays, as the file stays open */
	}
	getrlimit(RLIMIT_CPU, cpu);
	getrlimit(RLIMIT_DATA, data);
	cpu->rlim_cur -= before[0].rlim_cur;
	data->rlim_cur -= before[1].rlim_cur;
}

static void name_many_files(void)
{
	struct rlimit cpu, data;

	name_files(150, 1 << 20, 1 << 20, &cpu, &data);
	if (cpu.rlim_cur != 120 || data.rlim_cur != (rlim_t)4 << 30)
		_exit(2);
}

static void name_small_files(void)
{
	struct rlimit cpu, data;

	name_files(60, 64 << 10, 64 << 10, &cpu, &data);
	if (cpu.rlim_cur != 60 || data.rlim_cur != (rlim_t)60 * 4 * 8 * (64 << 10))
		_exit(2);
}

static void name_files_of_holes(void)
{
	struct rlimit cpu, data;

	name_files(20, 0, 60 << 20, &cpu, &data);
	if (cpu.rlim_cur || data.rlim_cur)
		_exit(2);
	name_files(20, 64 << 10, 60 << 20, &cpu, &data);
	if (cpu.rlim_cur != 20 || data.rlim_cur != (rlim_t)20 * 4 * 8 * (64 << 10))
		_exit(2);
}

static void map_a_gigabyte_and_take_half_of_one(void)
{
	struct err err = ERR_INIT;
	struct file_map map;
	char path[] = "/tmp/test-cost-XXXXXX";

	make_file(path, 0, 60 << 20);
	cost_limit("some\x1b.zip", 1 << 20);
	for (int i = 0; i < 17; i++) {
		if (file_map_open(path, &map, &err))
			_exit(2);
	}
	unlink(path);
	for (int i = 0; i < 512; i++)
		memset(xmalloc(1 << 20), 1, 1 << 20);
}

static void cost_allow_file__many_files__two_minutes_and_4_gb(void **state)
{
	char said[1000];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(in_child(name_many_files, said, sizeof(said)), 0);
	assert_int_equal(in_child(name_small_files, said, sizeof(said)), 0);
	assert_int_equal(in_child(name_files_of_holes, said, sizeof(said)), 0);
	assert_int_equal(in_child(map_a_gigabyte_and_take_half_of_one, said, sizeof(said)), 1);
}

static void cost_of_file__a_hole__counts_for_nothing(void **state)
{
	static const struct {
		size_t stored;
		off_t size;
		uint64_t cost;
	} cases[] = {
		{ 0, 0, 0 },
		{ 3, 3, 3 },
		{ 1 << 20, 1 << 20, 1 << 20 },
		{ 0, 60 << 20, 0 },
		{ 1 << 20, 100 << 20, 1 << 20 },
		{ 0, (off_t)1 << 40, 0 }, /* such a file is not read */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[] = "/tmp/test-cost-XXXXXX";

		close(make_file(path, cases[i].stored, cases[i].size));
		assert_int_equal(cost_of_file(path), cases[i].cost);
		unlink(path);
		assert_int_equal(cost_of_file(path), 0);
	}
	assert_int_equal(cost_of_file("/dev/null"), 0);
}

static void take_it_as_asked(void)
{
	setenv("STAGETRACE_LIMITS", "2", 1);
	take_half_a_gigabyte();
}

static void cost_limit__memory__ends_with_the_remedy(void **state)
{
	char said[1000];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(in_child(take_half_a_gigabyte, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "stagetrace: out of memory: "));
	assert_non_null(strstr(said, "STAGETRACE_LIMITS=4"));
	assert_non_null(strstr(said, "'some\\x1b.zip' needs"));
	assert_non_null(strstr(said, " 448 MB, the limit"));
	assert_int_equal(in_child(take_it_for_a_large_file, said, sizeof(said)), 0);
	assert_int_equal(in_child(take_it_with_one_file_again_and_again, said, sizeof(said)), 1);
	assert_int_equal(in_child(take_it_as_asked, said, sizeof(said)), 0);
}

static void run_out_of_time(void)
{
	cost_limit("some\x1b.zip", 0);
	raise(SIGXCPU);
}

static void cost_limit__time__ends_with_the_remedy(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(in_child(run_out_of_time, said, sizeof(said)), 1);
	assert_non_null(
		strstr(said, "'some\\x1b.zip' takes more than 15 seconds of processor time"));
	assert_non_null(strstr(said, "STAGETRACE_LIMITS=4"));
}

static void lift_limits(void)
{
	struct rlimit before[2], after[2];

	getrlimit(RLIMIT_CPU, &before[0]);
	getrlimit(RLIMIT_DATA, &before[1]);
	cost_limit("some\x1b.zip", 0);
	cost_lift();
	getrlimit(RLIMIT_CPU, &after[0]);
	getrlimit(RLIMIT_DATA, &after[1]);
	if (memcmp(before, after, sizeof(after)) != 0)
		_exit(2);
}

static void cost_lift__limits__are_as_before(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(in_child(lift_limits, said, sizeof(said)), 0);
}

static void cost_remedy__a_number_is_set__names_a_larger_one(void **state)
{
	static const struct {
		const char *set, *remedy;
	} cases[] = {
		{ "1",
		  "STAGETRACE_LIMITS=4 raises the limit to four times, if you trust the file" },
		{ "8",
		  "STAGETRACE_LIMITS=32 raises the limit to four times, if you trust the file" },
		{ "250",
		  "STAGETRACE_LIMITS=1000 raises the limit to four times, if you trust the file" },
		{ "251", "STAGETRACE_LIMITS=1000 raises the limit, if you trust the file" },
		{ "1000", "this limit cannot be raised further: STAGETRACE_LIMITS is 1000" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv("STAGETRACE_LIMITS", cases[i].set, 1);
		assert_string_equal(cost_remedy(), cases[i].remedy);
	}
	unsetenv("STAGETRACE_LIMITS");
}

static void check_lower_limit(void)
{
	struct rlimit limit = { 5, 10 };

	setrlimit(RLIMIT_CPU, &limit);
	cost_limit("some\x1b.zip", 0);
	cost_allow_file("/proc/self/exe");
	getrlimit(RLIMIT_CPU, &limit);
	if (limit.rlim_cur != 5)
		_exit(2);
}

static void cost_limit__users_is_lower__stays(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(in_child(check_lower_limit, said, sizeof(said)), 0);
}

static void add_last_position(void)
{
	struct hash_index index = HASH_INDEX_INIT;

	hash_index_add(&index, 1, HASH_INDEX_NONE - 1);
	hash_index_release(&index);
}

static void add_position_beyond(void)
{
	struct hash_index index = HASH_INDEX_INIT;

	hash_index_add(&index, 1, HASH_INDEX_NONE);
}

static void hash_index_add__more_than_32_bits__ends(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(in_child(add_last_position, said, sizeof(said)), 0);
	assert_int_equal(in_child(add_position_beyond, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "out of memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_limit__memory__ends_with_the_remedy),
		cmocka_unit_test(cost_allow_file__many_files__two_minutes_and_4_gb),
		cmocka_unit_test(cost_of_file__a_hole__counts_for_nothing),
		cmocka_unit_test(cost_limit__time__ends_with_the_remedy),
		cmocka_unit_test(cost_lift__limits__are_as_before),
		cmocka_unit_test(cost_remedy__a_number_is_set__names_a_larger_one),
		cmocka_unit_test(cost_limit__users_is_lower__stays),
		cmocka_unit_test(hash_index_add__more_than_32_bits__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
