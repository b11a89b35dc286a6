#include "report/call_maker.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/function_pattern.h"
#include "analysis/query_name.h"
#include "model/stack_walk.h"
#include "platform/thread.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

const char *const call_tree_plumbing[] = {
	/* rustc's query system, its dependency graph and its context */
	"rustc_query_impl::*",
	"<rustc_query_impl::*",
	"rustc_query_system::*",
	"<rustc_query_system::*",
	"rustc_middle::query::*",
	"<rustc_middle::query::*",
	"rustc_middle::ty::query::*",
	"<rustc_middle::ty::query::*",
	"rustc_middle::ty::context::tls::*",
	"rustc_middle::dep_graph::*",
	"<rustc_middle::dep_graph::*",
	"rustc_data_structures::stack::*",
	"rustc_data_structures::profiling::*",
	"<rustc_data_structures::profiling::*",
	"stacker::*",
	"psm::*",
	"rust_psm_*",
	"measureme::*",
	"<measureme::*",
	/* functions that call closures, and what rustc does each of them through */
	"rustc_data_structures::sync::*",
	"rustc_session::session::Session::time*",
	"<rustc_session::session::Session>::time*",
	"scoped_tls::ScopedKey<*",
	"<scoped_tls::ScopedKey<*",
	"rustc_span::create_*session_globals_then*",
	"rustc_middle::hir::map::Map::par_*",
	"<rustc_middle::hir::map::Map>::par_*",
	"rustc_middle::ty::context::TyCtxt::par_*",
	"<rustc_middle::ty::context::TyCtxt>::par_*",
	"core::*",
	"<core::*",
	"<* as core::ops::function::Fn*",
	"<alloc::boxed::Box<*> as core::ops::function::Fn*",
	"alloc::*",
	"<alloc::*",
	"<* as core::iter::*",
	/* the start of a program or thread */
	"_start",
	"__libc_start_*",
	"clone",
	"clone3",
	"start_thread",
	"BaseThreadInitThunk",
	"RtlUserThreadStart",
	"std::panic*",
	"std::rt::*",
	"std::thread::*",
	"<std::thread::*",
	"std::sys::*",
	"<std::sys::*",
	"*__rust_begin_short_backtrace*",
	"*__rust_end_short_backtrace*",
	"__rust_try*",
	NULL,
};

#define LEFT_OUT UINT32_MAX

/* A cycle of calls has at most this many rows: longer ones, as typeck and type_of call each other, say who called whom. */
#define CYCLE_MAX 12

/* What becomes of a frame. */
struct call_verdict {
	uint32_t shown; /* the name that it has, or would have; LEFT_OUT: it is ignored */
	uint32_t name;  /* in the tree; UINT32_MAX: it is left out */
	bool focus;
	bool closure; /* its name without "::{closure}" is `function` */
	uint32_t function;
	bool query;
	uint32_t
		identity; /* equal for frames of one function, and of one query; LEFT_OUT: it is left out */
};

static bool matches(const struct strvec *patterns, bool *used, const char *name, const char *brief)
{
	bool found = false;

	for (size_t i = 0; patterns && i < patterns->nr; i++) {
		if (!function_pattern_matches(patterns->v[i], name) &&
		    !function_pattern_matches(patterns->v[i], brief))
			continue;
		used[i] = found = true;
	}
	return found;
}

static bool is_plumbing(const char *name)
{
	if (frame_kind_guess(name) == FRAME_ALLOCATOR)
		return true;
	for (const char *const *glob = call_tree_plumbing; *glob; glob++) {
		if ((**glob == '*' || **glob == *name) && text_glob(*glob, name, false))
			return true;
	}
	return false;
}

static uint32_t add_name(struct call_maker *maker, const char *text)
{
	return frame_tree_name(maker->tree, text, strlen(text));
}

/* A closure is left out below the function that it is in, unless it is in focus. */
static void see_closure(struct call_maker *maker, struct call_verdict *verdict, const char *brief)
{
	static const char mark[] = "::{closure}";
	const char *closure = strstr(brief, mark), *rest = closure;
	char *function;

	if (!closure)
		return;
	while (text_starts_with(rest, mark))
		rest += strlen(mark);
	/* A PDB has type arguments at the end: those of the function. */
	function = xasprintf("%.*s%s", (int)(closure - brief), brief, *rest == '<' ? rest : "");
	verdict->closure = true;
	verdict->function = add_name(maker, function);
	free(function);
}

