#include "analysis/stack_completer.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

/*
 * In the outermost frames of a whole stack the program or thread starts: _start, __libc_start_main and the function that
 * calls main(); clone and start_thread.
 */
#define START_FRAMES_MAIN   3
#define START_FRAMES_THREAD 2

/*
 * Callers are taken for stable if so many whole stacks in a row have them, as a thread often executes the same frequent
 * callee before and after something else. It is a power of two: what twice as many have in common follows from two
 * halves.
 */
#define LEVELS 4
#define STABLE (1u << LEVELS)

/* Whole stacks that are kept of a thread: those of all windows around a gap between two. */
#define KEPT (2 * STABLE)

/* So many of the latest samples that wait are searched for an equal stack. */
#define RECENT 32

struct waiting {
	struct completer_samples samples;
	uint64_t gap;  /* the number of whole stacks of the thread before it */
	size_t frames; /* its path in the thread's frames */
	uint32_t nr, user_nr;
	uint64_t hash; /* of the path */
};

/* What the whole stacks of a thread or a process have in common, without the frames in which they were executing. */
struct common {
	uint32_t callers; /* valid if `known` */
	uint32_t root;    /* its outermost frame */
	bool known;
};

struct thread {
	int64_t pid, tid;
	bool main;
	uint64_t wholes; /* seen so far */
	uint32_t root;   /* the outermost frame of the last one */
	/*
	 * By the number of a whole stack, modulo KEPT: [0] the stack, [n] the callers that 2^n have in common, of which
	 * it is the first one.
	 */
	uint32_t v[LEVELS + 1][KEPT];
	struct common common;    /* to all of them */
	struct waiting *waiting; /* by gap */
	size_t nr, alloc;
	uint32_t *frames; /* of those that wait, in the same order */
	size_t frames_nr, frames_alloc;
};

struct program {
	struct common main, others;
};

/*
 * The last path that was pushed on a stack. The next one of the same stack, or thread, has mostly the same callers: only
 * what differs is looked up. Longer paths are not kept.
 */
#define PUSHES 64
#define PUSHED 512

struct last_push {
	uint32_t outer;
	uint32_t nr;
	uint32_t frames[PUSHED], stacks[PUSHED];
};

/* By frame. */
enum { MAY_START = 1, STARTS = 2 };

struct stack_completer {
	struct stack_table *stacks;
	completer_fn *take;
	void *data;
	struct intmap threads;  /* of struct thread, by pid and tid */
	struct intmap programs; /* of struct program, by pid */
	uint8_t *starts; /* by frame: at which chains that reach the start may end, and do end */
	size_t starts_nr, starts_alloc;
	struct last_push pushes[PUSHES];
};

struct stack_completer *stack_completer_new(struct stack_table *stacks, completer_fn *take,
					    void *data)
{
	struct stack_completer *completer = xcalloc(1, sizeof(*completer));

	*completer = (struct stack_completer){ .stacks = stacks, .take = take, .data = data };
	return completer;
}

static void free_thread(struct thread *thread)
{
	free(thread->waiting);
	free(thread->frames);
	free(thread);
}

void stack_completer_free(struct stack_completer *completer)
{
	if (!completer)
		return;
	for (size_t i = 0; i < completer->threads.nr; i++)
		free_thread(completer->threads.v[i].value);
	for (size_t i = 0; i < completer->programs.nr; i++)
		free(completer->programs.v[i].value);
	intmap_release(&completer->threads);
	intmap_release(&completer->programs);
	free(completer->starts);
	free(completer);
}

static int64_t key_of(int64_t pid, int64_t tid)
{
	return (int64_t)((uint64_t)pid << 32 ^ (uint64_t)tid);
}

static struct thread *thread_of(struct stack_completer *completer, int64_t pid, int64_t tid)
{
	struct thread *thread = intmap_get(&completer->threads, key_of(pid, tid));

	if (!thread) {
		thread = xcalloc(1, sizeof(*thread));
		thread->pid = pid;
		thread->tid = tid;
		thread->main = pid == tid;
		intmap_put(&completer->threads, key_of(pid, tid), thread);
	}
	return thread;
}

/* What the stacks of other threads of the same kind in its process have in common. */
static struct common *common_of_program(struct stack_completer *completer,
					const struct thread *thread)
{
	struct program *program = intmap_get(&completer->programs, thread->pid);

	if (!program) {
		program = xcalloc(1, sizeof(*program));
		intmap_put(&completer->programs, thread->pid, program);
	}
	return thread->main ? &program->main : &program->others;
}

