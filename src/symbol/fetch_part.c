#include "symbol/fetch_part.h"

#include <errno.h>
#include <inttypes.h>

#include "platform/below.h"
#include "platform/cabinet.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "util/text.h"

/* Of a file of unknown length: how often to look, in bytes, and what it leaves on the disk. */
#define LOOK_BYTES (UINT64_C(4) << 20)
#define ROOM_MIN   (INT64_C(16) << 20)

static int end(struct fetch_part *part, enum fetch_outcome outcome)
{
	part->ended = outcome;
	return -1;
}

static int check_size(struct fetch_part *part, uint64_t bytes, struct err *err)
{
	if (bytes <= part->rules->bytes_max)
		return 0;
	err_set(err, ERR_UNSUPPORTED, "it is larger than %" PRIu64 " MB: %s",
		part->rules->bytes_max >> 20, cost_remedy());
	return end(part, FETCH_REFUSED);
}

static int check_room(struct fetch_part *part, struct err *err)
{
	int64_t room;

	if (part->total >= 0 || part->at < part->looked)
		return 0;
	part->looked = part->at + LOOK_BYTES;
	room = fs_free_space(part->rules->cache);
	if (room < 0 || room >= ROOM_MIN)
		return 0;
	err_set(err, ERR_NO_SPACE, "it does not say how long it is, '%s' has %" PRId64 " MB left",
		part->rules->cache, room >> 20);
	return end(part, FETCH_STOPPED);
}

/* A directory of the cache may be one in which others can plant links: none is followed. */
static int open_part(struct fetch_part *part, bool from_start, struct err *err)
{
	const char *cache = part->rules->cache;
	FILE *before;

	part->head_nr = 0;
	if (from_start) {
		if (below_remove(cache, part->name, err))
			return -1;
		part->file = below_open(cache, part->name, "wbx", err);
	} else {
		before = below_open(cache, part->name, "rb", err);
		if (!before)
			return -1;
		part->head_nr = fread(part->head, 1, sizeof(part->head), before);
		fclose(before);
		part->file = below_open(cache, part->name, "ab", err);
	}
	return part->file ? 0 : -1;
}

int fetch_part_begin(void *data, uint64_t offset, int64_t total, struct err *err)
{
	struct fetch_part *part = data;
	int64_t room = fs_free_space(part->rules->cache);

	if (total >= 0 && check_size(part, (uint64_t)total, err))
		return -1;
	part->at = offset;
	part->total = total;
	part->looked = 0;
	part->from_start = !offset;
	if (room >= 0 && total >= 0 && total - (int64_t)offset > room) {
		err_set(err, ERR_NO_SPACE, "it takes %" PRId64 " MB, '%s' has %" PRId64 " MB",
			total >> 20, part->rules->cache, room >> 20);
		return end(part, FETCH_STOPPED);
	}
	return open_part(part, !offset, err) ? end(part, FETCH_STOPPED) : 0;
}

int fetch_part_tick(void *data, struct err *err)
{
	struct fetch_part *part = data;

	if (clock_now() > part->end_ns) {
		err_set(err, ERR_FAILED, "it takes longer than %" PRId64 " s",
			part->rules->whole_ns / NS_PER_S);
		return end(part, FETCH_STOPPED);
	}
	if (!progress_show(part->rules->progress, FETCH_STEP, (int64_t)part->at,
			   part->total > 0 ? part->total : 0, err))
		return 0;
	return end(part, FETCH_STOPPED);
}

static void refuse_head(const struct fetch_part *part, struct err *err)
{
	struct err kind = ERR_INIT;

	if (part->kind == FETCH_PACKED_PDB)
		err_set(&kind, ERR_CORRUPT, "not a cabinet");
	else
		pdb_msf_refuse(part->head, sizeof(part->head), &kind);
	err_set(err, ERR_CORRUPT, "it is %s", kind.msg);
	err_clear(&kind);
}

/*
 * What is no PDB, as a page that says sorry, or has no end, is not fetched as far as it goes; a cabinet, in which some
 * servers keep a PDB whatever its name, only where it can be unpacked.
 */
static int check_head(struct fetch_part *part, const char *bytes, size_t nr, struct err *err)
{
	int64_t packed, size;

	for (; nr && part->head_nr < sizeof(part->head); nr--)
		part->head[part->head_nr++] = *bytes++;
	if (part->head_nr < sizeof(part->head))
		return 0;
	packed = cabinet_head_size(part->head);
	size = packed >= 0 || part->kind == FETCH_PACKED_PDB ? packed
							     : pdb_msf_head_size(part->head);
	if (packed >= 0 && cabinet_check(err))
		err_wrap(err, "it has the PDB in compressed form alone");
	else if (size < 0)
		refuse_head(part, err);
	else if (part->at > (uint64_t)size)
		err_set(err, ERR_CORRUPT, "it is longer than its first %s",
			packed < 0 ? "page says" : "bytes say");
	else
		return 0;
	return end(part, part->from_start ? FETCH_REFUSED : FETCH_SPOILED);
}

static int cannot_write(struct fetch_part *part, struct err *err)
{
	err_set_errno(err, errno, "cannot write '%s/%s'", part->rules->cache, part->name);
	return end(part, FETCH_STOPPED);
}

int fetch_part_write(void *data, const void *bytes, size_t nr, struct err *err)
{
	struct fetch_part *part = data;

	if (check_size(part, part->at + nr, err) || check_room(part, err) ||
	    (part->kind != FETCH_DEBUG_FILE && check_head(part, bytes, nr, err)))
		return -1;
	if (fwrite(bytes, 1, nr, part->file) != nr)
		return cannot_write(part, err);
	part->at += nr;
	return 0;
}

int fetch_part_close(struct fetch_part *part, int rc, struct err *err)
{
	struct err late = ERR_INIT;

	if (!part->file)
		return rc;
	if (fs_sync(part->file, part->name, rc ? &late : err) && !rc)
		rc = end(part, FETCH_STOPPED);
	if (fclose(part->file) && !rc)
		rc = cannot_write(part, err);
	part->file = NULL;
	err_clear(&late);
	return rc;
}
