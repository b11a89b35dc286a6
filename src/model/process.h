/*
 * The processes of a build, as a recording knows them: one row per process, with its tag.
 * Times are nanoseconds from the start of the recording, sizes are bytes.
 */
#ifndef MODEL_PROCESS_H
#define MODEL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tag/tag.h"
#include "util/intmap.h"
#include "util/strvec.h"
#include "util/waits.h"

#define PROCESS_UNKNOWN INT64_C(-1)

/* So many earlier programs and response files of one process are kept; a row with more is damage. */
#define PROCESS_EXECS_MAX     10000
#define PROCESS_RESPONSES_MAX 10000

/* A program that the process ran before its last exec. */
struct process_exec {
	int64_t end_ns; /* when the process ran the next program */
	char *exe;
	struct strvec argv;
};

/* The contents of an @file argument when the process started. */
struct response_file {
	char *path;
	char *text;
};

struct process {
	int64_t pid;
	int64_t ppid;
	int64_t start_ns; /* PROCESS_UNKNOWN: it existed before the recording */
	int64_t end_ns;   /* PROCESS_UNKNOWN: still running when the recording ended, or not seen */
	int64_t exit_code; /* 128 + signal if a signal ended it; PROCESS_UNKNOWN */
	int64_t signal;    /* that ended it; 0: none */
	char *exe;         /* NULL: not known */
	struct strvec argv;
	char *cwd;                 /* NULL: not known */
	struct strvec env;         /* some variables of its environment, as NAME=value */
	int64_t cpu_ns;            /* user and system, all threads; PROCESS_UNKNOWN */
	int64_t peak_rss_bytes;    /* PROCESS_UNKNOWN */
	int64_t peak_commit_bytes; /* as the system counts it; PROCESS_UNKNOWN (Linux) */
	struct waits waits;
	bool exec_seen; /* it called exec; false: it ran only its parent's program */
	bool borrows_program; /* exe, argv and cwd are those of another row of its list, which owns them */
	bool argv_lost; /* it ended before its command line could be read */
	struct process_exec *execs;
	size_t execs_nr, execs_alloc;
	struct response_file *responses;
	size_t responses_nr, responses_alloc;
	struct tag tag;
	char *why; /* owns tag.why if it was read from a file; NULL */
};

void process_init(struct process *process);
void process_release(struct process *process);

/* The file name of the executable, else of argv[0], else "?"; borrowed. */
const char *process_image(const struct process *process);

/* The time from start to end; PROCESS_UNKNOWN if the end is unknown. */
int64_t process_duration(const struct process *process);

/* All processes of a recording, by start time, owned by the list. */
struct process_list {
	struct process **v;
	size_t nr, alloc;
};

#define PROCESS_LIST_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Append a row, initialised and owned by the list. It is never moved in memory. */
struct process *process_list_add(struct process_list *list);

/* Remove the last row. */
void process_list_drop_last(struct process_list *list);

/* CPU time of all processes, those without a known one left out; PROCESS_UNKNOWN: all are. */
int64_t process_list_cpu(const struct process_list *list);

/* Whether some rustc compiled a crate. A build of which everything is up to date has none. */
bool process_list_compiles(const struct process_list *list);

/*
 * A build by cargo without any, which ran no program either, as `cargo run` does of what is up to date. Of others nobody
 * knows what they should do, and what a trace alone has is not all.
 */
bool process_list_compiles_nothing(const struct process_list *list);

/* Sort by start time, then pid. */
void process_list_sort(struct process_list *list);
void process_list_release(struct process_list *list);

/* Where the processes of a list are, as long as it does not change. The caller releases the map. */
struct intmap process_list_places(const struct process_list *list);

#define PROCESS_NO_PLACE SIZE_MAX

/* The index of a process in the list; PROCESS_NO_PLACE: it is not there. NULL is no process. */
size_t process_list_place(const struct intmap *places, const struct process *process);

#endif
