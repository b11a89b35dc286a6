/*
 * Any bytes as a compressed buffer, whose first two bytes are its size: what is decompressed twice is the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/etl/xpress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef bool decompress_fn(const unsigned char *, size_t, unsigned char *, size_t);

static bool decompress_to(decompress_fn *decompress, const uint8_t *data, size_t size,
			  unsigned char **to, size_t nr)
{
	*to = malloc(nr ? nr : 1);
	if (!*to)
		abort();
	memset(*to, 0xaa, nr);
	return decompress(data, size, *to, nr);
}

static void try(decompress_fn *decompress, const uint8_t *data, size_t size, size_t nr)
{
	unsigned char *once, *again;

	if (decompress_to(decompress, data, size, &once, nr)) {
		if (!decompress_to(decompress, data, size, &again, nr) ||
		    memcmp(once, again, nr) != 0)
			abort();
		free(again);
	}
	free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nr;

	if (size < 2)
		return 0;
	/* Up to more than two blocks of Huffman codes. */
	nr = (size_t)(data[0] | data[1] << 8) * 3;
	try(xpress_decompress, data + 2, size - 2, nr);
	try(xpress_huffman_decompress, data + 2, size - 2, nr);
	return 0;
}
