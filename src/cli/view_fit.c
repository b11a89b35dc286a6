#include "cli/view_fit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/region_curves.h"
#include "compare/prediction.h"
#include "report/fit_view.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

/* With --fit rows end here: above that, more jobs than processors of common machines. */
#define JOBS_LAST 64

/* The thread that begins when metadata is written (rustc_codegen_ssa, back/write.rs, start_executing_work()). */
#define METADATA_THREAD "coordinator"

const struct opt fit_options[] = {
	{ 0, "fit", OPT_STRING, "SIZE",
	  "which numbers of jobs (-j) would have kept the peak of the build below this size, with "
	  "its unit, as 16GiB: a row for each, with the peak and the time to expect",
	  offsetof(struct fit_values, size), NULL },
	{ 0, "jobs", OPT_NUMBER, "N", "the peak and the time to expect of the build with -j N",
	  offsetof(struct fit_values, jobs), NULL },
	{ 0, "cpus", OPT_NUMBER, "N",
	  "with --fit and --jobs: on a machine with so many processors; without it as the "
	  "recorded one",
	  offsetof(struct fit_values, cpus), NULL },
	OPT_END,
};

bool fit_is_wanted(const struct fit_values *fit)
{
	return fit->size || fit->jobs || fit->cpus;
}

/* CPU time of a thread of the machine. */
struct thread_cpu {
	size_t row;                  /* of its process, plus one; 0: it had no sample */
	int64_t before_ns, after_ns; /* the metadata of its process */
};

struct fit {
	const struct results_values *values;
	const struct fit_values *options;
	int64_t size; /* 0: not given */
	struct view_run run;
	struct results regions;
	struct curves curves;
	struct thread_cpu *threads; /* by index of the machine */
	size_t threads_nr;
	int64_t *metadata_ns; /* by row; PROCESS_UNKNOWN */
	size_t rows_nr;
	bool has_metadata; /* of any */
	bool has_cpu;
	int64_t last_ns;
	struct job_graph graph;
	struct job_cpu *cpu; /* by job */
};

static void reach_row(struct fit *fit, size_t row)
{
	size_t had = fit->rows_nr;

	ARRAY_GROW_ZERO(fit->metadata_ns, row + 1, fit->rows_nr);
	for (; had < fit->rows_nr; had++)
		fit->metadata_ns[had] = PROCESS_UNKNOWN;
}

static void take_name(struct fit *fit, struct replay *replay, const struct trace_event *event)
{
	const struct trace_process *process;

	if (strcmp(event->name, METADATA_THREAD) != 0)
		return;
	process = machine_process(&replay->machine, event->pid, event->time_ns);
	if (!process)
		return;
	reach_row(fit, process->row);
	if (fit->metadata_ns[process->row] == PROCESS_UNKNOWN)
		fit->metadata_ns[process->row] = event->time_ns;
	fit->has_metadata = true;
}

static void take_sample(struct fit *fit, struct replay *replay, const struct trace_event *event)
{
	const struct trace_thread *thread = machine_thread(&replay->machine, event);
	struct thread_cpu *cpu;

	if (!thread || event->cpu_sample.stack_only)
		return;
	fit->has_cpu = true;
	reach_row(fit, thread->process->row);
	ARRAY_GROW_ZERO(fit->threads, thread->index + 1, fit->threads_nr);
	cpu = &fit->threads[thread->index];
	cpu->row = thread->process->row + 1;
	wrap_add_to(fit->metadata_ns[cpu->row - 1] == PROCESS_UNKNOWN ? &cpu->before_ns
								      : &cpu->after_ns,
		    event->cpu_sample.weight_ns);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct fit *fit = data;

	if (event->kind == TRACE_THREAD_NAME)
		take_name(fit, replay, event);
	else if (event->kind == TRACE_CPU)
		take_sample(fit, replay, event);
	if (fit->regions.state)
		results_take(&fit->regions, event);
	return true;
}

