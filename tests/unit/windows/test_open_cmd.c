/*
 * open.cmd, run by cmd.exe. This program is also the stand-in for WPA: if OPEN_CMD_LOG names a file, it writes its
 * arguments, its symbol path and that of its symcache there. As the stand-in for PowerShell it notes which program it is
 * asked about, and exits with OPEN_CMD_POWERSHELL.
 */
#include "rundir/open_script.h"

#include "platform/child.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "unit/windows/again.h"
#include "util/text.h"

#define WAIT (30 * NS_PER_S)

struct place {
	char *temp, *run, *tools, *log;
};

static int be_wpa(const char *log, int argc, char **argv)
{
	char *path = env_get("_NT_SYMBOL_PATH"), *symcache = env_get("_NT_SYMCACHE_PATH");
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 1; i < argc; i++)
		strbuf_addf(&text, "%s\n", argv[i]);
	strbuf_addf(&text, "%s\n%s\n", path ? path : "unset", symcache ? symcache : "unset");
	return fs_write_atomic(log, text.buf, text.len, &err) ? 1 : 0;
}

static int be_powershell(const char *log, int argc, char **argv)
{
	char *wpa = env_get("wpa"), *code = env_get("OPEN_CMD_POWERSHELL");
	char *asked = xasprintf("%s.asked", log);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 1; i < argc; i++)
		strbuf_addf(&text, "%s\n", argv[i]);
	strbuf_addf(&text, "%s\n", wpa ? wpa : "unset");
	return fs_write_atomic(asked, text.buf, text.len, &err) ? 1 : code ? atoi(code) : 0;
}

static void put(const char *dir, const char *name, const char *text, size_t len)
{
	struct err err = ERR_INIT;
	char *path = fs_join(dir, name);

	assert_int_equal(fs_write_atomic(path, text, len, &err), 0);
	free(path);
}

static void place_init(struct place *place, const char *run, const struct strvec *dirs)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *program, *wpa;

	place->temp = fs_temp_dir(&err);
	place->run = fs_join(place->temp, run);
	place->tools = fs_join(place->temp, "t\xc3\xb6ols (x86) & more");
	place->log = fs_join(place->temp, "log");
	assert_int_equal(fs_mkdir(place->run, &err), 0);
	assert_int_equal(fs_mkdir(place->tools, &err), 0);
	program = again_path();
	wpa = fs_join(place->tools, "wpa.exe");
	assert_int_equal(fs_copy(program, wpa, &err), 0);
	open_script_add_cmd(&text, dirs);
	put(place->run, RUN_OPEN_CMD, text.buf, text.len);
	put(place->run, RUN_ETL, "etl", 3);
	strbuf_release(&text);
	free(program);
	free(wpa);
}

static void place_release(struct place *place)
{
	struct err err = ERR_INIT;

	/* What was started may still hold its own file for a moment. */
	for (int i = 0; i < 100 && fs_remove_tree(place->temp, &err); i++) {
		err_clear(&err);
		clock_sleep(20 * NS_PER_MS);
	}
	free(place->temp);
	free(place->run);
	free(place->tools);
	free(place->log);
}

/* Start it as a file manager does; NAME=value in `more` goes to the environment. What it says is in `place->temp`. */
static int64_t start_open_cmd(const struct place *place, const char *more)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	char *said = fs_join(place->temp, "said");
	struct child_options options = { .argv = &argv, .env = &env, .output = said };
	struct err err = ERR_INIT;
	struct child child;

	strvec_push_nodup(&argv, fs_join(place->run, RUN_OPEN_CMD));
	strvec_pushf(&env, "OPEN_CMD_LOG=%s", place->log);
	/* A WPA that is installed here is not the one to be started. */
	strvec_push(&env, "ProgramFiles=C:\\nowhere");
	strvec_push(&env, "ProgramFiles(x86)=C:\\nowhere");
	strvec_push(&env, "LOCALAPPDATA=C:\\nowhere");
	strvec_push(&env, more);
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, WAIT));
	strvec_release(&argv);
	strvec_release(&env);
	free(said);
	return child.exit_code;
}

static char *read_log(const struct place *place)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < 1000 && !fs_exists(place->log); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(fs_read(place->log, 10000, &text, &err), 0);
	return strbuf_detach(&text);
}

