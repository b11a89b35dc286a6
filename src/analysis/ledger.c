#include "analysis/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

struct ledger_lifetimes {
	uint32_t classes;
	int64_t *v; /* by key and class */
	size_t nr, alloc;
};

void ledger_init(struct ledger *ledger, int64_t from_ns, int64_t to_ns, int64_t at_ns)
{
	*ledger = (struct ledger){
		.from_ns = from_ns,
		.to_ns = to_ns,
		.at_ns = at_ns,
		.now_ns = INT64_MIN,
		.at_done = !ledger_at_is_time(at_ns),
	};
}

void ledger_release(struct ledger *ledger)
{
	free(ledger->keys);
	free(ledger->totals);
	free(ledger->touched);
	free(ledger->touched_totals);
	ledger_steps_free(ledger->steps);
	ledger_owners_free(ledger->owners);
	if (ledger->lifetimes)
		free(ledger->lifetimes->v);
	free(ledger->lifetimes);
	memset(ledger, 0, sizeof(*ledger));
}

void ledger_keep_steps(struct ledger *ledger, int64_t step_ns, uint32_t steps)
{
	ledger->steps = ledger_steps_new(step_ns, steps);
}

void ledger_keep_owners(struct ledger *ledger, ledger_owner_fn *owner_of, void *data)
{
	ledger->owners = ledger_owners_new(owner_of, data);
}

void ledger_keep_lifetimes(struct ledger *ledger, uint32_t classes)
{
	ledger->lifetimes = xcalloc(1, sizeof(*ledger->lifetimes));
	ledger->lifetimes->classes = classes;
}

void ledger_lived_in(struct ledger *ledger, uint32_t key, uint32_t lifetime, int64_t bytes)
{
	struct ledger_lifetimes *lifetimes = ledger->lifetimes;

	ARRAY_REACH(lifetimes->v, ((size_t)key + 1) * lifetimes->classes, lifetimes->nr,
		    lifetimes->alloc);
	wrap_add_to(&lifetimes->v[(size_t)key * lifetimes->classes + lifetime], bytes);
}

int64_t ledger_lifetime(const struct ledger *ledger, uint32_t key, uint32_t lifetime)
{
	const struct ledger_lifetimes *lifetimes = ledger->lifetimes;
	size_t at = (size_t)key * lifetimes->classes + lifetime;

	return at < lifetimes->nr ? lifetimes->v[at] : 0;
}

int64_t ledger_held_at_owners_peak(const struct ledger *ledger, uint32_t key)
{
	return key < ledger->keys_nr
		       ? ledger_owners_at_peak(ledger->owners, key, ledger->keys[key].outstanding)
		       : 0;
}

typedef void entry_fn(struct ledger *ledger, struct ledger_entry *entry);

static void for_each(struct ledger *ledger, entry_fn *fn)
{
	fn(ledger, &ledger->whole);
	fn(ledger, &ledger->total);
	for (size_t i = 0; i < ledger->keys_nr; i++)
		fn(ledger, &ledger->keys[i]);
	for (size_t i = 0; i < ledger->totals_nr; i++)
		fn(ledger, &ledger->totals[i]);
}

static void take_start(struct ledger *ledger, struct ledger_entry *entry)
{
	entry->at_start = entry->outstanding;
	entry->peak = entry->outstanding;
	entry->peak_ns = ledger->from_ns == INT64_MIN ? ledger->now_ns : ledger->from_ns;
}

static void take_at(struct ledger *ledger, struct ledger_entry *entry)
{
	(void)ledger;
	entry->at = entry->outstanding;
}

static int64_t held_at(const struct ledger *ledger, const struct ledger_entry *entry,
		       enum ledger_peak peak)
{
	const struct ledger_saved *saved = &entry->saved[peak];

	return saved->epoch == ledger->epochs[peak] ? saved->bytes : entry->outstanding;
}

static void take_end(struct ledger *ledger, struct ledger_entry *entry)
{
	(void)ledger;
	entry->at_end = entry->outstanding;
}

static void take_peaks(struct ledger *ledger, struct ledger_entry *entry)
{
	entry->at_peak = held_at(ledger, entry, LEDGER_WHOLE_PEAK);
	entry->at_own_peak = held_at(ledger, entry, LEDGER_OWN_PEAK);
	if (entry == &ledger->whole)
		entry->at_peak = entry->peak;
	if (entry == &ledger->total)
		entry->at_own_peak = entry->peak;
	if (ledger->at_ns == LEDGER_AT_PEAK)
		entry->at = entry->at_peak;
	else if (ledger->at_ns == LEDGER_AT_OWN_PEAK)
		entry->at = entry->at_own_peak;
	else if (ledger->at_ns == LEDGER_AT_END)
		entry->at = entry->at_end;
	entry->lived = ledger->lived && entry != &ledger->whole && entry != &ledger->total;
}

