#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "config/settings.h"
#include "platform/fs.h"
#include "util/array.h"
#include "util/text.h"

/* What every configuration must say; cases add to it. */
#define RUN    "[run]\nsource = rust\n"
#define STAGE2 "[stage2]\ncommand = x\n"
#define LEAST  RUN STAGE2

#define X10(s)  s s s s s s s s s s
#define X100(s) X10(X10(s))

static void load(const char *text, const struct strvec *overrides, struct config *config)
{
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	struct err err = ERR_INIT;

	if (overrides)
		changes.set = *overrides;
	if (config_load_text("dir/t.ini", text, strlen(text), &changes, config, &err))
		fail_msg("%s\nin:\n%s", err.msg, text);
	assert_int_equal(err.code, ERR_NONE);
}

static void assert_args(const struct strvec *args, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < args->nr; i++)
		strbuf_addf(&sb, "%s%s", i ? "|" : "", args->v[i]);
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void config_load__least__has_defaults(void **state)
{
	struct config config;

	(void)state;
	load(LEAST, NULL, &config);
	assert_string_equal(config.path, "dir/t.ini");
	assert_string_equal(config.name, "t");
	assert_string_equal(config.source, "dir/rust");
	assert_string_equal(config.output, "dir/runs");
	assert_int_equal(config.timeout_ns, 0);
	assert_null(config.bootstrap_config);
	assert_int_equal(config.stage1.command.nr, 0);
	assert_args(&config.stage2.command, "x");
	assert_string_equal(config.recorder, "auto");
	assert_true(config.cpu && config.virtualalloc && config.compress && !config.heap);
	assert_int_equal(config.cpu_interval_ns, NS_PER_MS);
	assert_int_equal(config.cpu_stacks, STACKS_SAMPLED);
	assert_int_equal(config.memory_stacks, STACKS_SAMPLED);
	assert_int_equal(config.buffers_bytes, 512 << 20);
	assert_int_equal(config.min_free_disk_bytes, INT64_C(10) << 30);
	assert_int_equal(config.symbols, SYMBOLS_AUTO);
	assert_int_equal(config.bundle_max_bytes, INT64_C(4) << 30);
	assert_null(config.temp);
	assert_null(config.wpa_profile);
	assert_int_equal(config.fail_if.nr, 0);
	assert_string_equal(config.heap_job.recipe, "snapshots");
	assert_int_equal(config.heap_job.snapshots, 3);
	assert_int_equal(config.heap_job.interval_ns, 10 * NS_PER_S);
	assert_null(config.heap_job.image);
	assert_false(config.heap_job.periodic);
	assert_int_equal(config.heap_job.crates.nr + config.heap_job.at.nr, 0);
	config_release(&config);
}

static void config_load__running_processes__need_no_build(void **state)
{
	struct config config, again;
	struct strbuf copy = STRBUF_INIT;

	(void)state;
	load("[heap]\npid = 12, 4000000000 7", NULL, &config);
	assert_null(config.source);
	assert_int_equal(config.stage2.command.nr, 0);
	config_add_ini(&config, &copy);
	load(copy.buf, NULL, &again);
	assert_int_equal(again.heap_job.pids.nr, 3);
	assert_int_equal(again.heap_job.pids.v[1], INT64_C(4000000000));
	assert_int_equal(again.heap_job.pids.v[2], 7);
	strbuf_release(&copy);
	config_release(&again);
	config_release(&config);
}

