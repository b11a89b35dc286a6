/*
 * Process events on Windows, from a job object and the list of all processes.
 *
 * A message of the job has only the pid of a process. So a handle is opened immediately, while the parent still has
 * one, as then no other process can have the pid. The handle is closed when the end of the process was reported:
 * while it is open, the system may not allow to replace the program's file.
 *
 * Closing the job ends no process: build_tree.h ends a build, as it knows which process to spare.
 */
#include "platform/proc_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include "platform/clock.h"
#include "platform/proc_source.h"
#include "platform/thread.h"
#include "platform/windows/command_line.h"
#include "platform/windows/process.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"

#define KEY_JOB  1
#define KEY_WAKE 2

#define SOON_MS     1
#define SOON_MAX    8 /* with more command lines to read, do not wait */
#define SCAN_NS     (NS_PER_S / 4)
#define LIST_NS     (50 * NS_PER_MS) /* if usage comes from the list */
#define POLL_NS     (5 * NS_PER_MS)
#define IDS_AT_ONCE 4096

/* The clock for dates moves in steps of up to 1/64 s. */
#define DATE_STEP_NS   (20 * NS_PER_MS)
#define DATE_FAR_NS    (60 * NS_PER_S)
#define PARAMS_LATE_NS (5 * NS_PER_S)
#define ENV_LATE_NS    (100 * NS_PER_MS)

struct tracked {
	int64_t pid, ppid;
	void *handle;            /* NULL: it may not be opened, or its end was reported */
	int64_t created, exited; /* FILETIME; 0: unknown, or it still runs */
	int64_t joined; /* FILETIME from which on its children are in the job; INT64_MAX: it is not in the job */
	int64_t start_ns;
	int64_t cpu_ns, peak_resident_bytes, peak_commit_bytes; /* highest seen; -1: unknown */
	size_t live_at;
	struct process_params params; /* what was read so far, while it is pending */
	bool readable;                /* its memory can be read */
	bool silent;                  /* only its descendants are reported */
	bool pending;                 /* its program is not reported yet */
	bool ending;                  /* a message reported its end, but its handle does not yet */
	bool ended;
};

struct proc_source {
	HANDLE job; /* NULL: polling */
	HANDLE port;
	char why_not[160]; /* why there is no job; "": there is one */
	struct system_processes list;
	int64_t scan_ns, next_scan_ns;
	int64_t in_job; /* number of processes seen in the job */
	int64_t lost, broke_away, argv_lost;

	struct intmap by_pid; /* the latest process of each pid */
	/* All processes, owned; also ended ones, which may be parents of processes that are found late. */
	struct tracked **v;
	size_t nr, alloc;
	struct tracked **live;
	size_t live_nr, live_alloc;
	size_t pending_nr, ending_nr;
	struct strvec env_names; /* globs */
	bool by_list;            /* CPU time and peaks come from the list of processes */
	struct proc_queue events;
};

