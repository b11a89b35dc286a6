#include "analysis/group.h"

#include <stdlib.h>

#include "analysis/allocator.h"
#include "analysis/query_name.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/strset.h"

/* A map from small numbers to small numbers; 0 means unknown yet, so keys are stored plus one. */
struct memo {
	uint32_t *v;
	size_t nr, alloc;
};

/* The key and root of a process when its row was last read. */
struct process_memo {
	uint32_t key; /* plus one */
	uint32_t root;
	bool read, wanted;
};

struct grouping {
	enum group_by by;
	enum group_root root;
	bool allocation, filtered;
	struct machine *machine;
	struct function_table *functions;
	struct process_filter filter; /* its names are borrowed */
	struct group *v;
	size_t nr, alloc;
	struct process_memo *processes;
	size_t processes_nr;
	struct memo threads, modules, stacks; /* to keys */
	struct memo frames;                   /* to the index of their keys in `frame_keys` */
	uint32_t *frame_keys; /* for each frame the number of its keys, and the keys */
	size_t frame_keys_nr, frame_keys_alloc;
	struct intmap names;   /* module and name of a function, root and stack of names: to keys */
	struct strset texts;   /* of keys */
	struct memo text_keys; /* texts to keys */
	uint32_t no_text;      /* plus one */
	struct frame_function levels[FUNCTION_LEVELS]; /* of the current frame */
	/*
	 * Stacks whose frames are names of functions (function.name), made from the machine's stacks: stacks that
	 * differ only in addresses within functions become one, and functions inlined at an address are separate frames.
	 */
	struct stack_table stack_names;
	struct memo names_of;  /* the machine's stacks to stacks of names */
	struct memo name_keys; /* stacks of names to keys */
	struct memo kinds;     /* functions to enum function_kind */
	const struct stack_tags *tags;
	struct strset queries;
	struct memo classes; /* BY_PHASE, BY_QUERY: functions to their class plus two */
	struct memo
		stack_classes; /* stacks to their class, from the innermost function that has one */
};

/* A class is a tag, or a query in `queries`. */
#define NO_CLASS STACK_TAG_NONE

enum function_kind { UNKNOWN, OUTSIDE, ALLOCATOR };

const char *const group_by_names[] = {
	[BY_PROCESS] = "process",
	[BY_ROLE] = "role",
	[BY_PART] = "part",
	[BY_CRATE] = "crate",
	[BY_MODULE] = "module",
	[BY_FUNCTION] = "function",
	[BY_THREAD] = "thread",
	[BY_PHASE] = "phase",
	[BY_QUERY] = "query",
	[BY_STACK] = "stack",
	NULL,
};

const char *const group_root_names[] = {
	[ROOT_NONE] = "none",
	[ROOT_PROCESS] = "process",
	[ROOT_CRATE] = "crate",
	NULL,
};

/* The value of `i`; the pointer is valid until the next call. */
static uint32_t *memo_at(struct memo *memo, size_t i)
{
	ARRAY_REACH(memo->v, i + 1, memo->nr, memo->alloc);
	return &memo->v[i];
}

struct grouping *grouping_new(enum group_by by, bool allocation, struct machine *machine,
			      struct function_table *functions, const struct process_filter *filter)
{
	struct grouping *grouping = xcalloc(1, sizeof(*grouping));

	grouping->by = by;
	grouping->allocation = allocation;
	grouping->machine = machine;
	grouping->functions = functions;
	grouping->filtered = filter;
	if (filter)
		grouping->filter = *filter;
	grouping->filter.from_ns = INT64_MIN;
	grouping->filter.to_ns = INT64_MAX;
	grouping->texts = (struct strset)STRSET_INIT;
	grouping->queries = (struct strset)STRSET_INIT;
	stack_table_init(&grouping->stack_names);
	return grouping;
}

void grouping_trim(struct grouping *grouping)
{
	free(grouping->names_of.v);
	grouping->names_of = (struct memo){ NULL, 0, 0 };
	stack_table_trim(&grouping->stack_names);
}

void grouping_free(struct grouping *grouping)
{
	if (!grouping)
		return;
	free(grouping->threads.v);
	free(grouping->modules.v);
	free(grouping->stacks.v);
	free(grouping->frames.v);
	free(grouping->text_keys.v);
	free(grouping->names_of.v);
	free(grouping->name_keys.v);
	free(grouping->kinds.v);
	free(grouping->classes.v);
	free(grouping->stack_classes.v);
	strset_release(&grouping->queries);
	strset_release(&grouping->texts);
	free(grouping->frame_keys);
	free(grouping->v);
	free(grouping->processes);
	intmap_release(&grouping->names);
	stack_table_release(&grouping->stack_names);
	free(grouping);
}

