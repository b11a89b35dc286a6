#include "cli/compare_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/region_curves.h"
#include "cli/run_settings.h"
#include "cli/view_run.h"
#include "compare/unit.h"
#include "model/concurrency.h"
#include "report/account.h"
#include "report/joined_name.h"
#include "tag/argv.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* One run while it is read. */
struct reading {
	const struct compare_request *request;
	enum compare_side side;
	struct compare_reading *result;
	struct view_run run;
	size_t *numbers; /* of the run in the comparison of each spec */
	bool samples; /* CPU times are those of samples: of a bare trace, or of a range of time */
	struct intmap places;
	uint32_t *units;    /* by place of a process: the key of request->units; NULL: not needed */
	size_t numbered;    /* processes that have a place: those that a play finds have none */
	uint32_t **keys;    /* by spec: the same of a spec by process; NULL: of another one */
	bool (*counted)[2]; /* by spec: CPU time by samples, memory */
	bool processes_found; /* the members above are set */
	int64_t last_ns;      /* of the trace; -1: it was not played */
};

/* Where a run has the key, but nothing was counted for it, that was 0. */
static void fill(struct compare_spec *spec, size_t number, bool memory)
{
	struct compare_run *run = &spec->comparison.runs[number];
	enum measure from = !memory                        ? MEASURE_CPU
			    : compare_spec_has_peaks(spec) ? MEASURE_OWN_PEAK
							   : MEASURE_AT_PEAK;
	enum measure to = memory ? MEASURE_SIZE : MEASURE_CPU;

	for (size_t key = 0; key < run->nr; key++) {
		for (enum measure i = from; run->present[key] && i <= to; i++) {
			if (run->values[key].v[i] == MEASURE_UNKNOWN)
				run->values[key].v[i] = 0;
		}
	}
}

/* Several results of one play. */
struct play {
	struct reading *reading;
	struct results *results;
	struct compare_taking *takings; /* of each */
	size_t *specs;                  /* the same */
	bool *wanted;                   /* it has not all events yet */
	size_t nr;
	struct results regions; /* for curves */
	bool curves;
};

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct play *play = data;
	bool more = false;

	(void)replay;
	for (size_t i = 0; i < play->nr; i++) {
		play->wanted[i] = play->wanted[i] && results_take(&play->results[i], event);
		more = more || play->wanted[i];
	}
	if (play->curves)
		more = results_take(&play->regions, event) || more;
	return more;
}

static void begin(struct play *play, const struct account *account, struct replay *replay, size_t i,
		  const struct stack_tags *tags)
{
	struct reading *reading = play->reading;
	struct compare_taking *taking = &play->takings[play->nr];
	struct account_request request;

	*taking = (struct compare_taking){
		.spec = reading->request->specs[i],
		.run = reading->numbers[i],
		.side = reading->side,
		.places = &reading->places,
		.keys = reading->keys[i],
		.results = &play->results[play->nr],
		.crates = STRSET_INIT,
	};
	request = compare_account_request(taking, tags);
	results_begin(&play->results[play->nr], account, replay, &request);
	play->wanted[play->nr] = play->results[play->nr].state != NULL;
	play->specs[play->nr++] = i;
}

/* What a trace cannot say is unknown: a note says why. */
static int finish(struct replay *replay, struct results *results, struct err *err)
{
	struct err own = ERR_INIT;

	if (!results_finish(results, replay, &own))
		return 0;
	if (own.code != ERR_UNSUPPORTED) {
		*err = own;
		return -1;
	}
	if (results->account->touched) {
		err_clear(&own); /* many recordings have none */
		return 1;
	}
	err_wrap(&own, "cannot count %s", results->account->what);
	message_print("note: ", own.msg);
	err_clear(&own);
	return 1;
}

