#include "trace/etl/etl_config.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "trace/etl/etl_kernel.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/key_hash.h"
#include "util/text.h"

/* A longer text is cut: a damaged file may have thousands of 64 KB. */
#define TEXT_MAX 1024

struct etl_config {
	struct system_facts facts;
	uint64_t *items; /* hashes of what is known */
	size_t items_nr, items_alloc;
	struct hash_index index;

	/* Of the record at hand. */
	uint8_t opcode, version;
	const char *section;
	struct strbuf item; /* what its facts are about; empty: the section has only one */
	struct strbuf key, text;
};

struct etl_config *etl_config_new(void)
{
	struct etl_config *config = xcalloc(1, sizeof(*config));

	*config =
		(struct etl_config){ .item = STRBUF_INIT, .key = STRBUF_INIT, .text = STRBUF_INIT };
	return config;
}

void etl_config_free(struct etl_config *config)
{
	if (!config)
		return;
	system_facts_release(&config->facts);
	free(config->items);
	hash_index_release(&config->index);
	strbuf_release(&config->item);
	strbuf_release(&config->key);
	strbuf_release(&config->text);
	free(config);
}

/* Whether facts about this item are new; call it once for each item of a record. */
static bool begin(struct etl_config *config, const char *section)
{
	uint64_t hash = key_hash_add(key_hash_add(key_hash_first(), &config->opcode, 1), section,
				     strlen(section));
	uint32_t at;

	config->section = section;
	hash = key_hash_add(hash, config->item.buf, config->item.len);
	HASH_INDEX_FIND(at, &config->index, hash, i, config->items[i] == hash);
	if (at != HASH_INDEX_NONE || config->items_nr >= SYSTEM_FACTS_MAX)
		return false;
	hash_index_add(&config->index, hash, (uint32_t)config->items_nr);
	ARRAY_ADD(config->items, config->items_nr, config->items_alloc, hash);
	return true;
}

static bool begin_only(struct etl_config *config, const char *section)
{
	strbuf_clear(&config->item);
	return begin(config, section);
}

static bool begin_number(struct etl_config *config, const char *section, const char *what,
			 uint32_t number)
{
	strbuf_clear(&config->item);
	strbuf_addf(&config->item, "%s%lu", what, (unsigned long)number);
	return begin(config, section);
}

/* Without blanks around it, as drives and processors have them. */
static const char *text_of(struct etl_config *config, const struct etl_text *text)
{
	struct strbuf *sb = &config->text;
	size_t first;

	strbuf_clear(sb);
	etl_text_add(text, sb);
	if (sb->len > TEXT_MAX) {
		size_t len = TEXT_MAX;

		while (len && ((unsigned char)sb->buf[len] & 0xc0) == 0x80)
			len--;
		strbuf_set_len(sb, len);
	}
	while (sb->len && sb->buf[sb->len - 1] == ' ')
		strbuf_set_len(sb, sb->len - 1);
	first = strspn(sb->buf, " ");
	return sb->buf + first;
}

static const char *key_of(struct etl_config *config, const char *name)
{
	strbuf_clear(&config->key);
	strbuf_addf(&config->key, "%s%s%s", config->item.buf, config->item.len && *name ? " " : "",
		    name);
	return config->key.buf;
}

static void put(struct etl_config *config, const char *name, const char *text)
{
	if (*text)
		system_facts_add(&config->facts, config->section, key_of(config, name), text);
}

static void put_text(struct etl_config *config, const char *name, struct etl_text text)
{
	put(config, name, text_of(config, &text));
}

/* Numbers that are too large for a table are damage, and left out. */
static void put_number(struct etl_config *config, const char *name, uint64_t number)
{
	if (number <= INT64_MAX)
		system_facts_add_number(&config->facts, config->section, key_of(config, name),
					(int64_t)number);
}

