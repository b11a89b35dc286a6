#include "rundir/open_script.h"

#include <stdbool.h>
#include <string.h>

#include "rundir/layout.h"
#include "rundir/symbol_dirs.h"

const char open_script_sh[] =
	"#!/bin/sh\n"
	"# The processes of this run, the longest first. More: stagetrace help\n"
	"exec stagetrace processes \"$(dirname \"$0\")\" --sort duration_ns \"$@\"\n";

/* 47 is no code of cmd.exe, as 3 and 9009 are: there is no such program. */
/* clang-format off */
static const char head[] =
	"@echo off\r\n"
	"rem Opens this run's trace in the Windows Performance Analyzer, as 'stagetrace open' does.\r\n"
	"setlocal EnableExtensions DisableDelayedExpansion\r\n"
	"if not exist \"%~dp0" RUN_ETL "\" goto no_trace\r\n"
	"set \"wpa=\"\r\n"
	"set \"below=" OPEN_WPA_BELOW_PROGRAMS "\"\r\n"
	"if defined WPT_PATH if exist \"%WPT_PATH%\\wpa.exe\" set \"wpa=%WPT_PATH%\\wpa.exe\"\r\n"
	"if not defined wpa if exist \"%ProgramFiles(x86)%\\%below%\" set \"wpa=%ProgramFiles(x86)%\\%below%\"\r\n"
	"if not defined wpa if exist \"%ProgramFiles%\\%below%\" set \"wpa=%ProgramFiles%\\%below%\"\r\n"
	"set \"below=Microsoft\\WindowsApps\\wpa.exe\"\r\n"
	"set \"symbols=-symbols\"\r\n"
	"if not defined wpa if exist \"%LOCALAPPDATA%\\%below%\" set \"wpa=%LOCALAPPDATA%\\%below%\"& goto known\r\n"
	"if not defined wpa for %%i in (wpa.exe) do set \"wpa=%%~$PATH:i\"\r\n"
	"if not defined wpa goto no_wpa\r\n"
	"rem WPA before 10.0.14393 refuses -symbols. If its version cannot be read, it is taken for a newer one.\r\n"
	"\"%SystemRoot%\\System32\\WindowsPowerShell\\v1.0\\powershell.exe\" -NoProfile -NonInteractive -Command "
		"\"$v=(Get-Item -LiteralPath $env:wpa).VersionInfo; if ($v.FileMajorPart -gt 0 -and ($v.FileMajorPart -lt 10 -or "
		"($v.FileMajorPart -eq 10 -and $v.FileMinorPart -eq 0 -and $v.FileBuildPart -lt 14393))) {exit 47}\" <nul >nul 2>nul\r\n"
	"if %errorlevel%==47 set \"symbols=\"\r\n"
	":known\r\n"
	"if not defined _NT_SYMBOL_PATH set \"_NT_SYMBOL_PATH=" OPEN_SYSTEM_SYMBOLS "\"\r\n"
	"if not defined _NT_SYMCACHE_PATH set \"_NT_SYMCACHE_PATH=" OPEN_SYSTEM_SYMCACHE "\"\r\n"
	"rem Into the first directory WPA writes, unless all of it begins with *.\r\n"
	"set \"first=\"\r\n"
	"set \"then=*\"\r\n"
	"if \"%_NT_SYMCACHE_PATH:~0,1%\"==\"*\" set \"first=*\"\r\n"
	"if \"%_NT_SYMCACHE_PATH:~0,1%\"==\"*\" set \"then=\"\r\n"
	"set \"_NT_SYMCACHE_PATH=%first%%~dp0symbols\\symcache%then%%_NT_SYMCACHE_PATH%\"\r\n";

static const char tail[] =
	"set \"profile=\"\r\n"
	"if exist \"%~dp0" RUN_WPA_PROFILE "\" set profile=-profile \"%~dp0" RUN_WPA_PROFILE "\"\r\n"
	"start \"\" \"%wpa%\" -i \"%~dp0" RUN_ETL "\" %profile% %symbols%\r\n"
	"exit /b %errorlevel%\r\n"
	"\r\n"
	":no_trace\r\n"
	"echo There is no " RUN_ETL " in the directory of this file. Unpack the whole bundle first, and start open.cmd there.\r\n"
	"pause\r\n"
	"exit /b 1\r\n"
	"\r\n"
	":no_wpa\r\n"
	"echo The Windows Performance Analyzer is not found. It is in the Microsoft Store and in the Windows ADK;\r\n"
	"echo WPT_PATH may name the directory of its wpa.exe.\r\n"
	"pause\r\n"
	"exit /b 1\r\n";
/* clang-format on */

static void add_dir(struct strbuf *sb, const char *dir)
{
	strbuf_addc(sb, ';');
	for (const char *s = dir; *s; s++) {
		if (*s == '%')
			strbuf_addc(sb, '%');
		strbuf_addc(sb, *s == '/' ? '\\' : *s);
	}
}

void open_script_add_cmd(struct strbuf *sb, const struct strvec *dirs)
{
	bool ascii = true;

	strbuf_adds(sb, head);
	for (size_t i = 0; i < dirs->nr; i++) {
		for (const char *s = dirs->v[i]; *s; s++)
			ascii &= (unsigned char)*s < 0x80;
	}
	/* Makes cmd read the next lines as UTF-8. */
	if (!ascii)
		strbuf_adds(sb,
			    "for /f \"tokens=2 delims=:.\" %%c in ('chcp') do set \"page=%%c\"\r\n"
			    "chcp 65001 >nul\r\n");
	/* In a symbol store, and as an earlier version or a user has put them there. */
	strbuf_adds(sb, "set \"_NT_SYMBOL_PATH=srv*%~dp0symbols\\pdb;%~dp0" RUN_SYMBOLS);
	for (size_t i = 0; i < dirs->nr; i++) {
		if (symbol_dir_kind(dirs->v[i]) == SYMBOL_DIR_LOCAL)
			add_dir(sb, dirs->v[i]);
	}
	strbuf_adds(sb, ";%_NT_SYMBOL_PATH%\"\r\n");
	if (!ascii)
		strbuf_adds(sb, "chcp %page% >nul\r\n");
	strbuf_adds(sb, tail);
}
