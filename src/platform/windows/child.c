#include "platform/child.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/windows/command_line.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define CAPTURE_LIMIT (1 << 20)

/* Exit codes as a shell on POSIX reports them for processes that a signal ended. */
static const UINT signal_exit_codes[] = {
	[CHILD_INTERRUPT] = 128 + 2,
	[CHILD_TERMINATE] = 128 + 15,
	[CHILD_KILL] = 128 + 9,
};

struct child_handles {
	HANDLE process;
	HANDLE thread; /* its first thread, suspended; NULL once released */
	HANDLE job; /* ends the child if we end while it is open, or all its descendants on request; NULL: none */
};

static void close_handle(HANDLE handle)
{
	if (handle && handle != INVALID_HANDLE_VALUE)
		CloseHandle(handle);
}

static void free_handles(struct child *child)
{
	if (!child->handles)
		return;
	close_handle(child->handles->process);
	close_handle(child->handles->thread);
	close_handle(child->handles->job);
	free(child->handles);
	child->handles = NULL;
}

/* Set limits of the job. Processes may always leave it, as without us they would be in no job. */
static bool set_job_limits(HANDLE job, DWORD more)
{
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_BREAKAWAY_OK | more;
	return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
				       sizeof(limits));
}

/* The file to run, relative to the child's directory. NULL: there is none. The caller frees it. */
static char *find_program(const struct child_options *options)
{
	const char *name = options->argv->v[0];
	char *path, *found;

	if (!strpbrk(name, "/\\") || !options->cwd)
		return fs_find_program(name);
	path = fs_join(options->cwd, name);
	found = fs_find_program(path);
	free(path);
	return found;
}

/* Arguments of CreateProcessW() except handles. */
struct program {
	wchar_t *file, *line, *cwd, *env;
	bool apart;
};

static void release_program(struct program *program)
{
	free(program->file);
	free(program->line);
	free(program->cwd);
	free(program->env);
}

static wchar_t *find_cmd(void)
{
	char *comspec = wide_getenv("COMSPEC");
	wchar_t *wide = comspec ? wide_path(comspec) : NULL;

	free(comspec);
	return wide;
}

/* cmd runs batch files. CreateProcessW() would start cmd too, but with quotes that do not suit it. */
static int set_command(const char *found, const struct strvec *argv, struct program *program,
		       struct err *err)
{
	wchar_t *script;
	int rc;

	if (!path_is_batch(found)) {
		program->file = wide_path(found);
		return command_line_join(argv, &program->line, err);
	}
	program->file = find_cmd();
	if (!program->file)
		return err_set(err, ERR_FAILED, "cannot run '%s': COMSPEC is not set", found);
	script = wide_path(found);
	rc = command_line_join_batch(script, argv, &program->line, err);
	free(script);
	return rc;
}

static int prepare(const struct child_options *options, struct program *program, struct err *err)
{
	const char *name = options->argv->v[0];
	char *found, *cwd;
	int rc;

	if (options->cwd && !fs_is_dir(options->cwd))
		return err_set_win32(err, ERROR_DIRECTORY, "cannot enter '%s' to run '%s'",
				     options->cwd, name);
	found = find_program(options);
	if (!found && strpbrk(name, "/\\") && fs_exists(name))
		return err_set(err, ERR_FAILED, "cannot run '%s': it is not a program", name);
	if (!found)
		return err_set(err, ERR_NOT_FOUND, "cannot run '%s': no such program", name);
	rc = set_command(found, options->argv, program, err);
	free(found);
	/* Programs do not expect a working directory with the prefix \\?\ or with "/". */
	cwd = options->cwd ? fs_absolute(options->cwd) : NULL;
	program->cwd = cwd ? wide_from_utf8(cwd) : NULL;
	free(cwd);
	program->env = environment_with(options->env);
	program->apart = options->apart;
	return rc;
}

/*
 * If we have no console, each console program would open a window. Closing a console's window ends all its programs,
 * as Ctrl-Break does, so a program that must survive gets an own, invisible console.
 */
static DWORD creation_flags(const struct program *program)
{
	bool own = program->apart || !GetConsoleCP();

	return CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_UNICODE_ENVIRONMENT |
	       EXTENDED_STARTUPINFO_PRESENT | (own ? CREATE_NO_WINDOW : 0);
}

/*
 * The child inherits only the two handles, not those of programs that other threads start at the same time. It is in
 * the job from its creation.
 */