static uint32_t name_frame(struct grouping *grouping, uint32_t parent, uint32_t frame)
{
	size_t nr = function_table_levels(grouping->functions, frame, grouping->levels);

	for (size_t i = 0; i < nr; i++)
		parent = stack_table_push(&grouping->stack_names, parent, grouping->levels[i].name);
	return parent;
}

/*
 * Name the first `nr` stacks in the order in which they were created, callers first: so each is near its caller in
 * memory, and both tables have the same order. The name of a stack is that of its innermost function.
 */
void grouping_name_stacks(struct grouping *grouping, size_t nr)
{
	const struct stack_node *nodes = grouping->machine->stacks.nodes;
	size_t named = grouping->names_of.nr ? grouping->names_of.nr : STACK_EMPTY + 1;

	if (nr <= named)
		return;
	ARRAY_REACH(grouping->names_of.v, nr, grouping->names_of.nr, grouping->names_of.alloc);
	for (size_t at = named; at < nr; at++)
		grouping->names_of.v[at] = name_frame(
			grouping, grouping->names_of.v[nodes[at].parent], nodes[at].frame);
}

static uint32_t name_of_stack(struct grouping *grouping, uint32_t stack)
{
	if (stack == STACK_EMPTY)
		return name_frame(grouping, STACK_EMPTY, FRAME_TRUNCATED);
	grouping_name_stacks(grouping, (size_t)stack + 1);
	return grouping->names_of.v[stack];
}

void group_frames(const struct grouping *grouping, const struct group *group, struct strvec *frames)
{
	const struct stack_node *nodes = grouping->stack_names.nodes;
	uint32_t *path = NULL;
	size_t depth = 0, alloc = 0;

	for (uint32_t at = group->stack; at != STACK_EMPTY; at = nodes[at].parent) {
		ARRAY_GROW(path, depth + 1, alloc);
		path[depth++] = nodes[at].frame;
	}
	while (depth-- > 0)
		strvec_push(frames, function_table_name(grouping->functions, path[depth]));
	free(path);
}

/* The function to which an allocation is attributed: one of the functions of a frame. */
struct allocation_site {
	uint32_t frame;
	size_t inner;     /* functions inlined into it */
	size_t allocator; /* functions of the stack that are left out before it */
};

/* Each function is classified once. */
static bool is_allocator(struct grouping *grouping, struct frame_function found)
{
	const struct function_table *functions = grouping->functions;
	uint32_t *kind = memo_at(&grouping->kinds, found.function);

	if (*kind == UNKNOWN) {
		uint32_t module = functions->v[found.function].module;

		*kind = allocator_has(&grouping->machine->modules.v[module],
				      function_table_name(functions, found.name))
				? ALLOCATOR
				: OUTSIDE;
	}
	return *kind == ALLOCATOR;
}

static struct allocation_site find_site(struct grouping *grouping, uint32_t stack)
{
	const struct stack_node *nodes = grouping->machine->stacks.nodes;
	size_t allocator = 0;

	for (uint32_t at = stack; at != STACK_EMPTY; at = nodes[at].parent) {
		uint32_t frame = nodes[at].frame;
		size_t nr = function_table_levels(grouping->functions, frame, grouping->levels);
		size_t inner = 0;

		while (inner < nr && is_allocator(grouping, grouping->levels[nr - 1 - inner]))
			inner++;
		allocator += inner;
		if (inner < nr)
			return (struct allocation_site){ frame, inner, allocator };
	}
	return (struct allocation_site){ nodes[stack].frame, 0, 0 };
}

void grouping_set_tags(struct grouping *grouping, const struct stack_tags *tags)
{
	grouping->tags = tags;
}

void grouping_set_root(struct grouping *grouping, enum group_root root)
{
	grouping->root = root;
}

bool grouping_has_roots(const struct grouping *grouping)
{
	return grouping->by == BY_STACK && grouping->root != ROOT_NONE;
}

enum group_by grouping_kind(const struct grouping *grouping)
{
	return grouping->by;
}

bool grouping_by_stacks(const struct grouping *grouping)
{
	return grouping->by == BY_MODULE || grouping->by == BY_FUNCTION ||
	       grouping->by == BY_PHASE || grouping->by == BY_QUERY || grouping->by == BY_STACK;
}

static uint32_t add_group(struct grouping *grouping, const struct group *group)
{
	ARRAY_GROW(grouping->v, grouping->nr + 1, grouping->alloc);
	grouping->v[grouping->nr] = *group;
	return (uint32_t)grouping->nr++;
}

