#include "cli/min_effect.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* The parts of --min-effect, in their order. */
enum { PART_PERCENT, PART_BYTES, PART_NS };

/* One of them, at its place; its unit says which one it is too, so that others may be left out. */
static bool parse_effect(const char *word, int place, struct compare_effect *effect)
{
	if (place > PART_NS)
		return false;
	if (!strcmp(word, "0")) {
		if (place == PART_PERCENT)
			effect->percent = 0;
		else if (place == PART_BYTES)
			effect->bytes = 0;
		else
			effect->ns = 0;
		return true;
	}
	/* A number without a unit is one of bytes only where those are expected. */
	if (place != PART_BYTES && !word[strspn(word, "0123456789.")])
		return false;
	return (text_ends_with(word, "%") && text_parse_percent(word, &effect->percent)) ||
	       text_parse_duration(word, 0, &effect->ns) ||
	       text_parse_size(word, 1, &effect->bytes);
}

int min_effect_get(const char *text, struct compare_effect *effect, struct err *err)
{
	*effect = (struct compare_effect)COMPARE_EFFECT;
	/* Alone it is that of all. */
	if (text && !strcmp(text, "0"))
		*effect = (struct compare_effect){ 0, 0, 0 };
	for (int place = 0; text; place++) {
		const char *comma = strchr(text, ',');
		char *word = comma ? xstrndup(text, (size_t)(comma - text)) : xstrdup(text);
		bool good = parse_effect(word, place, effect);

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
