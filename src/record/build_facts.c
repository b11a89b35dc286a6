#include "record/build_facts.h"

#include <stdlib.h>
#include <string.h>

#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/program.h"
#include "record/bootstrap_setting.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "tag/argv.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

/* A version is the first line, no longer than this. */
#define VERSION_MAX 200

/* Values of variables are cut there: they are compared, not used. */
#define VARIABLE_MAX 4096

/* The identity of what was downloaded is a line in such a file. */
#define STAMP_MAX 4096

/* Directories of hosts that are looked at in the build directory. */
#define HOSTS_MAX 16

/* The first line of what the command prints with `--version`. */
static void add_version(const char *name, const struct strvec *command, struct system_facts *facts)
{
	struct err err = ERR_INIT;
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	int64_t exit_code = -1;

	strvec_push_all(&argv, command);
	strvec_push(&argv, "--version");
	if (!child_capture(&argv, NULL, 10 * NS_PER_S, &output, &exit_code, &err) && !exit_code) {
		size_t len = strcspn(output.buf, "\r\n");

		strbuf_set_len(&output, len < VERSION_MAX ? len : VERSION_MAX);
		system_facts_add(facts, "tools", name, output.buf);
	}
	err_clear(&err);
	strbuf_release(&output);
	strvec_release(&argv);
}

static void add_tool(const char *name, struct system_facts *facts)
{
	struct err err = ERR_INIT;
	struct strvec command = STRVEC_INIT;
	char *path = program_find_own(name, &err);

	/* For root the link is resolved, and what it leads to may act by the link's name: rustup does. */
	if (path && strcmp(fs_file_name(path), "rustup") != 0) {
		strvec_push(&command, path);
		add_version(name, &command, facts);
	}
	err_clear(&err);
	strvec_release(&command);
	free(path);
}

/*
 * The program that a variable names, as "clang-19" or "ccache gcc". For root only one that is searched for in PATH is run:
 * of a path nobody knows who can change it.
 */
static void add_named_tool(const struct record_plan *plan, const char *variable,
			   struct system_facts *facts)
{
	struct err err = ERR_INIT;
	struct strvec command = STRVEC_INIT;
	char *value = plan_variable(plan, variable), *path = NULL;

	if (value && !quote_split(value, &command, &err) && command.nr) {
		if (!strpbrk(command.v[0], "/\\"))
			path = program_find_own(command.v[0], &err);
		else if (!host_is_admin())
			path = fs_join(plan->source, command.v[0]);
	}
	if (path) {
		free(command.v[0]);
		command.v[0] = path;
		add_version(variable, &command, facts);
	}
	err_clear(&err);
	strvec_release(&command);
	free(value);
}

static void add_tools(const struct record_plan *plan, struct system_facts *facts)
{
	static const char *const always[] = { "cc", "c++", "ld", "cmake", "ninja" };
	/* A bootstrap brings its own compiler. */
	static const char *const of_bootstrap[] = { "python3", "python" };
	static const char *const of_others[] = { "rustc", "cargo" };
	static const char *const variables[] = { "CC", "CXX", "LD", "AR", "HOST_CC", "HOST_CXX" };
	bool bootstrap = config_is_bootstrap(plan->config);

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		add_tool(always[i], facts);
	for (size_t i = 0; i < 2; i++)
		add_tool(bootstrap ? of_bootstrap[i] : of_others[i], facts);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		add_named_tool(plan, variables[i], facts);
}

static void add_variable(const char *name, struct system_facts *facts)
{
	char *value = env_get(name);

	if (value && strlen(value) > VARIABLE_MAX)
		value[VARIABLE_MAX] = '\0';
	if (value)
		system_facts_add(facts, "environment", name, value);
	free(value);
}

