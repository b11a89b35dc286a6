#include "rundir/zip_target.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "platform/fs.h"
#include "util/strbuf.h"
#include "util/text.h"

static zip_int64_t fail_writing(struct zip_target *target, int errnum)
{
	zip_error_set(&target->error, ZIP_ER_WRITE, errnum ? errnum : EIO);
	return -1;
}

static zip_int64_t seek_target(struct zip_target *target, void *data, zip_uint64_t len)
{
	int64_t at = fs_tell(target->file), size;

	if (at < 0 || fs_seek(target->file, 0, SEEK_END) || (size = fs_tell(target->file)) < 0)
		return fail_writing(target, errno);
	at = zip_source_seek_compute_offset((zip_uint64_t)at, (zip_uint64_t)size, data, len,
					    &target->error);
	if (at < 0)
		return -1;
	return fs_seek(target->file, at, SEEK_SET) ? fail_writing(target, errno) : 0;
}

static zip_int64_t target_stat(void *data)
{
	zip_stat_t *st = data;

	zip_stat_init(st);
	st->size = 0;
	st->valid = ZIP_STAT_SIZE;
	return sizeof(*st);
}

static zip_int64_t target_command(void *state, void *data, zip_uint64_t len,
				  zip_source_cmd_t command)
{
	struct zip_target *target = state;

	errno = 0;
	switch (command) {
	case ZIP_SOURCE_WRITE:
		return fwrite(data, 1, len, target->file) == len ? (zip_int64_t)len
								 : fail_writing(target, errno);
	case ZIP_SOURCE_SEEK_WRITE:
		return seek_target(target, data, len);
	case ZIP_SOURCE_TELL_WRITE:
		return fs_tell(target->file);
	case ZIP_SOURCE_COMMIT_WRITE:
		return fflush(target->file) ? fail_writing(target, errno) : 0;
	case ZIP_SOURCE_STAT:
		return target_stat(data);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&target->error, data, len);
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_WRITABLE;
	default:
		/* Nothing is read from it, and whoever opened the file removes it. */
		return 0;
	}
}

zip_t *zip_target_open(struct zip_target *target, FILE *file, zip_error_t *error)
{
	zip_source_t *source = zip_source_function_create(target_command, target, error);
	zip_t *zip = NULL;

	target->file = file;
	zip_error_init(&target->error);
	if (source)
		zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, error);
	if (source && !zip)
		zip_source_free(source);
	return zip;
}

void zip_target_release(struct zip_target *target)
{
	zip_error_fini(&target->error);
}

int zip_target_fail(const char *path, const zip_error_t *error, struct err *err)
{
	char *dir = fs_dirname(path);
	int64_t room = fs_free_space(dir);
	struct strbuf free_text = STRBUF_INIT;

	if (zip_error_system_type(error) == ZIP_ET_SYS)
		err_set_errno(err, zip_error_code_system(error), "cannot write '%s'", path);
	else
		err_set(err, ERR_FAILED, "cannot write '%s': %s", path,
			zip_error_strerror((zip_error_t *)error));
	if (err->code == ERR_NO_SPACE) {
		text_add_bytes(&free_text, room < 0 ? 0 : room);
		err_set(err, ERR_NO_SPACE,
			"cannot write '%s': no space left in '%s' (%s are free): "
			"free space there, or choose another place with -o",
			path, dir, free_text.buf);
	}
	strbuf_release(&free_text);
	free(dir);
	return -1;
}

int zip_target_check_room(const char *path, int64_t total, struct err *err)
{
	struct strbuf need = STRBUF_INIT, room = STRBUF_INIT;
	char *dir = fs_dirname(path);
	int64_t have = fs_free_space(dir);
	int ret = 0;

	if (have >= 0 && have < total) {
		text_add_bytes(&need, total);
		text_add_bytes(&room, have);
		ret = err_set(err, ERR_NO_SPACE,
			      "cannot write '%s': it takes %s, '%s' has %s: "
			      "free space there, or choose another place with -o",
			      path, need.buf, dir, room.buf);
	}
	strbuf_release(&need);
	strbuf_release(&room);
	free(dir);
	return ret;
}
