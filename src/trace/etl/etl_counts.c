#include "trace/etl/etl_counts.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_record.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/key_hash.h"

#define PROVIDERS  (ETL_KERNEL_MEMORY + 1)
#define OPCODES    256
#define GROUPS     256
#define GUID_BYTES 16

/* A system has a few thousand providers; a damaged file may have any number. */
#define OTHERS_MAX ((size_t)1 << 16)

/* An event of a provider outside the kernel. */
struct other {
	unsigned char guid[GUID_BYTES]; /* zeros: a message without a GUID */
	uint16_t id;
	bool message;
	uint64_t nr;
};

struct etl_counts {
	uint64_t known[PROVIDERS][OPCODES];
	uint64_t groups[GROUPS][OPCODES]; /* kernel events of unknown providers */
	bool in_group[GROUPS];            /* most have none */
	struct other *others;
	size_t others_nr, others_alloc;
	struct hash_index index;
	uint64_t uncounted; /* events beyond OTHERS_MAX */
};

static const struct {
	enum etl_provider provider;
	uint8_t opcode;
	const char *name;
} names[] = {
	{ ETL_EVENT_TRACE, 0, "Header" },
	{ ETL_EVENT_TRACE, 5, "Extension" },
	{ ETL_EVENT_TRACE, 8, "RundownComplete" },
	{ ETL_EVENT_TRACE, 32, "EndExtension" },
	{ ETL_EVENT_TRACE, 64, "DebugId" },
	{ ETL_EVENT_TRACE, 66, "BuildLab" },
	{ ETL_EVENT_TRACE, 80, "PartitionInfo" },
	{ ETL_PAGE_FAULT, 10, "TransitionFault" },
	{ ETL_PAGE_FAULT, 11, "DemandZeroFault" },
	{ ETL_PAGE_FAULT, 12, "CopyOnWrite" },
	{ ETL_PAGE_FAULT, 13, "GuardPageFault" },
	{ ETL_PAGE_FAULT, 14, "HardPageFault" },
	{ ETL_PAGE_FAULT, 15, "AccessViolation" },
	{ ETL_PAGE_FAULT, 32, "HardFault" },
	{ ETL_PAGE_FAULT, 98, "VirtualAlloc" },
	{ ETL_PAGE_FAULT, 99, "VirtualFree" },
	{ ETL_PAGE_FAULT, 112, "MemInfo" },
	{ ETL_PAGE_FAULT, 125, "MemInfoWS" },
	{ ETL_PAGE_FAULT, 126, "MemInfoSessionWS" },
	{ ETL_PAGE_FAULT, 128, "VirtualAllocDCStart" },
	{ ETL_PAGE_FAULT, 129, "VirtualAllocDCEnd" },
	{ ETL_PROCESS, 1, "Start" },
	{ ETL_PROCESS, 2, "End" },
	{ ETL_PROCESS, 3, "DCStart" },
	{ ETL_PROCESS, 4, "DCEnd" },
	{ ETL_PROCESS, 10, "ImageLoad" },
	{ ETL_PROCESS, 11, "Terminate" },
	{ ETL_PROCESS, 32, "PerfCtr" },
	{ ETL_PROCESS, 33, "PerfCtrRundown" },
	{ ETL_PROCESS, 39, "Defunct" },
	{ ETL_FILE_IO, 0, "Name" },
	{ ETL_FILE_IO, 32, "FileCreate" },
	{ ETL_FILE_IO, 35, "FileDelete" },
	{ ETL_FILE_IO, 36, "FileRundown" },
	{ ETL_THREAD, 1, "Start" },
	{ ETL_THREAD, 2, "End" },
	{ ETL_THREAD, 3, "DCStart" },
	{ ETL_THREAD, 4, "DCEnd" },
	{ ETL_THREAD, 36, "CSwitch" },
	{ ETL_THREAD, 37, "CompactCSwitch" },
	{ ETL_THREAD, 50, "ReadyThread" },
	{ ETL_THREAD, 72, "SetName" },
	{ ETL_SYSTEM_CONFIG, 10, "CPU" },
	{ ETL_SYSTEM_CONFIG, 11, "PhysicalDisk" },
	{ ETL_SYSTEM_CONFIG, 12, "LogicalDisk" },
	{ ETL_SYSTEM_CONFIG, 13, "NIC" },
	{ ETL_SYSTEM_CONFIG, 14, "Video" },
	{ ETL_SYSTEM_CONFIG, 15, "Services" },
	{ ETL_SYSTEM_CONFIG, 16, "Power" },
	{ ETL_SYSTEM_CONFIG, 17, "Network" },
	{ ETL_SYSTEM_CONFIG, 18, "OpticalDisk" },
	{ ETL_SYSTEM_CONFIG, 21, "IRQ" },
	{ ETL_SYSTEM_CONFIG, 22, "PnP" },
	{ ETL_SYSTEM_CONFIG, 23, "IDEChannel" },
	{ ETL_SYSTEM_CONFIG, 25, "Platform" },
	{ ETL_SYSTEM_CONFIG, 28, "DPI" },
	{ ETL_PERF_INFO, 34, "Mark" },
	{ ETL_PERF_INFO, 46, "SampledProfile" },
	{ ETL_PERF_INFO, 47, "PmcSample" },
	{ ETL_PERF_INFO, 48, "PmcSourceNames" },
	{ ETL_PERF_INFO, 51, "SysCallEnter" },
	{ ETL_PERF_INFO, 52, "SysCallExit" },
	{ ETL_PERF_INFO, 72, "SetInterval" },
	{ ETL_PERF_INFO, 73, "CollectionStart" },
	{ ETL_PERF_INFO, 74, "CollectionEnd" },
	{ ETL_HEAP, 32, "Create" },
	{ ETL_HEAP, 33, "Alloc" },
	{ ETL_HEAP, 34, "ReAlloc" },
	{ ETL_HEAP, 35, "Destroy" },
	{ ETL_HEAP, 36, "Free" },
	{ ETL_HEAP, 37, "Extend" },
	{ ETL_HEAP, 38, "Snapshot" },
	{ ETL_HEAP, 42, "Contract" },
	{ ETL_IMAGE, 2, "Unload" },
	{ ETL_IMAGE, 3, "DCStart" },
	{ ETL_IMAGE, 4, "DCEnd" },
	{ ETL_IMAGE, 10, "Load" },
	{ ETL_IMAGE, 33, "KernelBase" },
	{ ETL_IMAGE, 34, "HypercallPage" },
	{ ETL_STACK_WALK, 32, "Stack" },
	{ ETL_STACK_WALK, 34, "KeyCreate" },
	{ ETL_STACK_WALK, 35, "KeyDelete" },
	{ ETL_STACK_WALK, 36, "KeyRundown" },
	{ ETL_STACK_WALK, 37, "KernelKey" },
	{ ETL_STACK_WALK, 38, "UserKey" },
	{ ETL_IMAGE_ID, 0, "Info" },
	{ ETL_IMAGE_ID, 36, "RSDS" },
	{ ETL_IMAGE_ID, 64, "FileVersion" },
	{ ETL_SYS_CONFIG_EX, 32, "BuildInfo" },
	{ ETL_SYS_CONFIG_EX, 33, "SystemPaths" },
	{ ETL_SYS_CONFIG_EX, 34, "UnknownVolume" },
	{ ETL_SYS_CONFIG_EX, 35, "VolumeMapping" },
	{ ETL_HEAP_SNAPSHOT, 100, "Buffer" },
	{ ETL_HEAP_SNAPSHOT, 200, "Complete" },
	{ ETL_KERNEL_MEMORY, 1, "MemInfo" },
};

