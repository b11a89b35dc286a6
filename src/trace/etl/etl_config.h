/*
 * What the events of SystemConfig say of the machine: processors, memory, disks, volumes, network cards, services, devices.
 *
 * Format: the MOF classes SystemConfig_* of the Windows SDK (wmicore.mof) and learn.microsoft.com, as far as real files
 * agree; versions that are not known are skipped.
 */
#ifndef TRACE_ETL_CONFIG_H
#define TRACE_ETL_CONFIG_H

#include <stdbool.h>

#include "model/system_facts.h"
#include "trace/etl/etl_record.h"

struct etl_config;

struct etl_config *etl_config_new(void);
void etl_config_free(struct etl_config *config);

/*
 * Take a record of ETL_SYSTEM_CONFIG or ETL_SYS_CONFIG_EX. False: it lacks a field that its version must have. Merged
 * files have a configuration several times: the first one counts.
 */
bool etl_config_add(struct etl_config *config, const struct etl_record *record);

/* Append the facts, by section. */
void etl_config_report(const struct etl_config *config, struct system_facts *facts);

#endif