static int finish_all(struct play *play, struct replay *replay, struct err *err)
{
	struct reading *reading = play->reading;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < play->nr; i++) {
		const struct results *results = &play->results[i];

		rc = finish(replay, &play->results[i], err);
		if (!rc) {
			if (results->account->memory && !reading->result->facts[FACT_HEAP])
				reading->result->facts[FACT_HEAP] =
					xstrdup(results_hide_a_heap(results) ? COMPARE_HEAP_HIDDEN
									     : "committed");
			compare_take(&play->takings[i], results);
			if (!results->account->touched)
				reading->counted[play->specs[i]][results->account->memory] = true;
		}
	}
	if (rc >= 0 && play->curves) {
		rc = finish(replay, &play->regions, err);
		if (!rc)
			region_curves_place(&reading->result->curves, &play->regions,
					    &reading->places);
	}
	return rc < 0 ? -1 : 0;
}

static void see_losses(struct compare_reading *result, const struct replay *replay)
{
	const struct trace_counters *counters = &replay_facts(replay)->counters;
	uint64_t lost = counters->lost + counters->lost_buffers + counters->damaged;
	struct strbuf why = STRBUF_INIT;

	if (lost > (uint64_t)result->lost)
		result->lost = lost < INT64_MAX ? (int64_t)lost : INT64_MAX;
	if (replay_explain_truncated(replay, &why))
		result->failed = true;
	strbuf_release(&why);
}

/* The whole play of what is opened: the results are taken into the comparisons. */
static int play_all(struct play *play, struct replay *replay, struct err *err)
{
	int rc = replay_play(replay, take, play, err);

	play->reading->last_ns = replay_facts(replay)->counters.last_ns;
	see_losses(play->reading->result, replay);
	view_trace_warn(replay);
	if (!rc)
		rc = finish_all(play, replay, err);
	for (size_t i = 0; i < play->nr; i++) {
		results_release(&play->results[i]);
		compare_taking_release(&play->takings[i]);
	}
	results_release(&play->regions);
	free(play->results);
	free(play->specs);
	free(play->takings);
	free(play->wanted);
	return rc;
}

static struct play new_play(struct reading *reading)
{
	size_t most = 3 * reading->request->specs_nr;

	return (struct play){
		.reading = reading,
		.results = xcalloc(most, sizeof(struct results)),
		.takings = xcalloc(most, sizeof(struct compare_taking)),
		.specs = xcalloc(most, sizeof(size_t)),
		.wanted = xcalloc(most, sizeof(bool)),
	};
}

static uint32_t *crate_keys(const struct process_list *list, struct comparison *comparison)
{
	uint32_t *keys = xcalloc(list->nr, sizeof(*keys));

	for (size_t i = 0; i < list->nr; i++) {
		const struct tag *tag = &list->v[i]->tag;
		const char *texts[CRATE_TEXTS] = { [CRATE_PART] = tag->part,
						   [CRATE_NAME] = tag->crate,
						   [CRATE_TYPE] = tag->crate_type };

		keys[i] = comparison_key(comparison, texts);
	}
	return keys;
}

static uint32_t *process_keys(const struct process_list *list, struct compare_spec *spec)
{
	return spec->crates ? crate_keys(list, &spec->comparison)
			    : unit_keys(list, &spec->comparison);
}

/* In a bare trace processes are known only now. */
static void find_processes(struct reading *reading)
{
	const struct compare_request *request = reading->request;
	const struct process_list *list = &reading->run.processes;

	if (reading->processes_found)
		return;
	reading->processes_found = true;
	reading->places = process_list_places(list);
	for (size_t i = 0; i < request->specs_nr; i++) {
		if (compare_spec_is_by(request->specs[i], BY_PROCESS))
			reading->keys[i] = process_keys(list, request->specs[i]);
	}
	if (request->units)
		reading->units = unit_keys(list, request->units);
	reading->numbered = list->nr;
}

