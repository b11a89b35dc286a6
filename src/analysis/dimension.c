#include "analysis/dimension.h"

#include <stdlib.h>

#include "analysis/allocator.h"
#include "analysis/lifetime.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/intmap.h"
#include "util/strset.h"

/* A map from small numbers to small numbers; 0 means unknown yet, so keys are stored plus one. */
struct memo {
	uint32_t *v;
	size_t nr, alloc;
};

/* The key of a process when its row was last read. */
struct process_memo {
	uint32_t key;  /* plus one */
	uint32_t step; /* BY_PROCESS_STEP: of the key */
	bool read;
};

struct dimension {
	enum group_by by;
	bool allocation;
	struct machine *machine;
	struct function_table *functions;
	struct group *v;
	size_t nr, alloc;
	struct process_memo *processes;
	size_t processes_nr;
	struct memo threads, modules; /* to keys */
	struct memo stacks;           /* the same, if it is an allocation's */
	struct memo frames;           /* to the index of their keys in `frame_keys` */
	uint32_t *frame_keys;         /* for each frame the number of its keys, and the keys */
	size_t frame_keys_nr, frame_keys_alloc;
	struct intmap names;                           /* module and name of a function: to keys */
	struct strset texts;                           /* of keys */
	struct memo text_keys;                         /* texts to keys */
	uint32_t no_text;                              /* plus one */
	struct frame_function levels[FUNCTION_LEVELS]; /* of the current frame */
	/*
	 * Stacks whose frames are names of functions (function.name), made from the machine's stacks: stacks that
	 * differ only in addresses within functions become one, and functions inlined at an address are separate frames.
	 */
	struct stack_table stack_names;
	struct memo names_of;          /* the machine's stacks to stacks of names */
	struct hash_index name_keys;   /* stacks of names, few of which have keys, to keys */
	struct memo kinds;             /* functions to enum function_kind */
	struct stack_classes *classes; /* BY_PHASE, BY_QUERY; else NULL */
	struct memo class_keys;        /* classes plus two, to keys */
	struct stack_classes *phases, *queries; /* of dimension_split(); else NULL */
	uint32_t step;
	uint64_t heap;
	struct hash_index heap_keys; /* processes and handles to keys */
};

enum function_kind { UNKNOWN, OUTSIDE, ALLOCATOR };

const char *const group_by_names[] = {
	[BY_PROCESS] = "process", [BY_ROLE] = "role",         [BY_PART] = "part",
	[BY_CRATE] = "crate",     [BY_MODULE] = "module",     [BY_FUNCTION] = "function",
	[BY_THREAD] = "thread",   [BY_PHASE] = "phase",       [BY_QUERY] = "query",
	[BY_STACK] = "stack",     [BY_LIFETIME] = "lifetime", [BY_HEAP] = "heap",
	[BY_CALLS] = "calls",     [BY_REGION] = "region",     NULL,
};

bool group_by_stacks(enum group_by by)
{
	return by == BY_MODULE || by == BY_FUNCTION || by == BY_PHASE || by == BY_QUERY ||
	       by == BY_STACK;
}

/* The finest is the inner one; a phase is of a whole stack. */
static int fineness(enum group_by by)
{
	static const int values[] = { [BY_PHASE] = 1,    [BY_QUERY] = 2, [BY_MODULE] = 3,
				      [BY_FUNCTION] = 4, [BY_STACK] = 5, [BY_CALLS] = 0 };

	return (size_t)by < sizeof(values) / sizeof(*values) ? values[by] : 0;
}

enum group_by group_by_inner(const enum group_by *by, size_t nr)
{
	return nr > 1 && fineness(by[1]) >= fineness(by[0]) ? by[1] : by[0];
}

bool dimension_has_classes(const struct dimension *dimension)
{
	return dimension->classes;
}

bool dimension_has_frame_keys(const struct dimension *dimension)
{
	return group_by_stacks(dimension->by) && dimension->by != BY_PHASE &&
	       dimension->by != BY_STACK;
}

