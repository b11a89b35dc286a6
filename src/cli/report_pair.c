#include "cli/report_pair.h"

#include <stdlib.h>
#include <string.h>

#include "cli/compare_judge.h"
#include "cli/compare_sides.h"
#include "cli/message.h"
#include "compare/unit.h"
#include "platform/fs.h"
#include "report/compare_page.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

struct report_pair {
	struct compare_sides sides;
	struct compare_spec crates, phases, stacks, build;
	struct comparison units;
	struct compare_effect effect;
	struct compare_judgement judgement, of_phases;
	bool split_known;
	struct compare_split split;
	struct compare_keys crate_keys, phase_keys, stack_keys;
	struct compare_rows crate_rows[PAGE_MEASURES], phase_rows[PAGE_MEASURES], stack_rows;
	struct compare_page_fact *facts;
	size_t facts_nr, facts_alloc;
	struct strvec warnings, notes;
	char *names[SIDES];
	struct compare_report report;
};

bool report_is_pair(const struct strvec *before, const struct strvec *after)
{
	return after->nr || (before->nr == 2 && run_source_takes(before->v[0]) &&
			     run_source_takes(before->v[1]));
}

static struct compare_keys keys_of(const struct compare_spec *spec)
{
	struct compare_keys keys = { .nr = spec->by_nr, .stacks = &spec->stacks };

	for (size_t i = 0; i < spec->by_nr; i++) {
		keys.by[i] = spec->by[i];
		keys.place[i] = compare_text_place(spec, spec->by[i]);
	}
	return keys;
}

static void init_specs(struct report_pair *pair)
{
	static const struct process_filter all = PROCESS_FILTER_INIT;
	static const enum group_by crates[] = { BY_PART, BY_CRATE },
				   phases[] = { BY_CRATE, BY_PHASE }, stacks = BY_STACK;
	bool several = compare_sides_has_verdicts(&pair->sides);

	compare_spec_init(&pair->crates, crates, ARRAY_SIZE(crates), &all);
	compare_spec_init(&pair->phases, phases, ARRAY_SIZE(phases), &all);
	compare_spec_init(&pair->stacks, &stacks, 1, &all);
	compare_spec_init(&pair->build, NULL, 0, &all);
	comparison_init(&pair->units, UNIT_TEXTS);
	pair->crate_keys = keys_of(&pair->crates);
	pair->phase_keys = keys_of(&pair->phases);
	pair->stack_keys = keys_of(&pair->stacks);
	compare_judgement_init(&pair->judgement, &pair->crates, several);
	compare_judgement_init(&pair->of_phases, &pair->phases, several);
}

static int read_runs(struct report_pair *pair, struct err *err)
{
	struct compare_spec *specs[] = { &pair->crates, &pair->phases, &pair->stacks, &pair->build,
					 &pair->of_phases.crates };
	struct compare_request request = { .specs = specs, .specs_nr = ARRAY_SIZE(specs) };

	if (!pair->of_phases.by_crates)
		request.specs_nr--;
	if (compare_sides_read(&pair->sides, request, &pair->units, err))
		return -1;
	compare_join(&pair->stacks, MEASURE_OWN_PEAK);
	pair->split_known =
		compare_sides_split(&pair->sides, &pair->build.comparison, &pair->split);
	return 0;
}

/* As `compare` judges rows by part and crate, and those by crate and phase. */
static int judge(struct report_pair *pair, const char *db, struct err *err)
{
	struct compare_runs runs = compare_sides_runs(&pair->sides);
	int rc = compare_judge(&pair->judgement, &pair->crates, &pair->build, &pair->effect, &runs,
			       db, err);

	if (rc || compare_sides_is_pair(&pair->sides))
		return rc;
	message_set_subject("phases");
	rc = compare_judge(&pair->of_phases, &pair->phases, NULL, &pair->effect, &runs, db, err);
	message_set_subject(NULL);
	return rc;
}

