#include "record/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define SLOW_NS (60 * NS_PER_S)

/* A process to take snapshots of. */
struct target {
	int64_t pid;
	int64_t start_ns; /* clock */
	char *crate;      /* NULL: not known */
	size_t next;      /* number of its next snapshot */
	int64_t due_ns;   /* age at which that is due; -1: there is none */
	bool living;      /* at the last scan */
	bool given_up;    /* a snapshot failed: do not try again */
	bool taken;       /* a snapshot of it was taken */
	bool repeated;    /* wpr takes more by itself */
};

/* A selected process that exceeded the limit. */
struct left_out {
	int64_t pid, start_ns;
};

struct snapshots {
	struct service *service;
	const struct tracker *tracker;
	struct profiler_session *session; /* of the service */
	const struct profiler_ops *profiler;
	const struct config_heap *heap;
	struct target *targets;
	size_t targets_nr, targets_alloc;
	struct left_out *left_out;
	size_t left_out_nr, left_out_alloc;
	size_t chosen; /* processes selected so far, within the limit */
	size_t missed; /* of these, ended before a snapshot was taken */
	bool full;     /* the manifest has reached its limit */
};

int64_t snapshot_due(const struct config_heap *heap, size_t *n, int64_t age_ns)
{
	const struct config_numbers *at = &heap->at;

	if (at->nr) {
		while (*n + 1 < at->nr && at->v[*n + 1] <= age_ns)
			++*n;
		return *n < at->nr ? at->v[*n] : -1;
	}
	if (!*n)
		return 0;
	/* With periodic, wpr takes all but the first one itself. */
	if (heap->periodic || *n >= (size_t)heap->snapshots)
		return -1;
	return (age_ns / heap->interval_ns + 1) * heap->interval_ns;
}

static void add_target(struct snapshots *s, int64_t pid, int64_t start_ns, const char *crate)
{
	struct target target = {
		.pid = pid,
		.start_ns = start_ns,
		.crate = xstrdup_or_null(crate),
		.living = true,
	};

	target.due_ns = snapshot_due(s->heap, &target.next, 0);
	ARRAY_GROW(s->targets, s->targets_nr + 1, s->targets_alloc);
	s->targets[s->targets_nr++] = target;
	s->chosen++;
}

struct snapshots *snapshots_new(struct service *service, const struct tracker *tracker)
{
	const struct config *config = service->session.job->config;
	const struct profiler_ops *profiler = service->session.profiler;
	struct snapshots *s;

	if (!profiler->snapshot_processes || strcmp(config->heap_job.recipe, "snapshots") != 0)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->service = service;
	s->session = &service->session;
	s->tracker = tracker;
	s->profiler = profiler;
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
	status_warn(s->service->status, &s->session->manifest->warnings,
		    "no snapshots of %s (process %" PRId64
		    "): wpr takes snapshots of at most %zu processes at a time",
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
	return process->start_ns + s->session->manifest->clock_base_ns;
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
	if (s->targets_nr < s->profiler->snapshot_processes)
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
		s->profiler->forget_snapshots(s->session, target->pid);
		free(target->crate);
	}
	s->targets_nr = kept;
	return repeated;
}

/* Update the targets. True: one has ended of which wpr takes periodic snapshots. */
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

static bool is_due(const struct target *target, int64_t now)
{
	return !target->given_up && target->due_ns >= 0 && now - target->start_ns >= target->due_ns;
}

/* To be called during a service wait: its end shows the warning. */
static void give_up(struct snapshots *s, struct target *target, const char *what, struct err *err)
{
	struct manifest *manifest = s->session->manifest;

	target->given_up = true;
	strvec_pushf(&manifest->warnings, "no %s of %s%sprocess %" PRId64 ": %s", what,
		     target->crate ? target->crate : "", target->crate ? ", " : "", target->pid,
		     err->msg);
	err_clear(err);
}

