#include "trace/etl/etl_reader.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_batch.h"
#include "trace/etl/etl_facts.h"
#include "trace/etl/etl_merge.h"
#include "trace/etl/etl_prelude.h"
#include "trace/pipeline.h"
#include "util/alloc.h"
#include "util/array.h"

struct etl_reader {
	struct etl_file **files;
	size_t files_nr;
	struct helper *helper;
	struct etl_merge *merge;
	struct etl_prelude prelude;
	struct etl_telling telling;
	struct etl_batch batches[PIPELINE_SLOTS];
	struct pipeline *pipeline;
	struct trace_facts *facts;
	bool looked, ended; /* looked: there is a prelude; then all of the above */
};

static int make(void *data, size_t slot, struct err *err)
{
	struct etl_reader *reader = data;

	return etl_batch_fill(&reader->batches[slot], &reader->telling, err);
}

int etl_reader_next(struct etl_reader *reader, const struct trace_event **events, size_t *nr,
		    struct err *err)
{
	const struct etl_batch *batch;
	size_t slot;
	int rc;

	if (reader->ended)
		return 0;
	rc = pipeline_next(reader->pipeline, &slot, err);
	reader->ended = rc <= 0;
	batch = &reader->batches[slot];
	*events = batch->events;
	*nr = batch->nr;
	return rc;
}

/* Time zero is told on the clock of programs, which is QPC. */
static struct etl_clock_base find_base(const struct etl_reader *reader, int64_t base_ns)
{
	const struct etl_header *header = etl_file_header(reader->files[0]);
	struct etl_clock_base base = { header->frequency, base_ns };
	uint64_t first = header->first_tick;
	bool other = header->clock == ETL_CLOCK_SYSTEM || header->clock == ETL_CLOCK_CYCLES;

	if (base_ns != TRACE_BASE_FIRST && !other)
		return base;
	for (size_t i = 1; i < reader->files_nr; i++) {
		uint64_t tick = etl_file_header(reader->files[i])->first_tick;

		if (tick < first)
			first = tick;
	}
	base.base_ns = (int64_t)etl_clock_ns(first, base.frequency);
	return base;
}

static int open_merge(struct etl_reader *reader, int threads, struct err *err)
{
	reader->helper = helper_new(threads);
	return etl_merge_new(reader->files, reader->files_nr, reader->helper, &reader->merge, err);
}

static int look(struct etl_reader *reader, struct err *err)
{
	reader->looked = true;
	if (etl_prelude_read(&reader->prelude, reader->files, reader->files_nr, reader->helper,
			     err))
		return -1;
	etl_facts_tell(&reader->prelude, reader->files, reader->files_nr, reader->facts);
	return 0;
}

static void stop(struct etl_reader *reader)
{
	pipeline_free(reader->pipeline);
	reader->pipeline = NULL;
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		etl_batch_release(&reader->batches[i]);
	etl_telling_release(&reader->telling);
	etl_merge_free(reader->merge);
	reader->merge = NULL;
	helper_free(reader->helper);
	reader->helper = NULL;
}

static int start(struct etl_reader *reader, const struct trace_options *options, struct err *err)
{
	struct etl_clock_base base = find_base(reader, options->base_ns);

	etl_facts_tell_times(&reader->prelude, &base, reader->facts);
	etl_keys_rewind(reader->prelude.keys);
	etl_telling_init(&reader->telling, &reader->prelude, reader->merge, &base, options->cpu,
			 options->memory);
	for (size_t i = 0; i < (options->threads > 1 ? PIPELINE_SLOTS : 1); i++)
		etl_batch_init(&reader->batches[i]);
	reader->ended = false;
	return pipeline_new(make, NULL, reader, options->threads, &reader->pipeline, err);
}

int etl_reader_open(struct etl_file *const *files, size_t nr, const struct trace_options *options,
		    struct trace_facts *facts, struct etl_reader **reader, struct err *err)
{
	struct etl_reader *made = xcalloc(1, sizeof(*made));

	made->files = xcalloc(nr, sizeof(struct etl_file *));
	memcpy(made->files, files, nr * sizeof(struct etl_file *));
	made->files_nr = nr;
	made->facts = facts;
	if (open_merge(made, options->threads, err) || look(made, err) ||
	    start(made, options, err)) {
		etl_reader_free(made);
		return -1;
	}
	*reader = made;
	return 0;
}

int etl_reader_again(struct etl_reader *reader, const struct trace_options *options,
		     struct err *err)
{
	stop(reader);
	if (open_merge(reader, options->threads, err))
		return -1;
	return start(reader, options, err);
}

void etl_reader_free(struct etl_reader *reader)
{
	if (!reader)
		return;
	stop(reader);
	if (reader->looked)
		etl_prelude_release(&reader->prelude);
	for (size_t i = 0; i < reader->files_nr; i++)
		etl_file_free(reader->files[i]);
	free(reader->files);
	free(reader);
}

/*
 * The first buffer has its own size at its begin, its type, which is that of a header, at 0x36, and behind its header at 0x48
 * an event of the kernel's (0xc0 in the fourth byte), whose group and opcode are 0.
 */
static int probe(const unsigned char *head, size_t nr)
{
	if (nr < 0x68 || head[0x36] != 4 || head[0x37])
		return 0;
	if (head[0x4b] != 0xc0 || (head[0x4a] != 1 && head[0x4a] != 2))
		return 0;
	return head[0x4e] || head[0x4f] ? 0 : 90;
}

static int open_paths(const struct strvec *paths, const struct trace_options *options,
		      struct trace_facts *facts, void **reader, struct err *err)
{
	struct etl_file **files = xcalloc(paths->nr, sizeof(*files));
	struct etl_reader *made = NULL;
	size_t nr = 0;
	int rc = 0;

	for (; nr < paths->nr && !rc; nr += !rc)
		rc = etl_file_open(paths->v[nr], &files[nr], err);
	if (!rc) {
		rc = etl_reader_open(files, nr, options, facts, &made, err);
		*reader = made;
	} else {
		for (size_t i = 0; i < nr; i++)
			etl_file_free(files[i]);
	}
	free(files);
	return rc;
}

static int next(void *reader, const struct trace_event **events, size_t *nr, struct err *err)
{
	return etl_reader_next(reader, events, nr, err);
}

static int again(void *reader, const struct trace_options *options, struct err *err)
{
	return etl_reader_again(reader, options, err);
}

static void free_reader(void *reader)
{
	etl_reader_free(reader);
}

const struct trace_format etl_format = {
	.name = "etl",
	.many = true,
	.probe = probe,
	.open = open_paths,
	.next = next,
	.again = again,
	.free = free_reader,
};
