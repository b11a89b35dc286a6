/* The shim, the rustc that it runs, and the programs that rustc and build scripts run. */
#include "tree.h"

#include <stdlib.h>
#include <wchar.h>

static const wchar_t *tool(const wchar_t *name)
{
	return text(L"%ls\\%ls.exe", env(L"TREE_TOOLS"), name);
}

/* The compiler of the stage, with what bootstrap adds. */
static int run_shim(int argc, wchar_t **argv, const wchar_t *crate, bool target)
{
	static struct command command;
	ULONGLONG start = GetTickCount64();
	/* Behind it stands its own name again, or not where a build script runs it. */
	int given = argc > 1 && wcsstr(argv[1], L"rustc.exe") ? 2 : 1;
	DWORD code;

	command_begin(&command, env(target ? L"RUSTC_REAL" : L"RUSTC_SNAPSHOT"));
	command_add_all(&command, argc - given, argv + given);
	command_add(&command, L"-Wrust_2018_idioms");
	if (target) {
		command_add(&command, L"--sysroot");
		command_add(&command, L"%ls", build(TRIPLE L"\\stage%ls", env(L"RUSTC_STAGE")));
	}
	command_add(&command, L"-Z");
	command_add(&command, L"force-unstable-if-unmarked");
	code = command_run(&command, NULL);
	if (crate)
		say(L"[RUSTC-TIMING] %ls test:false %.3f", crate,
		    (double)(GetTickCount64() - start) / 1000);
	return (int)code;
}

/* As rustc writes a command line that is too long for Windows, and for link.exe: in UTF-16, each in quotes. */
static DWORD link_crate(const wchar_t *crate, const wchar_t *type, const wchar_t *output)
{
	const wchar_t *dir = text(L"%ls\\rustc%lu \x00e4", env(L"TEMP"), GetCurrentProcessId()),
		      *file = text(L"%ls\\linker-arguments", dir);
	const wchar_t *const argv[] = {
		L"/NOLOGO",
		L"/NXCOMPAT",
		text(L"%ls.rcgu.o", output),
		L"/OPT:REF,NOICF",
		wcscmp(type, L"bin") ? L"/DLL" : L"/SUBSYSTEM:CONSOLE",
		L"/DEBUG",
		L"/PDBALTPATH:%_PDB%",
		text(L"/OUT:%ls", output),
	};
	static struct command command;
	DWORD code;

	if (!wcscmp(crate, L"rustc_main")) {
		/* [rust] lld = true. */
		command_begin(&command, tool(L"rust-lld"));
		command_add(&command, L"-flavor");
		command_add(&command, L"link");
		command_add_all(&command, ARRAYSIZE(argv), (wchar_t **)(uintptr_t)argv);
		return command_run(&command, NULL);
	}
	write_response(file, UTF16, true, ARRAYSIZE(argv), argv);
	command_begin(&command, tool(L"link"));
	command_add(&command, L"@%ls", file);
	code = command_run(&command, NULL);
	DeleteFileW(file);
	RemoveDirectoryW(dir);
	return code;
}

static int compile(int argc, wchar_t **argv, const wchar_t *crate)
{
	const wchar_t *type = value_of(argc, argv, L"--crate-type"),
		      *out = value_of(argc, argv, L"--out-dir");
	bool middle = !wcscmp(crate, L"rustc_middle");
	int stay = middle ? (int)(wcstod(env(L"TREE_SECONDS"), NULL) * 1000) : 0;
	const wchar_t *name = crate;

	if (stay && *env(L"TREE_UNTIL")) {
		stay_until((DWORD)stay);
		stay = 0;
	}
	work(middle ? 64 : 16, middle ? 250 : 100, stay > 250 ? stay : 250);
	if (!wcscmp(env(L"TREE_FAIL"), crate)) {
		say(L"error[E0308]: mismatched types");
		return 101;
	}
	if (!type || !out || !wcscmp(type, L"lib"))
		return 0;
	return (int)link_crate(crate, type,
			       text(L"%ls\\%ls-%ls.%ls", out, name, L"d77cdc2b7c93a93b",
				    wcscmp(type, L"bin") ? L"dll" : L"exe"));
}

static bool is_question(int argc, wchar_t **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!wcscmp(argv[i], L"-vV") || !wcscmp(argv[i], L"--version"))
			return true;
	}
	return false;
}

int run_compiler(int argc, wchar_t **argv)
{
	int count = argc;
	wchar_t **all = argv, self[1024];
	const wchar_t *crate;

	GetModuleFileNameW(NULL, self, ARRAYSIZE(self));
	expand(&count, &all);
	crate = value_of(count, all, L"--crate-name");
	if (wcsstr(self, L"\\bootstrap\\debug\\"))
		return run_shim(argc, argv, crate,
				is_question(count, all) || value_of(count, all, L"--target"));
	if (crate)
		return compile(count, all, crate);
	return 0;
}

/* psm and rustc_llvm compile C++ and pack it. */
static int run_build_script(void)
{
	static struct command command;
	const wchar_t *out = env(L"OUT_DIR");

	command_begin(&command, env(L"RUSTC"));
	command_add(&command, L"--version");
	if (command_run(&command, NULL))
		return 1;
	if (wcscmp(env(L"CARGO_PKG_NAME"), L"rustc_llvm"))
		return 0;
	command_begin(&command, tool(L"cl"));
	command_add(&command, L"-nologo");
	command_add(&command, L"-Zi");
	command_add(&command, L"-Fo%ls\\PassWrapper.o", out);
	command_add(&command, L"-c");
	command_add(&command, L"llvm-wrapper/PassWrapper.cpp");
	if (command_run(&command, NULL))
		return 1;
	command_begin(&command, tool(L"lib"));
	command_add(&command, L"-out:%ls\\libllvm-wrapper.a", out);
	command_add(&command, L"-nologo");
	command_add(&command, L"%ls\\PassWrapper.o", out);
	return (int)command_run(&command, NULL);
}

int run_tool(const wchar_t *name, int argc, wchar_t **argv)
{
	static struct command command;

	(void)argc;
	(void)argv;
	if (!wcscmp(name, L"build-script-build"))
		return run_build_script();
	if (!wcscmp(name, L"mspdbsrv")) {
		Sleep(300000);
		return 0;
	}
	/* Those that write into one .pdb at a time have a server do it, which lives on. */
	if (!wcscmp(name, L"cl")) {
		command_begin(&command, tool(L"mspdbsrv"));
		command_add(&command, L"-start");
		command_add(&command, L"-spawn");
		command_leave(&command);
	}
	work(8, 60, 250);
	return 0;
}
