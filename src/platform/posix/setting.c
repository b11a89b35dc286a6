#include "platform/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "platform/fs.h"
#include "util/text.h"

#define VALUE_MAX 4096

bool setting_may_change(const char *name)
{
	return text_starts_with(name, "/proc/sys/") && !strstr(name, "..");
}

int setting_read(const char *name, struct strbuf *value, struct err *err)
{
	size_t before = value->len;

	if (fs_read(name, VALUE_MAX, value, err))
		return -1;
	strbuf_set_len(value, before + strcspn(value->buf + before, "\n"));
	return 0;
}

int setting_write(const char *name, const char *value, struct err *err)
{
	int fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		rc = err_set_errno(err, errno, "cannot write '%s' to '%s'", value, name);
	if (fd >= 0)
		close(fd);
	return rc;
}

void setting_add_command(struct strbuf *sb, const char *name, const char *value)
{
	strbuf_addf(sb, "echo %s >%s", value, name);
}
