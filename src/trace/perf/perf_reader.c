#include "trace/perf/perf_reader.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_batch.h"
#include "platform/pipeline.h"
#include "util/alloc.h"
#include "util/array.h"

struct perf_reader {
	struct trace_input input;
	struct perf_file file;
	struct perf_walk walk;
	struct perf_progress progress;
	struct perf_accounting accounting;
	struct trace_facts *facts; /* borrowed */
	/* Decoded batches; the accounting moves their contents to `batches`. */
	struct perf_batch decoded[PIPELINE_SLOTS], batches[PIPELINE_SLOTS];
	struct pipeline *decoding, *pipeline;
	bool ended;
};

/* Copy the facts of a batch, as known when it was decoded, to the reader's facts. */
static void publish(struct trace_facts *facts, const struct perf_batch *batch)
{
	facts->counters = batch->counters;
	for (size_t i = facts->counts_nr; i < batch->counts_nr; i++)
		trace_facts_add_count(facts, xstrdup(batch->counts[i].name), 0,
				      batch->counts[i].stacks);
	for (size_t i = 0; i < batch->counts_nr; i++)
		facts->counts[i].nr = batch->counts[i].nr;
	if (!facts->first_damage.len && batch->first_damage)
		strbuf_adds(&facts->first_damage, batch->first_damage);
	if (!facts->stop)
		facts->stop = xstrdup_or_null(batch->stop);
}

/* Decode the next batch that has at least one record that may become an event. */
static int decode(void *data, size_t slot, struct err *err)
{
	struct perf_reader *reader = data;
	struct perf_batch *batch = &reader->decoded[slot];
	struct perf_walk *walk = &reader->walk;
	int rc;

	do {
		perf_batch_clear(batch, walk);
		rc = walk->ready ? 1 : perf_walk_next(walk, err);
		if (rc > 0 && perf_batch_fill(batch, walk, &reader->progress, err))
			rc = -1;
	} while (rc > 0 && !batch->nr);
	perf_batch_count(batch, walk, &reader->progress);
	return rc;
}

static int account(void *data, size_t slot, struct err *err)
{
	struct perf_reader *reader = data;
	struct perf_batch used = reader->batches[slot];
	size_t from;
	int rc = pipeline_next(reader->decoding, &from, err);

	reader->batches[slot] = reader->decoded[from];
	reader->decoded[from] = used;
	perf_batch_account(&reader->batches[slot], &reader->accounting);
	return rc;
}

/* After the last event: the steps that follow may need more memory than reading. */
static void free_buffers(struct perf_reader *reader)
{
	pipeline_free(reader->pipeline);
	pipeline_free(reader->decoding);
	reader->pipeline = reader->decoding = NULL;
	for (size_t i = 0; i < PIPELINE_SLOTS; i++) {
		perf_batch_release(&reader->decoded[i]);
		perf_batch_release(&reader->batches[i]);
	}
	perf_walk_free_buffers(&reader->walk);
}

int perf_reader_next(struct perf_reader *reader, const struct trace_event **events, size_t *nr,
		     struct err *err)
{
	struct perf_batch *batch;
	size_t slot;
	int rc;

	if (reader->ended)
		return 0;
	do {
		rc = pipeline_next(reader->pipeline, &slot, err);
		batch = &reader->batches[slot];
		publish(reader->facts, batch);
	} while (rc > 0 && !batch->nr);
	if (rc <= 0) {
		reader->ended = true;
		free_buffers(reader);
		return rc;
	}
	*events = batch->events;
	*nr = batch->nr;
	return 1;
}

static void start(struct perf_reader *reader, int threads, const struct perf_limits *limits)
{
	for (size_t i = 0; i < (threads > 1 ? PIPELINE_SLOTS : 1); i++) {
		perf_batch_init(&reader->decoded[i], limits);
		perf_batch_init(&reader->batches[i], limits);
	}
	perf_batch_count(&reader->batches[0], &reader->walk, &reader->progress);
	publish(reader->facts, &reader->batches[0]);
	reader->decoding = pipeline_new(decode, reader, threads);
	reader->pipeline = pipeline_new(account, reader, threads);
}

int perf_reader_open(struct trace_input *input, const char *path,
		     const struct trace_options *options, const struct perf_limits *limits,
		     struct trace_facts *facts, struct perf_reader **reader, struct err *err)
{
	struct perf_reader *made = xcalloc(1, sizeof(*made));

	made->input = *input;
	made->facts = facts;
	perf_progress_init(&made->progress, options->base_ns);
	if (perf_file_open(&made->file, &made->input, path, facts, err)) {
		perf_file_release(&made->file);
		perf_progress_release(&made->progress);
		trace_input_close(&made->input);
		free(made);
		return -1;
	}
	perf_walk_init(&made->walk, &made->file, options->cpu, options->memory, limits);
	if (perf_walk_prepare(&made->walk, err)) {
		perf_reader_free(made);
		return -1;
	}
	start(made, options->threads, limits);
	*reader = made;
	return 0;
}

void perf_reader_free(struct perf_reader *reader)
{
	if (!reader)
		return;
	free_buffers(reader);
	perf_accounting_release(&reader->accounting);
	perf_progress_release(&reader->progress);
	perf_walk_release(&reader->walk);
	perf_file_release(&reader->file);
	trace_input_close(&reader->input);
	free(reader);
}

static int probe(const unsigned char *head, size_t nr)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };

	for (size_t i = 0; i < ARRAY_SIZE(magics) && nr >= 8; i++) {
		if (memcmp(head, magics[i], 8) == 0)
			return 100;
	}
	return 0;
}

static int open_path(const struct strvec *paths, const struct trace_options *options,
		     struct trace_facts *facts, void **reader, struct err *err)
{
	const char *path = paths->v[0];
	struct trace_input input;
	struct perf_reader *made;

	if (trace_input_open(&input, path, err) ||
	    perf_reader_open(&input, path, options, &perf_limits_usual, facts, &made, err))
		return -1;
	*reader = made;
	return 0;
}

static int next(void *reader, const struct trace_event **events, size_t *nr, struct err *err)
{
	return perf_reader_next(reader, events, nr, err);
}

static void free_reader(void *reader)
{
	perf_reader_free(reader);
}

const struct trace_format perf_format = {
	.name = "perf.data",
	.probe = probe,
	.open = open_path,
	.next = next,
	.free = free_reader,
};
