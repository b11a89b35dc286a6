#include "record/runner.h"

#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "profiler/profiler.h"
#include "record/memory_limits.h"
#include "util/print.h"
#include "util/text.h"

#define TICK_NS           (20 * NS_PER_MS)
#define CHECK_NS          (NS_PER_S / 4)
#define GRACE_NS          (5 * NS_PER_S)
#define PROFILER_GRACE_NS (120 * NS_PER_S) /* a profiler may have gigabytes to write */

/* The state of one wait. */
struct waiting {
	enum run_end end; /* why the build is being stopped; RUN_END_NORMAL: it is not */
	int64_t stop_since;
	int64_t next_call; /* when to ask the build to end (or kill it) again */
	int64_t next_check;
	int64_t start;
	int interrupts; /* count at the start */
	FILE *log;
	struct tracker_live live;
	int64_t lost;
	int64_t written; /* bytes in runner.trace_dir; -1: no directory */
};

const char *run_end_reason(enum run_end end)
{
	switch (end) {
	case RUN_END_NORMAL:
		break;
	case RUN_END_INTERRUPTED:
		return "interrupted by the user";
	case RUN_END_ABANDONED:
		return "abandoned by the user";
	case RUN_END_TIMEOUT:
		return "the time limit was reached ([run] timeout)";
	case RUN_END_NO_SPACE:
		return "the disk is nearly full";
	case RUN_END_DIR_GONE:
		return "the run directory was removed";
	case RUN_END_JOURNAL:
		return "the journal of processes could not be written";
	}
	return NULL;
}

bool run_end_is_reason(const char *reason)
{
	for (int end = RUN_END_NORMAL + 1; reason && end <= RUN_END_JOURNAL; end++) {
		if (text_ends_with(reason, run_end_reason((enum run_end)end)))
			return true;
	}
	return false;
}

int runner_drain(struct runner *runner, struct err *err)
{
	struct proc_event event;

	if (!runner->watch)
		return 0;
	proc_event_init(&event);
	while (proc_watch_next(runner->watch, &event)) {
		tracker_event(runner->tracker, &event);
		journal_add(runner->journal, &event);
	}
	proc_event_release(&event);
	return journal_flush(runner->journal, err);
}

static void follow_log(struct runner *runner, struct waiting *w)
{
	char buf[8192];
	size_t got;

	if (!runner->verbose)
		return;
	if (!w->log)
		w->log = fs_open(runner->build_log, "rb");
	if (!w->log)
		return;
	clearerr(w->log);
	while ((got = fread(buf, 1, sizeof(buf), w->log)) > 0) {
		status_wipe(runner->status);
		fwrite(buf, 1, got, runner->messages);
	}
	fflush(runner->messages);
}

static void show_status(struct runner *runner, struct waiting *w)
{
	struct status_facts facts;

	if (!status_due(runner->status))
		return;
	facts = (struct status_facts){
		.what = w->end == RUN_END_NORMAL ? runner->what : "stopping the build",
		.elapsed_ns = clock_now() - w->start,
		.trace_bytes = runner->trace_dir ? w->written
			       : runner->trace   ? fs_size(runner->trace)
						 : -1,
		.lost = w->lost,
		.live = runner->tracker ? &w->live : NULL,
	};

	status_show(runner->status, &facts);
}

/* Called a few times a second, not at each tick. */
static void check_trace_and_memory(struct runner *runner, struct waiting *w)
{
	if (runner->tracker)
		tracker_read_memory(runner->tracker, &w->live);
	if (runner->manifest)
		memory_limits_sample(runner->manifest);
	if (runner->lost)
		w->lost = runner->lost(runner->dir, runner->lost_state);
	if (runner->trace_dir)
		w->written = profiler_dir_bytes(runner->trace_dir);
}

static bool is_full(const struct runner *runner, const struct waiting *w)
{
	int64_t space = fs_free_space(runner->dir);

	if (space >= 0 && space < runner->disk_floor)
		return true;
	space = runner->trace_dir ? fs_free_space(runner->trace_dir) : -1;
	return space >= 0 && space < runner->disk_floor + w->written;
}

