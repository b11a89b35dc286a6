/*
 * Messages of Protocol Buffers, as their encoding has them (protobuf.dev, "Encoding"): only what the formats of `export`
 * need. Fields are appended to a strbuf, which may be the value of a field of another message.
 */
#ifndef REPORT_PROTO_OUT_H
#define REPORT_PROTO_OUT_H

#include <stdint.h>

#include "util/strbuf.h"

/* A number, without its field: for packed lists. Negative ones take ten bytes. */
void proto_varint(struct strbuf *sb, uint64_t value);

/* A field with a number; 0 too, which other writers leave out. */
void proto_int(struct strbuf *sb, uint32_t field, int64_t value);

/* A field with bytes: a message, or a packed list. */
void proto_bytes(struct strbuf *sb, uint32_t field, const void *bytes, size_t nr);
void proto_message(struct strbuf *sb, uint32_t field, const struct strbuf *message);

/* A field with text; of bytes that are not UTF-8 each is U+FFFD, as readers refuse others. */
void proto_text(struct strbuf *sb, uint32_t field, const char *text);

#endif
