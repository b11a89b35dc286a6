#include "trace/perf/linux_calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/strbuf.h"
#include "util/text.h"

#define REMEDY \
	"; perf record needs the events of docs/perf-data.md, a configuration 'virtualalloc = " \
	"yes'; both need the rights that 'stagetrace check' names"
#define SAMPLED_REMEDY "; record without -F and -c, with -e cpu-clock/freq=997/"

struct call_kind {
	const char *name;
	bool needed;
	const char *fields[LINUX_ARGS];
};

/* The second column: memory accounting needs the event. The exits of brk show the break; madvise changes no sizes. */
static const struct call_kind kinds[LINUX_CALLS] = {
	[LINUX_MMAP_ENTER] = { "sys_enter_mmap", true, { "len", "prot", "flags" } },
	[LINUX_MMAP_EXIT] = { "sys_exit_mmap", true, { "ret" } },
	[LINUX_MUNMAP] = { "sys_enter_munmap", true, { "addr", "len" } },
	[LINUX_MREMAP_ENTER] = { "sys_enter_mremap",
				 true,
				 { "addr", "old_len", "new_len", "flags" } },
	[LINUX_MREMAP_EXIT] = { "sys_exit_mremap", true, { "ret" } },
	[LINUX_BRK_ENTER] = { "sys_enter_brk", false, { NULL } },
	[LINUX_BRK_EXIT] = { "sys_exit_brk", true, { "ret" } },
	[LINUX_MPROTECT] = { "sys_enter_mprotect", true, { "start", "len", "prot" } },
	[LINUX_PKEY_MPROTECT] = { "sys_enter_pkey_mprotect", false, { "start", "len", "prot" } },
	[LINUX_MADVISE] = { "sys_enter_madvise", false, { "start", "len_in", "behavior" } },
};

static enum linux_call find_call(const char *name)
{
	static const char system[] = "syscalls:";

	if (!name || !text_starts_with(name, system))
		return LINUX_NONE;
	name += strlen(system);
	for (int call = LINUX_NONE + 1; call < LINUX_CALLS; call++) {
		if (tracepoint_is_named(name, kinds[call].name))
			return (enum linux_call)call;
	}
	return LINUX_NONE;
}

bool linux_call_uses(const char *event, const char *field)
{
	enum linux_call call = find_call(event);

	/* Its exit has the result; calls with the address 0 only ask, and have no stack. */
	if (call == LINUX_BRK_ENTER)
		return !strcmp(field, "brk");
	for (size_t i = 0; i < LINUX_ARGS && kinds[call].fields[i]; i++)
		if (!strcmp(kinds[call].fields[i], field))
			return true;
	return false;
}

/* The first field that the format lacks; NULL: it has all. */
static const char *find_fields(const struct tracepoint_format *format, const struct call_kind *kind,
			       struct linux_call_event *event)
{
	for (size_t i = 0; i < LINUX_ARGS && kind->fields[i]; i++) {
		const struct tracepoint_field *field =
			tracepoint_format_field(format, kind->fields[i]);

		if (!field)
			return kind->fields[i];
		event->fields[i] = *field;
		event->fields[i].name = NULL;
		event->fields_nr++;
	}
	return NULL;
}

static int cost(const struct linux_memory_event *event)
{
	return event->carries_copy ? 2 : event->carries_chain;
}

/* The index of the plain event of a call; SIZE_MAX: none. */
static size_t find_plain(const struct linux_memory_event *events, size_t nr,
			 const struct linux_call_event *found, int call)
{
	size_t plain = SIZE_MAX;

	for (size_t i = 0; i < nr; i++) {
		if ((int)found[i].call != call)
			continue;
		if (plain == SIZE_MAX || cost(&events[i]) < cost(&events[plain]))
			plain = i;
	}
	return plain;
}

/* Mark the events of a call that are duplicates. Returns NULL, or why memory cannot be accounted with these events. */
static char *settle_call(const struct linux_memory_event *events, size_t nr,
			 struct linux_call_event *found, int call)
{
	const struct call_kind *kind = &kinds[call];
	size_t plain = find_plain(events, nr, found, call);
	const char *missing = NULL;