/* Kernel groups that have no enum etl_provider. */
#define DISK_IO 1
#define TCP_IP  6
#define UDP_IP  8

static const struct {
	uint8_t group;
	const char *name;
} groups[] = {
	{ DISK_IO, "DiskIo" }, { TCP_IP, "TcpIp" }, { UDP_IP, "UdpIp" },
	{ 14, "Pool" },        { 17, "Object" },    { 18, "Power" },
};

/* The classes DiskIo, TcpIp and UdpIp of learn.microsoft.com. */
static const struct {
	uint8_t group, opcode;
	const char *name;
} group_names[] = {
	{ DISK_IO, 10, "Read" },
	{ DISK_IO, 11, "Write" },
	{ DISK_IO, 12, "ReadInit" },
	{ DISK_IO, 13, "WriteInit" },
	{ DISK_IO, 14, "FlushBuffers" },
	{ DISK_IO, 15, "FlushInit" },
	{ DISK_IO, 34, "DriverMajorFunctionCall" },
	{ DISK_IO, 35, "DriverMajorFunctionReturn" },
	{ DISK_IO, 37, "DriverCompletionRoutine" },
	{ DISK_IO, 52, "DriverCompleteRequest" },
	{ DISK_IO, 53, "DriverCompleteRequestReturn" },
	{ TCP_IP, 10, "Send" },
	{ TCP_IP, 11, "Recv" },
	{ TCP_IP, 12, "Connect" },
	{ TCP_IP, 13, "Disconnect" },
	{ TCP_IP, 14, "Retransmit" },
	{ TCP_IP, 15, "Accept" },
	{ TCP_IP, 16, "Reconnect" },
	{ TCP_IP, 17, "Fail" },
	{ TCP_IP, 18, "TCPCopy" },
	{ TCP_IP, 19, "ARPCopy" },
	{ TCP_IP, 20, "FullACK" },
	{ TCP_IP, 21, "PartACK" },
	{ TCP_IP, 22, "DupACK" },
	{ TCP_IP, 26, "SendIPV6" },
	{ TCP_IP, 27, "RecvIPV6" },
	{ TCP_IP, 28, "ConnectIPV6" },
	{ TCP_IP, 29, "DisconnectIPV6" },
	{ TCP_IP, 30, "RetransmitIPV6" },
	{ TCP_IP, 31, "AcceptIPV6" },
	{ TCP_IP, 32, "ReconnectIPV6" },
	{ TCP_IP, 34, "TCPCopyIPV6" },
	{ UDP_IP, 10, "Send" },
	{ UDP_IP, 11, "Recv" },
	{ UDP_IP, 17, "Fail" },
	{ UDP_IP, 26, "SendIPV6" },
	{ UDP_IP, 27, "RecvIPV6" },
};