/* The value of `i`; the pointer is valid until the next call. */
static uint32_t *memo_at(struct memo *memo, size_t i)
{
	ARRAY_REACH(memo->v, i + 1, memo->nr, memo->alloc);
	return &memo->v[i];
}

void dimension_trim(struct dimension *dimension)
{
	free(dimension->names_of.v);
	dimension->names_of = (struct memo){ NULL, 0, 0 };
	hash_index_release(&dimension->name_keys);
	stack_table_trim(&dimension->stack_names);
	if (dimension->classes)
		stack_classes_trim(dimension->classes);
	if (dimension->phases) {
		stack_classes_trim(dimension->phases);
		stack_classes_trim(dimension->queries);
	}
}

void dimension_free(struct dimension *dimension)
{
	if (!dimension)
		return;
	free(dimension->threads.v);
	free(dimension->modules.v);
	free(dimension->stacks.v);
	free(dimension->frames.v);
	free(dimension->text_keys.v);
	free(dimension->names_of.v);
	hash_index_release(&dimension->name_keys);
	hash_index_release(&dimension->heap_keys);
	free(dimension->kinds.v);
	stack_classes_free(dimension->classes);
	stack_classes_free(dimension->phases);
	stack_classes_free(dimension->queries);
	free(dimension->class_keys.v);
	strset_release(&dimension->texts);
	free(dimension->frame_keys);
	free(dimension->v);
	free(dimension->processes);
	intmap_release(&dimension->names);
	stack_table_release(&dimension->stack_names);
	free(dimension);
}

uint32_t dimension_asker(const struct dimension *dimension, const struct group *group)
{
	uint32_t at = group->stack;

	for (uint32_t i = group->allocator_frames; i; i--)
		at = dimension->stack_names.nodes[at].parent;
	return at;
}

static uint32_t name_frame(struct dimension *dimension, uint32_t parent, uint32_t frame)
{
	size_t nr = function_table_levels(dimension->functions, frame, dimension->levels);

	for (size_t i = 0; i < nr; i++)
		parent = stack_table_push(&dimension->stack_names, parent,
					  dimension->levels[i].name);
	return parent;
}

/*
 * Name the first `nr` stacks in the order in which they were created, callers first: so each is near its caller in
 * memory, and both tables have the same order. The name of a stack is that of its innermost function.
 */
void dimension_name_stacks(struct dimension *dimension, size_t nr)
{
	const struct stack_node *nodes = dimension->machine->stacks.nodes;
	size_t named = dimension->names_of.nr ? dimension->names_of.nr : STACK_EMPTY + 1;

	if (nr <= named)
		return;
	ARRAY_REACH(dimension->names_of.v, nr, dimension->names_of.nr, dimension->names_of.alloc);
	for (size_t at = named; at < nr; at++)
		dimension->names_of.v[at] = name_frame(
			dimension, dimension->names_of.v[nodes[at].parent], nodes[at].frame);
}

void dimension_classify_frames(struct dimension *dimension, size_t nr)
{
	stack_classes_see_frames(dimension->classes, nr);
}

uint32_t dimension_stack_name(struct dimension *dimension, uint32_t stack)
{
	if (stack == STACK_EMPTY)
		return name_frame(dimension, STACK_EMPTY, FRAME_TRUNCATED);
	dimension_name_stacks(dimension, (size_t)stack + 1);
	return dimension->names_of.v[stack];
}

void dimension_add_frames(const struct dimension *dimension, const struct group *group,
			  struct strvec *frames)
{
	const struct stack_node *nodes = dimension->stack_names.nodes;
	size_t depth = 0;
	char **names;