	if (plain == SIZE_MAX)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if ((int)found[i].call == call)
			found[i].duplicate = i != plain;
	}
	if (events[plain].frequency)
		return xasprintf("%s was sampled: most of its calls are missing" SAMPLED_REMEDY,
				 kind->name);
	if (!events[plain].format)
		return xasprintf("the format of %s is missing", kind->name);
	missing = find_fields(events[plain].format, kind, &found[plain]);
	if (missing)
		return xasprintf("the format of %s has no field '%s'", kind->name, missing);
	return NULL;
}

static void forget_call(struct linux_call_event *found, size_t nr, int call)
{
	for (size_t i = 0; i < nr; i++) {
		if ((int)found[i].call == call)
			found[i] = (struct linux_call_event){ .call = LINUX_NONE };
	}
}

/* The reason if a required call has no event; else NULL. */
static char *find_missing(const struct linux_call_event *found, size_t nr)
{
	struct strbuf missing = STRBUF_INIT;
	bool has[LINUX_CALLS] = { false }, any = false;

	for (size_t i = 0; i < nr; i++) {
		has[found[i].call] = true;
		any = any || found[i].call != LINUX_NONE;
	}
	if (!any)
		return xstrdup("no memory events were recorded" REMEDY);
	for (int call = LINUX_NONE + 1; call < LINUX_CALLS; call++) {
		if (kinds[call].needed && !has[call])
			strbuf_addf(&missing, "%s%s",
				    missing.len ? ", " : "not recorded: ", kinds[call].name);
	}
	if (!missing.len)
		return NULL;
	strbuf_adds(&missing, REMEDY);
	return strbuf_detach(&missing);
}

char *linux_calls_find(const struct linux_memory_event *events, size_t nr,
		       struct linux_call_event *found)
{
	char *refusal;

	for (size_t i = 0; i < nr; i++) {
		found[i] = (struct linux_call_event){
			.call = find_call(events[i].name),
			.carries_stack = events[i].carries_copy || events[i].carries_chain,
		};
	}
	refusal = find_missing(found, nr);
	for (int call = LINUX_NONE + 1; call < LINUX_CALLS && !refusal; call++) {
		refusal = settle_call(events, nr, found, call);
		if (refusal && !kinds[call].needed) {
			forget_call(found, nr, call);
			free(refusal);
			refusal = NULL;
		}
	}
	for (size_t i = 0; i < nr && refusal; i++)
		found[i] = (struct linux_call_event){ .call = LINUX_NONE };
	return refusal;
}

bool linux_call_args(const struct linux_call_event *event, const struct perf_sample *sample,
		     uint64_t args[LINUX_ARGS])
{
	for (size_t i = 0; i < event->fields_nr; i++) {
		if (!tracepoint_field_get(&event->fields[i], sample->raw, sample->raw_nr, &args[i]))
			return false;
	}
	return true;
}

#define NONE SIZE_MAX

/* The latest samples of a thread: equal calls, linked by `next`. */
struct group {
	int32_t tid;
	size_t first, last;
};

/* The plain sample of a group that the next duplicate of an event belongs to. */
struct cursor {
	uint64_t group; /* number of that group */
	size_t plain;
};

struct linux_pairing {
	const struct linux_call_event *events;
	size_t events_nr;
	struct group *groups; /* of the current linux_pairing_run() */
	size_t groups_nr, groups_alloc;
	struct hash_index index; /* of groups, by tid */
	struct cursor *cursors;  /* by event */
	uint64_t closed;

	/* Arguments of the current linux_pairing_run(). */
	const struct perf_sample *samples;
	size_t *partner;
	uint64_t *unmatched;
	size_t *next;
	size_t next_alloc;
};

struct linux_pairing *linux_pairing_new(const struct linux_call_event *events, size_t nr)
{
	struct linux_pairing *pairing = xcalloc(1, sizeof(*pairing));

	pairing->events = events;
	pairing->events_nr = nr;
	pairing->cursors = xcalloc(nr, sizeof(*pairing->cursors));
	return pairing;
}

void linux_pairing_free(struct linux_pairing *pairing)
{
	if (!pairing)
		return;
	free(pairing->groups);
	hash_index_release(&pairing->index);
	free(pairing->cursors);
	free(pairing->next);
	free(pairing);
}

