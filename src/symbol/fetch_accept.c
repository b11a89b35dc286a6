#include "symbol/fetch_accept.h"

#include <stdlib.h>

#include "platform/below.h"
#include "platform/cabinet.h"
#include "platform/fs.h"
#include "symbol/id_file.h"
#include "util/alloc.h"

static bool is_cabinet(const char *cache, const char *name)
{
	struct err ignored = ERR_INIT;
	FILE *file = below_open(cache, name, "rb", &ignored);
	char head[CABINET_HEAD];
	bool is = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
		  cabinet_head_size(head) >= 0;

	if (file)
		fclose(file);
	err_clear(&ignored);
	return is;
}

/* Check a file, and give it its name. */
static int accept(const char *cache, const char *part, const struct module *module,
		  const char *name, struct err *err)
{
	char *path = fs_join(cache, part);
	int rc = id_file_check(path, module, err);

	free(path);
	if (!rc)
		return below_rename(cache, part, name, err);
	/* Whatever the reason, it is this file that is no good, not the server. */
	err->code = ERR_CORRUPT;
	return -1;
}

/* For struct cabinet_sink. */
static int begin_unpacked(void *data, uint64_t total, struct err *err)
{
	return fetch_part_begin(data, 0, (int64_t)total, err);
}

static int write_unpacked(void *data, const void *bytes, size_t nr, struct err *err)
{
	return fetch_part_write(data, bytes, nr, err) || fetch_part_tick(data, err) ? -1 : 0;
}

/* Use the PDB in the cabinet that has arrived. It is a part of its own, written from one file to another one. */
static int accept_packed(const struct fetch_part *cabinet, const struct module *module,
			 const char *name, struct err *err)
{
	const char *cache = cabinet->rules->cache;
	char *unpacked = xasprintf("%s.unpacked.part", cabinet->name);
	char *path = fs_join(cache, cabinet->name);
	struct fetch_part part = { .rules = cabinet->rules,
				   .name = unpacked,
				   .kind = FETCH_PDB,
				   .end_ns = cabinet->end_ns };
	const struct cabinet_sink sink = { &part, begin_unpacked, write_unpacked };
	struct err ignored = ERR_INIT;
	int rc = fetch_part_close(&part, cabinet_unpack(path, &sink, err), err);

	if (!rc)
		rc = accept(cache, unpacked, module, name, err);
	below_remove(cache, rc ? unpacked : cabinet->name, &ignored);
	err_clear(&ignored);
	free(path);
	free(unpacked);
	return rc;
}

int fetch_accept(const struct fetch_part *part, const struct module *module, const char *name,
		 struct err *err)
{
	const char *cache = part->rules->cache;

	return part->kind != FETCH_DEBUG_FILE && is_cabinet(cache, part->name)
		       ? accept_packed(part, module, name, err)
		       : accept(cache, part->name, module, name, err);
}