/* The map has pointers, so keys are stored plus one. */
static uint32_t find_named(const struct grouping *grouping, int64_t name)
{
	uintptr_t value = (uintptr_t)intmap_get(&grouping->names, name);

	return value ? (uint32_t)(value - 1) : GROUP_NONE;
}

static uint32_t add_named(struct grouping *grouping, int64_t name, const struct group *group)
{
	uint32_t key = add_group(grouping, group);

	intmap_put(&grouping->names, name, (void *)((uintptr_t)key + 1));
	return key;
}

static uint32_t key_of_text(struct grouping *grouping, const char *text)
{
	struct group group = { 0 };
	uint32_t *key = &grouping->no_text;

	if (text) {
		uint32_t number = strset_add(&grouping->texts, text);

		group.text = grouping->texts.strings.v[number];
		key = memo_at(&grouping->text_keys, number);
	}
	if (!*key)
		*key = add_group(grouping, &group) + 1;
	return *key - 1;
}

static const struct process *row_of(const struct grouping *grouping,
				    const struct trace_process *process)
{
	return grouping->machine->rows->v[process->row];
}

static uint32_t key_of_row(struct grouping *grouping, const struct process *row)
{
	switch (grouping->by) {
	case BY_ROLE:
		return key_of_text(grouping, role_name(row->tag.role));
	case BY_PART:
		return key_of_text(grouping, row->tag.part);
	case BY_CRATE:
		return key_of_text(grouping, row->tag.crate);
	default:
		return add_group(grouping, &(struct group){ .process = row });
	}
}

static uint32_t root_of_row(struct grouping *grouping, const struct process *row)
{
	const char *image = process_image(row), *crate = row->tag.crate;
	uint32_t root;
	char *both;

	if (grouping->root == ROOT_PROCESS || !crate)
		return strset_add(&grouping->texts, image);
	both = xasprintf("%s %s", image, crate);
	root = strset_add(&grouping->texts, both);
	free(both);
	return root;
}

static const struct process_memo *read_row(struct grouping *grouping,
					   const struct trace_process *process)
{
	const struct process *row;
	struct process_memo *memo;

	ARRAY_GROW_ZERO(grouping->processes, process->index + 1, grouping->processes_nr);
	memo = &grouping->processes[process->index];
	if (memo->read)
		return memo;
	row = row_of(grouping, process);
	memo->read = true;
	memo->wanted = !grouping->filtered || process_filter_match(&grouping->filter, row);
	if (memo->wanted && grouping_has_roots(grouping))
		memo->root = root_of_row(grouping, row);
	if (!memo->wanted || grouping_by_stacks(grouping) || grouping->by == BY_THREAD)
		return memo;
	if (grouping->by != BY_PROCESS || !memo->key)
		memo->key = key_of_row(grouping, row) + 1;
	return memo;
}

bool grouping_matches(struct grouping *grouping, const struct trace_process *process)
{
	return read_row(grouping, process)->wanted;
}

uint32_t grouping_root(struct grouping *grouping, const struct trace_process *process)
{
	return read_row(grouping, process)->root;
}

void grouping_update(struct grouping *grouping, const struct trace_event *event)
{
	const struct trace_process *process;

	if (event->kind != TRACE_EXEC && event->kind != TRACE_MAP &&
	    event->kind != TRACE_THREAD_NAME)
		return;
	if (event->kind == TRACE_MAP && event->map.kernel)
		return;
	process = machine_process(grouping->machine, event->pid, event->time_ns);
	if (process && !process->known && process->index < grouping->processes_nr)
		grouping->processes[process->index].read = false;
}

static uint32_t key_of_thread(struct grouping *grouping, const struct trace_thread *thread)
{
	uint32_t *key = memo_at(&grouping->threads, thread->index);

	if (!*key)
		*key = add_group(grouping,
				 &(struct group){ .process = row_of(grouping, thread->process),
						  .thread = thread }) +
		       1;
	return *key - 1;
}

/* The text of [truncated], [not sampled] and so on. */
static uint32_t key_of_special(struct grouping *grouping, uint32_t frame)
{
	uint32_t function = function_table_of(grouping->functions, frame);

	return key_of_text(grouping, function_table_name(grouping->functions,
							 grouping->functions->v[function].name));
}

static uint32_t key_of_module(struct grouping *grouping, uint32_t frame)
{
	uint32_t module = grouping->machine->stacks.frames[frame].module, *key;

	if (frame < FRAME_FIRST)
		return key_of_special(grouping, frame);
	key = memo_at(&grouping->modules, module);
	if (!*key)
		*key = add_group(grouping, &(struct group){ .module = module }) + 1;
	return *key - 1;
}

