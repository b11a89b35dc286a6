#include "report/compare_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/unit.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* The first text of a part of the key; NULL: the key has no such part. */
static char *const *texts_of(const void *data, enum group_by by)
{
	const struct compare_row *row = data;

	for (size_t i = 0; i < row->keys->nr; i++) {
		if (row->keys->by[i] == by)
			return &row->comparison->keys[row->key].texts[row->keys->place[i]];
	}
	return NULL;
}

/* A text that a key has by itself, or that its process has. */
static void set_text(const void *row, struct cell *cell, enum group_by by, enum unit_text unit)
{
	char *const *texts = texts_of(row, by), *const *process = texts_of(row, BY_PROCESS);

	cell_set_text(cell, texts ? *texts : process ? process[unit] : NULL);
}

static void get_role(const void *row, struct cell *cell)
{
	set_text(row, cell, BY_ROLE, UNIT_ROLE);
}

static void get_part(const void *row, struct cell *cell)
{
	set_text(row, cell, BY_PART, UNIT_PART);
}

static void get_crate(const void *row, struct cell *cell)
{
	set_text(row, cell, BY_CRATE, UNIT_CRATE);
}

static void get_crate_type(const void *row, struct cell *cell)
{
	cell_set_text(cell, texts_of(row, BY_PROCESS)[UNIT_CRATE_TYPE]);
}

static void set_number(struct cell *cell, const char *text)
{
	int64_t number;

	if (text && text_parse_int(text, 0, INT64_MAX, &number))
		cell_set_number(cell, number);
}

static void get_built_by(const void *row, struct cell *cell)
{
	set_number(cell, texts_of(row, BY_PROCESS)[UNIT_BUILT_BY]);
}

static void get_target(const void *row, struct cell *cell)
{
	cell_set_text(cell, texts_of(row, BY_PROCESS)[UNIT_TARGET]);
}

static void get_ordinal(const void *row, struct cell *cell)
{
	set_number(cell, texts_of(row, BY_PROCESS)[UNIT_ORDINAL]);
}

static void get_phase(const void *row, struct cell *cell)
{
	cell_set_text(cell, *texts_of(row, BY_PHASE));
}

static void get_query(const void *row, struct cell *cell)
{
	cell_set_text(cell, *texts_of(row, BY_QUERY));
}

static void get_module(const void *row, struct cell *cell)
{
	cell_set_text(cell, *texts_of(row, BY_FUNCTION));
}

static void get_function(const void *row, struct cell *cell)
{
	cell_set_text(cell, texts_of(row, BY_FUNCTION)[1]);
}

uint32_t compare_row_stack(const struct compare_row *row)
{
	char *const *text = texts_of(row, BY_STACK);

	return text ? (uint32_t)strtoul(*text, NULL, 10) : JOINED_ROOT;
}

/* The root comes first. */
static void add_frames(const struct joined_stacks *stacks, uint32_t stack, struct strvec *list)
{
	uint32_t *path = NULL;
	size_t depth = 0, alloc = 0;

	for (; stack != JOINED_ROOT; stack = stacks->v[stack].parent)
		ARRAY_ADD(path, depth, alloc, stack);
	while (depth-- > 0)
		strvec_push_nodup(list, (char *)joined_stacks_text(stacks, path[depth]));
	free(path);
}

static void get_stack(const void *data, struct cell *cell)
{
	const struct compare_row *row = data;

	add_frames(row->keys->stacks, compare_row_stack(row), &cell->list);
	cell_set_strings(cell, &cell->list);
}

/* Which sides have the key. */
static const char *state_of(const void *data)
{
	const struct compare_row *row = data;

	if (!comparison_present(row->comparison, SIDE_BASE, row->key))
		return "new";
	return comparison_present(row->comparison, SIDE_NEW, row->key) ? "both" : "vanished";
}

static void get_state(const void *row, struct cell *cell)
{
	cell_set_text(cell, state_of(row));
}

/* That both have it is usual. */
static void get_state_text(const void *row, struct cell *cell)
{
	if (strcmp(state_of(row), "both") != 0)
		get_state(row, cell);
}

