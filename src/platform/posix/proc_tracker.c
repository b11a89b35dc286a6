#include "platform/posix/proc_tracker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define OWNERS 65536

void tracker_init(struct proc_tracker *tracker, const char *const *env_names)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->env_names = (struct strvec)STRVEC_INIT;
	tracker->buffers.cmdline = (struct strbuf)STRBUF_INIT;
	tracker->buffers.other = (struct strbuf)STRBUF_INIT;
	tracker->batch = 1;
	tracker->owners = xcalloc(OWNERS, sizeof(*tracker->owners));
	while (env_names && *env_names)
		strvec_push(&tracker->env_names, *env_names++);
}

void tracker_release(struct proc_tracker *tracker)
{
	for (size_t i = 0; i < tracker->out_nr; i++)
		proc_event_release(&tracker->out[i]);
	free(tracker->out);
	free(tracker->owners);
	strvec_release(&tracker->env_names);
	procfs_buffers_release(&tracker->buffers);
	proc_table_release(&tracker->table);
}

/* A new event, NULL where the process is none of the trace's. */
static struct proc_event *tell(struct proc_tracker *tracker, const struct tracked *p,
			       enum proc_event_kind kind, int64_t time_ns)
{
	struct proc_event *event;

	if (p->silent)
		return NULL;
	ARRAY_GROW(tracker->out, tracker->out_nr + 1, tracker->out_alloc);
	event = &tracker->out[tracker->out_nr++];
	proc_event_init(event);
	event->kind = kind;
	event->time_ns = time_ns;
	event->pid = p->pid;
	event->ppid = p->ppid;
	return event;
}

void tracker_handed_out(struct proc_tracker *tracker)
{
	tracker->out_nr = 0;
	tracker->batch++;
}

struct tracked *tracker_start(struct proc_tracker *tracker, int64_t pid, int64_t ppid,
			      int64_t time_ns, bool silent)
{
	struct tracked *p = proc_table_add(&tracker->table, pid);

	p->ppid = ppid;
	p->start_ns = time_ns;
	p->silent = silent;
	p->tasks = p->tasks_ever = 1;
	tracker->table.living++;
	tell(tracker, p, PROC_FORK, time_ns);
	return p;
}

static void lose_argv(struct proc_tracker *tracker, struct proc_event *event)
{
	if (event->argv_lost)
		return;
	free(event->exe);
	free(event->cwd);
	event->exe = event->cwd = NULL;
	strvec_release(&event->argv);
	strvec_release(&event->env);
	strvec_release(&event->responses);
	event->argv_lost = true;
	tracker->argv_lost++;
}

/*
 * What was read for the program before may have been this one's already: reading takes a moment. Read after this
 * one's start it was; read around it, the parts that are equal are in doubt.
 */
static void check_previous(struct proc_tracker *tracker, const struct tracked *p, int64_t time_ns,
			   const struct proc_event *now, uint64_t image)
{
	struct proc_event *previous;

	if (p->batch != tracker->batch || time_ns > p->read_to_ns)
		return;
	previous = &tracker->out[p->pending];
	if (time_ns <= p->read_from_ns || p->image == image)
		lose_argv(tracker, previous);
	else if (previous->exe && now->exe && !strcmp(previous->exe, now->exe)) {
		free(previous->exe);
		previous->exe = NULL;
	}
}

/* Far behind the events, a number may have been given out again; what it runs is not ours then. */
static bool is_still(const struct tracked *p, int64_t time_ns, int64_t now_ns)
{
	struct procfs_stat stat;

	if (now_ns - time_ns < NS_PER_S)
		return true;
	return procfs_read_stat(p->pid, &stat) && stat.start_ns <= p->start_ns + NS_PER_S / 50;
}

void tracker_exec(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct proc_event *event = tell(tracker, p, PROC_EXEC, time_ns);
	int64_t from = clock_now();
	uint64_t image = 0;

	p->has_run = true;
	p->unseen = false;
	if (!event)
		return;
	if (is_still(p, time_ns, from))
		image = procfs_read_image(p->pid, &tracker->env_names, &tracker->buffers, event);
	else
		event->argv_lost = true;
	tracker->argv_lost += event->argv_lost;
	check_previous(tracker, p, time_ns, event, image);
	p->image = image;
	p->read_from_ns = from;
	p->read_to_ns = clock_now();
	p->pending = tracker->out_nr - 1;
	p->batch = tracker->batch;
}

void tracker_exec_unseen(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct proc_event *event = tell(tracker, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!event)
		return;
	event->argv_lost = true;
	tracker->argv_lost++;
}

void tracker_tell_usage(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct proc_event *event;

	if (p->cpu_ns == p->told_cpu_ns && p->peak_rss_bytes == p->told_peak_rss_bytes)
		return;
	event = tell(tracker, p, PROC_USAGE, time_ns);
	if (!event)
		return;
	event->cpu_ns = p->told_cpu_ns = p->cpu_ns;
	event->peak_rss_bytes = p->told_peak_rss_bytes = p->peak_rss_bytes;
}

