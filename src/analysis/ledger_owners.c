#include "analysis/ledger_owners.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

struct owner {
	int64_t outstanding, peak;
	uint64_t epochs; /* peaks so far */
	bool touched;    /* by the current event */
};

struct owned {
	uint32_t owner; /* plus one; 0: the key has not changed yet */
	uint64_t epoch; /* in which `bytes` was saved, from 1 */
	int64_t bytes;
};

struct ledger_owners {
	ledger_owner_fn *owner_of;
	void *data;
	struct owner *v;
	size_t nr, alloc;
	struct owned *keys;
	size_t keys_nr, keys_alloc;
	uint32_t *touched;
	size_t touched_nr, touched_alloc;
};

struct ledger_owners *ledger_owners_new(ledger_owner_fn *owner_of, void *data)
{
	struct ledger_owners *owners = xcalloc(1, sizeof(*owners));

	owners->owner_of = owner_of;
	owners->data = data;
	return owners;
}

void ledger_owners_free(struct ledger_owners *owners)
{
	if (!owners)
		return;
	free(owners->v);
	free(owners->keys);
	free(owners->touched);
	free(owners);
}

static struct owned *find_key(struct ledger_owners *owners, uint32_t key)
{
	struct owned *owned;

	ARRAY_REACH(owners->keys, (size_t)key + 1, owners->keys_nr, owners->keys_alloc);
	owned = &owners->keys[key];
	if (!owned->owner) {
		owned->owner = owners->owner_of(owners->data, key) + 1;
		ARRAY_REACH(owners->v, owned->owner, owners->nr, owners->alloc);
	}
	return owned;
}

void ledger_owners_change(struct ledger_owners *owners, uint32_t key, int64_t held, int64_t bytes)
{
	struct owned *owned = find_key(owners, key);
	struct owner *owner = &owners->v[owned->owner - 1];

	if (owned->epoch != owner->epochs + 1) {
		owned->epoch = owner->epochs + 1;
		owned->bytes = held;
	}
	wrap_add_to(&owner->outstanding, bytes);
	if (owner->touched)
		return;
	owner->touched = true;
	ARRAY_ADD(owners->touched, owners->touched_nr, owners->touched_alloc, owned->owner - 1);
}

void ledger_owners_raise(struct ledger_owners *owners)
{
	for (size_t i = 0; i < owners->touched_nr; i++) {
		struct owner *owner = &owners->v[owners->touched[i]];

		owner->touched = false;
		if (owner->outstanding <= owner->peak)
			continue;
		owner->peak = owner->outstanding;
		owner->epochs++;
	}
	owners->touched_nr = 0;
}

int64_t ledger_owners_at_peak(const struct ledger_owners *owners, uint32_t key, int64_t held)
{
	const struct owned *owned = key < owners->keys_nr ? &owners->keys[key] : NULL;

	if (!owned || !owned->owner)
		return 0;
	return owned->epoch == owners->v[owned->owner - 1].epochs + 1 ? owned->bytes : held;
}
