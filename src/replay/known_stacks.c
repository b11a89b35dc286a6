#include "replay/known_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "platform/cost.h"
#include "platform/file.h"
#include "replay/zstd_text.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/little_endian.h"

#define MAGIC      "stacks\n"
#define MAGIC_SIZE 8
#define HASH_SIZE  (HASH_TEXT_SIZE - 1)
#define HEAD_SIZE  (MAGIC_SIZE + 4 + HASH_SIZE + 3 * 8)

#define LEVEL 6

/* Numbers pass through a part of so many bytes. */
#define PART ((size_t)64 << 10)

/* Of a trace, so many blocks, evenly spread, are hashed: it is compressed, so that few are the same in another. */
#define FINGERPRINT_BLOCKS 64
#define FINGERPRINT_BLOCK  ((size_t)4096)

/* The first one begins the file, the last one ends it. */
static uint64_t offset_of_block(uint64_t size, uint64_t at)
{
	uint64_t last = size > FINGERPRINT_BLOCK ? size - FINGERPRINT_BLOCK : 0;

	return at == FINGERPRINT_BLOCKS - 1 ? last : last / (FINGERPRINT_BLOCKS - 1) * at;
}

int trace_fingerprint_read(const char *path, struct trace_fingerprint *fingerprint, struct err *err)
{
	unsigned char block[FINGERPRINT_BLOCK], size_text[8];
	struct file_at *file;
	struct hash hash;
	uint64_t size;
	int64_t got = 0;

	if (file_at_open(path, &file, err))
		return -1;
	size = (uint64_t)file_at_size(file);
	le_put64(size_text, size);
	hash_init(&hash);
	hash_add(&hash, size_text, sizeof(size_text));
	for (uint64_t i = 0; i < FINGERPRINT_BLOCKS && got >= 0; i++) {
		got = file_at_read(file, offset_of_block(size, i), block, sizeof(block), err);
		if (got > 0)
			hash_add(&hash, block, (size_t)got);
	}
	hash_text(&hash, fingerprint->hash);
	file_at_close(file);
	return got < 0 ? -1 : 0;
}

struct writer {
	ZSTD_CCtx *context;
	struct strbuf *text;
	unsigned char part[PART];
	size_t nr;
	bool failed;
};

static void compress_part(struct writer *writer, ZSTD_EndDirective end)
{
	if (!zstd_text_add(writer->context, writer->part, writer->nr, end, writer->text))
		writer->failed = true;
	else
		writer->nr = 0;
}

static unsigned char *make_room(struct writer *writer, size_t nr)
{
	if (writer->nr + nr > PART)
		compress_part(writer, ZSTD_e_continue);
	writer->nr += nr;
	return writer->part + writer->nr - nr;
}

static void put32(struct writer *writer, uint32_t value)
{
	le_put32(make_room(writer, 4), value);
}

static void add_columns(struct writer *writer, const struct machine *machine)
{
	const struct stack_table *stacks = &machine->stacks;
	const struct known_stacks *known = &machine->known_stacks;

	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		put32(writer, stacks->frames[i].module);
	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		le_put64(make_room(writer, 8), stacks->frames[i].offset);
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		put32(writer, (uint32_t)i - stacks->nodes[i].parent);
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		put32(writer, stacks->nodes[i].frame);
	for (size_t i = 0; i < known->nr; i++)
		put32(writer, known->v[i]);
	compress_part(writer, ZSTD_e_end);
}

int known_stacks_add_text(const struct machine *machine,
			  const struct trace_fingerprint *fingerprint, struct strbuf *text,
			  struct err *err)
{
	unsigned char head[HEAD_SIZE] = MAGIC, *at = head + MAGIC_SIZE;
	struct writer *writer = xcalloc(1, sizeof(*writer));
	int rc = 0;

