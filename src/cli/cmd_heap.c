#include <stdbool.h>
#include <string.h>

#include "cli/command.h"
#include "cli/recording.h"
#include "record/plan.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/text.h"

struct heap_values {
	struct strvec what;
	struct recording_values recording;
};

static const struct opt_group groups[] = {
	{ "Options", recording_options, offsetof(struct heap_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "CONFIG|PID",
	  "a configuration with [heap], as for `record`, or the ids of up to 8 processes", false,
	  OPT_MANY, offsetof(struct heap_values, what) },
	OPT_ARG_END,
};

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* Check that each argument is a possible pid, and is given only once. */
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
			return err_set(err, ERR_USAGE, "'%s' is not a process id", pids->v[i]);
		for (size_t k = 0; k < i; k++) {
			int64_t other;

			if (text_parse_int(pids->v[k], 1, UINT32_MAX, &other) && other == pid)
				return err_set(err, ERR_USAGE, "process %s is given twice",
					       pids->v[i]);
		}
	}
	return 0;
}

/* Set `*pids`: whether the arguments are process ids, not one configuration. */
static int find_meaning(const struct heap_values *values, bool *pids, struct err *err)
{
	const char *word = NULL;

	for (size_t i = 0; i < values->what.nr && !word; i++) {
		if (!is_number(values->what.v[i]))
			word = values->what.v[i];
	}
	*pids = !word;
	if (word && values->what.nr > 1)
		return err_set(err, ERR_USAGE, "'%s' is not a process id: give PIDs, or one CONFIG",
			       word);
	if (*pids && values->recording.skip_stage1)
		return err_set(err, ERR_USAGE,
			       "--skip-stage1 needs a CONFIG: with PIDs nothing is built");
	return *pids ? check_pids(&values->what, err) : 0;
}

/* Process ids become a configuration that sets nothing else. */
static int load(const struct heap_values *values, bool pids, struct config *config, struct err *err)
{
	struct config_changes changes = { .set = values->recording.set };
	struct strbuf setting = STRBUF_INIT;
	int rc;

	if (!pids)
		return recording_load(values->what.v[0], NULL, &changes, values->recording.out,
				      config, err);
	strbuf_adds(&setting, "heap.pid=");
	for (size_t i = 0; i < values->what.nr; i++)
		strbuf_addf(&setting, "%s%s", i ? " " : "", values->what.v[i]);
	changes.set = (struct strvec)STRVEC_INIT;
	strvec_push_all(&changes.set, &values->recording.set);
	strvec_push(&changes.set, setting.buf);
	rc = recording_load("heap", "", &changes, values->recording.out, config, err);
	strvec_release(&changes.set);
	strbuf_release(&setting);
	return rc;
}

static int run_heap(const void *data, struct err *err)
{
	const struct heap_values *values = data;
	struct config config = CONFIG_INIT;
	bool pids = false;
	int rc = find_meaning(values, &pids, err);

	if (!rc)
		rc = load(values, pids, &config, err);
	if (!rc)
		rc = recording_run(&config, plan_init_heap, &values->recording, NULL, err);
	config_release(&config);
	return rc;
}

const struct command heap_command = {
	.name = "heap",
	.summary = "snapshot heaps of compilers, or of running processes (Windows)",
	.details = "With a CONFIG stage 2 is built as by `record`, and wpr takes snapshots of "
		   "the heaps of the compilers whose crates [heap] names: one immediately, more "
		   "at an interval or at given times. With PIDs nothing is built: the snapshots "
		   "are of these processes. Both make a run; if stagetrace is killed, `recover` "
		   "finishes it. System settings that were changed are restored at the end; if "
		   "stagetrace is killed, by its guard, a small process, or by `recover`.\n\n"
		   "[heap] recipe = tracing records every allocation of all processes of one "
		   "image instead, which is very expensive.\n\n"
		   "This needs Windows and an elevated prompt. On other systems use `record`, "
		   "then `memory RUN --by stack`.",
	.syntax = { groups, args, sizeof(struct heap_values) },
	.takes_config = true,
	.examples = { { "Windows: print the commands for snapshots of the compiler of rustc_middle",
			"stagetrace heap heap.ini --set run.source=$HOME/rust --dry-run" },
		      { "Linux, instead: which stacks hold the memory of a recorded build?",
			"stagetrace memory run --by stack --at peak --top 10" } },
	.run = run_heap,
};