static uint8_t *starts_at(struct stack_completer *completer, uint32_t frame)
{
	ARRAY_REACH(completer->starts, (size_t)frame + 1, completer->starts_nr,
		    completer->starts_alloc);
	return &completer->starts[frame];
}

static uint32_t parent_of(const struct stack_completer *completer, uint32_t stack)
{
	return completer->stacks->nodes[stack].parent;
}

/* The stack of the path on top of `outer`; `slot` is any number, mostly the same for paths that share callers. */
static uint32_t push_path(struct stack_completer *completer, uint64_t slot, uint32_t outer,
			  const uint32_t *path, size_t nr)
{
	struct last_push *last = &completer->pushes[slot % PUSHES];
	size_t keep = 0;
	uint32_t stack;

	if (last->outer == outer)
		while (keep < nr && keep < last->nr && last->frames[keep] == path[keep])
			keep++;
	stack = keep ? last->stacks[keep - 1] : outer;
	if (nr > PUSHED)
		return stack_table_push_all(completer->stacks, stack, path + keep, nr - keep, NULL);
	memcpy(last->frames + keep, path + keep, (nr - keep) * sizeof(*path));
	last->outer = outer;
	last->nr = (uint32_t)nr;
	return stack_table_push_all(completer->stacks, stack, path + keep, nr - keep,
				    last->stacks + keep);
}

/* The stack of a path of the thread from its root on. */
static uint32_t push_whole(struct stack_completer *completer, const struct thread *thread,
			   const uint32_t *path, size_t nr)
{
	return push_path(completer, (uint64_t)thread->tid, STACK_EMPTY, path, nr);
}

/* The stack that both continue; a stack has a higher id than its caller's. */
static uint32_t common_stack(const struct stack_completer *completer, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = parent_of(completer, a);
		else
			b = parent_of(completer, b);
	}
	return a;
}

/* The number of frames that are further out than one at which chains end. */
static size_t count_start(struct stack_completer *completer, const uint32_t *path, size_t nr,
			  bool main)
{
	size_t frames = main ? START_FRAMES_MAIN : START_FRAMES_THREAD, start = nr;

	for (size_t i = 0; i < frames && i + 1 < nr; i++) {
		uint8_t *starts = starts_at(completer, path[i]);

		if (path[i] != FRAME_UNKNOWN)
			*starts |= MAY_START;
		if (*starts & STARTS && start == nr)
			start = i;
	}
	return start == nr ? 0 : start;
}

/* Stacks with another root say nothing about this one. */
static void add_common(struct stack_completer *completer, struct common *common, uint32_t callers,
		       uint32_t root)
{
	uint32_t both = common->known ? common_stack(completer, common->callers, callers) : callers;

	if (both == STACK_EMPTY)
		return;
	common->callers = both;
	common->root = root;
	common->known = true;
}

/* The stack within `whole` whose innermost frame is `frame`; STACK_EMPTY: there is none. */
static uint32_t find_frame(const struct stack_completer *completer, uint32_t whole, uint32_t frame)
{
	const struct stack_node *nodes = completer->stacks->nodes;

	/* Its innermost frame is where it executed: no return address. */
	for (uint32_t at = parent_of(completer, whole); at != STACK_EMPTY; at = nodes[at].parent)
		if (nodes[at].frame == frame)
			return at;
	return STACK_EMPTY;
}

/*
 * The number of a chain's frames, of the innermost ones, that are right: further out than one that is nowhere, the frame
 * pointer register had another value.
 */
static size_t count_right(const uint32_t *path, size_t user_nr)
{
	size_t nr = 0;

	while (nr < user_nr && path[user_nr - 1 - nr] != FRAME_UNKNOWN &&
	       path[user_nr - 1 - nr] != FRAME_TRUNCATED)
		nr++;
	return nr ? nr : user_nr > 0;
}

/*
 * Take samples that waited, with the callers of their stack: those up to a frame that a whole stack before or after it
 * (STACK_EMPTY: none) has too, else `common`.
 */