static int play(struct fit *fit, struct replay *replay, struct err *err)
{
	static const struct process_filter all = PROCESS_FILTER_INIT;
	struct region_sink sink = region_curves_sink(&fit->curves);
	const struct account_request request = { .by = { BY_PROCESS },
						 .by_nr = 1,
						 .filter = &all,
						 .at_ns = LEDGER_AT_END,
						 .regions = &sink };
	int rc;

	results_begin(&fit->regions, memory_kind_account(fit->values->of), replay, &request);
	rc = replay_play(replay, take, fit, err);
	fit->last_ns = replay_facts(replay)->counters.last_ns;
	view_trace_warn(replay);
	if (!rc)
		rc = results_finish(&fit->regions, replay, err);
	if (!rc && fit->curves.too_many)
		rc = err_set(err, ERR_UNSUPPORTED, "the trace has more than %zu changes of memory",
			     CURVES_MAX);
	if (!rc) {
		struct intmap places = process_list_places(&fit->run.processes);

		region_curves_place(&fit->curves, &fit->regions, &places);
		intmap_release(&places);
	}
	if (!rc) {
		struct strbuf notes = STRBUF_INIT;

		results_note_hidden_heap(&fit->regions, replay_facts(replay), &notes);
		message_print_buf("note: ", &notes);
	}
	results_release(&fit->regions);
	return rc;
}

/* The thread of each compiler that did most before its metadata is not one of those that come after it. */
static void add_cpu(struct fit *fit)
{
	int64_t *main_ns = xcalloc(fit->graph.nr + 1, sizeof(*main_ns));
	size_t *main_thread = xcalloc(fit->graph.nr + 1, sizeof(*main_thread));

	for (size_t i = 0; i < fit->threads_nr; i++) {
		const struct thread_cpu *thread = &fit->threads[i];
		uint32_t of = thread->row && thread->row <= fit->graph.processes_nr
				      ? fit->graph.job_of[thread->row - 1]
				      : JOB_NONE;
		struct job_cpu *cpu;

		if (of == JOB_NONE)
			continue;
		cpu = &fit->cpu[of];
		if (!fit->graph.jobs[of].compiles ||
		    fit->graph.jobs[of].compiler != thread->row - 1) {
			wrap_add_to(&cpu->others_ns, wrap_add(thread->before_ns, thread->after_ns));
			continue;
		}
		wrap_add_to(&cpu->front_ns, thread->before_ns);
		wrap_add_to(&cpu->back_ns, thread->after_ns);
		cpu->threads += thread->after_ns > 0;
		if (thread->after_ns > cpu->busiest_ns)
			cpu->busiest_ns = thread->after_ns;
		if (thread->before_ns > main_ns[of]) {
			main_ns[of] = thread->before_ns;
			main_thread[of] = i;
		}
	}
	for (size_t i = 0; i < fit->graph.nr; i++) {
		if (main_ns[i] && fit->threads[main_thread[i]].after_ns > 0)
			fit->cpu[i].threads--;
	}
	free(main_thread);
	free(main_ns);
}

static void add_waits(struct fit *fit)
{
	const struct process_list *list = &fit->run.processes;

	for (size_t i = 0; i < fit->graph.nr; i++)
		fit->cpu[i].wait_ns = -1;
	for (size_t i = 0; i < list->nr && i < fit->graph.processes_nr; i++) {
		struct job_cpu *cpu;

		if (fit->graph.job_of[i] == JOB_NONE || list->v[i]->waits.cpu_ns < 0)
			continue;
		cpu = &fit->cpu[fit->graph.job_of[i]];
		cpu->wait_ns =
			wrap_add(cpu->wait_ns < 0 ? 0 : cpu->wait_ns, list->v[i]->waits.cpu_ns);
	}
}

/* When the build began and ended, as far as it is known. */
static void find_range(const struct fit *fit, int64_t *start_ns, int64_t *end_ns)
{
	bool known = fit->run.source && fit->run.manifest.stage2_end_ns >= 0;

	*start_ns = known && fit->run.manifest.stage2_start_ns > 0
			    ? fit->run.manifest.stage2_start_ns
			    : 0;
	*end_ns = known ? fit->run.manifest.stage2_end_ns : fit->last_ns;
}

static int64_t cpus_of(const struct view_run *run, const struct trace_facts *facts)
{
	int64_t cpus = run->source ? manifest_host_number(&run->manifest, "cpus") : -1;

	return cpus > 0 ? cpus : facts->cpus > 0 ? facts->cpus : 0;
}

