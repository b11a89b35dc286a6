#include "trace/perf/perf_known.h"

#include <stdlib.h>
#include <string.h>

#include "model/module.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/strset.h"
#include "util/text.h"

#define PATHS_MAX ((size_t)64 << 20) /* bytes of paths */
#define SEEN_MAX  ((size_t)8 << 20)  /* mappings; forks; threads */
#define NO_ID     STRSET_NONE

/* The records seen, until it is known which processes are of the build. */
struct fork_seen {
	int32_t pid, parent;
};

struct map_seen {
	int32_t pid;
	uint32_t path, id; /* in `paths` and `ids` */
};

struct thread_seen {
	int32_t tid, pid;
};

struct perf_known {
	struct intmap build;   /* pids */
	struct intmap threads; /* tids */
	struct strset paths;   /* of files that any process maps */
	struct strset ids;     /* of these files */
	size_t paths_bytes;
	bool *known_paths, *known_ids; /* those that the build maps */
	size_t known_paths_nr, known_ids_nr;
	struct fork_seen *forks;
	size_t forks_nr, forks_alloc;
	struct map_seen *maps;
	size_t maps_nr, maps_alloc;
	struct thread_seen *seen;
	size_t seen_nr, seen_alloc;
	struct intmap last; /* by tid: index + 1 of the last in `seen` */
};

struct perf_known *perf_known_new(void)
{
	struct perf_known *made = xcalloc(1, sizeof(*made));

	made->build = made->threads = made->last = (struct intmap)INTMAP_INIT;
	made->paths = made->ids = (struct strset)STRSET_INIT;
	return made;
}

void perf_known_free(struct perf_known *known)
{
	if (!known)
		return;
	intmap_release(&known->build);
	intmap_release(&known->threads);
	intmap_release(&known->last);
	strset_release(&known->paths);
	strset_release(&known->ids);
	free(known->known_paths);
	free(known->known_ids);
	free(known->forks);
	free(known->maps);
	free(known->seen);
	free(known);
}

void perf_known_add_process(struct perf_known *known, int64_t pid)
{
	intmap_put(&known->build, pid, known);
	intmap_put(&known->threads, pid, known);
}

bool perf_known_process(const struct perf_known *known, int64_t pid)
{
	return intmap_get(&known->build, pid);
}

bool perf_known_thread(const struct perf_known *known, int64_t tid)
{
	return intmap_get(&known->threads, tid);
}

bool perf_known_path(const struct perf_known *known, const char *path)
{
	char *name = xstrndup(path, module_path_length(path));
	uint32_t number = strset_find(&known->paths, name);

	free(name);
	return number != STRSET_NONE && number < known->known_paths_nr &&
	       known->known_paths[number];
}

bool perf_known_id(const struct perf_known *known, const char *id)
{
	uint32_t number = strset_find(&known->ids, id);

	return number != STRSET_NONE && number < known->known_ids_nr && known->known_ids[number];
}

void perf_known_format_id(struct strbuf *text, const uint8_t *id, size_t nr)
{
	text_add_hex(text, id, module_id_trim(id, nr));
}

bool perf_known_is_special(const char *path)
{
	return *path == '[' || !strcmp(path, "//anon") || !strcmp(path, "/anon_hugepage") || !*path;
}

static uint32_t see_id(struct perf_known *known, const uint8_t *id, size_t nr)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t number = NO_ID;

	perf_known_format_id(&text, id, nr);
	if (text.len)
		number = strset_add(&known->ids, text.buf);
	strbuf_release(&text);
	return number;
}

static bool see_map(struct perf_known *known, const struct trace_event *event)
{
	const char *path = event->map.path;
	struct map_seen map = { .pid = (int32_t)event->pid };
	size_t before = known->paths.strings.nr;
	char *name;

	if (event->map.kernel || perf_known_is_special(path))
		return false;
	name = xstrndup(path, module_path_length(path));
	map.path = strset_add(&known->paths, name);
	free(name);
	map.id = see_id(known, event->map.id, event->map.id_length);
	ARRAY_ADD(known->maps, known->maps_nr, known->maps_alloc, map);
	if (known->paths.strings.nr == before)
		return false;
	known->paths_bytes += strlen(path);
	return true;
}

static void see_thread(struct perf_known *known, const struct trace_event *event)
{
	struct thread_seen thread = { (int32_t)event->tid, (int32_t)event->pid };
	size_t last = (uintptr_t)intmap_get(&known->last, thread.tid);

	if (last && known->seen[last - 1].pid == thread.pid)
		return;
	ARRAY_ADD(known->seen, known->seen_nr, known->seen_alloc, thread);
	intmap_put(&known->last, thread.tid, (void *)(uintptr_t)known->seen_nr);
}

bool perf_known_see(struct perf_known *known, const struct trace_event *event)
{
	see_thread(known, event);
	if (event->kind == TRACE_PROCESS_START)
		ARRAY_ADD(known->forks, known->forks_nr, known->forks_alloc,
			  (struct fork_seen){ (int32_t)event->pid, (int32_t)event->start.ppid });
	return event->kind == TRACE_MAP && see_map(known, event);
}

bool perf_known_is_full(const struct perf_known *known)
{
	return known->paths_bytes > PATHS_MAX || known->maps_nr > SEEN_MAX ||
	       known->forks_nr > SEEN_MAX || known->seen_nr > SEEN_MAX;
}

/* Records of several processors are not in the order of time: a child may come before its parent. */
static void find_descendants(struct perf_known *known)
{
	bool more = true;

	for (int i = 0; more && i < 100; i++) {
		more = false;
		for (size_t k = 0; k < known->forks_nr; k++) {
			const struct fork_seen *fork = &known->forks[k];

			if (perf_known_process(known, fork->pid) ||
			    !perf_known_process(known, fork->parent))
				continue;
			perf_known_add_process(known, fork->pid);
			more = true;
		}
	}
}

static void find_threads(struct perf_known *known)
{
	for (size_t i = 0; i < known->seen_nr; i++) {
		if (perf_known_process(known, known->seen[i].pid))
			intmap_put(&known->threads, known->seen[i].tid, known);
	}
	for (size_t i = 0; i < known->seen_nr; i++) {
		if (!perf_known_process(known, known->seen[i].pid))
			intmap_remove(&known->threads, known->seen[i].tid);
	}
}

static void find_files(struct perf_known *known, const struct perf_build_ids *ids)
{
	uint32_t *of_header = xcalloc(ids->nr + 1, sizeof(*of_header));

	for (size_t i = 0; i < ids->nr; i++)
		of_header[i] = see_id(known, ids->v[i].id, ids->v[i].id_length);
	known->known_paths_nr = known->paths.strings.nr;
	known->known_paths = xcalloc(known->known_paths_nr + 1, sizeof(*known->known_paths));
	known->known_ids_nr = known->ids.strings.nr;
	known->known_ids = xcalloc(known->known_ids_nr + 1, sizeof(*known->known_ids));
	for (size_t i = 0; i < known->maps_nr; i++) {
		const struct map_seen *map = &known->maps[i];

		if (!perf_known_process(known, map->pid))
			continue;
		known->known_paths[map->path] = true;
		if (map->id != NO_ID)
			known->known_ids[map->id] = true;
	}
	for (size_t i = 0; i < ids->nr; i++) {
		if (of_header[i] != NO_ID && perf_known_path(known, ids->v[i].path))
			known->known_ids[of_header[i]] = true;
	}
	free(of_header);
}

void perf_known_finish(struct perf_known *known, const struct perf_build_ids *ids)
{
	find_descendants(known);
	find_threads(known);
	find_files(known, ids);
}
