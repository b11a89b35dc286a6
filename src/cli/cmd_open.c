#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "config/shipped.h"
#include "platform/below.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/launch.h"
#include "platform/program.h"
#include "platform/shell.h"
#include "profiler/etw/etw_output.h"
#include "profiler/etw/etw_tool.h"
#include "rundir/layout.h"
#include "rundir/open_script.h"
#include "rundir/source.h"
#include "rundir/symbol_dirs.h"
#include "trace/trace_reader.h"
#include "util/array.h"
#include "util/print.h"
#include "util/strbuf.h"
#include "util/text.h"

struct open_values {
	const char *run;
	bool dry_run;
	bool trust;
	bool quiet;
};

static const struct opt option_rows[] = {
	{ 0, "dry-run", OPT_FLAG, NULL, "only print what would be run",
	  offsetof(struct open_values, dry_run), NULL },
	{ 0, "trust", OPT_FLAG, NULL,
	  "let WPA search for symbols on other machines that the run names; Windows sends them "
	  "your user name",
	  offsetof(struct open_values, trust), NULL },
	QUIET_OPTION(offsetof(struct open_values, quiet)),
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "RUN", "a run directory, or a bare .etl file", false, OPT_ONE,
	  offsetof(struct open_values, run) },
	OPT_ARG_END,
};

/* The trace and the profile to show. */
struct target {
	char *dir; /* of the run; NULL: a bare trace */
	char *etl;
	char *profile; /* NULL: none is found */
	struct strvec dirs;
};

#define SYMBOL_PATH   "_NT_SYMBOL_PATH"
#define SYMCACHE_PATH "_NT_SYMCACHE_PATH"

/* The first version of WPA that knows -symbols: 10.0.14393 of 2016. */
#define KNOWS_SYMBOLS "10.0.14393"

static const struct {
	const char *variable, *below;
} wpa_dirs[] = {
	{ "WPT_PATH", "wpa.exe" },
	{ "ProgramFiles(x86)", OPEN_WPA_BELOW_PROGRAMS },
	{ "ProgramFiles", OPEN_WPA_BELOW_PROGRAMS },
	{ "LOCALAPPDATA", "Microsoft\\WindowsApps\\wpa.exe" },
};

static char *find_installed(void)
{
	if (!host_is_windows())
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(wpa_dirs); i++) {
		char *dir = env_get(wpa_dirs[i].variable);
		char *path = dir ? fs_join(dir, wpa_dirs[i].below) : NULL;
		bool found = path && fs_exists(path);

		free(dir);
		if (found)
			return path;
		free(path);
	}
	return fs_find_program("wpa.exe");
}

/*
 * Find WPA: the program that STAGETRACE_WPA names, on any system, even if it does not exist. Without that variable,
 * on Windows: wpa.exe in the directory WPT_PATH, of the Windows ADK, of the Microsoft Store, or in PATH. NULL: there is
 * none. The caller frees it.
 */
static char *find_wpa(void)
{
	char *named = env_get("STAGETRACE_WPA"), *found;

	if (!named)
		return find_installed();
	found = fs_find_program(named);
	if (!found)
		return named;
	free(named);
	return found;
}

/* Find the profile: the one in the run, else that of this installation. */
static void find_profile(struct target *target)
{
	char *own = target->dir ? fs_join(target->dir, RUN_WPA_PROFILE) : NULL;

	if (own && below_find(target->dir, RUN_WPA_PROFILE) == BELOW_FILE) {
		target->profile = own;
		return;
	}
	free(own);
	target->profile = shipped_find("profiles/" RUN_WPA_PROFILE);
	if (!target->profile)
		message_printf("note: ",
			       "no " RUN_WPA_PROFILE " is in the run or installed with stagetrace: "
			       "WPA shows its own views");
}

#define NAMED_MAX 3

/* Take the directories out of the symbol path that the run may not name, and print which. */
static void drop_dirs(struct strvec *dirs, bool trust)
{
	struct strbuf named = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < dirs->nr;) {
		enum symbol_dir_kind kind = symbol_dir_kind(dirs->v[i]);

		if (kind == SYMBOL_DIR_LOCAL || (kind == SYMBOL_DIR_OTHER && trust)) {
			i++;
			continue;
		}
		if (nr++ < NAMED_MAX)
			strbuf_addf(&named, "%s'%s'", nr > 1 ? ", " : "", dirs->v[i]);
		strvec_remove(dirs, i);
	}
	if (nr > NAMED_MAX)
		strbuf_addf(&named, " and %zu more", nr - NAMED_MAX);
	if (nr)
		message_printf(
			"warning: ",
			"left out of the symbol path: %s (not directories of this machine%s)",
			named.buf, trust ? "" : "; --trust keeps shares and servers");
	strbuf_release(&named);
}

/*
 * A run whose processes cannot be read still has a trace to show. One with links or the like is not opened, as WPA would
 * follow them.
 */
