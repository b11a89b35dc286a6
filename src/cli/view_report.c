#include "cli/view_report.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/view_processes.h"
#include "cli/view_report_parts.h"
#include "cli/view_system.h"
#include "report/page_processes.h"
#include "util/alloc.h"
#include "util/text.h"

static void set_page(struct view_report *report)
{
	struct page *page = &report->page;

	process_rows_from_list(&report->processes, &report->run.processes, NULL);
	process_rows_set_memory(&report->processes, &report->run.processes, report->run.memory);
	report->crate_pointers = xcalloc(report->crates_nr + 1, sizeof(*report->crate_pointers));
	for (size_t i = 0; i < report->crates_nr; i++)
		report->crate_pointers[i] = &report->crates[i];
	*page = (struct page){
		.title = text_file_name(report->run.path),
		.facts = report->facts,
		.facts_nr = report->facts_nr,
		.problems = &report->problems.strings,
		.processes = { &processes_table,
			       "pid,start_ns,end_ns,duration_ns,image,role,crate,part,exit_code,"
			       "cpu_ns,peak_bytes,at_peak_bytes",
			       report->processes.pointers, report->processes.nr },
		.crates = { &page_crates_table, NULL, report->crate_pointers, report->crates_nr },
		.system = { &system_table, "section,key,value", report->system.v,
			    report->system.nr },
		.idle = { &page_idle_table, "start_ns,duration_ns,image,crate,processors",
			  report->idle_pointers, report->idle_nr },
		.columns = &report->columns,
	};
}

/* What was warned of so far is among the problems, once. */
static void add_warnings(struct view_report *report, const struct strvec *warnings)
{
	for (size_t i = 0; i < warnings->nr; i++)
		view_report_add_problem(report, warnings->v[i]);
}

static int collect(struct view_report *report, const struct strvec *warnings, struct err *err)
{
	const struct table_options all = { .format = TABLE_JSON };
	struct process_filter filter = PROCESS_FILTER_INIT;

	report->tags = stack_tags_builtin();
	page_columns_init(&report->columns);
	report->crate_names = report->problems = (struct strset)STRSET_INIT;
	report->cpus = -1;
	add_warnings(report, warnings);
	if (view_processes_play(&report->run, &processes_table, &all, &filter, NULL, err))
		return -1;
	if (report->run.source)
		report->cpus = manifest_host_number(&report->run.manifest, "cpus");
	view_system_add_run(&report->system, &report->run);
	if (view_report_take_kinds(report, err))
		return -1;
	page_processes_add(&report->columns, &report->run.processes, report->run.memory);
	view_report_add_facts(report);
	add_warnings(report, warnings);
	set_page(report);
	return 0;
}

int view_report_open(const struct strvec *paths, struct view_report *report, struct err *err)
{
	struct strvec warnings = STRVEC_INIT;
	int rc;

	message_keep(&warnings, NULL);
	rc = view_run_open(paths, VIEW_ALL_STACKS, &report->run, err);
	if (!rc && collect(report, &warnings, err)) {
		view_report_close(report);
		rc = -1;
	}
	message_keep(NULL, NULL);
	strvec_release(&warnings);
	return rc;
}

void view_report_close(struct view_report *report)
{
	for (size_t i = 0; i < report->facts_nr; i++)
		free(report->facts[i].text);
	for (size_t i = 0; i < report->later_nr; i++)
		free(report->later[i].text);
	free(report->later);
	free(report->facts);
	free(report->crates);
	free(report->crate_pointers);
	free(report->cpu_ns);
	free(report->step_cpu_ns);
	strset_release(&report->crate_names);
	strset_release(&report->problems);
	process_rows_release(&report->processes);
	system_rows_release(&report->system);
	page_columns_release(&report->columns);
	stack_tags_free(report->tags);
	view_run_close(&report->run);
}
