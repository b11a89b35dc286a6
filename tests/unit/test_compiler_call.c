#include "fs_place.h"

#include "record/compiler_call.h"

/* A row of a compiler in this directory; `args` is separated by blanks. */
static struct process *add_call(struct process_list *list, int64_t pid, const char *crate,
				const char *part, const char *args)
{
	struct process *process = process_list_add(list);
	char *copy = xstrdup(args);

	process->pid = pid;
	process->exe = xstrdup("/opt/rustc");
	process->cwd = fs_absolute(".");
	process->tag.role = ROLE_RUSTC;
	process->tag.crate = xstrdup(crate);
	process->tag.part = xstrdup(part);
	strvec_push(&process->argv, "rustc");
	for (char *arg = strtok(copy, " "); arg; arg = strtok(NULL, " "))
		strvec_push(&process->argv, arg);
	free(copy);
	return process;
}

static int make(const struct process *process, const char *compiler, struct compiler_call *call,
		struct err *err)
{
	const struct compiler_options options = { compiler, "/out", true, false };

	return compiler_call_make(process, &options, call, err);
}

static void check_joined(const struct strvec *sv, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sv->nr; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", sv->v[i]);
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

/* The arguments of the call after the compiler. */
static void check_args(const char *args, const char *expected)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process *process = add_call(&list, 1, "a", "p", args);
	struct compiler_call call = COMPILER_CALL_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(make(process, NULL, &call, &err), 0);
	assert_string_equal(call.argv.v[0], "/opt/rustc");
	strvec_remove(&call.argv, 0);
	check_joined(&call.argv, expected);
	compiler_call_release(&call);
	process_list_release(&list);
}

static void compiler_call_make__outputs__go_elsewhere(void **state)
{
	(void)state;
	check_args("a.rs", "a.rs --out-dir=/out");
	check_args("--out-dir d a.rs", "--out-dir=/out a.rs");
	check_args("--out-dir=d a.rs", "--out-dir=/out a.rs");
	check_args("-o d/a a.rs", "-o /out/a a.rs");
	check_args("-od/a a.rs", "-o /out/a a.rs");
	check_args("--output=d/a a.rs", "-o /out/a a.rs");
	check_args("--emit=dep-info=d/a.d,link,metadata=- a.rs",
		   "--emit=dep-info=/out/a.d,link,metadata=- a.rs --out-dir=/out");
	check_args("--print link-args=d/f a.rs", "--print=link-args=/out/f a.rs --out-dir=/out");
	check_args("-C incremental=d -Cmetadata=7 --codegen opt-level=3 a.rs --out-dir d",
		   "-Cincremental=/out/incremental -Cmetadata=7 -Copt-level=3 a.rs "
		   "--out-dir=/out");
	check_args("-Zself_profile=d -Z threads=2 a.rs --out-dir d",
		   "-Zself-profile=/out/self-profile -Zthreads=2 a.rs --out-dir=/out");
	check_args("-Zself-profile -Zdump-mono-stats -Zno-codegen a.rs --out-dir d",
		   "-Zself-profile=/out/self-profile -Zdump-mono-stats=/out/dump-mono-stats "
		   "-Zno-codegen a.rs --out-dir=/out");
	check_args("-Zdump_mir=all a.rs --out-dir d",
		   "-Zdump_mir=all a.rs --out-dir=/out -Zdump-mir-dir=/out/dump-mir-dir");
	check_args("-go d/a -OCincremental=d a.rs",
		   "-g -o /out/a -O -Cincremental=/out/incremental a.rs");
}

/* What looks like an output is the value of another option. */
static void compiler_call_make__values_of_options__stay(void **state)
{
	(void)state;
	check_args("--cfg -o -L -odd --crate-name --emit a.rs --out-dir d",
		   "--cfg -o -L -odd --crate-name --emit a.rs --out-dir=/out");
}

static bool has_part(const struct strvec *sv, const char *part)
{
	for (size_t i = 0; i < sv->nr; i++)
		if (strstr(sv->v[i], part))
			return true;
	return false;
}

static void compiler_call_make__what_is_not_there__is_named(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process *process =
		add_call(&list, 1, "a", "p",
			 "@args a.rs --extern b=libb.rlib --extern=c=libc.rlib --extern core");
	struct compiler_call call = COMPILER_CALL_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("libb.rlib", "");
	assert_int_equal(make(process, NULL, &call, &err), 0);
	assert_int_equal(call.missing.nr, 4);
	assert_true(has_part(&call.missing, "'@args'"));
	assert_true(has_part(&call.missing, "'/opt/rustc'"));
	assert_true(has_part(&call.missing, "'a.rs'"));
	assert_true(has_part(&call.missing, "'libc.rlib'"));
	compiler_call_release(&call);
	put("a.rs", "");
	assert_int_equal(make(process, "/other/rustc", &call, &err), 0);
	assert_string_equal(call.argv.v[0], "/other/rustc");
	assert_false(has_part(&call.missing, "'a.rs'"));
	assert_true(has_part(&call.missing, "'/other/rustc'"));
	compiler_call_release(&call);
	process_list_release(&list);
}

