#include "platform/posix/proc_tracker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "platform/clock.h"
#include "platform/posix/watch_thread.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define OWNERS 65536

void proc_tracker_lock(struct proc_tracker *tracker)
{
	pthread_mutex_lock(&tracker->lock);
}

void proc_tracker_unlock(struct proc_tracker *tracker)
{
	pthread_mutex_unlock(&tracker->lock);
}

void proc_tracker_init(struct proc_tracker *tracker, const char *const *env_names)
{
	memset(tracker, 0, sizeof(*tracker));
	watch_thread_init_lock(&tracker->lock);
	tracker->env_names = (struct strvec)STRVEC_INIT;
	tracker->buffers.cmdline = (struct strbuf)STRBUF_INIT;
	tracker->buffers.other = (struct strbuf)STRBUF_INIT;
	tracker->owners = xcalloc(OWNERS, sizeof(*tracker->owners));
	while (env_names && *env_names)
		strvec_push(&tracker->env_names, *env_names++);
}

void proc_tracker_release(struct proc_tracker *tracker)
{
	for (size_t i = 0; i < tracker->out_nr; i++) {
		proc_event_release(&tracker->out[i]->event);
		free(tracker->out[i]);
	}
	free(tracker->out);
	pthread_mutex_destroy(&tracker->lock);
	free(tracker->owners);
	strvec_release(&tracker->env_names);
	procfs_buffers_release(&tracker->buffers);
	proc_table_release(&tracker->table);
}

/* A new event, NULL where the process is none of the trace's. */
static struct told *tell(struct proc_tracker *tracker, const struct proc_tracked *p,
			 enum proc_event_kind kind, int64_t time_ns)
{
	struct told *told;

	if (p->silent)
		return NULL;
	told = xcalloc(1, sizeof(*told));
	proc_event_init(&told->event);
	told->event.kind = kind;
	told->event.time_ns = time_ns;
	told->event.pid = p->pid;
	told->event.ppid = p->ppid;
	ARRAY_GROW(tracker->out, tracker->out_nr + 1, tracker->out_alloc);
	tracker->out[tracker->out_nr++] = told;
	return told;
}

/* Whether the program that followed began while this one was read is seen when both are read. */
static bool is_complete(const struct told *told)
{
	const struct told *following = told->following;

	return !told->reading &&
	       !(following && following->reading && following->event.time_ns <= told->read_to_ns);
}

static void let_go(struct proc_tracker *tracker, struct told *told)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, told->event.pid);

	if (p && p->program == told)
		p->program = NULL;
	if (told->following)
		told->following->previous = NULL;
	free(told);
}

void proc_tracker_hand_out(struct proc_tracker *tracker, struct proc_queue *queue)
{
	size_t ready = 0;

	while (ready < tracker->out_nr && is_complete(tracker->out[ready]))
		ready++;
	for (size_t i = 0; i < ready; i++) {
		*proc_queue_add(queue) = tracker->out[i]->event;
		let_go(tracker, tracker->out[i]);
	}
	tracker->out_nr -= ready;
	if (ready)
		memmove(tracker->out, tracker->out + ready,
			tracker->out_nr * sizeof(*tracker->out));
}

