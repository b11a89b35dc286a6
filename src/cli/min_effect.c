#include "cli/min_effect.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* One of the three parts of --min-effect. */
static bool parse_effect(const char *word, struct compare_effect *effect)
{
	if (!strcmp(word, "0")) {
		*effect = (struct compare_effect){ 0, 0, 0 };
		return true;
	}
	return (text_ends_with(word, "%") && text_parse_percent(word, &effect->percent)) ||
	       text_parse_duration(word, 0, &effect->ns) ||
	       text_parse_size(word, 1, &effect->bytes);
}

int min_effect_get(const char *text, struct compare_effect *effect, struct err *err)
{
	*effect = (struct compare_effect)COMPARE_EFFECT;
	while (text) {
		const char *comma = strchr(text, ',');
		char *word = comma ? xstrndup(text, (size_t)(comma - text)) : xstrdup(text);
		bool good = parse_effect(word, effect);

		if (!good)
			err_set(err, ERR_USAGE,
				"--min-effect takes a percentage, a size and a time, as in "
				"1%%,1MB,0.5s, not '%s'",
				word);
		free(word);
		if (!good)
			return -1;
		text = comma ? comma + 1 : NULL;
	}
	return 0;
}
