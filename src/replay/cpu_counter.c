#include "replay/cpu_counter.h"

#include <stdlib.h>

#include "platform/thread.h"
#include "util/alloc.h"

#define BATCHES 4 /* being filled, ready, being counted */

/* A batch is full with so many numbers: not far more than the steps of two thousand samples. */
#define FULL ((size_t)64 << 10)

struct cpu_counter {
	struct cpu_account *account;
	struct cpu_samples batches[BATCHES];
	struct thread *thread; /* NULL: there is none, or no more */
	struct monitor *monitor;
	/* Inside of the monitor: so many batches were filled, and counted. */
	size_t filled, counted;
	bool stop;
};

static void run(void *data)
{
	struct cpu_counter *counter = data;

	for (;;) {
		bool more;

		monitor_enter(counter->monitor);
		while (!counter->stop && counter->filled == counter->counted)
			monitor_wait(counter->monitor);
		more = counter->filled > counter->counted;
		monitor_leave(counter->monitor);
		if (!more)
			break;
		cpu_account_count(counter->account, &counter->batches[counter->counted % BATCHES]);
		monitor_enter(counter->monitor);
		counter->counted++;
		monitor_wake(counter->monitor);
		monitor_leave(counter->monitor);
	}
}

struct cpu_counter *cpu_counter_new(struct cpu_account *account, int threads)
{
	struct cpu_counter *counter = xcalloc(1, sizeof(*counter));
	struct err err = ERR_INIT;

	counter->account = account;
	if (threads < 2)
		return counter;
	counter->monitor = monitor_new();
	if (thread_start(run, counter, &counter->thread, &err))
		err_clear(&err);
	return counter;
}

/* Wait for room, too. */
static void hand_over(struct cpu_counter *counter)
{
	struct cpu_samples *next;

	monitor_enter(counter->monitor);
	counter->filled++;
	monitor_wake(counter->monitor);
	while (counter->filled - counter->counted >= BATCHES)
		monitor_wait(counter->monitor);
	monitor_leave(counter->monitor);
	next = &counter->batches[counter->filled % BATCHES];
	next->nr = next->steps.nr = 0;
}

/* All is counted, and what comes is the caller's. */
static void end_thread(struct cpu_counter *counter)
{
	if (!counter->thread)
		return;
	monitor_enter(counter->monitor);
	counter->filled++;
	counter->stop = true;
	monitor_wake(counter->monitor);
	monitor_leave(counter->monitor);
	thread_join(counter->thread);
	counter->thread = NULL;
}

void cpu_counter_apply(struct cpu_counter *counter, const struct trace_event *event)
{
	struct cpu_samples *samples = &counter->batches[counter->filled % BATCHES];

	if (counter->thread && cpu_account_prepare(counter->account, event, samples)) {
		if (samples->steps.nr >= FULL)
			hand_over(counter);
		return;
	}
	/* Stacks that are unwound are looked for where they are: the rest of such a trace is full of them. */
	end_thread(counter);
	cpu_account_apply(counter->account, event);
}

void cpu_counter_free(struct cpu_counter *counter)
{
	end_thread(counter);
	for (size_t i = 0; i < BATCHES; i++)
		cpu_samples_release(&counter->batches[i]);
	monitor_free(counter->monitor);
	free(counter);
}
