#include "trace/etl/etl_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"
#include "util/compare.h"
#include "util/hash_index.h"
#include "util/key_hash.h"
#include "util/strset.h"
#include "util/text.h"

/* The order of changes at one time: processes start first and end last. */
enum what {
	PROCESS_STARTS,
	THREAD_STARTS,
	THREAD_NAMED,
	IMAGE_COMES,
	FIRST_END,
	IMAGE_GOES = FIRST_END,
	THREAD_ENDS,
	PROCESS_ENDS,
};

#define NO_TEXT UINT32_MAX

/* The exit code of a process that still runs, minwinbase.h. */
#define STILL_ACTIVE 0x103

/* A day of builds has a tenth of these; a malicious file may have any number. */
#define ITEMS_MAX ((size_t)1 << 23)

#define GUID_BYTES 16
#define ID_BYTES   20

/* A day of builds has a tenth of these images. */
#define PLACES_MAX ((size_t)1 << 23)

_Static_assert(ID_BYTES <= MODULE_ID_MAX, "a GUID and an age fit");

/* A system has a few dozen volumes. */
#define PREFIXES_MAX 4096

/* A prefix of the object manager; a path of programs follows it. */
#define DOS_DEVICES "\\??\\"

/* Volumes as the kernel calls them; a number follows. */
#define VOLUMES "\\Device\\HarddiskVolume"

#define NO_PDB UINT32_MAX

struct pdb {
	uint8_t id[ID_BYTES];
	uint32_t path;
};

struct place {
	uint64_t base, time;
	uint32_t pid, pdb;
};

/* The PDB of each image, from a separate event with process, address and time. */
struct pdbs {
	struct strset paths;
	struct pdb *v; /* distinct ones */
	size_t nr, alloc;
	struct hash_index index; /* of v */
	struct place *places;
	size_t places_nr, places_alloc;
};

/* Texts are numbers in `texts`; NO_TEXT: none. */
struct process_item {
	uint64_t path_until; /* when that image is unloaded */
	uint32_t ppid, image, command_line, status;
	uint32_t path; /* of the image with its name */
	bool has_status;
};

struct thread_item {
	uint32_t pid, name;
};

struct image_item {
	uint64_t size;
	uint32_t path, pdb; /* pdb: number in `pdbs` */
};

struct naming {
	uint64_t time;
	uint32_t pid, tid, name;
};

struct etl_timeline {
	struct strset texts;
	struct strbuf scratch;
	struct etl_spans processes, threads, images; /* by pid, tid, pid and address */
	struct process_item *process_items;
	struct thread_item *thread_items;
	struct image_item *image_items;
	size_t process_items_nr, process_items_alloc;
	size_t thread_items_nr, thread_items_alloc;
	size_t image_items_nr, image_items_alloc;
	struct naming *namings;
	size_t namings_nr, namings_alloc;
	struct pdbs pdbs;
	struct etl_change *changes;
	size_t changes_nr, changes_alloc;
};

struct etl_prefix {
	char *from, *to;
	size_t from_nr;
};

static bool begins(const char *path, const char *prefix)
{
	while (*prefix && ascii_lower(*path) == ascii_lower(*prefix)) {
		path++;
		prefix++;
	}
	return !*prefix;
}

static const struct etl_prefix *find_prefix(const struct etl_paths *paths, const char *path)
{
	const struct etl_prefix *best = NULL;

	for (size_t i = 0; i < paths->nr; i++) {
		const struct etl_prefix *prefix = &paths->v[i];

		if ((!best || prefix->from_nr > best->from_nr) && begins(path, prefix->from))
			best = prefix;
	}
	return best;
}

void etl_paths_add(struct etl_paths *paths, const char *from, const char *to)
{
	const struct etl_prefix *known = find_prefix(paths, from);
	size_t nr = strlen(from);

	if (!nr || paths->nr >= PREFIXES_MAX || (known && known->from_nr == nr))
		return;
	ARRAY_GROW(paths->v, paths->nr + 1, paths->alloc);
	paths->v[paths->nr++] = (struct etl_prefix){ xstrdup(from), xstrdup(to), nr };
}