static uint32_t key_of_function(struct grouping *grouping, uint32_t frame,
				struct frame_function found)
{
	uint32_t module = grouping->machine->stacks.frames[frame].module;
	int64_t name = (int64_t)((uint64_t)module << 32 | found.name);
	uint32_t key = find_named(grouping, name);

	if (key != GROUP_NONE)
		return key;
	return add_named(grouping, name,
			 &(struct group){ .module = module, .function = found.function });
}

static uint32_t classify(struct grouping *grouping, struct frame_function found)
{
	const struct function_table *functions = grouping->functions;
	const char *name = function_table_name(functions, found.name), *query;
	uint32_t class;
	char *copy;
	size_t len;

	if (grouping->by == BY_PHASE)
		return stack_tags_find(
			grouping->tags,
			grouping->machine->modules.v[functions->v[found.function].module].name,
			name);
	query = query_name(name, &len);
	if (!query)
		return NO_CLASS;
	copy = xstrndup(query, len);
	class = strset_add(&grouping->queries, copy);
	free(copy);
	return class;
}

/* Each function is classified once. */
static uint32_t class_of(struct grouping *grouping, struct frame_function found)
{
	uint32_t *class = memo_at(&grouping->classes, found.function);

	if (!*class)
		*class = classify(grouping, found) + 2; /* NO_CLASS becomes 1 */
	return *class - 2;
}

static uint32_t join_classes(const struct grouping *grouping, uint32_t callers, uint32_t innermost)
{
	if (grouping->by == BY_PHASE)
		return stack_tags_join(grouping->tags, callers, innermost);
	return innermost == NO_CLASS ? callers : innermost;
}

/* Of a stack, which has a higher number than that of its callers. */
static uint32_t class_of_stack(struct grouping *grouping, uint32_t stack)
{
	const struct stack_node *nodes = grouping->machine->stacks.nodes;
	struct memo *classes = &grouping->stack_classes;
	size_t from = classes->nr;

	if (stack < from)
		return classes->v[stack];
	ARRAY_REACH(classes->v, (size_t)stack + 1, classes->nr, classes->alloc);
	classes->v[STACK_EMPTY] = NO_CLASS;
	for (size_t at = from ? from : STACK_EMPTY + 1; at <= stack; at++) {
		size_t nr = function_table_levels(grouping->functions, nodes[at].frame,
						  grouping->levels);
		uint32_t class = classes->v[nodes[at].parent];

		for (size_t i = 0; i < nr; i++)
			class = join_classes(grouping, class,
					     class_of(grouping, grouping->levels[i]));
		classes->v[at] = class;
	}
	return classes->v[stack];
}

static const char *class_text(const struct grouping *grouping, uint32_t class)
{
	if (class == NO_CLASS)
		return grouping->by == BY_PHASE ? "[untagged]" : "[no query]";
	return grouping->by == BY_PHASE ? stack_tags_name(grouping->tags, class)
					: grouping->queries.strings.v[class];
}

static uint32_t key_of_class(struct grouping *grouping, uint32_t class)
{
	uint32_t key = key_of_text(grouping, class_text(grouping, class));

	grouping->v[key].whole = grouping->by == BY_PHASE || class == NO_CLASS;
	return key;
}

static void add_frame_key(struct grouping *grouping, uint32_t key)
{
	ARRAY_GROW(grouping->frame_keys, grouping->frame_keys_nr + 1, grouping->frame_keys_alloc);
	grouping->frame_keys[grouping->frame_keys_nr++] = key;
}

static uint32_t key_of_stack_class(struct grouping *grouping, uint32_t stack)
{
	const struct stack_table *stacks = &grouping->machine->stacks;
	uint32_t key;

	if (stack == STACK_EMPTY || stacks->nodes[stack].frame != FRAME_NOT_SAMPLED)
		return key_of_class(grouping, class_of_stack(grouping, stack));
	key = key_of_special(grouping, FRAME_NOT_SAMPLED);
	grouping->v[key].whole = true;
	return key;
}

/* The classes of the `nr` functions of a frame: queries, as a phase is of a whole stack. */
static void make_class_keys(struct grouping *grouping, size_t nr)
{
	size_t count = grouping->frame_keys_nr;

	add_frame_key(grouping, 0);
	for (size_t i = 0; i < nr && grouping->by == BY_QUERY; i++) {
		uint32_t class = class_of(grouping, grouping->levels[i]);

		if (class == NO_CLASS)
			continue;
		add_frame_key(grouping, key_of_class(grouping, class));
		grouping->frame_keys[count]++;
	}
}

