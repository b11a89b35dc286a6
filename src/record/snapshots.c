#include "record/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "record/snapshot_times.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define SLOW_NS (60 * NS_PER_S)

/* A process whose heap is taken. */
struct target {
	int64_t pid;
	int64_t start_ns; /* clock */
	char *crate;      /* NULL: not known */
	size_t next;      /* number of its next snapshot */
	bool living;      /* as of the last look */
	bool given_up;    /* it failed once: not tried again */
	bool taken;       /* there is one of it */
	bool repeated;    /* wpr takes more by itself */
};

/* A process that was chosen when there was no room for it. */
struct left_out {
	int64_t pid, start_ns;
};

struct snapshots {
	struct beside *beside;
	const struct tracker *tracker;
	const struct recorder_snapshots *ops;
	const struct config_heap *heap;
	struct target *targets;
	size_t targets_nr, targets_alloc;
	struct left_out *left_out;
	size_t left_out_nr, left_out_alloc;
	size_t chosen; /* all that ever were, with room for them */
	size_t missed; /* of those, that ended before there was one of them */
	bool full;     /* the manifest takes no more */
};

static void add_target(struct snapshots *s, int64_t pid, int64_t start_ns, const char *crate)
{
	ARRAY_GROW(s->targets, s->targets_nr + 1, s->targets_alloc);
	s->targets[s->targets_nr++] = (struct target){
		.pid = pid,
		.start_ns = start_ns,
		.crate = xstrdup_or_null(crate),
		.living = true,
	};
	s->chosen++;
}

struct snapshots *snapshots_new(struct beside *beside, const struct tracker *tracker)
{
	const struct config *config = beside->session->plan->config;
	const struct recorder_snapshots *ops = beside->service ? beside->service->snapshots : NULL;
	struct snapshots *s;

	if (!ops || strcmp(config->heap_job.recipe, "snapshots") != 0)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->beside = beside;
	s->tracker = tracker;
	s->ops = ops;
	s->heap = &config->heap_job;
	for (size_t i = 0; !tracker && i < s->heap->pids.nr; i++)
		add_target(s, s->heap->pids.v[i], clock_now(), NULL);
	return s;
}

void snapshots_free(struct snapshots *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->targets_nr; i++)
		free(s->targets[i].crate);
	free(s->targets);
	free(s->left_out);
	free(s);
}

static bool is_wanted(const struct config_heap *heap, const struct tag *tag)
{
	if (tag->role != ROLE_RUSTC || !tag->crate)
		return false;
	for (size_t i = 0; i < heap->crates.nr; i++) {
		if (text_glob(heap->crates.v[i], tag->crate, false))
			return true;
	}
	return false;
}

static bool was_left_out(const struct snapshots *s, int64_t pid, int64_t start_ns)
{
	for (size_t i = 0; i < s->left_out_nr; i++) {
		if (s->left_out[i].pid == pid && s->left_out[i].start_ns == start_ns)
			return true;
	}
	return false;
}

static void leave_out(struct snapshots *s, int64_t pid, int64_t start_ns, const char *crate)
{
	ARRAY_GROW(s->left_out, s->left_out_nr + 1, s->left_out_alloc);
	s->left_out[s->left_out_nr++] = (struct left_out){ pid, start_ns };
	steps_warn(s->beside->session,
		   "no snapshots of %s (process %" PRId64
		   "): there are %zu processes already, the most that wpr takes at a time",
		   crate, pid, s->targets_nr);
}

static struct target *find_target(struct snapshots *s, int64_t pid, int64_t start_ns)
{
	for (size_t i = 0; i < s->targets_nr; i++) {
		if (s->targets[i].pid == pid && s->targets[i].start_ns == start_ns)
			return &s->targets[i];
	}
	return NULL;
}

static int64_t start_of(const struct snapshots *s, const struct process *process)
{
	return process->start_ns + s->beside->session->manifest.clock_base_ns;
}

static void mark_living(const struct process *process, void *data)
{
	struct snapshots *s = data;
	struct target *target = find_target(s, process->pid, start_of(s, process));

	if (target)
		target->living = true;
}