static void put_product(struct etl_config *config, const char *name, uint64_t a, uint64_t b)
{
	if (!b || a <= INT64_MAX / b)
		put_number(config, name, a * b);
}

static void put_flag(struct etl_config *config, const char *name, bool flag)
{
	put(config, name, flag ? "yes" : "no");
}

/* Append a text to a list with ", " between. */
static void list_add(struct strbuf *list, const char *text)
{
	if (*text)
		strbuf_addf(list, "%s%s", list->len ? ", " : "", text);
}

static void put_list(struct etl_config *config, const char *name, struct strbuf *list)
{
	put(config, name, list->buf);
	strbuf_release(list);
}

static const char *architecture_of(uint16_t architecture)
{
	switch (architecture) {
	case ETL_X86:
		return "x86";
	case ETL_ARM:
		return "ARM";
	case ETL_AMD64:
		return "AMD64";
	case ETL_ARM64:
		return "ARM64";
	default:
		return "";
	}
}

static void take_cpu(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload)
{
	struct etl_cpu cpu;
	uint32_t granularity, memory_mhz = 0;

	if (!etl_decode_cpu(record, &cpu)) {
		payload->truncated = true;
		return;
	}
	etl_take(payload, 16);
	granularity = etl_take32(payload);
	if (config->version >= 3) {
		/* Names, two pointers, architecture, level, revision, two flags. */
		etl_take(payload, 512 + 268 + 2u * payload->pointer + 8);
		memory_mhz = payload->nr >= 4 ? etl_take32(payload) : 0;
	}
	if (payload->truncated)
		return;
	if (begin_only(config, "processors")) {
		put_number(config, "count", cpu.cpus);
		put_number(config, "mhz", cpu.mhz);
		put(config, "architecture", architecture_of(cpu.architecture));
	}
	if (begin_only(config, "memory")) {
		put_product(config, "installed_bytes", cpu.memory_mb, 1 << 20);
		if (memory_mhz)
			put_number(config, "mhz", memory_mhz);
		put_number(config, "page_bytes", cpu.page_size);
		put_number(config, "allocation_granularity_bytes", granularity);
	}
	if (begin_only(config, "computer")) {
		put_text(config, "name", cpu.computer);
		put_text(config, "domain", cpu.domain);
	}
}

static void take_processor(struct etl_config *config, const struct etl_record *record,
			   struct etl_payload *payload)
{
	uint32_t number = etl_take32(payload), mhz;
	struct etl_text name, identifier, vendor;
	struct strbuf all = STRBUF_INIT;

	(void)record;
	etl_take32(payload); /* features */
	mhz = etl_take32(payload);
	name = etl_take_wide_field(payload, 128);
	identifier = etl_take_wide_field(payload, 256);
	vendor = etl_take_wide_field(payload, 32);
	if (payload->truncated || !begin_number(config, "processors", "processor ", number))
		return;
	list_add(&all, text_of(config, &name));
	list_add(&all, text_of(config, &identifier));
	list_add(&all, text_of(config, &vendor));
	if (mhz)
		strbuf_addf(&all, "%s%lu MHz", all.len ? ", " : "", (unsigned long)mhz);
	put_list(config, "", &all);
}

static void take_disk(struct etl_config *config, const struct etl_record *record,
		      struct etl_payload *payload)
{
	uint32_t disk = etl_take32(payload), sector = etl_take32(payload), partitions;
	uint64_t sectors = etl_take32(payload), tracks = etl_take32(payload);
	uint64_t cylinders = etl_take64(payload);
	struct etl_text model, letter;
	uint8_t cache;

	(void)record;
	etl_take(payload, 16); /* port, path, target, unit */
	model = etl_take_wide_field(payload, 512);
	partitions = etl_take32(payload);
	cache = etl_take8(payload);
	etl_take8(payload);
	letter = etl_take_wide_field(payload, 6);
	if (payload->truncated || !begin_number(config, "disks", "disk ", disk))
		return;
	put_text(config, "model", model);
	if (sectors && tracks && cylinders <= UINT64_MAX / sectors / tracks)
		put_product(config, "size_bytes", cylinders * sectors * tracks, sector);
	put_number(config, "sector_bytes", sector);
	put_number(config, "partitions", partitions);
	put_flag(config, "write_cache", cache);
	put_text(config, "boot_drive", letter);
}

