#include "platform/owner.h"

#include <stdlib.h>

#include "platform/fs.h"
#include "util/alloc.h"

int owner_mkdir_all(const char *dir, int mode, struct strvec *refused, struct err *err)
{
	struct owner owner = owner_in(dir);
	struct strvec made = STRVEC_INIT;
	struct err own = ERR_INIT;
	char *at = xstrdup(dir);
	int rc;

	while (!fs_exists(at)) {
		strvec_push_nodup(&made, at);
		at = fs_dirname(at);
	}
	rc = fs_mkdir_all(dir, err);
	for (size_t i = 0; i < made.nr && !rc; i++) {
		if (owner_give(made.v[i], &owner, mode, &own))
			strvec_push(refused, own.msg);
		err_clear(&own);
	}
	strvec_release(&made);
	free(at);
	return rc;
}