static void make_frame_keys(struct grouping *grouping, uint32_t frame)
{
	size_t nr;

	if (grouping->by == BY_MODULE) {
		add_frame_key(grouping, 1);
		add_frame_key(grouping, key_of_module(grouping, frame));
		return;
	}
	nr = function_table_levels(grouping->functions, frame, grouping->levels);
	if (grouping->by == BY_PHASE || grouping->by == BY_QUERY) {
		make_class_keys(grouping, nr);
		return;
	}
	add_frame_key(grouping, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++)
		add_frame_key(grouping, key_of_function(grouping, frame, grouping->levels[i]));
}

struct frame_keys grouping_frame_keys(struct grouping *grouping, uint32_t frame)
{
	uint32_t *memo = memo_at(&grouping->frames, frame);
	const uint32_t *keys;

	if (!*memo) {
		*memo = (uint32_t)grouping->frame_keys_nr + 1;
		make_frame_keys(grouping, frame);
	}
	keys = &grouping->frame_keys[*memo - 1];
	return (struct frame_keys){ keys + 1, keys[0] };
}

/* The function that gives a stack its module and function key. */
static struct allocation_site choose(struct grouping *grouping, uint32_t stack)
{
	if (stack == STACK_EMPTY)
		return (struct allocation_site){ FRAME_TRUNCATED, 0, 0 };
	if (grouping->allocation)
		return find_site(grouping, stack);
	return (struct allocation_site){ grouping->machine->stacks.nodes[stack].frame, 0, 0 };
}

static uint32_t key_of_site(struct grouping *grouping, struct allocation_site site)
{
	struct frame_keys keys = grouping_frame_keys(grouping, site.frame);

	/* BY_MODULE there is one key, also with inlined functions. */
	return keys.v[site.inner < keys.nr ? keys.nr - 1 - site.inner : 0];
}

static uint32_t key_of_stack(struct grouping *grouping, uint32_t stack)
{
	uint32_t name = name_of_stack(grouping, stack);
	uint32_t *key = memo_at(&grouping->name_keys, name);

	if (!*key)
		*key = 1 + add_group(grouping,
				     &(struct group){
					     .stack = name,
					     .allocator_frames =
						     (uint32_t)choose(grouping, stack).allocator,
				     });
	return *key - 1;
}

uint32_t grouping_rooted_key(struct grouping *grouping, uint32_t root, uint32_t stack)
{
	uint32_t name = name_of_stack(grouping, stack);
	int64_t both = (int64_t)((uint64_t)root << 32 | name);
	uint32_t key = find_named(grouping, both);

	if (key != GROUP_NONE)
		return key;
	return add_named(grouping, both,
			 &(struct group){ .text = grouping->texts.strings.v[root],
					  .stack = name,
					  .root = root });
}

uint32_t grouping_key_same_root(struct grouping *grouping, uint32_t key, uint32_t stack)
{
	if (grouping_has_roots(grouping))
		return grouping_rooted_key(grouping, grouping->v[key].root, stack);
	return grouping_stack_key(grouping, stack);
}

uint32_t grouping_stack_key(struct grouping *grouping, uint32_t stack)
{
	uint32_t *memo;

	if (grouping->by == BY_STACK)
		return key_of_stack(grouping, stack);
	memo = memo_at(&grouping->stacks, stack);
	if (*memo)
		return *memo - 1;
	if (grouping->by == BY_PHASE || grouping->by == BY_QUERY)
		*memo = key_of_stack_class(grouping, stack) + 1;
	else
		*memo = key_of_site(grouping, choose(grouping, stack)) + 1;
	return *memo - 1;
}

uint32_t grouping_key(struct grouping *grouping, const struct trace_process *process,
		      const struct trace_thread *thread, uint32_t stack)
{
	const struct process_memo *memo = read_row(grouping, process);

	if (!memo->wanted)
		return GROUP_NONE;
	if (grouping_has_roots(grouping))
		return grouping_rooted_key(grouping, memo->root, stack);
	if (grouping_by_stacks(grouping))
		return grouping_stack_key(grouping, stack);
	return grouping->by == BY_THREAD ? key_of_thread(grouping, thread) : memo->key - 1;
}

size_t grouping_nr(const struct grouping *grouping)
{
	return grouping->nr;
}

const struct group *grouping_get(const struct grouping *grouping, uint32_t key)
{
	return &grouping->v[key];
}

const struct stack_table *grouping_names(const struct grouping *grouping)
{
	return &grouping->stack_names;
}
