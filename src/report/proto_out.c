#include "report/proto_out.h"

#include <string.h>

#include "util/utf8.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void proto_varint(struct strbuf *sb, uint64_t value)
{
	char bytes[10];
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[nr++] = (char)(value | 0x80);
	bytes[nr++] = (char)value;
	strbuf_add(sb, bytes, nr);
}

static void add_tag(struct strbuf *sb, uint32_t field, enum wire_type type)
{
	proto_varint(sb, (uint64_t)field << 3 | type);
}

void proto_int(struct strbuf *sb, uint32_t field, int64_t value)
{
	add_tag(sb, field, WIRE_VARINT);
	proto_varint(sb, (uint64_t)value);
}

void proto_bytes(struct strbuf *sb, uint32_t field, const void *bytes, size_t nr)
{
	add_tag(sb, field, WIRE_BYTES);
	proto_varint(sb, nr);
	strbuf_add(sb, bytes, nr);
}

void proto_message(struct strbuf *sb, uint32_t field, const struct strbuf *message)
{
	proto_bytes(sb, field, message->buf, message->len);
}

void proto_text(struct strbuf *sb, uint32_t field, const char *text)
{
	size_t len = strlen(text);
	struct strbuf clean = STRBUF_INIT;

	if (utf8_valid(text, len)) {
		proto_bytes(sb, field, text, len);
		return;
	}
	utf8_add_clean(&clean, text, len);
	proto_message(sb, field, &clean);
	strbuf_release(&clean);
}
