#include "platform/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/fs.h"
#include "util/alloc.h"

struct jobserver {
	int fd; /* both ends: tokens stay in the FIFO while it is open */
	int jobs;
	char *path;
};

static int put_tokens(const struct jobserver *jobserver, struct err *err)
{
	for (int i = 1; i < jobserver->jobs; i++)
		if (write(jobserver->fd, "+", 1) != 1)
			return err_set(err, ERR_FAILED, "cannot write to '%s': %s", jobserver->path,
				       strerror(errno));
	return 0;
}

int jobserver_new(const char *dir, int jobs, struct jobserver **jobserver, struct err *err)
{
	struct jobserver *made = xcalloc(1, sizeof(*made));
	int rc = 0;

	*made = (struct jobserver){ .fd = -1, .jobs = jobs, .path = fs_join(dir, "jobserver") };
	if (!mkfifo(made->path, 0600))
		made->fd = open(made->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (made->fd < 0)
		rc = err_set(err, ERR_FAILED, "cannot make the FIFO '%s': %s", made->path,
			     strerror(errno));
	else
		rc = put_tokens(made, err);
	if (rc) {
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
		strvec_pushf(env, "%s=-j%d --jobserver-auth=fifo:%s", names[i], jobserver->jobs,
			     jobserver->path);
}

void jobserver_free(struct jobserver *jobserver)
{
	if (!jobserver)
		return;
	if (jobserver->fd >= 0)
		close(jobserver->fd);
	unlink(jobserver->path);
	free(jobserver->path);
	free(jobserver);
}