static void choose(const struct process *process, void *data)
{
	struct snapshots *s = data;
	int64_t start_ns = start_of(s, process);

	if (!is_wanted(s->heap, &process->tag) || find_target(s, process->pid, start_ns) ||
	    was_left_out(s, process->pid, start_ns))
		return;
	if (s->targets_nr < s->ops->processes_max)
		add_target(s, process->pid, start_ns, process->tag.crate);
	else
		leave_out(s, process->pid, start_ns, process->tag.crate);
}

static bool drop_ended(struct snapshots *s)
{
	size_t kept = 0;
	bool repeated = false;

	for (size_t i = 0; i < s->targets_nr; i++) {
		struct target *target = &s->targets[i];

		if (target->living) {
			s->targets[kept++] = *target;
			continue;
		}
		repeated |= target->repeated;
		s->missed += !target->taken;
		s->ops->forget(&s->beside->own, target->pid);
		free(target->crate);
	}
	s->targets_nr = kept;
	return repeated;
}

/* Who is there; true where one is gone of which wpr takes snapshots by itself. */
static bool find_targets(struct snapshots *s)
{
	bool changed;

	for (size_t i = 0; i < s->targets_nr; i++)
		s->targets[i].living = !s->tracker && build_process_resident(s->targets[i].pid) > 0;
	if (s->tracker)
		tracker_each_living(s->tracker, mark_living, s);
	changed = drop_ended(s);
	if (s->tracker)
		tracker_each_living(s->tracker, choose, s);
	return changed;
}

static bool is_due(const struct snapshots *s, const struct target *target, int64_t now)
{
	int64_t time = snapshot_time(s->heap, target->next);

	return !target->given_up && time >= 0 && now - target->start_ns >= time;
}

/* Within a wait, whose end shows it. */
static void give_up(struct snapshots *s, struct target *target, const char *what, struct err *err)
{
	struct manifest *manifest = &s->beside->session->manifest;

	target->given_up = true;
	strvec_pushf(&manifest->warnings, "no %s of %s%sprocess %" PRId64 ": %s", what,
		     target->crate ? target->crate : "", target->crate ? ", " : "", target->pid,
		     err->msg);
	err_clear(err);
}

/* Those that are due and permitted. */
static size_t permit_due(struct snapshots *s, struct target **due)
{
	int64_t now = clock_now();
	size_t nr = 0;

	for (size_t i = 0; i < s->targets_nr && nr < s->ops->processes_max; i++) {
		struct target *target = &s->targets[i];
		struct err err = ERR_INIT;

		if (!is_due(s, target, now))
			continue;
		if (!s->ops->permit(&s->beside->own, target->pid, &err))
			due[nr++] = target;
		else if (err.code == ERR_NOT_FOUND)
			target->given_up = true;
		else
			give_up(s, target, "heap snapshots", &err);
		err_clear(&err);
	}
	return nr;
}

