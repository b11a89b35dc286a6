/*
 * Random traces: PROCESSES processes that start, run programs, allocate and end, with what page_model.h says of each page.
 */
#ifndef TESTS_UNIT_MEMORY_WORLD_H
#define TESTS_UNIT_MEMORY_WORLD_H

#include <string.h>

#include "analysis/group.h"
#include "analysis/lifetime.h"
#include "ledger_model.h"
#include "page_model.h"
#include "trace_fixture.h"
#include "util/array.h"

#define EVENTS    400u
#define PROCESSES 4u

/* The time from an event to the next, so that lifetimes are of several classes. */
#define STEP_NS 3000000

/* Who an event's bytes belong to, apart from how a view sorts them. */
struct owner {
	size_t process; /* of PROCESSES; each is one pid, and one row */
	unsigned stack; /* of stacks[] */
	uint32_t weight;
	int64_t live; /* pages held */
	bool added;
};

struct world {
	struct trace_event events[EVENTS];
	uint64_t addresses[EVENTS][3];
	struct owner owners[EVENTS];
	struct model_map maps[PROCESSES];
	bool alive[PROCESSES], ran[PROCESSES];
	size_t now;
	enum life_end end; /* of what the current event releases */
	/* pages that came by one event and went by another */
	struct {
		size_t from, to;
		int64_t pages;
		enum life_end end;
	} lives[EVENTS * 40];
	size_t lives_nr;
	/* the same one by one */
	struct world_page {
		size_t from, to;
		uint64_t address;
		enum life_end end;
	} pages[EVENTS * 80];
	size_t pages_nr;
};

static const struct {
	unsigned functions[3];
	uint32_t nr;
	const char *caller; /* by function */
} stacks[] = {
	{ { 0, 1, 2 }, 3, "f2" },
	{ { 0, 1, FIXTURE_MALLOC }, 3, "f1" },
	{ { 0 }, 0, "[truncated]" },
	{ { FIXTURE_MALLOC }, 1, "malloc" },
};

static const struct {
	enum role role;
	const char *crate;
} programs[PROCESSES] = {
	{ ROLE_CARGO, NULL },
	{ ROLE_RUSTC, "core" },
	{ ROLE_RUSTC, "alloc" },
	{ ROLE_LINK, "alloc" },
};

static inline void end_life(struct world *world, size_t from, int64_t pages)
{
	assert_in_range(world->lives_nr, 0, ARRAY_SIZE(world->lives) - 1);
	world->lives[world->lives_nr].from = from;
	world->lives[world->lives_nr].to = world->now;
	world->lives[world->lives_nr].end = world->end;
	world->lives[world->lives_nr++].pages = pages;
	world->owners[from].live -= pages;
}

static inline void end_page(struct world *world, size_t from, uint64_t address)
{
	assert_in_range(world->pages_nr, 0, ARRAY_SIZE(world->pages) - 1);
	world->pages[world->pages_nr++] =
		(struct world_page){ from, world->now, address, world->end };
}

/* Accounts of the model are events. */
static inline void note(void *data, const struct page_account *account, uint64_t start,
			int64_t bytes)
{
	struct world *world = data;
	struct owner *owner = &world->owners[account->key];

	if (bytes > 0) {
		owner->live += bytes / FIXTURE_PAGE;
		owner->added = true;
		return;
	}
	end_page(world, account->key, start);
	if (world->lives_nr && world->lives[world->lives_nr - 1].from == account->key &&
	    world->lives[world->lives_nr - 1].to == world->now) {
		world->lives[world->lives_nr - 1].pages -= bytes / FIXTURE_PAGE;
		owner->live += bytes / FIXTURE_PAGE;
		return;
	}
	end_life(world, account->key, -bytes / FIXTURE_PAGE);
}

static inline struct trace_event make_call(struct world *world, size_t process, uint64_t *seed)
{
	static const uint32_t weights[] = { 0, 1, 1, 64 };
	struct model_call call = model_random_call(seed, 40);
	struct owner *owner = &world->owners[world->now];
	struct trace_event event =
		fixture_memory((int64_t)world->now * STEP_NS, (int64_t)process + 10,
			       model_memory_op(call.op), call.start, call.length);

	call.account.key = (uint32_t)world->now;
	*owner = (struct owner){ .process = process,
				 .stack = (unsigned)(model_random(seed) % ARRAY_SIZE(stacks)),
				 .weight = weights[model_random(seed) % ARRAY_SIZE(weights)] };
	event.memory.to = call.to * MODEL_PAGE;
	event.memory.to_length = call.to_length * MODEL_PAGE;
	event.memory.keep = call.keep;
	event.memory.weight = owner->weight;
	event.memory.stack = fixture_stack(stacks[owner->stack].functions, stacks[owner->stack].nr,
					   world->addresses[world->now]);
	model_apply(&world->maps[process], &call, note, world);
	return event;
}

