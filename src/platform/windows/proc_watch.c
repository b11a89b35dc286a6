/*
 * One thread reads the port of a job object. A message names a process by its number alone, so its handle is opened at
 * once, while whoever started it still holds one and the number can't be another's.
 *
 * The job ends nobody when it is closed: a build is ended by build_tree.h, which knows whom to spare.
 */
#include "platform/proc_watch.h"

#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/clock.h"
#include "platform/proc_queue.h"
#include "platform/windows/followed.h"
#include "platform/windows/process_usage.h"
#include "platform/windows/win32_error.h"
#include "util/array.h"
#include "util/text.h"

#define KEY_JOB   1
#define KEY_ORDER 2

#define SOON_MS     1
#define SOON_MAX    8 /* with more to be read there is no time to wait */
#define LOOK_NS     (NS_PER_S / 4)
#define LIST_NS     (50 * NS_PER_MS) /* where usage comes from the list */
#define POLL_NS     (5 * NS_PER_MS)
#define IDS_AT_ONCE 4096

struct root {
	int64_t pid;
	bool include;
};

struct proc_watch {
	HANDLE thread;
	HANDLE job; /* NULL: polling */
	HANDLE port;
	bool running;

	/* Of the watching thread alone while it runs. */
	struct followed_table table;
	struct system_processes list;
	int64_t look_ns, next_look_ns;
	int64_t in_job; /* processes seen in it */
	int64_t lost, broke_away;

	SRWLOCK lock;
	CONDITION_VARIABLE obeyed; /* roots_done has grown */
	struct root *roots;
	size_t roots_nr, roots_alloc;
	uint64_t roots_asked, roots_done;
	bool stop;
	struct proc_queue queue;
	struct proc_watch_status status;
};

static int64_t date_now(void)
{
	FILETIME now;

	GetSystemTimePreciseAsFileTime(&now);
	return (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
}

/* Processes that the job ever had; -1 where it does not say (Wine). */
static int64_t count_in_job(const struct proc_watch *watch)
{
	JOBOBJECT_BASIC_ACCOUNTING_INFORMATION info;

	if (!watch->job ||
	    !QueryInformationJobObject(watch->job, JobObjectBasicAccountingInformation, &info,
				       sizeof(info), NULL))
		return -1;
	return info.TotalProcesses;
}

static void refresh_status(struct proc_watch *watch)
{
	int64_t total = count_in_job(watch);

	watch->status.lost_events = watch->lost;
	watch->status.argv_lost = watch->table.argv_lost;
	watch->status.broke_away = watch->broke_away;
	watch->status.may_have_missed = total > watch->in_job ? total - watch->in_job : 0;
}

static void hand_out(struct proc_watch *watch)
{
	AcquireSRWLockExclusive(&watch->lock);
	proc_queue_join(&watch->queue, &watch->table.events);
	refresh_status(watch);
	ReleaseSRWLockExclusive(&watch->lock);
}

static void add_in_job(struct proc_watch *watch, int64_t pid)
{
	/* From its start: a date of that may not be there yet. */
	followed_add(&watch->table, pid, false, clock_now())->joined = 0;
	watch->in_job++;
}

static void take_message(struct proc_watch *watch, DWORD message, int64_t pid)
{
	struct followed *f = followed_find(&watch->table, pid);

	switch (message) {
	case JOB_OBJECT_MSG_NEW_PROCESS:
		/* A handle holds the number, so without one it is another's. */
		if (f && !f->handle) {
			followed_end(&watch->table, f);
			f = NULL;
		}
		if (!f)
			add_in_job(watch, pid);
		break;
	case JOB_OBJECT_MSG_EXIT_PROCESS:
	case JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS:
		if (f)
			followed_end(&watch->table, f);
		break;
	default:
		break;
	}
}

/* Take what the port has, having waited for `timeout_ms` at most; true: there is an order. */
static bool take_messages(struct proc_watch *watch, DWORD timeout_ms)
{
	bool ordered = false;
	OVERLAPPED *data;
	ULONG_PTR key;
	DWORD message;

	while (GetQueuedCompletionStatus(watch->port, &message, &key, &data, timeout_ms)) {
		if (key == KEY_JOB)
			take_message(watch, message, (int64_t)(intptr_t)data);
		else
			ordered = true;
		timeout_ms = 0;
	}
	return ordered;
}

/* All numbers in the job at this moment. The caller frees it; NULL: the job does not say. */
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

/* Messages may be lost, says their documentation: compare with what the job has. */
static bool find_lost(struct proc_watch *watch)
{
	JOBOBJECT_BASIC_PROCESS_ID_LIST *ids = watch->job ? list_job(watch->job) : NULL;
	bool ordered = take_messages(watch, 0);

	for (DWORD i = 0; ids && i < ids->NumberOfProcessIdsInList; i++) {
		HANDLE process;
		DWORD pid = (DWORD)ids->ProcessIdList[i];

		if (followed_find(&watch->table, pid))
			continue;
		process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
		if (process && !process_is_over(process)) {
			add_in_job(watch, pid);
			watch->lost++;
		}
		if (process)
			CloseHandle(process);
	}
	free(ids);
	return ordered;
}

/* Does it live, outside the job? One that we may not open is; one in it has sent, or will send, its message. */
static bool is_outside(const struct proc_watch *watch, int64_t pid)
{
	HANDLE process =
		OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)pid);
	BOOL in_job = FALSE;

	if (!process)
		return GetLastError() == ERROR_ACCESS_DENIED;
	if (process_is_over(process))
		in_job = TRUE;
	else if (watch->job && !IsProcessInJob(process, watch->job, &in_job))
		in_job = FALSE;
	CloseHandle(process);
	return !in_job;
}

