#include "platform/posix/proc_look.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "util/array.h"
#include "util/text.h"

#define TICK_NS        (10 * NS_PER_MS)
#define END_LATE_NS    (100 * NS_PER_MS)
#define RECORD_LATE_NS (200 * NS_PER_MS)
#define KEEP_DEAD_NS   (2 * NS_PER_S)
#define YOUNG_NS       (300 * NS_PER_MS)
#define SAMPLE_NS      (100 * NS_PER_MS)

struct each {
	struct proc_tracker *tracker;
	int64_t now_ns;
};

static bool is_over(const struct procfs_stat *stat)
{
	return (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
}

/* /proc rounds the start down to a tick. */
static bool is_same(const struct proc_tracked *p, const struct procfs_stat *stat)
{
	return stat->start_ns <= p->start_ns + 2 * TICK_NS;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	if (value > most)
		return most;
	return value < least ? least : value;
}

/*
 * A daemon's parent is gone, but whoever leads its process group or session is its ancestor, or of one: only
 * where the leader is followed itself, for ours may share a group with strangers.
 */
static struct proc_tracked *find_ancestor(const struct proc_tracker *tracker,
					  const struct procfs_stat *stat)
{
	const int64_t leaders[] = { stat->pgrp, stat->session };
	struct proc_tracked *p = proc_table_find(&tracker->table, stat->ppid);

	if (p && !p->ended)
		return p;
	for (size_t i = 0; i < ARRAY_SIZE(leaders); i++) {
		p = proc_table_find(&tracker->table, leaders[i]);
		if (p && !p->silent && p->pid != stat->pid)
			return p;
	}
	return NULL;
}

/*
 * Tell of the program that runs at the time of `before`. Where its arguments have moved when it is read, it was on
 * its way to the next: then their place says nothing, and the next look decides by what it reads.
 */
static void exec_found(struct proc_tracker *tracker, struct proc_tracked *p,
		       const struct procfs_stat *before)
{
	struct procfs_stat after;

	proc_tracker_exec(tracker, p, clock_now());
	p->arg_start = 0;
	if (procfs_read_stat(p->pid, &after) && after.arg_start == before->arg_start)
		p->arg_start = after.arg_start;
}

static struct proc_tracked *start_found(struct proc_tracker *tracker,
					const struct procfs_stat *stat, int64_t ppid,
					int64_t start_ns, bool silent)
{
	struct proc_tracked *p = proc_tracker_start(tracker, stat->pid, ppid, start_ns, silent);

	p->scanned_ns = clock_now();
	p->tasks = p->tasks_ever = stat->threads > 1 ? stat->threads : 1;
	/* About to run its next program it has no command line, and in a moment the next one's. */
	if (!stat->only_forked && !procfs_image(p->pid))
		p->unseen = true;
	else if (!stat->only_forked)
		exec_found(tracker, p, stat);
	return p;
}

struct proc_tracked *look_found(struct proc_tracker *tracker, const struct procfs_stat *stat,
				int64_t since_ns)
{
	struct proc_tracked *former = proc_table_find(&tracker->table, stat->pid);
	struct proc_tracked *parent;
	struct proc_tracked *p;

	if (stat->is_thread)
		return NULL;
	if (former && is_same(former, stat))
		return NULL;
	if (former)
		proc_tracker_retire(tracker, former, clock_now());
	parent = find_ancestor(tracker, stat);
	if (!parent)
		return NULL;
	p = start_found(tracker, stat, parent->pid, clamp(stat->start_ns, since_ns, clock_now()),
			false);
	if (is_over(stat))
		proc_tracker_end(tracker, p, clock_now(), stat->status);
	return p;
}

void look_add_root(struct proc_tracker *tracker, int64_t pid, bool include)
{
	struct proc_tracked *p = proc_table_find(&tracker->table, pid);
	int64_t now = clock_now();
	struct procfs_stat stat;

	if (p && !p->ended && (!p->silent || !include))
		return;
	if (!procfs_read_stat(pid, &stat))
		return;
	if (p)
		proc_tracker_retire(tracker, p, now);
	start_found(tracker, &stat, stat.ppid, clamp(stat.start_ns, 0, now), !include);
	look_all(tracker, 0);
}

/* The same program with a new title has its arguments where they were. */
static bool is_new_program(const struct proc_tracked *p, const struct procfs_stat *stat,
			   uint64_t image)
{
	if (stat->only_forked || !image)
		return false;
	if (!p->has_run || !p->image)
		return true;
	/* It has just given up its memory. */
	if (p->arg_start && !stat->arg_start)
		return false;
	return image != p->image && (!stat->arg_start || stat->arg_start != p->arg_start);
}

void look_again(struct proc_tracker *tracker, struct proc_tracked *p)
{
	uint64_t image = procfs_image(p->pid);
	struct procfs_stat stat;

	if (p->readers || (image && image == p->image && p->has_run))
		return;
	if (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat)) {
		/* Its pidfd will say the same, and how. */
		if (p->pidfd < 0)
			proc_tracker_end(tracker, p, clock_now(), -1);
		return;
	}
	p->unseen |= !p->has_run && !stat.only_forked;
	if (is_over(&stat)) {
		proc_tracker_end(tracker, p, clock_now(), stat.status);
		return;
	}
	if (is_new_program(p, &stat, image))
		exec_found(tracker, p, &stat);
	else if (image && p->has_run)
		p->image = image;
}