static void raise_epoch(struct ledger *ledger, enum ledger_peak peak, uint64_t commits)
{
	ledger->epochs[peak]++;
	ledger->moments[LEDGER_PEAK + (int)peak] = commits;
}

/* Start the range: the bytes that are outstanding now are its first peak. */
static void start(struct ledger *ledger)
{
	ledger->started = true;
	ledger->moments[LEDGER_START] = ledger->commits;
	for_each(ledger, take_start);
	for (int i = 0; i < LEDGER_PEAKS; i++)
		raise_epoch(ledger, (enum ledger_peak)i, ledger->commits);
}

static void end(struct ledger *ledger)
{
	ledger->ended = true;
	ledger->moments[LEDGER_END] = ledger->commits;
	for_each(ledger, take_end);
}

static void keep_moment(struct ledger *ledger)
{
	ledger->at_done = true;
	ledger->moments[LEDGER_AT] = ledger->commits;
	for_each(ledger, take_at);
}

bool ledger_advance(struct ledger *ledger, int64_t time_ns)
{
	if (time_ns > ledger->now_ns)
		ledger->now_ns = time_ns;
	if (!ledger->at_done && ledger->now_ns > ledger->at_ns)
		keep_moment(ledger);
	if (!ledger->started && ledger->now_ns >= ledger->from_ns)
		start(ledger);
	if (ledger->started && !ledger->ended && ledger->now_ns >= ledger->to_ns &&
	    ledger->to_ns != INT64_MAX)
		end(ledger);
	return !ledger->ended || !ledger->at_done;
}

bool ledger_inside(const struct ledger *ledger)
{
	return ledger->started && !ledger->ended;
}

/* Save the value at the last peaks before it changes for the first time after them. */
static void change(struct ledger *ledger, struct ledger_entry *entry, int64_t bytes)
{
	for (int i = 0; i < LEDGER_PEAKS; i++) {
		if (entry->saved[i].epoch != ledger->epochs[i])
			entry->saved[i] =
				(struct ledger_saved){ ledger->epochs[i], entry->outstanding };
	}
	wrap_add_to(&entry->outstanding, bytes);
}

static void add_to(struct ledger *ledger, struct ledger_entry *entry, int64_t bytes, int64_t count)
{
	change(ledger, entry, bytes);
	if (!ledger_inside(ledger))
		return;
	wrap_add_to(&entry->size, bytes);
	wrap_add_to(&entry->count, count);
}

static void remove_from(struct ledger *ledger, struct ledger_entry *entry, int64_t bytes,
			bool inside)
{
	change(ledger, entry, wrap_subtract(0, bytes));
	if (!ledger_inside(ledger))
		return;
	wrap_add_to(&entry->freed, bytes);
	wrap_add_to(inside ? &entry->aifi : &entry->aofi, bytes);
}

static struct ledger_entry *entry_of(struct ledger *ledger, uint32_t key)
{
	ARRAY_REACH(ledger->keys, (size_t)key + 1, ledger->keys_nr, ledger->keys_alloc);
	return &ledger->keys[key];
}

static struct ledger_entry *touch(struct ledger *ledger, uint32_t key)
{
	if (!ledger->touched_nr || ledger->touched[ledger->touched_nr - 1] != key) {
		ARRAY_GROW(ledger->touched, ledger->touched_nr + 1, ledger->touched_alloc);
		ledger->touched[ledger->touched_nr++] = key;
	}
	return entry_of(ledger, key);
}

void ledger_whole_add(struct ledger *ledger, int64_t bytes, int64_t count)
{
	add_to(ledger, &ledger->whole, bytes, count);
}

void ledger_whole_remove(struct ledger *ledger, int64_t bytes, bool inside)
{
	remove_from(ledger, &ledger->whole, bytes, inside);
}

void ledger_sum_add(struct ledger *ledger, int64_t bytes, int64_t count)
{
	add_to(ledger, &ledger->total, bytes, count);
}

void ledger_sum_remove(struct ledger *ledger, int64_t bytes, bool inside)
{
	remove_from(ledger, &ledger->total, bytes, inside);
}

void ledger_key_add(struct ledger *ledger, uint32_t key, int64_t bytes, int64_t count)
{
	struct ledger_entry *entry = touch(ledger, key);

	if (ledger->owners)
		ledger_owners_change(ledger->owners, key, entry->outstanding, bytes);
	add_to(ledger, entry, bytes, count);
	if (ledger->steps)
		ledger_steps_change(ledger->steps, key, ledger->now_ns, bytes, count, 0);
	ledger_sum_add(ledger, bytes, count);
}