	le_put32(at, KNOWN_STACKS_VERSION);
	memcpy(at + 4, fingerprint->hash, HASH_SIZE);
	at += 4 + HASH_SIZE;
	le_put64(at, machine->stacks.frames_nr - FRAME_FIRST);
	le_put64(at + 8, machine->stacks.nodes_nr - (STACK_EMPTY + 1));
	le_put64(at + 16, machine->known_stacks.nr);
	strbuf_add(text, head, sizeof(head));
	writer->text = text;
	writer->context = ZSTD_createCCtx();
	writer->failed = !writer->context ||
			 ZSTD_isError(ZSTD_CCtx_setParameter(writer->context,
							     ZSTD_c_compressionLevel, LEVEL));
	if (!writer->failed)
		add_columns(writer, machine);
	if (writer->failed)
		rc = err_set(err, ERR_FAILED, "zstd cannot compress");
	ZSTD_freeCCtx(writer->context);
	free(writer);
	return rc;
}

struct reader {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	unsigned char part[PART];
	size_t at, nr;
};

/*
 * The next values of `width` bytes, a divisor of PART, as all of a column have the same: *nr of them, 1 to `most`. NULL:
 * there are none.
 */
static const unsigned char *next(struct reader *reader, size_t width, size_t most, size_t *nr)
{
	size_t left = reader->nr - reader->at;
	ZSTD_outBuffer out = { reader->part, PART, left };

	if (left < width) {
		memmove(reader->part, reader->part + reader->at, left);
		while (out.pos < width) {
			size_t before = out.pos, in_before = reader->in.pos;

			if (ZSTD_isError(
				    ZSTD_decompressStream(reader->context, &out, &reader->in)) ||
			    (out.pos == before && reader->in.pos == in_before))
				return NULL;
		}
		reader->nr = out.pos;
		reader->at = 0;
		left = out.pos;
	}
	*nr = left / width < most ? left / width : most;
	reader->at += *nr * width;
	return reader->part + reader->at - *nr * width;
}

/* What a file has; arrays grow with what is read, not with what it promises. */
struct content {
	struct frame *frames;
	size_t frames_nr, frames_alloc;
	struct stack_node *nodes;
	size_t nodes_nr, nodes_alloc;
	uint32_t *samples;
	size_t samples_nr, samples_alloc;
};

static void content_release(struct content *content)
{
	free(content->frames);
	free(content->nodes);
	free(content->samples);
	*content = (struct content){ .frames = NULL };
}

/* `counts` are of frames, stacks and samples; arrays grow with the first column of their kind. */
static bool read_frames(struct reader *reader, const uint64_t counts[3], struct content *content)
{
	const unsigned char *at;
	size_t nr;

	ARRAY_GROW(content->frames, FRAME_FIRST, content->frames_alloc);
	content->frames_nr = FRAME_FIRST;
	for (uint64_t left = counts[0]; left; left -= nr) {
		at = next(reader, 4, left, &nr);
		if (!at)
			return false;
		ARRAY_GROW(content->frames, content->frames_nr + nr, content->frames_alloc);
		for (size_t i = 0; i < nr; i++)
			content->frames[content->frames_nr++] =
				(struct frame){ .module = le_get32(at + 4 * i) };
	}
	for (size_t first = FRAME_FIRST; first < content->frames_nr; first += nr) {
		at = next(reader, 8, content->frames_nr - first, &nr);
		if (!at)
			return false;
		for (size_t i = 0; i < nr; i++)
			content->frames[first + i].offset = le_get64(at + 8 * i);
	}
	return true;
}

