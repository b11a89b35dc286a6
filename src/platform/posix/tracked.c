#include "platform/posix/tracked.h"

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
	p->waits = p->reported_waits = (struct waits)WAITS_UNKNOWN;
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

void tracked_set_init(struct tracked_set *set, const char *const *env_names)
{
	memset(set, 0, sizeof(*set));
	set->monitor = monitor_new();
	set->env_names = (struct strvec)STRVEC_INIT;
	set->buffers.cmdline = (struct strbuf)STRBUF_INIT;
	set->buffers.other = (struct strbuf)STRBUF_INIT;
	set->owners = xcalloc(OWNERS, sizeof(*set->owners));
	while (env_names && *env_names)
		strvec_push(&set->env_names, *env_names++);
}

void tracked_set_release(struct tracked_set *set)
{
	for (size_t i = 0; i < set->out_nr; i++) {
		proc_event_release(&set->out[i]->event);
		free(set->out[i]);
	}
	free(set->out);
	monitor_free(set->monitor);
	free(set->owners);
	strvec_release(&set->env_names);
	procfs_buffers_release(&set->buffers);
	release_table(&set->table);
}

/* NULL: the process is a root that is not reported itself. */
static struct pending *add_event(struct tracked_set *set, const struct tracked *p,
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
	ARRAY_ADD(set->out, set->out_nr, set->out_alloc, pending);
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

static void free_pending(struct tracked_set *set, struct pending *pending)
{
	struct tracked *p = proc_table_find(&set->table, pending->event.pid);

	if (p && p->program == pending)
		p->program = NULL;
	if (pending->following)
		pending->following->previous = NULL;
	free(pending);
}

void tracked_set_hand_out(struct tracked_set *set, struct proc_queue *queue)
{
	size_t ready = 0;

	while (ready < set->out_nr && is_complete(set->out[ready]))
		ready++;
	for (size_t i = 0; i < ready; i++) {
		*proc_queue_add(queue) = set->out[i]->event;
		free_pending(set, set->out[i]);
	}
	set->out_nr -= ready;
	if (ready)
		memmove(set->out, set->out + ready, set->out_nr * sizeof(*set->out));
}

struct tracked *tracked_set_start(struct tracked_set *set, int64_t pid, int64_t ppid,
				  int64_t time_ns, bool silent)
{
	struct tracked *p = add_tracked(&set->table, pid);

	p->ppid = ppid;
	p->start_ns = time_ns;
	p->silent = silent;
	p->tasks = p->tasks_ever = 1;
	set->table.living++;
	add_event(set, p, PROC_FORK, time_ns);
	return p;
}

static void lose_argv(struct tracked_set *set, struct proc_event *event)
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
	set->argv_lost++;
}

/*
 * While a command line is read, the process may run its next program. Everything read after that start belongs to the
 * next program; if the start was during the reading, the parts that are equal in both are uncertain.
 */
static void check_against(struct tracked_set *set, struct pending *pending,
			  const struct pending *following)
{
	struct proc_event *event = &pending->event;
	int64_t next_ns = following->event.time_ns;
	const char *next_exe = following->event.exe;

	if (pending->reading || next_ns > pending->read_to_ns)
		return;
	if (next_ns <= pending->read_from_ns) {
		lose_argv(set, event);
		return;
	}
	if (following->reading)
		return;
	if (pending->image == following->image) {
		lose_argv(set, event);
	} else if (event->exe && next_exe && !strcmp(event->exe, next_exe)) {
		free(event->exe);
		event->exe = NULL;
	}
}