/* Whether a spec is counted by stacks in one play with others: an account of whole stacks uses up the machine's. */
static bool shares_stacks(const struct compare_spec *spec)
{
	return compare_spec_by_stacks(spec) && !compare_spec_is_by(spec, BY_STACK);
}

/* How many specs need an account by stacks for the requested measures, in one play. */
static size_t count_sharing(const struct reading *reading, const struct account *account)
{
	const struct compare_request *request = reading->request;
	size_t nr = 0;

	if (request->only &&
	    (account->memory ? !measure_is_bytes(*request->only) : *request->only != MEASURE_CPU))
		return 0;
	for (size_t i = 0; i < request->specs_nr; i++)
		nr += shares_stacks(request->specs[i]);
	return nr;
}

static void begin_memory(struct play *play, struct replay *replay, bool stacks,
			 const struct stack_tags *tags)
{
	const struct reading *reading = play->reading;
	const struct compare_request *request = reading->request;

	for (size_t i = 0; i < request->specs_nr; i++) {
		if (compare_spec_by_stacks(request->specs[i])) {
			if (stacks && shares_stacks(request->specs[i]))
				begin(play, &account_memory, replay, i, tags);
			continue;
		}
		begin(play, &account_memory, replay, i, NULL);
		if (request->kept)
			begin(play, &account_touched, replay, i, NULL);
		if (reading->samples)
			begin(play, &account_cpu, replay, i, NULL);
	}
}

/* All that is counted of memory, and by processes, at once. */
static int read_memory(struct reading *reading, struct err *err)
{
	static const struct process_filter all = PROCESS_FILTER_INIT;
	const struct compare_request *request = reading->request;
	bool stacks = count_sharing(reading, &account_memory) > 0;
	const struct view_trace_options options = {
		.replay = { .memory = true,
			    .touched = request->kept,
			    .cpu = reading->samples,
			    .names = stacks,
			    .no_stacks = !stacks },
		.tags = true,
	};
	struct region_sink sink = region_curves_sink(&reading->result->curves);
	const struct account_request regions = { .by = { BY_PROCESS },
						 .by_nr = 1,
						 .filter = &all,
						 .at_ns = LEDGER_AT_END,
						 .regions = &sink };
	struct stack_tags *tags;
	struct play play;
	struct replay replay;
	int rc;

	if (view_trace_open(&reading->run, &options, &replay, err))
		return -1;
	find_processes(reading);
	tags = stack_tags_builtin();
	play = new_play(reading);
	begin_memory(&play, &replay, stacks, tags);
	play.curves = request->units != NULL;
	if (play.curves) {
		results_begin(&play.regions, &account_memory, &replay, &regions);
		play.curves = play.regions.state != NULL;
	}
	rc = play_all(&play, &replay, err);
	replay_close(&replay);
	stack_tags_free(tags);
	return rc;
}

/* A play of its own with an account by stacks. */
static int read_stacks(struct reading *reading, const struct compare_spec *only,
		       const struct account *account, struct err *err)
{
	const struct view_trace_options options = {
		.replay = { .memory = account->memory,
			    .cpu = account->cpu,
			    .names = true,
			    .cpu_stacks = account->cpu },
		.tags = true,
	};
	const struct compare_request *request = reading->request;
	struct stack_tags *tags = stack_tags_builtin();
	struct replay replay;
	struct play play;
	int rc = -1;

	if (!view_trace_open(&reading->run, &options, &replay, err)) {
		play = new_play(reading);
		for (size_t i = 0; i < request->specs_nr; i++) {
			if (request->specs[i] == only)
				begin(&play, account, &replay, i, tags);
		}
		rc = play_all(&play, &replay, err);
		replay_close(&replay);
	}
	stack_tags_free(tags);
	return rc;
}

static int read_whole_stacks(struct reading *reading, const struct compare_spec *spec,
			     struct err *err)
{
	const enum measure *only = reading->request->only;

