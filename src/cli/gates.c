#include "cli/gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name_hint.h"
#include "cli/command.h"
#include "cli/message.h"
#include "compare/gate_result.h"
#include "report/compare_view.h"
#include "tag/tag.h"
#include "util/alloc.h"

static const struct process_filter all = PROCESS_FILTER_INIT;

void gate_specs_init_kept(struct gate_specs *specs, struct gates *gates)
{
	static const enum group_by by[] = { [GATE_PART] = BY_PART,
					    [GATE_ROLE] = BY_ROLE,
					    [GATE_CRATE] = BY_CRATE,
					    [GATE_COMPILE] = BY_CRATE,
					    [GATE_PHASE] = BY_PHASE };

	*specs = (struct gate_specs){ .gates = *gates,
				      .compilers = PROCESS_FILTER_INIT,
				      .unknown = STRVEC_INIT };
	*gates = (struct gates)GATES_INIT;
	if (specs->gates.nr)
		alloc_set_exit_code(EXIT_CODE_UNDECIDED);
	for (size_t i = 0; i < specs->gates.nr; i++) {
		const struct gate *gate = &specs->gates.v[i];

		if (specs->used[gate->key])
			continue;
		specs->used[gate->key] = true;
		if (gate->key == GATE_COMPILE)
			strvec_push(&specs->compilers.roles, role_name(ROLE_RUSTC));
		compare_spec_init(&specs->specs[gate->key], &by[gate->key], gate->key != GATE_BUILD,
				  gate->key == GATE_COMPILE ? &specs->compilers : &all);
	}
}

static int read_gates(struct gates *gates, const struct strvec *texts, bool relative,
		      struct err *err)
{
	for (size_t i = 0; i < texts->nr; i++) {
		if (gates_add(gates, texts->v[i], err))
			return -1;
		if (!relative && gate_compares(&gates->v[i]))
			return err_set(err, ERR_USAGE,
				       "gate '%s' is of a change, and a recording has nothing to "
				       "compare with: give a value, as in 'peak > 4GB', or use "
				       "`stagetrace compare`",
				       gates->v[i].text);
	}
	return 0;
}

int gate_specs_init(struct gate_specs *specs, const struct strvec *texts, bool relative,
		    struct err *err)
{
	struct gates gates = GATES_INIT;
	int rc = read_gates(&gates, texts, relative, err);

	gate_specs_init_kept(specs, &gates);
	return rc;
}

void gate_specs_release(struct gate_specs *specs)
{
	gates_release(&specs->gates);
	for (int key = 0; key < GATE_KEYS; key++) {
		if (specs->used[key])
			compare_spec_release(&specs->specs[key]);
	}
	process_filter_release(&specs->compilers);
	strvec_release(&specs->unknown);
	free(specs->doubt);
}

size_t gate_specs_add(struct gate_specs *specs, struct compare_spec **list)
{
	size_t nr = 0;

	for (int key = 0; key < GATE_KEYS; key++) {
		if (specs->used[key])
			list[nr++] = &specs->specs[key];
	}
	return nr;
}

/* Why no gate can be decided by these runs, and which one it is; NULL: they can be. The caller frees it. */
static char *doubt_of(const struct compare_runs *runs)
{
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < runs->paths[side]->nr; i++) {
			const struct compare_reading *reading = &runs->readings[side][i];
			const char *path = runs->paths[side]->v[i];

			if (reading->failed)
				return xasprintf("the recording '%s' failed, or is not whole",
						 path);
			if (reading->lost)
				return xasprintf("the recording '%s' lost events", path);
			/* It needs nearly nothing, which would pass any gate. */
			if (reading->idle)
				return xasprintf("the build of '%s' compiled no crate, as "
						 "everything was up to date",
						 path);
		}
	}
	return NULL;
}

