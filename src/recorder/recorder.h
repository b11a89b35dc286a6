/*
 * The profilers that we drive, one file and one `recorder_ops` each.
 *
 * To add one:
 *   1. write recorder/<name>.c with its hooks, ending in `const struct recorder_ops <name>_recorder`;
 *   2. list it in recorder/recorder.c, the better ones first ("auto" takes the first that suits);
 *   3. let the table in config/ know the name as a value of [record] recorder;
 *   4. test it in tests/unit/test_<name>.c against a stand-in in tests/tools/, and describe it in
 *      docs/recorders.md.
 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "recorder/finding.h"
#include "recorder/service.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strvec.h"

/* A setting of the system (platform/setting.h) that the recording wants otherwise, and the value to write. */
struct recorder_setting {
	char *path;
	char *value;
	bool needed; /* without it there is nothing to record */
};

struct recorder_settings {
	struct recorder_setting *v;
	size_t nr, alloc;
};

/* What one recording asks of a recorder. */
struct recorder_job {
	const struct config *config;
	const char *dir;       /* the run directory, absolute */
	const char *build_log; /* where the build's own output is to go, absolute */
	bool cpu;              /* what the rights at hand allow, from recorder_ops.check */
	bool memory;
	bool user_only; /* kernel frames are not allowed */
	bool insists; /* from there too: it is here, and what stops it can be mended: no reason for another */
	bool attached; /* to processes that run already: nothing is built */
};

struct recorder_ops {
	const char *name;    /* as in the configuration */
	const char *summary; /* one line for help */

	/* Can it ever run on this system? */
	bool (*suits)(const struct recorder_ops *recorder);

	/*
	 * Can it run here and now, and what will be missing? Adds findings, sets cpu, memory, user_only and
	 * insists of the job. An error finding means no.
	 */
	void (*check)(struct recorder_job *job, struct finding_list *findings);

	/* Optional: the version, as the tool says it; the caller frees it. NULL where it says nothing. */
	char *(*version)(const struct recorder_ops *recorder);

	/* Optional: system settings to change for the recording. */
	void (*settings)(const struct recorder_job *job, struct recorder_settings *settings);

	/*
	 * Optional, see recorder_command(): the command that runs `build` under the recorder. `*own_execs` is how
	 * many programs the build's first process runs before it is the build itself.
	 */
	void (*command)(const struct recorder_job *job, const struct strvec *build,
			struct strvec *argv, int *own_execs);

	/* The script of the shell ("sh -c") among the own programs, by which it is known; NULL: there is none. */
	const char *own_script;

	/*
	 * Optional: count events lost so far from the trace as far as it is written; `*state` is the
	 * recorder's own between calls (NULL at first, freed with free()). -1: can't tell, as of a trace that is
	 * compressed; whoever reads all of it at the end knows.
	 */
	int64_t (*lost)(const char *dir, void **state);

	/* Name of the trace file in the run directory; NULL: none is written. */
	const char *trace;

	/*
	 * The recorder runs the build as its own child and ends with it; false: the command is the build
	 * itself.
	 */
	bool wraps_build;

	/* It is no command around the build but a service beside it; NULL: it is not. */
	const struct recorder_service *service;

	/* Can it record each heap allocation ([record] heap)? */
	bool records_heap;
};

extern const struct recorder_ops perf_recorder;
extern const struct recorder_ops wpr_recorder;
extern const struct recorder_ops xperf_recorder;
extern const struct recorder_ops none_recorder;

/* Of heaps alone: what `stagetrace heap` takes, and no configuration can choose. */
extern const struct recorder_ops heap_recorder;

/* All recorders but that one, NULL-terminated. */
extern const struct recorder_ops *const recorders[];

/* By name, that one too; "auto" is the first that suits this system. NULL where there is none of that name. */
const struct recorder_ops *recorder_find(const char *name);

/* The next one in the list that suits this system; NULL behind the last. */
const struct recorder_ops *recorder_next(const struct recorder_ops *recorder);

/* Append the command that runs `build`: where the recorder has none, the build as it is. */
void recorder_command(const struct recorder_ops *recorder, const struct recorder_job *job,
		      const struct strvec *build, struct strvec *argv, int *own_execs);

/* Both are copied. */
void recorder_settings_add(struct recorder_settings *settings, const char *path, const char *value,
			   bool needed);
void recorder_settings_release(struct recorder_settings *settings);

#endif
