#include "rundir/bundle_member.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define LINE_MAX \
	((size_t)64 * 1024 * 1024) /* longer lines, and larger files in UTF-16, are not scrubbed */
#define REPORT_BYTES ((int64_t)4 * 1024 * 1024)

int member_init(struct member *member, struct packing *packing, const char *path, struct err *err)
{
	*member = (struct member){
		.packing = packing, .path = xstrdup(path), .in = STRBUF_INIT, .out = STRBUF_INIT
	};
	member->file_path = fs_join(packing->dir, path);
	member->size = below_size(packing->dir, path);
	member->mtime = (time_t)below_time(packing->dir, path);
	if (member->size < 0)
		return err_set(err, ERR_NOT_FOUND, "cannot read '%s': it was removed",
			       member->file_path);
	return 0;
}

void member_init_from(struct member *member, struct packing *packing, const char *path,
		      const char *from, int64_t size)
{
	*member = (struct member){ .packing = packing,
				   .path = xstrdup(path),
				   .file_path = xstrdup(from),
				   .from = true,
				   .size = size,
				   .mtime = (time_t)(clock_wall() / NS_PER_S),
				   .in = STRBUF_INIT,
				   .out = STRBUF_INIT };
}

static void close_file(struct member *member)
{
	if (member->file)
		fclose(member->file);
	member->file = NULL;
}

void member_release(struct member *member)
{
	close_file(member);
	strbuf_release(&member->in);
	strbuf_release(&member->out);
	free(member->path);
	free(member->name);
	free(member->file_path);
}

static zip_int64_t fail(struct member *member)
{
	member->packing->failed = true;
	return -1;
}

static zip_int64_t open_file(struct member *member)
{
	hash_init(&member->hash);
	hash_init(&member->hash_out);
	member->read = 0;
	member->complete = false;
	member->given = 0;
	member->size_out = 0;
	strbuf_clear(&member->in);
	strbuf_clear(&member->out);
	close_file(member);
	if (member->changes)
		scrub_lines_init(&member->lines, member->packing->scrub, member->path);
	if (member->instead)
		return 0;
	if (!member->from) {
		member->file =
			below_open(member->packing->dir, member->path, "rb", member->packing->err);
	} else {
		member->file = fs_open(member->file_path, "rb");
		if (!member->file)
			err_set_errno(member->packing->err, errno, "cannot read '%s'",
				      member->file_path);
	}
	return member->file ? 0 : fail(member);
}

int member_compare(const struct member *member, struct err *err)
{
	const struct manifest_file *listed = member->listed;

	if (!listed)
		return 0;
	if (listed->size >= 0 && listed->size != member->read)
		return err_set(err, ERR_CORRUPT,
			       "'%s' has changed since the recording: %" PRId64
			       " bytes, but the manifest says %" PRId64,
			       member->file_path, member->read, listed->size);
	if (*listed->sha256 && strcmp(listed->sha256, member->sha256) != 0)
		return err_set(err, ERR_CORRUPT,
			       "'%s' has changed since the recording: its SHA-256 differs from the "
			       "manifest's",
			       member->file_path);
	return 0;
}

/* At the end of the file. */
static int check(struct member *member)
{
	struct err *err = member->packing->err;

	hash_text(&member->hash, member->sha256);
	member->complete = true;
	if (member->read != member->size)
		return err_set(err, ERR_FAILED, "'%s' changed while it was packed",
			       member->file_path);
	return member_compare(member, err);
}

static int add_done(struct packing *packing, int64_t more)
{
	packing->done += more;
	if (packing->done - packing->reported < REPORT_BYTES)
		return 0;
	packing->reported = packing->done;
	return progress_show(packing->progress, BUNDLE_STEP, packing->done, packing->total,
			     packing->err);
}

/* Read from the file, or from its new content. */
static zip_int64_t read_some(struct member *member, void *data, size_t len)
{
	zip_int64_t got;

	if (member->instead) {
		got = member->size - member->read < (int64_t)len ? member->size - member->read
								 : (int64_t)len;
		if (scratch_file_read(member->instead, (uint64_t)member->read, data, (size_t)got,
				      member->packing->err))
			return fail(member);
		return got;
	}
	got = (zip_int64_t)fread(data, 1, len, member->file);
	if (!ferror(member->file))
		return got;
	err_set_errno(member->packing->err, errno, "cannot read '%s'", member->file_path);
	return fail(member);
}

