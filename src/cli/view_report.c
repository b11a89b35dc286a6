#include "cli/view_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/view_processes.h"
#include "cli/view_system.h"
#include "cli/view_timeline.h"
#include "model/concurrency.h"
#include "report/page_stacks.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"
#include "util/wrap.h"

/* What a page has stacks of. */
struct kind {
	const char *prefix; /* of columns */
	const struct account *account;
	const char
		*problem; /* what is said if there is none; NULL: nothing, as few traces have it */
};

static const struct kind kinds[] = {
	{ "cpu", &account_cpu, "CPU time" },
	{ "commit", &account_memory, "committed memory" },
	{ "touched", &account_touched, NULL },
	{ "heap", &account_heap, NULL },
};

/* A trace that is played for a kind. */
struct pass {
	struct view_report *report;
	const struct kind *kind;
	struct replay replay;
	struct results stacks;
	struct results crates; /* of memory: by crate */
	struct results lives;  /* the same: by crate and how long it was held */
	struct process_filter filter;
	bool cpu;
};

static void add_fact(struct view_report *report, const char *label, char *text)
{
	ARRAY_ADD(report->facts, report->facts_nr, report->facts_alloc,
		  (struct page_fact){ label, text });
}

static void add_fact_copy(struct view_report *report, const char *label, const char *text)
{
	if (text)
		add_fact(report, label, xstrdup(text));
}

static void add_problem(struct view_report *report, const char *text)
{
	if (*text)
		strset_add(&report->problems, text);
}

/* Each line is one; releases the text. */
static void add_problems(struct view_report *report, struct strbuf *lines)
{
	for (char *at = lines->buf, *end; *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		add_problem(report, at);
	}
	strbuf_release(lines);
}

static void add_number(struct page_columns *columns, const char *name, int64_t number)
{
	page_columns_begin(columns);
	page_columns_add_signed(columns, number);
	page_columns_end(columns, name, 1, PAGE_SIGNED);
}

/* All of the recording is shown, so that each moment is in a step. */
static void choose_steps(struct view_report *report)
{
	int64_t end_ns = timeline_known_end(&report->run);

	if (report->steps)
		return;
	report->end_ns = end_ns > 0 ? end_ns : 1;
	report->step_ns = timeline_round_step(report->end_ns / (REPORT_STEPS - 1) + 1);
	report->steps = (uint32_t)((report->end_ns - 1) / report->step_ns) + 2;
}

static struct page_crate *find_crate(struct view_report *report, const char *name)
{
	uint32_t number = strset_add(&report->crate_names, name ? name : "");

	ARRAY_REACH(report->crates, (size_t)number + 1, report->crates_nr, report->crates_alloc);
	report->crates[number].name = name ? report->crate_names.strings.v[number] : NULL;
	return &report->crates[number];
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct pass *pass = data;
	bool more;

	(void)replay;
	if (!pass->cpu)
		results_take(&pass->lives, event);
	if (pass->cpu)
		grouping_set_step(pass->stacks.grouping,
				  ledger_steps_at(event->time_ns, pass->report->step_ns,
						  pass->report->steps));
	more = results_take(&pass->stacks, event);
	return pass->cpu ? more : results_take(&pass->crates, event) || more;
}

static void begin(struct pass *pass)
{
	struct view_report *report = pass->report;
	struct account_request request = {
		.by = { pass->cpu ? BY_PROCESS_STEP : BY_PROCESS, BY_STACK },
		.by_nr = 2,
		.tags = report->tags,
		.filter = &pass->filter,
		.at_ns = LEDGER_AT_END,
		.split = true,
		.steps = pass->cpu ? 0 : report->steps,
		.step_ns = report->step_ns,
	};
	struct account_request crates = request;

	crates.by[0] = BY_CRATE;
	crates.by_nr = 1;
	crates.split = false;
	results_begin(&pass->stacks, pass->kind->account, &pass->replay, &request);
	if (pass->cpu)
		return;
	results_begin(&pass->crates, pass->kind->account, &pass->replay, &crates);
	crates.by[1] = BY_LIFETIME;
	crates.by_nr = 2;
	crates.steps = 0;
	results_begin(&pass->lives, pass->kind->account, &pass->replay, &crates);
}

