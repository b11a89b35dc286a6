#include "symbol/symbol_fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/cabinet.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/http.h"
#include "symbol/fetch_servers.h"
#include "symbol/id_file.h"
#include "symbol/pdb/pdb_msf.h"
#include "symbol/symbol_cache.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include "util/text.h"
#include "util/url.h"

#define STEP "fetching symbol files" /* for struct progress */

#define FILE_MAX (UINT64_C(4) << 30)
/* Of a file of unknown length: how often to look, in bytes, and what it leaves on the disk. */
#define LOOK_BYTES (UINT64_C(4) << 20)
#define ROOM_MIN   (INT64_C(16) << 20)

#define ATTEMPTS_MAX 5 /* of one file: each goes on where the one before was cut */

struct symbol_fetch {
	struct http *http;
	struct fetch_servers servers;
	char *cache;
	uint64_t bytes_max;
	int64_t answer_ns, whole_ns;
	const struct progress *progress;
};

int symbol_fetch_new(const struct symbol_fetch_options *options, struct symbol_fetch **fetch,
		     struct err *err)
{
	struct symbol_fetch *made = xcalloc(1, sizeof(*made));
	int rc;

	made->bytes_max = cost_raised(FILE_MAX);
	made->answer_ns = options->answer_ns;
	made->whole_ns = options->whole_ns;
	made->progress = options->progress;
	rc = fetch_servers_init(&made->servers, options->server, err);
	made->cache = made->servers.cache ? xstrdup(made->servers.cache) : symbol_cache_dir();
	if (!rc && !made->cache)
		rc = err_set(err, ERR_USAGE,
			     "there is no directory for the files: set STAGETRACE_CACHE");
	if (!rc)
		rc = http_open(&made->http, err);
	if (rc)
		symbol_fetch_free(made);
	else
		*fetch = made;
	return rc;
}

void symbol_fetch_free(struct symbol_fetch *fetch)
{
	if (!fetch)
		return;
	http_close(fetch->http);
	fetch_servers_release(&fetch->servers);
	free(fetch->cache);
	free(fetch);
}

const char *symbol_fetch_cache(const struct symbol_fetch *fetch)
{
	return fetch->cache;
}

/* What a file is asked for as. */
enum file_kind { FILE_DEBUG, FILE_PDB, FILE_PACKED_PDB };

/* What became of it. */
enum outcome {
	WHOLE,  /* it has arrived */
	ABSENT, /* the server does not have it */
	CUT, /* the answer ended early, or is of another part than was asked for: another one may go on */
	SPOILED, /* what was sent does not go on with what was there before */
	DENIED,  /* the server answers with another status of HTTP */
	SILENT,  /* the server does not answer, or is too slow */
	STOPPED, /* by the disk, the time that one file may take, or the user */
	REFUSED, /* it is too large, or of another kind */
};

/* One file on its way. */
struct transfer {
	const struct symbol_fetch *fetch;
	const char *part; /* below the cache */
	FILE *file;
	enum file_kind kind;
	bool from_start;
	enum outcome ended;      /* by what is done with the bytes; WHOLE: it is not */
	char head[PDB_MSF_HEAD]; /* its first bytes */
	size_t head_nr;
	uint64_t at;     /* bytes of the file so far */
	int64_t total;   /* -1: unknown */
	uint64_t looked; /* where its disk was looked at, if the total is unknown */
	int64_t end_ns;  /* of the time that it may take */
};

static int end(struct transfer *transfer, enum outcome outcome)
{
	transfer->ended = outcome;
	return -1;
}

static int check_size(struct transfer *transfer, uint64_t bytes, struct err *err)
{
	if (bytes <= transfer->fetch->bytes_max)
		return 0;
	err_set(err, ERR_UNSUPPORTED, "it is larger than %" PRIu64 " MB: %s",
		transfer->fetch->bytes_max >> 20, cost_remedy());
	return end(transfer, REFUSED);
}

