#include "cli/compare_take.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/unit.h"
#include "model/process.h"
#include "report/frame_merge.h"
#include "report/joined_name.h"
#include "tag/tag.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

/* A function has its module too. */
size_t compare_texts(enum group_by by)
{
	return by == BY_PROCESS ? UNIT_TEXTS : by == BY_FUNCTION ? 2 : 1;
}

size_t compare_text_place(const struct compare_spec *spec, enum group_by by)
{
	return spec->by_nr > 1 && spec->by[0] != by ? compare_texts(spec->by[0]) : 0;
}

void compare_spec_init(struct compare_spec *spec, const enum group_by *by, size_t by_nr,
		       const struct process_filter *filter)
{
	size_t texts = 0;

	*spec = (struct compare_spec){ .by_nr = by_nr, .filter = filter };
	for (size_t i = 0; i < by_nr; i++) {
		spec->by[i] = by[i];
		texts += compare_texts(by[i]);
	}
	comparison_init(&spec->comparison, texts);
	spec->comparison.peaks_add = compare_spec_is_by(spec, BY_STACK);
	joined_stacks_init(&spec->stacks);
}

void compare_spec_init_crates(struct compare_spec *spec, const struct process_filter *filter)
{
	*spec = (struct compare_spec){
		.by = { BY_PROCESS }, .by_nr = 1, .crates = true, .filter = filter
	};
	comparison_init(&spec->comparison, CRATE_TEXTS);
	joined_stacks_init(&spec->stacks);
}

void compare_spec_release(struct compare_spec *spec)
{
	comparison_release(&spec->comparison);
	joined_stacks_release(&spec->stacks);
}

bool compare_spec_is_by(const struct compare_spec *spec, enum group_by by)
{
	for (size_t i = 0; i < spec->by_nr; i++) {
		if (spec->by[i] == by)
			return true;
	}
	return false;
}

bool compare_spec_by_stacks(const struct compare_spec *spec)
{
	for (size_t i = 0; i < spec->by_nr; i++) {
		if (group_by_stacks(spec->by[i]))
			return true;
	}
	return false;
}

bool compare_spec_limits_time(const struct compare_spec *spec)
{
	return spec->filter->from_ns > 0 || spec->filter->to_ns != INT64_MAX;
}

bool compare_spec_has_peaks(const struct compare_spec *spec)
{
	return !compare_spec_is_by(spec, BY_STACK) || !compare_spec_limits_time(spec);
}

const char *compare_text_of(const struct tag *tag, enum group_by by)
{
	return by == BY_ROLE ? role_name(tag->role) : by == BY_PART ? tag->part : tag->crate;
}

void compare_taking_release(struct compare_taking *taking)
{
	strset_release(&taking->crates);
}

/* Of a process that is no row there are none. */
static const struct tag *tag_of(const struct results *results, uint32_t key)
{
	static const struct tag none;
	const struct process *process = grouping_part(results->grouping, key, BY_PROCESS)->process;

	return process ? &process->tag : &none;
}

/* The crate of a key of stacks, of its part. */
static uint32_t crate_of(void *data, uint32_t key)
{
	struct compare_taking *taking = data;
	const struct tag *tag = tag_of(taking->results, key);
	struct strbuf name = STRBUF_INIT;
	uint32_t number;

	strbuf_addf(&name, "%s\n%s", tag->part ? tag->part : "", tag->crate ? tag->crate : "");
	number = strset_add(&taking->crates, name.buf);
	strbuf_release(&name);
	return number;
}

struct account_request compare_account_request(struct compare_taking *taking,
					       const struct stack_tags *tags)
{
	const struct compare_spec *spec = taking->spec;
	bool stacks = compare_spec_is_by(spec, BY_STACK);
	struct account_request request = {
		.by = { spec->by_nr ? spec->by[0] : BY_PROCESS, spec->by[1] },
		.by_nr = spec->by_nr ? spec->by_nr : 1,
		.tags = tags,
		.filter = spec->filter,
		.at_ns = LEDGER_AT_END,
		.full_names = true,
	};

	if (stacks) {
		request.by[0] = BY_PROCESS;
		request.by[1] = BY_STACK;
		request.by_nr = 2;
		request.owner_of = crate_of;
		request.owner_data = taking;
	}
	return request;
}

/* The number of a name of a run, with the other names of its code. */
struct name_finder {
	const struct compare_taking *taking;
	const struct results *results;
	uint32_t *numbers; /* by function.name, plus one; 0: not found yet */
};

