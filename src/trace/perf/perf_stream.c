#include "trace/perf/perf_stream.h"

#include <string.h>

#include "trace/perf/perf_format.h"

int perf_stream_record(struct perf_stream *stream, uint64_t offset, const unsigned char **record,
		       size_t *size, struct err *err)
{
	struct perf_blocks *blocks = &stream->blocks;
	size_t got;
	int rc;

	if (perf_blocks_look(blocks, offset, record, &got, err))
		return -1;
	*size = got >= PERF_RECORD_HEADER ? le_get16(*record + 6) : 0;
	if (*size >= PERF_RECORD_HEADER && *size <= got)
		return 1;
	rc = perf_blocks_peek(blocks, offset, PERF_RECORD_HEADER, stream->scratch, record, err);
	stream->begun = rc > 0;
	if (rc <= 0)
		return rc;
	memcpy(stream->header, *record, PERF_RECORD_HEADER);
	*size = le_get16(stream->header + 6);
	if (*size < PERF_RECORD_HEADER)
		return 0;
	return perf_blocks_peek(blocks, offset, *size, stream->scratch, record, err);
}

uint64_t perf_record_payload(const unsigned char *record, size_t size)
{
	switch (le_get32(record)) {
	case PERF_AUXTRACE:
		return size >= 16 ? le_get64(record + 8) : 0;
	case PERF_HEADER_TRACING_DATA: /* u32 size of the data, which is padded to a multiple of 8 */
		return size >= 12 ? ((uint64_t)le_get32(record + 8) + 7) & ~UINT64_C(7) : 0;
	default:
		return 0;
	}
}

bool perf_record_compressed(const unsigned char *record, size_t size, const unsigned char **bytes,
			    size_t *nr)
{
	switch (le_get32(record)) {
	case PERF_COMPRESSED:
		*bytes = record + PERF_RECORD_HEADER;
		*nr = size - PERF_RECORD_HEADER;
		return true;
	case PERF_COMPRESSED2: /* u64 size of what is compressed, after which there is padding */
		*bytes = record + PERF_RECORD_HEADER + 8;
		if (size < PERF_RECORD_HEADER + 8 ||
		    le_get64(record + 8) > size - PERF_RECORD_HEADER - 8)
			return false;
		*nr = (size_t)le_get64(record + 8);
		return true;
	default:
		return false;
	}
}
