#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* x.py and bootstrap.py, which have no Python to run them. */
static int run_x(int argc, wchar_t **argv)
{
	static struct command command;
	DWORD code;

	say(L"Building bootstrap");
	set_env(L"RUSTC", build(TRIPLE L"\\stage0\\bin\\rustc.exe"));
	set_env(L"CARGO_TARGET_DIR", build(L"bootstrap"));
	command_begin(&command, build(TRIPLE L"\\stage0\\bin\\cargo.exe"));
	command_add(&command, L"build");
	command_add(&command, L"--manifest-path");
	command_add(&command, L"%ls", source(L"src\\bootstrap\\Cargo.toml"));
	code = command_run(&command, NULL);
	if (code)
		return (int)code;
	command_begin(&command, build(L"bootstrap\\debug\\bootstrap.exe"));
	command_add_all(&command, argc - 1, argv + 1);
	return (int)command_run(&command, NULL);
}

/* With stage 0 the compiler of stage 1 is built, with that stage 2's. */
static int run_bootstrap(int argc, wchar_t **argv)
{
	const wchar_t *given = value_of(argc, argv, L"--stage");
	int stage = given ? _wtoi(given) : 2;
	static struct command command;

	say(L"Building compiler artifacts (stage%d -> stage%d, " TRIPLE L")", stage - 1, stage);
	set_env(L"RUSTC", build(L"bootstrap\\debug\\rustc.exe"));
	set_env(L"RUSTC_WRAPPER", build(L"bootstrap\\debug\\rustc.exe"));
	set_env(L"RUSTC_STAGE", text(L"%d", stage - 1));
	set_env(L"RUSTC_REAL", build(TRIPLE L"\\stage%d\\bin\\rustc.exe", stage - 1));
	set_env(L"RUSTC_SNAPSHOT", build(TRIPLE L"\\stage%d\\bin\\rustc.exe", stage - 1));
	set_env(L"CARGO_TARGET_DIR", build(TRIPLE L"\\stage%d-rustc", stage - 1));
	command_begin(&command, build(TRIPLE L"\\stage0\\bin\\cargo.exe"));
	command_add(&command, L"build");
	command_add(&command, L"--target");
	command_add(&command, TRIPLE);
	command_add(&command, L"--release");
	command_add(&command, L"--manifest-path");
	command_add(&command, L"%ls", source(L"compiler\\rustc\\Cargo.toml"));
	if (command_run(&command, env(L"TREE_SOURCE"))) {
		say(L"Build completed unsuccessfully in 0:00:03");
		return 1;
	}
	say(L"Creating a sysroot for stage%d compiler", stage);
	copy_self(build(TRIPLE L"\\stage%d\\bin\\rustc.exe", stage));
	return 0;
}

/* Where we are: x.exe is at the top of the checkout, and knows the others' places. */
static void find_checkout(const wchar_t *self)
{
	wchar_t *dir = _wcsdup(self), *slash = wcsrchr(dir, L'\\');

	*slash = L'\0';
	set_env(L"TREE_SOURCE", dir);
	set_env(L"TREE_TOOLS", text(L"%ls\\..\\VC Tools\\bin\\Hostx64\\x64", dir));
	free(dir);
}

static int play(const wchar_t *name, int argc, wchar_t **argv)
{
	if (!wcscmp(name, L"x"))
		return run_x(argc, argv);
	if (!wcscmp(name, L"bootstrap"))
		return run_bootstrap(argc, argv);
	if (!wcscmp(name, L"cargo"))
		return run_cargo(argc, argv);
	if (!wcscmp(name, L"rustc"))
		return run_compiler(argc, argv);
	return run_tool(name, argc, argv);
}

/* What -municode calls. */
int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
	wchar_t self[1024], name[64] = L"";
	const wchar_t *file;
	int code;

	GetModuleFileNameW(NULL, self, ARRAYSIZE(self));
	file = wcsrchr(self, L'\\') + 1;
	swprintf(name, ARRAYSIZE(name), L"%.*ls", (int)(wcslen(file) - wcslen(L".exe")), file);
	if (!wcscmp(name, L"pause")) {
		say(L"process %lu", GetCurrentProcessId());
		stay_until((DWORD)(wcstod(argv[1], NULL) * 1000));
		return argc > 2 ? _wtoi(argv[2]) : 0;
	}
	if (!wcscmp(name, L"x"))
		find_checkout(self);
	code = play(name, argc, argv);
	stay_to_be_seen();
	return code;
}