/* The samples of each process, also those whose stacks were merged. */
static void sum_cpu(struct view_report *report, const struct page_stacks *stacks)
{
	report->cpu_ns = xcalloc(report->run.processes.nr + 1, sizeof(*report->cpu_ns));
	for (size_t i = 0; i < stacks->records_nr; i++)
		wrap_add_to(&report->cpu_ns[stacks->records[i].process], stacks->records[i].v[1]);
	for (size_t i = 0; i < report->run.processes.nr; i++) {
		struct page_crate *crate =
			find_crate(report, report->run.processes.v[i]->tag.crate);

		crate->cpu = true;
		wrap_add_to(&crate->cpu_ns, report->cpu_ns[i]);
	}
}

static void take_crates(struct pass *pass)
{
	const struct results *results = &pass->crates;

	for (uint32_t key = 0; key < results->nr; key++) {
		const struct ledger_entry *entry = results_entry(results, key);
		struct page_crate *crate = find_crate(
			pass->report, grouping_part(results->grouping, key, BY_CRATE)->text);

		crate->memory = true;
		crate->peak = entry->peak;
		crate->peak_ns = entry->peak_ns;
		crate->at_peak = entry->at_peak;
		crate->size = entry->size;
	}
}

static void end_column(struct page_columns *columns, const struct kind *kind, const char *name,
		       size_t nr, enum page_coding coding)
{
	char *whole = xasprintf("%s.%s", kind->prefix, name);

	page_columns_end(columns, whole, nr, coding);
	free(whole);
}

/* Add a column of the texts of one part of all keys. */
static void add_texts(struct pass *pass, const struct results *results, enum group_by part,
		      const char *name)
{
	struct page_columns *columns = &pass->report->columns;

	page_columns_begin(columns);
	for (uint32_t key = 0; key < results->nr; key++) {
		const char *text = grouping_part(results->grouping, key, part)->text;

		page_columns_add(columns, page_columns_text(columns, text));
	}
	end_column(columns, pass->kind, name, results->nr, PAGE_PLAIN);
}

/* The most that each crate held in each step in which it changed. */
static void add_series(struct pass *pass)
{
	const struct results *results = &pass->crates;
	const struct ledger_steps *steps = results->steps;
	struct page_columns *columns = &pass->report->columns;

	add_texts(pass, results, BY_CRATE, "crate.name");
	page_columns_begin(columns);
	for (size_t i = 0; i < steps->nr; i++)
		page_columns_add(columns, steps->v[i].key);
	end_column(columns, pass->kind, "series.crate", steps->nr, PAGE_PLAIN);
	page_columns_begin(columns);
	for (size_t i = 0; i < steps->nr; i++)
		page_columns_add(columns, steps->v[i].step);
	end_column(columns, pass->kind, "series.step", steps->nr, PAGE_PLAIN);
	page_columns_begin(columns);
	for (size_t i = 0; i < steps->nr; i++)
		page_columns_add_signed(columns, steps->v[i].most);
	end_column(columns, pass->kind, "series.most", steps->nr, PAGE_SIGNED);
}

/* What each crate committed, by how long it was held. */
static void add_lives(struct pass *pass)
{
	const struct results *results = &pass->lives;
	struct page_columns *columns = &pass->report->columns;

	add_texts(pass, results, BY_CRATE, "life.crate");
	add_texts(pass, results, BY_LIFETIME, "life.name");
	page_columns_begin(columns);
	for (uint32_t key = 0; key < results->nr; key++)
		page_columns_add_signed(
			columns, ((const struct ledger_entry *)results_entry(results, key))->size);
	end_column(columns, pass->kind, "life.size", results->nr, PAGE_SIGNED);
}