	if ((!only || measure_is_bytes(*only)) && read_stacks(reading, spec, &account_memory, err))
		return -1;
	return !only || *only == MEASURE_CPU ? read_stacks(reading, spec, &account_cpu, err) : 0;
}

static int read_trace(struct reading *reading, struct err *err)
{
	const struct compare_request *request = reading->request;

	if (!view_run_has_trace(&reading->run)) {
		find_processes(reading);
		message_print("note: ", "recorded without a trace: memory is not known");
		return 0;
	}
	if (read_memory(reading, err))
		return -1;
	/* An account of CPU time numbers the stacks of the machine again when it is finished: no other shares them. */
	for (size_t i = 0; count_sharing(reading, &account_cpu) && i < request->specs_nr; i++) {
		if (shares_stacks(request->specs[i]) &&
		    read_stacks(reading, request->specs[i], &account_cpu, err))
			return -1;
	}
	for (size_t i = 0; i < request->specs_nr; i++) {
		if (compare_spec_is_by(request->specs[i], BY_STACK) &&
		    read_whole_stacks(reading, request->specs[i], err))
			return -1;
	}
	return 0;
}

static int64_t end_of(const struct reading *reading)
{
	int64_t end_ns = reading->run.source ? reading->run.manifest.stage2_end_ns : -1;

	return end_ns > reading->last_ns ? end_ns : reading->last_ns;
}

/* When a process was there, within a range. False: it was not. */
static bool find_span(const struct reading *reading, const struct process *process, int64_t from_ns,
		      int64_t to_ns, int64_t *start_ns, int64_t *end_ns)
{
	int64_t last_ns = end_of(reading);

	*start_ns = process->start_ns > from_ns ? process->start_ns : from_ns;
	*end_ns = process->end_ns == PROCESS_UNKNOWN ? last_ns : process->end_ns;
	if (*end_ns > to_ns)
		*end_ns = to_ns;
	return *start_ns < *end_ns;
}

struct stay {
	uint32_t key;
	int64_t start_ns, end_ns;
};

static int compare_stays(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* For each key the time in which at least one of its processes existed. */
static void add_walls(struct comparison *comparison, size_t run, struct stay *stays, size_t nr)
{
	struct measures values = measures_unknown;

	if (nr)
		qsort(stays, nr, sizeof(*stays), compare_stays);
	for (size_t i = 0; i < nr;) {
		uint32_t key = stays[i].key;
		int64_t until_ns = INT64_MIN, sum = 0;

		for (; i < nr && stays[i].key == key; i++) {
			int64_t from_ns =
				stays[i].start_ns > until_ns ? stays[i].start_ns : until_ns;

			if (stays[i].end_ns <= from_ns)
				continue;
			wrap_add_to(&sum, wrap_subtract(stays[i].end_ns, from_ns));
			until_ns = stays[i].end_ns;
		}
		values.v[MEASURE_WALL] = sum;
		comparison_add(comparison, run, key, &values);
	}
}

static uint32_t key_of_process(struct reading *reading, size_t i, size_t place)
{
	struct compare_spec *spec = reading->request->specs[i];
	const struct tag *tag = &reading->run.processes.v[place]->tag;
	const char *texts[COMPARE_TEXTS] = { NULL };

	if (compare_spec_is_by(spec, BY_PROCESS))
		return reading->keys[i][place];
	for (size_t k = 0; k < spec->by_nr; k++)
		texts[k] = compare_text_of(tag, spec->by[k]);
	return comparison_key(&spec->comparison, texts);
}

static int64_t sum_of_waits(const struct waits *waits)
{
	const int64_t all[] = { waits->cpu_ns, waits->io_ns, waits->memory_ns };
	int64_t sum = MEASURE_UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i] >= 0)
			sum = wrap_add(sum == MEASURE_UNKNOWN ? 0 : sum, all[i]);
	}
	return sum;
}

/*
 * Note whether a process of a key has threads that race, and whether it is one of several; `has` is by key. A shim only
 * waits for its compiler, with hardly any memory.
 */
