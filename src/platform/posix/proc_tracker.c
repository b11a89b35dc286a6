#include "platform/posix/proc_tracker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define OWNERS 65536

static void free_tracked(struct tracked *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p);
}

static void release_reader(struct tracked *p)
{
	if (--p->readers == 0 && p->removed)
		free_tracked(p);
}

struct tracked *proc_table_find(const struct proc_table *table, int64_t pid)
{
	return intmap_get(&table->by_pid, pid);
}

static struct tracked *add_tracked(struct proc_table *table, int64_t pid)
{
	struct tracked *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->cpu_ns = p->reported_cpu_ns = -1;
	p->peak_rss_bytes = p->reported_peak_rss_bytes = -1;
	p->pidfd = -1;
	intmap_put(&table->by_pid, pid, p);
	return p;
}

static void remove_tracked(struct proc_table *table, struct tracked *p)
{
	intmap_remove(&table->by_pid, p->pid);
	p->removed = true;
	if (!p->readers)
		free_tracked(p);
}

void proc_table_sweep(struct proc_table *table, bool (*is_done)(struct tracked *p, void *data),
		      void *data)
{
	size_t i = 0;

	while (i < table->by_pid.nr) {
		struct tracked *p = table->by_pid.v[i].value;

		/* The last entry takes the place of a removed one. */
		if (is_done(p, data))
			remove_tracked(table, p);
		else
			i++;
	}
}

static void release_table(struct proc_table *table)
{
	while (table->by_pid.nr)
		remove_tracked(table, table->by_pid.v[table->by_pid.nr - 1].value);
	intmap_release(&table->by_pid);
}

void proc_tracker_init(struct proc_tracker *tracker, const char *const *env_names)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->monitor = monitor_new();
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
	monitor_free(tracker->monitor);
	free(tracker->owners);
	strvec_release(&tracker->env_names);
	procfs_buffers_release(&tracker->buffers);
	release_table(&tracker->table);
}

/* NULL: the process is a root that is not reported itself. */
static struct pending *add_event(struct proc_tracker *tracker, const struct tracked *p,
				 enum proc_event_kind kind, int64_t time_ns)
{
	struct pending *pending;

	if (p->silent)
		return NULL;
	pending = xcalloc(1, sizeof(*pending));
	proc_event_init(&pending->event);
	pending->event.kind = kind;
	pending->event.time_ns = time_ns;
	pending->event.pid = p->pid;
	pending->event.ppid = p->ppid;
	ARRAY_ADD(tracker->out, tracker->out_nr, tracker->out_alloc, pending);
	return pending;
}

/*
 * If the next program may have begun while this one was read, the event is complete only when the next one was read
 * too.
 */
static bool is_complete(const struct pending *pending)
{
	const struct pending *following = pending->following;

	return !pending->reading && !(following && following->reading &&
				      following->event.time_ns <= pending->read_to_ns);
}

static void free_pending(struct proc_tracker *tracker, struct pending *pending)
{
	struct tracked *p = proc_table_find(&tracker->table, pending->event.pid);

	if (p && p->program == pending)
		p->program = NULL;
	if (pending->following)
		pending->following->previous = NULL;
	free(pending);
}

void proc_tracker_hand_out(struct proc_tracker *tracker, struct proc_queue *queue)
{
	size_t ready = 0;

	while (ready < tracker->out_nr && is_complete(tracker->out[ready]))
		ready++;
	for (size_t i = 0; i < ready; i++) {
		*proc_queue_add(queue) = tracker->out[i]->event;
		free_pending(tracker, tracker->out[i]);
	}
	tracker->out_nr -= ready;
	if (ready)
		memmove(tracker->out, tracker->out + ready,
			tracker->out_nr * sizeof(*tracker->out));
}

