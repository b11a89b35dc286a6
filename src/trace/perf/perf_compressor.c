#include "trace/perf/perf_compressor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/perf/perf_format.h"
#include "trace/perf/perf_walk.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/little_endian.h"

/* A frame ends after so many decompressed bytes: larger ones compress better, but fewer can be decompressed at once. */
#define FRAME_BYTES ((uint64_t)4 << 20)

struct perf_compressor {
	FILE *file;
	const char *path;
	ZSTD_CCtx *context;
	unsigned char in[PERF_COMPRESSED_BYTES];
	size_t in_nr;
	unsigned char record[PERF_RECORD_MAX];
	struct perf_frame *frames;
	size_t frames_nr, frames_alloc;
	bool in_frame;
	uint64_t written, decompressed;
};

struct perf_compressor *perf_compressor_new(FILE *file, const char *path, struct err *err)
{
	struct perf_compressor *compressor = xcalloc(1, sizeof(*compressor));

	compressor->file = file;
	compressor->path = path;
	compressor->context = ZSTD_createCCtx();
	if (compressor->context &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_compressionLevel,
						 PERF_COMPRESSED_LEVEL)))
		return compressor;
	perf_compressor_free(compressor);
	err_set(err, ERR_FAILED, "cannot write '%s': out of memory", path);
	return NULL;
}

void perf_compressor_free(struct perf_compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCCtx(compressor->context);
	free(compressor->frames);
	free(compressor);
}

static int write_bytes(struct perf_compressor *compressor, const void *bytes, size_t nr,
		       struct err *err)
{
	if (nr && fwrite(bytes, nr, 1, compressor->file) != 1)
		return err_set_errno(err, errno, "cannot write '%s'", compressor->path);
	compressor->written += nr;
	return 0;
}

/* Compress what is waiting into one record, the last one of its frame or not. */
static int write_compressed(struct perf_compressor *compressor, bool last, struct err *err)
{
	ZSTD_inBuffer in = { compressor->in, compressor->in_nr, 0 };
	ZSTD_outBuffer out = { compressor->record, sizeof(compressor->record), PERF_RECORD_HEADER };
	size_t rc;

	if (!compressor->in_frame)
		ARRAY_ADD(compressor->frames, compressor->frames_nr, compressor->frames_alloc,
			  (struct perf_frame){ compressor->written, compressor->decompressed });
	rc = ZSTD_compressStream2(compressor->context, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
	if (rc)
		return err_set(err, ERR_FAILED, "cannot write '%s': %s", compressor->path,
			       ZSTD_isError(rc) ? ZSTD_getErrorName(rc)
						: "compressed records do not fit");
	compressor->in_frame = !last;
	compressor->decompressed += compressor->in_nr;
	compressor->in_nr = 0;
	le_put32(compressor->record, PERF_COMPRESSED);
	le_put16(compressor->record + 4, 0);
	le_put16(compressor->record + 6, (uint16_t)out.pos);
	return write_bytes(compressor, compressor->record, out.pos, err);
}

static uint64_t frame_bytes(const struct perf_compressor *compressor)
{
	uint64_t start = compressor->in_frame
				 ? compressor->frames[compressor->frames_nr - 1].decompressed
				 : compressor->decompressed;

	return compressor->decompressed + compressor->in_nr - start;
}

int perf_compressor_add(struct perf_compressor *compressor, const void *record, size_t nr,
			struct err *err)
{
	const unsigned char *from = record;

	/* Bytes are left for the end of a frame: nothing may decompress to nothing. */
	while (nr) {
		size_t room = sizeof(compressor->in) - compressor->in_nr,
		       some = nr < room ? nr : room;

		if (!room && write_compressed(compressor, false, err))
			return -1;
		memcpy(compressor->in + compressor->in_nr, from, some);
		compressor->in_nr += some;
		from += some;
		nr -= some;
	}
	return frame_bytes(compressor) >= FRAME_BYTES ? write_compressed(compressor, true, err) : 0;
}

int perf_compressor_write(struct perf_compressor *compressor, const void *bytes, size_t nr,
			  struct err *err)
{
	return perf_compressor_flush(compressor, err) || write_bytes(compressor, bytes, nr, err)
		       ? -1
		       : 0;
}

int perf_compressor_flush(struct perf_compressor *compressor, struct err *err)
{
	return compressor->in_nr ? write_compressed(compressor, false, err) : 0;
}

uint64_t perf_compressor_size(const struct perf_compressor *compressor)
{
	return compressor->written;
}

uint64_t perf_compressor_decompressed(const struct perf_compressor *compressor)
{
	return compressor->decompressed;
}

const struct perf_frame *perf_compressor_frames(const struct perf_compressor *compressor,
						size_t *nr)
{
	*nr = compressor->frames_nr;
	return compressor->frames;
}
