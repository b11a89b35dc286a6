#include "platform/process_id.h"

#include "platform/posix/procfs.h"
#include "util/alloc.h"

char *process_id(int64_t pid)
{
	struct procfs_stat stat;

	if (!procfs_read_stat(pid, &stat) || stat.state == 'Z')
		return NULL;
	return xasprintf("%lld@%lld", (long long)pid, (long long)stat.start_ticks);
}