/* FILETIME. */
static int64_t date_now(void)
{
	FILETIME now;

	GetSystemTimePreciseAsFileTime(&now);
	return (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
}

static struct tracked *find_tracked(const struct proc_source *s, int64_t pid)
{
	struct tracked *p = intmap_get(&s->by_pid, pid);

	return p && !p->ended ? p : NULL;
}

static struct proc_event *add_event(struct proc_source *s, enum proc_event_kind kind,
				    const struct tracked *p, int64_t time_ns)
{
	struct proc_event *event = proc_queue_add(&s->events);

	event->kind = kind;
	event->time_ns = time_ns;
	event->pid = p->pid;
	event->ppid = p->ppid;
	return event;
}

/*
 * The time of something that was seen at `seen_ns` and that has a date of the system: `seen_ns`, or the date if it
 * was seen late. A date that is too far away is not used: the clock was set, or the date is not filled in yet.
 */
static int64_t time_of(int64_t date, int64_t seen_ns)
{
	int64_t time_ns;

	if (!date)
		return seen_ns;
	time_ns = (date - date_now()) * 100;
	time_ns += clock_now();
	return time_ns < seen_ns - DATE_STEP_NS && time_ns > seen_ns - DATE_FAR_NS ? time_ns
										   : seen_ns;
}

static int64_t read_ppid(HANDLE process)
{
	PROCESS_BASIC_INFORMATION basic;

	if (NtQueryInformationProcess(process, ProcessBasicInformation, &basic, sizeof(basic),
				      NULL) < 0)
		return 0;
	return (int64_t)basic.InheritedFromUniqueProcessId;
}

static void keep_env(const struct process_params *params, const struct strvec *names,
		     struct strvec *env)
{
	for (size_t at = 0; at < params->env_len;) {
		size_t len = wcsnlen(params->env + at, params->env_len - at);
		char *pair = wide_to_utf8_len(params->env + at, len);
		char *equals = strchr(pair, '=');
		bool kept = false;

		at += len + 1;
		for (size_t i = 0; i < names->nr && equals && !kept; i++) {
			*equals = '\0';
			kept = text_glob(names->v[i], pair, true);
			*equals = '=';
		}
		if (kept)
			strvec_push_nodup(env, pair);
		else
			free(pair);
	}
}

static void report_program(struct proc_source *s, struct tracked *p)
{
	struct process_params *params = &p->params;
	struct proc_event *event = add_event(s, PROC_EXEC, p, p->start_ns);
	wchar_t *line = p->handle ? process_command_line(p->handle) : NULL;

	if (!line) {
		line = params->command_line;
		params->command_line = NULL;
	}
	event->exe = p->handle ? process_image_path(p->handle) : NULL;
	if (!event->exe) {
		event->exe = params->image;
		params->image = NULL;
	}
	event->cwd = params->cwd;
	params->cwd = NULL;
	keep_env(params, &s->env_names, &event->env);
	event->argv_lost = !line;
	s->argv_lost += !line;
	if (line)
		command_line_split(line, &event->argv);
	free(line);
	process_params_release(params);
	response_files_read(event);
}

/* Whether what was read is complete; else the process is still being started. */
static bool is_whole(const struct tracked *p, enum process_params_state state)
{
	int64_t age = clock_now() - p->start_ns;

	if (state == PARAMS_NOT_YET)
		return age > PARAMS_LATE_NS;
	return state == PARAMS_GONE || p->params.env || age > ENV_LATE_NS;
}

/*
 * Read and report the program. False: it is not complete yet. What was read so far is kept, in case the process ends
 * before that.
 */
static bool read_program(struct proc_source *s, struct tracked *p)
{
	struct process_params params = { .image = NULL };
	enum process_params_state state = PARAMS_GONE;

	if (p->readable)
		state = process_params_read(p->handle, &params);
	if (state == PARAMS_READ) {
		process_params_release(&p->params);
		p->params = params;
	}
	if (!is_whole(p, state))
		return false;
	report_program(s, p);
	return true;
}

static void open_process(struct tracked *p)
{
	DWORD pid = (DWORD)p->pid;

	p->handle =
		OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE, FALSE, pid);
	p->readable = p->handle != NULL;
	/* The process may have more rights than we have. */
	if (!p->handle)
		p->handle =
			OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);
}

static struct tracked *add_row(struct proc_source *s, int64_t pid)
{
	struct tracked *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->cpu_ns = p->peak_resident_bytes = p->peak_commit_bytes = -1;
	p->joined = INT64_MAX;
	ARRAY_ADD(s->v, s->nr, s->alloc, p);
	ARRAY_GROW(s->live, s->live_nr + 1, s->live_alloc);
	p->live_at = s->live_nr;
	s->live[s->live_nr++] = p;
	intmap_put(&s->by_pid, pid, p);
	return p;
}

static struct tracked *add_tracked(struct proc_source *s, int64_t pid, bool silent, int64_t seen_ns)
{
	struct tracked *p = add_row(s, pid);
	struct process_usage usage;

	p->silent = silent;
	p->start_ns = seen_ns;
	open_process(p);
	if (p->handle) {
		process_usage_read(p->handle, &usage);
		p->created = usage.created;
		p->ppid = read_ppid(p->handle);
		p->start_ns = time_of(p->created, seen_ns);
	}
	if (silent)
		return p;
	add_event(s, PROC_FORK, p, p->start_ns);
	if (!read_program(s, p)) {
		p->pending = true;
		s->pending_nr++;
	}
	return p;
}

static void settle(struct proc_source *s, struct tracked *p)
{
	p->pending = false;
	s->pending_nr--;
}

static void read_pending(struct proc_source *s)
{
	for (size_t i = 0; i < s->live_nr && s->pending_nr; i++) {
		struct tracked *p = s->live[i];

		if (p->pending && read_program(s, p))
			settle(s, p);
	}
}

static void keep_highest(int64_t *highest, int64_t value)
{
	if (value > *highest)
		*highest = value;
}

