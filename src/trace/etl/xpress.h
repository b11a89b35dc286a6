/*
 * XPRESS, as buffers of ETL files are packed with it: plain LZ77 and LZ77 with Huffman codes.
 *
 * Format: [MS-XCA], Xpress Compression Algorithm.
 */
#ifndef TRACE_XPRESS_H
#define TRACE_XPRESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether exactly `to_nr` bytes came of it; nothing is read or written outside. What of `from` is left then is not
 * looked at.
 */
bool xpress_unpack(const unsigned char *from, size_t from_nr, unsigned char *to, size_t to_nr);
bool xpress_huffman_unpack(const unsigned char *from, size_t from_nr, unsigned char *to,
			   size_t to_nr);

#endif