bool call_tree_name(struct strbuf *sb, const char *name, bool plumbing)
{
	size_t len;
	const char *query = plumbing ? NULL : query_name(name, &len);

	if (query)
		strbuf_addf(sb, "query %.*s", (int)len, query);
	else
		short_name(sb, name);
	return query;
}

static struct call_verdict judge(struct call_maker *maker, const char *name)
{
	const struct call_tree_options *options = maker->options;
	struct call_verdict verdict = { .name = LEFT_OUT, .shown = LEFT_OUT };
	struct strbuf brief = STRBUF_INIT;
	bool query = call_tree_name(&brief, name, options->plumbing);
	bool focus = matches(options->focus, maker->focus_used, name, brief.buf);

	if (!matches(options->ignore, maker->ignore_used, name, brief.buf)) {
		verdict.query = query;
		verdict.focus = focus;
		verdict.shown = add_name(maker, query || !options->full_names ? brief.buf : name);
		if (query || options->plumbing || verdict.focus || !is_plumbing(name))
			verdict.name = verdict.shown;
		if (!options->plumbing && !options->full_names)
			see_closure(maker, &verdict, brief.buf);
	}
	strbuf_release(&brief);
	return verdict;
}

static void note_origin(struct call_maker *maker, uint32_t shown, uint32_t name)
{
	ARRAY_GROW_ZERO(maker->origins, (size_t)shown + 1, maker->origins_alloc);
	if (!maker->origins[shown])
		maker->origins[shown] = name + 1;
}

/* Whether a stack has the function, by name. */
static bool *find_used(const struct call_tree_stacks *stacks)
{
	bool *frames = xcalloc(stacks->frames_nr + 1, sizeof(*frames));
	bool *used = xcalloc(stacks->names_nr + 1, sizeof(*used));
	uint32_t names[CALL_TREE_LEVELS];

	for (size_t i = STACK_EMPTY + 1; i < stacks->nr; i++)
		frames[stacks->nodes[i].frame] = true;
	for (uint32_t frame = 0; frame < stacks->frames_nr; frame++) {
		size_t nr = frames[frame] ? stacks->levels(stacks->data, frame, names) : 0;

		while (nr)
			used[names[--nr]] = true;
	}
	free(frames);
	return used;
}

static void judge_all(struct call_maker *maker)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	bool *used = find_used(stacks);

	maker->verdicts = xcalloc(stacks->names_nr + 1, sizeof(*maker->verdicts));
	for (size_t i = 0; i < stacks->names_nr; i++) {
		struct call_verdict *verdict = &maker->verdicts[i];

		if (!used[i])
			continue;
		*verdict = judge(maker, stacks->name(stacks->data, (uint32_t)i));
		verdict->identity = verdict->name == LEFT_OUT ? LEFT_OUT
				    : verdict->query ? (uint32_t)stacks->names_nr + verdict->shown
						     : (uint32_t)i;
		if (verdict->shown != LEFT_OUT)
			note_origin(maker, verdict->shown, (uint32_t)i);
	}
	free(used);
}

/*
 * A place in the tree: a row, or one that would be below a row that is closed, as too little is there for a row that is
 * shown.
 */
struct place {
	uint64_t hash; /* of the names from the root to it */
	uint32_t
		row; /* of the tree, plus one: itself, or the closed one that stands for it; 0: it is not in the tree */
	uint32_t name; /* LEFT_OUT: the root */
	bool closed;
};

static const struct place root_place = { .row = FRAME_TREE_ROOT + 1, .name = LEFT_OUT };

/* The first step: the root, which is no function. */
#define STEP_ROOT 0