static int check_room(struct transfer *transfer, struct err *err)
{
	int64_t room;

	if (transfer->total >= 0 || transfer->at < transfer->looked)
		return 0;
	transfer->looked = transfer->at + LOOK_BYTES;
	room = fs_free_space(transfer->fetch->cache);
	if (room < 0 || room >= ROOM_MIN)
		return 0;
	err_set(err, ERR_NO_SPACE, "it does not say how long it is, '%s' has %" PRId64 " MB left",
		transfer->fetch->cache, room >> 20);
	return end(transfer, STOPPED);
}

/* A directory of the cache may be one in which others can plant links: none is followed. */
static int open_part(struct transfer *transfer, bool from_start, struct err *err)
{
	const char *cache = transfer->fetch->cache;
	FILE *before;

	transfer->head_nr = 0;
	if (from_start) {
		if (below_remove(cache, transfer->part, err))
			return -1;
		transfer->file = below_open(cache, transfer->part, "wbx", err);
	} else {
		before = below_open(cache, transfer->part, "rb", err);
		if (!before)
			return -1;
		transfer->head_nr = fread(transfer->head, 1, sizeof(transfer->head), before);
		fclose(before);
		transfer->file = below_open(cache, transfer->part, "ab", err);
	}
	return transfer->file ? 0 : -1;
}

static int begin(void *data, uint64_t offset, int64_t total, struct err *err)
{
	struct transfer *transfer = data;
	int64_t room = fs_free_space(transfer->fetch->cache);

	if (total >= 0 && check_size(transfer, (uint64_t)total, err))
		return -1;
	if (room >= 0 && total >= 0 && total - (int64_t)offset > room) {
		err_set(err, ERR_NO_SPACE, "it takes %" PRId64 " MB, '%s' has %" PRId64 " MB",
			total >> 20, transfer->fetch->cache, room >> 20);
		return end(transfer, STOPPED);
	}
	transfer->at = offset;
	transfer->total = total;
	transfer->looked = 0;
	transfer->from_start = !offset;
	return open_part(transfer, !offset, err) ? end(transfer, STOPPED) : 0;
}

static int tick(void *data, struct err *err)
{
	struct transfer *transfer = data;
	const struct symbol_fetch *fetch = transfer->fetch;

	if (clock_now() > transfer->end_ns) {
		err_set(err, ERR_FAILED, "it takes longer than %" PRId64 " s",
			fetch->whole_ns / NS_PER_S);
		return end(transfer, STOPPED);
	}
	if (!progress_show(fetch->progress, STEP, (int64_t)transfer->at,
			   transfer->total > 0 ? transfer->total : 0, err))
		return 0;
	return end(transfer, STOPPED);
}

/*
 * What is no PDB, as a page that says sorry, or has no end, is not fetched as far as it goes; a cabinet, in which some
 * servers keep a PDB whatever its name, only where it can be unpacked.
 */
static int check_head(struct transfer *transfer, const char *bytes, size_t nr, struct err *err)
{
	int64_t packed, size;
	bool as_packed;

	for (; nr && transfer->head_nr < sizeof(transfer->head); nr--)
		transfer->head[transfer->head_nr++] = *bytes++;
	if (transfer->head_nr < sizeof(transfer->head))
		return 0;
	packed = cabinet_head_size(transfer->head);
	as_packed = transfer->kind == FILE_PACKED_PDB;
	size = packed >= 0 || as_packed ? packed : pdb_msf_head_size(transfer->head);
	if (packed >= 0 && cabinet_check(err))
		err_wrap(err, "it has the PDB in compressed form alone");
	else if (size < 0)
		err_set(err, ERR_CORRUPT, as_packed ? "it is not a cabinet" : "it is not a PDB");
	else if (transfer->at > (uint64_t)size)
		err_set(err, ERR_CORRUPT, "it is longer than its first %s",
			packed < 0 ? "page says" : "bytes say");
	else
		return 0;
	return end(transfer, transfer->from_start ? REFUSED : SPOILED);
}

static int cannot_write(struct transfer *transfer, struct err *err)
{
	err_set_errno(err, errno, "cannot write '%s/%s'", transfer->fetch->cache, transfer->part);
	return end(transfer, STOPPED);
}

