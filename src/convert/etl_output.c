#include "convert/etl_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/output.h"
#include "util/alloc.h"

#define WRITTEN_AT_ONCE ((size_t)1 << 20)

struct etl_output {
	struct output *output;
	FILE *file;
	int failure; /* errno of the first failed write; 0: none */
};

static void note_failure(struct etl_output *output)
{
	if (!output->failure)
		output->failure = errno ? errno : EIO;
}

static void file_write(void *data, const void *bytes, size_t nr)
{
	struct etl_output *output = data;

	errno = 0;
	if (!output->failure && fwrite(bytes, 1, nr, output->file) != nr)
		note_failure(output);
}

static void file_rewrite(void *data, const void *bytes, size_t nr)
{
	struct etl_output *output = data;

	errno = 0;
	if (!output->failure && fseek(output->file, 0, SEEK_SET))
		note_failure(output);
	file_write(output, bytes, nr);
}

int etl_output_open(const char *path, bool replace, struct etl_output **output, struct err *err)
{
	struct etl_output *made = xcalloc(1, sizeof(*made));

	if (output_open(path, OUTPUT_PRIVATE | (replace ? OUTPUT_REPLACE : 0), &made->output,
			err)) {
		free(made);
		return -1;
	}
	made->file = output_stream(made->output);
	setvbuf(made->file, NULL, _IOFBF, WRITTEN_AT_ONCE);
	*output = made;
	return 0;
}

struct etl_sink etl_output_sink(struct etl_output *output)
{
	return (struct etl_sink){ output, file_write, file_rewrite };
}

int etl_output_check(const struct etl_output *output, struct err *err)
{
	if (!output->failure)
		return 0;
	return err_set_errno(err, output->failure, "cannot write '%s'",
			     output_path(output->output));
}

int etl_output_finish(struct etl_output *output, struct err *err)
{
	if (etl_output_check(output, err))
		return -1;
	return output_finish(output->output, err);
}

void etl_output_free(struct etl_output *output)
{
	if (!output)
		return;
	output_free(output->output);
	free(output);
}
