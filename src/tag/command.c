#include "tag/command.h"

#include <string.h>

#include "tag/path.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/quote.h"
#include "util/text.h"

/* More levels than real commands have: env sh -c 'env sccache rustc'. */
#define MAX_DEPTH 8

#define NOT_FOUND ((size_t)-1)

/* Longer than any name below with a target prefix and a version suffix. */
#define NAME_MAX_LEN 96

struct program_row {
	enum program program;
	bool prefixed;     /* may have a target prefix: x86_64-linux-gnu-gcc */
	const char *names; /* lower case, separated by blanks */
};

static const struct program_row program_rows[] = {
	{ PROGRAM_RUSTC, false, "rustc clippy-driver" },
	{ PROGRAM_RUSTDOC, false, "rustdoc" },
	{ PROGRAM_CARGO, false, "cargo cargo-clippy cargo-miri cargo-fmt" },
	{ PROGRAM_BOOTSTRAP, false, "bootstrap" },
	{ PROGRAM_X_PY, false, "x x.py x.ps1 bootstrap.py" },
	{ PROGRAM_CC, true, "cc c++ gcc g++ clang clang++ c89 c99 gfortran" },
	{ PROGRAM_CC, false, "cpp tcc icx icpx" },
	{ PROGRAM_CC_MSVC, false, "cl clang-cl" },
	{ PROGRAM_CC_PASS, true, "as gas llvm-as windres" },
	{ PROGRAM_CC_PASS, false,
	  "cc1 cc1plus cc1obj cc1objplus f951 lto1 lto-wrapper nasm yasm ml ml64 armasm64 "
	  "rc mc cvtres llvm-rc llvm-windres llvm-ml" },
	{ PROGRAM_LINKER, true, "ld ld.bfd ld.gold gold ld.lld ld.mold" },
	{ PROGRAM_LINKER, false,
	  "collect2 lld rust-lld lld-wrapper ld64 ld64.lld wasm-ld wasm-component-ld mold "
	  "wild sold bpf-linker llvm-bitcode-linker" },
	{ PROGRAM_LINKER_MSVC, false, "link lld-link" },
	{ PROGRAM_LINK_STEP, true, "strip objcopy dwp" },
	{ PROGRAM_LINK_STEP, false,
	  "llvm-strip llvm-objcopy rust-objcopy llvm-dwp rust-llvm-dwp dsymutil mt" },
	{ PROGRAM_AR, true, "ar ranlib gcc-ar gcc-ranlib dlltool" },
	{ PROGRAM_AR, false, "llvm-ar llvm-ranlib lib llvm-lib llvm-dlltool libtool" },
	{ PROGRAM_CMAKE, false,
	  "cmake ctest ninja ninja-build samu make gmake nmake mingw32-make msbuild" },
	{ PROGRAM_QUERY, true, "nm readelf objdump size" },
	{ PROGRAM_QUERY, false,
	  "llvm-config llvm-nm llvm-readelf llvm-readobj llvm-objdump pkg-config pkgconf "
	  "vswhere ldd dumpbin where which xcode-select sw_vers" },
	{ PROGRAM_GIT, false, "git" },
	{ PROGRAM_SHELL, false, "sh bash dash ash zsh ksh" },
	{ PROGRAM_POWERSHELL, false, "powershell pwsh" },
	{ PROGRAM_CMD, false, "cmd" },
	{ PROGRAM_PYTHON, false, "python pythonw py pypy pyw" },
	{ PROGRAM_ENV, false, "env" },
	{ PROGRAM_CACHE, false, "sccache ccache distcc icecc buildcache cachepot" },
	{ PROGRAM_CACHE_CL, false, "sccache-plus-cl" },
	{ PROGRAM_PROXY, false, "rustup rustup-init" },
	{ PROGRAM_SYSTEM, false,
	  "time nice ionice nohup timeout stdbuf taskset sudo su setsid setarch xargs find "
	  "grep egrep sed awk gawk mawk cat cp mv rm ln ls mkdir rmdir touch chmod chown "
	  "install head tail tee tr cut sort uniq wc paste printf echo expr test true false "
	  "sleep date uname hostname id whoami nproc arch basename dirname readlink "
	  "realpath mktemp tar gzip xz zstd unzip bzip2 cmp diff patch curl wget ps kill "
	  "pgrep stty tput clear getconf lscpu free df du sync dd od xxd md5sum sha256sum "
	  "m4 perl node conhost tasklist taskkill findstr chcp reg systeminfo robocopy "
	  "xcopy nix-shell nix-build patchelf run-parts ldconfig" },
	{ PROGRAM_RECORDER, false, "perf wpr xperf wpa stagetrace strace ltrace samply" },
	{ PROGRAM_HELPER, false, "mspdbsrv vctip werfault compattelrunner" },
	{ PROGRAM_GENERATOR, false,
	  "llvm-tblgen llvm-min-tblgen clang-tblgen mlir-tblgen bison flex re2c protoc" },
};

