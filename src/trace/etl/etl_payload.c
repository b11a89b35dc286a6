#include "trace/etl/etl_payload.h"

#include <string.h>

#include "util/utf8.h"

struct etl_text etl_take_text(struct etl_payload *payload)
{
	struct etl_text text = { payload->v, payload->nr, false };
	const unsigned char *end = payload->nr ? memchr(payload->v, 0, payload->nr) : NULL;

	if (end)
		text.nr = (size_t)(end - payload->v);
	etl_take(payload, text.nr + 1);
	return text;
}

static size_t find_end(const unsigned char *v, size_t nr)
{
	size_t at = 0;

	while (at + 2 <= nr && (v[at] || v[at + 1]))
		at += 2;
	return at;
}

struct etl_text etl_take_wide(struct etl_payload *payload)
{
	struct etl_text text = { payload->v, find_end(payload->v, payload->nr), true };

	etl_take(payload, text.nr + 2);
	return text;
}

struct etl_text etl_take_wide_field(struct etl_payload *payload, size_t nr)
{
	struct etl_text text = { etl_take(payload, nr), 0, true };

	if (text.v)
		text.nr = find_end(text.v, nr);
	return text;
}

void etl_text_add(const struct etl_text *text, struct strbuf *sb)
{
	if (text->wide)
		utf8_add_utf16(sb, text->v, text->nr / 2);
	else
		utf8_add_clean(sb, (const char *)text->v, text->nr);
}