static int write_bytes(void *data, const void *bytes, size_t nr, struct err *err)
{
	struct transfer *transfer = data;

	if (check_size(transfer, transfer->at + nr, err) || check_room(transfer, err) ||
	    (transfer->kind != FILE_DEBUG && check_head(transfer, bytes, nr, err)))
		return -1;
	if (fwrite(bytes, 1, nr, transfer->file) != nr)
		return cannot_write(transfer, err);
	transfer->at += nr;
	return 0;
}

/* For struct cabinet_sink. */
static int begin_unpacked(void *data, uint64_t total, struct err *err)
{
	return begin(data, 0, (int64_t)total, err);
}

static int write_unpacked(void *data, const void *bytes, size_t nr, struct err *err)
{
	return write_bytes(data, bytes, nr, err) || tick(data, err) ? -1 : 0;
}

/* By the error of an answer that was not ended here: see http_get(). */
static enum outcome outcome_of(enum err_code code)
{
	switch (code) {
	case ERR_CORRUPT:
		return CUT;
	case ERR_NOT_FOUND:
		return ABSENT;
	case ERR_UNSUPPORTED:
		return DENIED;
	default:
		return SILENT;
	}
}

/* Ask for what is missing of the file, once. */
static enum outcome attempt(const struct symbol_fetch *fetch, const char *url,
			    struct transfer *transfer, struct err *err)
{
	const struct http_sink sink = { transfer, begin, write_bytes, tick };
	int64_t had = below_size(fetch->cache, transfer->part);
	struct err late = ERR_INIT;
	int rc;

	transfer->ended = WHOLE;
	transfer->at = had > 0 ? (uint64_t)had : 0;
	rc = http_get(fetch->http, url, transfer->at, fetch->answer_ns, &sink, err);
	if (transfer->file) {
		if (fs_sync(transfer->file, transfer->part, rc ? &late : err) && !rc)
			rc = end(transfer, STOPPED);
		if (fclose(transfer->file) && !rc)
			rc = cannot_write(transfer, err);
	}
	transfer->file = NULL;
	err_clear(&late);
	if (!rc && transfer->total >= 0 && (int64_t)transfer->at != transfer->total)
		rc = err_set(err, ERR_CORRUPT, "it was not sent to its end");
	if (!rc)
		return WHOLE;
	return transfer->ended != WHOLE ? transfer->ended : outcome_of(err->code);
}

/* Go on where an answer was cut. A part that the server does not go on with is of another file. */
static enum outcome get_all(const struct symbol_fetch *fetch, const char *url,
			    struct transfer *transfer, struct err *err)
{
	struct err ignored = ERR_INIT;
	enum outcome outcome = CUT;

	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		int64_t before = below_size(fetch->cache, transfer->part);

		err_clear(err);
		outcome = attempt(fetch, url, transfer, err);
		if (outcome != CUT)
			break;
		if (below_size(fetch->cache, transfer->part) > (before > 0 ? before : 0))
			continue;
		if (before <= 0 || i)
			break;
		below_remove(fetch->cache, transfer->part, &ignored);
		err_clear(&ignored);
	}
	return outcome;
}

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
	return err->code == ERR_CORRUPT ? -1 : err_set(err, ERR_CORRUPT, "it cannot be read");
}

/* Use the PDB in the cabinet that has arrived. It is a transfer of its own, from one file to another one. */
static int accept_packed(const struct transfer *cabinet, const struct module *module,
			 const char *name, struct err *err)
{
	const char *cache = cabinet->fetch->cache;
	char *unpacked = xasprintf("%s.unpacked.part", cabinet->part);
	char *path = fs_join(cache, cabinet->part);
	struct transfer transfer = { .fetch = cabinet->fetch,
				     .part = unpacked,
				     .kind = FILE_PDB,
				     .end_ns = cabinet->end_ns };
	const struct cabinet_sink sink = { &transfer, begin_unpacked, write_unpacked };
	struct err ignored = ERR_INIT;
	int rc = cabinet_unpack(path, &sink, err);

	if (transfer.file) {
		if (fs_sync(transfer.file, unpacked, rc ? &ignored : err) && !rc)
			rc = -1;
		fclose(transfer.file);
	}
	if (!rc)
		rc = accept(cache, unpacked, module, name, err);
	err_clear(&ignored);
	below_remove(cache, rc ? unpacked : cabinet->part, &ignored);
	err_clear(&ignored);
	free(path);
	free(unpacked);
	return rc;
}

