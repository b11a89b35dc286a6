#include "platform/jobserver.h"

#include <stdlib.h>
#include <windows.h>

#include "platform/windows/win32_error.h"
#include "util/alloc.h"

struct jobserver {
	HANDLE semaphore;
	int jobs;
	char *name;
};

int jobserver_new(const char *dir, int jobs, struct jobserver **jobserver, struct err *err)
{
	static unsigned made_nr;
	struct jobserver *made = xcalloc(1, sizeof(*made));

	(void)dir;
	made->jobs = jobs;
	made->name = xasprintf("stagetrace-jobserver-%lu-%u", GetCurrentProcessId(), ++made_nr);
	/* A semaphore of 0 tokens must still be able to have one. */
	made->semaphore = CreateSemaphoreA(NULL, jobs - 1, jobs, made->name);
	if (!made->semaphore) {
		err_set_win32(err, GetLastError(), "cannot make the semaphore '%s'", made->name);
		jobserver_free(made);
		return -1;
	}
	*jobserver = made;
	return 0;
}

void jobserver_add_env(const struct jobserver *jobserver, struct strvec *env)
{
	static const char *const names[] = { "CARGO_MAKEFLAGS", "MAKEFLAGS" };

	for (int i = 0; i < 2; i++)
		strvec_pushf(env, "%s=-j%d --jobserver-auth=%s", names[i], jobserver->jobs,
			     jobserver->name);
}

void jobserver_free(struct jobserver *jobserver)
{
	if (!jobserver)
		return;
	if (jobserver->semaphore)
		CloseHandle(jobserver->semaphore);
	free(jobserver->name);
	free(jobserver);
}
