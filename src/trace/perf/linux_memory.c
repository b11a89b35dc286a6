#include "trace/perf/linux_memory.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/linux_calls.h"
#include "trace/perf/stack_pool.h"
#include "util/alloc.h"
#include "util/intmap.h"
#include "util/stack_sampling.h"

#define PAGE UINT64_C(4096)
/* End of the user addresses of x86-64 with five levels of page tables; arm64 has 52 bits. */
#define ADDRESS_END (UINT64_C(1) << 56)
/* Added to the address of memory whose new address is not known yet. */
#define ON_THE_WAY ADDRESS_END

#define PROT_WRITE UINT64_C(2)

#define MAP_TYPE      UINT64_C(0x0f)
#define MAP_PRIVATE   UINT64_C(0x02)
#define MAP_ANONYMOUS UINT64_C(0x20)
#define MAP_NORESERVE UINT64_C(0x4000)
#define MAP_HUGETLB   UINT64_C(0x40000)

/* The binary logarithm of the size of huge pages is in the flags; 0: the default size, mostly of 2 MB. */
#define MAP_HUGE_SHIFT 26
#define MAP_HUGE_MASK  UINT64_C(0x3f)
#define HUGE_PAGE      (UINT64_C(2) << 20)

#define MREMAP_DONTUNMAP UINT64_C(4)

#define MADV_DONTNEED UINT64_C(4)
#define MADV_FREE     UINT64_C(8)

/* Results from here on are negated error numbers. */
#define ERRNO_FIRST ((uint64_t)-4095)

/* The call that a thread is in: its entry was read, its exit not yet. */
struct halfway {
	int64_t tid;
	enum linux_call entered; /* LINUX_NONE: nothing */
	uint64_t args[LINUX_ARGS];
	struct kept_stack *kept; /* NULL: no stack at the entry */
	uint32_t weight;
	bool moved; /* mremap: another mapping has its old address, so it has moved already */
};

/* The old address of an mremap that a thread is in. */
struct departure {
	int64_t pid;
	struct halfway *halfway;
	uint64_t start, end;
};

/* Threads that are in mremap at a time; of more, the first ones are forgotten. */
#define DEPARTURES_MAX 64

struct linux_memory {
	struct linux_call_event *events;
	size_t nr;
	bool has_duplicates;
	struct linux_pairing *pairing;
	struct stack_pool stacks;
	struct intmap threads;  /* tid to struct halfway */
	struct halfway *latest; /* the one looked up last; NULL */
	struct departure departures[DEPARTURES_MAX];
	size_t departures_nr;
	struct intmap breaks; /* pid to uint64_t */
	uint64_t damaged, exits_unmatched;
};

struct linux_memory *linux_memory_new(const struct linux_memory_event *events, size_t nr,
				      char **refusal)
{
	struct linux_memory *memory = xcalloc(1, sizeof(*memory));

	memory->events = xcalloc(nr, sizeof(*memory->events));
	memory->nr = nr;
	*refusal = linux_calls_find(events, nr, memory->events);
	for (size_t i = 0; i < nr; i++)
		memory->has_duplicates = memory->has_duplicates || memory->events[i].duplicate;
	memory->pairing = linux_pairing_new(memory->events, nr);
	return memory;
}

static void free_values(struct intmap *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->v[i].value);
	intmap_release(map);
}

void linux_memory_free(struct linux_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->threads.nr; i++) {
		struct halfway *halfway = memory->threads.v[i].value;

		if (halfway)
			stack_pool_drop(&memory->stacks, halfway->kept);
	}
	free_values(&memory->threads);
	free_values(&memory->breaks);
	stack_pool_release(&memory->stacks);
	linux_pairing_free(memory->pairing);
	free(memory->events);
	free(memory);
}

bool linux_memory_wants(const struct linux_memory *memory, uint32_t event)
{
	return event < memory->nr && memory->events[event].call != LINUX_NONE;
}

