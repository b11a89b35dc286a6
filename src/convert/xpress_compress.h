/*
 * XPRESS compression: plain LZ77, and LZ77 with Huffman codes. The search for matches is simple, so other implementations
 * compress better.
 *
 * Format: [MS-XCA], Xpress Compression Algorithm, 2.1 (Huffman) and 2.3 (plain).
 */
#ifndef CONVERT_XPRESS_COMPRESS_H
#define CONVERT_XPRESS_COMPRESS_H

#include <stddef.h>

#include "util/strbuf.h"

/* Append the compressed bytes. */
void xpress_compress(struct strbuf *to, const void *from, size_t nr);
void xpress_huffman_compress(struct strbuf *to, const void *from, size_t nr);

#endif
