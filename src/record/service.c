#include "record/service.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "platform/program.h"
#include "util/print.h"

static bool show_progress(const char *what, int64_t bytes, void *data)
{
	struct service *service = data;
	int interrupts = interrupt_count() - service->interrupts;

	if (service->wait == WAIT_OR_LEAVE && interrupts > 0 && !service->explained) {
		status_wipe(service->status);
		print_line(service->status->out, "",
			   "the trace is still being saved, which may take many minutes (Ctrl-C "
			   "again leaves that to 'stagetrace recover')");
		service->explained = true;
	}
	if (status_due(service->status)) {
		struct status_facts facts = {
			.what = what,
			.elapsed_ns = clock_now() - service->since,
			.trace_bytes = bytes,
			.lost = -1,
		};

		status_show(service->status, &facts);
	}
	return service->wait != WAIT_TO_END && interrupts > 1;
}

void service_init(struct service *service, const struct profiler_ops *profiler,
		  const struct profiler_job *job, struct manifest *manifest, struct status *status)
{
	*service = (struct service){
		.session = {
			.profiler = profiler,
			.job = job,
			.manifest = manifest,
			.progress = show_progress,
			.data = service,
		},
		.status = status,
	};
	if (profiler_is_service(profiler))
		service->trace_dir = profiler->trace_dir(job);
}

void service_begin_wait(struct service *service, enum service_wait wait)
{
	service->since = clock_now();
	service->interrupts = interrupt_count();
	service->wait = wait;
	service->warnings_nr = service->session.manifest->warnings.nr;
}

void service_end_wait(struct service *service)
{
	const struct strvec *warnings = &service->session.manifest->warnings;

	status_wipe(service->status);
	for (size_t i = service->warnings_nr; i < warnings->nr; i++)
		print_line(service->status->out, "warning: ", "%s", warnings->v[i]);
}

void service_release(struct service *service, bool keep)
{
	struct profiler_session *session = &service->session;
	struct err err = ERR_INIT;

	if (service->running && !keep) {
		service_begin_wait(service, WAIT_TO_END);
		if (session->profiler->cancel(session, &err))
			strvec_pushf(&session->manifest->warnings,
				     "the profiler may still record: %s", err.msg);
		service_end_wait(service);
	}
	if (session->state)
		session->profiler->release(session);
	err_clear(&err);
	free(service->trace_dir);
}

int service_start(struct service *service, struct err *err)
{
	int rc;

	if (!profiler_is_service(service->session.profiler))
		return 0;
	service_begin_wait(service, WAIT_TO_END);
	rc = service->session.profiler->start(&service->session, err);
	service_end_wait(service);
	service->running = !rc;
	return rc;
}

void service_mark(struct service *service, const char *text)
{
	struct profiler_session *session = &service->session;
	struct err err = ERR_INIT;

	if (!service->running)
		return;
	service_begin_wait(service, WAIT_TO_END);
	if (session->profiler->mark(session, text, &err))
		strvec_pushf(&session->manifest->warnings,
			     "cannot write the marker '%s' into the trace: %s", text, err.msg);
	service_end_wait(service);
	err_clear(&err);
}

int service_stop(struct service *service, struct err *err)
{
	struct profiler_session *session = &service->session;
	int64_t lost = -1;
	int rc;

	if (!service->running)
		return 0;
	service_begin_wait(service, WAIT_OR_LEAVE);
	print_line(service->status->out, "", "saving the trace");
	rc = session->profiler->stop(session, &lost, err);
	service_end_wait(service);
	/* From here on only `recover` may save or end it. */
	service->running = false;
	if (!rc) {
		session->manifest->lost_trace_events = lost;
	} else if (profiler_session_is_over(session->manifest)) {
		manifest_fail(session->manifest, "the trace is lost: %s", err->msg);
		err_clear(err);
		rc = 0;
	}
	return rc;
}