void gate_print_result(const struct compare_gate *gate)
{
	struct strbuf text = STRBUF_INIT;
	enum gate_outcome outcome = gate->result.outcome;

	compare_add_gate(&text, gate);
	message_printf(outcome == GATE_PASSED ? "note: " : "", "gate %s: %s: %s",
		       outcome == GATE_UNDECIDED ? "undecided"
		       : outcome == GATE_TRIPPED ? "tripped"
						 : "passed",
		       gate->gate->text, text.buf);
	strbuf_release(&text);
}

/* How many of what grew most are named. */
#define EVIDENCE 3

/* Against which direction the gate is. */
static bool is_against_growth(const struct gate *gate)
{
	return gate->op == GATE_ABOVE || gate->op == GATE_AT_LEAST;
}

/* By how much a key is evidence: by its growth, of one side alone by its value. */
static int64_t weight_of(const struct gate *gate, const struct compare_change *change, bool base)
{
	if (!base)
		return change->new == MEASURE_UNKNOWN ? 0 : change->new;
	if (change->delta == MEASURE_UNKNOWN)
		return 0;
	return is_against_growth(gate) ? change->delta : -change->delta;
}

static bool is_of_peak(const struct gate *gate)
{
	return !gate->unread && gate->key == GATE_BUILD && gate->measure == MEASURE_OWN_PEAK;
}

/* Parts of the build reach their own peaks at other times: what they held at its peak adds up to it. */
static enum measure measure_of_evidence(const struct gate *gate)
{
	return is_of_peak(gate) ? MEASURE_AT_PEAK : gate->measure;
}

/* So many functions of a stack are named, from the innermost one on. */
#define EVIDENCE_FRAMES 4

static void add_stack(struct strbuf *sb, const struct joined_stacks *stacks, uint32_t stack)
{
	for (int i = 0; i < EVIDENCE_FRAMES && stack != JOINED_ROOT; i++) {
		strbuf_addf(sb, "%s%s", i ? " < " : "", joined_stacks_text(stacks, stack));
		stack = stacks->v[stack].parent;
	}
	if (stack != JOINED_ROOT)
		strbuf_adds(sb, " < ...");
}

/* The last text of a key says what it is: of a function its name. */
static void add_key(struct strbuf *sb, const struct compare_spec *spec, uint32_t key)
{
	const struct comparison *comparison = &spec->comparison;
	const char *text = comparison->keys[key].texts[comparison->texts_nr - 1];

	if (compare_spec_is_by(spec, BY_STACK))
		add_stack(sb, &spec->stacks, (uint32_t)strtoul(text, NULL, 10));
	else
		strbuf_adds(sb, text ? text : "-");
}

/* Whether a key is of what the gate is of: a phase is no filter, but a text of the keys. */
static bool is_of(const struct gate *gate, const struct compare_spec *spec, uint32_t key)
{
	const char *phase;

	if (gate->key != GATE_PHASE)
		return true;
	phase = spec->comparison.keys[key].texts[compare_text_place(spec, BY_PHASE)];
	return phase && !strcmp(phase, gate->name);
}

static void add_evidence(struct strbuf *sb, const struct gate *gate,
			 const struct compare_spec *spec, bool base)
{
	const struct comparison *comparison = &spec->comparison;
	enum measure measure = measure_of_evidence(gate);
	bool *named = xcalloc(comparison->keys_nr, sizeof(*named));

	for (int i = 0; i < EVIDENCE; i++) {
		int64_t most = 0;
		uint32_t best = 0;

		for (uint32_t key = 0; key < comparison->keys_nr; key++) {
			struct compare_change change = comparison_change(comparison, key, measure);
			int64_t weight = named[key] || !is_of(gate, spec, key)
						 ? 0
						 : weight_of(gate, &change, base);

			if (weight > most) {
				most = weight;
				best = key;
			}
		}
		if (!most)
			break;
		named[best] = true;
		strbuf_adds(sb, sb->len ? ", " : "");
		add_key(sb, spec, best);
		strbuf_addc(sb, ' ');
		if (base)
			compare_add_change(sb, measure, is_against_growth(gate) ? most : -most);
		else
			table_add_number(sb,
					 measure_is_bytes(measure) ? COLUMN_BYTES : COLUMN_DURATION,
					 most);
	}
	free(named);
}

