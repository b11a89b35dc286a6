#include "trace/perf/perf_rewrite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_compressor.h"
#include "trace/perf/perf_walk.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"
#include "util/little_endian.h"
#include "util/strbuf.h"

#define DECOMPRESSED_MAX 65536 /* what perf makes room for when it decompresses a record */

/* A feature of the header, with its new contents. */
struct feature {
	unsigned number;
	struct strbuf data;
};

struct rewriter {
	const struct perf_rewrite_job *job;
	struct trace_facts facts;
	struct perf_file file;
	struct perf_walk walk;
	struct perf_compressor *compressor;
	struct perf_rewrite_result *result;
	bool begins_truncated; /* its header showed that it is truncated */
	uint64_t no_code;      /* stands for what is no address */
	uint64_t data_start;   /* in `out` */
	struct feature *features;
	size_t features_nr, features_alloc;
	struct strbuf scrubbed; /* a record, or the raw data of a sample */
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

static int write_out(struct rewriter *rewriter, const void *bytes, size_t nr, struct err *err)
{
	if (nr && fwrite(bytes, nr, 1, rewriter->job->out) != 1)
		return err_set_errno(err, errno, "cannot write '%s'", rewriter->job->to);
	return 0;
}

/* Append bytes of the original. */
static int read_in(struct rewriter *rewriter, uint64_t offset, uint64_t nr, struct strbuf *sb,
		   struct err *err)
{
	uint64_t size = rewriter->file.size;
	unsigned char *bytes;
	int64_t got;