static const char everything[] = "\xef\xbb\xbf# as Windows editors write it\r\n"
				 "[run] ; a comment\r\n"
				 "name = rustc-stage2            ; another\r\n"
				 "source = /src/rust\r\n"
				 "output: out\r\n"
				 "timeout = 4h 30m\r\n"
				 "[bootstrap]\r\n"
				 "rust.debuginfo-level = 1\r\n"
				 "config = my.toml\r\n"
				 "llvm.link-shared = true\r\n"
				 "[stage1]\r\n"
				 "command = python3 x.py build\r\n"
				 "\t--stage 1 ; the first\r\n"
				 "\r\n"
				 "# between\r\n"
				 "\t'-i library' a\\\r\n"
				 "\tb\r\n"
				 "env.RUSTFLAGS = -C x=y\r\n"
				 "env.EMPTY =\r\n"
				 "[stage2]\r\n"
				 "  command = sh -c \"a \\; b\"\r\n"
				 "before = C:\\bin\\rm.exe C:\\\r\n"
				 "env.X = \\ \\;lead;and#hash # \\;\r\n"
				 "[record]\r\n"
				 "recorder = perf\r\n"
				 "cpu = off\r\n"
				 "cpu-interval = 250us\r\n"
				 "virtualalloc = no\r\n"
				 "heap = on\r\n"
				 "cpu-stacks = dwarf\r\n"
				 "memory-stacks = none\r\n"
				 "buffers = 64\r\n"
				 "min-free-disk = 1.5 TB\r\n"
				 "temp = tmp/wpr\r\n"
				 "[heap]\r\n"
				 "recipe = tracing\r\n"
				 "crate = rustc_middle, rustc_q*\r\n"
				 "\tcore\r\n"
				 "image = rustc.exe\r\n"
				 "snapshots = 12\r\n"
				 "interval = 5s\r\n"
				 "at = 0, 500ms, 1m30s\r\n"
				 "periodic = yes\r\n"
				 "[tag]\r\n"
				 "link = my-linker*, other\r\n"
				 "\tthird\r\n"
				 "x.py = wrapper\r\n"
				 "[bundle]\r\n"
				 "wpa-profile = ../p.wpaProfile\r\n"
				 "symbols = all\r\n"
				 "max-size = 2GB\r\n"
				 "compress = 0\r\n"
				 "[compare]\r\n"
				 "fail-if = peak > +5%, size > 100MB ; both\r\n"
				 "\tcpu >= 12.5 %\r\n"
				 "\tcpu > 3m20s";

static void config_load__everything__fills_every_field(void **state)
{
	struct config config;

	(void)state;
	load(everything, NULL, &config);
	assert_string_equal(config.name, "rustc-stage2");
	assert_string_equal(config.source, "/src/rust");
	assert_string_equal(config.output, "dir/out");
	assert_int_equal(config.timeout_ns, 16200 * NS_PER_S);
	assert_args(&config.set, "rust.debuginfo-level=1|llvm.link-shared=true");
	assert_string_equal(fs_file_name(config.bootstrap_config), "my.toml");
	assert_true(strlen(config.bootstrap_config) > strlen("dir/my.toml"));
	assert_args(&config.stage1.command, "python3|x.py|build|--stage|1|-i library|ab");
	assert_args(&config.stage1.env, "RUSTFLAGS=-C x=y|EMPTY=");
	assert_args(&config.stage2.command, "sh|-c|a ; b");
	assert_args(&config.stage2.before, "C:\\bin\\rm.exe|C:\\");
	assert_args(&config.stage2.env, "X= ;lead;and#hash # ;");
	assert_string_equal(config.recorder, "perf");
	assert_false(config.cpu || config.virtualalloc || config.compress || !config.heap);
	assert_int_equal(config.cpu_interval_ns, 250 * NS_PER_US);
	assert_int_equal(config.cpu_stacks, STACKS_DWARF);
	assert_int_equal(config.memory_stacks, STACKS_NONE);
	assert_int_equal(config.buffers_bytes, 64 << 20);
	assert_int_equal(config.min_free_disk_bytes, INT64_C(1536) << 30);
	assert_string_equal(config.temp, "dir/tmp/wpr");
	assert_string_equal(config.heap_job.recipe, "tracing");
	assert_args(&config.heap_job.crates, "rustc_middle|rustc_q*|core");
	assert_string_equal(config.heap_job.image, "rustc.exe");
	assert_int_equal(config.heap_job.snapshots, 12);
	assert_int_equal(config.heap_job.interval_ns, 5 * NS_PER_S);
	assert_int_equal(config.heap_job.at.nr, 3);
	assert_int_equal(config.heap_job.at.v[0], 0);
	assert_int_equal(config.heap_job.at.v[1], 500 * NS_PER_MS);
	assert_int_equal(config.heap_job.at.v[2], 90 * NS_PER_S);
	assert_true(config.heap_job.periodic);
	assert_int_equal(config.tag_rules.nr, 4);
	assert_int_equal(config.tag_rules.v[2].role, ROLE_LINK);
	assert_string_equal(config.tag_rules.v[2].glob, "third");
	assert_int_equal(config.tag_rules.v[3].role, ROLE_X_PY);
	assert_string_equal(config.wpa_profile, "dir/../p.wpaProfile");
	assert_int_equal(config.symbols, SYMBOLS_ALL);
	assert_int_equal(config.bundle_max_bytes, INT64_C(2) << 30);
	assert_args(&config.fail_if, "peak > +5%|size > 100MB|cpu >= 12.5 %|cpu > 3m20s");
	config_release(&config);
}