struct etl_counts *etl_counts_new(void)
{
	return xcalloc(1, sizeof(struct etl_counts));
}

void etl_counts_free(struct etl_counts *counts)
{
	if (!counts)
		return;
	free(counts->others);
	hash_index_release(&counts->index);
	free(counts);
}

static bool is_other(const struct other *other, const struct other *key)
{
	return !memcmp(other->guid, key->guid, GUID_BYTES) && other->id == key->id &&
	       other->message == key->message;
}

static void add_other(struct etl_counts *counts, const struct etl_record *record)
{
	struct other key = { .message = record->kind == ETL_MESSAGE };
	uint32_t at;
	uint64_t hash;

	if (record->guid)
		memcpy(key.guid, record->guid, GUID_BYTES);
	key.id = record->kind == ETL_EVENT || key.message ? record->id : record->opcode;
	hash = key_hash_add(key_hash_add(key_hash_first(), key.guid, GUID_BYTES), &key.id, 2);
	HASH_INDEX_FIND(at, &counts->index, hash, i, is_other(&counts->others[i], &key));
	if (at == HASH_INDEX_NONE) {
		if (counts->others_nr == OTHERS_MAX) {
			counts->uncounted++;
			return;
		}
		ARRAY_GROW(counts->others, counts->others_nr + 1, counts->others_alloc);
		at = (uint32_t)counts->others_nr++;
		counts->others[at] = key;
		hash_index_add(&counts->index, hash, at);
	}
	counts->others[at].nr++;
}

