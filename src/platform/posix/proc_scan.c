#include "platform/posix/proc_scan.h"

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
	struct tracked_set *set;
	int64_t now_ns;
};

static bool is_over(const struct procfs_stat *stat)
{
	return (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
}

/* /proc rounds the start down to a tick. */
static bool is_same(const struct tracked *p, const struct procfs_stat *stat)
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
 * The parent of a daemon has ended, but the leader of its process group or session is an ancestor of it. This counts
 * only if the leader itself is tracked and reported: a tracked process may be in a group with processes outside the
 * build.
 */
static struct tracked *find_ancestor(const struct tracked_set *set, const struct procfs_stat *stat)
{
	const int64_t leaders[] = { stat->pgrp, stat->session };
	struct tracked *p = proc_table_find(&set->table, stat->ppid);

	if (p && !p->ended)
		return p;
	for (size_t i = 0; i < ARRAY_SIZE(leaders); i++) {
		p = proc_table_find(&set->table, leaders[i]);
		if (p && !p->silent && p->pid != stat->pid)
			return p;
	}
	return NULL;
}

/*
 * Report the program that runs at the time of `before`. If the address of the arguments has changed after reading,
 * the process was about to run its next program: the address is not stored then, and the next scan compares the
 * contents.
 */
static void exec_found(struct tracked_set *set, struct tracked *p, const struct procfs_stat *before)
{
	struct procfs_stat after;

	tracked_set_exec(set, p, clock_now());
	p->arg_start = 0;
	if (procfs_read_stat(p->pid, &after) && after.arg_start == before->arg_start)
		p->arg_start = after.arg_start;
}

static struct tracked *start_found(struct tracked_set *set, const struct procfs_stat *stat,
				   int64_t ppid, int64_t start_ns, bool silent)
{
	struct tracked *p = tracked_set_start(set, stat->pid, ppid, start_ns, silent);

	p->scanned_ns = clock_now();
	p->tasks = p->tasks_ever = stat->threads > 1 ? stat->threads : 1;
	/*
	 * A process without a command line is about to run its next program, whose command line it will have in a
	 * moment.
	 */
	if (!stat->only_forked && !procfs_image(p->pid))
		p->unseen = true;
	else if (!stat->only_forked)
		exec_found(set, p, stat);
	return p;
}

struct tracked *scan_found(struct tracked_set *set, const struct procfs_stat *stat,
			   int64_t since_ns)
{
	struct tracked *former = proc_table_find(&set->table, stat->pid);
	struct tracked *parent;
	struct tracked *p;

	if (stat->is_thread)
		return NULL;
	if (former && is_same(former, stat))
		return NULL;
	if (former)
		tracked_set_retire(set, former, clock_now());
	parent = find_ancestor(set, stat);
	if (!parent)
		return NULL;
	p = start_found(set, stat, parent->pid, clamp(stat->start_ns, since_ns, clock_now()),
			false);
	if (is_over(stat))
		tracked_set_end(set, p, clock_now(), stat->status);
	return p;
}

void scan_add_root(struct tracked_set *set, int64_t pid, bool include)
{
	struct tracked *p = proc_table_find(&set->table, pid);
	int64_t now = clock_now();
	struct procfs_stat stat;

	if (p && !p->ended && (!p->silent || !include))
		return;
	if (!procfs_read_stat(pid, &stat))
		return;
	if (p)
		tracked_set_retire(set, p, now);
	start_found(set, &stat, stat.ppid, clamp(stat.start_ns, 0, now), !include);
	scan_all(set, 0);
}

/* A program that only changes its title keeps the address of its arguments. */
static bool is_new_program(const struct tracked *p, const struct procfs_stat *stat, uint64_t image)
{
	if (stat->only_forked || !image)
		return false;
	if (!p->has_run || !p->image)
		return true;
	/* The process has just released its memory. */
	if (p->arg_start && !stat->arg_start)
		return false;
	return image != p->image && (!stat->arg_start || stat->arg_start != p->arg_start);
}

void scan_known(struct tracked_set *set, struct tracked *p)
{
	uint64_t image = procfs_image(p->pid);
	struct procfs_stat stat;

	if (p->readers || (image && image == p->image && p->has_run))
		return;
	if (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat)) {
		/* If there is a pidfd, that will report the end with the status. */
		if (p->pidfd < 0)
			tracked_set_end(set, p, clock_now(), -1);
		return;
	}
	p->unseen |= !p->has_run && !stat.only_forked;
	if (is_over(&stat)) {
		tracked_set_end(set, p, clock_now(), stat.status);
		return;
	}
	if (is_new_program(p, &stat, image))
		exec_found(set, p, &stat);
	else if (image && p->has_run)
		p->image = image;
}