	for (uint32_t at = group->stack; at != STACK_EMPTY; at = nodes[at].parent) {
		__builtin_prefetch(&dimension->functions->names[nodes[at].frame]);
		depth++;
	}
	names = strvec_add_room(frames, depth);
	for (uint32_t at = group->stack; at != STACK_EMPTY; at = nodes[at].parent)
		names[--depth] = (char *)function_table_name(dimension->functions, nodes[at].frame);
}

/* The function to which an allocation is attributed: one of the functions of a frame. */
struct allocation_site {
	uint32_t frame;
	size_t inner;     /* functions inlined into it */
	size_t allocator; /* functions of the stack that are left out before it */
};

/* Each function is classified once. */
static bool is_allocator(struct dimension *dimension, struct frame_function found)
{
	const struct function_table *functions = dimension->functions;
	uint32_t *kind = memo_at(&dimension->kinds, found.function);

	if (*kind == UNKNOWN) {
		uint32_t module = functions->v[found.function].module;

		*kind = allocator_has(&dimension->machine->modules.v[module],
				      function_table_name(functions, found.name))
				? ALLOCATOR
				: OUTSIDE;
	}
	return *kind == ALLOCATOR;
}

static struct allocation_site find_site(struct dimension *dimension, uint32_t stack)
{
	const struct stack_node *nodes = dimension->machine->stacks.nodes;
	size_t allocator = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent) {
		uint32_t frame = nodes[at].frame;
		size_t nr = function_table_levels(dimension->functions, frame, dimension->levels);
		size_t inner = 0;

		while (inner < nr && is_allocator(dimension, dimension->levels[nr - 1 - inner]))
			inner++;
		allocator += inner;
		if (inner < nr)
			return (struct allocation_site){ frame, inner, allocator };
	}
	return (struct allocation_site){ nodes[stack].frame, 0, 0 };
}

enum group_by dimension_kind(const struct dimension *dimension)
{
	return dimension->by;
}

static uint32_t add_group(struct dimension *dimension, const struct group *group)
{
	ARRAY_GROW(dimension->v, dimension->nr + 1, dimension->alloc);
	dimension->v[dimension->nr] = *group;
	return (uint32_t)dimension->nr++;
}

/* The map has pointers, so keys are stored plus one. */
static uint32_t find_named(const struct dimension *dimension, int64_t name)
{
	uintptr_t value = (uintptr_t)intmap_get(&dimension->names, name);

	return value ? (uint32_t)(value - 1) : GROUP_NONE;
}

static uint32_t add_named(struct dimension *dimension, int64_t name, const struct group *group)
{
	uint32_t key = add_group(dimension, group);

	intmap_put(&dimension->names, name, (void *)((uintptr_t)key + 1));
	return key;
}

static uint32_t key_of_text(struct dimension *dimension, const char *text)
{
	struct group group = { 0 };
	uint32_t *key = &dimension->no_text;

	if (text) {
		uint32_t number = strset_add(&dimension->texts, text);

		group.text = dimension->texts.strings.v[number];
		key = memo_at(&dimension->text_keys, number);
	}
	if (!*key)
		*key = add_group(dimension, &group) + 1;
	return *key - 1;
}

struct dimension *dimension_new(enum group_by by, bool allocation, struct machine *machine,
				struct function_table *functions, const struct stack_tags *tags)
{
	struct dimension *dimension = xcalloc(1, sizeof(*dimension));

	dimension->by = by;
	dimension->allocation = allocation;
	dimension->machine = machine;
	dimension->functions = functions;
	dimension->texts = (struct strset)STRSET_INIT;
	if (by == BY_PHASE || by == BY_QUERY)
		dimension->classes = stack_classes_new(by == BY_PHASE ? STACK_PHASE : STACK_QUERY,
						       machine, functions, tags);
	stack_table_init(&dimension->stack_names);
	for (int i = 0; by == BY_LIFETIME && i < LIFETIMES; i++)
		key_of_text(dimension, lifetime_names[i]);
	return dimension;
}

