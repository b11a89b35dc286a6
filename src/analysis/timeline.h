/*
 * A build over time, in steps: the memory that it held and who held most of it, and the processors that it used. Each step
 * has the highest memory within it, so that no peak is missed.
 */
#ifndef ANALYSIS_TIMELINE_H
#define ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "model/machine.h"
#include "model/trace_event.h"

/* What is counted. */
enum timeline_memory { TIMELINE_COMMITTED, TIMELINE_TOUCHED, TIMELINE_MEMORIES };

/* Memory of one kind in a step; all 0 and GROUP_NONE if it is not counted. */
struct timeline_held {
	int64_t bytes;    /* the most that was held in the step */
	int64_t bytes_ns; /* the first moment of it, or the start of the step */
	uint32_t key;     /* which held most of it then; GROUP_NONE: nothing was held */
	int64_t key_bytes;
};

struct timeline_point {
	int64_t start_ns;
	struct timeline_held held[TIMELINE_MEMORIES];
	int64_t cpu_ns; /* of the samples in the step */
};

/* A key in a step. */
struct timeline_key_held {
	uint32_t key, step;
	int64_t bytes, bytes_ns; /* as those of the build */
	int64_t left;            /* what it held at the end of the step */
};

struct timeline_key_cpu {
	uint32_t key, step;
	int64_t cpu_ns;
};

/*
 * The points of keys, by key and step. A step without a point is one in which a key held all the time what was left
 * in the one before, 0 before the first; one in which it had no CPU time.
 */
struct timeline_keys {
	struct timeline_key_held *held[TIMELINE_MEMORIES];
	size_t held_nr[TIMELINE_MEMORIES], held_alloc[TIMELINE_MEMORIES];
	struct timeline_key_cpu *cpu;
	size_t cpu_nr, cpu_alloc;
};

struct timeline_options {
	struct machine *machine;
	struct grouping *grouping;      /* of memory; by stacks only if none is counted */
	struct grouping *cpu;           /* of CPU time; or the same as `grouping` */
	bool memory[TIMELINE_MEMORIES]; /* what is counted */
	bool keys;                      /* keep the points of keys */
	bool complete;                  /* stacks of CPU samples are completed (cpu_stacks.h) */
	int64_t from_ns, step_ns;       /* 0 or later */
	int64_t to_ns; /* what happens from then on does not count; often before the end of the last step */
	size_t nr; /* of steps, above 0 */
};

struct timeline;

/* All that the options point to is borrowed, not themselves. */
struct timeline *timeline_new(const struct timeline_options *options);
void timeline_free(struct timeline *timeline); /* accepts NULL */

/*
 * Count an event after machine_apply(). Call it with all events. False: no more are needed, as the last step is over and no
 * stack waits for its callers.
 */
bool timeline_apply(struct timeline *timeline, const struct trace_event *event);

/*
 * Before timeline_finish(), if the CPU time is by stacks: take the samples whose stacks wait. Then all frames are known, so
 * that their names can be found at once; timeline_finish() needs them.
 */
void timeline_end(struct timeline *timeline);

/* After the last event: the points, which live as long as the timeline; and those of keys, empty if they are not kept. */
const struct timeline_point *timeline_finish(struct timeline *timeline);
const struct timeline_keys *timeline_keys(const struct timeline *timeline);

/* Of committed memory, after timeline_finish(): whether heaps are in none of it (memory_account.h). */
bool timeline_hides_a_heap(const struct timeline *timeline);

/* The time that a CPU sample of the steps stands for, on average; 0: there is none. Shorter steps have gaps. */
int64_t timeline_sample_ns(const struct timeline *timeline);

#endif
