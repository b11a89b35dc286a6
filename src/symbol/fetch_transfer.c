#include "symbol/fetch_transfer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/clock.h"
#include "symbol/fetch_accept.h"
#include "symbol/id_file.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/url.h"

#define ATTEMPTS_MAX 5 /* of one file: each goes on where the one before was cut */

/* By the error of an answer that was not ended here: see http_get(). */
static enum fetch_outcome outcome_of(enum err_code code)
{
	switch (code) {
	case ERR_CORRUPT:
		return FETCH_CUT;
	case ERR_NOT_FOUND:
		return FETCH_ABSENT;
	case ERR_UNSUPPORTED:
		return FETCH_DENIED;
	default:
		return FETCH_SILENT;
	}
}

/* Ask for what is missing of the file, once. */
static enum fetch_outcome attempt(struct http *http, const char *url, struct fetch_part *part,
				  struct err *err)
{
	const struct http_sink sink = { part, fetch_part_begin, fetch_part_write, fetch_part_tick };
	int64_t had = below_size(part->rules->cache, part->name);
	int rc;

	part->ended = FETCH_WHOLE;
	part->at = had > 0 ? (uint64_t)had : 0;
	rc = http_get(http, url, part->at, part->rules->answer_ns, &sink, err);
	rc = fetch_part_close(part, rc, err);
	if (!rc && part->total >= 0 && (int64_t)part->at != part->total)
		rc = err_set(err, ERR_CORRUPT, "it was not sent to its end");
	if (!rc)
		return FETCH_WHOLE;
	return part->ended != FETCH_WHOLE ? part->ended : outcome_of(err->code);
}

/* Go on where an answer was cut. A part that the server does not go on with is of another file. */
static enum fetch_outcome get_all(struct http *http, const char *url, struct fetch_part *part,
				  struct err *err)
{
	const char *cache = part->rules->cache;
	struct err ignored = ERR_INIT;
	enum fetch_outcome outcome = FETCH_CUT;

	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		int64_t before = below_size(cache, part->name);

		err_clear(err);
		outcome = attempt(http, url, part, err);
		if (outcome != FETCH_CUT)
			break;
		if (below_size(cache, part->name) > (before > 0 ? before : 0))
			continue;
		if (before <= 0 || i)
			break;
		below_remove(cache, part->name, &ignored);
		err_clear(&ignored);
	}
	return outcome;
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
static bool stays(const struct fetch_part *part, enum fetch_outcome outcome, enum err_code code)
{
	switch (outcome) {
	case FETCH_SILENT:
	case FETCH_DENIED:
		return true;
	case FETCH_CUT:
		return part->total >= 0 && (int64_t)part->at < part->total;
	case FETCH_STOPPED:
		return code != ERR_NO_SPACE || part->total >= 0;
	case FETCH_WHOLE: /* but not named: it is no good, unless that has other reasons */
		return code == ERR_FAILED || (code == ERR_NO_SPACE && part->total >= 0);
	case FETCH_ABSENT:
	case FETCH_SPOILED:
	case FETCH_REFUSED:
		break;
	}
	return false;
}

/* Whether it may be of two files, what was there before and what was sent, and is to be fetched from the start. */
static bool may_be_mixed(enum fetch_outcome outcome, enum err_code code)
{
	switch (outcome) {
	case FETCH_WHOLE:
		return code != ERR_FAILED;
	case FETCH_ABSENT:
	case FETCH_CUT:
	case FETCH_SPOILED:
		return true;
	case FETCH_DENIED:
	case FETCH_SILENT:
	case FETCH_STOPPED:
	case FETCH_REFUSED:
		break;
	}
	return false;
}

static int get_at(const struct fetch_rules *rules, struct http *http, const char *url,
		  enum fetch_kind kind, const struct module *module, const char *name,
		  struct err *err)
{
	char *part_name = part_of(name, url, kind == FETCH_PACKED_PDB);
	struct fetch_part part = { .rules = rules,
				   .name = part_name,
				   .kind = kind,
				   .total = -1,
				   .end_ns = clock_now() + rules->whole_ns };
	bool resumed = below_size(rules->cache, part_name) > 0;
	struct err ignored = ERR_INIT;
	enum fetch_outcome outcome;
	int rc;

	for (;;) {
		outcome = get_all(http, url, &part, err);
		rc = outcome == FETCH_WHOLE ? fetch_accept(&part, module, name, err) : -1;
		if (!rc || !resumed || !may_be_mixed(outcome, err->code))
			break;
		resumed = false;
		below_remove(rules->cache, part_name, &ignored);
		err_clear(err);
	}
	if (rc && !stays(&part, outcome, err->code))
		below_remove(rules->cache, part_name, &ignored);
	err_clear(&ignored);
	free(part_name);
	return rc;
}

/* A PDB that a server does not have may be there in a cabinet, as NAME.pd_. */
int fetch_transfer(const struct fetch_rules *rules, struct http *http, const char *url,
		   const struct module *module, const char *name, struct err *err)
{
	bool pdb = id_file_is_pdb(module);
	int rc = get_at(rules, http, url, pdb ? FETCH_PDB : FETCH_DEBUG_FILE, module, name, err);
	char *packed;

	if (!rc || err->code != ERR_NOT_FOUND || !pdb)
		return rc;
	err_clear(err);
	packed = xstrdup(url);
	packed[strlen(packed) - 1] = '_';
	rc = get_at(rules, http, packed, FETCH_PACKED_PDB, module, name, err);
	free(packed);
	return rc;
}