static void take_completed(struct stack_completer *completer, const struct thread *thread,
			   const struct waiting *waiting, uint32_t before, uint32_t after,
			   uint32_t common)
{
	const uint32_t *path = thread->frames + waiting->frames;
	size_t right = count_right(path, waiting->user_nr), first = waiting->user_nr - right;
	uint32_t outer = STACK_EMPTY, stack;

	if (right > 1 && after != STACK_EMPTY)
		outer = find_frame(completer, after, path[first]);
	if (right > 1 && outer == STACK_EMPTY && before != STACK_EMPTY)
		outer = find_frame(completer, before, path[first]);
	if (outer != STACK_EMPTY)
		first++;
	else if (common != STACK_EMPTY)
		outer = stack_table_push(completer->stacks, common, FRAME_MISSING);
	else
		first = 0;
	if (outer != STACK_EMPTY)
		stack = push_path(completer, outer, outer, path + first, waiting->nr - first);
	else
		stack = push_whole(completer, thread, path, waiting->nr);
	completer->take(completer->data, stack, outer != STACK_EMPTY, &waiting->samples);
}

static uint32_t kept(const struct thread *thread, unsigned level, uint64_t number)
{
	return thread->v[level][number % KEPT];
}

/*
 * The callers in a gap: the innermost ones that a window of stable ones has, with whole stacks before and after the gap
 * where there are both. They are all callers of the same stack, so the innermost one has the highest id.
 */
static uint32_t stable_callers(struct stack_completer *completer, const struct thread *thread,
			       uint64_t gap)
{
	uint64_t last = thread->wholes - STABLE, from = gap > STABLE - 1 ? gap - (STABLE - 1) : 0;
	const struct common *common = &thread->common;
	uint32_t best = STACK_EMPTY;

	if (thread->wholes < STABLE) {
		if (thread->wholes < 2)
			common = common_of_program(completer, thread);
		return common->known ? common->callers : STACK_EMPTY;
	}
	if (from > last)
		from = last;
	for (uint64_t s = from; s <= last && (s < gap || s == from); s++)
		if (kept(thread, LEVELS, s) > best)
			best = kept(thread, LEVELS, s);
	return best;
}

static void drop_taken(struct thread *thread, size_t taken)
{
	size_t frames;

	if (!taken)
		return;
	frames = taken < thread->nr ? thread->waiting[taken].frames : thread->frames_nr;
	thread->nr -= taken;
	memmove(thread->waiting, thread->waiting + taken, thread->nr * sizeof(*thread->waiting));
	thread->frames_nr -= frames;
	memmove(thread->frames, thread->frames + frames,
		thread->frames_nr * sizeof(*thread->frames));
	for (size_t i = 0; i < thread->nr; i++)
		thread->waiting[i].frames -= frames;
}

/* Take the samples that wait in gaps up to this one. */
static void take_waiting(struct stack_completer *completer, struct thread *thread, uint64_t gap)
{
	size_t taken = 0;

	while (taken < thread->nr && thread->waiting[taken].gap <= gap) {
		uint64_t at = thread->waiting[taken].gap;
		uint32_t before = at ? kept(thread, 0, at - 1) : STACK_EMPTY;
		uint32_t after = at < thread->wholes ? kept(thread, 0, at) : STACK_EMPTY;
		uint32_t common = stable_callers(completer, thread, at);

		for (; taken < thread->nr && thread->waiting[taken].gap == at; taken++)
			take_completed(completer, thread, &thread->waiting[taken], before, after,
				       common);
	}
	drop_taken(thread, taken);
}

/*
 * All whole stacks of a thread have one root, but those from before its start was known (count_start()): then what is
 * known begins anew. False: the stack has another root for another reason, and says nothing about the others.
 */
static bool has_root(struct stack_completer *completer, struct thread *thread, uint32_t root)
{
	struct common *common = common_of_program(completer, thread);

	if (common->known && common->root != root &&
	    !(*starts_at(completer, common->root) & STARTS))
		common->known = false;
	if (!thread->wholes || thread->root == root)
		return true;
	if (*starts_at(completer, thread->root) & STARTS)
		return false;
	take_waiting(completer, thread, thread->wholes);
	thread->wholes = 0;
	thread->common.known = false;
	return true;
}

