/*
 * Where memory was asked for: a stack at a place (group.h). Bytes of a site count in a ledger for its own key, and once for
 * each key that is anywhere on its stack: the totals of keys that frames have.
 *
 * If no key is that of frames, totals are what the keys have themselves, and a site is its key.
 */
#ifndef ANALYSIS_SITES_H
#define ANALYSIS_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "analysis/lifetime.h"
#include "model/machine.h"

struct sites;

/*
 * All is borrowed. With `lived` bytes count for the sum of all keys alone, until sites_lived() counts them for keys: see
 * ledger_key_lived().
 */
struct sites *sites_new(struct machine *machine, struct grouping *grouping, struct ledger *ledger,
			bool lived);
void sites_free(struct sites *sites); /* accepts NULL */

/* Whether keys have totals of their own, in ledger->totals. */
bool sites_have_totals(const struct grouping *grouping);

/* The site of a stack; GROUP_NONE: the filter leaves it out. */
uint32_t sites_find(struct sites *sites, uint32_t place, uint32_t stack);

/* The site of another stack at the place of `site`; GROUP_NONE: the filter leaves it out. */
uint32_t sites_find_beside(struct sites *sites, uint32_t site, uint32_t stack);

/* The key of a site. */
uint32_t sites_key(const struct sites *sites, uint32_t site);

/* As ledger_key_add(), ledger_key_remove() and ledger_key_purge(). */
void sites_add(struct sites *sites, uint32_t site, int64_t bytes, int64_t count);
void sites_remove(struct sites *sites, uint32_t site, int64_t bytes, bool inside);
void sites_purge(struct sites *sites, uint32_t site, int64_t bytes);

/* Bytes of a site ended: count them for its keys with this lifetime. Only of a grouping by lifetime. */
void sites_lived(struct sites *sites, uint32_t site, int64_t bytes, const struct ledger_life *life,
		 enum lifetime lifetime);

#endif