/* The most that the whole build held in each step, and when. */
static void add_highs(struct pass *pass)
{
	const struct ledger_steps *steps = pass->crates.steps;
	const struct ledger_entry *whole = pass->crates.whole;
	struct page_columns *columns = &pass->report->columns;

	page_columns_begin(columns);
	for (uint32_t i = 0; i < steps->steps; i++)
		page_columns_add_signed(columns, steps->highs[i].bytes);
	end_column(columns, pass->kind, "high.bytes", steps->steps, PAGE_SIGNED);
	page_columns_begin(columns);
	for (uint32_t i = 0; i < steps->steps; i++)
		page_columns_add_signed(columns, steps->highs[i].time_ns);
	end_column(columns, pass->kind, "high.time", steps->steps, PAGE_SIGNED);
	page_columns_begin(columns);
	page_columns_add_signed(columns, whole->peak);
	page_columns_add_signed(columns, whole->peak_ns);
	end_column(columns, pass->kind, "peak", 2, PAGE_SIGNED);
}

static void add_peak_fact(struct pass *pass)
{
	const struct ledger_entry *whole = pass->crates.whole;
	struct strbuf text = STRBUF_INIT;

	if (pass->kind->account != &account_memory)
		return;
	text_add_bytes(&text, whole->peak);
	strbuf_adds(&text, " committed at ");
	text_add_moment(&text, whole->peak_ns > 0 ? whole->peak_ns : 0);
	add_fact(pass->report, "Peak", strbuf_detach(&text));
}

static void say_stacks(struct pass *pass)
{
	struct strbuf text = STRBUF_INIT;

	/* The recording may have said so. */
	if (pass->cpu && stack_quality_is_low(&pass->stacks.stacks) &&
	    !manifest_warns_of_cpu_stacks(&pass->report->run.manifest))
		stack_quality_explain(&pass->stacks.stacks, "CPU samples", NULL, &text);
	symbolizer_explain_flaws(pass->replay.symbolizer, &text);
	add_problems(pass->report, &text);
}

static void keep(struct pass *pass)
{
	struct view_report *report = pass->report;
	struct page_stacks stacks;

	page_stacks_init(&stacks, &pass->stacks, &report->run.processes, &report->columns,
			 report->share);
	if (pass->cpu)
		sum_cpu(report, &stacks);
	page_stacks_add(&stacks, pass->kind->prefix, &report->columns);
	page_columns_begin(&report->columns);
	page_columns_add(&report->columns, stacks.merged);
	end_column(&report->columns, pass->kind, "merged", 1, PAGE_PLAIN);
	page_stacks_release(&stacks);
	if (pass->cpu)
		return;
	if (pass->kind->account == &account_memory)
		take_crates(pass);
	add_series(pass);
	add_highs(pass);
	add_lives(pass);
	add_peak_fact(pass);
}

/* Why the page has nothing of a kind. */
static void refuse(struct view_report *report, const struct kind *kind, const char *reason)
{
	struct strbuf text = STRBUF_INIT;

	page_columns_begin(&report->columns);
	page_columns_add(&report->columns, page_columns_text(&report->columns, reason));
	end_column(&report->columns, kind, "refusal", 1, PAGE_PLAIN);
	if (!kind->problem)
		return;
	strbuf_addf(&text, "no %s is shown: %s", kind->problem, reason);
	add_problem(report, text.buf);
	strbuf_release(&text);
}

static void read_facts(struct pass *pass)
{
	struct view_report *report = pass->report;
	const struct trace_facts *facts = replay_facts(&pass->replay);
	struct strbuf notes = STRBUF_INIT;

	replay_explain(&pass->replay, &notes);
	add_problems(report, &notes);
	if (report->system_read)
		return;
	report->system_read = true;
	report->cpus = facts->cpus;
	view_system_add_trace(&report->system, facts);
}

/* What the trace has nothing of is no failure. */
static int finish(struct pass *pass, struct err *err)
{
	struct err own = ERR_INIT;
	int rc = results_finish(&pass->stacks, &pass->replay, &own);

	if (!rc && !pass->cpu)
		rc = results_finish(&pass->crates, &pass->replay, &own);
	if (!rc && !pass->cpu)
		rc = results_finish(&pass->lives, &pass->replay, &own);
	if (!rc) {
		keep(pass);
		say_stacks(pass);
		return 0;
	}
	if (own.code != ERR_UNSUPPORTED) {
		err_set(err, own.code, "%s", own.msg);
		err_clear(&own);
		return -1;
	}
	refuse(pass->report, pass->kind, own.msg);
	err_clear(&own);
	return 0;
}