static bool has_all_records(const struct proc_tracker *tracker, const struct tracked *p)
{
	return !tracker->has_records || p->records >= p->tasks_ever;
}

void tracker_end(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns, int64_t status)
{
	struct proc_event *event;
	/* Records are made before a task gives its memory back, which is work too; seen where its parent has
	 * not collected it yet. */
	int64_t cpu_ns = procfs_cpu_ns(p->pid);

	if (cpu_ns > p->cpu_ns)
		p->cpu_ns = cpu_ns;
	if (p->unseen)
		tracker_exec_unseen(tracker, p, time_ns);
	p->ended = true;
	p->end_ns = time_ns;
	tracker->table.living--;
	event = tell(tracker, p, PROC_EXIT, time_ns);
	if (event && status >= 0) {
		event->signal = WTERMSIG((int)status);
		event->exit_code = event->signal ? 128 + event->signal : WEXITSTATUS((int)status);
	}
	if (has_all_records(tracker, p))
		tracker_tell_usage(tracker, p, time_ns);
}

static bool is_it(struct tracked *p, void *data)
{
	return p == data;
}

void tracker_retire(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	if (!p->ended)
		tracker_end(tracker, p, time_ns, -1);
	tracker_tell_usage(tracker, p, time_ns);
	proc_table_sweep(&tracker->table, is_it, p);
}

static void take_thread(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct tracked *p = proc_table_find(&tracker->table, msg->tgid);

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks++;
	p->tasks_ever++;
	tracker->owners[(uint64_t)msg->pid % OWNERS] =
		(struct thread_owner){ (int32_t)msg->pid, (int32_t)msg->tgid };
}

static void take_fork(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct tracked *former = proc_table_find(&tracker->table, msg->pid);

	if (former && msg->time_ns <= former->scanned_ns)
		return;
	if (former)
		tracker_retire(tracker, former, msg->time_ns);
	if (proc_table_find(&tracker->table, msg->ppid))
		tracker_start(tracker, msg->pid, msg->ppid, msg->time_ns, false);
}

/*
 * When a thread other than the first runs a program, the first ends and the thread takes over its number: all
 * that ended before did not end the process.
 */
static void take_exec(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct tracked *p = proc_table_find(&tracker->table, msg->tgid);

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks = 1;
	p->tasks_ended = 0;
	p->leader_ended = false;
	p->status = 0;
	tracker_exec(tracker, p, msg->time_ns);
}

static void take_exit(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct tracked *p = proc_table_find(&tracker->table, msg->tgid);

	if (!p || p->ended)
		return;
	if (msg->pid == msg->tgid) {
		p->leader_ended = true;
		p->status = msg->status;
	} else if (msg->time_ns <= p->scanned_ns) {
		return;
	} else if (p->leader_ended && msg->status) {
		p->status = msg->status;
	}
	p->end_ns = msg->time_ns;
	p->tasks_ended++;
	if (p->leader_ended && p->tasks_ended >= p->tasks)
		tracker_end(tracker, p, msg->time_ns, p->status);
}

void tracker_take_event(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	switch (msg->kind) {
	case CN_PROC_FORK:
		if (msg->pid == msg->tgid)
			take_fork(tracker, msg);
		else
			take_thread(tracker, msg);
		break;
	case CN_PROC_EXEC:
		take_exec(tracker, msg);
		break;
	case CN_PROC_EXIT:
		take_exit(tracker, msg);
		break;
	case CN_PROC_ACK:
	case CN_PROC_OTHER:
		break;
	}
}

static int64_t owner_of(const struct proc_tracker *tracker, const struct taskstats_msg *msg)
{
	const struct thread_owner *owner = &tracker->owners[(uint64_t)msg->pid % OWNERS];

	if (msg->tgid > 0)
		return msg->tgid;
	return owner->tid == msg->pid && !proc_table_find(&tracker->table, msg->pid) ? owner->pid
										     : msg->pid;
}

void tracker_take_record(struct proc_tracker *tracker, const struct taskstats_msg *msg)
{
	struct tracked *p = proc_table_find(&tracker->table, owner_of(tracker, msg));

	if (!p)
		return;
	p->records++;
	if (msg->cpu_ns > 0 && msg->cpu_ns < INT64_MAX - p->record_cpu_ns)
		p->record_cpu_ns += msg->cpu_ns;
	if (p->record_cpu_ns > p->cpu_ns)
		p->cpu_ns = p->record_cpu_ns;
	if (msg->peak_rss_bytes > p->peak_rss_bytes)
		p->peak_rss_bytes = msg->peak_rss_bytes;
	if (p->ended && has_all_records(tracker, p))
		tracker_tell_usage(tracker, p, p->end_ns);
}
