#include "history/silence.h"

#include <stdlib.h>

#include "platform/program.h"
#include "util/text.h"

#define VARIABLE "STAGETRACE_HISTORY_TIMEOUT"

/* A deletion of years takes a while. */
#define USUAL_NS (600 * NS_PER_S)
#define MOST_NS  (24 * 3600 * NS_PER_S)

int silence_get(int64_t *ns, struct err *err)
{
	char *text = env_get(VARIABLE);
	int rc = 0;

	*ns = USUAL_NS;
	if (text && (!text_parse_duration(text, 0, ns) || *ns < NS_PER_S || *ns > MOST_NS))
		rc = err_set(err, ERR_USAGE,
			     VARIABLE " must be a time from 1s to 24h, as 10m, not '%s'", text);
	free(text);
	return rc;
}
