/*
 * Any bytes as an ETL file: read with one thread and with two to the same events; without some kinds of events the others
 * are the same; without stacks they are the same as those of a trace that is read again. Played into the account of heaps,
 * keys add up to the whole.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/grouping_by.h"
#include "analysis/heap_account.h"
#include "outcome.h"
#include "trace/etl/etl_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DECOMPRESSED_MAX (UINT64_C(32) << 20) /* more takes too long */

static void check_run(const struct trace_run *run)
{
	if (run->blocked_ns > run->ready_ns || run->ready_ns > run->from_ns ||
	    run->from_ns > run->to_ns)
		abort();
}

/* Only what changes processes counts where events are not wanted. */
static void take_event(struct outcome *outcome, const struct trace_event *event, bool changes)
{
	if (changes && (event->kind == TRACE_CPU || event->kind == TRACE_MEMORY ||
			event->kind == TRACE_HEAP || event->kind == TRACE_RUN))
		return;
	if (event->kind == TRACE_RUN)
		check_run(&event->run);
	mix_event(outcome, event);
	outcome->events++;
}

static struct etl_file *open_bytes(const uint8_t *data, size_t size)
{
	struct etl_file *file = NULL;
	struct err err = ERR_INIT;
	const struct etl_extent *extents;
	uint64_t decompressed = 0;
	size_t nr;

	if (etl_file_open_memory(data, size, &file, &err)) {
		err_clear(&err);
		return NULL;
	}
	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr; i++)
		decompressed += extents[i].filled;
	if (decompressed <= DECOMPRESSED_MAX)
		return file;
	etl_file_free(file);
	return NULL;
}