static bool create(const struct program *program, HANDLE std[2], HANDLE job,
		   PROCESS_INFORMATION *made)
{
	STARTUPINFOEXW startup = { .StartupInfo = { .cb = sizeof(startup),
						    .dwFlags = STARTF_USESTDHANDLES,
						    .hStdInput = std[0],
						    .hStdOutput = std[1],
						    .hStdError = std[1] } };
	SIZE_T size = 0;
	bool fine = false;

	InitializeProcThreadAttributeList(NULL, 2, 0, &size);
	startup.lpAttributeList = xmalloc(size);
	if (InitializeProcThreadAttributeList(startup.lpAttributeList, 2, 0, &size)) {
		fine = UpdateProcThreadAttribute(
			       startup.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, std,
			       (std[0] == std[1] ? 1 : 2) * sizeof(*std), NULL, NULL) &&
		       UpdateProcThreadAttribute(startup.lpAttributeList, 0,
						 PROC_THREAD_ATTRIBUTE_JOB_LIST, &job, sizeof(job),
						 NULL, NULL) &&
		       CreateProcessW(program->file, program->line, NULL, NULL, TRUE,
				      creation_flags(program), program->env, program->cwd,
				      &startup.StartupInfo, made);
		DeleteProcThreadAttributeList(startup.lpAttributeList);
	}
	free(startup.lpAttributeList);
	return fine;
}

/* Start the program, paused, with stdin and stdout; the caller still has to close both. */
static int start(const struct program *program, const char *name, HANDLE std[2],
		 struct child *child, struct err *err)
{
	HANDLE job = CreateJobObjectW(NULL, NULL);
	PROCESS_INFORMATION made;
	DWORD code;

	if (!job || !set_job_limits(job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) ||
	    !create(program, std, job, &made)) {
		code = GetLastError();
		close_handle(job);
		return err_set_win32(err, code, "cannot run '%s'", name);
	}
	*child = (struct child){ .pid = made.dwProcessId, .hold = -1, .status = -1 };
	child->handles = xmalloc(sizeof(*child->handles));
	*child->handles = (struct child_handles){ made.hProcess, made.hThread, job };
	return 0;
}

static HANDLE open_inherited(const char *path, DWORD access, DWORD disposition)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	wchar_t *wide = wide_path(path);
	HANDLE file =
		CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
			    &inherited, disposition, FILE_ATTRIBUTE_NORMAL, NULL);
	DWORD code = GetLastError();

	free(wide);
	SetLastError(code);
	return file;
}

/* `output` gets stdout and stderr; NULL: they are discarded. */
static int start_with_output(const struct child_options *options, HANDLE output,
			     struct child *child, struct err *err)
{
	struct program program = { .file = NULL };
	HANDLE null = open_inherited("NUL", GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING);
	HANDLE std[2] = { null, output ? output : null };
	int rc;

	if (null == INVALID_HANDLE_VALUE)
		return err_set_win32(err, GetLastError(), "cannot open 'NUL'");
	rc = prepare(options, &program, err);
	if (!rc)
		rc = start(&program, options->argv->v[0], std, child, err);
	release_program(&program);
	CloseHandle(null);
	return rc;
}

int child_start(const struct child_options *options, struct child *child, struct err *err)
{
	HANDLE output = NULL;
	int rc;

	if (options->output) {
		/* Without FILE_WRITE_DATA everything is appended, also if other processes write to the file. */
		output = open_inherited(options->output, FILE_GENERIC_WRITE & ~FILE_WRITE_DATA,
					OPEN_ALWAYS);
		if (output == INVALID_HANDLE_VALUE)
			return err_set_win32(err, GetLastError(), "cannot write '%s'",
					     options->output);
	}
	rc = start_with_output(options, output, child, err);
	close_handle(output);
	return rc;
}

static void resume(struct child_handles *handles)
{
	ResumeThread(handles->thread);
	CloseHandle(handles->thread);
	handles->thread = NULL;
}

int child_release(struct child *child, const struct child_options *options, struct err *err)
{
	struct child_handles *handles = child->handles;

	(void)options;
	(void)err;
	if (!handles || !handles->thread)
		return 0;
	resume(handles);
	/* From now on the child may outlive us. The job exists while it has processes, but closing it has no effect. */
	set_job_limits(handles->job, 0);
	CloseHandle(handles->job);
	handles->job = NULL;
	return 0;
}

bool child_poll(struct child *child)
{
	return child_wait(child, 0);
}

bool child_wait(struct child *child, int64_t timeout_ns)
{
	int64_t end = clock_now() + timeout_ns, left = timeout_ns;
	DWORD code = 0;

	if (child->ended || !child->handles)
		return child->ended;
	do {
		int64_t ms = left > 0 ? (left + NS_PER_MS - 1) / NS_PER_MS : 0;

		if (WaitForSingleObject(child->handles->process, ms < 60000 ? (DWORD)ms : 60000) ==
		    WAIT_OBJECT_0) {
			GetExitCodeProcess(child->handles->process, &code);
			child->exit_code = code;
			child->ended = true;
			free_handles(child);
			return true;
		}
		left = end - clock_now();
	} while (left > 0);
	return false;
}