static bool read_nodes(struct reader *reader, const uint64_t counts[3], struct content *content)
{
	const unsigned char *at;
	size_t nr;

	ARRAY_GROW(content->nodes, STACK_EMPTY + 1, content->nodes_alloc);
	content->nodes_nr = STACK_EMPTY + 1;
	for (uint64_t left = counts[1]; left; left -= nr) {
		at = next(reader, 4, left, &nr);
		if (!at)
			return false;
		ARRAY_GROW(content->nodes, content->nodes_nr + nr, content->nodes_alloc);
		for (size_t i = 0; i < nr; i++) {
			uint32_t less = le_get32(at + 4 * i), id = (uint32_t)content->nodes_nr;

			if (less > id)
				return false;
			content->nodes[content->nodes_nr++] =
				(struct stack_node){ .parent = id - less };
		}
	}
	for (size_t first = STACK_EMPTY + 1; first < content->nodes_nr; first += nr) {
		at = next(reader, 4, content->nodes_nr - first, &nr);
		if (!at)
			return false;
		for (size_t i = 0; i < nr; i++)
			content->nodes[first + i].frame = le_get32(at + 4 * i);
	}
	return true;
}

static bool read_samples(struct reader *reader, const uint64_t counts[3], struct content *content)
{
	size_t nr;

	for (uint64_t left = counts[2]; left; left -= nr) {
		const unsigned char *at = next(reader, 4, left, &nr);

		if (!at)
			return false;
		ARRAY_GROW(content->samples, content->samples_nr + nr, content->samples_alloc);
		for (size_t i = 0; i < nr; i++) {
			uint32_t value = le_get32(at + 4 * i);

			if (value >> 1 >= content->nodes_nr)
				return false;
			content->samples[content->samples_nr++] = value;
		}
	}
	return true;
}

/* Whether so many may be in a file of `len` bytes. */
static bool may_have(const uint64_t counts[3], size_t len)
{
	uint64_t most = cost_records_max(len);

	return counts[0] <= most / 12 && counts[1] <= most / 8 && counts[2] <= most / 4 &&
	       counts[0] <= UINT32_MAX - FRAME_FIRST && counts[1] < KNOWN_STACK_MAX;
}

static bool fill(struct machine *machine, struct content *content)
{
	bool ok = stack_table_fill(&machine->stacks, content->frames, content->frames_nr,
				   content->nodes, content->nodes_nr);

	content->frames = NULL;
	content->nodes = NULL;
	if (!ok)
		return false;
	machine->known_stacks = (struct known_stacks){ content->samples, content->samples_nr };
	content->samples = NULL;
	return true;
}

int known_stacks_parse(const char *text, size_t len, const struct trace_fingerprint *fingerprint,
		       struct machine *machine, struct err *err)
{
	const unsigned char *at = (const unsigned char *)text;
	struct content content = { .frames = NULL };
	struct reader *reader;
	uint64_t counts[3];
	bool ok;

	if (len < HEAD_SIZE || memcmp(at, MAGIC, MAGIC_SIZE) != 0)
		return err_set(err, ERR_CORRUPT, "it is no file of stacks");
	at += MAGIC_SIZE;
	if (le_get32(at) != KNOWN_STACKS_VERSION ||
	    memcmp(at + 4, fingerprint->hash, HASH_SIZE) != 0)
		return 1;
	at += 4 + HASH_SIZE;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		counts[i] = le_get64(at + 8 * i);
	/* Known stacks are those of samples: without any, nothing would say that there are some. */
	if (!counts[2])
		return err_set(err, ERR_CORRUPT, "it has no samples");
	if (!may_have(counts, len))
		return err_set(err, ERR_CORRUPT,
			       "it claims more stacks than its %zu bytes can have", len);
	reader = xcalloc(1, sizeof(*reader));
	reader->context = ZSTD_createDCtx();
	reader->in = (ZSTD_inBuffer){ text + HEAD_SIZE, len - HEAD_SIZE, 0 };
	ok = reader->context && read_frames(reader, counts, &content) &&
	     read_nodes(reader, counts, &content) && read_samples(reader, counts, &content);
	ZSTD_freeDCtx(reader->context);
	free(reader);
	ok = ok && fill(machine, &content);
	content_release(&content);
	return ok ? 0 : err_set(err, ERR_CORRUPT, "its stacks are damaged");
}
