#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/posix/pid_cursor.h"
#include "platform/posix/proc_look.h"
#include "platform/posix/proc_source.h"
#include "platform/posix/watch_thread.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define INTERVAL_NS    (5 * NS_PER_MS)
#define FULL_LOOK_NS   (2 * NS_PER_S)
#define FULL_STEP_NS   (50 * NS_PER_MS)
#define SETTLE_NS      (100 * NS_PER_MS)
#define BUSY_NS        (20 * NS_PER_MS)
#define QUIET_NS       NS_PER_S
#define FRESH_NS       NS_PER_S
#define FRESH_LOOK_NS  (2 * NS_PER_MS)
#define OLD_LOOK_NS    (50 * NS_PER_MS)
#define CANDIDATES_MAX 4096
#define PIDFDS_MAX     400
#define ENDS_BATCH     64

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* The answer of Linux 6.15 to "how did it end", which holds when the process has been collected. */
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
	struct pid_cursor cursor;
	int ends; /* epoll of the processes' pidfds */
	int wake;
	size_t pidfds; /* seen so far in a round over the processes */
	int64_t interval_ns;
	int64_t looked_ns;
	int64_t full_ns;
	int64_t settled_ns;
	int64_t started_ns; /* the last process of ours */
	int64_t counted;    /* without a cursor: procfs_started() at the last look */

	/* Numbers given out that were not there: about to be, or gone. */
	int64_t *absent;
	size_t absent_nr, absent_alloc;
};

static int poll_open(const struct proc_watch_options *options, struct proc_source **source,
		     struct err *err)
{
	struct proc_source *s;
	struct procfs_stat self;

	if (!procfs_read_stat(getpid(), &self))
		return err_set(err, ERR_UNSUPPORTED, "cannot watch processes: no /proc");
	s = xcalloc(1, sizeof(*s));
	s->ends = epoll_create1(EPOLL_CLOEXEC);
	if (s->ends < 0) {
		err_set_errno(err, errno, "cannot watch processes");
		free(s);
		return -1;
	}
	s->wake = -1;
	s->interval_ns = options->poll_interval_ns > 0 ? options->poll_interval_ns : INTERVAL_NS;
	pid_cursor_open(&s->cursor);
	s->looked_ns = s->full_ns = clock_now();
	*source = s;
	return 0;
}

static bool poll_has_records(const struct proc_source *s)
{
	(void)s;
	return false;
}

static void poll_start(struct proc_source *s, struct proc_tracker *tracker)
{
	(void)s;
	(void)tracker;
	(void)watch_thread_raise();
}

static void poll_close(struct proc_source *s)
{
	pid_cursor_close(&s->cursor);
	close(s->ends);
	free(s->absent);
	free(s);
}

static void add_to_epoll(struct proc_source *s, int fd, int64_t pid)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = (uint64_t)pid } };

	(void)epoll_ctl(s->ends, EPOLL_CTL_ADD, fd, &event);
}

/*
 * While processes of ours start, more are about to: look five times as often then, half as often where none did
 * for a while. Without a cursor each look reads all of /proc, so there are fewer.
 */
static int64_t choose_interval(const struct proc_source *s)
{
	int64_t interval = s->interval_ns;

	if (s->cursor.fd < 0)
		return interval < FULL_STEP_NS ? FULL_STEP_NS : interval;
	if (s->looked_ns - s->started_ns < BUSY_NS)
		return interval / 5;
	return s->looked_ns - s->started_ns > QUIET_NS ? interval * 2 : interval;
}

static void poll_wait(struct proc_source *s, struct proc_tracker *tracker, int wake)
{
	int64_t left = s->looked_ns + choose_interval(s) - clock_now();
	struct epoll_event event;

	if (s->wake != wake) {
		s->wake = wake;
		add_to_epoll(s, wake, 0);
	}
	if (!tracker->table.nr)
		left = NS_PER_S;
	/* Level-triggered: what woke us up is there again when it is taken. Never without a pause, or a slow look
	 * would follow on the next. */
	if (left < NS_PER_MS)
		left = NS_PER_MS;
	(void)epoll_wait(s->ends, &event, 1, (int)((left + NS_PER_MS - 1) / NS_PER_MS));
}

static void watch_end(struct proc_source *s, struct proc_tracked *p)
{
	if (p->ended || p->silent || p->pidfd >= 0 || s->pidfds >= PIDFDS_MAX)
		return;
	p->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)p->pid, 0);
	if (p->pidfd < 0)
		return;
	add_to_epoll(s, p->pidfd, p->pid);
}

static void look_at(struct proc_source *s, struct proc_tracker *tracker,
		    const struct procfs_stat *stat)
{
	struct proc_tracked *p = look_found(tracker, stat, s->looked_ns);

	if (!p)
		return;
	s->started_ns = clock_now();
	watch_end(s, p);
}

/* A number is given out a moment before its process can be seen, so what is absent gets a second look. */
static void look_at_absent(struct proc_source *s, struct proc_tracker *tracker)
{
	struct procfs_stat stat;

	for (size_t i = 0; i < s->absent_nr; i++) {
		if (procfs_read_stat(s->absent[i], &stat))
			look_at(s, tracker, &stat);
		else
			tracker->may_have_missed++;
	}
	s->absent_nr = 0;
}

