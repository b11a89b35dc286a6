/*
 * The call chains that were unwound from the stack copies of a trace, by copy. Chains with the same outer frames share
 * them.
 */
#ifndef TRACE_PERF_CHAINS_H
#define TRACE_PERF_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

struct perf_chains;

struct perf_chains *perf_chains_new(void);
void perf_chains_free(struct perf_chains *chains);

/*
 * Add the chain of a copy, leaf first; all addresses but the leaf's are return addresses. If the copy has one already, that
 * one is kept.
 */
void perf_chains_add(struct perf_chains *chains, uint64_t copy, const uint64_t *addresses,
		     size_t nr, enum stack_origin origin);

/* No more chains will be added: free what only that needs. */
void perf_chains_trim(struct perf_chains *chains);

/* The chain of a copy, leaf first, valid until the next call. False: it has none. */
bool perf_chains_get(struct perf_chains *chains, uint64_t copy, const uint64_t **addresses,
		     size_t *nr, enum stack_origin *origin);

#endif