/* Each server has its own: what two of them have may differ. A compressed file is none that could go on as another one. */
static char *part_of(const char *name, const char *url, bool packed)
{
	struct strbuf host = STRBUF_INIT;
	char *part;

	url_add_host(&host, url, strlen(url));
	for (char *c = host.buf; *c; c++) {
		if (strchr("/\\:*?\"<>|[]", *c))
			*c = '-';
	}
	part = xasprintf("%s%s.%s.part", name, packed ? "_" : "", host.buf);
	strbuf_release(&host);
	return part;
}

/*
 * Whether what has arrived stays for the next command, which can go on with it. What filled the disk, and may be endless,
 * does not.
 */
static bool stays(const struct transfer *transfer, enum outcome outcome, enum err_code code)
{
	switch (outcome) {
	case SILENT:
	case DENIED:
		return true;
	case CUT:
		return transfer->total >= 0 && (int64_t)transfer->at < transfer->total;
	case STOPPED:
		return code != ERR_NO_SPACE || transfer->total >= 0;
	case WHOLE: /* but not named: it is no good, unless that has other reasons */
		return code == ERR_FAILED || (code == ERR_NO_SPACE && transfer->total >= 0);
	case ABSENT:
	case SPOILED:
	case REFUSED:
		break;
	}
	return false;
}

/* Whether it may be of two files, what was there before and what was sent, and is to be fetched from the start. */
static bool may_be_mixed(enum outcome outcome, enum err_code code)
{
	switch (outcome) {
	case WHOLE:
		return code != ERR_FAILED;
	case ABSENT:
	case CUT:
	case SPOILED:
		return true;
	case DENIED:
	case SILENT:
	case STOPPED:
	case REFUSED:
		break;
	}
	return false;
}

static int get_at(const struct symbol_fetch *fetch, const char *url, enum file_kind kind,
		  const struct module *module, const char *name, struct err *err)
{
	char *part = part_of(name, url, kind == FILE_PACKED_PDB);
	struct transfer transfer = { .fetch = fetch,
				     .part = part,
				     .kind = kind,
				     .total = -1,
				     .end_ns = clock_now() + fetch->whole_ns };
	bool resumed = below_size(fetch->cache, part) > 0;
	struct err ignored = ERR_INIT;
	enum outcome outcome;
	int rc;

	for (;;) {
		outcome = get_all(fetch, url, &transfer, err);
		rc = -1;
		if (outcome == WHOLE)
			rc = kind != FILE_DEBUG && is_cabinet(fetch->cache, part)
				     ? accept_packed(&transfer, module, name, err)
				     : accept(fetch->cache, part, module, name, err);
		if (!rc || !resumed || !may_be_mixed(outcome, err->code))
			break;
		resumed = false;
		below_remove(fetch->cache, part, &ignored);
		err_clear(err);
	}
	if (rc && !stays(&transfer, outcome, err->code))
		below_remove(fetch->cache, part, &ignored);
	err_clear(&ignored);
	free(part);
	return rc;
}

/* A PDB that a server does not have may be there in a cabinet, as NAME.pd_. */
static int get_from(const struct symbol_fetch *fetch, const char *url, const struct module *module,
		    const char *name, struct err *err)
{
	bool pdb = id_file_is_pdb(module);
	int rc = get_at(fetch, url, pdb ? FILE_PDB : FILE_DEBUG, module, name, err);
	char *packed;

	if (!rc || err->code != ERR_NOT_FOUND || !pdb)
		return rc;
	err_clear(err);
	packed = xstrdup(url);
	packed[strlen(packed) - 1] = '_';
	rc = get_at(fetch, packed, FILE_PACKED_PDB, module, name, err);
	free(packed);
	return rc;
}

