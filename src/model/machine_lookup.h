/*
 * The machine's own: how processes and threads are found.
 */
#ifndef MODEL_MACHINE_LOOKUP_H
#define MODEL_MACHINE_LOOKUP_H

#include "model/machine.h"
#include "model/row_join.h"
#include "util/intmap.h"

/* So many processes that ended keep their mappings, for samples that come late. */
#define MACHINE_ENDED 16

struct machine_lookup {
	struct intmap processes; /* by pid; the last that had it, ended or not */
	struct intmap threads;   /* by tid, likewise; by process where no tid is told */
	struct row_join rows;
	struct trace_process *ended[MACHINE_ENDED];
	size_t ended_nr; /* ever */
};

/* machine_process.c */
void machine_start_process(struct machine *machine, const struct trace_event *event);
void machine_end_process(struct machine *machine, struct trace_process *process, int64_t time_ns);
void machine_free_process(struct trace_process *process);

/* machine_stack.c. To be freed. */
struct recent_chains *machine_new_recent(void);

/* machine_thread.c. Made where the process has, or had, none of the tid; where it has none that lives. */
struct trace_thread *machine_find_thread(struct machine *machine, struct trace_process *process,
					 int64_t tid);
struct trace_thread *machine_start_thread(struct machine *machine, struct trace_process *process,
					  int64_t tid, int64_t by_tid);
/* The process's thread of that tid, else its first one; NULL: it has none. */
struct trace_thread *machine_thread_of(const struct machine *machine,
				       const struct trace_process *process, int64_t tid);
/* It is not alive any more, or another program. */
void machine_forget_stack(struct machine *machine, const struct trace_thread *thread);
void machine_rename_thread(struct trace_thread *thread, const char *name);
void machine_end_threads(struct machine *machine, struct trace_process *process,
			 const struct trace_thread *but);
void machine_free_thread(struct trace_thread *thread);

#endif