/* A function on the current stack. */
struct step {
	uint32_t stack; /* whose frame it is of */
	struct place place;
	uint32_t above;      /* the next step further out that has a place; STEP_ROOT: none */
	uint32_t identity;   /* of its function; LEFT_OUT: it has no row */
	uint32_t focus;      /* the row of the outermost function in focus, plus one; 0: none is */
	uint32_t calls : 31; /* of the function that are on the stack, as far as they were found */
	uint32_t counts : 1; /* it is in the tree, and through the focus or a caller of it */
	uint32_t opener;     /* the step that brought the stack to the place */
	int64_t value;       /* of an opener: what was counted there and below it since */
};

/* Sums of places by the first bits of their hash, as many bits as the stacks need: of a place at least what it has. */
#define SUMS_BITS_MAX 20

/* The current stack: the functions of its frames, the outermost first. */
struct path {
	struct call_maker *maker;
	struct step first; /* the root */
	struct step *v;
	size_t nr, alloc;
	bool callers;     /* of the focus */
	bool sizing;      /* find the sums; the tree is made after that */
	int64_t *sums;    /* NULL: all rows are wanted */
	unsigned bits;    /* there are 1 << bits sums */
	int64_t least;    /* what a row has that is not closed */
	uint32_t *active; /* by identity of a function: its steps */
	/* By row: its callee that was found last. Stacks that follow each other mostly have that one too. */
	uint32_t *last;
	size_t last_alloc;
};

static const char *name_at(const struct path *path, const struct place *place)
{
	return place->name == LEFT_OUT ? "" : path->maker->tree->names[place->name].text;
}

/* Whether the frame is left out below `caller`: it is the same query again, or a closure of the function. */
static bool is_same(const struct path *path, const struct call_verdict *verdict,
		    const struct place *caller)
{
	if (caller->name == LEFT_OUT)
		return false;
	if (verdict->closure && !verdict->focus && verdict->function == caller->name)
		return true;
	return verdict->name == caller->name && text_starts_with(name_at(path, caller), "query ");
}

static int64_t *sum_at(const struct path *path, uint64_t hash)
{
	return &path->sums[hash >> (64 - path->bits)];
}

static uint32_t find_child(struct path *path, uint32_t row, uint32_t name)
{
	struct frame_tree *tree = path->maker->tree;
	uint32_t *last;

	ARRAY_GROW_ZERO(path->last, (size_t)row + 1, path->last_alloc);
	last = &path->last[row];
	if (*last == FRAME_TREE_ROOT || tree->nodes[*last].name != name)
		*last = frame_tree_child(tree, row, name);
	return *last;
}

/*
 * Steps and their places are made where they stay, member by member: copied as a whole right after that, they would be read
 * in parts of other sizes than they were written in, for which processors wait.
 */
static void set_place(struct path *path, uint32_t name, const struct place *caller,
		      struct place *place)
{
	/* A multiplication carries what differs to the highest bits, of which the sums are. */
	uint64_t hash = (caller->hash ^ (name + UINT64_C(1))) * UINT64_C(0x9e3779b97f4a7c15);

	hash ^= hash >> 32;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	place->hash = hash;
	place->name = name;
	if (path->sizing || caller->closed) {
		place->row = caller->row;
		place->closed = caller->closed;
		return;
	}
	place->row = find_child(path, caller->row - 1, name) + 1;
	place->closed = path->sums && *sum_at(path, hash) < path->least;
}

static void copy_place(struct place *place, const struct place *from)
{
	place->hash = from->hash;
	place->row = from->row;
	place->name = from->name;
	place->closed = from->closed;
}

/* The place of a function below `caller`. What is left out counts for its caller, unless that stands for missing ones. */
static void set_place_below(struct path *path, const struct call_verdict *verdict,
			    const struct place *caller, struct place *place)
{
	if (verdict->name != LEFT_OUT && !is_same(path, verdict, caller))
		set_place(path, verdict->name, caller, place);
	else if (verdict->name == LEFT_OUT && verdict->shown != LEFT_OUT &&
		 *name_at(path, caller) == '[')
		set_place(path, verdict->shown, caller, place);
	else
		copy_place(place, caller);
}