/* Those that were started outside the job, and all where there is none. */
static void find_outside(struct proc_watch *watch)
{
	for (size_t i = 0; i < watch->list.nr; i++) {
		const struct system_process *process = &watch->list.v[i];
		const struct followed *parent = followed_parent(&watch->table, process);

		if (!parent || system_process_is_console(process) ||
		    !is_outside(watch, process->pid))
			continue;
		watch->broke_away += process->created >= parent->joined;
		followed_add(&watch->table, process->pid, false, clock_now());
	}
}

static bool look(struct proc_watch *watch)
{
	bool ordered = false;

	followed_take_ends(&watch->table);
	if (system_processes_read(&watch->list)) {
		followed_take_list(&watch->table, &watch->list);
		ordered = take_messages(watch, 0);
		find_outside(watch);
	}
	ordered |= find_lost(watch);
	watch->next_look_ns = clock_now() + watch->look_ns;
	return ordered;
}

static void assign_root(struct proc_watch *watch, struct followed *f)
{
	HANDLE process = OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, FALSE, (DWORD)f->pid);
	int64_t now = date_now();

	if (process && AssignProcessToJobObject(watch->job, process)) {
		f->joined = now;
		watch->in_job++;
	} else {
		AcquireSRWLockExclusive(&watch->lock);
		watch->status.method = "polling the list of processes";
		snprintf(watch->status.why_not, sizeof(watch->status.why_not),
			 "process %lld can't be put in a job: error %lu", (long long)f->pid,
			 GetLastError());
		ReleaseSRWLockExclusive(&watch->lock);
		watch->look_ns = POLL_NS;
	}
	if (process)
		CloseHandle(process);
}

static void add_root(struct proc_watch *watch, const struct root *root)
{
	struct followed *f = followed_find(&watch->table, root->pid);

	if (f)
		return;
	f = followed_add(&watch->table, root->pid, !root->include, clock_now());
	if (watch->job)
		assign_root(watch, f);
	watch->next_look_ns = 0;
}

/* True: to stop. */
static bool obey(struct proc_watch *watch)
{
	struct root *roots;
	size_t nr;
	bool stop;

	AcquireSRWLockExclusive(&watch->lock);
	roots = watch->roots;
	nr = watch->roots_nr;
	stop = watch->stop;
	watch->roots = NULL;
	watch->roots_nr = watch->roots_alloc = 0;
	ReleaseSRWLockExclusive(&watch->lock);
	for (size_t i = 0; i < nr; i++)
		add_root(watch, &roots[i]);
	free(roots);
	hand_out(watch);
	AcquireSRWLockExclusive(&watch->lock);
	watch->roots_done += nr;
	WakeAllConditionVariable(&watch->obeyed);
	ReleaseSRWLockExclusive(&watch->lock);
	return stop;
}

static DWORD wait_ms(const struct proc_watch *watch)
{
	int64_t left = watch->next_look_ns - clock_now();

	if (watch->table.pending_nr || watch->table.ending_nr)
		return watch->table.pending_nr > SOON_MAX ? 0 : SOON_MS;
	return left <= 0 ? 0 : (DWORD)((left + NS_PER_MS - 1) / NS_PER_MS);
}

/* Parents are told of an end before we are, so the caller may be here first. */
static void finish(struct proc_watch *watch)
{
	look(watch);
	followed_read_pending(&watch->table);
	followed_take_ends(&watch->table);
	followed_finish(&watch->table);
}