static void config_load__command__replaces_the_bootstrap(void **state)
{
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	struct config config, again;
	struct strbuf copy = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *here = fs_absolute(".");

	(void)state;
	strvec_push(&changes.command, "cargo");
	strvec_push(&changes.command, "say \"a b\" ; c");
	strvec_push(&changes.set, "run.name=mine");
	for (int file = 0; file < 2; file++) {
		const char *text = file ? everything : "";

		assert_int_equal(
			config_load_text("dir/cargo", text, strlen(text), &changes, &config, &err),
			0);
		assert_false(config_is_bootstrap(&config));
		assert_string_equal(config.name, "mine");
		assert_string_equal(config.source, here);
		assert_args(&config.stage2.command, "cargo|say \"a b\" ; c");
		assert_int_equal(config.stage1.command.nr + config.stage2.before.nr, 0);
		assert_int_equal(config.set.nr + config.stage1.env.nr, 0);
		assert_int_equal(config.stage2.env.nr, file);
		assert_string_equal(config.recorder, file ? "perf" : "auto");
		config_add_ini(&config, &copy);
		assert_int_equal(config_load_text("/elsewhere/config.ini", copy.buf, copy.len, NULL,
						  &again, &err),
				 0);
		assert_args(&again.stage2.command, "cargo|say \"a b\" ; c");
		assert_string_equal(again.source, here);
		strbuf_clear(&copy);
		config_release(&again);
		config_release(&config);
	}
	strvec_push(&changes.command, "a\nb");
	assert_int_equal(config_load_text("cargo", "", 0, &changes, &config, &err), -1);
	assert_non_null(strstr(err.msg, "argument 2 of the command has a control character"));
	err_clear(&err);
	strbuf_release(&copy);
	strvec_release(&changes.command);
	strvec_release(&changes.set);
	free(here);
}

static void config_load__commands__are_of_a_bootstrap_if_they_run_x_py(void **state)
{
	static const struct {
		const char *command;
		bool bootstrap;
	} cases[] = {
		{ "python x.py build", true }, { "./x build", true },
		{ "./x.exe build", true },     { "/rust/x.py build", true },
		{ "pwsh -File x.ps1", true },  { "cargo build", false },
		{ "grep x file", false },      { "perf record -- ./x test", true },
		{ "sh x.py", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf(RUN "[stage2]\ncommand = %s\n", cases[i].command);
		struct config config;

		load(text, NULL, &config);
		if (config_is_bootstrap(&config) != cases[i].bootstrap)
			fail_msg("%s", cases[i].command);
		config_release(&config);
		free(text);
	}
}

static void config_load__longest_line__is_whole(void **state)
{
	static const char *const ends[] = { "\n", "\r\n", "" };
	struct config config;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *value = xasprintf("%s%s", X10("0123456789abcdefghi"), "");
		char *text = xasprintf("%s[stage1]\nenv.A=%s\\%s", LEAST, value, ends[i]);

		assert_int_equal(strlen(value) + strlen("env.A=\\"), 197);
		load(text, NULL, &config);
		assert_int_equal(strlen(config.stage1.env.v[0]), strlen("A=\\") + strlen(value));
		config_release(&config);
		free(text);
		free(value);
	}
}

