#include "trace/etl/etl_pdbs.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_system.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/strset.h"

#define GUID_BYTES 16
#define ID_BYTES   20

/* The images of a day of builds are a tenth of it. */
#define PLACES_MAX ((size_t)1 << 23)

_Static_assert(ID_BYTES <= MODULE_ID_MAX, "a GUID and an age fit");

struct pdb {
	uint8_t id[ID_BYTES];
	uint32_t path;
};

struct place {
	uint64_t base, time;
	uint32_t pid, pdb;
};

struct etl_pdbs {
	struct strset paths;
	struct strbuf scratch;
	struct pdb *v; /* each once */
	size_t nr, alloc;
	struct intmap numbers; /* by hash: plus one */
	struct place *places;
	size_t places_nr, places_alloc;
};

struct etl_pdbs *etl_pdbs_new(void)
{
	struct etl_pdbs *pdbs = xcalloc(1, sizeof(*pdbs));

	pdbs->paths = (struct strset)STRSET_INIT;
	pdbs->scratch = (struct strbuf)STRBUF_INIT;
	return pdbs;
}

void etl_pdbs_free(struct etl_pdbs *pdbs)
{
	if (!pdbs)
		return;
	strset_release(&pdbs->paths);
	strbuf_release(&pdbs->scratch);
	free(pdbs->v);
	intmap_release(&pdbs->numbers);
	free(pdbs->places);
	free(pdbs);
}

static uint32_t intern(struct etl_pdbs *pdbs, const struct pdb *pdb)
{
	uint64_t hash = fnv_add(fnv_add(FNV_FIRST, pdb->id, ID_BYTES), &pdb->path, 4);
	uintptr_t number;

	while ((number = (uintptr_t)intmap_get(&pdbs->numbers, (int64_t)hash))) {
		const struct pdb *known = &pdbs->v[number - 1];

		if (!memcmp(known->id, pdb->id, ID_BYTES) && known->path == pdb->path)
			return (uint32_t)number - 1;
		hash++;
	}
	ARRAY_GROW(pdbs->v, pdbs->nr + 1, pdbs->alloc);
	pdbs->v[pdbs->nr++] = *pdb;
	intmap_put(&pdbs->numbers, (int64_t)hash, (void *)pdbs->nr);
	return (uint32_t)pdbs->nr - 1;
}

bool etl_pdbs_add(struct etl_pdbs *pdbs, const struct etl_record *record)
{
	struct etl_rsds rsds;
	struct pdb pdb;

	if (pdbs->places_nr >= PLACES_MAX || !etl_decode_rsds(record, &rsds))
		return false;
	memcpy(pdb.id, rsds.guid, GUID_BYTES);
	for (size_t i = 0; i < ID_BYTES - GUID_BYTES; i++)
		pdb.id[GUID_BYTES + i] = (uint8_t)(rsds.age >> 8 * i);
	strbuf_clear(&pdbs->scratch);
	etl_text_add(&rsds.pdb, &pdbs->scratch);
	pdb.path = strset_add(&pdbs->paths, pdbs->scratch.buf);
	ARRAY_GROW(pdbs->places, pdbs->places_nr + 1, pdbs->places_alloc);
	pdbs->places[pdbs->places_nr++] =
		(struct place){ rsds.base, record->time, rsds.pid, intern(pdbs, &pdb) };
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_u64(x->pid, y->pid);

	if (!order)
		order = compare_u64(x->base, y->base);
	if (!order)
		order = compare_u64(x->time, y->time);
	return order ? order : compare_u64(x->pdb, y->pdb);
}

void etl_pdbs_make(struct etl_pdbs *pdbs)
{
	if (pdbs->places_nr)
		qsort(pdbs->places, pdbs->places_nr, sizeof(*pdbs->places), by_place);
}

uint32_t etl_pdbs_find(const struct etl_pdbs *pdbs, uint32_t pid, uint64_t base, uint64_t from,
		       uint64_t to)
{
	const struct place wanted = { base, from, pid, 0 };
	const struct place *place;
	size_t low;

	ARRAY_SEARCH(low, pdbs->places_nr, i, by_place(&pdbs->places[i], &wanted) < 0);
	if (low == pdbs->places_nr)
		return ETL_NO_PDB;
	place = &pdbs->places[low];
	return place->pid == pid && place->base == base && place->time <= to ? place->pdb
									     : ETL_NO_PDB;
}

/* Linkers make build ids of 8, 16 or 20 bytes; a converted trace has zeros behind short ones. */
static uint8_t build_id_length(const uint8_t *id)
{
	static const uint8_t none[ID_BYTES];

	if (!memcmp(id + 8, none, ID_BYTES - 8))
		return 8;
	return memcmp(id + 16, none, ID_BYTES - 16) ? ID_BYTES : 16;
}

void etl_pdbs_tell(const struct etl_pdbs *pdbs, uint32_t number, struct trace_map *map)
{
	const struct pdb *pdb;

	if (number == ETL_NO_PDB)
		return;
	pdb = &pdbs->v[number];
	memcpy(map->id, pdb->id, ID_BYTES);
	map->id_length = map->pe ? ID_BYTES : build_id_length(pdb->id);
	if (map->pe)
		map->debug_path = pdbs->paths.strings.v[pdb->path];
}