static void take_usage(struct tracked *p)
{
	struct process_usage usage;

	if (!p->handle)
		return;
	process_usage_read(p->handle, &usage);
	p->created = usage.created;
	p->exited = usage.exited;
	keep_highest(&p->cpu_ns, usage.cpu_ns);
	keep_highest(&p->peak_resident_bytes, usage.peak_resident_bytes);
	keep_highest(&p->peak_commit_bytes, usage.peak_commit_bytes);
}

static void report_usage(struct proc_source *s, const struct tracked *p, int64_t time_ns)
{
	struct proc_event *event;

	if (p->silent)
		return;
	event = add_event(s, PROC_USAGE, p, time_ns);
	event->cpu_ns = p->cpu_ns;
	event->peak_rss_bytes = p->peak_resident_bytes;
	event->peak_commit_bytes = p->peak_commit_bytes;
}

static void drop_live(struct proc_source *s, struct tracked *p)
{
	struct tracked *last = s->live[--s->live_nr];

	s->live[p->live_at] = last;
	last->live_at = p->live_at;
	p->ended = true;
}

static void report_end(struct proc_source *s, struct tracked *p)
{
	int64_t time_ns = clock_now();
	struct proc_event *event;
	DWORD exit_code;

	if (p->pending) {
		report_program(s, p);
		settle(s, p);
	}
	take_usage(p);
	time_ns = time_of(p->exited, time_ns);
	if (time_ns < p->start_ns)
		time_ns = p->start_ns;
	if (!p->silent) {
		event = add_event(s, PROC_EXIT, p, time_ns);
		if (p->handle && GetExitCodeProcess(p->handle, &exit_code))
			event->exit_code = exit_code;
		report_usage(s, p, time_ns);
	}
	if (p->handle)
		CloseHandle(p->handle);
	p->handle = NULL;
	s->ending_nr -= p->ending;
	drop_live(s, p);
}

static bool is_over(const struct tracked *p)
{
	return p->handle && process_is_over(p->handle);
}

static void take_ends(struct proc_source *s)
{
	for (size_t i = s->live_nr; i-- > 0;) {
		if (is_over(s->live[i]))
			report_end(s, s->live[i]);
	}
}

static void end_tracked(struct proc_source *s, struct tracked *p)
{
	if (!p->ending)
		s->ending_nr++;
	p->ending = true;
	if (!p->handle || is_over(p))
		report_end(s, p);
}

static void take_list(struct proc_source *s, const struct system_processes *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct system_process *process = &list->v[i];
		struct tracked *p = find_tracked(s, process->pid);

		/* While a handle is open, no other process can have the pid. */
		if (!p || !p->handle)
			continue;
		p->created = process->created;
		keep_highest(&p->cpu_ns, process->cpu_ns);
		keep_highest(&p->peak_resident_bytes, process->peak_resident_bytes);
		keep_highest(&p->peak_commit_bytes, process->peak_commit_bytes);
	}
}

static struct tracked *find_parent(const struct proc_source *s,
				   const struct system_process *process)
{
	struct tracked *parent = intmap_get(&s->by_pid, process->ppid);
	const struct tracked *known = intmap_get(&s->by_pid, process->pid);

	/* The process is tracked already, or has ended since the list was made. */
	if (known && (!known->ended || known->created == process->created))
		return NULL;
	if (!parent || parent->pid == process->pid || process->created < parent->created)
		return NULL;
	return parent->exited && process->created > parent->exited ? NULL : parent;
}

static void finish_living(struct proc_source *s)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < s->live_nr; i++) {
		struct tracked *p = s->live[i];

		if (p->pending) {
			report_program(s, p);
			settle(s, p);
		}
		take_usage(p);
		report_usage(s, p, now);
	}
}

/* Number of all processes that were in the job; -1: unknown (Wine). */
static int64_t count_in_job(const struct proc_source *s)
{
	JOBOBJECT_BASIC_ACCOUNTING_INFORMATION info;

	if (!s->job || !QueryInformationJobObject(s->job, JobObjectBasicAccountingInformation,
						  &info, sizeof(info), NULL))
		return -1;
	return info.TotalProcesses;
}

static void add_in_job(struct proc_source *s, int64_t pid)
{
	/* It is in the job from its start, whose date may be unknown yet. */
	add_tracked(s, pid, false, clock_now())->joined = 0;
	s->in_job++;
}