static bool has(const int64_t *pids, size_t nr, int64_t pid)
{
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

static void note_taken(struct snapshots *s, struct target **due, size_t due_nr, const int64_t *pids,
		       size_t nr, int64_t asked)
{
	struct manifest *manifest = &s->beside->session->manifest;
	struct err err = ERR_INIT;
	int64_t now = clock_now();

	for (size_t i = 0; i < due_nr; i++) {
		due[i]->next = snapshot_after(s->heap, due[i]->next, now - due[i]->start_ns);
		if (!has(pids, nr, due[i]->pid))
			continue;
		due[i]->taken = true;
		manifest_add_snapshot(manifest, due[i]->pid, due[i]->crate,
				      asked - manifest->clock_base_ns);
	}
	s->full = manifest->snapshots_nr + s->ops->processes_max > MANIFEST_SNAPSHOTS_MAX;
	if (s->full)
		strvec_pushf(&manifest->warnings, "no more snapshots are taken: there are %zu",
			     manifest->snapshots_nr);
	/* Where it can't be written other steps will fail as well. */
	if (manifest_write(manifest, s->beside->session->plan->dir, &err))
		err_clear(&err);
}

/* One of each; where that fails, one after the other, so that one alone is given up. True: any was taken. */
static bool take(struct snapshots *s, struct target **due, size_t due_nr)
{
	int64_t pids[CONFIG_HEAP_PIDS], asked = clock_now();
	struct err err = ERR_INIT;
	size_t nr = due_nr;
	bool any = false;

	for (size_t i = 0; i < nr; i++)
		pids[i] = due[i]->pid;
	if (!s->ops->take(&s->beside->own, pids, &nr, &err)) {
		note_taken(s, due, due_nr, pids, nr, asked);
		return nr > 0;
	}
	/* What hangs would do so each time. */
	if (due_nr > 1 && clock_now() - asked < SLOW_NS) {
		for (size_t i = 0; i < due_nr; i++)
			any |= take(s, due + i, 1);
	} else {
		for (size_t i = 1; i < due_nr; i++)
			due[i]->given_up = true;
		give_up(s, due[0], "heap snapshot", &err);
	}
	err_clear(&err);
	return any;
}

static bool take_due(struct snapshots *s)
{
	struct target *due[CONFIG_HEAP_PIDS];
	size_t nr = permit_due(s, due);

	return nr && take(s, due, nr);
}

/* Let wpr take more by itself: of all that have had their first. */
static void repeat(struct snapshots *s)
{
	int64_t pids[CONFIG_HEAP_PIDS];
	struct err err = ERR_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < s->targets_nr && nr < ARRAY_SIZE(pids); i++) {
		struct target *target = &s->targets[i];

		if (target->given_up || !target->next)
			continue;
		target->repeated = true;
		pids[nr++] = target->pid;
	}
	if (s->ops->repeat(&s->beside->own, s->heap->interval_ns, pids, &nr, &err))
		strvec_pushf(&s->beside->session->manifest.warnings,
			     "wpr takes no periodic snapshots: %s", err.msg);
	err_clear(&err);
}

static bool any_due(const struct snapshots *s)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < s->targets_nr; i++) {
		if (is_due(s, &s->targets[i], now))
			return true;
	}
	return false;
}

void snapshots_look(struct snapshots *s)
{
	bool changed = find_targets(s);

	if (!changed && (s->full || !any_due(s)))
		return;
	beside_begin_wait(s->beside, BESIDE_BRIEF);
	if (!s->full && take_due(s))
		changed = true;
	if (changed && s->heap->periodic)
		repeat(s);
	beside_end_wait(s->beside);
}

bool snapshots_are_over(const struct snapshots *s)
{
	for (size_t i = 0; i < s->targets_nr; i++) {
		const struct target *target = &s->targets[i];

		if (target->given_up || s->full)
			continue;
		if (s->heap->periodic || snapshot_time(s->heap, target->next) >= 0)
			return false;
	}
	return true;
}

static void end_periodic(struct snapshots *s)
{
	struct err err = ERR_INIT;
	bool repeated = false;
	size_t none = 0;

	for (size_t i = 0; i < s->targets_nr; i++)
		repeated |= s->targets[i].repeated;
	if (!repeated)
		return;
	beside_begin_wait(s->beside, BESIDE_WAIT);
	/* The stop tries again, and says so where that fails too. */
	if (s->ops->repeat(&s->beside->own, s->heap->interval_ns, NULL, &none, &err))
		err_clear(&err);
	beside_end_wait(s->beside);
}

void snapshots_end(struct snapshots *s)
{
	struct session *session;

	if (!s)
		return;
	session = s->beside->session;
	end_periodic(s);
	if (session->manifest.snapshots_nr && s->missed)
		steps_warn(session, "%zu of %zu chosen processes ended before a snapshot was taken",
			   s->missed, s->chosen);
	if (session->manifest.snapshots_nr)
		return;
	if (s->chosen)
		steps_fail(session, "no heap snapshot was taken: the processes ended before, or "
				    "see the warnings");
	else
		steps_fail(session,
			   "no heap snapshot was taken: no rustc compiled a crate that [heap] "
			   "crate names");
}
