/*
 * Whether memory was why a build failed: from what was measured of it to a verdict, and what that is based on. A pure
 * function.
 */
#ifndef ANALYSIS_FAILURE_CAUSE_H
#define ANALYSIS_FAILURE_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/failure.h"
#include "model/process.h"

/* Whether memory was why. */
enum failure_memory {
	FAILURE_MEMORY_NO,
	FAILURE_MEMORY_UNKNOWN,
	FAILURE_MEMORY_LIKELY,
	FAILURE_MEMORY_YES,
};

/* What a verdict follows from. `abnormally`: something killed the process, or it ended itself, as abort() does. */
enum failure_basis {
	FAILURE_BY_CODE,     /* yes: the exit code says that memory was refused */
	FAILURE_BY_LOG,      /* yes: it ended abnormally, and the log has a line about memory */
	FAILURE_BY_KERNEL,   /* yes: killed, and the kernel killed for want of memory */
	FAILURE_BY_LOG_ONLY, /* likely: the log has such a line, the code is an ordinary one */
	FAILURE_BY_LIMIT,    /* likely: it ended abnormally, and a limit was reached */
	FAILURE_BY_KILL,     /* unknown: killed, and no limit was reached */
	FAILURE_BY_ABORT,    /* unknown: it ended itself, and no limit was reached */
	FAILURE_BY_STOP_AT_LIMIT, /* unknown: the recording ended the build, and a limit was reached */
	FAILURE_BY_NOTHING,       /* unknown: no failed process and no error in the log */
	FAILURE_BY_STOP,          /* no: the recording ended the build, and its processes */
	FAILURE_BY_OTHERS,        /* no: neither the code nor the log speaks of memory */
};

/* What was measured of a failed build; pointers are borrowed. Numbers below 0 are unknown. */
struct failure_measures {
	const struct process *const *failed; /* failure_find() */
	size_t failed_nr;
	bool stopped; /* the recording ended the build */
	/* Of the log; NULL: it has none. */
	const struct failure_line *memory_line, *error_line;
	/* failure_find_code(): counts if no process is known, as stage 1 is not followed. NULL, 0: none. */
	const struct failure_line *code_line;
	int64_t code;
	int64_t oom_kills; /* processes that the kernel killed meanwhile */
	/* The control group: its peak and its limit. */
	int64_t group_bytes, group_limit_bytes;
	/* The commit charge of the machine: its peak and its limit; the peak in the trace, and when. */
	int64_t commit_bytes, commit_limit_bytes;
	int64_t trace_commit_bytes, trace_commit_ns;
	bool overcommits; /* the limit is none: Linux may grant more */
	/* The machine. */
	int64_t memory_bytes, least_available_bytes;
};

enum failure_evidence_kind {
	FAILURE_EXIT,      /* how the culprit ended */
	FAILURE_LINE,      /* `line` of the log */
	FAILURE_OOM_KILLS, /* `nr` */
	FAILURE_GROUP,     /* memory of the control group: `bytes` of `limit_bytes` */
	FAILURE_COMMIT,    /* the commit charge, also `at_ns`; -1: unknown */
	FAILURE_IN_USE,    /* memory in use on the machine */
	FAILURE_EVIDENCE_COUNT
};

struct failure_evidence {
	enum failure_evidence_kind kind;
	const struct failure_line *line;
	int64_t nr;
	int64_t bytes, limit_bytes, at_ns;
};

struct failure_cause {
	enum failure_memory memory;
	enum failure_basis basis;
	/* The failed process that says most about memory; NULL: none is known. */
	const struct process *culprit;
	struct failure_evidence evidence[FAILURE_EVIDENCE_COUNT]; /* each kind once at most */
	size_t evidence_nr;
};

/*
 * The cause. A limit was reached if 97 % of it were in use. The commit charge of a trace is evidence also if it was far
 * from its limit.
 */
struct failure_cause failure_cause_of(const struct failure_measures *measures);

#endif