static unsigned __stdcall watch_main(void *data)
{
	struct proc_watch *watch = data;
	bool stop = false;

	/* A process of a few milliseconds has to be opened before it is over, however busy the build keeps the system. */
	SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL);
	while (!stop) {
		bool ordered = take_messages(watch, wait_ms(watch));

		followed_read_pending(&watch->table);
		if (watch->table.ending_nr)
			followed_take_ends(&watch->table);
		/* A command line that is still to be read comes first: it is gone in a moment. */
		if (clock_now() >= watch->next_look_ns + (watch->table.pending_nr ? LOOK_NS : 0))
			ordered |= look(watch);
		hand_out(watch);
		if (ordered)
			stop = obey(watch);
	}
	finish(watch);
	hand_out(watch);
	return 0;
}

static int open_job(struct proc_watch *watch)
{
	JOBOBJECT_ASSOCIATE_COMPLETION_PORT port = { (void *)KEY_JOB, watch->port };
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

	watch->job = CreateJobObjectW(NULL, NULL);
	if (!watch->job ||
	    !SetInformationJobObject(watch->job, JobObjectAssociateCompletionPortInformation, &port,
				     sizeof(port)))
		return -1;
	/* Without us a build may start processes outside its job, and where that fails it may too. */
	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_BREAKAWAY_OK;
	SetInformationJobObject(watch->job, JobObjectExtendedLimitInformation, &limits,
				sizeof(limits));
	return 0;
}

static void open_source(struct proc_watch *watch, const struct proc_watch_options *options)
{
	watch->look_ns = watch->table.by_list ? LIST_NS : LOOK_NS;
	watch->status.method = "job object";
	if (!options->poll_only && !open_job(watch))
		return;
	snprintf(watch->status.why_not, sizeof(watch->status.why_not), "%s",
		 options->poll_only ? "polling was asked for" : "there can be no job object");
	if (watch->job)
		CloseHandle(watch->job);
	watch->job = NULL;
	watch->look_ns = options->poll_interval_ns ? options->poll_interval_ns : POLL_NS;
	watch->status.method = "polling the list of processes";
}

int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err)
{
	struct proc_watch *w = xcalloc(1, sizeof(*w));

	InitializeSRWLock(&w->lock);
	InitializeConditionVariable(&w->obeyed);
	followed_init(&w->table, options->env_names);
	w->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
	if (w->port) {
		open_source(w, options);
		w->thread = (HANDLE)_beginthreadex(NULL, 0, watch_main, w, 0, NULL);
	}
	if (!w->port || !w->thread) {
		err_set_win32(err, GetLastError(), "cannot watch processes");
		proc_watch_free(w);
		return -1;
	}
	w->running = true;
	*watch = w;
	return 0;
}

void proc_watch_add_root(struct proc_watch *watch, int64_t pid, bool include)
{
	uint64_t ticket;

	if (!watch->running)
		return;
	AcquireSRWLockExclusive(&watch->lock);
	ARRAY_GROW(watch->roots, watch->roots_nr + 1, watch->roots_alloc);
	watch->roots[watch->roots_nr++] = (struct root){ pid, include };
	ticket = ++watch->roots_asked;
	PostQueuedCompletionStatus(watch->port, 0, KEY_ORDER, NULL);
	while (watch->roots_done < ticket)
		SleepConditionVariableSRW(&watch->obeyed, &watch->lock, INFINITE, 0);
	ReleaseSRWLockExclusive(&watch->lock);
}

bool proc_watch_next(struct proc_watch *watch, struct proc_event *event)
{
	bool found;

	AcquireSRWLockExclusive(&watch->lock);
	found = proc_queue_take(&watch->queue, event);
	ReleaseSRWLockExclusive(&watch->lock);
	return found;
}

void proc_watch_get_status(struct proc_watch *watch, struct proc_watch_status *status)
{
	AcquireSRWLockExclusive(&watch->lock);
	*status = watch->status;
	ReleaseSRWLockExclusive(&watch->lock);
}

void proc_watch_stop(struct proc_watch *watch)
{
	if (!watch->running)
		return;
	AcquireSRWLockExclusive(&watch->lock);
	watch->stop = true;
	ReleaseSRWLockExclusive(&watch->lock);
	PostQueuedCompletionStatus(watch->port, 0, KEY_ORDER, NULL);
	WaitForSingleObject(watch->thread, INFINITE);
	watch->running = false;
}

void proc_watch_free(struct proc_watch *watch)
{
	if (!watch)
		return;
	proc_watch_stop(watch);
	if (watch->thread)
		CloseHandle(watch->thread);
	if (watch->job)
		CloseHandle(watch->job);
	if (watch->port)
		CloseHandle(watch->port);
	followed_release(&watch->table);
	system_processes_release(&watch->list);
	proc_queue_release(&watch->queue);
	free(watch->roots);
	free(watch);
}