static int find_symbols(struct target *target, bool trust, struct err *err)
{
	struct process_list processes = PROCESS_LIST_INIT;
	struct run_source *source = NULL;
	struct manifest manifest;
	struct err unread = ERR_INIT;
	int64_t damaged = 0;

	if (run_source_open(target->dir, &source, err))
		return -1;
	strvec_push_nodup(&target->dirs, fs_join(target->dir, RUN_SYMBOLS));
	manifest_init(&manifest);
	if (run_source_manifest(source, &manifest, &unread) ||
	    run_source_processes(source, &processes, &damaged, NULL, &unread))
		message_print("warning: ", unread.msg);
	symbol_dirs_add(&processes, manifest.source, &target->dirs);
	drop_dirs(&target->dirs, trust);
	err_clear(&unread);
	process_list_release(&processes);
	manifest_release(&manifest);
	run_source_free(source);
	return 0;
}

static int refuse_without_etl(const char *run, const char *dir, struct err *err)
{
	if (below_size(dir, RUN_PERF_DATA) >= 0)
		return err_set(
			err, ERR_UNSUPPORTED,
			"'%s' was recorded by perf, which WPA does not read: 'stagetrace cpu %s', "
			"'stagetrace memory %s' and the other views do, and 'stagetrace convert "
			"%s' puts a " RUN_ETL " for WPA into it",
			run, run, run, run);
	if (below_size(dir, RUN_MANIFEST) >= 0)
		return err_set(err, ERR_NOT_FOUND,
			       "'%s' has no trace: there is no " RUN_ETL
			       " in it; 'stagetrace processes %s' shows what was recorded",
			       run, run);
	return err_set(err, ERR_NOT_FOUND,
		       "'%s' is not a run: it has neither a " RUN_MANIFEST " nor a " RUN_ETL, run);
}

static int find_trace(const char *run, struct target *target, struct err *err)
{
	char *path = fs_absolute(run);

	if (!path)
		return err_set(err, ERR_NOT_FOUND, "there is no run '%s'", run);
	if (!fs_is_dir(path)) {
		target->etl = path;
		if (run_source_takes(path))
			return err_set(
				err, ERR_UNSUPPORTED,
				"'%s' is a zip file, which WPA does not read: unpack it, then open "
				"the directory or the .etl file in it",
				run);
		if (!text_ends_with(path, ".etl") && !text_ends_with(path, ".ETL"))
			return err_set(err, ERR_UNSUPPORTED,
				       "'%s' is neither a run directory nor an .etl file", run);
		return 0;
	}
	target->dir = path;
	target->etl = fs_join(path, RUN_ETL);
	/* WPA would follow a link, to whatever file. */
	switch (below_find(path, RUN_ETL)) {
	case BELOW_FILE:
		return 0;
	case BELOW_NOTHING:
		return refuse_without_etl(run, path, err);
	default:
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is not a regular file, and a run has no others: put the trace "
			       "itself there",
			       target->etl);
	}
}

static void print_view(const char *view, const char *run)
{
	struct strbuf sb = STRBUF_INIT;

	shell_add_word(&sb, run);
	print_textf(stdout, "    stagetrace %-10s %s\n", view, sb.buf);
	strbuf_release(&sb);
}

/* Whether the views can read the trace. If not, they show only what the run says about its processes. */
static bool is_readable(const char *etl)
{
	struct trace_options options = { .base_ns = TRACE_BASE_FIRST, .threads = 1 };
	struct trace_reader *reader = NULL;
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	bool readable;

	strvec_push(&paths, etl);
	readable = !trace_reader_open(&paths, &options, &reader, &err);
	strvec_release(&paths);
	trace_reader_free(reader);
	err_clear(&err);
	return readable;
}

/* Print what to do on a system without WPA. */
static void explain(const struct open_values *values, const struct target *target)
{
	const char *name = text_file_name(target->dir ? target->dir : target->etl);
	bool readable = is_readable(target->etl);

	print_textf(stdout,
		    "The Windows Performance Analyzer runs on Windows only. There:\n\n"
		    "    stagetrace open \"%s\"\n",
		    name);
	if (target->dir && below_size(target->dir, RUN_OPEN_CMD) >= 0)
		puts("\nor, without stagetrace, start " RUN_OPEN_CMD " in the run's directory.");
	if (target->dir || readable) {
		puts("\nHere:\n");
		print_view("system", values->run);
		print_view("processes", values->run);
		print_view("tree", values->run);
	}
	if (readable) {
		print_view("cpu", values->run);
		print_view("memory", values->run);
	}
}