struct proc_tracked *proc_tracker_start(struct proc_tracker *tracker, int64_t pid, int64_t ppid,
					int64_t time_ns, bool silent)
{
	struct proc_tracked *p = proc_table_add(&tracker->table, pid);

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
 * Reading takes a moment, in which the process may run its next program. What was read after that one's start
 * belongs to it; read around it, the parts that are equal are in doubt.
 */
static void check_against(struct proc_tracker *tracker, struct told *told,
			  const struct told *following)
{
	struct proc_event *event = &told->event;
	int64_t next_ns = following->event.time_ns;
	const char *next_exe = following->event.exe;

	if (told->reading || next_ns > told->read_to_ns)
		return;
	if (next_ns <= told->read_from_ns) {
		lose_argv(tracker, event);
		return;
	}
	if (following->reading)
		return;
	if (told->image == following->image) {
		lose_argv(tracker, event);
	} else if (event->exe && next_exe && !strcmp(event->exe, next_exe)) {
		free(event->exe);
		event->exe = NULL;
	}
}

/* The PROC_EXEC of a process whose command line is about to be read; NULL: nobody wants to know. */
static struct told *begin_exec(struct proc_tracker *tracker, struct proc_tracked *p,
			       int64_t time_ns)
{
	struct told *told = tell(tracker, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!told)
		return NULL;
	told->reading = true;
	told->previous = p->program;
	if (p->program)
		p->program->following = told;
	p->program = told;
	p->readers++;
	return told;
}

/* Far behind the events, a number may have been given out again; what it runs is not ours then. */
static bool is_still(int64_t pid, int64_t start_ns, int64_t time_ns, int64_t now_ns)
{
	struct procfs_stat stat;

	if (now_ns - time_ns < NS_PER_S)
		return true;
	return procfs_read_stat(pid, &stat) && stat.start_ns <= start_ns + NS_PER_S / 50;
}

static void read_exec(const struct proc_tracker *tracker, struct told *told, int64_t start_ns,
		      struct procfs_buffers *buffers)
{
	int64_t pid = told->event.pid;

	told->read_from_ns = clock_now();
	if (is_still(pid, start_ns, told->event.time_ns, told->read_from_ns))
		told->image = procfs_read_image(pid, &tracker->env_names, buffers, &told->event);
	else
		told->event.argv_lost = true;
	told->read_to_ns = clock_now();
}

static void end_exec(struct proc_tracker *tracker, struct proc_tracked *p, struct told *told)
{
	told->reading = false;
	tracker->argv_lost += told->event.argv_lost;
	if (told->previous)
		check_against(tracker, told->previous, told);
	if (told->following)
		check_against(tracker, told, told->following);
	if (p->program == told)
		p->image = told->image;
	p->ran_ns = told->read_to_ns;
	proc_table_release_reader(p);
}

void proc_tracker_exec(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns)
{
	struct told *told = begin_exec(tracker, p, time_ns);

	if (!told)
		return;
	read_exec(tracker, told, p->start_ns, &tracker->buffers);
	end_exec(tracker, p, told);
}

static void exec_unseen(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns)
{
	struct told *told = tell(tracker, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!told)
		return;
	told->event.argv_lost = true;
	tracker->argv_lost++;
}

void proc_tracker_tell_usage(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns)
{
	struct told *told;

	if (p->cpu_ns == p->told_cpu_ns && p->peak_rss_bytes == p->told_peak_rss_bytes)
		return;
	told = tell(tracker, p, PROC_USAGE, time_ns);
	if (!told)
		return;
	told->event.cpu_ns = p->told_cpu_ns = p->cpu_ns;
	told->event.peak_rss_bytes = p->told_peak_rss_bytes = p->peak_rss_bytes;
}

static bool has_all_records(const struct proc_tracker *tracker, const struct proc_tracked *p)
{
	return !tracker->has_records || p->records >= p->tasks_ever;
}

static void set_status(struct proc_event *event, int64_t status)
{
	if (status < 0)
		return;
	event->signal = WTERMSIG((int)status);
	event->exit_code = event->signal ? 128 + event->signal : WEXITSTATUS((int)status);
}

void proc_tracker_end(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns,
		      int64_t status)
{
	struct told *told;
	/* Records are made before a task gives its memory back, which is work too; seen where its parent has
	 * not collected it yet. */
	int64_t cpu_ns = procfs_cpu_ns(p->pid);

	if (cpu_ns > p->cpu_ns)
		p->cpu_ns = cpu_ns;
	if (p->unseen)
		exec_unseen(tracker, p, time_ns);
	p->ended = true;
	p->end_ns = time_ns;
	tracker->table.living--;
	told = tell(tracker, p, PROC_EXIT, time_ns);
	if (told)
		set_status(&told->event, status);
	if (has_all_records(tracker, p))
		proc_tracker_tell_usage(tracker, p, time_ns);
}

static bool is_it(struct proc_tracked *p, void *data)
{
	return p == data;
}

void proc_tracker_retire(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns)
{
	if (!p->ended)
		proc_tracker_end(tracker, p, time_ns, -1);
	proc_tracker_tell_usage(tracker, p, time_ns);
	proc_table_sweep(&tracker->table, is_it, p);
}

static void take_thread(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, msg->tgid);

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks++;
	p->tasks_ever++;
	tracker->owners[(uint64_t)msg->pid % OWNERS] =
		(struct thread_owner){ (int32_t)msg->pid, (int32_t)msg->tgid };
}

static void take_fork(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct proc_tracked *former = proc_table_find(&tracker->table, msg->pid);

	if (former && msg->time_ns <= former->scanned_ns)
		return;
	if (former)
		proc_tracker_retire(tracker, former, msg->time_ns);
	if (proc_table_find(&tracker->table, msg->ppid))
		proc_tracker_start(tracker, msg->pid, msg->ppid, msg->time_ns, false);
}

/*
 * When a thread other than the first runs a program, the first ends and the thread takes over its number: all
 * that ended before did not end the process.
 */
static void take_exec(struct proc_tracker *tracker, const struct cn_proc_msg *msg,
		      struct procfs_buffers *buffers)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, msg->tgid);
	struct told *told;
	int64_t start_ns;

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks = 1;
	p->tasks_ended = 0;
	p->leader_ended = false;
	p->status = 0;
	told = begin_exec(tracker, p, msg->time_ns);
	if (!told)
		return;
	start_ns = p->start_ns;
	proc_tracker_unlock(tracker);
	read_exec(tracker, told, start_ns, buffers);
	proc_tracker_lock(tracker);
	end_exec(tracker, p, told);
}

static void take_exit(struct proc_tracker *tracker, const struct cn_proc_msg *msg)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, msg->tgid);

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
		proc_tracker_end(tracker, p, msg->time_ns, p->status);
}

void proc_tracker_take_event(struct proc_tracker *tracker, const struct cn_proc_msg *msg,
			     struct procfs_buffers *buffers)
{
	switch (msg->kind) {
	case CN_PROC_FORK:
		if (msg->pid == msg->tgid)
			take_fork(tracker, msg);
		else
			take_thread(tracker, msg);
		break;
	case CN_PROC_EXEC:
		take_exec(tracker, msg, buffers);
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

void proc_tracker_take_record(struct proc_tracker *tracker, const struct taskstats_msg *msg)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, owner_of(tracker, msg));

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
		proc_tracker_tell_usage(tracker, p, p->end_ns);
}
