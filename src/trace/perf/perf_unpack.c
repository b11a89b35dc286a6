#include "trace/perf/perf_unpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

#include "util/alloc.h"

struct perf_unpack {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	unsigned char *out;
	size_t out_nr;
	bool full; /* there may be more without further input */
};

struct perf_unpack *perf_unpack_new(void)
{
	struct perf_unpack *unpack = xcalloc(1, sizeof(*unpack));

	unpack->out_nr = ZSTD_DStreamOutSize();
	unpack->out = xmalloc(unpack->out_nr);
	unpack->context = ZSTD_createDCtx();
	return unpack;
}

void perf_unpack_free(struct perf_unpack *unpack)
{
	if (!unpack)
		return;
	ZSTD_freeDCtx(unpack->context);
	free(unpack->out);
	free(unpack);
}

void perf_unpack_feed(struct perf_unpack *unpack, const unsigned char *bytes, size_t nr)
{
	unpack->in = (ZSTD_inBuffer){ bytes, nr, 0 };
}

int perf_unpack_next(struct perf_unpack *unpack, const unsigned char **bytes, size_t *nr,
		     const char **why)
{
	ZSTD_outBuffer out = { unpack->out, unpack->out_nr, 0 };
	size_t rc;

	if (!unpack->context) {
		*why = "out of memory";
		return -1;
	}
	while (unpack->full || unpack->in.pos < unpack->in.size) {
		rc = ZSTD_decompressStream(unpack->context, &out, &unpack->in);
		if (ZSTD_isError(rc)) {
			*why = ZSTD_getErrorName(rc);
			return -1;
		}
		unpack->full = out.pos == out.size;
		if (!out.pos)
			continue;
		*bytes = unpack->out;
		*nr = out.pos;
		return 1;
	}
	return 0;
}
