#include "platform/process_id.h"

#include <string.h>

#include "platform/posix/procfs.h"
#include "util/alloc.h"

char *process_program(int64_t pid)
{
	struct strbuf sb = STRBUF_INIT;

	procfs_read(pid, "comm", &sb);
	if (!sb.len) {
		strbuf_release(&sb);
		return NULL;
	}
	sb.buf[strcspn(sb.buf, "\n")] = '\0';
	return strbuf_detach(&sb);
}

char *process_id(int64_t pid)
{
	struct procfs_stat stat;

	if (!procfs_read_stat(pid, &stat) || stat.state == 'Z')
		return NULL;
	return xasprintf("%lld@%lld", (long long)pid, (long long)stat.start_ticks);
}
