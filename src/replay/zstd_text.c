#include "replay/zstd_text.h"

bool zstd_text_add(ZSTD_CCtx *context, const void *bytes, size_t nr, ZSTD_EndDirective end,
		   struct strbuf *text)
{
	ZSTD_inBuffer in = { bytes, nr, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out;

		strbuf_grow(text, ZSTD_CStreamOutSize());
		out = (ZSTD_outBuffer){ text->buf + text->len, ZSTD_CStreamOutSize(), 0 };
		left = ZSTD_compressStream2(context, &out, &in, end);
		if (ZSTD_isError(left))
			return false;
		strbuf_set_len(text, text->len + out.pos);
	} while (in.pos < in.size || (end == ZSTD_e_end && left));
	return true;
}
