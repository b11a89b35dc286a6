#include "platform/windows/followed.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include "platform/clock.h"
#include "platform/windows/command_line.h"
#include "platform/windows/process_params.h"
#include "platform/windows/process_usage.h"
#include "platform/windows/response_files.h"
#include "platform/windows/wide.h"
#include "util/array.h"
#include "util/text.h"

/* The system's clock of dates moves in steps of up to 1/64 s. */
#define DATE_STEP_NS   (20 * NS_PER_MS)
#define DATE_FAR_NS    (60 * NS_PER_S)
#define PARAMS_LATE_NS (5 * NS_PER_S)
#define ENV_LATE_NS    (100 * NS_PER_MS)

void followed_init(struct followed_table *table, const char *const *env_names)
{
	memset(table, 0, sizeof(*table));
	table->by_list = process_usage_needs_list();
	for (size_t i = 0; env_names && env_names[i]; i++)
		strvec_push(&table->env_names, env_names[i]);
}

void followed_release(struct followed_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		if (table->v[i]->handle)
			CloseHandle(table->v[i]->handle);
		process_params_release(&table->v[i]->params);
		free(table->v[i]);
	}
	free(table->v);
	free(table->live);
	proc_queue_release(&table->events);
	intmap_release(&table->by_pid);
	strvec_release(&table->env_names);
}

struct followed *followed_find(const struct followed_table *table, int64_t pid)
{
	struct followed *f = intmap_get(&table->by_pid, pid);

	return f && !f->ended ? f : NULL;
}

static struct proc_event *add_event(struct followed_table *table, enum proc_event_kind kind,
				    const struct followed *f, int64_t time_ns)
{
	struct proc_event *event = proc_queue_add(&table->events);

	event->kind = kind;
	event->time_ns = time_ns;
	event->pid = f->pid;
	event->ppid = f->ppid;
	return event;
}

/*
 * When something was that the system dates: it is known from our clock when we were told, and by the date
 * where we were told late. A date that is far off is none: the clock was set, or it is not filled in yet.
 */
static int64_t time_of(int64_t date, int64_t told_ns)
{
	FILETIME now_date;
	int64_t now_ns, time_ns;

	if (!date)
		return told_ns;
	GetSystemTimePreciseAsFileTime(&now_date);
	now_ns = clock_now();
	time_ns = now_ns -
		  ((int64_t)((uint64_t)now_date.dwHighDateTime << 32 | now_date.dwLowDateTime) -
		   date) * 100;
	return time_ns < told_ns - DATE_STEP_NS && time_ns > told_ns - DATE_FAR_NS ? time_ns
										   : told_ns;
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

static void tell_program(struct followed_table *table, struct followed *f)
{
	struct process_params *params = &f->params;
	struct proc_event *event = add_event(table, PROC_EXEC, f, f->start_ns);
	wchar_t *line = f->handle ? process_command_line(f->handle) : NULL;

	if (!line) {
		line = params->command_line;
		params->command_line = NULL;
	}
	event->exe = f->handle ? process_image_path(f->handle) : NULL;
	if (!event->exe) {
		event->exe = params->image;
		params->image = NULL;
	}
	event->cwd = params->cwd;
	params->cwd = NULL;
	keep_env(params, &table->env_names, &event->env);
	event->argv_lost = !line;
	table->argv_lost += !line;
	if (line)
		command_line_split(line, &event->argv);
	free(line);
	process_params_release(params);
	response_files_read(event);
}

/* Is that all, or what a process that is being started shows so far? */
static bool is_whole(const struct followed *f, enum process_params_state state)
{
	int64_t age = clock_now() - f->start_ns;

	if (state == PARAMS_NOT_YET)
		return age > PARAMS_LATE_NS;
	return state == PARAMS_GONE || f->params.env || age > ENV_LATE_NS;
}

/* True: told. What was read of a process that ends before all is there is kept. */
static bool read_program(struct followed_table *table, struct followed *f)
{
	struct process_params params = PROCESS_PARAMS_INIT;
	enum process_params_state state = PARAMS_GONE;

	if (f->readable)
		state = process_params_read(f->handle, &params);
	if (state == PARAMS_READ) {
		process_params_release(&f->params);
		f->params = params;
	}
	if (!is_whole(f, state))
		return false;
	tell_program(table, f);
	return true;
}

static void open_process(struct followed *f)
{
	DWORD pid = (DWORD)f->pid;

	f->handle =
		OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE, FALSE, pid);
	f->readable = f->handle != NULL;
	/* One with more rights than we have. */
	if (!f->handle)
		f->handle =
			OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);
}

static struct followed *add_row(struct followed_table *table, int64_t pid)
{
	struct followed *f = xcalloc(1, sizeof(*f));

	f->pid = pid;
	f->cpu_ns = f->peak_resident_bytes = f->peak_commit_bytes = -1;
	f->joined = INT64_MAX;
	ARRAY_GROW(table->v, table->nr + 1, table->alloc);
	table->v[table->nr++] = f;
	ARRAY_GROW(table->live, table->live_nr + 1, table->live_alloc);
	f->live_at = table->live_nr;
	table->live[table->live_nr++] = f;
	intmap_put(&table->by_pid, pid, f);
	return f;
}