/* What the process does next: start, run a program, end, or change its memory. */
static inline struct trace_event make_event(struct world *world, uint64_t *seed)
{
	size_t process = (size_t)(model_random(seed) % PROCESSES), parent;
	int64_t now = (int64_t)world->now * STEP_NS;
	unsigned what = (unsigned)(model_random(seed) % 40);

	if (!world->alive[process] && world->ran[process])
		process = 0; /* which never ends */
	if (!world->alive[process]) {
		parent = process ? process - 1 : PROCESSES;
		world->alive[process] = world->ran[process] = true;
		if (process && world->alive[parent])
			model_fork(&world->maps[process], &world->maps[parent]);
		return fixture_fork(now, (int64_t)process + 10, (int64_t)parent + 10);
	}
	world->end = LIFE_FREED;
	if (what > 1 || (what == 1 && (!process || world->now < EVENTS / 2)))
		return make_call(world, process, seed);
	world->end = what ? LIFE_EXIT : LIFE_EXEC;
	model_release_all(&world->maps[process], note, world);
	if (!what)
		return fixture_exec(now, (int64_t)process + 10);
	world->alive[process] = false;
	return fixture_event(TRACE_THREAD_END, now, (int64_t)process + 10);
}

static inline void make_world(struct world *world, uint64_t *seed)
{
	memset(world, 0, sizeof(*world));
	for (; world->now < EVENTS; world->now++)
		world->events[world->now] = make_event(world, seed);
	world->end = LIFE_HELD;
	for (unsigned i = 0; i < PROCESSES * MODEL_PAGES; i++) {
		const struct model_page *page = &world->maps[i / MODEL_PAGES].v[i % MODEL_PAGES];

		if (page->state == MODEL_COMMITTED && !page->account.inherited)
			end_page(world, page->account.key, i % MODEL_PAGES * MODEL_PAGE);
	}
	for (size_t i = 0; i < EVENTS; i++) {
		if (world->owners[i].live)
			end_life(world, i, world->owners[i].live);
	}
}

/* Whether the part of a key that is of the kind `by` is that of the owner. */
static inline bool world_has_key(const struct grouping *grouping, enum group_by by,
				 const struct function_table *functions, uint32_t key,
				 const struct owner *owner)
{
	const struct group *group = grouping_part(grouping, key, by);
	const char *name, *right;

	switch (by) {
	case BY_PROCESS:
		return group->process->pid == (int64_t)owner->process + 10;
	case BY_ROLE:
		return !strcmp(group->text, role_name(programs[owner->process].role));
	case BY_CRATE:
		right = programs[owner->process].crate;
		return group->text && right ? !strcmp(group->text, right) : group->text == right;
	default:
		name = function_table_name(functions, functions->v[group->function].name);
		right = owner->weight ? stacks[owner->stack].caller : "[not sampled]";
		return !strcmp(name, right);
	}
}

static inline bool is_wanted(const struct owner *owner, const char *crate)
{
	const char *has = programs[owner->process].crate;

	return !crate || (has && !strcmp(has, crate));
}

/* Random settings; times are those of events. */
static inline void world_settings(struct replay *replay, uint64_t *seed)
{
	model_settings(replay, EVENTS + 20, model_random, seed);
	if (replay->from_ns != INT64_MIN)
		replay->from_ns *= STEP_NS;
	if (replay->to_ns != INT64_MAX)
		replay->to_ns *= STEP_NS;
	if (ledger_at_is_time(replay->at_ns))
		replay->at_ns *= STEP_NS;
}

static inline void world_start(struct trace_fixture *fixture)
{
	*fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	for (size_t i = 0; i < PROCESSES; i++)
		fixture_add_row(fixture, (int64_t)i + 10, 1, programs[i].role, programs[i].crate);
	fixture_start(fixture);
}

#endif