static const char *kind_of_volume(uint32_t type)
{
	static const char *const kinds[] = { "", "partition", "volume", "extended partition" };

	return type < ARRAY_SIZE(kinds) ? kinds[type] : "";
}

static void take_volume(struct etl_config *config, const struct etl_record *record,
			struct etl_payload *payload)
{
	uint64_t bytes, free_clusters, clusters, cluster;
	uint32_t disk, type, partition, extent;
	struct etl_text letter, file_system;

	(void)record;
	etl_take64(payload); /* start */
	bytes = etl_take64(payload);
	disk = etl_take32(payload);
	etl_take32(payload);
	type = etl_take32(payload);
	letter = etl_take_wide_field(payload, 8);
	etl_take32(payload);
	partition = etl_take32(payload);
	cluster = etl_take32(payload);
	cluster *= etl_take32(payload);
	etl_take32(payload);
	free_clusters = etl_take64(payload);
	clusters = etl_take64(payload);
	file_system = etl_take_wide_field(payload, 32);
	extent = etl_take32(payload);
	if (payload->truncated)
		return;
	strbuf_clear(&config->item);
	strbuf_adds(&config->item, text_of(config, &letter));
	if (!config->item.len)
		strbuf_addf(&config->item, "disk %lu partition %lu", (unsigned long)disk,
			    (unsigned long)partition);
	if (extent)
		strbuf_addf(&config->item, " extent %lu", (unsigned long)extent);
	if (!begin(config, "volumes"))
		return;
	put(config, "kind", kind_of_volume(type));
	put_text(config, "file_system", file_system);
	put_number(config, "size_bytes", bytes);
	put_product(config, "capacity_bytes", clusters, cluster);
	put_product(config, "free_bytes", free_clusters, cluster);
	put_number(config, "cluster_bytes", cluster);
	put_number(config, "disk", disk);
	put_number(config, "partition", partition);
}

static void take_optical(struct etl_config *config, const struct etl_record *record,
			 struct etl_payload *payload)
{
	uint32_t disk = etl_take16(payload);
	struct etl_text letter, device, maker;
	struct strbuf name = STRBUF_INIT;

	(void)record;
	etl_take(payload, 6 + 40 + 12 + 4);
	letter = etl_take_wide(payload);
	etl_take_wide(payload); /* file system */
	device = etl_take_text(payload);
	maker = etl_take_text(payload);
	if (payload->truncated || !begin_number(config, "disks", "optical ", disk))
		return;
	list_add(&name, text_of(config, &maker));
	list_add(&name, text_of(config, &device));
	put_list(config, "model", &name);
	put_text(config, "drive", letter);
}

static void put_mac(struct etl_config *config, const unsigned char *mac, uint32_t nr)
{
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 0; i < nr && i < 8; i++)
		strbuf_addf(&text, "%s%02x", i ? ":" : "", mac[i]);
	put_list(config, "mac", &text);
}

/* "a;b;" as "a, b". */
static void put_addresses(struct etl_config *config, const char *name, struct etl_text text)
{
	struct strbuf list = STRBUF_INIT;
	const char *s = text_of(config, &text);

	while (*s) {
		size_t len = strcspn(s, ";");

		if (len) {
			strbuf_adds(&list, list.len ? ", " : "");
			strbuf_add(&list, s, len);
		}
		s += len + (s[len] == ';');
	}
	put_list(config, name, &list);
}