/* The targets whose snapshot is due and enabled. */
static size_t enable_due(struct snapshots *s, struct target **due)
{
	int64_t now = clock_now();
	size_t nr = 0;

	for (size_t i = 0; i < s->targets_nr && nr < s->profiler->snapshot_processes; i++) {
		struct target *target = &s->targets[i];
		struct err err = ERR_INIT;

		if (!is_due(target, now))
			continue;
		if (!s->profiler->enable_snapshots(s->session, target->pid, &err))
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
	struct manifest *manifest = s->session->manifest;
	struct err err = ERR_INIT;
	int64_t now = clock_now();

	for (size_t i = 0; i < due_nr; i++) {
		due[i]->next++;
		due[i]->due_ns = snapshot_due(s->heap, &due[i]->next, now - due[i]->start_ns);
		if (!has(pids, nr, due[i]->pid))
			continue;
		due[i]->taken = true;
		manifest_add_snapshot(manifest, due[i]->pid, due[i]->crate,
				      asked - manifest->clock_base_ns);
	}
	s->full = manifest->snapshots_nr + s->profiler->snapshot_processes > MANIFEST_SNAPSHOTS_MAX;
	if (s->full)
		strvec_pushf(
			&manifest->warnings,
			"no more snapshots are taken: the run has %zu, and its limit is reached",
			manifest->snapshots_nr);
	/* If the manifest cannot be written other steps fail as well. */
	if (manifest_write(manifest, s->session->job->dir, &err))
		err_clear(&err);
}

/*
 * Take one snapshot of each process. If that fails, take them one by one, so that only the failing process is given up.
 * True: at least one was taken.
 */
static bool take(struct snapshots *s, struct target **due, size_t due_nr)
{
	int64_t pids[CONFIG_HEAP_PIDS], asked = clock_now();
	struct err err = ERR_INIT;
	size_t nr = due_nr;
	bool any = false;

	for (size_t i = 0; i < nr; i++)
		pids[i] = due[i]->pid;
	if (!s->profiler->take_snapshots(s->session, pids, &nr, &err)) {
		note_taken(s, due, due_nr, pids, nr, asked);
		return nr > 0;
	}
	/* No retry after a slow failure: a call that hangs would hang each time. */
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

/* Have wpr take periodic snapshots of all targets that have had their first. */
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
	if (s->profiler->repeat_snapshots(s->session, s->heap->interval_ns, pids, &nr, &err))
		strvec_pushf(&s->session->manifest->warnings,
			     "wpr cannot take periodic snapshots: %s", err.msg);
	err_clear(&err);
}

static bool any_due(const struct snapshots *s)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < s->targets_nr; i++) {
		if (is_due(&s->targets[i], now))
			return true;
	}
	return false;
}

void snapshots_take_due(struct snapshots *s)
{
	struct target *due[CONFIG_HEAP_PIDS];
	bool changed = find_targets(s);
	size_t nr;

	if (!changed && (s->full || !any_due(s)))
		return;
	service_begin_wait(s->service, WAIT_BRIEF);
	nr = s->full ? 0 : enable_due(s, due);
	if (nr && take(s, due, nr))
		changed = true;
	if (changed && s->heap->periodic)
		repeat(s);
	service_end_wait(s->service);
}

bool snapshots_are_finished(const struct snapshots *s)
{
	for (size_t i = 0; i < s->targets_nr; i++) {
		const struct target *target = &s->targets[i];

		if (target->given_up || s->full)
			continue;
		if (s->heap->periodic || target->due_ns >= 0)
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
	service_begin_wait(s->service, WAIT_TO_END);
	/* The stop tries again, and reports a failure. */
	if (s->profiler->repeat_snapshots(s->session, s->heap->interval_ns, NULL, &none, &err))
		err_clear(&err);
	service_end_wait(s->service);
}

void snapshots_end(struct snapshots *s)
{
	struct manifest *manifest;

	if (!s)
		return;
	manifest = s->session->manifest;
	end_periodic(s);
	if (manifest->snapshots_nr && s->missed)
		status_warn(s->service->status, &manifest->warnings,
			    "%zu of %zu chosen process%s ended before a snapshot was taken",
			    s->missed, s->chosen, s->chosen == 1 ? "" : "es");
	if (manifest->snapshots_nr)
		return;
	if (s->chosen)
		manifest_fail(manifest, "no heap snapshot was taken: the processes ended before "
					"their first one, or wpr failed: see the warnings");
	else
		manifest_fail(manifest,
			      "no heap snapshot was taken: no rustc compiled a crate that "
			      "[heap] crate names");
}
