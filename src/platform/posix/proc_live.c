/*
 * Process events from messages of the kernel: the proc connector, and taskstats if permitted.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/posix/netlink.h"
#include "platform/posix/proc_scan.h"
#include "platform/proc_watch.h"
#include "platform/setting.h"
#include "platform/thread.h"
#include "util/alloc.h"
#include "util/text.h"

#define SOCKET_BYTES   (INT64_C(64) << 20)
#define DATAGRAM_MAX   8192
#define RECORD_BATCH   256
#define SETTLE_NS      (100 * NS_PER_MS)
#define FINISH_NS      (200 * NS_PER_MS)
#define FINISH_STEP_NS (2 * NS_PER_MS)
#define WAIT_MS        100
#define WAIT_YOUNG_MS  10

struct proc_source {
	int events;
	int records; /* socket of taskstats; -1: none */
	int woken;   /* readable after a wake() */
	char why_not[160];
	struct tracked_set set;

	/* A second thread that reads events, on another CPU; NULL: there is none. */
	struct thread *second;
	int second_stop; /* readable when the second thread must stop */

	int64_t resynced_ns; /* this and all below: protected by the lock of the set */
	int64_t settled_ns;
	struct procfs_buffers buffers;
	struct taskstats_msg batch[RECORD_BATCH];
};

static void live_close(struct proc_source *s)
{
	cn_proc_close(s->events);
	if (s->records >= 0)
		close(s->records);
	if (s->woken >= 0)
		close(s->woken);
	if (s->second_stop >= 0)
		close(s->second_stop);
	procfs_buffers_release(&s->buffers);
	tracked_set_release(&s->set);
	free(s);
}

/* Kernels before 5.14 have no such setting, and count delays or not: their numbers are not taken. */
static bool accounts_delays(void)
{
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool on = !setting_read(PROC_DELAYS_SETTING, &value, &err) && strcmp(value.buf, "0") != 0;

	err_clear(&err);
	strbuf_release(&value);
	return on;
}

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
	s->buffers = (struct procfs_buffers){ STRBUF_INIT, STRBUF_INIT };
	tracked_set_init(&s->set, options->env_names);
	s->woken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->second_stop = eventfd(0, EFD_CLOEXEC);
	if (s->woken < 0 || s->second_stop < 0) {
		err_set_errno(err, errno, "cannot create an event");
		live_close(s);
		return -1;
	}
	if (taskstats_open(bytes, &s->records, &why) < 0) {
		snprintf(s->why_not, sizeof(s->why_not), "%s", why.msg);
		err_clear(&why);
	}
	s->set.has_records = s->records >= 0;
	s->set.has_delays = s->set.has_records && accounts_delays();
	*source = s;
	return 0;
}

/* The time in ms after which there is work even without an event; -1: never. */
static int choose_timeout(struct proc_source *s)
{
	bool has_any, has_living;

	monitor_enter(s->set.monitor);
	has_any = s->set.table.by_pid.nr > 0;
	has_living = s->set.table.living > 0;
	monitor_leave(s->set.monitor);
	if (!has_any)
		return -1;
	return s->records < 0 && has_living ? WAIT_YOUNG_MS : WAIT_MS;
}

static void wait_for_news(struct proc_source *s)
{
	struct pollfd fds[] = {
		{ .fd = s->woken, .events = POLLIN },
		{ .fd = s->events, .events = POLLIN },
		{ .fd = s->records, .events = POLLIN },
	};
	uint64_t count;

	(void)poll(fds, s->records < 0 ? 2 : 3, choose_timeout(s));
	(void)!read(s->woken, &count, sizeof(count));
}

/* Process all waiting messages. True: messages were lost. */
static bool take_events(struct proc_source *s, struct procfs_buffers *buffers)
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
			tracked_set_take_event(&s->set, &msg, buffers);
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
 * After a loss the kernel drops all further messages until the socket is empty. So /proc is scanned when it is empty:
 * the scan finds what was lost, and later messages arrive again.
 */
static void take_all_events(struct proc_source *s, struct procfs_buffers *buffers)
{
	while (take_events(s, buffers)) {
		scan_all(&s->set, s->resynced_ns);
		s->resynced_ns = clock_now();
	}
}

/*
 * Pin the calling thread to one of the allowed CPUs: to the first or second of two that are spread over them, as
 * `which` says.
 */