static void take_message(struct proc_source *s, DWORD message, int64_t pid)
{
	struct tracked *p = find_tracked(s, pid);

	switch (message) {
	case JOB_OBJECT_MSG_NEW_PROCESS:
		/* Without an open handle this is another process with the same pid. */
		if (p && !p->handle) {
			end_tracked(s, p);
			p = NULL;
		}
		if (!p)
			add_in_job(s, pid);
		break;
	case JOB_OBJECT_MSG_EXIT_PROCESS:
	case JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS:
		if (p)
			end_tracked(s, p);
		break;
	default:
		break;
	}
}

/* Process all messages of the port; wait for the first one, `timeout_ms` at most. */
static void take_messages(struct proc_source *s, DWORD timeout_ms)
{
	OVERLAPPED *data;
	ULONG_PTR key;
	DWORD message;

	while (GetQueuedCompletionStatus(s->port, &message, &key, &data, timeout_ms)) {
		if (key == KEY_JOB)
			take_message(s, message, (int64_t)(intptr_t)data);
		timeout_ms = 0;
	}
}

/* The pids in the job at this moment. The caller frees the list; NULL: unknown. */
static JOBOBJECT_BASIC_PROCESS_ID_LIST *list_job(HANDLE job)
{
	for (size_t room = IDS_AT_ONCE;; room *= 2) {
		size_t size = sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST) + room * sizeof(ULONG_PTR);
		JOBOBJECT_BASIC_PROCESS_ID_LIST *ids = xmalloc(size);

		if (QueryInformationJobObject(job, JobObjectBasicProcessIdList, ids, (DWORD)size,
					      NULL))
			return ids;
		free(ids);
		if (GetLastError() != ERROR_MORE_DATA || room > IDS_AT_ONCE * 256)
			return NULL;
	}
}

/* The documentation says that messages may be lost: compare with the job's own list. */
static void find_lost(struct proc_source *s)
{
	JOBOBJECT_BASIC_PROCESS_ID_LIST *ids = s->job ? list_job(s->job) : NULL;

	take_messages(s, 0);
	for (DWORD i = 0; ids && i < ids->NumberOfProcessIdsInList; i++) {
		HANDLE process;
		DWORD pid = (DWORD)ids->ProcessIdList[i];

		if (find_tracked(s, pid))
			continue;
		process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
		if (process && !process_is_over(process)) {
			add_in_job(s, pid);
			s->lost++;
		}
		if (process)
			CloseHandle(process);
	}
	free(ids);
}

/*
 * Whether the process runs outside the job; assumed if we may not open it. A process in the job has a message, now or
 * later.
 */
static bool is_outside(const struct proc_source *s, int64_t pid)
{
	HANDLE process =
		OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)pid);
	BOOL in_job = FALSE;

	if (!process)
		return GetLastError() == ERROR_ACCESS_DENIED;
	if (process_is_over(process))
		in_job = TRUE;
	else if (s->job && !IsProcessInJob(process, s->job, &in_job))
		in_job = FALSE;
	CloseHandle(process);
	return !in_job;
}

/* Find processes that were started outside the job; without a job all processes. */
static void find_outside(struct proc_source *s)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		const struct system_process *process = &s->list.v[i];
		const struct tracked *parent = find_parent(s, process);

		if (!parent || system_process_is_console(process) || !is_outside(s, process->pid))
			continue;
		s->broke_away += process->created >= parent->joined;
		add_tracked(s, process->pid, false, clock_now());
	}
}

static void scan(struct proc_source *s)
{
	take_ends(s);
	if (system_processes_read(&s->list)) {
		take_list(s, &s->list);
		take_messages(s, 0);
		find_outside(s);
	}
	find_lost(s);
	s->next_scan_ns = clock_now() + s->scan_ns;
}

static void assign_root(struct proc_source *s, struct tracked *p)
{
	HANDLE process = OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, FALSE, (DWORD)p->pid);
	int64_t now = date_now();

	if (process && AssignProcessToJobObject(s->job, process)) {
		p->joined = now;
		s->in_job++;
	} else {
		snprintf(s->why_not, sizeof(s->why_not),
			 "process %lld cannot be put in a job: error %lu", (long long)p->pid,
			 GetLastError());
		s->scan_ns = POLL_NS;
	}
	if (process)
		CloseHandle(process);
}

static void job_add_root(struct proc_source *s, int64_t pid, bool include)
{
	struct tracked *p = find_tracked(s, pid);

	if (p)
		return;
	p = add_tracked(s, pid, !include, clock_now());
	if (s->job)
		assign_root(s, p);
	s->next_scan_ns = 0;
}

static void job_start(struct proc_source *s)
{
	(void)s;
	/*
	 * A process that runs for a few milliseconds must be opened before it ends, even if the build keeps the
	 * system busy.
	 */
	(void)thread_raise();
}