static struct outcome read_bytes(const uint8_t *data, size_t size,
				 const struct trace_options *options, bool changes)
{
	struct etl_file *file = open_bytes(data, size);
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct etl_reader *reader;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	size_t nr;

	if (!file)
		return outcome;
	trace_facts_init(&facts);
	outcome.rc = etl_reader_open(&file, 1, options, &facts, &reader, &err);
	if (!outcome.rc) {
		while ((outcome.rc = etl_reader_next(reader, &events, &nr, &err)) > 0) {
			if (!nr)
				abort();
			for (size_t i = 0; i < nr; i++)
				take_event(&outcome, &events[i], changes);
		}
		etl_reader_free(reader);
	}
	if ((outcome.rc < 0) != (err.code != ERR_NONE))
		abort();
	outcome.damaged = facts.counters.damaged;
	outcome.unknown = facts.counters.unknown;
	outcome.lost = facts.counters.lost;
	outcome.unordered = changes ? 0 : facts.counters.unordered;
	if ((facts.counters.damaged > 0) != (facts.first_damage.len > 0))
		abort();
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

static void compare(const uint8_t *data, size_t size, const struct trace_options *x,
		    const struct trace_options *y, bool changes)
{
	struct outcome a = read_bytes(data, size, x, changes);
	struct outcome b = read_bytes(data, size, y, changes);

	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
}

/* Without stacks, after another play: an announced one is played from what the scan has kept of each event. */
static struct outcome read_again(const uint8_t *data, size_t size,
				 const struct trace_options *options, bool announced)
{
	const struct trace_options first = { .base_ns = TRACE_BASE_FIRST,
					     .threads = 1,
					     .again = announced ? options : NULL };
	struct etl_file *file = open_bytes(data, size);
	struct outcome outcome = { 0 };
	const struct trace_event *events;
	struct etl_reader *reader;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	size_t nr;

	if (!file)
		return outcome;
	trace_facts_init(&facts);
	if (!etl_reader_open(&file, 1, &first, &facts, &reader, &err)) {
		if (!etl_reader_again(reader, options, &err)) {
			while ((outcome.rc = etl_reader_next(reader, &events, &nr, &err)) > 0) {
				for (size_t i = 0; i < nr; i++)
					take_event(&outcome, &events[i], false);
			}
		}
		etl_reader_free(reader);
	}
	trace_facts_release(&facts);
	err_clear(&err);
	return outcome;
}

static void compare_digest(const uint8_t *data, size_t size, const struct trace_options *options)
{
	struct outcome a = read_again(data, size, options, false);
	struct outcome b = read_again(data, size, options, true);

	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
}

struct accounts {
	struct process_list rows;
	struct machine machine;
	struct function_table functions;
	struct grouping *by_process, *by_life;
	struct ledger ledger, life_ledger;
	struct heap_account *heap, *life;
};

static void open_accounts(struct accounts *accounts)
{
	const struct symbol_source none = { NULL, NULL, NULL };

	*accounts = (struct accounts){ .rows = PROCESS_LIST_INIT };
	machine_init(&accounts->machine, &accounts->rows);
	function_table_init(&accounts->functions, &accounts->machine.modules,
			    &accounts->machine.stacks, none);
	accounts->by_process =
		grouping_by(BY_PROCESS, true, &accounts->machine, &accounts->functions, NULL);
	accounts->by_life = grouping_by_root(BY_LIFETIME, BY_FUNCTION, true, &accounts->machine,
					     &accounts->functions, NULL);
	ledger_init(&accounts->ledger, INT64_MIN, INT64_MAX, LEDGER_AT_PEAK);
	ledger_init(&accounts->life_ledger, 1000, 100000, LEDGER_AT_OWN_PEAK);
	accounts->heap =
		heap_account_new(&accounts->machine, accounts->by_process, &accounts->ledger, NULL);
	accounts->life = heap_account_new(&accounts->machine, accounts->by_life,
					  &accounts->life_ledger, NULL);
}

static void close_accounts(struct accounts *accounts)
{
	heap_account_free(accounts->heap);
	heap_account_free(accounts->life);
	ledger_release(&accounts->ledger);
	ledger_release(&accounts->life_ledger);
	grouping_free(accounts->by_process);
	grouping_free(accounts->by_life);
	function_table_release(&accounts->functions);
	machine_release(&accounts->machine);
	process_list_release(&accounts->rows);
}

static void check_ledger(struct ledger *ledger)
{
	struct ledger_entry sum = { 0 };

	ledger_finish(ledger);
	for (size_t i = 0; i < ledger->keys_nr; i++)
		ledger_entry_join(&sum, &ledger->keys[i]);
	if (sum.size != ledger->total.size || sum.count != ledger->total.count ||
	    sum.freed != ledger->total.freed || sum.at_end != ledger->total.at_end ||
	    sum.at_peak != ledger->total.at_peak || ledger->total.size != ledger->whole.size)
		abort();
}

/* Damaged sizes are not counted, so that no sum overflows. */
static void account_heaps(const uint8_t *data, size_t size, const struct trace_options *options)
{
	struct etl_file *file = open_bytes(data, size);
	const struct trace_event *events;
	struct etl_reader *reader;
	struct accounts accounts;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	bool more = true;
	size_t nr;

	if (!file)
		return;
	trace_facts_init(&facts);
	open_accounts(&accounts);
	if (!etl_reader_open(&file, 1, options, &facts, &reader, &err)) {
		while (etl_reader_next(reader, &events, &nr, &err) > 0) {
			for (size_t i = 0; i < nr; i++) {
				machine_apply(&accounts.machine, &events[i]);
				more = more && heap_account_apply(accounts.heap, &events[i]);
				heap_account_apply(accounts.life, &events[i]);
			}
		}
		etl_reader_free(reader);
		heap_account_finish(accounts.life);
		check_ledger(&accounts.ledger);
		check_ledger(&accounts.life_ledger);
	}
	close_accounts(&accounts);
	trace_facts_release(&facts);
	err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct trace_options one = { .base_ns = TRACE_BASE_FIRST,
					   .cpu = true,
					   .memory = true,
					   .heap = true,
					   .threads = 1,
					   .switches = true };
	const struct trace_options two = { .base_ns = TRACE_BASE_FIRST,
					   .cpu = true,
					   .memory = true,
					   .heap = true,
					   .threads = 2,
					   .switches = true };
	const struct trace_options brief = { .base_ns = TRACE_BASE_FIRST,
					     .cpu = true,
					     .memory = true,
					     .no_stacks = true,
					     .threads = 1 };
	const struct trace_options none = { .base_ns = TRACE_BASE_FIRST, .threads = 1 };

	compare(data, size, &one, &two, false);
	compare(data, size, &one, &none, true);
	compare_digest(data, size, &brief);
	account_heaps(data, size, &one);
	return 0;
}