static void take_network(struct etl_config *config, const struct etl_record *record,
			 struct etl_payload *payload)
{
	const unsigned char *mac = etl_take(payload, 8);
	uint32_t mac_nr = etl_take32(payload), ipv4 = etl_take32(payload);
	uint32_t ipv6 = etl_take32(payload);
	struct etl_text description = etl_take_wide(payload), addresses = etl_take_wide(payload);
	struct etl_text dns = etl_take_wide(payload);

	(void)record;
	if (payload->truncated ||
	    !begin_number(config, "network", "interface ", ipv4 ? ipv4 : ipv6))
		return;
	put_text(config, "description", description);
	put_mac(config, mac, mac_nr);
	put_addresses(config, "addresses", addresses);
	put_addresses(config, "dns", dns);
}

static void take_video(struct etl_config *config, const struct etl_record *record,
		       struct etl_payload *payload)
{
	uint32_t memory = etl_take32(payload), x = etl_take32(payload), y = etl_take32(payload);
	uint32_t bits = etl_take32(payload), refresh = etl_take32(payload);
	struct etl_text chip = etl_take_wide_field(payload, 512);
	struct etl_text adapter, device;

	(void)record;
	etl_take(payload, 512); /* DAC */
	adapter = etl_take_wide_field(payload, 512);
	etl_take(payload, 512); /* BIOS */
	device = etl_take_wide_field(payload, 512);
	if (payload->truncated)
		return;
	strbuf_clear(&config->item);
	strbuf_adds(&config->item, text_of(config, &device));
	if (!begin(config, "video"))
		return;
	put_text(config, "adapter", adapter);
	put_text(config, "chip", chip);
	put_number(config, "memory_bytes", memory);
	if (x && y) {
		struct strbuf mode = STRBUF_INIT;

		strbuf_addf(&mode, "%lu x %lu, %lu bits, %lu Hz", (unsigned long)x,
			    (unsigned long)y, (unsigned long)bits, (unsigned long)refresh);
		put_list(config, "mode", &mode);
	}
}

static const char *state_of(uint32_t state)
{
	/* SERVICE_STOPPED and so on, winsvc.h. */
	static const char *const states[] = { "",        "stopped",  "starting", "stopping",
					      "running", "resuming", "pausing",  "paused" };

	return state < ARRAY_SIZE(states) ? states[state] : "";
}

static void take_service(struct etl_config *config, const struct etl_record *record,
			 struct etl_payload *payload)
{
	uint32_t pid = etl_take32(payload), state = etl_take32(payload);
	struct etl_text name, display, process;
	struct strbuf all = STRBUF_INIT;

	(void)record;
	etl_take32(payload); /* tag */
	name = etl_take_wide(payload);
	display = etl_take_wide(payload);
	process = etl_take_wide(payload);
	if (payload->truncated)
		return;
	strbuf_clear(&config->item);
	strbuf_adds(&config->item, text_of(config, &name));
	if (!begin(config, "services"))
		return;
	list_add(&all, state_of(state));
	if (pid)
		strbuf_addf(&all, " in %s (%lu)", text_of(config, &process), (unsigned long)pid);
	list_add(&all, text_of(config, &display));
	put_list(config, "", &all);
}

static void take_power(struct etl_config *config, const struct etl_record *record,
		       struct etl_payload *payload)
{
	const unsigned char *states = etl_take(payload, 6);
	struct strbuf list = STRBUF_INIT;

	(void)record;
	if (payload->truncated || !begin_only(config, "power"))
		return;
	for (int i = 0; i < 5; i++) {
		const char name[] = { 'S', (char)('1' + i), 0 };

		if (states[i])
			list_add(&list, name);
	}
	put_list(config, "sleep_states", &list);
	put_flag(config, "modern_standby", states[5]);
}

