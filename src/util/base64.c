#include "util/base64.h"

#include <stdint.h>

static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(char *text, const unsigned char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i += 3, text += 4) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		if (i + 1 < nr)
			three |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < nr)
			three |= bytes[i + 2];
		text[0] = digits[three >> 18];
		text[1] = digits[three >> 12 & 63];
		text[2] = i + 1 < nr ? digits[three >> 6 & 63] : '=';
		text[3] = i + 2 < nr ? digits[three & 63] : '=';
	}
}