void child_signal(const struct child *child, enum child_signal signal)
{
	const struct child_handles *handles = child->handles;

	if (child->ended || !handles)
		return;
	/* Ctrl-C cannot be sent to one group, so this is Ctrl-Break; a paused process would not get it. */
	if (signal != CHILD_KILL && !handles->thread &&
	    GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)child->pid))
		return;
	TerminateProcess(handles->process, signal_exit_codes[signal]);
}

/* Read a block of the available output: 1; 0 if there is none; -1 if no writer is left. */
static int take_block(HANDLE pipe, struct strbuf *output, size_t *room)
{
	DWORD there, got;
	char buf[4096];

	if (!PeekNamedPipe(pipe, NULL, 0, NULL, &there, NULL))
		return -1;
	if (!there)
		return 0;
	if (!ReadFile(pipe, buf, sizeof(buf), &got, NULL))
		return -1;
	if (got > *room)
		got = (DWORD)*room;
	strbuf_add(output, buf, got);
	*room -= got;
	return 1;
}

/*
 * Read until the end of the output or the deadline. Output above the limit is read and dropped, so that a full pipe
 * does not block the command. A daemon may keep the pipe open, so the end of the command ends the reading too.
 */
static void drain(HANDLE pipe, int64_t deadline, const struct child *child, struct strbuf *output)
{
	size_t room = CAPTURE_LIMIT;
	int taken = 1;

	while (clock_now() < deadline) {
		bool ended = WaitForSingleObject(child->handles->process, taken ? 0 : 5) ==
			     WAIT_OBJECT_0;

		taken = take_block(pipe, output, &room);
		if (taken < 0 || (ended && !taken))
			return;
	}
}

/* If the command is too slow, end it with all processes that it has started. */
static void finish(struct child *child, const char *program, int64_t deadline, int *rc,
		   struct err *err)
{
	int64_t left = deadline - clock_now();

	if (child_wait(child, left > 0 ? left : 0))
		return;
	TerminateJobObject(child->handles->job, signal_exit_codes[CHILD_KILL]);
	child_wait(child, NS_PER_S);
	*rc = err_set(err, ERR_FAILED, "'%s' did not end in time", program);
}

int child_capture(const struct strvec *argv, const char *cwd, int64_t timeout_ns,
		  struct strbuf *output, int64_t *exit_code, struct err *err)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	struct child_options options = { .argv = argv, .cwd = cwd };
	int64_t deadline = clock_now() + timeout_ns;
	HANDLE in, out;
	struct child child;
	int rc;

	if (!CreatePipe(&in, &out, &inherited, 65536))
		return err_set_win32(err, GetLastError(), "cannot create a pipe");
	SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
	rc = start_with_output(&options, out, &child, err);
	CloseHandle(out);
	if (!rc) {
		resume(child.handles);
		drain(in, deadline, &child, output);
		/* Processes that the command leaves behind may survive; finish() ends a command that is too slow. */
		set_job_limits(child.handles->job, 0);
		finish(&child, argv->v[0], deadline, &rc, err);
		*exit_code = child.exit_code;
		free_handles(&child);
	}
	CloseHandle(in);
	return rc;
}

#define FIRST_EXCEPTION INT64_C(0xc0000000) /* NTSTATUS: severity 3, an error */

/* Exit codes of programs that were ended, from ntstatus.h. */
static const struct {
	int64_t code;
	const char *name;
} names[] = {
	{ 0xc0000005, "access violation" },
	{ 0xc0000017, "out of memory" },
	{ 0xc000001d, "illegal instruction" },
	{ 0xc0000094, "division by zero" },
	{ 0xc00000fd, "stack overflow" },
	{ 0xc000012d, "commit limit reached" },
	{ 0xc0000135, "a DLL was not found" },
	{ 0xc0000139, "an entry point was not found in a DLL" },
	{ 0xc000013a, "interrupted" },
	{ 0xc0000142, "a DLL could not be initialised" },
	{ 0xc0000374, "heap corruption" },
	{ 0xc0000409, "abort, or stack buffer overrun" },
};

bool exit_code_is_crash(int64_t exit_code)
{
	return exit_code >= FIRST_EXCEPTION;
}

void exit_code_add_failure(struct strbuf *sb, int64_t exit_code)
{
	if (!exit_code_is_crash(exit_code)) {
		strbuf_addf(sb, "failed with exit code %lld", (long long)exit_code);
		return;
	}
	strbuf_addf(sb, "ended with 0x%08llX", (long long)exit_code);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].code == exit_code)
			strbuf_addf(sb, " (%s)", names[i].name);
	}
}
