#include "convert/etl_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/fs.h"
#include "util/alloc.h"

#define WRITTEN_AT_ONCE ((size_t)1 << 20)

struct etl_output {
	char *path, *partial;
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

int etl_output_open(const char *path, struct etl_output **output, struct err *err)
{
	struct etl_output *made;

	if (fs_exists(path) || fs_is_link(path))
		return err_set(err, ERR_UNSUPPORTED, "'%s' exists already", path);
	made = xcalloc(1, sizeof(*made));
	made->path = xstrdup(path);
	made->partial = xasprintf("%s.partial", path);
	made->file = fs_open(made->partial, "wb");
	if (!made->file) {
		err_set_errno(err, errno, "cannot write '%s'", made->partial);
		free(made->partial);
		made->partial = NULL;
		etl_output_free(made);
		return -1;
	}
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
	return err_set_errno(err, output->failure, "cannot write '%s'", output->partial);
}

static int close_file(struct etl_output *output, struct err *err)
{
	int rc = fs_sync(output->file, output->partial, err);

	errno = 0;
	if (fclose(output->file) && !rc)
		rc = err_set_errno(err, errno, "cannot write '%s'", output->partial);
	output->file = NULL;
	return rc;
}

int etl_output_finish(struct etl_output *output, struct err *err)
{
	if (etl_output_check(output, err) || close_file(output, err))
		return -1;
	if (fs_exists(output->path))
		return err_set(err, ERR_UNSUPPORTED, "'%s' exists already", output->path);
	if (fs_rename(output->partial, output->path, err))
		return -1;
	free(output->partial);
	output->partial = NULL;
	return 0;
}

void etl_output_free(struct etl_output *output)
{
	struct err err = ERR_INIT;

	if (!output)
		return;
	if (output->file)
		fclose(output->file);
	if (output->partial && fs_remove(output->partial, &err))
		err_clear(&err);
	free(output->partial);
	free(output->path);
	free(output);
}