static void assert_said(const struct place *place, const char *words)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *said = fs_join(place->temp, "said");

	assert_int_equal(fs_read(said, 10000, &text, &err), 0);
	if (!strstr(text.buf, words))
		fail_msg("it does not say '%s', but: %s", words, text.buf);
	assert_false(fs_exists(place->log));
	strbuf_release(&text);
	free(said);
}

static bool is_wine(void)
{
	return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

struct name_case {
	const char *run, *dir;
	bool beyond_wine; /* Wine's cmd.exe loses % in values, and knows no code page but one */
};

static const struct name_case name_cases[] = {
	{ "run", "C:\\rust\\bin", false },
	{ "a run & more (x86)", "C:\\a b & (c) ^d\\bin", false },
	{ "r\xc3\xbcn^!", "C:\\100% of %PATH%\\bin", false },
	{ "100% of it", "C:\\rust\\bin", true },
	{ "%PATH%", "C:\\r\xc3\xbcst\\bin", true },
};

static void check_names(const struct name_case *c)
{
	struct strvec dirs = STRVEC_INIT;
	struct place place;
	char *more, *log, *wanted;

	strvec_push(&dirs, c->dir);
	place_init(&place, c->run, &dirs);
	put(place.run, RUN_WPA_PROFILE, "<x/>", 4);
	more = xasprintf("WPT_PATH=%s", place.tools);
	assert_int_equal(start_open_cmd(&place, more), 0);
	log = read_log(&place);
	wanted = xasprintf("-i\n%s\\" RUN_ETL "\n-profile\n%s\\" RUN_WPA_PROFILE
			   "\n-symbols\nsrv*%s\\symbols\\pdb;%s\\" RUN_SYMBOLS
			   ";%s;" OPEN_SYSTEM_SYMBOLS
			   "\n%s\\symbols\\symcache*" OPEN_SYSTEM_SYMCACHE "\n",
			   place.run, place.run, place.run, place.run, c->dir, place.run);
	assert_string_equal(log, wanted);
	free(wanted);
	free(log);
	free(more);
	strvec_release(&dirs);
	place_release(&place);
}

static void open_cmd__any_names__arrive_as_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(name_cases); i++) {
		if (!name_cases[i].beyond_wine || !is_wine())
			check_names(&name_cases[i]);
	}
}

static void open_cmd__wpa_on_path__is_found_and_users_symbols_come_last(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	char *more, *log, *path = env_get("PATH");
	struct place place;

	(void)state;
	place_init(&place, "run", &dirs);
	_putenv("_NT_SYMBOL_PATH=D:\\my symbols;srv*https://example");
	_putenv("_NT_SYMCACHE_PATH=*D:\\my cache");
	more = xasprintf("PATH=%s;%s", path, place.tools);
	assert_int_equal(start_open_cmd(&place, more), 0);
	_putenv("_NT_SYMBOL_PATH=");
	_putenv("_NT_SYMCACHE_PATH=");
	log = read_log(&place);
	assert_non_null(strstr(log, "\\" RUN_SYMBOLS ";D:\\my symbols;srv*https://example\n*"));
	assert_non_null(strstr(log, "\\symbols\\symcache*D:\\my cache\n"));
	assert_null(strstr(log, "-profile"));
	free(log);
	free(more);
	free(path);
	place_release(&place);
}

/* A directory like that of Windows, with this program in it as PowerShell, or nothing. The caller frees it. */
static char *make_system(const struct place *place, bool empty)
{
	char *root = fs_join(place->temp, "system"), *program = again_path();
	char *dir = fs_join(root, "System32\\WindowsPowerShell\\v1.0");
	char *powershell = fs_join(dir, "powershell.exe");
	struct err err = ERR_INIT;

	assert_int_equal(fs_mkdir_all(empty ? root : dir, &err), 0);
	if (!empty)
		assert_int_equal(fs_copy(program, powershell, &err), 0);
	free(powershell);
	free(program);
	free(dir);
	return root;
}

/* Start open.cmd where PowerShell exits with `code` (NULL: there is none), with WPA in the directory of `variable`. */
static void start_with_powershell(const struct place *place, const char *code, const char *variable,
				  const char *dir)
{
	char *root = make_system(place, !code), *script = fs_join(place->run, RUN_OPEN_CMD);
	char *more = xasprintf("%s=%s", variable, dir);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	/* cmd.exe itself needs the real one. */
	strbuf_addf(&text, "@set \"SystemRoot=%s\"\r\n@set \"OPEN_CMD_POWERSHELL=%s\"\r\n", root,
		    code ? code : "0");
	assert_int_equal(fs_read(script, 100000, &text, &err), 0);
	put(place->run, RUN_OPEN_CMD, text.buf, text.len);
	assert_int_equal(start_open_cmd(place, more), 0);
	strbuf_release(&text);
	free(more);
	free(script);
	free(root);
}

