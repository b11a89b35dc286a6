#include "record/machine_facts.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "platform/host.h"
#include "util/alloc.h"

/* Numbers below 0 are unknown. */
static void add_number(struct system_facts *facts, const char *section, const char *key,
		       int64_t number)
{
	if (number >= 0)
		system_facts_add_number(facts, section, key, number);
}

static void add_boot(struct system_facts *facts, int64_t boot_ns)
{
	char text[CLOCK_UTC_SIZE];

	if (boot_ns < 0)
		return;
	clock_format_utc(boot_ns, text);
	system_facts_add(facts, "boot", "boot_utc", text);
}

static void add_group(struct system_facts *facts, const struct host_group *group)
{
	const char *section = "control_group";

	add_number(facts, section, "version", group->version);
	add_number(facts, section, "memory_limit_bytes", group->memory_limit_bytes);
	add_number(facts, section,
		   group->version == 1 ? "memory_and_swap_limit_bytes" : "swap_limit_bytes",
		   group->swap_limit_bytes);
	if (group->processors_milli >= 0) {
		char *text = xasprintf("%.3f", (double)group->processors_milli / 1000);

		system_facts_add(facts, section, "processors", text);
		free(text);
	}
}

/* "sda size_bytes", as the disks of an ETL trace. */
static void add_disk(struct system_facts *facts, const struct host_disk *disk)
{
	char *size = xasprintf("%s size_bytes", disk->name);
	char *model = xasprintf("%s model", disk->name);
	char *rotational = xasprintf("%s rotational", disk->name);

	if (disk->model)
		system_facts_add(facts, "disks", model, disk->model);
	add_number(facts, "disks", size, disk->bytes);
	if (disk->rotational >= 0)
		system_facts_add(facts, "disks", rotational, disk->rotational ? "yes" : "no");
	free(size);
	free(model);
	free(rotational);
}

void machine_facts_add(struct system_facts *facts)
{
	struct host_system system;

	host_system_read(&system);
	add_boot(facts, system.boot_ns);
	add_number(facts, "swap", "size_bytes", system.swap_bytes);
	add_group(facts, &system.group);
	for (size_t i = 0; i < system.disks_nr; i++)
		add_disk(facts, &system.disks[i]);
	host_system_release(&system);
}