/* The PROC_EXEC of a process whose command line is about to be read; NULL: the process is not reported. */
static struct pending *begin_exec(struct tracked_set *set, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = add_event(set, p, PROC_EXEC, time_ns);

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

static void read_exec(const struct tracked_set *set, struct pending *pending, int64_t start_ns,
		      struct procfs_buffers *buffers)
{
	int64_t pid = pending->event.pid;

	pending->read_from_ns = clock_now();
	if (is_still(pid, start_ns, pending->event.time_ns, pending->read_from_ns))
		pending->image = procfs_read_image(pid, &set->env_names, buffers, &pending->event);
	else
		pending->event.argv_lost = true;
	pending->read_to_ns = clock_now();
}

static void end_exec(struct tracked_set *set, struct tracked *p, struct pending *pending)
{
	pending->reading = false;
	set->argv_lost += pending->event.argv_lost;
	if (pending->previous)
		check_against(set, pending->previous, pending);
	if (pending->following)
		check_against(set, pending, pending->following);
	if (p->program == pending)
		p->image = pending->image;
	p->ran_ns = pending->read_to_ns;
	release_reader(p);
}

void tracked_set_exec(struct tracked_set *set, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = begin_exec(set, p, time_ns);

	if (!pending)
		return;
	read_exec(set, pending, p->start_ns, &set->buffers);
	end_exec(set, p, pending);
}

static void exec_unseen(struct tracked_set *set, struct tracked *p, int64_t time_ns)
{
	struct pending *pending = add_event(set, p, PROC_EXEC, time_ns);

	p->has_run = true;
	p->unseen = false;
	if (!pending)
		return;
	pending->event.argv_lost = true;
	set->argv_lost++;
}

static bool has_all_records(const struct tracked_set *set, const struct tracked *p)
{
	return !set->has_records || p->records >= p->tasks_ever;
}

void tracked_set_report_usage(struct tracked_set *set, struct tracked *p, int64_t time_ns)
{
	const struct waits unknown = WAITS_UNKNOWN;
	/* Those of threads without a record are missing in the sums. */
	struct waits waits = p->ended && has_all_records(set, p) ? p->waits : unknown;
	struct pending *pending;

	if (p->cpu_ns == p->reported_cpu_ns && p->peak_rss_bytes == p->reported_peak_rss_bytes &&
	    !memcmp(&waits, &p->reported_waits, sizeof(waits)))
		return;
	pending = add_event(set, p, PROC_USAGE, time_ns);
	if (!pending)
		return;
	pending->event.cpu_ns = p->reported_cpu_ns = p->cpu_ns;
	pending->event.peak_rss_bytes = p->reported_peak_rss_bytes = p->peak_rss_bytes;
	pending->event.waits = p->reported_waits = waits;
}

static void set_status(struct proc_event *event, int64_t status)
{
	if (status < 0)
		return;
	event->signal = WTERMSIG((int)status);
	event->exit_code = event->signal ? 128 + event->signal : WEXITSTATUS((int)status);
}

void tracked_set_end(struct tracked_set *set, struct tracked *p, int64_t time_ns, int64_t status)
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
		exec_unseen(set, p, time_ns);
	p->ended = true;
	p->end_ns = time_ns;
	set->table.living--;
	pending = add_event(set, p, PROC_EXIT, time_ns);
	if (pending)
		set_status(&pending->event, status);
	if (has_all_records(set, p))
		tracked_set_report_usage(set, p, time_ns);
}

void tracked_set_retire(struct tracked_set *set, struct tracked *p, int64_t time_ns)
{
	if (!p->ended)
		tracked_set_end(set, p, time_ns, -1);
	tracked_set_report_usage(set, p, time_ns);
	remove_tracked(&set->table, p);
}

static void take_thread(struct tracked_set *set, const struct cn_proc_msg *msg)
{
	struct tracked *p = proc_table_find(&set->table, msg->tgid);

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks++;
	p->tasks_ever++;
	set->owners[(uint64_t)msg->pid % OWNERS] =
		(struct thread_owner){ (int32_t)msg->pid, (int32_t)msg->tgid };
}

