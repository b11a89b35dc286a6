#include "platform/gzip_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "platform/stream.h"
#include "platform/thread.h"
#include "util/alloc.h"

/* Texts that repeat themselves compress well at any level, and this one is several times faster than the default. */
#define LEVEL 1

/* The largest window, with the header of gzip. */
#define WINDOW_BITS (15 + 16)

#define CHUNK ((size_t)256 << 10)

struct gzip_stream {
	FILE *in, *from; /* the ends of a pipe: what is written into `in` is read from `from` */
	FILE *to;
	struct thread *thread;
	z_stream z;
	unsigned char *read, *packed;
	int errnum; /* of reading */
};

/* Compress what was read. After a failed write the rest is compressed for nothing: the writer must not wait. */
static void pack(struct gzip_stream *stream, size_t nr, int flush)
{
	z_stream *z = &stream->z;

	z->next_in = stream->read;
	z->avail_in = (unsigned int)nr;
	do {
		z->next_out = stream->packed;
		z->avail_out = (unsigned int)CHUNK;
		deflate(z, flush);
		if (!ferror(stream->to))
			fwrite(stream->packed, 1, CHUNK - z->avail_out, stream->to);
	} while (!z->avail_out);
}

static void pack_all(void *data)
{
	struct gzip_stream *stream = data;
	size_t nr;

	errno = 0;
	while ((nr = fread(stream->read, 1, CHUNK, stream->from)) > 0)
		pack(stream, nr, Z_NO_FLUSH);
	if (ferror(stream->from))
		stream->errnum = errno ? errno : EIO;
	pack(stream, 0, Z_FINISH);
}

static void release(struct gzip_stream *stream)
{
	if (stream->in)
		fclose(stream->in);
	if (stream->from)
		fclose(stream->from);
	deflateEnd(&stream->z);
	free(stream->read);
	free(stream->packed);
	free(stream);
}

int gzip_stream_open(FILE *to, struct gzip_stream **stream, struct err *err)
{
	struct gzip_stream *made = xcalloc(1, sizeof(*made));
	int rc = 0;

	made->to = to;
	made->read = xmalloc(CHUNK);
	made->packed = xmalloc(CHUNK);
	if (deflateInit2(&made->z, LEVEL, Z_DEFLATED, WINDOW_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		rc = err_set(err, ERR_FAILED, "cannot compress: zlib does not start");
	else if (!stream_pipe(&made->from, &made->in))
		rc = err_set_errno(err, errno, "cannot create a pipe");
	if (!rc)
		rc = thread_start(pack_all, made, &made->thread, err);
	if (rc) {
		release(made);
		return -1;
	}
	setvbuf(made->in, NULL, _IOFBF, CHUNK);
	*stream = made;
	return 0;
}

FILE *gzip_stream_file(struct gzip_stream *stream)
{
	return stream->in;
}

int gzip_stream_close(struct gzip_stream *stream, struct err *err)
{
	int failed = fclose(stream->in) ? errno : 0, rc = 0;

	stream->in = NULL;
	thread_join(stream->thread);
	if (!failed)
		failed = stream->errnum;
	if (failed)
		rc = err_set_errno(err, failed, "cannot compress");
	release(stream);
	return rc;
}