/* Ask one server, unless it did not answer before. */
static int ask_one(const struct symbol_fetch *fetch, const char *server,
		   const struct module *module, const char *name, struct strbuf *from,
		   struct err *err)
{
	struct strbuf host = STRBUF_INIT;
	char *url = fetch_servers_url(server, module);
	int rc;

	url_add_host(&host, server, strlen(server));
	if (fetch_servers_gave_up(&fetch->servers, server))
		rc = err_set(err, ERR_FAILED, "it is not asked again, as it did not answer");
	else
		rc = get_from(fetch, url, module, name, err);
	if (rc)
		err_wrap(err, "%s", host.buf);
	else
		strbuf_add(from, host.buf, host.len);
	strbuf_release(&host);
	free(url);
	return rc;
}

/* How much an error says: of a file that is there but no good, then of a server that does not answer. */
static int weight(enum err_code code)
{
	return code == ERR_NONE ? 0 : code == ERR_NOT_FOUND ? 1 : code == ERR_FAILED ? 2 : 3;
}

/* Keep the more telling of two errors, the first of two alike. */
static void keep_error(struct err *err, struct err *other)
{
	if (weight(other->code) > weight(err->code)) {
		err_clear(err);
		*err = *other;
	} else {
		err_clear(other);
	}
}

/* Ask one server after the other. */
static int ask(struct symbol_fetch *fetch, const struct module *module, const char *name,
	       struct strbuf *from, struct err *err)
{
	const struct strvec *urls = fetch_servers_for(&fetch->servers, module);
	struct err ignored = ERR_INIT;
	bool stopped = false;
	size_t silent = 0;
	int rc = -1;

	if (!urls->nr)
		return err_set(err, ERR_NOT_FOUND,
			       "no server is known for debug files: DEBUGINFOD_URLS is not set");
	for (size_t i = 0; i < urls->nr && rc && !stopped; i++) {
		struct err other = ERR_INIT;

		rc = ask_one(fetch, urls->v[i], module, name, from, &other);
		stopped = rc && (other.code == ERR_NO_SPACE ||
				 progress_show(fetch->progress, STEP, 0, 0, &ignored));
		if (rc && !stopped && other.code == ERR_FAILED) {
			silent++;
			fetch_servers_give_up(&fetch->servers, urls->v[i]);
		}
		if (stopped)
			err_clear(err);
		keep_error(err, &other);
	}
	if (!rc)
		err_clear(err);
	/* The others may have the next file. */
	else if (!stopped && err->code == ERR_FAILED && silent < urls->nr)
		err->code = ERR_UNSUPPORTED;
	progress_show(fetch->progress, STEP, 1, 1, &ignored);
	err_clear(&ignored);
	return rc;
}

/* Make the directory of a file of the cache. */
static int make_dirs(const char *cache, const char *name, struct err *err)
{
	int rc = fs_mkdir_all(cache, err);

	for (const char *end = name; !rc && (end = strchr(end, '/')); end++) {
		char *dir = xstrndup(name, (size_t)(end - name));

		rc = below_mkdir(cache, dir, err);
		free(dir);
	}
	return rc;
}

int symbol_fetch_get(struct symbol_fetch *fetch, const struct module *module, struct strbuf *from,
		     struct err *err)
{
	char *name = id_file_name(module), *path, *dir;
	struct fs_lock *lock = NULL;
	struct err other = ERR_INIT;
	int rc;

	if (!name)
		return err_set(err, ERR_UNSUPPORTED,
			       "the trace has no id of it, or no name that a file can have");
	path = fs_join(fetch->cache, name);
	dir = fs_dirname(path);
	if (fs_exists(path) && !id_file_check(path, module, &other)) {
		rc = 1;
	} else {
		rc = make_dirs(fetch->cache, name, err);
		if (!rc)
			rc = fs_lock(dir, &lock, err);
		if (!rc)
			rc = ask(fetch, module, name, from, err);
		fs_unlock(lock);
	}
	err_clear(&other);
	free(name);
	free(path);
	free(dir);
	return rc;
}
