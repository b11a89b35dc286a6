#include "fs_place.h"

#include "record/bootstrap_setting.h"

/* A setting as a plan of the checkout "rust" has it, with `toml` as its bootstrap.toml. The caller frees it. */
static char *find(const char *toml, const char *set, const char *table, const char *key)
{
	struct config config = CONFIG_INIT;
	struct record_plan plan = { .config = &config, .source = (char *)"rust" };
	char *value;

	put("rust/bootstrap.toml", toml);
	if (set)
		strvec_push(&config.set, set);
	value = bootstrap_setting(&plan, table, key);
	strvec_release(&config.set);
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
	struct config config = CONFIG_INIT;
	struct record_plan plan = { .config = &config,
				    .source = (char *)"rust",
				    .stage2 = STRVEC_INIT };
	char *dir;

	(void)state;
	put("rust/bootstrap.toml", "[build]\nbuild-dir = \"out\"\n");
	strvec_push(&plan.stage2, "python3");
	strvec_push(&plan.stage2, "x.py");
	dir = bootstrap_build_dir(&plan);
	assert_string_equal(dir, "rust/out");
	free(dir);
	strvec_push(&plan.stage2, "--build-dir=mine");
	dir = bootstrap_build_dir(&plan);
	assert_string_equal(dir, "rust/mine");
	free(dir);
	strvec_release(&plan.stage2);
}

/* Another file than the one that the checkout has. */
static void bootstrap_toml__given__is_read(void **state)
{
	struct config config = CONFIG_INIT;
	struct record_plan plan = { .config = &config,
				    .source = (char *)"rust",
				    .stage2 = STRVEC_INIT };
	char *path;

	(void)state;
	put("rust/bootstrap.toml", "");
	strvec_push(&config.stage2.env, "RUST_BOOTSTRAP_CONFIG=of-variable.toml");
	path = bootstrap_toml(&plan);
	assert_string_equal(path, "rust/of-variable.toml");
	free(path);
	strvec_push(&plan.stage2, "./x.py");
	strvec_push(&plan.stage2, "--config");
	strvec_push(&plan.stage2, "of-option.toml");
	path = bootstrap_toml(&plan);
	assert_string_equal(path, "rust/of-option.toml");
	free(path);
	strvec_release(&plan.stage2);
	strvec_release(&config.stage2.env);
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