/* Read unchanged bytes; 0 at the end, which is checked. */
static zip_int64_t read_file(struct member *member, void *data, size_t len)
{
	zip_int64_t got = read_some(member, data, len);

	if (got < 0)
		return -1;
	if (!got)
		return !member->complete && check(member) ? fail(member) : 0;
	hash_add(&member->hash, data, (size_t)got);
	member->read += got;
	return add_done(member->packing, got) ? fail(member) : got;
}

/* Scrub the whole lines that were read. */
static int scrub_more(struct member *member)
{
	bool utf16 = member->content == SCRUB_CONTENT_UTF16, at_once = utf16 || member->lines.whole;
	struct strbuf *in = &member->in;
	size_t nr = in->len;

	if (!member->complete) {
		while (nr && (at_once || in->buf[nr - 1] != '\n'))
			nr--;
		if (in->len - nr > LINE_MAX)
			return err_set(member->packing->err, ERR_UNSUPPORTED,
				       "'%s' cannot be scrubbed, as it has a line of more than "
				       "64 MB: remove it from the run first",
				       member->file_path);
	}
	if (member->complete && utf16)
		scrub_from_utf16(in);
	scrub_lines_add(&member->lines, in->buf, member->complete ? in->len : nr, &member->out);
	if (member->complete)
		nr = in->len;
	memmove(in->buf, in->buf + nr, in->len - nr);
	strbuf_set_len(in, in->len - nr);
	return 0;
}

/* Read one more piece into `out`, which is empty. */
static int fill(struct member *member)
{
	struct strbuf *to = member->changes ? &member->in : &member->out;
	zip_int64_t got;

	strbuf_clear(&member->out);
	member->given = 0;
	strbuf_grow(to, MEMBER_READ_SIZE);
	got = read_file(member, to->buf + to->len, MEMBER_READ_SIZE);
	if (got < 0)
		return -1;
	strbuf_set_len(to, to->len + (size_t)got);
	if (member->changes && scrub_more(member))
		return (int)fail(member);
	member->size_out += (int64_t)member->out.len;
	if (member->changes)
		hash_add(&member->hash_out, member->out.buf, member->out.len);
	if (member->changes && member->complete)
		hash_text(&member->hash_out, member->sha256);
	return 0;
}

/* libzip asks for 8 KB at a time; the file is read in larger pieces. */
zip_int64_t member_give(struct member *member, void *data, size_t len)
{
	size_t left;

	while (member->given == member->out.len && !member->complete) {
		if (fill(member))
			return -1;
	}
	left = member->out.len - member->given;
	if (len > left)
		len = left;
	memcpy(data, member->out.buf + member->given, len);
	member->given += len;
	return (zip_int64_t)len;
}

zip_int64_t member_give_stat(const struct member *member, void *data)
{
	zip_stat_t *st = data;

	zip_stat_init(st);
	st->size = (zip_uint64_t)member->size;
	st->mtime = member->mtime;
	st->comp_method = ZIP_CM_STORE;
	st->encryption_method = ZIP_EM_NONE;
	st->valid = ZIP_STAT_MTIME | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
	if (!member->changes)
		st->valid |= ZIP_STAT_SIZE;
	return sizeof(*st);
}

static zip_int64_t give_error(void *data, zip_uint64_t len)
{
	zip_error_t error;
	zip_int64_t ret;

	/* The message is in the pack. */
	zip_error_init(&error);
	zip_error_set(&error, ZIP_ER_READ, 0);
	ret = zip_error_to_data(&error, data, len);
	zip_error_fini(&error);
	return ret;
}

zip_int64_t member_command(void *state, void *data, zip_uint64_t len, zip_source_cmd_t command)
{
	struct member *member = state;

	switch (command) {
	case ZIP_SOURCE_OPEN:
		return open_file(member);
	case ZIP_SOURCE_READ:
		return member_give(member, data, (size_t)len);
	case ZIP_SOURCE_CLOSE:
		close_file(member);
		return 0;
	case ZIP_SOURCE_STAT:
		return member_give_stat(member, data);
	case ZIP_SOURCE_ERROR:
		return give_error(data, len);
	case ZIP_SOURCE_SUPPORTS:
		return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
						      ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
						      ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
	case ZIP_SOURCE_FREE:
		return 0;
	default:
		return -1;
	}
}
