/*
 * Process events by polling /proc, used if the kernel sends no messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/posix/proc_scan.h"
#include "platform/proc_watch.h"
#include "platform/thread.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define INTERVAL_NS    (5 * NS_PER_MS)
#define FULL_SCAN_NS   (2 * NS_PER_S)
#define FULL_STEP_NS   (50 * NS_PER_MS)
#define SETTLE_NS      (100 * NS_PER_MS)
#define BUSY_NS        (20 * NS_PER_MS)
#define QUIET_NS       NS_PER_S
#define FRESH_NS       NS_PER_S
#define FRESH_SCAN_NS  (2 * NS_PER_MS)
#define OLD_SCAN_NS    (50 * NS_PER_MS)
#define CANDIDATES_MAX 4096
#define PIDFDS_MAX     400
#define ENDS_BATCH     64

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Since Linux 6.15 a pidfd reports the exit status, even after the parent has collected it. */
#define PIDFD_INFO_EXIT_BIT (UINT64_C(1) << 3)

struct pidfd_answer {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t status;
};

_Static_assert(sizeof(struct pidfd_answer) == 64, "the first published size");
#define PIDFD_GET_ANSWER _IOWR(0xFF, 11, struct pidfd_answer)

struct proc_source {
	struct tracked_set set; /* used by one thread only: never locked */
	struct pid_cursor cursor;
	int ends;      /* epoll of the processes' pidfds and of `woken` */
	int woken;     /* readable after a wake() */
	size_t pidfds; /* counted so far in this round over the processes */
	int64_t interval_ns;
	int64_t scanned_ns;
	int64_t full_ns;
	int64_t settled_ns;
	int64_t started_ns; /* of the last tracked process */
	int64_t counted;    /* without a cursor: procfs_started() at the last scan */

	/* Assigned pids that no process has: it is not visible yet, or has ended. */
	int64_t *absent;
	size_t absent_nr, absent_alloc;
};

static void add_to_epoll(struct proc_source *s, int fd, int64_t pid)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = (uint64_t)pid } };

	(void)epoll_ctl(s->ends, EPOLL_CTL_ADD, fd, &event);
}

static void poll_close(struct proc_source *s)
{
	pid_cursor_close(&s->cursor);
	if (s->ends >= 0)
		close(s->ends);
	if (s->woken >= 0)
		close(s->woken);
	tracked_set_release(&s->set);
	free(s->absent);
	free(s);
}

static int poll_open(const struct proc_watch_options *options, struct proc_source **source,
		     struct err *err)
{
	struct proc_source *s;
	struct procfs_stat self;

	if (!procfs_read_stat(getpid(), &self))
		return err_set(err, ERR_UNSUPPORTED, "no /proc");
	s = xcalloc(1, sizeof(*s));
	tracked_set_init(&s->set, options->env_names);
	pid_cursor_open(&s->cursor);
	s->ends = epoll_create1(EPOLL_CLOEXEC);
	s->woken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->ends < 0 || s->woken < 0) {
		err_set_errno(err, errno, "cannot create an event");
		poll_close(s);
		return -1;
	}
	add_to_epoll(s, s->woken, 0);
	s->interval_ns = options->poll_interval_ns > 0 ? options->poll_interval_ns : INTERVAL_NS;
	s->scanned_ns = s->full_ns = clock_now();
	*source = s;
	return 0;
}

static void poll_start(struct proc_source *s)
{
	(void)s;
	(void)thread_raise();
}

/*
 * After the start of a tracked process more starts are likely: scan five times as often then, and half as often after
 * a while without a start. Without a cursor each scan reads all of /proc, so scans are rarer.
 */
static int64_t choose_interval(const struct proc_source *s)
{
	int64_t interval = s->interval_ns;

	if (s->cursor.fd < 0)
		return interval < FULL_STEP_NS ? FULL_STEP_NS : interval;
	if (s->scanned_ns - s->started_ns < BUSY_NS)
		return interval / 5;
	return s->scanned_ns - s->started_ns > QUIET_NS ? interval * 2 : interval;
}

static void wait_for_news(struct proc_source *s)
{
	int64_t left = s->scanned_ns + choose_interval(s) - clock_now();
	struct epoll_event event;
	uint64_t count;

	if (!s->set.table.by_pid.nr)
		left = NS_PER_S;
	/*
	 * Events are level-triggered: they stay until they are processed. There is always a pause, so that slow scans
	 * do not follow each other immediately.
	 */
	if (left < NS_PER_MS)
		left = NS_PER_MS;
	(void)epoll_wait(s->ends, &event, 1, (int)((left + NS_PER_MS - 1) / NS_PER_MS));
	(void)!read(s->woken, &count, sizeof(count));
}

static void watch_end(struct proc_source *s, struct tracked *p)
{
	if (p->ended || p->silent || p->pidfd >= 0 || s->pidfds >= PIDFDS_MAX)
		return;
	p->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)p->pid, 0);
	if (p->pidfd < 0)
		return;
	add_to_epoll(s, p->pidfd, p->pid);
}

static void check(struct proc_source *s, const struct procfs_stat *stat)
{
	struct tracked *p = scan_found(&s->set, stat, s->scanned_ns);

	if (!p)
		return;
	s->started_ns = clock_now();
	watch_end(s, p);
}

/* A pid is assigned a moment before its process is visible, so pids without a process are read a second time. */
static void check_absent(struct proc_source *s)
{
	struct procfs_stat stat;

	for (size_t i = 0; i < s->absent_nr; i++) {
		if (procfs_read_stat(s->absent[i], &stat))
			check(s, &stat);
		else
			s->set.may_have_missed++;
	}
	s->absent_nr = 0;
}

