#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/posix/cn_proc.h"
#include "platform/posix/netlink_decode.h"
#include "platform/posix/netlink_socket.h"
#include "platform/posix/proc_look.h"
#include "platform/posix/proc_source.h"
#include "platform/posix/taskstats.h"
#include "platform/posix/watch_thread.h"
#include "util/alloc.h"
#include "util/text.h"

#define SOCKET_BYTES  (INT64_C(64) << 20)
#define DATAGRAM_MAX  8192
#define RECORD_BATCH  256
#define SETTLE_NS     (100 * NS_PER_MS)
#define FINISH_NS     (200 * NS_PER_MS)
#define FINISH_STEP   (2 * NS_PER_MS)
#define WAIT_MS       100
#define WAIT_YOUNG_MS 10

struct proc_source {
	int events;
	int records; /* -1: taskstats is not to be had */
	char why_not[160];

	/* A second reader of events, on another CPU. */
	pthread_t second;
	bool has_second;
	int second_stop;
	struct proc_tracker *tracker;

	int64_t resynced_ns; /* from here on with the tracker locked */
	int64_t settled_ns;
	struct procfs_buffers buffers;
	struct taskstats_msg batch[RECORD_BATCH];
};

static int live_open(const struct proc_watch_options *options, struct proc_source **source,
		     struct err *err)
{
	int64_t bytes = options->socket_bytes ? options->socket_bytes : SOCKET_BYTES;
	struct err why = ERR_INIT;
	struct proc_source *s;
	int events;

	if (cn_proc_open(bytes, &events, err) < 0)
		return -1;
	s = xcalloc(1, sizeof(*s));
	s->events = events;
	s->records = -1;
	s->second_stop = -1;
	s->buffers = (struct procfs_buffers){ STRBUF_INIT, STRBUF_INIT };
	if (taskstats_open(bytes, &s->records, &why) < 0) {
		snprintf(s->why_not, sizeof(s->why_not), "%s", why.msg);
		err_clear(&why);
	}
	*source = s;
	return 0;
}

static void live_close(struct proc_source *s)
{
	cn_proc_close(s->events);
	taskstats_close(s->records);
	if (s->second_stop >= 0)
		close(s->second_stop);
	procfs_buffers_release(&s->buffers);
	free(s);
}

/* How long nothing is due, in ms; -1: for ever. */
static int choose_timeout(const struct proc_source *s, struct proc_tracker *tracker)
{
	bool has_any, has_living;

	proc_tracker_lock(tracker);
	has_any = tracker->table.nr > 0;
	has_living = tracker->table.living > 0;
	proc_tracker_unlock(tracker);
	if (!has_any)
		return -1;
	return s->records < 0 && has_living ? WAIT_YOUNG_MS : WAIT_MS;
}

static void live_wait(struct proc_source *s, struct proc_tracker *tracker, int wake)
{
	struct pollfd fds[] = {
		{ .fd = wake, .events = POLLIN },
		{ .fd = s->events, .events = POLLIN },
		{ .fd = s->records, .events = POLLIN },
	};

	(void)poll(fds, s->records < 0 ? 2 : 3, choose_timeout(s, tracker));
}

/* True where messages were lost. */
static bool take_events(struct proc_source *s, struct proc_tracker *tracker,
			struct procfs_buffers *buffers)
{
	char buf[DATAGRAM_MAX] __attribute__((aligned(8)));
	enum netlink_result result;
	struct cn_proc_msg msg;
	bool lost = false;
	size_t len, at;

	while ((result = netlink_receive(s->events, buf, sizeof(buf), &len)) != NETLINK_EMPTY) {
		if (result == NETLINK_LOST) {
			lost = true;
			continue;
		}
		at = 0;
		while (cn_proc_decode(buf, len, &at, &msg) > 0)
			proc_tracker_take_event(tracker, &msg, buffers);
	}
	return lost;
}

static size_t receive_records(struct proc_source *s)
{
	char buf[DATAGRAM_MAX] __attribute__((aligned(8)));
	enum netlink_result result;
	size_t nr = 0;
	size_t len, at;

	while (nr < RECORD_BATCH &&
	       (result = netlink_receive(s->records, buf, sizeof(buf), &len)) != NETLINK_EMPTY) {
		if (result == NETLINK_LOST)
			continue;
		at = 0;
		while (nr < RECORD_BATCH && taskstats_decode(buf, len, &at, &s->batch[nr]) > 0)
			nr++;
	}
	return nr;
}

/*
 * After a loss the kernel drops all further messages until none waits, so the look at /proc comes when the socket
 * is empty: it sees what was lost, and what comes later is told again.
 */
