#include "cli/wpa.h"

#include <stdlib.h>

#include "platform/env.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "recorder/etw_tool.h"
#include "rundir/open_script.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

#define SYMBOL_PATH "_NT_SYMBOL_PATH"

static const struct {
	const char *variable, *below;
} places[] = {
	{ "WPT_PATH", "wpa.exe" },
	{ "ProgramFiles(x86)", OPEN_WPA_BELOW_PROGRAMS },
	{ "ProgramFiles", OPEN_WPA_BELOW_PROGRAMS },
	{ "LOCALAPPDATA", "Microsoft\\WindowsApps\\wpa.exe" },
};

static char *find_installed(void)
{
	if (!host_is_windows())
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *folder = env_get(places[i].variable);
		char *path = folder ? fs_join(folder, places[i].below) : NULL;
		bool found = path && fs_exists(path);

		free(folder);
		if (found)
			return path;
		free(path);
	}
	return fs_find_program("wpa.exe");
}

bool wpa_runs_here(void)
{
	return host_is_windows();
}

char *wpa_find(void)
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

void wpa_add_command(const struct wpa_trace *trace, struct strvec *argv, struct strvec *env)
{
	struct strbuf symbols = STRBUF_INIT;
	char *users = env_get(SYMBOL_PATH);

	strvec_push(argv, "-i");
	strvec_push_nodup(argv, etw_tool_path(trace->etl));
	if (trace->profile) {
		strvec_push(argv, "-profile");
		strvec_push_nodup(argv, etw_tool_path(trace->profile));
	}
	strbuf_adds(&symbols, SYMBOL_PATH "=");
	for (size_t i = 0; i < trace->dirs->nr; i++) {
		char *dir = etw_tool_path(trace->dirs->v[i]);

		strbuf_addf(&symbols, "%s;", dir);
		free(dir);
	}
	strbuf_adds(&symbols, users ? users : OPEN_SYSTEM_SYMBOLS);
	strvec_push(env, symbols.buf);
	strbuf_release(&symbols);
	free(users);
}