static const struct compare_change *change_of(const void *row, enum measure measure)
{
	return &((const struct compare_row *)row)->changes[measure];
}

static void set_value(struct cell *cell, int64_t value)
{
	if (value != MEASURE_UNKNOWN)
		cell_set_number(cell, value);
}

/* An estimate below 0 is no number of bytes: see ACCOUNT_ESTIMATE. */
static void set_value_text(struct cell *cell, int64_t value)
{
	if (value >= 0)
		cell_set_number(cell, value);
}

void compare_add_change(struct strbuf *sb, enum measure measure, int64_t delta)
{
	if (delta)
		strbuf_addc(sb, delta > 0 ? '+' : '-');
	if (delta < 0)
		delta = delta == INT64_MIN ? INT64_MAX : -delta;
	table_add_number(sb, measure_is_bytes(measure) ? COLUMN_BYTES : COLUMN_DURATION, delta);
}

void compare_add_percent(struct strbuf *sb, double percent)
{
	if (percent != 0)
		strbuf_addc(sb, percent > 0 ? '+' : '-');
	text_add_percent(sb, fabs(percent));
	strbuf_addc(sb, '%');
}

void compare_add_split(struct strbuf *sb, const struct peak_split *split)
{
	strbuf_adds(sb, "growth ");
	compare_add_change(sb, MEASURE_OWN_PEAK, split->growth);
	strbuf_adds(sb, ", overlap ");
	compare_add_change(sb, MEASURE_OWN_PEAK, split->overlap);
	strbuf_adds(sb, ", rest ");
	compare_add_change(sb, MEASURE_OWN_PEAK, split->rest);
}

void compare_add_split_of_runs(struct strbuf *sb, const struct compare_split *split)
{
	compare_add_split(sb, &split->bytes);
	if (!split->runs[SIDE_BASE])
		return;
	strbuf_adds(sb, ", from ");
	utf8_add_printable(sb, split->runs[SIDE_BASE]);
	strbuf_adds(sb, " to ");
	utf8_add_printable(sb, split->runs[SIDE_NEW]);
	strbuf_adds(sb, ", whose peaks are in the middle");
}

static void set_delta_text(struct cell *cell, enum measure measure, int64_t delta)
{
	if (delta == MEASURE_UNKNOWN)
		return;
	compare_add_change(&cell->scratch, measure, delta);
	cell_set_text(cell, cell->scratch.buf);
}

static void set_percent_text(struct cell *cell, const struct compare_change *change)
{
	if (!change->relative)
		return;
	compare_add_percent(&cell->scratch, change->percent);
	cell_set_text(cell, cell->scratch.buf);
}

static const struct verdict_of *verdict_of(const void *data, enum measure measure)
{
	static const struct verdict_of none = { VERDICT_NONE, -1, 0 };
	const struct compare_row *row = data;

	return row->verdicts ? &row->verdicts[measure] : &none;
}

void compare_add_verdict(struct strbuf *sb, const struct verdict_of *of)
{
	if (of->verdict == VERDICT_NONE)
		return;
	strbuf_adds(sb, verdict_names[of->verdict]);
	if (of->runs)
		strbuf_addf(sb, " (%lld)", (long long)of->runs);
}

static void set_verdict_text(struct cell *cell, const struct verdict_of *of)
{
	compare_add_verdict(&cell->scratch, of);
	cell_set_text(cell, cell->scratch.len ? cell->scratch.buf : NULL);
}

static void set_runs(struct cell *cell, const struct verdict_of *of)
{
	if (of->runs)
		cell_set_number(cell, of->runs);
}

static void set_p(struct cell *cell, const struct verdict_of *of)
{
	if (of->verdict != VERDICT_NONE && of->p >= 0)
		cell_set_percent(cell, 100 * of->p);
}

