/* cargo: runs the programs that build the compiler, in order, one at a time. */
#include "tree.h"

#include <wchar.h>

struct unit {
	const wchar_t *package, *crate, *type, *hash, *from;
	bool host;
	bool argfile; /* its arguments are too many for a command line */
	bool run;     /* a build script */
};

static const struct unit units[] = {
	{ L"libc", L"build_script_build", L"bin", L"22426c42f965f907",
	  L"vendor\\libc-0.2.169\\build.rs", true, false, true },
	{ L"rustc_macros", L"rustc_macros", L"proc-macro", L"3d1f0a6b7c8e9d10",
	  L"compiler\\rustc_macros\\src\\lib.rs", true, false, false },
	{ L"rustc_llvm", L"build_script_build", L"bin", L"c4c5873514479fd9",
	  L"compiler\\rustc_llvm\\build.rs", true, false, true },
	{ L"rustc_middle", L"rustc_middle", L"lib", L"5a0c1b2d3e4f6071",
	  L"compiler\\rustc_middle\\src\\lib.rs", false, true, false },
	{ L"rustc_driver", L"rustc_driver", L"dylib", L"d77cdc2b7c93a93b",
	  L"compiler\\rustc_driver\\src\\lib.rs", false, false, false },
	{ L"rustc-main", L"rustc_main", L"bin", L"0f97afcab82bb940",
	  L"compiler\\rustc\\src\\main.rs", false, false, false },
};

static const wchar_t *shim(void)
{
	return env(L"RUSTC_WRAPPER");
}

/* RUSTC and RUSTC_WRAPPER are both the shim. */
static void begin_rustc(struct command *command)
{
	command_begin(command, shim());
	command_add(command, L"%ls", env(L"RUSTC"));
}

static DWORD ask_version(void)
{
	static struct command command;

	if (*shim()) {
		begin_rustc(&command);
	} else {
		command_begin(&command, env(L"RUSTC"));
	}
	command_add(&command, L"-vV");
	return command_run(&command, NULL);
}

static const wchar_t *out_dir(const struct unit *unit)
{
	const wchar_t *target = env(L"CARGO_TARGET_DIR");

	if (unit->run)
		return text(L"%ls\\release\\build\\%ls-%ls", target, unit->package, unit->hash);
	return unit->host ? text(L"%ls\\release\\deps", target)
			  : text(L"%ls\\" TRIPLE L"\\release\\deps", target);
}

/* As cargo 1.84 has them, with a path with blanks in quotes where the source is. */
static int list_arguments(const struct unit *unit, const wchar_t *argv[32])
{
	const wchar_t *const all[] = {
		L"--crate-name",
		unit->crate,
		L"--edition=2021",
		unit->from,
		L"--error-format=json",
		L"--json=diagnostic-rendered-ansi,artifacts,future-incompat",
		L"--crate-type",
		unit->type,
		L"--emit=dep-info,link",
		L"-C",
		L"embed-bitcode=no",
		L"-C",
		L"codegen-units=16",
		L"-C",
		L"debuginfo=1",
		L"--cfg",
		L"feature=\"llvm\"",
		L"--check-cfg",
		L"cfg(feature, values(\"llvm\", \"max_level_info\"))",
		L"-C",
		text(L"metadata=%ls", unit->hash),
		L"-C",
		text(L"extra-filename=-%ls", unit->hash),
		L"--out-dir",
		out_dir(unit),
	};
	int count = 0;

	for (size_t i = 0; i < ARRAYSIZE(all); i++)
		argv[count++] = all[i];
	if (!unit->host) {
		argv[count++] = L"--target";
		argv[count++] = TRIPLE;
	}
	return count;
}

static DWORD compile(const struct unit *unit)
{
	const wchar_t *argv[32],
		*file = text(L"%ls\\cargo-argfile.\x00e4%lu", env(L"TEMP"), GetCurrentProcessId());
	int argc = list_arguments(unit, argv);
	static struct command command;
	DWORD code;

	begin_rustc(&command);
	if (unit->argfile) {
		write_response(file, UTF8, false, argc, argv);
		command_add(&command, L"@%ls", file);
	} else {
		for (int i = 0; i < argc; i++)
			command_add(&command, L"%ls", argv[i]);
	}
	code = command_run(&command, env(L"TREE_SOURCE"));
	if (unit->argfile)
		DeleteFileW(file);
	return code;
}

static DWORD run_script(const struct unit *unit)
{
	static struct command command;
	const wchar_t *program = text(L"%ls\\build-script-build.exe", out_dir(unit));

	set_env(L"OUT_DIR", text(L"%ls\\out", out_dir(unit)));
	copy_self(program);
	command_begin(&command, program);
	return command_run(&command, source(L"compiler"));
}

int run_cargo(int argc, wchar_t **argv)
{
	const wchar_t *manifest = value_of(argc, argv, L"--manifest-path");

	if (ask_version())
		return 101;
	/* bootstrap itself is always fresh. */
	if (!manifest || wcsstr(manifest, L"bootstrap"))
		return 0;
	for (size_t i = 0; i < ARRAYSIZE(units); i++) {
		const struct unit *unit = &units[i];

		set_env(L"CARGO_PKG_NAME", unit->package);
		if (compile(unit) || (unit->run && run_script(unit))) {
			say(L"error: could not compile `%ls`", unit->package);
			return 101;
		}
	}
	return 0;
}
