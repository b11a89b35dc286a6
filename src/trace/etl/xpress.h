/*
 * Decompresses XPRESS (plain LZ77, and LZ77 with Huffman codes), the compression of ETL buffers.
 *
 * Format: [MS-XCA], Xpress Compression Algorithm.
 */
#ifndef TRACE_XPRESS_H
#define TRACE_XPRESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decompress exactly `to_nr` bytes; false: the data is damaged. Remaining bytes of `from` are ignored.
 */
bool xpress_decompress(const unsigned char *from, size_t from_nr, unsigned char *to, size_t to_nr);
bool xpress_huffman_decompress(const unsigned char *from, size_t from_nr, unsigned char *to,
			       size_t to_nr);

#endif