static void take_tcp(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload)
{
	uint32_t partitions = etl_take32(payload), port, wait;

	(void)record;
	etl_take32(payload); /* size of a hash table; often -1 */
	port = etl_take32(payload);
	wait = etl_take32(payload);
	if (payload->truncated || !begin_only(config, "network"))
		return;
	put_number(config, "tcp_partitions", partitions);
	put_number(config, "max_user_port", port);
	put_number(config, "tcp_timed_wait_seconds", wait);
}

static void take_irq(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload)
{
	struct etl_text device;
	uint32_t irq;

	(void)record;
	etl_take(payload, config->version >= 3 ? 12 : 8); /* affinity, group */
	irq = etl_take32(payload);
	etl_take32(payload); /* length of the text */
	device = etl_take_wide(payload);
	if (payload->truncated)
		return;
	strbuf_clear(&config->item);
	strbuf_addf(&config->item, "irq %lu: ", (unsigned long)irq);
	strbuf_adds(&config->item, text_of(config, &device));
	if (!begin(config, "interrupts"))
		return;
	strbuf_set_len(&config->item, strcspn(config->item.buf, ":"));
	put_text(config, "", device);
}

static void take_device(struct etl_config *config, const struct etl_record *record,
			struct etl_payload *payload)
{
	struct etl_text id, description, name, service;
	struct strbuf all = STRBUF_INIT;
	uint32_t problem = 0;

	(void)record;
	if (config->version == 3) {
		etl_take(payload, 12); /* lengths */
	} else {
		etl_take(payload, 24); /* class, counts of filters */
		if (config->version >= 5) {
			etl_take32(payload);
			problem = etl_take32(payload);
		}
	}
	id = etl_take_wide(payload);
	description = etl_take_wide(payload);
	name = etl_take_wide(payload);
	if (payload->truncated)
		return;
	/* The object of the device; then, from version 4 on, the service. */
	service = (struct etl_text){ payload->v, 0, true };
	if (payload->nr >= 2)
		etl_take_wide(payload);
	if (config->version >= 4 && payload->nr >= 2)
		service = etl_take_wide(payload);
	strbuf_clear(&config->item);
	strbuf_adds(&config->item, text_of(config, &id));
	if (payload->truncated || !begin(config, "devices"))
		return;
	list_add(&all, text_of(config, name.nr ? &name : &description));
	if (service.nr)
		strbuf_addf(&all, " (%s)", text_of(config, &service));
	if (problem)
		strbuf_addf(&all, ", problem %lu", (unsigned long)problem);
	put_list(config, "", &all);
}

static void take_ide(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload)
{
	uint32_t target = etl_take32(payload), type = etl_take32(payload);
	struct etl_text location;

	(void)record;
	etl_take(payload, 8); /* timing mode, length of the text */
	location = etl_take_wide(payload);
	if (payload->truncated)
		return;
	strbuf_clear(&config->item);
	strbuf_addf(&config->item, "ide target %lu type %lu ", (unsigned long)target,
		    (unsigned long)type);
	strbuf_adds(&config->item, text_of(config, &location));
	if (!begin(config, "disks"))
		return;
	strbuf_clear(&config->item);
	strbuf_addf(&config->item, "ide target %lu type %lu", (unsigned long)target,
		    (unsigned long)type);
	put_text(config, "", location);
}

/* Masks of processors, by node or by group. */
static void put_mask(struct etl_config *config, const char *what, uint32_t number, uint64_t mask)
{
	struct strbuf text = STRBUF_INIT;

	if (!begin_number(config, "processors", what, number))
		return;
	strbuf_addf(&text, "processors 0x%llx", (unsigned long long)mask);
	put_list(config, "", &text);
}

static void take_numa(struct etl_config *config, const struct etl_record *record,
		      struct etl_payload *payload)
{
	uint32_t nr = etl_take32(payload);

	(void)record;
	for (uint32_t i = 0; i < nr && !payload->truncated; i++) {
		uint64_t mask = etl_take64(payload);

		etl_take64(payload); /* group */
		if (!payload->truncated)
			put_mask(config, "numa node ", i, mask);
	}
}

