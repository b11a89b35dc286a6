/*
 * What cargo had to do in a build: its jobs, which are compiles and runs of build scripts, and which of them waits for
 * which. From the processes of a recording alone; pure.
 *
 * A job is a process that cargo started, with all that it started in turn (shim, compiler, linker). It waits for what its
 * command line names:
 *
 * - a compile for the crates of its --extern: for their metadata (.rmeta), else for the end of their job. One that links
 *   waits until these are whole: for the ends of all that it is made of, as cargo's does (job_queue.rs,
 *   depend_on_deps_of_deps()).
 * - a run of a build script for the compile of that script, which is in the same directory;
 * - a compile of a package for the runs of its build scripts that were before it.
 *
 * What was made before the recording is no job, and nobody waits for it.
 */
#ifndef COMPARE_JOB_GRAPH_H
#define COMPARE_JOB_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

#define JOB_NONE UINT32_MAX

/* Jobs and -j at most; a stage 2 of rustc has some 350 jobs. Processes beyond are no jobs. */
#define JOB_GRAPH_MAX 20000
#define JOBS_MOST     1024

/* What is waited for of a job; each comes with those before it. */
enum job_moment {
	JOB_METADATA,
	JOB_END,
	JOB_WHOLE, /* its end, and of a library that all it waits for is whole too */
};

struct job_wait {
	uint32_t job; /* that is waited for */
	enum job_moment until;
};

/* The same seen from the job that is waited for. */
struct job_user {
	uint32_t job; /* that waits */
	enum job_moment until;
};

struct job {
	size_t process;   /* the child of cargo, in the list of processes */
	size_t compiler;  /* the rustc below it, or it itself; else the same as `process` */
	uint32_t session; /* see below */
	bool compiles;    /* false: it runs a build script */
	bool library;     /* it compiles, and does not link: see JOB_WHOLE */
	int64_t start_ns, end_ns;
	int64_t metadata_ns;    /* when others could go on with it; `end_ns` if only then */
	struct job_wait *waits; /* no job twice */
	size_t waits_nr, waits_alloc;
	uint32_t dependents; /* jobs that wait for it, directly or not */
};

/* One call of cargo with jobs, or several that overlap: they are after each other. */
struct job_session {
	int64_t start_ns, end_ns;
	int64_t first_ns, last_ns; /* start and end of its jobs */
	int64_t jobs_max;          /* its -j; 0: not on its command line */
	int64_t work_ns;           /* sum over its jobs of their times */
};

struct job_graph {
	struct job *jobs; /* by start */
	size_t nr, alloc;
	struct job_session *sessions; /* by start */
	size_t sessions_nr, sessions_alloc;
	/* By job those of its session that wait for it, by start: users[users_at[job]] up to users[users_at[job + 1]]. */
	struct job_user *users;
	size_t *users_at;
	uint32_t *job_of; /* by process: whose it is; JOB_NONE: of none, as cargo itself */
	size_t processes_nr;
	size_t waits_nr; /* in all jobs; what links waits for what its command line names alone */
	size_t metadata_nr; /* of them, those for metadata */
	size_t compiles_nr; /* jobs that compile; of these, those without arguments, which are not known: */
	size_t unknown_nr;
	size_t contradicted; /* not among them: whoever waits began earlier than that could be */
};

/*
 * Make the graph of processes, which are sorted by start. `metadata_ns` is by process: when a compiler had written its
 * metadata; PROCESS_UNKNOWN: never, or not known. With `guess` that is not known of any, and taken as JOB_METADATA_SHARE of
 * the time of the compile. It was there when the first job started that needs it. A process that did not end ends at
 * `end_ns`.
 */
#define JOB_METADATA_SHARE 0.29 /* median of 268 compiles of a stage 2 of rustc 1.85 */

void job_graph_init(struct job_graph *graph, const struct process_list *list,
		    const int64_t *metadata_ns, bool guess, int64_t end_ns);
void job_graph_release(struct job_graph *graph);

/* List the users of jobs by their waits, as job_graph_init() does: for a graph that was made or changed otherwise. */
void job_graph_list_users(struct job_graph *graph);

/* The session whose jobs took longest together; NULL: there are no jobs. */
const struct job_session *job_graph_main_session(const struct job_graph *graph);

#endif