static enum run_end find_reason(const struct runner *runner, const struct waiting *w)
{
	if (!fs_is_dir(runner->dir))
		return RUN_END_DIR_GONE;
	if (is_full(runner, w))
		return RUN_END_NO_SPACE;
	if (runner->deadline_ns && clock_now() >= runner->deadline_ns)
		return RUN_END_TIMEOUT;
	if (interrupt_count() > w->interrupts)
		return RUN_END_INTERRUPTED;
	return RUN_END_NORMAL;
}

static void signal_build(struct runner *runner, int64_t spared_pid, bool force)
{
	build_tree_signal(runner->cookie, spared_pid, force);
	/* A command that cleans its environment (env -i, sudo) drops the cookie. */
	if (runner->tracker)
		tracker_signal(runner->tracker, force);
}

static bool is_abandoned(const struct waiting *w)
{
	return w->end != RUN_END_NORMAL && interrupt_count() > w->interrupts + 1;
}

/* Ask the build to end, then kill it. The profiler ends with it, and is killed only after a long wait. */
static void keep_stopping(struct runner *runner, struct waiting *w, struct child *child)
{
	int64_t now = clock_now();

	if (is_abandoned(w)) {
		signal_build(runner, 0, true);
		child_signal(child, CHILD_KILL);
		return;
	}
	if (now < w->next_call)
		return;
	w->next_call = now + NS_PER_S;
	if (!runner->spared_pid)
		child_signal(child, now >= w->stop_since + GRACE_NS ? CHILD_KILL : CHILD_TERMINATE);
	signal_build(runner, runner->spared_pid, now >= w->stop_since + GRACE_NS);
	if (now >= w->stop_since + PROFILER_GRACE_NS)
		child_signal(child, CHILD_KILL);
}

static void begin_stopping(struct runner *runner, struct waiting *w, enum run_end end)
{
	w->end = end;
	w->stop_since = w->next_call = clock_now();
	/* After this, one more interrupt abandons everything, whatever stopped the build. */
	if (end != RUN_END_INTERRUPTED)
		w->interrupts = interrupt_count() - 1;
	status_wipe(runner->status);
	if (runner->is_over)
		return;
	print_line(runner->messages, "",
		   "%s: stopping the build (Ctrl-C again abandons everything)",
		   run_end_reason(end));
}

static bool is_over(const struct runner *runner, const struct waiting *w, struct child *child)
{
	if (child)
		return child_poll(child);
	return w->end != RUN_END_NORMAL || runner->is_over(runner->data);
}

enum run_end runner_wait(struct runner *runner, struct child *child, struct err *err)
{
	struct waiting w = { .start = clock_now(), .lost = -1, .interrupts = interrupt_count() };

	/* An interrupt between two commands is not lost. */
	if (w.interrupts)
		w.interrupts--;
	while (!is_over(runner, &w, child)) {
		if (runner_drain(runner, err) && w.end == RUN_END_NORMAL)
			begin_stopping(runner, &w, RUN_END_JOURNAL);
		if (clock_now() >= w.next_check) {
			enum run_end reason = find_reason(runner, &w);

			check_trace_and_memory(runner, &w);
			if (w.end == RUN_END_NORMAL && reason != RUN_END_NORMAL)
				begin_stopping(runner, &w, reason);
			w.next_check = clock_now() + CHECK_NS;
		}
		if (w.end != RUN_END_NORMAL && child)
			keep_stopping(runner, &w, child);
		else if (w.end == RUN_END_NORMAL && runner->on_tick)
			runner->on_tick(runner->data);
		follow_log(runner, &w);
		show_status(runner, &w);
		clock_sleep(TICK_NS);
	}
	follow_log(runner, &w);
	if (w.log)
		fclose(w.log);
	status_wipe(runner->status);
	/* The second interrupt counts even if the build ended before it was noticed. */
	return is_abandoned(&w) ? RUN_END_ABANDONED : w.end;
}
