#include "tag/program.h"

#include <stdbool.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

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

enum program program_named(struct span file)
{
	char name[NAME_MAX_LEN];
	enum program program;

	if (!fold_name(file, name))
		return PROGRAM_UNKNOWN;
	if (!strncmp(name, "build-script-", 13) || !strncmp(name, "build_script_", 13))
		return PROGRAM_BUILD_SCRIPT;
	program = find_prefixed(name);
	if (program == PROGRAM_UNKNOWN && drop_version(name))
		program = find_prefixed(name);
	return program;
}