/* The getters of a measure. */
#define MEASURE_GETTERS(name, measure) \
	static void get_##name##_base(const void *row, struct cell *cell) \
	{ \
		set_value(cell, change_of(row, measure)->base); \
	} \
	static void get_##name##_new(const void *row, struct cell *cell) \
	{ \
		set_value(cell, change_of(row, measure)->new); \
	} \
	static void get_##name##_base_text(const void *row, struct cell *cell) \
	{ \
		set_value_text(cell, change_of(row, measure)->base); \
	} \
	static void get_##name##_new_text(const void *row, struct cell *cell) \
	{ \
		set_value_text(cell, change_of(row, measure)->new); \
	} \
	static void get_##name##_delta(const void *row, struct cell *cell) \
	{ \
		set_value(cell, change_of(row, measure)->delta); \
	} \
	static void get_##name##_delta_text(const void *row, struct cell *cell) \
	{ \
		set_delta_text(cell, measure, change_of(row, measure)->delta); \
	} \
	static void get_##name##_percent(const void *row, struct cell *cell) \
	{ \
		if (change_of(row, measure)->relative) \
			cell_set_percent(cell, change_of(row, measure)->percent); \
	} \
	static void get_##name##_percent_text(const void *row, struct cell *cell) \
	{ \
		set_percent_text(cell, change_of(row, measure)); \
	} \
	static void get_##name##_verdict(const void *row, struct cell *cell) \
	{ \
		cell_set_text(cell, verdict_names[verdict_of(row, measure)->verdict]); \
	} \
	static void get_##name##_verdict_text(const void *row, struct cell *cell) \
	{ \
		set_verdict_text(cell, verdict_of(row, measure)); \
	} \
	static void get_##name##_p(const void *row, struct cell *cell) \
	{ \
		set_p(cell, verdict_of(row, measure)); \
	} \
	static void get_##name##_runs(const void *row, struct cell *cell) \
	{ \
		set_runs(cell, verdict_of(row, measure)); \
	}

MEASURE_GETTERS(own_peak, MEASURE_OWN_PEAK)
MEASURE_GETTERS(at_peak, MEASURE_AT_PEAK)
MEASURE_GETTERS(size, MEASURE_SIZE)
MEASURE_GETTERS(cpu, MEASURE_CPU)
MEASURE_GETTERS(wall, MEASURE_WALL)