static bool check_known(struct proc_tracked *p, void *data)
{
	struct each *each = data;
	struct procfs_stat stat;

	if (p->ended)
		return false;
	if (!p->silent)
		look_again(each->tracker, p);
	else if (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat))
		proc_tracker_end(each->tracker, p, each->now_ns, -1);
	if (p->ended || !procfs_read_stat(p->pid, &stat))
		return false;
	/* Threads may have come and gone unseen. */
	p->scanned_ns = each->now_ns;
	p->tasks = stat.threads;
	p->tasks_ended = 0;
	p->leader_ended = stat.state == 'Z';
	p->tasks_ever = p->records + stat.threads;
	return false;
}

/* Which of the processes without an entry are there; the former holder of a number does not count. */
static size_t read_strangers(const struct proc_tracker *tracker, const int64_t *pids, size_t nr,
			     struct procfs_stat *stats)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct proc_tracked *p = proc_table_find(&tracker->table, pids[i]);

		if (p && !p->ended)
			continue;
		if (procfs_read_stat(pids[i], &stats[found]))
			found++;
	}
	return found;
}

void look_all(struct proc_tracker *tracker, int64_t since_ns)
{
	struct each each = { tracker, clock_now() };
	struct procfs_stat *stats = NULL;
	size_t nr, left, before;
	int64_t *pids;

	if (procfs_list(&pids, &nr) == 0 && nr) {
		stats = xreallocarray(NULL, nr, sizeof(*stats));
		left = read_strangers(tracker, pids, nr, stats);
		/* A child may have a lower number than its parent, so until no more are found. */
		do {
			before = left;
			left = 0;
			for (size_t i = 0; i < before; i++) {
				if (!look_found(tracker, &stats[i], since_ns))
					stats[left++] = stats[i];
			}
		} while (left < before);
	}
	proc_table_sweep(&tracker->table, check_known, &each);
	free(stats);
	free(pids);
}

/* One short system call. */
static void sample_cpu(struct proc_tracked *p)
{
	int64_t cpu_ns = procfs_cpu_ns(p->pid);

	if (cpu_ns > p->cpu_ns)
		p->cpu_ns = cpu_ns;
}

/* Before it runs a program of its own it may share its parent's memory. */
static void sample_memory(struct proc_tracked *p)
{
	int64_t peak = p->has_run ? procfs_peak_rss(p->pid) : -1;

	if (peak > p->peak_rss_bytes)
		p->peak_rss_bytes = peak;
}

static bool sample_due(struct proc_tracked *p, void *data)
{
	const struct each *each = data;
	int64_t age = each->now_ns - p->start_ns;

	if (p->ended || p->silent)
		return false;
	sample_cpu(p);
	if (each->now_ns - p->sampled_ns < (age < YOUNG_NS ? TICK_NS / 2 : SAMPLE_NS))
		return false;
	p->sampled_ns = each->now_ns;
	sample_memory(p);
	return false;
}

void look_sample(struct proc_tracker *tracker, int64_t now_ns)
{
	struct each each = { tracker, now_ns };

	proc_table_sweep(&tracker->table, sample_due, &each);
}

static bool settle_one(struct proc_tracked *p, void *data)
{
	const struct each *each = data;
	struct procfs_stat stat;

	if (!p->ended && p->leader_ended && each->now_ns - p->end_ns > END_LATE_NS &&
	    (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat) || is_over(&stat)))
		proc_tracker_end(each->tracker, p, p->end_ns, p->status);
	if (!p->ended)
		return false;
	if (each->now_ns - p->end_ns > RECORD_LATE_NS)
		proc_tracker_tell_usage(each->tracker, p, p->end_ns);
	return each->now_ns - p->end_ns > KEEP_DEAD_NS;
}

void look_settle(struct proc_tracker *tracker, int64_t now_ns)
{
	struct each each = { tracker, now_ns };

	proc_table_sweep(&tracker->table, settle_one, &each);
}

/* It lives, or its end has no message yet. */
static void finish_open(const struct each *each, struct proc_tracked *p)
{
	int64_t status = p->leader_ended ? p->status : -1;
	struct procfs_stat stat;
	bool is_there = procfs_read_stat(p->pid, &stat) && is_same(p, &stat);

	if (is_there && !is_over(&stat)) {
		sample_cpu(p);
		sample_memory(p);
		return;
	}
	if (is_there && !p->leader_ended)
		status = stat.status;
	proc_tracker_end(each->tracker, p, p->end_ns ? p->end_ns : each->now_ns, status);
}

static bool finish_one(struct proc_tracked *p, void *data)
{
	const struct each *each = data;

	if (!p->ended && !p->silent)
		finish_open(each, p);
	proc_tracker_tell_usage(each->tracker, p, p->ended ? p->end_ns : each->now_ns);
	return false;
}

void look_finish(struct proc_tracker *tracker)
{
	struct each each = { tracker, clock_now() };

	proc_table_sweep(&tracker->table, finish_one, &each);
}
