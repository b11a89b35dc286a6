/*
 * What events say of the system and of images: those of the kernel's configuration, and those that are added when a trace is
 * merged. As etl_kernel.h.
 *
 * Format: SystemConfig_CPU of learn.microsoft.com; EventTrace's header extension as Geoff Chappell tells it; ImageID and
 * SysConfigEx of KernelTraceControl as microsoft/perfview (SymbolTraceEventParser) and snail-server read them.
 */
#ifndef TRACE_ETL_SYSTEM_H
#define TRACE_ETL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_payload.h"
#include "trace/etl/etl_record.h"

#define ETL_HEADER_EXTENSION     5 /* ETL_EVENT_TRACE */
#define ETL_HEADER_EXTENSION_END 32
#define ETL_CONFIG_CPU           10 /* ETL_SYSTEM_CONFIG */
#define ETL_CONFIG_DEVICE        22
#define ETL_EX_BUILD             32 /* ETL_SYS_CONFIG_EX */
#define ETL_EX_PATHS             33
#define ETL_EX_VOLUME            35
#define ETL_IMAGE_ID_INFO        0 /* ETL_IMAGE_ID */
#define ETL_IMAGE_ID_RSDS        36

#define ETL_MASK_VIRTUAL_ALLOC 0x4000u /* of the first mask */

/* Which kernel events were asked for. */
struct etl_extension {
	uint32_t masks[8];
};

bool etl_decode_extension(const struct etl_record *record, struct etl_extension *extension);

enum etl_architecture {
	ETL_X86 = 0,
	ETL_ARM = 5,
	ETL_AMD64 = 9,
	ETL_ARM64 = 12,
	ETL_ARCHITECTURE_UNKNOWN = 0xffff,
};

struct etl_cpu {
	uint32_t mhz, cpus, memory_mb, page_size;
	struct etl_text computer, domain;
	uint16_t architecture, level, revision; /* enum etl_architecture */
};

bool etl_decode_cpu(const struct etl_record *record, struct etl_cpu *cpu);

/* ETL_CONFIG_DEVICE of version 5 and on. */
struct etl_device {
	const unsigned char *class_guid; /* 16 bytes */
	struct etl_text id, description, name;
};

bool etl_decode_device(const struct etl_record *record, struct etl_device *device);

struct etl_build {
	uint64_t installed; /* seconds since 1970 */
	struct etl_text lab, product;
};

bool etl_decode_build(const struct etl_record *record, struct etl_build *build);

struct etl_system_paths {
	struct etl_text system, windows; /* C:\Windows\system32, C:\Windows\ */
};

bool etl_decode_system_paths(const struct etl_record *record, struct etl_system_paths *paths);

struct etl_volume {
	struct etl_text device, drive; /* \Device\HarddiskVolume2\, C:\ */
};

bool etl_decode_volume(const struct etl_record *record, struct etl_volume *volume);

/* ETL_IMAGE_ID_INFO. */
struct etl_image_info {
	uint64_t base, size; /* of the file */
	uint32_t pid, stamp;
	struct etl_text name;
};

bool etl_decode_image_info(const struct etl_record *record, struct etl_image_info *info);

/* ETL_IMAGE_ID_RSDS: which PDB an image has. */
struct etl_rsds {
	uint64_t base;
	uint32_t pid, age;
	const unsigned char *guid; /* 16 bytes */
	struct etl_text pdb;
};

bool etl_decode_rsds(const struct etl_record *record, struct etl_rsds *rsds);

#endif
