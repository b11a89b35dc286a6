#include <stdbool.h>
#include <string.h>

#include "cli/command.h"
#include "cli/findings.h"
#include "cli/recording.h"
#include "platform/clock.h"
#include "record/plan.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/text.h"

struct heap_values {
	struct strvec what;
	struct recording_values recording;
};

static const struct opt option_rows[] = {
	RECORDING_OPTIONS("override a setting, as heap.snapshots=5"),
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, offsetof(struct heap_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "CONFIG|PID", "a configuration with [heap], or up to 8 processes", false, true,
	  offsetof(struct heap_values, what) },
	OPT_ARG_END,
};

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* A pid is a number that a process can have, and each is given once. */
static int check_pids(const struct strvec *pids, struct err *err)
{
	if (pids->nr > CONFIG_HEAP_PIDS)
		return err_set(err, ERR_USAGE,
			       "%zu processes are too many: wpr takes snapshots of at most %d at a "
			       "time",
			       pids->nr, CONFIG_HEAP_PIDS);
	for (size_t i = 0; i < pids->nr; i++) {
		int64_t pid;

		if (!text_parse_int(pids->v[i], 1, UINT32_MAX, &pid))
			return err_set(err, ERR_USAGE, "'%s' is no number of a process",
				       pids->v[i]);
		for (size_t k = 0; k < i; k++) {
			int64_t other;

			if (text_parse_int(pids->v[k], 1, UINT32_MAX, &other) && other == pid)
				return err_set(err, ERR_USAGE, "process %s is given twice",
					       pids->v[i]);
		}
	}
	return 0;
}

/* Are processes meant, or one configuration? */
static int find_meaning(const struct heap_values *values, bool *pids, struct err *err)
{
	const char *word = NULL;

	for (size_t i = 0; i < values->what.nr && !word; i++) {
		if (!is_number(values->what.v[i]))
			word = values->what.v[i];
	}
	*pids = !word;
	if (word && values->what.nr > 1)
		return err_set(err, ERR_USAGE,
			       "'%s' is no number of a process: give PIDs, or one CONFIG", word);
	if (*pids && values->recording.skip_stage1)
		return err_set(err, ERR_USAGE,
			       "--skip-stage1 goes with a CONFIG: processes that run already are "
			       "not built");
	return *pids ? check_pids(&values->what, err) : 0;
}

/* Processes are a configuration that says nothing but them. */
static int load(const struct heap_values *values, bool pids, struct config *config, struct err *err)
{
	struct strbuf setting = STRBUF_INIT;
	struct strvec set = STRVEC_INIT;
	int rc;

	if (!pids)
		return findings_load_config(values->what.v[0], &values->recording.set,
					    values->recording.out, config, err);
	strbuf_adds(&setting, "heap.pid=");
	for (size_t i = 0; i < values->what.nr; i++)
		strbuf_addf(&setting, "%s%s", i ? " " : "", values->what.v[i]);
	strvec_push_all(&set, &values->recording.set);
	strvec_push(&set, setting.buf);
	rc = findings_load_empty("heap", &set, values->recording.out, config, err);
	strvec_release(&set);
	strbuf_release(&setting);
	return rc;
}

static int run_heap(const void *data, struct err *err)
{
	const struct heap_values *values = data;
	struct config config = CONFIG_INIT;
	struct record_plan plan;
	bool pids = false;
	int rc = find_meaning(values, &pids, err);

	if (!rc)
		rc = load(values, pids, &config, err);
	if (!rc)
		rc = plan_init_heap(&plan, &config, values->recording.skip_stage1, clock_wall(),
				    err);
	if (!rc) {
		rc = recording_run(&plan, &values->recording, err);
		plan_release(&plan);
	}
	config_release(&config);
	return rc;
}

const struct command heap_command = {
	.name = "heap",
	.summary = "snapshot heaps of compilers, or of running processes (Windows)",
	.details = "With a CONFIG the build of stage 2 is run, as `record` does, and the heaps of "
		   "the compilers of those crates that [heap] names are taken: at once, and again "
		   "at an interval or at given times. With PIDs nothing is built: the heaps of "
		   "these processes are taken. Either gives a run, which `recover` finishes where "
		   "it was killed; what was permitted or set for it is undone in any case.\n\n"
		   "[heap] recipe = tracing records each allocation of all processes of an image "
		   "instead, which is very expensive.\n\n"
		   "This needs Windows and an elevated prompt. Elsewhere `record` and then `memory "
		   "RUN --by stack` tell who held the memory.",
	.syntax = { groups, args, sizeof(struct heap_values) },
	.run = run_heap,
};