static void config_load__override__replaces_or_adds(void **state)
{
	struct strvec overrides = STRVEC_INIT;
	struct strbuf place = STRBUF_INIT;
	struct config config;

	(void)state;
	strvec_push(&overrides, "bootstrap.rust.debuginfo-level=2");
	strvec_push(&overrides, "stage2.env.NAME= a=b ; c ");
	strvec_push(&overrides, "record.heap = yes");
	strvec_push(&overrides, "record.heap=no");
	strvec_push(&overrides, "stage2.before=");
	strvec_push(&overrides, "record.temp=");
	load(LEAST "before = y\n[bootstrap]\nrust.debuginfo-level = 1\nrust.x = 1\n"
		   "[record]\nheap = a bad value\ntemp = x\ncpu = no\n",
	     &overrides, &config);
	assert_args(&config.set, "rust.debuginfo-level=2|rust.x=1");
	assert_args(&config.stage2.env, "NAME=a=b ; c");
	assert_false(config.heap);
	assert_int_equal(config.stage2.before.nr, 0);
	assert_null(config.temp);

	config_add_place(&config, "record", "cpu", &place);
	strbuf_addc(&place, '|');
	config_add_place(&config, "record", "heap", &place);
	strbuf_addc(&place, '|');
	config_add_place(&config, "record", "buffers", &place);
	assert_string_equal(place.buf, "dir/t.ini:12|--set record.heap|dir/t.ini");
	strbuf_release(&place);
	config_release(&config);
	strvec_release(&overrides);
}

static void config_load__name__comes_from_the_file(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "a/memory.ini", "memory" },
		{ "C:\\x\\my config.ini", "my-config" },
		{ "a/.ini", "ini" },
		{ "nightly", "nightly" },
		{ "a.b.ini", "a.b" },
		{ "\xc3\xa4.ini", "_-run" },
		{ "dir/", "run" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct config config;
		struct err err = ERR_INIT;

		assert_int_equal(
			config_load_text(cases[i].path, LEAST, strlen(LEAST), NULL, &config, &err),
			0);
		assert_string_equal(config.name, cases[i].name);
		config_release(&config);
	}
}

static void config_load__file__is_read_or_named(void **state)
{
	struct config config = CONFIG_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(config_load("no/such.ini", NULL, &config, &err), -1);
	assert_non_null(strstr(err.msg, "no/such.ini"));
	config_release(&config);
	err_clear(&err);
}

static void config_stage_argv__set__goes_to_its_place(void **state)
{
	static const struct {
		const char *bootstrap, *command, *expected;
	} cases[] = {
		{ "", "x build", "x|build" },
		{ "", "x {set} build", "x|build" },
		{ "a.b = 1\nc.d = \"e f\"\n", "x build", "x|build|--set|a.b=1|--set|c.d=\"e f\"" },
		{ "a.b = 1\n", "x {set} build -- y", "x|--set|a.b=1|build|--|y" },
		{ "a.b = 1\n", "x test -- y -- z", "x|test|--set|a.b=1|--|y|--|z" },
		{ "a.b = 1\n", "x -- {set}", "x|--|--set|a.b=1" },
		{ "a.b = 1\nconfig = /c.toml\n", "x", "x|--set|a.b=1|--config|/c.toml" },
		{ "a.b = 1\n", "x python", "x|python|--set|a.b=1" },
		{ "a.b = 1\n", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xasprintf("%s[stage1]\ncommand = %s\n[bootstrap]\n%s", LEAST,
				       cases[i].command, cases[i].bootstrap);
		struct strvec argv = STRVEC_INIT;
		struct config config;

		load(text, NULL, &config);
		config_stage_argv(&config, &config.stage1, &argv);
		assert_args(&argv, cases[i].expected);
		strvec_release(&argv);
		config_release(&config);
		free(text);
	}
}

static void config_before_argv__set__only_where_it_stands(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct config config;

	(void)state;
	load(LEAST "before = x clean {set}\n[bootstrap]\na.b = 1\n", NULL, &config);
	config_before_argv(&config, &config.stage2, &argv);
	assert_args(&argv, "x|clean|--set|a.b=1");
	strvec_release(&argv);
	config_release(&config);
	load(LEAST "before = y\n[bootstrap]\na.b = 1\n", NULL, &config);
	config_before_argv(&config, &config.stage2, &argv);
	assert_args(&argv, "y");
	strvec_release(&argv);
	config_release(&config);
}

static void config_stage_argv__python__is_the_one_there_is(void **state)
{
	char *python = fs_find_program("python"), *python3 = fs_find_program("python3");
	struct strvec argv = STRVEC_INIT;
	struct config config;

	(void)state;
	load(RUN "[stage2]\ncommand = python x.py\n", NULL, &config);
	config_stage_argv(&config, &config.stage2, &argv);
	assert_args(&argv, !python && python3 ? "python3|x.py" : "python|x.py");
	strvec_release(&argv);
	config_release(&config);
	free(python);
	free(python3);
}

static void assert_same_path(const char *a, const char *b)
{
	char *here = fs_absolute(".");
	char *absolute = a ? fs_join(here, a) : NULL;

	if (a && b)
		assert_string_equal(absolute, b);
	else
		assert_true(!a && !b);
	free(absolute);
	free(here);
}

static void assert_same_args(const struct strvec *a, const struct strvec *b)
{
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++)
		assert_string_equal(a->v[i], b->v[i]);
}