static void set_filter(const struct gate *gate, struct process_filter *filter)
{
	struct strvec *names = gate->key == GATE_PART   ? &filter->parts
			       : gate->key == GATE_ROLE ? &filter->roles
			       : gate->key == GATE_CRATE || gate->key == GATE_COMPILE
				       ? &filter->crates
				       : NULL;

	if (names)
		strvec_push(names, gate->name);
	if (gate->key == GATE_COMPILE)
		strvec_push(&filter->roles, role_name(ROLE_RUSTC));
}

/* What is evidence of a gate: what grew most in what it is of, by one more key. */
struct evidence {
	const char *what;
	enum group_by by[2];
	size_t by_nr;
};

/* Crates, phases, functions, stacks. */
#define EVIDENCE_KINDS 4

/* Returns how many there are. */
static size_t choose_evidence(const struct gate *gate, struct evidence v[EVIDENCE_KINDS])
{
	size_t nr = 0;

	if (gate->key == GATE_BUILD)
		v[nr++] = (struct evidence){ "crates", { BY_CRATE }, 1 };
	/* Time on the clock is not of stacks. */
	if (gate->measure == MEASURE_WALL)
		return nr;
	if (gate->key == GATE_PHASE) {
		v[nr++] = (struct evidence){ "functions", { BY_PHASE, BY_FUNCTION }, 2 };
		return nr;
	}
	v[nr++] = (struct evidence){ "phases", { BY_PHASE }, 1 };
	v[nr++] = (struct evidence){ "functions", { BY_FUNCTION }, 1 };
	v[nr++] = (struct evidence){ "stacks", { BY_STACK }, 1 };
	return nr;
}

/* Read the first runs of each side for it. */
static int read_evidence(const struct gate *gate, const struct compare_runs *runs,
			 const struct compare_request *request)
{
	struct err err = ERR_INIT;
	int rc = 0;

	for (int side = gate_compares(gate) ? SIDE_BASE : SIDE_NEW; !rc && side < SIDES; side++) {
		struct compare_reading reading;

		rc = compare_run_read(runs->paths[side]->v[0], (enum compare_side)side, request,
				      &reading, &err);
		compare_reading_release(&reading);
	}
	err_clear(&err);
	return rc;
}

static void print_most(const struct gate *gate, const char *what, const struct compare_spec *spec)
{
	bool base = gate_compares(gate);
	struct strbuf text = STRBUF_INIT;

	add_evidence(&text, gate, spec, base);
	if (text.len)
		message_printf("", "  %s%s%s: %s", what,
			       !base                     ? " with most"
			       : is_against_growth(gate) ? " that grew most"
							 : " that shrank most",
			       is_of_peak(gate) ? " at the peak" : "", text.buf);
	strbuf_release(&text);
}

bool gates_are_of_peak(const struct gates *gates)
{
	for (size_t i = 0; i < gates->nr; i++) {
		if (is_of_peak(&gates->v[i]))
			return true;
	}
	return false;
}

static void print_split(const char *kind, const struct compare_split *split)
{
	struct strbuf text = STRBUF_INIT;

	compare_add_split_of_runs(&text, split);
	message_printf(kind, "  %s", text.buf);
	strbuf_release(&text);
}

