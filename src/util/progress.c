#include "util/progress.h"

#include <stddef.h>

int progress_show(const struct progress *progress, const char *step, int64_t done, int64_t total,
		  struct err *err)
{
	if (!progress || progress->show(progress->data, step, done, total))
		return 0;
	return err_set(err, ERR_FAILED, "interrupted by the user");
}
