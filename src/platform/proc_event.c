#include <stdlib.h>
#include <string.h>

#include "platform/proc_watch.h"

void proc_event_init(struct proc_event *event)
{
	memset(event, 0, sizeof(*event));
	event->argv = (struct strvec)STRVEC_INIT;
	event->env = (struct strvec)STRVEC_INIT;
	event->responses = (struct strvec)STRVEC_INIT;
	event->exit_code = -1;
	event->cpu_ns = -1;
	event->peak_rss_bytes = -1;
	event->peak_commit_bytes = -1;
}

void proc_event_release(struct proc_event *event)
{
	free(event->exe);
	free(event->cwd);
	strvec_release(&event->argv);
	strvec_release(&event->env);
	strvec_release(&event->responses);
	proc_event_init(event);
}
