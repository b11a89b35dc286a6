/*
 * Any bytes as perf.data, played through the model into the accounts: whatever the events are, the keys of a view must add
 * up to its total, and the total must equal that of the whole build.
 */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/cpu_account.h"
#include "analysis/memory_account.h"
#include "analysis/touched_account.h"
#include "trace/perf/perf_reader.h"
#include "../unit/grouping_by.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct accounts {
	struct process_list rows;
	struct machine machine;
	struct function_table functions;
	struct grouping *by_row, *by_stack, *by_function, *by_touch, *by_life;
	struct ledger row_ledger, stack_ledger, touch_ledger, life_ledger;
	struct memory_account *row_memory, *stack_memory, *life_memory;
	struct touched_account *touched;
	struct cpu_account *cpu;
};

static void open_accounts(struct accounts *accounts)
{
	const struct symbol_source none = { NULL, NULL, NULL };

	*accounts = (struct accounts){ .rows = PROCESS_LIST_INIT };
	machine_init(&accounts->machine, &accounts->rows);
	function_table_init(&accounts->functions, &accounts->machine.modules,
			    &accounts->machine.stacks, none);
	accounts->by_row =
		grouping_by(BY_PROCESS, true, &accounts->machine, &accounts->functions, NULL);
	accounts->by_stack =
		grouping_by(BY_STACK, true, &accounts->machine, &accounts->functions, NULL);
	accounts->by_function =
		grouping_by(BY_FUNCTION, false, &accounts->machine, &accounts->functions, NULL);
	accounts->by_touch =
		grouping_by(BY_STACK, true, &accounts->machine, &accounts->functions, NULL);
	accounts->by_life = grouping_by_root(BY_LIFETIME, BY_FUNCTION, true, &accounts->machine,
					     &accounts->functions, NULL);
	ledger_init(&accounts->life_ledger, 1000, 100000, LEDGER_AT_OWN_PEAK);
	accounts->life_memory = memory_account_new(&accounts->machine, accounts->by_life,
						   &accounts->life_ledger, NULL);
	ledger_init(&accounts->touch_ledger, INT64_MIN, INT64_MAX, LEDGER_AT_PEAK);
	accounts->touched = touched_account_new(&accounts->machine, accounts->by_touch,
						&accounts->touch_ledger, NULL);
	ledger_init(&accounts->row_ledger, INT64_MIN, INT64_MAX, LEDGER_AT_PEAK);
	ledger_init(&accounts->stack_ledger, 1000, 100000, 50000);
	accounts->row_memory = memory_account_new(&accounts->machine, accounts->by_row,
						  &accounts->row_ledger, NULL);
	accounts->stack_memory = memory_account_new(&accounts->machine, accounts->by_stack,
						    &accounts->stack_ledger, NULL);
	accounts->cpu = cpu_account_new(&accounts->machine, accounts->by_function, INT64_MIN,
					INT64_MAX, true);
}

static void close_accounts(struct accounts *accounts)
{
	cpu_account_free(accounts->cpu);
	memory_account_free(accounts->row_memory);
	memory_account_free(accounts->stack_memory);
	memory_account_free(accounts->life_memory);
	touched_account_free(accounts->touched);
	ledger_release(&accounts->touch_ledger);
	ledger_release(&accounts->row_ledger);
	ledger_release(&accounts->stack_ledger);
	ledger_release(&accounts->life_ledger);
	grouping_free(accounts->by_row);
	grouping_free(accounts->by_stack);
	grouping_free(accounts->by_function);
	grouping_free(accounts->by_touch);
	grouping_free(accounts->by_life);
	function_table_release(&accounts->functions);
	machine_release(&accounts->machine);
	process_list_release(&accounts->rows);
}

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void check_ledger(const struct ledger *ledger)
{
	struct ledger_entry sum = { 0 };

	for (size_t i = 0; i < ledger->keys_nr; i++) {
		const struct ledger_entry *key = &ledger->keys[i];

		sum.size += key->size;
		sum.count += key->count;
		sum.freed += key->freed;
		sum.aifi += key->aifi;
		sum.aofi += key->aofi;
		sum.at_start += key->at_start;
		sum.at_end += key->at_end;
		sum.at += key->at;
		sum.at_peak += key->at_peak;
	}
	expect(sum.size == ledger->total.size && sum.count == ledger->total.count);
	expect(sum.freed == ledger->total.freed && sum.aifi == ledger->total.aifi);
	expect(sum.aofi == ledger->total.aofi && sum.at_start == ledger->total.at_start);
	expect(sum.at_end == ledger->total.at_end && sum.at == ledger->total.at);
	expect(sum.at_peak == ledger->total.at_peak);
	expect(ledger->total.size == ledger->whole.size && ledger->whole.size >= 0);
	expect(ledger->whole.peak == ledger->total.at_peak);
	expect(ledger->whole.at_end - ledger->whole.at_start ==
	       ledger->whole.size - ledger->whole.freed);
}

static void check_cpu(struct accounts *accounts)
{
	struct cpu_entry total;
	const struct cpu_entry *entries;
	int64_t samples = 0;
	size_t nr;

	cpu_account_end(accounts->cpu);
	total = cpu_account_total(accounts->cpu);
	entries = cpu_account_finish(accounts->cpu, &nr);
	for (size_t i = 0; i < nr; i++) {
		expect(entries[i].total_ns >= entries[i].self_ns || entries[i].self_ns < 0);
		samples += entries[i].samples;
	}
	expect(samples == total.samples);
}

static void play(struct accounts *accounts, struct perf_reader *reader, struct err *err)
{
	const struct trace_event *events;
	bool rows = true, stacks = true, touches = true;
	size_t nr;

	while (perf_reader_next(reader, &events, &nr, err) > 0) {
		for (size_t i = 0; i < nr; i++) {
			machine_apply(&accounts->machine, &events[i]);
			rows = rows && memory_account_apply(accounts->row_memory, &events[i]);
			stacks = stacks && memory_account_apply(accounts->stack_memory, &events[i]);
			memory_account_apply(accounts->life_memory, &events[i]);
			touches = touches && touched_account_apply(accounts->touched, &events[i]);
			cpu_account_apply(accounts->cpu, &events[i]);
		}
	}
	memory_account_finish(accounts->life_memory);
	ledger_finish(&accounts->life_ledger);
	ledger_finish(&accounts->row_ledger);
	ledger_finish(&accounts->stack_ledger);
	ledger_finish(&accounts->touch_ledger);
	check_ledger(&accounts->life_ledger);
	check_ledger(&accounts->row_ledger);
	check_ledger(&accounts->stack_ledger);
	check_ledger(&accounts->touch_ledger);
	check_cpu(accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perf_limits limits = { 16, 64, (size_t)256 << 20, 4096, 2, 16, SIZE_MAX };
	const struct trace_options options = { TRACE_BASE_FIRST, true, true, true, 1, 0 };
	struct perf_reader *reader;
	struct trace_input input;
	struct trace_facts facts;
	struct err err = ERR_INIT;
	struct accounts accounts;

	trace_facts_init(&facts);
	trace_input_memory(&input, data, size);
	if (!perf_reader_open(&input, "input", &options, &limits, &facts, &reader, &err)) {
		open_accounts(&accounts);
		play(&accounts, reader, &err);
		close_accounts(&accounts);
		perf_reader_free(reader);
	}
	trace_facts_release(&facts);
	err_clear(&err);
	return 0;
}
