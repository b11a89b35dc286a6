#include "platform/child.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/windows/command_line.h"
#include "platform/windows/environment.h"
#include "platform/windows/path.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/text.h"

#define CAPTURE_LIMIT (1 << 20)

/* As a shell on POSIX says which signal ended a process. */
static const UINT codes_of_our_ends[] = {
	[CHILD_INTERRUPT] = 128 + 2,
	[CHILD_TERMINATE] = 128 + 15,
	[CHILD_KILL] = 128 + 9,
};

struct child_handles {
	HANDLE process;
	HANDLE thread; /* its first, suspended; NULL once released */
	HANDLE job; /* ends it with us while it is held, and what it has started where that is asked; NULL */
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

/* A process that is in no job may leave any: let it. */
static bool set_job_limits(HANDLE job, DWORD more)
{
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_BREAKAWAY_OK | more;
	return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
				       sizeof(limits));
}

/* The file that is run, as the child's directory has it. NULL where there is none. The caller frees it. */
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

/* What CreateProcessW() takes besides the handles. */
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

/* A batch file is cmd's to run. CreateProcessW() would do the same, but with quotes that are not cmd's. */
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
		return err_set(err, ERR_FAILED, "cannot run '%s': it is no program", name);
	if (!found)
		return err_set(err, ERR_NOT_FOUND, "cannot run '%s': no such program", name);
	rc = set_command(found, options->argv, program, err);
	free(found);
	/* Programs are not ready to find themselves in a \\?\ path, or in one with "/". */
	cwd = options->cwd ? fs_absolute(options->cwd) : NULL;
	program->cwd = cwd ? wide_from_utf8(cwd) : NULL;
	free(cwd);
	program->env = environment_with(options->env);
	program->apart = options->apart;
	return rc;
}

/*
 * Without a console of ours each console program would open a window. Closing that of a console ends all that is in it,
 * and Ctrl-Break does: what is to go on has one of its own, that nobody sees.
 */
static DWORD creation_flags(const struct program *program)
{
	bool own = program->apart || !GetConsoleCP();

	return CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_UNICODE_ENVIRONMENT |
	       EXTENDED_STARTUPINFO_PRESENT | (own ? CREATE_NO_WINDOW : 0);
}

/*
 * The two handles are all that it inherits: other threads may be starting programs with theirs. It is in the job
 * from its first moment.
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

/* Start it, held, with stdin and stdout; those stay the caller's. */
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

/* `output` is its stdout and stderr; NULL: thrown away. */
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
		/* Without the right to write elsewhere the system puts all at the end, whoever else writes. */
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

static void let_go(struct child_handles *handles)
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
	let_go(handles);
	/* From now on it may outlive us. The job stays while it has processes, but nothing hangs on it. */
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
	/* Ctrl-C cannot be sent to one group; and one that is held would not hear it. */
	if (signal != CHILD_KILL && !handles->thread &&
	    GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)child->pid))
		return;
	TerminateProcess(handles->process, codes_of_our_ends[signal]);
}

/* Take a block of what is there: 1, 0 where there is nothing, -1 once nobody can write any more. */
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
 * Read until the end of the output or the time; what is over the limit is thrown away, so that the command
 * is not held up by a full pipe. A daemon may keep the pipe open: the command's own end is enough.
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

/* With all that it has started. */
static void finish(struct child *child, const char *program, int64_t deadline, int *rc,
		   struct err *err)
{
	int64_t left = deadline - clock_now();

	if (child_wait(child, left > 0 ? left : 0))
		return;
	TerminateJobObject(child->handles->job, codes_of_our_ends[CHILD_KILL]);
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
		let_go(child.handles);
		drain(in, deadline, &child, output);
		/* What it leaves behind may live; what is too slow is ended by name below. */
		set_job_limits(child.handles->job, 0);
		finish(&child, argv->v[0], deadline, &rc, err);
		*exit_code = child.exit_code;
		free_handles(&child);
	}
	CloseHandle(in);
	return rc;
}