static void take_fork(struct tracked_set *set, const struct cn_proc_msg *msg)
{
	struct tracked *former = proc_table_find(&set->table, msg->pid);

	if (former && msg->time_ns <= former->scanned_ns)
		return;
	if (former)
		tracked_set_retire(set, former, msg->time_ns);
	if (proc_table_find(&set->table, msg->ppid))
		tracked_set_start(set, msg->pid, msg->ppid, msg->time_ns, false);
}

/*
 * If a thread other than the first calls exec, the first one ends and the thread gets its id: the ends of threads
 * until then are not the end of the process.
 */
static void take_exec(struct tracked_set *set, const struct cn_proc_msg *msg,
		      struct procfs_buffers *buffers)
{
	struct tracked *p = proc_table_find(&set->table, msg->tgid);
	struct pending *pending;
	int64_t start_ns;

	if (!p || p->ended || msg->time_ns <= p->scanned_ns)
		return;
	p->tasks = 1;
	p->tasks_ended = 0;
	p->leader_ended = false;
	p->status = 0;
	pending = begin_exec(set, p, msg->time_ns);
	if (!pending)
		return;
	start_ns = p->start_ns;
	monitor_leave(set->monitor);
	read_exec(set, pending, start_ns, buffers);
	monitor_enter(set->monitor);
	end_exec(set, p, pending);
}

static void take_exit(struct tracked_set *set, const struct cn_proc_msg *msg)
{
	struct tracked *p = proc_table_find(&set->table, msg->tgid);

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
		tracked_set_end(set, p, msg->time_ns, p->status);
}

void tracked_set_take_event(struct tracked_set *set, const struct cn_proc_msg *msg,
			    struct procfs_buffers *buffers)
{
	switch (msg->kind) {
	case CN_PROC_FORK:
		if (msg->pid == msg->tgid)
			take_fork(set, msg);
		else
			take_thread(set, msg);
		break;
	case CN_PROC_EXEC:
		take_exec(set, msg, buffers);
		break;
	case CN_PROC_EXIT:
		take_exit(set, msg);
		break;
	case CN_PROC_ACK:
	case CN_PROC_OTHER:
		break;
	}
}

static int64_t owner_of(const struct tracked_set *set, const struct taskstats_msg *msg)
{
	const struct thread_owner *owner = &set->owners[(uint64_t)msg->pid % OWNERS];

	if (msg->tgid > 0)
		return msg->tgid;
	return owner->tid == msg->pid && !proc_table_find(&set->table, msg->pid) ? owner->pid
										 : msg->pid;
}

static void add_wait(int64_t *sum, int64_t wait_ns)
{
	if (*sum < 0)
		*sum = 0;
	*sum = wait_ns < INT64_MAX - *sum ? *sum + wait_ns : INT64_MAX;
}

void tracked_set_take_record(struct tracked_set *set, const struct taskstats_msg *msg)
{
	struct tracked *p = proc_table_find(&set->table, owner_of(set, msg));

	if (!p)
		return;
	p->records++;
	if (msg->cpu_ns > 0 && msg->cpu_ns < INT64_MAX - p->record_cpu_ns)
		p->record_cpu_ns += msg->cpu_ns;
	if (p->record_cpu_ns > p->cpu_ns)
		p->cpu_ns = p->record_cpu_ns;
	if (msg->peak_rss_bytes > p->peak_rss_bytes)
		p->peak_rss_bytes = msg->peak_rss_bytes;
	/* Without exact times the kernel counts no waits either. */
	if (msg->exact)
		add_wait(&p->waits.cpu_ns, msg->waits.cpu_ns);
	if (set->has_delays && msg->exact) {
		p->io_unknown = p->io_unknown || msg->waits.io_ns < 0;
		add_wait(&p->waits.io_ns, msg->waits.io_ns);
		if (p->io_unknown)
			p->waits.io_ns = -1;
		add_wait(&p->waits.memory_ns, msg->waits.memory_ns);
	}
	if (p->ended && has_all_records(set, p))
		tracked_set_report_usage(set, p, p->end_ns);
}
