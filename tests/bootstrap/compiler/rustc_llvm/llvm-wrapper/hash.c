#include <stddef.h>
#include <stdint.h>

/* FNV-1a */
uint64_t wrapper_hash(const unsigned char *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}