static void note_process(struct compare_key *key, bool *has, const struct process *process)
{
	if (process->tag.role == ROLE_RUSTC_SHIM)
		return;
	if (process->tag.role != ROLE_RUSTC || !rustc_is_sequential(&process->argv, 1))
		key->varies = true;
	if (*has)
		key->several = true;
	*has = true;
}

/* CPU time by the tracker, and time on the clock. */
static void add_times(struct reading *reading, size_t i)
{
	struct compare_spec *spec = reading->request->specs[i];
	const struct process_list *list = &reading->run.processes;
	struct stay *stays = xcalloc(list->nr, sizeof(*stays));
	bool *has = xcalloc(spec->comparison.keys_nr + list->nr, sizeof(*has)); /* by key */
	size_t nr = 0;

	for (size_t k = 0; k < list->nr; k++) {
		struct measures values = measures_unknown;
		struct stay stay;

		if (spec->by_nr && !process_filter_match(spec->filter, list->v[k]))
			continue;
		if (compare_spec_is_by(spec, BY_PROCESS) && k >= reading->numbered)
			continue;
		stay.key = key_of_process(reading, i, k);
		note_process(&spec->comparison.keys[stay.key], &has[stay.key], list->v[k]);
		if (!reading->samples && list->v[k]->cpu_ns != PROCESS_UNKNOWN)
			values.v[MEASURE_CPU] = list->v[k]->cpu_ns;
		if (list->v[k]->peak_rss_bytes != PROCESS_UNKNOWN)
			values.v[MEASURE_PEAK_RSS] = list->v[k]->peak_rss_bytes;
		values.v[MEASURE_WAIT] = sum_of_waits(&list->v[k]->waits);
		comparison_add(&spec->comparison, reading->numbers[i], stay.key, &values);
		if (find_span(reading, list->v[k], spec->filter->from_ns, spec->filter->to_ns,
			      &stay.start_ns, &stay.end_ns))
			stays[nr++] = stay;
	}
	add_walls(&spec->comparison, reading->numbers[i], stays, nr);
	free(stays);
	free(has);
}

static void make_spans(struct reading *reading)
{
	const struct process_list *list = &reading->run.processes;
	struct compare_reading *result = reading->result;

	result->end_ns = end_of(reading);
	/* A run whose list is damaged gets further processes while its trace is played: they have no unit. */
	result->spans_nr = list->nr < reading->numbered ? list->nr : reading->numbered;
	result->spans = xcalloc(result->spans_nr, sizeof(*result->spans));
	for (size_t i = 0; i < result->spans_nr; i++) {
		struct curve_span *span = &result->spans[i];

		span->key = reading->units[i];
		if (!find_span(reading, list->v[i], 0, INT64_MAX, &span->start_ns, &span->end_ns))
			span->end_ns = span->start_ns;
	}
}

static char *copy_host(const struct manifest *manifest, const char *key)
{
	return xstrdup_or_null(manifest_host(manifest, key));
}

static int64_t at_least_0(int64_t nr)
{
	return nr > 0 ? nr : 0;
}

static double foreign_percent(const struct manifest *manifest)
{
	int64_t cpus = manifest_host_number(manifest, "cpus");
	int64_t wall_ns = wrap_subtract(manifest->stage2_end_ns, manifest->stage2_start_ns);

	if (manifest->foreign_cpu_ns < 0 || cpus <= 0 || wall_ns <= 0)
		return -1;
	return concurrency_percent(manifest->foreign_cpu_ns, wall_ns, cpus);
}

