/*
 * Which PDB each image has.
 */
#ifndef TRACE_ETL_PDBS_H
#define TRACE_ETL_PDBS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/etl/etl_record.h"

#define ETL_NO_PDB UINT32_MAX

struct etl_pdbs;

struct etl_pdbs *etl_pdbs_new(void);
void etl_pdbs_free(struct etl_pdbs *pdbs);

/* A record of ETL_IMAGE_ID_RSDS; false: it is not what it must be, or there are too many. */
bool etl_pdbs_add(struct etl_pdbs *pdbs, const struct etl_record *record);

/* All are in. */
void etl_pdbs_make(struct etl_pdbs *pdbs);

/* The number of the first that is told of the image at an address of a process between two times; ETL_NO_PDB. */
uint32_t etl_pdbs_find(const struct etl_pdbs *pdbs, uint32_t pid, uint64_t base, uint64_t from,
		       uint64_t to);

/* Id, of 16 bytes GUID and 4 bytes age, and path of the PDB; of what is no PE image its build id. */
void etl_pdbs_tell(const struct etl_pdbs *pdbs, uint32_t number, struct trace_map *map);

#endif
