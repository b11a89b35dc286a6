#include "replay/cpu_counter.h"

#include <stdlib.h>

#include "platform/helper.h"
#include "util/alloc.h"

#define BATCHES 4 /* being filled, ready, being counted */

/* A batch is full with this number of steps, about those of two thousand samples. */
#define FULL ((size_t)64 << 10)

struct batch {
	struct cpu_account *account;
	struct cpu_samples samples;
};

struct cpu_counter {
	struct cpu_account *account;
	struct helper *helper; /* NULL: there is no second thread, or it has ended */
	struct batch batches[BATCHES];
	size_t filled;
};

static void count(void *data)
{
	struct batch *batch = data;

	cpu_account_count(batch->account, &batch->samples);
	batch->samples.nr = batch->samples.steps.nr = 0;
}

struct cpu_counter *cpu_counter_new(struct cpu_account *account, int threads)
{
	struct cpu_counter *counter = xcalloc(1, sizeof(*counter));

	counter->account = account;
	counter->helper = helper_new(threads);
	for (size_t i = 0; i < BATCHES; i++)
		counter->batches[i].account = account;
	return counter;
}

static struct batch *batch_of(struct cpu_counter *counter)
{
	return &counter->batches[counter->filled % BATCHES];
}

static void hand_over(struct cpu_counter *counter)
{
	helper_add(counter->helper, count, batch_of(counter));
	counter->filled++;
	helper_wait(counter->helper, batch_of(counter));
}

/* Wait until all samples are counted; from now on the caller counts. */
static void end_thread(struct cpu_counter *counter)
{
	helper_add(counter->helper, count, batch_of(counter));
	helper_free(counter->helper);
	counter->helper = NULL;
}

void cpu_counter_apply(struct cpu_counter *counter, const struct trace_event *event)
{
	struct cpu_samples *samples = &batch_of(counter)->samples;

	if (counter->helper && cpu_account_prepare(counter->account, event, samples)) {
		if (samples->steps.nr >= FULL || samples->nr >= FULL)
			hand_over(counter);
		return;
	}
	/* The caller must unwind a stack copy; a trace with one stack copy has many. */
	end_thread(counter);
	cpu_account_apply(counter->account, event);
}

void cpu_counter_free(struct cpu_counter *counter)
{
	end_thread(counter);
	cpu_account_end(counter->account);
	for (size_t i = 0; i < BATCHES; i++)
		cpu_samples_release(&counter->batches[i].samples);
	free(counter);
}
