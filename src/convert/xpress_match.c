#include "convert/xpress_match.h"

#include <string.h>

void xpress_matcher_init(struct xpress_matcher *matcher, const void *bytes, size_t nr,
			 size_t farthest)
{
	memset(matcher, 0, sizeof(*matcher));
	matcher->bytes = bytes;
	matcher->nr = nr;
	matcher->farthest = farthest;
}

static uint32_t *slot_of(struct xpress_matcher *matcher, size_t at)
{
	const unsigned char *p = matcher->bytes + at;
	uint32_t three = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return &matcher->last[three * UINT32_C(2654435761) >> 19];
}

static size_t measure(const struct xpress_matcher *matcher, size_t before, size_t end)
{
	const unsigned char *bytes = matcher->bytes;
	size_t most = end - matcher->at, length = 0;

	if (most > XPRESS_MATCH_MAX)
		most = XPRESS_MATCH_MAX;
	while (length < most && bytes[before + length] == bytes[matcher->at + length])
		length++;
	return length;
}

struct xpress_item xpress_matcher_next(struct xpress_matcher *matcher, size_t end)
{
	struct xpress_item item = { 0, 0 };
	size_t length = 0, before = 0;
	uint32_t *slot;

	if (end - matcher->at >= XPRESS_MATCH_MIN) {
		slot = slot_of(matcher, matcher->at);
		before = *slot ? *slot - 1 : matcher->at;
		*slot = (uint32_t)matcher->at + 1;
		if (before < matcher->at && matcher->at - before <= matcher->farthest)
			length = measure(matcher, before, end);
	}
	if (length >= XPRESS_MATCH_MIN) {
		item.length = (uint32_t)length;
		item.distance = (uint32_t)(matcher->at - before);
		matcher->at += length;
	} else {
		matcher->at++;
	}
	return item;
}
