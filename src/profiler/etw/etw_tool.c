#include "profiler/etw/etw_tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/process_id.h"
#include "platform/program.h"
#include "platform/shell.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define TOOLKIT "Windows Kits\\10\\Windows Performance Toolkit\\"

#define ASK_NS     (60 * NS_PER_S)
#define TICK_NS    (50 * NS_PER_MS)
#define LOOK_NS    (NS_PER_S / 2)
#define OUTPUT_MAX (1 << 20)

/* The program that the environment names: STAGETRACE_WPR. The caller frees it. */
static char *named(const char *name)
{
	char *variable = xasprintf("STAGETRACE_%s", name), *path;

	for (char *s = variable; *s; s++)
		*s = (char)toupper((unsigned char)*s);
	path = env_get(variable);
	free(variable);
	return path;
}

bool etw_tool_suits(const char *name)
{
	char *path = named(name);
	bool given = path;

	free(path);
	return given || host_is_windows();
}

char *etw_tool_path(const char *path)
{
	char *copy = xstrdup(path);
	bool windows = (isalpha((unsigned char)copy[0]) && copy[1] == ':') ||
		       text_starts_with(copy, "//") || strchr(copy, '\\');

	for (char *s = copy; windows && *s; s++) {
		if (*s == '/')
			*s = '\\';
	}
	return copy;
}

int etw_tool_query(const struct strvec *argv, struct etw_result *result, struct err *err)
{
	int64_t exit_code = 0;

	strbuf_clear(&result->output);
	if (child_capture(argv, NULL, ASK_NS, &result->output, &exit_code, err))
		return -1;
	result->over = true;
	result->code = etw_code_read(exit_code, result->output.buf);
	return 0;
}

/* Both tools print a banner with their version first, whatever the arguments are. */
static void read_version(struct etw_tool *tool)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	const int *v = tool->version.v;

	strvec_push(&argv, tool->path);
	strvec_push(&argv, "-help");
	if (!etw_tool_query(&argv, &result, &err))
		tool->version = etw_version_read(result.output.buf);
	if (v[0])
		tool->version_text = xasprintf("%d.%d.%d", v[0], v[1], v[2]);
	err_clear(&err);
	strvec_release(&argv);
	strbuf_release(&result.output);
}

static void keep_newer(struct etw_tool *tool, const char *path)
{
	struct etw_tool found = { .name = tool->name };

	found.path = fs_find_program(path);
	if (!found.path)
		return;
	read_version(&found);
	if (tool->path && etw_version_compare(found.version, tool->version) <= 0) {
		etw_tool_release(&found);
		return;
	}
	etw_tool_release(tool);
	*tool = found;
}

/* Try DIRECTORY/wpr.exe, if the variable is set. */
static void look_below(struct etw_tool *tool, const char *variable, const char *below)
{
	char *dir = env_get(variable), *path;

	if (!dir)
		return;
	/* cmd takes a "/" for the start of an option. */
	path = xasprintf("%s\\%s%s.exe", dir, below, tool->name);
	keep_newer(tool, path);
	free(path);
	free(dir);
}

void etw_tool_find(const char *name, struct etw_tool *tool)
{
	char *given = named(name);

	*tool = (struct etw_tool){ .name = name };
	if (given) {
		keep_newer(tool, given);
		free(given);
		return;
	}
	if (!etw_tool_suits(name))
		return;
	look_below(tool, "WPT_PATH", "");
	look_below(tool, "ProgramFiles(x86)", TOOLKIT);
	look_below(tool, "ProgramFiles", TOOLKIT);
	look_below(tool, "SystemRoot", "System32\\");
	if (!tool->path)
		keep_newer(tool, name);
}

void etw_tool_release(struct etw_tool *tool)
{
	free(tool->path);
	free(tool->version_text);
	*tool = (struct etw_tool){ .name = tool->name };
}

bool etw_tool_is_at_least(const struct etw_tool *tool, int major, int minor, int build)
{
	struct etw_version wanted = { { major, minor, build, 0 } };

	return etw_version_compare(tool->version, wanted) >= 0;
}

