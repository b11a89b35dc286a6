#include <string.h>

#include "convert/etl_events.h"
#include "convert/etl_export_state.h"
#include "util/little_endian.h"

#define GUID_SIZE 16

/* A file has a few segments of code; what is in more pieces was not mapped by a loader. */
#define SEGMENTS_MAX 16

/* Those between two addresses, ascending, if they are few and of one module; else -1. */
static int find_segments(const struct address_space *space, uint64_t from, uint64_t to,
			 uint32_t module, const struct mapping *segments[SEGMENTS_MAX])
{
	const struct mapping *at;
	int nr = 0;

	for (; from < to && (at = address_space_seek(space, from)) && at->start < to;
	     from = at->end) {
		if (at->module != module || nr == SEGMENTS_MAX)
			return -1;
		segments[nr++] = at;
	}
	return nr;
}

/* From where on an image reaches, so that what is in it has the offset that it has in the file. */
static uint64_t base_of(const struct etl_export *export, const struct address_space *space,
			const struct mapping *mapping)
{
	const struct module *module = &export->machine->modules.v[mapping->module];
	uint64_t base = mapping->start - mapping->offset;
	const struct mapping *below[SEGMENTS_MAX];

	if (module->kind == MODULE_ANON || mapping->offset > mapping->start ||
	    find_segments(space, base, mapping->start, mapping->module, below) < 0)
		return mapping->start;
	return base;
}

bool etl_export_reaches(const struct etl_export *export, const struct address_space *space,
			uint64_t address)
{
	const struct mapping *at = address_space_seek(space, address), *before = at;

	for (int i = 0; at && i < SEGMENTS_MAX && at->module == before->module; i++) {
		if (base_of(export, space, at) <= address)
			return true;
		before = at;
		at = address_space_seek(space, at->end);
	}
	return false;
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

/*
 * Segments of a file may be further apart in memory than in it: the image of the upper one, which reaches down to where
 * the file would begin, is then another one that lies over the lower one. That is told again, later: the last one counts.
 */
static void tell_image(struct etl_export *export, const struct trace_process *process,
		       const struct address_space *space, const struct mapping *mapping)
{
	const struct mapping *below[SEGMENTS_MAX];
	uint64_t base = base_of(export, space, mapping);
	int nr = find_segments(space, base, mapping->start, mapping->module, below);

	write_image(export, process, space, mapping);
	while (nr-- > 0) {
		if (base_of(export, space, below[nr]) == base)
			continue;
		etl_export_step(export);
		write_image(export, process, space, below[nr]);
	}
}

static void tell_all(struct etl_export *export, const struct trace_process *process,
		     const struct address_space *space)
{
	const struct mapping *at;

	for (uint64_t address = 0; (at = address_space_seek(space, address)); address = at->end)
		tell_image(export, process, space, at);
}

static void unload_all(struct etl_export *export, const struct trace_process *process,
		       const struct address_space *space)
{
	const struct mapping *at;

	for (uint64_t address = 0; (at = address_space_seek(space, address)); address = at->end) {
		struct etl_writer_image image = {
			.base = base_of(export, space, at),
			.pid = (uint32_t)process->pid,
			.path = export->machine->modules.v[at->module].path,
		};

		image.size = at->end - image.base;
		etl_write_image(export->writer, ETL_EVENT_ENDS, &image);
	}
}

/* They may be where images of the next program will be. */
static void hide(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	if (told->shows == SHOWS_BEFORE) {
		unload_all(export, process, &told->before);
		address_space_release(&told->before);
		etl_export_step(export);
	}
	told->shows = SHOWS_NOTHING;
}

static void show(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	if (told->shows == SHOWS_SPACE)
		return;
	hide(export, process);
	tell_all(export, process, &process->space);
	told->shows = SHOWS_SPACE;
	told->waits = false;
}

void etl_export_mapping(struct etl_export *export, const struct trace_process *process,
			uint64_t address)
{
	const struct address_space *space = process ? &process->space : &export->machine->kernel;
	const struct mapping *mapping = address_space_find(space, address);

	if (!mapping)
		return;
	if (process && etl_export_told(export, process)->shows != SHOWS_SPACE)
		etl_export_told(export, process)->waits = true;
	else
		tell_image(export, process, space, mapping);
}

/* The machine keeps what the program before had until the new one runs: the last place of the old one calls exec. */
void etl_export_exec_images(struct etl_export *export, const struct trace_process *process)
{
	struct told_process *told = etl_export_told(export, process);

	if (told->shows != SHOWS_SPACE) {
		hide(export, process);
		return;
	}
	address_space_copy(&told->before, &process->before);
	told->shows = SHOWS_BEFORE;
}

void etl_export_settle_images(struct etl_export *export, const struct trace_process *process,
			      uint64_t leaf)
{
	struct told_process *told = etl_export_told(export, process);

	if (told->shows == SHOWS_SPACE)
		return;
	if (address_space_find(&process->space, leaf) ||
	    !address_space_find(&process->before, leaf)) {
		show(export, process);
	} else if (told->shows == SHOWS_NOTHING) {
		tell_all(export, process, &process->before);
		address_space_copy(&told->before, &process->before);
		told->shows = SHOWS_BEFORE;
	}
}

void etl_export_end_images(struct etl_export *export, const struct trace_process *process)
{
	if (etl_export_told(export, process)->waits)
		show(export, process);
}