static bool check_known(struct tracked *p, void *data)
{
	struct each *each = data;
	struct procfs_stat stat;

	if (p->ended)
		return false;
	if (!p->silent)
		scan_known(each->set, p);
	else if (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat))
		tracked_set_end(each->set, p, each->now_ns, -1);
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

/*
 * The untracked processes that exist, and those with the pid of a tracked process that has ended: the pid may be used
 * again.
 */
static size_t read_strangers(const struct tracked_set *set, const int64_t *pids, size_t nr,
			     struct procfs_stat *stats)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct tracked *p = proc_table_find(&set->table, pids[i]);

		if (p && !p->ended)
			continue;
		if (procfs_read_stat(pids[i], &stats[found]))
			found++;
	}
	return found;
}

void scan_all(struct tracked_set *set, int64_t since_ns)
{
	struct each each = { set, clock_now() };
	struct procfs_stat *stats = NULL;
	size_t nr, left, before;
	int64_t *pids;

	if (procfs_list(&pids, &nr) == 0 && nr) {
		stats = xreallocarray(NULL, nr, sizeof(*stats));
		left = read_strangers(set, pids, nr, stats);
		/* A child may have a lower pid than its parent, so repeat until no more are found. */
		do {
			before = left;
			left = 0;
			for (size_t i = 0; i < before; i++) {
				if (!scan_found(set, &stats[i], since_ns))
					stats[left++] = stats[i];
			}
		} while (left < before);
	}
	proc_table_sweep(&set->table, check_known, &each);
	free(stats);
	free(pids);
}

/* This is one short system call. */
static void sample_cpu(struct tracked *p)
{
	int64_t cpu_ns = procfs_cpu_ns(p->pid);

	if (cpu_ns > p->cpu_ns)
		p->cpu_ns = cpu_ns;
}

/* Before its first exec a process may share its parent's memory. */
static void sample_memory(struct tracked *p)
{
	int64_t peak = p->has_run ? procfs_peak_rss(p->pid) : -1;

	if (peak > p->peak_rss_bytes)
		p->peak_rss_bytes = peak;
}

static bool sample_due(struct tracked *p, void *data)
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

void scan_sample(struct tracked_set *set, int64_t now_ns)
{
	struct each each = { set, now_ns };

	proc_table_sweep(&set->table, sample_due, &each);
}

static bool settle_one(struct tracked *p, void *data)
{
	const struct each *each = data;
	struct procfs_stat stat;

	if (!p->ended && p->leader_ended && each->now_ns - p->end_ns > END_LATE_NS &&
	    (!procfs_read_stat(p->pid, &stat) || !is_same(p, &stat) || is_over(&stat)))
		tracked_set_end(each->set, p, p->end_ns, p->status);
	if (!p->ended)
		return false;
	if (each->now_ns - p->end_ns > RECORD_LATE_NS)
		tracked_set_report_usage(each->set, p, p->end_ns);
	return each->now_ns - p->end_ns > KEEP_DEAD_NS;
}

void scan_settle(struct tracked_set *set, int64_t now_ns)
{
	struct each each = { set, now_ns };

	proc_table_sweep(&set->table, settle_one, &each);
}

/* The process still runs, or the message of its end has not arrived. */
static void finish_open(const struct each *each, struct tracked *p)
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
	tracked_set_end(each->set, p, p->end_ns ? p->end_ns : each->now_ns, status);
}

static bool finish_one(struct tracked *p, void *data)
{
	const struct each *each = data;

	if (!p->ended && !p->silent)
		finish_open(each, p);
	tracked_set_report_usage(each->set, p, p->ended ? p->end_ns : each->now_ns);
	return false;
}

void scan_finish(struct tracked_set *set)
{
	struct each each = { set, clock_now() };

	proc_table_sweep(&set->table, finish_one, &each);
}
