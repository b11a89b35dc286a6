#include "report/json_out.h"

#include <string.h>

#include "util/json_text.h"
#include "util/text.h"

#define WRITTEN_AT_ONCE ((size_t)64 << 10)

/* 64 bits, a sign and a point. */
#define DIGITS_MAX 24

static void flush(struct json_out *json)
{
	fwrite(json->sb.buf, 1, json->sb.len, json->out);
	strbuf_clear(&json->sb);
}

static void flush_if_full(struct json_out *json)
{
	if (json->out && json->sb.len >= WRITTEN_AT_ONCE)
		flush(json);
}

void json_out_end(struct json_out *json)
{
	flush(json);
	strbuf_release(&json->sb);
}

void json_out_raw(struct json_out *json, const char *text)
{
	strbuf_adds(&json->sb, text);
	flush_if_full(json);
}

void json_out_string(struct json_out *json, const char *text)
{
	if (text)
		json_text_string(&json->sb, text);
	else
		strbuf_adds(&json->sb, "null");
	flush_if_full(json);
}

void json_out_int(struct json_out *json, int64_t value)
{
	text_add_int(&json->sb, value);
	flush_if_full(json);
}

void json_out_fixed(struct json_out *json, int64_t value, int digits)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[DIGITS_MAX];
	size_t at = sizeof(text);

	for (; digits && !(left % 10); digits--)
		left /= 10;
	if (digits) {
		for (; digits; digits--, left /= 10)
			text[--at] = (char)('0' + left % 10);
		text[--at] = '.';
	}
	do
		text[--at] = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		text[--at] = '-';
	strbuf_add(&json->sb, text + at, sizeof(text) - at);
	flush_if_full(json);
}

void json_out_comma(struct json_out *json, size_t i)
{
	if (i)
		strbuf_addc(&json->sb, ',');
}