/* A call that is waited for. */
struct waiting {
	const struct etw_call *call;
	int64_t changed; /* when a file last did */
	int64_t bytes;
	int64_t next_look;
};

static bool gives_up(struct profiler_session *session, struct waiting *w)
{
	int64_t now = clock_now();

	if (now >= w->next_look && w->call->dir) {
		int64_t bytes = profiler_dir_bytes(w->call->dir);

		if (bytes != w->bytes)
			w->changed = now;
		w->bytes = bytes;
		w->next_look = now + LOOK_NS;
	}
	if (w->call->patience && now - w->changed > w->call->patience)
		return true;
	return w->call->what && session->progress(w->call->what, w->bytes, session->data);
}

/* False: there is no log, as the run directory was removed; the recording must be ended nevertheless. */
static bool log_call(const char *dir, const struct strvec *argv)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	FILE *file = below_open(dir, RUN_RECORDER_LOG, "ab", &err);
	bool logged = file;

	strbuf_adds(&line, "$ ");
	shell_add_words(&line, argv);
	strbuf_addc(&line, '\n');
	if (file) {
		fwrite(line.buf, 1, line.len, file);
		fclose(file);
	}
	err_clear(&err);
	strbuf_release(&line);
	return logged;
}

static struct manifest_command *note_call(struct profiler_session *session,
					  const struct strvec *argv)
{
	struct manifest_command *command =
		manifest_add_command(session->manifest, session->manifest->recorder);

	strvec_push_all(&command->argv, argv);
	command->start_ns = clock_now() - session->manifest->clock_base_ns;
	return command;
}

/* Noted before the process resumes: if stagetrace is killed the process continues, and `recover` waits for its end. */
static void note_process(struct profiler_session *session, struct manifest_command *command,
			 int64_t pid)
{
	struct err err = ERR_INIT;

	manifest_set_process(command, process_id(pid));
	if (manifest_write(session->manifest, session->job->dir, &err))
		err_clear(&err);
}

static int run_child(struct profiler_session *session, const struct child_options *options,
		     const struct etw_call *call, struct manifest_command *command,
		     struct child *child, struct err *err)
{
	struct waiting w = { .call = call, .changed = clock_now(), .bytes = -1 };

	if (child_start(options, child, err))
		return -1;
	note_process(session, command, child->pid);
	if (child_release(child, options, err))
		return -1;
	while (!child_wait(child, TICK_NS)) {
		if (gives_up(session, &w))
			break;
	}
	return 0;
}

int etw_tool_run(struct profiler_session *session, const struct strvec *argv,
		 const struct etw_call *call, struct etw_result *result, struct err *err)
{
	const char *dir = session->job->dir;
	char *log = fs_join(dir, RUN_RECORDER_LOG);
	struct child_options options = {
		.argv = argv,
		.output = log_call(dir, argv) ? log : NULL,
		.apart = true,
	};
	struct manifest_command *command = note_call(session, argv);
	struct child child = { .ended = false };
	struct err ignored = ERR_INIT;
	int64_t before;
	int rc;

	*result = (struct etw_result)ETW_RESULT_INIT;
	before = below_size(dir, RUN_RECORDER_LOG);
	rc = run_child(session, &options, call, command, &child, err);
	if (rc || child.ended)
		manifest_set_process(command, NULL);
	if (!rc && child.ended) {
		int64_t said = below_size(dir, RUN_RECORDER_LOG) - before;

		if (before >= 0 && said > 0 &&
		    below_read_end(dir, RUN_RECORDER_LOG, said < OUTPUT_MAX ? said : OUTPUT_MAX,
				   &result->output, &ignored))
			err_clear(&ignored);
		result->over = true;
		result->code = etw_code_read(child.exit_code, result->output.buf);
		command->exit_code = result->code;
		command->end_ns = clock_now() - session->manifest->clock_base_ns;
	}
	free(log);
	return rc;
}
