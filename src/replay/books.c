#include "replay/books.h"

#include <stdlib.h>
#include <string.h>

#include "replay/cpu_counter.h"
#include "replay/frame_functions.h"
#include "replay/place_lines.h"

static int refuse_memory(const struct replay *replay, struct err *err)
{
	const struct trace_facts *facts = replay_facts(replay);

	if (!facts->memory_refusal)
		return 0;
	return err_set(err, ERR_UNSUPPORTED, "the trace can't tell of memory: %s",
		       facts->memory_refusal);
}

static int refuse_cpu(const struct replay *replay, struct err *err)
{
	const struct trace_facts *facts = replay_facts(replay);

	if (facts->cpu_event)
		return 0;
	/* A pipe that nothing came through. */
	return err_set(err, ERR_UNSUPPORTED, "the trace can't tell of CPU time: %s",
		       facts->cpu_refusal ? facts->cpu_refusal : "it has no events");
}

bool memory_books_begin(struct memory_books *books, struct replay *replay,
			const struct books_request *request)
{
	memset(books, 0, sizeof(*books));
	if (replay_facts(replay)->memory_refusal)
		return false;
	ledger_init(&books->ledger, request->filter->from_ns, request->filter->to_ns,
		    request->at_ns);
	books->grouping = grouping_new(request->by, true, &replay->machine, &replay->functions,
				       request->filter);
	grouping_set_root(books->grouping, request->root);
	books->account = memory_account_new(&replay->machine, books->grouping, &books->ledger);
	return true;
}

bool memory_books_take(struct memory_books *books, const struct trace_event *event)
{
	return memory_account_apply(books->account, event);
}

int memory_books_finish(struct memory_books *books, const struct replay *replay, struct err *err)
{
	if (books->account) {
		ledger_finish(&books->ledger);
		memory_account_estimate(books->account, &books->estimate);
		memory_account_free(books->account);
		books->account = NULL;
	}
	return refuse_memory(replay, err);
}

static bool take_memory(void *data, struct replay *replay, const struct trace_event *event)
{
	(void)replay;
	return memory_books_take(data, event);
}

int memory_books_play(struct memory_books *books, struct replay *replay,
		      const struct books_request *request, struct err *err)
{
	if (memory_books_begin(books, replay, request) &&
	    replay_play(replay, take_memory, books, err))
		return -1;
	return memory_books_finish(books, replay, err);
}

void memory_books_release(struct memory_books *books)
{
	memory_account_free(books->account);
	ledger_release(&books->ledger);
	grouping_free(books->grouping);
}

struct cpu_taking {
	struct cpu_counter *counter;
	int64_t to_ns;
};

static bool take_cpu(void *data, struct replay *replay, const struct trace_event *event)
{
	const struct cpu_taking *taking = data;

	(void)replay;
	cpu_counter_apply(taking->counter, event);
	return event->time_ns < taking->to_ns;
}

static void judge_stacks(struct cpu_books *books, struct replay *replay,
			 const struct stack_end *ends)
{
	struct stack_quality quality = { .nr = 0 };

	cpu_account_add_stacks(books->account, &quality);
	stack_quality_judge(&quality, ends, &replay->machine, &replay->functions, &books->stacks);
	stack_quality_release(&quality);
}

/* One thread finds functions, the other one goes on with those that are found. */
static void take_functions(struct cpu_books *books, struct replay *replay,
			   struct frame_functions *functions)
{
	size_t known;

	cpu_account_advance(books->account, 0);
	do {
		known = frame_functions_next(functions);
		cpu_account_advance(books->account, known);
	} while (known < replay->machine.stacks.frames_nr);
	frame_functions_free(functions);
}

static bool has_functions(const struct grouping *grouping)
{
	return grouping_by_stacks(grouping) && grouping_kind(grouping) != BY_MODULE;
}

static int finish_cpu(struct cpu_books *books, struct replay *replay, struct err *err)
{
	struct frame_functions *functions = NULL;
	struct stack_end *ends = NULL;

	if (has_functions(books->grouping)) {
		replay_open_files(replay);
		place_lines_find(replay);
		if (frame_functions_new(replay, &functions, err))
			return -1;
	}
	if (grouping_by_stacks(books->grouping))
		ends = stack_quality_ends(&replay->machine);
	if (functions)
		take_functions(books, replay, functions);
	if (ends)
		judge_stacks(books, replay, ends);
	free(ends);
	books->entries = cpu_account_finish(books->account, &books->nr);
	cpu_account_rest(books->account);
	books->total = cpu_account_total(books->account);
	return 0;
}

int cpu_books_play(struct cpu_books *books, struct replay *replay,
		   const struct books_request *request, struct err *err)
{
	const struct process_filter *filter = request->filter;
	struct cpu_taking taking = { NULL, filter->to_ns };
	int rc;

	memset(books, 0, sizeof(*books));
	books->grouping =
		grouping_new(request->by, false, &replay->machine, &replay->functions, filter);
	grouping_set_root(books->grouping, request->root);
	books->account =
		cpu_account_new(&replay->machine, books->grouping, filter->from_ns, filter->to_ns);
	taking.counter = cpu_counter_new(books->account, replay->threads);
	rc = replay_play(replay, take_cpu, &taking, err);
	cpu_counter_free(taking.counter);
	if (!rc)
		rc = refuse_cpu(replay, err);
	if (rc)
		return -1;
	stack_table_rest(&replay->machine.stacks);
	return finish_cpu(books, replay, err);
}

void cpu_books_release(struct cpu_books *books)
{
	cpu_account_free(books->account);
	grouping_free(books->grouping);
}