/* The step at which a function below `above` called itself, through a few rows at most; STEP_ROOT: none. */
static uint32_t find_recursion(const struct path *path, uint32_t above, uint32_t identity)
{
	uint64_t hash = path->v[above].place.hash;

	for (uint32_t at = above, rows = 0; at != STEP_ROOT; at = path->v[at].above) {
		if (path->v[at].place.hash != hash) {
			hash = path->v[at].place.hash;
			if (++rows == CYCLE_MAX)
				break;
		}
		if (path->v[at].identity == identity)
			return at;
	}
	return STEP_ROOT;
}

/* The step of a function below the last one, which is at `caller`. A function that calls itself keeps its place. */
static void set_step(struct path *path, const struct call_verdict *verdict,
		     const struct place *caller, struct step *step)
{
	uint32_t parent = (uint32_t)path->nr - 1, outer = STEP_ROOT, calls = 1;

	step->identity = verdict->identity;
	step->above = path->v[parent].identity == LEFT_OUT ? path->v[parent].above : parent;
	if (verdict->identity != LEFT_OUT && path->active[verdict->identity])
		outer = find_recursion(path, step->above, verdict->identity);
	if (outer == STEP_ROOT) {
		set_place_below(path, verdict, caller, &step->place);
		step->opener = step->place.hash == caller->hash ? path->v[parent].opener
								: (uint32_t)path->nr;
	} else {
		copy_place(&step->place, &path->v[outer].place);
		step->opener = path->v[outer].opener;
		/* A query is several frames. */
		calls = path->v[outer].calls +
			!(verdict->query && step->place.hash == caller->hash);
	}
	step->calls = calls;
	step->focus = path->v[parent].focus;
	if (!step->focus && verdict->focus)
		step->focus = step->place.row;
}

/* The last function counts: so do its callers, which are known to be callers of a focus only now. */
static void note_all_calls(struct path *path)
{
	for (size_t at = path->nr - 1; at != STEP_ROOT; at--) {
		struct step *step = &path->v[at];

		if (!step->place.row || step->counts)
			break;
		step->counts = true;
		if (!step->place.closed)
			call_maker_note_calls(path->maker, step->place.row - 1, step->calls);
	}
}

static void enter_function(struct path *path, uint32_t stack, uint32_t name)
{
	const struct call_verdict *verdict = &path->maker->verdicts[name];
	const struct place *caller;
	struct step *step;

	ARRAY_GROW(path->v, path->nr + 1, path->alloc);
	step = &path->v[path->nr];
	caller = &path->v[path->nr - 1].place;
	*step = (struct step){ .stack = stack, .identity = LEFT_OUT };
	if (!caller->row && verdict->focus)
		caller = &root_place;
	if (caller->row)
		set_step(path, verdict, caller, step);
	path->nr++;
	if (step->identity != LEFT_OUT)
		path->active[step->identity]++;
	if (!path->sizing && (path->callers ? step->focus : step->place.row))
		note_all_calls(path);
}

static void enter_stack(void *data, uint32_t stack)
{
	struct path *path = data;
	const struct call_tree_stacks *stacks = path->maker->stacks;
	uint32_t names[CALL_TREE_LEVELS];
	size_t nr = stacks->levels(stacks->data, stacks->nodes[stack].frame, names);

	for (size_t i = 0; i < nr; i++)
		enter_function(path, stack, names[i]);
}

static void add_capped(int64_t *to, int64_t value)
{
	*to = value > INT64_MAX - *to ? INT64_MAX : *to + value;
}

/* What was counted at the last place and below it was so at its caller's too. */
static void close_step(struct path *path)
{
	uint32_t at = (uint32_t)path->nr - 1;
	const struct step *step = &path->v[at];

	if (path->sizing && step->place.row && step->opener == at && step->value) {
		add_capped(sum_at(path, step->place.hash), step->value);
		add_capped(&path->v[path->v[at - 1].opener].value, step->value);
	}
	if (step->identity != LEFT_OUT)
		path->active[step->identity]--;
	path->nr--;
}

static void leave_stack(void *data, uint32_t stack)
{
	struct path *path = data;

	while (path->v[path->nr - 1].stack == stack)
		close_step(path);
}

static void count_value(struct path *path, int64_t value)
{
	const struct step *step = &path->v[path->nr - 1];
	uint32_t row = path->callers ? step->focus : step->place.row;

	if (!row || value <= 0)
		return;
	if (path->sizing)
		add_capped(&path->v[step->opener].value, value);
	else
		frame_tree_add(path->maker->tree, row - 1, value);
}