/* Of a kernel event of an unknown provider. */
static void count_in_group(struct etl_counts *counts, uint8_t group, uint8_t opcode)
{
	counts->in_group[group] = true;
	counts->groups[group][opcode]++;
}

void etl_counts_add(struct etl_counts *counts, const struct etl_record *record)
{
	if (record->provider != ETL_OTHER && record->provider < PROVIDERS &&
	    (record->kind != ETL_EVENT || record->id < OPCODES))
		counts->known[record->provider]
			     [record->kind == ETL_EVENT ? record->id : record->opcode]++;
	else if (!record->guid && record->kind != ETL_MESSAGE)
		count_in_group(counts, record->group, record->opcode);
	else
		add_other(counts, record);
}

void etl_counts_add_kernel(struct etl_counts *counts, uint8_t group, uint8_t opcode)
{
	enum etl_provider provider = etl_provider_of_group(group);

	if (provider != ETL_OTHER)
		counts->known[provider][opcode]++;
	else
		count_in_group(counts, group, opcode);
}

uint64_t etl_counts_get(const struct etl_counts *counts, enum etl_provider provider, uint8_t opcode)
{
	return counts->known[provider][opcode];
}

static char *name_of(enum etl_provider provider, uint8_t opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].provider == provider && names[i].opcode == opcode)
			return xasprintf("%s/%s", etl_provider_name(provider), names[i].name);
	}
	return xasprintf("%s/%u", etl_provider_name(provider), (unsigned)opcode);
}

/* NULL: it has none. */
static const char *name_in_group(unsigned group, unsigned opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(group_names); i++) {
		if (group_names[i].group == group && group_names[i].opcode == opcode)
			return group_names[i].name;
	}
	return NULL;
}

static char *name_of_group(unsigned group, unsigned opcode)
{
	const char *name = name_in_group(group, opcode);

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i].group != group)
			continue;
		return name ? xasprintf("%s/%s", groups[i].name, name)
			    : xasprintf("%s/%u", groups[i].name, opcode);
	}
	return xasprintf("kernel group %u/%u", group, opcode);
}

static char *name_of_other(const struct other *other)
{
	const unsigned char *g = other->guid;

	return xasprintf("{%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}/%s%u",
			 (unsigned long)le_get32(g), le_get16(g + 4), le_get16(g + 6), g[8], g[9],
			 g[10], g[11], g[12], g[13], g[14], g[15], other->message ? "message " : "",
			 other->id);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct trace_event_count *)a)->name,
		      ((const struct trace_event_count *)b)->name);
}

static void report_others(const struct etl_counts *counts, struct trace_facts *facts)
{
	size_t first = facts->counts_nr;

	for (size_t i = 0; i < counts->others_nr; i++)
		trace_facts_add_count(facts, name_of_other(&counts->others[i]),
				      counts->others[i].nr, false);
	if (counts->others_nr)
		qsort(&facts->counts[first], counts->others_nr, sizeof(*facts->counts), by_name);
	if (counts->uncounted)
		trace_facts_add_count(facts, xstrdup("of other providers"), counts->uncounted,
				      false);
}

static void report_group(const struct etl_counts *counts, unsigned group, struct trace_facts *facts)
{
	for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
		uint64_t nr = counts->groups[group][opcode];

		if (nr)
			trace_facts_add_count(facts, name_of_group(group, opcode), nr, false);
	}
}

void etl_counts_report(const struct etl_counts *counts, struct trace_facts *facts)
{
	for (unsigned i = 0; i < PROVIDERS * OPCODES; i++) {
		uint64_t nr = counts->known[i / OPCODES][i % OPCODES];

		if (nr)
			trace_facts_add_count(facts,
					      name_of((enum etl_provider)(i / OPCODES), (uint8_t)i),
					      nr, false);
	}
	for (unsigned group = 0; group < GROUPS; group++) {
		if (counts->in_group[group])
			report_group(counts, group, facts);
	}
	report_others(counts, facts);
}