static void read_facts(struct reading *reading)
{
	struct manifest *manifest = &reading->run.manifest;
	struct compare_reading *result = reading->result;
	int64_t lost;

	result->foreign_percent = -1;
	if (!reading->run.source)
		return;
	result->facts[FACT_HOST] = copy_host(manifest, "hostname");
	result->facts[FACT_KERNEL] = copy_host(manifest, "kernel");
	result->facts[FACT_CPU] = copy_host(manifest, "cpu_model");
	result->facts[FACT_CPUS] = copy_host(manifest, "cpus");
	result->facts[FACT_PROFILER] = xstrdup_or_null(manifest->recorder);
	result->facts[FACT_CONFIG] = run_settings_text(reading->run.source);
	result->start_utc = xstrdup_or_null(manifest->start_utc);
	result->commit = manifest_commit_text(manifest);
	result->cookie = xstrdup_or_null(manifest->cookie);
	result->failed = result->failed || manifest->state != RUN_DONE;
	lost = wrap_add(at_least_0(manifest->lost_trace_events),
			at_least_0(manifest->lost_tracker_events));
	if (lost > result->lost)
		result->lost = lost;
	result->foreign_percent = foreign_percent(manifest);
	result->idle = process_list_compiles_nothing(&reading->run.processes);
}

static int read_all(struct reading *reading, struct err *err)
{
	const struct compare_request *request = reading->request;

	for (size_t i = 0; i < request->specs_nr; i++) {
		struct compare_spec *spec = request->specs[i];

		if (!reading->run.source || compare_spec_limits_time(spec))
			reading->samples = true;
	}
	if (read_trace(reading, err))
		return -1;
	for (size_t i = 0; i < request->specs_nr; i++) {
		if (!compare_spec_by_stacks(request->specs[i]))
			add_times(reading, i);
		for (int memory = 0; memory < 2; memory++) {
			if (reading->counted[i][memory])
				fill(request->specs[i], reading->numbers[i], memory);
		}
	}
	if (request->units)
		make_spans(reading);
	read_facts(reading);
	return 0;
}

int compare_run_read(const char *path, enum compare_side side,
		     const struct compare_request *request, struct compare_reading *result,
		     struct err *err)
{
	const struct view_subject subject = {
		/* compare_warn_of_runs() has all runs in which others slowed the build in one line. */
		.cpu_stacks = false,
		.memory_stacks = false,
		.processes = true,
		.durations = request->kept
	};
	struct reading reading = {
		.request = request, .side = side, .result = result, .last_ns = -1
	};
	struct strvec paths = STRVEC_INIT;
	int rc = -1;

	*result = (struct compare_reading){ .end_ns = -1 };
	message_set_subject(path);
	strvec_push(&paths, path);
	reading.numbers = xcalloc(request->specs_nr, sizeof(*reading.numbers));
	reading.keys = xcalloc(request->specs_nr, sizeof(*reading.keys));
	reading.counted = xcalloc(request->specs_nr, sizeof(*reading.counted));
	for (size_t i = 0; i < request->specs_nr; i++)
		reading.numbers[i] = comparison_add_run(&request->specs[i]->comparison, side);
	if (!view_run_open(&paths, subject, &reading.run, err)) {
		rc = read_all(&reading, err);
		view_run_close(&reading.run);
	}
	if (rc)
		err_wrap(err, "cannot %s '%s'", request->kept ? "add" : "compare", path);
	for (size_t i = 0; i < request->specs_nr; i++)
		free(reading.keys[i]);
	free(reading.keys);
	free(reading.counted);
	free(reading.units);
	free(reading.numbers);
	intmap_release(&reading.places);
	strvec_release(&paths);
	message_set_subject(NULL);
	return rc;
}

struct curve_build compare_reading_curves(const struct compare_reading *reading)
{
	return (struct curve_build){ &reading->curves, reading->spans, reading->spans_nr,
				     reading->end_ns };
}

void compare_reading_release(struct compare_reading *reading)
{
	curves_release(&reading->curves);
	free(reading->spans);
	for (int i = 0; i < COMPARE_FACTS; i++)
		free(reading->facts[i]);
	free(reading->start_utc);
	free(reading->commit);
	free(reading->cookie);
}