void ledger_key_remove(struct ledger *ledger, uint32_t key, int64_t bytes, bool inside)
{
	struct ledger_entry *entry = touch(ledger, key);

	if (ledger->owners)
		ledger_owners_change(ledger->owners, key, entry->outstanding,
				     wrap_subtract(0, bytes));
	remove_from(ledger, entry, bytes, inside);
	if (ledger->steps)
		ledger_steps_change(ledger->steps, key, ledger->now_ns, 0, 0, bytes);
	ledger_sum_remove(ledger, bytes, inside);
}

/* An event may change a total for each of many ranges. */
static struct ledger_entry *touch_total(struct ledger *ledger, uint32_t key)
{
	struct ledger_entry *entry;

	ARRAY_REACH(ledger->totals, (size_t)key + 1, ledger->totals_nr, ledger->totals_alloc);
	entry = &ledger->totals[key];
	if (entry->touched == ledger->commits + 1)
		return entry;
	entry->touched = ledger->commits + 1;
	ARRAY_GROW(ledger->touched_totals, ledger->touched_totals_nr + 1,
		   ledger->touched_totals_alloc);
	ledger->touched_totals[ledger->touched_totals_nr++] = key;
	return entry;
}

void ledger_total_add(struct ledger *ledger, uint32_t key, int64_t bytes, int64_t count)
{
	add_to(ledger, touch_total(ledger, key), bytes, count);
}

void ledger_total_remove(struct ledger *ledger, uint32_t key, int64_t bytes, bool inside)
{
	remove_from(ledger, touch_total(ledger, key), bytes, inside);
}

static enum ledger_moment moment_of_at(const struct ledger *ledger)
{
	if (ledger_at_is_time(ledger->at_ns))
		return LEDGER_AT;
	if (ledger->at_ns == LEDGER_AT_END)
		return LEDGER_END;
	return LEDGER_PEAK +
	       (ledger->at_ns == LEDGER_AT_PEAK ? LEDGER_WHOLE_PEAK : LEDGER_OWN_PEAK);
}

/* What an entry held at a peak is kept until there is a later one. */
static void lived(struct ledger *ledger, struct ledger_entry *entry, int64_t bytes,
		  const struct ledger_life *life)
{
	const uint64_t *moments = ledger->moments;

	ledger->lived = true;
	if (life->inside) {
		wrap_add_to(&entry->size, bytes);
		wrap_add_to(&entry->count, life->count);
	}
	if (ledger_inside(ledger)) {
		wrap_add_to(&entry->freed, bytes);
		wrap_add_to(life->inside ? &entry->aifi : &entry->aofi, bytes);
	}
	if (life->commit <= moments[LEDGER_START])
		wrap_add_to(&entry->at_start, bytes);
	if (life->commit <= moments[LEDGER_END])
		wrap_add_to(&entry->at_end, bytes);
	if (life->commit <= moments[LEDGER_AT])
		wrap_add_to(&entry->at, bytes);
	for (int i = 0; i < LEDGER_PEAKS; i++) {
		struct ledger_saved *saved = &entry->saved[i];

		if (life->commit > moments[LEDGER_PEAK + i])
			continue;
		if (saved->epoch != ledger->epochs[i])
			*saved = (struct ledger_saved){ ledger->epochs[i], 0 };
		wrap_add_to(&saved->bytes, bytes);
	}
}

void ledger_key_lived(struct ledger *ledger, uint32_t key, int64_t bytes,
		      const struct ledger_life *life)
{
	lived(ledger, entry_of(ledger, key), bytes, life);
}

void ledger_total_lived(struct ledger *ledger, uint32_t key, int64_t bytes,
			const struct ledger_life *life)
{
	ARRAY_REACH(ledger->totals, (size_t)key + 1, ledger->totals_nr, ledger->totals_alloc);
	lived(ledger, &ledger->totals[key], bytes, life);
}

uint64_t ledger_current_commit(const struct ledger *ledger)
{
	return ledger->commits + 1;
}

bool ledger_was_held_at(const struct ledger *ledger, uint64_t commit)
{
	return commit <= ledger->moments[moment_of_at(ledger)];
}

bool ledger_was_held_inside(const struct ledger *ledger, uint64_t commit)
{
	return ledger->started && (!ledger->ended || commit <= ledger->moments[LEDGER_END]);
}

uint64_t ledger_epoch_of_at(const struct ledger *ledger)
{
	int peak = (int)moment_of_at(ledger) - LEDGER_PEAK;

	return peak < 0 ? 0 : ledger->epochs[peak];
}

void ledger_whole_purge(struct ledger *ledger, int64_t bytes)
{
	if (ledger_inside(ledger))
		wrap_add_to(&ledger->whole.purged, bytes);
}