static void take_whole(struct stack_completer *completer, struct thread *thread, uint32_t whole,
		       uint32_t root)
{
	uint32_t callers = parent_of(completer, whole);
	uint64_t number;

	if (callers == STACK_EMPTY || !has_root(completer, thread, root))
		return;
	number = thread->wholes++;
	thread->root = root;
	add_common(completer, &thread->common, callers, root);
	add_common(completer, common_of_program(completer, thread), callers, root);
	thread->v[0][number % KEPT] = whole;
	for (unsigned level = 1; level <= LEVELS && number + 1 >= 1u << level; level++) {
		uint64_t first = number + 1 - (1u << level);
		uint64_t second = first + (1u << (level - 1));
		uint32_t a = kept(thread, level - 1, first), b = kept(thread, level - 1, second);

		if (level == 1) {
			a = parent_of(completer, a);
			b = parent_of(completer, b);
		}
		thread->v[level][first % KEPT] = common_stack(completer, a, b);
	}
	/* The last window around the gap after the first of the latest ones is known now. */
	if (thread->wholes >= STABLE && thread->nr)
		take_waiting(completer, thread, thread->wholes - STABLE + 1);
}

/* Samples with the same path wait as one. */
static void add_waiting(struct thread *thread, const struct stack_path *path,
			const struct completer_samples *samples)
{
	uint64_t hash = path->user_nr;

	for (size_t i = 0; i < path->nr; i++)
		hash = (hash ^ path->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < RECENT && i < thread->nr; i++) {
		struct waiting *same = &thread->waiting[thread->nr - 1 - i];

		if (same->gap != thread->wholes)
			break;
		if (same->hash == hash && same->nr == path->nr &&
		    same->samples.place == samples->place &&
		    (!path->nr || !memcmp(thread->frames + same->frames, path->frames,
					  path->nr * sizeof(*path->frames)))) {
			same->samples.samples += samples->samples;
			wrap_add_to(&same->samples.ns, samples->ns);
			same->samples.unwound += samples->unwound;
			return;
		}
	}
	ARRAY_ADD(thread->waiting, thread->nr, thread->alloc,
		  (struct waiting){ *samples, thread->wholes, thread->frames_nr, (uint32_t)path->nr,
				    (uint32_t)path->user_nr, hash });
	/* Room for one more: a path without frames, too, is somewhere. */
	ARRAY_GROW(thread->frames, thread->frames_nr + path->nr + 1, thread->frames_alloc);
	if (path->nr)
		memcpy(thread->frames + thread->frames_nr, path->frames,
		       path->nr * sizeof(*path->frames));
	thread->frames_nr += path->nr;
}

void stack_completer_add(struct stack_completer *completer, int64_t pid, int64_t tid,
			 const struct stack_path *path, const struct completer_samples *samples)
{
	struct thread *thread = thread_of(completer, pid, tid);
	uint32_t root = path->user_nr ? path->frames[0] : FRAME_TRUNCATED, user;
	uint8_t *starts = starts_at(completer, root);

	if (path->user_nr && *starts & MAY_START)
		*starts |= STARTS;
	if (!path->user_nr || !(*starts & STARTS)) {
		add_waiting(thread, path, samples);
		return;
	}
	user = push_whole(completer, thread, path->frames, path->user_nr);
	completer->take(completer->data,
			stack_table_push_all(completer->stacks, user, path->frames + path->user_nr,
					     path->nr - path->user_nr, NULL),
			false, samples);
	take_whole(completer, thread, user, root);
}

void stack_completer_see(struct stack_completer *completer, int64_t pid, int64_t tid,
			 const struct stack_path *path)
{
	struct thread *thread = thread_of(completer, pid, tid);
	size_t start;

	if (!path->user_nr || path->frames[0] == FRAME_TRUNCATED)
		return;
	start = count_start(completer, path->frames, path->user_nr, thread->main);
	take_whole(completer, thread,
		   push_whole(completer, thread, path->frames + start, path->user_nr - start),
		   path->frames[start]);
}

void stack_completer_end_thread(struct stack_completer *completer, int64_t pid, int64_t tid)
{
	struct thread *thread = intmap_get(&completer->threads, key_of(pid, tid));

	if (!thread)
		return;
	take_waiting(completer, thread, thread->wholes);
	intmap_remove(&completer->threads, key_of(pid, tid));
	free_thread(thread);
}

void stack_completer_end_program(struct stack_completer *completer, int64_t pid)
{
	stack_completer_end_thread(completer, pid, pid);
	free(intmap_remove(&completer->programs, pid));
}

void stack_completer_finish(struct stack_completer *completer)
{
	for (size_t i = 0; i < completer->threads.nr; i++) {
		struct thread *thread = completer->threads.v[i].value;

		take_waiting(completer, thread, thread->wholes);
	}
}
