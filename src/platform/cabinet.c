#include "platform/cabinet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "platform/cabinet_source.h"
#include "platform/fs.h"
#include "util/little_endian.h"

#define SIGNATURE "MSCF"
#define FILE_HEAD 8 /* the size of a file, and where it begins in its folder */

enum { FLAG_PREVIOUS = 1, FLAG_NEXT = 2 }; /* parts of a set */

int64_t cabinet_head_size(const void *head)
{
	const unsigned char *bytes = head;

	return memcmp(bytes, SIGNATURE, strlen(SIGNATURE)) ? -1 : (int64_t)le_get32(bytes + 8);
}

/* Read how long the only file in the cabinet is. */
static int read_size(FILE *file, uint64_t *size, struct err *err)
{
	unsigned char head[CABINET_HEAD], entry[FILE_HEAD];
	unsigned files;

	if (fread(head, 1, sizeof(head), file) != sizeof(head) || cabinet_head_size(head) < 0)
		return err_set(err, ERR_CORRUPT, "it is not a cabinet");
	if (le_get16(head + 30) & (FLAG_PREVIOUS | FLAG_NEXT))
		return err_set(err, ERR_UNSUPPORTED, "it is a part of a set of cabinets");
	files = le_get16(head + 28);
	if (files != 1)
		return err_set(err, ERR_UNSUPPORTED, "it is a cabinet of %u files", files);
	if (fs_seek(file, le_get32(head + 16), SEEK_SET) ||
	    fread(entry, 1, sizeof(entry), file) != sizeof(entry))
		return err_set(err, ERR_CORRUPT, "it is a truncated cabinet");
	*size = le_get32(entry);
	return 0;
}

int cabinet_check(struct err *err)
{
	return cabinet_source_check(err);
}

bool cabinet_output_write(struct cabinet_output *output, const void *bytes, size_t nr)
{
	if (output->stopped)
		return false;
	if (nr > output->left) {
		err_set(output->err, ERR_CORRUPT, "there is more in the cabinet than it says");
		output->stopped = true;
	} else {
		output->left -= nr;
		output->stopped = output->sink->write(output->sink->data, bytes, nr, output->err);
	}
	return !output->stopped;
}

int cabinet_unpack(const char *path, const struct cabinet_sink *sink, struct err *err)
{
	FILE *file = fs_open(path, "rb");
	struct cabinet_output output = { .sink = sink, .err = err };
	int rc;

	if (!file)
		return err_set_errno(err, errno, "cannot open '%s'", path);
	rc = read_size(file, &output.left, err);
	fclose(file);
	if (rc || cabinet_check(err) || sink->begin(sink->data, output.left, err))
		return -1;
	if (cabinet_source_unpack(path, &output) || output.stopped)
		return -1;
	return output.left ? err_set(err, ERR_CORRUPT, "there is less in the cabinet than it says")
			   : 0;
}
