#include "cli/history_gates.h"

#include "cli/command.h"
#include "cli/gates.h"
#include "compare/comparison.h"
#include "compare/gate_result.h"

/*
 * The series whose values a gate is about: those of a crate or a phase in all parts. Parts of a bootstrap are built one
 * after the other, so that the highest own peak of them is that of all.
 */
static const struct {
	enum history_kind kind;
	enum history_text text;
} series_of[GATE_KEYS] = {
	[GATE_BUILD] = { HISTORY_BUILD, TEXT_PART },
	[GATE_PART] = { HISTORY_PART, TEXT_PART },
	[GATE_ROLE] = { HISTORY_ROLE, TEXT_ROLE },
	[GATE_CRATE] = { HISTORY_PART_CRATE, TEXT_CRATE },
	[GATE_COMPILE] = { HISTORY_CRATE, TEXT_CRATE },
	[GATE_PHASE] = { HISTORY_PHASE, TEXT_PHASE },
};

static const char too_old[] = "an earlier version of stagetrace has added the runs: of crates it "
			      "kept the compilers alone";

static const char alone[] = "there is no earlier run to compare with";
static const char acknowledged[] =
	"there is no earlier run to compare with: what changed in the newest one is acknowledged";

/* A gate, and the runs of the scope that it compares: those from `first` on. */
struct judging {
	const struct history_scope *scope;
	const struct gate *gate;
	size_t first;
};

/* From the last change on that is acknowledged for the whole build. */
static size_t first_of_base(const struct history_scope *scope)
{
	size_t nr = scope->runs.nr;
	size_t first = nr > HISTORY_BASE_RUNS + 1 ? nr - HISTORY_BASE_RUNS - 1 : 0;

	for (size_t i = 0; i < scope->acknowledged.nr; i++) {
		const struct history_acknowledged *change = &scope->acknowledged.v[i];

		while (!change->series && !*change->metric && first + 1 < nr &&
		       history_is_before(scope, first, change))
			first++;
	}
	return first;
}

static void add_points(const struct judging *judging, const struct history_points *points,
		       struct comparison *comparison, uint32_t key)
{
	const struct history_runs *runs = &judging->scope->runs;

	for (size_t i = 0; i < points->nr; i++) {
		for (size_t k = judging->first; k < runs->nr; k++) {
			if (runs->v[k].id == points->v[i].run)
				comparison_add(comparison, k - judging->first, key,
					       &points->v[i].values);
		}
	}
}

/* The values that series of a kind and of the gate's name have in the runs. */
static int read_kind(const struct judging *judging, enum history_kind kind,
		     struct comparison *comparison, struct err *err)
{
	const struct history_scope *scope = judging->scope;
	const struct gate *gate = judging->gate;
	struct history_series_list list = { NULL, 0, 0 };
	const char *texts[HISTORY_TEXTS] = { NULL };
	int rc;

	comparison_init(comparison, gate->name ? 1 : 0);
	for (size_t i = judging->first; i < scope->runs.nr; i++)
		comparison_add_run(comparison, i + 1 < scope->runs.nr ? SIDE_BASE : SIDE_NEW);
	texts[series_of[gate->key].text] = gate->name;
	rc = history_get_series(scope->db, scope->config, scope->host, (int)kind, texts, &list,
				err);
	for (size_t i = 0; i < list.nr && !rc; i++) {
		const char *const name[] = { gate->name };
		uint32_t key = comparison_key(comparison, name);
		struct history_points points = { NULL, 0, 0 };

		rc = history_get_points(scope->db, list.v[i].id,
					scope->runs.v[judging->first].time_ms, 0, &points, err);
		add_points(judging, &points, comparison, key);
		history_points_release(&points);
	}
	history_series_release(&list);
	return rc;
}

/*
 * Leave runs out in which the crate has compilers, and no values of all its processes: it has not vanished, as an earlier
 * version did not keep those. True: there are some.
 */
static bool leave_out_old(const struct judging *judging, struct comparison *comparison,
			  const struct comparison *compilers)
{
	const char *const name[] = { judging->gate->name };
	struct comparison kept;

	comparison_init(&kept, comparison->texts_nr);
	for (size_t run = 0; run < comparison->runs_nr; run++) {
		bool has = comparison_has(comparison, run, 0);

		if (!has && comparison_has(compilers, run, 0))
			continue;
		comparison_add_run(&kept, comparison->runs[run].side);
		if (has)
			comparison_add(&kept, kept.runs_nr - 1, comparison_key(&kept, name),
				       &comparison->runs[run].values[0]);
	}
	comparison_release(comparison);
	*comparison = kept;
	return kept.runs_nr < compilers->runs_nr;
}

/* `*why`, if not NULL: the gate cannot be decided. */
static int read_gate(const struct judging *judging, struct comparison *comparison, const char **why,
		     struct err *err)
{
	const struct gate *gate = judging->gate;
	struct comparison compilers;
	int rc = read_kind(judging, series_of[gate->key].kind, comparison, err);

	if (!rc && !*why && gate_compares(gate) && !comparison_runs(comparison, SIDE_BASE))
		*why = judging->first ? acknowledged : alone;
	if (rc || *why || gate->key != GATE_CRATE)
		return rc;
	rc = read_kind(judging, HISTORY_CRATE, &compilers, err);
	if (!rc && leave_out_old(judging, comparison, &compilers) &&
	    (!comparison_runs(comparison, SIDE_NEW) ||
	     (gate_compares(gate) && !comparison_runs(comparison, SIDE_BASE))))
		*why = too_old;
	comparison_release(&compilers);
	return rc;
}

static int judge(const struct judging *judging, const char *why, enum gate_outcome *outcome,
		 struct err *err)
{
	struct compare_gate judged = { .gate = judging->gate };
	struct comparison comparison;
	int rc = read_gate(judging, &comparison, &why, err);

	if (!rc) {
		judged.result = gate_evaluate(judging->gate, &comparison);
		if (why)
			judged.result =
				(struct gate_result){ .outcome = GATE_UNDECIDED, .why = why };
		gate_print_result(&judged);
		*outcome = judged.result.outcome;
	}
	comparison_release(&comparison);
	return rc;
}

int history_gates_judge(const struct history_scope *scope, const struct gates *gates,
			struct err *err)
{
	bool tripped = false, undecided = false;

	for (size_t i = 0; i < gates->nr; i++) {
		const struct judging judging = { scope, &gates->v[i], first_of_base(scope) };
		enum gate_outcome outcome;

		if (judge(&judging, scope->doubt, &outcome, err))
			return -1;
		tripped = tripped || outcome == GATE_TRIPPED;
		undecided = undecided || outcome == GATE_UNDECIDED;
	}
	return tripped ? EXIT_CODE_GATE : undecided ? EXIT_CODE_UNDECIDED : EXIT_CODE_DONE;
}
