#include "trace/perf/perf_decompressor.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "platform/thread.h"
#include "util/alloc.h"

#define RECORD_BYTES ((size_t)64 << 10)

/* Records and pieces that may wait: some milliseconds of work. */
#define RECORDS 32
#define PIECES  64

/* Decompress so many bytes at once, or all that there are: it decides how many are found before damage. */
#define PIECE_BYTES ((size_t)32 << 10)

/* Compressed bytes of a record. */
struct input {
	size_t nr;
	unsigned char bytes[RECORD_BYTES];
};

struct piece {
	size_t nr;
	bool last;       /* of its record */
	const char *why; /* NULL, or why it cannot be decompressed */
	unsigned char bytes[PIECE_BYTES];
};

struct perf_decompressor {
	/* Of who decompresses: */
	ZSTD_DCtx *context;
	size_t pos; /* in the oldest input */
	/* Of the user: */
	bool at_end; /* the piece taken last was the last one of its record */

	struct thread *thread; /* NULL: the user decompresses */
	struct monitor *monitor;
	/* Protected by the monitor: numbers of inputs added and decompressed, of pieces made, taken and no longer used. */
	size_t added, done, made, taken, returned;
	bool stop;
	struct input inputs[RECORDS];
	struct piece pieces[PIECES];
};

/* Decompress a piece of the oldest input, to the next slot. */
static void decompress(struct perf_decompressor *decompressor)
{
	const struct input *input = &decompressor->inputs[decompressor->done % RECORDS];
	struct piece *piece = &decompressor->pieces[decompressor->made % PIECES];
	ZSTD_inBuffer in = { input->bytes, input->nr, decompressor->pos };
	ZSTD_outBuffer out = { piece->bytes, PIECE_BYTES, 0 };
	size_t rc = 0;

	piece->why = NULL;
	if (!decompressor->context)
		piece->why = "out of memory";
	else if (input->nr)
		rc = ZSTD_decompressStream(decompressor->context, &out, &in);
	if (ZSTD_isError(rc))
		piece->why = ZSTD_getErrorName(rc);
	piece->nr = out.pos;
	/* A full piece: there may be more without further input. */
	piece->last = out.pos < out.size && in.pos == in.size;
	decompressor->pos = piece->last ? 0 : in.pos;
}

/* Count the piece that decompress() made. Returns false after damage. */
static bool publish(struct perf_decompressor *decompressor)
{
	const struct piece *piece = &decompressor->pieces[decompressor->made % PIECES];

	decompressor->made++;
	decompressor->done += piece->last;
	return !piece->why;
}

static void run(void *data)
{
	struct perf_decompressor *decompressor = data;
	bool sound = true;

	monitor_enter(decompressor->monitor);
	while (sound && !decompressor->stop) {
		if (decompressor->done == decompressor->added ||
		    decompressor->made - decompressor->returned == PIECES) {
			monitor_wait(decompressor->monitor);
			continue;
		}
		monitor_leave(decompressor->monitor);
		decompress(decompressor);
		monitor_enter(decompressor->monitor);
		sound = publish(decompressor);
		monitor_wake(decompressor->monitor);
	}
	monitor_leave(decompressor->monitor);
}

struct perf_decompressor *perf_decompressor_new(int threads)
{
	struct perf_decompressor *decompressor = xcalloc(1, sizeof(*decompressor));
	struct err err = ERR_INIT;

	decompressor->context = ZSTD_createDCtx();
	decompressor->monitor = monitor_new();
	/* If no thread can be started, the user decompresses. */
	if (threads > 1 && thread_start(run, decompressor, &decompressor->thread, &err)) {
		decompressor->thread = NULL;
		err_clear(&err);
	}
	return decompressor;
}

void perf_decompressor_free(struct perf_decompressor *decompressor)
{
	if (!decompressor)
		return;
	if (decompressor->thread) {
		monitor_enter(decompressor->monitor);
		decompressor->stop = true;
		monitor_wake(decompressor->monitor);
		monitor_leave(decompressor->monitor);
		thread_join(decompressor->thread);
	}
	monitor_free(decompressor->monitor);
	ZSTD_freeDCtx(decompressor->context);
	free(decompressor);
}

bool perf_decompressor_has_room(struct perf_decompressor *decompressor)
{
	bool has;

	monitor_enter(decompressor->monitor);
	has = decompressor->added - decompressor->done < RECORDS;
	monitor_leave(decompressor->monitor);
	return has;
}

void perf_decompressor_add(struct perf_decompressor *decompressor, const void *bytes, size_t nr)
{
	struct input *input = &decompressor->inputs[decompressor->added % RECORDS];

	input->nr = nr < RECORD_BYTES ? nr : RECORD_BYTES;
	memcpy(input->bytes, bytes, input->nr);
	monitor_enter(decompressor->monitor);
	decompressor->added++;
	monitor_wake(decompressor->monitor);
	monitor_leave(decompressor->monitor);
}

/* The next piece, once it is made. The one before may be overwritten. */
static const struct piece *take(struct perf_decompressor *decompressor)
{
	monitor_enter(decompressor->monitor);
	decompressor->returned = decompressor->taken;
	if (!decompressor->thread) {
		decompress(decompressor);
		publish(decompressor);
	}
	monitor_wake(decompressor->monitor);
	while (decompressor->made == decompressor->taken)
		monitor_wait(decompressor->monitor);
	monitor_leave(decompressor->monitor);
	return &decompressor->pieces[decompressor->taken++ % PIECES];
}

int perf_decompressor_next(struct perf_decompressor *decompressor, const unsigned char **bytes,
			   size_t *nr, const char **why)
{
	const struct piece *piece;

	if (decompressor->at_end) {
		decompressor->at_end = false;
		return 0;
	}
	piece = take(decompressor);
	*why = piece->why;
	if (piece->why)
		return -1;
	decompressor->at_end = piece->last;
	*bytes = piece->bytes;
	*nr = piece->nr;
	return 1;
}