	if (offset > size || nr > size - offset || nr > PERF_SECTION_MAX)
		return err_set(err, ERR_CORRUPT, "a section of %" PRIu64 " bytes at 0x%" PRIx64, nr,
			       offset);
	bytes = xmalloc((size_t)nr + 1);
	got = trace_input_read(rewriter->job->input, offset, bytes, (size_t)nr, err);
	if (got >= 0)
		strbuf_add(sb, bytes, (size_t)got);
	free(bytes);
	if (got >= 0 && (uint64_t)got < nr)
		return err_set(err, ERR_CORRUPT, "the file was truncated while it was read");
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

/* Whether its samples have copies that are to be replaced. */
static bool is_distilled_now(const struct perf_event *event)
{
	return perf_event_has_copies(event) && !event->distilled;
}

/* The ids of all events, then their attrs with the new places of the ids. */
static int write_events(struct rewriter *rewriter, unsigned char *header, struct err *err)
{
	uint64_t each = le_get64(header + PERF_HEADER_ATTR_SIZE);
	struct strbuf attrs = STRBUF_INIT, ids = STRBUF_INIT;
	const struct perf_events *events = &rewriter->file.events;
	int rc = read_in(rewriter, le_get64(header + PERF_HEADER_ATTRS), each * events->nr, &attrs,
			 err);

	for (size_t i = 0; i < events->nr && !rc; i++) {
		unsigned char *attr = (unsigned char *)attrs.buf + i * each;
		unsigned char *section = attr + each - 16;
		uint64_t at = PERF_HEADER_SIZE + ids.len;

		rc = read_in(rewriter, le_get64(section), le_get64(section + 8), &ids, err);
		le_put64(section, at);
		if (is_distilled_now(&events->v[i]))
			change_attr(attr, each - 16);
	}
	le_put64(header + PERF_HEADER_ATTRS, PERF_HEADER_SIZE + ids.len);
	le_put64(header + PERF_HEADER_ATTRS + 8, attrs.len);
	rewriter->data_start = PERF_HEADER_SIZE + ids.len + attrs.len;
	if (!rc)
		rc = write_out(rewriter, ids.buf, ids.len, err);
	if (!rc)
		rc = write_out(rewriter, attrs.buf, attrs.len, err);
	strbuf_release(&attrs);
	strbuf_release(&ids);
	return rc;
}

/* A call chain to be written: the first entries of the old one, markers of the user part, and its addresses. */
struct new_chain {
	const uint64_t *old;
	uint64_t leaf[2]; /* the old one, if the event has none */
	uint64_t kept;
	unsigned markers;
	const uint64_t *user;
	size_t user_nr;
};

/* The entries of a call chain before its user part. */
static uint64_t count_kernel(const uint64_t *chain, uint64_t nr, int mode)
{
	uint64_t i = 0;

	if (perf_chain_begin(chain, nr, mode) == PERF_CONTEXT_USER)
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

/* The old call chain. Where the event has none, the kernel's part is what readers take for it. Returns its length. */
static uint64_t find_chain(const struct perf_sample *sample, const unsigned char *record,
			   const struct perf_sample_parts *parts, struct new_chain *to)
{
	const uint64_t *chain = (const uint64_t *)(const void *)(record + parts->chain);

	if (parts->chain_end > parts->chain) {
		to->old = chain + 1;
		return *chain;
	}
	to->old = to->leaf;
	if (!sample->stack.kernel_nr)
		return 0;
	to->leaf[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	to->leaf[1] = sample->stack.kernel[0];
	return ARRAY_SIZE(to->leaf);
}

static void choose_chain(struct rewriter *rewriter, uint64_t location,
			 const struct perf_sample *sample, const unsigned char *record,
			 const struct perf_sample_parts *parts, struct new_chain *to)
{
	uint64_t nr = find_chain(sample, record, parts, to), kernel;
	enum stack_origin origin = STACK_TRUNCATED;
	bool found;

	to->kept = nr;
	to->markers = 0;
	to->user = NULL;
	to->user_nr = 0;
	if (!parts->has_copy)
		return;
	kernel = count_kernel(to->old, nr, le_get16(record + 4) & PERF_MISC_CPUMODE);
	found = perf_chains_get(rewriter->job->chains, location, &to->user, &to->user_nr, &origin);
	rewriter->result->copies++;
	rewriter->result->without_frames += !found;
	/* A copy without frames does not replace the chain by frame pointers. */
	if (!found && has_address(to->old + kernel, nr - kernel))
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

/* Bytes of the count, the entries that are kept, and the most markers. */
static size_t least_size(const struct new_chain *chain)
{
	return (size_t)(1 + chain->kept + (chain->markers ? STACK_TRUNCATED + 1 : 0)) * 8;
}

/* The outer frames for which a record has no room are left out. */
static void limit(struct new_chain *chain, size_t others)
{
	size_t used = others + least_size(chain);
	size_t room = used < PERF_RECORD_MAX ? PERF_RECORD_MAX - used : 0;

	if (chain->user_nr <= room / 8)
		return;
	chain->user_nr = room / 8;
	chain->markers = STACK_TRUNCATED + 1;
}

/* Put the first entries of the old chain. Markers that are repeated there would say that it was unwound. */
static uint64_t *put_kept(uint64_t *to, const struct new_chain *chain)
{
	const uint64_t *old = chain->old;

	for (uint64_t i = 0; i < chain->kept; i++)
		if (!i || old[i] != (uint64_t)PERF_CONTEXT_USER || old[i - 1] != old[i])
			*to++ = old[i];
	return to;
}

static uint64_t *put_chain(uint64_t *to, const struct new_chain *chain)
{
	uint64_t *nr = to++;

	to = put_kept(to, chain);
	for (unsigned i = 0; i < chain->markers; i++)
		*to++ = (uint64_t)PERF_CONTEXT_USER;
	to = put(to, chain->user, chain->user_nr * 8);
	*nr = (uint64_t)(to - nr - 1);
	return to;
}

/* `chain` is the number of entries and these. Kernel addresses are found by the kernel's own tables. */
static void replace_words(struct rewriter *rewriter, uint64_t *chain, int mode)
{
	uint64_t nr = *chain++;
	int64_t kind = perf_chain_begin(chain, nr, mode);

	for (uint64_t i = 0; i < nr; i++) {
		if (chain[i] >= PERF_CONTEXT_FIRST)
			kind = perf_chain_next(kind, chain[i]);
		else if (kind != PERF_CONTEXT_KERNEL && chain[i] != rewriter->no_code &&
			 !perf_code_has(rewriter->job->code, chain[i])) {
			chain[i] = rewriter->no_code;
			rewriter->result->words++;
		}
	}
}

/* The raw data of a sample, as it was or scrubbed. */
static const void *take_raw(struct rewriter *rewriter, const struct perf_event *event,
			    const unsigned char *record, const struct perf_sample *sample,
			    const struct perf_sample_parts *parts, size_t *nr)
{
	struct strbuf *raw = &rewriter->scrubbed;

	*nr = parts->raw_end - parts->raw;
	if (!rewriter->job->scrub || !*nr)
		return record + parts->raw;
	strbuf_clear(raw);
	perf_scrub_raw(rewriter->job->scrub, &rewriter->file.tracing, event, sample, raw);
	*nr = raw->len;
	return raw->buf;
}

/* Write a sample, aligned to 8 bytes, without its stack copy and words of memory, and with its raw data scrubbed. */
static int write_sample(struct rewriter *rewriter, uint64_t location,
			const struct perf_event *event, const unsigned char *record, size_t size,
			struct err *err)
{
	uint64_t *to = (uint64_t *)(void *)rewriter->written, *chain_at;
	struct perf_sample_parts parts;
	struct perf_sample sample;
	struct new_chain chain;
	const void *raw;
	size_t raw_nr, others, chain_size;

	if (!perf_sample_locate(event, record, size, &sample, &parts)) {
		/* Views count it as damage, in the new file too. */
		if (!rewriter->job->scrub && !is_distilled_now(event))
			return perf_compressor_add(rewriter->compressor, record, size, err);
		return err_set(err, ERR_CORRUPT, "a sample lacks fields at 0x%" PRIx64,
			       PERF_OFFSET(location));
	}
	sample.event = (uint32_t)(event - rewriter->file.events.v);
	/* Registers without stack bytes are no copy: they stay, as the event says that its samples have them. */
	if (!is_distilled_now(event))
		parts.copy_end = parts.copy;
	raw = take_raw(rewriter, event, record, &sample, &parts, &raw_nr);
	others = parts.chain + (parts.copy - parts.raw_end) + (size - parts.copy_end) + raw_nr;
	chain_size = parts.chain_end - parts.chain;
	if (is_distilled_now(event)) {
		choose_chain(rewriter, location, &sample, record, &parts, &chain);
		limit(&chain, others);
		chain_size = least_size(&chain);
	}
	if (others + chain_size > PERF_RECORD_MAX)
		return err_set(err, ERR_UNSUPPORTED, "a sample is too large at 0x%" PRIx64,
			       PERF_OFFSET(location));
	to = chain_at = put(to, record, parts.chain);
	if (is_distilled_now(event))
		to = put_chain(to, &chain);
	else
		to = put(to, record + parts.chain, chain_size);
	if (to > chain_at)
		replace_words(rewriter, chain_at, le_get16(record + 4) & PERF_MISC_CPUMODE);
	to = put(to, raw, raw_nr);
	to = put(to, record + parts.raw_end, parts.copy - parts.raw_end);
	to = put(to, record + parts.copy_end, size - parts.copy_end);
	size = (size_t)((unsigned char *)to - rewriter->written);
	le_put16(rewriter->written + 6, (uint16_t)size);
	return perf_compressor_add(rewriter->compressor, rewriter->written, size, err);
}

/* perf writes its own records uncompressed, and so do we: they divide the file into rounds. */
static int write_record(struct rewriter *rewriter, uint64_t location, const unsigned char *record,
			size_t size, struct err *err)
{
	struct strbuf *scrubbed = &rewriter->scrubbed;
	int kept;

	if (rewriter->job->scrub) {
		strbuf_clear(scrubbed);
		kept = perf_scrub_record(rewriter->job->scrub, &rewriter->file.events, record, size,
					 scrubbed);
		if (kept < 0)
			return err_set(
				err, ERR_CORRUPT,
				"a record of type %" PRIu32
				" lacks fields, or has a name that is too long, at 0x%" PRIx64,
				le_get32(record), PERF_OFFSET(location));
		if (!kept)
			return 0;
		record = (const unsigned char *)scrubbed->buf;
		size = scrubbed->len;
	}
	if (le_get32(record) >= PERF_HEADER_ATTR)
		return perf_compressor_write(rewriter->compressor, record, size, err);
	return perf_compressor_add(rewriter->compressor, record, size, err);
}

static int visit(void *data, uint64_t location, const unsigned char *record, size_t size,
		 struct err *err)
{
	struct rewriter *rewriter = data;
	struct perf_events *events = &rewriter->file.events;
	uint32_t type = le_get32(record), event;

	if (!(location & PERF_DECOMPRESSED) &&
	    progress_show(rewriter->job->progress, "writing the trace", (int64_t)location,
			  (int64_t)rewriter->file.size, err))
		return -1;
	if (type == PERF_COMPRESSED || type == PERF_COMPRESSED2)
		return 0;
	if (type == PERF_AUXTRACE || type == PERF_HEADER_TRACING_DATA)
		return err_set(err, ERR_UNSUPPORTED, "it has a record of type %" PRIu32, type);
	if (type != PERF_SAMPLE)
		return write_record(rewriter, location, record, size, err);
	event = perf_events_of_sample(events, record, size);
	if (event == PERF_NO_EVENT)
		return err_set(err, ERR_CORRUPT, "a sample of an unknown event at 0x%" PRIx64,
			       PERF_OFFSET(location));
	if (rewriter->job->scrub || is_distilled_now(&events->v[event]) ||
	    events->v[event].sample_type & PERF_SAMPLE_CALLCHAIN) {
		/* Most are aligned, and a stack copy of 64 KB is not even read then. */
		if ((uintptr_t)record % 8) {
			memcpy(rewriter->sample, record, size);
			record = rewriter->sample;
		}
		return write_sample(rewriter, location, &events->v[event], record, size, err);
	}
	return perf_compressor_add(rewriter->compressor, record, size, err);
}

/* A file without records is one that is still being written, which has no features yet: a record that says nothing. */
static int write_if_none(struct rewriter *rewriter, struct err *err)
{
	unsigned char record[PERF_RECORD_HEADER] = { PERF_FINISHED_ROUND, [6] = sizeof(record) };

	if (perf_compressor_size(rewriter->compressor))
		return 0;
	return perf_compressor_write(rewriter->compressor, record, sizeof(record), err);
}

static int write_records(struct rewriter *rewriter, struct err *err)
{
	struct perf_file *file = &rewriter->file;
	struct perf_walk *walk = &rewriter->walk;
	int rc;

	perf_walk_init(walk, file, NULL, &perf_limits_usual);
	walk->visitor = (struct perf_visitor){ rewriter, visit };
	rc = perf_walk_prepare(walk, err);
	if (!rc)
		rc = perf_walk_next(walk, err);
	if (!rc && file->stop)
		rc = err_set(err, ERR_CORRUPT, "%s is damaged", file->stop);
	if (!rc && file->lost_records)
		rc = err_set(err, ERR_CORRUPT, "compressed records are damaged");
	if (!rc && rewriter->job->scrub && rewriter->result->words)
		perf_scrub_note_words(rewriter->job->scrub, rewriter->result->words);
	if (!rc && rewriter->job->scrub && file->counters.damaged)
		rc = err_set(err, ERR_CORRUPT, "%s is damaged", file->first_damage.buf);
	if (!rc)
		rc = perf_compressor_flush(rewriter->compressor, err);
	return rc ? -1 : write_if_none(rewriter, err);
}

/* A text of a feature: u32 size, and so many bytes with the NUL and zeros. */
static bool take_name(struct byte_cursor *cursor, struct strbuf *name)
{
	uint32_t size;
	const unsigned char *at =
		byte_cursor_take32(cursor, &size) ? byte_cursor_take(cursor, size) : NULL;

	strbuf_clear(name);
	if (at)
		strbuf_add(name, at, size);
	return at;
}

static void scrub_name(struct rewriter *rewriter, const struct perf_event *event,
		       struct strbuf *name)
{
	struct strbuf text = STRBUF_INIT;

	if (!rewriter->job->scrub)
		return;
	strbuf_adds(&text, name->buf);
	perf_scrub_event_name(rewriter->job->scrub, event, &text);
	do
		strbuf_addc(&text, '\0');
	while (text.len % PERF_NAME_ALIGN);
	strbuf_release(name);
	*name = text;
}

/*
 * The descriptions of the events have the attrs once more: see read_event_names() in perf_file.c. False: they are damaged.
 */
static bool change_event_names(struct rewriter *rewriter, struct strbuf *data)
{
	const struct perf_events *events = &rewriter->file.events;
	struct byte_cursor cursor = { (const unsigned char *)data->buf, data->len };
	struct strbuf to = STRBUF_INIT, name = STRBUF_INIT;
	const unsigned char *attr, *list = cursor.at;
	uint32_t nr, size, ids;
	bool whole = byte_cursor_take32(&cursor, &nr) && byte_cursor_take32(&cursor, &size) &&
		     size >= PERF_ATTR_MIN && nr <= events->nr;

	strbuf_add(&to, data->buf, whole ? 8 : 0);
	for (uint32_t i = 0; whole && i < nr; i++) {
		size_t at = to.len;

		attr = byte_cursor_take(&cursor, size);
		whole = attr && byte_cursor_take32(&cursor, &ids) && take_name(&cursor, &name);
		list = whole ? byte_cursor_take(&cursor, (uint64_t)ids * 8) : NULL;
		whole = list;
		if (!whole)
			break;
		strbuf_add(&to, attr, size);
		if (is_distilled_now(&events->v[i]))
			change_attr((unsigned char *)to.buf + at, size);
		scrub_name(rewriter, &events->v[i], &name);
		add32(&to, ids);
		add32(&to, (uint32_t)name.len);
		strbuf_add(&to, name.buf, name.len);
		strbuf_add(&to, list, (size_t)ids * 8);
	}
	strbuf_release(&name);
	if (whole) {
		strbuf_release(data);
		*data = to;
		return true;
	}
	strbuf_release(&to);
	return false;
}

/* u32 version, type (1: zstd), level, ratio, room for a decompressed record. */
static void add_compressed(struct strbuf *data, uint64_t decompressed, uint64_t compressed)
{
	add32(data, 0);
	add32(data, 1);
	add32(data, PERF_COMPRESSED_LEVEL);
	add32(data, compressed ? (uint32_t)((decompressed + compressed / 2) / compressed) : 1);
	add32(data, DECOMPRESSED_MAX);
}

static void add_distilled(const struct rewriter *rewriter, struct strbuf *data)
{
	const struct perf_file *file = &rewriter->file;
	size_t nr;
	const struct perf_frame *frames = perf_compressor_frames(rewriter->compressor, &nr);
	uint32_t flags = 0;

	add32(data, PERF_DISTILLED_VERSION);
	if (rewriter->begins_truncated)
		flags = PERF_DISTILLED_TRUNCATED;
	else if (file->counters.truncated)
		flags = PERF_DISTILLED_TRUNCATED | PERF_DISTILLED_AT_END;
	add32(data, flags);
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
		add64(data, rewriter->data_start + frames[i].offset);
		add64(data, frames[i].decompressed);
	}
}

/* The contents of a feature. 1; 0: it is left out; -1: failure. */
static int make_feature(struct rewriter *rewriter, unsigned number, const unsigned char *section,
			struct strbuf *data, struct err *err)
{
	struct perf_scrub *scrub = rewriter->job->scrub;

	if (number == PERF_FEATURE_COMPRESSED)
		add_compressed(data, perf_compressor_decompressed(rewriter->compressor),
			       perf_compressor_size(rewriter->compressor));
	else if (number == PERF_FEATURE_DISTILLED)
		add_distilled(rewriter, data);
	else if (read_in(rewriter, le_get64(section), le_get64(section + 8), data, err))
		return -1;
	else if (number == PERF_FEATURE_EVENT_DESC)
		return change_event_names(rewriter, data) || !scrub;
	else if (scrub)
		return perf_scrub_feature(scrub, number, data);
	return 1;
}

/* The features of the original, ours added or replaced. `bits` are the header's. */
static int make_features(struct rewriter *rewriter, unsigned char *bits, struct err *err)
{
	const struct perf_file *file = &rewriter->file;
	uint64_t at = file->data_end;
	unsigned char entry[16];

	for (unsigned i = 0; i < PERF_FEATURES; i++) {
		bool had = bits[i / 8] >> i % 8 & 1 && file->has_features;
		struct strbuf data = STRBUF_INIT;
		int rc;

		bits[i / 8] &= (unsigned char)~(1 << i % 8);
		if (had && trace_input_read(rewriter->job->input, at, entry, sizeof(entry), err) !=
				   sizeof(entry))
			return err->msg ? -1
					: err_set(err, ERR_CORRUPT,
						  "the file was truncated while it was read");
		at += had ? sizeof(entry) : 0;
		if (!had && i != PERF_FEATURE_COMPRESSED && i != PERF_FEATURE_DISTILLED)
			continue;
		rc = make_feature(rewriter, i, entry, &data, err);
		if (rc > 0) {
			bits[i / 8] |= (unsigned char)(1 << i % 8);
			ARRAY_ADD(rewriter->features, rewriter->features_nr,
				  rewriter->features_alloc, (struct feature){ i, data });
		} else {
			strbuf_release(&data);
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* The places of the features, then their contents. */
static int write_features(struct rewriter *rewriter, struct err *err)
{
	uint64_t at = rewriter->data_start + perf_compressor_size(rewriter->compressor);
	struct strbuf list = STRBUF_INIT;
	int rc;

	at += 16 * rewriter->features_nr;
	for (size_t i = 0; i < rewriter->features_nr; i++) {
		add64(&list, at);
		add64(&list, rewriter->features[i].data.len);
		at += rewriter->features[i].data.len;
	}
	rc = write_out(rewriter, list.buf, list.len, err);
	for (size_t i = 0; i < rewriter->features_nr && !rc; i++)
		rc = write_out(rewriter, rewriter->features[i].data.buf,
			       rewriter->features[i].data.len, err);
	strbuf_release(&list);
	return rc;
}

static int write_header(struct rewriter *rewriter, const unsigned char *header, struct err *err)
{
	if (fs_seek(rewriter->job->out, 0, SEEK_SET))
		return err_set_errno(err, errno, "cannot write '%s'", rewriter->job->to);
	return write_out(rewriter, header, PERF_HEADER_SIZE, err);
}

static int write_all(struct rewriter *rewriter, struct err *err)
{
	unsigned char header[PERF_HEADER_SIZE] = { 0 };

	if (trace_input_read(rewriter->job->input, 0, header, sizeof(header), err) < 0)
		return -1;
	le_put64(header + 8, PERF_HEADER_SIZE);
	if (write_out(rewriter, header, sizeof(header), err) ||
	    write_events(rewriter, header, err) || write_records(rewriter, err))
		return -1;
	le_put64(header + PERF_HEADER_DATA, rewriter->data_start);
	le_put64(header + PERF_HEADER_DATA + 8, perf_compressor_size(rewriter->compressor));
	memset(header + PERF_HEADER_TYPES, 0, 16);
	if (make_features(rewriter, header + PERF_HEADER_FEATURES, err) ||
	    write_features(rewriter, err))
		return -1;
	return write_header(rewriter, header, err);
}

/* Stack bytes that no registers belong to cannot be unwound, and perf writes none. */
static int check_copies(const struct perf_events *events, struct err *err)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event *event = &events->v[i];

		if (event->sample_type & PERF_SAMPLE_STACK_USER && !perf_event_has_copies(event))
			return err_set(err, ERR_UNSUPPORTED,
				       "its event %zu has stack bytes without registers", i);
	}
	return 0;
}

static int run(struct rewriter *rewriter, struct err *err)
{
	const struct perf_rewrite_job *job = rewriter->job;

	if (perf_file_open(&rewriter->file, job->input, job->from, &rewriter->facts, err))
		return -1;
	rewriter->begins_truncated = rewriter->file.counters.truncated;
	rewriter->result->already = rewriter->file.distilled;
	if (rewriter->result->already && !job->scrub)
		return 0;
	if (rewriter->file.pipe)
		return err_set(err, ERR_UNSUPPORTED, "it was recorded through a pipe");
	/* Damage of the header and of features would be gone, and views would no longer report it. */
	if (rewriter->file.counters.damaged)
		return err_set(err, ERR_CORRUPT, "%s is damaged", rewriter->file.first_damage.buf);
	if (check_copies(&rewriter->file.events, err))
		return -1;
	if (job->scrub && perf_scrub_check(&rewriter->file.events, job->chains, err))
		return -1;
	rewriter->compressor = perf_compressor_new(job->out, job->to, err);
	return rewriter->compressor ? write_all(rewriter, err) : -1;
}

static void release(struct rewriter *rewriter)
{
	perf_compressor_free(rewriter->compressor);
	perf_walk_release(&rewriter->walk);
	perf_file_release(&rewriter->file);
	trace_facts_release(&rewriter->facts);
	for (size_t i = 0; i < rewriter->features_nr; i++)
		strbuf_release(&rewriter->features[i].data);
	strbuf_release(&rewriter->scrubbed);
	free(rewriter->features);
	free(rewriter);
}

int perf_rewrite(const struct perf_rewrite_job *job, struct perf_rewrite_result *result,
		 struct err *err)
{
	struct rewriter *rewriter = xcalloc(1, sizeof(*rewriter));
	int rc;

	*result = (struct perf_rewrite_result){ 0 };
	rewriter->job = job;
	rewriter->scrubbed = (struct strbuf)STRBUF_INIT;
	rewriter->result = result;
	rewriter->no_code = perf_code_free_address(job->code);
	trace_facts_init(&rewriter->facts);
	rc = run(rewriter, err);
	if (rc)
		err_wrap(err, "cannot %s '%s'", job->scrub ? "scrub" : "distill", job->from);
	release(rewriter);
	return rc;
}