bool linux_memory_is_duplicate(const struct linux_memory *memory, uint32_t event)
{
	return event < memory->nr && memory->events[event].duplicate;
}

bool linux_memory_has_duplicates(const struct linux_memory *memory)
{
	return memory->has_duplicates;
}

void linux_memory_pair(struct linux_memory *memory, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched)
{
	if (memory->has_duplicates) {
		linux_pairing_run(memory->pairing, samples, nr, partner, unmatched);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		partner[i] = SIZE_MAX;
}

static struct halfway *find_thread(struct linux_memory *memory, int64_t tid)
{
	struct halfway *halfway = memory->latest;

	if (halfway && halfway->tid == tid)
		return halfway;
	halfway = intmap_get(&memory->threads, tid);
	if (!halfway) {
		halfway = xcalloc(1, sizeof(*halfway));
		halfway->tid = tid;
		intmap_put(&memory->threads, tid, halfway);
	}
	memory->latest = halfway;
	return halfway;
}

/* Add the copy of the duplicate's stack, or what was unwound from it, to a stack that is a call chain. */
static void add_user_part(struct trace_stack *stack, const struct trace_stack *duplicate)
{
	stack->copy = duplicate->copy;
	if (!duplicate->user_nr || duplicate->origin == STACK_CHAIN)
		return;
	stack->user = duplicate->user;
	stack->user_nr = duplicate->user_nr;
	stack->origin = duplicate->origin;
}

/*
 * Set the stack of an event, from it or its duplicate. Returns the weight; that of a duplicate selected by a filter is
 * `picked`.
 */
static uint32_t choose_stack(const struct linux_memory *memory, const struct perf_sample *sample,
			     const struct perf_sample *duplicate, uint32_t picked,
			     struct trace_stack *stack)
{
	bool own = memory->events[sample->event].carries_stack;

	*stack = (struct trace_stack){ 0 };
	if (own)
		*stack = sample->stack;
	if (!duplicate || !trace_stack_has_user(&duplicate->stack))
		return own;
	if (!trace_stack_has_user(stack))
		*stack = duplicate->stack;
	else if (!trace_stack_is_unwound(stack))
		add_user_part(stack, &duplicate->stack);
	return own ? 1 : picked;
}

static void remove_departure(struct linux_memory *memory, size_t i)
{
	memory->departures_nr--;
	memmove(&memory->departures[i], &memory->departures[i + 1],
		(memory->departures_nr - i) * sizeof(*memory->departures));
}

static void forget_departure(struct linux_memory *memory, const struct halfway *halfway)
{
	for (size_t i = 0; i < memory->departures_nr; i++) {
		if (memory->departures[i].halfway == halfway) {
			remove_departure(memory, i);
			return;
		}
	}
}

static void forget_call(struct linux_memory *memory, struct halfway *halfway)
{
	if (halfway->entered == LINUX_MREMAP_ENTER)
		forget_departure(memory, halfway);
	halfway->entered = LINUX_NONE;
	halfway->moved = false;
	halfway->weight = 0;
	stack_pool_drop(&memory->stacks, halfway->kept);
	halfway->kept = NULL;
}

/* Set the range, in whole pages of a size. False: the kernel refuses such a range. */
static bool set_pages(struct trace_memory *event, uint64_t address, uint64_t length, uint64_t page)
{
	event->address = address;
	event->length = (length + page - 1) & ~(page - 1);
	return !(address % PAGE) && event->length && address < ADDRESS_END &&
	       event->length <= ADDRESS_END - address;
}

static bool set_range(struct trace_memory *event, uint64_t address, uint64_t length)
{
	return set_pages(event, address, length, PAGE);
}

/* With MREMAP_DONTUNMAP the old range stays mapped: nobody else gets its address. */
static void note_departure(struct linux_memory *memory, struct halfway *halfway, int64_t pid)
{
	struct trace_memory from;

	if (halfway->args[3] & MREMAP_DONTUNMAP ||
	    !set_range(&from, halfway->args[0], halfway->args[1]))
		return;
	if (memory->departures_nr == DEPARTURES_MAX)
		remove_departure(memory, 0);
	memory->departures[memory->departures_nr++] =
		(struct departure){ pid, halfway, from.address, from.address + from.length };
}

/* Keep the arguments and the stack for the exit, at which the call takes effect. */
static void enter(struct linux_memory *memory, const struct perf_sample *sample,
		  const struct perf_sample *duplicate, const uint64_t *args)
{
	struct halfway *halfway = find_thread(memory, sample->tid);
	struct trace_stack stack;

	forget_call(memory, halfway);
	halfway->entered = memory->events[sample->event].call;
	for (size_t i = 0; i < LINUX_ARGS; i++)
		halfway->args[i] = args[i];
	halfway->weight = choose_stack(memory, sample, duplicate, 1, &stack);
	if (trace_stack_has_user(&stack))
		halfway->kept = stack_pool_keep(&memory->stacks, &stack);
	if (halfway->entered == LINUX_MREMAP_ENTER)
		note_departure(memory, halfway, sample->pid);
}

/* Replace the exit's stack in `event` by the entry's, if only that has user frames. */
static void choose_half(struct linux_memory *memory, struct halfway *halfway,
			struct trace_memory *event)
{
	if (halfway->weight && (!event->weight || halfway->weight < event->weight))
		event->weight = halfway->weight;
	if (halfway->kept && !trace_stack_has_user(&event->stack)) {
		event->stack = halfway->kept->stack;
		stack_pool_lend(&memory->stacks, halfway->kept);
		halfway->kept = NULL;
	}
}

static bool set_op(struct trace_memory *event, enum memory_op op)
{
	event->op = op;
	return true;
}

static bool is_private_anonymous(uint64_t flags)
{
	return (flags & MAP_TYPE) == MAP_PRIVATE && flags & MAP_ANONYMOUS;
}

static uint64_t page_size(uint64_t flags)
{
	uint64_t shift = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
	uint64_t size = shift ? UINT64_C(1) << shift : HUGE_PAGE;

	return flags & MAP_HUGETLB && flags & MAP_ANONYMOUS && size > PAGE ? size : PAGE;
}

static bool leave_mmap(const uint64_t *args, uint64_t result, struct trace_memory *event)
{
	uint64_t protection = args[1], flags = args[2];

	if (!set_pages(event, result, args[0], page_size(flags)))
		return false;
	event->shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	if (!is_private_anonymous(flags))
		return set_op(event, MEMORY_UNCOUNTED);
	if (!(protection & PROT_WRITE))
		return set_op(event, MEMORY_RESERVE);
	event->heap = flags & MAP_NORESERVE;
	return set_op(event, event->heap ? MEMORY_UNCOUNTED : MEMORY_COMMIT);
}

static bool leave_mremap(const struct halfway *halfway, uint64_t result, struct trace_memory *event)
{
	const uint64_t *args = halfway->args;
	struct trace_memory to;

	if (!set_range(&to, result, args[2]))
		return false;
	if (!args[1]) {
		set_range(event, result, args[2]);
		event->shared = true;
		return set_op(event, MEMORY_UNCOUNTED);
	}
	if (!set_range(event, args[0], args[1]))
		return false;
	event->address += halfway->moved ? ON_THE_WAY : 0;
	event->to = to.address;
	event->to_length = to.length;
	event->keep = args[3] & MREMAP_DONTUNMAP;
	if (event->to == event->address && event->to_length == event->length)
		return false;
	return set_op(event, MEMORY_MOVE);
}

/* The first brk of a process only shows its break; later ones move it. */
static bool leave_brk(struct linux_memory *memory, int64_t pid, uint64_t result,
		      struct trace_memory *event)
{
	uint64_t *known = intmap_get(&memory->breaks, pid);
	uint64_t from, to;

	if (!known) {
		known = xmalloc(sizeof(*known));
		*known = result;
		intmap_put(&memory->breaks, pid, known);
		return false;
	}
	from = (*known + PAGE - 1) & ~(PAGE - 1);
	to = (result + PAGE - 1) & ~(PAGE - 1);
	*known = result;
	if (to >= from)
		return set_range(event, from, to - from) && set_op(event, MEMORY_COMMIT);
	return set_range(event, to, from - to) && set_op(event, MEMORY_RELEASE);
}

static enum linux_call entry_of(enum linux_call exit)
{
	switch (exit) {
	case LINUX_MMAP_EXIT:
		return LINUX_MMAP_ENTER;
	case LINUX_MREMAP_EXIT:
		return LINUX_MREMAP_ENTER;
	default:
		return LINUX_BRK_ENTER;
	}
}

/*
 * A range that a thread has just got was free: if another thread is still in an mremap of it, the kernel has moved that
 * memory already. Sets `before` to that move, to an address on the way.
 */
static bool find_departed(struct linux_memory *memory, int64_t pid,
			  const struct trace_memory *event, struct trace_memory *before)
{
	bool move = event->op == MEMORY_MOVE;
	uint64_t start = move ? event->to : event->address;
	uint64_t end = start + (move ? event->to_length : event->length);

	if (event->op == MEMORY_RELEASE)
		return false;
	for (size_t i = 0; i < memory->departures_nr; i++) {
		const struct departure *departure = &memory->departures[i];

		if (departure->pid != pid || departure->end <= start || departure->start >= end)
			continue;
		departure->halfway->moved = true;
		*before = trace_event_none.memory;
		before->op = MEMORY_MOVE;
		before->target_pid = pid;
		before->address = departure->start;
		before->to = departure->start + ON_THE_WAY;
		before->length = before->to_length = departure->end - departure->start;
		remove_departure(memory, i);
		return true;
	}
	return false;
}

/* An mremap failed. If there is another mapping at the old address, that has replaced the memory. */
static bool release_departed(const struct halfway *halfway, struct trace_memory *event)
{
	return halfway->moved && set_range(event, halfway->args[0], halfway->args[1]) &&
	       (event->address += ON_THE_WAY) && set_op(event, MEMORY_RELEASE);
}

static size_t leave(struct linux_memory *memory, const struct perf_sample *sample,
		    const struct perf_sample *duplicate, uint64_t result,
		    struct trace_memory *event, struct trace_memory *before)
{
	enum linux_call call = memory->events[sample->event].call;
	struct halfway *halfway = find_thread(memory, sample->tid);
	bool whole = halfway->entered == entry_of(call);
	const uint64_t *args = halfway->args;
	uint32_t picked = 1;
	size_t changes = 0;

	if (result >= ERRNO_FIRST) {
		changes = whole && release_departed(halfway, event);
	} else if (call == LINUX_BRK_EXIT) {
		changes = leave_brk(memory, sample->pid, result, event);
	} else if (!whole) {
		memory->exits_unmatched++;
	} else if (call == LINUX_MREMAP_EXIT) {
		changes = leave_mremap(halfway, result, event);
	} else {
		changes = leave_mmap(args, result, event);
		picked = args[0] < STACK_LARGE_BYTES ? STACK_PICK_ONE_IN : 1;
	}
	if (changes) {
		event->weight = choose_stack(memory, sample, duplicate, picked, &event->stack);
		if (whole)
			choose_half(memory, halfway, event);
	}
	forget_call(memory, halfway);
	if (changes && find_departed(memory, sample->pid, event, before))
		changes++;
	return changes;
}

static size_t take_at_entry(struct linux_memory *memory, const struct perf_sample *sample,
			    const struct perf_sample *duplicate, const uint64_t *args,
			    struct trace_memory *event)
{
	uint32_t picked = 1;

	switch (memory->events[sample->event].call) {
	case LINUX_MUNMAP:
		event->op = MEMORY_RELEASE;
		break;
	case LINUX_MADVISE:
		if (args[2] != MADV_DONTNEED && args[2] != MADV_FREE)
			return 0;
		event->op = MEMORY_PURGE;
		event->keep = args[2] == MADV_FREE;
		break;
	default:
		if (!(args[2] & PROT_WRITE))
			return 0;
		event->op = MEMORY_COMMIT_RESERVED;
		picked = args[1] < STACK_LARGE_BYTES ? STACK_PICK_ONE_IN : 1;
	}
	if (!set_range(event, args[0], args[1]))
		return 0;
	event->weight = choose_stack(memory, sample, duplicate, picked, &event->stack);
	return 1;
}

static size_t take_call(struct linux_memory *memory, const struct perf_sample *sample,
			const struct perf_sample *duplicate, const uint64_t *args,
			struct trace_memory *event, struct trace_memory *before)
{
	switch (memory->events[sample->event].call) {
	case LINUX_MMAP_ENTER:
	case LINUX_MREMAP_ENTER:
	case LINUX_BRK_ENTER:
		enter(memory, sample, duplicate, args);
		return 0;
	case LINUX_MMAP_EXIT:
	case LINUX_MREMAP_EXIT:
	case LINUX_BRK_EXIT:
		return leave(memory, sample, duplicate, args[0], event, before);
	default:
		return take_at_entry(memory, sample, duplicate, args, event);
	}
}

static void set_event(struct trace_event *event, const struct perf_sample *sample)
{
	event->kind = TRACE_MEMORY;
	event->pid = sample->pid;
	event->tid = sample->tid;
	event->cpu = sample->cpu;
}

size_t linux_memory_sample(struct linux_memory *memory, const struct perf_sample *sample,
			   const struct perf_sample *duplicate, struct trace_event *event,
			   struct trace_event *before)
{
	uint64_t args[LINUX_ARGS] = { 0 };
	size_t nr;

	if (!linux_memory_wants(memory, sample->event) || memory->events[sample->event].duplicate)
		return 0;
	if (!linux_call_args(&memory->events[sample->event], sample, args)) {
		memory->damaged++;
		forget_call(memory, find_thread(memory, sample->tid));
		return 0;
	}
	event->memory = trace_event_none.memory;
	event->memory.target_pid = sample->pid;
	nr = take_call(memory, sample, duplicate, args, &event->memory, &before->memory);
	if (nr > 0)
		set_event(event, sample);
	if (nr > 1)
		set_event(before, sample);
	return nr;
}

void linux_memory_recycle(struct linux_memory *memory)
{
	stack_pool_recycle(&memory->stacks);
}

void linux_memory_fork(struct linux_memory *memory, int64_t pid, int64_t ppid)
{
	const uint64_t *known = intmap_get(&memory->breaks, ppid);
	uint64_t *inherited;

	if (pid == ppid)
		return;
	free(intmap_remove(&memory->breaks, pid));
	if (!known)
		return;
	inherited = xmalloc(sizeof(*inherited));
	*inherited = *known;
	intmap_put(&memory->breaks, pid, inherited);
}

/* After an exec only the thread whose tid is the pid exists. */
void linux_memory_exec(struct linux_memory *memory, int64_t pid)
{
	linux_memory_exit(memory, pid);
}

void linux_memory_exit(struct linux_memory *memory, int64_t pid)
{
	free(intmap_remove(&memory->breaks, pid));
	linux_memory_thread_exit(memory, pid);
}

void linux_memory_thread_exit(struct linux_memory *memory, int64_t tid)
{
	struct halfway *halfway = intmap_remove(&memory->threads, tid);

	if (!halfway)
		return;
	if (memory->latest == halfway)
		memory->latest = NULL;
	forget_call(memory, halfway);
	free(halfway);
}

uint64_t linux_memory_damaged(const struct linux_memory *memory)
{
	return memory->damaged;
}

uint64_t linux_memory_exits_unmatched(const struct linux_memory *memory)
{
	return memory->exits_unmatched;
}