void etl_paths_release(struct etl_paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++) {
		free(paths->v[i].from);
		free(paths->v[i].to);
	}
	free(paths->v);
	*paths = (struct etl_paths){ .v = NULL };
}

void etl_paths_map(const struct etl_paths *paths, const char *path, struct strbuf *sb)
{
	const struct etl_prefix *prefix = find_prefix(paths, path);

	if (prefix) {
		strbuf_adds(sb, prefix->to);
		path += prefix->from_nr;
	} else if (begins(path, DOS_DEVICES)) {
		path += strlen(DOS_DEVICES);
	}
	strbuf_adds(sb, path);
}

static void pdbs_release(struct pdbs *pdbs)
{
	strset_release(&pdbs->paths);
	free(pdbs->v);
	hash_index_release(&pdbs->index);
	free(pdbs->places);
}

static uint32_t intern(struct pdbs *pdbs, const struct pdb *pdb)
{
	uint64_t hash =
		key_hash_add(key_hash_add(key_hash_first(), pdb->id, ID_BYTES), &pdb->path, 4);
	uint32_t at;

	HASH_INDEX_FIND(at, &pdbs->index, hash, i,
			!memcmp(pdbs->v[i].id, pdb->id, ID_BYTES) && pdbs->v[i].path == pdb->path);
	if (at != HASH_INDEX_NONE)
		return at;
	at = (uint32_t)pdbs->nr;
	ARRAY_ADD(pdbs->v, pdbs->nr, pdbs->alloc, *pdb);
	hash_index_add(&pdbs->index, hash, at);
	return at;
}

/* A record of ETL_IMAGE_ID_RSDS; false: its payload is damaged, or there are too many. */
static bool pdbs_add(struct pdbs *pdbs, struct strbuf *scratch, const struct etl_record *record)
{
	struct etl_rsds rsds;
	struct pdb pdb;

	if (pdbs->places_nr >= PLACES_MAX || !etl_decode_rsds(record, &rsds))
		return false;
	memcpy(pdb.id, rsds.guid, GUID_BYTES);
	for (size_t i = 0; i < ID_BYTES - GUID_BYTES; i++)
		pdb.id[GUID_BYTES + i] = (uint8_t)(rsds.age >> 8 * i);
	strbuf_clear(scratch);
	etl_text_add(&rsds.pdb, scratch);
	pdb.path = strset_add(&pdbs->paths, scratch->buf);
	ARRAY_ADD(pdbs->places, pdbs->places_nr, pdbs->places_alloc,
		  (struct place){ rsds.base, record->time, rsds.pid, intern(pdbs, &pdb) });
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_u64(x->pid, y->pid);

	if (!order)
		order = compare_u64(x->base, y->base);
	if (!order)
		order = compare_u64(x->time, y->time);
	return order ? order : compare_u64(x->pdb, y->pdb);
}

/* The number of the first PDB for an address of a process between two times; NO_PDB: none. */
static uint32_t pdbs_find(const struct pdbs *pdbs, uint32_t pid, uint64_t base, uint64_t from,
			  uint64_t to)
{
	const struct place wanted = { base, from, pid, 0 };
	const struct place *place;
	size_t low;

	ARRAY_SEARCH(low, pdbs->places_nr, i, by_place(&pdbs->places[i], &wanted) < 0);
	if (low == pdbs->places_nr)
		return NO_PDB;
	place = &pdbs->places[low];
	return place->pid == pid && place->base == base && place->time <= to ? place->pdb : NO_PDB;
}

/* Linkers make build ids of 8, 16 or 20 bytes; a converted trace pads short ones with zeros. */
static uint8_t build_id_length(const uint8_t *id)
{
	static const uint8_t none[ID_BYTES];

	if (!memcmp(id + 8, none, ID_BYTES - 8))
		return 8;
	return memcmp(id + 16, none, ID_BYTES - 16) ? ID_BYTES : 16;
}