/* Each line of an @file is an argument; they go to a file again. */
static void compiler_call_make__response_file__is_written_again(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process *process = add_call(&list, 1, "a", "p", "--edition=2021 @args");
	struct compiler_call call = COMPILER_CALL_INIT;
	struct err err = ERR_INIT;

	(void)state;
	ARRAY_ADD(process->responses, process->responses_nr, process->responses_alloc,
		  (struct response_file){ xstrdup("args"), xstrdup("a b.rs\r\n--out-dir\nd\n") });
	assert_int_equal(make(process, NULL, &call, &err), 0);
	check_joined(&call.argv, "/opt/rustc @/out/arguments");
	assert_string_equal(call.arguments, "--edition=2021\na b.rs\n--out-dir=/out\n");
	compiler_call_release(&call);

	/* To be shown, without looking at anything. */
	assert_int_equal(compiler_call_make(process,
					    &(struct compiler_options){ NULL, "/out", false, true },
					    &call, &err),
			 0);
	check_joined(&call.argv, "/opt/rustc --edition=2021 a b.rs --out-dir=/out");
	assert_int_equal(call.missing.nr, 0);
	compiler_call_release(&call);
	process_list_release(&list);
}

static void compiler_call_make__dep_info__gives_variables(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process *process = add_call(&list, 1, "a", "p",
					   "--crate-name a a.rs --out-dir d -C extra-filename=-12");
	struct compiler_call call = COMPILER_CALL_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strvec_push(&process->env, "KEPT=1");
	put("d/a-12.d", "d/a.d: a.rs\n\n# env-dep:KEPT=2\n# env-dep:NOT_SET\n"
			"# env-dep:TEXT=a\\nb\\\\c\n# env-dep:LAST=x");
	assert_int_equal(make(process, NULL, &call, &err), 0);
	check_joined(&call.env, "KEPT=1 TEXT=a\nb\\c LAST=x");
	assert_int_equal(call.notes.nr, 1);
	assert_true(has_part(&call.notes, "the variables TEXT, LAST"));
	compiler_call_release(&call);

	put("d/a-12.d", "# env-dep:");
	assert_int_equal(make(process, NULL, &call, &err), 0);
	check_joined(&call.env, "KEPT=1");
	compiler_call_release(&call);

	assert_int_equal(fs_remove("d/a-12.d", &err), 0);
	assert_int_equal(make(process, NULL, &call, &err), 0);
	assert_int_equal(call.notes.nr, 1);
	assert_true(has_part(&call.notes, "a-12.d"));
	compiler_call_release(&call);
	process_list_release(&list);
}

/* The places of that file for the other forms. */
static void compiler_call_make__dep_info__is_found(void **state)
{
	static const char *const calls[] = {
		"--crate-name a a.rs --emit=link,dep-info=d/a-12.d",
		"--crate-name b a.rs -o d/a-12.rlib",
		"--crate-name a a.rs --out-dir=d --codegen extra-filename=-1 --codegen "
		"extra-filename=-12",
	};

	(void)state;
	put("d/a-12.d", "# env-dep:FOUND=1\n");
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct process_list list = PROCESS_LIST_INIT;
		struct process *process = add_call(&list, 1, "a", "p", calls[i]);
		struct compiler_call call = COMPILER_CALL_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(make(process, NULL, &call, &err), 0);
		check_joined(&call.env, "FOUND=1");
		compiler_call_release(&call);
		process_list_release(&list);
	}
}

static void compiler_call_make__unknown_command__is_refused(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process *process = add_call(&list, 7, "a", "p", "");
	struct compiler_call call = COMPILER_CALL_INIT;
	struct err err = ERR_INIT;

	(void)state;
	check_failed(make(process, NULL, &call, &err), &err, ERR_FAILED, "7");
	compiler_call_release(&call);
	process_list_release(&list);
}

static void compiler_call_find__by_crate_part_and_pid(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	const struct process *found = NULL;
	struct strbuf several = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	add_call(&list, 1, "a", "stage1-std", "a.rs");
	add_call(&list, 2, "a", "stage2-std", "a.rs");
	add_call(&list, 3, "b", "stage2-std", "--crate-name b b.rs");
	add_call(&list, 5, "b", "stage2-std", "--crate-name build_script_build build.rs");
	add_call(&list, 6, "a", "stage2-rustc", "a.rs");
	add_call(&list, 4, "c", "stage2-std", "c.rs")->tag.role = ROLE_RUSTC_SHIM;
	assert_int_equal(compiler_call_find(&list, &(struct compiler_choice){ .crate = "b" },
					    &found, &several, &err),
			 0);
	assert_int_equal(found->pid, 3);
	assert_int_equal(
		compiler_call_find(&list,
				   &(struct compiler_choice){ .crate = "a", .part = "stage2-std" },
				   &found, &several, &err),
		0);
	assert_int_equal(found->pid, 2);
	assert_int_equal(compiler_call_find(&list, &(struct compiler_choice){ .pid = 1 }, &found,
					    &several, &err),
			 0);
	assert_int_equal(found->pid, 1);
	check_failed(compiler_call_find(&list, &(struct compiler_choice){ .crate = "a" }, &found,
					&several, &err),
		     &err, ERR_USAGE, "3 calls of rustc of crate 'a'");
	assert_string_equal(several.buf, "--pid 1  a, stage1-std\n--pid 2  a, stage2-std\n"
					 "--pid 6  a, stage2-rustc\n");
	check_failed(compiler_call_find(&list, &(struct compiler_choice){ .crate = "c" }, &found,
					&several, &err),
		     &err, ERR_NOT_FOUND, "'c'");
	strbuf_release(&several);
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(compiler_call_make__outputs__go_elsewhere),
		TEST(compiler_call_make__values_of_options__stay),
		TEST(compiler_call_make__what_is_not_there__is_named),
		TEST(compiler_call_make__response_file__is_written_again),
		TEST(compiler_call_make__dep_info__gives_variables),
		TEST(compiler_call_make__dep_info__is_found),
		TEST(compiler_call_make__unknown_command__is_refused),
		TEST(compiler_call_find__by_crate_part_and_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