static void pin(unsigned which)
{
	cpu_set_t allowed, one;
	unsigned skip;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	skip = (unsigned)CPU_COUNT(&allowed) * which / 2;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || skip-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static unsigned count_cpus(void)
{
	cpu_set_t allowed;

	/* The call fails if there are more CPUs than the set can hold: then there are at least two. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 2;
	return (unsigned)CPU_COUNT(&allowed);
}

static void run_second(void *data)
{
	struct proc_source *s = data;
	struct procfs_buffers buffers = { STRBUF_INIT, STRBUF_INIT };
	struct pollfd fds[] = {
		{ .fd = s->second_stop, .events = POLLIN },
		{ .fd = s->events, .events = POLLIN },
	};

	if (thread_raise())
		pin(1);
	while (poll(fds, 2, -1) < 0 || !fds[0].revents) {
		monitor_enter(s->set.monitor);
		take_all_events(s, &buffers);
		monitor_leave(s->set.monitor);
	}
	procfs_buffers_release(&buffers);
}

/*
 * Two threads on two CPUs read events alternately. While one is blocked, by a process whose memory map is locked, or
 * on a virtual machine by a CPU that does not run for 20 ms, processes start and end on the other CPU.
 */
static void live_start(struct proc_source *s)
{
	struct err err = ERR_INIT;
	bool two = count_cpus() > 1;

	if (two && thread_start(run_second, s, &s->second, &err))
		err_clear(&err);
	if (thread_raise() && two)
		pin(0);
}

static void stop_second(struct proc_source *s)
{
	const uint64_t one = 1;

	(void)!write(s->second_stop, &one, sizeof(one));
	thread_join(s->second);
	s->second = NULL;
}

/* Called with the set locked. */
static void take(struct proc_source *s)
{
	int64_t now;
	size_t nr;

	take_all_events(s, &s->buffers);
	/* The start of each process with a record was sent before the record. */
	while (s->records >= 0 && (nr = receive_records(s)) > 0) {
		take_all_events(s, &s->buffers);
		for (size_t i = 0; i < nr; i++)
			tracked_set_take_record(&s->set, &s->batch[i]);
	}
	now = clock_now();
	if (s->records < 0)
		scan_sample(&s->set, now);
	if (now - s->settled_ns > SETTLE_NS) {
		s->settled_ns = now;
		scan_settle(&s->set, now);
	}
}

static void live_step(struct proc_source *s)
{
	wait_for_news(s);
	monitor_enter(s->set.monitor);
	take(s);
	monitor_leave(s->set.monitor);
}

static void live_wake(struct proc_source *s)
{
	const uint64_t one = 1;

	/* Fails only if the counter is at its maximum: then the thread will wake anyway. */
	(void)!write(s->woken, &one, sizeof(one));
}

static bool is_under_way(const struct tracked *p, const struct tracked_set *set)
{
	struct procfs_stat stat;

	if (p->silent)
		return false;
	if (p->ended)
		return set->has_records && p->records < p->tasks_ever;
	return !procfs_read_stat(p->pid, &stat) || stat.state == 'Z' || stat.state == 'X';
}

struct search {
	const struct tracked_set *set;
	bool found;
};

static bool find_under_way(struct tracked *p, void *data)
{
	struct search *search = data;

	if (!search->found && is_under_way(p, search->set))
		search->found = true;
	return false;
}

/* A parent is notified of the end of its child before we are, so this may be called before the message arrives. */
static void live_finish(struct proc_source *s)
{
	int64_t until = clock_now() + FINISH_NS;
	struct search search = { &s->set, false };

	stop_second(s);
	monitor_enter(s->set.monitor);
	do {
		take(s);
		search.found = false;
		proc_table_sweep(&s->set.table, find_under_way, &search);
		if (search.found)
			clock_sleep(FINISH_STEP_NS);
	} while (search.found && clock_now() < until);
	take(s);
	scan_finish(&s->set);
	monitor_leave(s->set.monitor);
}

static void live_add_root(struct proc_source *s, int64_t pid, bool include)
{
	monitor_enter(s->set.monitor);
	scan_add_root(&s->set, pid, include);
	monitor_leave(s->set.monitor);
}

static void live_hand_out(struct proc_source *s, struct proc_queue *queue)
{
	monitor_enter(s->set.monitor);
	tracked_set_hand_out(&s->set, queue);
	monitor_leave(s->set.monitor);
}

static void live_get_status(struct proc_source *s, struct proc_watch_status *status)
{
	status->method = s->records < 0 ? "proc connector" : "proc connector, taskstats";
	snprintf(status->why_not, sizeof(status->why_not), "%s", s->why_not);
	status->lost_events = netlink_dropped(s->events);
	status->lost_usage = s->records < 0 ? 0 : netlink_dropped(s->records);
	monitor_enter(s->set.monitor);
	status->argv_lost = s->set.argv_lost;
	status->may_have_missed = s->set.may_have_missed;
	monitor_leave(s->set.monitor);
}

const struct proc_source_ops proc_live_source = {
	.open = live_open,
	.start = live_start,
	.step = live_step,
	.wake = live_wake,
	.add_root = live_add_root,
	.finish = live_finish,
	.hand_out = live_hand_out,
	.get_status = live_get_status,
	.close = live_close,
};