struct followed *followed_add(struct followed_table *table, int64_t pid, bool silent,
			      int64_t seen_ns)
{
	struct followed *f = add_row(table, pid);
	struct process_usage usage;

	f->silent = silent;
	f->start_ns = seen_ns;
	open_process(f);
	if (f->handle) {
		process_usage_read(f->handle, &usage);
		f->created = usage.created;
		f->ppid = read_ppid(f->handle);
		f->start_ns = time_of(f->created, seen_ns);
	}
	if (silent)
		return f;
	add_event(table, PROC_FORK, f, f->start_ns);
	if (!read_program(table, f)) {
		f->pending = true;
		table->pending_nr++;
	}
	return f;
}

static void settle(struct followed_table *table, struct followed *f)
{
	f->pending = false;
	table->pending_nr--;
}

void followed_read_pending(struct followed_table *table)
{
	for (size_t i = 0; i < table->live_nr && table->pending_nr; i++) {
		struct followed *f = table->live[i];

		if (f->pending && read_program(table, f))
			settle(table, f);
	}
}

static void keep_highest(int64_t *highest, int64_t value)
{
	if (value > *highest)
		*highest = value;
}

static void take_usage(struct followed *f)
{
	struct process_usage usage;

	if (!f->handle)
		return;
	process_usage_read(f->handle, &usage);
	f->created = usage.created;
	f->exited = usage.exited;
	keep_highest(&f->cpu_ns, usage.cpu_ns);
	keep_highest(&f->peak_resident_bytes, usage.peak_resident_bytes);
	keep_highest(&f->peak_commit_bytes, usage.peak_commit_bytes);
}

static void tell_usage(struct followed_table *table, const struct followed *f, int64_t time_ns)
{
	struct proc_event *event;

	if (f->silent)
		return;
	event = add_event(table, PROC_USAGE, f, time_ns);
	event->cpu_ns = f->cpu_ns;
	event->peak_rss_bytes = f->peak_resident_bytes;
	event->peak_commit_bytes = f->peak_commit_bytes;
}

static void drop_live(struct followed_table *table, struct followed *f)
{
	struct followed *last = table->live[--table->live_nr];

	table->live[f->live_at] = last;
	last->live_at = f->live_at;
	f->ended = true;
}

static void tell_end(struct followed_table *table, struct followed *f)
{
	int64_t time_ns = clock_now();
	struct proc_event *event;
	DWORD exit_code;

	if (f->pending) {
		tell_program(table, f);
		settle(table, f);
	}
	take_usage(f);
	time_ns = time_of(f->exited, time_ns);
	if (time_ns < f->start_ns)
		time_ns = f->start_ns;
	if (!f->silent) {
		event = add_event(table, PROC_EXIT, f, time_ns);
		if (f->handle && GetExitCodeProcess(f->handle, &exit_code))
			event->exit_code = exit_code;
		tell_usage(table, f, time_ns);
	}
	if (f->handle)
		CloseHandle(f->handle);
	f->handle = NULL;
	table->ending_nr -= f->ending;
	drop_live(table, f);
}

static bool is_over(const struct followed *f)
{
	return f->handle && process_is_over(f->handle);
}

void followed_take_ends(struct followed_table *table)
{
	for (size_t i = table->live_nr; i-- > 0;) {
		if (is_over(table->live[i]))
			tell_end(table, table->live[i]);
	}
}

void followed_end(struct followed_table *table, struct followed *f)
{
	if (!f->ending)
		table->ending_nr++;
	f->ending = true;
	if (!f->handle || is_over(f))
		tell_end(table, f);
}

void followed_take_list(struct followed_table *table, const struct system_processes *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct system_process *p = &list->v[i];
		struct followed *f = followed_find(table, p->pid);

		/* The handle holds the number. */
		if (!f || !f->handle)
			continue;
		f->created = p->created;
		keep_highest(&f->cpu_ns, p->cpu_ns);
		keep_highest(&f->peak_resident_bytes, p->peak_resident_bytes);
		keep_highest(&f->peak_commit_bytes, p->peak_commit_bytes);
	}
}

struct followed *followed_parent(const struct followed_table *table,
				 const struct system_process *process)
{
	struct followed *parent = intmap_get(&table->by_pid, process->ppid);
	const struct followed *known = intmap_get(&table->by_pid, process->pid);

	/* Also one that has ended since the list was made. */
	if (known && (!known->ended || known->created == process->created))
		return NULL;
	if (!parent || parent->pid == process->pid || process->created < parent->created)
		return NULL;
	return parent->exited && process->created > parent->exited ? NULL : parent;
}

void followed_finish(struct followed_table *table)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < table->live_nr; i++) {
		struct followed *f = table->live[i];

		if (f->pending) {
			tell_program(table, f);
			settle(table, f);
		}
		take_usage(f);
		tell_usage(table, f, now);
	}
}
