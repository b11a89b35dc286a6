#include "record/beside.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "platform/interrupt.h"
#include "util/alloc.h"

static void tell_leaving(struct beside *beside)
{
	status_wipe(&beside->session->status);
	fputs("stagetrace: the trace is still being saved, which may take many minutes (Ctrl-C "
	      "again leaves "
	      "that to 'stagetrace recover')\n",
	      beside->session->options->messages);
	beside->told = true;
}

static bool show_progress(const char *what, int64_t bytes, void *data)
{
	struct beside *beside = data;
	struct status *status = &beside->session->status;
	int interrupts = interrupt_count() - beside->interrupts;

	if (beside->wait == BESIDE_LEAVING && interrupts > 0 && !beside->told)
		tell_leaving(beside);
	if (status_due(status)) {
		struct status_facts facts = {
			.what = what,
			.elapsed_ns = clock_now() - beside->since,
			.trace_bytes = bytes,
			.lost = -1,
		};

		status_show(status, &facts);
	}
	return beside->wait != BESIDE_WAIT && interrupts > 1;
}

void beside_init(struct beside *beside, struct session *session)
{
	const struct recorder_service *service = session->plan->recorder->service;

	*beside = (struct beside){
		.service = service,
		.session = session,
		.own = {
			.service = service,
			.job = &session->plan->job,
			.manifest = &session->manifest,
			.progress = show_progress,
			.data = beside,
		},
	};
	if (service)
		beside->folder = service->folder(&session->plan->job);
}

void beside_begin_wait(struct beside *beside, enum beside_wait wait)
{
	beside->since = clock_now();
	beside->interrupts = interrupt_count();
	beside->wait = wait;
	beside->warnings = beside->session->manifest.warnings.nr;
}

void beside_end_wait(struct beside *beside)
{
	const struct strvec *warnings = &beside->session->manifest.warnings;

	status_wipe(&beside->session->status);
	for (size_t i = beside->warnings; i < warnings->nr; i++)
		fprintf(beside->session->options->messages, "stagetrace: warning: %s\n",
			warnings->v[i]);
}

void beside_release(struct beside *beside, bool keep)
{
	struct err err = ERR_INIT;

	if (beside->running && !keep) {
		beside_begin_wait(beside, BESIDE_WAIT);
		if (beside->service->cancel(&beside->own, &err))
			steps_warn(beside->session, "the recorder may still record: %s", err.msg);
		beside_end_wait(beside);
	}
	if (beside->service)
		beside->service->release(&beside->own);
	err_clear(&err);
	free(beside->folder);
}

int beside_start(struct beside *beside, struct err *err)
{
	int rc;

	if (!beside->service)
		return 0;
	beside_begin_wait(beside, BESIDE_WAIT);
	rc = beside->service->start(&beside->own, err);
	beside_end_wait(beside);
	beside->running = !rc;
	beside->session->not_started = rc && service_is_over(&beside->session->manifest);
	return rc;
}

void beside_mark(struct beside *beside, const char *text)
{
	struct err err = ERR_INIT;

	if (!beside->running)
		return;
	beside_begin_wait(beside, BESIDE_WAIT);
	if (beside->service->mark(&beside->own, text, &err))
		steps_warn(beside->session, "there is no mark '%s' in the trace: %s", text,
			   err.msg);
	status_wipe(&beside->session->status);
	err_clear(&err);
}

int beside_stop(struct beside *beside, struct err *err)
{
	int64_t lost = -1;
	int rc;

	if (!beside->running)
		return 0;
	beside_begin_wait(beside, BESIDE_LEAVING);
	fputs("stagetrace: saving the trace\n", beside->session->options->messages);
	rc = beside->service->stop(&beside->own, &lost, err);
	beside_end_wait(beside);
	/* From here on it is `recover` that may still save or end it. */
	beside->running = false;
	if (!rc)
		beside->session->manifest.lost_trace_events = lost;
	else if (service_is_over(&beside->session->manifest)) {
		steps_fail(beside->session, "the trace is lost: %s", err->msg);
		err_clear(err);
		rc = 0;
	}
	return rc;
}
