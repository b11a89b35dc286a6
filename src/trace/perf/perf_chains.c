#include "trace/perf/perf_chains.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"

/* A node of a tree: an address and its caller's node. Node 0 is the root, which has no address. */
struct node {
	uint64_t address;
	uint32_t parent;
};

struct chain {
	uint64_t copy;
	uint32_t leaf;
	enum stack_origin origin;
};

struct perf_chains {
	struct node *nodes;
	size_t nodes_nr, nodes_alloc;
	struct hash_index node_index;
	struct chain *v;
	size_t nr, alloc;
	struct hash_index index; /* by copy */
	uint64_t *found;         /* the last result */
	size_t found_alloc;
};

struct perf_chains *perf_chains_new(void)
{
	struct perf_chains *chains = xcalloc(1, sizeof(*chains));

	ARRAY_ADD(chains->nodes, chains->nodes_nr, chains->nodes_alloc, (struct node){ 0, 0 });
	return chains;
}

void perf_chains_free(struct perf_chains *chains)
{
	if (!chains)
		return;
	free(chains->nodes);
	hash_index_release(&chains->node_index);
	free(chains->v);
	hash_index_release(&chains->index);
	free(chains->found);
	free(chains);
}

static uint32_t push(struct perf_chains *chains, uint32_t parent, uint64_t address)
{
	uint64_t key = address * 31 + parent;
	uint32_t at;

	HASH_INDEX_FIND(at, &chains->node_index, key, i,
			chains->nodes[i].address == address && chains->nodes[i].parent == parent);
	if (at != HASH_INDEX_NONE)
		return at;
	at = (uint32_t)chains->nodes_nr;
	ARRAY_ADD(chains->nodes, chains->nodes_nr, chains->nodes_alloc,
		  (struct node){ address, parent });
	hash_index_add(&chains->node_index, key, at);
	return at;
}

static uint32_t find(const struct perf_chains *chains, uint64_t copy)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &chains->index, copy, i, chains->v[i].copy == copy);
	return at;
}

void perf_chains_add(struct perf_chains *chains, uint64_t copy, const uint64_t *addresses,
		     size_t nr, enum stack_origin origin)
{
	struct chain chain = { copy, 0, origin };

	if (find(chains, copy) != HASH_INDEX_NONE)
		return;
	while (nr-- > 0)
		chain.leaf = push(chains, chain.leaf, addresses[nr]);
	hash_index_add(&chains->index, copy, (uint32_t)chains->nr);
	ARRAY_ADD(chains->v, chains->nr, chains->alloc, chain);
}

void perf_chains_trim(struct perf_chains *chains)
{
	hash_index_release(&chains->node_index);
}

bool perf_chains_get(struct perf_chains *chains, uint64_t copy, const uint64_t **addresses,
		     size_t *nr, enum stack_origin *origin)
{
	uint32_t at = find(chains, copy);

	if (at == HASH_INDEX_NONE)
		return false;
	*nr = 0;
	*origin = chains->v[at].origin;
	for (uint32_t i = chains->v[at].leaf; i; i = chains->nodes[i].parent)
		ARRAY_ADD(chains->found, *nr, chains->found_alloc, chains->nodes[i].address);
	*addresses = chains->found;
	return true;
}