static int play(struct pass *pass, struct err *err)
{
	int rc = 0;

	choose_steps(pass->report);
	begin(pass);
	if (pass->stacks.state)
		rc = replay_play(&pass->replay, take, pass, err);
	read_facts(pass);
	if (!rc)
		rc = finish(pass, err);
	results_release(&pass->stacks);
	results_release(&pass->crates);
	results_release(&pass->lives);
	return rc ? err_wrap(err, "cannot read the trace of '%s'", pass->report->run.path) : 0;
}

static int take_kind(struct view_report *report, const struct kind *kind, struct err *err)
{
	const struct account *account = kind->account;
	struct view_run *run = &report->run;
	const struct view_trace_options options = {
		.replay = { .cpu = account->cpu,
			    .memory = account->memory,
			    .touched = account->touched,
			    .heap = account->heap,
			    .names = true,
			    .cpu_stacks = account->cpu,
			    .symfs = report->symfs },
		/* Where nothing else says when the recording ended. */
		.processes =
			run->trace_end_ns < 0 && (!run->source || run->manifest.stage2_end_ns <= 0),
	};
	struct pass pass = {
		.report = report, .kind = kind, .filter = PROCESS_FILTER_INIT, .cpu = account->cpu
	};
	int rc = view_trace_open_optional(run, &options, &pass.replay, err);

	if (rc > 0)
		refuse(report, kind, "the trace cannot be read");
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = play(&pass, err);
	replay_close(&pass.replay);
	return rc;
}

static int take_kinds(struct view_report *report, struct err *err)
{
	bool has_trace = view_run_has_trace(&report->run);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!has_trace)
			refuse(report, &kinds[i], "it was recorded without a trace");
		else if (take_kind(report, &kinds[i], err))
			return -1;
	}
	return 0;
}

typedef int64_t process_number_fn(const struct view_report *report, size_t i);
typedef const char *process_text_fn(const struct process *process);

static const struct process *process_at(const struct view_report *report, size_t i)
{
	return report->run.processes.v[i];
}

static int64_t get_pid(const struct view_report *report, size_t i)
{
	return process_at(report, i)->pid;
}

static int64_t get_ppid(const struct view_report *report, size_t i)
{
	return process_at(report, i)->ppid;
}

static int64_t get_start(const struct view_report *report, size_t i)
{
	return process_at(report, i)->start_ns;
}

static int64_t get_end(const struct view_report *report, size_t i)
{
	return process_at(report, i)->end_ns;
}

static int64_t get_exit(const struct view_report *report, size_t i)
{
	return process_at(report, i)->exit_code;
}

static int64_t get_stage(const struct view_report *report, size_t i)
{
	return process_at(report, i)->tag.built_by;
}

static int64_t get_cpu(const struct view_report *report, size_t i)
{
	return process_at(report, i)->cpu_ns;
}

static int64_t get_rss(const struct view_report *report, size_t i)
{
	return process_at(report, i)->peak_rss_bytes;
}

static int64_t get_peak(const struct view_report *report, size_t i)
{
	return report->run.memory ? report->run.memory[i].peak : PROCESS_UNKNOWN;
}

static int64_t get_at_peak(const struct view_report *report, size_t i)
{
	return report->run.memory ? report->run.memory[i].at_peak : PROCESS_UNKNOWN;
}

static const char *get_role(const struct process *process)
{
	return role_name(process->tag.role);
}

static const char *get_crate(const struct process *process)
{
	return process->tag.crate;
}

static const char *get_part(const struct process *process)
{
	return process->tag.part;
}

static void add_process_number(struct view_report *report, const char *name, process_number_fn *get)
{
	struct page_columns *columns = &report->columns;

	page_columns_begin(columns);
	for (size_t i = 0; i < report->run.processes.nr; i++)
		page_columns_add_signed(columns, get(report, i));
	page_columns_end(columns, name, report->run.processes.nr, PAGE_SIGNED);
}

