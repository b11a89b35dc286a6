/*
 * The processes of a report's page, as columns: times, tags, command line, and what each held.
 */
#ifndef REPORT_PAGE_PROCESSES_H
#define REPORT_PAGE_PROCESSES_H

#include "analysis/ledger.h"
#include "model/process.h"
#include "report/page_columns.h"

/* `memory` is by process, NULL: unknown. */
void page_processes_add(struct page_columns *columns, const struct process_list *list,
			const struct ledger_entry *memory);

#endif
