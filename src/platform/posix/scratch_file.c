#include "platform/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/strbuf.h"

struct scratch_file {
	char *folder; /* for messages */
	int fd;
};

int scratch_file_open(struct scratch_file **file, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	struct strbuf path = STRBUF_INIT;
	int fd, why;

	/* /tmp is in memory on many machines. */
	if (!folder || !*folder)
		folder = "/var/tmp";
	strbuf_addf(&path, "%s/stagetrace-XXXXXX", folder);
	fd = mkostemp(path.buf, O_CLOEXEC);
	why = errno;
	if (fd >= 0)
		unlink(path.buf);
	strbuf_release(&path);
	if (fd < 0)
		return err_set_errno(err, why,
				     "cannot make a temporary file in '%s' (TMPDIR chooses another "
				     "folder)",
				     folder);
	*file = xmalloc(sizeof(**file));
	**file = (struct scratch_file){ .folder = xstrdup(folder), .fd = fd };
	return 0;
}

void scratch_file_close(struct scratch_file *file)
{
	if (!file)
		return;
	close(file->fd);
	free(file->folder);
	free(file);
}

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err)
{
	size_t done = 0;

	while (done < nr) {
		ssize_t got = pwrite(file->fd, (const char *)from + done, nr - done,
				     (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set_errno(err, got ? errno : ENOSPC,
					     "cannot write a temporary file in '%s' (TMPDIR "
					     "chooses another folder)",
					     file->folder);
		done += (size_t)got;
	}
	return 0;
}

int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err)
{
	size_t done = 0;

	while (done < nr) {
		ssize_t got =
			pread(file->fd, (char *)to + done, nr - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set_errno(err, got ? errno : EIO,
					     "cannot read a temporary file in '%s'", file->folder);
		done += (size_t)got;
	}
	return 0;
}
