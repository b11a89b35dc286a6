#include "trace/perf/perf_distill.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_packer.h"
#include "trace/perf/perf_walk.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"
#include "util/little_endian.h"
#include "util/strbuf.h"

#define UNPACKED_MAX 65536 /* what perf makes room for when it decompresses a record */

/* A feature of the header, with its new contents. */
struct feature {
	unsigned number;
	struct strbuf data;
};

struct distiller {
	const struct perf_distill_job *job;
	struct trace_facts facts;
	struct perf_file file;
	struct perf_walk walk;
	struct perf_packer *packer;
	struct perf_distill_result *result;
	uint64_t data_start; /* in `out` */
	struct feature *features;
	size_t features_nr, features_alloc;
	_Alignas(8) unsigned char sample[PERF_RECORD_MAX + 1];
	_Alignas(8) unsigned char written[PERF_RECORD_MAX + 1];
};

static void add32(struct strbuf *sb, uint32_t value)
{
	unsigned char bytes[4];

	le_put32(bytes, value);
	strbuf_add(sb, bytes, sizeof(bytes));
}

static void add64(struct strbuf *sb, uint64_t value)
{
	unsigned char bytes[8];

	le_put64(bytes, value);
	strbuf_add(sb, bytes, sizeof(bytes));
}

static int write_out(struct distiller *distiller, const void *bytes, size_t nr, struct err *err)
{
	if (nr && fwrite(bytes, nr, 1, distiller->job->out) != 1)
		return err_set_errno(err, errno, "cannot write '%s'", distiller->job->to);
	return 0;
}

/* Append bytes of the original. */
static int read_in(struct distiller *distiller, uint64_t offset, uint64_t nr, struct strbuf *sb,
		   struct err *err)
{
	uint64_t size = distiller->file.size;
	unsigned char *bytes;
	int64_t got;

	if (offset > size || nr > size - offset || nr > PERF_SECTION_MAX)
		return err_set(err, ERR_CORRUPT, "a section of %" PRIu64 " bytes at 0x%" PRIx64, nr,
			       offset);
	bytes = xmalloc((size_t)nr + 1);
	got = trace_input_read(distiller->job->input, offset, bytes, (size_t)nr, err);
	if (got >= 0)
		strbuf_add(sb, bytes, (size_t)got);
	free(bytes);
	if (got >= 0 && (uint64_t)got < nr)
		return err_set(err, ERR_CORRUPT, "it became shorter");
	return got < 0 ? -1 : 0;
}

/* An event that had copies has call chains, with a user part. */
static void change_attr(unsigned char *attr, size_t nr)
{
	uint64_t type = le_get64(attr + PERF_ATTR_SAMPLE_TYPE);
	uint64_t flags = le_get64(attr + PERF_ATTR_FLAGS);

	type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	le_put64(attr + PERF_ATTR_SAMPLE_TYPE, type | PERF_SAMPLE_CALLCHAIN);
	le_put64(attr + PERF_ATTR_FLAGS, flags & ~(uint64_t)PERF_ATTR_EXCLUDE_CALLCHAIN_USER);
	if (nr >= PERF_ATTR_REGS_USER + 8)
		le_put64(attr + PERF_ATTR_REGS_USER, 0);
	if (nr >= PERF_ATTR_STACK_USER + 4)
		le_put32(attr + PERF_ATTR_STACK_USER, 0);
}

/* The ids of all events, then their attrs with the new places of the ids. */
static int write_events(struct distiller *distiller, unsigned char *header, struct err *err)
{
	uint64_t each = le_get64(header + PERF_HEADER_ATTR_SIZE);
	struct strbuf attrs = STRBUF_INIT, ids = STRBUF_INIT;
	const struct perf_events *events = &distiller->file.events;
	int rc = read_in(distiller, le_get64(header + PERF_HEADER_ATTRS), each * events->nr, &attrs,
			 err);

	for (size_t i = 0; i < events->nr && !rc; i++) {
		unsigned char *attr = (unsigned char *)attrs.buf + i * each;
		unsigned char *section = attr + each - 16;
		uint64_t at = PERF_HEADER_SIZE + ids.len;

		rc = read_in(distiller, le_get64(section), le_get64(section + 8), &ids, err);
		le_put64(section, at);
		if (perf_event_has_copies(&events->v[i]))
			change_attr(attr, each - 16);
	}
	le_put64(header + PERF_HEADER_ATTRS, PERF_HEADER_SIZE + ids.len);
	le_put64(header + PERF_HEADER_ATTRS + 8, attrs.len);
	distiller->data_start = PERF_HEADER_SIZE + ids.len + attrs.len;
	if (!rc)
		rc = write_out(distiller, ids.buf, ids.len, err);
	if (!rc)
		rc = write_out(distiller, attrs.buf, attrs.len, err);
	strbuf_release(&attrs);
	strbuf_release(&ids);
	return rc;
}