/* Go along the stacks from `from` to below `to`. Returns what was counted, if it is for the sums. */
static int64_t go(struct path *path, uint32_t from, size_t to)
{
	const struct call_tree_stacks *stacks = path->maker->stacks;
	struct stack_walk walk = {
		.nodes = stacks->nodes, .enter = enter_stack, .leave = leave_stack, .data = path
	};
	int64_t value;

	ARRAY_ADD(path->v, path->nr, path->alloc, path->first);
	for (uint32_t i = from; i < to; i++) {
		stack_walk_to(&walk, i);
		count_value(path, stacks->values[i]);
	}
	stack_walk_to(&walk, STACK_EMPTY);
	value = path->v[STEP_ROOT].value;
	path->nr = 0;
	stack_walk_release(&walk);
	return value;
}

/* Some of the stacks, for the sums. */
struct part {
	struct path path;
	uint32_t from;
	size_t to;
	int64_t value;
};

static void size_up(void *data)
{
	struct part *part = data;

	part->value = go(&part->path, part->from, part->to);
}

static struct path new_path(struct call_maker *maker)
{
	const struct call_tree_options *options = maker->options;
	bool focused = options->focus && options->focus->nr;
	struct path path = { .maker = maker, .callers = focused && options->inverted };

	path.first = (struct step){ .place = root_place, .identity = LEFT_OUT };
	if (focused && !path.callers)
		path.first.place.row = 0;
	path.active =
		xcalloc(maker->stacks->names_nr + maker->tree->names_nr + 1, sizeof(*path.active));
	return path;
}

static void release_path(struct path *path)
{
	free(path->sums);
	free(path->active);
	free(path->v);
	free(path->last);
}

/* Find the sums of all places, half of the stacks with a second thread. Returns the path that has them, and the total. */
static struct path find_sums(struct call_maker *maker, int64_t *total)
{
	const struct call_tree_stacks *stacks = maker->stacks;
	uint32_t half = (uint32_t)(stacks->nr / 2) + 1;
	struct part parts[2] = { { .from = STACK_EMPTY + 1, .to = half },
				 { .from = half, .to = stacks->nr } };
	struct thread *thread;
	struct err err = ERR_INIT;
	unsigned bits = 1;

	while (bits < SUMS_BITS_MAX && (size_t)1 << bits < stacks->nr)
		bits++;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		parts[i].path = new_path(maker);
		parts[i].path.sizing = true;
		parts[i].path.bits = bits;
		parts[i].path.sums = xcalloc((size_t)1 << bits, sizeof(*parts[i].path.sums));
	}
	if (stacks->threads < 2 || thread_start(size_up, &parts[1], &thread, &err)) {
		err_clear(&err);
		size_up(&parts[1]);
		size_up(&parts[0]);
	} else {
		size_up(&parts[0]);
		thread_join(thread);
	}
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		add_capped(&parts[0].path.sums[i], parts[1].path.sums[i]);
	*total = parts[0].value;
	add_capped(total, parts[1].value);
	release_path(&parts[1].path);
	return parts[0].path;
}

void call_maker_make_plain(struct call_maker *maker)
{
	const struct call_tree_options *options = maker->options;
	struct path path;
	int64_t total;

	judge_all(maker);
	/* Of most stacks so little has the same callers that no row of theirs is shown. */
	if (!options->inverted && options->min_share > 0) {
		path = find_sums(maker, &total);
		path.sizing = false;
		path.least = (int64_t)((double)total * options->min_share / 100);
	} else {
		path = new_path(maker);
	}
	go(&path, STACK_EMPTY + 1, maker->stacks->nr);
	release_path(&path);
}

void call_maker_note_calls(struct call_maker *maker, uint32_t row, uint32_t calls)
{
	ARRAY_GROW_ZERO(maker->calls, (size_t)row + 1, maker->calls_alloc);
	if (calls > maker->calls[row])
		maker->calls[row] = calls;
}

void call_maker_release(struct call_maker *maker)
{
	free(maker->verdicts);
	free(maker->calls);
	free(maker->origins);
}