static uint32_t find_name(struct name_finder *finder, uint32_t name)
{
	struct strbuf text = STRBUF_INIT;

	if (!finder->numbers[name]) {
		joined_function(&text, function_table_name(finder->results->functions, name),
				finder->taking->spec->full_names);
		finder->numbers[name] = joined_names_add(&finder->taking->spec->stacks.names,
							 text.buf, finder->taking->side) +
					1;
		strbuf_release(&text);
	}
	return finder->numbers[name] - 1;
}

static void add_also(struct name_finder *finder, uint32_t function)
{
	const struct function_table *functions = finder->results->functions;
	const struct strvec *also = function_table_also(functions, function);
	uint32_t name = find_name(finder, functions->v[function].name);

	for (size_t i = 0; also && i < also->nr; i++) {
		struct strbuf text = STRBUF_INIT;

		joined_function(&text, also->v[i], finder->taking->spec->full_names);
		joined_names_also(&finder->taking->spec->stacks.names, name, text.buf);
		strbuf_release(&text);
	}
}

/* Find the names of all functions, also of those that only others of the comparison have values of. */
static void begin_names(struct name_finder *finder, const struct compare_taking *taking,
			const struct results *results)
{
	*finder = (struct name_finder){ taking, results, NULL };
	finder->numbers = xcalloc(results->functions->names_nr + 1, sizeof(*finder->numbers));
	for (size_t i = 0; i < results->functions->nr; i++)
		add_also(finder, (uint32_t)i);
}

/* The texts of a function: its module and its name, as both are joined. `module` owns the first one. */
static void set_function_texts(struct name_finder *finder, const struct group *group,
			       struct strbuf *module, const char **texts)
{
	const struct results *results = finder->results;
	const struct joined_names *names = &finder->taking->spec->stacks.names;
	uint32_t name = find_name(finder, results->functions->v[group->function].name);

	if (group->text)
		strbuf_adds(module, group->text);
	else
		joined_module(module, results->modules->v[group->module].name);
	texts[0] = module->buf;
	texts[1] = names->texts.strings.v[name];
}

/* The key of the comparison that a key of results has; false: it has none, as a process that is no row. */
static bool find_key(const struct compare_taking *taking, struct name_finder *finder, uint32_t key,
		     uint32_t *found)
{
	struct compare_spec *spec = taking->spec;
	const struct results *results = finder->results;
	struct strbuf module = STRBUF_INIT;
	const char *texts[COMPARE_TEXTS] = { NULL };

	if (compare_spec_is_by(spec, BY_PROCESS)) {
		size_t place = process_list_place(
			taking->places, grouping_part(results->grouping, key, BY_PROCESS)->process);

		if (place != PROCESS_NO_PLACE)
			*found = taking->keys[place];
		return place != PROCESS_NO_PLACE;
	}
	for (size_t k = 0; k < spec->by_nr; k++) {
		const struct group *group = grouping_part(results->grouping, key, spec->by[k]);
		const char **at = &texts[compare_text_place(spec, spec->by[k])];

		if (spec->by[k] == BY_FUNCTION)
			set_function_texts(finder, group, &module, at);
		else
			*at = group->text;
	}
	*found = comparison_key(&spec->comparison, texts);
	strbuf_release(&module);
	return true;
}

static struct measures values_of(const struct results *results, const void *data)
{
	struct measures values = measures_unknown;

	/* An account of touched memory is one of memory too. */
	if (results->account->touched) {
		values.v[MEASURE_TOUCHED] = ((const struct ledger_entry *)data)->peak;
	} else if (results->account->memory) {
		const struct ledger_entry *entry = data;

		values.v[MEASURE_OWN_PEAK] = entry->peak;
		values.v[MEASURE_AT_PEAK] = entry->at_peak;
		values.v[MEASURE_SIZE] = entry->size;
		values.v[MEASURE_OWN_PEAK_TIME] = entry->peak_ns;
		values.v[MEASURE_COUNT] = entry->count;
	} else {
		values.v[MEASURE_CPU] = ((const struct cpu_entry *)data)->self_ns;
	}
	return values;
}

/* Of functions that only called others there is nothing. */
static bool is_nothing(const struct measures *values)
{
	for (int i = 0; i < MEASURES_KEPT; i++) {
		if (values->v[i] != MEASURE_UNKNOWN && values->v[i] != 0)
			return false;
	}
	return true;
}

/* Stacks with less than this share of all, in percent, become one frame of their caller. */
#define LEAST_SHARE 0.005