static bool is_duplicate(const struct linux_pairing *pairing, size_t sample)
{
	return pairing->events[pairing->samples[sample].event].duplicate;
}

/* Set the duplicate of a plain sample. Of several duplicates, that of the first event with a stack is used. */
static void join(struct linux_pairing *pairing, size_t plain, size_t duplicate)
{
	const struct perf_sample *samples = pairing->samples;
	size_t *partner = &pairing->partner[plain];

	if (*partner != NONE) {
		bool had = trace_stack_has_user(&samples[*partner].stack);
		bool has = trace_stack_has_user(&samples[duplicate].stack);

		if (had != has ? had : samples[*partner].event <= samples[duplicate].event)
			return;
	}
	*partner = duplicate;
}

/* The first plain sample of a group, from `sample` on. */
static size_t plain_of(const struct linux_pairing *pairing, size_t sample)
{
	while (sample != NONE && is_duplicate(pairing, sample))
		sample = pairing->next[sample];
	return sample;
}

static void close_group(struct linux_pairing *pairing, const struct group *group)
{
	size_t first;

	if (group->first == group->last) {
		*pairing->unmatched += is_duplicate(pairing, group->first);
		return;
	}
	pairing->closed++;
	first = plain_of(pairing, group->first);
	for (size_t i = group->first; i != NONE; i = pairing->next[i]) {
		struct cursor *cursor = &pairing->cursors[pairing->samples[i].event];

		if (!is_duplicate(pairing, i))
			continue;
		if (cursor->group != pairing->closed)
			*cursor = (struct cursor){ pairing->closed, first };
		if (cursor->plain == NONE) {
			++*pairing->unmatched;
			continue;
		}
		join(pairing, cursor->plain, i);
		cursor->plain = plain_of(pairing, pairing->next[cursor->plain]);
	}
}

/* Whether two samples are of one hit of a tracepoint, or of equal calls. */
static bool are_alike(const struct linux_pairing *pairing, size_t a, size_t b)
{
	const struct perf_sample *sa = &pairing->samples[a], *sb = &pairing->samples[b];

	return pairing->events[sa->event].call == pairing->events[sb->event].call &&
	       sa->raw_nr == sb->raw_nr && (!sa->raw_nr || !memcmp(sa->raw, sb->raw, sa->raw_nr));
}

/* The index of the thread's group; `latest` is tried first. */
static uint32_t find_group(const struct linux_pairing *pairing, int32_t tid, uint32_t latest)
{
	uint32_t at;

	if (latest != HASH_INDEX_NONE && pairing->groups[latest].tid == tid)
		return latest;
	HASH_INDEX_FIND(at, &pairing->index, (uint32_t)tid, i, pairing->groups[i].tid == tid);
	return at;
}

static uint32_t add_sample(struct linux_pairing *pairing, size_t i, uint32_t latest)
{
	int32_t tid = pairing->samples[i].tid;
	uint32_t at = find_group(pairing, tid, latest);
	struct group *group;

	pairing->next[i] = NONE;
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)pairing->groups_nr++;
		ARRAY_GROW(pairing->groups, pairing->groups_nr, pairing->groups_alloc);
		pairing->groups[at] = (struct group){ tid, i, i };
		hash_index_add(&pairing->index, (uint32_t)tid, at);
		return at;
	}
	group = &pairing->groups[at];
	if (are_alike(pairing, group->first, i)) {
		pairing->next[group->last] = i;
		group->last = i;
	} else {
		close_group(pairing, group);
		group->first = group->last = i;
	}
	return at;
}

void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched)
{
	uint32_t latest = HASH_INDEX_NONE;

	ARRAY_GROW(pairing->next, nr, pairing->next_alloc);
	pairing->samples = samples;
	pairing->partner = partner;
	pairing->unmatched = unmatched;
	pairing->groups_nr = 0;
	hash_index_release(&pairing->index);
	for (size_t i = 0; i < nr; i++) {
		uint32_t event = samples[i].event;

		partner[i] = NONE;
		if (event < pairing->events_nr && pairing->events[event].call != LINUX_NONE)
			latest = add_sample(pairing, i, latest);
	}
	for (size_t i = 0; i < pairing->groups_nr; i++)
		close_group(pairing, &pairing->groups[i]);
}