/* A call chain to be written: the first entries of the old one, markers of the user part, and its addresses. */
struct new_chain {
	uint64_t kept;
	unsigned markers;
	const uint64_t *user;
	size_t user_nr;
};

/* The entries of a call chain before its user part. */
static uint64_t count_kernel(const uint64_t *chain, uint64_t nr, int mode)
{
	uint64_t i = 0;

	/* Without a marker, the first addresses are of the kind of the sample. */
	if (nr && mode == PERF_MISC_USER && chain[0] < PERF_CONTEXT_FIRST)
		return 0;
	while (i < nr && chain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	return i;
}

static bool has_address(const uint64_t *chain, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (chain[i] < PERF_CONTEXT_FIRST)
			return true;
	return false;
}

static void choose_chain(struct distiller *distiller, uint64_t location,
			 const unsigned char *record, const struct perf_sample_parts *parts,
			 struct new_chain *to)
{
	const uint64_t *chain = (const uint64_t *)(const void *)(record + parts->chain);
	uint64_t nr = parts->chain_end > parts->chain ? *chain++ : 0;
	uint64_t kernel = count_kernel(chain, nr, le_get16(record + 4) & PERF_MISC_CPUMODE);
	enum stack_origin origin = STACK_TRUNCATED;
	bool found;

	*to = (struct new_chain){ .kept = nr };
	if (!parts->has_copy)
		return;
	found = perf_chains_get(distiller->job->chains, location, &to->user, &to->user_nr, &origin);
	distiller->result->copies++;
	distiller->result->without_frames += !found;
	/* A copy without frames does not replace the chain by frame pointers. */
	if (!found && has_address(chain + kernel, nr - kernel))
		return;
	to->kept = kernel;
	to->markers = (unsigned)origin + 1;
}

static uint64_t *put(uint64_t *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes / sizeof(*to);
}

/* The outer frames for which a record has no room are left out. */
static void limit(struct new_chain *chain, size_t others)
{
	size_t room = PERF_RECORD_MAX - others - (chain->kept + STACK_TRUNCATED + 2) * 8;

	if (chain->user_nr <= room / 8)
		return;
	chain->user_nr = room / 8;
	chain->markers = STACK_TRUNCATED + 1;
}

/* Write a sample without its stack copy. */
static int write_sample(struct distiller *distiller, uint64_t location,
			const struct perf_event *event, size_t size, struct err *err)
{
	const unsigned char *record = distiller->sample;
	uint64_t *to = (uint64_t *)(void *)distiller->written;
	struct perf_sample_parts parts;
	struct new_chain chain;
	bool has_chain;

	if (!perf_sample_locate(event, record, size, &parts))
		return err_set(err, ERR_CORRUPT, "a sample lacks fields at 0x%" PRIx64,
			       PERF_OFFSET(location));
	choose_chain(distiller, location, record, &parts, &chain);
	has_chain = parts.chain_end > parts.chain;
	limit(&chain, size - (parts.chain_end - parts.chain) - (parts.copy_end - parts.copy));
	to = put(to, record, parts.chain);
	*to++ = chain.kept + chain.markers + chain.user_nr;
	to = put(to, record + parts.chain + 8, has_chain ? chain.kept * 8 : 0);
	for (unsigned i = 0; i < chain.markers; i++)
		*to++ = (uint64_t)PERF_CONTEXT_USER;
	to = put(to, chain.user, chain.user_nr * 8);
	to = put(to, record + parts.chain_end, parts.copy - parts.chain_end);
	to = put(to, record + parts.copy_end, size - parts.copy_end);
	size = (size_t)((unsigned char *)to - distiller->written);
	le_put16(distiller->written + 6, (uint16_t)size);
	return perf_packer_add(distiller->packer, distiller->written, size, err);
}

static bool go_on(const struct distiller *distiller, uint64_t done)
{
	const struct perf_distill_job *job = distiller->job;

	return !job->progress || job->progress->show(job->progress->data, (int64_t)done,
						     (int64_t)distiller->file.size);
}

/* perf writes its own records uncompressed, and so do we: they divide the file into rounds. */
static int visit(void *data, uint64_t location, const unsigned char *record, size_t size,
		 struct err *err)
{
	struct distiller *distiller = data;
	struct perf_events *events = &distiller->file.events;
	uint32_t type = le_get32(record), event;

	if (!(location & PERF_UNPACKED) && !go_on(distiller, location))
		return err_set(err, ERR_FAILED, "stopped");
	if (type == PERF_COMPRESSED || type == PERF_COMPRESSED2)
		return 0;
	if (type == PERF_AUXTRACE || type == PERF_HEADER_TRACING_DATA)
		return err_set(err, ERR_UNSUPPORTED, "it has a record of type %" PRIu32, type);
	if (type >= PERF_HEADER_ATTR)
		return perf_packer_write(distiller->packer, record, size, err);
	if (type == PERF_SAMPLE) {
		event = perf_events_of_sample(events, record, size);
		if (event != PERF_NO_EVENT && perf_event_has_copies(&events->v[event])) {
			memcpy(distiller->sample, record, size);
			return write_sample(distiller, location, &events->v[event], size, err);
		}
	}
	return perf_packer_add(distiller->packer, record, size, err);
}

static int write_records(struct distiller *distiller, struct err *err)
{
	struct perf_file *file = &distiller->file;
	struct perf_walk *walk = &distiller->walk;
	int rc;

	perf_walk_init(walk, file, false, false, &perf_limits_usual);
	walk->visitor = (struct perf_visitor){ distiller, visit };
	rc = perf_walk_prepare(walk, err);
	if (!rc)
		rc = perf_walk_next(walk, err);
	if (!rc && file->stop)
		rc = err_set(err, ERR_CORRUPT, "%s is damaged", file->stop);
	return rc ? -1 : perf_packer_flush(distiller->packer, err);
}

static struct strbuf *add_feature(struct distiller *distiller, unsigned number)
{
	ARRAY_ADD(distiller->features, distiller->features_nr, distiller->features_alloc,
		  (struct feature){ number, STRBUF_INIT });
	return &distiller->features[distiller->features_nr - 1].data;
}

/* The descriptions of the events have the attrs once more: see read_event_names() in perf_file.c. */
static void change_event_names(const struct perf_events *events, struct strbuf *data)
{
	struct byte_cursor cursor = { (const unsigned char *)data->buf, data->len };
	uint32_t nr, size, ids, text;

	if (!byte_cursor_take32(&cursor, &nr) || !byte_cursor_take32(&cursor, &size) ||
	    size < PERF_ATTR_MIN)
		return;
	for (uint32_t i = 0; i < nr && i < events->nr; i++) {
		size_t at = data->len - cursor.left;

		if (!byte_cursor_take(&cursor, size) || !byte_cursor_take32(&cursor, &ids) ||
		    !byte_cursor_take32(&cursor, &text) || !byte_cursor_take(&cursor, text) ||
		    !byte_cursor_take(&cursor, (uint64_t)ids * 8))
			return;
		if (perf_event_has_copies(&events->v[i]))
			change_attr((unsigned char *)data->buf + at, size);
	}
}

/* u32 version, type (1: zstd), level, ratio, room for a decompressed record. */
static void add_compressed(struct strbuf *data, uint64_t unpacked, uint64_t packed)
{
	add32(data, 0);
	add32(data, 1);
	add32(data, PERF_PACKED_LEVEL);
	add32(data, packed ? (uint32_t)((unpacked + packed / 2) / packed) : 1);
	add32(data, UNPACKED_MAX);
}

static void add_distilled(const struct distiller *distiller, struct strbuf *data)
{
	const struct perf_file *file = &distiller->file;
	size_t nr;
	const struct perf_frame *frames = perf_packer_frames(distiller->packer, &nr);

	add32(data, PERF_DISTILLED_VERSION);
	add32(data, file->counters.truncated ? PERF_DISTILLED_TRUNCATED : 0);
	add64(data, file->counters.missing_bytes);
	add32(data, (uint32_t)file->events.nr);
	for (size_t i = 0; i < file->events.nr; i++) {
		const struct perf_event *event = &file->events.v[i];

		add32(data, (perf_event_has_copies(event) ? PERF_DISTILLED_COPIES : 0) |
				    (event->user_chain ? PERF_DISTILLED_CHAINS : 0));
	}
	if (file->events.nr % 2 == 0)
		add32(data, 0);
	add64(data, nr);
	for (size_t i = 0; i < nr; i++) {
		add64(data, distiller->data_start + frames[i].offset);
		add64(data, frames[i].unpacked);
	}
}

/* The features of the original, ours added or replaced. `bits` are the header's. */
static int make_features(struct distiller *distiller, unsigned char *bits, struct err *err)
{
	const struct perf_file *file = &distiller->file;
	uint64_t at = file->data_end, packed = perf_packer_size(distiller->packer);
	unsigned char entry[16];

	for (unsigned i = 0; i < PERF_FEATURES; i++) {
		bool had = bits[i / 8] >> i % 8 & 1 && file->has_features;
		struct strbuf *data;

		bits[i / 8] &= (unsigned char)~(1 << i % 8);
		if (had && trace_input_read(distiller->job->input, at, entry, sizeof(entry), err) !=
				   sizeof(entry))
			return err->msg ? -1 : err_set(err, ERR_CORRUPT, "it became shorter");
		at += had ? sizeof(entry) : 0;
		if (!had && i != PERF_FEATURE_COMPRESSED && i != PERF_FEATURE_DISTILLED)
			continue;
		bits[i / 8] |= (unsigned char)(1 << i % 8);
		data = add_feature(distiller, i);
		if (i == PERF_FEATURE_COMPRESSED)
			add_compressed(data, perf_packer_unpacked(distiller->packer), packed);
		else if (i == PERF_FEATURE_DISTILLED)
			add_distilled(distiller, data);
		else if (read_in(distiller, le_get64(entry), le_get64(entry + 8), data, err))
			return -1;
		if (i == PERF_FEATURE_EVENT_DESC)
			change_event_names(&file->events, data);
	}
	return 0;
}

/* The places of the features, then their contents. */
static int write_features(struct distiller *distiller, struct err *err)
{
	uint64_t at = distiller->data_start + perf_packer_size(distiller->packer);
	struct strbuf list = STRBUF_INIT;
	int rc;

	at += 16 * distiller->features_nr;
	for (size_t i = 0; i < distiller->features_nr; i++) {
		add64(&list, at);
		add64(&list, distiller->features[i].data.len);
		at += distiller->features[i].data.len;
	}
	rc = write_out(distiller, list.buf, list.len, err);
	for (size_t i = 0; i < distiller->features_nr && !rc; i++)
		rc = write_out(distiller, distiller->features[i].data.buf,
			       distiller->features[i].data.len, err);
	strbuf_release(&list);
	return rc;
}

static int write_header(struct distiller *distiller, const unsigned char *header, struct err *err)
{
	if (fs_seek(distiller->job->out, 0, SEEK_SET))
		return err_set_errno(err, errno, "cannot write '%s'", distiller->job->to);
	return write_out(distiller, header, PERF_HEADER_SIZE, err);
}

static int write_all(struct distiller *distiller, struct err *err)
{
	unsigned char header[PERF_HEADER_SIZE] = { 0 };

	if (trace_input_read(distiller->job->input, 0, header, sizeof(header), err) < 0)
		return -1;
	le_put64(header + 8, PERF_HEADER_SIZE);
	if (write_out(distiller, header, sizeof(header), err) ||
	    write_events(distiller, header, err) || write_records(distiller, err))
		return -1;
	le_put64(header + PERF_HEADER_DATA, distiller->data_start);
	le_put64(header + PERF_HEADER_DATA + 8, perf_packer_size(distiller->packer));
	memset(header + PERF_HEADER_TYPES, 0, 16);
	if (make_features(distiller, header + PERF_HEADER_FEATURES, err) ||
	    write_features(distiller, err))
		return -1;
	return write_header(distiller, header, err);
}

static int run(struct distiller *distiller, struct err *err)
{
	const struct perf_distill_job *job = distiller->job;

	if (perf_file_open(&distiller->file, job->input, job->from, &distiller->facts, err))
		return -1;
	distiller->result->already = distiller->file.distilled;
	if (distiller->result->already)
		return 0;
	if (distiller->file.pipe)
		return err_set(err, ERR_UNSUPPORTED, "it was recorded through a pipe");
	distiller->packer = perf_packer_new(job->out, job->to, err);
	return distiller->packer ? write_all(distiller, err) : -1;
}

static void release(struct distiller *distiller)
{
	perf_packer_free(distiller->packer);
	perf_walk_release(&distiller->walk);
	perf_file_release(&distiller->file);
	trace_facts_release(&distiller->facts);
	for (size_t i = 0; i < distiller->features_nr; i++)
		strbuf_release(&distiller->features[i].data);
	free(distiller->features);
	free(distiller);
}

int perf_distill(const struct perf_distill_job *job, struct perf_distill_result *result,
		 struct err *err)
{
	struct distiller *distiller = xcalloc(1, sizeof(*distiller));
	int rc;

	*result = (struct perf_distill_result){ 0 };
	distiller->job = job;
	distiller->result = result;
	trace_facts_init(&distiller->facts);
	rc = run(distiller, err);
	if (rc)
		err_wrap(err, "cannot distill '%s'", job->from);
	release(distiller);
	return rc;
}