/* A lower-case copy of the name; false: empty, or longer than any known name. */
static bool fold_name(struct span file, char name[NAME_MAX_LEN])
{
	if (!file.len || file.len >= NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < file.len; i++)
		name[i] = ascii_lower(file.s[i]);
	name[file.len] = '\0';
	return true;
}

/* Remove the version from gcc-12, python3.11, llvm-config-19, clang-14.0.6. False: there is none. */
static bool drop_version(char *name)
{
	size_t len = strlen(name);

	while (len > 1 && (ascii_is_digit(name[len - 1]) || name[len - 1] == '.'))
		len--;
	if (!name[len] || !ascii_is_digit(name[len + (name[len] == '.')]))
		return false;
	if (len > 1 && name[len - 1] == '-')
		len--;
	name[len] = '\0';
	return true;
}

static enum program find_name(const char *name, bool prefixed)
{
	for (size_t i = 0; i < ARRAY_SIZE(program_rows); i++)
		if ((!prefixed || program_rows[i].prefixed) &&
		    text_has_word(program_rows[i].names, name))
			return program_rows[i].program;
	return PROGRAM_UNKNOWN;
}

/* Look up the name, then the name without a prefix of at least two dashes, which may be a target triple. */
static enum program find_prefixed(const char *name)
{
	enum program program = find_name(name, false);
	size_t dashes = 0;

	for (const char *dash = strchr(name, '-'); dash && program == PROGRAM_UNKNOWN;
	     dash = strchr(dash + 1, '-'))
		if (++dashes >= 2)
			program = find_name(dash + 1, true);
	return program;
}

enum program program_of(const char *path)
{
	char name[NAME_MAX_LEN];
	enum program program;

	if (!fold_name(path_file(path), name))
		return PROGRAM_UNKNOWN;
	if (!strncmp(name, "build-script-", 13) || !strncmp(name, "build_script_", 13))
		return PROGRAM_BUILD_SCRIPT;
	program = find_prefixed(name);
	if (program == PROGRAM_UNKNOWN && drop_version(name))
		program = find_prefixed(name);
	return program;
}

/* The program by `exe`, or by argv[0] if `exe` is a program that behaves according to its name. */
static enum program first_program(const char *exe, const char *alias)
{
	enum program program = program_of(exe), called = alias ? program_of(alias) : program;

	switch (program) {
	case PROGRAM_UNKNOWN:
	case PROGRAM_PROXY:
	case PROGRAM_CACHE:
		return called == PROGRAM_UNKNOWN ? program : called;
	case PROGRAM_LINKER:
		return called == PROGRAM_LINKER_MSVC ? called : program;
	case PROGRAM_CC:
		return called == PROGRAM_CC_MSVC ? called : program;
	default:
		return program;
	}
}

static bool is_any(const char *arg, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal_fold(arg, words[i]))
			return true;
	return false;
}

/* Index of python's script, which follows the options; none with -c and -m. */
static size_t find_python_script(const struct strvec *argv, size_t i)
{
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (arg[0] != '-')
			return i;
		if (!strcmp(arg, "-c") || !strcmp(arg, "-m") || !strcmp(arg, "-"))
			return NOT_FOUND;
		if (!strcmp(arg, "-W") || !strcmp(arg, "-X"))
			i++;
	}
	return NOT_FOUND;
}

/* Index of the shell's script or, with -c (also -ec, -lc), of its command text; `*text` is set for a text. */
static size_t find_shell_script(const struct strvec *argv, size_t i, bool *text)
{
	*text = false;
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (arg[0] != '-' && arg[0] != '+')
			return i;
		if (arg[0] == '-' && arg[1] != '-' && strchr(arg, 'c'))
			*text = true;
		if (!strcmp(arg, "-o") || !strcmp(arg, "+o"))
			i++;
	}
	return NOT_FOUND;
}