void dimension_split(struct dimension *dimension, const struct stack_tags *tags)
{
	dimension->phases =
		stack_classes_new(STACK_PHASE, dimension->machine, dimension->functions, tags);
	dimension->queries =
		stack_classes_new(STACK_QUERY, dimension->machine, dimension->functions, NULL);
}

static struct stack_classes *classes_of(const struct dimension *dimension,
					enum stack_class_kind kind)
{
	return kind == STACK_PHASE ? dimension->phases : dimension->queries;
}

uint32_t dimension_stack_class(struct dimension *dimension, enum stack_class_kind kind,
			       uint32_t stack)
{
	return stack_classes_of_stack(classes_of(dimension, kind), stack);
}

const char *dimension_class_name(const struct dimension *dimension, enum stack_class_kind kind,
				 uint32_t stack_class)
{
	return stack_classes_name(classes_of(dimension, kind), stack_class);
}

void dimension_set_heap(struct dimension *dimension, uint64_t handle)
{
	dimension->heap = handle;
}

void dimension_set_step(struct dimension *dimension, uint32_t step)
{
	dimension->step = step;
}

static const struct process *row_of(const struct dimension *dimension,
				    const struct trace_process *process)
{
	return dimension->machine->rows->v[process->row];
}

static uint32_t key_of_image_and_crate(struct dimension *dimension, const struct process *row)
{
	const char *image = process_image(row), *crate = row->tag.crate;
	char *both = crate ? xasprintf("%s %s", image, crate) : NULL;
	uint32_t key = key_of_text(dimension, both ? both : image);

	free(both);
	return key;
}

static uint32_t key_of_row(struct dimension *dimension, const struct process *row)
{
	switch (dimension->by) {
	case BY_ROLE:
		return key_of_text(dimension, role_name(row->tag.role));
	case BY_PART:
		return key_of_text(dimension, row->tag.part);
	case BY_CRATE:
		return key_of_text(dimension, row->tag.crate);
	case BY_IMAGE:
	case BY_THREAD_NAME:
		return key_of_text(dimension, process_image(row));
	case BY_IMAGE_AND_CRATE:
		return key_of_image_and_crate(dimension, row);
	default:
		return add_group(dimension,
				 &(struct group){ .process = row, .step = dimension->step });
	}
}

static struct process_memo *memo_of(struct dimension *dimension,
				    const struct trace_process *process)
{
	ARRAY_GROW_ZERO(dimension->processes, process->index + 1, dimension->processes_nr);
	return &dimension->processes[process->index];
}

void dimension_retag(struct dimension *dimension, const struct trace_process *process)
{
	if (process->index < dimension->processes_nr)
		memo_of(dimension, process)->read = false;
}

static uint32_t key_of_thread(struct dimension *dimension, const struct trace_thread *thread)
{
	uint32_t *key = memo_at(&dimension->threads, thread->index);

	if (!*key)
		*key = add_group(dimension,
				 &(struct group){ .process = row_of(dimension, thread->process),
						  .thread = thread }) +
		       1;
	return *key - 1;
}

/* Handles repeat across processes. */
static uint32_t key_of_heap(struct dimension *dimension, const struct trace_process *process)
{
	const struct process *row = row_of(dimension, process);
	uint64_t hash = dimension->heap ^ (uint64_t)process->row << 48;
	uint32_t key;

	HASH_INDEX_FIND(key, &dimension->heap_keys, hash, i,
			dimension->v[i].heap == dimension->heap && dimension->v[i].process == row);
	if (key != HASH_INDEX_NONE)
		return key;
	key = add_group(dimension, &(struct group){ .process = row, .heap = dimension->heap });
	hash_index_add(&dimension->heap_keys, hash, key);
	return key;
}

/* The text of [truncated], [not sampled] and so on. */
static uint32_t key_of_special(struct dimension *dimension, uint32_t frame)
{
	uint32_t function = function_table_of(dimension->functions, frame);

	return key_of_text(dimension, function_table_name(dimension->functions,
							  dimension->functions->v[function].name));
}

