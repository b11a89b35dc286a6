#include "analysis/heap_commits.h"

#include <stdlib.h>

#include "analysis/group.h"
#include "analysis/memory_account.h"
#include "util/alloc.h"

struct heap_commits_account {
	struct grouping *grouping;
	struct memory_account *account;
	struct ledger ledger;
	uint64_t epoch; /* of the peak of the heaps */
	int64_t at_peak;
};

struct heap_commits_account *heap_commits_account_new(struct machine *machine,
						      struct function_table *functions,
						      const struct process_filter *filter)
{
	struct heap_commits_account *account = xcalloc(1, sizeof(*account));

	account->grouping =
		grouping_new(&(struct grouping_spec){ .by = { BY_PROCESS }, .processes = filter },
			     machine, functions);
	ledger_init(&account->ledger, filter->from_ns, filter->to_ns, LEDGER_AT_END);
	account->account = memory_account_new(machine, account->grouping, &account->ledger, NULL);
	return account;
}

void heap_commits_account_free(struct heap_commits_account *account)
{
	if (!account)
		return;
	memory_account_free(account->account);
	ledger_release(&account->ledger);
	grouping_free(account->grouping);
	free(account);
}

void heap_commits_account_apply(struct heap_commits_account *account, const struct ledger *heaps,
				const struct trace_event *event)
{
	memory_account_apply(account->account, event);
	if (account->epoch == heaps->epochs[LEDGER_WHOLE_PEAK])
		return;
	account->epoch = heaps->epochs[LEDGER_WHOLE_PEAK];
	account->at_peak = account->ledger.total.outstanding;
}

void heap_commits_account_finish(struct heap_commits_account *account, struct heap_commits *result)
{
	ledger_finish(&account->ledger);
	*result = (struct heap_commits){ .known = true,
					 .at_peak = account->at_peak,
					 .peak = account->ledger.total.peak,
					 .peak_ns = account->ledger.total.peak_ns };
}