static size_t find_powershell_script(const struct strvec *argv, size_t i, bool *text)
{
	static const char *const with_value[] = {
		"-ExecutionPolicy", "-ep",          "-ex",           "-Version",
		"-WindowStyle",     "-InputFormat", "-OutputFormat", "-WorkingDirectory"
	};
	static const char *const commands[] = { "-Command", "-c" };

	*text = false;
	for (; i < argv->nr; i++) {
		if (argv->v[i][0] != '-')
			return i;
		if (is_any(argv->v[i], with_value, ARRAY_SIZE(with_value)))
			i++;
		else if (is_any(argv->v[i], commands, ARRAY_SIZE(commands)))
			*text = i + 2 == argv->nr;
	}
	return NOT_FOUND;
}

/* Index of the command in `cmd /d /s /c COMMAND`: one text, or separate arguments. */
static size_t find_cmd_command(const struct strvec *argv, size_t i, bool *text)
{
	for (; i < argv->nr && argv->v[i][0] == '/'; i++)
		if (text_equal_fold(argv->v[i], "/c") && i + 1 < argv->nr) {
			*text = i + 2 == argv->nr;
			return i + 1;
		}
	return NOT_FOUND;
}

static size_t find_env_command(const struct strvec *argv, size_t i)
{
	for (; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (!strcmp(arg, "-u") || !strcmp(arg, "-C"))
			i++;
		else if (arg[0] != '-' && !strchr(arg, '='))
			return i;
	}
	return NOT_FOUND;
}

/* Index of the argument that an interpreter or wrapper runs, or NOT_FOUND. */
static size_t find_inner(const struct command *command, bool *text)
{
	const struct strvec *argv = command->argv;
	size_t first = command->first;

	*text = false;
	switch (command->program) {
	case PROGRAM_PYTHON:
		return find_python_script(argv, first);
	case PROGRAM_SHELL:
		return find_shell_script(argv, first, text);
	case PROGRAM_POWERSHELL:
		return find_powershell_script(argv, first, text);
	case PROGRAM_CMD:
		return find_cmd_command(argv, first, text);
	case PROGRAM_ENV:
		return find_env_command(argv, first);
	case PROGRAM_CACHE:
		return first < argv->nr && argv->v[first][0] != '-' ? first : NOT_FOUND;
	default:
		return NOT_FOUND;
	}
}

/* Split the text of -c if it is one simple command. Returns the index of the program in `words`, or NOT_FOUND. */
static size_t split_text(const char *text, struct strvec *words)
{
	struct err err = ERR_INIT;
	size_t i = 0;

	if (strpbrk(text, ";|<>`\n$(){}") || strstr(text, "&&") || quote_split(text, words, &err)) {
		err_clear(&err);
		return NOT_FOUND;
	}
	while (i < words->nr && (!strcmp(words->v[i], "exec") || !strcmp(words->v[i], "&") ||
				 !strcmp(words->v[i], "call")))
		i++;
	return i < words->nr ? i : NOT_FOUND;
}

/* Replace an interpreter or wrapper by the known program that it runs; false: there is none. */
static bool unwrap_once(struct command *command)
{
	const struct strvec *argv = command->argv;
	struct strvec words = STRVEC_INIT;
	enum program program;
	bool text, split = false;
	size_t at = find_inner(command, &text);

	if (at != NOT_FOUND && text) {
		at = split_text(argv->v[at], &words);
		argv = &words;
		split = true;
	}
	program = at == NOT_FOUND ? PROGRAM_UNKNOWN : program_of(argv->v[at]);
	if (program == PROGRAM_UNKNOWN || program == PROGRAM_SYSTEM) {
		if (at != NOT_FOUND && !split)
			command->script = argv->v[at];
		strvec_release(&words);
		return false;
	}
	if (split) {
		strvec_release(&command->split);
		command->split = words;
		command->argv = &command->split;
	}
	command->program = program;
	command->path = command->argv->v[at];
	command->alias = NULL;
	command->first = at + 1;
	command->wrapped = true;
	return true;
}

void command_resolve(const char *exe, const struct strvec *argv, struct command *command)
{
	const char *alias = argv->nr ? argv->v[0] : NULL;

	*command = (struct command){
		.path = exe && *exe ? exe : alias,
		.alias = exe && *exe ? alias : NULL,
		.argv = argv,
		.first = argv->nr ? 1 : 0,
		.split = STRVEC_INIT,
	};
	command->program = first_program(command->path, command->alias);
	for (int depth = 0; depth < MAX_DEPTH && unwrap_once(command); depth++)
		continue;
	if (command->program == PROGRAM_CACHE_CL) {
		command->program = PROGRAM_CC_MSVC;
		command->wrapped = true;
	}
}

void command_release(struct command *command)
{
	strvec_release(&command->split);
}