static void assert_same_numbers(const struct config_numbers *a, const struct config_numbers *b)
{
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++)
		assert_int_equal(a->v[i], b->v[i]);
}

static void assert_same_heap(const struct config_heap *a, const struct config_heap *b)
{
	assert_string_equal(a->recipe, b->recipe);
	assert_same_args(&a->crates, &b->crates);
	assert_same_numbers(&a->pids, &b->pids);
	assert_same_numbers(&a->at, &b->at);
	assert_true(!a->image == !b->image && (!a->image || !strcmp(a->image, b->image)));
	assert_true(a->snapshots == b->snapshots && a->interval_ns == b->interval_ns &&
		    a->periodic == b->periodic);
}

static void assert_same(const struct config *a, const struct config *b)
{
	assert_string_equal(a->name, b->name);
	assert_same_path(a->source, b->source);
	assert_same_path(a->output, b->output);
	assert_same_path(a->temp, b->temp);
	assert_same_path(a->wpa_profile, b->wpa_profile);
	assert_same_path(a->bootstrap_config, b->bootstrap_config);
	assert_int_equal(a->timeout_ns, b->timeout_ns);
	assert_same_args(&a->set, &b->set);
	assert_same_args(&a->stage1.command, &b->stage1.command);
	assert_same_args(&a->stage1.before, &b->stage1.before);
	assert_same_args(&a->stage1.env, &b->stage1.env);
	assert_same_args(&a->stage2.command, &b->stage2.command);
	assert_same_args(&a->stage2.before, &b->stage2.before);
	assert_same_args(&a->stage2.env, &b->stage2.env);
	assert_string_equal(a->recorder, b->recorder);
	assert_true(a->cpu == b->cpu && a->virtualalloc == b->virtualalloc && a->heap == b->heap &&
		    a->compress == b->compress);
	assert_int_equal(a->cpu_interval_ns, b->cpu_interval_ns);
	assert_int_equal(a->cpu_stacks, b->cpu_stacks);
	assert_int_equal(a->memory_stacks, b->memory_stacks);
	assert_int_equal(a->buffers_bytes, b->buffers_bytes);
	assert_int_equal(a->min_free_disk_bytes, b->min_free_disk_bytes);
	assert_int_equal(a->symbols, b->symbols);
	assert_int_equal(a->bundle_max_bytes, b->bundle_max_bytes);
	assert_same_args(&a->fail_if, &b->fail_if);
	assert_same_heap(&a->heap_job, &b->heap_job);
	assert_int_equal(a->tag_rules.nr, b->tag_rules.nr);
	for (size_t i = 0; i < a->tag_rules.nr; i++) {
		assert_int_equal(a->tag_rules.v[i].role, b->tag_rules.v[i].role);
		assert_string_equal(a->tag_rules.v[i].glob, b->tag_rules.v[i].glob);
	}
}