/* As many jobs as are worth a row after so many: the more there are, the less one more changes. */
static int64_t next_jobs(int64_t jobs)
{
	return jobs + (jobs < 16 ? 1 : jobs < 32 ? 2 : 4);
}

static struct fit_row row_of(const struct fit *fit, const struct predictor *predictor, int64_t jobs,
			     int64_t cpus)
{
	struct fit_row row = { .size = fit->size };

	predictor_run(predictor, jobs, (double)cpus, &row.prediction);
	return row;
}

/* Up to where two in a row do not fit, or more jobs change nothing. */
static size_t make_rows(const struct fit *fit, const struct predictor *predictor, int64_t cpus,
			struct fit_row *rows, size_t most)
{
	size_t nr = 0, too_large = 0;

	if (fit->options->jobs) {
		rows[nr++] = row_of(fit, predictor, fit->options->jobs, cpus);
		return nr;
	}
	for (int64_t jobs = 1; jobs <= JOBS_LAST && nr < most && too_large < 2;
	     jobs = next_jobs(jobs)) {
		rows[nr] = row_of(fit, predictor, jobs, cpus);
		too_large = prediction_fits(&rows[nr].prediction, fit->size) == FITS_NO
				    ? too_large + 1
				    : 0;
		if (!rows[nr++].prediction.tokens_short)
			break;
	}
	return nr;
}

static int print(const struct fit *fit, const struct replay *replay, struct fit_facts *facts,
		 const struct fit_row *rows, size_t nr, struct table_options *options,
		 struct err *err)
{
	const struct view_head view = view_run_head(&fit->run, replay_facts(replay), 0, INT64_MAX);
	const void *pointers[JOBS_LAST];
	struct head head = HEAD_INIT;
	int rc;

	for (size_t i = 0; i < nr; i++)
		pointers[i] = &rows[i];
	if (fit->size)
		fit_facts_answer(facts, rows, nr);
	if (fit->values->view.head || options->format == TABLE_TEXT) {
		view_head_begin(&view, &head);
		fit_facts_add_head(facts, &head);
		view_head_end(&view, &head);
		options->head = &head;
	}
	rc = view_print_table(&fit->values->view, &fit_table, options, pointers, nr, err);
	head_release(&head);
	return rc;
}

static int predict(struct fit *fit, const struct replay *replay, struct table_options *options,
		   struct err *err)
{
	const struct job_session *session = job_graph_main_session(&fit->graph);
	int64_t cpus = cpus_of(&fit->run, replay_facts(replay)), start_ns, end_ns;
	struct fit_row rows[JOBS_LAST];
	struct fit_facts facts = { .graph = &fit->graph,
				   .cpus = cpus,
				   .on_cpus = fit->options->cpus ? fit->options->cpus : cpus,
				   .size = fit->size };
	struct prediction_input input = { .graph = &fit->graph,
					  .cpu = fit->cpu,
					  .cpu_known = fit->has_cpu,
					  .curves = &fit->curves,
					  .cpus = (double)cpus };
	struct predictor *predictor;
	int rc;

	if (!session)
		return err_set(err, ERR_UNSUPPORTED,
			       "there are no compiles or build scripts that cargo started");
	if (fit->graph.compiles_nr && fit->graph.unknown_nr == fit->graph.compiles_nr)
		return err_set(err, ERR_UNSUPPORTED,
			       "the command lines of compiles are not known: what waits for what "
			       "cannot be told%s",
			       fit->run.source ? "" : "; give the run, not the trace alone");
	if (fit->graph.unknown_nr)
		message_printf("warning: ",
			       "the command lines of %zu of %zu compiles are not known: they wait "
			       "for nothing here",
			       fit->graph.unknown_nr, fit->graph.compiles_nr);
	input.jobs = facts.jobs = session->jobs_max ? session->jobs_max : cpus;
	if (!input.jobs)
		return err_set(err, ERR_UNSUPPORTED,
			       "the command line of cargo has no -j, and the number of processors "
			       "is not known");
	find_range(fit, &start_ns, &end_ns);
	input.end_ns = wrap_subtract(end_ns, start_ns);
	predictor = predictor_new(&input);
	facts.check = predictor_check(predictor);
	rc = print(fit, replay, &facts, rows,
		   make_rows(fit, predictor, facts.on_cpus, rows, ARRAY_SIZE(rows)), options, err);
	predictor_free(predictor);
	return rc;
}