struct tracked *proc_tracker_start(struct proc_tracker *tracker, int64_t pid, int64_t ppid,
				   int64_t time_ns, bool silent)
{
	struct tracked *p = add_tracked(&tracker->table, pid);

	p->ppid = ppid;
	p->start_ns = time_ns;
	p->silent = silent;
	p->tasks = p->tasks_ever = 1;
	tracker->table.living++;
	add_event(tracker, p, PROC_FORK, time_ns);
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
 * While a command line is read, the process may run its next program. Everything read after that start belongs to the
 * next program; if the start was during the reading, the parts that are equal in both are uncertain.
 */
static void check_against(struct proc_tracker *tracker, struct pending *pending,
			  const struct pending *following)
{
	struct proc_event *event = &pending->event;
	int64_t next_ns = following->event.time_ns;
	const char *next_exe = following->event.exe;

	if (pending->reading || next_ns > pending->read_to_ns)
		return;
	if (next_ns <= pending->read_from_ns) {
		lose_argv(tracker, event);
		return;
	}
	if (following->reading)
		return;
	if (pending->image == following->image) {
		lose_argv(tracker, event);
	} else if (event->exe && next_exe && !strcmp(event->exe, next_exe)) {
		free(event->exe);
		event->exe = NULL;
	}
}

/* The PROC_EXEC of a process whose command line is about to be read; NULL: the process is not reported. */
static struct pending *begin_exec(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = add_event(tracker, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!pending)
		return NULL;
	pending->reading = true;
	pending->previous = p->program;
	if (p->program)
		p->program->following = pending;
	p->program = pending;
	p->readers++;
	return pending;
}

/* If reading is far behind the events, another process may have the pid by now. */
static bool is_still(int64_t pid, int64_t start_ns, int64_t time_ns, int64_t now_ns)
{
	struct procfs_stat stat;

	if (now_ns - time_ns < NS_PER_S)
		return true;
	return procfs_read_stat(pid, &stat) && stat.start_ns <= start_ns + NS_PER_S / 50;
}

static void read_exec(const struct proc_tracker *tracker, struct pending *pending, int64_t start_ns,
		      struct procfs_buffers *buffers)
{
	int64_t pid = pending->event.pid;

	pending->read_from_ns = clock_now();
	if (is_still(pid, start_ns, pending->event.time_ns, pending->read_from_ns))
		pending->image =
			procfs_read_image(pid, &tracker->env_names, buffers, &pending->event);
	else
		pending->event.argv_lost = true;
	pending->read_to_ns = clock_now();
}

static void end_exec(struct proc_tracker *tracker, struct tracked *p, struct pending *pending)
{
	pending->reading = false;
	tracker->argv_lost += pending->event.argv_lost;
	if (pending->previous)
		check_against(tracker, pending->previous, pending);
	if (pending->following)
		check_against(tracker, pending, pending->following);
	if (p->program == pending)
		p->image = pending->image;
	p->ran_ns = pending->read_to_ns;
	release_reader(p);
}

void proc_tracker_exec(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = begin_exec(tracker, p, time_ns);

	if (!pending)
		return;
	read_exec(tracker, pending, p->start_ns, &tracker->buffers);
	end_exec(tracker, p, pending);
}

static void exec_unseen(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = add_event(tracker, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!pending)
		return;
	pending->event.argv_lost = true;
	tracker->argv_lost++;
}

void proc_tracker_report_usage(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	struct pending *pending;

	if (p->cpu_ns == p->reported_cpu_ns && p->peak_rss_bytes == p->reported_peak_rss_bytes)
		return;
	pending = add_event(tracker, p, PROC_USAGE, time_ns);
	if (!pending)
		return;
	pending->event.cpu_ns = p->reported_cpu_ns = p->cpu_ns;
	pending->event.peak_rss_bytes = p->reported_peak_rss_bytes = p->peak_rss_bytes;
}

static bool has_all_records(const struct proc_tracker *tracker, const struct tracked *p)
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

void proc_tracker_end(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns,
		      int64_t status)
{
	struct pending *pending;
	/*
	 * A record is made before the task frees its memory, which takes CPU time too. The final CPU time is
	 * available until the parent has collected the process.
	 */
	int64_t cpu_ns = procfs_cpu_ns(p->pid);

	if (cpu_ns > p->cpu_ns)
		p->cpu_ns = cpu_ns;
	if (p->unseen)
		exec_unseen(tracker, p, time_ns);
	p->ended = true;
	p->end_ns = time_ns;
	tracker->table.living--;
	pending = add_event(tracker, p, PROC_EXIT, time_ns);
	if (pending)
		set_status(&pending->event, status);
	if (has_all_records(tracker, p))
		proc_tracker_report_usage(tracker, p, time_ns);
}

void proc_tracker_retire(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns)
{
	if (!p->ended)
		proc_tracker_end(tracker, p, time_ns, -1);
	proc_tracker_report_usage(tracker, p, time_ns);
	remove_tracked(&tracker->table, p);
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
		proc_tracker_retire(tracker, former, msg->time_ns);
	if (proc_table_find(&tracker->table, msg->ppid))
		proc_tracker_start(tracker, msg->pid, msg->ppid, msg->time_ns, false);
}

/*
 * If a thread other than the first calls exec, the first one ends and the thread gets its id: the ends of threads
 * until then are not the end of the process.
 */
static void take_exec(struct proc_tracker *tracker, const struct cn_proc_msg *msg,
		      struct procfs_buffers *buffers)
{
	struct tracked *p = proc_table_find(&tracker->table, msg->tgid);
	struct pending *pending;
	int64_t start_ns;

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks = 1;
	p->tasks_ended = 0;
	p->leader_ended = false;
	p->status = 0;
	pending = begin_exec(tracker, p, msg->time_ns);
	if (!pending)
		return;
	start_ns = p->start_ns;
	monitor_leave(tracker->monitor);
	read_exec(tracker, pending, start_ns, buffers);
	monitor_enter(tracker->monitor);
	end_exec(tracker, p, pending);
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
		proc_tracker_report_usage(tracker, p, p->end_ns);
}