static void take_groups(struct etl_config *config, const struct etl_record *record,
			struct etl_payload *payload)
{
	uint32_t nr = etl_take32(payload);

	(void)record;
	for (uint32_t i = 0; i < nr && !payload->truncated; i++) {
		uint64_t mask = etl_take_pointer(payload);

		if (!payload->truncated)
			put_mask(config, "group ", i, mask);
	}
}

static void take_platform(struct etl_config *config, const struct etl_record *record,
			  struct etl_payload *payload)
{
	struct etl_text maker = etl_take_wide(payload), product = etl_take_wide(payload);
	struct etl_text date = etl_take_wide(payload), version = etl_take_wide(payload);

	(void)record;
	if (payload->truncated || !begin_only(config, "computer"))
		return;
	put_text(config, "manufacturer", maker);
	put_text(config, "model", product);
	put_text(config, "bios_date", date);
	put_text(config, "bios_version", version);
}

static void take_dpi(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload)
{
	uint32_t machine = etl_take32(payload), user = etl_take32(payload);

	(void)record;
	if (payload->truncated || !begin_only(config, "video"))
		return;
	put_number(config, "dpi_of_machine", machine);
	put_number(config, "dpi_of_user", user);
}

static void take_code_integrity(struct etl_config *config, const struct etl_record *record,
				struct etl_payload *payload)
{
	struct strbuf text = STRBUF_INIT;

	(void)record;
	strbuf_addf(&text, "0x%lx", (unsigned long)etl_take32(payload));
	if (!payload->truncated && begin_only(config, "security"))
		put(config, "code_integrity", text.buf);
	strbuf_release(&text);
}

static void take_security(struct etl_config *config, const struct etl_record *record,
			  struct etl_payload *payload)
{
	const unsigned char *flags = etl_take(payload, 3);

	(void)record;
	if (payload->truncated || !begin_only(config, "security"))
		return;
	put_flag(config, "virtualization_based", flags[0]);
	put_flag(config, "hvci", flags[1]);
	put_flag(config, "hypervisor", flags[2]);
}

static void take_boot(struct etl_config *config, const struct etl_record *record,
		      struct etl_payload *payload)
{
	uint32_t firmware;
	uint8_t on, capable;

	(void)record;
	etl_take64(payload);
	firmware = etl_take32(payload);
	on = etl_take8(payload);
	capable = etl_take8(payload);
	if (payload->truncated || !begin_only(config, "computer"))
		return;
	put(config, "firmware", firmware == 1 ? "BIOS" : firmware == 2 ? "UEFI" : "");
	put(config, "secure_boot", on ? "on" : capable ? "off" : "not supported");
}

static void take_build(struct etl_config *config, const struct etl_record *record,
		       struct etl_payload *payload)
{
	struct etl_build build;
	char installed[CLOCK_UTC_SIZE];

	if (!etl_decode_build(record, &build)) {
		payload->truncated = true;
		return;
	}
	if (!begin_only(config, "windows"))
		return;
	put_text(config, "product", build.product);
	put_text(config, "build", build.lab);
	if (build.installed && build.installed < INT64_MAX / NS_PER_S) {
		clock_format_utc((int64_t)build.installed * NS_PER_S, installed);
		put(config, "installed_utc", installed);
	}
}

static void take_paths(struct etl_config *config, const struct etl_record *record,
		       struct etl_payload *payload)
{
	struct etl_system_paths paths;

	(void)payload;
	if (etl_decode_system_paths(record, &paths) && begin_only(config, "windows"))
		put_text(config, "directory", paths.windows);
}

static void take_drive(struct etl_config *config, const struct etl_record *record,
		       struct etl_payload *payload)
{
	struct etl_volume volume;