static void make_rows(struct report_pair *pair)
{
	static const struct verdicts none = VERDICTS_INIT;

	for (int i = 0; i < PAGE_MEASURES; i++) {
		compare_rows_init(&pair->crate_rows[i], &pair->crates.comparison,
				  &pair->judgement.shown, &pair->crate_keys,
				  compare_page_measures[i]);
		compare_rows_init(&pair->phase_rows[i], &pair->phases.comparison,
				  &pair->of_phases.shown, &pair->phase_keys,
				  compare_page_measures[i]);
	}
	compare_rows_init(&pair->stack_rows, &pair->stacks.comparison, &none, &pair->stack_keys,
			  MEASURE_OWN_PEAK);
}

/* Text of a reading, to be freed; NULL: unknown. */
typedef char *fact_fn(const struct compare_reading *reading);

static char *get_start(const struct compare_reading *reading)
{
	return xstrdup_or_null(reading->start_utc);
}

static char *get_commit(const struct compare_reading *reading)
{
	return xstrdup_or_null(reading->commit);
}

#define FACT_GETTER(name, fact) \
	static char *get_##name(const struct compare_reading *reading) \
	{ \
		return xstrdup_or_null(reading->facts[fact]); \
	}

FACT_GETTER(host, FACT_HOST)
FACT_GETTER(kernel, FACT_KERNEL)
FACT_GETTER(cpu, FACT_CPU)
FACT_GETTER(cpus, FACT_CPUS)
FACT_GETTER(profiler, FACT_PROFILER)
FACT_GETTER(heap, FACT_HEAP)
FACT_GETTER(config, FACT_CONFIG)

static char *get_lost(const struct compare_reading *reading)
{
	return xasprintf("%lld", (long long)reading->lost);
}

static char *get_foreign(const struct compare_reading *reading)
{
	struct strbuf sb = STRBUF_INIT;

	if (reading->foreign_percent < 0)
		return NULL;
	text_add_percent(&sb, reading->foreign_percent);
	strbuf_addc(&sb, '%');
	return strbuf_detach(&sb);
}

/* The distinct texts of the runs of a side, to be freed; NULL: none is known. */
static char *side_text(const struct report_pair *pair, enum compare_side side, fact_fn *get)
{
	struct strset texts = STRSET_INIT;
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < pair->sides.read[side]; i++) {
		char *text = get(&pair->sides.readings[side][i]);

		if (text)
			strset_add(&texts, text);
		free(text);
	}
	for (size_t i = 0; i < texts.strings.nr; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "", texts.strings.v[i]);
	strset_release(&texts);
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void add_fact(struct report_pair *pair, const char *label, fact_fn *get)
{
	struct compare_page_fact fact = { .label = label };

	for (int side = 0; side < SIDES; side++)
		fact.text[side] = side_text(pair, (enum compare_side)side, get);
	fact.differs = !is_same(fact.text[SIDE_BASE], fact.text[SIDE_NEW]);
	ARRAY_ADD(pair->facts, pair->facts_nr, pair->facts_alloc, fact);
}

/* A configuration is long: it is one, or another one. */
static void hide_config(struct compare_page_fact *fact)
{
	for (int side = 0; side < SIDES; side++) {
		if (!fact->text[side])
			continue;
		free(fact->text[side]);
		fact->text[side] = xstrdup(!fact->differs      ? "the same"
					   : side == SIDE_BASE ? "one"
							       : "another one");
	}
}

static void set_facts(struct report_pair *pair)
{
	add_fact(pair, "Commit", get_commit);
	add_fact(pair, "Start (UTC)", get_start);
	add_fact(pair, "Host", get_host);
	add_fact(pair, "Kernel", get_kernel);
	add_fact(pair, "Processor", get_cpu);
	add_fact(pair, "Processors", get_cpus);
	add_fact(pair, "Profiler", get_profiler);
	add_fact(pair, "Heaps are memory that is", get_heap);
	add_fact(pair, "Configuration", get_config);
	hide_config(&pair->facts[pair->facts_nr - 1]);
	add_fact(pair, "Lost events", get_lost);
	add_fact(pair, "Other programs' share of the machine", get_foreign);
}