static void take_all_events(struct proc_source *s, struct proc_tracker *tracker,
			    struct procfs_buffers *buffers)
{
	while (take_events(s, tracker, buffers)) {
		look_all(tracker, s->resynced_ns);
		s->resynced_ns = clock_now();
	}
}

static void *second_main(void *data)
{
	struct proc_source *s = data;
	struct procfs_buffers buffers = { STRBUF_INIT, STRBUF_INIT };
	struct pollfd fds[] = {
		{ .fd = s->second_stop, .events = POLLIN },
		{ .fd = s->events, .events = POLLIN },
	};

	if (watch_thread_raise())
		watch_thread_pin(1, 2);
	while (poll(fds, 2, -1) < 0 || !fds[0].revents) {
		proc_tracker_lock(s->tracker);
		take_all_events(s, s->tracker, &buffers);
		proc_tracker_unlock(s->tracker);
	}
	procfs_buffers_release(&buffers);
	return NULL;
}

/*
 * Two threads on two CPUs take turns: one may be held up, by a process whose memory map is locked or on a virtual
 * machine by a CPU that is away for 20 ms, while processes start and end on the other CPU.
 */
static void live_start(struct proc_source *s, struct proc_tracker *tracker)
{
	s->tracker = tracker;
	if (watch_thread_cpus() < 2) {
		(void)watch_thread_raise();
		return;
	}
	s->second_stop = eventfd(0, EFD_CLOEXEC);
	if (s->second_stop >= 0)
		s->has_second = watch_thread_start(&s->second, second_main, s) == 0;
	if (watch_thread_raise())
		watch_thread_pin(0, 2);
}

static void stop_second(struct proc_source *s)
{
	const uint64_t one = 1;

	if (!s->has_second)
		return;
	(void)!write(s->second_stop, &one, sizeof(one));
	proc_tracker_unlock(s->tracker);
	pthread_join(s->second, NULL);
	proc_tracker_lock(s->tracker);
	s->has_second = false;
}

static void live_take(struct proc_source *s, struct proc_tracker *tracker)
{
	int64_t now;
	size_t nr;

	take_all_events(s, tracker, &s->buffers);
	/* Of each record taken here the process's start has been sent before. */
	while (s->records >= 0 && (nr = receive_records(s)) > 0) {
		take_all_events(s, tracker, &s->buffers);
		for (size_t i = 0; i < nr; i++)
			proc_tracker_take_record(tracker, &s->batch[i]);
	}
	now = clock_now();
	if (s->records < 0)
		look_sample(tracker, now);
	if (now - s->settled_ns > SETTLE_NS) {
		s->settled_ns = now;
		look_settle(tracker, now);
	}
}

static bool is_under_way(struct proc_tracked *p, void *data)
{
	const struct proc_tracker *tracker = data;
	struct procfs_stat stat;

	if (p->silent)
		return false;
	if (p->ended)
		return tracker->has_records && p->records < p->tasks_ever;
	return !procfs_read_stat(p->pid, &stat) || stat.state == 'Z' || stat.state == 'X';
}

struct search {
	const struct proc_tracker *tracker;
	bool found;
};

static bool find_under_way(struct proc_tracked *p, void *data)
{
	struct search *search = data;

	if (!search->found && is_under_way(p, (void *)search->tracker))
		search->found = true;
	return false;
}

/* A parent is told of its child's end before we are, so the caller may be here first. */
static void live_finish(struct proc_source *s, struct proc_tracker *tracker)
{
	const struct timespec step = { .tv_nsec = FINISH_STEP };
	int64_t until = clock_now() + FINISH_NS;
	struct search search = { tracker, false };

	stop_second(s);
	do {
		live_take(s, tracker);
		search.found = false;
		proc_table_sweep(&tracker->table, find_under_way, &search);
		if (search.found)
			nanosleep(&step, NULL);
	} while (search.found && clock_now() < until);
	live_take(s, tracker);
	look_finish(tracker);
}

static void live_get_status(struct proc_source *s, struct proc_watch_status *status)
{
	status->method = s->records < 0 ? "proc connector" : "proc connector, taskstats";
	snprintf(status->why_not, sizeof(status->why_not), "%s", s->why_not);
	status->lost_events = netlink_dropped(s->events);
	status->lost_usage = s->records < 0 ? 0 : netlink_dropped(s->records);
}

static bool live_has_records(const struct proc_source *s)
{
	return s->records >= 0;
}

const struct proc_source_ops proc_live_source = {
	.open = live_open,
	.has_records = live_has_records,
	.start = live_start,
	.wait = live_wait,
	.take = live_take,
	.finish = live_finish,
	.get_status = live_get_status,
	.close = live_close,
};