static void print_evidence(const struct gate *gate, const struct compare_runs *runs)
{
	struct evidence evidence[EVIDENCE_KINDS];
	size_t nr = choose_evidence(gate, evidence);
	struct compare_spec specs[EVIDENCE_KINDS], *list[EVIDENCE_KINDS];
	const enum measure measure = measure_of_evidence(gate);
	const struct compare_request request = { list, nr, NULL, &measure, false };
	struct process_filter filter = PROCESS_FILTER_INIT;
	int rc;

	set_filter(gate, &filter);
	for (size_t i = 0; i < nr; i++) {
		compare_spec_init(&specs[i], evidence[i].by, evidence[i].by_nr, &filter);
		list[i] = &specs[i];
	}
	rc = nr ? read_evidence(gate, runs, &request) : 0;
	for (size_t i = 0; i < nr; i++) {
		if (!rc) {
			compare_join(&specs[i], measure);
			print_most(gate, evidence[i].what, &specs[i]);
		}
		compare_spec_release(&specs[i]);
	}
	process_filter_release(&filter);
}

/* A name that no run has: which one may have been meant. */
static void suggest_name(struct gate_specs *specs, const struct gate *gate,
			 struct gate_result *result)
{
	const struct comparison *comparison = &specs->specs[gate->key].comparison;
	struct strbuf why = STRBUF_INIT;
	struct name_hints hints;

	if (gate->key == GATE_BUILD ||
	    comparison_find(comparison, (const char *[]){ gate->name }) != HASH_INDEX_NONE)
		return;
	strbuf_adds(&why, result->why);
	name_hints_init(&hints, gate->name);
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		const char *name = comparison->keys[key].texts[0];
		struct compare_change change = comparison_change(comparison, key, gate->measure);

		if (name)
			name_hints_see(&hints, name, name, weight_of(gate, &change, false));
	}
	name_hints_add(&hints, &why);
	name_hints_release(&hints);
	strvec_push(&specs->unknown, why.buf);
	result->why = specs->unknown.v[specs->unknown.nr - 1];
	strbuf_release(&why);
}

struct compare_gate *gates_evaluate(struct gate_specs *specs, const struct compare_runs *runs)
{
	struct compare_gate *gates = xcalloc(specs->gates.nr + 1, sizeof(*gates));

	free(specs->doubt);
	strvec_clear(&specs->unknown);
	specs->doubt = doubt_of(runs);
	for (size_t i = 0; i < specs->gates.nr; i++) {
		const struct gate *gate = &specs->gates.v[i];

		gates[i].gate = gate;
		gates[i].result =
			(struct gate_result){ .outcome = GATE_UNDECIDED, .why = specs->doubt };
		if (specs->doubt)
			continue;
		gates[i].result = gate_evaluate(gate, &specs->specs[gate->key].comparison);
		suggest_name(specs, gate, &gates[i].result);
	}
	return gates;
}

int gates_end_output(int code)
{
	bool written = !fflush(stdout) && !ferror(stdout);

	return code == EXIT_CODE_DONE && !written ? EXIT_CODE_UNDECIDED : code;
}

int gates_say(const struct compare_gate *gates, size_t nr, const struct compare_runs *runs,
	      const struct compare_split *split)
{
	bool undecided = false, tripped = false;
	int code;

	for (size_t i = 0; i < nr; i++) {
		enum gate_outcome outcome = gates[i].result.outcome;

		gate_print_result(&gates[i]);
		/* A gate that no run can decide has no values. */
		if (split && is_of_peak(gates[i].gate) && gates[i].result.change.new)
			print_split(outcome == GATE_PASSED ? "note: " : "", split);
		undecided = undecided || outcome == GATE_UNDECIDED;
		tripped = tripped || outcome == GATE_TRIPPED;
		if (outcome == GATE_TRIPPED)
			print_evidence(gates[i].gate, runs);
	}
	code = tripped ? EXIT_CODE_GATE : undecided ? EXIT_CODE_UNDECIDED : EXIT_CODE_DONE;
	return nr ? gates_end_output(code) : code;
}

int gates_failed(size_t gates, struct err *err)
{
	if (err->code == ERR_USAGE || err->code == ERR_CONFIG)
		return -1;
	message_printf("", "%s", err->msg ? err->msg : "failed");
	if (gates)
		message_print("", "no gate could be decided");
	err_clear(err);
	return EXIT_CODE_UNDECIDED;
}