static DWORD wait_ms(const struct proc_source *s)
{
	int64_t left = s->next_scan_ns - clock_now();

	if (s->pending_nr || s->ending_nr)
		return s->pending_nr > SOON_MAX ? 0 : SOON_MS;
	return left <= 0 ? 0 : (DWORD)((left + NS_PER_MS - 1) / NS_PER_MS);
}

static void job_step(struct proc_source *s)
{
	take_messages(s, wait_ms(s));
	read_pending(s);
	if (s->ending_nr)
		take_ends(s);
	/* Command lines are read first, as they are available only for a moment. */
	if (clock_now() >= s->next_scan_ns + (s->pending_nr ? SCAN_NS : 0))
		scan(s);
}

static void job_wake(struct proc_source *s)
{
	PostQueuedCompletionStatus(s->port, 0, KEY_WAKE, NULL);
}

/* A parent is notified of the end of its child before we are, so this may be called before the message arrives. */
static void job_finish(struct proc_source *s)
{
	scan(s);
	read_pending(s);
	take_ends(s);
	finish_living(s);
}

static void job_hand_out(struct proc_source *s, struct proc_queue *queue)
{
	proc_queue_join(queue, &s->events);
}

static void job_get_status(struct proc_source *s, struct proc_watch_status *status)
{
	int64_t total = count_in_job(s);

	status->method = s->why_not[0] ? "polling the list of processes" : "job object";
	snprintf(status->why_not, sizeof(status->why_not), "%s", s->why_not);
	status->lost_events = s->lost;
	status->argv_lost = s->argv_lost;
	status->broke_away = s->broke_away;
	status->may_have_missed = total > s->in_job ? total - s->in_job : 0;
}

static void job_close(struct proc_source *s)
{
	if (s->job)
		CloseHandle(s->job);
	if (s->port)
		CloseHandle(s->port);
	for (size_t i = 0; i < s->nr; i++) {
		if (s->v[i]->handle)
			CloseHandle(s->v[i]->handle);
		process_params_release(&s->v[i]->params);
		free(s->v[i]);
	}
	free(s->v);
	free(s->live);
	proc_queue_release(&s->events);
	intmap_release(&s->by_pid);
	strvec_release(&s->env_names);
	system_processes_release(&s->list);
	free(s);
}

static int open_job(struct proc_source *s)
{
	JOBOBJECT_ASSOCIATE_COMPLETION_PORT port = { (void *)KEY_JOB, s->port };
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

	s->job = CreateJobObjectW(NULL, NULL);
	if (!s->job || !SetInformationJobObject(s->job, JobObjectAssociateCompletionPortInformation,
						&port, sizeof(port)))
		return -1;
	/* The build must be able to start processes outside its job, as it can when it is not recorded. */
	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_BREAKAWAY_OK;
	SetInformationJobObject(s->job, JobObjectExtendedLimitInformation, &limits, sizeof(limits));
	return 0;
}

/* Use a job; if that fails, store the reason and poll. */
static void open_job_or_poll(struct proc_source *s, const struct proc_watch_options *options)
{
	s->scan_ns = s->by_list ? LIST_NS : SCAN_NS;
	if (!options->poll_only && !open_job(s))
		return;
	snprintf(s->why_not, sizeof(s->why_not), "%s",
		 options->poll_only ? "polling was requested" : "job objects cannot be used");
	if (s->job)
		CloseHandle(s->job);
	s->job = NULL;
	s->scan_ns = options->poll_interval_ns ? options->poll_interval_ns : POLL_NS;
}

static int job_open(const struct proc_watch_options *options, struct proc_source **source,
		    struct err *err)
{
	struct proc_source *s = xcalloc(1, sizeof(*s));

	s->by_list = process_usage_needs_list();
	for (size_t i = 0; options->env_names && options->env_names[i]; i++)
		strvec_push(&s->env_names, options->env_names[i]);
	s->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
	if (!s->port) {
		err_set_win32(err, GetLastError(), "cannot create a completion port");
		job_close(s);
		return -1;
	}
	open_job_or_poll(s, options);
	*source = s;
	return 0;
}

static const struct proc_source_ops job_source = {
	.open = job_open,
	.start = job_start,
	.step = job_step,
	.wake = job_wake,
	.add_root = job_add_root,
	.finish = job_finish,
	.hand_out = job_hand_out,
	.get_status = job_get_status,
	.close = job_close,
};

const struct proc_source_ops *const proc_sources[] = { &job_source, NULL };
