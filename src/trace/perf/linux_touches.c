#include "trace/perf/linux_touches.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/page_sampling.h"

/* Addresses of the kernel are in the upper half. */
#define USER_END (UINT64_C(1) << 63)

/* The pfn of an allocation that failed. */
#define NO_PAGE UINT64_MAX

#define ORDER_MAX 13 /* 32 MB; x86 has 2 MB */

/*
 * How long after its fault a large page is allocated: 9 us, at most 20, in a compile on a virtual machine. A longer time
 * is a thread that had to wait, or a later fault that was not recorded.
 */
#define NEAR_NS UINT64_C(50000)

/* The last faults of threads, by the lowest bits of their ids. Of two with the same place the later one stays. */
#define FAULTS 4096

struct last_fault {
	int32_t tid; /* 0: none */
	uint64_t time, page;
};

struct linux_touches {
	struct last_fault faults[FAULTS];
};

static const struct {
	const char *system, *name;
	enum linux_touch_kind kind;
	const char *fields[3];
} kinds[] = {
	{ "exceptions", "page_fault_user", LINUX_FAULT, { "address", "error_code", NULL } },
	{ "exceptions", "page_fault_kernel", LINUX_FAULT, { "address", "error_code", NULL } },
	{ "kmem", "mm_page_alloc", LINUX_LARGE_PAGE, { "order", "gfp_flags", "pfn" } },
};

static bool is_named(const char *name, size_t kind)
{
	size_t system = strlen(kinds[kind].system);

	return !strncmp(name, kinds[kind].system, system) && name[system] == ':' &&
	       tracepoint_is_named(name + system + 1, kinds[kind].name);
}

enum linux_touch_kind linux_touch_kind(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(kinds); i++) {
		if (is_named(name, i))
			return kinds[i].kind;
	}
	return LINUX_NO_TOUCH;
}

static bool find_fields(const struct perf_tracepoint *tracepoint, size_t kind,
			struct linux_touch_event *event)
{
	if (strcmp(tracepoint->system, kinds[kind].system) != 0 ||
	    strcmp(tracepoint->format.name, kinds[kind].name) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(event->fields) && kinds[kind].fields[i]; i++) {
		const struct tracepoint_field *field =
			tracepoint_format_field(&tracepoint->format, kinds[kind].fields[i]);

		if (!field || field->kind != TRACEPOINT_NUMBERS)
			return false;
		event->fields[i] = *field;
		event->fields[i].name = NULL;
	}
	return true;
}

bool linux_touch_find(const char *name, const struct perf_tracepoint *tracepoint,
		      struct linux_touch_event *event)
{
	*event = (struct linux_touch_event){ .kind = linux_touch_kind(name) };
	for (size_t i = 0; tracepoint && name && i < ARRAY_SIZE(kinds); i++) {
		if (is_named(name, i))
			return find_fields(tracepoint, i, event);
	}
	return false;
}

/* The page of a program; of the kernel's addresses only that they are. */
static uint64_t page_of(uint64_t address)
{
	return address < USER_END ? address & ~(uint64_t)(PAGE_SAMPLING_BYTES - 1) : USER_END;
}

uint64_t linux_touch_reduce(const char *system, const char *field, uint64_t value)
{
	bool fault = !strcmp(system, "exceptions");

	if (fault && !strcmp(field, "address"))
		return page_of(value);
	if (fault && !strcmp(field, "error_code"))
		return value;
	if (!fault && !strcmp(field, "pfn"))
		return value == NO_PAGE ? value : 0;
	return !fault && (!strcmp(field, "order") || !strcmp(field, "gfp_flags")) ? value : 0;
}

struct linux_touches *linux_touches_new(void)
{
	return xcalloc(1, sizeof(struct linux_touches));
}

void linux_touches_free(struct linux_touches *touches)
{
	free(touches);
}

static int take_fault(struct last_fault *fault, int32_t tid, uint64_t time, const uint64_t *values,
		      struct trace_touch *touch)
{
	uint64_t page = page_of(values[0]);

	if (!(values[1] & FAULT_WRITE) || page == USER_END)
		return 0;
	*fault = (struct last_fault){ tid, time, page };
	*touch = (struct trace_touch){ .address = page,
				       .length = PAGE_SAMPLING_BYTES,
				       .one_in = PAGE_PICK_ONE_IN };
	return page_is_picked(page);
}

static int take_large_page(struct last_fault *fault, int32_t tid, uint64_t time,
			   const uint64_t *values, struct trace_touch *touch)
{
	uint64_t order = values[0], flags = values[1];

	if (!order || order > ORDER_MAX || !(flags & LARGE_PAGE_FLAG_A) ||
	    !(flags & LARGE_PAGE_FLAG_B) || values[2] == NO_PAGE)
		return 0;
	*touch = (struct trace_touch){ .address = TRACE_TOUCH_UNKNOWN,
				       .length = (uint64_t)PAGE_SAMPLING_BYTES << order,
				       .one_in = 1 };
	if (fault->tid == tid && time >= fault->time && time - fault->time <= NEAR_NS)
		touch->address = fault->page & ~(touch->length - 1);
	fault->tid = 0;
	return 1;
}

int linux_touches_sample(struct linux_touches *touches, const struct linux_touch_event *event,
			 int32_t tid, uint64_t time, const unsigned char *raw, size_t raw_nr,
			 struct trace_touch *touch)
{
	struct last_fault *fault = &touches->faults[(uint32_t)tid % FAULTS];
	uint64_t values[ARRAY_SIZE(event->fields)] = { 0 };
	size_t nr = event->kind == LINUX_FAULT ? 2 : 3;

	for (size_t i = 0; i < nr; i++) {
		if (!tracepoint_field_get(&event->fields[i], raw, raw_nr, &values[i]))
			return -1;
	}
	if (event->kind == LINUX_FAULT)
		return take_fault(fault, tid, time, values, touch);
	return take_large_page(fault, tid, time, values, touch);
}