void ledger_key_purge(struct ledger *ledger, uint32_t key, int64_t bytes)
{
	if (!ledger_inside(ledger))
		return;
	wrap_add_to(&ledger->total.purged, bytes);
	wrap_add_to(&entry_of(ledger, key)->purged, bytes);
}

static bool raise_peak(const struct ledger *ledger, struct ledger_entry *entry)
{
	if (entry->outstanding <= entry->peak)
		return false;
	entry->peak = entry->outstanding;
	entry->peak_ns = ledger->now_ns;
	return true;
}

/* What is held is known now; a key may have been touched several times. */
static void raise_steps(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->touched_nr; i++)
		ledger_steps_raise(ledger->steps, ledger->touched[i],
				   ledger->keys[ledger->touched[i]].outstanding);
	if (ledger->touched_nr)
		ledger_steps_raise_whole(ledger->steps, ledger->now_ns, ledger->whole.outstanding);
}

void ledger_commit(struct ledger *ledger)
{
	if (ledger->steps)
		raise_steps(ledger);
	if (ledger->owners)
		ledger_owners_raise(ledger->owners);
	if (ledger_inside(ledger)) {
		for (size_t i = 0; i < ledger->touched_nr; i++)
			raise_peak(ledger, &ledger->keys[ledger->touched[i]]);
		for (size_t i = 0; i < ledger->touched_totals_nr; i++)
			raise_peak(ledger, &ledger->totals[ledger->touched_totals[i]]);
		if (raise_peak(ledger, &ledger->total))
			raise_epoch(ledger, LEDGER_OWN_PEAK, ledger_current_commit(ledger));
		if (raise_peak(ledger, &ledger->whole))
			raise_epoch(ledger, LEDGER_WHOLE_PEAK, ledger_current_commit(ledger));
	}
	ledger->touched_nr = 0;
	ledger->touched_totals_nr = 0;
	ledger->commits++;
}

void ledger_reach(struct ledger *ledger, size_t nr)
{
	if (!nr)
		return;
	ARRAY_REACH(ledger->keys, nr, ledger->keys_nr, ledger->keys_alloc);
	if (ledger->totals_nr)
		ARRAY_REACH(ledger->totals, nr, ledger->totals_nr, ledger->totals_alloc);
}

static void restart_peak(struct ledger *ledger, struct ledger_entry *entry)
{
	entry->peak = entry->outstanding;
	entry->peak_ns = ledger->now_ns;
}

void ledger_restart_peaks(struct ledger *ledger)
{
	restart_peak(ledger, &ledger->total);
	for (size_t i = 0; i < ledger->keys_nr; i++)
		restart_peak(ledger, &ledger->keys[i]);
	raise_epoch(ledger, LEDGER_OWN_PEAK, ledger->commits);
}

int64_t ledger_held_at_own_peak(const struct ledger *ledger, uint32_t key)
{
	return key < ledger->keys_nr ? held_at(ledger, &ledger->keys[key], LEDGER_OWN_PEAK) : 0;
}

void ledger_end(struct ledger *ledger)
{
	if (!ledger->at_done)
		keep_moment(ledger);
	if (!ledger->started)
		start(ledger);
	if (!ledger->ended)
		end(ledger);
}

void ledger_finish(struct ledger *ledger)
{
	ledger_end(ledger);
	for_each(ledger, take_peaks);
}

void ledger_entry_join(struct ledger_entry *entry, const struct ledger_entry *other)
{
	entry->size = wrap_add(entry->size, other->size);
	entry->count = wrap_add(entry->count, other->count);
	entry->freed = wrap_add(entry->freed, other->freed);
	entry->aifi = wrap_add(entry->aifi, other->aifi);
	entry->aofi = wrap_add(entry->aofi, other->aofi);
	entry->at_start = wrap_add(entry->at_start, other->at_start);
	entry->at_end = wrap_add(entry->at_end, other->at_end);
	entry->at = wrap_add(entry->at, other->at);
	entry->at_peak = wrap_add(entry->at_peak, other->at_peak);
	entry->at_own_peak = wrap_add(entry->at_own_peak, other->at_own_peak);
	entry->purged = wrap_add(entry->purged, other->purged);
	if (other->peak > entry->peak) {
		entry->peak = other->peak;
		entry->peak_ns = other->peak_ns;
	}
}

int64_t ledger_impacting(const struct ledger_entry *entry)
{
	return wrap_subtract(entry->at_end, entry->at_start);
}

int64_t ledger_aifo(const struct ledger_entry *entry)
{
	return wrap_subtract(entry->size, entry->aifi);
}

int64_t ledger_aofo(const struct ledger_entry *entry)
{
	return wrap_subtract(entry->at_start, entry->aofi);
}
