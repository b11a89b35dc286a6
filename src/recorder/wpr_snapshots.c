/*
 * Permission for heap snapshots, and taking them. The notes are written before each step, and dropped when it is undone.
 */
#include "recorder/wpr_snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "platform/build_tree.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_session.h"
#include "recorder/wpr_calls.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

bool wpr_snapshots_is_there(int64_t pid)
{
	return build_process_resident(pid) > 0;
}

void wpr_snapshots_add_config(const char *by, const int64_t *pids, size_t nr, const char *image,
			      bool enable, struct strvec *argv)
{
	strvec_push(argv, "-snapshotconfig");
	strvec_push(argv, "heap");
	strvec_push(argv, by);
	for (size_t i = 0; i < nr; i++)
		strvec_pushf(argv, "%" PRId64, pids[i]);
	if (image)
		strvec_push(argv, image);
	strvec_push(argv, enable ? "enable" : "disable");
}

/* The noted numbers of processes, as many as there may be. */
static size_t noted_pids(const struct service_session *session, int64_t *pids)
{
	const char *note = manifest_noted(session->manifest, SNAPSHOT_NOTE_PIDS);
	size_t nr = 0;

	while (note && *note && nr < CONFIG_HEAP_PIDS) {
		size_t len = strcspn(note, " ");
		char *word = xstrndup(note, len);

		if (text_parse_int(word, 1, UINT32_MAX, &pids[nr]))
			nr++;
		free(word);
		note += len + (note[len] == ' ');
	}
	return nr;
}

static void note_pids(struct service_session *session, const int64_t *pids, size_t nr)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%" PRId64, i ? " " : "", pids[i]);
	manifest_note(session->manifest, SNAPSHOT_NOTE_PIDS, nr ? text.buf : NULL);
	strbuf_release(&text);
}

/* Only those that are still there; true where that is fewer than before. */
static bool drop_ended(int64_t *pids, size_t *nr)
{
	size_t kept = 0, before = *nr;

	for (size_t i = 0; i < before; i++) {
		if (wpr_snapshots_is_there(pids[i]))
			pids[kept++] = pids[i];
	}
	*nr = kept;
	return kept < before;
}

/* A call about processes, `add` its words: again without those that end meanwhile, and once where it took too long. */
struct process_call {
	void (*add)(const struct etw_context *context, const struct process_call *call,
		    const int64_t *pids, size_t nr, struct strvec *argv);
	const char *what; /* for the progress; NULL: none */
	int64_t seconds;
	bool enable;
};

static int run_once(const struct etw_context *context, struct service_session *session,
		    const struct process_call *call, const int64_t *pids, size_t nr, uint32_t *code,
		    struct err *err)
{
	const struct etw_call how = {
		.what = call->what,
		.folder = context->folder,
		.patience = ETW_SHORT_NS,
	};
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = etw_session_argv(context);
	int rc;

	call->add(context, call, pids, nr, &argv);
	rc = etw_tool_run(session, &argv, &how, &result, err);
	*code = result.code;
	if (!rc && !result.over)
		rc = err_set(err, ERR_FAILED, "%s %s does not end", WPR_NAME, argv.v[1]);
	else if (!rc && result.code)
		rc = etw_session_explain(&wpr_heap_calls, &argv, &result, err);
	strbuf_release(&result.output);
	strvec_release(&argv);
	return rc;
}

static int run_on(const struct etw_context *context, struct service_session *session,
		  const struct process_call *call, int64_t *pids, size_t *nr, struct err *err)
{
	bool again = true;

	drop_ended(pids, nr);
	while (*nr) {
		uint32_t code = 0;

		if (!run_once(context, session, call, pids, *nr, &code, err))
			return 0;
		/* It could not be run, or hangs. */
		if (!code)
			return -1;
		if (!drop_ended(pids, nr)) {
			if (code != ETW_TIMED_OUT || !again)
				return -1;
			again = false;
		}
		err_clear(err);
	}
	return 0;
}