/* Write the configuration, read it under another directory, and compare. */
static void assert_round_trip(const char *text, const struct strvec *overrides)
{
	struct config config, again;
	struct strbuf copy = STRBUF_INIT;
	struct err err = ERR_INIT;

	load(text, overrides, &config);
	config_add_ini(&config, &copy);
	if (config_load_text("/elsewhere/config.ini", copy.buf, copy.len, NULL, &again, &err))
		fail_msg("%s\nin:\n%s", err.msg, copy.buf);
	assert_same(&config, &again);
	config_release(&again);

	/* Of the settings as they are given, the same ones are read. */
	assert_int_equal(config_read_entries(copy.buf, copy.len, &again), 0);
	strbuf_clear(&copy);
	config_add_entries(&again, &copy);
	config_release(&again);
	if (config_load_text("/elsewhere/config.ini", copy.buf, copy.len, NULL, &again, &err))
		fail_msg("%s\nin:\n%s", err.msg, copy.buf);
	assert_same(&config, &again);
	strbuf_release(&copy);
	config_release(&config);
	config_release(&again);
}

static void config_add_ini__any_value__reads_back(void **state)
{
	static const char *const values[] = {
		"plain",
		"a ; b",
		"; leading",
		"# leading",
		"\\; leading",
		"a \\; b \\\\; c \\# d",
		"\\ x",
		"trailing\\",
		"\"quoted\" 'too'",
		"[record]",
		"cpu = yes",
		"tab\tin\t;it",
		X100("0123456789"),
		X100("word and "),
		X100(" ; # \\; "),
		X100(";"),
		X100("#") X100("#"),
		X100("\\") X100("\\;"),
		"a" X100("   ") ";",
		X100("\xc3\xa4"),
		X100("\x80\x81"),
		X100("before = x "),
	};

	(void)state;
	assert_round_trip(LEAST, NULL);
	assert_round_trip(everything, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct strvec overrides = STRVEC_INIT;

		strvec_pushf(&overrides, "stage2.env.A=%s", values[i]);
		strvec_pushf(&overrides, "stage1.env.%s=%s", X10("LONG_NAME_1"), values[i]);
		strvec_pushf(&overrides, "bootstrap.rust.x=%s", values[i]);
		strvec_pushf(&overrides, "bundle.wpa-profile=%s", values[i]);
		strvec_pushf(&overrides, "run.source=/%s", values[i]);
		if (!strpbrk(values[i], "\"'") && !text_ends_with(values[i], "\\"))
			strvec_pushf(&overrides, "stage2.before=x \"%s\" y", values[i]);
		assert_round_trip(LEAST, &overrides);
		strvec_release(&overrides);
	}
}

static void config_add_ini__lists__read_back_over_many_lines(void **state)
{
	struct strvec overrides = STRVEC_INIT;

	(void)state;
	strvec_push(&overrides, "tag.link=" X100("a*, b? "));
	strvec_push(&overrides, "compare.fail-if=" X100("peak > +5%, size > 1 GB,"));
	assert_round_trip(LEAST, &overrides);
	strvec_release(&overrides);
}

static void config_read_entries__lines_that_are_none__are_counted(void **state)
{
	static const char text[] = "key = 1\n[stage2]\nnonsense\n; comment\n"
				   "command = a \\\n\tb ; c\n[unknown]\nkey = 1\n";
	struct config config = CONFIG_INIT;

	(void)state;
	assert_int_equal(config_read_entries(text, strlen(text), &config), 3);
	assert_int_equal(config.entries_nr, 1);
	assert_string_equal(config.entries[0].value, "a b");
	config_release(&config);
}

static void config_load__shipped__are_sound(void **state)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_list("configs", &names, &err), 0);
	assert_true(names.nr >= 6);
	for (size_t i = 0; i < names.nr; i++) {
		char *path = fs_join("configs", names.v[i]);
		struct config config;

		if (config_load(path, NULL, &config, &err))
			fail_msg("%s", err.msg);
		assert_true(config.stage1.command.nr > 2);
		/* The one that comes with the program is found without it, also from a copy elsewhere. */
		assert_null(config.wpa_profile);
		config_release(&config);
		free(path);
	}
	strvec_release(&names);
}