static void look_at_new(struct proc_source *s, struct proc_tracker *tracker)
{
	int64_t from, to, count;
	struct procfs_stat stat;

	look_at_absent(s, tracker);
	if (!pid_cursor_next(&s->cursor, &from, &to))
		return;
	count = pid_cursor_count(&s->cursor, from, to);
	if (count > CANDIDATES_MAX) {
		tracker->may_have_missed += count;
		s->full_ns = 0;
		return;
	}
	while (count-- > 0) {
		from = pid_cursor_after(&s->cursor, from);
		if (procfs_read_stat(from, &stat)) {
			look_at(s, tracker, &stat);
		} else {
			ARRAY_GROW(s->absent, s->absent_nr + 1, s->absent_alloc);
			s->absent[s->absent_nr++] = from;
		}
	}
}

static int64_t read_status(struct proc_tracked *p)
{
	struct pidfd_answer answer = { .mask = PIDFD_INFO_EXIT_BIT };
	struct procfs_stat stat;

	bool is_there = procfs_read_stat(p->pid, &stat);

	p->unseen |= is_there && !p->has_run && !stat.only_forked;
	if (ioctl(p->pidfd, PIDFD_GET_ANSWER, &answer) == 0 && answer.mask & PIDFD_INFO_EXIT_BIT)
		return answer.status;
	return is_there ? stat.status : -1;
}

static void drop_pidfd(struct proc_source *s, struct proc_tracked *p)
{
	/* A child of ours that is between fork and exec still has a copy, which would go on to report. */
	(void)epoll_ctl(s->ends, EPOLL_CTL_DEL, p->pidfd, NULL);
	close(p->pidfd);
	p->pidfd = -1;
}

static void take_ends(struct proc_source *s, struct proc_tracker *tracker)
{
	struct epoll_event events[ENDS_BATCH];
	int nr = epoll_wait(s->ends, events, ENDS_BATCH, 0);

	for (int i = 0; i < nr; i++) {
		struct proc_tracked *p =
			proc_table_find(&tracker->table, (int64_t)events[i].data.u64);

		if (!p || p->pidfd < 0)
			continue;
		if (!p->ended)
			proc_tracker_end(tracker, p, clock_now(), read_status(p));
		drop_pidfd(s, p);
	}
}

struct each {
	struct proc_source *source;
	struct proc_tracker *tracker;
	int64_t now_ns;
};

/* A program is mostly run right after the fork. */
static bool look_at_known(struct proc_tracked *p, void *data)
{
	const struct each *each = data;
	bool fresh = !p->has_run || each->now_ns - p->ran_ns < FRESH_NS;

	if (p->ended && p->pidfd >= 0)
		drop_pidfd(each->source, p);
	if (p->ended || p->silent)
		return false;
	watch_end(each->source, p);
	each->source->pidfds += p->pidfd >= 0;
	if (each->now_ns - p->looked_ns < (fresh ? FRESH_LOOK_NS : OLD_LOOK_NS))
		return false;
	p->looked_ns = each->now_ns;
	look_again(each->tracker, p);
	return false;
}

/* Without a cursor: all that the machine started but those found, strangers and threads too. */
static void count_missed(struct proc_source *s, struct proc_tracker *tracker, size_t found)
{
	int64_t started = procfs_started();

	if (started > s->counted + (int64_t)found && s->counted > 0)
		tracker->may_have_missed += started - s->counted - (int64_t)found;
	s->counted = started;
}

static void look_at_all(struct proc_source *s, struct proc_tracker *tracker, int64_t now_ns)
{
	size_t known = tracker->table.nr;

	look_all(tracker, s->full_ns ? s->full_ns : s->looked_ns);
	if (s->cursor.fd < 0)
		count_missed(s, tracker, tracker->table.nr > known ? tracker->table.nr - known : 0);
	s->full_ns = now_ns;
}

static void poll_take(struct proc_source *s, struct proc_tracker *tracker)
{
	int64_t now = clock_now();
	struct each each = { s, tracker, now };

	if (s->cursor.fd >= 0)
		look_at_new(s, tracker);
	if (s->cursor.fd < 0 || now - s->full_ns > FULL_LOOK_NS)
		look_at_all(s, tracker, now);
	s->pidfds = 0;
	proc_table_sweep(&tracker->table, look_at_known, &each);
	take_ends(s, tracker);
	look_sample(tracker, now);
	if (now - s->settled_ns > SETTLE_NS) {
		s->settled_ns = now;
		look_settle(tracker, now);
	}
	s->looked_ns = now;
}

static void poll_finish(struct proc_source *s, struct proc_tracker *tracker)
{
	poll_take(s, tracker);
	if (s->cursor.fd >= 0)
		look_at_absent(s, tracker);
	look_finish(tracker);
}

static void poll_get_status(struct proc_source *s, struct proc_watch_status *status)
{
	(void)s;
	status->method = "polling /proc";
}

const struct proc_source_ops proc_poll_source = {
	.open = poll_open,
	.has_records = poll_has_records,
	.start = poll_start,
	.wait = poll_wait,
	.take = poll_take,
	.finish = poll_finish,
	.get_status = poll_get_status,
	.close = poll_close,
};