	(void)payload;
	/* "C:\"; others are no drives. */
	if (!etl_decode_volume(record, &volume) || volume.drive.nr != 6)
		return;
	strbuf_clear(&config->item);
	strbuf_adds(&config->item, text_of(config, &volume.drive));
	if (config->item.len != 3 || config->item.buf[1] != ':')
		return;
	strbuf_set_len(&config->item, 2);
	if (begin(config, "volumes"))
		put_text(config, "device", volume.device);
}

struct kind {
	uint8_t provider, opcode;
	uint8_t from, to; /* versions that are known */
	void (*take)(struct etl_config *config, const struct etl_record *record,
		     struct etl_payload *payload);
};

static const struct kind kinds[] = {
	{ ETL_SYSTEM_CONFIG, ETL_CONFIG_CPU, 2, 255, take_cpu },
	{ ETL_SYSTEM_CONFIG, 11, 2, 2, take_disk },
	{ ETL_SYSTEM_CONFIG, 12, 2, 2, take_volume },
	{ ETL_SYSTEM_CONFIG, 13, 2, 2, take_network },
	{ ETL_SYSTEM_CONFIG, 14, 2, 2, take_video },
	{ ETL_SYSTEM_CONFIG, 15, 2, 3, take_service },
	{ ETL_SYSTEM_CONFIG, 16, 2, 2, take_power },
	{ ETL_SYSTEM_CONFIG, 17, 2, 2, take_tcp },
	{ ETL_SYSTEM_CONFIG, 18, 2, 2, take_optical },
	{ ETL_SYSTEM_CONFIG, 21, 0, 3, take_irq },
	{ ETL_SYSTEM_CONFIG, ETL_CONFIG_DEVICE, 3, 5, take_device },
	{ ETL_SYSTEM_CONFIG, 23, 2, 2, take_ide },
	{ ETL_SYSTEM_CONFIG, 24, 2, 2, take_numa },
	{ ETL_SYSTEM_CONFIG, 25, 2, 2, take_platform },
	{ ETL_SYSTEM_CONFIG, 26, 2, 2, take_groups },
	{ ETL_SYSTEM_CONFIG, 28, 2, 2, take_dpi },
	{ ETL_SYSTEM_CONFIG, 29, 2, 2, take_code_integrity },
	{ ETL_SYSTEM_CONFIG, 35, 2, 2, take_processor },
	{ ETL_SYSTEM_CONFIG, 36, 2, 2, take_security },
	{ ETL_SYSTEM_CONFIG, 37, 2, 2, take_boot },
	{ ETL_SYS_CONFIG_EX, ETL_EX_BUILD, 0, 255, take_build },
	{ ETL_SYS_CONFIG_EX, ETL_EX_PATHS, 0, 255, take_paths },
	{ ETL_SYS_CONFIG_EX, ETL_EX_VOLUME, 0, 255, take_drive },
};

bool etl_config_add(struct etl_config *config, const struct etl_record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *kind = &kinds[i];
		struct etl_payload payload = etl_payload_of(record);

		if (kind->provider != record->provider || kind->opcode != record->opcode ||
		    record->version < kind->from || record->version > kind->to)
			continue;
		config->opcode = record->opcode;
		config->version = record->version;
		kind->take(config, record, &payload);
		return !payload.truncated;
	}
	return true;
}

/* The long ones last. */
static const char *const sections[] = { "windows",  "computer", "processors", "memory",
					"disks",    "volumes",  "video",      "power",
					"security", "network",  "interrupts", "services",
					"devices" };

void etl_config_report(const struct etl_config *config, struct system_facts *facts)
{
	for (size_t s = 0; s < ARRAY_SIZE(sections); s++) {
		for (size_t i = 0; i < config->facts.nr; i++) {
			const struct system_fact *fact = &config->facts.v[i];

			if (strcmp(fact->section, sections[s]) != 0)
				continue;
			if (fact->text)
				system_facts_add(facts, fact->section, fact->key, fact->text);
			else
				system_facts_add_number(facts, fact->section, fact->key,
							fact->number);
		}
	}
}