/* Set the id and the path of the PDB. The id is 16 bytes of GUID and 4 of age; of an ELF image it is the build id. */
static void pdbs_set_id(const struct pdbs *pdbs, uint32_t number, struct trace_map *map)
{
	const struct pdb *pdb;

	if (number == NO_PDB)
		return;
	pdb = &pdbs->v[number];
	memcpy(map->id, pdb->id, ID_BYTES);
	map->id_length = map->pe ? ID_BYTES : build_id_length(pdb->id);
	if (map->pe)
		map->debug_path = pdbs->paths.strings.v[pdb->path];
}

struct etl_timeline *etl_timeline_new(void)
{
	struct etl_timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->texts = (struct strset)STRSET_INIT;
	timeline->scratch = (struct strbuf)STRBUF_INIT;
	timeline->pdbs.paths = (struct strset)STRSET_INIT;
	return timeline;
}

void etl_timeline_free(struct etl_timeline *timeline)
{
	if (!timeline)
		return;
	strset_release(&timeline->texts);
	strbuf_release(&timeline->scratch);
	etl_spans_release(&timeline->processes);
	etl_spans_release(&timeline->threads);
	etl_spans_release(&timeline->images);
	free(timeline->process_items);
	free(timeline->thread_items);
	free(timeline->image_items);
	free(timeline->namings);
	pdbs_release(&timeline->pdbs);
	free(timeline->changes);
	free(timeline);
}

static uint32_t keep_text(struct etl_timeline *timeline, const struct etl_text *text)
{
	if (!text->nr)
		return NO_TEXT;
	strbuf_clear(&timeline->scratch);
	etl_text_add(text, &timeline->scratch);
	return strset_add(&timeline->texts, timeline->scratch.buf);
}

static const char *text_of(const struct etl_timeline *timeline, uint32_t number)
{
	return number == NO_TEXT ? NULL : timeline->texts.strings.v[number];
}

static bool is_life(uint8_t opcode)
{
	return opcode >= ETL_OPCODE_START && opcode <= ETL_OPCODE_DC_END;
}

static bool add_process(struct etl_timeline *timeline, const struct etl_record *record)
{
	struct etl_process process;
	struct etl_sighting sighting = { .time = record->time, .what = record->opcode };

	if (!etl_decode_process(record, &process))
		return false;
	if (!process.pid) /* idle */
		return true;
	sighting.id = process.pid;
	sighting.owner = process.ppid;
	sighting.item = (uint32_t)timeline->process_items_nr;
	ARRAY_GROW(timeline->process_items, timeline->process_items_nr + 1,
		   timeline->process_items_alloc);
	timeline->process_items[timeline->process_items_nr++] = (struct process_item){
		.ppid = process.ppid,
		.image = keep_text(timeline, &process.image),
		.command_line = keep_text(timeline, &process.command_line),
		.status = process.status,
		.path = NO_TEXT,
		.has_status = process.has_status,
	};
	etl_spans_add(&timeline->processes, &sighting);
	return true;
}

static void name_thread(struct etl_timeline *timeline, const struct naming *naming)
{
	ARRAY_ADD(timeline->namings, timeline->namings_nr, timeline->namings_alloc, *naming);
}

static bool add_thread(struct etl_timeline *timeline, const struct etl_record *record)
{
	struct etl_thread thread;
	struct etl_sighting sighting = { .time = record->time, .what = record->opcode };
	uint32_t name;

	if (!etl_decode_thread(record, &thread))
		return false;
	if (!thread.pid || !thread.tid)
		return true;
	name = keep_text(timeline, &thread.name);
	if (record->opcode == ETL_THREAD_SET_NAME) {
		name_thread(timeline,
			    &(struct naming){ record->time, thread.pid, thread.tid, name });
		return true;
	}
	sighting.id = thread.tid;
	sighting.owner = thread.pid;
	sighting.item = (uint32_t)timeline->thread_items_nr;
	ARRAY_ADD(timeline->thread_items, timeline->thread_items_nr, timeline->thread_items_alloc,
		  (struct thread_item){ thread.pid, name });
	etl_spans_add(&timeline->threads, &sighting);
	return true;
}