static uint32_t key_of_module(struct dimension *dimension, uint32_t frame)
{
	uint32_t module = dimension->machine->stacks.frames[frame].module, *key;

	if (frame < FRAME_FIRST)
		return key_of_special(dimension, frame);
	key = memo_at(&dimension->modules, module);
	if (!*key)
		*key = add_group(dimension, &(struct group){ .module = module }) + 1;
	return *key - 1;
}

static uint32_t key_of_function(struct dimension *dimension, uint32_t frame,
				struct frame_function found)
{
	uint32_t module = dimension->machine->stacks.frames[frame].module;
	int64_t name = (int64_t)((uint64_t)module << 32 | found.name);
	uint32_t key = find_named(dimension, name);

	if (key != GROUP_NONE)
		return key;
	return add_named(dimension, name,
			 &(struct group){ .module = module, .function = found.function });
}

/* No frame has a phase, or the class of stacks without one. */
static uint32_t key_of_class(struct dimension *dimension, uint32_t stack_class)
{
	/* STACK_CLASS_NONE becomes 1, STACK_CLASS_NOT_SAMPLED 0. */
	uint32_t *key = memo_at(&dimension->class_keys, stack_class + 2);

	if (!*key) {
		*key = key_of_text(dimension, stack_classes_name(dimension->classes, stack_class)) +
		       1;
		dimension->v[*key - 1].whole = dimension->by == BY_PHASE ||
					       stack_class == STACK_CLASS_NONE ||
					       stack_class == STACK_CLASS_NOT_SAMPLED;
	}
	return *key - 1;
}

static void add_frame_key(struct dimension *dimension, uint32_t key)
{
	ARRAY_GROW(dimension->frame_keys, dimension->frame_keys_nr + 1,
		   dimension->frame_keys_alloc);
	dimension->frame_keys[dimension->frame_keys_nr++] = key;
}

/* The classes of the `nr` functions of a frame: queries, as a phase is of a whole stack. */
static void make_class_keys(struct dimension *dimension, size_t nr)
{
	size_t count = dimension->frame_keys_nr;

	add_frame_key(dimension, 0);
	for (size_t i = 0; i < nr && dimension->by == BY_QUERY; i++) {
		uint32_t query =
			stack_classes_of_function(dimension->classes, dimension->levels[i]);

		if (query == STACK_CLASS_NONE)
			continue;
		add_frame_key(dimension, key_of_class(dimension, query));
		dimension->frame_keys[count]++;
	}
}

static void make_frame_keys(struct dimension *dimension, uint32_t frame)
{
	size_t nr;

	if (dimension->by == BY_MODULE) {
		add_frame_key(dimension, 1);
		add_frame_key(dimension, key_of_module(dimension, frame));
		return;
	}
	nr = function_table_levels(dimension->functions, frame, dimension->levels);
	if (dimension->classes) {
		make_class_keys(dimension, nr);
		return;
	}
	add_frame_key(dimension, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++)
		add_frame_key(dimension, key_of_function(dimension, frame, dimension->levels[i]));
}

struct frame_keys dimension_frame_keys(struct dimension *dimension, uint32_t frame)
{
	uint32_t *memo = memo_at(&dimension->frames, frame);
	const uint32_t *keys;

	if (!*memo) {
		*memo = (uint32_t)dimension->frame_keys_nr + 1;
		make_frame_keys(dimension, frame);
	}
	keys = &dimension->frame_keys[*memo - 1];
	return (struct frame_keys){ keys + 1, keys[0] };
}

/* The function that gives a stack its module and function key. */
static struct allocation_site choose(struct dimension *dimension, uint32_t stack)
{
	if (stack == STACK_EMPTY)
		return (struct allocation_site){ FRAME_TRUNCATED, 0, 0 };
	if (dimension->allocation)
		return find_site(dimension, stack);
	return (struct allocation_site){ dimension->machine->stacks.nodes[stack].frame, 0, 0 };
}