static void add_permission(const struct etw_context *context, const struct process_call *call,
			   const int64_t *pids, size_t nr, struct strvec *argv)
{
	(void)context;
	wpr_snapshots_add_config("-pid", pids, nr, NULL, call->enable, argv);
}

static void add_snapshot(const struct etw_context *context, const struct process_call *call,
			 const int64_t *pids, size_t nr, struct strvec *argv)
{
	(void)call;
	strvec_push(argv, "-singlesnapshot");
	strvec_push(argv, "heap");
	for (size_t i = 0; i < nr; i++)
		strvec_pushf(argv, "%" PRId64, pids[i]);
	wpr_add_instance(context, argv);
}

static void add_periodic(const struct etw_context *context, const struct process_call *call,
			 const int64_t *pids, size_t nr, struct strvec *argv)
{
	strvec_push(argv, "-enableperiodicsnapshot");
	strvec_push(argv, "heap");
	strvec_pushf(argv, "%" PRId64, call->seconds);
	for (size_t i = 0; i < nr; i++)
		strvec_pushf(argv, "%" PRId64, pids[i]);
	wpr_add_instance(context, argv);
}

/* By its name an image is permitted before it starts, until that is taken back. */
static int set_image(const struct etw_context *context, struct service_session *session,
		     const char *image, bool enable, struct err *err)
{
	struct strvec argv = etw_session_argv(context);
	int rc;

	wpr_snapshots_add_config("-name", NULL, 0, image, enable, &argv);
	rc = etw_session_call_well(&wpr_heap_calls, session, &argv, err);
	strvec_release(&argv);
	return rc;
}

/* What is noted was perhaps never done, or is gone with its process: that is no failure. */
static int forbid_pids(const struct etw_context *context, struct service_session *session,
		       struct err *err)
{
	const struct process_call call = { .add = add_permission, .enable = false };
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = noted_pids(session, pids);

	if (run_on(context, session, &call, pids, &nr, err)) {
		note_pids(session, pids, nr);
		return err_wrap(err, "heap snapshots are not forbidden again yet");
	}
	manifest_note(session->manifest, SNAPSHOT_NOTE_PIDS, NULL);
	return 0;
}

static int forbid_image(const struct etw_context *context, struct service_session *session,
			struct err *err)
{
	const char *image = manifest_noted(session->manifest, SNAPSHOT_NOTE_IMAGE);

	if (image && value_is_image(image) && set_image(context, session, image, false, err))
		return err_wrap(err, "heap snapshots of %s are not forbidden again yet", image);
	manifest_note(session->manifest, SNAPSHOT_NOTE_IMAGE, NULL);
	return 0;
}

static int end_periodic(const struct etw_context *context, struct service_session *session,
			struct err *err)
{
	struct strvec argv;
	int rc;

	if (!manifest_noted(session->manifest, SNAPSHOT_NOTE_PERIODIC))
		return 0;
	argv = etw_session_argv(context);
	strvec_push(&argv, "-disableperiodicsnapshot");
	strvec_push(&argv, "heap");
	wpr_add_instance(context, &argv);
	rc = etw_session_call_well(&wpr_heap_calls, session, &argv, err);
	strvec_release(&argv);
	if (rc)
		return err_wrap(err, "periodic heap snapshots are not ended yet");
	manifest_note(session->manifest, SNAPSHOT_NOTE_PERIODIC, NULL);
	return 0;
}

int wpr_snapshots_put_back(const struct etw_context *context, struct service_session *session,
			   struct err *err)
{
	static int (*const steps[])(const struct etw_context *, struct service_session *,
				    struct err *) = { end_periodic, forbid_image, forbid_pids };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct err failure = ERR_INIT;

		if (!steps[i](context, session, &failure))
			continue;
		if (rc)
			err_clear(&failure);
		else
			*err = failure;
		rc = -1;
	}
	return rc;
}

/* Whoever lacks the rights to permit has permitted nothing, and could not take it back. */
static int judge(int rc, struct service_session *session, const char *note, const struct err *err)
{
	if (rc && err->code == ERR_UNSUPPORTED)
		manifest_note(session->manifest, note, NULL);
	return rc;
}

