#include "fs_place.h"

#include "record/bootstrap_setting.h"

/* A plan of the checkout "rust". */
struct planned {
	struct config config;
	struct record_plan plan;
};

/* `toml` is the checkout's bootstrap.toml. */
static void planned_init(struct planned *planned, const char *toml)
{
	*planned = (struct planned){
		.config = CONFIG_INIT,
		.plan = { .source = (char *)"rust", .stage2 = STRVEC_INIT },
	};
	planned->plan.config = &planned->config;
	put("rust/bootstrap.toml", toml);
}

static void planned_release(struct planned *planned)
{
	strvec_release(&planned->config.set);
	strvec_release(&planned->config.stage2.env);
	strvec_release(&planned->plan.stage2);
}

/* A setting as such a plan has it. The caller frees it. */
static char *find(const char *toml, const char *set, const char *table, const char *key)
{
	struct planned planned;
	char *value;

	planned_init(&planned, toml);
	if (set)
		strvec_push(&planned.config.set, set);
	value = bootstrap_setting(&planned.plan, table, key);
	planned_release(&planned);
	return value;
}

static void expect(const char *toml, const char *set, const char *expected)
{
	char *value = find(toml, set, "build", "build-dir");

	if (!expected)
		assert_null(value);
	else if (!value)
		fail_msg("nothing is found in: %s", toml);
	else
		assert_string_equal(value, expected);
	free(value);
}

static void bootstrap_setting__toml__the_line_of_its_table(void **state)
{
	(void)state;
	expect("[build]\nbuild-dir = \"out\"\n", NULL, "out");
	expect("# x\r\n[build] # of all\r\n  build-dir='a b' # there\r\n", NULL, "a b");
	expect("build.build-dir = \"out\"\n[build]\n", NULL, "out");
	expect("[llvm]\nbuild-dir = \"out\"\n", NULL, NULL);
	expect("[build]\n#build-dir = \"out\"\n", NULL, NULL);
	expect("[build]\n[llvm]\nbuild-dir = \"out\"\n", NULL, NULL);
	expect("[build]\nbuild-dir-not = \"out\"\nbuild-dir = \"last\"", NULL, "last");
	expect("[build]\nbuild-dir = \"never ended\n", NULL, NULL);
	expect("[build]\nbuild-dir =", NULL, NULL);
	expect("[build.x]\nbuild.build-dir = \"out\"\n", NULL, NULL);
	expect("", NULL, NULL);
}

static void bootstrap_setting__number__has_no_comment(void **state)
{
	char *value = find("[build]\njobs = 3# of four\n", NULL, "build", "jobs");

	(void)state;
	assert_string_equal(value, "3");
	free(value);
}

static void bootstrap_setting__configuration__comes_first(void **state)
{
	static const char toml[] = "[build]\nbuild-dir = \"out\"\n";

	(void)state;
	expect(toml, "build.build-dir=mine", "mine");
	expect(toml, "build.build-dir=\"mine\"", "mine");
	expect(toml, "build.build-dir-not=mine", "out");
}

static void bootstrap_build_dir__option_of_the_command__comes_first(void **state)
{
	struct planned planned;
	char *dir;

	(void)state;
	planned_init(&planned, "[build]\nbuild-dir = \"out\"\n");
	strvec_push(&planned.plan.stage2, "python3");
	strvec_push(&planned.plan.stage2, "x.py");
	dir = bootstrap_build_dir(&planned.plan);
	assert_string_equal(dir, "rust/out");
	free(dir);
	strvec_push(&planned.plan.stage2, "--build-dir=mine");
	dir = bootstrap_build_dir(&planned.plan);
	assert_string_equal(dir, "rust/mine");
	free(dir);
	planned_release(&planned);
}

/* Another file than the one that the checkout has. */
static void bootstrap_toml__given__is_read(void **state)
{
	struct planned planned;
	char *path;

	(void)state;
	planned_init(&planned, "");
	strvec_push(&planned.config.stage2.env, "RUST_BOOTSTRAP_CONFIG=of-variable.toml");
	path = bootstrap_toml(&planned.plan);
	assert_string_equal(path, "rust/of-variable.toml");
	free(path);
	strvec_push(&planned.plan.stage2, "./x.py");
	strvec_push(&planned.plan.stage2, "--config");
	strvec_push(&planned.plan.stage2, "of-option.toml");
	path = bootstrap_toml(&planned.plan);
	assert_string_equal(path, "rust/of-option.toml");
	free(path);
	planned_release(&planned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bootstrap_setting__toml__the_line_of_its_table),
		TEST(bootstrap_setting__number__has_no_comment),
		TEST(bootstrap_setting__configuration__comes_first),
		TEST(bootstrap_build_dir__option_of_the_command__comes_first),
		TEST(bootstrap_toml__given__is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