static void add_process_text(struct view_report *report, const char *name, process_text_fn *get)
{
	struct page_columns *columns = &report->columns;

	page_columns_begin(columns);
	for (size_t i = 0; i < report->run.processes.nr; i++)
		page_columns_add(columns, page_columns_text(columns, get(process_at(report, i))));
	page_columns_end(columns, name, report->run.processes.nr, PAGE_PLAIN);
}

static void add_command_lines(struct view_report *report)
{
	struct page_columns *columns = &report->columns;
	struct strbuf text = STRBUF_INIT;

	page_columns_begin(columns);
	for (size_t i = 0; i < report->run.processes.nr; i++) {
		strbuf_clear(&text);
		quote_add_shell(&text, &process_at(report, i)->argv);
		page_columns_add(columns, page_columns_text(columns, text.buf));
	}
	page_columns_end(columns, "process.command_line", report->run.processes.nr, PAGE_PLAIN);
	strbuf_release(&text);
}

static void add_processes(struct view_report *report)
{
	static const struct {
		const char *name;
		process_number_fn *get;
	} numbers[] = {
		{ "process.pid", get_pid },         { "process.ppid", get_ppid },
		{ "process.start_ns", get_start },  { "process.end_ns", get_end },
		{ "process.exit_code", get_exit },  { "process.built_by", get_stage },
		{ "process.cpu_ns", get_cpu },      { "process.peak_rss_bytes", get_rss },
		{ "process.peak_bytes", get_peak }, { "process.at_peak_bytes", get_at_peak },
	};
	static const struct {
		const char *name;
		process_text_fn *get;
	} texts[] = {
		{ "process.image", process_image },
		{ "process.role", get_role },
		{ "process.crate", get_crate },
		{ "process.part", get_part },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		add_process_number(report, numbers[i].name, numbers[i].get);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		add_process_text(report, texts[i].name, texts[i].get);
	add_command_lines(report);
}

static void add_commands(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;

	for (size_t i = 0; i < manifest->commands_nr; i++) {
		struct strbuf text = STRBUF_INIT;

		quote_add_shell(&text, &manifest->commands[i].argv);
		if (!strcmp(manifest->commands[i].what, "stage2"))
			add_fact(report, "Command", strbuf_detach(&text));
		strbuf_release(&text);
	}
}

static void add_duration(struct view_report *report)
{
	struct strbuf text = STRBUF_INIT;

	text_add_duration(&text, report->end_ns);
	strbuf_addf(&text, ", %zu process%s", report->run.processes.nr,
		    report->run.processes.nr == 1 ? "" : "es");
	add_fact(report, "Recorded", strbuf_detach(&text));
}

/* How much of the processors was used, and when nobody, or one alone, worked. */
static void add_idle(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;
	int64_t wall = manifest->stage2_end_ns - manifest->stage2_start_ns;
	struct strbuf text = STRBUF_INIT;
	struct concurrency work;

	if (!report->run.source || report->cpus <= 0 || manifest->stage2_end_ns < 0 || wall <= 0 ||
	    !report->run.processes.nr)
		return;
	concurrency_measure(&report->run.processes, manifest->stage2_start_ns,
			    manifest->stage2_end_ns, report->cpus, &work);
	strbuf_addf(&text, "%lld", (long long)report->cpus);
	if (work.cpu_ns >= 0)
		strbuf_addf(
			&text, ", used to %lld %%",
			llround(100 * (double)work.cpu_ns / (double)wall / (double)report->cpus));
	strbuf_adds(&text, "; no process at work for ");
	text_add_duration(&text, work.none_ns);
	strbuf_adds(&text, ", one alone for ");
	text_add_duration(&text, work.alone_ns);
	if (work.longest) {
		strbuf_adds(&text, ", longest of all ");
		strbuf_adds(&text, work.longest->tag.crate ? work.longest->tag.crate
							   : process_image(work.longest));
		strbuf_adds(&text, " for ");
		text_add_duration(&text, work.longest_end_ns - work.longest_start_ns);
	}
	add_fact(report, "Processors", strbuf_detach(&text));
}

static void add_cpu_fact(struct view_report *report)
{
	struct strbuf text = STRBUF_INIT;
	int64_t sum = 0;

	if (!report->cpu_ns)
		return;
	for (size_t i = 0; i <= report->run.processes.nr; i++)
		wrap_add_to(&sum, report->cpu_ns[i]);
	text_add_duration(&text, sum);
	add_fact(report, "CPU time", strbuf_detach(&text));
}

static void add_facts(struct view_report *report)
{
	const struct manifest *manifest = &report->run.manifest;

	add_duration(report);
	add_cpu_fact(report);
	add_idle(report);
	add_commands(report);
	add_fact_copy(report, "Commit", manifest->git_commit);
	add_fact_copy(report, "Host", manifest_host(manifest, "hostname"));
	add_fact_copy(report, "System", manifest_host(manifest, "os"));
	add_fact_copy(report, "Processor", manifest_host(manifest, "cpu_model"));
	add_fact_copy(report, "Recorder", manifest->recorder);
	add_fact_copy(report, "Start", manifest->start_utc);
	add_number(&report->columns, "fact.step_ns", report->step_ns);
	add_number(&report->columns, "fact.steps", report->steps);
	add_number(&report->columns, "fact.end_ns", report->end_ns);
	add_number(&report->columns, "fact.cpus", report->cpus);
}

static void add_manifest_problems(struct view_report *report)
{
	const struct view_run *run = &report->run;
	const struct manifest *manifest = &run->manifest;
	struct strbuf text = STRBUF_INIT;

	if (!run->source)
		return;
	if (manifest->state != RUN_DONE) {
		strbuf_addf(&text, "the recording is %s, not done%s%s",
			    run_state_name(manifest->state), manifest->reason ? ": " : "",
			    manifest->reason ? manifest->reason : "");
		add_problem(report, text.buf);
	}
	strbuf_clear(&text);
	if (manifest->lost_trace_events > 0)
		strbuf_addf(&text, "the recorder lost %lld events\n",
			    (long long)manifest->lost_trace_events);
	if (run->losses.processes || run->losses.events)
		strbuf_adds(&text, "the tracker may have missed processes\n");
	if (run->losses.command_lines)
		strbuf_addf(&text, "%llu command lines are missing\n",
			    (unsigned long long)run->losses.command_lines);
	add_problems(report, &text);
	for (size_t i = 0; i < manifest->warnings.nr; i++)
		add_problem(report, manifest->warnings.v[i]);
	for (size_t i = 0; i < manifest->stack_warnings_nr; i++)
		add_problem(report, manifest->stack_warnings[i].text);
}

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
		.columns = &report->columns,
	};
}