/* The table row "| `key` | default | ..." below the heading "## [section]". */
static void assert_documented(const char *page, const struct setting *setting)
{
	char *heading = xasprintf("\n## [%s]\n", setting->section);
	char *fallback = setting->fallback ? xasprintf("`%s`", setting->fallback)
					   : xstrdup(setting->required ? "**must be given**" : "");
	char *row = xasprintf("\n| `%s` | %s", setting->key, fallback);
	const char *at = strstr(page, heading);
	const char *next = at ? strstr(at + 1, "\n## ") : NULL;
	const char *found = at ? strstr(at, row) : NULL;

	if (!found || (next && found > next))
		fail_msg("docs/configuration.md: no row '%s' below '%s'", row + 1, heading + 1);
	free(heading);
	free(fallback);
	free(row);
}

static void settings__manual__names_every_key_and_default(void **state)
{
	struct strbuf page = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t count;
	const struct setting *table = setting_table(&count);

	(void)state;
	assert_int_equal(fs_read("docs/configuration.md", 1 << 20, &page, &err), 0);
	for (size_t i = 0; i < count; i++)
		assert_documented(page.buf, &table[i]);
	strbuf_release(&page);
}

static void config_load__manual__shows_real_errors(void **state)
{
	static const char text[] = "[run]\n"
				   "sorce = ../rust\n"
				   "timeout = 90\n"
				   "[stage1]\n"
				   "  command = python x.py build --stage 1\n"
				   "  env.A = true\n"
				   "[recrod]\n"
				   "cpu = yes\n"
				   "[record]\n"
				   "recorder = pref\n";
	struct strvec overrides = STRVEC_INIT;
	struct strbuf page = STRBUF_INIT, shown = STRBUF_INIT;
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	strvec_push(&overrides, "record.cpu-interval=1us");
	assert_int_equal(fs_read("docs/configuration.md", 1 << 20, &page, &err), 0);
	assert_int_equal(config_load_text("t.ini", text, strlen(text),
					  &(struct config_changes){ .set = overrides }, &config,
					  &err),
			 -1);
	strbuf_adds(&shown, "\n    ");
	for (const char *p = err.msg; *p; p++)
		strbuf_adds(&shown, *p == '\n' ? "\n    " : (char[]){ *p, '\0' });
	strbuf_adds(&shown, "\n");
	assert_non_null(strstr(page.buf, shown.buf));
	err_clear(&err);
	strbuf_release(&page);
	strbuf_release(&shown);
	strvec_release(&overrides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config_load__least__has_defaults),
		cmocka_unit_test(config_load__everything__fills_every_field),
		cmocka_unit_test(config_load__running_processes__need_no_build),
		cmocka_unit_test(config_load__command__replaces_the_bootstrap),
		cmocka_unit_test(config_load__commands__are_of_a_bootstrap_if_they_run_x_py),
		cmocka_unit_test(config_load__longest_line__is_whole),
		cmocka_unit_test(config_load__override__replaces_or_adds),
		cmocka_unit_test(config_load__name__comes_from_the_file),
		cmocka_unit_test(config_load__file__is_read_or_named),
		cmocka_unit_test(config_stage_argv__set__goes_to_its_place),
		cmocka_unit_test(config_before_argv__set__only_where_it_stands),
		cmocka_unit_test(config_stage_argv__python__is_the_one_there_is),
		cmocka_unit_test(config_add_ini__any_value__reads_back),
		cmocka_unit_test(config_add_ini__lists__read_back_over_many_lines),
		cmocka_unit_test(config_read_entries__lines_that_are_none__are_counted),
		cmocka_unit_test(config_load__shipped__are_sound),
		cmocka_unit_test(settings__manual__names_every_key_and_default),
		cmocka_unit_test(config_load__manual__shows_real_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
