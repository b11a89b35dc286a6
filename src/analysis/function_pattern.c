#include "analysis/function_pattern.h"

#include <stddef.h>

#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

bool function_pattern_matches(const char *pattern, const char *function)
{
	static const char *const forms[] = { "*::%s", "%s::<*", "*::%s::<*" };
	bool found = text_glob(pattern, function, false);

	for (size_t i = 0; !found && i < ARRAY_SIZE(forms); i++) {
		struct strbuf whole = STRBUF_INIT;

		for (const char *s = forms[i]; *s; s++) {
			if (*s == '%')
				strbuf_adds(&whole, pattern), s++;
			else
				strbuf_addc(&whole, *s);
		}
		found = text_glob(whole.buf, function, false);
		strbuf_release(&whole);
	}
	return found;
}