static bool add_image(struct etl_timeline *timeline, const struct etl_record *record)
{
	struct etl_image image;
	struct etl_sighting sighting = { .time = record->time, .what = record->opcode };

	if (!etl_decode_image(record, &image))
		return false;
	if (image.pid == ETL_NO_PROCESS)
		image.pid = record->pid == ETL_NO_ID ? 0 : record->pid;
	if (record->opcode == ETL_IMAGE_LOAD)
		sighting.what = ETL_OPCODE_START;
	sighting.id = image.pid;
	sighting.key = image.base;
	sighting.item = (uint32_t)timeline->image_items_nr;
	ARRAY_ADD(timeline->image_items, timeline->image_items_nr, timeline->image_items_alloc,
		  (struct image_item){ image.size, keep_text(timeline, &image.path), NO_PDB });
	sighting.owner = timeline->image_items[sighting.item].path;
	etl_spans_add(&timeline->images, &sighting);
	return true;
}

static bool is_full(const struct etl_timeline *timeline)
{
	return timeline->process_items_nr >= ITEMS_MAX || timeline->thread_items_nr >= ITEMS_MAX ||
	       timeline->image_items_nr >= ITEMS_MAX || timeline->namings_nr >= ITEMS_MAX;
}

bool etl_timeline_add(struct etl_timeline *timeline, const struct etl_record *record)
{
	uint8_t opcode = record->opcode;

	if (is_full(timeline))
		return false;
	switch (record->provider) {
	case ETL_PROCESS:
		if (opcode == ETL_IMAGE_LOAD)
			return add_image(timeline, record);
		return !is_life(opcode) || add_process(timeline, record);
	case ETL_THREAD:
		if (!is_life(opcode) && opcode != ETL_THREAD_SET_NAME)
			return true;
		return add_thread(timeline, record);
	case ETL_IMAGE:
		if (opcode != ETL_IMAGE_LOAD && (!is_life(opcode) || opcode == ETL_OPCODE_START))
			return true;
		return add_image(timeline, record);
	case ETL_IMAGE_ID:
		return opcode != ETL_IMAGE_ID_RSDS ||
		       pdbs_add(&timeline->pdbs, &timeline->scratch, record);
	default:
		return true;
	}
}

/* Limit a span to that of its process, if that is known. False: nothing of it is left. */
static bool clip(struct etl_span *span, const struct etl_span *process)
{
	if (!process)
		return true;
	if (span->seen > process->end)
		return false;
	if (span->start < process->start)
		span->start = process->start;
	if (span->end > process->end)
		span->end = ETL_TO_THE_END;
	return true;
}

static void add_change(struct etl_timeline *timeline, uint64_t time, enum what what, size_t index)
{
	ARRAY_ADD(timeline->changes, timeline->changes_nr, timeline->changes_alloc,
		  (struct etl_change){ time, (uint32_t)what, (uint32_t)index });
}

static void add_changes(struct etl_timeline *timeline, const struct etl_span *span, size_t index,
			enum what begin, enum what end)
{
	add_change(timeline, span->start, begin, index);
	if (span->end != ETL_TO_THE_END)
		add_change(timeline, span->end, end, index);
}

static void make_processes(struct etl_timeline *timeline)
{
	etl_spans_make(&timeline->processes);
	for (size_t i = 0; i < timeline->processes.nr; i++)
		add_changes(timeline, &timeline->processes.v[i], i, PROCESS_STARTS, PROCESS_ENDS);
}