/* Stacks of a run, by joined names. */
struct stack_taker {
	const struct compare_taking *taking;
	const struct results *results;
	struct name_finder names;
	struct joined_stacks
		own;      /* those of this run alone, with the numbers of the spec's names */
	uint32_t *own_of; /* by stack of the dimension, plus one; 0: not found yet */
	uint32_t *own_by_key;
	int64_t *totals; /* by own stack: how much it has, with what continues it */
	uint32_t *kept;  /* by own stack: the one of the spec */
};

/* Of memory without the frames of the allocator. */
static uint32_t own_stack(struct stack_taker *taker, uint32_t key)
{
	const struct dimension *dimension = grouping_dimension(taker->results->grouping, BY_STACK);
	const struct stack_node *nodes = dimension_names(dimension)->nodes;
	const struct group *group = grouping_part(taker->results->grouping, key, BY_STACK);
	uint32_t *path = NULL, at = dimension_asker(dimension, group), own = JOINED_ROOT;
	size_t depth = 0, alloc = 0;

	for (; at != STACK_EMPTY && !taker->own_of[at]; at = nodes[at].parent)
		ARRAY_ADD(path, depth, alloc, at);
	if (at != STACK_EMPTY)
		own = taker->own_of[at] - 1;
	while (depth-- > 0) {
		own = joined_stacks_child(&taker->own, own,
					  find_name(&taker->names, nodes[path[depth]].frame),
					  taker->taking->side);
		taker->own_of[path[depth]] = own + 1;
	}
	free(path);
	return own;
}

/* What matters of an entry for being kept. */
static int64_t weight_of(const struct stack_taker *taker, uint32_t key)
{
	const void *entry = results_entry(taker->results, key);

	return taker->results->account->memory ? ((const struct ledger_entry *)entry)->size
					       : ((const struct cpu_entry *)entry)->self_ns;
}

static void sum_stacks(struct stack_taker *taker)
{
	const struct results *results = taker->results;

	taker->own_by_key = xcalloc(results->nr + 1, sizeof(*taker->own_by_key));
	for (uint32_t key = 0; key < results->nr; key++)
		taker->own_by_key[key] = own_stack(taker, key);
	taker->totals = xcalloc(taker->own.nr, sizeof(*taker->totals));
	for (uint32_t key = 0; key < results->nr; key++) {
		int64_t weight = weight_of(taker, key);

		wrap_add_to(&taker->totals[taker->own_by_key[key]], weight > 0 ? weight : 0);
	}
	for (size_t i = taker->own.nr - 1; i; i--)
		wrap_add_to(&taker->totals[taker->own.v[i].parent], taker->totals[i]);
}

/* Stacks that are not kept are below one frame of a kept one, whose number they have. */
static void keep_stacks(struct stack_taker *taker)
{
	struct joined_stacks *stacks = &taker->taking->spec->stacks;
	enum compare_side side = taker->taking->side;
	int64_t least = frame_merge_least(taker->totals[JOINED_ROOT], LEAST_SHARE);
	bool *merged = xcalloc(taker->own.nr, sizeof(*merged));

	taker->kept = xcalloc(taker->own.nr, sizeof(*taker->kept));
	for (size_t i = JOINED_ROOT + 1; i < taker->own.nr; i++) {
		const struct joined_stack *stack = &taker->own.v[i];
		uint32_t name = stack->name;

		merged[i] = merged[stack->parent] || taker->totals[i] < least;
		if (merged[i])
			name = joined_names_add(&stacks->names, FRAME_MERGED, side);
		taker->kept[i] = merged[stack->parent]
					 ? taker->kept[stack->parent]
					 : joined_stacks_child(stacks, taker->kept[stack->parent],
							       name, side);
	}
	free(merged);
}

static void add_stack(const struct stack_taker *taker, uint32_t key, uint32_t stack)
{
	struct compare_spec *spec = taker->taking->spec;
	struct measures values = values_of(taker->results, results_entry(taker->results, key));
	const char *texts[COMPARE_TEXTS] = { NULL };
	char number[16];

	if (taker->results->account->memory)
		values.v[MEASURE_OWN_PEAK] =
			compare_spec_has_peaks(spec)
				? ledger_held_at_owners_peak(taker->results->ledger, key)
				: MEASURE_UNKNOWN;
	if (is_nothing(&values))
		return;
	snprintf(number, sizeof(number), "%u", stack);
	for (size_t k = 0; k < spec->by_nr; k++)
		texts[compare_text_place(spec, spec->by[k])] =
			spec->by[k] == BY_STACK
				? number
				: compare_text_of(tag_of(taker->results, key), spec->by[k]);
	comparison_add(&spec->comparison, taker->taking->run,
		       comparison_key(&spec->comparison, texts), &values);
}