/* CC_x86_64_unknown_linux_gnu and the like, which come before CC. */
static void add_variables_of_host(struct system_facts *facts)
{
	static const char *const names[] = { "AR", "CC", "CFLAGS", "CXX", "CXXFLAGS", "RANLIB" };
	static const char *const systems[] = { "unknown-linux-gnu", "unknown-linux-musl",
					       "pc-windows-msvc",   "pc-windows-gnu",
					       "unknown_linux_gnu", "unknown_linux_musl",
					       "pc_windows_msvc",   "pc_windows_gnu" };
	struct host host;

	host_read(&host);
	for (size_t i = 0; host.arch && i < ARRAY_SIZE(names) * ARRAY_SIZE(systems); i++) {
		const char *system = systems[i % ARRAY_SIZE(systems)];
		char *name = xasprintf("%s_%s%c%s", names[i / ARRAY_SIZE(systems)], host.arch,
				       system[strcspn(system, "-_")], system);

		add_variable(name, facts);
		free(name);
	}
	host_release(&host);
}

/* Those that change what compilers and builds do. None holds what should stay secret: there are no patterns. */
static void add_environment(struct system_facts *facts)
{
	static const char *const names[] = {
		"AR",
		"CARGO_BUILD_JOBS",
		"CARGO_BUILD_RUSTFLAGS",
		"CARGO_BUILD_TARGET",
		"CARGO_ENCODED_RUSTFLAGS",
		"CARGO_INCREMENTAL",
		"CC",
		"CFLAGS",
		"CI",
		"CMAKE_GENERATOR",
		"CPPFLAGS",
		"CXX",
		"CXXFLAGS",
		"GITHUB_ACTIONS",
		"HOST_AR",
		"HOST_CC",
		"HOST_CFLAGS",
		"HOST_CXX",
		"HOST_CXXFLAGS",
		"LD",
		"LDFLAGS",
		"LD_LIBRARY_PATH",
		"LD_PRELOAD",
		"LIBRARY_PATH",
		"MACOSX_DEPLOYMENT_TARGET",
		"MAKEFLAGS",
		"MALLOC_ARENA_MAX",
		"MALLOC_CONF",
		"MALLOC_MMAP_THRESHOLD_",
		"MALLOC_TOP_PAD_",
		"MALLOC_TRIM_THRESHOLD_",
		"NINJAFLAGS",
		"NUM_JOBS",
		"RUST_BOOTSTRAP_CONFIG",
		"RUST_MIN_STACK",
		"RUSTC",
		"RUSTC_BOOTSTRAP",
		"RUSTC_WRAPPER",
		"RUSTC_WORKSPACE_WRAPPER",
		"RUSTFLAGS",
		"RUSTFLAGS_BOOTSTRAP",
		"RUSTFLAGS_NOT_BOOTSTRAP",
		"RUSTFLAGS_STAGE_1",
		"RUSTFLAGS_STAGE_2",
		"RUSTUP_TOOLCHAIN",
		"SOURCE_DATE_EPOCH",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_variable(names[i], facts);
	add_variables_of_host(facts);
}

/* "-j4", "-j 4", "--jobs 4", "--jobs=4"; NULL: none is given. */
static const char *jobs_of_command(const struct strvec *argv)
{
	const char *value = NULL;

	for (size_t i = 1; i < argv->nr && !value; i++) {
		value = argv_take_value(argv, &i, "-j");
		if (!value)
			value = argv_take_value(argv, &i, "--jobs");
	}
	return value;
}

/* What x.py and cargo take without a number: the processors of this machine, or of its control group. */
static int64_t default_jobs(void)
{
	struct host_system system;
	struct host host;
	int64_t jobs;

	host_read(&host);
	host_system_read(&system);
	jobs = host.cpus;
	if (system.group.processors_milli > 0 && jobs * 1000 > system.group.processors_milli)
		jobs = system.group.processors_milli < 1000 ? 1
							    : system.group.processors_milli / 1000;
	host_system_release(&system);
	host_release(&host);
	return jobs;
}

/* How many jobs run at a time: what the command says, else the settings of x.py, or cargo's variable. */
static void add_jobs(const struct record_plan *plan, struct system_facts *facts)
{
	const char *given = jobs_of_command(&plan->stage2);
	char *set = given                               ? NULL
		    : config_is_bootstrap(plan->config) ? bootstrap_setting(plan, "build", "jobs")
							: plan_variable(plan, "CARGO_BUILD_JOBS");
	int64_t jobs;

	if (!given)
		given = set;
	if (!given || !text_parse_int(given, 1, INT32_MAX, &jobs))
		jobs = default_jobs();
	if (jobs > 0)
		system_facts_add_number(facts, "build", "jobs", jobs);
	free(set);
}

void build_facts_add_given(const struct record_plan *plan, struct system_facts *facts)
{
	add_tools(plan, facts);
	add_environment(facts);
	add_jobs(plan, facts);
}

static void add_hash(struct system_facts *facts, const char *section, const char *key,
		     const char *dir, const char *name)
{
	struct err err = ERR_INIT;
	char sha256[HASH_TEXT_SIZE];
	int64_t size;

	if (!hash_file(dir, name, sha256, &size, &err))
		system_facts_add(facts, section, key, sha256);
	err_clear(&err);
}

static void add_files(const struct record_plan *plan, struct system_facts *facts)
{
	/* Where rustc and the usual projects have them; which compiler and which LLVM are downloaded. */
	static const char *const names[] = {
		"Cargo.lock",
		"library/Cargo.lock",
		"src/bootstrap/Cargo.lock",
		"compiler/rustc_codegen_cranelift/Cargo.lock",
		"compiler/rustc_codegen_gcc/Cargo.lock",
		"rust-toolchain",
		"rust-toolchain.toml",
		".cargo/config.toml",
		"src/stage0",
		"src/stage0.json",
		"src/stage0.txt",
		"src/bootstrap/download-ci-llvm-stamp",
		"src/version",
	};
	char *toml = bootstrap_toml(plan);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_hash(facts, "files", names[i], plan->source, names[i]);
	/* Whatever its name is, it is the same file to the build: that which the run has. */
	if (toml) {
		char *dir = fs_dirname(toml);

		add_hash(facts, "files", RUN_BOOTSTRAP_TOML, dir, fs_file_name(toml));
		free(dir);
	}
	free(toml);
}

/* The first line of a stamp, which bootstrap writes when it has unpacked what it downloaded. */
static bool add_stamp(struct system_facts *facts, const char *section, const char *key,
		      const char *dir, const char *name)
{
	char *path = fs_join(dir, name);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool found = fs_size(path) >= 0 && !fs_read(path, STAMP_MAX, &text, &err);

	err_clear(&err);
	strbuf_set_len(&text, strcspn(text.buf, "\r\n"));
	found = found && text.len;
	if (found)
		system_facts_add(facts, section, key, text.buf);
	strbuf_release(&text);
	free(path);
	return found;
}

/* Which compiler is stage 0, and which LLVM was downloaded, in the build directory of a host. */
static void add_host_dir(const char *dir, const char *host, bool llvm, struct system_facts *facts)
{
	char *stage0 = fs_join(dir, "stage0"), *ci_llvm = fs_join(dir, "ci-llvm");

	if (llvm && fs_is_dir(ci_llvm))
		add_stamp(facts, "ci_llvm", host, ci_llvm, ".llvm-stamp");
	if (!llvm && fs_is_dir(stage0) && !add_stamp(facts, "stage0", host, stage0, ".rustc-stamp"))
		add_hash(facts, "stage0", host, stage0, "bin/rustc");
	free(stage0);
	free(ci_llvm);
}

static void add_toolchains(const struct record_plan *plan, struct system_facts *facts)
{
	struct strvec hosts = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *build = bootstrap_build_dir(plan);

	if (!fs_is_dir(build) || fs_list(build, &hosts, &err))
		strvec_clear(&hosts);
	for (int llvm = 0; llvm < 2; llvm++) {
		for (size_t i = 0; i < hosts.nr && i < HOSTS_MAX; i++) {
			char *dir = fs_join(build, hosts.v[i]);

			/* "host" is a link to one of the others. */
			if (fs_is_dir(dir) && !fs_is_link(dir))
				add_host_dir(dir, hosts.v[i], llvm, facts);
			free(dir);
		}
	}
	err_clear(&err);
	strvec_release(&hosts);
	free(build);
}

void build_facts_add_made(const struct record_plan *plan, struct system_facts *facts)
{
	add_files(plan, facts);
	if (config_is_bootstrap(plan->config))
		add_toolchains(plan, facts);
}