static void check_new(struct proc_source *s)
{
	int64_t from, to, count;
	struct procfs_stat stat;

	check_absent(s);
	if (!pid_cursor_next(&s->cursor, &from, &to))
		return;
	count = pid_cursor_count(&s->cursor, from, to);
	if (count > CANDIDATES_MAX) {
		s->set.may_have_missed += count;
		s->full_ns = 0;
		return;
	}
	while (count-- > 0) {
		from = pid_cursor_after(&s->cursor, from);
		if (procfs_read_stat(from, &stat)) {
			check(s, &stat);
		} else {
			ARRAY_ADD(s->absent, s->absent_nr, s->absent_alloc, from);
		}
	}
}

static int64_t read_status(struct tracked *p)
{
	struct pidfd_answer answer = { .mask = PIDFD_INFO_EXIT_BIT };
	struct procfs_stat stat;

	bool is_there = procfs_read_stat(p->pid, &stat);

	p->unseen |= is_there && !p->has_run && !stat.only_forked;
	if (ioctl(p->pidfd, PIDFD_GET_ANSWER, &answer) == 0 && answer.mask & PIDFD_INFO_EXIT_BIT)
		return answer.status;
	return is_there ? stat.status : -1;
}

static void drop_pidfd(struct proc_source *s, struct tracked *p)
{
	/* A child of ours between fork and exec has a copy of the descriptor, so closing it does not remove it. */
	(void)epoll_ctl(s->ends, EPOLL_CTL_DEL, p->pidfd, NULL);
	close(p->pidfd);
	p->pidfd = -1;
}

static void take_ends(struct proc_source *s)
{
	struct epoll_event events[ENDS_BATCH];
	int nr = epoll_wait(s->ends, events, ENDS_BATCH, 0);

	for (int i = 0; i < nr; i++) {
		struct tracked *p = proc_table_find(&s->set.table, (int64_t)events[i].data.u64);

		if (!p || p->pidfd < 0)
			continue;
		if (!p->ended)
			tracked_set_end(&s->set, p, clock_now(), read_status(p));
		drop_pidfd(s, p);
	}
}

struct each {
	struct proc_source *source;
	int64_t now_ns;
};

/* Most processes run a program right after the fork. */
static bool check_known(struct tracked *p, void *data)
{
	const struct each *each = data;
	bool fresh = !p->has_run || each->now_ns - p->ran_ns < FRESH_NS;

	if (p->ended && p->pidfd >= 0)
		drop_pidfd(each->source, p);
	if (p->ended || p->silent)
		return false;
	watch_end(each->source, p);
	each->source->pidfds += p->pidfd >= 0;
	if (each->now_ns - p->compared_ns < (fresh ? FRESH_SCAN_NS : OLD_SCAN_NS))
		return false;
	p->compared_ns = each->now_ns;
	scan_known(&each->source->set, p);
	return false;
}

/*
 * Without a cursor: all tasks started on the machine minus the processes found; also threads and processes outside
 * the build.
 */
static void count_missed(struct proc_source *s, size_t found)
{
	int64_t started = procfs_started();

	if (started > s->counted + (int64_t)found && s->counted > 0)
		s->set.may_have_missed += started - s->counted - (int64_t)found;
	s->counted = started;
}

static void check_all(struct proc_source *s, int64_t now_ns)
{
	const struct intmap *tracked = &s->set.table.by_pid;
	size_t known = tracked->nr;

	scan_all(&s->set, s->full_ns ? s->full_ns : s->scanned_ns);
	if (s->cursor.fd < 0)
		count_missed(s, tracked->nr > known ? tracked->nr - known : 0);
	s->full_ns = now_ns;
}

static void take(struct proc_source *s)
{
	int64_t now = clock_now();
	struct each each = { s, now };

	if (s->cursor.fd >= 0)
		check_new(s);
	if (s->cursor.fd < 0 || now - s->full_ns > FULL_SCAN_NS)
		check_all(s, now);
	s->pidfds = 0;
	proc_table_sweep(&s->set.table, check_known, &each);
	take_ends(s);
	scan_sample(&s->set, now);
	if (now - s->settled_ns > SETTLE_NS) {
		s->settled_ns = now;
		scan_settle(&s->set, now);
	}
	s->scanned_ns = now;
}

static void poll_step(struct proc_source *s)
{
	wait_for_news(s);
	take(s);
}

static void poll_finish(struct proc_source *s)
{
	take(s);
	if (s->cursor.fd >= 0)
		check_absent(s);
	scan_finish(&s->set);
}

static void poll_wake(struct proc_source *s)
{
	const uint64_t one = 1;

	/* Fails only if the counter is at its maximum: then the thread will wake anyway. */
	(void)!write(s->woken, &one, sizeof(one));
}

static void poll_add_root(struct proc_source *s, int64_t pid, bool include)
{
	scan_add_root(&s->set, pid, include);
}

static void poll_hand_out(struct proc_source *s, struct proc_queue *queue)
{
	tracked_set_hand_out(&s->set, queue);
}

static void poll_get_status(struct proc_source *s, struct proc_watch_status *status)
{
	status->method = "polling /proc";
	status->argv_lost = s->set.argv_lost;
	status->may_have_missed = s->set.may_have_missed;
}

const struct proc_source_ops proc_poll_source = {
	.open = poll_open,
	.start = poll_start,
	.step = poll_step,
	.wake = poll_wake,
	.add_root = poll_add_root,
	.finish = poll_finish,
	.hand_out = poll_hand_out,
	.get_status = poll_get_status,
	.close = poll_close,
};

const struct proc_source_ops *const proc_sources[] = { &proc_live_source, &proc_poll_source, NULL };