static void make_threads(struct etl_timeline *timeline)
{
	etl_spans_make(&timeline->threads);
	for (size_t i = 0; i < timeline->threads.nr; i++) {
		struct etl_span *span = &timeline->threads.v[i];
		const struct thread_item *item = &timeline->thread_items[span->item];

		if (!clip(span, etl_spans_at(&timeline->processes, item->pid, span->seen)))
			continue;
		add_changes(timeline, span, i, THREAD_STARTS, THREAD_ENDS);
		if (item->name != NO_TEXT)
			name_thread(timeline, &(struct naming){ span->start, item->pid, span->id,
								item->name });
	}
	for (size_t i = 0; i < timeline->namings_nr; i++) {
		const struct naming *naming = &timeline->namings[i];
		const struct etl_span *process =
			etl_spans_at(&timeline->processes, naming->pid, naming->time);

		if (!process || naming->time <= process->end)
			add_change(timeline, naming->time, THREAD_NAMED, i);
	}
}

/* Paths with a volume, by what follows it. */
struct volume_paths {
	uint32_t *v; /* texts; NO_TEXT: two volumes have such a file */
	const char **without_volume;
	size_t nr, alloc, without_volume_alloc;
	struct hash_index index;
};

/* The length of the volume that a path begins with: "C:", "\Device\HarddiskVolume3"; 0: none. */
static size_t volume_length(const char *path)
{
	char drive = ascii_lower(*path);

	if (drive >= 'a' && drive <= 'z' && path[1] == ':')
		return 2;
	return begins(path, VOLUMES) ? strlen(VOLUMES) + strcspn(path + strlen(VOLUMES), "\\") : 0;
}

/* A path within an unknown volume: "\Windows\System32\ntdll.dll", as in some events of loads. */
static bool lacks_volume(const char *path)
{
	return path[0] == '\\' && path[1] != '\\' && path[1] != '?' &&
	       !begins(path, "\\Device\\") && !begins(path, "\\SystemRoot\\");
}

static uint64_t hash_of(const char *path)
{
	uint64_t hash = key_hash_first();

	for (; *path; path++)
		hash = key_hash_add(hash, &(char){ ascii_lower(*path) }, 1);
	return hash;
}

static uint32_t find_volume(const struct volume_paths *volumes, const char *path)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &volumes->index, hash_of(path), i,
			text_equal_fold(volumes->without_volume[i], path));
	return at;
}

static void add_volume(const struct etl_timeline *timeline, struct volume_paths *volumes,
		       uint32_t text)
{
	const char *path = text_of(timeline, text), *known;
	size_t nr = volume_length(path);
	uint32_t at = nr ? find_volume(volumes, path + nr) : HASH_INDEX_NONE;

	if (!nr)
		return;
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)volumes->nr;
		hash_index_add(&volumes->index, hash_of(path + nr), at);
		ARRAY_GROW(volumes->without_volume, volumes->nr + 1, volumes->without_volume_alloc);
		volumes->without_volume[volumes->nr] = path + nr;
		ARRAY_ADD(volumes->v, volumes->nr, volumes->alloc, text);
		return;
	}
	known = volumes->v[at] == NO_TEXT ? path : text_of(timeline, volumes->v[at]);
	if (!text_equal_fold(known, path))
		volumes->v[at] = NO_TEXT;
}