/* What is there in the file, or "". The caller frees it. */
static char *read_asked(const struct place *place)
{
	char *path = xasprintf("%s.asked", place->log);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (fs_exists(path))
		assert_int_equal(fs_read(path, 10000, &text, &err), 0);
	free(path);
	return strbuf_detach(&text);
}

static void check_version(const char *code, bool symbols)
{
	struct strvec dirs = STRVEC_INIT;
	struct place place;
	char *log, *asked, *wpa;

	place_init(&place, "a run & more (x86)", &dirs);
	start_with_powershell(&place, code, "WPT_PATH", place.tools);
	log = read_log(&place);
	asked = read_asked(&place);
	wpa = xasprintf("\n%s\\wpa.exe\n", place.tools);
	assert_int_equal(!!strstr(log, "\n-symbols\n"), symbols);
	if (code) {
		assert_true(text_starts_with(asked, "-NoProfile\n-NonInteractive\n-Command\n$v="));
		assert_non_null(strstr(asked, " -lt 14393))) {exit 47}\n"));
		assert_true(text_ends_with(asked, wpa));
	} else {
		assert_string_equal(asked, "");
	}
	free(wpa);
	free(asked);
	free(log);
	place_release(&place);
}

static void open_cmd__wpa_before_symbols__is_started_without(void **state)
{
	(void)state;
	check_version("47", false);
	check_version("0", true);
	/* It may not run, or is not there, for which cmd.exe has 3. */
	check_version("1", true);
	check_version("3", true);
	check_version("-1", true);
	check_version(NULL, true);
}

static void open_cmd__wpa_of_the_store__is_not_asked_for_its_version(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct place place;
	char *apps, *from, *to, *log, *asked;

	(void)state;
	place_init(&place, "run", &dirs);
	apps = fs_join(place.temp, "Microsoft\\WindowsApps");
	from = fs_join(place.tools, "wpa.exe");
	to = fs_join(apps, "wpa.exe");
	assert_int_equal(fs_mkdir_all(apps, &err), 0);
	assert_int_equal(fs_rename(from, to, &err), 0);
	start_with_powershell(&place, "47", "LOCALAPPDATA", place.temp);
	log = read_log(&place);
	asked = read_asked(&place);
	assert_non_null(strstr(log, "\n-symbols\n"));
	assert_string_equal(asked, "");
	free(asked);
	free(log);
	free(to);
	free(from);
	free(apps);
	place_release(&place);
}

static void open_cmd__alone_in_a_directory__asks_to_unpack(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct place place;
	char *etl, *more;

	(void)state;
	place_init(&place, "run", &dirs);
	etl = fs_join(place.run, RUN_ETL);
	assert_int_equal(fs_remove(etl, &err), 0);
	more = xasprintf("WPT_PATH=%s", place.tools);
	assert_int_equal(start_open_cmd(&place, more), 1);
	assert_said(&place, "Unpack the whole bundle first");
	free(more);
	free(etl);
	place_release(&place);
}

static void open_cmd__no_wpa__says_where_it_is_to_be_had(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	struct place place;

	(void)state;
	place_init(&place, "run", &dirs);
	assert_int_equal(start_open_cmd(&place, "WPT_PATH="), 1);
	assert_said(&place, "The Windows Performance Analyzer is not found");
	place_release(&place);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_cmd__any_names__arrive_as_they_are),
		cmocka_unit_test(open_cmd__wpa_on_path__is_found_and_users_symbols_come_last),
		cmocka_unit_test(open_cmd__wpa_before_symbols__is_started_without),
		cmocka_unit_test(open_cmd__wpa_of_the_store__is_not_asked_for_its_version),
		cmocka_unit_test(open_cmd__alone_in_a_directory__asks_to_unpack),
		cmocka_unit_test(open_cmd__no_wpa__says_where_it_is_to_be_had),
	};
	char *log;

	program_start(&argc, &argv);
	log = env_get("OPEN_CMD_LOG");
	if (log && argc > 1 && !strcmp(argv[1], "-NoProfile"))
		return be_powershell(log, argc, argv);
	return log ? be_wpa(log, argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