/* The columns of a measure; `what` is it in the help. */
#define MEASURE_COLUMNS(name, heading, type, what) \
	{ #name "_base", \
	  heading " BASE", \
	  "of the base: " what "; of several runs the median", \
	  type, \
	  SHOW_DATA, \
	  false, \
	  get_##name##_base, \
	  get_##name##_base_text }, \
		{ #name "_new", heading " NEW", "the same of the new side", type, \
		  SHOW_DATA,    false,          get_##name##_new,           get_##name##_new_text }, \
		{ #name "_delta", \
		  heading " CHANGE", \
		  "new minus base; of a new or vanished key its value", \
		  type, \
		  SHOW_DATA, \
		  false, \
		  get_##name##_delta, \
		  get_##name##_delta_text }, \
		{ #name "_percent", \
		  heading " %", \
		  "the same in percent of the base", \
		  COLUMN_PERCENT, \
		  SHOW_DATA, \
		  false, \
		  get_##name##_percent, \
		  get_##name##_percent_text }, \
		{ #name "_verdict", \
		  heading " VERDICT", \
		  "of several runs a side, or with a history, whether the change is real: " \
		  "grew, shrank, same, cannot tell; text adds the runs a side needed for a " \
		  "verdict", \
		  COLUMN_TEXT, \
		  SHOW_DATA | SHOW_IF_KNOWN, \
		  false, \
		  get_##name##_verdict, \
		  get_##name##_verdict_text }, \
		{ #name "_p", \
		  heading " P", \
		  "in percent, how often equal sides have a change as large anywhere", \
		  COLUMN_PERCENT, \
		  SHOW_DATA | SHOW_IF_KNOWN, \
		  false, \
		  get_##name##_p, \
		  NULL }, \
	{ \
#name "_runs", heading " RUNS", "runs a side needed for a verdict", COLUMN_INT, \
			SHOW_DATA | SHOW_IF_KNOWN, false, get_##name##_runs, NULL \
	}

static const struct column columns[] = {
	{ "state", "STATE",
	  "which sides have the key: both, new or vanished; text shows the latter two", COLUMN_TEXT,
	  SHOW_DATA, false, get_state, get_state_text },
	MEASURE_COLUMNS(own_peak, "PEAK", COLUMN_BYTES, "the most that was held at a time"),
	MEASURE_COLUMNS(at_peak, "AT PEAK", COLUMN_BYTES,
			"what was held at the peak of the whole build"),
	MEASURE_COLUMNS(size, "SIZE", COLUMN_BYTES, "memory committed, freed or not"),
	MEASURE_COLUMNS(cpu, "CPU", COLUMN_DURATION,
			"CPU time; of phases, queries and functions by samples, their own"),
	MEASURE_COLUMNS(wall, "WALL", COLUMN_DURATION,
			"the time in which at least one of its processes existed"),
};

enum {
	KEY_ROLE,
	KEY_PART,
	KEY_CRATE,
	KEY_CRATE_TYPE,
	KEY_BUILT_BY,
	KEY_TARGET,
	KEY_ORDINAL,
	KEY_PHASE,
	KEY_QUERY,
	KEY_MODULE,
	KEY_FUNCTION,
	KEY_STACK,
};

static const struct column all_keys[] = {
	[KEY_ROLE] = { "role", "ROLE", "what the process is for: rustc, link, build-script, ...",
		       COLUMN_TEXT, SHOW_DATA, false, get_role, NULL },
	[KEY_PART] = { "part", "PART",
		       "what is being built: bootstrap, stage1-std, stage2-rustc, ...", COLUMN_TEXT,
		       SHOW_DATA, false, get_part, NULL },
	[KEY_CRATE] = { "crate", "CRATE", "crate or package that the process works on", COLUMN_TEXT,
			SHOW_DATA, true, get_crate, NULL },
	[KEY_CRATE_TYPE] = { "crate_type", "CRATE TYPE", "of a process: lib, bin, proc-macro, ...",
			     COLUMN_TEXT, SHOW_DATA, false, get_crate_type, NULL },
	[KEY_BUILT_BY] = { "built_by", "STAGE", "the same: stage of the compiler that runs",
			   COLUMN_INT, SHOW_DATA, false, get_built_by, NULL },
	[KEY_TARGET] = { "target", "TARGET", "the same: target triple, or host", COLUMN_TEXT,
			 SHOW_DATA, true, get_target, NULL },
	[KEY_ORDINAL] = { "ordinal", "NR",
			  "the same: its number, by start, among those that are equal in the other "
			  "keys",
			  COLUMN_INT, SHOW_DATA, false, get_ordinal, NULL },
	[KEY_PHASE] = { "phase", "PHASE", "what the compiler was doing, by stack tags", COLUMN_TEXT,
			SHOW_DATA, true, get_phase, NULL },
	[KEY_QUERY] = { "query", "QUERY", "the innermost query of rustc on the stack", COLUMN_TEXT,
			SHOW_DATA, true, get_query, NULL },
	[KEY_MODULE] = { "module", "MODULE", "file of the function, without hash", COLUMN_TEXT,
			 SHOW_DATA, true, get_module, NULL },
	[KEY_FUNCTION] = { "function", "FUNCTION",
			   "name by which the function is joined: without type arguments, hashes "
			   "and numbers of closures",
			   COLUMN_NAME, SHOW_DATA, true, get_function, NULL },
	[KEY_STACK] = { "stack", "STACK",
			"functions of the stack as both sides are joined, root first", COLUMN_STACK,
			SHOW_DATA, true, get_stack, NULL },
};

static const struct column *const help_keys[] = {
	&all_keys[KEY_ROLE],
	&all_keys[KEY_PART],
	&all_keys[KEY_CRATE],
	&all_keys[KEY_CRATE_TYPE],
	&all_keys[KEY_BUILT_BY],
	&all_keys[KEY_TARGET],
	&all_keys[KEY_ORDINAL],
	&all_keys[KEY_PHASE],
	&all_keys[KEY_QUERY],
	&all_keys[KEY_MODULE],
	&all_keys[KEY_FUNCTION],
	&all_keys[KEY_STACK],
	NULL,
};

const struct table compare_help_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.keys = help_keys,
};

/* The columns of a kind of key, in the order of its texts. */
static const struct column *const *columns_of(enum group_by by)
{
	static const struct column *const process[] = {
		[UNIT_ROLE] = &all_keys[KEY_ROLE],
		[UNIT_PART] = &all_keys[KEY_PART],
		[UNIT_CRATE] = &all_keys[KEY_CRATE],
		[UNIT_CRATE_TYPE] = &all_keys[KEY_CRATE_TYPE],
		[UNIT_BUILT_BY] = &all_keys[KEY_BUILT_BY],
		[UNIT_TARGET] = &all_keys[KEY_TARGET],
		[UNIT_ORDINAL] = &all_keys[KEY_ORDINAL],
		[UNIT_TEXTS] = NULL,
	};
	static const struct column *const others[][3] = {
		[BY_ROLE] = { &all_keys[KEY_ROLE] },
		[BY_PART] = { &all_keys[KEY_PART] },
		[BY_CRATE] = { &all_keys[KEY_CRATE] },
		[BY_PHASE] = { &all_keys[KEY_PHASE] },
		[BY_QUERY] = { &all_keys[KEY_QUERY] },
		[BY_FUNCTION] = { &all_keys[KEY_MODULE], &all_keys[KEY_FUNCTION] },
		[BY_STACK] = { &all_keys[KEY_STACK] },
	};

	return by == BY_PROCESS ? process : others[by];
}

/* As folded text has it. */
static char *folded_stack(const struct compare_row *row)
{
	struct strvec frames = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;

	add_frames(row->keys->stacks, compare_row_stack(row), &frames);
	column_add_joined(&text, &all_keys[KEY_STACK], &frames);
	strvec_forget(&frames);
	strvec_release(&frames);
	return strbuf_detach(&text);
}

void compare_labels_init(struct compare_labels *labels, const struct compare_row *row)
{
	const struct compare_keys *keys = row->keys;
	char *const *texts = row->comparison->keys[row->key].texts;

	labels->nr = 0;
	for (size_t i = 0; row->comparison->texts_nr && i < keys->nr; i++) {
		const struct column *const *parts = columns_of(keys->by[i]);

		for (size_t k = 0; parts[k]; k++)
			labels->v[labels->nr++] = (struct compare_label){
				parts[k]->key, keys->by[i] == BY_STACK
						       ? folded_stack(row)
						       : xstrdup_or_null(texts[keys->place[i] + k])
			};
	}
}

void compare_labels_release(struct compare_labels *labels)
{
	for (size_t i = 0; i < labels->nr; i++)
		free(labels->v[i].text);
}

static void add(struct strbuf *list, const char *key)
{
	strbuf_addf(list, "%s%s", list->len ? "," : "", key);
}

/* The measure with its four columns; of the others the change in percent, of `walls` too. */
static void add_measures(struct strbuf *text, enum measure measure, bool walls)
{
	static const char *const names[] = { "own_peak", "at_peak", "size", "cpu", "wall" };
	static const enum measure others[] = { MEASURE_OWN_PEAK, MEASURE_CPU, MEASURE_WALL };

	strbuf_addf(text, ",%s_base,%s_new,%s_delta,%s_percent,%s_verdict", names[measure],
		    names[measure], names[measure], names[measure], names[measure]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (others[i] != measure && (others[i] != MEASURE_WALL || walls))
			strbuf_addf(text, ",%s_percent", names[others[i]]);
	}
}

void compare_table_init(struct compare_table *table, const struct compare_keys *keys,
			enum measure measure)
{
	struct strbuf text = STRBUF_INIT, identity = STRBUF_INIT;
	size_t nr = 0;
	bool walls = true;

	*table = (struct compare_table){ .table = compare_help_table };
	for (size_t i = 0; i < keys->nr; i++) {
		walls = walls && !group_by_stacks(keys->by[i]);
		for (const struct column *const *v = columns_of(keys->by[i]); *v; v++) {
			table->keys[nr++] = *v;
			add(&identity, (*v)->key);
			/* Of a process only the columns that most often differ. */
			if (keys->by[i] != BY_PROCESS || v - columns_of(BY_PROCESS) < 3)
				add(&text, (*v)->key);
		}
	}
	add_measures(&text, measure, walls);
	add(&text, "state");
	table->text = strbuf_detach(&text);
	table->identity = strbuf_detach(&identity);
	table->table.text_columns = table->text;
	table->table.keys = table->keys;
	table->table.identity = table->identity;
}

void compare_table_release(struct compare_table *table)
{
	free(table->text);
	free(table->identity);
}

void compare_table_fit(struct compare_table *table, const struct compare_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		if (strcmp(state_of(rows->pointers[i]), "both") != 0)
			return;
	}
	/* The last one of the list. */
	*strrchr(table->text, ',') = '\0';
}

struct ranked {
	struct compare_row *row;
	double rank;
};

/* Equal ones stay in the order of their keys. */
static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

static double rank_of(const struct compare_row *row, enum measure measure)
{
	int64_t delta = row->changes[measure].delta;

	return delta == MEASURE_UNKNOWN ? -1 : fabs((double)delta);
}

void compare_rows_init(struct compare_rows *rows, const struct comparison *comparison,
		       const struct verdicts *verdicts, const struct compare_keys *keys,
		       enum measure measure)
{
	struct ranked *ranked = xcalloc(comparison->keys_nr, sizeof(*ranked));

	rows->v = xcalloc(comparison->keys_nr, sizeof(*rows->v));
	rows->pointers = xcalloc(comparison->keys_nr, sizeof(*rows->pointers));
	rows->nr = 0;
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		struct compare_row *row = &rows->v[rows->nr];

		if (!comparison_present(comparison, SIDE_BASE, key) &&
		    !comparison_present(comparison, SIDE_NEW, key))
			continue;
		*row = (struct compare_row){ .comparison = comparison, .keys = keys, .key = key };
		if (verdicts->v)
			row->verdicts = &verdicts->v[(size_t)key * MEASURES];
		for (int i = 0; i < MEASURES; i++)
			row->changes[i] = comparison_change(comparison, key, (enum measure)i);
		ranked[rows->nr++] = (struct ranked){ row, rank_of(row, measure) };
	}
	if (rows->nr)
		qsort(ranked, rows->nr, sizeof(*ranked), compare_ranks);
	for (size_t i = 0; i < rows->nr; i++)
		rows->pointers[i] = ranked[i].row;
	free(ranked);
}

void compare_rows_release(struct compare_rows *rows)
{
	free(rows->v);
	free(rows->pointers);
}

/* A crate that one side alone has is worth a row, however small it is; of what it calls there are thousands. */
static bool is_new_or_vanished_crate(const struct compare_row *row)
{
	const struct compare_keys *keys = row->keys;
	bool crate = false, stacks = false;

	for (size_t i = 0; i < keys->nr; i++) {
		crate = crate || (keys->by[i] == BY_CRATE &&
				  row->comparison->keys[row->key].texts[keys->place[i]]);
		stacks = stacks || group_by_stacks(keys->by[i]);
	}
	return crate && !stacks && strcmp(state_of(row), "both") != 0;
}

bool compare_row_changed(const struct compare_row *row, enum measure measure,
			 const struct compare_effect *effect)
{
	enum verdict verdict = verdict_of(row, measure)->verdict;

	return is_new_or_vanished_crate(row) ||
	       compare_effect_reached(effect, measure, &row->changes[measure]) ||
	       verdict == VERDICT_GREW || verdict == VERDICT_SHRANK;
}

size_t compare_rows_leave_out(struct compare_rows *rows, enum measure measure,
			      const struct compare_effect *effect)
{
	size_t before = rows->nr;

	rows->nr = 0;
	for (size_t i = 0; i < before; i++) {
		if (compare_row_changed(rows->pointers[i], measure, effect))
			rows->pointers[rows->nr++] = rows->pointers[i];
	}
	return before - rows->nr;
}