static void set_report(struct report_pair *pair)
{
	make_rows(pair);
	set_facts(pair);
	for (int side = 0; side < SIDES; side++)
		pair->names[side] = compare_side_name(&pair->sides, (enum compare_side)side);
	pair->report = (struct compare_report){
		.base = pair->names[SIDE_BASE],
		.new = pair->names[SIDE_NEW],
		.keys = &pair->crate_keys,
		.build = &pair->build.comparison,
		.build_verdicts = &pair->judgement.build,
		.split = pair->split_known ? &pair->split : NULL,
	};
}

static bool is_same_run(const char *a, const char *b)
{
	char *one = fs_identity(a), *other = fs_identity(b);
	bool same = !strcmp(a, b) || (one && other && !strcmp(one, other));

	free(one);
	free(other);
	return same;
}

/* A slip of the fingers: it would look as if nothing had changed. Of runs with a cookie all comparisons warn. */
static void warn_of_same_runs(const struct compare_sides *sides)
{
	const struct strvec *base = &sides->runs[SIDE_BASE], *new = &sides->runs[SIDE_NEW];

	for (size_t i = 0; i < base->nr; i++) {
		for (size_t k = 0; k < new->nr; k++) {
			if (!sides->readings[SIDE_BASE][i].cookie &&
			    is_same_run(base->v[i], new->v[k]))
				message_printf(
					"warning: ",
					"'%s' is on both sides: a run does not differ from itself",
					base->v[i]);
		}
	}
}

static int compare(struct report_pair *pair, const char *db, struct err *err)
{
	init_specs(pair);
	if (read_runs(pair, err))
		return -1;
	warn_of_same_runs(&pair->sides);
	if (judge(pair, db, err))
		return -1;
	set_report(pair);
	return 0;
}

int report_pair_open(const struct strvec *before, const struct strvec *after, const char *db,
		     struct report_pair **made, struct err *err)
{
	struct report_pair *pair = xcalloc(1, sizeof(*pair));
	int rc;

	*made = pair;
	*pair = (struct report_pair){ .sides = COMPARE_SIDES_INIT, .effect = COMPARE_EFFECT };
	message_keep(&pair->warnings, &pair->notes);
	rc = compare_sides_get(&pair->sides, "report", before, after, db, err);
	if (!rc)
		rc = compare(pair, db, err);
	message_keep(NULL, NULL);
	return rc;
}

void report_pair_write(const struct report_pair *pair, FILE *out)
{
	struct compare_page page = {
		.report = &pair->report,
		.phase_keys = &pair->phase_keys,
		.stacks = &pair->stack_rows,
		.effect = &pair->effect,
		.pair = compare_sides_is_pair(&pair->sides),
		.warnings = &pair->warnings,
		.notes = &pair->notes,
		.facts = pair->facts,
		.facts_nr = pair->facts_nr,
	};

	for (int i = 0; i < PAGE_MEASURES; i++) {
		page.crates[i] = &pair->crate_rows[i];
		page.phases[i] = &pair->phase_rows[i];
	}
	compare_page_write(&page, out);
}

void report_pair_free(struct report_pair *pair)
{
	if (!pair)
		return;
	compare_sides_release(&pair->sides);
	for (int i = 0; i < PAGE_MEASURES; i++) {
		compare_rows_release(&pair->crate_rows[i]);
		compare_rows_release(&pair->phase_rows[i]);
	}
	compare_rows_release(&pair->stack_rows);
	for (size_t i = 0; i < pair->facts_nr; i++) {
		free(pair->facts[i].text[SIDE_BASE]);
		free(pair->facts[i].text[SIDE_NEW]);
	}
	free(pair->facts);
	free(pair->names[SIDE_BASE]);
	free(pair->names[SIDE_NEW]);
	compare_judgement_release(&pair->judgement);
	compare_judgement_release(&pair->of_phases);
	compare_spec_release(&pair->crates);
	compare_spec_release(&pair->phases);
	compare_spec_release(&pair->stacks);
	compare_spec_release(&pair->build);
	comparison_release(&pair->units);
	strvec_release(&pair->warnings);
	strvec_release(&pair->notes);
	free(pair);
}
