#include "report/proto_out.h"

#include <string.h>

#include "util/leb128.h"
#include "util/utf8.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static uint64_t tag_of(uint32_t field, enum wire_type type)
{
	return (uint64_t)field << 3 | type;
}

void proto_varint(struct strbuf *sb, uint64_t value)
{
	strbuf_grow(sb, LEB128_MAX);
	strbuf_set_len(sb, (size_t)(leb128_put(sb->buf + sb->len, value) - sb->buf));
}

void proto_int(struct strbuf *sb, uint32_t field, int64_t value)
{
	char *at;

	strbuf_grow(sb, 2 * LEB128_MAX);
	at = leb128_put(sb->buf + sb->len, tag_of(field, WIRE_VARINT));
	strbuf_set_len(sb, (size_t)(leb128_put(at, (uint64_t)value) - sb->buf));
}

void proto_bytes(struct strbuf *sb, uint32_t field, const void *bytes, size_t nr)
{
	char *at;

	strbuf_grow(sb, 2 * LEB128_MAX + nr);
	at = leb128_put(sb->buf + sb->len, tag_of(field, WIRE_BYTES));
	at = leb128_put(at, nr);
	memcpy(at, bytes, nr);
	strbuf_set_len(sb, (size_t)(at + nr - sb->buf));
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