/* The processes of a trace are known only after it was played. */
static int show(struct fit *fit, struct table_options *options, struct err *err)
{
	const struct account *account = memory_kind_account(fit->values->of);
	const struct view_trace_options trace = {
		.replay = { .cpu = true,
			    .memory = account->memory,
			    .touched = account->touched,
			    .no_stacks = true },
		.tags = true,
	};
	struct replay replay;
	int64_t start_ns, end_ns;
	int rc;

	if (view_trace_open(&fit->run, &trace, &replay, err))
		return -1;
	rc = play(fit, &replay, err);
	if (!rc) {
		find_range(fit, &start_ns, &end_ns);
		if (fit->run.processes.nr)
			reach_row(fit, fit->run.processes.nr - 1);
		job_graph_init(&fit->graph, &fit->run.processes, fit->metadata_ns,
			       !fit->has_metadata, end_ns);
		fit->cpu = xcalloc(fit->graph.nr + 1, sizeof(*fit->cpu));
		add_cpu(fit);
		add_waits(fit);
		rc = predict(fit, &replay, options, err);
	}
	replay_close(&replay);
	return rc;
}

/* Whether an option is of rows, of a moment or of a part of the build. */
static bool selects(const struct results_values *values)
{
	return values->by.nr || values->at || values->view.time || values->threads.nr ||
	       values->not_threads.nr || !stack_filter_is_empty(&values->stacks) ||
	       values->focus.nr || values->ignore.nr || values->inverted || values->plumbing ||
	       values->min_share;
}

static int check_options(const struct results_values *values, struct fit *fit, struct err *err)
{
	struct process_filter filter;
	int rc;

	if (!fit->options->size && !fit->options->jobs)
		return err_set(err, ERR_USAGE, "--cpus is for --fit and --jobs");
	if (fit->options->size && !fit->options->size[strspn(fit->options->size, "0123456789.")])
		return err_set(err, ERR_USAGE, "--fit: '%s' has no unit: give one, as --fit %sGiB",
			       fit->options->size, *fit->options->size ? fit->options->size : "16");
	if (fit->options->size &&
	    (!text_parse_size(fit->options->size, 1, &fit->size) || !fit->size))
		return err_set(err, ERR_USAGE, "--fit takes a size, as 16GiB, not '%s'",
			       fit->options->size);
	if (fit->options->jobs > JOBS_MOST || fit->options->cpus > JOBS_MOST)
		return err_set(err, ERR_USAGE, "--jobs and --cpus take at most %d", JOBS_MOST);
	rc = view_get_filter(&values->view, &filter, err);
	if (!rc && (process_filter_has_names(&filter) || selects(values)))
		rc = err_set(
			err, ERR_USAGE,
			"--fit and --jobs are about the whole build: give no --by, no --at and "
			"no filter");
	process_filter_release(&filter);
	if (!rc && memory_kind_account(values->of)->heap)
		rc = err_set(err, ERR_USAGE,
			     "--fit and --jobs are for --of commit and --of touched");
	return rc;
}

int fit_run(const struct results_values *values, const struct fit_values *options, struct err *err)
{
	const struct view_subject subject = { .processes = true, .durations = true };
	struct fit fit = { .values = values, .options = options, .last_ns = -1 };
	struct table_options table;
	int rc;

	if (check_options(values, &fit, err) ||
	    view_get_table_options(&values->view, &fit_table, &table, err) ||
	    view_run_open(&values->view.traces, subject, &fit.run, err))
		return -1;
	rc = view_run_has_trace(&fit.run)
		     ? show(&fit, &table, err)
		     : err_set(err, ERR_UNSUPPORTED,
			       "'%s' was recorded without a trace: memory is not known",
			       fit.run.path);
	view_run_close(&fit.run);
	job_graph_release(&fit.graph);
	curves_release(&fit.curves);
	free(fit.cpu);
	free(fit.metadata_ns);
	free(fit.threads);
	return rc ? -1 : EXIT_CODE_DONE;
}