int wpr_snapshots_permit_image(const struct etw_context *context, struct service_session *session,
			       const char *image, struct err *err)
{
	if (service_note(session, SNAPSHOT_NOTE_IMAGE, image, err))
		return -1;
	return judge(set_image(context, session, image, true, err), session, SNAPSHOT_NOTE_IMAGE,
		     err);
}

int wpr_snapshots_permit_pids(const struct etw_context *context, struct service_session *session,
			      const struct config_numbers *wanted, struct err *err)
{
	const struct process_call call = { .add = add_permission, .enable = true };
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = wanted->nr;

	memcpy(pids, wanted->v, nr * sizeof(*pids));
	note_pids(session, pids, nr);
	if (manifest_write(session->manifest, session->job->dir, err) ||
	    judge(run_on(context, session, &call, pids, &nr, err), session, SNAPSHOT_NOTE_PIDS,
		  err))
		return -1;
	return nr ? 0 : err_set(err, ERR_NOT_FOUND, "the processes have ended");
}

static void forget(struct service_session *session, int64_t pid)
{
	int64_t pids[CONFIG_HEAP_PIDS];
	size_t nr = noted_pids(session, pids), kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (pids[i] != pid)
			pids[kept++] = pids[i];
	}
	note_pids(session, pids, kept);
}

static int permit_noted(const struct etw_context *context, struct service_session *session,
			int64_t pid, struct err *err)
{
	const struct process_call call = { .add = add_permission, .enable = true };
	size_t nr = 1;
	int rc;

	if (manifest_write(session->manifest, session->job->dir, err))
		return -1;
	rc = run_on(context, session, &call, &pid, &nr, err);
	if (!rc && !nr)
		rc = err_set(err, ERR_NOT_FOUND, "it has ended");
	if (rc && (!nr || err->code == ERR_UNSUPPORTED))
		forget(session, pid);
	return rc;
}

static int permit(struct service_session *session, int64_t pid, struct err *err)
{
	int64_t pids[CONFIG_HEAP_PIDS + 1];
	size_t nr = noted_pids(session, pids);
	struct etw_context context;
	int rc;

	if (session->job->config->heap_job.image)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] == pid)
			return 0;
	}
	if (nr == CONFIG_HEAP_PIDS)
		return err_set(err, ERR_FAILED, "%d processes have permission already", (int)nr);
	if (etw_session_open(&wpr_heap_calls, session, &context, err))
		return -1;
	pids[nr] = pid;
	note_pids(session, pids, nr + 1);
	rc = permit_noted(&context, session, pid, err);
	etw_context_release(&context);
	return rc;
}

static int take(struct service_session *session, int64_t *pids, size_t *nr, struct err *err)
{
	const struct process_call call = { .add = add_snapshot, .what = "taking a heap snapshot" };
	struct etw_context context;
	int rc;

	if (etw_session_open(&wpr_heap_calls, session, &context, err))
		return -1;
	rc = run_on(&context, session, &call, pids, nr, err);
	etw_context_release(&context);
	return rc;
}

static int repeat(struct service_session *session, int64_t interval_ns, int64_t *pids, size_t *nr,
		  struct err *err)
{
	const struct process_call call = { .add = add_periodic, .seconds = interval_ns / NS_PER_S };
	struct etw_context context;
	int rc;

	if (etw_session_open(&wpr_heap_calls, session, &context, err))
		return -1;
	drop_ended(pids, nr);
	if (*nr) {
		rc = service_note(session, SNAPSHOT_NOTE_PERIODIC, "enabled", err);
		if (!rc)
			rc = run_on(&context, session, &call, pids, nr, err);
	} else {
		rc = end_periodic(&context, session, err);
	}
	etw_context_release(&context);
	return rc;
}

const struct recorder_snapshots wpr_snapshots = {
	.processes_max = CONFIG_HEAP_PIDS,
	.permit = permit,
	.take = take,
	.repeat = repeat,
	.forget = forget,
};
