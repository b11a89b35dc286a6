#include "trace/perf/perf_packer.h"

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

struct perf_packer {
	FILE *file;
	const char *path;
	ZSTD_CCtx *context;
	unsigned char in[PERF_PACKED_BYTES];
	size_t in_nr;
	unsigned char record[PERF_RECORD_MAX];
	struct perf_frame *frames;
	size_t frames_nr, frames_alloc;
	bool in_frame;
	uint64_t written, unpacked;
};

struct perf_packer *perf_packer_new(FILE *file, const char *path, struct err *err)
{
	struct perf_packer *packer = xcalloc(1, sizeof(*packer));

	packer->file = file;
	packer->path = path;
	packer->context = ZSTD_createCCtx();
	if (packer->context &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel,
						 PERF_PACKED_LEVEL)))
		return packer;
	perf_packer_free(packer);
	err_set(err, ERR_FAILED, "cannot write '%s': out of memory", path);
	return NULL;
}

void perf_packer_free(struct perf_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->context);
	free(packer->frames);
	free(packer);
}

static int write_bytes(struct perf_packer *packer, const void *bytes, size_t nr, struct err *err)
{
	if (nr && fwrite(bytes, nr, 1, packer->file) != 1)
		return err_set_errno(err, errno, "cannot write '%s'", packer->path);
	packer->written += nr;
	return 0;
}

/* Compress what is waiting into one record, the last one of its frame or not. */
static int write_packed(struct perf_packer *packer, bool last, struct err *err)
{
	ZSTD_inBuffer in = { packer->in, packer->in_nr, 0 };
	ZSTD_outBuffer out = { packer->record, sizeof(packer->record), PERF_RECORD_HEADER };
	size_t rc;

	if (!packer->in_frame)
		ARRAY_ADD(packer->frames, packer->frames_nr, packer->frames_alloc,
			  (struct perf_frame){ packer->written, packer->unpacked });
	rc = ZSTD_compressStream2(packer->context, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
	if (rc)
		return err_set(err, ERR_FAILED, "cannot write '%s': %s", packer->path,
			       ZSTD_isError(rc) ? ZSTD_getErrorName(rc)
						: "compressed records do not fit");
	packer->in_frame = !last;
	packer->unpacked += packer->in_nr;
	packer->in_nr = 0;
	le_put32(packer->record, PERF_COMPRESSED);
	le_put16(packer->record + 4, 0);
	le_put16(packer->record + 6, (uint16_t)out.pos);
	return write_bytes(packer, packer->record, out.pos, err);
}

static uint64_t frame_bytes(const struct perf_packer *packer)
{
	uint64_t start = packer->in_frame ? packer->frames[packer->frames_nr - 1].unpacked
					  : packer->unpacked;

	return packer->unpacked + packer->in_nr - start;
}

int perf_packer_add(struct perf_packer *packer, const void *record, size_t nr, struct err *err)
{
	const unsigned char *from = record;

	/* Bytes are left for the end of a frame: nothing may decompress to nothing. */
	while (nr) {
		size_t room = sizeof(packer->in) - packer->in_nr, some = nr < room ? nr : room;

		if (!room && write_packed(packer, false, err))
			return -1;
		memcpy(packer->in + packer->in_nr, from, some);
		packer->in_nr += some;
		from += some;
		nr -= some;
	}
	return frame_bytes(packer) >= FRAME_BYTES ? write_packed(packer, true, err) : 0;
}

int perf_packer_write(struct perf_packer *packer, const void *bytes, size_t nr, struct err *err)
{
	return perf_packer_flush(packer, err) || write_bytes(packer, bytes, nr, err) ? -1 : 0;
}

int perf_packer_flush(struct perf_packer *packer, struct err *err)
{
	return packer->in_nr ? write_packed(packer, false, err) : 0;
}

uint64_t perf_packer_size(const struct perf_packer *packer)
{
	return packer->written;
}

uint64_t perf_packer_unpacked(const struct perf_packer *packer)
{
	return packer->unpacked;
}

const struct perf_frame *perf_packer_frames(const struct perf_packer *packer, size_t *nr)
{
	*nr = packer->frames_nr;
	return packer->frames;
}
