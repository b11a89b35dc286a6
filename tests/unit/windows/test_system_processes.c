#include "build_fixture.h"

#include "platform/windows/process.h"

/* Each brings a console with it, which has not got its name yet when it is first there. */
static void system_processes_read__others_being_started__all_have_names(void **state)
{
	struct system_processes all = { .v = NULL };
	struct child children[10];
	size_t nr = ARRAY_SIZE(children);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		children[i] = start_marked("stay", "500", NULL);
		for (int look = 0; look < 30; look++) {
			assert_true(system_processes_read(&all));
			for (size_t at = 0; at < all.nr; at++)
				assert_true(all.v[at].name_len > 0);
			Sleep(1);
		}
	}
	for (size_t i = 0; i < nr; i++)
		assert_true(child_wait(&children[i], LONG));
	system_processes_release(&all);
}

static void system_processes_read__this_process__is_there(void **state)
{
	struct system_processes all = { .v = NULL };
	char *self = again_path(), *name;
	size_t found = 0;

	(void)state;
	assert_true(system_processes_read(&all));
	for (size_t at = 0; at < all.nr; at++) {
		if (all.v[at].pid != (int64_t)GetCurrentProcessId())
			continue;
		name = wide_to_utf8_len(all.v[at].name, all.v[at].name_len);
		assert_string_equal(name, text_file_name(self));
		assert_true(all.v[at].resident_bytes > 100000);
		assert_true(all.v[at].created > 0);
		free(name);
		found++;
	}
	assert_int_equal(found, 1);
	system_processes_release(&all);
	free(self);
}

int main(int argc, char **argv)
{
	static const struct again children[] = {
		{ "stay", stay },
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_processes_read__others_being_started__all_have_names),
		cmocka_unit_test(system_processes_read__this_process__is_there),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