static uint32_t key_of_site(struct dimension *dimension, struct allocation_site site)
{
	struct frame_keys keys = dimension_frame_keys(dimension, site.frame);

	/* BY_MODULE there is one key, also with inlined functions. */
	return keys.v[site.inner < keys.nr ? keys.nr - 1 - site.inner : 0];
}

static void index_names(struct dimension *dimension)
{
	for (uint32_t key = 0; key < dimension->nr; key++)
		hash_index_add(&dimension->name_keys, dimension->v[key].stack, key);
}

static bool is_same(const struct group *group, const struct group *other)
{
	return group->stack == other->stack && group->phase == other->phase &&
	       group->query == other->query;
}

/* The key of a stack of names and its classes. */
static uint32_t key_of_names(struct dimension *dimension, const struct group *group)
{
	uint32_t key;

	if (!dimension->name_keys.nr)
		index_names(dimension);
	HASH_INDEX_FIND(key, &dimension->name_keys, group->stack, i,
			is_same(&dimension->v[i], group));
	if (key != HASH_INDEX_NONE)
		return key;
	key = add_group(dimension, group);
	hash_index_add(&dimension->name_keys, group->stack, key);
	return key;
}

uint32_t dimension_name_key(struct dimension *dimension, uint32_t name)
{
	return key_of_names(dimension, &(struct group){ .stack = name });
}

static uint32_t key_of_stack(struct dimension *dimension, uint32_t stack)
{
	struct group group = {
		.stack = dimension_stack_name(dimension, stack),
		.allocator_frames = (uint32_t)choose(dimension, stack).allocator,
	};

	if (dimension->phases) {
		group.phase = dimension_stack_class(dimension, STACK_PHASE, stack);
		group.query = dimension_stack_class(dimension, STACK_QUERY, stack);
	}
	return key_of_names(dimension, &group);
}

uint32_t dimension_stack_key(struct dimension *dimension, uint32_t stack)
{
	uint32_t *memo;

	if (dimension->by == BY_STACK)
		return key_of_stack(dimension, stack);
	if (dimension->classes)
		return key_of_class(dimension, stack_classes_of_stack(dimension->classes, stack));
	if (!dimension->allocation)
		return key_of_site(dimension, choose(dimension, stack));
	memo = memo_at(&dimension->stacks, stack);
	if (!*memo)
		*memo = key_of_site(dimension, choose(dimension, stack)) + 1;
	return *memo - 1;
}

uint32_t dimension_process_key(struct dimension *dimension, const struct trace_process *process,
			       const struct trace_thread *thread)
{
	/* A process is one key, whatever its tags; so are its unknown threads. */
	bool stays = dimension->by == BY_PROCESS || dimension->by == BY_THREAD ||
		     dimension->by == BY_PROCESS_STEP;
	struct process_memo *memo;

	if (dimension->by == BY_THREAD && thread)
		return key_of_thread(dimension, thread);
	if (dimension->by == BY_HEAP)
		return key_of_heap(dimension, process);
	if (dimension->by == BY_THREAD_NAME && thread && thread->name && *thread->name)
		return key_of_text(dimension, thread->name);
	memo = memo_of(dimension, process);
	if (memo->step != dimension->step) {
		memo->step = dimension->step;
		memo->read = false;
		memo->key = 0;
	}
	if (!memo->read && (!stays || !memo->key))
		memo->key = key_of_row(dimension, row_of(dimension, process)) + 1;
	memo->read = true;
	return memo->key - 1;
}

size_t dimension_nr(const struct dimension *dimension)
{
	return dimension->nr;
}

const struct group *dimension_get(const struct dimension *dimension, uint32_t key)
{
	return &dimension->v[key];
}

const struct stack_table *dimension_names(const struct dimension *dimension)
{
	return &dimension->stack_names;
}
