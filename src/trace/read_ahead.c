#include "trace/read_ahead.h"

#include <stdbool.h>
#include <stdlib.h>

#include "trace/pipeline.h"
#include "util/alloc.h"

/* A payload of so many blocks that is passed over is read through; behind a larger one the thread starts anew. */
#define PASSED_MAX 16

struct read_ahead {
	const struct trace_input *input;
	size_t size;
	uint64_t end;
	uint64_t making; /* the thread's next block */
	uint64_t next;   /* the one that comes next from there */
	unsigned char *data[PIPELINE_SLOTS];
	int64_t got[PIPELINE_SLOTS];
	struct pipeline *pipeline; /* NULL: there is none yet, or no more */
	bool failed;               /* as it will when the block is asked for */
};

struct read_ahead *read_ahead_new(const struct trace_input *input, size_t size, uint64_t end)
{
	struct read_ahead *ahead = xcalloc(1, sizeof(*ahead));

	ahead->input = input;
	ahead->size = size;
	ahead->end = end;
	return ahead;
}

static void stop(struct read_ahead *ahead)
{
	pipeline_free(ahead->pipeline);
	ahead->pipeline = NULL;
}

void read_ahead_free(struct read_ahead *ahead)
{
	if (!ahead)
		return;
	stop(ahead);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		free(ahead->data[i]);
	free(ahead);
}

static int64_t read_block(const struct read_ahead *ahead, uint64_t number, unsigned char *data,
			  struct err *err)
{
	uint64_t at = number * ahead->size, left = at < ahead->end ? ahead->end - at : 0;

	return trace_input_read(ahead->input, at, data, left < ahead->size ? left : ahead->size,
				err);
}

static int make(void *data, size_t slot, struct err *err)
{
	struct read_ahead *ahead = data;

	if (ahead->making * ahead->size >= ahead->end)
		return 0;
	if (!ahead->data[slot])
		ahead->data[slot] = xmalloc(ahead->size);
	ahead->got[slot] = read_block(ahead, ahead->making++, ahead->data[slot], err);
	return ahead->got[slot] < 0 ? -1 : 1;
}

static void start(struct read_ahead *ahead, uint64_t number)
{
	struct err err = ERR_INIT;

	stop(ahead);
	ahead->making = ahead->next = number;
	ahead->failed = pipeline_new(make, ahead, 2, &ahead->pipeline, &err) < 0;
	err_clear(&err);
}

/* The slot that has the block; false: the thread does not come by it. */
static bool follow(struct read_ahead *ahead, uint64_t number, size_t *slot)
{
	struct err err = ERR_INIT;

	if (ahead->failed || number < ahead->next)
		return false;
	if (!ahead->pipeline || number - ahead->next > PASSED_MAX)
		start(ahead, number);
	while (ahead->pipeline && ahead->next <= number) {
		if (pipeline_next(ahead->pipeline, slot, &err) <= 0) {
			err_clear(&err);
			stop(ahead);
			ahead->failed = true;
		}
		ahead->next++;
	}
	return ahead->pipeline;
}

int64_t read_ahead_block(struct read_ahead *ahead, uint64_t number, unsigned char **data,
			 struct err *err)
{
	unsigned char *mine = *data;
	size_t slot;

	if (!follow(ahead, number, &slot))
		return read_block(ahead, number, mine, err);
	*data = ahead->data[slot];
	ahead->data[slot] = mine;
	return ahead->got[slot];
}
