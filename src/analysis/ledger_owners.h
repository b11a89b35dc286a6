/*
 * What keys of a ledger held at the own peak of their owner, which has many keys: a process and a stack, and the crate of
 * the process. As with the peak of the build, an epoch begins at each new maximum of an owner, and the value of a key is
 * saved before it changes for the first time in one.
 */
#ifndef ANALYSIS_LEDGER_OWNERS_H
#define ANALYSIS_LEDGER_OWNERS_H

#include <stddef.h>
#include <stdint.h>

/* The owner of a key, a small number; asked once for each key. */
typedef uint32_t ledger_owner_fn(void *data, uint32_t key);

struct ledger_owners;

struct ledger_owners *ledger_owners_new(ledger_owner_fn *owner_of, void *data);
void ledger_owners_free(struct ledger_owners *owners); /* accepts NULL */

/* A key, which held `held` bytes, is about to change by `bytes`. */
void ledger_owners_change(struct ledger_owners *owners, uint32_t key, int64_t held, int64_t bytes);

/* After all changes of an event, which count as one: raise the peaks. */
void ledger_owners_raise(struct ledger_owners *owners);

/* What a key, which holds `held` bytes now, held at the first moment of its owner's highest peak. */
int64_t ledger_owners_at_peak(const struct ledger_owners *owners, uint32_t key, int64_t held);

#endif