/* Give paths without a volume that of the file with the same path, if only one volume has it. */
static void complete_paths(const struct etl_timeline *timeline, uint32_t *mapped, size_t nr)
{
	struct volume_paths volumes = { .index = HASH_INDEX_INIT };

	for (size_t i = 0; i < nr; i++) {
		if (mapped[i] != NO_TEXT)
			add_volume(timeline, &volumes, mapped[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		const char *path = text_of(timeline, mapped[i]);
		uint32_t at =
			path && lacks_volume(path) ? find_volume(&volumes, path) : HASH_INDEX_NONE;

		if (at != HASH_INDEX_NONE && volumes.v[at] != NO_TEXT)
			mapped[i] = volumes.v[at];
	}
	free(volumes.v);
	free(volumes.without_volume);
	hash_index_release(&volumes.index);
}

/* Convert a path of an image to that of programs: C:\... */
static uint32_t map_path(struct etl_timeline *timeline, const struct etl_paths *paths,
			 uint32_t path)
{
	strbuf_clear(&timeline->scratch);
	etl_paths_map(paths, text_of(timeline, path), &timeline->scratch);
	return strset_add(&timeline->texts, timeline->scratch.buf);
}

static void map_paths(struct etl_timeline *timeline, const struct etl_paths *paths)
{
	size_t nr = timeline->texts.strings.nr;
	uint32_t *mapped = xreallocarray(NULL, nr ? nr : 1, sizeof(*mapped));

	memset(mapped, 0xff, nr * sizeof(*mapped));
	for (size_t i = 0; i < timeline->image_items_nr; i++) {
		uint32_t path = timeline->image_items[i].path;

		if (path != NO_TEXT && mapped[path] == NO_TEXT)
			mapped[path] = map_path(timeline, paths, path);
	}
	complete_paths(timeline, mapped, nr);
	for (size_t i = 0; i < timeline->image_items_nr; i++) {
		struct image_item *item = &timeline->image_items[i];

		if (item->path != NO_TEXT)
			item->path = mapped[item->path];
	}
	/* Records of one image may have its path in several forms. */
	for (size_t i = 0; i < timeline->images.sightings_nr; i++) {
		struct etl_sighting *sighting = &timeline->images.sightings[i];

		sighting->owner = timeline->image_items[sighting->item].path;
	}
	free(mapped);
}

/* Whether a path ends in a process's short name, which may be truncated. */
static bool is_image_of(const char *path, const char *name)
{
	const char *file = text_file_name(path);
	size_t nr = strlen(name);
	char *begin;
	bool same;

	if (text_equal_fold(file, name))
		return true;
	if (nr < 14 || strlen(file) <= nr)
		return false;
	begin = xstrndup(file, nr);
	same = text_equal_fold(begin, name);
	free(begin);
	return same;
}

/*
 * The path of a process is that of the image with its name; of several, as in a converted trace, of the one unloaded last.
 */
static void note_path(struct etl_timeline *timeline, const struct etl_span *process,
		      const struct etl_span *image)
{
	struct process_item *item = &timeline->process_items[process->item];
	uint32_t path = timeline->image_items[image->item].path;

	if ((item->path == NO_TEXT || image->end > item->path_until) && item->image != NO_TEXT &&
	    path != NO_TEXT && image->seen >= process->start && image->seen <= process->end &&
	    is_image_of(text_of(timeline, path), text_of(timeline, item->image))) {
		item->path = path;
		item->path_until = image->end;
	}
}

static void make_images(struct etl_timeline *timeline)
{
	etl_spans_make(&timeline->images);
	if (timeline->pdbs.places_nr)
		qsort(timeline->pdbs.places, timeline->pdbs.places_nr,
		      sizeof(*timeline->pdbs.places), by_place);
	for (size_t i = 0; i < timeline->images.nr; i++) {
		struct etl_span *span = &timeline->images.v[i];
		struct image_item *item = &timeline->image_items[span->item];
		const struct etl_span *process =
			etl_spans_at(&timeline->processes, span->id, span->seen);

		item->pdb = pdbs_find(&timeline->pdbs, span->id, span->key, span->start, span->end);
		if (process)
			note_path(timeline, process, span);
		if (clip(span, process))
			add_changes(timeline, span, i, IMAGE_COMES, IMAGE_GOES);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct etl_change *x = a, *y = b;
	int order = compare_u64(x->time, y->time);

	if (!order)
		order = compare_u64(x->what, y->what);
	return order ? order : compare_u64(x->index, y->index);
}

void etl_timeline_make(struct etl_timeline *timeline, const struct etl_paths *paths)
{
	map_paths(timeline, paths);
	make_processes(timeline);
	make_threads(timeline);
	make_images(timeline);
	if (timeline->changes_nr)
		qsort(timeline->changes, timeline->changes_nr, sizeof(*timeline->changes), by_time);
}

const struct etl_spans *etl_timeline_processes(const struct etl_timeline *timeline)
{
	return &timeline->processes;
}

const struct etl_change *etl_timeline_changes(const struct etl_timeline *timeline, size_t *nr)
{
	*nr = timeline->changes_nr;
	return timeline->changes;
}

bool etl_change_is_end(const struct etl_change *change)
{
	return change->what >= FIRST_END;
}

static void set_process(const struct etl_timeline *timeline, const struct etl_change *change,
			struct trace_event *event)
{
	const struct etl_span *span = &timeline->processes.v[change->index];
	const struct process_item *item = &timeline->process_items[span->item];

	const char *image = text_of(timeline, item->path != NO_TEXT ? item->path : item->image);

	event->pid = span->id;
	event->tid = -1;
	if (change->what == PROCESS_STARTS) {
		event->kind = TRACE_PROCESS_START;
		event->start = (struct trace_start){
			.ppid = item->ppid ? (int64_t)item->ppid : -1,
			.starts = span->start != ETL_SINCE_BEFORE,
			.has_end = true,
			.image = image ? image : "[unknown]",
			.command_line = text_of(timeline, item->command_line),
		};
		return;
	}
	event->kind = TRACE_PROCESS_END;
	event->end = (struct trace_end){ .has_code = false };
	if (span->end_item != UINT32_MAX) {
		item = &timeline->process_items[span->end_item];
		event->end = (struct trace_end){ item->has_status && item->status != STILL_ACTIVE,
						 item->status };
	}
}

/* A path of Linux, in a converted trace: no path of Windows begins like this. */
static bool is_of_linux(const char *path)
{
	return *path == '/' || *path == '[';
}

static void set_image(const struct etl_timeline *timeline, const struct etl_change *change,
		      struct trace_event *event)
{
	const struct etl_span *span = &timeline->images.v[change->index];
	const struct image_item *item = &timeline->image_items[span->item];
	const char *path = text_of(timeline, item->path);

	event->kind = change->what == IMAGE_COMES ? TRACE_MAP : TRACE_UNMAP;
	event->pid = span->id ? (int64_t)span->id : -1;
	event->tid = -1;
	event->map = (struct trace_map){
		.address = span->key,
		.length = item->size,
		.path = path ? path : "",
		.kernel = !span->id,
		.code = true,
		.pe = !path || !is_of_linux(path),
	};
	pdbs_set_id(&timeline->pdbs, item->pdb, &event->map);
}

void etl_timeline_event(const struct etl_timeline *timeline, const struct etl_change *change,
			struct trace_event *event)
{
	const struct etl_span *span;
	const struct naming *naming;

	switch ((enum what)change->what) {
	case PROCESS_STARTS:
	case PROCESS_ENDS:
		set_process(timeline, change, event);
		break;
	case THREAD_STARTS:
	case THREAD_ENDS:
		span = &timeline->threads.v[change->index];
		event->kind = change->what == THREAD_STARTS ? TRACE_THREAD_START : TRACE_THREAD_END;
		event->pid = timeline->thread_items[span->item].pid;
		event->tid = span->id;
		event->start = (struct trace_start){ .by_tid = 0 };
		break;
	case THREAD_NAMED:
		naming = &timeline->namings[change->index];
		event->kind = TRACE_THREAD_NAME;
		event->pid = naming->pid;
		event->tid = naming->tid;
		event->name = naming->name == NO_TEXT ? "" : text_of(timeline, naming->name);
		break;
	case IMAGE_COMES:
	case IMAGE_GOES:
		set_image(timeline, change, event);
		break;
	}
}
