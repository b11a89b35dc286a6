#include "platform/posix/groups.h"

#include "../fs_place.h"

static const struct groups_paths paths = { "proc/cgroup", "groups" };

static struct host_memory read_memory(void)
{
	struct host_memory memory = { -1, -1, -1, -1, -1, -1, -1 };

	groups_read_memory(&paths, &memory);
	return memory;
}

static void groups__version_2__has_the_least_limits_of_all_around(void **state)
{
	struct host_memory memory;
	struct host_group group;

	(void)state;
	put("proc/cgroup", "0::/a/b/c\n");
	put("groups/memory.max", "500\n"); /* of a container */
	put("groups/a/memory.max", "3000\n");
	put("groups/a/b/memory.max", "2000\n");
	put("groups/a/b/memory.current", "1500\n");
	put("groups/a/b/memory.events", "low 0\nhigh 7\nmax 8\noom 9\noom_kill 4\n");
	put("groups/a/b/memory.swap.max", "100\n");
	put("groups/a/b/c/memory.max", "max\n");
	put("groups/a/b/c/cpu.max", "max 100000\n");
	put("groups/a/cpu.max", "150000 100000\n");
	memory = read_memory();
	assert_int_equal(memory.group_limit_bytes, 500);
	assert_int_equal(memory.group_bytes, -1);
	put("groups/memory.max", "max\n");
	memory = read_memory();
	assert_int_equal(memory.group_limit_bytes, 2000);
	assert_int_equal(memory.group_bytes, 1500);
	assert_int_equal(memory.oom_kills, 4);
	group = groups_read_limits(&paths);
	assert_int_equal(group.version, 2);
	assert_int_equal(group.memory_limit_bytes, 2000);
	assert_int_equal(group.swap_limit_bytes, 100);
	assert_int_equal(group.processors_milli, 1500);
}

/* As on systems with both: version 2 has no controllers. The group of a container may not be visible from within it. */
static void groups__version_1__has_a_tree_for_each_controller(void **state)
{
	struct host_memory memory;
	struct host_group group;

	(void)state;
	put("proc/cgroup", "9:name=systemd:/\n4:memory:/job/1\n2:cpuacct,cpu:/\n0::/\n");
	put("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("groups/memory/job/1/memory.limit_in_bytes", "4096\n");
	put("groups/memory/job/1/memory.usage_in_bytes", "2048\n");
	put("groups/memory/job/1/memory.memsw.limit_in_bytes", "8192\n");
	put("groups/memory/job/1/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	put("groups/cpu/cpu.cfs_quota_us", "50000\n");
	put("groups/cpu/cpu.cfs_period_us", "100000\n");
	put("groups/memory.max", "1\n");
	memory = read_memory();
	assert_int_equal(memory.group_limit_bytes, 4096);
	assert_int_equal(memory.group_bytes, 2048);
	assert_int_equal(memory.oom_kills, 3);
	group = groups_read_limits(&paths);
	assert_int_equal(group.version, 1);
	assert_int_equal(group.memory_limit_bytes, 4096);
	assert_int_equal(group.swap_limit_bytes, 8192);
	assert_int_equal(group.processors_milli, 500);
	put("proc/cgroup", "4:memory:/elsewhere\n");
	put("groups/memory/memory.limit_in_bytes", "1000\n");
	assert_int_equal(read_memory().group_limit_bytes, 1000);
	assert_int_equal(groups_read_limits(&paths).processors_milli, -1);
}

static void groups__none_or_damaged__have_no_limits(void **state)
{
	static const char *const texts[] = { "",         "x",
					     "4:memory", "4:memory:elsewhere\n",
					     "0::\n",    "4:memory2,xmemory:/a\n" };

	(void)state;
	put("groups/memory.max", "x\n");
	assert_int_equal(read_memory().group_limit_bytes, -1);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put("proc/cgroup", texts[i]);
		assert_int_equal(read_memory().group_limit_bytes, -1);
		assert_int_equal(groups_read_limits(&paths).version, -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			groups__version_2__has_the_least_limits_of_all_around, enter, leave),
		cmocka_unit_test_setup_teardown(groups__version_1__has_a_tree_for_each_controller,
						enter, leave),
		cmocka_unit_test_setup_teardown(groups__none_or_damaged__have_no_limits, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