static int collect(struct view_report *report, struct err *err)
{
	const struct table_options all = { .format = TABLE_JSON };
	struct process_filter filter = PROCESS_FILTER_INIT;

	report->tags = stack_tags_builtin();
	page_columns_init(&report->columns);
	report->crate_names = report->problems = (struct strset)STRSET_INIT;
	report->cpus = -1;
	add_manifest_problems(report);
	if (view_processes_play(&report->run, &processes_table, &all, &filter, NULL, err))
		return -1;
	if (report->run.source)
		report->cpus = manifest_host_number(&report->run.manifest, "cpus");
	view_system_add_run(&report->system, &report->run);
	if (take_kinds(report, err))
		return -1;
	choose_steps(report);
	add_processes(report);
	add_facts(report);
	set_page(report);
	return 0;
}

int view_report_open(const struct strvec *paths, struct view_report *report, struct err *err)
{
	if (view_run_open(paths, VIEW_ALL_STACKS, &report->run, err))
		return -1;
	if (!collect(report, err))
		return 0;
	view_report_close(report);
	return -1;
}

void view_report_close(struct view_report *report)
{
	for (size_t i = 0; i < report->facts_nr; i++)
		free(report->facts[i].text);
	free(report->facts);
	free(report->crates);
	free(report->crate_pointers);
	free(report->cpu_ns);
	strset_release(&report->crate_names);
	strset_release(&report->problems);
	process_rows_release(&report->processes);
	system_rows_release(&report->system);
	page_columns_release(&report->columns);
	stack_tags_free(report->tags);
	view_run_close(&report->run);
}