static void take_stacks(const struct compare_taking *taking, const struct results *results)
{
	const struct dimension *dimension = grouping_dimension(results->grouping, BY_STACK);
	struct stack_taker taker = { .taking = taking, .results = results };

	begin_names(&taker.names, taking, results);
	joined_stacks_init(&taker.own);
	taker.own_of = xcalloc(dimension_names(dimension)->nodes_nr, sizeof(*taker.own_of));
	sum_stacks(&taker);
	keep_stacks(&taker);
	for (uint32_t key = 0; key < results->nr; key++)
		add_stack(&taker, key, taker.kept[taker.own_by_key[key]]);
	joined_stacks_release(&taker.own);
	free(taker.names.numbers);
	free(taker.own_of);
	free(taker.own_by_key);
	free(taker.totals);
	free(taker.kept);
}

static void take_whole(const struct compare_taking *taking, const struct results *results)
{
	struct comparison *comparison = &taking->spec->comparison;
	struct measures values =
		values_of(results, results->account->cpu ? results->total : results->whole);

	if (results->account->memory && !results->account->touched)
		values.v[MEASURE_AT_PEAK] = values.v[MEASURE_OWN_PEAK];
	comparison_add(comparison, taking->run, comparison_key(comparison, NULL), &values);
}

static void take_keys(const struct compare_taking *taking, const struct results *results)
{
	struct name_finder names = { taking, results, NULL };
	uint32_t found;

	if (compare_spec_is_by(taking->spec, BY_FUNCTION))
		begin_names(&names, taking, results);
	for (uint32_t key = 0; key < results->nr; key++) {
		struct measures values = values_of(results, results_entry(results, key));

		if (!is_nothing(&values) && find_key(taking, &names, key, &found))
			comparison_add(&taking->spec->comparison, taking->run, found, &values);
	}
	free(names.numbers);
}

void compare_take(const struct compare_taking *taking, const struct results *results)
{
	if (!taking->spec->by_nr)
		take_whole(taking, results);
	else if (compare_spec_is_by(taking->spec, BY_STACK))
		take_stacks(taking, results);
	else
		take_keys(taking, results);
}

/* How keys of a spec get the texts that both sides have. */
struct joining {
	const struct compare_spec *spec;
	const uint32_t *to; /* by name, or by stack */
	size_t place;       /* of the text of a name or a stack */
	char number[16];
};

static void rename_function(void *data, const char **texts)
{
	const struct joining *joining = data;
	const struct strset *names = &joining->spec->stacks.names.texts;

	texts[joining->place] =
		names->strings.v[joining->to[strset_find(names, texts[joining->place])]];
}

static uint32_t stack_number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static void rename_stack(void *data, const char **texts)
{
	struct joining *joining = data;

	snprintf(joining->number, sizeof(joining->number), "%u",
		 joining->to[stack_number(texts[joining->place])]);
	texts[joining->place] = joining->number;
}

/* How much each stack has, over all keys and both sides. */
static int64_t *weigh_stacks(const struct compare_spec *spec, enum measure measure)
{
	const struct comparison *comparison = &spec->comparison;
	size_t place = compare_text_place(spec, BY_STACK);
	int64_t *weights = xcalloc(spec->stacks.nr, sizeof(*weights));

	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		uint32_t stack = stack_number(comparison->keys[key].texts[place]);

		for (int side = 0; side < SIDES; side++) {
			int64_t value = comparison_median(comparison, (enum compare_side)side, key,
							  measure);

			if (value > 0)
				wrap_add_to(&weights[stack], value);
		}
	}
	return weights;
}

void compare_join(struct compare_spec *spec, enum measure measure)
{
	struct joining joining = { .spec = spec };

	if (compare_spec_is_by(spec, BY_STACK)) {
		int64_t *weights = weigh_stacks(spec, measure);
		uint32_t *to = joined_stacks_match(&spec->stacks, weights);

		joining.place = compare_text_place(spec, BY_STACK);
		joining.to = to;
		comparison_rename(&spec->comparison, rename_stack, &joining);
		free(to);
		free(weights);
	} else if (compare_spec_is_by(spec, BY_FUNCTION)) {
		uint32_t *to = joined_names_match(&spec->stacks.names);

		joining.place = compare_text_place(spec, BY_FUNCTION) + 1;
		joining.to = to;
		comparison_rename(&spec->comparison, rename_function, &joining);
		free(to);
	}
}
