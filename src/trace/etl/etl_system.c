#include "trace/etl/etl_system.h"

/* SystemConfig_CPU's char16 ComputerName[256], DomainName[134]. */
#define COMPUTER_BYTES 512
#define DOMAIN_BYTES   268

bool etl_decode_extension(const struct etl_record *record, struct etl_extension *extension)
{
	struct etl_payload payload = etl_payload_of(record);

	for (size_t i = 0; i < 8; i++)
		extension->masks[i] = etl_take32(&payload);
	return !payload.cut;
}

bool etl_decode_cpu(const struct etl_record *record, struct etl_cpu *cpu)
{
	struct etl_payload payload = etl_payload_of(record);

	*cpu = (struct etl_cpu){ .architecture = ETL_ARCHITECTURE_UNKNOWN };
	cpu->mhz = etl_take32(&payload);
	cpu->cpus = etl_take32(&payload);
	cpu->memory_mb = etl_take32(&payload);
	cpu->page_size = etl_take32(&payload);
	etl_take32(&payload); /* granularity of allocations */
	cpu->computer = etl_take_wide_field(&payload, COMPUTER_BYTES);
	cpu->domain = etl_take_wide_field(&payload, DOMAIN_BYTES);
	etl_take_pointer(&payload); /* hyper-threading */
	if (payload.cut)
		return false;
	if (record->version < 3)
		return true;
	etl_take_pointer(&payload); /* highest user address */
	cpu->architecture = etl_take16(&payload);
	cpu->level = etl_take16(&payload);
	cpu->revision = etl_take16(&payload);
	return !payload.cut;
}

bool etl_decode_device(const struct etl_record *record, struct etl_device *device)
{
	struct etl_payload payload = etl_payload_of(record);

	if (record->version < 5)
		return false;
	device->class_guid = etl_take(&payload, 16);
	etl_take(&payload, 16); /* counts of filters, status, problem */
	if (payload.cut)
		return false;
	device->id = etl_take_wide(&payload);
	device->description = etl_take_wide(&payload);
	device->name = etl_take_wide(&payload);
	return true;
}

bool etl_decode_build(const struct etl_record *record, struct etl_build *build)
{
	struct etl_payload payload = etl_payload_of(record);

	build->installed = etl_take64(&payload);
	if (payload.cut)
		return false;
	build->lab = etl_take_wide(&payload);
	build->product = etl_take_wide(&payload);
	return true;
}

bool etl_decode_system_paths(const struct etl_record *record, struct etl_system_paths *paths)
{
	struct etl_payload payload = etl_payload_of(record);

	paths->system = etl_take_wide(&payload);
	paths->windows = etl_take_wide(&payload);
	return !payload.cut;
}

bool etl_decode_volume(const struct etl_record *record, struct etl_volume *volume)
{
	struct etl_payload payload = etl_payload_of(record);

	volume->device = etl_take_wide(&payload);
	volume->drive = etl_take_wide(&payload);
	return volume->device.nr > 0;
}

bool etl_decode_image_info(const struct etl_record *record, struct etl_image_info *info)
{
	struct etl_payload payload = etl_payload_of(record);

	info->base = etl_take_pointer(&payload);
	info->size = etl_take_pointer(&payload);
	info->pid = etl_take32(&payload);
	info->stamp = etl_take32(&payload);
	if (payload.cut)
		return false;
	info->name = etl_take_wide(&payload);
	return true;
}

bool etl_decode_rsds(const struct etl_record *record, struct etl_rsds *rsds)
{
	struct etl_payload payload = etl_payload_of(record);

	rsds->base = etl_take_pointer(&payload);
	rsds->pid = etl_take32(&payload);
	rsds->guid = etl_take(&payload, 16);
	rsds->age = etl_take32(&payload);
	if (payload.cut)
		return false;
	rsds->pdb = etl_take_text(&payload);
	return true;
}
