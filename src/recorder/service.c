#include "recorder/service.h"

#include "recorder/recorder.h"

bool service_is_over(const struct manifest *manifest)
{
	return !manifest->session_nr;
}

int service_note(struct service_session *session, const char *key, const char *value,
		 struct err *err)
{
	manifest_note(session->manifest, key, value);
	return manifest_write(session->manifest, session->job->dir, err);
}
