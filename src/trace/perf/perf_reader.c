#include "trace/perf/perf_reader.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_batch.h"
#include "trace/pipeline.h"
#include "util/alloc.h"
#include "util/array.h"

struct perf_reader {
	struct trace_input input;
	struct perf_file file;
	struct perf_walk walk;
	struct perf_telling telling;
	struct perf_accounting accounting;
	struct trace_facts *facts; /* the user's */
	struct perf_batch batches[PIPELINE_SLOTS];
	struct pipeline *pipeline;
	bool ended;
};

static void copy_string(char **to, const char *from)
{
	if (!*to)
		*to = xstrdup_or_null(from);
}

static void copy_counts(struct trace_facts *facts, const struct perf_batch *batch)
{
	for (size_t i = facts->counts_nr; i < batch->counts_nr; i++)
		trace_facts_count(facts, xstrdup(batch->counts[i].name), 0,
				  batch->counts[i].stacks);
	for (size_t i = 0; i < batch->counts_nr; i++)
		facts->counts[i].nr = batch->counts[i].nr;
}

/* What was known when the batch was made becomes what the user sees. */
static void publish(struct trace_facts *facts, const struct perf_batch *batch)
{
	const struct trace_facts *from = &batch->facts;

	copy_string(&facts->format, from->format);
	copy_string(&facts->hostname, from->hostname);
	copy_string(&facts->os_release, from->os_release);
	copy_string(&facts->arch, from->arch);
	copy_string(&facts->cpu_model, from->cpu_model);
	copy_string(&facts->tool_version, from->tool_version);
	copy_string(&facts->clock, from->clock);
	copy_string(&facts->cpu_event, from->cpu_event);
	copy_string(&facts->cpu_refusal, from->cpu_refusal);
	copy_string(&facts->cpu_note, from->cpu_note);
	copy_string(&facts->memory_refusal, from->memory_refusal);
	copy_string(&facts->stop, from->stop);
	if (!facts->command_line.nr)
		strvec_push_all(&facts->command_line, &from->command_line);
	if (!facts->first_damage.len)
		strbuf_add(&facts->first_damage, from->first_damage.buf, from->first_damage.len);
	if (!facts->first_damage.len && batch->damaged_calls)
		strbuf_adds(&facts->first_damage, "a system call that lacks fields");
	copy_counts(facts, batch);
	facts->cpus = from->cpus;
	facts->memory_bytes = from->memory_bytes;
	facts->base_ns = from->base_ns;
	facts->first_ns = from->first_ns;
	facts->last_ns = from->last_ns;
	facts->has_memory = from->has_memory;
	facts->sampled_stacks = from->sampled_stacks;
	facts->stack_copies = from->stack_copies;
	facts->stack_copies_unmatched = batch->unmatched;
	facts->headless = batch->headless_calls;
	facts->lost = from->lost;
	facts->unordered = from->unordered;
	facts->untimed = from->untimed;
	facts->damaged = from->damaged + batch->damaged_calls;
	facts->unknown = from->unknown;
	facts->cut = from->cut;
	facts->missing = from->missing;
	facts->unread = from->unread;
}

/* The next batch with what may become an event in it. */
static int make(void *data, size_t slot, struct err *err)
{
	struct perf_reader *reader = data;
	struct perf_batch *batch = &reader->batches[slot];
	struct perf_walk *walk = &reader->walk;
	int rc;

	do {
		perf_batch_clear(batch, walk);
		rc = walk->ready ? 1 : perf_walk_on(walk, err);
		if (rc > 0 && perf_batch_fill(batch, walk, &reader->telling, err))
			rc = -1;
	} while (rc > 0 && !batch->nr);
	perf_batch_facts(batch, walk, &reader->telling);
	return rc;
}

static void account(void *data, size_t slot)
{
	struct perf_reader *reader = data;

	perf_batch_account(&reader->batches[slot], &reader->accounting);
}

/* What is done with the events begins, and may take more memory than reading did. */
static void rest(struct perf_reader *reader)
{
	pipeline_free(reader->pipeline);
	reader->pipeline = NULL;
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		perf_batch_release(&reader->batches[i]);
	perf_walk_rest(&reader->walk);
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
		rest(reader);
		return rc;
	}
	*events = batch->events;
	*nr = batch->nr;
	return 1;
}

static int start(struct perf_reader *reader, int threads, const struct perf_limits *limits,
		 struct err *err)
{
	for (size_t i = 0; i < (threads > 1 ? PIPELINE_SLOTS : 1); i++)
		perf_batch_init(&reader->batches[i], limits);
	perf_batch_facts(&reader->batches[0], &reader->walk, &reader->telling);
	publish(reader->facts, &reader->batches[0]);
	return pipeline_new(make, account, reader, threads, &reader->pipeline, err);
}

int perf_reader_open(struct trace_input *input, const char *path,
		     const struct trace_options *options, const struct perf_limits *limits,
		     struct trace_facts *facts, struct perf_reader **reader, struct err *err)
{
	struct perf_reader *made = xcalloc(1, sizeof(*made));

	made->input = *input;
	made->facts = facts;
	made->accounting = (struct perf_accounting)PERF_ACCOUNTING_INIT;
	perf_telling_init(&made->telling, options->base_ns);
	if (perf_file_open(&made->file, &made->input, path, err)) {
		perf_file_release(&made->file);
		perf_telling_release(&made->telling);
		trace_input_close(&made->input);
		free(made);
		return -1;
	}
	perf_walk_init(&made->walk, &made->file, options->cpu, options->memory, limits);
	if (perf_walk_prepare(&made->walk, err) || start(made, options->threads, limits, err)) {
		perf_reader_free(made);
		return -1;
	}
	*reader = made;
	return 0;
}

void perf_reader_free(struct perf_reader *reader)
{
	if (!reader)
		return;
	rest(reader);
	perf_accounting_release(&reader->accounting);
	perf_telling_release(&reader->telling);
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