/* The PDBs in the run first, then the directories of its compilers, then what the user has. */
static char *symbol_path(const struct target *target)
{
	char *users = env_get(SYMBOL_PATH);
	struct strbuf path = STRBUF_INIT;

	if (target->dir) {
		char *pdbs = fs_join(target->dir, RUN_PDBS), *store = etw_tool_path(pdbs);

		strbuf_addf(&path, "srv*%s;", store);
		free(store);
		free(pdbs);
	}
	for (size_t i = 0; i < target->dirs.nr; i++) {
		char *dir = etw_tool_path(target->dirs.v[i]);

		strbuf_addf(&path, "%s;", dir);
		free(dir);
	}
	strbuf_adds(&path, users ? users : OPEN_SYSTEM_SYMBOLS);
	free(users);
	return strbuf_detach(&path);
}

/*
 * WPA writes into the first of the directories, and reads from the others too: a bundle that is made later takes along what
 * it found. A "*" at the start means that nothing is to be written. NULL: there is no run, nothing changes.
 */
static char *symcache_path(const struct target *target)
{
	char *users = env_get(SYMCACHE_PATH), *path = NULL;

	if (target->dir) {
		char *dir = fs_join(target->dir, RUN_SYMCACHE), *own = etw_tool_path(dir);

		if (users && *users == '*')
			path = xasprintf("*%s%s", own, users);
		else
			path = xasprintf("%s*%s", own, users ? users : OPEN_SYSTEM_SYMCACHE);
		free(own);
		free(dir);
	}
	free(users);
	return path;
}

/* What does not say its version, as that of the Microsoft Store, is newer. */
static bool knows_symbols(const char *program)
{
	char *version = program_version(program);
	bool old = version && etw_version_compare(etw_version_read(version),
						  etw_version_read(KNOWS_SYMBOLS)) < 0;

	free(version);
	return !old;
}

/* Append the program and its arguments to `argv`, and NAME=value for its environment to `env`. */
static void add_wpa_command(const struct target *target, const char *program, struct strvec *argv,
			    struct strvec *env)
{
	char *symbols = symbol_path(target), *symcache = symcache_path(target);

	strvec_push(argv, program);
	strvec_push(argv, "-i");
	strvec_push_nodup(argv, etw_tool_path(target->etl));
	if (target->profile) {
		strvec_push(argv, "-profile");
		strvec_push_nodup(argv, etw_tool_path(target->profile));
	}
	if (knows_symbols(program))
		strvec_push(argv, "-symbols");
	strvec_pushf(env, SYMBOL_PATH "=%s", symbols);
	if (symcache)
		strvec_pushf(env, SYMCACHE_PATH "=%s", symcache);
	free(symcache);
	free(symbols);
}

static int start(const struct open_values *values, const struct target *target, const char *program,
		 struct err *err)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	int rc = 0;

	add_wpa_command(target, program, &argv, &env);
	if (!values->dry_run)
		rc = launch(&argv, &env, err);
	if (!rc) {
		for (size_t i = 0; i < env.nr; i++)
			print_textf(stdout, "set \"%s\"\n", env.v[i]);
		for (size_t i = 0; i < argv.nr; i++)
			print_textf(stdout, "%s\"%s\"", i ? " " : "", argv.v[i]);
		puts("");
	}
	strvec_release(&argv);
	strvec_release(&env);
	return rc;
}

static int open_target(const struct open_values *values, struct target *target, struct err *err)
{
	char *program;
	int rc = 0;

	if (find_trace(values->run, target, err))
		return -1;
	program = find_wpa();
	if (!program && host_is_windows())
		return err_set(
			err, ERR_NOT_FOUND,
			"cannot find the Windows Performance Analyzer: install it from the "
			"Microsoft Store or with the Windows ADK, or set WPT_PATH to the directory "
			"of wpa.exe");
	if (!program) {
		explain(values, target);
		return 0;
	}
	if (target->dir)
		rc = find_symbols(target, values->trust, err);
	if (!rc) {
		find_profile(target);
		rc = start(values, target, program, err);
	}
	free(program);
	return rc;
}

static int run_open(const void *data, struct err *err)
{
	const struct open_values *values = data;
	struct target target = { .dirs = STRVEC_INIT };
	int rc;

	if (values->quiet)
		message_set_quiet();
	rc = open_target(values, &target, err);
	free(target.dir);
	free(target.etl);
	free(target.profile);
	strvec_release(&target.dirs);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command open_command = {
	.name = "open",
	.summary = "show a run's ETL trace in the Windows Performance Analyzer",
	.details =
		"Starts WPA with the rustc profile and its stack tags, and has it load symbols: of "
		"the run, then of the directories of the compilers that ran. The "
		"command prints how WPA was started and does not wait for it. On systems "
		"other than Windows it prints what to do there.",
	.syntax = { groups, args, sizeof(struct open_values) },
	.examples = { { "Show a run of Windows in WPA; elsewhere print how, and what can be seen "
			"here",
			"stagetrace open run" },
		      { "The same for a recording of perf",
			"stagetrace convert perf.data -o perf.etl && stagetrace open perf.etl" } },
	.run = run_open,
};
