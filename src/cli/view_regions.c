#include "cli/view_regions.h"

#include <stdlib.h>

#include "cli/command.h"
#include "report/regions_view.h"

static const struct table *table_of(const struct account *account)
{
	return account->heap ? &heap_regions_table : &regions_table;
}

static int print(const struct results_view *view, struct regions_view *regions, struct err *err)
{
	const void **rows = regions_view_rows(regions);
	int rc;

	regions->options.left_out = regions->left_out;
	rc = results_view_print(view, table_of(view->account), &regions->options, rows,
				regions->rows_nr, err);
	free(rows);
	return rc;
}

int regions_run(const struct account *account, const struct results_values *values, struct err *err)
{
	struct results_view view = {
		.values = values,
		.account = account,
		.at = values->at,
		.by = { BY_PROCESS, BY_STACK },
		.by_nr = 2,
	};
	struct regions_view regions = { .results = &view.results };
	struct region_sink sink = regions_view_sink(&regions, values->at);
	int rc;

	if (view_get_table_options(&values->view, table_of(account), &regions.options, err))
		return -1;
	view.regions = &sink;
	rc = results_view_open(&view, err);
	if (!rc)
		rc = print(&view, &regions, err);
	results_view_close(&view);
	regions_view_release(&regions);
	return rc ? -1 : EXIT_CODE_DONE;
}
