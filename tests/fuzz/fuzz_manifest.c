/* Any bytes as a manifest: an error, or a manifest that is the same after it is written and read again. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rundir/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const struct manifest *manifest)
{
	struct manifest again;
	struct err err = ERR_INIT;
	char *text = manifest_text(manifest), *text_again;

	if (manifest_parse(text, strlen(text), "again", &again, &err))
		abort();
	text_again = manifest_text(&again);
	if (strcmp(text, text_again) != 0)
		abort();
	free(text);
	free(text_again);
	manifest_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest manifest;
	struct err err = ERR_INIT;

	if (manifest_parse((const char *)data, size, "fuzz", &manifest, &err)) {
		assert(err.msg);
		assert(err.code == ERR_CORRUPT || err.code == ERR_UNSUPPORTED);
		err_clear(&err);
		return 0;
	}
	check_round_trip(&manifest);
	manifest_release(&manifest);
	return 0;
}
