#include <string.h>

#include "convert/etl_events.h"
#include "convert/etl_export_state.h"
#include "util/little_endian.h"

#define GUID_SIZE 16

/* Another module's code is between the file's first byte, by this mapping, and its own. */
static bool is_crowded(const struct address_space *space, uint64_t base,
		       const struct mapping *mapping)
{
	uint64_t at = base;

	while (at < mapping->start) {
		const struct mapping *other = address_space_seek(space, at);

		if (!other || other->start >= mapping->start)
			return false;
		if (other->module != mapping->module)
			return true;
		at = other->end;
	}
	return false;
}

/* From where on an image reaches, so that what is in it has the offset that it has in the file. */
static uint64_t base_of(const struct etl_export *export, const struct address_space *space,
			const struct mapping *mapping)
{
	const struct module *module = &export->machine->modules.v[mapping->module];
	uint64_t base = mapping->start - mapping->offset;

	if (module->kind == MODULE_ANON || mapping->offset > mapping->start ||
	    is_crowded(space, base, mapping))
		return mapping->start;
	return base;
}

static void write_image(struct etl_export *export, const struct trace_process *process,
			const struct address_space *space, const struct mapping *mapping)
{
	const struct module *module = &export->machine->modules.v[mapping->module];
	struct etl_writer_image image = { .pid = process ? (uint32_t)process->pid : 0,
					  .path = module->path };
	uint8_t id[MODULE_ID_MAX] = { 0 };

	image.base = base_of(export, space, mapping);
	image.size = mapping->end - image.base;
	etl_write_image(export->writer, ETL_EVENT_LOADS, &image);
	export->counts.images++;
	if (!module->id_length)
		return;
	memcpy(id, module->id, module->id_length);
	etl_write_pdb(export->writer, image.base, image.pid, id, le_get32(id + GUID_SIZE),
		      module->name);
}

void etl_export_mapping(struct etl_export *export, const struct trace_process *process,
			uint64_t address)
{
	const struct address_space *space = process ? &process->space : &export->machine->kernel;
	const struct mapping *mapping = address_space_find(space, address);

	if (mapping)
		write_image(export, process, space, mapping);
}

typedef void part_fn(struct etl_export *export, const struct trace_process *process,
		     const struct address_space *space, const struct mapping *part);

/* Those parts of what `from` has where `but` has nothing. */
static void for_rest(struct etl_export *export, const struct trace_process *process,
		     const struct address_space *from, const struct address_space *but,
		     part_fn *take)
{
	const struct mapping *at, *over;

	for (uint64_t address = 0; (at = address_space_seek(from, address)); address = at->end) {
		struct mapping part = *at;

		while (part.start < at->end) {
			over = but ? address_space_seek(but, part.start) : NULL;
			part.end = over && over->start < at->end ? over->start : at->end;
			if (part.start < part.end)
				take(export, process, from, &part);
			part.start = over && over->start < at->end ? over->end : at->end;
			part.offset = at->offset + (part.start - at->start);
		}
	}
}

static void unload(struct etl_export *export, const struct trace_process *process,
		   const struct address_space *space, const struct mapping *part)
{
	const struct etl_writer_image image = {
		.base = part->start,
		.size = part->end - part->start,
		.pid = (uint32_t)process->pid,
		.path = export->machine->modules.v[part->module].path,
	};

	(void)space;
	etl_write_image(export->writer, ETL_EVENT_ENDS, &image);
}

static void unload_old(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	for_rest(export, process, &told->old, &process->space, unload);
	address_space_release(&told->old);
	told->leaves = false;
}

static void keep_old(struct told_process *told, const struct trace_process *process)
{
	address_space_copy(&told->old, &process->before);
	told->leaves = true;
}

/* The machine keeps what the program before had until the new one runs: the last place of the old one calls exec. */
void etl_export_exec_images(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	if (told->leaves)
		unload_old(export, process);
	if (told->inherited)
		told->inherited = INHERITED_BEFORE;
	else if (process->before.ranges.nr)
		keep_old(told, process);
}

void etl_export_settle_images(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);
	enum inherited inherited = told->inherited;

	if (told->leaves && !process->before.ranges.nr)
		unload_old(export, process);
	told->inherited = INHERITED_NONE;
	if (inherited == INHERITED_SPACE) {
		for_rest(export, process, &process->space, NULL, write_image);
	} else if (inherited == INHERITED_BEFORE && process->before.ranges.nr) {
		for_rest(export, process, &process->before, &process->space, write_image);
		keep_old(told, process);
	}
}
