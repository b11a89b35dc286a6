/*
 * Any bytes as a cabinet: unpacked to no more than it says, and to exactly that if it is sound. The decompressors are
 * libmspack's, and not instrumented; what they do to memory of the heap is checked.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/cabinet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UNPACKED_MAX (UINT64_C(4) << 20) /* more takes too long */

struct unpacked {
	uint64_t says, bytes;
	unsigned sum;
	bool begun;
};

static int begin(void *data, uint64_t total, struct err *err)
{
	struct unpacked *unpacked = data;

	if (unpacked->begun || total > UINT32_MAX)
		abort();
	unpacked->begun = true;
	unpacked->says = total;
	return total <= UNPACKED_MAX ? 0 : err_set(err, ERR_FAILED, "not wanted");
}

static int take(void *data, const void *bytes, size_t nr, struct err *err)
{
	struct unpacked *unpacked = data;

	(void)err;
	for (size_t i = 0; i < nr; i++)
		unpacked->sum += ((const unsigned char *)bytes)[i];
	unpacked->bytes += nr;
	if (!unpacked->begun || unpacked->bytes > unpacked->says)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int descriptor = -1;
	struct unpacked unpacked = { 0 };
	const struct cabinet_sink sink = { &unpacked, begin, take };
	struct err err = ERR_INIT;
	char path[64];
	int rc;

	if (descriptor < 0)
		descriptor = memfd_create("cabinet", 0);
	if (descriptor < 0 || ftruncate(descriptor, 0) ||
	    pwrite(descriptor, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	rc = cabinet_unpack(path, &sink, &err);
	if ((rc != 0) != (err.code != ERR_NONE) || (!rc && unpacked.bytes != unpacked.says))
		abort();
	/* Otherwise nothing is tried. */
	if (err.code == ERR_UNSUPPORTED && strstr(err.msg, "there is no libmspack"))
		abort();
	err_clear(&err);
	return 0;
}
